// SPDX-License-Identifier: MIT
// Removes components and deletes entities once a verb (remove.c, delete.c) has found out that this
// is allowed. Many entities without followers are deleted block by block, at the end of the file.
#include "edit/removal.h"

#include "link/relation.h"
#include "world/report.h"

// ------------------------------------------------------------------ one component
// Moves the value of an entity to `out`, or to the log of deleted values if it is tracked, or drops
// it.
static inline void remove_followed(keel_world *world, keeli_storage *s, keel_entity e,
                                   uint32_t kind, void *out) {
    const bool is_kept = kind == KEEL_TRACK_DELETION && s->tracking.kinds & kind;
    if (!(is_kept | (out != NULL)) && !s->component.drop)
        return;
    void *value = keeli_store_value_there(s, keeli_index_of(e));
    if (is_kept)
        (void)keeli_track_removed(world, s, e, kind, value);
    else if (out && s->size)
        keeli_value_move(s, out, value);
    else if (!out && !keeli_store_has_edge_values(s))
        keeli_value_drop(s, value);
}

// Removes the value and the presence bit of an entity that has the component. Its row stays in the
// same archetype; the caller moves it.
static inline void remove_one(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              void *out) {
    if (keeli_flags_of(s) || out) {
        keeli_follow_removing_alone(world, s, keeli_index_of(e), kind);
        remove_followed(world, s, e, kind, out);
    }
    keeli_store_close(world, s, keeli_index_of(e));
}

// Returns the archetype that an entity's row moves to when it loses the component, with room for
// it; NULL when out of memory.
static inline keeli_archetype *reserve_row_without(keel_world *world, keeli_storage *s,
                                                   uint32_t index) {
    keeli_archetypes *a = &world->archetypes;
    keeli_archetype *from = keeli_archetype_of(world, index);
    const keeli_edge *edge = keeli_archetype_edge(from, s->slot);
    keeli_archetype *to = edge ? edge->without : NULL;
    if (!to)
        to = keeli_archetype_without(a, &world->heap, from, &s->row);
    if (!to || !to->column_count || keeli_archetype_has_room(to))
        return to;
    return keeli_archetype_reserve(a, &world->heap, to, 1) ? to : NULL;
}

