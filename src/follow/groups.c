// SPDX-License-Identifier: MIT
// Groups: making them, keeping them packed while components come and go, and looking at them. A
// value is pushed first, then its entity is swapped into the group; an entity is swapped out of the
// group first, then its value is taken. Keeping them cannot fail: all room was made before.
#include "follow.h"

#include "base/assert.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

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
void keeli_groups_came(keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (s->groups.items[i].excludes) leave(g, index, false);
        else if (!keeli_group_has(g, index) && matches(g, index, NULL)) enter(g, index);
    }
}

void keeli_groups_going(keeli_storage *s, uint32_t index) {
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
            if (!keeli_group_has(g, k) && matches(g, k, s)) enter(g, k);
    }
}

void keeli_groups_clear_all(keel_world *world) {
    for (keel_group *g = world->followers.groups; g; g = g->next)
        empty(g);
}

// ------------------------------------------------------------------ room
// A group that owns nothing has a slot and a cell for each entity that has the first component, a
// member or not: then an entity can enter when it loses an excluded one, which must not fail.
static uint64_t candidates(const keel_group *g) {
    return keeli_could_have(g->world, g->storages[0]);
}

static bool reserve(keel_group *g, uint32_t index, uint32_t extra) {
    keeli_sparse_set *set = &g->order.set;
    keeli_heap *heap = &g->world->heap;
    const uint64_t need = candidates(g) + extra;
    if (need > set->room && !keeli_sparse_set_reserve(set, heap, (uint32_t)(need - set->count)))
        return false;
    return keeli_sparse_set_reserve_cell(set, heap, index);
}

bool keeli_groups_reserve(const keeli_storage *s, uint32_t index, uint32_t extra) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (!g->owned_count && g->storages[0] == s && !reserve(g, index, extra)) return false;
    }
    return true;
}

// Also where nobody is: to a set somebody may come without asking for room.
static bool reserve_pages(keel_group *g, const keeli_presence *p) {
    for (uint32_t page = 0; page < p->root.page_count; ++page)
        if (keeli_presence_has_page(p, page) && !reserve(g, page * 4096, 0)) return false;
    return true;
}

static bool fill(keel_group *g) {
    keeli_storage *first = g->storages[0];
    if (!g->owned_count &&
        (!reserve_pages(g, &first->presence) || !reserve_pages(g, &first->disabled)))
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
    for (keel_group *g = world->followers.groups; g; g = g->next) {
        KEEL_ASSERT_INTERNAL(keeli_group_count(g) == 0);
        if (!fill(g)) return false;
    }
    return true;
}

// Where everybody who could be a member is one, no room is promised.
void keeli_groups_trim(keel_world *world) {
    for (keel_group *g = world->followers.groups; g; g = g->next)
        if (!g->owned_count && g->order.set.count == candidates(g))
            keeli_sparse_set_trim(&g->order.set, &world->heap);
}

// ------------------------------------------------------------------ what a description says
static uint32_t length_of(const keel_component *const *list) {
    uint32_t count = 0;
    while (list && list[count])
        ++count;
    return count;
}

static bool resolve_list(keel_group *g, const keel_component *const *list, keel_result *result) {
    for (; list && *list; ++list) {
        keeli_storage *s = keeli_storage_get(g->world, *list, false, result);
        if (!s) return false;
        g->storages[g->storage_count++] = s;
    }
    return true;
}

static keel_result bad(keel_world *world, const char *name, const char *what) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "cannot make a group: %s%s", name, what);
}

static keel_result check_owned(keel_world *world, const keeli_storage *s) {
    const char *name = s->component.name;
    if (s->flags & KEELI_IS_LINK)
        return bad(world, name, " is ordered by nobody; get it instead of owning it");
    if (s->kind != KEEL_SPARSE_SET)
        return bad(world, name,
                   " is no sparse set; get it instead of owning it, or declare it with "
                   ".storage = KEEL_SPARSE_SET");
    if (s->owner)
        return keeli_error(
            world, KEEL_ERROR_GROUPED,
            "cannot make a group that owns '%s': group '%s' owns it; get it instead, "
            "or destroy that group first",
            name, s->owner->name);
    return KEEL_OK;
}

