// SPDX-License-Identifier: MIT
// The handler of failed assertions. The assertions are macros of the header; only they call
// keeli_assert_failed.
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

static bool print_and_abort(const char *condition, const char *message, const char *file,
                            int line) {
    fprintf(stderr, "keel: %s (%s:%d: %s)\n", message, file, line, condition);
    return true;
}

// The handler of the process. Programs set it at start-up, before they start threads.
static keel_assert_handler *handler = print_and_abort;

void keel_set_assert_handler(keel_assert_handler *replacement) {
    handler = replacement ? replacement : print_and_abort;
}

void keeli_assert_failed(const char *condition, const char *message, const char *file, int line) {
    if (handler(condition, message, file, line))
        abort();
}
