// SPDX-License-Identifier: MIT
// The map of all state: the structs of a world and of everything that it owns. It has no logic but
// short inline functions that several layers need; the comment of each struct names the file that
// changes it. Every file above src/data/ includes it.
#pragma once
#include "base/arena.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/archetype.h"
#include "data/component_index.h"
#include "data/edges.h"
#include "data/entity_index.h"
#include "data/indexed_set.h"
#include "data/presence.h"
#include "data/queue.h"
#include "data/sparse_set.h"
#include "data/ticks.h"

#include <keel/events.h>
#include <keel/parallel.h>
#include <keel/snapshot.h>
#include <keel/track.h>
#include <keel/workload.h>

// A group that names a component (follow/follow.h).
typedef struct keeli_group_link {
    struct keel_group *group;
    struct keeli_storage *order; // the storage that is borrowed in place of the group's order
    bool excludes;               // the group excludes entities with the component
} keeli_group_link;

// A function of the user's that is called on changes (follow/observers.c). An observer that is
// removed during a call keeps its place, without a function, until all observers were called.
typedef struct keeli_observer {
    keel_observer_fn *function;
    void *data;
    uint32_t kinds; // bits KEEL_ON_*
} keeli_observer;

typedef struct keeli_observers {
    KEELI_ARRAY(keeli_observer) list; // observers in order of registration
    uint32_t kinds;                   // union of the kinds of all observers
} keeli_observers;

// A reactive set that collects the entities of changes to a component (follow/reactive_set.c).
typedef struct keeli_collector {
    struct keeli_storage *set;
    uint32_t kinds; // bits KEEL_ON_*
} keeli_collector;

// The recorded changes of one component (follow/changes.c).
typedef struct keeli_tracking {
    uint32_t kinds;      // tracked kinds of changes, KEEL_TRACK_*
    uint32_t kinds_then; // in a snapshot's image: kinds that the world tracked when it was taken
    keeli_ticks inserted, modified; // ticks above world->changes.tick_base
    keeli_queue removed;            // log of removed values
    uint64_t now; // tick of the system that writes the component now; 0: world->changes.tick
    keeli_observers observers;
} keeli_tracking;

// Cached facts about the order of a sparse set, found by iterators. The next iterator need not
// compare handles (find/scan_packed.c) or look up cells (find/gather.c). A fact is valid while the
// counters `moves` of the sets equal the numbers stored with it.
typedef struct keeli_same_order {
    const struct keeli_storage *leader; // sparse set whose first `count` slots have the same
    uint32_t count, from;               // entities as the slots of this set from `from` on
    uint64_t moves, leader_moves;       // `moves` of this set and of `leader`
} keeli_same_order;
typedef struct keeli_known_order {
    keeli_same_order same[2]; // facts about the order of two other sets
    uint32_t oldest;          // the one of `same` that is overwritten next
    uint32_t range;           // number of first slots whose entity indices are consecutive
    uint64_t moves_of_range;  // `moves` of the set that `range` is valid for
    bool range_ends;          // the slot behind the range does not continue it
} keeli_known_order;

// The epoch (world->epoch) of the last write of each block of 64 places: slots, indices or rows. A
// snapshot copies only blocks that were written since it and the world were the same. Moves of
// values and new values have no stamps: rewind/blocks.h says how a snapshot notices them.
typedef struct keeli_stamps {
    uint32_t *items; // epoch by block
    uint32_t count;  // number of blocks that have a stamp; no snapshot has values in later blocks
    uint32_t all;    // epoch of the last write of every block at once
    uint32_t from;   // first epoch that the stamps are complete for; 0: nothing is stamped
    uint32_t vague;  // last epoch with a write that set no tick of a modification
} keeli_stamps;

// Cache: parts of the hash of a component (edit/hash.c), with the counters that invalidate them. In
// the image of a snapshot, which has no stamps, a take invalidates the parts of the blocks that it
// copies (rewind/blocks.c).
typedef struct keeli_hash_part {
    uint64_t sum;   // sum of the terms of a block of 64 places
    uint32_t epoch; // epoch of the computation; `sum` is valid while the block's stamp is older. In
                    // an image: 1 if `sum` is valid, otherwise 0
} keeli_hash_part;
typedef struct keeli_hash_cache {
    keeli_hash_part *parts;  // by block; all invalid when a counter that is copied below changes
    uint32_t count;          // number of parts, at most the number of stamps if there are any
    uint32_t values;         // copy of presence.count
    uint64_t cleared, moves; // copies of presence.cleared, and `moves` of the set or all rows
    uint64_t edge_sum, edge_edits; // sum of edges without values; invalid when edges.edits differs
} keeli_hash_cache;

