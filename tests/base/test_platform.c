// SPDX-License-Identifier: MIT
// Locks and atomics, with threads.
#include "base/platform/platform.h"

#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>

enum { thread_count = 4, rounds = 20000 };

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
        keeli_lock_take(g->lock);
        ++g->number;
        keeli_lock_give(g->lock);
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
    TEST(threads_have_numbers_of_their_own, "a thread has a number that no other one ever had"),
};

int main(void) { return RUN(tests); }
