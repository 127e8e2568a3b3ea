// SPDX-License-Identifier: MIT
// A bounded queue with readers, oldest value first, in a ring. It serves events of one type, and
// the values that entities lost of one component. Each value has a number, counted from the first
// that ever was. A value goes when every reader has passed it; when there are as many as the limit,
// the oldest goes all the same, and each reader that has not passed it has missed one.
// What has passed an event is a number: that of the reader's next event. What has passed a removed
// value is time: a reader has seen all up to a tick, and the world what was cleared of its kind.
// Invariants: no reader is beyond the end; removed values ascend by tick. Checked by
// keeli_queue_is_valid.
#pragma once
#include "base/bytes.h"
#include "base/memory.h"

#include <keel/component.h>

// Somebody who looks from time to time at what changed since the last time.
typedef struct keeli_reader {
    uint64_t last; // all to this tick was seen
    const char *name;
    uint64_t serial; // of the world's
    bool is_kept;    // keel_reader_keep
} keeli_reader;

// Who lost a value: removed (the value was handed out) or deleted (the value is in the queue).
typedef struct keeli_removed {
    keel_entity entity;
    uint64_t tick;
    uint64_t deleted; // 0 or 1
} keeli_removed;

typedef struct keeli_queue_reader {
    const keeli_reader *reader; // NULL: the world itself
    uint64_t next;              // events: all before it are passed; removed values: see `begin`
    uint64_t shown;             // events: all before it were shown, to one that edits everything
    bool is_system;
    bool is_warned; // that it holds the queue up
} keeli_queue_reader;

typedef struct keeli_queue {
    uint32_t size, align; // of a value
    uint32_t limit;
    bool of_removed; // values; otherwise events
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    char *values;           // a ring
    keeli_removed *removed; // in the same places; NULL for events
    uint32_t capacity, first, count;
    uint32_t room;         // so many fit: the capacity, or the limit
    uint64_t begin;        // number of the first value held; a reader below it has missed the rest
    uint64_t fresh;        // where a new reader begins: what went before it everybody had passed
    uint64_t dropped_tick; // of the last removed value that was dropped
    uint64_t cleared[2];   // the world has passed removed values to this tick; [1]: deleted ones
    uint64_t mark;         // the end when the system that sends now began
    const void *sender;    // what that system has in hand; NULL: nobody may send on the fast path
    KEELI_ARRAY(keeli_queue_reader) readers;
    keeli_queue_reader world; // the world itself
    bool world_reads;         // it has looked, so values wait for it
    bool is_warned;           // that nobody reads it
} keeli_queue;

#define KEELI_QUEUE_LIMIT 65536u

// Of values like those of a component, with its hooks and its limit.
void keeli_queue_init(keeli_queue *queue, const keel_component *type, bool of_removed);
void keeli_queue_deinit(keeli_queue *queue, keeli_heap *heap);

// ------------------------------------------------------------------ values
static inline uint64_t keeli_queue_end(const keeli_queue *queue) {
    return queue->begin + queue->count;
}
// The place of a number that is held.
static inline uint32_t keeli_queue_place(const keeli_queue *queue, uint64_t number) {
    const uint64_t at = queue->first + (number - queue->begin);
    return (uint32_t)(at < queue->capacity ? at : at - queue->capacity);
}
static inline void *keeli_queue_at(const keeli_queue *queue, uint64_t number) {
    const size_t at = (size_t)keeli_queue_place(queue, number) * queue->size;
    return (void *)((uintptr_t)queue->values +
                    at); // NULL for what has no values: C allows no NULL + 0
}
static inline keeli_removed *keeli_queue_removed_at(const keeli_queue *queue, uint64_t number) {
    return &queue->removed[keeli_queue_place(queue, number)];
}
// How many values lie side by side from there.
static inline uint32_t keeli_queue_range(const keeli_queue *queue, uint64_t number) {
    return queue->capacity - keeli_queue_place(queue, number);
}
// Make room for so many more, at most the limit. Of removed values what everybody has passed goes
// first; events stay until the end of a run, for who looks for the first time in it. False when
// out of memory. `*value` (may be NULL) may be one of the queue, and is relocated when it moves.
bool keeli_queue_reserve(keeli_queue *queue, keeli_heap *heap, uint32_t extra, const void **value);
// Makes the capacity at least `need`, at most the limit, and asks no reader what it has
// passed, as readers may have been destroyed. False when out of memory.
bool keeli_queue_reserve_capacity(keeli_queue *queue, keeli_heap *heap, uint64_t need);
// Is there room for so many more, or for as many as the limit allows?
static inline bool keeli_queue_has_room(const keeli_queue *queue, uint32_t extra) {
    return (uint64_t)queue->count + extra <= queue->room || queue->capacity >= queue->limit;
}
// Append an event after that; NULL: zeros. True when the oldest went unseen and that is news: it is
// `*late` who had not passed it, NULL: nobody reads.
bool keeli_queue_push(keeli_queue *queue, const void *value, const char **late);
// Append who lost a value, after a reserve; what was deleted has its value moved here. The same
// result, but it is no news when it is the world that is late, or nobody reads.
bool keeli_queue_push_removed(keeli_queue *queue, const keeli_removed *removed, void *value,
                              const char **late);
