// SPDX-License-Identifier: MIT
// Events of one type, oldest first, in a ring. Each has a number, counted from the first that ever
// was; a reader is a number: that of the first event that it has not passed. An event goes when
// every reader has passed it; when there are as many as the limit, the oldest goes all the same,
// and each reader that has not passed it has missed one: those between its number and `begin`.
// Invariant: no reader is beyond the end. Checked by keeli_event_queue_is_valid.
#pragma once
#include "base/array.h"
#include "base/bytes.h"
#include "data/removal_log.h"

typedef struct keeli_event_reader {
    const keeli_reader *reader; // NULL: the world itself
    uint64_t next;              // all before it are passed
    uint64_t shown;             // all before it were shown, to one that edits everything
    bool is_system;
    bool is_told; // that it holds the queue up
} keeli_event_reader;

typedef struct keeli_event_queue {
    const keel_component *type; // its size
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    uint32_t limit;
    char *values; // a ring
    uint32_t capacity, first, count;
    uint32_t room;      // so many fit: the capacity, or the limit
    uint64_t begin;     // number of the first event held: so many are gone
    uint64_t fresh;     // where a new reader begins: what went before it everybody had passed
    uint64_t mark;      // the end when the system that sends now began
    const void *sender; // what that system has in hand; NULL: nobody may send in a hurry
    KEELI_ARRAY(keeli_event_reader) readers;
    bool is_told; // that nobody reads it
} keeli_event_queue;

#define KEELI_EVENT_LIMIT 65536u

void keeli_event_queue_init(keeli_event_queue *queue, const keel_component *type);
void keeli_event_queue_deinit(keeli_event_queue *queue, keeli_heap *heap);

// ------------------------------------------------------------------ events
static inline uint64_t keeli_event_queue_end(const keeli_event_queue *queue) {
    return queue->begin + queue->count;
}
// Make room for one more; what everybody has passed goes first. False when out of memory. `value`
// may be one of the queue, and is followed when it moves.
bool keeli_event_queue_reserve(keeli_event_queue *queue, keeli_heap *heap, const void **value);
// Append an event after that; NULL: zeros. True when the oldest went unseen and that is news: it is
// `*late` who had not passed it, NULL: nobody reads.
bool keeli_event_queue_push(keeli_event_queue *queue, const void *value, const char **late);
// The event of a number that is held; and how many lie side by side from there.
static inline void *keeli_event_queue_at(const keeli_event_queue *queue, uint64_t number) {
    const uint64_t at = queue->first + (number - queue->begin);
    return queue->values +
           (size_t)(at < queue->capacity ? at : at - queue->capacity) * queue->type->size;
}
static inline uint32_t keeli_event_queue_run(const keeli_event_queue *queue, uint64_t number) {
    const uint64_t at = queue->first + (number - queue->begin);
    return queue->capacity - (uint32_t)(at < queue->capacity ? at : at - queue->capacity);
}
// The usual case of both in place; false: the other way.
static inline bool keeli_event_queue_put(keeli_event_queue *queue, const void *value) {
    if (queue->count >= queue->room || queue->move || !queue->values || !value) return false;
    void *to = keeli_event_queue_at(queue, queue->begin + queue->count);
    keeli_bytes_copy_fresh(to, value, queue->type->size);
    ++queue->count;
    return true;
}
// Drop what everybody has passed.
void keeli_event_queue_settle(keeli_event_queue *queue);
// Drop the latest, down to this number.
void keeli_event_queue_cut(keeli_event_queue *queue, uint64_t end);
// Drop all of them; nobody has missed any.
void keeli_event_queue_clear(keeli_event_queue *queue);
// At most so many from now on.
void keeli_event_queue_set_limit(keeli_event_queue *queue, uint32_t limit);
// Give memory back when it is empty.
void keeli_event_queue_trim(keeli_event_queue *queue, keeli_heap *heap);

// ------------------------------------------------------------------ readers
// NULL: it does not read this queue.
keeli_event_reader *keeli_event_queue_find(const keeli_event_queue *queue,
                                           const keeli_reader *reader);
// It reads from now on; known already: nothing. NULL when out of memory.
keeli_event_reader *keeli_event_queue_join(keeli_event_queue *queue, keeli_heap *heap,
                                           const keeli_reader *reader, bool is_system);
void keeli_event_queue_leave(keeli_event_queue *queue, const keeli_reader *reader);
// The number where it goes on (one that does not read yet: where it would); what lies before the
// first one held it has missed.
uint64_t keeli_event_queue_next(const keeli_event_queue *queue, const keeli_reader *reader);
// The first event that some system has not passed, or that nobody reads: the others are no part of
// what happens in the world.
uint64_t keeli_event_queue_waiting(const keeli_event_queue *queue);

size_t keeli_event_queue_bytes(const keeli_event_queue *queue);
bool keeli_event_queue_is_valid(const keeli_event_queue *queue);
