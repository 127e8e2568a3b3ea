// SPDX-License-Identifier: MIT
// A bounded queue with readers, oldest value first, in a ring. It holds the events of one type, or
// the removed values of one component: those that entities lost. It knows no world and logs no
// warnings; run/events, follow/reader and world/storage call it.
// Values are numbered in the order in which they were added. A value is dropped when every reader
// has passed it. When the queue has as many as its limit, the oldest is dropped anyway, and each
// reader that had not passed it has missed one.
// A reader has passed an event if the number of its next event is higher. A reader has passed a
// removed value if it has seen all changes up to its tick; the world has passed it if it has
// cleared values of that kind up to its tick.
// Invariants: no reader is beyond the end; removed values ascend by tick. Checked by
// keeli_queue_is_valid.
#pragma once
#include "base/bytes.h"
#include "base/memory.h"

#include <keel/component.h>

// The owner of a reader: a single system, a step of a workload, or the user.
typedef enum keeli_reader_kind {
    KEELI_READER_OF_SYSTEM,
    KEELI_READER_OF_STEP,
    KEELI_READER_OF_USER,
    KEELI_READER_KINDS // the number of these
} keeli_reader_kind;

// A reader: it looks repeatedly for changes since the last time.
typedef struct keeli_reader {
    uint64_t last; // the reader has seen all changes up to this tick
    const char *name;
    uint64_t serial; // unique in the world (keeli_next_serial)
    uint64_t called; // hash of the name, for rewind/runs.c; 0: not computed yet
    keeli_reader_kind kind;
    bool is_kept; // keel_reader_keep was called
} keeli_reader;

// A removed value: the entity that lost it, and how. `deleted` is 0 if the value was removed (and
// handed out), 1 if it was deleted (and the queue has the value).
typedef struct keeli_removed {
    keel_entity entity;
    uint64_t tick;
    uint64_t deleted; // 0 or 1
} keeli_removed;

typedef struct keeli_queue_reader {
    const keeli_reader *reader; // NULL: the world itself
    uint64_t next;              // number of its next value; for removed values see keeli_queue_next
    uint64_t shown;             // end of the events when the system began its run (run/events.c)
    uint64_t called;            // hash of its name: images outlive readers
    bool is_system;
    bool is_warned; // a warning was logged that a value was dropped before this reader read it
} keeli_queue_reader;

typedef struct keeli_queue {
    uint32_t size, align; // bytes and alignment of a value
    uint32_t limit;       // largest number of values
    bool of_removed;      // holds removed values; otherwise events
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    char *values;           // the ring
    keeli_removed *removed; // ring of the removed values' entries, at the same places; or NULL
    uint32_t capacity, first, count; // places in the ring, place of the oldest value, values
    uint32_t room;                   // the smaller of capacity and limit
    uint64_t begin; // number of the oldest value; a reader whose `next` is lower has missed values
    uint64_t fresh; // number of the first value for a new reader
    uint64_t dropped_tick; // tick of the last removed value that was dropped
    uint64_t cleared[2];   // the world has passed values up to this tick: [0] removed, [1] deleted
    uint64_t mark;         // the end of the queue when the system that is sending now began to run
    const void *sender;    // context of the system that may send on the fast path; NULL: none may
    KEELI_ARRAY(keeli_queue_reader) readers;
    keeli_queue_reader world; // the world as a reader
    bool world_reads;         // the world has read, so values wait for it
    bool is_warned;           // a warning was logged that a queue without readers drops values
} keeli_queue;

#define KEELI_QUEUE_LIMIT 65536u

// Makes a queue of values like those of a component, with its hooks and its limit.
void keeli_queue_init(keeli_queue *queue, const keel_component *type, bool of_removed);
void keeli_queue_deinit(keeli_queue *queue, keeli_heap *heap);

