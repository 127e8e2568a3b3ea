// SPDX-License-Identifier: MIT
// One component on many entities: added, or taken away. Entities with consecutive indices, or whose
// rows lie side by side, go in one step. Rows are copied first and taken all at the end, so that
// those behind them stay where they are meanwhile.
#include "edit/edit.h"

#include "edit/bulk_run.h"
#include "follow/collect.h"
#include "follow/group.h"
#include "follow/observe.h"
#include "follow/observe_view.h"
#include "follow/track.h"
#include "world/report.h"

#include <string.h>

typedef struct many {
    keeli_storage *s;
    const keel_entity *entities;
    uint32_t count;
    uint32_t changing; // how many lack (or, to take it away, have) the component; twins count twice
    // what is added
    const char *values; // NULL: zeros
    size_t stride;
    bool is_moved; // with the move hook
    void *staged;  // memory of `values` when it is ours
    size_t staged_bytes;
    bool owns_values; // copies of the hook, to be dropped on failure
    keeli_room room;
    uint32_t last_index;
    KEELI_ARRAY(uint64_t) blocks; // bits: blocks of 64 indices that have room
    KEELI_ARRAY(uint64_t) fresh;  // bits by position in the list, when told of: who had none
    // rows
    KEELI_ARRAY(uint32_t) per_archetype; // by position: how many rows leave it, at most
    KEELI_ARRAY(uint32_t) left;          // places of rows that were copied
} many;

static keel_result check_list(keel_world *world, const keel_entity *entities, uint32_t count,
                              const char *function) {
    if (entities || !count) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "%s was given no list, but a count of %u; pass an array of that many",
                        function, (unsigned)count);
}

// ------------------------------------------------------------------ rows
static bool is_there(const keel_world *world, keel_entity e, uint32_t place) {
    return keeli_entity_is_alive(&world->entities, e) &&
           *keeli_row_of(world, keel_entity_index(e)) == place;
}

// How many entities from the i-th one on have their rows side by side. Those without rows: have
// consecutive indices, so that none comes twice.
static uint32_t row_run(const keel_world *world, const many *m, uint32_t i) {
    const keel_entity *e = m->entities + i;
    const uint32_t place = *keeli_row_of(world, keel_entity_index(*e)), left = m->count - i;
    uint32_t n = 1;
    if (place == KEELI_NO_ROW) {
        const uint32_t run = keeli_run_length(e, left);
        while (n < run && *keeli_row_of(world, keel_entity_index(e[n])) == KEELI_NO_ROW)
            ++n;
        return n;
    }
    const uint32_t rest =
        keeli_block_of(&world->archetypes, place)->count - (place & KEELI_ROW_MASK);
    while (n < left && n < rest && is_there(world, e[n], place + n))
        ++n;
    return n;
}

static keeli_archetype *target(keel_world *world, const many *m, keeli_archetype *from, bool adds) {
    keeli_archetypes *a = &world->archetypes;
    return adds ? keeli_archetype_with(a, &world->heap, from, &m->s->row)
                : keeli_archetype_without(a, &world->heap, from, &m->s->row);
}

// Room for the rows that come to each archetype. `per_archetype` knows how many leave the others.
static bool reserve_targets(keel_world *world, const many *m, bool adds) {
    keeli_archetypes *a = &world->archetypes;
    for (uint32_t p = 0; p < m->per_archetype.count; ++p) {
        keeli_archetype *from = a->all[p];
        uint32_t rows = m->per_archetype.items[p];
        if (!rows) continue;
        if (p && rows > from->row_count) rows = from->row_count; // some come twice
        keeli_archetype *to = target(world, m, from, adds);
        if (!to) return false;
        if (to->column_count && !keeli_archetype_reserve(a, &world->heap, to, rows)) return false;
    }
    return true;
}

