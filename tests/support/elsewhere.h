// SPDX-License-Identifier: MIT
// Runs a function in another thread and waits for it, for tests of calls from a wrong thread
// (test_threads.c). It is not for work at the same time.
#pragma once
#include "support/test.h"

#include <pthread.h>

// Runs `work` in a new thread and joins it. cmocka's assertions work in the first thread only:
// `work` writes its findings into `data`.
static inline void elsewhere(void *(*work)(void *data), void *data) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, data), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}
