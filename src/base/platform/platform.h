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

// `load` sees all that was done before the `store` of what it reads; `peek` and `put` are for words
// that stand for themselves.
static inline uint32_t keeli_atomic_load(const uint32_t *p) {
    keeli_perturb();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline void keeli_atomic_store(uint32_t *p, uint32_t value) {
    keeli_perturb();
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
// Add `change`, and tell what it was before.
static inline uint32_t keeli_atomic_take(uint32_t *p, uint32_t change) {
    keeli_perturb();
    return __atomic_fetch_add(p, change, __ATOMIC_ACQ_REL);
}
static inline uint8_t keeli_atomic_load_byte(const uint8_t *p) {
    keeli_perturb();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline void keeli_atomic_store_byte(uint8_t *p, uint8_t value) {
    keeli_perturb();
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
static inline uint64_t keeli_atomic_load64(const uint64_t *p) {
    keeli_perturb();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline uint64_t keeli_atomic_peek64(const uint64_t *p) {
    keeli_perturb();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline void keeli_atomic_put64(uint64_t *p, uint64_t value) {
    keeli_perturb();
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}
static inline uint64_t keeli_atomic_next(uint64_t *p) {
    keeli_perturb();
    return __atomic_add_fetch(p, 1, __ATOMIC_RELAXED);
}
static inline int32_t keeli_atomic_peek(const int32_t *p) {
    keeli_perturb();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline void keeli_atomic_put(uint32_t *p, uint32_t value) {
    keeli_perturb();
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}
// Replace *p by `to` when it is `*from`; otherwise tell in *from what it is.
static inline bool keeli_atomic_swap(int32_t *p, int32_t *from, int32_t to) {
    keeli_perturb();
    return __atomic_compare_exchange_n(p, from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
static inline int32_t keeli_atomic_add(int32_t *p, int32_t change) {
    keeli_perturb();
    return __atomic_add_fetch(p, change, __ATOMIC_ACQ_REL);
}

// All threads see the operations on words that are changed by these in one and the same order. For
// "I write, then I look whether you wrote" between two threads: at least one of them sees the
// other. (Without it both may read before either write arrives.)
static inline uint32_t keeli_ordered_load(const uint32_t *p) {
    keeli_perturb();
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
static inline void keeli_ordered_store(uint32_t *p, uint32_t value) {
    keeli_perturb();
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
}
static inline bool keeli_ordered_swap(uint32_t *p, uint32_t *from, uint32_t to) {
    keeli_perturb();
    return __atomic_compare_exchange_n(p, from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static inline uint32_t keeli_ordered_add(uint32_t *p, uint32_t change) {
    keeli_perturb();
    return __atomic_add_fetch(p, change, __ATOMIC_SEQ_CST);
}
