// SPDX-License-Identifier: MIT
// Random operations: a byte string becomes operations over the public interface, on Keel and on the
// reference model side by side, and all state is compared. A failing string is made as short as it
// can be and printed; `random_operations --replay STRING` runs it again.
//
// Each string runs in a process of its own, so that a crash is a failure like any other.
#include "followers.h"

#include "support/part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    COMPARE_EVERY = 32,
    CHECK_EVERY = 256, // keel_world_check
    OPERATIONS = 2000, // of one string
    OPERATIONS_MANY = 250
};

typedef struct string {
    uint8_t bytes[HEADER + OPERATIONS * RECORD];
    size_t size;
} string;

// ------------------------------------------------------------------ one string
static const operation_entry *const lists[] = {
    entity_operations,  component_operations, bulk_operations,     hierarchy_operations,
    command_operations, view_operations,      group_operations,    world_operations,
    many_operations,    follow_operations,    event_operations,    relation_operations,
    name_operations,    prefab_operations,    template_operations,
};

static uint32_t total_weight(void) {
    uint32_t total = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        for (const operation_entry *o = lists[i]; o->name; ++o)
            total += o->weight;
    return total;
}

// The first byte of a record is taken as a number below the sum of weights.
static const operation_entry *operation_of(uint32_t number) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        for (const operation_entry *o = lists[i]; o->name; ++o) {
            if (number < o->weight) return o;
            number -= o->weight;
        }
    return NULL;
}

static setting setting_of(const uint8_t *header) {
    return (setting){ .storages = header[0],
                      .of_slots = header[0],
                      .far = (header[1] & 5) == 5,
                      .many = (header[1] & 0xF0) == 0xF0,
                      .dry = header[1] & 2,
                      .templates = header[2] & 3,
                      .names = header[3] & 3,
                      .template_names = header[3] & 12,
                      .of_children = header[2] >> 4 < 3 ? header[2] >> 4 : 0,
                      .requires = header[3] & 16 };
}

// The second byte decides whether memory runs out, and when; the first what to do.
static void run_record(both *b, const uint8_t *record, uint32_t weight) {
    const operation_entry *o = operation_of(record[0] % weight);
    dice d = { .record = record, .at = 2 };
    b->doing = o->name;
    b->ran_dry = false;
    b->dry = b->setting.dry && record[1] >= 200;
    if (b->trace)
        printf("%u: %s%s\n", (unsigned)b->step, o->name, b->dry ? ", short of memory" : "");
    if (b->dry) counting_allocator_fail_after(b->memory, record[1] % 8);
    o->run(b, &d);
    counting_allocator_never_fail(b->memory);
    forget_stale_hidden(b);
    followers_settle(b);
    keel_clear_errors(b->world);
    const bool is_turn = b->step % COMPARE_EVERY == 0 && !(b->setting.many && b->step % 64);
    if (b->ran_dry || is_turn || b->trace) both_compare(b);
    keel_error error;
    if (b->step % CHECK_EVERY == 0 && !keel_world_check(b->world, &error))
        both_fail(b, "keel_world_check: %s", error.message);
}

// How many operations.
static uint32_t run_string(const string *s, bool trace) {
    static both b;
    const uint32_t weight = total_weight();
    if (weight > 256) abort(); // one byte could not name the last operations
    if (s->size < HEADER) return 0;
    both_begin(&b, setting_of(s->bytes), trace);
    for (size_t at = HEADER; at + RECORD <= s->size; at += RECORD) {
        ++b.step;
        run_record(&b, &s->bytes[at], weight);
    }
    both_end(&b);
    return b.step;
}

// Run it in a process of its own. How that ended, as waitpid tells: 0 when all is well. quiet: say
// nothing of it.
static int status_of(const string *s, bool quiet) {
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        alarm(120); // an endless loop is a failure too
        if (quiet && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
            _exit(2);
        run_string(s, false);
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) exit(2);
    if (!quiet && WIFSIGNALED(status)) printf("ended by signal %d\n", WTERMSIG(status));
    return status;
}

// ------------------------------------------------------------------ shrinking
// A shorter string must end in the same way, or it may show another, more common failure.
// Take out as many records at a time as still leaves a failing string.
static bool shrink_records(string *s, int status) {
    bool any = false;
    for (size_t chunk = (s->size - HEADER) / RECORD; chunk; chunk /= 2)
        for (size_t at = HEADER; at + RECORD <= s->size;) {
            string shorter = *s;
            const size_t end = at + chunk * RECORD < s->size ? at + chunk * RECORD : s->size;
            memmove(&shorter.bytes[at], &shorter.bytes[end], s->size - end);
            shorter.size -= end - at;
            if (status_of(&shorter, true) != status) {
                at = end;
                continue;
            }
            *s = shorter;
            any = true;
        }
    return any;
}

