// SPDX-License-Identifier: MIT
// Copies and hashes the bytes of component values. It calls no hooks of components: the caller
// does, if there are any. The data structures and the verbs call these functions.
#pragma once
#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Fills bytes that no value uses any more with 0xDD in builds with assertions, so that reads
// through a stale pointer are noticed.
static inline void keeli_bytes_vacate(void *bytes, size_t size) {
    if (KEELI_CHECKED && size)
        memset(bytes, 0xDD, size);
}

// ------------------------------------------------------------------ copies
// Copies of values whose size is known only at run time. Most values are so small that a call of
// memcpy would cost more than the copy itself, so the inline functions copy the usual sizes.

// Copies a value of any size. Called for the sizes that the inline functions leave out.
void keeli_bytes_copy_other(void *to, const void *from, uint32_t size);

// True for the sizes that keeli_bytes_copy_few copies without a call: 0, 4, 8 to 16.
static inline bool keeli_bytes_are_few(uint32_t size) {
    return size - 8 <= 8 || size == 4 || size == 0;
}
// Copies a value for whose size keeli_bytes_are_few is true.
static inline void keeli_bytes_copy_few(void *to, const void *from, uint32_t size) {
    if (size >= 8) { // the first and the last 8 bytes, which may overlap
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
// Copies a value. `to` and `from` are the same or do not overlap.
static inline void keeli_bytes_copy(void *to, const void *from, uint32_t size) {
    if (size == 8) // most values
        keeli_bytes_copy_few(to, from, 8);
    else if (keeli_bytes_are_few(size))
        keeli_bytes_copy_few(to, from, size);
    else
        keeli_bytes_copy_other(to, from, size);
}

// Copies four bytes of a value. The assembler statement keeps compilers from joining two such
// copies to one of 8 bytes.
static inline void keeli_bytes_copy_part(void *to, const void *from, size_t offset) {
    uint32_t part;
    memcpy(&part, (const char *)from + offset, 4);
    __asm__("" : "+r"(part));
    memcpy((char *)to + offset, &part, 4); // analyzer: `part` is set, by the memcpy above
}

// Copies, by loads of 4 bytes, a value that was written just now, probably as members of 4 bytes. A
// load of 8 bytes would have to wait until both members have left the processor's store buffer.
// False, and nothing is copied, if the size is not 4, 8, 12 or 16.
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
// Copies a value of any size that was written just now.
static inline void keeli_bytes_copy_fresh(void *to, const void *from, uint32_t size) {
    if (!keeli_bytes_copy_fours(to, from, size))
        keeli_bytes_copy_other(to, from, size);
}

// ------------------------------------------------------------------ hashes
// XXH64, written from its public specification (Yann Collet, "xxHash fast digest algorithm",
// doc/xxhash_spec.md of the xxHash project), but with words in the byte order of the machine.
#define KEELI_P1 0x9E3779B185EBCA87u
#define KEELI_P2 0xC2B2AE3D27D4EB4Fu
#define KEELI_P3 0x165667B19E3779F9u
#define KEELI_P4 0x85EBCA77C2B2AE63u
#define KEELI_P5 0x27D4EB2F165667C5u

// Returns a 64-bit hash of bytes.
uint64_t keeli_hash(const void *bytes, size_t size, uint64_t seed);

// Returns a hash of a text; NULL is like "".
static inline uint64_t keeli_hash_text(const char *text, uint64_t seed) {
    return keeli_hash(text ? text : "", text ? strlen(text) : 0, seed);
}

// Mixes a number: if one of its bits changes, about half of the bits of the result change. This is
// the last step of keeli_hash.
static inline uint64_t keeli_hash_mix(uint64_t h) {
    h = (h ^ h >> 33) * KEELI_P2;
    h = (h ^ h >> 29) * KEELI_P3;
    return h ^ h >> 32;
}

// Steps of keeli_hash.
static inline uint64_t keeli_hash_turn(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}
static inline uint64_t keeli_hash_round(uint64_t sum, uint64_t word) {
    return keeli_hash_turn(sum + word * KEELI_P2, 31) * KEELI_P1;
}

// Adds the bytes behind the last whole stripe of 32 to a hash, and mixes it.
static inline uint64_t keeli_hash_rest(uint64_t h, const unsigned char *p, size_t size) {
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        h = keeli_hash_turn(h ^ keeli_hash_round(0, word), 27) * KEELI_P1 + KEELI_P4;
    }
    if (size >= 4) {
        uint32_t half;
        memcpy(&half, p, sizeof half);
        h = keeli_hash_turn(h ^ half * KEELI_P1, 23) * KEELI_P2 + KEELI_P3;
        size -= 4;
        p += 4;
    }
    for (; size; --size, ++p)
        h = keeli_hash_turn(h ^ *p * KEELI_P5, 11) * KEELI_P1;
    return keeli_hash_mix(h);
}

// keeli_hash for less than 32 bytes. With a constant `size` it compiles to a few multiplications.
static inline uint64_t keeli_hash_short(const void *bytes, size_t size, uint64_t seed) {
    return keeli_hash_rest(seed + KEELI_P5 + size, bytes, size);
}
