// SPDX-License-Identifier: MIT
// Adds components to entities: implements batch.h. Rows that change their archetype are copied
// first, and removed from the old archetype all at once at the end: a removal moves the last row of
// the archetype, and values that the caller passed may lie in that row.
#include "edit/batch.h"

#include "world/report.h"

#include <string.h>

// ------------------------------------------------------------------ columns
void keeli_batch_begin(keeli_batch *b, keel_world *world, const keel_entity *entities,
                       uint32_t count, const char *doing) {
    memset(b, 0, offsetof(keeli_batch, one_left));
    b->world = world;
    b->entities = entities;
    b->count = count;
    b->doing = doing;
    b->columns = b->few;
    b->column_room = sizeof b->few / sizeof *b->few;
}

void keeli_batch_begin_held(keeli_batch *b, keel_world *world, const keel_entity *held,
                            uint32_t count, const char *doing) {
    keeli_batch_begin(b, world, held, count, doing);
    b->is_new = b->is_held = true;
}

// The header of a piece of memory that is freed at the end of the batch. It is not from an arena,
// because the blocks of arenas are reserved for commands.
typedef struct keeli_batch_block {
    struct keeli_batch_block *next;
    size_t size, align;
} keeli_batch_block;

static void *new_memory(keeli_batch *b, size_t size, size_t align) {
    if (align < _Alignof(keeli_batch_block)) {
        align = _Alignof(keeli_batch_block);
    }
    const size_t before = (sizeof(keeli_batch_block) + align - 1) / align * align;
    size += before;
    keeli_batch_block *piece = keeli_new(&b->world->heap, size, align);
    if (!piece)
        return NULL;

    *piece = (keeli_batch_block){ b->pieces, size, align };
    b->pieces = piece;
    return (char *)piece + before;
}

static bool grow_columns(keeli_batch *b) {
    const size_t bytes = b->column_room * sizeof *b->columns;
    keeli_column *columns = new_memory(b, 2 * bytes, _Alignof(keeli_column));
    if (!columns) {
        b->result = keeli_out_of_memory(b->world, b->doing);
        return false;
    }

    b->columns = memcpy(columns, b->columns, bytes);
    b->column_room *= 2;
    return true;
}

static inline keeli_column *new_column(keeli_batch *b, keeli_storage *s) {
    if (b->result < 0 || (b->column_count == b->column_room && !grow_columns(b)))
        return NULL;
    keeli_column *c = &b->columns[b->column_count++];
    *c = (keeli_column){ .storage = s };
    b->has_rows |= keeli_store_has_rows(s);
    b->flags |= s->flags;
    return c;
}

// Marks a column whose component the caller names again with a value. A value that was handed over
// is dropped at the commit; an initial value belongs to the component and is not.
static void supersede(keeli_column *c) {
    c->is_superseded = true;
    if (c->keeps) {
        c->values = NULL;
        c->is_copied = false;
    }
}

static bool has_column(const keeli_batch *b, const keeli_storage *s) {
    for (uint32_t k = 0; k < b->column_count; ++k)
        if (b->columns[k].storage == s)
            return true;
    return false;
}

// Adds columns without values for the components that this one requires and that have no column
// yet. An error if one of them is disabled for an entity.
static __attribute__((noinline)) void bring_required(keeli_batch *b, const keeli_holder *holder,
                                                     const keeli_storage *s) {
    for (uint32_t i = 0; i < s->required.count && b->result == KEEL_OK; ++i) {
        keeli_storage *r = s->required.items[i];
        b->result = keeli_may_edit(b->world, holder, r, "add");
        if (r->disabled.count && !b->is_new && b->entities) {
            for (uint32_t k = 0; k < b->count; ++k) {
                const keel_entity e = b->entities[k];
                if (!keeli_store_is_disabled(r, keeli_index_of(e))) {
                    continue;
                }
                b->result =
                    keeli_error(b->world, KEEL_ERROR_REQUIRED,
                                "cannot add '%s' to %s: it requires '%s', which is "
                                "disabled there; enable it first",
                                s->component.name, KEELI_ENTITY(b->world, e), r->component.name);
            }
        }

        if (b->result != KEEL_OK || has_column(b, r))
            continue;
        keeli_batch_add(b, holder, r, NULL, 0, KEELI_HANDED_OVER);
    }
}

