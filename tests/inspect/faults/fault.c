// SPDX-License-Identifier: MIT
// The world, the frame loop and the inspector of a program with a planted fault. The programs
// beside this file call it.
#include "fault.h"
#include <keel_inspect.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES_KEPT = 600, FRAMES_PER_SECOND = 60, SECOND = 1000000000 };

static volatile sig_atomic_t fault_stopped;
static void fault_stop(int signal_number) {
    (void)signal_number;
    fault_stopped = 1;
}

static long long fault_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * SECOND + now.tv_nsec;
}

static void fault_wait(long long *due) {
    const long long now = fault_now();
    *due = *due > now - SECOND ? *due + SECOND / FRAMES_PER_SECOND : now;
    if (*due <= now) return;
    const struct timespec rest = { (time_t)((*due - now) / SECOND), (long)((*due - now) % SECOND) };
    nanosleep(&rest, NULL);
}

void fault_spin(double milliseconds) {
    const long long end = fault_now() + (long long)(milliseconds * 1e6);
    while (fault_now() < end) {}
}

keel_world *fault_create(const char *name) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .name = name, .worker_count = 2 });
    if (world) return world;
    fputs("there is no world: out of memory\n", stderr);
    exit(1);
}

keel_entity fault_add_named(keel_world *world, const char *name, int number) {
    char text[64];
    const keel_entity e = keel_add_entity(world);
    snprintf(text, sizeof text, "%s %d", name, number);
    keel_set_name(world, e, text);
    return e;
}

static void fault_loop(keel_world *world, const keel_workload *workload, keel_inspect *inspect) {
    long long due = fault_now();
    while (!fault_stopped) {
        if (keel_inspect_update(inspect) && keel_run_workload_of(world, workload, NULL) < 0)
            fprintf(stderr, "%s\n", keel_last_error(world)->message);
        fault_wait(&due);
    }
}

int fault_run(keel_world *world, const keel_workload *workload, int count, char *arguments[]) {
    const char *slash = strrchr(arguments[0], '/');
    const long port = count == 2 ? strtol(arguments[1], NULL, 10) : 0;
    const keel_inspect_desc desc = {
        .workload = workload,
        .program = slash ? slash + 1 : arguments[0],

        .port = (uint16_t)port,
        .token = FAULT_TOKEN,
        .allow_edits = true,
        .past = FRAMES_KEPT,
        .changes = true,
    };
    keel_inspect *inspect = NULL;
    signal(SIGINT, fault_stop);
    signal(SIGTERM, fault_stop);
    if (port < 1 || port > UINT16_MAX)
        fprintf(stderr, "usage: %s PORT; shows its fault at this port until it is stopped\n",
                arguments[0]);
    else if ((inspect = keel_inspect_begin(world, &desc, NULL)))
        fault_loop(world, workload, inspect);
    const bool has_run = inspect != NULL;
    keel_inspect_end(inspect);
    keel_world_destroy(world);
    return has_run ? 0 : 2;
}
