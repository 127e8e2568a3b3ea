// SPDX-License-Identifier: MIT
// A random workload as plain data: what its systems touch, what they do, and how they are listed. A
// plan follows from a seed and a number; a failing one is made simpler piece by piece.
#pragma once
#include <keel/keel.h>

enum {
    SYSTEMS = 18,
    CONDITIONS = 4,
    TERMS = KEEL_MAX_TERMS,
    COMPONENTS = 13,
    NEEDY = 12, // brings IndexedA with it
    INDEXED_A = 5,
    RELATIONS = 3, // in a term: behind the components
    LIKES = COMPONENTS,
    LINKS = COMPONENTS + RELATIONS, // in a term: keel_child
    EVENTS = 2,
    UNIQUES = 4,   // the last one is never set
    WORKLOADS = 4, // the first is the outermost
    LABELS = 3,
    GROUPS = 3,
    MOST_ROUNDS = 4
};

// What a component is.
typedef struct component_plan {
    const char *name;
    keel_storage storage;
    uint32_t words; // of 8 bytes; 0: a tag
    bool is_owned;  // has hooks; systems only read it
    bool is_tracked;
} component_plan;
extern const component_plan component_plans[COMPONENTS];
extern const char *const relation_names[RELATIONS]; // the second has values, of 8 bytes

typedef enum body {
    BODY_ENTITY, // per entity
    BODY_SPAN,   // per span
    BODY_LOOP,   // once, with a view inside
    BODY_EDIT,   // once, adds and removes components at once
    BODY_CREATE, // once, makes entities at once
    BODY_WORLD   // once, has the whole world
} body;

typedef struct term_plan {
    keel_term_kind kind;
    uint32_t count;
    uint32_t components[3]; // or uniques, or events; a relation comes last
} term_plan;

typedef struct system_plan {
    bool is_used;
    body body;
    uint64_t seed;
    term_plan terms[TERMS];
    uint32_t term_count;
    uint32_t delays;      // one in so many chunks takes longer; 0: never
    uint32_t fails;       // one in so many entities; 0: never
    uint32_t fail_rounds; // a bit for each
    bool misuses;         // looks up what it did not declare, records what it may not
    // the step
    uint32_t workload;
    bool parallel, startup, main_thread, barrier;
    uint32_t run_if, skip_if;       // conditions + 1
    uint32_t skip_if_empty;         // component + 1
    uint32_t skip_if_missing;       // unique + 1
    uint32_t label;                 // 1 to LABELS; 0: none
    uint32_t after, before;         // systems + 1, in the same workload
    uint32_t after_all, before_all; // systems + 1
    uint32_t after_label;           // of the whole workload
} system_plan;

typedef struct condition_plan {
    uint64_t seed;
    uint32_t reads; // a unique
    bool writes;    // that one
    bool records;   // commands
    uint32_t fails; // in one of so many rounds; 0: never
} condition_plan;

// Workload n > 0 is a step of an earlier one, before the system `position`.
typedef struct nested_plan {
    bool is_used;
    uint32_t outer, position;
    bool sequential, main_thread, startup;
    uint32_t run_if, skip_if_missing, label;
} nested_plan;

typedef struct plan {
    uint64_t seed, number;
    uint32_t entities, rounds;
    uint32_t groups;  // a bit for each
    uint32_t missing; // components that nobody has at first: a bit for each
    bool creates;     // commands may create entities
    bool is_wide;     // has relations, prefabs, events, and looks at changes
    system_plan systems[SYSTEMS];
    condition_plan conditions[CONDITIONS];
    nested_plan nested[WORKLOADS]; // the first is not used
} plan;

// splitmix64
uint64_t mix(uint64_t a, uint64_t b);

void plan_roll(plan *p, uint64_t seed, uint64_t number);
void plan_print(const plan *p);
// Make one thing of it simpler: the one that belongs to `step`, which may be nothing. False when
// there are no more steps.
bool plan_simplify(plan *p, uint32_t step);
// Can it be compared with its systems run one by one? Handles then do not come from stocks.
bool plan_is_plain(const plan *p);
