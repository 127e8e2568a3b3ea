// SPDX-License-Identifier: MIT
// A byte string becomes calls of every exported function, with arguments of all kinds: living,
// null, stale, foreign and forged handles, components that the world knows, does not know or must
// refuse, every scope, open and nested views, calls from hooks, observers, commands and systems,
// and memory that runs out. Nothing may crash; what is checked besides stands in play.c.
#pragma once
#include "support/counting_allocator.h"

#include <keel/keel.h>

enum {
    FUZZ_WORLDS = 2,
    FUZZ_HANDLES = 64,
    FUZZ_VIEWS = 4,
    FUZZ_READERS = 2,
    FUZZ_SNAPSHOTS = 2,
    FUZZ_GROUPS = 4,
    FUZZ_STEPS = 5,
    FUZZ_WORKLOADS = 3,
    FUZZ_DEPTH = 3,      // of calls from inside of calls
    FUZZ_MANY = 48,      // entities of a list
    FUZZ_LARGEST = 2048, // bytes of the largest value
    FUZZ_MEMORY = 64 << 20,
    FUZZ_OWN_ERROR = -99 // that a command returns: a number of the user's own
};

typedef struct fuzz_view {
    keel_view view;
    keel_iterator iterator;
    keel_world *world; // that it was opened in; NULL: never, or ended
    uint32_t depth;    // at which it was opened: what is deeper must not end it
} fuzz_view;

// The state of one byte string. One at a time, and one thread: callbacks find it by itself.
typedef struct fuzz {
    const uint8_t *bytes;
    size_t left;
    bool trace;
    uint64_t calls, refused; // for the driver's last line
    const char *name;        // of the function that is called
    uint32_t depth;
    uint64_t before;    // the call: the state; 0: not asked for
    keel_result result; // the first error that fuzz_edit saw
    bool is_attacked;   // memory fails just now: hooks, observers and commands do nothing

    counting_allocator memory;
    size_t most; // bytes of memory, so that huge counts are refused and not paid for
    keel_world *worlds[FUZZ_WORLDS];
    bool shared[FUZZ_WORLDS];
    keel_entity handles[FUZZ_HANDLES]; // that were given out, by any world
    uint32_t handle_count;
    fuzz_view views[FUZZ_VIEWS];
    keel_reader *readers[FUZZ_READERS];
    keel_world *reader_worlds[FUZZ_READERS];
    keel_snapshot *snapshots[FUZZ_SNAPSHOTS];
    keel_ring *ring;
    keel_history *history;
    keel_prefab prefab;                     // the last template that was made, for whatever world
    keel_group *groups[FUZZ_GROUPS];        // destroyed ones, too
    keel_context *contexts[FUZZ_DEPTH + 1]; // by depth; NULL: no system runs there
    const keel_change *change;              // what an observer was told
    const keel_piece *piece;
    keel_step steps[FUZZ_WORKLOADS][FUZZ_STEPS];
    keel_workload workloads[FUZZ_WORKLOADS];
    keel_timings_cursor timings;
    keel_fixed_step clock;
} fuzz;

extern fuzz f;