static bool reserve_rows(keel_world *world, many *m, bool adds) {
    const uint32_t archetypes = world->archetypes.count;
    if (!KEELI_RESERVE(&world->heap, &m->per_archetype, archetypes) ||
        !KEELI_RESERVE(&world->heap, &m->left, m->changing))
        return false;
    memset(m->per_archetype.items, 0, archetypes * sizeof *m->per_archetype.items);
    m->per_archetype.count = archetypes;
    for (uint32_t i = 0; i < m->count; ++i) {
        const keel_entity e = m->entities[i];
        const uint32_t index = keel_entity_index(e);
        if (keeli_entity_is_alive(&world->entities, e) && keeli_store_has(m->s, index) != adds)
            ++m->per_archetype.items[keeli_archetype_of(world, index)->position];
    }
    return reserve_targets(world, m, adds);
}

// Copy the rows of a run to where they belong now, after a reserve.
static void copy_rows(keel_world *world, many *m, uint32_t i, uint32_t n, bool adds) {
    const uint32_t index = keel_entity_index(m->entities[i]), place = *keeli_row_of(world, index);
    keeli_archetype *to = target(world, m, keeli_archetype_of(world, index), adds);
    if (place == KEELI_NO_ROW) {
        keeli_archetype_push_many(to, &world->entities, m->entities + i, n);
        return;
    }
    for (uint32_t k = 0; k < n; ++k)
        m->left.items[m->left.count++] = place + k;
    keeli_archetype_copy_rows(&world->archetypes, &world->entities, place, n, to);
}

static void take_left(keel_world *world, const many *m) {
    keeli_archetype_take_left(&world->archetypes, &world->entities, m->left.items, m->left.count);
}

// ------------------------------------------------------------------ values to add
// Are these bytes in rows? Such values are copied before rows move.
static bool are_in_rows(const keel_world *world, const char *values, size_t bytes) {
    const keeli_archetypes *a = &world->archetypes;
    for (uint32_t b = 0; b < a->block_count; ++b) {
        const uintptr_t start = (uintptr_t)a->blocks[b]->entities, from = (uintptr_t)values;
        if (start && from < start + a->blocks[b]->bytes && from + bytes > start) return true;
    }
    return false;
}

static void drop_staged(const many *m, uint32_t count) {
    while (count--)
        keeli_value_drop(m->s, (char *)m->staged + (size_t)count * m->s->size);
}

// Copies of the caller's values, before anything is edited. The hook may fail at any of them.
static keel_result stage(keel_world *world, many *m, uint32_t count, bool with_hook) {
    const keel_component *c = &m->s->component;
    m->staged_bytes = (size_t)count * c->size;
    m->staged = keeli_new(&world->heap, m->staged_bytes, c->align);
    if (!m->staged) return keeli_out_of_memory(world, "adding a component to many entities");
    for (uint32_t i = 0; i < count; ++i) {
        char *to = (char *)m->staged + (size_t)i * c->size;
        if (!with_hook) {
            memcpy(to, m->values + i * m->stride, c->size);
        } else if (!keeli_hook_copy(m->s, to, m->values)) {
            drop_staged(m, i);
            return keeli_cannot_copy(world, m->s);
        }
    }
    if (count == m->count) m->stride = c->size;
    m->values = m->staged;
    m->owns_values = with_hook;
    return KEEL_OK;
}

static keel_result stage_values(keel_world *world, many *m) {
    const keel_component *c = &m->s->component;
    if (!c->size) m->values = NULL;
    if (!m->values) {
        m->stride = 0;
        return KEEL_OK;
    }
    if (m->stride == 0) {
        if (!keeli_can_copy(m->s)) return keeli_cannot_copy(world, m->s);
        m->is_moved = c->move && c->copy;
        return stage(world, m, c->copy ? m->count : 1, c->copy != NULL);
    }
    m->is_moved = c->move != NULL;
    if (m->is_moved || m->s->kind != KEEL_ARCHETYPE ||
        !are_in_rows(world, m->values, (m->count - 1) * m->stride + c->size))
        return KEEL_OK;
    return stage(world, m, m->count, false);
}

