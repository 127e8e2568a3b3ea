// SPDX-License-Identifier: MIT
// The generator of keel_random.h: PCG32, a linear congruential generator whose output is permuted.
#include "double_double.h"
#include "keel_random.h"

keel_random keel_random_begin(uint64_t seed, uint64_t stream) {
    keel_random random = { 0, stream << 1 | 1 };
    keel_random_next(&random);
    random.state += seed;
    keel_random_next(&random);
    return random;
}

uint32_t keel_random_next(keel_random *random) {
    if (!random) return 0;
    const uint64_t state = random->state;
    random->state = state * UINT64_C(6364136223846793005) + (random->stream | 1);
    const uint32_t bits = (uint32_t)((state >> 18 ^ state) >> 27);
    const unsigned turn = (unsigned)(state >> 59);
    return bits >> turn | bits << (-turn & 31);
}

// The 2^32 numbers are not a multiple of `bound`. Those that are left over, the lowest, are drawn
// again.
uint32_t keel_random_below(keel_random *random, uint32_t bound) {
    if (!random || bound == 0) return 0;
    const uint32_t left_over = (UINT32_MAX - bound + 1) % bound;
    uint32_t drawn = keel_random_next(random);
    while (drawn < left_over)
        drawn = keel_random_next(random);
    return drawn % bound;
}

int32_t keel_random_between(keel_random *random, int32_t low, int32_t high) {
    const int64_t first = low < high ? low : high, last = low < high ? high : low;
    const uint32_t count = (uint32_t)(last - first + 1); // 0 for all 2^32
    const uint32_t drawn = count ? keel_random_below(random, count) : keel_random_next(random);
    return (int32_t)(random ? first + drawn : first);
}

float keel_random_float(keel_random *random) {
    return (float)(keel_random_next(random) >> 8) * 0x1p-24f;
}

float keel_random_between_floats(keel_random *random, float low, float high) {
    const double part = (double)keel_random_float(random);
    return (float)((double)low + ((double)high - (double)low) * part);
}
