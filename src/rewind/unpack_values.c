// SPDX-License-Identifier: MIT
// Reads the content of components from the bytes of a snapshot into the private world: rows of
// archetypes, values, disabled values, ticks, queues, and names. Each entity and value is added
// like by an edit, so that all structures are in order by construction. unpack.c calls this file.
#include "rewind/unpack.h"

#include "world/names.h"
#include "world/storage.h"
#include "world/tree.h"

#include <keel/typed.h>
#include <stdlib.h>

static bool is_named(const keeli_storage *s) { return s == s->world->names.storage; }

// True if bytes may become a value of the component.
static bool may_have_values(keeli_unpack *u, const keeli_storage *s) {
    if (!keeli_is_hooked(s))
        return true;
    return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                             "component '%.60s': the bytes have values, but here the component has "
                             "hooks, so a value is more than its bytes",
                             s->component.name);
}

// ------------------------------------------------------------------ rows
static int compare_columns(const void *a, const void *b) {
    const keeli_row_component *const *x = a, *const *y = b;
    return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

// Reads the set of components of an archetype: `columns` in the order of the bytes, `set` sorted.
static bool unpack_set(keeli_unpack *u, keeli_row_component **columns, keeli_row_component **set,
                       uint32_t count, bool *has_content) {
    *has_content = true;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number = keeli_unpack_u32(u);
        keeli_storage *s = u->result == KEEL_OK ? keeli_unpack_component(u, number) : NULL;
        if (!s)
            return false;
        if (!keeli_store_has_rows(s))
            return keeli_unpack_wrong(u, "an archetype has a component that is not stored in one");
        *has_content &= u->components.items[number].content == KEELI_PACKED_ALL;
        columns[i] = set[i] = &s->row;
    }
    qsort(set, count, sizeof(void *), compare_columns);
    for (uint32_t i = 1; i < count; ++i)
        if (set[i] == set[i - 1])
            return keeli_unpack_wrong(u, "an archetype has a component twice");
    return true;
}

// Adds the rows of the entities at `indices`.
static bool add_rows(keeli_unpack *u, keeli_archetype *archetype, const unsigned char *indices,
                     uint32_t count) {
    keel_world *blank = u->blank;
    keeli_entity_index *ix = &blank->entities;
    if (!keeli_archetype_reserve(&blank->archetypes, &blank->heap, archetype, count))
        return keeli_unpack_no_memory(u);
    keeli_archetypes_free_old(&blank->archetypes, &blank->heap);
    for (uint32_t row = 0; row < count; ++row) {
        const uint32_t index = keeli_unpack_at(indices, row);
        if (!keeli_unpack_is_alive(u, index) || !keeli_unpack_is_well(u))
            return false;
        if (*keeli_row_of(ix, index) != KEELI_NO_ROW)
            return keeli_unpack_wrong(u, "an entity has two rows");
        for (uint32_t c = 0; c < archetype->column_count; ++c)
            if (!keeli_store_reserve(blank, blank->root.storages[archetype->columns[c]->number],
                                     index))
                return keeli_unpack_no_memory(u);

        *keeli_row_of(ix, index) =
            keeli_archetype_push(&blank->archetypes, archetype, keeli_entity_at(ix, index));
        for (uint32_t c = 0; c < archetype->column_count; ++c)
            keeli_store_set_bit(blank, blank->root.storages[archetype->columns[c]->number], index);
    }
    return true;
}

// Copies a column of values.
static void copy_column(const keeli_archetype *archetype, const keeli_row_component *column,
                        const unsigned char *values) {
    for (uint32_t b = 0; b < archetype->block_count; ++b) {
        const keeli_block *block = archetype->blocks[b];
        const size_t bytes = (size_t)block->count * column->size;
        if (bytes)
            memcpy(keeli_row_value(column, block->number << KEELI_ROW_SHIFT), values, bytes);
        values += bytes;
    }
}