// A component, unique or type of events of a world, with all its values. world/registry.c creates
// and frees it. world/storage.h changes the values, except for fast paths (edit/) and groups.
typedef struct keeli_storage {
    // Read by fast paths (`flags` and `borrow` by inline functions of users, too): stays first.
    uint32_t flags;     // bits KEELI_IS_*: reasons to take the general path; mostly 0
    int32_t borrow;     // 0 free, n readers, -1 one writer or editor (world/borrow.c)
    uint32_t size;      // bytes of a value
    uint16_t ordinal;   // number among the components of the world, used by component lists
    keel_storage kind;  // sparse set, indexed or archetype
    bool goes_with_bit; // clearing the bit in `presence` is all it takes to remove a value, as long
                        // as other values of its block of 64 remain
    bool has_handles;   // described fields of the component contain entity handles
    bool knows_padding; // the padding of values is known
    uint8_t *mask; // bit for each bit of a value that is not padding; NULL: there is no padding
    const struct keeli_set_root *root; // location of the values: in `set`, `indexed` or `row`
    keeli_presence presence;           // bit for each entity that has the component, enabled

    // Values.
    keeli_presence disabled;     // bit for each entity whose value is disabled
    keeli_sparse_set set;        // enabled values of KEEL_SPARSE_SET
    keeli_known_order known;     // cached facts about the order of `set`
    keeli_indexed_set indexed;   // enabled values of KEEL_INDEXED; disabled values of every kind
    keeli_row_component row;     // column of KEEL_ARCHETYPE
    void *unique;                // value of a unique; NULL before it is set
    keeli_queue *events;         // queue of a type of events; otherwise NULL
    uint64_t set_at, changed_at; // ticks when a unique was set, and when it changed last

    // Identity.
    keel_component component; // owned copy of the descriptor; its slot points to `slot`
    keel_world *world;        // owner, for hooks
    uint32_t slot;            // process-wide number (data/component_index.h)
    uint32_t position;        // place among the components of the world in order of registration
    struct keeli_storage *next_by_name; // next in the chain of the registry's table of names

    // Current use.
    int32_t iterating;      // number of live iterators over the component (find/iterate.c)
    uint32_t absent_writes; // counter of writes to entities that are not alive (atomic)
    uint64_t user;          // thread that has the borrow; only set with KEELI_IS_BOUND

    // Followers.
    uint64_t cleared_inserted, cleared_modified; // ticks of the latest keel_clear_changes: callers
                                                 // outside of systems see only later changes
    struct keel_group *owner;                    // group that orders the values, or NULL
    KEELI_ARRAY(keeli_group_link) groups;        // groups that name it: KEELI_IS_GROUPED
    KEELI_ARRAY(keeli_collector) collectors;     // reactive sets it adds to: KEELI_IS_SOURCE
    KEELI_ARRAY(struct keeli_storage *) sources; // components a reactive set collects from
    KEELI_ARRAY(struct keeli_view_observer *) viewers; // observed views of it: KEELI_IS_IN_VIEW
    keeli_tracking tracking;                           // KEELI_IS_TRACKED, KEELI_IS_OBSERVED

    // Relations to other components.
    KEELI_ARRAY(struct keeli_storage *) required;    // components it requires, directly or not
    KEELI_ARRAY(struct keeli_storage *) required_by; // requiring components: KEELI_IS_REQUIRED
    struct keeli_relation *relation; // relation whose sources or targets it holds, or NULL

    // Stamps of writes, for snapshots: KEELI_IS_STAMPED.
    keeli_stamps stamps;
    keeli_hash_cache hashed;
} keeli_storage;

// A cached answer: whether every entity of the levels has a component. The other members are the
// counters that the answer depends on; it is invalid once one of them differs.
typedef struct keeli_level_fact {
    uint32_t slot, count; // the component and its number of values
    uint64_t cleared, edits, bindings;
    bool all; // the answer
} keeli_level_fact;
enum { KEELI_LEVEL_FACTS = 8 };