// Smaller bytes: zero, or half, or one less.
static bool shrink_bytes(string *s, int status) {
    bool any = false;
    for (size_t at = 0; at < s->size; ++at) {
        const uint8_t from = s->bytes[at];
        const uint8_t smaller[] = { 0, from / 2, (uint8_t)(from - 1) };
        for (size_t i = 0; i < 3 && from; ++i) {
            string simpler = *s;
            if (smaller[i] >= from) continue;
            simpler.bytes[at] = smaller[i];
            if (status_of(&simpler, true) != status) continue;
            *s = simpler;
            any = true;
            break;
        }
    }
    return any;
}

static void print_string(const string *s) {
    for (size_t i = 0; i < s->size; ++i)
        printf("%02x", s->bytes[i]);
    printf("\n");
}

static void shrink(string *s, int status) {
    printf("shrinking a string of %zu operations ...\n", (s->size - HEADER) / RECORD);
    shrink_records(s, status);
    for (int round = 0; round < 4; ++round) {
        const bool simpler = shrink_bytes(s, status), shorter = shrink_records(s, status);
        if (!simpler && !shorter) break;
    }
    printf("the shortest failing string has %zu operations:\n", (s->size - HEADER) / RECORD);
    (void)status_of(s, false);
    printf("run it again with: random_operations --replay ");
    print_string(s);
}

// ------------------------------------------------------------------ many strings
static uint64_t next_random(uint64_t *state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static void make_string(string *s, uint64_t seed, uint64_t number, int storages) {
    uint64_t state = seed * 0xD1342543DE82EF95u + number;
    (void)next_random(&state);
    s->size = sizeof s->bytes;
    for (size_t i = 0; i < s->size; ++i)
        s->bytes[i] = (uint8_t)(next_random(&state) >> 56);
    if (storages >= 0 && storages < 3) s->bytes[0] = (uint8_t)storages;
    if (storages == 3 && s->bytes[0] < 3) s->bytes[0] += 3;
    if (setting_of(s->bytes).many) s->size = HEADER + OPERATIONS_MANY * RECORD;
}

typedef struct options {
    uint64_t operations, seed;
    int storages; // -1: every string as its header says
    const char *replay;
} options;

static int run_many(const options *o) {
    uint64_t done = 0;
    for (uint64_t number = 0; done < o->operations; ++number) {
        string s;
        make_string(&s, o->seed, number, o->storages);
        done += (s.size - HEADER) / RECORD;
        const int status = status_of(&s, false);
        if (!status) continue;
        printf("string %" PRIu64 " of seed %" PRIu64 " failed\n", number, o->seed);
        shrink(&s, status);
        return 1;
    }
    printf("%" PRIu64 " operations, seed %" PRIu64 ": Keel and the model agree\n", done, o->seed);
    return 0;
}

static int replay(const char *text) {
    string s = { .size = strlen(text) / 2 };
    if (s.size > sizeof s.bytes) s.size = sizeof s.bytes;
    for (size_t i = 0; i < s.size; ++i) {
        unsigned byte;
        if (sscanf(&text[2 * i], "%2x", &byte) != 1) {
            fprintf(stderr, "not a string of hexadecimal digits: %s\n", text);
            return 2;
        }
        s.bytes[i] = (uint8_t)byte;
    }
    printf("%u operations: Keel and the model agree\n", (unsigned)run_string(&s, true));
    return 0;
}

// ------------------------------------------------------------------ options
static int usage(void) {
    fprintf(stderr, "usage: random_operations [--operations N] [--seed S]\n"
                    "                         [--storage sparse|indexed|archetype|mixed]\n"
                    "       random_operations --replay STRING\n");
    return 2;
}

static int storages_of(const char *name) {
    static const char *const names[] = { "sparse", "indexed", "archetype", "mixed" };
    for (int i = 0; i < 4; ++i)
        if (strcmp(name, names[i]) == 0) return i;
    return -2;
}

int main(int count, char **arguments) {
    options o = { .operations = 20000, .seed = 1, .storages = -1 };
    for (int i = 1; i < count; i += 2) {
        const char *given = arguments[i + 1], *name = arguments[i];
        if (!given) return usage();
        if (strcmp(name, "--operations") == 0) o.operations = test_part(strtoull(given, NULL, 10));
        else if (strcmp(name, "--seed") == 0) o.seed = strtoull(given, NULL, 10);
        else if (strcmp(name, "--storage") == 0) o.storages = storages_of(given);
        else if (strcmp(name, "--replay") == 0) o.replay = given;
        else return usage();
        if (o.storages == -2) return usage();
    }
    return o.replay ? replay(o.replay) : run_many(&o);
}