// ------------------------------------------------------------------ values
static inline uint64_t keeli_queue_end(const keeli_queue *queue) {
    return queue->begin + queue->count;
}
// Returns the place in the ring of a number in the queue.
static inline uint32_t keeli_queue_place(const keeli_queue *queue, uint64_t number) {
    const uint64_t at = queue->first + (number - queue->begin);
    return (uint32_t)(at < queue->capacity ? at : at - queue->capacity);
}
// Returns the value of a number.
static inline void *keeli_queue_at(const keeli_queue *queue, uint64_t number) {
    const size_t at = (size_t)keeli_queue_place(queue, number) * queue->size;
    return (void *)((uintptr_t)queue->values +
                    at); // NULL for types without values: C does not allow NULL + 0
}
static inline keeli_removed *keeli_queue_removed_at(const keeli_queue *queue, uint64_t number) {
    return &queue->removed[keeli_queue_place(queue, number)];
}
// Returns the number of places from that of a number to the end of the ring's memory.
static inline uint32_t keeli_queue_range(const keeli_queue *queue, uint64_t number) {
    return queue->capacity - keeli_queue_place(queue, number);
}
// Makes room for `extra` more values, at most the limit; false when out of memory. Removed values
// that every reader has passed are dropped first; events stay until the end of a run, for systems
// that read for the first time in it. `value` may be NULL. If `*value` points into the queue, it is
// updated when the values move.
bool keeli_queue_reserve(keeli_queue *queue, keeli_heap *heap, uint32_t extra, const void **value);
// Makes the capacity at least `need`, at most the limit; false when out of memory. It drops nothing
// and does not look at readers, which may have been destroyed.
bool keeli_queue_reserve_capacity(keeli_queue *queue, keeli_heap *heap, uint64_t need);
// True if there is room for `extra` more values, or for as many as the limit allows.
static inline bool keeli_queue_has_room(const keeli_queue *queue, uint32_t extra) {
    return (uint64_t)queue->count + extra <= queue->room || queue->capacity >= queue->limit;
}
// Adds an event after a reserve; its value is zeros if `value` is NULL. True if the oldest event
// was dropped unread and no warning was given yet. `*late` is the name of the reader that had not
// passed it, NULL if nobody reads.
bool keeli_queue_push(keeli_queue *queue, const void *value, const char **late);
// Adds a removed value after a reserve; a deleted value is moved into the queue. The same result,
// but there is no warning if only the world had not passed the oldest value, or nobody reads.
bool keeli_queue_push_removed(keeli_queue *queue, const keeli_removed *removed, void *value,
                              const char **late);
// Adds an event in the usual case. Returns false and does nothing if the caller must use reserve
// and push instead.
static inline bool keeli_queue_put(keeli_queue *queue, const void *value) {
    if (queue->count >= queue->room || queue->move || !queue->values || !value)
        return false;
    keeli_bytes_copy_fresh(keeli_queue_at(queue, keeli_queue_end(queue)), value, queue->size);
    ++queue->count;
    return true;
}
// True if both are empty and have the same readers in the same state.
bool keeli_queue_is_same(const keeli_queue *a, const keeli_queue *b);
// Makes `queue` a copy of another with memory of its own, with the same numbers and readers. The
// caller copies the values. False when out of memory.
bool keeli_queue_copy(keeli_queue *queue, keeli_heap *heap, const keeli_queue *from);
// True if the queue holds the value of this number. False for types without values, and for a
// removed value that was handed out.
static inline bool keeli_queue_has_value(const keeli_queue *queue, uint64_t number) {
    return queue->size && (!queue->of_removed || keeli_queue_removed_at(queue, number)->deleted);
}
// Drops all values that every reader has passed.
void keeli_queue_drop_passed(keeli_queue *queue);
// Drops the latest values, so that the queue ends before the number `end`.
void keeli_queue_cut(keeli_queue *queue, uint64_t end);
// Drops all values; no reader has missed any.
void keeli_queue_clear(keeli_queue *queue);
// Records that the world has passed the removed (or deleted) values up to a tick, and has missed
// none.
void keeli_queue_clear_removed(keeli_queue *queue, bool deleted, uint64_t tick);
// Sets the limit, and drops the oldest values above it.
void keeli_queue_set_limit(keeli_queue *queue, uint32_t limit);
// Frees memory that is not needed for the values and `extra` more.
void keeli_queue_trim(keeli_queue *queue, keeli_heap *heap, uint32_t extra);

// ------------------------------------------------------------------ readers
// Returns the entry of a reader, NULL if it does not read this queue. The reader NULL is the world.
keeli_queue_reader *keeli_queue_find(keeli_queue *queue, const keeli_reader *reader);
// Adds a reader, if it does not read this queue yet, and returns its entry. NULL when out of
// memory, never for the world.
keeli_queue_reader *keeli_queue_join(keeli_queue *queue, keeli_heap *heap,
                                     const keeli_reader *reader, bool is_system);
// Removes a reader, if it reads this queue.
void keeli_queue_leave(keeli_queue *queue, const keeli_reader *reader);
// Returns the number of the next value of a reader. For one that does not read yet: the number that
// it would begin with.
uint64_t keeli_queue_next(const keeli_queue *queue, const keeli_reader *reader);
// Return the number of values that a reader with this next number has missed, and the number of
// values that it has still to read.
static inline uint64_t keeli_queue_missed(const keeli_queue *queue, uint64_t next) {
    return next < queue->begin ? queue->begin - next : 0;
}
static inline uint32_t keeli_queue_left(const keeli_queue *queue, uint64_t next) {
    return (uint32_t)(keeli_queue_end(queue) - (next > queue->begin ? next : queue->begin));
}
// Returns the number of the first event that some system has not passed; if the queue has no
// readers, the number of the first event for a new reader. Earlier events cannot influence the
// world any more.
uint64_t keeli_queue_waiting(const keeli_queue *queue);

// Returns the bytes of memory, without `queue` itself.
size_t keeli_queue_bytes(const keeli_queue *queue);
bool keeli_queue_is_valid(const keeli_queue *queue);
