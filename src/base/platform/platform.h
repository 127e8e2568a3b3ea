// SPDX-License-Identifier: MIT
// The only code that knows the operating system: locks, atomics, aligned memory.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
typedef struct keeli_lock {
    void *handle; // an SRWLOCK
} keeli_lock;
#define KEELI_LOCK_INIT                                                                            \
    { 0 }
#else
#include <pthread.h>
typedef struct keeli_lock {
    pthread_mutex_t handle;
} keeli_lock;
#define KEELI_LOCK_INIT                                                                            \
    { PTHREAD_MUTEX_INITIALIZER }
#endif

void keeli_lock_init(keeli_lock *lock);
void keeli_lock_deinit(keeli_lock *lock);
void keeli_lock_take(keeli_lock *lock);
void keeli_lock_give(keeli_lock *lock);

// malloc, realloc and free for any alignment; NULL when out of memory.
void *keeli_system_resize(void *block, size_t old_size, size_t new_size, size_t align);

static inline uint32_t keeli_atomic_load(const uint32_t *p) {
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline void keeli_atomic_store(uint32_t *p, uint32_t value) {
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}
static inline uint64_t keeli_atomic_next(uint64_t *p) {
    return __atomic_add_fetch(p, 1, __ATOMIC_RELAXED);
}
static inline int32_t keeli_atomic_peek(const int32_t *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
// Replace *p by `to` when it is `*from`; otherwise tell in *from what it is.
static inline bool keeli_atomic_swap(int32_t *p, int32_t *from, int32_t to) {
    return __atomic_compare_exchange_n(p, from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
static inline int32_t keeli_atomic_add(int32_t *p, int32_t change) {
    return __atomic_add_fetch(p, change, __ATOMIC_ACQ_REL);
}
static inline uint64_t keeli_atomic_peek64(const uint64_t *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline void keeli_atomic_put64(uint64_t *p, uint64_t value) {
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}

// A number for the calling thread that no other thread of the process has or had; never 0.
uint64_t keeli_thread_id(void);
