// SPDX-License-Identifier: MIT
// Threads that ask an inspector all kinds of things at once, for tests of threads and of what
// watching changes.
#pragma once
#include "program.h"

#include <pthread.h>
#include <stdatomic.h>

enum { WATCHERS = 10 };

typedef struct watchers {
    pthread_t threads[WATCHERS];
    uint16_t port;
    unsigned count;
    char ship[32];
    atomic_bool stop;
    atomic_uint next;   // number of the next thread
    atomic_ulong asked; // requests that were answered
    atomic_ulong wrong; // answers with a status that nobody expects
} watchers;

// Starts threads: the first two read streams, the third asks queries, then come three that ask
// everything, one that opens connections and closes them without waiting, one that asks for the
// page, one that asks for the past, and one that edits. `count` leaves out the last ones.
void watchers_begin(watchers *w, const program *p, unsigned count);
void watchers_end(watchers *w);
