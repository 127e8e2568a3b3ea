// SPDX-License-Identifier: MIT
// Keeping groups packed while components come and go. The order is that of the EnTT seed: a value
// is pushed first, then its entity is swapped into the group; an entity is swapped out of the group
// first, then its value is taken. Nothing here can fail: all room was made before.
#include "group.h"

#include "base/assert.h"
#include "collect.h"

// ------------------------------------------------------------------ who belongs
// Does the entity match, when `except` is taken as absent?
static bool matches(const keel_group *g, uint32_t index, const keeli_storage *except) {
    for (uint32_t i = 0; i < g->must_count; ++i)
        if (!keeli_store_has(g->storages[i], index)) return false;
    for (uint32_t i = g->must_count; i < g->storage_count; ++i)
        if (g->storages[i] != except && keeli_store_has(g->storages[i], index)) return false;
    return true;
}

// Bring the entity to a slot in all owned sets. `gone`: it has no values there any more.
static void put(const keel_group *g, uint32_t index, uint32_t slot, bool gone) {
    for (uint32_t i = 0; i < g->owned_count; ++i) {
        keeli_sparse_set *set = &g->storages[i]->set;
        const uint32_t from = keeli_sparse_set_find(set, index);
        keeli_sparse_set_swap(set, from, slot, gone ? NULL : g->scratch);
    }
}

static void enter(keel_group *g, uint32_t index) {
    if (g->owned_count) put(g, index, g->length++, false);
    else (void)keeli_sparse_set_push(&g->order.set, keeli_entity_at(&g->world->entities, index));
}

static void leave(keel_group *g, uint32_t index, bool gone) {
    if (!keeli_group_has(g, index)) return;
    if (g->owned_count) put(g, index, --g->length, gone);
    else keeli_sparse_set_take(&g->order.set, keeli_sparse_set_find(&g->order.set, index));
}

// ------------------------------------------------------------------ one entity
void keeli_groups_added(keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (s->groups.items[i].excludes) leave(g, index, false);
        else if (!keeli_group_has(g, index) && matches(g, index, NULL)) enter(g, index);
    }
}

// Do the last `count` values of all owned sets follow the members? They are in one order, then.
static bool are_next(const keel_group *g, uint32_t count) {
    for (uint32_t i = 0; i < g->owned_count; ++i)
        if (g->storages[i]->set.count - count != g->length) return false;
    return g->owned_count != 0;
}

void keeli_groups_added_new(keeli_storage *s, const keel_entity *entities, uint32_t count) {
    const uint32_t first = keel_entity_index(entities[0]);
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (keeli_group_has(g, first) || !matches(g, first, NULL)) continue;
        if (are_next(g, count)) {
            g->length += count;
            continue;
        }
        for (uint32_t k = 0; k < count; ++k)
            enter(g, keel_entity_index(entities[k]));
    }
}

void keeli_groups_removing(keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (!s->groups.items[i].excludes) leave(g, index, false);
        else if (!keeli_group_has(g, index) && matches(g, index, s)) enter(g, index);
    }
}

void keeli_groups_leave(keel_world *world, keel_entity e, bool gone) {
    const uint32_t index = keel_entity_index(e);
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;)
        for (uint32_t i = 0; i < s->groups.count; ++i)
            leave(s->groups.items[i].group, index, gone);
}

// ------------------------------------------------------------------ all entities
static void empty(keel_group *g) {
    g->length = 0;
    keeli_sparse_set_clear(&g->order.set);
}

void keeli_groups_clear(keeli_storage *s) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (!s->groups.items[i].excludes) {
            empty(g);
            continue;
        }
        for (uint32_t k = 0; (k = keeli_store_next(s, k)) != UINT32_MAX; ++k)
            if (matches(g, k, s)) enter(g, k); // was not in the group: it had `s`
    }
}

void keeli_groups_clear_all(keel_world *world) {
    for (keel_group *g = world->groups; g; g = g->next)
        empty(g);
}

// ------------------------------------------------------------------ room
// A group that owns nothing has a slot and a cell for each entity that has the first component, a
// member or not: then an entity can enter when it loses an excluded one, which must not fail.
static uint64_t candidates(const keel_group *g) {
    return keeli_could_have(g->world, g->storages[0]);
}

static bool reserve_slots(keel_group *g, uint32_t extra) {
    keeli_sparse_set *set = &g->order.set;
    const uint64_t need = candidates(g) + extra;
    return need <= set->room ||
           keeli_sparse_set_reserve(set, &g->world->heap, (uint32_t)(need - set->count));
}

