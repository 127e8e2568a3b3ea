// SPDX-License-Identifier: MIT
// Random operations on templates: all those on entities, components, links and relations. A world
// that is to be merged is made by the same.
#include "templates.h"

#include <string.h>

static const operation_entry *const edits[] = {
    entity_operations,    component_operations, bulk_operations,
    hierarchy_operations, relation_operations,  many_operations,
    command_operations,   name_operations,      prefab_operations,
};
enum { LISTS = sizeof edits / sizeof *edits };

static const operation_entry *roll_edit(dice *d) {
    uint32_t total = 0;
    for (size_t i = 0; i < LISTS; ++i)
        for (const operation_entry *o = edits[i]; o->name; ++o)
            total += o->weight;
    uint32_t number = roll_below(d, total);
    for (size_t i = 0; i < LISTS; ++i)
        for (const operation_entry *o = edits[i]; o->name; ++o) {
            if (number < o->weight) return o;
            number -= o->weight;
        }
    return NULL;
}

void edit_somehow(both *t, dice *d) {
    const operation_entry *o = roll_edit(d);
    both_trace(t, "%s", o->name);
    t->doing = o->name;
    o->run(t, d);
    counting_allocator_never_fail(t->memory);
    forget_stale_hidden(t);
    keel_clear_errors(t->world);
}

static void with_templates(both *b, dice *d, operation *edit) {
    both *t = b->templates;
    if (!t) return;
    t->step = b->step;
    t->dry = b->dry;
    t->ran_dry = false;
    edit(t, d);
    b->ran_dry = b->ran_dry || t->ran_dry;
}

static void op_edit_templates(both *b, dice *d) { with_templates(b, d, edit_somehow); }

// A new part, mostly, so that some trees have no values but those.
static keel_entity grow(both *t, dice *d) {
    const keel_entity parent = roll_once_in(d, 3) ? keel_null() : roll_living(t, d);
    if (is_crowded(t) || roll_once_in(d, 3)) return roll_entity(t, d);
    const keel_entity e = keel_is_null(parent) ? keel_add_entity_values(t->world, NULL)
                                               : keel_add_child_values(t->world, parent, NULL);
    if (keel_is_null(e)) return (void)both_agree(t, KEEL_ERROR_MEMORY, KEEL_OK), e;
    if (!keel_is_same(e, model_add_entity(&t->model))) both_fail(t, "a part is another one");
    if (!keel_is_null(parent)) (void)model_attach(&t->model, e, parent);
    return e;
}

// Parts that are related to each other, and have names.
static void knit(both *t, dice *d) {
    keel_entity below[TREE];
    const keel_entity part = roll_living(t, d), parent = model_parent_of(&t->model, part);
    const keel_entity root = keel_is_null(parent) ? part : parent;
    const size_t count = model_list_descendants(&t->model, root, below);
    const keel_entity other = count && !roll_once_in(d, 3) ? below[roll(d) % count] : root;
    const uint32_t r = roll_below(d, RELATIONS), number = roll_word(d);
    const char *name = roll_name(d);
    const bool turn = roll_once_in(d, 2);
    const keel_entity from = turn ? part : other, to = turn ? other : part;
    const keel_result named = t->setting.names ? keel_set_name(t->world, part, name) : KEEL_ABSENT;
    if (named == KEEL_ERROR_MEMORY) (void)both_agree(t, named, KEEL_OK);
    else if (t->setting.names) both_agree_surely(t, named, model_set_name(&t->model, part, name));
    const keel_result related = keel_relate_component(t->world, from, &t->relations[r], to,
                                                      t->relations[r].size ? &number : NULL);
    if (related == KEEL_ERROR_MEMORY) (void)both_agree(t, related, KEEL_OK);
    else both_agree_surely(t, related, model_relate(&t->model, r, from, to, &number));
}

// Parts that name each other, and templates that no tree holds.
static void point(both *t, dice *d) {
    const keel_entity e = grow(t, d);
    const pair named = { roll_entity(t, d), roll_living(t, d) };
    both_trace(t, "template %u to %u and %u", (unsigned)keel_entity_index(e),
               (unsigned)keel_entity_index(named.first), (unsigned)keel_entity_index(named.second));
    const keel_result result = keel_add_component(t->world, e, &t->components[PAIR], &named);
    if (both_agree(t, result, may_add(t, e, 1u << PAIR)) && result == KEEL_OK) {
        value plain;
        memcpy(&plain, &named, sizeof named);
        model_add(&t->model, e, PAIR, &plain);
    }
}

void point_somehow(both *t, dice *d) {
    if (roll_once_in(d, 2)) knit(t, d);
    else point(t, d);
    forget_stale_hidden(t);
    keel_clear_errors(t->world);
}

static void op_point(both *b, dice *d) { with_templates(b, d, point_somehow); }

const operation_entry template_operations[] = {
    { "edit templates", op_edit_templates, 9 },
    { "point", op_point, 6 },
    { NULL, NULL, 0 },
};