static keel_result check(keel_world *world, const keel_group *g, const char *name) {
    if (g->must_count == 0) return bad(world, "", "it needs a component that it owns or gets");
    if (g->storage_count < 2)
        return bad(world, g->storages[0]->component.name,
                   " alone makes no group, as its storage has just these; name a second component");
    for (uint32_t i = 0; i < g->storage_count; ++i)
        for (uint32_t k = 0; k < i; ++k)
            if (g->storages[i] == g->storages[k])
                return bad(world, g->storages[i]->component.name, " is named twice");
    if (name && keel_find_group(world, name))
        return bad(world, name, " is the name of another group");
    for (uint32_t i = 0; i < g->owned_count; ++i)
        KEEL_TRY(check_owned(world, g->storages[i]));
    return keeli_may_edit_group(world, g, "group");
}

static void set_name(keel_group *g, const char *name) {
    size_t at = (size_t)snprintf(g->title, sizeof g->title, "group %s", name ? name : "");
    for (uint32_t i = 0; !name && i < g->storage_count && at < sizeof g->title; ++i) {
        const char *before = i == 0 ? "" : i < g->must_count ? ", " : " without ";
        const int n = snprintf(g->title + at, sizeof g->title - at, "%s%s", before,
                               g->storages[i]->component.name);
        at += n > 0 ? (size_t)n : 0;
    }
}

// ------------------------------------------------------------------ making
static bool reserve_scratch(keel_group *g) {
    g->scratch_size = g->scratch_align = 1;
    for (uint32_t i = 0; i < g->owned_count; ++i) {
        const keel_component *c = &g->storages[i]->component;
        if (c->size > g->scratch_size) g->scratch_size = c->size;
        if (c->align > g->scratch_align) g->scratch_align = c->align;
    }
    g->scratch = keeli_new(&g->world->heap, g->scratch_size, g->scratch_align);
    return g->scratch != NULL;
}

static bool reserve_links(keel_group *g) {
    for (uint32_t i = 0; i < g->storage_count; ++i)
        if (!KEELI_RESERVE(&g->world->heap, &g->storages[i]->groups, 1)) return false;
    return true;
}

static void link_storages(keel_group *g) {
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        keeli_storage *s = g->storages[i];
        s->groups.items[s->groups.count++] = (keeli_group_link){ g, &g->order, i >= g->must_count };
        keeli_followers_update(s);
        if (i >= g->owned_count) continue;
        s->owner = g;
        keeli_threads_follow(&g->order, s);
    }
}

static void unlink_storages(keel_group *g) {
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        keeli_storage *s = g->storages[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < s->groups.count; ++k)
            if (s->groups.items[k].group != g) s->groups.items[kept++] = s->groups.items[k];
        s->groups.count = kept;
        if (s->owner == g) s->owner = NULL;
        if (!kept) KEELI_RELEASE(&g->world->heap, &s->groups);
        keeli_followers_update(s);
    }
}

static void free_group(keel_group *g, uint32_t capacity) {
    keeli_heap *heap = &g->world->heap;
    keeli_sparse_set_deinit(&g->order.set, heap);
    keeli_free(heap, g->scratch, g->scratch_size, g->scratch_align);
    keeli_free(heap, g->storages, capacity * sizeof *g->storages, _Alignof(keeli_storage *));
    KEELI_FREE(heap, keel_group, g);
}

// Storages are resolved and everything is checked; nothing is linked yet.
static keel_result prepare(keel_group *g, const keel_group_desc *desc, uint32_t capacity) {
    keel_world *world = g->world;
    keel_result result = KEEL_OK;
    g->storages =
        keeli_new(&world->heap, capacity * sizeof *g->storages, _Alignof(keeli_storage *));
    if (capacity && !g->storages) return keeli_out_of_memory(world, "making a group");
    if (!resolve_list(g, desc->owned, &result)) return result;
    g->owned_count = g->storage_count;
    if (!resolve_list(g, desc->get, &result)) return result;
    g->must_count = g->storage_count;
    if (!resolve_list(g, desc->exclude, &result)) return result;
    KEEL_TRY(check(world, g, desc->name));
    set_name(g, desc->name);
    return reserve_scratch(g) && reserve_links(g) ? KEEL_OK
                                                  : keeli_out_of_memory(world, "making a group");
}

static void init_order(keel_group *g) {
    g->order.kind = KEEL_SPARSE_SET;
    g->order.component.name = g->title;
    g->name = g->title + sizeof "group " - 1;
    keeli_sparse_set_init(&g->order.set, &(keel_component){ .size = 0 });
    g->order.root = &g->order.set.root;
}

