// SPDX-License-Identifier: MIT
// The functions of executors.h: executors with a thread for each job, with delays, and with
// refusals. It contains no tests; programs of tests/run and tests/determinism link it.
#include "support/executors.h"

#include "support/job_watch.h"
#include "support/test.h"

#include <stdlib.h>

// ------------------------------------------------------------------ a thread for each job
// The slot of worker n. `state` is FREE, BUSY, or ENDED, in which the thread can be joined. The job
// adds one to it at its end, and submit_to_thread adds one once the handle is written: some systems
// write the handle after the thread has begun, and it may even have ended before.
enum { FREE, BUSY, ENDED = BUSY + 2 };
typedef struct job_thread {
    keeli_thread thread;
    keel_job *job;
    void *data;
    int32_t state;
    uint32_t worker;
} job_thread;

static void run_job(void *data) {
    job_thread *t = data;
    t->job(t->data, t->worker);
    (void)keeli_atomic_add(&t->state, 1);
}

// Returns a free slot and marks it as busy, after joining its last thread. NULL if all are busy.
static job_thread *take_place(thread_executor *x) {
    for (uint32_t i = 1; i < x->executor.worker_count; ++i) {
        job_thread *t = &x->threads[i];
        int32_t state = FREE, ended = ENDED;
        if (keeli_atomic_swap(&t->state, &state, BUSY)) return t;
        if (!keeli_atomic_swap(&t->state, &ended, BUSY)) continue;
        keeli_thread_join(&t->thread);
        return t;
    }
    return NULL;
}

static bool submit_to_thread(void *context, keel_job *job, void *data) {
    thread_executor *x = context;
    job_thread *t = take_place(x);
    if (!t) return false;
    t->job = job;
    t->data = data;
    t->worker = (uint32_t)(t - x->threads);
    const bool is_started = keeli_thread_start(&t->thread, run_job, t);
    (void)keeli_atomic_add(&t->state, is_started ? 1 : FREE - BUSY);
    return is_started;
}

void thread_executor_init(thread_executor *x, uint32_t worker_count) {
    x->executor = (keel_executor){ x, worker_count, submit_to_thread };
    x->threads = calloc(worker_count, sizeof *x->threads);
    assert_non_null(x->threads);
}

void thread_executor_deinit(thread_executor *x) {
    for (uint32_t i = 1; i < x->executor.worker_count; ++i) {
        int32_t state;
        while ((state = keeli_atomic_add(&x->threads[i].state, 0)) != FREE && state != ENDED)
            wait_some_us(20); // a job may submit another to an earlier slot: the loop begins again
        if (state == FREE || !keeli_atomic_swap(&x->threads[i].state, &state, BUSY)) continue;
        keeli_thread_join(&x->threads[i].thread);
        (void)keeli_atomic_add(&x->threads[i].state, FREE - BUSY);
        i = 0;
    }
    free(x->threads);
}

// ------------------------------------------------------------------ delays
typedef struct delayed_job {
    delaying_executor *executor;
    keel_job *job;
    void *data;
} delayed_job;

static uint64_t mix(uint64_t x) { // splitmix64
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void delay(delaying_executor *x) {
    const uint64_t random = mix(x->seed + keeli_atomic_next(&x->drawn));
    if (random % 4 > 1 || !x->most_us) return;
    if (random % 4) wait_some_us((uint32_t)(random >> 32) % x->most_us);
    else
        for (uint32_t i = (uint32_t)(random >> 32) % 1000; i; --i)
            keeli_pause();
}

static void run_delayed(void *data, uint32_t worker) {
    const delayed_job delayed = *(delayed_job *)data;
    free(data);
    delay(delayed.executor);
    delayed.job(delayed.data, worker);
    delay(delayed.executor);
}

static bool submit_delayed(void *context, keel_job *job, void *data) {
    delaying_executor *x = context;
    delayed_job *delayed = malloc(sizeof *delayed);
    if (!delayed) return false;
    *delayed = (delayed_job){ x, job, data };
    delay(x);
    const bool accepted = x->inner.submit(x->inner.context, run_delayed, delayed);
    if (!accepted) free(delayed);
    return accepted;
}

void delaying_executor_init(delaying_executor *x, keel_executor inner, uint64_t seed,
                            uint32_t most_us) {
    *x = (delaying_executor){ .executor = { x, inner.worker_count, submit_delayed },
                              .inner = inner,
                              .most_us = most_us,
                              .seed = mix(seed) };
}

// ------------------------------------------------------------------ refusals
static bool submit_or_refuse(void *context, keel_job *job, void *data) {
    refusing_executor *x = context;
    if (keeli_atomic_next(&x->submitted) % 2 == 0) return false;
    return x->inner.submit(x->inner.context, job, data);
}

void refusing_executor_init(refusing_executor *x, keel_executor inner) {
    *x = (refusing_executor){ .executor = { x, inner.worker_count, submit_or_refuse },
                              .inner = inner };
}
