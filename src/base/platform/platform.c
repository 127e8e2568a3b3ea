// SPDX-License-Identifier: MIT
// Threads, locks, time and aligned memory: one half for Windows, one for POSIX systems, and the
// functions that both share at the end. Atomics are macros of platform.h.
#if defined(_WIN32)
#define _WIN32_WINNT 0x0601
#else
#define _GNU_SOURCE // sched_getaffinity
#endif
#include "base/platform/platform.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <malloc.h>
#include <windows.h>

void keeli_lock_init(keeli_lock *lock) { InitializeSRWLock((SRWLOCK *)lock); }
void keeli_lock_deinit(keeli_lock *lock) { (void)lock; }
void keeli_lock_acquire(keeli_lock *lock) { AcquireSRWLockExclusive((SRWLOCK *)lock); }
void keeli_lock_release(keeli_lock *lock) { ReleaseSRWLockExclusive((SRWLOCK *)lock); }

void keeli_condition_init(keeli_condition *condition) {
    InitializeConditionVariable((CONDITION_VARIABLE *)condition);
}
void keeli_condition_deinit(keeli_condition *condition) { (void)condition; }
void keeli_condition_wait(keeli_condition *condition, keeli_lock *lock) {
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)lock, INFINITE, 0);
}
void keeli_condition_wake(keeli_condition *condition) {
    WakeConditionVariable((CONDITION_VARIABLE *)condition);
}
void keeli_condition_wake_all(keeli_condition *condition) {
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
}

static DWORD WINAPI run_thread(void *data) {
    const keeli_thread *thread = data;
    thread->run(thread->data);
    return 0;
}
bool keeli_thread_start(keeli_thread *thread, void (*run)(void *data), void *data) {
    thread->run = run;
    thread->data = data;
    thread->handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
    return thread->handle != NULL;
}
void keeli_thread_join(keeli_thread *thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

uint32_t keeli_core_count(void) {
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count ? (uint32_t)count : 1;
}

uint64_t keeli_clock_ns(void) {
    LARGE_INTEGER now, frequency; // ticks, ticks per second
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    const uint64_t ticks = (uint64_t)now.QuadPart, second = (uint64_t)frequency.QuadPart;
    return ticks / second * 1000000000 + ticks % second * 1000000000 / second;
}

uint32_t keeli_fork_count(void) { return 0; }

static void *aligned_new(size_t size, size_t align) { return _aligned_malloc(size, align); }
static void aligned_free(void *block) { _aligned_free(block); }
#else
#include <sched.h>
#include <time.h>
#include <unistd.h>

void keeli_lock_init(keeli_lock *lock) { pthread_mutex_init(&lock->handle, NULL); }
void keeli_lock_deinit(keeli_lock *lock) { pthread_mutex_destroy(&lock->handle); }
// Tries for a while before it sleeps: locks are mostly released before a sleeper could be woken.
void keeli_lock_acquire(keeli_lock *lock) {
    enum { LOOKS = 100 };
    keeli_perturb();
    for (int i = 0; i < LOOKS; ++i) {
        if (pthread_mutex_trylock(&lock->handle) == 0)
            return;
        keeli_pause();
    }
    pthread_mutex_lock(&lock->handle);
}
void keeli_lock_release(keeli_lock *lock) {
    keeli_perturb();
#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__) // else locks do nothing
    KEEL_ASSERT_INTERNAL(pthread_mutex_trylock(&lock->handle) != 0); // the lock is held
#endif
    pthread_mutex_unlock(&lock->handle);
}

void keeli_condition_init(keeli_condition *condition) {
    pthread_cond_init(&condition->handle, NULL);
}
void keeli_condition_deinit(keeli_condition *condition) {
    pthread_cond_destroy(&condition->handle);
}
void keeli_condition_wait(keeli_condition *condition, keeli_lock *lock) {
    pthread_cond_wait(&condition->handle, &lock->handle);
}
void keeli_condition_wake(keeli_condition *condition) { pthread_cond_signal(&condition->handle); }
void keeli_condition_wake_all(keeli_condition *condition) {
    pthread_cond_broadcast(&condition->handle);
}

static void *run_thread(void *data) {
    const keeli_thread *thread = data;
    thread->run(thread->data);
    return NULL;
}
bool keeli_thread_start(keeli_thread *thread, void (*run)(void *data), void *data) {
    thread->run = run;
    thread->data = data;
    return pthread_create(&thread->handle, NULL, run_thread, thread) == 0;
}
void keeli_thread_join(keeli_thread *thread) { pthread_join(thread->handle, NULL); }

#if defined(__EMSCRIPTEN__)
uint32_t keeli_fork_count(void) { return 0; }
#else
static uint32_t forks;
static void count_fork(void) { keeli_atomic_put(&forks, forks + 1); }
static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, count_fork); }
uint32_t keeli_fork_count(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    return keeli_atomic_peek(&forks);
}
#endif

uint32_t keeli_core_count(void) {
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
    return 1; // pthread_create always fails
#else
#if defined(__linux__)
    cpu_set_t set; // too small for machines with more than 1,024 cores: the call fails there
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
#endif
}

uint64_t keeli_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *aligned_new(size_t size, size_t align) {
    void *block = NULL;
    return posix_memalign(&block, align, size) == 0 ? block : NULL;
}
static void aligned_free(void *block) { free(block); }
#endif

void *keeli_system_resize(void *block, size_t old_size, size_t new_size, size_t align) {
    const bool plain = align <= _Alignof(max_align_t); // malloc aligns enough
    if (new_size == 0) {
        if (plain)
            free(block);
        else if (block)
            aligned_free(block);
        return NULL;
    }
    if (plain)
        return realloc(block, new_size);

    void *fresh = aligned_new(new_size, align);
    if (!fresh)
        return new_size <= old_size ? block : NULL; // shrinking never fails
    if (block) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        aligned_free(block);
    }
    return fresh;
}

// Threads are counted here, because systems reuse the identity of a thread that has ended.
uint64_t keeli_thread_id(void) {
    static uint64_t threads;
    static _Thread_local uint64_t own;
    if (!own)
        own = keeli_atomic_next(&threads);
    return own;
}

#if defined(KEELI_PERTURB)
// Waits for a random time: mostly not at all, sometimes for some instructions, and seldom so long
// that other threads do much meanwhile.
void keeli_perturb(void) {
    static uint64_t threads;
    static _Thread_local uint64_t random;
    if (!random)
        random = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) * UINT64_C(0x9E3779B97F4A7C15);
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;

    const uint32_t r = (uint32_t)(random >> 40);
    if (r % 16)
        return;
    if (r % 64 == 0)
        sched_yield();
    else if (r % 1024 == 16)
        usleep(r >> 10 & 63);
    else
        for (uint32_t i = r >> 8 & 255; i; --i)
            keeli_pause();
}
#endif