// The entities of an acyclic relation, level by level (find/levels.c): first those without a target
// by ascending index, then their sources, and so on. The sources of one target are adjacent.
typedef struct keeli_levels {
    keeli_lock lock;                           // held by the thread that makes the levels
    bool is_made;                              // the arrays were filled and not freed since
    uint64_t edits;                            // `edits` of the relation's edges at that time
    KEELI_ARRAY(keel_entity) entities;         // entity by place
    KEELI_ARRAY(uint32_t) targets;             // place of the target by place; UINT32_MAX: none
    KEELI_ARRAY(uint32_t) starts;              // first place of each level, then the end
    uint64_t made_at;                          // tick at that time
    keeli_level_fact facts[KEELI_LEVEL_FACTS]; // latest answers, by number of the component
    bool has_places;                           // `places` is filled
    KEELI_ARRAY(uint32_t) places;              // place by index of the entity; UINT32_MAX: none
} keeli_levels;

// A relation (link/relation.c). An entity with a target has the component `sources`; an entity with
// sources has the component `targets`, which belongs to the world: users cannot find it, and
// borrowing `sources` borrows both.
typedef struct keeli_relation {
    keeli_storage *sources, *targets;
    keeli_edges edges;
    keeli_levels levels;         // if the relation is acyclic
    struct keeli_relation *next; // in the list of the world
    uint64_t born;               // `edges.edits` at registration; a loop that began earlier ends
    bool is_simple;              // exclusive, not symmetric, without values
    bool is_acyclic;
} keeli_relation;

// The relations of a world, and the state of a deletion that follows their rules (.on_delete). Each
// source of a relation with a rule has room in `doomed` and `marks`, made when it got its target:
// the deletion of the target may delete the source, too, and must not fail.
typedef struct keeli_relations {
    keeli_relation *all;          // list of all relations, the latest first
    keeli_relation *child;        // the hierarchy, keel_child; every world has it
    struct keeli_tree tree;       // pointers into `child` for loops over children
    keeli_relation *spare;        // unregistered relations; loops over them may still be open
    keel_on_delete of_children;   // rule of `child`
    uint32_t rule_count;          // number of relations with .on_delete other than KEEL_UNRELATE
    KEELI_ARRAY(uint32_t) doomed; // during a deletion: indices of entities that are deleted, too
    KEELI_ARRAY(uint64_t) marks;  // bit by index: the entity is deleted or in `doomed`
    keel_entity stripped;         // entity that is about to lose all its components, and whose
                                  // observers were notified of that; otherwise null
} keeli_relations;

// Bits of keeli_storage.flags. Most of them send an edit to its general path.
enum {
    KEELI_IS_LINK = 1,       // part of a relation (link/relation.c), or keel_name (link/name.c):
                             // only their verbs change it, verbs of components do not
    KEELI_IS_UNIQUE = 2,     // a unique or a type of events
    KEELI_HAS_HOOKS = 4,     // values are not plain bytes
    KEELI_IS_GROUPED = 8,    // groups name it
    KEELI_HAS_DISABLED = 16, // `disabled` is not empty (world/storage.c)
    KEELI_IS_BOUND = 32,     // a rule about threads exists (world/threads.c)
    KEELI_IS_NAMED = 64,     // keel_child in a world that knows keel_name (world/names.c)
    KEELI_IS_OBSERVED = 128, // `tracking` has observers
    KEELI_IS_REQUIRED = 256, // another component requires it (world/required.c)
    KEELI_IS_SOURCE = 512,   // reactive sets collect its changes (follow/reactive_set.c)
    KEELI_IS_SET = 1024,     // the component is a reactive set
    KEELI_IS_IN_VIEW = 2048, // an observed view names it (follow/observers.c)
    KEELI_KINDS_FROM = 12,   // number of the first of the bits that repeat `tracking.kinds`
    KEELI_IS_TRACKED = KEEL_TRACK_ALL << KEELI_KINDS_FROM,         // any kind of changes is tracked
    KEELI_IS_MARKED = KEEL_TRACK_MODIFICATION << KEELI_KINDS_FROM, // each write marks the value
    KEELI_IS_MORE = 1 << 24, // .required components or an .initial value exist
    // The storage is not what the descriptor declares, so that typed verbs cannot use what the
    // compiler knows.
    KEELI_IS_STORED_OTHERWISE = 1 << 25,
    // A snapshot exists, so each write stamps the block of the value. Edits do not need their
    // general path for it (keeli_flags_of).
    KEELI_IS_STAMPED = 1 << 26,
    // Belongs to a world of templates: each edit asks keeli_may_edit, which counts it for recipes.
    KEELI_IS_TEMPLATE = 1 << 27,
    KEELI_HAS_RULE = 1 << 28, // a relation with .on_delete other than KEEL_UNRELATE
    // Observers or reactive sets are notified of changes.
    KEELI_NOTIFIES = KEELI_IS_OBSERVED | KEELI_IS_SOURCE,
    // Followers need to know when values are added or removed.
    KEELI_IS_WATCHED = KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_NOTIFIES | KEELI_IS_IN_VIEW
};
// Returns the flags that an edit has to ask about.
static inline uint32_t keeli_flags_of(const keeli_storage *s) {
    return s->flags & ~(uint32_t)KEELI_IS_STAMPED;
}
// keel_get_mut, which users inline, reads these members and flags.
_Static_assert(offsetof(keeli_storage, flags) == offsetof(struct keeli_storage_head, flags) &&
                   offsetof(keeli_storage, borrow) == offsetof(struct keeli_storage_head, borrow),
               "keeli_storage must begin like struct keeli_storage_head");
