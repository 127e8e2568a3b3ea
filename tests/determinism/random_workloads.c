// SPDX-License-Identifier: MIT
// Random workloads: each is run with different numbers of workers, executors and delays, and must
// leave the same world behind as on one thread: values, order, handles, errors. A workload for
// which that is not so is made as simple as it can be and printed.
//
// They run in processes of their own, so that a crash or a deadlock is a failure like any other.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "play.h"

#include "support/part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 3, AT_ONCE = 50, SECONDS = 300, SHRINK_SECONDS = 20 };

typedef struct options {
    uint64_t workloads, seed, first;
    uint32_t repeat; // of each candidate while one is made simpler
} options;

// What a child tells its parent.
typedef struct report {
    uint64_t number, runs, errors, refused, lanes;
} report;
static report *shared;

// ------------------------------------------------------------------ one workload
// With these every one is run; and with one of the executors.
static const player players[] = { { OWN_POOL, 2 }, { OWN_POOL, 3 },  { OWN_POOL, 4 },
                                  { OWN_POOL, 8 }, { OWN_POOL, 16 }, { OWN_POOL, 1 } };
static const player guests[] = { { THREAD_PER_JOB, 4 },
                                 { DELAYED, 3 },
                                 { REFUSING, 4 },
#ifdef KEEL_TEST_TBB
                                 { ONE_TBB, 4 },
#endif
                                 { THREAD_PER_JOB, 2 } };
static const char *const manner_names[] = { "own pool",     "a thread per job", "delayed jobs",
                                            "refused jobs", "oneTBB",           "taken back",
                                            "one by one" };

static bool compare(const plan *p, const tables *t, player who, const keel_system **order,
                    const outcome *expected) {
    static outcome out;
    play(p, t, who, order, &out);
    ++shared->runs;
    for (uint32_t r = 0; r < p->rounds; ++r)
        shared->lanes += out.rounds[r].lanes;
    if (outcome_is_same(p, expected, &out)) return true;
    printf("with %u workers, %s\n", (unsigned)who.workers, manner_names[who.manner]);
    return false;
}

// keel_run does not say whose commands went wrong.
static bool compare_one_by_one(const plan *p, const tables *t, const keel_system **order,
                               const outcome *expected) {
    static outcome nameless;
    nameless = *expected;
    for (uint32_t r = 0; r < p->rounds; ++r)
        nameless.rounds[r].error.system[0] = 0;
    return compare(p, t, (player){ ONE_BY_ONE, 1 }, order, &nameless);
}

static bool run_plan(const plan *p) {
    static tables t;
    static outcome expected;
    const keel_system *order[SYSTEMS + 1] = { NULL };
    const keel_system *others[SYSTEMS + 1];
    tables_make(&t, p);
    play(p, &t, (player){ OWN_POOL, 1 }, order, &expected);
    bool plain = plan_is_plain(p) && order[0];
    for (uint32_t r = 0; r < p->rounds; ++r) {
        plain &= expected.rounds[r].result == KEEL_OK; // nothing was stopped
        shared->errors += expected.rounds[r].result == KEEL_ERROR_SYSTEM;
        shared->refused += expected.rounds[r].result == KEEL_ERROR_CYCLE ||
                           expected.rounds[r].result == KEEL_ERROR_UNKNOWN ||
                           expected.rounds[r].result == KEEL_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < sizeof players / sizeof *players; ++i)
        if (!compare(p, &t, players[i], others, &expected)) return false;
    const player guest = guests[p->number % (sizeof guests / sizeof *guests)];
    if (!compare(p, &t, guest, others, &expected)) return false;
    static const uint32_t some[] = { 1, 2, 3, 4, 8, 16 };
    const player back = { TAKEN_BACK, some[p->number % 6] };
    if (!compare(p, &t, back, others, &expected)) return false;
    return !plain || compare_one_by_one(p, &t, order, &expected);
}

