// SPDX-License-Identifier: MIT
// How much of a long test is played.
#pragma once
#include <stdint.h>
#include <stdlib.h>

/// KEEL_TEST_PART, 1 where it is not set: `.ci/run` sets it for each build (tests/ci.txt).
static inline uint32_t test_parts(void) {
    const char *part = getenv("KEEL_TEST_PART");
    const int number = part ? atoi(part) : 1;
    return number > 1 ? (uint32_t)number : 1;
}

/// `usual` rounds, strings, edits or operations, or the first of them, one of KEEL_TEST_PART. Never
/// none.
static inline uint64_t test_part(uint64_t usual) {
    return (usual + test_parts() - 1) / test_parts();
}
