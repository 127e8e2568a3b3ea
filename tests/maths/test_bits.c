// SPDX-License-Identifier: MIT
// The results of keel::maths are the same bits on every machine: a hash of a million of them for
// each function. That they are right, too, tests/maths/test_mpfr.c says where there is MPFR.
#include "arguments.h"
#include "support/test.h"
#include <keel_maths.h>

enum { RANDOM = 1000000 };

typedef struct bits_of {
    const char *name;
    float (*one)(float);
    float (*two)(float, float);
    uint64_t hash;
} bits_of;

#define ONE(name, hash)                                                                            \
    { #name, keel_##name, NULL, UINT64_C(hash) }
#define TWO(name, hash)                                                                            \
    { #name, NULL, keel_##name, UINT64_C(hash) }
static const bits_of functions[] = {
    ONE(sinf, 0xeff7e941e1aa9e45),   ONE(cosf, 0xf77adb507df24db4),  ONE(tanf, 0x421d8d6e9276924d),
    ONE(asinf, 0xdd90884795af575d),  ONE(acosf, 0x9ab1c07b4cbae967), ONE(atanf, 0x0b3f4a1eb8f0c967),
    TWO(atan2f, 0x5de2e255c5cd7e2d), ONE(expf, 0x98509e5358f739bf),  ONE(logf, 0x7e2604d42be58a57),
    TWO(powf, 0x22a2f04f3f6acb35),   ONE(sqrtf, 0x1f80993d3c69d310), ONE(cbrtf, 0xfafc957924e7ba8c),
    TWO(hypotf, 0x92d176f83e1fbf9b), TWO(fmodf, 0xc1dd34459ad99504),
};

static uint64_t bits_mixed(uint64_t hash, const bits_of *function, float x, float y) {
    const float result = function->one ? function->one(x) : function->two(x, y);
    uint32_t bits;
    memcpy(&bits, &result, sizeof bits);
    return (hash ^ bits) * UINT64_C(0x100000001b3);
}

static uint64_t bits_hash(const bits_of *function) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325), state = 1;
    for (uint32_t i = 0; i < RANDOM; ++i) {
        const float x = argument_random(&state, i), y = argument_random(&state, i);
        hash = bits_mixed(hash, function, x, y);
    }
    for (uint32_t i = 0; i < ARGUMENT_SPECIALS; ++i)
        for (uint32_t k = 0; k < (function->two ? ARGUMENT_SPECIALS : 1); ++k)
            hash = bits_mixed(hash, function, argument_special(i), argument_special(k));
    return hash;
}

static void all_results_have_the_known_bits(void **state) {
    bool is_same = true;
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        const uint64_t hash = bits_hash(&functions[i]);
        if (hash == functions[i].hash) continue;
        print_error("%s: the hash is 0x%016llx\n", functions[i].name, (unsigned long long)hash);
        is_same = false;
    }
    assert_true(is_same);
}

static const struct CMUnitTest tests[] = {
    TEST(all_results_have_the_known_bits,
         "a million results of each function have the bits that they have elsewhere"),
};
int main(void) { return RUN(tests); }
