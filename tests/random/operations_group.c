// SPDX-License-Identifier: MIT
// Random groups and sorts: who is a member, in which order sparse sets are before and after.
#include "both.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ what is to be a group
static uint32_t roll_list(both *b, dice *d, const keel_component **list, uint32_t *bits,
                          uint32_t most) {
    const uint32_t count = roll_below(d, most + 1);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = roll_kind(d);
        list[i] = &b->components[k];
        *bits |= 1u << k;
    }
    list[count] = NULL;
    return count;
}

static keel_result expected_of(const both *b, const group *g, uint32_t named) {
    const uint32_t all = g->owned | g->get | g->exclude;
    if (!(g->owned | g->get) || named < 2) return KEEL_ERROR_ARGUMENT;
    if ((uint32_t)__builtin_popcount(all) != named) return KEEL_ERROR_ARGUMENT; // one named twice
    keel_result result = KEEL_OK;
    for (uint32_t k = 0; k < KINDS; ++k) {
        if (!(g->owned >> k & 1)) continue;
        if (b->components[k].storage != KEEL_SPARSE_SET) return KEEL_ERROR_ARGUMENT;
        for (uint32_t i = 0; i < GROUPS; ++i)
            if (b->groups[i].group && b->groups[i].owned >> k & 1) result = KEEL_ERROR_GROUPED;
    }
    return result;
}

static void op_group(both *b, dice *d) {
    const keel_component *owned[4], *get[3], *exclude[3];
    group *place = &b->groups[roll_below(d, GROUPS)];
    if (place->group) {
        both_trace(b, "end it");
        both_agree_surely(b, keel_group_destroy(b->world, place->group), KEEL_OK);
        *place = (group){ 0 };
        return;
    }
    group g = { 0 };
    uint32_t named = roll_list(b, d, owned, &g.owned, 3);
    named += roll_list(b, d, get, &g.get, 2);
    named += roll_list(b, d, exclude, &g.exclude, 2);
    both_trace(b, "owned %x get %x exclude %x", (unsigned)g.owned, (unsigned)g.get,
               (unsigned)g.exclude);
    const keel_group_desc desc = { .name = NULL, .owned = owned, .get = get, .exclude = exclude };
    const keel_result expected = expected_of(b, &g, named);
    const keel_result result = keel_group_create_of(b->world, &desc, &g.group);
    // two things wrong: either may be told
    if (result != KEEL_OK && expected != KEEL_OK && result != KEEL_ERROR_MEMORY) return;
    if (both_agree(b, result, expected)) *place = g;
}

// ------------------------------------------------------------------ members
static bool is_member(const both *b, const group *g, const model_slot *slot) {
    const uint32_t has = bits_of(slot), must = g->owned | g->get;
    (void)b;
    return slot->is_alive && (has & must) == must && !(has & g->exclude);
}

void compare_groups(const both *b) {
    for (uint32_t i = 0; i < GROUPS; ++i) {
        const group *g = &b->groups[i];
        uint32_t count = 0;
        if (!g->group) continue;
        for (size_t s = 0; s < b->model.slot_count; ++s) {
            const model_slot *slot = &b->model.slots[s];
            const bool member = is_member(b, g, slot);
            count += member;
            if (keel_group_contains(b->world, g->group, slot->handle) != member)
                both_fail(b, "index %u is a member of group %u or not",
                          (unsigned)keel_entity_index(slot->handle), (unsigned)i);
        }
        if (keel_group_count(b->world, g->group) != count)
            both_fail(b, "group %u has %u members, in the model %u", (unsigned)i,
                      (unsigned)keel_group_count(b->world, g->group), (unsigned)count);
        for (uint32_t at = 0; at <= count; ++at) {
            const keel_entity e = keel_group_entity(b->world, g->group, at);
            if (keel_is_null(e) != (at == count))
                both_fail(b, "member %u is null or not", (unsigned)at);
            if (at < count && !keel_group_contains(b->world, g->group, e))
                both_fail(b, "member %u of group %u is none", (unsigned)at, (unsigned)i);
        }
    }
}

// ------------------------------------------------------------------ orders
// The packed order of a sparse set; NULL when memory runs out. Free it.
static keel_entity *order_of(both *b, uint32_t k, uint32_t *count) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = &b->components[k] },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator it;
    keel_span span;
    keel_entity *order =
        malloc((keel_component_count(b->world, &b->components[k]) + 1) * sizeof *order);
    *count = 0;
    counting_allocator_never_fail(b->memory); // looking is not the operation
    both_agree_surely(b, keel_view_begin(&view, b->world, terms, "an order"), KEEL_OK);
    both_agree_surely(b, keel_iterator_begin(&it, &view), KEEL_OK);
    while (keel_iterator_next_span(&it, &span)) {
        memcpy(order + *count, span.entities, span.count * sizeof *order);
        *count += span.count;
    }
    keel_view_end(&view);
    return order;
}

// Few different keys, so that the order of equal ones shows.
static uint32_t key_of(keel_entity e, uint32_t salt) {
    return mix_of(keel_entity_index(e), salt) % 7;
}
static int by_key(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t salt = *(const uint32_t *)data;
    (void)world;
    return (int)key_of(a, salt) - (int)key_of(b, salt);
}

