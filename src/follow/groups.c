// SPDX-License-Identifier: MIT
// Groups: keep the entities that have certain components together. The owned components of a group
// are sparse sets whose first `length` slots hold the members, in the same order in each set. A
// group that owns nothing lists its members in a set of its own (`order.set`). Edits call this file
// through follow.h; users create, find and destroy groups. Loops over groups are in find/.
//
// An edit that adds a value appends it to its set, and then swaps the entity into the group. An
// edit that removes a value first swaps the entity out of the group. Neither can fail, since room
// was made before. Invariant: the members are exactly the entities that match.
#include "follow.h"

#include "base/assert.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// True if the entity matches, with the component `except` (or NULL) treated as absent.
static bool group_matches(const keel_group *g, uint32_t index, const keeli_storage *except) {
    for (uint32_t i = 0; i < g->must_count; ++i)
        if (!keeli_store_has(g->storages[i], index))
            return false;
    for (uint32_t i = g->must_count; i < g->storage_count; ++i)
        if (g->storages[i] != except && keeli_store_has(g->storages[i], index))
            return false;
    return true;
}

// Moves the entity to a slot in all owned sets. `moved_out`: its values were moved out before.
static void move_to_slot(const keel_group *g, uint32_t index, uint32_t slot, bool moved_out) {
    for (uint32_t i = 0; i < g->owned_count; ++i) {
        keeli_sparse_set *set = &g->storages[i]->set;
        const uint32_t from = keeli_sparse_set_find(set, index);
        keeli_sparse_set_swap(set, from, slot, moved_out ? NULL : g->scratch);
    }
}

static void group_enter(keel_group *g, uint32_t index) {
    if (g->owned_count)
        move_to_slot(g, index, g->length++, false);
    else
        (void)keeli_sparse_set_push(&g->order.set, keeli_entity_at(&g->world->entities, index));
}

static void group_leave(keel_group *g, uint32_t index, bool moved_out) {
    if (!keeli_group_has(g, index))
        return;
    if (g->owned_count)
        move_to_slot(g, index, --g->length, moved_out);
    else
        keeli_sparse_set_remove(&g->order.set, keeli_sparse_set_find(&g->order.set, index));
}

void keeli_groups_changed(keeli_storage *s, uint32_t index, bool is_added) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (s->groups.items[i].excludes == is_added)
            group_leave(g, index, false);
        else if (!keeli_group_has(g, index) && group_matches(g, index, is_added ? NULL : s))
            group_enter(g, index);
    }
}

void keeli_groups_leave(keel_world *world, keel_entity e, bool moved_out) {
    const uint32_t index = keeli_index_of(e);
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;)
        for (uint32_t i = 0; i < s->groups.count; ++i)
            group_leave(s->groups.items[i].group, index, moved_out);
}

static void empty_group(keel_group *g) {
    g->length = 0;
    keeli_sparse_set_clear(&g->order.set);
}

void keeli_groups_clear(keeli_storage *s) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        if (!s->groups.items[i].excludes) {
            empty_group(g);
            continue;
        }
        KEELI_EACH_BIT(k, &s->presence)
            if (!keeli_group_has(g, k) && group_matches(g, k, s))
                group_enter(g, k);
    }
}

void keeli_groups_clear_all(keel_world *world) {
    for (keel_group *g = world->followers.groups; g; g = g->next)
        empty_group(g);
}

// ------------------------------------------------------------------ room
// A group that owns nothing has a slot and a cell for each entity with the group's first component,
// whether the entity is a member or not. So an entity can enter the group when it loses an excluded
// component, an edit that must not fail.
bool keeli_groups_reserve(const keeli_storage *s, uint32_t index, uint32_t extra) {
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        keel_group *g = s->groups.items[i].group;
        keeli_sparse_set *set = &g->order.set;
        keeli_heap *heap = &g->world->heap;
        if (g->owned_count || g->storages[0] != s)
            continue;
        const uint64_t need = (uint64_t)keeli_could_have(g->world, s) + extra;
        if (need > set->room && !keeli_sparse_set_reserve(set, heap, (uint32_t)(need - set->count)))
            return false;
        if (!keeli_sparse_set_reserve_cell(set, heap, index))
            return false;
    }
    return true;
}

