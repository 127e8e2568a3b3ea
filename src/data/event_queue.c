// SPDX-License-Identifier: MIT
#include "data/event_queue.h"

#include <string.h>

void keeli_event_queue_init(keeli_event_queue *queue, const keel_component *type) {
    *queue = (keeli_event_queue){ .type = type,
                                  .drop = type->drop,
                                  .move = type->move,
                                  .hook_data = type->hook_data,
                                  .limit = type->limit ? type->limit : KEELI_EVENT_LIMIT };
}

// ------------------------------------------------------------------ events that go
static void drop_value(const keeli_event_queue *q, uint64_t number) {
    if (q->drop) q->drop(keeli_event_queue_at(q, number), q->hook_data);
}

static void drop_first(keeli_event_queue *q) {
    drop_value(q, q->begin);
    q->first = q->first + 1 < q->capacity ? q->first + 1 : 0;
    --q->count;
    ++q->begin;
}

void keeli_event_queue_settle(keeli_event_queue *q) {
    uint64_t least = UINT64_MAX; // that all have passed
    for (uint32_t i = 0; i < q->readers.count; ++i)
        if (q->readers.items[i].next < least) least = q->readers.items[i].next;
    if (!q->readers.count || least <= q->begin) return;
    if (q->drop) {
        while (q->begin < least)
            drop_first(q);
    } else {
        const uint32_t gone = (uint32_t)(least - q->begin);
        q->first = (uint32_t)(((uint64_t)q->first + gone) % q->capacity);
        q->count -= gone;
        q->begin = least;
    }
    q->fresh = q->begin;
}

void keeli_event_queue_cut(keeli_event_queue *q, uint64_t end) {
    while (q->count && keeli_event_queue_end(q) > end) {
        drop_value(q, keeli_event_queue_end(q) - 1);
        --q->count;
    }
}

void keeli_event_queue_clear(keeli_event_queue *q) {
    while (q->count)
        drop_first(q);
    q->fresh = q->begin;
    for (uint32_t i = 0; i < q->readers.count; ++i)
        q->readers.items[i].next = q->begin;
}

// The oldest goes although somebody has not passed it. Is that news, and whose?
static bool drop_unseen(keeli_event_queue *q, const char **late) {
    bool *told = q->readers.count ? NULL : &q->is_told;
    *late = NULL;
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        keeli_event_reader *r = &q->readers.items[i];
        if (r->next > q->begin || r->is_told || told) continue;
        *late = r->reader ? r->reader->name : "the world";
        told = &r->is_told;
    }
    drop_first(q);
    if (!told || *told) return false;
    return *told = true;
}

// ------------------------------------------------------------------ room
static void set_room(keeli_event_queue *q) {
    q->room = q->capacity < q->limit ? q->capacity : q->limit;
}

// Where a value of the ring is in a fresh one, which begins with the oldest.
static const void *follow(const keeli_event_queue *q, const char *fresh, const void *value) {
    const uintptr_t at = (uintptr_t)value - (uintptr_t)q->values;
    const size_t size = q->type->size;
    if (!q->values || at >= (size_t)q->capacity * size) return value;
    const size_t place = (at / size + q->capacity - q->first) % q->capacity;
    return fresh + place * size + at % size;
}

static void move_values(const keeli_event_queue *q, char *to) {
    const keel_component *type = q->type;
    if (!q->move) {
        const size_t run = keeli_event_queue_run(q, q->begin);
        const size_t front = (run < q->count ? run : q->count) * type->size;
        const size_t all = (size_t)q->count * type->size;
        memcpy(to, q->values + (size_t)q->first * type->size, front);
        if (all > front) memcpy(to + front, q->values, all - front);
        return;
    }
    for (uint32_t i = 0; i < q->count; ++i)
        q->move(to + (size_t)i * type->size, keeli_event_queue_at(q, q->begin + i), q->hook_data);
}

static void free_values(keeli_event_queue *q, keeli_heap *heap) {
    keeli_free(heap, q->values, (size_t)q->capacity * q->type->size, q->type->align);
    q->values = NULL;
    q->capacity = q->first = q->room = 0;
}