_Static_assert((KEELI_IS_LINK | KEELI_IS_UNIQUE | KEELI_IS_BOUND | KEELI_IS_STORED_OTHERWISE) ==
                   KEELI_WRITE_ASKS,
               "KEELI_WRITE_ASKS (keel/view.h) must have the numbers of these flags");

// A storage that a view or a system borrows.
typedef struct keeli_use {
    keeli_storage *storage;
    keel_access access;
    int32_t inner; // in a system: use of the storage by its own views, counted as in `borrow`
} keeli_use;

// The storages that a view or a running system may use, and its name for messages
// (world/borrow.c).
typedef struct keeli_holder {
    KEELI_ARRAY(keeli_use) uses;
    bool everything; // KEEL_TERM_MAY_EDIT_WORLD: every storage, later ones included
    bool is_system;
    bool open;
    uint32_t opened;             // number of open views whose `parent` is this holder
    uint64_t serial;             // serial in the handle of the view that uses it; 0: spare
    uint64_t tick;               // tick of its changes; 0: world->changes.tick (follow/changes.h)
    struct keeli_holder *parent; // system or custom view that a view borrows from, or NULL
    struct keeli_holder *prev, *next; // open holders of the world
    char name[64];
} keeli_holder;

// A workload that the world stores (run/workload.c). Names and steps are owned copies.
typedef struct keeli_stored_workload {
    struct keeli_stored_workload *prev, *next; // in order of addition
    struct keeli_stored_workload *next_in_bucket;
    struct keeli_schedule *schedules; // schedules made from it, the latest first (run/schedule.c)
    char *name;
    KEELI_ARRAY(keel_step) steps; // `workload_name` of each is owned
    keel_workload table;          // result of keel_find_workload
} keeli_stored_workload;

struct keel_step_end;
typedef void keeli_watch_fn(const keel_world *world, const struct keel_step_end *end, void *data);

typedef struct keeli_stored_workloads {
    keeli_stored_workload *first, *last; // list in order of addition
    keeli_stored_workload *chosen;       // default workload; NULL: the first
    keeli_stored_workload **buckets;     // hash table by name
    uint32_t count, bucket_count;
    uint32_t last_number;             // number of the latest stored step
    struct keeli_schedule *schedules; // schedules of workloads that are not stored, latest first
    // Nodes of steps that have no schedule yet, but state from a snapshot that was read from bytes;
    // NULL: none (run/waiting.c)
    struct keeli_schedule *waiting;
    struct keeli_timings *timings; // measured times; NULL: none are recorded (tell/timings.c)
    // keel_watch_steps: called after each part of a workload, which then runs on one thread; or
    // NULL
    keeli_watch_fn *watch;
    void *watch_data;
} keeli_stored_workloads;

// The first error of a run in linear order, on whatever thread it happened (world/report.c).
typedef struct keeli_first_error {
    keel_error error;
    uint32_t node, piece; // place in the schedule, and piece of a split loop
} keeli_first_error;

// A thread that runs systems, and what it runs now (run/workers.h).
typedef struct keeli_worker {
    _Alignas(KEELI_LINE) struct keeli_worker *next; // next in the world, when several threads work
    uint64_t thread;                                // number of the thread (platform.h)
    bool is_taken;                                  // another thread works with it as a helper
    uint32_t number;               // number within its run; 0: the thread that began the run
    uint32_t depth;                // number of systems that run inside each other on this thread
    const char *running;           // name of the innermost system, or NULL
    struct keeli_workers *workers; // group of workers that it belongs to, or NULL
    uint32_t node;                 // node of the schedule; UINT32_MAX: none
    uint32_t piece;                // piece of a split loop; otherwise 0
    keeli_first_error *first;      // place for the first error of the run; NULL: the world
    struct keeli_inside *inside;   // commands and events of the innermost system, or NULL
    bool has_caught;               // an exception was caught while commands were applied
    keeli_arena scratch;           // memory of keel_context_scratch
} keeli_worker;

