// SPDX-License-Identifier: MIT
// The queue of events or removed values: its readers, dropping, its ring and adding. See the header
// for what a number is and when a value is dropped.
#include "data/queue.h"

#include "base/assert.h"

#include <string.h>

void keeli_queue_init(keeli_queue *queue, const keel_component *type, bool of_removed) {
    *queue = (keeli_queue){ .size = type->size,
                            .align = type->align,
                            .of_removed = of_removed,
                            .drop = type->drop,
                            .move = type->move,
                            .hook_data = type->hook_data,
                            .limit = type->limit ? type->limit : KEELI_QUEUE_LIMIT,
                            // no warning if nobody reads removed values
                            .world = { .is_warned = of_removed },
                            .is_warned = of_removed };
}

// ------------------------------------------------------------------ readers
// Return the number of readers, and a reader by index. The world is the last one, if it reads.
static uint32_t reader_count(const keeli_queue *q) { return q->readers.count + q->world_reads; }
static keeli_queue_reader *reader_at(keeli_queue *q, uint32_t i) {
    return i < q->readers.count ? &q->readers.items[i] : &q->world;
}

keeli_queue_reader *keeli_queue_find(keeli_queue *q, const keeli_reader *reader) {
    for (uint32_t i = 0; i < reader_count(q); ++i)
        if (reader_at(q, i)->reader == reader)
            return reader_at(q, i);
    return NULL;
}

keeli_queue_reader *keeli_queue_join(keeli_queue *q, keeli_heap *heap, const keeli_reader *reader,
                                     bool is_system) {
    keeli_queue_reader *r = keeli_queue_find(q, reader);
    if (r)
        return r;

    if (reader) {
        if (!KEELI_RESERVE(heap, &q->readers, 1))
            return NULL;
        r = &q->readers.items[q->readers.count++];
        *r = (keeli_queue_reader){ .reader = reader,
                                   .next = q->fresh,
                                   .called = keeli_hash_text(reader->name, 0),
                                   .is_system = is_system };
        return r;
    }
    if (!q->of_removed)
        q->world.next = q->fresh;
    q->world_reads = true;
    return &q->world;
}

void keeli_queue_leave(keeli_queue *q, const keeli_reader *reader) {
    keeli_queue_reader *r = keeli_queue_find(q, reader);
    if (r)
        *r = q->readers.items[--q->readers.count];
}

// Returns the number of the next value of a reader whose entry has `next`. A reader that has seen
// all removed values that were dropped has missed none, so its next value is the first of the
// queue.
static uint64_t next_number(const keeli_queue *q, const keeli_reader *reader, uint64_t next) {
    const bool has_seen_dropped = q->of_removed && reader && q->dropped_tick <= reader->last;
    return has_seen_dropped ? q->begin : next;
}

uint64_t keeli_queue_next(const keeli_queue *q, const keeli_reader *reader) {
    for (uint32_t i = 0; i < q->readers.count; ++i)
        if (q->readers.items[i].reader == reader)
            return next_number(q, reader, q->readers.items[i].next);

    const bool is_fresh = reader || !q->world_reads;
    return next_number(q, reader, is_fresh ? q->fresh : q->world.next);
}

uint64_t keeli_queue_waiting(const keeli_queue *q) {
    uint64_t least = reader_count(q) ? keeli_queue_end(q) : q->fresh;
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        const keeli_queue_reader *r = &q->readers.items[i];
        if (r->is_system && r->next < least)
            least = r->next;
    }
    return least > q->begin ? least : q->begin;
}

// ------------------------------------------------------------------ dropping
static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

// True if the reader has passed the oldest value.
static bool has_passed(const keeli_queue *q, const keeli_queue_reader *r) {
    if (!q->of_removed)
        return r->next > q->begin;
    const keeli_removed *removed = keeli_queue_removed_at(q, q->begin);
    return removed->tick <= (r->reader ? r->reader->last : q->cleared[removed->deleted]);
}

// Calls the drop hook on a value of the queue.
static void drop_queued(const keeli_queue *q, uint64_t number) {
    if (q->drop && (!q->of_removed || keeli_queue_removed_at(q, number)->deleted))
        q->drop(keeli_queue_at(q, number), q->hook_data);
}