static void end(keel_world *world, many *m) {
    if (m->staged) keeli_free(&world->heap, m->staged, m->staged_bytes, m->s->component.align);
    KEELI_RELEASE(&world->heap, &m->blocks);
    KEELI_RELEASE(&world->heap, &m->fresh);
    KEELI_RELEASE(&world->heap, &m->per_archetype);
    KEELI_RELEASE(&world->heap, &m->left);
    keeli_archetypes_settle(&world->archetypes, &world->heap);
    keeli_validate_storage(world, m->s);
    keeli_validate_entities(world);
}

// ------------------------------------------------------------------ adding
static keel_result count_missing(keel_world *world, many *m) {
    for (uint32_t i = 0; i < m->count; ++i) {
        if (!keeli_entity_is_alive(&world->entities, m->entities[i]))
            return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                               "cannot add '%s' to many: entity %u of the list is not alive; "
                               "nothing was changed",
                               m->s->component.name, (unsigned)i);
        const uint32_t index = keel_entity_index(m->entities[i]);
        if (index > m->last_index) m->last_index = index;
        m->changing += !keeli_store_has(m->s, index);
    }
    // twins ask for no room of their own
    const uint32_t lacking = keeli_entity_count(&world->entities) - keeli_store_count(m->s);
    if (m->changing > lacking && m->s->kind != KEEL_ARCHETYPE) m->changing = lacking;
    return KEEL_OK;
}

// Each block of indices once, in whatever order they come.
static bool reserve_blocks(keel_world *world, many *m) {
    const bool all = keeli_store_reserve_step(m->s) == 1;
    const uint32_t words = m->last_index / 64 / 64 + 1;
    if (!KEELI_RESERVE(&world->heap, &m->blocks, words)) return false;
    memset(m->blocks.items, 0, words * sizeof *m->blocks.items);
    for (uint32_t i = 0; i < m->count; ++i) {
        const uint32_t index = keel_entity_index(m->entities[i]);
        uint64_t *word = &m->blocks.items[index / 64 / 64];
        const uint64_t bit = (uint64_t)1 << (index / 64 % 64);
        if ((*word & bit && !all) || keeli_store_has(m->s, index)) continue;
        *word |= bit;
        m->room.numbers = 0;
        if (!keeli_store_reserve(world, m->s, index, &m->room)) return false;
    }
    return true;
}

static bool reserve_fresh(keel_world *world, many *m) {
    const uint32_t words = m->count / 64 + 1;
    if (!KEELI_RESERVE(&world->heap, &m->fresh, words)) return false;
    memset(m->fresh.items, 0, words * sizeof *m->fresh.items);
    return true;
}

static bool reserve(keel_world *world, many *m) {
    keeli_storage *s = m->s;
    const bool is_sparse = s->kind == KEEL_SPARSE_SET;
    if (s->flags & KEELI_IS_TOLD && !reserve_fresh(world, m)) return false;
    if (!m->changing) return true;
    if (s->flags & (KEELI_IS_SOURCE | KEELI_IS_SET) &&
        !keeli_sets_reserve(world, s, keel_entity_index(m->entities[0]), m->changing, 0))
        return false;
    if (s->flags & KEELI_IS_TRACKED &&
        !keeli_track_reserve(world, s, keel_entity_index(m->entities[0]), m->changing))
        return false;
    if (is_sparse && !keeli_store_reserve_slots(world, s, m->changing, &m->room)) return false;
    if (s->flags & KEELI_IS_GROUPED &&
        !keeli_groups_reserve(s, keel_entity_index(m->entities[0]), m->changing))
        return false;
    return reserve_blocks(world, m) && (s->kind != KEEL_ARCHETYPE || reserve_rows(world, m, true));
}

static const char *value_of(const many *m, uint32_t i) {
    return m->values ? m->values + i * m->stride : NULL;
}

