// SPDX-License-Identifier: MIT
// How much of a long test is played.
#pragma once
#include <stdint.h>
#include <stdlib.h>

/// `usual` rounds, strings, edits or operations, or the first of them, one of KEEL_TEST_PART:
/// `.ci/run` sets it for each build (tests/ci.txt). Never none.
static inline uint64_t test_part(uint64_t usual) {
    const char *part = getenv("KEEL_TEST_PART");
    const int number = part ? atoi(part) : 1;
    return number > 1 ? (usual + (uint64_t)number - 1) / (uint64_t)number : usual;
}