// Adds a column. Without a value, or with KEELI_IF_MISSING, an entity that has a value keeps it:
// the column is not needed if the only entity has one, or if there is an earlier column of the
// component. Otherwise the column supersedes earlier ones.
static inline __attribute__((always_inline)) void
batch_add_column(keeli_batch *b, const keeli_holder *holder, keeli_storage *s, const void *values,
                 size_t stride, keeli_handing handing) {
    if (s->flags & KEELI_IS_MORE && !b->has_prototype)
        bring_required(b, holder, s);
    const bool keeps = !values || handing == KEELI_IF_MISSING;
    bool is_needed = !keeps || b->is_new || b->count > 1 || !b->entities ||
                     !keeli_store_has(s, keeli_index_of(*b->entities));
    for (uint32_t k = 0; k < b->column_count; ++k) {
        if (b->columns[k].storage != s)
            continue;
        if (keeps)
            is_needed = false;
        else
            supersede(&b->columns[k]);
    }
    keeli_column *c = new_column(b, s);
    if (!c)
        return;
    c->is_superseded = !is_needed;
    c->keeps = !values;
    if (c->keeps && is_needed && s->component.initial && !b->has_prototype) {
        values = s->component.initial;
        handing = KEELI_COPIED;
    }
    c->values = values;
    c->stride = stride;
    if (!values || !s->size)
        return;
    c->is_copied = handing == KEELI_COPIED && s->component.copy;
    c->is_moved = s->component.move && (handing != KEELI_COPIED || s->component.copy);
    b->has_copies |= c->is_copied;
}

void keeli_batch_add(keeli_batch *b, const keeli_holder *holder, keeli_storage *s,
                     const void *values, size_t stride, keeli_handing handing) {
    batch_add_column(b, holder, s, values, stride, handing);
}

void keeli_batch_add_out(keeli_batch *b, keeli_storage *s, void *out, bool *taken) {
    keeli_column *c = new_column(b, s);
    if (!c)
        return;
    c->out = out;
    c->taken = taken;
}

void keeli_batch_add_values(keeli_batch *b, const keeli_holder *holder, const keel_value *values) {
    keeli_handing handing = KEELI_HANDED_OVER;
    for (const keel_value *v = values; v && v->component && b->result == KEEL_OK; ++v) {
        if (v->component == &keeli_if_missing) {
            handing = KEELI_IF_MISSING;
            continue;
        }
        keeli_storage *s = keeli_storage_to_edit(b->world, holder, v->component, "add", &b->result);
        if (s) {
            batch_add_column(b, holder, s, v->value, 0, handing);
        }
    }
}

static bool lacks(const keeli_batch *b, const keeli_column *c, uint32_t i) {
    return b->is_new || !keeli_store_has(c->storage, keeli_index_of(b->entities[i]));
}

static const char *column_value_at(const keeli_column *c, uint32_t i) {
    return c->values ? c->values + i * c->stride : NULL;
}

// ------------------------------------------------------------------ copies
// True if these bytes lie in rows. Such values are copied before rows move.
static bool are_in_rows(const keel_world *world, const char *values, size_t bytes) {
    const keeli_archetypes *a = &world->archetypes;
    const uintptr_t from = (uintptr_t)values;
    for (uint32_t b = 0; b < a->block_count; ++b) {
        const keeli_block *block = a->blocks[b];
        const uintptr_t start = (uintptr_t)block->entities;
        if (!start)
            continue;
        if (from < start + block->bytes && from + bytes > start) {
            return true;
        }
    }
    return false;
}

static void drop_copies(const keeli_column *c, uint32_t count) {
    if (!c->is_copied)
        return;

    const keeli_storage *s = c->storage;
    while (count--)
        keeli_value_drop(s, (char *)c->staged + (size_t)count * s->size);
}

// Copies the caller's values to memory of the batch before anything changes, as the copy hook may
// fail at any value. Values for new entities are copied in place (copy_in_place), unless they lie
// in rows, which move when room is made.
static keel_result stage_column(keeli_batch *b, keeli_column *c) {
    const keeli_storage *s = c->storage;
    const size_t size = s->size;
    const uint32_t count = c->is_copied || c->stride ? b->count : 1;
    c->staged = new_memory(b, count * size, s->component.align);
    if (!c->staged) {
        return keeli_out_of_memory(b->world, b->doing);
    }

    for (uint32_t i = 0; i < count; ++i) {
        void *to = (char *)c->staged + i * size;
        const void *from = column_value_at(c, i);
        if (!c->is_copied) {
            memcpy(to, from, size); // analyzer: not NULL, as staged columns have values
        } else if (!keeli_hook_copy(s, to, from)) {
            drop_copies(c, i);
            c->is_copied = false;
            return keeli_cannot_copy(b->world, s);
        }
    }

    if (c->is_copied)
        c->stride = size;
    c->values = c->staged;
    return KEEL_OK;
}

