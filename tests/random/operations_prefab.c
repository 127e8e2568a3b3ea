// SPDX-License-Identifier: MIT
// Random operations that make somebody who lives a copy of a prefab.
#include "templates.h"

// A root that has parts, mostly.
static keel_entity roll_root(both *b, dice *d) {
    const keel_entity any = roll_entity(b->templates, d);
    const keel_entity above = model_parent_of(&b->templates->model, any);
    return keel_is_null(above) || roll_once_in(d, 4) ? any : above;
}

// Somebody with a target, and with children that have names: what an entity keeps.
static keel_entity roll_rich(const both *b, dice *d) {
    static const uint32_t exclusive[] = { 1, 2, 6, 7 };
    const model_relation *r = &b->model.relations[exclusive[roll_below(d, 4)]];
    const size_t count = b->model.slot_count, from = roll_word(d);
    if (r->edge_count && roll_once_in(d, 2)) return r->edges[from % r->edge_count].source;
    for (size_t i = 0; i < count; ++i) {
        const model_slot *slot = &b->model.slots[(from + i) % count];
        if (slot->name && !keel_is_null(slot->parent)) return slot->parent;
    }
    return keel_null();
}

// Who is a copy of it already, and lost what names its parts.
static keel_entity roll_copy(both *b, dice *d, keel_entity root) {
    const size_t count = b->model.slot_count, from = roll_word(d);
    for (size_t i = 0; i < count; ++i) {
        const keel_entity e = b->model.slots[(from + i) % count].handle;
        if (!is_copy_of(b, e, root)) continue;
        if (roll_once_in(d, 2)) return e;
        (void)model_delete(&b->model, e, PAIR);
        forget_hidden(b, e, PAIR);
        (void)keel_delete_component(b->world, e, &b->components[PAIR]);
        return e;
    }
    return keel_null();
}

static keel_entity roll_receiver(both *b, dice *d, keel_entity root) {
    const uint32_t how = roll_below(d, 4);
    const keel_entity e = how == 0   ? roll_copy(b, d, root)
                          : how == 1 ? roll_rich(b, d)
                                     : keel_null();
    return keel_is_null(e) ? roll_entity(b, d) : e;
}

static void op_apply(both *b, dice *d) {
    if (!b->templates) return;
    counting_allocator_never_fail(b->memory);
    const keel_entity root = roll_root(b, d), e = roll_receiver(b, d, root);
    const tree of = tree_of(b->templates, root);
    if (of.count > 1 && is_crowded(b)) return;
    if (b->hidden_count + of.hidden > HIDDEN) return;
    const bool may_fail = may_copies_fail(d);
    if (b->dry) counting_allocator_fail_after(b->memory, roll_below(d, 40));
    const keel_result result = keel_apply_prefab(b->world, e, (keel_prefab){ root });
    counting_allocator_never_fail(b->memory);
    copies_left = UINT32_MAX;
    both_trace(b, "template %u of %u entities to index %u: %s", (unsigned)keel_entity_index(root),
               (unsigned)of.count, (unsigned)keel_entity_index(e), keel_result_text(result));
    keel_entity made[TREE];
    if (agree_on_reasons(b, result, refusals_to_apply(b, e, &of), may_fail))
        model_copies_are_made(b, made, model_apply(b, e, &of, made));
}

const operation_entry prefab_operations[] = {
    { "apply_prefab", op_apply, 7 },
    { NULL, NULL, 0 },
};