// Measured times of a run or a loop on one thread and on several threads, and the choice between
// these two ways (run/cost.c).
typedef struct keeli_cost {
    uint64_t one_ns, many_ns; // time of a run, or of 1,024 items of a loop; 0: not measured yet
    uint64_t least_above;     // least of the measurements that `above` counts
    uint32_t above;           // number of latest measurements in a row that took at least twice the
                              // known time
    uint32_t items;           // items of the loop when the two ways were compared
    uint32_t wait;            // number of runs until the next trial of the other way
    uint32_t looks;           // number of runs left in the present trial; 0: there is none
    uint32_t interval;        // runs between two trials
    bool is_many;             // the choice now: several threads
    bool is_first_look;       // the next measurement is the first of a trial
    uint8_t untimed;          // number of loops that were too small to be measured
} keeli_cost;

// The cost of a parallel loop that was called directly, not by a step of a workload.
typedef struct keeli_loop_cost {
    keel_range_fn *range; // the loop's function is either this
    keel_span_fn *span;   // or this
    uint32_t grain;       // number of items in a piece
    keeli_cost cost;
} keeli_loop_cost;

// Followers of all storages together; each storage has its own followers. Only follow/ changes it.
typedef struct keeli_followers {
    struct keel_group *groups;                  // list, the latest first (groups.c)
    struct keeli_view_observer *view_observers; // list in order of registration (observers.c)
    uint32_t observed;  // number of observed storages (entities included) and observed views
    uint32_t calling;   // depth of calls of observers; while above 0, lists of observers only grow
    uint32_t set_count; // number of reactive sets (reactive_set.c)
    KEELI_ARRAY(keeli_storage *)
    strip_sets;              // while an entity loses all its components: reactive
                             // sets that collect it at the end
    keel_commands *reaction; // edits that observers recorded; NULL: there was no observer yet
    // Work for the end of the edit (edit/commands.c):
    bool has_reactions; // observers recorded edits
    bool has_pending;   // entities may have entered or left observed views
    bool any_lost;      // observers were removed while they were called
} keeli_followers;

// A list of recorded edits (edit/commands.c).
struct keel_commands {
    keel_scope scope;
    struct keel_commands *next; // next in the queue of pending lists, or among the spare lists
    keel_world *world;
    keeli_arena arena; // memory of the records and the values in them
    struct keeli_command *first, *last;
    // Function that provides handles of new entities, set by the run layer; NULL: the world does.
    keel_result (*promise)(struct keel_commands *commands, keel_entity *out);
    // Function that registers a component in the middle of a run; NULL: the world does.
    keeli_storage *(*enroll)(struct keel_commands *commands, const keel_component *component,
                             keel_result *result);
    void *source; // data of both functions
    // Components that may be edited; count 0: all. Set by the run layer from KEEL_COMMANDS.
    KEELI_ARRAY(const keeli_storage *) allowed;
    bool for_events; // holds the events of a system that did not ask for commands
    uint64_t thread; // thread that may use it; 0: any
};

// Errors and the log (world/report.c).
typedef struct keeli_reports {
    keel_logger log;
    keel_misuse on_misuse;
    keel_error first, last; // errors since keel_clear_errors
    // Call of the latest error, if the error is that an entity is not alive: its message is only
    // written when the user asks for it (keel_last_error). NULL: `last` is the latest error.
    const char *dead_call;
    uint64_t count;          // number of all errors (atomic)
    keel_entity dead_entity; // the entity of the error of `dead_call`
    const char *dead_system; // name of the system that made this call, or NULL
    keel_error dead;         // this error with its message, as keel_last_error returned it
    keeli_lock log_lock;
    uint64_t logger; // thread that is in the user's logger; 0: none (atomic)
} keeli_reports;

// Bits of keel_world.refused: reasons why edits through the world are refused now. world/borrow.c
// has the message of each.
enum {
    KEELI_REFUSED_SHARED = 1,     // the user shares the world: keel_share_begin was called
    KEELI_REFUSED_RUNNING = 2,    // a workload runs
    KEELI_REFUSED_LOOPING = 4,    // a loop is split over several threads
    KEELI_REFUSED_OBSERVER = 8,   // an observer is called
    KEELI_REFUSED_ASKING = 16,    // an edit calls another function of the user's
    KEELI_REFUSED_HOOK = 32,      // a hook or an allocator is called
    KEELI_REFUSED_DESTROYED = 64, // keel_world_destroy runs
    KEELI_REFUSED_COPIED = 128,   // the world is copied to another one, or its values are visited;
                                  // no edit is half done
    // An edit calls the user's code.
    KEELI_REFUSED_INSIDE =
        KEELI_REFUSED_OBSERVER | KEELI_REFUSED_ASKING | KEELI_REFUSED_HOOK | KEELI_REFUSED_COPIED
};

