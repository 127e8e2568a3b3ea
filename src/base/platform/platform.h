// SPDX-License-Identifier: MIT
// The platform layer: threads, locks, atomics, time and aligned memory. It is the only code that
// knows the operating system and the processor, and it knows nothing else of Keel. Everything that
// needs one of these calls it.
#pragma once
#ifndef __GNUC__
#error "Keel is built with gcc, clang or a compiler that works like them: MSVC's cl and tcc do not."
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------------ threads and locks
#if defined(_WIN32)
typedef struct keeli_lock {
    void *handle; // an SRWLOCK
} keeli_lock;
typedef struct keeli_condition {
    void *handle; // a CONDITION_VARIABLE
} keeli_condition;
typedef void *keeli_thread_handle;
#define KEELI_LOCK_INIT                                                                            \
    { 0 }
#else
#include <pthread.h>
typedef struct keeli_lock {
    pthread_mutex_t handle;
} keeli_lock;
typedef struct keeli_condition {
    pthread_cond_t handle;
} keeli_condition;
typedef pthread_t keeli_thread_handle;
#define KEELI_LOCK_INIT                                                                            \
    { PTHREAD_MUTEX_INITIALIZER }
#endif

void keeli_lock_init(keeli_lock *lock);
void keeli_lock_deinit(keeli_lock *lock);
void keeli_lock_acquire(keeli_lock *lock); // acquires it
void keeli_lock_release(keeli_lock *lock); // releases it

void keeli_condition_init(keeli_condition *condition);
void keeli_condition_deinit(keeli_condition *condition);
// Releases the lock, sleeps until woken (or, rarely, for no reason), and acquires the lock again.
void keeli_condition_wait(keeli_condition *condition, keeli_lock *lock);
void keeli_condition_wake(keeli_condition *condition); // wakes one sleeper
void keeli_condition_wake_all(keeli_condition *condition);

// A thread. The struct must not move between start and join.
typedef struct keeli_thread {
    keeli_thread_handle handle;
    void (*run)(void *data);
    void *data;
} keeli_thread;

// Starts a thread that calls `run`. False if the system refuses; the thread must not be joined
// then.
bool keeli_thread_start(keeli_thread *thread, void (*run)(void *data), void *data);
void keeli_thread_join(keeli_thread *thread);

// Returns the number of forks between this process and the one that called this first. A child
// process has a copy of its parent's memory, but only the thread that forked: owners of threads
// compare this number before they use them.
uint32_t keeli_fork_count(void);
// Returns a number for the calling thread that no other thread of the process has or had; never 0.
uint64_t keeli_thread_id(void);
// Returns the number of cores that this process may use; at least 1.
uint32_t keeli_core_count(void);
// Returns the nanoseconds since an arbitrary moment. The result never decreases.
uint64_t keeli_clock_ns(void);

// Pauses in a loop that waits for another thread: saves power, and lets the other hardware thread
// of the core work.
static inline void keeli_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

// ------------------------------------------------------------------ memory
// Allocates, resizes or frees memory of any alignment, as malloc, realloc and free do; NULL when
// out of memory.
void *keeli_system_resize(void *block, size_t old_size, size_t new_size, size_t align);

// The bytes of a cache line, the unit in which cores exchange memory. A word that one thread writes
// often should lie at least this far from words that other threads read.
#define KEELI_LINE 64

// ------------------------------------------------------------------ atomics
// In the preset `perturb`, a build for tests, threads wait here now and then, so that they meet in
// orders that are rare otherwise.
#if defined(KEELI_PERTURB)
void keeli_perturb(void);
#else
static inline void keeli_perturb(void) {}
#endif

// Atomic operations on words of any size. A thread that reads a value with `load` sees all writes
// that another thread made before it wrote that value with `store`; `peek` and `put` read and write
// without such an order. `take` adds `change` and returns the value before, `add` adds `change` and
// returns the value after; `next` adds 1 without such an order, and returns the value after. `swap`
// replaces *p by `to` if it equals *from; otherwise it copies *p to *from and returns false.
#define KEELI_ATOMIC(operation, ...) (keeli_perturb(), __atomic_##operation(__VA_ARGS__))
#define keeli_atomic_load(p) KEELI_ATOMIC(load_n, p, __ATOMIC_ACQUIRE)
#define keeli_atomic_store(p, value) KEELI_ATOMIC(store_n, p, value, __ATOMIC_RELEASE)
#define keeli_atomic_peek(p) KEELI_ATOMIC(load_n, p, __ATOMIC_RELAXED)
#define keeli_atomic_put(p, value) KEELI_ATOMIC(store_n, p, value, __ATOMIC_RELAXED)
#define keeli_atomic_fetch_add(p, change) KEELI_ATOMIC(fetch_add, p, change, __ATOMIC_ACQ_REL)
#define keeli_atomic_add(p, change) KEELI_ATOMIC(add_fetch, p, change, __ATOMIC_ACQ_REL)
#define keeli_atomic_next(p) KEELI_ATOMIC(add_fetch, p, 1, __ATOMIC_RELAXED)
#define keeli_atomic_swap(p, from, to)                                                             \
    KEELI_ATOMIC(compare_exchange_n, p, from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

// Sequentially consistent operations: all threads see them in one and the same order. They are for
// two threads that each write a word and then read the word of the other: at least one of them sees
// the write of the other. (With the operations above both may read before either write arrives.)
#define keeli_ordered_load(p) KEELI_ATOMIC(load_n, p, __ATOMIC_SEQ_CST)
#define keeli_ordered_store(p, value) KEELI_ATOMIC(store_n, p, value, __ATOMIC_SEQ_CST)
#define keeli_ordered_add(p, change) KEELI_ATOMIC(add_fetch, p, change, __ATOMIC_SEQ_CST)
#define keeli_ordered_swap(p, from, to)                                                            \
    KEELI_ATOMIC(compare_exchange_n, p, from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
