// SPDX-License-Identifier: MIT
// Locks and aligned memory on POSIX and Windows.
#define _POSIX_C_SOURCE 200809L
#include "base/platform/platform.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <malloc.h>
#include <windows.h>

void keeli_lock_init(keeli_lock *lock) { InitializeSRWLock((SRWLOCK *)lock); }
void keeli_lock_deinit(keeli_lock *lock) { (void)lock; }
void keeli_lock_take(keeli_lock *lock) { AcquireSRWLockExclusive((SRWLOCK *)lock); }
void keeli_lock_give(keeli_lock *lock) { ReleaseSRWLockExclusive((SRWLOCK *)lock); }

static void *aligned_new(size_t size, size_t align) { return _aligned_malloc(size, align); }
static void aligned_free(void *block) { _aligned_free(block); }
#else
void keeli_lock_init(keeli_lock *lock) { pthread_mutex_init(&lock->handle, NULL); }
void keeli_lock_deinit(keeli_lock *lock) { pthread_mutex_destroy(&lock->handle); }
void keeli_lock_take(keeli_lock *lock) { pthread_mutex_lock(&lock->handle); }
void keeli_lock_give(keeli_lock *lock) { pthread_mutex_unlock(&lock->handle); }

static void *aligned_new(size_t size, size_t align) {
    void *block = NULL;
    return posix_memalign(&block, align, size) == 0 ? block : NULL;
}
static void aligned_free(void *block) { free(block); }
#endif

void *keeli_system_resize(void *block, size_t old_size, size_t new_size, size_t align) {
    const bool plain = align <= _Alignof(max_align_t); // what malloc gives
    if (new_size == 0) {
        if (plain) free(block);
        else if (block) aligned_free(block);
        return NULL;
    }
    if (plain) return realloc(block, new_size);
    void *fresh = aligned_new(new_size, align);
    if (!fresh) return new_size <= old_size ? block : NULL; // shrinking never fails
    if (block) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        aligned_free(block);
    }
    return fresh;
}

// Counted, because systems give the identity of a thread that has ended to the next one.
uint64_t keeli_thread_id(void) {
    static uint64_t threads;
    static _Thread_local uint64_t own;
    if (!own) own = keeli_atomic_next(&threads);
    return own;
}