static bool unpack_archetype(keeli_unpack *u, keeli_row_component **columns,
                             keeli_row_component **set, uint32_t count) {
    keeli_archetypes *a = &u->blank->archetypes;
    const uint32_t before = a->count;
    bool has_content;
    if (!unpack_set(u, columns, set, count, &has_content))
        return false;
    keeli_archetype *archetype = keeli_archetypes_find(a, &u->blank->heap, set, count);
    if (!archetype)
        return keeli_unpack_no_memory(u);
    if (a->count == before)
        return keeli_unpack_wrong(u, "two archetypes have the same components");

    const uint32_t rows = keeli_unpack_count(u, 4, u->blank->entities.size);
    const unsigned char *indices = keeli_unpack_bytes(u, (uint64_t)rows * 4);
    if (!indices)
        return false;
    if (rows && !has_content)
        return keeli_unpack_wrong(u, "rows have a component that the bytes say nothing about");
    const unsigned char *values = u->at;
    for (uint32_t c = 0; c < count; ++c) {
        if (rows && !may_have_values(u, u->blank->root.storages[columns[c]->number]))
            return false;
        if (!keeli_unpack_bytes(u, (uint64_t)rows * columns[c]->size))
            return false;
    }
    if (!add_rows(u, archetype, indices, rows))
        return false;
    for (uint32_t c = 0; c < count; ++c) {
        copy_column(archetype, columns[c], values);
        values += (size_t)rows * columns[c]->size;
    }
    return keeli_unpack_is_well(u);
}

bool keeli_unpack_rows(keeli_unpack *u) {
    keeli_heap *heap = &u->blank->heap;
    u->section = "archetypes";
    const uint32_t most = u->blank->storages.count;
    const size_t bytes = (size_t)2 * most * sizeof(keeli_row_component *);
    const uint32_t count = keeli_unpack_count(u, 12, UINT32_MAX);
    keeli_row_component **columns = keeli_new(heap, bytes, _Alignof(void *));
    if (!columns)
        return keeli_unpack_no_memory(u);

    bool is_well = u->result == KEEL_OK;
    for (uint32_t i = 0; is_well && i < count; ++i) {
        const uint32_t column_count = keeli_unpack_count(u, 4, most);
        is_well = u->result == KEEL_OK;
        if (is_well && !column_count)
            is_well = keeli_unpack_wrong(u, "an archetype has no components");
        is_well = is_well && unpack_archetype(u, columns, columns + most, column_count);
    }
    keeli_free(heap, columns, bytes, _Alignof(void *));
    return is_well;
}

// ------------------------------------------------------------------ names
// Reads a text and makes the name of it, which belongs to no entity yet. NULL on error.
static const keeli_name *unpack_name(keeli_unpack *u) {
    const char *text = keeli_unpack_text(u);
    const size_t length = strlen(text);
    if (!length || strchr(text, '/')) {
        keeli_unpack_wrong(u, "a name is empty, or has a '/'");
        return NULL;
    }
    const keeli_name *name = keeli_name_new(u->blank, text, length);
    if (!name)
        keeli_unpack_no_memory(u);
    return name;
}

bool keeli_unpack_enter_names(keeli_unpack *u) {
    keel_world *blank = u->blank;
    const keeli_storage *s = blank->names.storage;
    const uint32_t count = s ? s->set.count : 0;
    for (uint32_t slot = 0; slot < count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(&s->set, slot);
        keeli_name *name = keeli_name_at(blank, e);
        const keel_entity parent = keeli_parent_of(blank, e);
        if (keeli_name_find(blank, parent, name->text, name->length))
            return keeli_unpack_wrong(u, "two siblings have one name");
        keeli_name_enter(blank, name, e, parent);
    }
    return true;
}

