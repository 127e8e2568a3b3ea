// SPDX-License-Identifier: MIT
// Threads, locks, conditions, atomics and time.
#include "base/platform/platform.h"

#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { thread_count = 4, rounds = 20000, meetings = 2000 };

static void run_threads(void *(*function)(void *), void *data) {
    pthread_t threads[thread_count];
    for (int i = 0; i < thread_count; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, function, data), 0);
    for (int i = 0; i < thread_count; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

// ------------------------------------------------------------------ locks
static keeli_lock ready_made = KEELI_LOCK_INIT;

typedef struct guarded {
    keeli_lock *lock;
    uint64_t number; // plain: the lock must do
} guarded;

static void *count_up(void *data) {
    guarded *g = data;
    for (int i = 0; i < rounds; ++i) {
        keeli_lock_acquire(g->lock);
        ++g->number;
        keeli_lock_release(g->lock);
    }
    return NULL;
}

static void a_lock_lets_one_thread_in(void **state) {
    (void)state;
    keeli_lock lock;
    keeli_lock_init(&lock);
    guarded g = { &lock, 0 };
    run_threads(count_up, &g);
    assert_int_equal(g.number, thread_count * rounds);
    keeli_lock_deinit(&lock);
    guarded h = { &ready_made, 0 };
    run_threads(count_up, &h);
    assert_int_equal(h.number, thread_count * rounds);
}

// ------------------------------------------------------------------ atomics
static uint64_t last;
static int32_t readers;
static uint32_t published;
static int payload; // written before `published`
static unsigned char given[thread_count * rounds + 1];

static void *take_numbers(void *data) {
    (void)data;
    for (int i = 0; i < rounds; ++i)
        given[keeli_atomic_next(&last)] = 1;
    return NULL;
}

static void a_counter_gives_each_number_once(void **state) {
    (void)state;
    run_threads(take_numbers, NULL);
    assert_int_equal(last, thread_count * rounds);
    assert_int_equal(given[0], 0);
    for (int i = 1; i <= thread_count * rounds; ++i)
        assert_int_equal(given[i], 1);
}

// As borrowing does: readers come and go by exchange, the last one leaves 0.
static void *read_and_leave(void *data) {
    (void)data;
    for (int i = 0; i < rounds; ++i) {
        int32_t now = keeli_atomic_peek(&readers);
        while (!keeli_atomic_swap(&readers, &now, now + 1)) {}
        (void)keeli_atomic_add(&readers, -1);
    }
    return NULL;
}

static void exchanges_lose_no_count(void **state) {
    (void)state;
    run_threads(read_and_leave, NULL);
    assert_int_equal(keeli_atomic_peek(&readers), 0);
    int32_t expected = 5;
    assert_false(keeli_atomic_swap(&readers, &expected, 9));
    assert_int_equal(expected, 0); // what it is
    assert_true(keeli_atomic_swap(&readers, &expected, -1));
    assert_int_equal(keeli_atomic_peek(&readers), -1);
    assert_int_equal(keeli_atomic_add(&readers, 3), 2);
}

static void *publish(void *data) {
    (void)data;
    payload = 42;
    keeli_atomic_store(&published, 1);
    return NULL;
}

static void what_was_stored_before_is_seen_after(void **state) {
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, publish, NULL), 0);
    while (!keeli_atomic_load(&published)) {}
    assert_int_equal(payload, 42);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

// Two threads each tell the other something and then look whether the other did: at least one sees.
typedef struct meeting {
    uint32_t told[2], turn[2];
    bool saw[2];
} meeting;

static void meet(meeting *m, int who) {
    for (uint32_t i = 1; i <= meetings; ++i) {
        keeli_ordered_store(&m->told[who], i);
        m->saw[who] = keeli_ordered_load(&m->told[!who]) >= i;
        (void)keeli_ordered_add(&m->turn[who], 1);
        while (keeli_ordered_load(&m->turn[!who]) < 2 * i - 1)
            sched_yield();
        if (who == 0 && !m->saw[0] && !m->saw[1]) abort();
        (void)keeli_ordered_add(&m->turn[who], 1);
        while (keeli_ordered_load(&m->turn[!who]) < 2 * i)
            sched_yield();
    }
}
static void meet_as_second(void *data) { meet(data, 1); }