static void put(const many *m, uint32_t i, void *to) {
    if (m->is_moved) keeli_value_put(m->s, to, value_of(m, i));
    else keeli_bytes_put(to, value_of(m, i), m->s->size);
}

static void overwrite(keel_world *world, const many *m, uint32_t i) {
    const uint32_t index = keel_entity_index(m->entities[i]);
    void *to = keeli_store_value(world, m->s, index);
    keeli_track_modified(world, m->s, index);
    if (to == value_of(m, i)) return;
    keeli_value_drop(m->s, to);
    put(m, i, to);
}

// Some with consecutive indices get it, of which none has it; rows are there already.
static void add_run(keel_world *world, const many *m, uint32_t i, uint32_t n) {
    keeli_storage *s = m->s;
    if (s->flags & KEELI_IS_TRACKED)
        keeli_track_inserted_run(world, s, keel_entity_index(m->entities[i]), n);
    for (uint32_t k = i; m->fresh.items && k < i + n; ++k)
        m->fresh.items[k / 64] |= (uint64_t)1 << (k % 64);
    if (n > 1 && !m->is_moved && !(s->flags & KEELI_HAS_DISABLED)) {
        keeli_store_push_run(world, s, m->entities + i, n, value_of(m, i), m->stride);
        return;
    }
    for (const uint32_t last = i + n; i < last; ++i)
        put(m, i, keeli_store_open(world, s, m->entities[i]));
}

// How many of the n entities from an index on do not have it, up to the first that has.
static uint32_t lacking(const keeli_storage *s, uint32_t index, uint32_t n) {
    if (keeli_store_has(s, index)) return 0;
    if (n == 1) return 1;
    const uint32_t next = keeli_store_next(s, index);
    return next - index < n ? next - index : n;
}

static void add_to_set(keel_world *world, const many *m) {
    for (uint32_t i = 0; i < m->count;) {
        uint32_t run = keeli_run_length(m->entities + i, m->count - i);
        while (run) {
            const uint32_t n = lacking(m->s, keel_entity_index(m->entities[i]), run);
            if (n) add_run(world, m, i, n);
            else overwrite(world, m, i);
            i += n ? n : 1;
            run -= n ? n : 1;
        }
    }
}

static void add_to_rows(keel_world *world, many *m) {
    for (uint32_t i = 0; i < m->count;) {
        if (keeli_store_has(m->s, keel_entity_index(m->entities[i]))) {
            overwrite(world, m, i++);
            continue;
        }
        const uint32_t last = i + row_run(world, m, i);
        copy_rows(world, m, i, last - i, true);
        for (uint32_t n; i < last; i += n) {
            n = keeli_run_length(m->entities + i, last - i);
            add_run(world, m, i, n);
        }
    }
    take_left(world, m);
}

// All values are in place.
static void note_all(keel_world *world, const many *m) {
    for (uint32_t i = 0; m->s->flags & KEELI_IS_GROUPED && i < m->count; ++i)
        keeli_groups_added(m->s, keel_entity_index(m->entities[i]));
    for (uint32_t i = 0; m->fresh.items && i < m->count; ++i) {
        const bool is_fresh = m->fresh.items[i / 64] >> (i % 64) & 1;
        keeli_tell(world, m->s, m->entities[i], is_fresh ? KEEL_ON_INSERTED : KEEL_ON_MODIFIED);
    }
    for (uint32_t i = 0; m->s->flags & KEELI_IS_IN_VIEW && i < m->count; ++i)
        keeli_view_observers_joined(world, m->s, keel_entity_index(m->entities[i]));
}

static keel_result add_all(keel_world *world, many *m) {
    KEEL_TRY(count_missing(world, m));
    KEEL_TRY(stage_values(world, m));
    if (!reserve(world, m)) {
        if (m->owns_values) drop_staged(m, m->count);
        return keeli_out_of_memory(world, "adding a component to many entities");
    }
    m->values = keeli_follow(&m->room, m->values);
    if (m->s->kind == KEEL_ARCHETYPE) add_to_rows(world, m);
    else add_to_set(world, m);
    note_all(world, m);
    return KEEL_OK;
}