// Borrows of storages, and the threads that use the world (world/borrow.c, threads.c).
typedef struct keeli_access_state {
    keeli_holder *holders;   // list of open holders
    uint32_t concurrent;     // above 0: several threads may work, so locks and atomics are needed
    int32_t workload_depth;  // number of workloads that run inside each other
    keeli_lock lock;         // guards state that several threads change, while `concurrent`
    keeli_lock edit_lock;    // guards edits through views and systems, while `concurrent`
    uint64_t editor;         // thread that has `edit_lock`, or 0 (atomic)
    uint32_t edits_inside;   // depth of edits that observers try within an edit; they are refused
    uint32_t owned_storages; // number of components whose values stay in the thread of the owner
    uint64_t owner;          // thread that created or adopted the world
    bool is_image; // the world is a snapshot's image, which several threads may read at once
} keeli_access_state;

// The known components (world/registry.c).
typedef struct keeli_registry {
    keeli_storage **by_name; // hash table of all components by name, with chains
    uint32_t chain_count;
    KEELI_ARRAY(keeli_storage *) by_ordinal; // component by `ordinal`; NULL: the number is free
    KEELI_ARRAY(keeli_storage *) queues;     // types of events (edit/events.c)
    keeli_storage *spare; // unregistered components, empty, as users may still have columns of them
    uint64_t bindings;    // counter of changes of components and groups that terms may refer to
} keeli_registry;

// Storages without values that are borrowed in place of state that is no component.
typedef struct keeli_stand_ins {
    keeli_storage entities; // stands for the list of entities
    keeli_storage handles;  // stands for the free handles, in graphs of workloads (run/graph.c)
    keeli_storage rows;     // stands for the rows of archetypes: editing one component in
                            // archetypes moves the values of all components of the row
} keeli_stand_ins;

// Names of entities (world/names.c).
typedef struct keeli_names {
    keeli_storage *storage;     // keel_name; NULL: no entity ever had a name
    struct keeli_name **chains; // hash table of names by parent and text, with chains
    uint32_t chain_count, count;
    uint64_t lost; // number of names lost by entities that became roots, for the log
} keeli_names;

// Views and iterators (find/).
typedef struct keeli_views {
    uint64_t serial; // number of the latest view or iterator, by which old handles are recognised
    struct keeli_view *all;              // states of views, open or spare (view.c)
    struct keeli_iterator *iterators;    // states of iterators, live or spare (iterate.c)
    struct keeli_match *matches;         // cache: archetypes that views match (plan.c)
    struct keeli_kept_lists *kept_lists; // cached lists of systems (kept_lists.c)
    size_t kept_bytes;                   // size of all of them
    uint32_t any_inner;                  // a system has had a view of its own (atomic)
} keeli_views;

// Recorded edits, and the end of an edit (world/record.c, edit/commands.c).
typedef struct keeli_command_lists {
    keel_commands *own;                   // the world's own list
    keel_commands *pending, *pending_end; // queue of lists to apply
    keel_commands *spare;                 // empty lists for reuse
    keel_commands *shared;                // lists of threads while the world is shared
    uint32_t used_lists, used_blocks;     // lists, and blocks of their memory, that this run used
    uint64_t dropped;                     // number of commands that had no effect
    uint32_t last_count;                  // result of keel_last_count
    bool applying;
    bool reacting;    // edits that observers recorded are being applied
    uint32_t editing; // depth of edits that consist of edits (follow/follow.h)
    // Function that does the remaining work at the end of an edit. It is called through a pointer,
    // as it applies edits and so belongs to a higher layer.
    void (*flush)(struct keel_world *world);
} keeli_command_lists;

// Time of changes, and their readers (follow/changes.c, reader.c).
typedef struct keeli_changes {
    uint64_t tick;      // tick of changes made now; each run raises it by one
    uint64_t serial;    // serial of the latest reader, bound system or group; snapshots identify
                        // these by it
    uint64_t tick_base; // 64-bit tick that 32-bit ticks are relative to
    keeli_pointer_table system_readers; // keeli_reader of each system that runs by itself
    KEELI_ARRAY(keeli_reader *)
    waiting;                           // readers of systems that have not run yet (changes.h);
                                       // their names are owned
    struct keel_reader *readers;       // readers of the user
    struct keel_reader *spare_readers; // destroyed readers
} keeli_changes;

