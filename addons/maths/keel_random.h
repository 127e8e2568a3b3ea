// SPDX-License-Identifier: MIT
/// @file keel_random.h
/// Random numbers that are the same on every machine: `keel::maths`. The generator is a value of 16
/// bytes without pointers, so it can be a unique of a world, and is then saved, hashed and rolled
/// back with it:
///
///     KEEL_UNIQUE(keel_random, .no_padding = true); // for compilers that do not know
///     keel_set_unique(world, keel_random, keel_random_begin(seed, 0));
///     int damage = keel_random_between(keel_get_unique_mut(world, keel_random), 1, 6);
///
/// The generator is PCG32 (XSH RR) of M. E. O'Neill, with its published values. It is not for
/// secrets: who has seen some numbers can compute the next ones. A generator that is NULL gives 0,
/// or the lowest number of the range.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A generator. All zeros is one, too; keel_random_begin makes others.
typedef struct keel_random {
    uint64_t state;  ///< changes with each number
    uint64_t stream; ///< which of the 2^63 sequences; odd after keel_random_begin
} keel_random;

/// Returns a generator. Each `stream` (of which the highest bit does not count) is another
/// sequence, of 2^64 numbers before it repeats, and `seed` is a place in it.
keel_random keel_random_begin(uint64_t seed, uint64_t stream);
/// Returns the next number, any of 2^32.
uint32_t keel_random_next(keel_random *random);
/// Returns a number below `bound`, each with the same chance. May take several numbers of the
/// generator. 0 if `bound` is 0.
uint32_t keel_random_below(keel_random *random, uint32_t bound);
/// Returns a number from `low` to `high`, both included, each with the same chance. If `high` is
/// below `low`, they are exchanged.
int32_t keel_random_between(keel_random *random, int32_t low, int32_t high);
/// Returns a number from 0 up to but not including 1, a multiple of 2^-24.
float keel_random_float(keel_random *random);
/// Returns a number from `low` to `high`. Rounding may give `high` itself.
float keel_random_between_floats(keel_random *random, float low, float high);

#ifdef __cplusplus
}
#endif