// ------------------------------------------------------------------ in a process of its own
static int end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) exit(2);
    return status;
}

static pid_t begin_child(unsigned seconds) {
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) alarm(seconds); // a deadlock is a failure too
    return child;
}

static int status_of(const plan *p, uint32_t repeat, bool quiet) {
    const pid_t child = begin_child(SHRINK_SECONDS);
    if (child) return end_of(child);
    if (quiet && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        _exit(2);
    bool same = true;
    for (uint32_t i = 0; same && i < repeat; ++i)
        same = run_plan(p);
    fflush(NULL);
    _exit(same ? 0 : FAILED);
}

static int run_some(const options *o, uint64_t first, uint64_t end) {
    const pid_t child = begin_child(SECONDS);
    if (child) return end_of(child);
    for (shared->number = first; shared->number < end; ++shared->number) {
        static plan p;
        plan_roll(&p, o->seed, shared->number);
        if (run_plan(&p)) continue;
        fflush(NULL);
        _exit(FAILED);
    }
    _exit(0);
}

// ------------------------------------------------------------------ making it simpler
static void shrink(plan *p, uint32_t repeat) {
    printf("making it simpler ...\n");
    for (bool any = true; any;) {
        any = false;
        plan simpler = *p;
        for (uint32_t step = 0; plan_simplify(&simpler, step); ++step, simpler = *p) {
            if (memcmp(&simpler, p, sizeof simpler) == 0 || !status_of(&simpler, repeat, true))
                continue;
            *p = simpler;
            any = true;
        }
    }
    plan_print(p);
    (void)status_of(p, repeat, false);
}

static int failed(const options *o, int status) {
    static plan p;
    printf("workload %" PRIu64 " of seed %" PRIu64 " failed", shared->number, o->seed);
    if (WIFSIGNALED(status)) printf(", ended by signal %d", WTERMSIG(status));
    printf("; again: random_workloads --seed %" PRIu64 " --only %" PRIu64 "\n", o->seed,
           shared->number);
    plan_roll(&p, o->seed, shared->number);
    if (status_of(&p, o->repeat, true)) shrink(&p, o->repeat);
    else {
        plan_print(&p);
        printf("it did not fail again %u times\n", (unsigned)o->repeat);
    }
    return 1;
}

static int run_many(const options *o) {
    for (uint64_t at = o->first; at < o->first + o->workloads; at += AT_ONCE) {
        const uint64_t last = o->first + o->workloads;
        const int status = run_some(o, at, last - at < AT_ONCE ? last : at + AT_ONCE);
        if (status) return failed(o, status);
    }
    printf("%" PRIu64 " workloads, seed %" PRIu64 ": %" PRIu64 " runs are like the sequential one "
           "(%" PRIu64 " failing rounds, %" PRIu64 " refused, %" PRIu64 " threads used)\n",
           o->workloads, o->seed, shared->runs, shared->errors, shared->refused, shared->lanes);
    return 0;
}

// ------------------------------------------------------------------ options
static int usage(void) {
    fprintf(stderr, "usage: random_workloads [--workloads N] [--seed S] [--only NUMBER]\n"
                    "                        [--repeat TIMES]\n");
    return 2;
}

int main(int count, char **arguments) {
    options o = { .workloads = 200, .seed = 1, .repeat = 10 };
    for (int i = 1; i < count; i += 2) {
        const char *given = arguments[i + 1], *name = arguments[i];
        if (!given) return usage();
        const uint64_t number = strtoull(given, NULL, 10);
        if (strcmp(name, "--workloads") == 0) o.workloads = test_part(number);
        else if (strcmp(name, "--seed") == 0) o.seed = number;
        else if (strcmp(name, "--repeat") == 0) o.repeat = (uint32_t)number;
        else if (strcmp(name, "--only") == 0) o.first = number, o.workloads = 1;
        else return usage();
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    return run_many(&o);
}
