// SPDX-License-Identifier: MIT
// Events in shared mode, where several threads run systems of one world; and types of events that
// are bound to threads.
#include "support/api_types.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, RUNS = 300 };

typedef struct Hit {
    uint32_t value;
} Hit;
KEEL_EVENT(Hit);
typedef struct Unheard {
    uint32_t value;
} Unheard;
KEEL_EVENT(Unheard);
typedef struct Frame {
    uint32_t value;
} Frame;
KEEL_EVENT(Frame, .threads = KEEL_THREADS_OWNER_ONLY);

typedef struct Tally {
    uint32_t count;
    uint64_t sum;
} Tally;

KEEL_SYSTEM_ONCE(send, KEEL_SEND(Hit, hits), KEEL_DATA(Tally, tally)) {
    for (uint32_t i = 0; i < 5; ++i)
        if (keel_send(hits, Hit, { ++tally->count }) == KEEL_OK) tally->sum += tally->count;
}
KEEL_SYSTEM_ONCE(receive, KEEL_RECEIVE(Hit, hits), KEEL_DATA(Tally, tally)) {
    KEEL_EACH_EVENT(hits, Hit, hit) {
        ++tally->count;
        tally->sum += hit->value;
    }
}
KEEL_SYSTEM_ONCE(receive_too, KEEL_RECEIVE(Hit, hits), KEEL_DATA(Tally, tally)) {
    KEEL_EACH_EVENT(hits, Hit, hit) {
        ++tally->count;
        tally->sum += hit->value;
    }
}
KEEL_SYSTEM_ONCE(send_unheard, KEEL_SEND(Unheard, events)) { keel_send(events, Unheard, { 1 }); }
KEEL_SYSTEM_ONCE(receive_unheard, KEEL_RECEIVE(Unheard, events)) {
    assert_int_equal(keel_event_count(events, Unheard), 0);
    KEEL_EACH_EVENT(events, Unheard, event)
        assert_null(event);
}

typedef struct user {
    pthread_t thread;
    keel_world *world;
    const keel_system *system;
    Tally tally;
    uint32_t well, borrowed, other;
} user;

static void *run(void *data) {
    user *u = data;
    for (uint32_t i = 0; i < RUNS; ++i) {
        const keel_result result =
            keel_run_system(u->world, u->system,
                            &(keel_run_desc){ .data = &u->tally, .data_size = sizeof u->tally });
        u->well += result == KEEL_OK;
        u->borrowed += result == KEEL_ERROR_BORROWED;
        u->other += result != KEEL_OK && result != KEEL_ERROR_BORROWED;
    }
    return NULL;
}

// While the world is shared nothing goes: what was received is not received again.
static void each_event_is_received_once(void **state) {
    (void)state;
    api_fixture f;
    user users[THREADS];
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN,
                                          .log = keel_log_none,
                                          .worker_count = 2 });
    Tally none = { 0 }; // from here on nothing goes before both have received it
    assert_int_equal(keel_run_with(f.world, receive, &none), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, receive_too, &none), KEEL_OK);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    const keel_system *const systems[THREADS] = { &KEEL_SYSTEM_send, &KEEL_SYSTEM_receive,
                                                  &KEEL_SYSTEM_receive_too, &KEEL_SYSTEM_send };
    for (uint32_t i = 0; i < THREADS; ++i) {
        users[i] = (user){ .world = f.world, .system = systems[i] };
        assert_int_equal(pthread_create(&users[i].thread, NULL, run, &users[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, receive, &users[1].tally), KEEL_OK);
    assert_int_equal(keel_run_with(f.world, receive_too, &users[2].tally), KEEL_OK);
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(users[i].other, 0);
        assert_int_equal(users[i].well + users[i].borrowed, RUNS);
    }
    for (uint32_t i = 1; i <= 2; ++i) {
        assert_int_equal(users[i].tally.count, users[0].tally.count + users[3].tally.count);
        assert_true(users[i].tally.sum == users[0].tally.sum + users[3].tally.sum);
    }
    assert_int_equal(keel_event_count(f.world, Hit), 0); // all that receive have passed them
    keel_clear_errors(f.world);
    api_end(&f);
}

