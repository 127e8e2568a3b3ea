// SPDX-License-Identifier: MIT
// An allocator for tests. It counts live memory, checks the sizes that the library passes, and can
// fail on request. It always moves a block that it resizes, so that stale pointers are noticed.
// Nearly every test uses it, through a fixture.
#pragma once
#include <keel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct counting_allocator {
    keel_allocator allocator; // the allocator to pass to the library; points to this struct
    size_t live_bytes;        // bytes that are not freed
    size_t live_blocks;
    size_t peak_bytes;    // highest live_bytes so far
    size_t calls;         // all calls
    size_t growing_calls; // calls that allocate or grow, failed ones included
    size_t failures;      // calls that failed on request
    size_t succeed;       // growing calls that succeed before one fails; SIZE_MAX: all
    bool fail_once;       // succeed again after one failure
} counting_allocator;

// Initialises the struct, which must not move afterwards: `allocator.context` is its address.
void counting_allocator_init(counting_allocator *memory);

// Lets `count` more growing calls succeed, and all later ones fail.
void counting_allocator_fail_after(counting_allocator *memory, size_t count);

// Lets `count` more growing calls succeed, one fail, and all later ones succeed.
void counting_allocator_fail_once(counting_allocator *memory, size_t count);

// Lets all calls succeed.
void counting_allocator_never_fail(counting_allocator *memory);

#ifdef __cplusplus
}
#endif