static keel_result stage_copies(keeli_batch *b) {
    const bool rows_move = !b->is_new && b->has_rows && b->count > 1;
    if (!b->has_copies && !rows_move)
        return KEEL_OK;

    for (uint32_t k = 0; k < b->column_count; ++k) {
        keeli_column *c = &b->columns[k];
        const keeli_storage *s = c->storage;
        bool may_move = rows_move && c->values && !c->is_moved;
        if (b->is_new) {
            may_move = c->is_copied && keeli_store_has_rows(s) && !b->has_prototype;
        }

        bool is_staged = c->is_copied && !b->is_new;
        if (!is_staged && may_move) {
            const size_t bytes = (b->count - 1) * c->stride + s->size;
            is_staged = are_in_rows(b->world, c->values, bytes);
        }
        if (is_staged)
            KEEL_TRY(stage_column(b, c));
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ room
// Makes room for slots in the column's sparse set. If its first page of values moves, the column
// keeps the old address.
static bool reserve_slots(keeli_batch *b, keeli_column *c, uint32_t extra) {
    keeli_sparse_set *set = &c->storage->set;
    if (set->room - set->count >= extra)
        return true;

    const bool has_values = set->values.page_count != 0;
    c->moved_from = has_values ? (uintptr_t)set->root.pages[0] : 0;
    c->moved_bytes = has_values ? (size_t)set->values.first * set->size : 0;
    if (!keeli_sparse_set_reserve(set, &b->world->heap, extra)) {
        return false;
    }

    if (has_values && (uintptr_t)set->root.pages[0] == c->moved_from) {
        c->moved_bytes = 0;
    }
    b->has_moved |= c->moved_bytes != 0;
    return true;
}

// Returns the address of a value of the caller after room was made: the value may lie in a page of
// a sparse set that has moved.
static const char *relocated(const keeli_batch *b, const char *value) {
    if (!value)
        return NULL;

    for (uint32_t k = 0; k < b->column_count; ++k) {
        const keeli_column *c = &b->columns[k];
        const uintptr_t offset = (uintptr_t)value - c->moved_from;
        if (offset < c->moved_bytes) {
            return (const char *)c->storage->set.root.pages[0] + offset;
        }
    }
    return value;
}

static keeli_range range_from(const keeli_batch *b, uint32_t i, uint32_t end) {
    return b->whole.count ? b->whole : keeli_range_of(b->entities + i, end - i);
}

// Makes room for values of the range. One call of keeli_reserve_value makes room for `step`
// indices. No call is needed where an index has a value already.
static bool reserve_range(const keeli_batch *b, keeli_storage *s, keeli_range range) {
    const uint32_t step = keeli_store_reserve_step(s);
    const uint64_t end = (uint64_t)range.lowest + range.count;
    for (uint64_t i = range.lowest; i < end; i = (i / step + 1) * step) {
        const uint32_t index = (uint32_t)i;
        if (keeli_store_has(s, index))
            continue;
        if (!keeli_reserve_value(b->world, s, index)) {
            return false;
        }
    }
    return true;
}

// Counts the entities that lack the component. An entity that is twice in the list counts twice,
// but never more than there are entities without it.
static uint32_t count_lacking(const keeli_batch *b, const keeli_column *c) {
    if (b->is_new)
        return b->count;

    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; ++i)
        count += lacks(b, c, i);

    const uint32_t most = keeli_entity_count(&b->world->entities) - keeli_store_count(c->storage);
    return count < most ? count : most;
}

// If the component has followers, makes room to record which of the existing entities had no value.
static bool reserve_fresh(keeli_batch *b, keeli_column *c) {
    if (b->is_new || !keeli_flags_of(c->storage))
        return true;
    if (b->count <= 64) {
        c->fresh = &c->few_fresh;
        return true;
    }

    const size_t bytes = (b->count / 64 + 1) * sizeof *c->fresh;
    c->fresh = new_memory(b, bytes, sizeof *c->fresh);
    if (!c->fresh)
        return false;
    memset(c->fresh, 0, bytes);
    return true;
}

static bool reserve_column(keeli_batch *b, uint32_t k) {
    keeli_column *c = &b->columns[k];
    keeli_storage *s = c->storage;
    if (!reserve_fresh(b, c))
        return false;

    const keel_entity *e = b->entities;
    if (b->count == 1) {
        if (!lacks(b, c, 0))
            return true;
        if (keeli_store_is_sparse(s) && !reserve_slots(b, c, 1)) {
            return false;
        }
        return keeli_reserve_value(b->world, s, keeli_index_of(*e));
    }

    const uint32_t lacking = count_lacking(b, c);
    if (!lacking)
        return true;
    if (keeli_store_is_sparse(s) && !reserve_slots(b, c, lacking)) {
        return false;
    }
    if (!keeli_followers_reserve(b->world, s, keeli_index_of(*e), lacking)) {
        return false;
    }

    for (uint32_t i = 0; i < b->count;) {
        const keeli_range range = range_from(b, i, b->count);
        if (!reserve_range(b, s, range))
            return false;
        i += range.count;
    }
    return true;
}

// ------------------------------------------------------------------ rows
// Returns the archetype with the components of `from` plus this component or, in a removal, minus
// this component. This is `from` itself if the set of components stays the same. An edge of `from`
// caches the result. NULL when out of memory.
static keeli_archetype *step(const keeli_batch *b, keeli_archetype *from, keeli_storage *s) {
    const keeli_edge *edge = keeli_archetype_edge(from, s->slot);
    if (edge) {
        keeli_archetype *to = b->is_removal ? edge->without : edge->with;
        if (to)
            return to;
    }

    keel_world *world = b->world;
    keeli_archetypes *a = &world->archetypes;
    const bool is_there = keeli_archetype_column(from, s->slot) != UINT32_MAX;
    if (is_there != b->is_removal)
        return from;

    if (is_there) {
        return keeli_archetype_without(a, &world->heap, from, &s->row);
    }
    return keeli_archetype_with(a, &world->heap, from, &s->row);
}

// Returns the archetype that rows of `from` move to. NULL when out of memory, which cannot happen
// after keeli_batch_reserve_rows.
static keeli_archetype *target(keeli_batch *b, keeli_archetype *from) {
    if (from == b->from)
        return b->to;

    b->from = from;
    b->to = from;
    for (uint32_t k = 0; b->to && k < b->column_count; ++k) {
        keeli_storage *s = b->columns[k].storage;
        if (keeli_store_has_rows(s))
            b->to = step(b, b->to, s);
    }
    if (!b->to)
        b->from = NULL;
    return b->to;
}

static bool reserve_target(keeli_batch *b, keeli_archetype *from, uint32_t rows) {
    keeli_archetype *to = target(b, from);
    if (!to)
        return false;
    if (to == from || !to->column_count)
        return true;
    return keeli_archetype_reserve(&b->world->archetypes, &b->world->heap, to, rows);
}

bool keeli_batch_reserve_rows(keeli_batch *b) {
    keeli_archetypes *a = &b->world->archetypes;
    b->left = &b->one_left;
    if (b->is_new)
        return reserve_target(b, a->all[0], b->count);

    const keel_entity *e = b->entities;
    if (b->count == 1) {
        if (!keeli_entity_is_alive(&b->world->entities, *e)) {
            return true;
        }
        return reserve_target(b, keeli_archetype_of(b->world, keeli_index_of(*e)), 1);
    }

    const uint32_t archetypes = a->count;
    // by position of an archetype: the number of rows that leave it, and the archetype they move to
    uint32_t *leaving = new_memory(b, archetypes * sizeof *leaving, sizeof *leaving);
    keeli_archetype **to = new_memory(b, archetypes * sizeof *to, sizeof *to);
    b->left = new_memory(b, b->count * sizeof *b->left, sizeof *b->left);
    if (!leaving || !to || !b->left)
        return false;

    memset(leaving, 0, archetypes * sizeof *leaving);
    for (uint32_t i = 0; i < b->count; ++i) {
        if (!keeli_entity_is_alive(&b->world->entities, e[i])) {
            continue;
        }
        ++leaving[keeli_archetype_of(b->world, keeli_index_of(e[i]))->position];
    }

    for (uint32_t p = 0; p < archetypes; ++p) {
        uint32_t rows = leaving[p];
        if (p && rows > a->all[p]->row_count)
            rows = a->all[p]->row_count; // the list has some entities twice
        leaving[p] = rows;
        if (!rows)
            continue;

        to[p] = target(b, a->all[p]);
        if (!to[p])
            return false;

        // With several columns, rows of different archetypes may move to the same one: it needs
        // room for all of them.
        if (b->column_count > 1) {
            for (uint32_t other = 0; other < p; ++other) {
                if (!leaving[other] || to[other] != to[p]) {
                    continue;
                }
                if (other != to[p]->position) {
                    rows += leaving[other];
                }
            }
        }
        if (!reserve_target(b, a->all[p], rows))
            return false;
    }
    return true;
}

// Makes the rows of new entities. Does nothing the second time.
static void make_batch_rows(keeli_batch *b) {
    if (!b->has_rows || b->has_made_rows)
        return;

    keel_world *world = b->world;
    keeli_archetypes *a = &world->archetypes;
    keeli_archetype *to = target(b, a->all[0]);
    keeli_archetype_push_many(a, to, &world->entities, b->entities, b->count);
    b->has_made_rows = true;
}

static bool is_there(const keel_world *world, keel_entity e, uint32_t place) {
    return keeli_entity_is_alive(&world->entities, e) &&
           *keeli_row_of(&world->entities, keeli_index_of(e)) == place;
}

// Counts the entities from `i` on that have adjacent rows. If entity `i` has no row, counts the
// entities without rows as long as their indices ascend one by one, so that no entity is counted
// twice.
static uint32_t rows_beside(const keeli_batch *b, uint32_t i) {
    const keel_entity *e = b->entities + i;
    const keel_world *world = b->world;
    const uint32_t left = b->count - i;
    if (b->is_new || left == 1)
        return left;

    const uint32_t place = *keeli_row_of(&world->entities, keeli_index_of(*e));
    const bool has_row = place != KEELI_NO_ROW;
    uint32_t most;
    if (has_row) {
        const keeli_block *block = keeli_block_of(&world->archetypes, place);
        most = block->count - (place & KEELI_ROW_MASK);
    } else {
        most = keeli_range_length(e, left);
    }

    uint32_t n = 1;
    while (n < left && n < most && is_there(world, e[n], has_row ? place + n : place))
        ++n;
    return n;
}

static void move_in_rows(keeli_batch *b, uint32_t i, uint32_t n, keeli_archetype *to) {
    keeli_archetypes *a = &b->world->archetypes;
    keeli_entity_index *ix = &b->world->entities;
    const keel_entity *e = b->entities + i;
    const uint32_t place = *keeli_row_of(ix, keeli_index_of(*e));
    if (place == KEELI_NO_ROW) {
        keeli_archetype_push_many(a, to, ix, e, n);
        return;
    }

    for (uint32_t k = 0; k < n; ++k)
        b->left[b->left_count++] = place + k;
    keeli_archetype_copy_rows(a, ix, place, n, to);
}

// ------------------------------------------------------------------ committing
static void put_column(const keeli_column *c, uint32_t i, void *to) {
    if (c->is_moved)
        keeli_hook_move(to, (void *)(uintptr_t)column_value_at(c, i), c->storage);
    else
        keeli_bytes_put(to, column_value_at(c, i), c->storage->size);
}

static void overwrite_column(const keeli_batch *b, const keeli_column *c, uint32_t i) {
    keeli_storage *s = c->storage;
    const char *value = column_value_at(c, i);
    if (c->keeps) {
        if (c->is_copied) {
            keeli_value_drop(s, (void *)(uintptr_t)value);
        }
        return;
    }

    const uint32_t index = keeli_index_of(b->entities[i]);
    void *to = keeli_store_value(b->world, s, index);
    keeli_track_modified(b->world, s, index);
    if (to == value)
        return;

    keeli_value_drop(s, to);
    put_column(c, i, to);
}

// Adds the component to entities with consecutive indices, none of which has it. If the component
// is kept in rows, the rows of the entities are in the new archetype already.
static void fill_range(const keeli_batch *b, const keeli_column *c, uint32_t i, keeli_range range) {
    keeli_storage *s = c->storage;
    const uint32_t end = i + range.count;
    if (c->fresh) {
        for (uint32_t k = i; k < end; ++k)
            c->fresh[k / 64] |= (uint64_t)1 << (k % 64);
    }

    if (range.count > 1 && !c->is_moved && !(s->flags & KEELI_HAS_DISABLED)) {
        const char *values = column_value_at(c, i);
        keeli_store_push_range(b->world, s, b->entities + i, range, values, c->stride);
        return;
    }
    for (; i < end; ++i)
        put_column(c, i, keeli_store_open(b->world, s, b->entities[i]));
}

// Adds the component to the entities from `i` to `end`, none of which has it.
static void fill_new(const keeli_batch *b, const keeli_column *c, uint32_t i, uint32_t end) {
    if (end - i == 1) {
        if (c->fresh) {
            c->fresh[i / 64] |= (uint64_t)1 << (i % 64);
        }
        put_column(c, i, keeli_store_open(b->world, c->storage, b->entities[i]));
        return;
    }

    while (i < end) {
        const keeli_range range = range_from(b, i, end);
        fill_range(b, c, i, range);
        i += range.count;
    }
}

// Adds a component that is not kept in rows to many existing entities, some of which may have it.
static void fill_sets(const keeli_batch *b, const keeli_column *c) {
    for (uint32_t i = 0, n; i < b->count; i += n) {
        const uint32_t run = keeli_range_length(b->entities + i, b->count - i);
        const uint32_t index = keeli_index_of(b->entities[i]);
        n = 1;
        if (keeli_store_has(c->storage, index)) {
            overwrite_column(b, c, i);
            continue;
        }

        if (run > 1) {
            const uint32_t next = keeli_store_next(c->storage, index) - index;
            n = next < run ? next : run;
        }
        fill_range(b, c, i, (keeli_range){ n, index, false });
    }
}

// Overwrites the values that all of these rows have; their archetype is `from`.
static void overwrite_rows(keeli_batch *b, const keeli_archetype *from, uint32_t i, uint32_t end) {
    for (uint32_t k = 0; k < b->column_count; ++k) {
        keeli_column *c = &b->columns[k];
        c->is_there = keeli_archetype_column(from, c->storage->slot) != UINT32_MAX;
        if (!c->is_there || c->is_superseded)
            continue;

        for (uint32_t at = i; at < end; ++at)
            overwrite_column(b, c, at);
    }
}

void keeli_batch_move_rows(keeli_batch *b) {
    keel_world *world = b->world;
    keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0, n; i < b->count; i += n) {
        const keel_entity e = b->entities[i];
        n = 1;
        if (b->is_removal && !keeli_entity_is_alive(&world->entities, e)) {
            continue;
        }

        keeli_archetype *from = keeli_archetype_of(world, keeli_index_of(e));
        keeli_archetype *to = target(b, from);
        if (to == from && b->is_removal)
            continue;

        n = rows_beside(b, i);
        if (!b->is_removal)
            overwrite_rows(b, from, i, i + n);
        if (to == from)
            continue;

        move_in_rows(b, i, n, to);
        if (b->is_removal)
            continue;
        for (uint32_t k = 0; k < b->column_count; ++k) {
            const keeli_column *c = &b->columns[k];
            if (!keeli_store_has_rows(c->storage))
                continue;
            if (!c->is_superseded && !c->is_there) {
                fill_new(b, c, i, i + n);
            }
        }
    }

    keeli_archetype_remove_left(a, &world->entities, b->left, b->left_count);
    keeli_archetypes_free_old(a, &world->heap);
}