keel_result keeli_remove_value(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                               void *out) {
    const uint32_t index = keeli_index_of(e);
    keeli_archetype *to = NULL;
    if (!keeli_store_has(s, index)) {
        if (keeli_store_is_disabled(s, index))
            keeli_store_drop_disabled(world, s, index);
        return KEEL_ABSENT;
    }
    if (keeli_store_has_rows(s) && !(to = reserve_row_without(world, s, index)))
        return keeli_out_of_memory(world, "removing a component");
    remove_one(world, s, e, kind, out);
    if (to)
        keeli_row_move(world, e, to);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// ------------------------------------------------------------------ required components
// True if the batch removes this component, too.
static bool is_removed_too(const keeli_batch *removed, const keeli_storage *s) {
    if (removed) {
        for (uint32_t k = 0; k < removed->column_count; ++k)
            if (removed->columns[k].storage == s)
                return true;
    }
    return false;
}

keel_result keeli_may_remove(keel_world *world, const keeli_storage *s, keel_entity e,
                             const keeli_batch *removed, const char *verb) {
    const uint32_t index = keeli_index_of(e);
    for (uint32_t i = 0; i < s->required_by.count && keeli_store_has(s, index); ++i) {
        const keeli_storage *by = s->required_by.items[i];
        if (keeli_store_has(by, index) && !is_removed_too(removed, by))
            return keeli_error(world, KEEL_ERROR_REQUIRED,
                               "cannot %s '%s' of %s: its '%s' requires it; %s that, too", verb,
                               s->component.name, KEELI_ENTITY(world, e), by->component.name, verb);
    }
    return KEEL_OK;
}

keel_result keeli_may_remove_from_all(keel_world *world, const keeli_storage *s, const char *verb) {
    for (uint32_t i = 0; i < s->required_by.count; ++i)
        if (keeli_store_count(s->required_by.items[i]))
            return keeli_error(world, KEEL_ERROR_REQUIRED,
                               "cannot %s '%s': there are entities with '%s', which requires it",
                               verb, s->component.name, s->required_by.items[i]->component.name);
    return KEEL_OK;
}

// ------------------------------------------------------------------ a batch
static keel_result may_remove_columns(const keeli_batch *b, uint32_t kind) {
    const char *verb = kind == KEEL_TRACK_REMOVAL ? "remove" : "delete";
    for (uint32_t k = 0; k < b->column_count; ++k) {
        const keeli_storage *s = b->columns[k].storage;
        if (s->required_by.count) {
            for (uint32_t i = 0; i < b->count; ++i)
                if (keeli_entity_is_alive(&b->world->entities, b->entities[i]))
                    KEEL_TRY(keeli_may_remove(b->world, s, b->entities[i], b, verb));
        }
    }
    return KEEL_OK;
}

// Removes the component from all entities of the batch that are alive. True if any of them had it.
// The list is visited backwards: if it is in the order of slots, the removed value is always the
// last one, so that no other value moves.
static bool remove_column(const keeli_batch *b, const keeli_column *c, uint32_t kind) {
    keel_world *world = b->world;
    bool taken = false;
    for (uint32_t i = b->count; i--;) {
        const keel_entity e = b->entities[i];
        if (!keeli_entity_is_alive(&world->entities, e))
            continue;
        const uint32_t index = keeli_index_of(e);
        if (keeli_store_has(c->storage, index)) {
            remove_one(world, c->storage, e, kind, c->out);
            taken = true;
        } else if (keeli_store_is_disabled(c->storage, index)) {
            keeli_store_drop_disabled(world, c->storage, index);
        }
    }
    if (c->taken)
        *c->taken = taken;
    return taken;
}

keel_result keeli_batch_remove(keeli_batch *b, uint32_t kind) {
    b->is_removal = true;
    if (b->flags & KEELI_IS_REQUIRED && b->result == KEEL_OK)
        b->result = may_remove_columns(b, kind);
    if (b->result == KEEL_OK && b->has_rows && !keeli_batch_reserve_rows(b))
        b->result = keeli_out_of_memory(b->world, b->doing);
    if (b->result < 0)
        return keeli_batch_end(b);
    bool any = false;
    for (uint32_t k = 0; k < b->column_count; ++k)
        any |= remove_column(b, &b->columns[k], kind);
    if (b->has_rows && any)
        keeli_batch_move_rows(b);
    b->is_committed = true;
    b->result = any ? KEEL_OK : KEEL_ABSENT;
    return keeli_batch_end(b);
}

// ------------------------------------------------------------------ from all entities
// Returns the archetype that rows of `from` move to without the component; `from` itself if it has
// no rows with the component. NULL when out of memory.
static keeli_archetype *without(keel_world *world, keeli_archetype *from, keeli_storage *s) {
    if (!from->row_count || keeli_archetype_column(from, s->slot) == UINT32_MAX)
        return from;
    return keeli_archetype_without(&world->archetypes, &world->heap, from, &s->row);
}

bool keeli_reserve_clear(keel_world *world, keeli_storage *s) {
    keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0, count = a->count; keeli_store_has_rows(s) && i < count; ++i) {
        keeli_archetype *from = a->all[i], *to = without(world, from, s);
        if (!to || (to != from && to->column_count &&
                    !keeli_archetype_reserve(a, &world->heap, to, from->row_count)))
            return false;
    }
    return true;
}

static void clear_rows(keel_world *world, keeli_storage *s) {
    keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype *from = a->all[i], *to = without(world, from, s);
        while (to != from && from->row_count) { // removes the last row, so that no other row moves
            uint32_t b = from->block_count - 1;
            while (from->blocks[b]->count == 0)
                --b;
            const keel_entity e = from->blocks[b]->entities[from->blocks[b]->count - 1];
            const uint32_t index = keeli_index_of(e);
            keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
            keeli_store_clear_bit(world, s, index);
            keeli_row_move(world, e, to);
        }
    }
}

void keeli_clear(keel_world *world, keeli_storage *s) {
    keeli_store_clear_watched(world, s);
    if (keeli_store_has_rows(s))
        clear_rows(world, s);
    keeli_store_drop_values(world, s);
}

