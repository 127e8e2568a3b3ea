// SPDX-License-Identifier: MIT
// The smallest program that uses keel::maths.
#include <keel_float_check.h>
#include <keel_maths.h>
#include <keel_random.h>
#include <stdio.h>

int main(void) {
    keel_random random = keel_random_begin(42, 54);
    const int is_right =
        keel_random_next(&random) == 0xa15c02b7 && keel_sinf(0.5f) == 0x1.eaee88p-2f;
    if (keel_float_check()) puts(keel_float_problem(keel_float_check()));
    puts(is_right ? "maths: ok" : "maths: wrong");
    return !is_right || keel_float_check();
}