static void drop_first(keeli_queue *q) {
    drop_queued(q, q->begin);
    if (q->of_removed)
        q->dropped_tick = q->removed[q->first].tick;
    q->first = q->first + 1 < q->capacity ? q->first + 1 : 0;
    --q->count;
    ++q->begin;
}

// Drops the oldest value, even if readers have not passed it.
static void drop_oldest(keeli_queue *q) {
    if (q->of_removed) {
        // drop_first adds 1 to `begin`. This loop adds 1 to the `next` of each reader that has
        // passed the value; the other readers miss the value
        for (uint32_t i = 0; i <= q->readers.count; ++i) {
            keeli_queue_reader *r = reader_at(q, i);
            r->next = next_number(q, r->reader, r->next) + has_passed(q, r);
        }
    }
    drop_first(q);
}

// Drops the removed values up to a tick. All readers except the world have seen them. If the world
// reads, the first value that it has not passed and all later ones stay.
static void drop_seen(keeli_queue *q, uint64_t tick) {
    const uint64_t begin = q->begin;
    while (q->count) {
        const keeli_removed *oldest = &q->removed[q->first];
        if (oldest->tick > tick)
            break;
        if (q->world_reads && oldest->tick > q->cleared[oldest->deleted])
            break;
        drop_first(q);
    }
    if (q->world_reads)
        q->world.next += q->begin - begin;
}

void keeli_queue_drop_passed(keeli_queue *q) {
    if (!q->count || !reader_count(q))
        return;

    uint64_t least = UINT64_MAX; // all readers have seen the removed values up to this tick, or
                                 // passed the events before this number
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        const keeli_queue_reader *r = &q->readers.items[i];
        least = least_of(least, q->of_removed ? r->reader->last : r->next);
    }
    if (q->of_removed) {
        drop_seen(q, least);
        return;
    }

    if (q->world_reads)
        least = least_of(least, q->world.next);
    if (least <= q->begin)
        return;
    while (q->drop && q->begin < least)
        drop_first(q);
    q->first = keeli_queue_place(q, least);
    q->count -= (uint32_t)(least - q->begin);
    q->begin = q->fresh = least;
}

// Drops the oldest value, which some reader has not passed. True if a warning has to be logged:
// there was none yet for such a reader, or for the queue if it has no readers. Then marks that
// reader or the queue as warned. `*late` is the reader's name, or NULL.
static bool drop_unseen(keeli_queue *q, const char **late) {
    bool *is_warned = reader_count(q) ? NULL : &q->is_warned;
    *late = NULL;
    for (uint32_t i = 0; i < reader_count(q); ++i) {
        keeli_queue_reader *r = reader_at(q, i);
        if (r->is_warned || has_passed(q, r))
            continue;
        *late = r->reader ? r->reader->name : "the world";
        is_warned = &r->is_warned;
        break;
    }
    drop_oldest(q);

    if (!is_warned || *is_warned)
        return false;
    *is_warned = true;
    return true;
}

void keeli_queue_cut(keeli_queue *q, uint64_t end) {
    for (; q->count && keeli_queue_end(q) > end; --q->count)
        drop_queued(q, keeli_queue_end(q) - 1);
}

void keeli_queue_clear(keeli_queue *q) {
    while (q->count)
        drop_first(q);
    q->fresh = q->world.next = q->begin;
    for (uint32_t i = 0; i < q->readers.count; ++i)
        q->readers.items[i].next = q->begin;
}

void keeli_queue_clear_removed(keeli_queue *q, bool deleted, uint64_t tick) {
    if (tick > q->cleared[deleted])
        q->cleared[deleted] = tick;
    q->world_reads = true;
    q->world.next = q->begin;
    keeli_queue_drop_passed(q);
}

// ------------------------------------------------------------------ room
static void set_queue_room(keeli_queue *q) {
    q->room = q->capacity < q->limit ? q->capacity : q->limit;
}

static void free_ring(keeli_queue *q, keeli_heap *heap) {
    keeli_free(heap, q->values, (size_t)q->capacity * q->size, q->align);
    if (q->of_removed)
        keeli_free(heap, q->removed, q->capacity * sizeof *q->removed, _Alignof(keeli_removed));
    q->values = NULL;
    q->removed = NULL;
    q->capacity = q->first = q->room = 0;
}