static void commit_column(keeli_batch *b, const keeli_column *c) {
    if (c->is_superseded) {
        if (c->values) {
            keeli_value_drop(c->storage, (void *)(uintptr_t)c->values);
        }
        return;
    }
    if (c->filled)
        return;

    if (b->is_new)
        fill_new(b, c, 0, b->count);
    else if (keeli_store_has_rows(c->storage))
        return; // keeli_batch_move_rows writes all columns of a row together
    else if (b->count > 1)
        fill_sets(b, c);
    else if (lacks(b, c, 0))
        fill_new(b, c, 0, 1);
    else
        overwrite_column(b, c, 0);
}

static void notify(const keeli_batch *b, const keeli_column *c) {
    keeli_storage *s = c->storage;
    if (c->is_superseded || !keeli_is_followed(s))
        return;

    if (b->count == 1 && (!c->fresh || *c->fresh)) {
        keeli_follow_added(b->world, s, keeli_index_of(b->entities[0]));
        return;
    }
    keeli_follow_added_many(b->world, s, b->entities, b->count, c->fresh, c->keeps);
}

static inline void commit_columns(keeli_batch *b) {
    if (b->is_new)
        make_batch_rows(b);
    for (uint32_t k = 0; k < b->column_count; ++k)
        commit_column(b, &b->columns[k]);
    if (b->has_rows && !b->is_new)
        keeli_batch_move_rows(b);
    else if (b->has_rows)
        keeli_archetypes_free_old(&b->world->archetypes, &b->world->heap);
    b->is_committed = true;
}