static bool grow(keeli_event_queue *q, keeli_heap *heap, const void **value) {
    const uint32_t at_first = q->type->size > 256 ? 1 : 16;
    uint32_t capacity = q->capacity ? q->capacity : at_first;
    while (capacity <= q->count)
        capacity = capacity > UINT32_MAX / 2 ? UINT32_MAX : capacity * 2;
    if (capacity > q->limit) capacity = q->limit;
    char *fresh = NULL;
    if (q->type->size) {
        fresh = keeli_new(heap, (size_t)capacity * q->type->size, q->type->align);
        if (!fresh) return false;
        *value = follow(q, fresh, *value);
        if (q->count) move_values(q, fresh);
    }
    free_values(q, heap);
    q->values = fresh;
    q->capacity = capacity;
    set_room(q);
    return true;
}

bool keeli_event_queue_reserve(keeli_event_queue *q, keeli_heap *heap, const void **value) {
    if (q->count < q->room) return true;
    keeli_event_queue_settle(q);
    if (q->count < q->room || q->count >= q->limit) return true;
    return grow(q, heap, value);
}

bool keeli_event_queue_push(keeli_event_queue *q, const void *value, const char **late) {
    const keel_component *type = q->type;
    bool is_news = false;
    if (q->count >= q->limit) is_news = drop_unseen(q, late);
    char *to = keeli_event_queue_at(q, q->begin + q->count++);
    if (!type->size) return is_news;
    if (!value) memset(to, 0, type->size);
    else if (q->move) q->move(to, (void *)(uintptr_t)value, q->hook_data); // handed over
    else keeli_bytes_copy_fresh(to, value, type->size); // it may be the one that just went
    return is_news;
}

void keeli_event_queue_set_limit(keeli_event_queue *q, uint32_t limit) {
    while (q->count > limit)
        drop_first(q);
    q->limit = limit;
    set_room(q);
}

void keeli_event_queue_trim(keeli_event_queue *q, keeli_heap *heap) {
    if (!q->count) free_values(q, heap);
}

// ------------------------------------------------------------------ readers
keeli_event_reader *keeli_event_queue_find(const keeli_event_queue *q, const keeli_reader *reader) {
    for (uint32_t i = 0; i < q->readers.count; ++i)
        if (q->readers.items[i].reader == reader) return &q->readers.items[i];
    return NULL;
}

keeli_event_reader *keeli_event_queue_join(keeli_event_queue *q, keeli_heap *heap,
                                           const keeli_reader *reader, bool is_system) {
    keeli_event_reader *r = keeli_event_queue_find(q, reader);
    if (r) return r;
    if (!KEELI_RESERVE(heap, &q->readers, 1)) return NULL;
    r = &q->readers.items[q->readers.count++];
    *r = (keeli_event_reader){ .reader = reader, .next = q->fresh, .is_system = is_system };
    return r;
}

void keeli_event_queue_leave(keeli_event_queue *q, const keeli_reader *reader) {
    keeli_event_reader *r = keeli_event_queue_find(q, reader);
    if (r) *r = q->readers.items[--q->readers.count];
}

uint64_t keeli_event_queue_next(const keeli_event_queue *q, const keeli_reader *reader) {
    const keeli_event_reader *r = keeli_event_queue_find(q, reader);
    return r ? r->next : q->fresh;
}

uint64_t keeli_event_queue_waiting(const keeli_event_queue *q) {
    uint64_t least = q->readers.count ? keeli_event_queue_end(q) : q->fresh;
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        const keeli_event_reader *r = &q->readers.items[i];
        if (r->is_system && r->next < least) least = r->next;
    }
    return least > q->begin ? least : q->begin;
}

// ------------------------------------------------------------------ the whole
void keeli_event_queue_deinit(keeli_event_queue *q, keeli_heap *heap) {
    keeli_event_queue_clear(q);
    free_values(q, heap);
    KEELI_RELEASE(heap, &q->readers);
}

size_t keeli_event_queue_bytes(const keeli_event_queue *q) {
    return sizeof *q + (size_t)q->capacity * q->type->size +
           q->readers.capacity * sizeof *q->readers.items;
}

bool keeli_event_queue_is_valid(const keeli_event_queue *q) {
    if (q->count > q->room || q->room > q->capacity || q->room > q->limit) return false;
    if (q->fresh > q->begin) return false;
    if (q->capacity && q->first >= q->capacity) return false;
    for (uint32_t i = 0; i < q->readers.count; ++i)
        if (q->readers.items[i].next > keeli_event_queue_end(q)) return false;
    return true;
}