// Returns the address that a value of the ring will have in a fresh one, which begins with the
// oldest value. Returns other addresses as they are.
static const void *place_in_fresh(const keeli_queue *q, const char *fresh, const void *value) {
    const uintptr_t at = (uintptr_t)value - (uintptr_t)q->values;
    if (!q->values || at >= (size_t)q->capacity * q->size)
        return value;
    const size_t place = (at / q->size + q->capacity - q->first) % q->capacity;
    return fresh + place * q->size + at % q->size;
}

// Moves all values to a fresh ring, oldest first.
static void move_ring(const keeli_queue *q, char *to) {
    if (q->move) {
        for (uint32_t i = 0; i < q->count; ++i)
            if (keeli_queue_has_value(q, q->begin + i))
                q->move(to + (size_t)i * q->size, keeli_queue_at(q, q->begin + i), q->hook_data);
        return;
    }
    if (!q->count || !q->size)
        return;

    const uint32_t range = keeli_queue_range(q, q->begin);
    const size_t front = (size_t)(range < q->count ? range : q->count) * q->size;
    memcpy(to, keeli_queue_at(q, q->begin), front);
    if (range < q->count)
        memcpy(to + front, q->values, (size_t)(q->count - range) * q->size);
}

// Changes the capacity; false when out of memory. Updates `*value` if it points into the ring.
static bool resize_ring(keeli_queue *q, keeli_heap *heap, uint32_t capacity, const void **value) {
    const size_t entry = q->of_removed ? sizeof *q->removed : 0;
    char *values = keeli_new(heap, (size_t)capacity * q->size, q->align);
    keeli_removed *removed = keeli_new(heap, capacity * entry, _Alignof(keeli_removed));
    if ((q->size && !values) || (q->of_removed && !removed)) {
        keeli_free(heap, values, (size_t)capacity * q->size, q->align);
        keeli_free(heap, removed, capacity * entry, _Alignof(keeli_removed));
        return false;
    }

    if (value && q->size)
        *value = place_in_fresh(q, values, *value);
    move_ring(q, values);
    if (removed)
        for (uint32_t i = 0; i < q->count; ++i)
            removed[i] = *keeli_queue_removed_at(q, q->begin + i);

    free_ring(q, heap);
    q->values = values;
    q->removed = removed;
    q->capacity = capacity;
    set_queue_room(q);
    return true;
}

bool keeli_queue_is_same(const keeli_queue *a, const keeli_queue *b) {
    if (a->count | b->count || a->size != b->size || a->of_removed != b->of_removed ||
        a->room != b->room || a->begin != b->begin || a->limit != b->limit ||
        a->fresh != b->fresh || a->dropped_tick != b->dropped_tick ||
        a->cleared[0] != b->cleared[0] || a->cleared[1] != b->cleared[1] || a->mark != b->mark ||
        a->world.next != b->world.next || a->world.shown != b->world.shown ||
        a->world_reads != b->world_reads || a->is_warned != b->is_warned ||
        a->readers.count != b->readers.count)
        return false;
    for (uint32_t i = 0; i < a->readers.count; ++i) {
        const keeli_queue_reader *x = &a->readers.items[i], *y = &b->readers.items[i];
        if (x->reader != y->reader || x->next != y->next || x->shown != y->shown ||
            x->is_system != y->is_system || x->is_warned != y->is_warned)
            return false;
    }
    return true;
}

bool keeli_queue_copy(keeli_queue *q, keeli_heap *heap, const keeli_queue *from) {
    const keeli_queue own = *q;
    *q = *from;
    q->drop = own.drop;
    q->move = own.move;
    q->hook_data = own.hook_data;
    q->values = NULL;
    q->removed = NULL;
    q->readers.items = NULL;
    q->readers.count = q->readers.capacity = 0;
    q->capacity = q->first = q->count = 0;
    q->sender = NULL;

    if (!KEELI_RESERVE(heap, &q->readers, from->readers.count))
        return false;
    if (from->capacity && !resize_ring(q, heap, from->capacity, NULL)) {
        KEELI_RELEASE(heap, &q->readers);
        return false;
    }

    q->count = from->count;
    if (q->of_removed)
        for (uint64_t i = q->begin; i < keeli_queue_end(q); ++i)
            *keeli_queue_removed_at(q, i) = *keeli_queue_removed_at(from, i);
    for (uint32_t i = 0; i < from->readers.count; ++i)
        *KEELI_APPEND(&q->readers) = from->readers.items[i];
    return true;
}

