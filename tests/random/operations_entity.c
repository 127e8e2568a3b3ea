// SPDX-License-Identifier: MIT
// Random operations on entities: adding, deleting, all at once.
#include "followers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };

// ------------------------------------------------------------------ adding
// Some values, some of them for the same kind. The list ends with a NULL component.
static uint32_t roll_values(both *b, dice *d, keel_value *list, value *values, uint32_t *which) {
    const uint32_t count = roll_below(d, MOST);
    for (uint32_t i = 0; i < count; ++i) {
        which[i] = roll_kind(d);
        list[i] = (keel_value){ &b->components[which[i]], NULL };
        if (roll_once_in(d, 5)) continue;
        value_make(&values[i], which[i], roll_word(d));
        list[i].value = &values[i];
    }
    list[count] = (keel_value){ NULL, NULL };
    return count;
}

static void release_values(const keel_value *list, value *values, const uint32_t *which) {
    for (uint32_t i = 0; list[i].component; ++i)
        if (list[i].value) value_release(&values[i], which[i]);
}

// What the model gets: the value as it was before Keel took it.
static void model_add_all(both *b, keel_entity e, const keel_value *list, const value *plain,
                          const uint32_t *which) {
    for (uint32_t i = 0; list[i].component; ++i)
        if (list[i].value || !model_get(&b->model, e, which[i]))
            model_add(&b->model, e, which[i], list[i].value ? &plain[i] : NULL);
}

static void copy_values(value *plain, const keel_value *list, const value *values,
                        const uint32_t *which) {
    for (uint32_t i = 0; list[i].component; ++i) {
        memset(&plain[i], 0, sizeof plain[i]);
        if (list[i].value) memcpy(&plain[i], &values[i], kinds[which[i]].size);
    }
}

static void expect_new(both *b, keel_entity e) {
    const keel_entity models = model_add_entity(&b->model);
    if (!keel_is_same(e, models))
        both_fail(b, "the new entity is index %u version %u, in the model %u version %u",
                  (unsigned)keel_entity_index(e), (unsigned)keel_entity_version(e),
                  (unsigned)keel_entity_index(models), (unsigned)keel_entity_version(models));
}

static void add_entity_below(both *b, dice *d, bool below) {
    value values[MOST], plain[MOST];
    keel_value list[MOST];
    uint32_t which[MOST];
    if (is_crowded(b)) return;
    const keel_entity parent = below ? roll_entity(b, d) : keel_null();
    const uint32_t count = roll_values(b, d, list, values, which);
    copy_values(plain, list, values, which);
    const keel_entity e = below ? keel_add_child_values(b->world, parent, list)
                                : keel_add_entity_values(b->world, count ? list : NULL);
    both_trace(b, "%u values: index %u", (unsigned)count, (unsigned)keel_entity_index(e));
    if (keel_is_null(e)) {
        release_values(list, values, which);
        const bool dead = below && !model_is_alive(&b->model, parent);
        if (dead) return;
        (void)both_agree(b, keel_last_error(b->world)->result, KEEL_OK);
        return;
    }
    expect_new(b, e);
    model_add_all(b, e, list, plain, which);
    if (below && model_attach(&b->model, e, parent) != KEEL_OK)
        both_fail(b, "a child was added to a dead parent");
}

static void op_add_entity(both *b, dice *d) { add_entity_below(b, d, false); }
static void op_add_child(both *b, dice *d) { add_entity_below(b, d, true); }

static uint32_t roll_index(both *b, dice *d) {
    static const uint32_t edges[] = { 64, 128, 4096, 8192, 12288, 65536, 262144, 0xFFFFF };
    const uint32_t near = roll_below(d, 64);
    if (!b->setting.far || roll_once_in(d, 2)) return near;
    const uint32_t many = b->setting.many ? 5 : 8; // far ones make many walks slow
    return edges[roll_below(d, roll_once_in(d, 8) ? many : 4)] - near % 4;
}

static uint32_t roll_version(dice *d) {
    switch (roll_below(d, 8)) {
    case 0:
        return KEEL_MAX_ENTITY_VERSION;
    case 1:
        return KEEL_MAX_ENTITY_VERSION - 1;
    default:
        return roll_below(d, 6);
    }
}

