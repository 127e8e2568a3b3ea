// SPDX-License-Identifier: MIT
// What the programs with a planted fault have in common: a world with an inspector, a frame loop,
// names of entities. Each program plants one fault, which tests/web/inspector.mjs finds on the
// page.
#pragma once
#include <keel/keel.h>

// The address of all these programs has this token.
#define FAULT_TOKEN "a-token-of-programs-with-a-fault-0123456789"

enum { FAULT_FRAME = 300 }; // in which something happens once

// Makes a world with two workers. Ends the program if there is none.
keel_world *fault_create(const char *name);

// Adds an entity with a name, as in "ship 7".
keel_entity fault_add_named(keel_world *world, const char *name, int number);

// Runs 60 frames in a second, with an inspector at the port that the command line names, until the
// program is stopped. Destroys the world. Returns the exit status: 2 if the command line is wrong
// or the port is taken.
int fault_run(keel_world *world, const keel_workload *workload, int count, char *arguments[]);

// Keeps the processor busy, as a slow function does.
void fault_spin(double milliseconds);