// ------------------------------------------------------------------ values of entities
// Reads a value that is not in the private world yet, and adds it to the entity.
static bool add_value(keeli_unpack *u, keeli_storage *s, uint32_t index,
                      const unsigned char *value) {
    if (!keeli_unpack_is_alive(u, index) || !keeli_unpack_is_well(u))
        return false;
    if (keeli_store_has(s, index))
        return keeli_unpack_wrong(u, "an entity has a component twice");
    if (!keeli_store_reserve(u->blank, s, index))
        return keeli_unpack_no_memory(u);

    const keeli_name *name = is_named(s) ? unpack_name(u) : NULL;
    if (u->result != KEEL_OK)
        return false;
    void *to = keeli_store_push(u->blank, s, keeli_entity_at(&u->blank->entities, index));
    if (name)
        ((keel_name *)to)->text = name->text;
    else if (s->size)
        memcpy(to, value, s->size);
    return true;
}

static bool unpack_sparse(keeli_unpack *u, keeli_storage *s) {
    const uint32_t count = keeli_unpack_count(u, 4, u->blank->entities.size);
    const unsigned char *indices = keeli_unpack_bytes(u, (uint64_t)count * 4);
    if (!indices || (count && !may_have_values(u, s)))
        return false;
    const uint32_t size = is_named(s) ? 0 : s->size; // names are read one by one
    const unsigned char *values = keeli_unpack_bytes(u, (uint64_t)count * size);
    if (!values)
        return false;
    if (!keeli_sparse_set_reserve(&s->set, &u->blank->heap, count))
        return keeli_unpack_no_memory(u);
    for (uint32_t i = 0; i < count; ++i)
        if (!add_value(u, s, keeli_unpack_at(indices, i), values + (size_t)i * size))
            return false;
    return true;
}

// Adds a disabled value.
static bool add_disabled(keeli_unpack *u, keeli_storage *s, uint32_t index,
                         const unsigned char *value) {
    if (!keeli_unpack_is_alive(u, index) || !keeli_unpack_is_well(u))
        return false;
    if (keeli_store_has(s, index) || keeli_presence_has(&s->disabled, index))
        return keeli_unpack_wrong(u, "an entity has a component twice");
    if (!keeli_store_reserve_disabled(u->blank, s, index))
        return keeli_unpack_no_memory(u);
    void *to = keeli_store_push_disabled(u->blank, s, index);
    if (s->size)
        memcpy(to, value, s->size);
    return true;
}

// Reads values by blocks of 64 indices.
static bool unpack_bits(keeli_unpack *u, keeli_storage *s,
                        bool (*add)(keeli_unpack *u, keeli_storage *s, uint32_t index,
                                    const unsigned char *value)) {
    const uint32_t blocks = keeli_unpack_count(u, 12, u->blank->entities.size);
    if (blocks && !may_have_values(u, s))
        return false;
    for (uint32_t b = 0; b < blocks; ++b) {
        const uint32_t block = keeli_unpack_u32(u);
        uint64_t bits = keeli_unpack_u64(u);
        if (u->result == KEEL_OK && block > UINT32_MAX / 64)
            return keeli_unpack_wrong(u, "an index is not that of a living entity");
        for (; u->result == KEEL_OK && bits; bits &= bits - 1) {
            const unsigned char *value = keeli_unpack_bytes(u, s->size);
            const uint32_t index = block * 64 + (uint32_t)__builtin_ctzll(bits);
            if (!value || !add(u, s, index, value))
                return false;
        }
    }
    return u->result == KEEL_OK;
}

static bool unpack_unique(keeli_unpack *u, keeli_storage *s) {
    const bool is_set = keeli_unpack_u8(u) != 0;
    const size_t bytes = s->size ? s->size : 1;
    const unsigned char *value = keeli_unpack_bytes(u, is_set ? s->size : 0);
    if (!value || (is_set && !may_have_values(u, s)))
        return false;

    if (is_set && !s->unique) {
        s->unique = keeli_new_zeroed(&u->blank->heap, bytes, s->component.align);
        if (!s->unique)
            return keeli_unpack_no_memory(u);
    } else if (!is_set && s->unique) { // its initial value
        keeli_value_drop(s, s->unique);
        keeli_free(&u->blank->heap, s->unique, bytes, s->component.align);
        s->unique = NULL;
    }
    if (is_set && s->size)
        memcpy(s->unique, value, s->size);
    return true;
}

