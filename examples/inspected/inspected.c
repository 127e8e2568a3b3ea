// SPDX-License-Identifier: MIT
// The inspector of an example, and the frames of one without a window.
#include "inspected.h"
#include <stdio.h>
#include <string.h>
#ifdef EXAMPLE_INSPECT
#include <keel_inspect.h>
#include <signal.h>
#include <time.h>

enum { FRAMES_KEPT = 300, FRAMES_PER_SECOND = 60, SECOND = 1000000000 };

const char *inspected_missing(void) { return NULL; }

bool inspected_begin(inspected *i, keel_world *world) {
    keel_error error;
    const keel_inspect_desc desc = {
        .workload = i->workload,
        .program = i->program,
        .token = *i->token ? i->token : NULL,
        .allow_edits = i->edits,
        .past = FRAMES_KEPT,
        .changes = true,
    };
    i->server = keel_inspect_begin(world, &desc, &error);
    if (!i->server) {
        fprintf(stderr, "%s: --inspect: %s\n", i->program, error.message);
        return false;
    }
    const char *fragment = strchr(keel_inspect_url(i->server), '#');
    if (fragment) snprintf(i->token, sizeof i->token, "%s", fragment + 1);
    return true;
}

bool inspected_update(inspected *i) { return keel_inspect_update(i->server); }

void inspected_end(inspected *i) {
    keel_inspect_end(i->server);
    i->server = NULL;
}

static volatile sig_atomic_t inspected_stopped;
static void inspected_stop(int signal_number) {
    (void)signal_number;
    inspected_stopped = 1;
}

static void inspected_listen(void) {
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    const struct sigaction action = { .sa_handler = inspected_stop };
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        sigaction(signals[k], &action, NULL);
}

static long long inspected_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * SECOND + now.tv_nsec;
}

bool inspected_wait(void) {
    static long long due;
    const long long now = inspected_now();
    if (!due) inspected_listen();
    due = due && due > now - SECOND ? due + SECOND / FRAMES_PER_SECOND : now; // who is late by a second does not hurry
    if (due > now) {
        const struct timespec rest = { (time_t)((due - now) / SECOND), (long)((due - now) % SECOND) };
        nanosleep(&rest, NULL);
    }
    return !inspected_stopped;
}

#else
const char *inspected_missing(void) {
    return "this program was built without the inspector, which needs libmicrohttpd and jansson (Debian: libmicrohttpd-dev "
           "libjansson-dev); build it again with them";
}

bool inspected_begin(inspected *i, keel_world *world) {
    (void)world;
    fprintf(stderr, "%s: --inspect: %s\n", i->program, inspected_missing());
    return false;
}

bool inspected_update(inspected *i) {
    (void)i;
    return true;
}

bool inspected_wait(void) { return false; }
void inspected_end(inspected *i) { (void)i; }
#endif
