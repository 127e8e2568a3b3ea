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
static inline uint64_t hash_word(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t join(uint64_t h, uint64_t sum) {
    return (h ^ keeli_hash_round(0, sum)) * KEELI_P1 + KEELI_P4;
}

// Returns the hash of all whole stripes of 32 bytes.
static uint64_t hash_stripes(const unsigned char *p, size_t size, uint64_t seed) {
    uint64_t a = seed + KEELI_P1 + KEELI_P2, b = seed + KEELI_P2, c = seed, d = seed - KEELI_P1;
    for (; size >= 32; size -= 32, p += 32) {
        a = keeli_hash_round(a, hash_word(p));
        b = keeli_hash_round(b, hash_word(p + 8));
        c = keeli_hash_round(c, hash_word(p + 16));
        d = keeli_hash_round(d, hash_word(p + 24));
    }
    const uint64_t h = keeli_hash_turn(a, 1) + keeli_hash_turn(b, 7) + keeli_hash_turn(c, 12) +
                       keeli_hash_turn(d, 18);
    return join(join(join(join(h, a), b), c), d);
}

uint64_t keeli_hash(const void *bytes, size_t size, uint64_t seed) {
    if (size < 32)
        return keeli_hash_short(bytes, size, seed);

    const unsigned char *p = bytes;
    const size_t left = size % 32;
    return keeli_hash_rest(hash_stripes(p, size, seed) + size, p + size - left, left);
}