void keeli_group_fill(keel_group *g) {
    const keeli_storage *first = g->storages[0];
    // an entity that enters swaps slots with one that was visited before, so none is skipped
    for (uint32_t at = 0, i; (i = keeli_store_in_order(first, &at)) != UINT32_MAX; ++at)
        if (group_matches(g, i, NULL))
            group_enter(g, i);
}

void keeli_groups_refill(keel_world *world) {
    for (keel_group *g = world->followers.groups; g; g = g->next) {
        KEEL_ASSERT_INTERNAL(keeli_group_count(g) == 0);
        keeli_group_fill(g);
    }
}

// Frees unused memory of a group if every entity that could be a member is a member. Other groups
// need their room for entities that enter later.
void keeli_groups_trim(keel_world *world) {
    for (keel_group *g = world->followers.groups; g; g = g->next)
        if (!g->owned_count && g->order.set.count == keeli_could_have(world, g->storages[0]))
            keeli_sparse_set_trim(&g->order.set, &world->heap);
}

// ------------------------------------------------------------------ making
static keel_result group_misuse(keel_world *world, const char *name, const char *what) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "cannot make a group: %s%s", name, what);
}

static keel_result check_owned(keel_world *world, const keeli_storage *s) {
    const char *name = s->component.name;
    if (s->flags & KEELI_IS_LINK)
        return group_misuse(world, name,
                            " cannot be owned, as no group may order links or names; get it "
                            "instead of owning it");
    if (!keeli_store_is_sparse(s))
        return group_misuse(world, name,
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

static keel_result check_group(keel_world *world, const keel_group *g, const char *name) {
    if (g->must_count == 0)
        return group_misuse(world, "", "it needs a component that it owns or gets");
    if (g->storage_count < 2)
        return group_misuse(
            world, g->storages[0]->component.name,
            " is its only component, so it would equal the storage; name a second component");

    for (uint32_t i = 0; i < g->storage_count; ++i)
        for (uint32_t k = 0; k < i; ++k)
            if (g->storages[i] == g->storages[k])
                return group_misuse(world, g->storages[i]->component.name, " is named twice");
    if (name && keel_find_group(world, name))
        return group_misuse(world, name, " is the name of another group");

    for (uint32_t i = 0; i < g->owned_count; ++i)
        KEEL_TRY(check_owned(world, g->storages[i]));
    return keeli_may_edit_group(world, g, "group");
}

static void set_name(keel_group *g, const char *name) {
    size_t at = (size_t)snprintf(g->title, sizeof g->title, "group %s", name ? name : "");
    g->name = g->title + sizeof "group " - 1;
    if (name)
        return;

    // an unnamed group is called after its components
    for (uint32_t i = 0; i < g->storage_count && at < sizeof g->title; ++i) {
        const char *before = "";
        if (i >= g->must_count)
            before = " without ";
        else if (i > 0)
            before = ", ";
        const int n = snprintf(g->title + at, sizeof g->title - at, "%s%s", before,
                               g->storages[i]->component.name);
        at += n > 0 ? (size_t)n : 0;
    }
}

static void link_storages(keel_group *g) {
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        keeli_storage *s = g->storages[i];
        *KEELI_APPEND(&s->groups) = (keeli_group_link){ g, &g->order, i >= g->must_count };
        keeli_followers_update(s);
        if (i >= g->owned_count)
            continue;
        s->owner = g;
        keeli_threads_follow(&g->order, s);
    }
}

static void unlink_storages(keel_group *g) {
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        keeli_storage *s = g->storages[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < s->groups.count; ++k)
            if (s->groups.items[k].group != g)
                s->groups.items[kept++] = s->groups.items[k];
        s->groups.count = kept;
        if (s->owner == g)
            s->owner = NULL;
        if (!kept)
            KEELI_RELEASE(&g->world->heap, &s->groups);
        keeli_followers_update(s);
    }
}

static void free_group(keel_group *g) {
    keeli_heap *heap = &g->world->heap;
    unlink_storages(g);
    keeli_sparse_set_deinit(&g->order.set, heap);
    keeli_free(heap, g->scratch, g->scratch_size, g->scratch_align);
    keeli_free(heap, g->storages, g->capacity * sizeof *g->storages, _Alignof(keeli_storage *));
    KEELI_FREE(heap, keel_group, g);
}