static inline void tell_created(const keeli_batch *b) {
    if (b->is_new && b->world->stand_in.entities.flags) {
        for (uint32_t i = 0; i < b->count; ++i)
            keeli_follow_created(b->world, b->entities[i]);
    }
}

static inline void tell(const keeli_batch *b) {
    for (uint32_t k = 0; k < b->column_count; ++k) // now that all values are in place
        notify(b, &b->columns[k]);
    tell_created(b);
}

// ------------------------------------------------------------------ beginning and ending
static keel_result reserve_batch(keeli_batch *b) {
    KEEL_TRY(stage_copies(b));

    bool has_room = true;
    for (uint32_t k = 0; has_room && k < b->column_count; ++k)
        has_room = b->columns[k].is_superseded || reserve_column(b, k);
    if (has_room && b->has_rows) {
        has_room = keeli_batch_reserve_rows(b);
    }
    if (!has_room) {
        return keeli_out_of_memory(b->world, b->doing);
    }
    if (!b->has_prototype && !b->has_moved)
        return KEEL_OK;

    for (uint32_t k = 0; k < b->column_count; ++k) {
        keeli_column *c = &b->columns[k];
        if (b->has_prototype)
            c->values = keeli_store_value(b->world, c->storage, b->prototype);
        else
            c->values = relocated(b, c->values);
    }
    return KEEL_OK;
}

