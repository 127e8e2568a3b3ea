// SPDX-License-Identifier: MIT
// Plans are played: made into tables, run in worlds with different workers, and what comes out is
// compared.
#pragma once
#include "plan.h"

// ------------------------------------------------------------------ bodies.c
enum { KNOWN = 512 };

// What the bodies of the systems see; one plan is played at a time.
typedef struct stage {
    const plan *plan;
    keel_world *world;
    keel_entity known[KNOWN]; // handles of all ages
    uint32_t known_count, round, workers;
    keel_prefab prefab; // null where the plan has none
    uint64_t other;     // than the plan's are the inputs; 0: they are those
    bool delays;
    bool is_nameless;      // errors do not tell of which system
    uint64_t delays_drawn; // atomic
    int32_t owned;         // living things (atomic)
    int32_t faults;        // what should never be (atomic)
    struct {
        _Alignas(64) uint64_t sum; // of what this worker did: no two threads have one lane
    } lanes[KEEL_MAX_WORKERS];
} stage;
extern stage now;

extern const keel_component components[COMPONENTS], relations[RELATIONS], uniques[UNIQUES],
    events[EVENTS];

// The functions of system and condition number i.
typedef void chunk_body(const keel_chunk *chunk, keel_context *context);
typedef keel_result once_body(keel_context *context);
extern chunk_body *const chunk_bodies[SYSTEMS], *const condition_bodies[CONDITIONS];
extern once_body *const once_bodies[SYSTEMS];

// A value for a component that follows from `h`. It may own something, which is to be taken back
// when nobody takes it over.
typedef struct any_value {
    uint64_t words[137];
} any_value;
const void *value_of(any_value *v, uint32_t component, uint64_t h);
void value_take_back(const any_value *v, uint32_t component);
// Some edits of the owner's.
void edit_world(keel_world *world, uint64_t h, uint32_t count);

// ------------------------------------------------------------------ tables.c
typedef struct tables {
    char names[SYSTEMS][16], condition_names[CONDITIONS][16], labels[SYSTEMS + WORKLOADS][16];
    char orders[SYSTEMS][4][32];
    keel_term terms[SYSTEMS][TERMS + 1], condition_terms[CONDITIONS][4];
    const keel_component *others[SYSTEMS][TERMS][3];
    keel_system systems[SYSTEMS], conditions[CONDITIONS];
    keel_step steps[WORKLOADS][2 * SYSTEMS + WORKLOADS];
    keel_workload workloads[WORKLOADS];
} tables;

// The first workload is the outermost. Must not move afterwards.
void tables_make(tables *t, const plan *p);

// ------------------------------------------------------------------ play.c
// How a plan is run.
typedef enum manner {
    OWN_POOL,
    THREAD_PER_JOB,
    DELAYED,
    REFUSING,
    ONE_TBB,
    TAKEN_BACK, // frames are taken back and played again, with other inputs in between, too
    ONE_BY_ONE  // the systems in linear order with keel_run, where that is the same
} manner;

typedef struct player {
    manner manner;
    uint32_t workers;
} player;

// What can be seen after a round.
typedef struct seen {
    keel_result result;
    keel_error error;
    uint64_t hash, order, handles, dropped;
    uint64_t state; // of all that decides what happens next; 0 for ONE_BY_ONE
    uint64_t work;  // what all bodies saw
    uint32_t lanes; // workers that ran any; not compared
} seen;

enum { FAULT = 300 };
typedef struct outcome {
    seen rounds[MOST_ROUNDS];
    char fault[FAULT]; // what must never be; empty: nothing
} outcome;

// `order`: of the systems, in the order in which they run one by one; filled by other manners.
void play(const plan *p, const tables *t, player who, const keel_system **order, outcome *out);
// Print what is different; false when something is.
bool outcome_is_same(const plan *p, const outcome *a, const outcome *b);