keel_result keel_group_create(keel_world *world, const keel_group_desc *desc, keel_group **group) {
    if (group) *group = NULL;
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a group is made"));
    if (!desc) return bad(world, "", "its description is NULL");
    const uint32_t capacity =
        length_of(desc->owned) + length_of(desc->get) + length_of(desc->exclude);
    keel_group *g = KEELI_NEW(&world->heap, keel_group);
    if (!g) return keeli_out_of_memory(world, "making a group");
    g->world = world;
    init_order(g);
    const keel_result result = prepare(g, desc, capacity);
    if (result == KEEL_OK) {
        link_storages(g);
        if (fill(g)) {
            g->next = world->followers.groups;
            world->followers.groups = g;
            ++world->registry.bindings;
            for (uint32_t i = 0; i < g->storage_count; ++i)
                keeli_validate_storage(world, g->storages[i]);
            if (group) *group = g;
            return KEEL_OK;
        }
    }
    unlink_storages(g);
    free_group(g, capacity);
    return result < 0 ? result : keeli_out_of_memory(world, "making a group");
}

// ------------------------------------------------------------------ ending
keel_result keel_group_destroy(keel_world *world, keel_group *group) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a group is destroyed"));
    keel_group *g = keeli_group_of(world, group);
    if (!g) return KEEL_ERROR_ARGUMENT;
    KEEL_TRY(keeli_may_edit_group(world, g, "end the group of"));
    ++world->registry.bindings;
    keel_group **at = &world->followers.groups;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    unlink_storages(g);
    free_group(g, g->storage_count);
    return KEEL_OK;
}

void keeli_groups_deinit(keel_world *world) {
    for (keel_group *g = world->followers.groups, *next; g; g = next) {
        next = g->next;
        unlink_storages(g);
        free_group(g, g->storage_count);
    }
    world->followers.groups = NULL;
}

// ------------------------------------------------------------------ checking
static bool has_room(const keel_group *g) {
    const keeli_storage *first = g->storages[0];
    const keeli_sparse_set *set = &g->order.set;
    const uint64_t values = (uint64_t)first->presence.count + first->disabled.count;
    if (!keeli_sparse_set_is_valid(set) || set->room < values) return false;
    for (uint32_t i = 0; (i = keeli_store_next(first, i)) != UINT32_MAX; ++i) {
        const uint32_t page = i / KEELI_SPARSE_PAGE;
        if (page >= set->root.page_count || set->root.sparse[page] == keeli_no_cells) return false;
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
    for (uint32_t i = 0; i < s->groups.count; ++i)
        if (!is_valid(s->groups.items[i].group)) return false;
    return true;
}

bool keeli_groups_are_valid(const keel_world *world) {
    for (const keel_group *g = world->followers.groups; g; g = g->next)
        if (!is_valid(g)) return false;
    return true;
}

// ------------------------------------------------------------------ looking
keel_group *keeli_group_of(keel_world *world, const keel_group *group) {
    for (keel_group *g = world->followers.groups; g; g = g->next)
        if (g == group) return g;
    keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                 "the group is NULL, was destroyed, or is of another world");
    return NULL;
}

keel_result keeli_may_edit_group(keel_world *world, const keel_group *group, const char *verb) {
    for (uint32_t i = 0; i < group->storage_count; ++i)
        KEEL_TRY(keeli_may_edit(world, NULL, group->storages[i], verb));
    return KEEL_OK;
}

keel_group *keel_find_group(const keel_world *world, const char *name) {
    if (!world || !name) return NULL;
    char kept[64]; // as much of it as was kept
    snprintf(kept, sizeof kept, "%s", name);
    for (keel_group *g = world->followers.groups; g; g = g->next)
        if (strcmp(g->name, kept) == 0) return g;
    return NULL;
}

static bool is_of(const keel_world *world, const keel_group *group) {
    const keel_group *g = world ? world->followers.groups : NULL;
    while (g && g != group)
        g = g->next;
    return g != NULL;
}

const char *keel_group_name(const keel_world *world, const keel_group *group) {
    return is_of(world, group) ? group->name : "";
}

uint32_t keel_group_count(const keel_world *world, const keel_group *group) {
    return is_of(world, group) ? keeli_group_count(group) : 0;
}

bool keel_group_contains(const keel_world *world, const keel_group *group, keel_entity e) {
    return is_of(world, group) && keeli_entity_is_alive(&world->entities, e) &&
           keeli_group_has(group, keel_entity_index(e));
}

keel_entity keel_group_entity(const keel_world *world, const keel_group *group, uint32_t position) {
    if (!is_of(world, group) || position >= keeli_group_count(group)) return keel_null();
    const keeli_sparse_set *set = group->owned_count ? &group->storages[0]->set : &group->order.set;
    return *keeli_sparse_set_entity(set, position);
}
