// SPDX-License-Identifier: MIT
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

static bool print_and_abort(const char *condition, const char *message, const char *file,
                            int line) {
    fprintf(stderr, "keel: %s (%s:%d: %s)\n", message, file, line, condition);
    return true;
}

// Process-wide: set at start-up (keel_set_assert_handler).
static keel_assert_handler *handler = print_and_abort;

void keel_set_assert_handler(keel_assert_handler *replacement) {
    handler = replacement ? replacement : print_and_abort;
}

void keeli_assert_failed(const char *condition, const char *message, const char *file, int line) {
    if (handler(condition, message, file, line)) abort();
}
