// SPDX-License-Identifier: MIT
// usage: fuzz_image --rounds N [--seed S]    changed samples, from a seed
//        fuzz_image --samples FOLDER         the samples as files, for libFuzzer
//        fuzz_image FILE...                  strings that were found
#include "load.h"

#include "support/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 17, SAMPLES = 3 };

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(seed >> 33) % limit : 0;
}

// Puts a copy of a number near: an index twice, an edge to somebody else. Numbers of one list are 4
// bytes apart, those of edges 8 or 12, those of readers of a queue 21, names of two letters 7.
static void copy_number(uint8_t *bytes, size_t size) {
    static const uint8_t steps[] = { 4, 8, 12, 21, 7 };
    const size_t step = steps[below(5)], bytes_of = step == 7 ? 7 : 4;
    size_t at = below((uint32_t)size);
    for (uint32_t tries = 0; tries < 60; ++tries, at = below((uint32_t)size))
        if (at + 4 < size && bytes[at] < 64 && !(bytes[at + 1] | bytes[at + 2] | bytes[at + 3]))
            break;
    const size_t from = at + step * (1 + below(12));
    if (from + bytes_of > size) return;
    if (below(2)) memmove(bytes + at, bytes + from, bytes_of);
    else memmove(bytes + from, bytes + at, bytes_of);
}

// A bit, a number, a number in place of another one, bytes that come or go.
static size_t change(uint8_t *bytes, size_t size) {
    static const uint8_t odd[] = { 0, 1, 2, 3, 7, 16, 127, 128, 255 };
    const size_t at = below((uint32_t)size), left = size - at;
    const size_t n = 1 + below(8) < left ? 1 + below(4) : 1;
    switch (below(12)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        memset(bytes + at, odd[below(9)], n);
        return size;
    case 2:
        memmove(bytes + at, bytes + at + n, left - n);
        return size - n;
    case 3:
        if (size + n > MOST) return size;
        memmove(bytes + at + n, bytes + at, left);
        memset(bytes + at, odd[below(9)], n);
        return size + n;
    case 4:
    case 5:
        bytes[at] = (uint8_t)(bytes[at] + below(3) - 1);
        return size;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        copy_number(bytes, size);
        return size;
    default:
        memmove(bytes + at, bytes + below((uint32_t)(size - left + 1)), left < 4 ? left : 4);
        return size;
    }
}

static int play(unsigned long rounds, uint64_t from) {
    static uint8_t sample[SAMPLES][MOST], bytes[MOST];
    size_t size[SAMPLES];
    unsigned long valid = 0;
    for (unsigned i = 0; i < SAMPLES; ++i) {
        size[i] = load_sample(i, sample[i], MOST);
        if (!load_bytes(sample[i], size[i], 0)) return puts("a sample is refused"), 1;
    }
    for (unsigned long round = 0; round < rounds; ++round) {
        seed = from + round;
        const unsigned which = below(SAMPLES);
        size_t n = size[which];
        memcpy(bytes, sample[which], n);
        for (uint32_t times = 1 + below(2); times && n > 16; --times)
            n = change(bytes, n);
        valid += (unsigned long)load_bytes(bytes, n, round % 16 != 0);
    }
    printf("%lu strings, %lu of them valid\n", rounds, valid);
    return valid && valid < rounds ? 0 : 1; // both happen
}

static int write_samples(const char *folder) {
    static uint8_t bytes[MOST];
    for (unsigned i = 0; i < SAMPLES; ++i) {
        char name[512];
        const size_t size = load_sample(i, bytes, MOST);
        (void)snprintf(name, sizeof name, "%s/sample_%u", folder, i);
        FILE *file = fopen(name, "wb");
        if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) return perror(name), 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 3 && !strcmp(argv[1], "--samples")) return write_samples(argv[2]);
    if (argc >= 3 && !strcmp(argv[1], "--rounds"))
        return play(test_part(strtoul(argv[2], NULL, 10)),
                    argc >= 5 && !strcmp(argv[3], "--seed") ? strtoull(argv[4], NULL, 10) : 1);
    for (int i = 1; i < argc; ++i) {
        static uint8_t bytes[1 << 22];
        FILE *file = fopen(argv[i], "rb");
        if (!file) return perror(argv[i]), 1;
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        (void)load_bytes(bytes, size, 1);
    }
    return argc > 1 ? 0 : 2;
}