keel_result keeli_batch_reserve(keeli_batch *b) {
    if (b->result == KEEL_OK && !b->is_reserved) {
        b->result = reserve_batch(b);
    }
    b->is_reserved = true;
    return b->result;
}

static keel_result no_entities(keel_world *world, uint32_t count) {
    if (count == 1) {
        return keeli_error(world, KEEL_ERROR_FULL,
                           "cannot add an entity: every index is in use; delete entities, or build "
                           "with 64-bit handles");
    }
    return keeli_error(world, KEEL_ERROR_FULL,
                       "cannot add %u entities: there are not enough free indices",
                       (unsigned)count);
}

// Copies the caller's values to new entities with the copy hook. False if the hook failed:
// undo_create then drops the copies made so far.
static bool copy_in_place(keeli_batch *b, keeli_column *c) {
    keeli_storage *s = c->storage;
    make_batch_rows(b);
    for (; c->filled < b->count; ++c->filled) {
        const keel_entity e = b->entities[c->filled];
        void *to = keeli_store_open(b->world, s, e);
        if (keeli_hook_copy(s, to, column_value_at(c, c->filled))) {
            continue;
        }

        keeli_store_close(b->world, s, keeli_index_of(e));
        return false;
    }
    return true;
}

// Drops the copies, newest first, then removes the rows, then the entities.
static void undo_create(const keeli_batch *b) {
    keel_world *world = b->world;
    keeli_entity_index *ix = &world->entities;
    const keel_entity *e = b->entities;
    for (uint32_t k = b->column_count; k--;) {
        keeli_storage *s = b->columns[k].storage;
        for (uint32_t i = b->columns[k].filled; i--;) {
            const uint32_t index = keeli_index_of(e[i]);
            keeli_value_drop(s, keeli_store_value_there(s, index));
            keeli_store_close(world, s, index);
        }
    }

    if (b->has_made_rows) {
        for (uint32_t i = b->count; i--;) {
            uint32_t *where = keeli_row_of(ix, keeli_index_of(e[i]));
            keeli_archetype_remove(&world->archetypes, ix, *where);
            *where = KEELI_NO_ROW;
        }
    }

    if (!b->is_held) {
        keeli_entity_index_undo(ix, &b->before, e, b->count);
        return;
    }
    for (uint32_t i = 0; i < b->count; ++i)
        keeli_entity_index_promise_again(ix, e[i]);
}

