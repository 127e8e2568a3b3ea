// SPDX-License-Identifier: MIT
// A program with a frame loop on a thread of its own, and an inspector: what the tests of
// keel::inspect ask over sockets. Each test starts its own on a free port.
#pragma once
#include <keel/keel.h>
#include <keel_inspect.h>

#include <pthread.h>
#include <stdatomic.h>

#define PROGRAM_TOKEN "0123456789abcdef0123456789abcdef"
// An entity has this name, which would be markup if a page pasted it.
#define PROGRAM_MARKUP "<img src=x onerror=alert(1)>"

typedef struct program program;
typedef void program_fn(program *p);

struct program {
    keel_world *world;
    keel_inspect *inspect;
    uint16_t port;
    pthread_t thread;
    atomic_bool stop;
    atomic_bool sleeps;           // the loop does not call keel_inspect_update
    _Atomic(program_fn *) called; // what the loop does before its next update
    atomic_ulong frames;          // frames that ran
    keel_view view;               // of program_open_view
    uint64_t hash;                // of program_hash
    keel_entity fleet, ship, markup;
};

// The options that differ from those of an inspector with `.allow_edits` and PROGRAM_TOKEN on a
// free port.
typedef struct program_desc {
    keel_inspect_desc inspect;
    uint32_t workers; // default 1
    bool is_read_only;
} program_desc;

// Makes a world with a fleet, a ship, and 200 entities, without an inspector.
keel_world *program_world(program *p, uint32_t workers);
// Runs one frame of the program's workload.
void program_frame(keel_world *world);
// Makes the world, begins the inspector and starts the loop; and without the loop.
void program_begin(program *p, const program_desc *desc);
void program_prepare(program *p, const program_desc *desc);
void program_run(program *p);
// Stops the loop, if it runs; ends the inspector, and destroys the world.
void program_end(program *p);
void program_stop(program *p);
// Has the loop call a function between two frames, and waits until it has.
void program_call(program *p, program_fn *function);
// For program_call: opens a view that writes Position, ends it, and hashes the world.
program_fn program_open_view, program_end_view, program_hash;
// Returns a port that nobody listens on.
uint16_t program_free_port(void);
// Returns the handle of an entity as the protocol writes it. Valid until the eighth next call.
const char *program_handle(keel_entity entity);
