// SPDX-License-Identifier: MIT
// Random operations on whole worlds: a copy, compared with the same model; an entity that goes to
// another world and comes back; a small world that is made at random and comes into this one.
#include "followers.h"
#include "templates.h"

#include <string.h>

// ------------------------------------------------------------------ copies
static bool can_copy_all(const both *b) {
    for (uint32_t k = 0; k < KINDS; ++k) {
        if (kinds[k].copies) continue;
        if (model_get_unique(&b->model, k) || b->hidden_counts[k]) return false;
        for (size_t i = 0; i < b->model.slot_count; ++i)
            if (bits_of(&b->model.slots[i]) >> k & 1) return false;
    }
    return true;
}

static uint64_t hash_of(both *b, keel_world *world) {
    uint64_t hash = 0;
    const keel_result result = keel_world_hash(world, &hash);
    if (result != KEEL_OK) both_fail(b, "no hash: %s", keel_last_error(world)->message);
    return hash;
}

// A copy goes back to what it was when the snapshot was taken, whatever became of it.
static void take_and_restore(both *copy, counting_allocator *memory, dice *d) {
    keel_snapshot *snapshot = keel_snapshot_create(copy->world, NULL);
    if (!snapshot || keel_snapshot_take(snapshot) != KEEL_OK) both_fail(copy, "no snapshot");
    const uint32_t how = roll_below(d, 4);
    keel_entity e = keel_null();
    while (how && !keel_is_null(e = keel_next_entity(copy->world, e)))
        if (how == 1) (void)keel_set_name(copy->world, e, roll_name(d));
        else if (how == 2) (void)keel_unlink(copy->world, e);
        else if (roll_once_in(d, 2)) (void)keel_delete_tree(copy->world, e);
    if (how == 0) (void)keel_clear_entities(copy->world);
    keel_result result = KEEL_ERROR_MEMORY;
    if (roll_once_in(d, 2)) counting_allocator_fail_after(memory, roll_below(d, 40));
    for (uint32_t i = 0; i < 2 && result == KEEL_ERROR_MEMORY; ++i) {
        result = keel_snapshot_restore(snapshot);
        counting_allocator_never_fail(memory);
    }
    both_agree_surely(copy, result, KEEL_OK);
    keel_clear_errors(copy->world);
    keel_snapshot_destroy(snapshot);
    both_compare(copy);
}