// Allocates room for one value of any owned storage, and makes room in the lists that link_storages
// adds to. False when out of memory.
static bool reserve_parts(keel_group *g) {
    g->scratch_size = g->scratch_align = 1;
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        const keel_component *c = &g->storages[i]->component;
        if (!KEELI_RESERVE(&g->world->heap, &g->storages[i]->groups, 1))
            return false;
        if (i >= g->owned_count)
            continue;
        if (c->size > g->scratch_size)
            g->scratch_size = c->size;
        if (c->align > g->scratch_align)
            g->scratch_align = c->align;
    }

    g->scratch = keeli_new(&g->world->heap, g->scratch_size, g->scratch_align);
    return g->scratch != NULL;
}

// Resolves the components of a new group, checks them, and makes room. Does not add the group to
// the lists of the storages yet.
static keel_result prepare_group(keel_group *g, const keel_group_desc *desc) {
    keel_world *world = g->world;
    const keel_component *const *const lists[] = { desc->owned, desc->get, desc->exclude };
    uint32_t *const ends[] = { &g->owned_count, &g->must_count, &g->storage_count };
    for (uint32_t i = 0; i < 3; ++i) {
        if (!lists[i])
            continue;
        for (uint32_t k = 0; lists[i][k]; ++k)
            ++g->capacity;
    }

    g->storages =
        keeli_new(&world->heap, g->capacity * sizeof *g->storages, _Alignof(keeli_storage *));
    if (g->capacity && !g->storages)
        return keeli_out_of_memory(world, "making a group");

    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; lists[i] && lists[i][k]; ++k) {
            keel_result result;
            g->storages[count] = keeli_storage_get(world, lists[i][k], false, &result);
            if (!g->storages[count++])
                return result;
        }
        *ends[i] = count;
    }

    KEEL_TRY(check_group(world, g, desc->name));
    set_name(g, desc->name);
    return reserve_parts(g) ? KEEL_OK : keeli_out_of_memory(world, "making a group");
}

keel_result keel_group_create_of(keel_world *world, const keel_group_desc *desc,
                                 keel_group **group) {
    if (group)
        *group = NULL;
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a group is made"));
    if (!desc)
        return group_misuse(world, "", "its description is NULL");

    keel_group *g = KEELI_NEW(&world->heap, keel_group);
    if (!g)
        return keeli_out_of_memory(world, "making a group");
    g->world = world;
    g->serial = keeli_next_serial(world);
    g->order.component.name = g->title;
    g->order.root = &g->order.set.root;
    keeli_sparse_set_init(&g->order.set, &(keel_component){ .size = 0 });

    keel_result result = prepare_group(g, desc);
    if (result == KEEL_OK) {
        link_storages(g);
        if (!keeli_followers_reserve_present(world, g->storages[0]))
            result = keeli_out_of_memory(world, "making a group");
    }
    if (result < 0) {
        free_group(g);
        return result;
    }

    keeli_group_fill(g);
    g->next = world->followers.groups;
    world->followers.groups = g;
    ++world->registry.bindings;
    for (uint32_t i = 0; i < g->storage_count; ++i)
        keeli_validate_storage(world, g->storages[i]);
    if (group)
        *group = g;
    return KEEL_OK;
}

// ------------------------------------------------------------------ ending
keel_result keel_group_destroy(keel_world *world, keel_group *group) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a group is destroyed"));
    keel_group *g = keeli_group_of(world, group);
    if (!g)
        return KEEL_ERROR_ARGUMENT;
    KEEL_TRY(keeli_may_edit_group(world, g, "end the group of"));

    ++world->registry.bindings;
    keel_group **at = &world->followers.groups;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    free_group(g);
    return KEEL_OK;
}

void keeli_groups_deinit(keel_world *world) {
    for (keel_group *g; (g = world->followers.groups) != NULL;) {
        world->followers.groups = g->next;
        free_group(g);
    }
}

