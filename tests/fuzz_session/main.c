// SPDX-License-Identifier: MIT
// usage: fuzz_session packet|session|replay --rounds N [--seed S]    changed samples, from a seed
//        fuzz_session packet|session|replay --samples FOLDER         the samples, for libFuzzer
//        fuzz_session packet|session|replay FILE...                  strings that were found
#include "feed.h"

#include "support/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct part {
    const char *name;
    bool (*feed)(const uint8_t *bytes, size_t size);
    size_t (*sample)(unsigned n, uint8_t *bytes, size_t capacity);
    uint32_t random; // of so many strings one is random as a whole
    unsigned swept;  // samples of which each byte is changed
} parts[] = { { "packet", feed_packet, feed_packet_sample, 8, 19 },
              { "session", feed_session, feed_session_sample, 2, 0 },
              { "replay", feed_replay, feed_replay_sample, 50, 1 } };

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(seed >> 33) % limit : 0;
}

// A byte, a number, bytes that come, go or stand somewhere else.
static size_t change(uint8_t *bytes, size_t size) {
    static const uint8_t odd[] = { 0, 1, 2, 3, 7, 16, 127, 128, 255 };
    const size_t at = below((uint32_t)size), left = size - at;
    size_t n = 1 + below(8);
    n = n < left ? n : left;
    switch (below(6)) {
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
        if (size + n > FEED_MOST) return size;
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

static size_t random_string(uint8_t *bytes) {
    const size_t size = 20 + below(2000);
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (uint8_t)below(256);
    return size;
}

// Changes each byte of a sample in turn.
static unsigned long sweep(const struct part *part, unsigned n) {
    static uint8_t bytes[FEED_MOST];
    const size_t size = part->sample(n, bytes, FEED_MOST);
    unsigned long valid = 0;
    for (size_t at = 0; at < size; ++at) {
        const uint8_t was = bytes[at];
        const uint8_t values[] = { 255, (uint8_t)(was + 1), was ^ 64 };
        for (size_t i = 0; i < sizeof values; ++i) {
            bytes[at] = values[i];
            valid += part->feed(bytes, size);
        }
        bytes[at] = was;
    }
    return valid;
}

static int play(const struct part *part, unsigned long rounds, uint64_t from) {
    static uint8_t sample[FEED_MOST], bytes[FEED_MOST];
    unsigned long valid = 0;
    unsigned count = 0;
    for (size_t size; (size = part->sample(count, sample, FEED_MOST)) > 0; ++count)
        if (!part->feed(sample, size) && part->feed != feed_session)
            return printf("sample %u is refused\n", count), 1;
    for (unsigned n = 0; n < part->swept; ++n)
        valid += sweep(part, n);
    for (unsigned long round = 0; round < rounds; ++round) {
        seed = from + round;
        for (uint32_t i = 0; i < 4; ++i)
            (void)below(2);
        size_t n = part->sample((unsigned)(round % count), bytes, FEED_MOST);
        if (below(part->random) == 0) n = random_string(bytes);
        for (uint32_t times = 1 + below(6); times && n > 2; --times)
            n = change(bytes, n);
        valid += part->feed(bytes, n);
    }
    printf("%s: %lu strings, and samples with each byte changed; %lu of them valid or of effect\n",
           part->name, rounds, valid);
    return valid ? 0 : 1;
}

static int write_samples(const struct part *part, const char *folder) {
    static uint8_t bytes[FEED_MOST];
    size_t size;
    for (unsigned i = 0; (size = part->sample(i, bytes, FEED_MOST)) > 0; ++i) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s/%s_%u", folder, part->name, i);
        FILE *file = fopen(name, "wb");
        if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) return perror(name), 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    const struct part *part = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && argc > 2; ++i)
        if (!strcmp(argv[1], parts[i].name)) part = &parts[i];
    if (!part) return 2;
    if (argc >= 4 && !strcmp(argv[2], "--samples")) return write_samples(part, argv[3]);
    if (argc >= 4 && !strcmp(argv[2], "--rounds"))
        return play(part, test_part(strtoul(argv[3], NULL, 10)),
                    argc >= 6 && !strcmp(argv[4], "--seed") ? strtoull(argv[5], NULL, 10) : 1);
    for (int i = 2; i < argc; ++i) {
        static uint8_t bytes[FEED_MOST];
        FILE *file = fopen(argv[i], "rb");
        if (!file) return perror(argv[i]), 1;
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        (void)part->feed(bytes, size);
    }
    return 0;
}