// The usual case of reserve and push of an event in place; false: nothing was done, it takes both.
static inline bool keeli_queue_put(keeli_queue *queue, const void *value) {
    if (queue->count >= queue->room || queue->move || !queue->values || !value) return false;
    keeli_bytes_copy_fresh(keeli_queue_at(queue, keeli_queue_end(queue)), value, queue->size);
    ++queue->count;
    return true;
}
// Do both hold nothing, and wait for the same readers in the same way?
bool keeli_queue_is_same(const keeli_queue *a, const keeli_queue *b);
// A queue becomes one that holds what another one does, and waits for the same readers, in memory
// of its own; its values are to be filled. False when out of memory.
bool keeli_queue_copy(keeli_queue *queue, keeli_heap *heap, const keeli_queue *from);
// Has the number a value, which lies in the queue?
static inline bool keeli_queue_has_value(const keeli_queue *queue, uint64_t number) {
    return queue->size && (!queue->of_removed || keeli_queue_removed_at(queue, number)->deleted);
}
// Drop what everybody has passed.
void keeli_queue_drop_passed(keeli_queue *queue);
// Drop the latest, down to this number.
void keeli_queue_cut(keeli_queue *queue, uint64_t end);
// Drop all; nobody has missed any.
void keeli_queue_clear(keeli_queue *queue);
// The world has passed removed values, or the deleted ones, up to a tick; it has missed none.
void keeli_queue_clear_removed(keeli_queue *queue, bool deleted, uint64_t tick);
// At most so many from now on.
void keeli_queue_set_limit(keeli_queue *queue, uint32_t limit);
// Give memory back that is not needed for what is held and `extra` more.
void keeli_queue_trim(keeli_queue *queue, keeli_heap *heap, uint32_t extra);

// ------------------------------------------------------------------ readers
// NULL: it does not read this queue. The reader NULL is the world.
keeli_queue_reader *keeli_queue_find(keeli_queue *queue, const keeli_reader *reader);
// It reads from now on; known already: nothing. NULL when out of memory, never for the world.
keeli_queue_reader *keeli_queue_join(keeli_queue *queue, keeli_heap *heap,
                                     const keeli_reader *reader, bool is_system);
void keeli_queue_leave(keeli_queue *queue, const keeli_reader *reader);
// The number where it goes on (one that does not read yet: where it would).
uint64_t keeli_queue_next(const keeli_queue *queue, const keeli_reader *reader);
// How many values were missed, and are left, by who goes on at a number.
static inline uint64_t keeli_queue_missed(const keeli_queue *queue, uint64_t next) {
    return next < queue->begin ? queue->begin - next : 0;
}
static inline uint32_t keeli_queue_left(const keeli_queue *queue, uint64_t next) {
    return (uint32_t)(keeli_queue_end(queue) - (next > queue->begin ? next : queue->begin));
}
// The first event that some system has not passed, or that nobody reads: the others are no part of
// what happens in the world.
uint64_t keeli_queue_waiting(const keeli_queue *queue);

// Memory, without `queue` itself.
size_t keeli_queue_bytes(const keeli_queue *queue);
bool keeli_queue_is_valid(const keeli_queue *queue);