static inline __attribute__((always_inline)) keel_result
take_handles(keeli_batch *b, const keeli_holder *holder, keel_entity *out) {
    keel_world *world = b->world;
    KEEL_TRY(keeli_may_edit(world, holder, &world->stand_in.entities, "add to"));
    const keel_result result = keeli_entity_index_reserve(&world->entities, &world->heap, b->count);
    if (result == KEEL_ERROR_FULL)
        return no_entities(world, b->count);
    if (result == KEEL_OK && !out)
        out = new_memory(b, b->count * sizeof *out, _Alignof(keel_entity));
    if (result < 0 || !out)
        return keeli_out_of_memory(world, b->doing);
    b->before = world->entities;
    keeli_entity_index_add_many(&world->entities, out, b->count);
    b->entities = out;
    b->is_new = true;
    return KEEL_OK;
}

static keel_result create_entities(keeli_batch *b, const keeli_holder *holder, keel_entity *out) {
    keel_world *world = b->world;
    keeli_entity_index *ix = &world->entities;
    if (!b->is_held)
        KEEL_TRY(take_handles(b, holder, out));
    b->is_created = true;

    const keel_entity *e = b->entities;
    if (b->is_held) {
        // making room reads the row of each entity, which is not set for a promised handle
        for (uint32_t i = 0; i < b->count; ++i)
            *keeli_row_of(ix, keeli_index_of(e[i])) = KEELI_NO_ROW;
    }
    if (b->count > 1 && b->column_count) {
        b->whole = keeli_range_of(e, b->count);
    }
    if (b->whole.count < b->count)
        b->whole.count = 0;

    if (world->stand_in.entities.flags) {
        for (uint32_t i = 0; i < b->count; ++i) {
            if (!keeli_followers_reserve_entity(world, e[i], b->count)) {
                return keeli_out_of_memory(world, b->doing);
            }
        }
    }

    KEEL_TRY(keeli_batch_reserve(b));
    if (b->has_copies) {
        for (uint32_t k = 0; k < b->column_count; ++k) {
            keeli_column *c = &b->columns[k];
            if (!c->is_copied || c->staged)
                continue;
            if (!copy_in_place(b, c)) {
                return keeli_cannot_copy(world, c->storage);
            }
        }
    }

    if (b->is_held) {
        for (uint32_t i = 0; i < b->count; ++i)
            keeli_entity_index_confirm(ix, e[i]);
    }
    return KEEL_OK;
}