void keeli_clear_all(keel_world *world) {
    for (uint32_t i = 0; world->followers.observed && i < world->storages.count; ++i)
        keeli_notify_all_edges(world, world->storages.items[i]);
    keel_entity e = keel_null(); // notifies observers of all before the first entity is deleted
    while (world->followers.observed && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_follow_losing_all(world, e, KEEL_ON_DELETED, true);
    e = keel_null();
    const bool follows = keeli_is_any_followed(world);
    while (follows && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_remove_components(world, e, KEEL_TRACK_DELETION);
    keeli_groups_clear_all(world);
    keeli_store_drop_all(world);
}

// ------------------------------------------------------------------ all of an entity
void keeli_remove_components(keel_world *world, keel_entity e, uint32_t kind) {
    const uint32_t index = keeli_index_of(e);
    const bool drops = kind == KEEL_TRACK_DELETION;
    if (world->followers.groups)
        keeli_groups_leave(world, e, !drops);
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        if (keeli_store_is_disabled(s, index)) {
            if (drops)
                keeli_value_drop(s, keeli_store_disabled_value(s, index));
            keeli_store_pop_disabled(world, s, index);
            continue;
        }
        if (keeli_flags_of(s) && drops)
            remove_followed(world, s, e, kind, NULL);
        else if (keeli_flags_of(s))
            (void)keeli_track_removed(world, s, e, kind, NULL);
        keeli_store_close(world, s, index);
    }
    if (*keeli_row_of(&world->entities, index) != KEELI_NO_ROW)
        keeli_row_move(world, e, world->archetypes.all[0]);
}

static inline bool is_any_related(const keel_world *world) {
    const keeli_relations *all = &world->relations;
    return all->all != all->child || all->child->edges.count;
}

// Notifies observers before an entity loses everything, while it still has it. `dies`: the entity
// is deleted, too.
static inline void notify_losing(keel_world *world, keel_entity e, bool dies) {
    if (is_any_related(world))
        keeli_notify_unrelated_entity(world, e);
    if (!world->followers.observed)
        return;
    keeli_follow_losing_all(world, e, KEEL_ON_DELETED, dies);
    world->relations.stripped = e;
}

static inline void lose_all(keel_world *world, keel_entity e) {
    if (world->names.count)
        keeli_free_name(world, e); // a child may have the same name, and become a root
    if (is_any_related(world))
        keeli_commit_unrelate_entity(world, e);
    world->relations.stripped = keel_null();
    keeli_remove_components(world, e, KEEL_TRACK_DELETION);
}

void keeli_lose_all(keel_world *world, keel_entity e) {
    notify_losing(world, e, false);
    lose_all(world, e);
}

void keeli_commit_delete_entity(keel_world *world, keel_entity e) {
    notify_losing(world, e, true);
    lose_all(world, e);
    keeli_entity_index_delete(&world->entities, e);
    keeli_validate_entities(world);
}

// ------------------------------------------------------------------ many entities
// Entities of one block of 64 indices are deleted together, wherever they stand in the list: the
// block's components are looked up once, and presence bits are cleared a word at a time. Then slots
// of sparse sets, rows and indices are freed in the order of the list, because their new order
// depends on it.
enum { open_at_once = 64 };

// Consecutive entities of a list all of whose components are plain (is_plain), gathered by block. A
// block that is being gathered is open: it has the place `first / 64 % open_at_once`.
typedef struct stretch {
    const keel_entity *entities;
    uint32_t count;
    bool has_rows;
    uint32_t set_count;
    keeli_storage *sets[32];      // sparse sets that lose values
    uint64_t open;                // bit by place: a block is open there
    uint32_t first[open_at_once]; // first index of the open block; NO_BLOCK: none
    uint64_t bits[open_at_once];  // the entities of the block to delete
} stretch;
#define NO_BLOCK UINT32_MAX

// Adds a sparse set to those of the stretch. False if there are too many.
static bool add_set(stretch *at, keeli_storage *s) {
    uint32_t i = 0;
    while (i < at->set_count && at->sets[i] != s)
        ++i;
    if (i == sizeof at->sets / sizeof *at->sets)
        return false;
    at->sets[i] = s;
    at->set_count = i == at->set_count ? i + 1 : at->set_count;
    return true;
}

// True if all components of the block can be removed with the stretch.
static bool is_plain(const keel_world *world, stretch *at, uint32_t first) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, first);
    if (!list)
        return true;
    if (keeli_list_is_incomplete(list))
        return false;
    const uint32_t plain =
        KEELI_IS_LINK | KEELI_IS_NAMED | KEELI_HAS_RULE | KEELI_IS_REQUIRED | KEELI_IS_MORE;
    const uint16_t *numbers = keeli_list_numbers(list);
    for (uint32_t i = 0; i < list->count; ++i) {
        keeli_storage *s = world->registry.by_ordinal.items[numbers[i]];
        const bool is_related = s->relation && s->relation != world->relations.child;
        if (is_related || keeli_flags_of(s) & ~plain)
            return false;
        if (keeli_store_is_sparse(s) && !add_set(at, s))
            return false;
    }
    return true;
}