// Threads that run systems (run/).
typedef struct keeli_worker_state {
    keeli_worker own;       // worker of the owner's thread, in owner mode (workers.h)
    keeli_worker *working;  // in other modes: list of all threads that run systems
    keel_executor executor; // the user's executor, or that of `pool`; its worker_count is above
                            // each worker's number
    uint32_t count;         // largest number of threads at once, up to executor.worker_count
    uint32_t forks;         // keeli_fork_count at the last check of `all`
    bool is_child;   // a child process has this copy: the executor's threads are in the parent
    bool may_spin;   // workers do not exceed cores, so a short wait may spin
    keeli_pool pool; // the world's own threads; empty with an executor of the user's
    keeli_condition started; // signals, with `access.lock`, that a startup system ended (execute.c)
    keeli_loop_cost loop_costs[16]; // hash table (loop.c)
    struct keeli_workers *all;      // groups of workers, busy or spare (workers.c)
} keeli_worker_state;

// A function of the user's that is called after each restore.
typedef struct keeli_on_restore {
    keel_restore_fn *function;
    void *data;
} keeli_on_restore;

struct keel_world {
    struct keeli_world_root
        root;            // storages by process-wide number (world/registry.c), for keel_get
    const void *library; // copy of libkeel that created it (keeli_library, registry.c)
    char *name;
    keeli_heap heap;
    keeli_reports reports;
    uint32_t refused; // bits KEELI_REFUSED_*: reasons to refuse edits through the world; 0: none
    keeli_access_state access;

    keeli_entity_index entities;
    struct {
        uint64_t sum;   // sum over all living entities; invalid when a copied count changes
        uint64_t frees; // copy of entities.frees
        uint32_t alive; // copy of the number of living entities
    } hashed_entities;  // cache (edit/hash.c)
    int32_t hashing;    // 1: a thread uses the caches of hashes; others do without (atomic)
    int32_t was_hashed; // in the image of a snapshot: 1 once it was hashed, so that each take makes
                        // room for cached parts (atomic)
    const struct keeli_runs *runs; // in the image of a snapshot: what the snapshot has beside it
    uint64_t emptied; // number of times that all entities were deleted at once, or that a world
                      // was copied into this one while it was empty
    keeli_archetypes archetypes;           // rows of all KEEL_ARCHETYPE components
    keeli_component_lists lists;           // components of each block of 64 indices
    KEELI_ARRAY(keeli_storage *) storages; // all components in order of registration
    keeli_registry registry;
    keeli_stand_ins stand_in;
    keeli_relations relations;
    keeli_names names;

    keeli_followers followers;
    keeli_changes changes;
    keeli_command_lists commands;
    keeli_views views;
    keeli_pointer_table systems; // bound systems that ran by themselves (run/system.c)
    keeli_worker_state workers;
    keeli_stored_workloads workloads;
    struct keel_snapshot *snapshots; // list, the latest first (rewind/snapshot.c)
    struct keeli_journal *journal;   // in the image of a history; otherwise NULL (rewind/journal.h)
    struct keel_world *templates;    // world of prefabs; NULL: none were created (copy/prefab.c)
    int32_t template_edits;          // in a world of templates: counter of edits, for recipes
    KEELI_ARRAY(struct keeli_recipe *) recipes; // by index of the template (copy/recipe.c)
    // Counter that each take and restore of a snapshot raises; 0: none yet. In the image of a
    // snapshot: the world's epoch when both were last the same; 0: never.
    uint32_t epoch;
    KEELI_ARRAY(keeli_on_restore) on_restore;
};

// The kinds of scopes. 0 is memory that is no scope.
enum {
    KEELI_SCOPE_WORLD = 0x4b65656c,
    KEELI_SCOPE_VIEW,
    KEELI_SCOPE_COMMANDS,
    KEELI_SCOPE_CONTEXT,
    KEELI_SCOPE_READER,
    KEELI_SCOPE_ENDED,    // commands of a system that has returned; in checked builds its context
    KEELI_SCOPE_RUNNING,  // a world whose systems run: they use their contexts
    KEELI_SCOPE_DESTROYED // a destroyed world, as long as its memory was not reused
};

// True if the world is NULL, or in checked builds was destroyed.
static inline bool keeli_is_no_world(const keel_world *world) {
    return !world || (KEELI_CHECKED && world->root.scope.kind != KEELI_SCOPE_WORLD &&
                      world->root.scope.kind != KEELI_SCOPE_RUNNING);
}

