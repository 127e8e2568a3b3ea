// SPDX-License-Identifier: MIT
// Work in another thread, while this one waits.
#pragma once
#include "support/test.h"

#include <pthread.h>

// cmocka's assertions belong to the first thread: what `work` finds out goes into `data`.
static inline void elsewhere(void *(*work)(void *data), void *data) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, data), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}
