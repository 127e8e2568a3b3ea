// SPDX-License-Identifier: MIT
// What a running system has in hand.
#pragma once
#include "edit/commands.h"
#include "find/view.h"

struct keel_context {
    keel_world *world;
    const keel_system *system;
    keeli_view *view;        // its terms; its holder is what it may touch
    keeli_reader *reader;    // what it has seen; NULL: it cannot ask about changes
    uint64_t tick;           // of what it changes
    uint64_t place;          // in workloads
    keel_commands *commands; // NULL unless declared
    void *data;
    size_t data_size;
    bool failed, answer;
    const void *object; // of keel_fail
    char message[200];  // of keel_fail
};

// Run one system, and queue its commands when it succeeds. `answer` is for conditions, NULL
// otherwise.
keel_result keeli_run_system(keel_world *world, const keel_system *system, void *data,
                             size_t data_size, bool *answer);
