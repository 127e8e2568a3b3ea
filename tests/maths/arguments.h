// SPDX-License-Identifier: MIT
// Arguments to try floating-point functions with: any bits, those of usual sizes, and numbers where
// functions are special. They are made of whole numbers only, so that they are the same on every
// machine.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float argument_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t argument_next(uint64_t *state) { // SplitMix64
    uint64_t n = *state += UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

// Bits of floats where something begins, ends or is exact; argument_special also gives their
// neighbours and negatives.
static const uint32_t argument_borders[] = {
    0x00000000,                         // 0
    0x00000001,                         // the smallest subnormal
    0x00000003, 0x00400000, 0x007fffff, // subnormal
    0x00800000,                         // the smallest normal
    0x01000000, 0x0c000000, 0x24800000, 0x33000000, 0x33800000, 0x34000000, 0x39800000, 0x3d800000,
    0x3e800000, 0x3f000000, 0x3f350000, 0x3f3504f3,             // 1/16, 1/4, 1/2, the root of 1/2
    0x3f400000, 0x3f490fdb,                                     // 3/4, pi/4
    0x3f800000, 0x3fb504f3, 0x3fc00000, 0x3fc90fdb,             // 1, the root of 2, 1.5, pi/2
    0x40000000, 0x402df854, 0x40400000, 0x40490fdb, 0x40c90fdb, // 2, e, 3, pi, 2 pi
    0x41000000, 0x41200000, 0x41d80000, 0x42280000, 0x42b00000, 0x42b17218, // 8, 10, 27, 42, 88,
                                                                            // log(2^128)
    0x42aeac50, 0x42b20000, 0x42ce0000, 0x42cff1b5, 0x42d00000, // -log of 2^-126 and of 2^-150; 89,
                                                                // 103, 104
    0x43000000, 0x43150000, 0x43160000, 0x447a0000,             // 128, 149, 150, 1000
    0x49800000, 0x4a000000, 0x4b000000, 0x4b7fffff, 0x4b800000, 0x4c000000, // 2^20 to 2^25
    0x5f800000, 0x7e800000, 0x7f000000, 0x7f7fffff,                         // 2^64, the largest
    0x7f800000,                                                             // infinity
    0x7fc00000, 0x7fa00001, 0x7fffffff,                                     // not a number
};
enum {
    ARGUMENT_BORDERS = sizeof argument_borders / sizeof *argument_borders,
    ARGUMENT_SPECIALS = ARGUMENT_BORDERS * 10
};

// The special argument of the number i < ARGUMENT_SPECIALS: a border or a float up to two places
// from it.
static inline float argument_special(uint32_t i) {
    const uint32_t bits = argument_borders[i / 10] + i % 10 / 2 - 2;
    return argument_of_bits((bits & 0x7fffffff) | i % 2 << 31);
}

// Any bits, then exponents from 2^-7 to 2^8, then 2^-2 to 2^1, in turn.
static inline float argument_random(uint64_t *state, uint32_t i) {
    const uint32_t bits = (uint32_t)(argument_next(state) >> 16);
    if (i % 4 < 2) return argument_of_bits(bits);
    const uint32_t exponent = i % 4 == 2 ? 120 + (bits >> 23) % 16 : 125 + (bits >> 23) % 4;
    return argument_of_bits((bits & 0x807fffff) | exponent << 23);
}