// ------------------------------------------------------------------ ticks
static bool unpack_tick_block(keeli_unpack *u, keeli_ticks *t) {
    const uint32_t block = keeli_unpack_u32(u);
    const unsigned char *ticks = keeli_unpack_bytes(u, 66 * 4);
    if (!ticks || !keeli_unpack_is_well(u))
        return false;
    if ((uint64_t)block * 64 >= (uint64_t)u->blank->entities.size + KEELI_PAGE)
        return keeli_unpack_wrong(u, "ticks belong to no index");
    if (!keeli_ticks_reserve(t, &u->blank->heap, block * 64))
        return keeli_unpack_no_memory(u);

    keeli_tick_page *page = t->pages[block / KEELI_TICK_BLOCKS];
    const uint32_t at = block % KEELI_TICK_BLOCKS;
    page->whole[at] = keeli_unpack_at(ticks, 0);
    page->latest[at] = keeli_unpack_at(ticks, 1);
    for (uint32_t i = 0; i < 64; ++i)
        page->slots[at * 64 + i] = keeli_unpack_at(ticks, 2 + i);
    return true;
}

// Returns true, and fails, if the log is not as marks leave it: each index has a page of ticks and,
// behind the tick from which the log is complete, is in it at most once for each tick.
static bool is_log_wrong(keeli_unpack *u, const keeli_ticks *t) {
    uint32_t tick = 0;
    for (uint32_t i = 0; i < t->log_count; ++i) {
        const keeli_change *c = &t->log[i];
        if ((i == 0 || c->tick != tick) && !keeli_unpack_search(u))
            return true;
        tick = c->tick;
        const bool is_index =
            c->index < u->blank->entities.size && keeli_ticks_has_page(t, c->index);
        if (!is_index || (keeli_unpack_is_repeated(u, c->index) && tick > t->log_from)) {
            keeli_unpack_wrong(u, "a log of changes is broken");
            return true;
        }
    }
    return false;
}

static bool unpack_log(keeli_unpack *u, keeli_ticks *t, uint32_t capacity) {
    const uint32_t count = keeli_unpack_count(u, 8, capacity);
    const unsigned char *changes = keeli_unpack_bytes(u, (uint64_t)count * 8);
    if (!changes)
        return false;
    const size_t bytes = capacity * sizeof *t->log;
    if (bytes) {
        t->log = keeli_new_zeroed(&u->blank->heap, bytes, _Alignof(keeli_change));
        if (!t->log)
            return keeli_unpack_no_memory(u);
        t->log_capacity = capacity;
        t->bytes += bytes;
    }
    for (uint32_t i = 0; i < count; ++i)
        t->log[t->log_count++] =
            (keeli_change){ keeli_unpack_at(changes, 2 * i), keeli_unpack_at(changes, 2 * i + 1) };
    return true;
}

static bool unpack_ticks(keeli_unpack *u, keeli_ticks *t) {
    const uint64_t now = u->blank->changes.tick - u->blank->changes.tick_base;
    t->all = keeli_unpack_u32(u);
    t->latest = keeli_unpack_u32(u);
    t->log_from = keeli_unpack_u32(u);
    const uint32_t capacity = keeli_unpack_u32(u);
    if (u->result == KEEL_OK &&
        (capacity & (capacity - 1) || capacity > KEELI_TICK_LOG_MAX || t->latest > now))
        return keeli_unpack_wrong(u, "a log has an odd size, or a change is of the future");

    const uint32_t blocks = keeli_unpack_count(u, 268, UINT32_MAX);
    for (uint32_t i = 0; i < blocks; ++i)
        if (!unpack_tick_block(u, t))
            return false;
    if (!unpack_log(u, t, capacity))
        return false;
    if (!keeli_ticks_are_valid(t))
        return keeli_unpack_wrong(u, "ticks are later than those of their block, or in disorder");
    return !is_log_wrong(u, t);
}

