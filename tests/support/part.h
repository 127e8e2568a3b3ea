// SPDX-License-Identifier: MIT
// The part of a long test that a run plays, by the environment variable KEEL_TEST_PART. It does not
// depend on cmocka: test.h and programs without cmocka include it.
#pragma once
#include <stdint.h>
#include <stdlib.h>

/// Returns KEEL_TEST_PART, or 1 if it is not set. `.ci/run` sets it for each build (tests/ci.txt).
static inline uint32_t test_parts(void) {
    const char *part = getenv("KEEL_TEST_PART");
    const int number = part ? atoi(part) : 1;
    return number > 1 ? (uint32_t)number : 1;
}

/// Returns the number of rounds, strings, edits or operations to play: `usual` divided by
/// test_parts, rounded up.
static inline uint64_t test_part(uint64_t usual) {
    return (usual + test_parts() - 1) / test_parts();
}