// Insertion sort: stable, and obviously right.
static void sort_entities(keel_entity *list, uint32_t count, uint32_t salt) {
    for (uint32_t sorted = 1; sorted < count; ++sorted) {
        const keel_entity moved = list[sorted];
        uint32_t at = sorted;
        for (; at > 0 && key_of(list[at - 1], salt) > key_of(moved, salt); --at)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

static void expect_order(both *b, uint32_t k, const keel_entity *expected,
                         uint32_t expected_count) {
    uint32_t count;
    keel_entity *order = order_of(b, k, &count);
    if (count != expected_count)
        both_fail(b, "kind %u has another count after a sort", (unsigned)k);
    for (uint32_t i = 0; i < count; ++i)
        if (!keel_is_same(order[i], expected[i]))
            both_fail(b, "kind %u has index %u at %u, not index %u", (unsigned)k,
                      (unsigned)keel_entity_index(order[i]), (unsigned)i,
                      (unsigned)keel_entity_index(expected[i]));
    free(order);
}

// The members first, in the group's order, in each set that it owns.
static void op_look_at_order(both *b, dice *d) {
    const group *g = &b->groups[roll_below(d, GROUPS)];
    if (!g->group) return;
    for (uint32_t k = 0; k < KINDS; ++k) {
        uint32_t count;
        if (!(g->owned >> k & 1)) continue;
        keel_entity *order = order_of(b, k, &count);
        for (uint32_t i = 0; i < keel_group_count(b->world, g->group); ++i)
            if (!keel_is_same(order[i], keel_group_entity(b->world, g->group, i)))
                both_fail(b, "kind %u is in another order than its group", (unsigned)k);
        free(order);
    }
}

static void op_sort_group(both *b, dice *d) {
    const group *g = &b->groups[roll_below(d, GROUPS)];
    uint32_t salt = roll(d), totals[KINDS];
    keel_entity *orders[KINDS] = { NULL };
    if (!g->group) return;
    const uint32_t count = keel_group_count(b->world, g->group);
    if (count > 3000) return; // the oracle is slow
    keel_entity *members = malloc((count + 1) * sizeof *members);
    for (uint32_t i = 0; i < count; ++i)
        members[i] = keel_group_entity(b->world, g->group, i);
    for (uint32_t k = 0; k < KINDS; ++k)
        if (g->owned >> k & 1) orders[k] = order_of(b, k, &totals[k]);
    if (b->dry) counting_allocator_fail_after(b->memory, salt % 4);
    const keel_result result =
        keel_sort_with(b->world, .group = g->group, .compare_entities = by_key, .data = &salt);
    if (both_agree(b, result, KEEL_OK)) sort_entities(members, count, salt);
    for (uint32_t i = 0; i < count; ++i)
        if (!keel_is_same(keel_group_entity(b->world, g->group, i), members[i]))
            both_fail(b, "member %u is another after a sort", (unsigned)i);
    for (uint32_t k = 0; k < KINDS; ++k) {
        if (!orders[k]) continue;
        memcpy(orders[k], members, count * sizeof *members); // the others stay where they are
        expect_order(b, k, orders[k], totals[k]);
        free(orders[k]);
    }
    free(members);
}

static bool is_owned(const both *b, uint32_t k) {
    for (uint32_t i = 0; i < GROUPS; ++i)
        if (b->groups[i].group && b->groups[i].owned >> k & 1) return true;
    return false;
}

static keel_result expected_sort(const both *b, uint32_t k) {
    if (b->components[k].storage != KEEL_SPARSE_SET) return KEEL_ERROR_ARGUMENT;
    return is_owned(b, k) ? KEEL_ERROR_GROUPED : KEEL_OK;
}

static void op_sort(both *b, dice *d) {
    const uint32_t k = roll_kind(d);
    uint32_t salt = roll(d), count;
    keel_entity *order = order_of(b, k, &count);
    if (count <= 3000) {
        both_trace(b, "kind %u", (unsigned)k);
        if (b->dry) counting_allocator_fail_after(b->memory, salt % 4);
        const keel_result expected = expected_sort(b, k);
        const keel_result result = keel_sort_with(b->world, .component = &b->components[k],
                                                  .compare_entities = by_key, .data = &salt);
        if (both_agree(b, result, expected) && result == KEEL_OK) sort_entities(order, count, salt);
        expect_order(b, k, order, count);
    }
    free(order);
}

// Those that have the other component first, in its order; the rest as they are.
static void op_sort_as(both *b, dice *d) {
    const uint32_t k = roll_kind(d), other = roll_kind(d);
    uint32_t count, other_count, at = 0;
    if (k == other) return;
    keel_entity *order = order_of(b, k, &count), *by = order_of(b, other, &other_count);
    keel_entity *sorted = malloc((count + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < other_count; ++i)
        if (model_has(&b->model, by[i], k)) sorted[at++] = by[i];
    for (uint32_t i = 0; i < count; ++i)
        if (!model_has(&b->model, order[i], other)) sorted[at++] = order[i];
    both_trace(b, "kind %u as kind %u", (unsigned)k, (unsigned)other);
    keel_result expected = expected_sort(b, k);
    if (expected == KEEL_OK && b->components[other].storage == KEEL_ARCHETYPE)
        expected = KEEL_ERROR_ARGUMENT;
    if (b->dry) counting_allocator_fail_after(b->memory, roll_below(d, 4));
    const keel_result result =
        keel_sort_with(b->world, .component = &b->components[k], .as = &b->components[other]);
    if (result == KEEL_OK || expected == KEEL_OK) (void)both_agree(b, result, expected);
    expect_order(b, k, result == KEEL_OK ? sorted : order, count);
    free(sorted);
    free(order);
    free(by);
}

const operation_entry group_operations[] = {
    { "group", op_group, 3 },
    { "order of a group", op_look_at_order, 2 },
    { "sort a group", op_sort_group, 2 },
    { "sort", op_sort, 2 },
    { "sort as", op_sort_as, 1 },
    { NULL, NULL, 0 },
};
