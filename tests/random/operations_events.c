// SPDX-License-Identifier: MIT
// Random events: two types are sent, by the world and by commands, and received by the world and by
// readers that come and go; beside them lists of all events that there ever were.
#include "queues.h"

#include <stdlib.h>
#include <string.h>

enum { READERS = 3, WORLD = READERS, RECEIVERS, MOST = 1 << 14 };

typedef struct cursor {
    bool reads;
    uint64_t next;
} cursor;

typedef struct queue {
    keel_component type;
    uint32_t kind;                     // of its values
    uint64_t begin, end, fresh, limit; // events that are held; where a new receiver begins
    cursor cursors[RECEIVERS];
    uint32_t payloads[MOST];
    bool is_zero[MOST];
} queue;

struct queues {
    queue types[TYPES];
    keel_reader *readers[READERS];
};

// ------------------------------------------------------------------ the lists
static uint64_t next_of(const queue *q, uint32_t who) {
    return q->cursors[who].reads ? q->cursors[who].next : q->fresh;
}
static uint64_t first_of(const queue *q, uint32_t who) {
    const uint64_t next = next_of(q, who);
    return next > q->begin ? next : q->begin;
}

// What all who ever looked have passed goes.
static void settle(queue *q) {
    uint64_t least = q->end;
    for (uint32_t i = 0; i < RECEIVERS; ++i)
        if (q->cursors[i].reads && q->cursors[i].next < least) least = q->cursors[i].next;
    if (least > q->begin) q->begin = q->fresh = least;
}

static void append(queue *q, uint32_t payload, bool is_zero) {
    q->payloads[q->end] = payload;
    q->is_zero[q->end++] = is_zero;
    if (q->end - q->begin > q->limit) ++q->begin;
}

// ------------------------------------------------------------------ sending
static queue *roll_queue(both *b, dice *d) { return &b->queues->types[roll_below(d, TYPES)]; }
static bool is_full(const queue *q) { return q->end + 8 > MOST; }

static void op_send(both *b, dice *d) {
    queue *q = roll_queue(b, d);
    const uint32_t payload = roll_word(d);
    const bool is_zero = roll_once_in(d, 6);
    value v;
    if (is_full(q)) return;
    if (!is_zero) value_make(&v, q->kind, payload);
    const keel_result result = keel_send_event(b->world, &q->type, is_zero ? NULL : &v);
    both_trace(b, "type of kind %u: %s", (unsigned)q->kind, keel_result_text(result));
    if (both_agree(b, result, KEEL_OK)) append(q, payload, is_zero);
    else if (!is_zero) value_release(&v, q->kind);
}

// A list of commands that memory was short for goes on with the one that failed.
static void op_send_later(both *b, dice *d) {
    keel_commands *commands = keel_world_commands(b->world);
    for (uint32_t i = 1 + roll_below(d, 3); i--;) {
        queue *q = roll_queue(b, d);
        const uint32_t payload = roll_word(d);
        value v;
        if (is_full(q)) break;
        value_make(&v, q->kind, payload);
        const keel_result result = keel_send_event(commands, &q->type, &v);
        if (both_agree(b, result, KEEL_OK)) {
            append(q, payload, false);
            continue;
        }
        value_release(&v, q->kind);
        break;
    }
    keel_result result = keel_apply_commands(b->world);
    if (result == KEEL_ERROR_MEMORY && b->dry) {
        counting_allocator_never_fail(b->memory);
        result = keel_apply_commands(b->world);
    }
    both_agree_surely(b, result, KEEL_OK);
}

// ------------------------------------------------------------------ receiving
static keel_event_walk walk_of(both *b, const queue *q, uint32_t who) {
    return who == WORLD ? keel_events_of(b->world, &q->type)
                        : keel_events_of(b->queues->readers[who], &q->type);
}
static void compare_receiver(const both *b, const queue *q, uint32_t who) {
    const keel_reader *reader = who == WORLD ? NULL : b->queues->readers[who];
    const uint32_t count =
        reader ? keel_event_count_of(reader, &q->type) : keel_event_count_of(b->world, &q->type);
    const uint64_t missed = reader ? keel_missed_component(reader, &q->type)
                                   : keel_missed_component(b->world, &q->type);
    if (count != q->end - first_of(q, who))
        both_fail(b, "receiver %u has %u events, not %u", (unsigned)who, (unsigned)count,
                  (unsigned)(q->end - first_of(q, who)));
    if (missed != first_of(q, who) - next_of(q, who))
        both_fail(b, "receiver %u missed %u events, not %u", (unsigned)who, (unsigned)missed,
                  (unsigned)(first_of(q, who) - next_of(q, who)));
}

static void check_event(const both *b, const queue *q, uint64_t number, const void *got) {
    value plain;
    if (number >= q->end) both_fail(b, "there are more events than were sent");
    value_plain(&plain, q->kind, q->is_zero[number] ? 0 : q->payloads[number]);
    if (q->is_zero[number]) memset(&plain, 0, sizeof plain);
    if (!same_payload(got, &plain, q->kind)) both_fail(b, "event %u is another", (unsigned)number);
}