// Allows or stops the use of the world itself as a scope. While systems run, only a system that
// runs alone may use it.
static inline void keeli_world_open(keel_world *world, bool is_open) {
    world->root.scope.kind = is_open ? KEELI_SCOPE_WORLD : KEELI_SCOPE_RUNNING;
    world->root.reach = is_open ? world->root.storage_capacity : 0;
}

// True if several threads loop for the owner: values may be written, but nothing may be edited.
static inline bool keeli_world_is_looped(const keel_world *world) {
    return world->refused == KEELI_REFUSED_LOOPING;
}

// True if the caller is the user's allocator, called by this thread for a world that several
// threads use.
static inline bool keeli_is_in_allocator(const keel_world *world) {
    return world->heap.shared && keeli_atomic_peek(&world->heap.caller) == keeli_thread_id();
}
// Locks state that several threads may change. Costs one test while there is one thread.
static inline void keeli_world_lock(keel_world *world) {
    if (world->access.concurrent)
        keeli_lock_acquire(&world->access.lock);
}
static inline void keeli_world_unlock(keel_world *world) {
    if (world->access.concurrent)
        keeli_lock_release(&world->access.lock);
}

// Returns the serial of a new reader, bound system or group. Several threads may call it at once.
static inline uint64_t keeli_next_serial(keel_world *world) {
    return keeli_atomic_next(&world->changes.serial);
}
// Changes a counter that several threads may change. Costs one test while there is one thread.
static inline void keeli_count(const keel_world *world, int32_t *counter, int32_t change) {
    if (world->access.concurrent)
        (void)keeli_atomic_add(counter, change);
    else
        *counter += change;
}

// ---- world/registry.c -----------------------------------------------------------------------
// The address of keeli_library identifies this copy of the library. Two copies in one process
// number components differently, so a world can only be used through the copy that created it.
extern const char keeli_library;
// Returns the storage of a component whose descriptor already has a number; NULL otherwise.
static inline keeli_storage *keeli_storage_known(const keel_world *world, const keel_component *c) {
    const uint32_t index = c && c->slot ? keeli_atomic_load(c->slot) : 0;
    return index < world->root.storage_capacity ? world->root.storages[index] : NULL;
}
// Returns the storage of a component or unique, or NULL if the world does not know it.
static inline keeli_storage *keeli_storage_find(const keel_world *world, const keel_component *c) {
    const uint32_t known = c->slot ? keeli_atomic_load(c->slot) : 0;
    const uint32_t index = known ? known : keeli_component_find(c);
    if (!known && world->library != &keeli_library)
        return NULL; // the number of another copy of the library means nothing here
    return index < world->root.storage_capacity ? world->root.storages[index] : NULL;
}

// ---- world/record.c -------------------------------------------------------------------------
// Returns an empty list for a system; NULL when out of memory.
keel_commands *keeli_commands_acquire(keel_world *world);
// Creates a list that no system or thread uses yet; NULL when out of memory.
keel_commands *keeli_commands_new(keel_world *world);
// Returns the list of the calling thread while the world is shared; NULL when out of memory.
keel_commands *keeli_commands_of_thread(keel_world *world);
// Queues the lists of all threads: the world is not shared any more.
void keeli_commands_unshare(keel_world *world);
// Makes a list without records spare.
void keeli_commands_spare(keel_world *world, keel_commands *commands);
// Makes sure that there are this many spare lists, with memory for some records, and this many
// blocks for further records. False when out of memory.
bool keeli_commands_reserve(keel_world *world, uint32_t lists, uint32_t blocks);
// Moves the records of the world's own list to the end of the queue. A spare list was made when the
// own list got its first record. False if a system has used that spare list since and there is no
// memory for another one.
bool keeli_commands_queue_own(keel_world *world);
// Stops recording in the list of a system that has ended.
static inline void keeli_commands_close(keel_commands *commands) {
    commands->scope.kind = KEELI_SCOPE_ENDED;
    commands->promise = NULL;
    commands->enroll = NULL;
}
// Queues the list of a system that has ended. The system must not use it any more.
void keeli_commands_submit(keel_world *world, keel_commands *commands);
static inline bool keeli_commands_is_empty(const keel_commands *list) { return !list->first; }
// True if there are recorded commands that were not applied.
static inline bool keeli_commands_are_pending(const keel_world *world) {
    return world->commands.pending || world->commands.own->first;
}
size_t keeli_commands_bytes(const keel_world *world);
