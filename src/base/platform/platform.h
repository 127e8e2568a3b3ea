// SPDX-License-Identifier: MIT
// The only code that knows the operating system and the processor: threads, locks, atomics, time,
// aligned memory.
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
void keeli_lock_take(keeli_lock *lock);
void keeli_lock_give(keeli_lock *lock);

void keeli_condition_init(keeli_condition *condition);
void keeli_condition_deinit(keeli_condition *condition);
// Give the lock, sleep until woken (or for no reason), take the lock again.
void keeli_condition_wait(keeli_condition *condition, keeli_lock *lock);
void keeli_condition_wake(keeli_condition *condition); // one sleeper
void keeli_condition_wake_all(keeli_condition *condition);

// Must not move between start and join.
typedef struct keeli_thread {
    keeli_thread_handle handle;
    void (*run)(void *data);
    void *data;
} keeli_thread;

// False when there can be no more threads; nothing is to be joined then.
bool keeli_thread_start(keeli_thread *thread, void (*run)(void *data), void *data);
void keeli_thread_join(keeli_thread *thread);

// How many forks lie between this process and the one that first asked. A child has the memory of
// its parent, but of its threads only the one that forked; whoever has threads asks here first.
uint32_t keeli_fork_count(void);
// A number for the calling thread that no other thread of the process has or had; never 0.
uint64_t keeli_thread_id(void);
// Cores that this process may use; at least 1.
uint32_t keeli_core_count(void);
// Nanoseconds since some moment; never goes back.
uint64_t keeli_clock_ns(void);

// In a loop that waits for another thread: let the other half of the core work, and save power.
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
// malloc, realloc and free for any alignment; NULL when out of memory.
void *keeli_system_resize(void *block, size_t old_size, size_t new_size, size_t align);

// Bytes that processors hand to each other as one. What one thread writes often is kept away by so
// much from what others read.
#define KEELI_LINE 64

// ------------------------------------------------------------------ atomics
// A build for tests (the preset `perturb`), in which threads wait here now and then, so that they
// meet in orders that are rare otherwise.
#if defined(KEELI_PERTURB)
void keeli_perturb(void);
#else
static inline void keeli_perturb(void) {}
#endif

// Of words of any size. `load` sees all that was done before the `store` of what it reads; `peek`
// and `put` are for words that stand for themselves. `take` adds and tells what it was before,
// `add` what it is now; `next` is for numbers that stand for themselves. `swap` replaces *p by `to`
// when it is
// `*from`; otherwise it tells in *from what it is.
#define KEELI_ATOMIC(operation, ...) (keeli_perturb(), __atomic_##operation(__VA_ARGS__))
#define keeli_atomic_load(p) KEELI_ATOMIC(load_n, p, __ATOMIC_ACQUIRE)
#define keeli_atomic_store(p, value) KEELI_ATOMIC(store_n, p, value, __ATOMIC_RELEASE)
#define keeli_atomic_peek(p) KEELI_ATOMIC(load_n, p, __ATOMIC_RELAXED)
#define keeli_atomic_put(p, value) KEELI_ATOMIC(store_n, p, value, __ATOMIC_RELAXED)
#define keeli_atomic_take(p, change) KEELI_ATOMIC(fetch_add, p, change, __ATOMIC_ACQ_REL)
#define keeli_atomic_add(p, change) KEELI_ATOMIC(add_fetch, p, change, __ATOMIC_ACQ_REL)
#define keeli_atomic_next(p) KEELI_ATOMIC(add_fetch, p, 1, __ATOMIC_RELAXED)
#define keeli_atomic_swap(p, from, to)                                                             \
    KEELI_ATOMIC(compare_exchange_n, p, from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

// All threads see the operations on words that are changed by these in one and the same order. For
// "I write, then I look whether you wrote" between two threads: at least one of them sees the
// other. (Without it both may read before either write arrives.)
#define keeli_ordered_load(p) KEELI_ATOMIC(load_n, p, __ATOMIC_SEQ_CST)
#define keeli_ordered_store(p, value) KEELI_ATOMIC(store_n, p, value, __ATOMIC_SEQ_CST)
#define keeli_ordered_add(p, change) KEELI_ATOMIC(add_fetch, p, change, __ATOMIC_SEQ_CST)
#define keeli_ordered_swap(p, from, to)                                                            \
    KEELI_ATOMIC(compare_exchange_n, p, from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