static void op_receive(both *b, dice *d) {
    queue *q = roll_queue(b, d);
    const uint32_t who = roll_below(d, RECEIVERS);
    const uint32_t stop = roll_once_in(d, 3) ? 1 + roll_below(d, 5) : UINT32_MAX;
    uint32_t seen = 0;
    if (who < WORLD && !b->queues->readers[who]) return;
    compare_receiver(b, q, who);
    keel_event_walk walk = walk_of(b, q, who);
    both_trace(b, "receiver %u, kind %u", (unsigned)who, (unsigned)q->kind);
    if (!walk.world) { // it did not become a receiver
        (void)both_agree(b, keel_last_error(b->world)->result, KEEL_OK);
        return;
    }
    q->cursors[who] = (cursor){ true, next_of(q, who) };
    const uint64_t first = first_of(q, who);
    while (seen < stop && keel_event_next(&walk)) {
        check_event(b, q, first + seen, walk.value);
        ++seen;
        while (walk.left && seen < stop) { // side by side
            if (!keeli_event_step(&walk)) break;
            check_event(b, q, first + seen++, walk.value);
        }
    }
    if (seen < stop && first + seen != q->end)
        both_fail(b, "receiver %u got %u events, not %u", (unsigned)who, (unsigned)seen,
                  (unsigned)(q->end - first));
}

static void pass(queue *q, uint32_t who) {
    if (q->cursors[who].reads) q->cursors[who].next = q->end;
}

static void op_pass(both *b, dice *d) {
    const uint32_t who = roll_below(d, RECEIVERS);
    queue *q = roll_queue(b, d);
    both_trace(b, "receiver %u", (unsigned)who);
    if (who == WORLD) {
        both_agree_surely(b, keel_advance_events_of(b->world, &q->type), KEEL_OK);
        pass(q, who);
    } else if (b->queues->readers[who]) {
        keel_reader_advance(b->queues->readers[who]);
        for (uint32_t i = 0; i < TYPES; ++i)
            pass(&b->queues->types[i], who);
    }
    for (uint32_t i = 0; i < TYPES; ++i)
        settle(&b->queues->types[i]);
}

// ------------------------------------------------------------------ readers and queues
static void op_reader(both *b, dice *d) {
    const uint32_t who = roll_below(d, READERS);
    keel_reader **reader = &b->queues->readers[who];
    both_trace(b, "reader %u", (unsigned)who);
    if (!*reader) {
        *reader = keel_reader_create(b->world, "reader");
        if (!*reader) (void)both_agree(b, keel_last_error(b->world)->result, KEEL_OK);
        return;
    }
    keel_reader_destroy(*reader);
    *reader = NULL;
    for (uint32_t i = 0; i < TYPES; ++i) {
        b->queues->types[i].cursors[who].reads = false;
        settle(&b->queues->types[i]);
    }
}

static void op_queue(both *b, dice *d) {
    queue *q = roll_queue(b, d);
    if (roll_once_in(d, 2)) {
        both_agree_surely(b, keel_clear_events_of(b->world, &q->type), KEEL_OK);
        q->begin = q->fresh = q->end;
        for (uint32_t i = 0; i < RECEIVERS; ++i)
            q->cursors[i].next = q->end;
        return;
    }
    q->limit = 1 + roll_below(d, 40);
    both_agree_surely(b, keel_set_limit_of(b->world, &q->type, (uint32_t)q->limit), KEEL_OK);
    if (q->end - q->begin > q->limit) q->begin = q->end - q->limit;
}

// ------------------------------------------------------------------ all of it
// The world receives from the start: what nobody receives is a part of the world's hash, and no
// copy of the world has it.
void queues_begin(both *b) {
    static const uint32_t of_kinds[TYPES] = { 4, 7 };
    static const char *const names[TYPES] = { "event0", "event1" };
    b->queues = calloc(1, sizeof *b->queues);
    if (!b->queues) abort();
    for (uint32_t i = 0; i < TYPES; ++i) {
        queue *q = &b->queues->types[i];
        q->kind = of_kinds[i];
        q->type = b->uniques[q->kind];
        q->type.name = names[i];
        q->type.is_event = true;
        q->limit = q->type.limit = 24;
        if (!walk_of(b, q, WORLD).world) both_fail(b, "no queue");
        q->cursors[WORLD].reads = true;
    }
}

void queues_compare(const both *b) {
    for (uint32_t i = 0; i < TYPES; ++i)
        for (uint32_t who = 0; who < RECEIVERS; ++who)
            if (who == WORLD || b->queues->readers[who])
                compare_receiver(b, &b->queues->types[i], who);
}

uint32_t queues_own(const both *b) {
    uint32_t owned = 0;
    for (uint32_t i = 0; i < TYPES; ++i) {
        const queue *q = &b->queues->types[i];
        for (uint64_t at = q->begin; kinds[q->kind].tail == TAIL_TOKEN && at < q->end; ++at)
            owned += !q->is_zero[at];
    }
    return owned;
}

void queues_end(both *b) { free(b->queues); }

const operation_entry event_operations[] = {
    { "send", op_send, 3 },
    { "send by commands", op_send_later, 1 },
    { "receive", op_receive, 2 },
    { "pass", op_pass, 1 },
    { "reader", op_reader, 1 },
    { "queue", op_queue, 1 },
    { NULL, NULL, 0 },
};