static void what_is_refused_in_shared_mode(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_send(f.world, Hit, { 1 }), KEEL_OK);
    keel_reader *reader = keel_reader_create(f.world, "reader");
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_send(f.world, Hit, { 2 }), KEEL_ERROR_SHARED);
    assert_error(f.world, KEEL_ERROR_SHARED, "commands");
    KEEL_EACH_EVENT(f.world, Hit, hit)
        assert_null(hit);
    assert_error(f.world, KEEL_ERROR_SHARED, "KEEL_RECEIVE");
    KEEL_EACH_EVENT(reader, Hit, hit)
        assert_null(hit);
    assert_error(f.world, KEEL_ERROR_SHARED, "KEEL_RECEIVE");
    assert_int_equal(keel_advance_events(f.world, Hit), KEEL_ERROR_SHARED);
    assert_int_equal(keel_clear_events(f.world, Hit), KEEL_ERROR_SHARED);
    assert_int_equal(keel_set_event_limit(f.world, Hit, 2), KEEL_ERROR_SHARED);
    keel_clear_errors(f.world);
    // nothing becomes known
    assert_int_equal(keel_run(f.world, receive_unheard), KEEL_OK);
    assert_no_error(f.world);
    assert_int_equal(keel_run(f.world, send_unheard), KEEL_ERROR_SHARED);
    assert_error(f.world, KEEL_ERROR_SHARED, "KEEL_EVENT_OF(Unheard)");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_run(f.world, send_unheard), KEEL_OK);
    assert_int_equal(keel_event_count(f.world, Unheard), 1);
    assert_int_equal(keel_event_count(f.world, Hit), 1);
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ bound to a thread
static void *in_another_thread(void *data) {
    keel_world *world = data;
    assert_int_equal(keel_send(world, Frame, { 1 }), KEEL_ERROR_THREAD);
    assert_error(world, KEEL_ERROR_THREAD, "Frame");
    assert_int_equal(keel_adopt_world(world), KEEL_ERROR_THREAD);
    assert_error(world, KEEL_ERROR_THREAD, "Frame");
    return NULL;
}
KEEL_SYSTEM(send_frames, KEEL_READ(Number, n), KEEL_SEND(Frame, frames)) {
    assert_int_equal(keel_send(frames, Frame, { n->value }), KEEL_OK);
}
static uint32_t frames_seen;
KEEL_SYSTEM_ONCE(see_frames, KEEL_RECEIVE(Frame, frames)) {
    KEEL_EACH_EVENT(frames, Frame, frame)
        assert_int_equal(frame->value, frames_seen++);
}
KEEL_SYSTEM(write_number, KEEL_WRITE(Number, n)) { (void)n; }
KEEL_WORKLOAD(draw, KEEL_STEP(write_number, .parallel = true),
              KEEL_STEP(send_frames, .parallel = true), KEEL_STEP(see_frames));

static void events_may_be_bound_to_a_thread(void **state) {
    (void)state;
    api_fixture f;
    pthread_t thread;
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 4 });
    assert_int_equal(keel_send(f.world, Frame, { 0 }), KEEL_OK);
    assert_int_equal(pthread_create(&thread, NULL, in_another_thread, f.world), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(keel_clear_events(f.world, Frame), KEEL_OK);
    for (uint32_t i = 0; i < 9000; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 0; i < 3; ++i) {
        frames_seen = 0;
        assert_int_equal(keel_run_workload(f.world, draw), KEEL_OK);
        assert_int_equal(frames_seen, 9000);
    }
    assert_no_error(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(each_event_is_received_once, "in shared mode each system receives each event once"),
    TEST(what_is_refused_in_shared_mode, "in shared mode only systems send and receive"),
    TEST(events_may_be_bound_to_a_thread, "events may be bound to the world's thread"),
};

int main(void) { return RUN(tests); }