// Returns the capacity for `need` values: a power of two, or the limit.
static uint32_t capacity_for(const keeli_queue *q, uint64_t need) {
    uint64_t capacity = q->size > 256 ? 1 : KEELI_SIZE(16, 1);
    while (capacity < need)
        capacity *= 2;
    return capacity < q->limit ? (uint32_t)capacity : q->limit;
}

bool keeli_queue_reserve(keeli_queue *q, keeli_heap *heap, uint32_t extra, const void **value) {
    if (keeli_queue_has_room(q, extra))
        return true;
    if (q->of_removed)
        keeli_queue_drop_passed(q); // events are dropped at the end of a run
    const uint64_t need = (uint64_t)q->count + extra;
    return need <= q->room || resize_ring(q, heap, capacity_for(q, need), value);
}

bool keeli_queue_reserve_capacity(keeli_queue *q, keeli_heap *heap, uint64_t need) {
    const bool has_room = need <= q->room || q->capacity >= q->limit;
    return has_room || resize_ring(q, heap, capacity_for(q, need), NULL);
}

void keeli_queue_set_limit(keeli_queue *q, uint32_t limit) {
    while (q->count > limit)
        drop_oldest(q);
    q->limit = limit;
    set_queue_room(q);
}

void keeli_queue_trim(keeli_queue *q, keeli_heap *heap, uint32_t extra) {
    const uint64_t need = (uint64_t)q->count + extra;
    if (!need) {
        free_ring(q, heap);
        return;
    }
    const uint32_t capacity = capacity_for(q, need);
    if (capacity < q->capacity)
        (void)resize_ring(q, heap, capacity, NULL); // a failure does no harm
}

// ------------------------------------------------------------------ adding
// Makes a place for one more value: a full queue drops values. The result is that of drop_unseen.
static bool make_place(keeli_queue *q, const char **late) {
    *late = NULL;
    if (q->count < q->room)
        return false;
    KEELI_ASSERT_ROOM(q->room && q->room == q->limit);
    keeli_queue_drop_passed(q);
    return q->count == q->room && drop_unseen(q, late);
}

bool keeli_queue_push(keeli_queue *q, const void *value, const char **late) {
    const bool is_news = make_place(q, late);
    char *to = keeli_queue_at(q, q->begin + q->count++);
    if (!q->size)
        return is_news;

    if (!value)
        memset(to, 0, q->size);
    else if (q->move)
        q->move(to, (void *)(uintptr_t)value, q->hook_data); // the queue owns it now
    else
        keeli_bytes_copy_fresh(to, value, q->size); // `value` may be the one just dropped, at `to`
    return is_news;
}

bool keeli_queue_push_removed(keeli_queue *q, const keeli_removed *removed, void *value,
                              const char **late) {
    const bool is_news = make_place(q, late);
    const uint64_t number = q->begin + q->count++;
    *keeli_queue_removed_at(q, number) = *removed;
    if (!removed->deleted || !q->size)
        return is_news;

    if (q->move)
        q->move(keeli_queue_at(q, number), value, q->hook_data);
    else
        memcpy(keeli_queue_at(q, number), value, q->size);
    return is_news;
}

// ------------------------------------------------------------------ the whole
void keeli_queue_deinit(keeli_queue *q, keeli_heap *heap) {
    keeli_queue_clear(q);
    free_ring(q, heap);
    KEELI_RELEASE(heap, &q->readers);
}

size_t keeli_queue_bytes(const keeli_queue *q) {
    return (size_t)q->capacity * (q->size + (q->of_removed ? sizeof *q->removed : 0)) +
           q->readers.capacity * sizeof *q->readers.items;
}

bool keeli_queue_is_valid(const keeli_queue *q) {
    if (q->count > q->room || q->room > q->capacity || q->room > q->limit)
        return false;
    if (q->fresh > q->begin || (q->capacity && q->first >= q->capacity))
        return false;
    if (q->world_reads && q->world.next > keeli_queue_end(q))
        return false;
    for (uint32_t i = 0; i < q->readers.count; ++i)
        if (q->readers.items[i].next > keeli_queue_end(q))
            return false;
    if (!q->of_removed)
        return true;

    for (uint64_t i = q->begin + 1; i < keeli_queue_end(q); ++i)
        if (keeli_queue_removed_at(q, i)->tick < keeli_queue_removed_at(q, i - 1)->tick)
            return false;
    return true;
}
