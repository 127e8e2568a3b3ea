// SPDX-License-Identifier: MIT
// usage: fuzz_inspect --rounds N [--seed S]    changed samples, from a seed
//        fuzz_inspect --samples FOLDER         the samples as files, for libFuzzer
//        fuzz_inspect FILE...                  strings that were found
#include "ask.h"

#include "support/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 13 };

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(seed >> 33) % limit : 0;
}

static uint32_t sample_count(void) {
    uint32_t count = 0;
    while (ask_samples[count])
        ++count;
    return count;
}

// Puts a text at a place, and moves what is behind it.
static size_t put(char *text, size_t size, size_t at, const char *part, size_t length) {
    if (size + length > MOST) return size;
    memmove(text + at + length, text + at, size - at);
    memcpy(text + at, part, length);
    return size + length;
}

static const char *const words[] = { "\n",
                                     "\n\n",
                                     "\"",
                                     "\\",
                                     ".",
                                     "[",
                                     "]",
                                     "[0]",
                                     "[99]",
                                     "{",
                                     "}",
                                     ":",
                                     ",",
                                     "null",
                                     "true",
                                     "-1",
                                     "1e9",
                                     "18446744073709551616",
                                     "4294967295v4294967295",
                                     "0v0",
                                     "3v0",
                                     "v",
                                     "&",
                                     "=",
                                     "%00",
                                     "after=1v0&",
                                     "limit=1000",
                                     "limit=0",
                                     "frame=1",
                                     "http://",
                                     "127.0.0.1:27750",
                                     "0.0.0.0:27750",
                                     "1.2.3.4:27750",
                                     "localhost:27750",
                                     "GET",
                                     "POST",
                                     "none",
                                     "same-site",
                                     "application/json",
                                     "1048577",
                                     "Position",
                                     "Position.x",
                                     "a.Health",
                                     "a.Health.label",
                                     "Clock",
                                     "Frozen",
                                     "PartOf",
                                     "keel_name",
                                     "\"entity\":\"1v0\",",
                                     "\"value\":",
                                     "delete",
                                     "remove",
                                     "unrelate",
                                     "watch",
                                     "play",
                                     "save",
                                     "\xff",
                                     "\xc3\xa4",
                                     "<b>" };

// Changes a text: a letter, a word that comes, a line that becomes a word, a part that goes, a part
// of another sample.
static size_t change(char *text, size_t size) {
    const size_t at = below((uint32_t)size + 1);
    const char *word = words[below(sizeof words / sizeof *words)];
    const char *other = ask_samples[below(sample_count())];
    const size_t from = below((uint32_t)strlen(other));
    size_t length = 1 + below(12);
    switch (below(6)) {
    case 5: { // a line becomes a word
        size_t begin = at, end = at;
        while (begin && text[begin - 1] != '\n')
            --begin;
        while (end < size && text[end] != '\n')
            ++end;
        memmove(text + begin, text + end, size - end);
        return put(text, size - (end - begin), begin, word, strlen(word));
    }
    case 0:
        if (at < size) text[at] = (char)(1 + below(255));
        return size;
    case 1:
        if (length > size - at) length = size - at;
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    case 2:
        return put(text, size, at, other + from, strlen(other + from) < length ? 1 : length);
    case 3:
        for (uint32_t times = below(20) ? 1 : 1 + below(900); times; --times)
            size = put(text, size, at, word, strlen(word));
        return size;
    default:
        return put(text, size, at, word, strlen(word));
    }
}

// Makes a head of which each line is right or wrong. Wrong lines are rare, so that often only one
// rule is broken.
static size_t make_head(char *text) {
    static const char token[] = "0123456789abcdef0123456789abcdef";
    static const struct {
        const char *right[3], *wrong[3];
    } lines[] = {
        { { "GET", "POST", "GET" }, { "PUT", "OPTIONS", "HEAD" } },
        { { "/api/v1/world", "/api/v1/set", "/" }, { "/api/v1/world?a=%00", "", "//" } },
        { { "127.0.0.1:27750", "localhost:27750", "127.0.0.1:27750" },
          { "evil.example:27750", "127.0.0.1", "" } },
        { { "", "http://127.0.0.1:27750", "" },
          { "http://evil.example", "null", "https://127.0.0.1:27750" } },
        { { "", "same-origin", "none" }, { "cross-site", "same-site", "x" } },
        { { token, token, token }, { "", "0123456789abcdef0123456789abcdeg", "0" } },
        { { "application/json", "application/json; a=b", "" },
          { "text/plain", "application/jsonx", "a" } },
        { { "12", "0", "" }, { "1048577", "-1", "9999999999999" } },
    };
    size_t size = put(text, 0, 0, "h", 1);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        const char *const *from = below(6) ? lines[i].right : lines[i].wrong;
        const char *line = from[below(3)];
        if (i) size = put(text, size, size, "\n", 1);
        size = put(text, size, size, line, strlen(line));
    }
    return size;
}

static int play(unsigned long rounds, uint64_t from) {
    static char text[MOST + 1];
    const uint32_t count = sample_count();
    unsigned long answered = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (!ask_bytes((const uint8_t *)ask_samples[i], strlen(ask_samples[i])))
            return printf("a sample is refused: %s\n", ask_samples[i]), 1;
    for (unsigned long round = 0; round < rounds; ++round) {
        seed = from + round;
        const char *sample = ask_samples[round % count];
        size_t size = strlen(sample);
        memcpy(text, sample, size);
        const bool is_head = !below(4);
        if (is_head) size = make_head(text);
        for (uint32_t times = is_head ? below(2) : 1 + below(3); times; --times)
            size = change(text, size);
        answered += ask_bytes((const uint8_t *)text, size);
    }
    printf("%lu strings, %lu of them answered\n", rounds, answered);
    return answered && answered < rounds ? 0 : 1; // both happen
}

static int write_samples(const char *folder) {
    for (uint32_t i = 0; ask_samples[i]; ++i) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s/inspect_%u", folder, (unsigned)i);
        FILE *file = fopen(name, "wb");
        if (!file || fputs(ask_samples[i], file) < 0 || fclose(file)) return perror(name), 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 3 && !strcmp(argv[1], "--samples")) return write_samples(argv[2]);
    if (argc >= 3 && !strcmp(argv[1], "--rounds"))
        return play(test_part(strtoul(argv[2], NULL, 10)),
                    argc >= 5 && !strcmp(argv[3], "--seed") ? strtoull(argv[4], NULL, 10) : 1);
    for (int i = 1; i < argc; ++i) {
        static uint8_t bytes[1 << 20];
        FILE *file = fopen(argv[i], "rb");
        if (!file) return perror(argv[i]), 1;
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        (void)ask_bytes(bytes, size);
    }
    return argc > 1 ? 0 : 2;
}
