// SPDX-License-Identifier: MIT
// Ranks as threads of one process. They meet in each exchange: each shows what it sends, then each
// copies what is for it. A seed makes some of them wait now and then.
#include "keel_mpi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 64 };

typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t all_are_there;
    uint32_t count, there;
    uint64_t number; // number of meetings that are over
    bool is_stopped;
    const keel_rank_bytes *shown[MOST_THREADS];
} meeting;

typedef struct rank_thread {
    meeting *with;
    keel_ranks ranks;
    keel_rank_fn *function;
    void *data;
    uint64_t random;
    unsigned char *copies;
    size_t room;
    pthread_t thread;
} rank_thread;

// Waits until all ranks are here. False: one has stopped.
static bool meet(meeting *m) {
    pthread_mutex_lock(&m->lock);
    const uint64_t number = m->number;
    if (++m->there == m->count) {
        m->there = 0;
        ++m->number;
        pthread_cond_broadcast(&m->all_are_there);
    }
    while (m->number == number && !m->is_stopped)
        pthread_cond_wait(&m->all_are_there, &m->lock);
    const bool goes_on = m->number != number; // also if one has stopped since
    pthread_mutex_unlock(&m->lock);
    return goes_on;
}

static void stop(void *self, const char *why) {
    const rank_thread *t = self;
    (void)why;
    pthread_mutex_lock(&t->with->lock);
    t->with->is_stopped = true;
    pthread_cond_broadcast(&t->with->all_are_there);
    pthread_mutex_unlock(&t->with->lock);
}

// Sleeps for up to a quarter of a millisecond, in one of sixteen calls. With a seed of 0 it never
// does.
static void dawdle(rank_thread *t) {
    if (!t->random) return;
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    if (t->random >> 60) return;
    const struct timespec some = { 0, (long)(t->random >> 33 & 0x3FFFF) };
    (void)nanosleep(&some, NULL);
}

static bool exchange(void *self, const keel_rank_bytes *out, keel_rank_bytes *in) {
    rank_thread *t = self;
    meeting *m = t->with;
    dawdle(t);
    m->shown[t->ranks.rank] = out;
    if (!meet(m)) return false;
    size_t all = 0;
    for (uint32_t r = 0; r < m->count; ++r)
        all += (m->shown[r][t->ranks.rank].size + 15) & ~(size_t)15;
    if (all > t->room) {
        unsigned char *larger = realloc(t->copies, 2 * all);
        if (larger) {
            t->copies = larger;
            t->room = 2 * all;
        } else {
            stop(t, "out of memory");
        }
    }
    dawdle(t);
    size_t at = 0;
    for (uint32_t r = 0; r < m->count && all <= t->room; ++r) {
        const keel_rank_bytes *from = &m->shown[r][t->ranks.rank];
        in[r] = (keel_rank_bytes){ t->copies + at, from->size };
        if (from->size) memcpy(t->copies + at, from->bytes, from->size);
        at += (from->size + 15) & ~(size_t)15;
    }
    return meet(m);
}

static void *run(void *data) {
    rank_thread *t = data;
    t->function(t->ranks, t->data);
    stop(t, "a rank has ended"); // another rank that waits for it would wait for ever
    return NULL;
}

static void *wait_for_start(void *data) {
    rank_thread *t = data;
    return meet(t->with) ? run(t) : NULL;
}

keel_result keel_run_ranks(uint32_t count, uint64_t seed, keel_rank_fn *function, void *data) {
    if (!count || count > MOST_THREADS || !function) return KEEL_ERROR_ARGUMENT;
    meeting m = { .count = count };
    rank_thread *threads = calloc(count, sizeof *threads);
    if (!threads) return KEEL_ERROR_MEMORY;
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.all_are_there, NULL);
    uint32_t made = 0;
    for (; made < count; ++made) {
        rank_thread *t = &threads[made];
        *t = (rank_thread){ .with = &m, .function = function, .data = data };
        t->random = seed ? seed * 1000003 + made : 0;
        t->ranks = (keel_ranks){ t, made, count, exchange, stop };
        if (pthread_create(&t->thread, NULL, wait_for_start, t) != 0) break;
    }
    if (made < count) stop(&threads[0], "a thread is missing");
    for (uint32_t i = 0; i < made; ++i)
        pthread_join(threads[i].thread, NULL);
    for (uint32_t i = 0; i < made; ++i)
        free(threads[i].copies);
    free(threads);
    pthread_cond_destroy(&m.all_are_there);
    pthread_mutex_destroy(&m.lock);
    return made == count ? KEEL_OK : KEEL_ERROR_MEMORY;
}
