// SPDX-License-Identifier: MIT
// Compares keel::maths with the right results, for every float, or for pairs of floats of a seed.
// Nobody runs it but by hand: a function of one argument takes minutes to an hour.
#include "oracle.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: maths_every_float [--function NAME] [--from N] [--to N] "
                            "[--pairs N] [--seed N] [--threads N]\n"
                            "Compares functions of one argument for all floats of the bits N to N "
                            "(default 0 to 4294967295), and functions of\n"
                            "two arguments for N pairs (default 100000000), on N threads (default "
                            "2). Without --function: all of them, in turn.\n";

enum { PIECE = 1 << 20, MOST_THREADS = 64, MOST_SHOWN = 10 };

// One function, which threads compare piece by piece.
typedef struct comparison {
    const maths_function *function;
    pthread_mutex_t lock;
    uint64_t next, end; // bits of the argument, or numbers of pairs
    uint64_t seed;
    uint64_t differ, asked;
} comparison;

static uint64_t mix(uint64_t n) { // SplitMix64
    n += UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

// Of two pairs one has any bits, and one exponents near to those of 1, where results are neither 0
// nor infinite.
static void pair_of(const comparison *all, uint64_t i, float *x, float *y) {
    const uint64_t bits = mix(all->seed * UINT64_C(0x100000001b3) + i);
    uint32_t first = (uint32_t)bits, second = (uint32_t)(bits >> 32);
    if (i & 1) {
        first = (first & 0x87ffffff) | 0x3c000000;
        second = (second & 0x87ffffff) | (i & 2 ? 0x3c000000 : 0x40000000);
    }
    *x = oracle_float(first);
    *y = oracle_float(second);
}

static void compare_one(comparison *all, float x, float y, uint64_t *asked) {
    const float ours = oracle_ours(all->function, x, y);
    const float right = oracle_quick(all->function, x, y, asked);
    if (oracle_agrees(ours, right)) return;
    pthread_mutex_lock(&all->lock);
    if (all->differ++ < MOST_SHOWN)
        printf("%s(%a, %a) is %a, not %a\n", all->function->name, (double)x, (double)y,
               (double)right, (double)ours);
    pthread_mutex_unlock(&all->lock);
}

static void *compare_pieces(void *data) {
    comparison *all = data;
    uint64_t asked = 0;
    oracle_begin();
    for (;;) {
        pthread_mutex_lock(&all->lock);
        const uint64_t begin = all->next, end = all->end - begin < PIECE ? all->end : begin + PIECE;
        all->next = end;
        pthread_mutex_unlock(&all->lock);
        if (begin == end) break;
        for (uint64_t i = begin; i < end; ++i) {
            float x = oracle_float((uint32_t)i), y = 0;
            if (all->function->two) pair_of(all, i, &x, &y);
            compare_one(all, x, y, &asked);
        }
    }
    pthread_mutex_lock(&all->lock);
    all->asked += asked;
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

static bool compare(const maths_function *function, uint64_t from, uint64_t to, uint64_t pairs,
                    uint64_t seed, unsigned threads) {
    comparison all = { .function = function, .next = from, .end = to + 1, .seed = seed };
    pthread_t started[MOST_THREADS];
    unsigned count = 0;
    if (function->two) all.next = 0, all.end = pairs;
    const uint64_t arguments = all.end - all.next;
    pthread_mutex_init(&all.lock, NULL);
    while (count < threads && pthread_create(&started[count], NULL, compare_pieces, &all) == 0)
        ++count;
    if (count == 0) compare_pieces(&all);
    for (unsigned i = 0; i < count; ++i)
        pthread_join(started[i], NULL);
    pthread_mutex_destroy(&all.lock);
    printf("%s: %llu %s, %llu differ (%llu asked of MPFR)\n", function->name,
           (unsigned long long)arguments, function->two ? "pairs" : "arguments",
           (unsigned long long)all.differ, (unsigned long long)all.asked);
    fflush(stdout);
    return all.differ == 0;
}

static uint64_t number(const char *option, const char *text, uint64_t most) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = text ? strtoull(text, &end, 0) : 0;
    if (!text || end == text || *end || errno || value > most) {
        fprintf(stderr, "maths_every_float: %s needs a number up to %llu\n", option,
                (unsigned long long)most);
        exit(2);
    }
    return value;
}

int main(int count, char **words) {
    const char *only = NULL;
    uint64_t from = 0, to = UINT32_MAX, pairs = 100000000, seed = 1, threads = 2;
    for (int i = 1; i < count; i += 2) {
        const char *word = words[i], *value = words[i + 1];
        if (!strcmp(word, "--function")) only = value;
        else if (!strcmp(word, "--from")) from = number(word, value, UINT32_MAX);
        else if (!strcmp(word, "--to")) to = number(word, value, UINT32_MAX);
        else if (!strcmp(word, "--pairs")) pairs = number(word, value, UINT64_MAX / 2);
        else if (!strcmp(word, "--seed")) seed = number(word, value, UINT32_MAX);
        else if (!strcmp(word, "--threads")) threads = number(word, value, MOST_THREADS);
        else return fputs(usage, stderr), 2;
    }
    if (from > to) return fputs("maths_every_float: --from is above --to\n", stderr), 2;
    bool is_right = true, is_known = false;
    for (size_t i = 0; i < maths_function_count; ++i) {
        if (only && strcmp(only, maths_functions[i].name)) continue;
        is_known = true;
        is_right &= compare(&maths_functions[i], from, to, pairs, seed, (unsigned)threads);
    }
    if (!is_known)
        return fprintf(stderr, "maths_every_float: no function '%s'; try sinf\n", only), 2;
    return is_right ? 0 : 1;
}