// ------------------------------------------------------------------ checking
static bool has_room(const keel_group *g) {
    const keeli_storage *first = g->storages[0];
    const keeli_sparse_set *set = &g->order.set;
    const uint64_t values = (uint64_t)first->presence.count + first->disabled.count;
    if (!keeli_sparse_set_is_valid(set) || set->room < values)
        return false;
    KEELI_EACH_BIT(i, &first->presence) {
        const uint32_t page = i / KEELI_PAGE;
        if (page >= set->root.page_count || set->root.sparse[page] == keeli_no_cells)
            return false;
    }
    return true;
}

static bool is_named_by(const keel_group *g, const keeli_storage *s, bool excludes) {
    uint32_t links = 0;
    for (uint32_t i = 0; i < s->groups.count; ++i)
        if (s->groups.items[i].group == g && s->groups.items[i].excludes == excludes)
            ++links;
    return links == 1;
}

static bool group_is_valid(const keel_group *g) {
    const uint32_t count = keeli_group_count(g);
    const keeli_sparse_set *first = keeli_group_set(g);
    if (!g->owned_count && !has_room(g))
        return false;

    for (uint32_t i = 0; i < g->storage_count; ++i) {
        const keeli_storage *s = g->storages[i];
        if ((i < g->owned_count) != (s->owner == g))
            return false;
        if (!is_named_by(g, s, i >= g->must_count))
            return false;
        if (i < g->owned_count && count > s->set.count)
            return false;
    }

    for (uint32_t slot = 0; slot < count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(first, slot);
        if (!group_matches(g, keeli_index_of(e), NULL))
            return false;
        for (uint32_t i = 1; i < g->owned_count; ++i)
            if (!keel_is_same(e, *keeli_sparse_set_entity(&g->storages[i]->set, slot)))
                return false;
    }

    uint32_t matching = 0;
    KEELI_EACH_BIT(i, &g->storages[0]->presence)
        matching += group_matches(g, i, NULL);
    return matching == count;
}

bool keeli_groups_of_are_valid(const keeli_storage *s) {
    for (uint32_t i = 0; i < s->groups.count; ++i)
        if (!group_is_valid(s->groups.items[i].group))
            return false;
    return true;
}

// ------------------------------------------------------------------ looking
// Returns the group if it is in the world's list, or NULL.
static keel_group *known_group(const keel_world *world, const keel_group *group) {
    keel_group *g = keeli_is_nobody(world) ? NULL : world->followers.groups;
    while (g && g != group)
        g = g->next;
    return g;
}

keel_group *keeli_group_of(keel_world *world, const keel_group *group) {
    keel_group *g = known_group(world, group);
    if (!g)
        keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                     "the group is NULL, was destroyed, or belongs to another world; pass a group "
                     "of this world");
    return g;
}

keel_result keeli_may_edit_group(keel_world *world, const keel_group *group, const char *verb) {
    for (uint32_t i = 0; i < group->storage_count; ++i)
        KEEL_TRY(keeli_may_edit(world, NULL, group->storages[i], verb));
    return KEEL_OK;
}

keel_group *keel_find_group(const keel_world *world, const char *name) {
    if (keeli_is_nobody(world) || !name)
        return NULL;
    char kept[64]; // names of groups are cut to this length
    snprintf(kept, sizeof kept, "%s", name);
    for (keel_group *g = world->followers.groups; g; g = g->next)
        if (strcmp(g->name, kept) == 0)
            return g;
    return NULL;
}

const char *keel_group_name(const keel_world *world, const keel_group *group) {
    return known_group(world, group) ? group->name : "";
}

uint32_t keel_group_count(const keel_world *world, const keel_group *group) {
    return known_group(world, group) ? keeli_group_count(group) : 0;
}

bool keel_group_contains(const keel_world *world, const keel_group *group, keel_entity e) {
    return known_group(world, group) && keeli_entity_is_alive(&world->entities, e) &&
           keeli_group_has(group, keeli_index_of(e));
}

keel_entity keel_group_entity(const keel_world *world, const keel_group *group, uint32_t position) {
    if (!known_group(world, group) || position >= keeli_group_count(group))
        return keel_null();
    return *keeli_sparse_set_entity(keeli_group_set(group), position);
}
