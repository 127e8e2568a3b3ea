// SPDX-License-Identifier: MIT
// Nanoseconds of a call of keel::maths, beside the C library: `make bench-maths` prints a table.
#include <keel_maths.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { ARGUMENTS = 4096, ROUNDS = 5, REPETITIONS = 200 };

typedef float function_of_one(float);
typedef float function_of_two(float, float);

// A function of keel::maths and its counterpart, with the range of its arguments.
typedef struct contest {
    const char *name;
    function_of_one *one[2]; // ours, and that of the C library
    function_of_two *two[2];
    float low, high, second_low, second_high;
} contest;

#define ONE(name, low, high)                                                                       \
    { #name, { keel_##name, name }, { NULL, NULL }, low, high, 0, 0 }
#define TWO(name, ...)                                                                             \
    { #name, { NULL, NULL }, { keel_##name, name }, __VA_ARGS__ }

static const contest contests[] = {
    ONE(sinf, -10, 10),         ONE(cosf, -10, 10),
    ONE(tanf, -10, 10),         ONE(asinf, -1, 1),
    ONE(acosf, -1, 1),          ONE(atanf, -10, 10),
    TWO(atan2f, -9, 9, -9, 9),  ONE(expf, -10, 10),
    ONE(logf, 0, 1000),         ONE(sqrtf, 0, 1000),
    TWO(powf, 0, 100, -10, 10), ONE(cbrtf, -1000, 1000),
    TWO(hypotf, -9, 9, -9, 9),  TWO(fmodf, -1000, 1000, 0, 10),
};

static float first[ARGUMENTS], second[ARGUMENTS];
static volatile float result; // read by nobody, so that calls are not left out

static float random_between(float low, float high) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return low + (high - low) * (float)(state >> 40) * 0x1p-24f;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void call_all(const contest *of, int which) {
    float sum = 0;
    if (of->one[which]) {
        for (int i = 0; i < ARGUMENTS; ++i)
            sum += of->one[which](first[i]);
    } else {
        for (int i = 0; i < ARGUMENTS; ++i)
            sum += of->two[which](first[i], second[i]);
    }
    result = sum;
}

// The best of many short repetitions: what else the machine does only adds to it.
static double nanoseconds(const contest *of, int which) {
    double best = 1e9;
    for (int repetition = 0; repetition < REPETITIONS; ++repetition) {
        const double begin = seconds();
        for (int round = 0; round < ROUNDS; ++round)
            call_all(of, which);
        const double taken = (seconds() - begin) * 1e9 / ROUNDS / ARGUMENTS;
        if (taken < best) best = taken;
    }
    return best;
}

int main(void) {
    printf("| function | keel::maths, ns | libm, ns | ratio |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof contests / sizeof *contests; ++i) {
        const contest *of = &contests[i];
        for (int k = 0; k < ARGUMENTS; ++k) {
            first[k] = random_between(of->low, of->high);
            second[k] = random_between(of->second_low, of->second_high);
        }
        const double ours = nanoseconds(of, 0), libm = nanoseconds(of, 1);
        printf("| %s | %.1f | %.1f | %.1f |\n", of->name, ours, libm, ours / libm);
    }
    return 0;
}
