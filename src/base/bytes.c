// SPDX-License-Identifier: MIT
// Copies of values of the less usual sizes, and the hash. The usual sizes are inline in the header.
#include "base/bytes.h"

typedef struct words {
    uint64_t a, b;
} words;

void keeli_bytes_copy_other(void *to, const void *from, uint32_t size) {
    if (size - 16 <= 16) { // 16 to 32: the first and the last 16 bytes, which may overlap
        words first, last;
        memcpy(&first, from, sizeof first);
        memcpy(&last, (const char *)from + size - sizeof last, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy((char *)to + size - sizeof last, &last, sizeof last);
    } else if (to != from) {
        memcpy(to, from, size);
    }
}

// ------------------------------------------------------------------ hashes
// XXH64: four sums of 8 bytes each over whole stripes, then the rest, then a mix.
static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static inline uint64_t turn(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static inline uint64_t hash_word(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t round_of(uint64_t sum, uint64_t word) {
    return turn(sum + word * P2, 31) * P1;
}

static uint64_t join(uint64_t h, uint64_t sum) { return (h ^ round_of(0, sum)) * P1 + P4; }

// Returns the hash of all whole stripes of 32 bytes.
static uint64_t hash_stripes(const unsigned char *p, size_t size, uint64_t seed) {
    uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
    for (; size >= 32; size -= 32, p += 32) {
        a = round_of(a, hash_word(p));
        b = round_of(b, hash_word(p + 8));
        c = round_of(c, hash_word(p + 16));
        d = round_of(d, hash_word(p + 24));
    }
    const uint64_t h = turn(a, 1) + turn(b, 7) + turn(c, 12) + turn(d, 18);
    return join(join(join(join(h, a), b), c), d);
}

uint64_t keeli_hash(const void *bytes, size_t size, uint64_t seed) {
    const unsigned char *p = bytes;
    uint64_t h = (size < 32 ? seed + P5 : hash_stripes(p, size, seed)) + size;
    size_t left = size % 32;
    p += size - left;

    for (; left >= 8; left -= 8, p += 8)
        h = turn(h ^ round_of(0, hash_word(p)), 27) * P1 + P4;
    if (left >= 4) {
        uint32_t half;
        memcpy(&half, p, sizeof half);
        h = turn(h ^ half * P1, 23) * P2 + P3;
        left -= 4;
        p += 4;
    }
    for (; left; --left, ++p)
        h = turn(h ^ *p * P5, 11) * P1;
    return keeli_hash_mix(h);
}