// ------------------------------------------------------------------ queues
// Returns true, and fails, if the reader reads the queue already.
static bool is_reader_repeated(keeli_unpack *u, keeli_queue *q, const keeli_reader *reader) {
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        if (q->readers.items[i].reader != reader)
            continue;
        keeli_unpack_wrong(u, "a reader is twice in a queue");
        return true;
    }
    return false;
}

static bool unpack_queue_readers(keeli_unpack *u, keeli_queue *q) {
    const uint32_t count = keeli_unpack_count(u, 21, KEELI_PACKED_MOST);
    if (!KEELI_RESERVE(&u->blank->heap, &q->readers, count))
        return keeli_unpack_no_memory(u);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number = keeli_unpack_u32(u), flags = keeli_unpack_u8(u);
        const uint64_t next = keeli_unpack_u64(u), shown = keeli_unpack_u64(u);
        if (u->result != KEEL_OK)
            return false;
        if (number >= u->readers.count)
            return keeli_unpack_wrong(u, "a queue has a reader that does not exist");
        const keeli_reader *reader = &u->readers.items[number].stand_in;
        if (is_reader_repeated(u, q, reader))
            return false;
        *KEELI_APPEND(&q->readers) =
            (keeli_queue_reader){ .reader = reader,
                                  .next = next,
                                  .shown = shown,
                                  .called = keeli_hash_text(reader->name, 0),
                                  .is_system = flags & 1,
                                  .is_warned = flags >> 1 & 1 };
    }
    return true;
}

// Reads the entry of a removed value.
static bool unpack_removed(keeli_unpack *u, keeli_removed *removed) {
    removed->entity = (keel_entity){ (keel_entity_bits)keeli_unpack_u64(u) };
    removed->tick = keeli_unpack_u64(u);
    removed->deleted = keeli_unpack_u8(u);
    const bool is_right = removed->deleted <= 1 && removed->tick <= u->blank->changes.tick &&
                          keeli_index_of(removed->entity) < u->blank->entities.size;
    return is_right || keeli_unpack_wrong(u, "the entry of a removed value is out of range");
}

// Reads the value at the end of the queue, for which there is room, and counts it.
static bool unpack_queued(keeli_unpack *u, keeli_storage *s, keeli_queue *q) {
    const uint64_t number = keeli_queue_end(q);
    if (q->of_removed && !unpack_removed(u, keeli_queue_removed_at(q, number)))
        return false;
    if (!keeli_queue_has_value(q, number)) {
        ++q->count;
        return u->result == KEEL_OK;
    }
    if (!may_have_values(u, s))
        return false;

    const keeli_name *name = is_named(s) ? unpack_name(u) : NULL;
    const unsigned char *value = name ? NULL : keeli_unpack_bytes(u, q->size);
    if (u->result != KEEL_OK)
        return false;
    if (name)
        ((keel_name *)keeli_queue_at(q, number))->text = name->text;
    else
        memcpy(keeli_queue_at(q, number), value, q->size);
    ++q->count;
    return true;
}

// Checks the numbers of a queue whose values were not read yet: `count` of them will follow.
static bool check_queue(keeli_unpack *u, const keeli_queue *q, uint32_t count) {
    const uint64_t latest = u->blank->changes.tick, end = q->begin + count;
    const uint64_t bytes = (uint64_t)q->limit * (q->size + sizeof(keeli_removed));
    bool is_right = q->begin <= UINT64_MAX / 4 && q->fresh <= q->begin && q->world.next <= end &&
                    q->world.shown <= end && q->mark <= end && q->dropped_tick <= latest &&
                    q->cleared[0] <= latest && q->cleared[1] <= latest;
    for (uint32_t i = 0; i < q->readers.count; ++i)
        is_right &= q->readers.items[i].next <= end && q->readers.items[i].shown <= end;
    if (!is_right || count > q->limit)
        return keeli_unpack_wrong(u, "the numbers of a queue contradict each other");
    if (!q->limit || (q->limit > KEELI_QUEUE_LIMIT && bytes > u->max_bytes))
        return keeli_unpack_wrong(u, "the limit of a queue is 0, or more than .max_bytes allows");
    return true;
}