void keeli_batch_create(keeli_batch *b, const keeli_holder *holder, keel_entity *out) {
    if (b->result == KEEL_OK && b->count) {
        b->result = create_entities(b, holder, out);
    }
}

keel_result keeli_batch_end(keeli_batch *b) {
    if (b->is_created && !b->is_committed)
        undo_create(b);

    if (b->is_committed) {
        for (uint32_t k = 0; k < b->column_count; ++k)
            keeli_validate_storage(b->world, b->columns[k].storage);
        keeli_validate_entities(b->world);
    } else if (b->has_copies) {
        for (uint32_t k = 0; k < b->column_count; ++k) {
            const keeli_column *c = &b->columns[k];
            if (c->staged)
                drop_copies(c, b->count);
        }
    }

    for (keeli_batch_block *piece = b->pieces, *next; piece; piece = next) {
        next = piece->next;
        keeli_free(&b->world->heap, piece, piece->size, piece->align);
    }
    return keeli_done(b->world, b->result);
}

bool keeli_batch_commit(keeli_batch *b) {
    if (b->count && keeli_batch_reserve(b) == KEEL_OK) {
        commit_columns(b);
    }
    return b->is_committed;
}
void keeli_batch_tell(const keeli_batch *b) { tell(b); }

// Hides the observers meanwhile; the caller notifies them later.
void keeli_batch_tell_others(const keeli_batch *b) {
    keel_world *world = b->world;
    for (uint32_t k = 0; k < b->column_count; ++k) {
        const keeli_column *c = &b->columns[k];
        uint32_t *kinds = &c->storage->tracking.observers.kinds;
        const uint32_t before = *kinds;
        *kinds = 0;
        notify(b, c);
        *kinds = before;
    }

    uint32_t *of_entities = &world->stand_in.entities.tracking.observers.kinds;
    const uint32_t before = *of_entities;
    *of_entities = 0;
    tell_created(b);
    *of_entities = before;
}

keel_result keeli_batch_finish(keeli_batch *b) {
    if (b->count && keeli_batch_reserve(b) == KEEL_OK) {
        commit_columns(b);
        tell(b);
    }
    return keeli_batch_end(b);
}
