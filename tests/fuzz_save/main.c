// SPDX-License-Identifier: MIT
// usage: fuzz_save --rounds N [--seed S]    changed samples, from a seed
//        fuzz_save --samples FOLDER         the samples as files, for libFuzzer
//        fuzz_save FILE...                  strings that were found
#include "load.h"

#include "support/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(seed >> 33) % limit : 0;
}

// A byte, a number, bytes that come, go or stand somewhere else.
static size_t change(uint8_t *bytes, size_t size) {
    static const uint8_t odd[] = { 0, 1, 2, 3, 7, 16, 127, 128, 255 };
    const size_t at = below((uint32_t)size), left = size - at;
    const size_t n = 1 + below(8) < left ? 1 + below(4) : 1;
    switch (below(6)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << below(8));
        return size;
    case 1:
        memset(bytes + at, odd[below(9)], n < left ? n : left);
        return size;
    case 2:
        memmove(bytes + at, bytes + at + (n < left ? n : left), left - (n < left ? n : left));
        return size - (n < left ? n : left);
    case 3:
        if (size + n > MOST) return size;
        memmove(bytes + at + n, bytes + at, left);
        memset(bytes + at, odd[below(9)], n);
        return size + n;
    case 4:
        bytes[at] = (uint8_t)(bytes[at] + below(3) - 1);
        return size;
    default:
        memmove(bytes + at, bytes + below((uint32_t)(size - left + 1)), left < 12 ? left : 12);
        return size;
    }
}

static int play(unsigned long rounds, uint64_t from) {
    static uint8_t sample[LOAD_WAYS][MOST], bytes[MOST];
    size_t size[LOAD_WAYS];
    unsigned long loaded = 0;
    for (int how = 0; how < LOAD_WAYS; ++how) {
        size[how] = load_sample((load_how)how, sample[how], MOST);
        if (!load_bytes((load_how)how, sample[how], size[how]))
            return puts("a sample is refused"), 1;
    }
    for (unsigned long round = 0; round < rounds; ++round) {
        seed = from + round;
        const int how = (int)(round % LOAD_WAYS);
        size_t n = size[how];
        memcpy(bytes, sample[how], n);
        for (uint32_t times = 1 + below(4); times && n > 16; --times)
            n = change(bytes, n);
        loaded += (unsigned long)load_bytes((load_how)how, bytes, n);
    }
    printf("%lu strings, %lu of them loaded\n", rounds, loaded);
    return loaded && loaded < rounds ? 0 : 1; // both happen
}

static int write_samples(const char *folder) {
    static uint8_t bytes[MOST];
    for (int how = 0; how < LOAD_WAYS; ++how) {
        char name[512];
        bytes[0] = (uint8_t)how;
        const size_t size = 1 + load_sample((load_how)how, bytes + 1, MOST - 1);
        (void)snprintf(name, sizeof name, "%s/sample_%d", folder, how);
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
        (void)load_string(bytes, size);
    }
    return argc > 1 ? 0 : 2;
}
