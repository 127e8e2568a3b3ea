// SPDX-License-Identifier: MIT
// An allocator for tests: counts what is alive, checks what the library says about each block, and
// fails when told to. It always moves a block that it resizes, so that a stale pointer shows.
#pragma once
#include <keel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct counting_allocator {
    keel_allocator allocator; // hand this to the library; it points back to this struct
    size_t live_bytes;        // bytes asked for and not yet freed
    size_t live_blocks;
    size_t peak_bytes;    // highest live_bytes so far
    size_t calls;         // all calls
    size_t growing_calls; // calls that allocate or grow, those that failed included
    size_t failures;      // calls that failed because a test asked for it
    size_t succeed;       // growing calls that still succeed before one fails; SIZE_MAX: all
    bool fail_once;       // after one failure go back to success
} counting_allocator;

// Must not move afterwards: `allocator.context` is its address.
void counting_allocator_init(counting_allocator *memory);

// `count` more growing calls succeed, all later ones fail. 0: the next one fails.
void counting_allocator_fail_after(counting_allocator *memory, size_t count);

// `count` more growing calls succeed, one fails, all later ones succeed.
void counting_allocator_fail_once(counting_allocator *memory, size_t count);

// No more failures.
void counting_allocator_never_fail(counting_allocator *memory);

#ifdef __cplusplus
}
#endif