keel_result keel_add_component_to_many(keel_world *world, const keel_entity *entities,
                                       uint32_t count, const keel_component *component,
                                       const void *values, size_t stride) {
    if (!world) return keeli_no_world();
    keel_result result;
    many m = { .entities = entities, .count = count, .values = values, .stride = stride };
    m.s = keeli_storage_to_edit(world, NULL, component, "add", &result);
    if (!m.s) return result;
    KEEL_TRY(check_list(world, entities, count, "keel_add_component_to_many"));
    if (values && stride) KEEL_TRY(keeli_check_stride(world, m.s, stride));
    if (!count) return KEEL_OK;
    result = add_all(world, &m);
    end(world, &m);
    return keeli_done(world, result);
}

// ------------------------------------------------------------------ taking away
static bool has(const keel_world *world, const many *m, uint32_t i) {
    return keeli_entity_is_alive(&world->entities, m->entities[i]) &&
           keeli_store_has(m->s, keel_entity_index(m->entities[i]));
}

static void take_value(keel_world *world, const many *m, uint32_t i) {
    const uint32_t index = keel_entity_index(m->entities[i]);
    keeli_store_leaving(world, m->s, index, KEEL_TRACK_DELETION);
    if (m->s->component.drop || m->s->flags & KEELI_IS_TRACKED)
        keeli_value_delete(world, m->s, index, keeli_store_value(world, m->s, index));
}

// From the back: nothing moves when the list is in packed order.
static bool take_from_set(keel_world *world, const many *m) {
    bool any = false;
    for (uint32_t i = m->count; i--;) {
        const uint32_t index = keel_entity_index(m->entities[i]);
        if (has(world, m, i)) {
            take_value(world, m, i);
            keeli_store_pop(world, m->s, index);
            any = true;
        } else if (keeli_entity_is_alive(&world->entities, m->entities[i]) &&
                   keeli_store_is_disabled(m->s, index)) {
            keeli_store_drop_disabled(world, m->s, index);
        }
    }
    return any;
}

static bool take_from_rows(keel_world *world, many *m) {
    for (uint32_t i = 0; i < m->count;) {
        if (!has(world, m, i)) {
            ++i;
            continue;
        }
        const uint32_t n = row_run(world, m, i), last = i + n;
        for (uint32_t k = i; k < last; ++k) {
            take_value(world, m, k);
            keeli_store_clear_bit(world, m->s, keel_entity_index(m->entities[k]));
        }
        copy_rows(world, m, i, n, false);
        i = last;
    }
    take_left(world, m);
    return m->left.count != 0;
}

static keel_result take_all(keel_world *world, many *m) {
    if (m->s->kind != KEEL_ARCHETYPE) return take_from_set(world, m) ? KEEL_OK : KEEL_ABSENT;
    for (uint32_t i = 0; i < m->count; ++i)
        m->changing += has(world, m, i);
    if (!reserve_rows(world, m, false))
        return keeli_out_of_memory(world, "deleting a component from many entities");
    return take_from_rows(world, m) ? KEEL_OK : KEEL_ABSENT;
}

keel_result keel_delete_component_from_many(keel_world *world, const keel_entity *entities,
                                            uint32_t count, const keel_component *component) {
    if (!world) return keeli_no_world();
    keel_result result;
    many m = { .entities = entities, .count = count };
    m.s = keeli_known_to_edit(world, NULL, component, "delete", &result);
    if (result < 0) return result;
    KEEL_TRY(check_list(world, entities, count, "keel_delete_component_from_many"));
    if (!m.s || !count) return KEEL_ABSENT;
    result = take_all(world, &m);
    end(world, &m);
    return keeli_done(world, result);
}