static bool unpack_queue(keeli_unpack *u, keeli_storage *s, keeli_queue *q) {
    q->limit = keeli_unpack_u32(u);
    const uint32_t flags = keeli_unpack_u8(u);
    q->world_reads = flags & 1;
    q->world.is_warned = flags >> 1 & 1;
    q->is_warned = flags >> 2 & 1;
    uint64_t *const numbers[] = { &q->begin,      &q->fresh,      &q->dropped_tick, &q->cleared[0],
                                  &q->cleared[1], &q->world.next, &q->world.shown,  &q->mark };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        *numbers[i] = keeli_unpack_u64(u);
    if (!unpack_queue_readers(u, q))
        return false;

    // an event without a value has no bytes, so their number is bounded by the memory only
    const uint32_t count = keeli_unpack_u32(u);
    if (u->result != KEEL_OK || !check_queue(u, q, count))
        return false;
    const uint64_t least = q->of_removed ? 17 : is_named(s) ? 0 : q->size;
    if (count * least > (uint64_t)(u->end - u->at))
        return keeli_unpack_wrong(u, "the bytes end too early");
    if (!keeli_queue_reserve_capacity(q, &u->blank->heap, count))
        return keeli_unpack_no_memory(u);
    while (q->count < count)
        if (!unpack_queued(u, s, q))
            return false;
    return keeli_queue_is_valid(q) || keeli_unpack_wrong(u, "a queue is in disorder");
}

// ------------------------------------------------------------------ a component
static bool unpack_entity_values(keeli_unpack *u, keeli_storage *s) {
    if (s->events)
        return unpack_queue(u, s, s->events);
    if (s->component.is_unique)
        return unpack_unique(u, s);
    if (keeli_store_has_sources(s))
        return true; // targets follow from the edges
    if (keeli_store_is_sparse(s) && !unpack_sparse(u, s))
        return false;
    if (keeli_store_is_by_index(s) && !unpack_bits(u, s, add_value))
        return false;
    if (!unpack_bits(u, s, add_disabled))
        return false;
    const bool has_link = s->flags & KEELI_IS_LINK || s->relation;
    return !s->disabled.count || !has_link ||
           keeli_unpack_wrong(u, "names or relations cannot be disabled");
}

bool keeli_unpack_values(keeli_unpack *u, keeli_storage *s) {
    keeli_tracking *t = &s->tracking;
    u->section = s->component.name;
    if (!unpack_entity_values(u, s))
        return false;

    const uint64_t latest = u->blank->changes.tick;
    s->set_at = keeli_unpack_u64(u);
    s->changed_at = keeli_unpack_u64(u);
    s->cleared_inserted = keeli_unpack_u64(u);
    s->cleared_modified = keeli_unpack_u64(u);
    t->kinds = keeli_unpack_u32(u);
    if (s->set_at > latest || s->changed_at > latest || s->cleared_inserted > latest ||
        s->cleared_modified > latest || t->kinds > KEEL_TRACK_ALL)
        return keeli_unpack_wrong(u, "a tick is of the future, or a kind of change is unknown");
    if (!unpack_ticks(u, &t->inserted) || !unpack_ticks(u, &t->modified) ||
        !unpack_queue(u, s, &t->removed))
        return false;
    const bool has_edges = s->relation && !keeli_store_has_sources(s);
    return !has_edges || keeli_unpack_edges(u, s->relation);
}