// One exported function and how it is called; they find each other by FUZZ below.
typedef struct fuzz_call {
    const char *name;
    void (*run)(void);
} fuzz_call;
void fuzz_add(fuzz_call call);
// FUZZ(keel_strip) { fuzz_edit((keel_strip)(fuzz_scope(), fuzz_entity())); }
#define FUZZ(function)                                                                             \
    static void run_##function(void);                                                              \
    __attribute__((constructor)) static void add_##function(void) {                                \
        fuzz_add((fuzz_call){ #function, run_##function });                                        \
    }                                                                                              \
    static void run_##function(void)

// ------------------------------------------------------------------ play.c
// Play a byte string from an empty state to its end; aborts when something is not as it must be.
void fuzz_play(const uint8_t *bytes, size_t size, bool trace);
// Its parts, for other drivers: an empty state, one call out of bytes, the end.
void fuzz_begin(const uint8_t *bytes, size_t size, bool trace);
void fuzz_call_one(void);
void fuzz_end(void);
// A number for the state of all worlds; 0 when it cannot be asked for just now.
uint64_t fuzz_state(void);
// Aborts unless the structures of all worlds are whole.
void fuzz_check(void);
// Memory up to a limit, counted, that fails when asked to.
keel_allocator fuzz_allocator(void);
// The table, by name.
const fuzz_call *fuzz_calls(uint32_t *count);
// Some calls from inside of another one: of a hook, an observer, a system.
void fuzz_inside(keel_context *context);
// What a call that edits came to: an error must have changed nothing.
void fuzz_edit(keel_result result);
// Other calls prepared the one that is tried: an error of that one must leave the state of now.
void fuzz_prepared(void);
// The same of one that makes an entity: null is an error. The handle is kept.
keel_entity fuzz_made(keel_entity e);
// Keep a handle for later calls.
keel_entity fuzz_keep(keel_entity e);

// ------------------------------------------------------------------ failing.c
// Attack one function from `rounds` seeds on: each of its allocations fails, once and from there
// on. The number of failure points.
uint64_t fuzz_fail_allocations(const fuzz_call *call, uint64_t seed, uint64_t rounds);

// ------------------------------------------------------------------ choose.c
// All of them eat bytes; 0 when there are none left. Two of them in one call or initialiser would
// eat in an order that C leaves open: check_table.py fails.
uint32_t fuzz_byte(void);
uint32_t fuzz_below(uint32_t count);
bool fuzz_one_in(uint32_t count);
uint32_t fuzz_number(void); // mostly small, sometimes at the edges of 32 bits
keel_world *fuzz_world(void);
keel_scope *fuzz_scope(void); // of any kind; now and then NULL
keel_entity fuzz_entity(void);
keel_entity fuzz_forged(void);             // of any index and version
uint32_t fuzz_entities(keel_entity *list); // up to FUZZ_MANY
const keel_component *fuzz_component(void);
const keel_component *const *fuzz_list(void); // ends with NULL; valid until the next but one
const keel_component *fuzz_unique(void);
const keel_component *fuzz_relation(void);
const keel_component *fuzz_event(void);
const keel_term *fuzz_terms(void); // ends; valid until the next
const char *fuzz_text(void);
uint32_t fuzz_kinds(void); // bits
fuzz_view *fuzz_view_of(bool writable);
keel_group *fuzz_group(void);
const keel_workload *fuzz_workload(void);
const char *fuzz_workload_name(void);
const keel_run_desc *fuzz_run_desc(void);
const keel_step *fuzz_step(void);
const keel_system *fuzz_system(void);

// ------------------------------------------------------------------ types.c
extern const keel_component *const fuzz_relations[];
extern const uint32_t fuzz_relation_count;
extern const keel_component *const fuzz_components[];
extern const uint32_t fuzz_component_count;
extern const keel_component *const fuzz_uniques[];
extern const uint32_t fuzz_unique_count;
extern const keel_component *const fuzz_events[];
extern const uint32_t fuzz_event_count;
extern const keel_state *const fuzz_states[];
extern const keel_system *const fuzz_systems[];
extern const uint32_t fuzz_system_count;
extern const keel_system *const fuzz_condition;
extern const keel_custom_view *const fuzz_custom_views[];
extern const uint32_t fuzz_custom_view_count;

// Values that own memory: boxes that are out.
extern uint64_t fuzz_boxes;
extern volatile unsigned char fuzz_sink; // where bytes go that are read
// `count` values of the component side by side, valid until the next but one call; NULL for tags.
void *fuzz_values(const keel_component *component, uint32_t count);
// The values were not taken over: release what they own.
void fuzz_release(const keel_component *component, void *values, uint32_t count);
// A place for a value that is handed out; fuzz_release it when it was written.
void *fuzz_place(const keel_component *component);

// ------------------------------------------------------------------ callbacks
void fuzz_observer(const keel_change *change, void *data);
keel_result fuzz_command(keel_world *world, void *data);
bool fuzz_retain(keel_entity e, void *value, void *data);
void fuzz_patch(void *value, void *data);
int fuzz_compare_entities(const keel_world *world, keel_entity a, keel_entity b, void *data);
int fuzz_compare_values(const void *a, const void *b, void *data);
void fuzz_range(uint32_t begin, uint32_t end, const keel_piece *piece, void *data);
void fuzz_span(const keel_span *span, const keel_piece *piece, void *data);
void fuzz_combine(void *total, const void *partial, void *data);
