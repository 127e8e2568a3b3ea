// SPDX-License-Identifier: MIT
// Bytes of values: copies, and hashes.
#pragma once
#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// What was given up: in builds with assertions a pointer that was kept finds 0xDD there.
static inline void keeli_bytes_vacate(void *bytes, size_t size) {
    if (KEELI_CHECKED && size) memset(bytes, 0xDD, size);
}

// ------------------------------------------------------------------ copies
// Of values whose size is known at run time only. A call of memcpy costs more than most values are
// large.

// For the sizes that the others do not do in place.
void keeli_bytes_copy_other(void *to, const void *from, uint32_t size);

// True for sizes that the next one copies without a call.
static inline bool keeli_bytes_are_few(uint32_t size) {
    return size - 8 <= 8 || size == 4 || size == 0;
}
static inline void keeli_bytes_copy_few(void *to, const void *from, uint32_t size) {
    if (size >= 8) { // its first and its last 8 bytes
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, (const char *)from + size - 8, 8);
        memcpy(to, &first, 8);
        memcpy((char *)to + size - 8, &last, 8);
    } else if (size) {
        uint32_t all;
        memcpy(&all, from, 4);
        memcpy(to, &all, 4);
    }
}
// `to` and `from` are the same or do not overlap.
static inline void keeli_bytes_copy(void *to, const void *from, uint32_t size) {
    if (keeli_bytes_are_few(size)) keeli_bytes_copy_few(to, from, size);
    else keeli_bytes_copy_other(to, from, size);
}

// Four bytes of a value. Compilers do not see what they are, so that they do not join them.
static inline void keeli_bytes_copy_part(void *to, const void *from, size_t offset) {
    uint32_t part;
    memcpy(&part, (const char *)from + offset, 4);
    __asm__("" : "+r"(part));
    memcpy((char *)to + offset, &part, 4); // analyzer: memcpy wrote it
}

// The same for a value that was made just now, probably of members of 4 bytes: to read two of them
// at once a processor would have to wait until both have left its store buffer.
// False: it is another size, and nothing was done.
static inline bool keeli_bytes_copy_fours(void *to, const void *from, uint32_t size) {
    if (size == 8) { // most values
        keeli_bytes_copy_part(to, from, 4);
        keeli_bytes_copy_part(to, from, 0);
        return true;
    }
    switch (size) {
    case 16:
        keeli_bytes_copy_part(to, from, 12); // fall through
    case 12:
        keeli_bytes_copy_part(to, from, 8);
        keeli_bytes_copy_part(to, from, 4); // fall through
    case 4:
        keeli_bytes_copy_part(to, from, 0);
        return true;
    default:
        return false;
    }
}
static inline void keeli_bytes_copy_fresh(void *to, const void *from, uint32_t size) {
    if (!keeli_bytes_copy_fours(to, from, size)) keeli_bytes_copy_other(to, from, size);
}

// ------------------------------------------------------------------ hashes
// A 64-bit hash of bytes: XXH64, written from its public specification (Yann Collet, "xxHash fast
// digest algorithm", doc/xxhash_spec.md of the xxHash project), with words in the machine's own
// byte order.
uint64_t keeli_hash(const void *bytes, size_t size, uint64_t seed);

// Spread a number: each bit of it changes half of the result's. It is the hash's last step.
static inline uint64_t keeli_hash_mix(uint64_t h) {
    h = (h ^ h >> 33) * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ h >> 29) * 0x165667B19E3779F9u;
    return h ^ h >> 32;
}