static void of_two_who_tell_and_look_one_sees(void **state) {
    (void)state;
    keeli_thread thread;
    meeting m = { 0 };
    assert_true(keeli_thread_start(&thread, meet_as_second, &m));
    meet(&m, 0);
    keeli_thread_join(&thread);
    uint32_t expected = 7;
    assert_false(keeli_ordered_swap(&m.turn[0], &expected, 1));
    assert_int_equal(expected, 2 * meetings); // what it is
    assert_true(keeli_ordered_swap(&m.turn[0], &expected, 1));
    assert_int_equal(keeli_ordered_add(&m.turn[0], UINT32_MAX), 0);
}

// ------------------------------------------------------------------ conditions, time
typedef struct mailbox {
    keeli_lock lock;
    keeli_condition changed;
    int letters, taken;
} mailbox;

static void take_letters(void *data) {
    mailbox *box = data;
    keeli_lock_acquire(&box->lock);
    while (box->letters >= 0) { // -1: no more will come
        if (box->letters) --box->letters, ++box->taken;
        else keeli_condition_wait(&box->changed, &box->lock);
    }
    keeli_lock_release(&box->lock);
}

static void a_condition_wakes_who_waits(void **state) {
    (void)state;
    enum { letters = 2000 };
    mailbox box = { 0 };
    keeli_thread threads[thread_count];
    keeli_lock_init(&box.lock);
    keeli_condition_init(&box.changed);
    for (int i = 0; i < thread_count; ++i)
        assert_true(keeli_thread_start(&threads[i], take_letters, &box));
    for (int i = 0; i < letters; ++i) {
        keeli_lock_acquire(&box.lock);
        ++box.letters;
        keeli_lock_release(&box.lock);
        keeli_condition_wake(&box.changed);
    }
    for (bool all = false; !all;) {
        keeli_lock_acquire(&box.lock);
        all = box.taken == letters;
        if (all) box.letters = -1;
        keeli_lock_release(&box.lock);
    }
    keeli_condition_wake_all(&box.changed);
    for (int i = 0; i < thread_count; ++i)
        keeli_thread_join(&threads[i]);
    keeli_condition_deinit(&box.changed);
    keeli_lock_deinit(&box.lock);
}

static void time_goes_on(void **state) {
    (void)state;
    const uint64_t begin = keeli_clock_ns();
    uint64_t last_seen = begin;
    while (last_seen < begin + 2000000) {
        const uint64_t now = keeli_clock_ns();
        assert_true(now >= last_seen);
        last_seen = now;
    }
    assert_true(keeli_core_count() >= 1);
}

static void *tell_number(void *data) {
    *(uint64_t *)data = keeli_thread_id();
    return NULL;
}

// One after the other: the system uses the identity of the first for the second.
static void threads_have_numbers_of_their_own(void **state) {
    (void)state;
    const uint64_t own = keeli_thread_id();
    assert_true(own != 0 && own == keeli_thread_id());
    uint64_t numbers[3] = { own };
    for (int i = 1; i < 3; ++i) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, tell_number, &numbers[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        for (int k = 0; k < i; ++k)
            assert_true(numbers[i] != numbers[k]);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_lock_lets_one_thread_in, "a lock lets one thread in at a time"),
    TEST(a_counter_gives_each_number_once, "an atomic counter gives each number once"),
    TEST(exchanges_lose_no_count, "an atomic exchange tells what it found and loses no count"),
    TEST(what_was_stored_before_is_seen_after, "a load sees what was written before the store"),
    TEST(of_two_who_tell_and_look_one_sees, "of two threads that tell and then look, one sees"),
    TEST(a_condition_wakes_who_waits, "a condition wakes who waits, and loses no call"),
    TEST(time_goes_on, "the clock never goes back, and there is a core"),
    TEST(threads_have_numbers_of_their_own, "a thread has a number that no other one ever had"),
};

int main(void) { return RUN(tests); }