static void op_add_entity_at(both *b, dice *d) {
    keel_entity e = keel_entity_make(roll_index(b, d), roll_version(d));
    if (roll_once_in(d, 16)) e = roll_entity(b, d);
    if (is_crowded(b)) return;
    // not too far, or a single handle that was made up makes all walks slow
    if (keel_entity_index(e) > (b->setting.far ? 0xFFFFFu : 64u)) return;
    both_trace(b, "index %u version %u", (unsigned)keel_entity_index(e),
               (unsigned)keel_entity_version(e));
    const keel_result result = keel_add_entity_at(b->world, e);
    if (result == KEEL_ERROR_MEMORY) (void)both_agree(b, result, KEEL_OK);
    else both_agree_surely(b, result, model_add_entity_at(&b->model, e));
}

// ------------------------------------------------------------------ deleting
static void op_delete_entity(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    const keel_result expected = model_delete_entity(&b->model, e);
    both_trace(b, "index %u", (unsigned)keel_entity_index(e));
    both_agree_surely(b, keel_delete_entity(b->world, e), expected);
}

static void op_delete_entity_unchecked(both *b, dice *d) {
    const keel_entity e = roll_living(b, d);
    const model_slot *slot = slot_of_living(b, e);
    if (!slot || slot->child_count || !keel_is_null(slot->parent)) return;
    keel_delete_entity_unchecked(b->world, e);
    model_delete_entity_unchecked(&b->model, e);
}

static void op_delete_entities(both *b, dice *d) {
    keel_entity list[6];
    const uint32_t count = roll_below(d, 6);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = roll_entity(b, d);
    both_trace(b, "%u", (unsigned)count);
    const keel_result expected = model_delete_entities(&b->model, list, count);
    both_agree_surely(b, keel_delete_entities(b->world, list, count), expected);
}

static void op_delete_with(both *b, dice *d) {
    const uint32_t k = roll_kind(d);
    both_trace(b, "kind %u", (unsigned)k);
    const keel_result result = keel_delete_entities_having_component(b->world, &b->components[k]);
    // a world with a rule lists them
    if (result == KEEL_ERROR_MEMORY) (void)both_agree(b, result, KEEL_OK);
    else both_agree_surely(b, result, model_delete_with(&b->model, k));
}

static bool is_linked(const model_slot *slot, bool parents) {
    return slot->is_alive && (parents ? slot->child_count > 0 : !keel_is_null(slot->parent));
}

// Everybody who has the link when it begins, the highest index first.
static void op_delete_linked(both *b, dice *d) {
    const bool parents = roll_once_in(d, 2);
    size_t count = 0;
    keel_entity *list = malloc((b->model.slot_count + 1) * sizeof *list);
    for (size_t i = b->model.slot_count; i-- > 0;)
        if (is_linked(&b->model.slots[i], parents)) list[count++] = b->model.slots[i].handle;
    const keel_result result =
        parents ? keel_delete_entities_matching(b->world, KEEL_TERMS(KEEL_TARGETED(keel_child)))
                : keel_delete_entities_having(b->world, keel_child);
    if (result == KEEL_ERROR_MEMORY) (void)both_agree(b, result, KEEL_OK);
    else both_agree_surely(b, result, model_delete_entities(&b->model, list, count));
    free(list);
}

static void op_clear_entities(both *b, dice *d) {
    (void)d;
    model_clear_entities(&b->model);
    both_agree_surely(b, keel_clear_entities(b->world), KEEL_OK);
}

static void op_strip(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    const bool is_in_set = count_sets(b, e) > 0;
    keel_result expected = model_strip(&b->model, e);
    if (is_in_set && expected == KEEL_ABSENT) expected = KEEL_OK; // it had its tag
    forget_hidden_of(b, e);
    both_trace(b, "index %u", (unsigned)keel_entity_index(e));
    both_agree_surely(b, keel_strip(b->world, e), expected);
}

const operation_entry entity_operations[] = {
    { "add_entity", op_add_entity, 13 },
    { "add_child", op_add_child, 6 },
    { "add_entity_at", op_add_entity_at, 5 },
    { "delete_entity", op_delete_entity, 10 },
    { "delete_entity_unchecked", op_delete_entity_unchecked, 3 },
    { "delete_entities", op_delete_entities, 4 },
    { "delete_entities_with", op_delete_with, 1 },
    { "delete_entities_with a link", op_delete_linked, 1 },
    { "clear_entities", op_clear_entities, 1 },
    { "strip", op_strip, 3 },
    { NULL, NULL, 0 },
};
