// SPDX-License-Identifier: MIT
// How keel_cost measures: a case is a loop over some operations. It runs twice in one world, and
// callgrind counts the instructions of the second pass. tools/cost runs the program and reads them.
#pragma once
#include "kernel.h"

#include <string.h>

enum { COST_COUNT = 1024 }; // entities of a case, and mostly its operations

// Who follows the components of a case.
typedef enum cost_follower {
    COST_PLAIN,    // nobody
    COST_GROUPED,  // a group: it owns sparse sets, and asks for values of other storages
    COST_TRACKED,  // all kinds of changes are kept
    COST_OBSERVED, // a function is called for everything that happens to a value
    COST_FOLLOWERS
} cost_follower;

typedef struct cost_run {
    keel_world *world, *other; // `other`: where entities move to
    keel_group *group;         // COST_GROUPED
    uint64_t sum;              // of what was read, so that it is read
    keel_entity e[COST_COUNT];
} cost_run;

// `operations` of it: the result is KEEL_OK, or else the program ends with an error.
typedef keel_result cost_pass(cost_run *run);

typedef struct cost_case {
    const char *name; // of a row in docs/reference/cost.md
    cost_pass *pass;
    cost_pass *before;   // each pass; NULL: nothing
    int components;      // that `e` have before each pass, 0 to 3; COST_FRESH, COST_RECYCLED
    uint32_t operations; // 0: COST_COUNT
    uint32_t followers;  // COST_ONCE or COST_TICKS; 0: it is measured with all
    uint32_t storages;   // 1 << keel_storage that it is measured with; 0: all
} cost_case;

enum {
    COST_FRESH = -1,    // indices that were never used, beside the entities of the pass before
    COST_RECYCLED = -2, // indices of entities that were deleted in ascending order
    COST_ONCE = 1 << COST_PLAIN,
    COST_TICKS = 1 << COST_TRACKED
};

// Cases that share their components.
typedef struct cost_table {
    const char *name;     // in docs/reference/cost.md
    keel_storage storage; // of the components
    const cost_case *cases;
    size_t count;
    // Makes the components known to both worlds, and who follows them.
    void (*follow)(cost_run *run, cost_follower follower);
    // Makes entities that have the first ones.
    void (*populate)(keel_world *world, keel_entity *e, uint32_t n, int components);
} cost_table;

void cost_measure(const cost_table *table);

extern const cost_table cost_table_sparse, cost_table_indexed, cost_table_archetype;

// A function of this name that makes one operation for each of run->e; in the body `world`, `e`,
// its number `i` and `run`.
#define COST_EACH(name)                                                                            \
    static inline keel_result name##_one(cost_run *run, keel_world *world, keel_entity e,          \
                                         uint32_t i);                                              \
    static keel_result name(cost_run *run) {                                                       \
        int results = 0;                                                                           \
        for (uint32_t i = 0; i < COST_COUNT; ++i)                                                  \
            results |= name##_one(run, run->world, run->e[i], i);                                  \
        return (keel_result)results;                                                               \
    }                                                                                              \
    static inline keel_result name##_one(KEELI_UNUSED cost_run *run,                               \
                                         KEELI_UNUSED keel_world *world,                           \
                                         KEELI_UNUSED keel_entity e, KEELI_UNUSED uint32_t i)

// The result of creating run->e[i].
static inline keel_result cost_made(cost_run *run, uint32_t i, keel_entity e) {
    run->e[i] = e;
    return keel_is_null(e) ? KEEL_ERROR_MEMORY : KEEL_OK;
}
// The result of looking at something that must be there, and reading it.
static inline keel_result cost_seen(cost_run *run, const void *value) {
    if (!value) return KEEL_ABSENT;
    run->sum += *(const unsigned char *)value;
    return KEEL_OK;
}
