// SPDX-License-Identifier: MIT
// What you will learn: how a program that has threads of its own lets Keel work on them, instead of
// the threads that a world would start. The engine here is the least one: a queue and three threads.
#include <keel/keel.h>
#include <pthread.h>
#include <stdio.h>

// ------------------------------------------------------------------ what your engine has already
enum { THREADS = 3, QUEUE = 64 };
typedef struct work_item {
    keel_job *run;
    void *data;
} work_item;
typedef struct engine {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    work_item queue[QUEUE];
    uint32_t taken, added, ended;
    bool stops;
    pthread_t threads[THREADS];
    uint32_t numbers[THREADS];
} engine;

static engine e = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *thread_main(void *number) {
    pthread_mutex_lock(&e.lock);
    while (!e.stops || e.taken < e.added) {
        if (e.taken == e.added) {
            pthread_cond_wait(&e.changed, &e.lock);
            continue;
        }
        const work_item item = e.queue[e.taken++ % QUEUE];
        pthread_mutex_unlock(&e.lock);
        item.run(item.data, *(uint32_t *)number); // no two jobs run with one number at a time
        pthread_mutex_lock(&e.lock);
        ++e.ended;
    }
    pthread_mutex_unlock(&e.lock);
    return NULL;
}

// ------------------------------------------------------------------ what Keel needs: one function
// Called by any thread, by jobs too. It must not run the job itself; false when there is no room:
// then Keel does the work where it is.
static bool submit(void *context, keel_job *job, void *data) {
    engine *to = context;
    pthread_mutex_lock(&to->lock);
    const bool fits = to->added - to->taken < QUEUE;
    if (fits) to->queue[to->added++ % QUEUE] = (work_item){ job, data };
    pthread_cond_signal(&to->changed);
    pthread_mutex_unlock(&to->lock);
    return fits;
}

// ------------------------------------------------------------------ the game
typedef struct Star {
    uint32_t heat;
} Star;
KEEL_COMPONENT(Star, .storage = KEEL_INDEXED, .no_padding = true);

KEEL_SYSTEM(burn, KEEL_WRITE(Star, star)) {
    for (int i = 0; i < 500; ++i)
        star->heat = star->heat * 1664525 + 1013904223;
}
KEEL_WORKLOAD(frame, KEEL_STEP(burn, .parallel = true)); // one system on all threads

static uint64_t play(const keel_executor *executor) {
    uint64_t hash = 0;
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .executor = executor, .worker_count = executor ? 0 : 1 });
    for (uint32_t i = 0; i < 20000; ++i)
        keel_add_entity(world, KEEL_INIT(Star, { i }));
    for (int i = 0; i < 3; ++i)
        keel_run_workload(world, frame);
    keel_world_hash(world, &hash);
    keel_world_destroy(world);
    return hash;
}

int main(void) {
    for (uint32_t i = 0; i < THREADS; ++i) {
        e.numbers[i] = i + 1; // worker 0 is whoever calls keel_run
        pthread_create(&e.threads[i], NULL, thread_main, &e.numbers[i]);
    }
    const keel_executor executor = { &e, 1 + THREADS, submit };
    const bool same = play(&executor) == play(NULL);
    pthread_mutex_lock(&e.lock);
    e.stops = true;
    pthread_cond_broadcast(&e.changed);
    pthread_mutex_unlock(&e.lock);
    for (uint32_t i = 0; i < THREADS; ++i)
        pthread_join(e.threads[i], NULL);
    printf("the engine got jobs: %s\n", e.added ? "yes" : "no");
    printf("all of them ran: %s\n", e.ended == e.added ? "yes" : "no");
    printf("the stars are as hot as on one thread: %s\n", same ? "yes" : "no");
}
