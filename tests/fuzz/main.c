// SPDX-License-Identifier: MIT
// Plays random byte strings, or those of files:
//     fuzz --seconds 60 --seed 1       random ones; a failing one is made as short as it can be
//     fuzz --seconds 60 --keep-long    as it is
//     fuzz FILE...                     the strings of these files; AFL++ hands them over like this
//     fuzz --trace FILE                prints every call
//     fuzz --failing-allocations       fails each allocation of each function; --strings: for each,
//                                      --only FUNCTION; see failing.c
// Each random string runs in a process of its own, so that a crash is a failure like any other.
#include "fuzz.h"

#include "support/part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 4096, STRINGS_PER_PROCESS = 64, MOST_SECONDS = 60 };

static uint64_t random_state;
static uint64_t next_random(void) { // xorshift64*
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}
static size_t make_string(uint64_t seed, uint8_t *bytes) {
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < 4; ++i)
        (void)next_random();
    const size_t size = 64 + next_random() % (LONGEST - 64);
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (uint8_t)(next_random() >> 32);
    return size;
}

// Play in a process of its own; true when all was well.
static bool survives(const uint8_t *bytes, size_t size, bool quiet) {
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) exit((perror("fork"), 2));
    if (child == 0) {
        alarm(MOST_SECONDS); // an endless loop is a failure, too
        if (quiet && !freopen("/dev/null", "w", stderr)) _exit(2);
        fuzz_play(bytes, size, false);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) exit(2);
    return status == 0;
}

// Leave out parts, then set bytes to zero, as long as it still fails.
static size_t shorten(uint8_t *bytes, size_t size) {
    static uint8_t fewer[LONGEST];
    for (size_t part = size / 2; part; part /= 2)
        for (size_t at = 0; at + part <= size;) {
            memcpy(fewer, bytes, at);
            memcpy(fewer + at, bytes + at + part, size - at - part);
            if (survives(fewer, size - part, true)) at += part;
            else memcpy(bytes, fewer, size -= part);
        }
    return size;
}

static void keep(const uint8_t *bytes, size_t size, uint64_t seed) {
    char name[64];
    snprintf(name, sizeof name, "fuzz-failure-%" PRIu64, seed);
    FILE *file = fopen(name, "wb");
    if (file && fwrite(bytes, 1, size, file) == size)
        printf("%zu bytes that fail: %s; see them with: fuzz --trace %s\n", size, name, name);
    if (file) fclose(file);
    fflush(stdout);
}

// Play several, one after the other in one process; the number of the one that fails, or
// UINT64_MAX.
static uint64_t play_some(uint64_t first, uint64_t count) {
    static uint8_t bytes[LONGEST];
    static _Atomic uint64_t *now; // shared with the child
    if (!now)
        now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (now == MAP_FAILED) exit((perror("mmap"), 2));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) exit((perror("fork"), 2));
    if (child == 0) {
        for (uint64_t i = 0; i < count; ++i) {
            alarm(MOST_SECONDS);
            *now = first + i;
            fuzz_play(bytes, make_string(first + i, bytes), false);
        }
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) exit(2);
    return status ? *now : UINT64_MAX;
}

static int play_random(uint64_t seed, double seconds, uint64_t strings, bool is_shortened) {
    static uint8_t bytes[LONGEST];
    const time_t end = time(NULL) + (time_t)seconds;
    uint64_t played = 0;
    for (; played < strings && (seconds <= 0 || time(NULL) < end); played += STRINGS_PER_PROCESS) {
        const uint64_t failed = play_some(seed + played, STRINGS_PER_PROCESS);
        if (failed == UINT64_MAX) continue;
        size_t size = make_string(failed, bytes);
        if (survives(bytes, size, true)) {
            printf("%" PRIu64 " fails only in one process with those from %" PRIu64 " on\n", failed,
                   seed + played);
            return 1;
        }
        keep(bytes, size, failed); // in case that shortening takes too long
        if (!is_shortened) return 1;
        size = shorten(bytes, size);
        keep(bytes, size, failed);
        (void)survives(bytes, size, false);
        return 1;
    }
    printf("%" PRIu64 " strings, from seed %" PRIu64 ": nothing found\n", played, seed);
    return 0;
}

static int play_file(const char *name, bool trace) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(name, "rb");
    if (!file) return perror(name), 2;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz_play(bytes, size, trace);
    if (trace) printf("%" PRIu64 " calls, %" PRIu64 " refused\n", f.calls, f.refused);
    return 0;
}

// Each function in a process of its own; prints how many failure points of it were tried.
static int fail_allocations(uint64_t seed, uint64_t strings, const char *only) {
    uint32_t count, failed = 0;
    uint64_t total = 0;
    const fuzz_call *calls = fuzz_calls(&count);
    uint64_t *points =
        mmap(NULL, sizeof *points, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (points == MAP_FAILED) return perror("mmap"), 2;
    for (uint32_t i = 0; i < count; ++i) {
        if (only && strcmp(only, calls[i].name)) continue;
        *points = 0;
        fflush(NULL);
        const pid_t child = fork();
        if (child < 0) return perror("fork"), 2;
        if (child == 0) {
            *points = fuzz_fail_allocations(&calls[i], seed, strings);
            _exit(0);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0)
            if (errno != EINTR) return 2;
        printf("%s %" PRIu64 "%s\n", calls[i].name, *points, status ? " FAILED" : "");
        total += *points;
        failed += status != 0;
    }
    printf("total %" PRIu64 "\n", total);
    return failed != 0;
}

int main(int argc, char **argv) {
    uint64_t seed = 1, strings = UINT64_MAX, files = 0;
    double seconds = 0;
    bool trace = false, is_shortened = true, is_failing = false;
    const char *only = NULL;
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--list")) {
            uint32_t count;
            const fuzz_call *calls = fuzz_calls(&count);
            for (uint32_t c = 0; c < count; ++c)
                puts(calls[c].name);
            return 0;
        }
        if (!strcmp(argv[i], "--trace")) trace = !setvbuf(stdout, NULL, _IOLBF, 0);
        else if (!strcmp(argv[i], "--keep-long")) is_shortened = false;
        else if (!strcmp(argv[i], "--failing-allocations")) is_failing = true;
        else if (!strcmp(argv[i], "--only")) only = value, ++i;
        else if (!strcmp(argv[i], "--seed")) seed = strtoull(value, NULL, 10), ++i;
        else if (!strcmp(argv[i], "--strings")) strings = test_part(strtoull(value, NULL, 10)), ++i;
        else if (!strcmp(argv[i], "--seconds")) seconds = strtod(value, NULL), ++i;
        else if (++files && play_file(argv[i], trace)) return 2;
    }
    if (files) return 0;
    if (is_failing) return fail_allocations(seed, strings == UINT64_MAX ? 8 : strings, only);
    if (seconds <= 0 && strings == UINT64_MAX) strings = STRINGS_PER_PROCESS;
    return play_random(seed, seconds, strings, is_shortened);
}
