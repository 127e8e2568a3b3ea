// SPDX-License-Identifier: MIT
// A 64-bit hash of bytes: XXH64, written from its public specification (Yann Collet, "xxHash fast
// digest algorithm", doc/xxhash_spec.md of the xxHash project), with words in the machine's own
// byte order.
#pragma once
#include <stddef.h>
#include <stdint.h>

uint64_t keeli_hash(const void *bytes, size_t size, uint64_t seed);

// Spread a number: each bit of it changes half of the result's. It is the hash's last step.
static inline uint64_t keeli_hash_mix(uint64_t h) {
    h = (h ^ h >> 33) * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ h >> 29) * 0x165667B19E3779F9u;
    return h ^ h >> 32;
}