static bool reserve_cell(keel_group *g, uint32_t index) {
    return keeli_sparse_set_reserve_cell(&g->order.set, &g->world->heap, index);
}

bool keeli_groups_reserve(const keeli_storage *s, uint32_t index, uint32_t extra) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (g->owned_count || g->storages[0] != s) continue;
        if (!reserve_slots(g, extra) || !reserve_cell(g, index)) return false;
    }
    return true;
}

// Also where nobody is: to a set somebody may come without asking for room.
static bool reserve_cells_of(keel_group *g, const keeli_presence *p) {
    for (uint32_t page = 0; page < p->root.page_count; ++page)
        if (keeli_presence_has_page(p, page) && !reserve_cell(g, page * 4096)) return false;
    return true;
}

bool keeli_group_fill(keel_group *g) {
    keeli_storage *first = g->storages[0];
    if (!g->owned_count && (!reserve_slots(g, 0) || !reserve_cells_of(g, &first->presence) ||
                            !reserve_cells_of(g, &first->disabled)))
        return false;
    if (first->kind == KEEL_SPARSE_SET) {
        // what is swapped to a slot behind was looked at already
        for (uint32_t slot = 0; slot < first->set.count; ++slot) {
            const uint32_t index = keel_entity_index(*keeli_sparse_set_entity(&first->set, slot));
            if (matches(g, index, NULL)) enter(g, index);
        }
    } else {
        for (uint32_t i = 0; (i = keeli_store_next(first, i)) != UINT32_MAX; ++i)
            if (matches(g, i, NULL)) enter(g, i);
    }
    return true;
}

bool keeli_groups_refill(keel_world *world) {
    for (keel_group *g = world->groups; g; g = g->next) {
        KEEL_ASSERT_INTERNAL(keeli_group_count(g) == 0);
        if (!keeli_group_fill(g)) return false;
    }
    return true;
}

// Where everybody who could be a member is one, no room is promised.
void keeli_groups_trim(keel_world *world) {
    for (keel_group *g = world->groups; g; g = g->next)
        if (!g->owned_count && g->order.set.count == candidates(g))
            keeli_sparse_set_trim(&g->order.set, &world->heap);
}

// ------------------------------------------------------------------ checking
static bool has_room(const keel_group *g) {
    const keeli_storage *first = g->storages[0];
    const keeli_sparse_set *set = &g->order.set;
    const uint64_t values = (uint64_t)first->presence.count + first->disabled.count;
    if (!keeli_sparse_set_is_valid(set) || set->room < values) return false;
    for (uint32_t i = 0; (i = keeli_store_next(first, i)) != UINT32_MAX; ++i) {
        const uint32_t page = i / KEELI_SPARSE_PAGE;
        if (page >= set->root.page_count || set->sparse[page] == keeli_no_cells) return false;
    }
    return true;
}

static bool is_named_by(const keel_group *g, const keeli_storage *s, bool excludes) {
    uint32_t links = 0;
    for (uint32_t i = 0; i < s->groups.count; ++i)
        if (s->groups.items[i].group == g && s->groups.items[i].excludes == excludes) ++links;
    return links == 1;
}

static bool is_valid(const keel_group *g) {
    const uint32_t count = keeli_group_count(g);
    const keeli_sparse_set *first = g->owned_count ? &g->storages[0]->set : &g->order.set;
    if (!g->owned_count && !has_room(g)) return false;
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        const keeli_storage *s = g->storages[i];
        if ((i < g->owned_count) != (s->owner == g)) return false;
        if (!is_named_by(g, s, i >= g->must_count)) return false;
        if (i < g->owned_count && count > s->set.count) return false;
    }
    for (uint32_t slot = 0; slot < count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(first, slot);
        if (!matches(g, keel_entity_index(e), NULL)) return false;
        for (uint32_t i = 1; i < g->owned_count; ++i)
            if (!keel_is_same(e, *keeli_sparse_set_entity(&g->storages[i]->set, slot)))
                return false;
    }
    uint32_t matching = 0;
    for (uint32_t i = 0; (i = keeli_store_next(g->storages[0], i)) != UINT32_MAX; ++i)
        matching += matches(g, i, NULL);
    return matching == count;
}

bool keeli_groups_of_are_valid(const keeli_storage *s) {
    if ((s->groups.count != 0) != ((s->flags & KEELI_IS_GROUPED) != 0)) return false;
    for (uint32_t i = 0; i < s->groups.count; ++i)
        if (!is_valid(s->groups.items[i].group)) return false;
    return true;
}

bool keeli_groups_are_valid(const keel_world *world) {
    for (const keel_group *g = world->groups; g; g = g->next)
        if (!is_valid(g)) return false;
    return true;
}