static void remove_from_block(keel_world *world, stretch *at, keeli_storage *s, uint32_t first,
                              uint64_t taken) {
    const uint64_t bits = *keeli_listed_word(s, first) & taken;
    if (!bits)
        return;
    at->has_rows |= keeli_store_has_rows(s);
    keeli_store_clear_bits(world, s, first, bits);
}

static void remove_block(keel_world *world, stretch *at, uint32_t place) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, at->first[place]);
    if (!list)
        return;
    const uint16_t *numbers = keeli_list_numbers(list);
    for (uint32_t i = list->count; i--;) // backwards, as numbers are removed from the list
        remove_from_block(world, at, world->registry.by_ordinal.items[numbers[i]], at->first[place],
                          at->bits[place]);
}

// Opens a block in its place, and closes the one that is open there. False if the block has a
// component that is not plain.
static __attribute__((noinline)) bool open_block(keel_world *world, stretch *at, uint32_t first) {
    const uint32_t place = first / 64 % open_at_once;
    if (!is_plain(world, at, first))
        return false;
    if (at->first[place] != NO_BLOCK)
        remove_block(world, at, place);
    at->open |= (uint64_t)1 << place;
    at->first[place] = first;
    at->bits[place] = 0;
    return true;
}

// Extends the stretch to the end of the list, or to the first entity whose block has a component
// that is not plain.
static void extend(keel_world *world, stretch *at, const keel_entity *end) {
    const keel_entity *e = at->entities;
    for (; e < end; ++e) {
        const uint32_t index = keeli_index_of(*e), place = index / 64 % open_at_once;
        if (at->first[place] != index / 64 * 64 && !open_block(world, at, index / 64 * 64))
            break;
        at->bits[place] |= (uint64_t)1 << (index % 64);
    }
    at->count = (uint32_t)(e - at->entities);
}

static void remove_slots(const stretch *at, keeli_sparse_set *set) {
    for (uint32_t i = 0; i < at->count; ++i) {
        const uint32_t index = keeli_index_of(at->entities[i]);
        if (keeli_sparse_set_find(set, index) != KEELI_NO_SLOT)
            keeli_sparse_set_remove_plain(set, keeli_sparse_set_cell(set, index));
    }
}

static void remove_old_rows(keel_world *world, const stretch *at) {
    for (uint32_t i = 0; i < at->count; ++i) {
        uint32_t *where = keeli_row_of(&world->entities, keeli_index_of(at->entities[i]));
        if (!keeli_entity_is_alive(&world->entities, at->entities[i]) || *where == KEELI_NO_ROW)
            continue;
        keeli_archetype_remove(&world->archetypes, &world->entities, *where);
        *where = KEELI_NO_ROW; // the list may have the entity twice
    }
}

// Deletes the entities of the stretch. The next stretch begins behind them.
static void commit_stretch(keel_world *world, stretch *at) {
    for (; at->open; at->open &= at->open - 1) {
        const uint32_t place = (uint32_t)__builtin_ctzll(at->open);
        remove_block(world, at, place);
        at->first[place] = NO_BLOCK;
    }
    for (uint32_t i = 0; i < at->set_count; ++i)
        remove_slots(at, &at->sets[i]->set);
    if (at->has_rows)
        remove_old_rows(world, at);
    keeli_entity_index_delete_many(&world->entities, at->entities, at->count);
    at->entities += at->count;
    at->count = 0;
    at->has_rows = false;
}

void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count) {
    const keel_entity *end = list + count;
    const bool is_quiet = !world->access.holders && !world->refused && !world->followers.observed;
    stretch at; // open_block initializes its `bits`
    at.entities = list;
    at.count = at.set_count = 0;
    at.has_rows = false;
    at.open = 0;
    memset(at.first, 0xFF, sizeof at.first);
    while (at.entities < end) {
        if (is_quiet)
            extend(world, &at, end);
        if (at.count)
            commit_stretch(world, &at);
        at.set_count = 0;
        if (at.entities == end)
            break;
        // delete the entity that the stretch stopped at, and the next ones of its block, one by one
        const uint32_t block = keeli_index_of(*at.entities) / 64;
        for (; at.entities < end && keeli_index_of(*at.entities) / 64 == block; ++at.entities)
            if (keeli_entity_is_alive(&world->entities, *at.entities))
                keeli_commit_delete_entity(world, *at.entities);
    }
    keeli_validate_entities(world);
}