static void op_copy_world(both *b, dice *d) {
    static both copy;
    counting_allocator memory;
    copy = *b;
    copy.is_copy = true;
    copy.memory = &memory;
    copy.templates = NULL;
    counting_allocator_init(&memory);
    memset(copy.groups, 0, sizeof copy.groups);
    copy.world = keel_world_create(&(keel_world_desc){
        .allocator = memory.allocator, .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    copy.dropped = 0;
    for (uint32_t k = 0; k < KINDS; ++k)
        copy.columns[k] = keel_lookup_of_component(copy.world, &b->components[k]);
    const uint32_t owned = lives_begin_copy();
    if (roll_once_in(d, 4)) counting_allocator_fail_after(&memory, roll(d) % 64u);
    const keel_result result = keel_copy_world(b->world, copy.world);
    const bool ran_dry = memory.failures > 0;
    counting_allocator_never_fail(&memory);
    keel_clear_errors(copy.world);
    if (result == KEEL_OK) {
        if (!can_copy_all(b)) both_fail(b, "a world was copied that cannot be");
        both_compare(&copy);
        if (hash_of(b, copy.world) != hash_of(b, b->world)) both_fail(b, "the copy's hash differs");
        if (roll_once_in(d, 2)) take_and_restore(&copy, &memory, d);
        keel_error error;
        if (!keel_world_check(copy.world, &error)) both_fail(b, "the copy: %s", error.message);
    } else {
        if (keel_entity_count(copy.world)) both_fail(b, "a failed copy is not empty");
        const bool dry = result == KEEL_ERROR_MEMORY && (ran_dry || b->dry);
        if (!dry && (result != KEEL_ERROR_COPY || can_copy_all(b)))
            both_agree_surely(b, result, KEEL_OK);
    }
    keel_world_destroy(copy.world);
    if (memory.live_bytes) both_fail(b, "the copy left %zu bytes", memory.live_bytes);
    lives_end_copy(b, owned);
}

// ------------------------------------------------------------------ there and back
// The model has the entity anew, with what the old one had, out of sight or not.
static void model_return(both *b, keel_entity e, const value *values, uint32_t bits,
                         keel_entity old) {
    for (uint32_t k = 0; k < ALL_KINDS; ++k)
        if (bits >> k & 1) model_add(&b->model, e, k, &values[k]);
    for (uint32_t i = 0; i < b->hidden_count; ++i)
        if (keel_is_same(b->hidden[i].e, old)) {
            b->hidden[i].e = e;
            follow_hidden(b, e, b->hidden[i].kind);
        }
}

static keel_result why_not(const both *b, keel_entity e) {
    const model_slot *slot = slot_of_living(b, e);
    if (!slot) return KEEL_ERROR_DEAD_ENTITY;
    const bool has_links = slot->child_count || !keel_is_null(slot->parent);
    return has_links || model_is_related(&b->model, e) ? KEEL_ERROR_ARGUMENT : KEEL_OK;
}

static void op_move_entity(both *b, dice *d) {
    static value values[ALL_KINDS];
    const keel_entity e = roll_entity(b, d);
    const uint32_t dry = roll_once_in(d, 3) ? roll_below(d, 16) : UINT32_MAX;
    follow_copies(b);
    counting_allocator memory;
    counting_allocator_init(&memory);
    keel_world *there = keel_world_create(&(keel_world_desc){
        .allocator = memory.allocator, .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    const model_slot *slot = slot_of_living(b, e);
    const uint32_t bits = slot ? bits_of(slot) : 0;
    const char *name = model_name_of(&b->model, e);
    for (uint32_t k = 0; k < ALL_KINDS; ++k)
        if (bits >> k & 1) memcpy(&values[k], model_get(&b->model, e, k), kinds[k].size);
    if (dry != UINT32_MAX) counting_allocator_fail_after(&memory, dry);
    const keel_entity moved = keel_move_entity(b->world, e, there);
    counting_allocator_never_fail(&memory);
    both_trace(b, "index %u: %u", (unsigned)keel_entity_index(e),
               (unsigned)keel_entity_index(moved));
    if (keel_is_null(moved)) {
        const keel_result here = keel_last_error(b->world)->result;
        const keel_result result = here ? here : keel_last_error(there)->result;
        if (result == KEEL_ERROR_MEMORY && (memory.failures || b->dry)) b->ran_dry = true;
        else both_agree_surely(b, result, why_not(b, e));
    } else {
        both_agree_surely(b, KEEL_OK, why_not(b, e));
        model_delete_entity_unchecked(&b->model, e);
        counting_allocator_never_fail(b->memory);
        const keel_entity back = keel_move_entity(there, moved, b->world);
        const keel_entity models = model_add_entity(&b->model);
        if (!keel_is_same(back, models)) both_fail(b, "an entity came back as another");
        model_return(b, back, values, bits, e);
        (void)model_set_name(&b->model, back, name);
    }
    keel_world_destroy(there);
    if (memory.live_bytes) both_fail(b, "the other world left %zu bytes", memory.live_bytes);
}

// ------------------------------------------------------------------ a world that comes in
// With copies of prefabs, where its templates are the same.
static void give_templates(both *from, const both *b, dice *d) {
    if (!b->templates || roll_once_in(d, 3)) return;
    keel_world *templates = keel_templates(from->world);
    if (keel_copy_world(b->templates->world, templates) == KEEL_OK) from->templates = b->templates;
    keel_clear_errors(templates);
}

static void drop_what_is_not_copied(both *from) {
    for (uint32_t k = 0; k < KINDS; ++k) {
        if (kinds[k].copies) continue;
        (void)keel_clear_component(from->world, &from->components[k]);
        (void)model_clear(&from->model, k);
        forget_hidden_kind(from, k);
    }
}

static void begin_comers(both *from, const both *b, counting_allocator *memory, dice *d) {
    memset(from, 0, sizeof *from);
    from->setting = (setting){ .storages = b->setting.storages,
                               .of_slots = roll(d),
                               .names = b->setting.names,
                               .of_children = (uint8_t)roll_below(d, 3),
                               .requires = b->setting.requires };
    from->is_copy = true;
    from->trace = b->trace;
    from->step = b->step;
    from->memory = memory;
    counting_allocator_init(memory);
    from->world = keel_world_create(
        &(keel_world_desc){ .allocator = memory->allocator,
                            .log = keel_log_none,
                            .on_misuse = KEEL_MISUSE_RETURN,
                            .on_parent_delete = (keel_on_delete)from->setting.of_children });
    both_describe(from);
    give_templates(from, b, d);
    for (uint32_t edits = roll_below(d, 24); edits; --edits)
        edit_somehow(from, d);
    if (!roll_once_in(d, 4)) drop_what_is_not_copied(from);
    for (uint32_t edits = roll_below(d, 12); edits; --edits)
        point_somehow(from, d);
    for (uint32_t edits = roll_below(d, 20); edits; --edits)
        (edits % 4 ? op_disable : op_unique)(from, d);
}

static void check_handles(const both *b, const both *from, const tree *of, const keel_entity *made,
                          const keel_entity *handles) {
    for (size_t i = 0, n = 0; i < from->model.slot_count; ++i) {
        const model_slot *slot = &from->model.slots[i];
        for (uint32_t node = 0; node < of->count; ++node)
            if (keel_is_same(of->nodes[node], slot->handle) &&
                !keel_is_same(made[node], handles[n++]))
                both_fail(b, "index %u came as another one than in the model",
                          (unsigned)keel_entity_index(slot->handle));
    }
}

// Somebody keeps out of sight what requires something that went meanwhile: the model does not know
// that it comes with the copy.
static bool is_required_gone(const both *from) {
    for (uint32_t i = 0; i < from->hidden_count; ++i)
        for (uint32_t k = 0; k < KINDS; ++k)
            if (model_required_of(&from->model, from->hidden[i].kind) >> k & 1 &&
                !owns_kind(from, from->hidden[i].e, k))
                return true;
    return false;
}

static void merge(both *b, both *from, dice *d) {
    keel_entity made[TREE], handles[TREE];
    const tree of = tree_of_all(from);
    if (b->hidden_count + of.hidden > HIDDEN || is_required_gone(from)) return;
    const keel_merge_options options = { .root =
                                             roll_once_in(d, 2) ? roll_entity(b, d) : keel_null(),
                                         .strict = roll_once_in(d, 3),
                                         .same_templates = roll_once_in(d, 2),
                                         .handles = roll_once_in(d, 4) ? NULL : handles };
    const uint32_t reasons = refusals_to_merge(b, from, &of, &options);
    const uint64_t before = hash_of(from, from->world);
    const bool may_fail = may_copies_fail(d);
    if (b->dry) counting_allocator_fail_after(b->memory, roll_below(d, 120));
    const keel_result result = keel_merge_world(b->world, from->world, &options);
    counting_allocator_never_fail(b->memory);
    copies_left = UINT32_MAX;
    both_trace(b, "%u entities below index %u: %s", (unsigned)of.count,
               (unsigned)keel_entity_index(options.root), keel_result_text(result));
    if (hash_of(from, from->world) != before) both_fail(b, "who came changed");
    if (!agree_on_reasons(b, result, reasons, may_fail)) return;
    if (keel_last_count(b->world) != of.count) both_fail(b, "keel_last_count is another one");
    model_merge(b, from, &of, &options, made);
    if (options.handles) check_handles(b, from, &of, made, handles);
}

static void op_merge_world(both *b, dice *d) {
    static both from;
    counting_allocator memory;
    if (is_crowded(b)) return;
    counting_allocator_never_fail(b->memory);
    begin_comers(&from, b, &memory, d);
    merge(b, &from, d);
    keel_world_destroy(from.world);
    model_deinit(&from.model);
    if (memory.live_bytes) both_fail(b, "who came left %zu bytes", memory.live_bytes);
}

const operation_entry world_operations[] = {
    { "copy_world", op_copy_world, 1 },
    { "merge_world", op_merge_world, 3 },
    { "move_entity", op_move_entity, 2 },
    { NULL, NULL, 0 },
};
