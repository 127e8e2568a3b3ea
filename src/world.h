// SPDX-License-Identifier: MIT
// The map of all state. A world owns everything below; each part says which file changes it.
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
    struct keeli_storage *order; // stands for the order of its members where something borrows it
    bool excludes;               // names it as what must not be there
} keeli_group_link;

// Functions to be called when something happens (follow/observers.c). One that was taken away while
// they are called has no function until all are through.
typedef struct keeli_observer {
    keel_observer_fn *function;
    void *data;
    uint32_t kinds; // KEEL_ON_*
} keeli_observer;

typedef struct keeli_observers {
    KEELI_ARRAY(keeli_observer) list; // in order of registration
    uint32_t kinds;                   // of all
} keeli_observers;

// A reactive set that collects what happens to a component (follow/reactive_set.c).
typedef struct keeli_collector {
    struct keeli_storage *set;
    uint32_t kinds; // KEEL_ON_*
} keeli_collector;

// What is known of the changes of one component (follow/changes.c).
typedef struct keeli_tracking {
    uint32_t kinds, kinds_then;     // KEEL_TRACK_*; of an image: those of the world at the take
    keeli_ticks inserted, modified; // with the base world->changes.tick_base
    keeli_queue removed;
    uint64_t now; // the tick of the system that writes it now; 0: world->changes.tick
    keeli_observers observers;
} keeli_tracking;

// What iterators found out about the order of a sparse set, so that the next one need not compare
// handles (find/scan_packed.c) or look at cells (find/gather.c): right as long as the sets' `moves`
// are these.
typedef struct keeli_same_order {
    const struct keeli_storage *leader; // its first `count` slots have the entities that slots
    uint32_t count, from;               // `from` and on have
    uint64_t moves, leader_moves;
} keeli_same_order;
typedef struct keeli_known_order {
    keeli_same_order same[2]; // as two others
    uint32_t oldest;          // of these
    uint32_t range;           // the first slots so far have consecutive ascending indices;
    uint64_t moves_of_range;
    bool range_ends; // the next one has another index
} keeli_known_order;

// A component or a unique, and how it is used now. world/registry.c makes and frees it;
// world/storage.h changes the values, but for fast paths (edit/) and groups.
// When values were written last, by block of 64 places (slots, indices or rows), in takes and
// restores (world->epoch). What moves values is not stamped: `moves` of sets and rows and `cleared`
// of bits tell of it, and who comes is not in the snapshot (rewind/blocks.c).
typedef struct keeli_stamps {
    uint32_t *items;
    uint32_t count; // no snapshot has a value behind them
    uint32_t all;   // everything was written then
    uint32_t from;  // they are kept since then; 0: they are not
    uint32_t vague; // ticks of modifications do not tell all that was written then
} keeli_stamps;

typedef struct keeli_storage {
    uint32_t flags;   // KEELI_IS_*: why an edit is more than the plain one; 0 for most
    int32_t borrow;   // 0 free, n readers, -1 one writer or editor (world/borrow.c)
    uint32_t size;    // of a value
    uint16_t ordinal; // among the world's components: its number in component_lists
    keel_storage kind;
    // A value that goes while others of its block of 64 stay takes no more than clearing its bit:
    // what it lies in knows blocks, or is its row, which goes elsewhere.
    bool goes_with_bit;
    bool has_handles;                  // of entities, in its described fields
    const struct keeli_set_root *root; // where values are, for all kinds: `set`, `indexed` or `row`
    keeli_presence presence;           // who has one
    keeli_presence disabled;           // whose value is kept out of sight
    keeli_sparse_set set;              // KEEL_SPARSE_SET
    keeli_known_order known;           // KEEL_SPARSE_SET
    keeli_indexed_set indexed;         // KEEL_INDEXED; disabled values of all
    keeli_row_component row;           // KEEL_ARCHETYPE
    keel_component component;          // owned copy; its slot points to `slot`
    keel_world *world;                 // whose it is, for hooks
    uint32_t slot;                     // process-wide number (data/component_index.h)
    int32_t iterating;                 // live iterators over it (find/iterate.c)
    uint32_t absent_writes;            // to entities that are not alive: counts (atomic)
    uint64_t user;                     // KEELI_IS_BOUND: the thread that uses it, if `borrow`
    void *unique;                      // uniques: the value, NULL before it is set
    keeli_queue *events;               // uniques that are a type of events: their queue
    uint64_t set_at, changed_at;       // uniques: the tick when it was set, and changed last
    uint64_t cleared_inserted, cleared_modified; // outside of systems, changes count from here
    struct keel_group *owner;                    // the group that orders its values, or NULL
    KEELI_ARRAY(keeli_group_link) groups; // all that name it: KEELI_IS_GROUPED when there are any
    KEELI_ARRAY(keeli_collector) collectors;           // sets that it fills: KEELI_IS_SOURCE
    KEELI_ARRAY(struct keeli_storage *) sources;       // what fills it, a set: KEELI_IS_SET
    KEELI_ARRAY(struct keeli_view_observer *) viewers; // that name it: KEELI_IS_IN_VIEW
    keeli_tracking tracking;                           // KEELI_IS_TRACKED, KEELI_IS_OBSERVED
    KEELI_ARRAY(struct keeli_storage *) required;      // with it, whoever requires which
    KEELI_ARRAY(struct keeli_storage *) required_by;   // KEELI_IS_REQUIRED when there are any
    struct keeli_relation *relation;    // that it is one of the two storages of, or NULL
    uint32_t position;                  // among the world's components in order of registration
    struct keeli_storage *next_by_name; // in the chain of its name
    keeli_stamps stamps;                // KEELI_IS_STAMPED
} keeli_storage;

// Have all in the levels a component? By what that depends on.
typedef struct keeli_level_fact {
    uint32_t slot, count; // of the component
    uint64_t cleared, edits, bindings;
    bool all;
} keeli_level_fact;
enum { KEELI_LEVEL_FACTS = 8 };

// All that have a target or sources in a relation, level by level
// (find/levels.c): those without a target by ascending index, then their sources, and so on. Those
// of one target lie side by side.
typedef struct keeli_levels {
    keeli_lock lock; // of who makes it
    bool is_made;
    uint64_t edits;                            // of the links, when it was made
    KEELI_ARRAY(keel_entity) entities;         // by place
    KEELI_ARRAY(uint32_t) targets;             // the place of the target; UINT32_MAX: none
    KEELI_ARRAY(uint32_t) starts;              // the first place of each level, and the end
    uint64_t made_at;                          // tick
    keeli_level_fact facts[KEELI_LEVEL_FACTS]; // what was asked last, by number of the component
    bool has_places;
    KEELI_ARRAY(uint32_t) places; // by index of the entity, `has_places`; UINT32_MAX: none
} keeli_levels;

// A relation (link/relation.c). Who has a target has its component; who has a source has one that
// is the world's own: nobody finds it, and who holds the first holds both.
typedef struct keeli_relation {
    keeli_storage *sources, *targets;
    keeli_edges edges;
    keeli_levels levels;         // of an acyclic one
    struct keeli_relation *next; // of the world
    uint64_t born;               // edits of its edges then: loops from before it are over
    bool is_simple;              // exclusive, in one direction, and without values
    bool is_acyclic;
} keeli_relation;

// The relations of a world, and the entities that a deletion takes along. A source of a relation
// with a rule may be taken along, so there is room for it in both lists since it got its target.
typedef struct keeli_relations {
    keeli_relation *all;          // the latest first
    keeli_relation *child;        // the hierarchy: keel_child, always there
    struct keeli_tree tree;       // what loops over it read
    keeli_relation *spare;        // of unregistered components: loops over them may still be open
    keel_on_delete of_children;   // the rule of `child`
    uint32_t rule_count;          // of relations whose .on_delete is not KEEL_UNRELATE
    KEELI_ARRAY(uint32_t) doomed; // while entities are deleted: others that are deleted with them
    KEELI_ARRAY(uint64_t) marks;  // bits by index: the entity is deleted or doomed
    keel_entity going;            // observers heard that it loses all that it has; mostly null
} keeli_relations;

enum {
    KEELI_IS_LINK = 1, // of a relation (link/relation.c) or keel_name (link/name.c), which change
                       // it; no verb of components does
    KEELI_IS_UNIQUE = 2,
    KEELI_HAS_HOOKS = 4,     // values are not plain bytes
    KEELI_IS_GROUPED = 8,    // a group follows its changes
    KEELI_HAS_DISABLED = 16, // `disabled` is not empty (world/storage.c)
    KEELI_IS_REQUIRED = 256, // by another component (world/required.c)
    KEELI_IS_BOUND = 32,     // has a rule about threads (world/threads.c)
    KEELI_IS_NAMED = 64,     // keel_child in a world that knows keel_name (world/names.c)
    KEELI_IS_OBSERVED = 128, // `tracking` has observers
    KEELI_IS_SOURCE = 512,   // reactive sets collect what happens to it (follow/reactive_set.c)
    KEELI_IS_SET = 1024,     // it is such a set
    KEELI_IS_IN_VIEW = 2048, // a view that names it is observed (follow/observers.c)
    KEELI_IS_MORE = 1 << 24, // than its bytes: has .required or .initial
    // than it was declared: what the compiler knows of typed verbs is not so
    KEELI_IS_STORED_OTHERWISE = 1 << 25,
    // a snapshot was taken: who writes a value stamps its block. Edits ask for no more because of
    // it (keeli_flags_of)
    KEELI_IS_STAMPED = 1 << 26,
    // in a world of templates: each edit asks keeli_may_edit, which counts it for the recipes
    KEELI_IS_TEMPLATE = 1 << 27,
    KEELI_HAS_RULE = 1 << 28, // of a relation with another .on_delete than KEEL_UNRELATE
    KEELI_KINDS_FROM = 12,    // and from this bit on the kinds of `tracking`
    KEELI_IS_TRACKED = KEEL_TRACK_ALL << KEELI_KINDS_FROM,
    KEELI_IS_MARKED = KEEL_TRACK_MODIFICATION << KEELI_KINDS_FROM, // who writes a value marks it
    // somebody is notified of what happens to its values
    KEELI_NOTIFIES = KEELI_IS_OBSERVED | KEELI_IS_SOURCE,
    // who follows what comes and goes
    KEELI_IS_WATCHED = KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_NOTIFIES | KEELI_IS_IN_VIEW
};
// What an edit has to ask about.
static inline uint32_t keeli_flags_of(const keeli_storage *s) {
    return s->flags & ~(uint32_t)KEELI_IS_STAMPED;
}
// What keel_get_mut reads of it.
_Static_assert(offsetof(keeli_storage, flags) == offsetof(struct keeli_storage_head, flags) &&
                   offsetof(keeli_storage, borrow) == offsetof(struct keeli_storage_head, borrow),
               "a storage begins as its head says");
_Static_assert((KEELI_IS_LINK | KEELI_IS_UNIQUE | KEELI_IS_BOUND | KEELI_IS_STORED_OTHERWISE) ==
                   KEELI_WRITE_ASKS,
               "flags are what keel_get_mut takes them for");

// One storage that a view or a system holds.
typedef struct keeli_use {
    keeli_storage *storage;
    keel_access access;
    int32_t inner; // in a system: how its own views use the storage, counted as in `borrow`
} keeli_use;

// What a view or a running system may touch, and its name for messages (world/borrow.c).
typedef struct keeli_holder {
    KEELI_ARRAY(keeli_use) uses;
    bool everything; // KEEL_TERM_MAY_EDIT_WORLD: all storages, and those to come
    bool is_system;
    bool open;
    uint32_t opened;             // views that were opened inside and are still open
    uint64_t serial;             // of the view's handle that opened it; 0: spare
    uint64_t tick;               // of what it changes; 0: world->changes.tick (follow/changes.h)
    struct keeli_holder *parent; // from what a view borrows: a system, a custom view, or NULL
    struct keeli_holder *prev, *next; // open holders of the world
    char name[64];
} keeli_holder;

// A stored workload (run/workload.c): names and steps are owned.
typedef struct keeli_stored_workload {
    struct keeli_stored_workload *prev, *next; // in order of addition
    struct keeli_stored_workload *next_in_bucket;
    struct keeli_schedule *schedules; // made ready to run, the latest first (run/schedule.c)
    char *name;
    KEELI_ARRAY(keel_step) steps; // `workload_name` of each is owned
    keel_workload table;          // what keel_find_workload hands out
} keeli_stored_workload;

typedef struct keeli_stored_workloads {
    keeli_stored_workload *first, *last; // in order of addition
    keeli_stored_workload *chosen;       // the default one; NULL: the first
    keeli_stored_workload **buckets;     // by name
    uint32_t count, bucket_count;
    uint32_t last_number;             // of a stored step
    struct keeli_schedule *schedules; // made ready to run, stored or not, the latest first
    struct keeli_timings *timings;    // NULL: none are kept (tell/timings.c)
} keeli_stored_workloads;

// The first error of a run in linear order, whoever met it first (world/report.c).
typedef struct keeli_first_error {
    keel_error error;
    uint32_t node, piece; // where it happened
} keeli_first_error;

// A thread that runs systems, and what it runs now (run/workers.h).
typedef struct keeli_worker {
    _Alignas(
        KEELI_LINE) struct keeli_worker *next; // of the world, when several threads are at work
    uint64_t thread;                           // its number (platform.h)
    bool is_taken;                             // a helper works on it
    uint32_t number;               // among those of one run; 0: the thread that began it
    uint32_t depth;                // systems that run inside each other on this thread
    const char *running;           // the innermost, or NULL
    struct keeli_workers *workers; // that it works for, or NULL
    uint32_t node;                 // of the schedule; UINT32_MAX: none
    uint32_t piece;                // of a loop that is split; otherwise 0
    keeli_first_error *first;      // where errors go; NULL: to the world
    struct keeli_inside *inside;   // what the innermost system has in hand, or NULL
    bool has_caught;               // an exception, while it applied commands
    keeli_arena scratch;           // keel_context_scratch
} keeli_worker;

// What a run or a loop takes on one thread and on several, and which way it goes (run/cost.c).
typedef struct keeli_cost {
    uint64_t one_ns, many_ns; // of a run, or of 1,024 items of a loop; 0: not measured yet
    uint64_t least_above;     // the least of those measured since it seems to be twice as much
    uint32_t above;           // how many these are
    uint32_t items;           // of the loop, when the ways were compared
    uint32_t wait;            // so many times more before the other way is looked at,
    uint32_t looks;           // and so many times more that way until it is decided
    uint32_t interval;        // between looks
    bool is_many;             // the way that it goes now
    bool is_first_look;
    uint8_t untimed; // loops that were too small to be measured
} keeli_cost;

// What a loop by direct call takes.
typedef struct keeli_loop_cost {
    keel_range_fn *range; // the loop: one of these two
    keel_span_fn *span;
    uint32_t grain;
    keeli_cost cost;
} keeli_loop_cost;

// Who follows all storages together; who follows one is kept there. Changed in follow/ only.
typedef struct keeli_followers {
    struct keel_group *groups;                  // the latest first (groups.c)
    struct keeli_view_observer *view_observers; // in order of registration (observers.c)
    uint32_t observed;  // storages with observers, entities included, and observed views
    uint32_t calling;   // observers are being called, so deep: their lists only grow
    uint32_t set_count; // reactive sets (reactive_set.c)
    KEELI_ARRAY(keeli_storage *) strip_sets; // to which an entity comes that is being stripped
    keel_commands *reaction; // what observers ask for; NULL: there was no observer yet
    // To be looked at when the edit is done (edit/commands.c):
    bool has_reactions; // observers asked for edits
    bool has_pending;   // entities may have entered or left observed views
    bool any_lost;      // observers were taken away while they were called
} keeli_followers;

// A list of recorded edits (edit/commands.c).
struct keel_commands {
    keel_scope scope;
    struct keel_commands *next; // in the queue of pending lists, or among the spare ones
    keel_world *world;
    keeli_arena arena; // records and the values they carry
    struct keeli_command *first, *last;
    // Where handles of new entities come from, set by the run layer; NULL: from the world.
    keel_result (*promise)(struct keel_commands *commands, keel_entity *out);
    // Makes a component known in the middle of a run; NULL: the world does.
    keeli_storage *(*enroll)(struct keel_commands *commands, const keel_component *component,
                             keel_result *result);
    void *source; // for both
    // What may be edited; count 0: everything. Set by the run layer from KEEL_COMMANDS(c, A, B).
    KEELI_ARRAY(const keeli_storage *) allowed;
    bool for_events; // nobody asked for commands: it holds the events of a system, until it ends
    uint64_t thread; // whose it is; 0: whoever has it
};

// Errors and the log (world/report.c).
typedef struct keeli_reports {
    keel_logger log;
    keel_misuse on_misuse;
    keel_error first, last; // since keel_clear_errors
    // The latest error, when it is that a call met an entity that is not alive: its words are made
    // when somebody asks (keel_last_error). NULL: `last` is the latest.
    const char *dead_call;
    uint64_t count; // of all that were kept (atomic)
    keel_entity dead_entity;
    const char *dead_system;
    keel_error dead;
    keeli_lock log_lock;
    uint64_t logger; // the thread that is in the user's logger; 0: none (atomic)
} keeli_reports;

// Why nothing may be edited through the world now, as bits of keel_world.refused. The message of
// each is in world/borrow.c.
enum {
    KEELI_REFUSED_SHARED = 1,     // by the user, between keel_share_begin and keel_share_end
    KEELI_REFUSED_RUNNING = 2,    // a workload runs
    KEELI_REFUSED_LOOPING = 4,    // a loop is split over several threads
    KEELI_REFUSED_OBSERVER = 8,   // an observer is called
    KEELI_REFUSED_ASKING = 16,    // another function of the user's that an edit asks
    KEELI_REFUSED_HOOK = 32,      // a hook or an allocator
    KEELI_REFUSED_DESTROYED = 64, // keel_world_destroy is at it
    KEELI_REFUSED_COPIED = 128,   // parts of it go into another world, or are visited; it is whole
    // the user's code that an edit calls
    KEELI_REFUSED_INSIDE =
        KEELI_REFUSED_OBSERVER | KEELI_REFUSED_ASKING | KEELI_REFUSED_HOOK | KEELI_REFUSED_COPIED
};

// Who uses storages now, and in which threads (world/borrow.c, threads.c).
typedef struct keeli_access_state {
    keeli_holder *holders;   // open ones
    uint32_t concurrent;     // several threads may be at work when above 0: locks and atomics count
    int32_t workload_depth;  // workloads that are being run
    keeli_lock lock;         // taken when `concurrent` for what several threads change
    keeli_lock edit_lock;    // taken then by edits through views and systems
    uint64_t editor;         // the thread that has it, or 0 (atomic)
    uint32_t edits_inside;   // its edits inside of its edit, by observers: they are refused
    uint32_t owned_storages; // how many have values that stay in the thread of the owner,
    uint64_t owner;          // which made or adopted the world
    bool is_image;           // of a snapshot: several threads may read it at once
} keeli_access_state;

// Which components there are (world/registry.c).
typedef struct keeli_registry {
    keeli_storage **by_name; // all of them, in chains by hash of the name
    uint32_t chain_count;
    KEELI_ARRAY(keeli_storage *) by_ordinal; // by their number in keel_world.lists; NULL: free
    KEELI_ARRAY(keeli_storage *) queues;     // those that are types of events (edit/events.c)
    keeli_storage *spare; // of unregistered components, empty, for columns that were kept
    uint64_t bindings;    // changes when what terms are bound to does: components, groups
} keeli_registry;

// Storages without values: each is borrowed instead of something that is no component.
typedef struct keeli_stand_ins {
    keeli_storage entities; // the list of entities
    keeli_storage handles;  // free handles, in graphs of workloads only (run/graph.c)
    keeli_storage rows;     // the rows of archetypes: an edit of one such component moves them
} keeli_stand_ins;

// Names of entities (world/names.c).
typedef struct keeli_names {
    keeli_storage *storage;     // keel_name; NULL: nobody was ever named
    struct keeli_name **chains; // by hash of parent and text
    uint32_t chain_count, count;
    uint64_t lost; // names of those who became roots, for the log
} keeli_names;

// Reading (find/).
typedef struct keeli_views {
    uint64_t serial;                     // counts views and iterators: old handles are noticed
    struct keeli_view *all;              // states, open or spare (view.c)
    struct keeli_iterator *iterators;    // states, live or spare (iterate.c)
    struct keeli_match *matches;         // which archetypes views match (plan.c)
    struct keeli_kept_lists *kept_lists; // of systems (kept_lists.c)
    size_t kept_bytes;                   // of all of them
    uint32_t any_inner;                  // some system had a view of its own, ever (atomic)
} keeli_views;

// Recorded edits, and the end of an edit (world/record.c, edit/commands.c).
typedef struct keeli_command_lists {
    keel_commands *own;                   // the world's own list
    keel_commands *pending, *pending_end; // lists to apply, in order
    keel_commands *spare;                 // empty lists
    keel_commands *shared;                // of threads, while the world is shared; later pending
    uint32_t used_lists, used_blocks;     // with records in this run (run/workers.c)
    uint64_t dropped;
    uint32_t last_count; // how many the last bulk removal took
    bool applying;
    bool reacting;    // what observers asked for is being applied
    uint32_t editing; // an edit that consists of edits is being made; so deep (follow/follow.h)
    // What remains to be done at the end of an edit. It applies edits, which end there too: the
    // pointer is the way up.
    void (*flush)(struct keel_world *world);
} keeli_command_lists;

// When things change, and who looks (follow/changes.c, reader.c).
typedef struct keeli_changes {
    uint64_t tick;      // of changes that are made now; one more after each run
    uint64_t serial;    // of the last reader, bound system or group; a snapshot knows them by it
    uint64_t tick_base; // what 32-bit ticks count from
    keeli_pointer_table system_readers; // of systems that are run by themselves: keeli_reader
    struct keel_reader *readers;        // of the user
    struct keel_reader *spare_readers;  // destroyed ones
} keeli_changes;

// Threads that run systems (run/).
typedef struct keeli_worker_state {
    keeli_worker own;        // in owner mode: what runs now (workers.h)
    keeli_worker *working;   // otherwise: all threads that run systems
    keel_executor executor;  // the user's, or that of `pool`; its worker_count is above all numbers
    uint32_t count;          // that may work at once; at most executor.worker_count
    uint32_t forks;          // keeli_fork_count, when `all` was looked at last
    bool is_child;           // of the process that made it: the executor's threads are the parent's
    bool may_spin;           // no more workers than cores: a short wait need not sleep
    keeli_pool pool;         // the world's own threads; none with an executor of the user's
    keeli_condition started; // with `access.lock`: a startup system has ended (execute.c)
    keeli_loop_cost loop_costs[16]; // by hash (loop.c)
    struct keeli_workers *all;      // who works on runs, busy or spare (workers.c)
} keeli_worker_state;

// What is called when the world was restored.
typedef struct keeli_on_restore {
    keel_restore_fn *function;
    void *data;
} keeli_on_restore;

struct keel_world {
    struct keeli_world_root
        root;            // storages by process-wide number (world/registry.c), for keel_get
    const void *library; // which copy of libkeel made it (keeli_library, registry.c)
    char *name;
    keeli_heap heap;
    keeli_reports reports;
    uint32_t refused; // KEELI_REFUSED_*: why edits through the world are refused; 0: they are not
    keeli_access_state access;

    keeli_entity_index entities;
    uint64_t emptied; // how often all entities went at once, or others came into an empty world
    keeli_archetypes archetypes;           // rows of all KEEL_ARCHETYPE components
    keeli_component_lists lists;           // which components each block of 64 indices has
    KEELI_ARRAY(keeli_storage *) storages; // of all components, in order of registration
    keeli_registry registry;
    keeli_stand_ins stand_in;
    keeli_relations relations;
    keeli_names names;

    keeli_followers followers;
    keeli_changes changes;
    keeli_command_lists commands;
    keeli_views views;
    keeli_pointer_table systems; // that were run by themselves, bound (run/system.c)
    keeli_worker_state workers;
    keeli_stored_workloads workloads;
    struct keel_snapshot *snapshots; // the latest first (rewind/snapshot.c)
    struct keeli_journal *journal;   // of the image of a history; otherwise NULL (rewind/journal.h)
    struct keel_world *templates;    // of prefabs; NULL: none were made (copy/prefab.c)
    int32_t template_edits;          // of a world of templates: asked whether they may be made
    KEELI_ARRAY(struct keeli_recipe *) recipes; // by index of the template (copy/recipe.c)
    // Goes up with each take and restore. Of a snapshot's image: the world's, when both were the
    // same last; 0: never.
    uint32_t epoch;
    KEELI_ARRAY(keeli_on_restore) on_restore;
};

// The kinds of scopes; 0 is none any more.
enum {
    KEELI_SCOPE_WORLD = 0x4b65656c,
    KEELI_SCOPE_VIEW,
    KEELI_SCOPE_COMMANDS,
    KEELI_SCOPE_CONTEXT,
    KEELI_SCOPE_READER,
    KEELI_SCOPE_ENDED, // of a system that has returned: its commands, in checked builds its context
    KEELI_SCOPE_RUNNING,  // a world whose systems run: they use their contexts
    KEELI_SCOPE_DESTROYED // seen while its memory was not given to others
};

// NULL, or in checked builds one that was destroyed.
static inline bool keeli_is_no_world(const keel_world *world) {
    return !world || (KEELI_CHECKED && world->root.scope.kind != KEELI_SCOPE_WORLD &&
                      world->root.scope.kind != KEELI_SCOPE_RUNNING);
}

// While systems run nobody uses the world itself but who runs alone.
static inline void keeli_world_open(keel_world *world, bool is_open) {
    world->root.scope.kind = is_open ? KEELI_SCOPE_WORLD : KEELI_SCOPE_RUNNING;
    world->root.reach = is_open ? world->root.storage_capacity : 0;
}

// Several threads loop on behalf of the owner: values may be written, nothing may be edited.
static inline bool keeli_world_is_looped(const keel_world *world) {
    return world->refused == KEELI_REFUSED_LOOPING;
}

// Is the caller the user's allocator, called by this thread for a world that several use?
static inline bool keeli_is_in_allocator(const keel_world *world) {
    return world->heap.shared && keeli_atomic_peek(&world->heap.caller) == keeli_thread_id();
}
// For what several threads change; mostly there is one.
static inline void keeli_world_lock(keel_world *world) {
    if (world->access.concurrent) keeli_lock_take(&world->access.lock);
}
static inline void keeli_world_unlock(keel_world *world) {
    if (world->access.concurrent) keeli_lock_give(&world->access.lock);
}

// The number of a new reader, bound system or group. Several threads may make some.
static inline uint64_t keeli_next_serial(keel_world *world) {
    return keeli_atomic_next(&world->changes.serial);
}
// A counter that several threads change; mostly there is one.
static inline void keeli_count(const keel_world *world, int32_t *counter, int32_t change) {
    if (world->access.concurrent) (void)keeli_atomic_add(counter, change);
    else *counter += change;
}

// ---- world/registry.c -----------------------------------------------------------------------
// Its address tells copies of the library in one process apart: each numbers components by itself.
extern const char keeli_library;
// The storage of a component whose number its descriptor has already; NULL elsewhere.
static inline keeli_storage *keeli_storage_known(const keel_world *world, const keel_component *c) {
    const uint32_t index = c && c->slot ? keeli_atomic_load(c->slot) : 0;
    return index < world->root.storage_capacity ? world->root.storages[index] : NULL;
}
// The storage of a component or unique, or NULL when the world does not know it.
static inline keeli_storage *keeli_storage_find(const keel_world *world, const keel_component *c) {
    const uint32_t known = c->slot ? keeli_atomic_load(c->slot) : 0;
    const uint32_t index = known ? known : keeli_component_find(c);
    if (!known && world->library != &keeli_library) return NULL; // numbered by somebody else
    return index < world->root.storage_capacity ? world->root.storages[index] : NULL;
}

// ---- world/record.c -------------------------------------------------------------------------
// An empty list for a system; NULL when out of memory.
keel_commands *keeli_commands_take(keel_world *world);
// One that is nobody's yet; and the list, without records, is nobody's any more.
keel_commands *keeli_commands_new(keel_world *world);
// The calling thread's, in shared mode; NULL when out of memory. And what they recorded is pending.
keel_commands *keeli_commands_of_thread(keel_world *world);
void keeli_commands_unshare(keel_world *world);
void keeli_commands_spare(keel_world *world, keel_commands *commands);
// Have so many spare lists, with memory for some records, and so many blocks for further ones.
bool keeli_commands_reserve(keel_world *world, uint32_t lists, uint32_t blocks);
// Move what the world's own list holds to the end of the queue. A spare list was made when it got
// its first record; false when a system has taken that one since and there is no memory for
// another.
bool keeli_commands_queue_own(keel_world *world);
// The system has ended: nothing more is recorded.
static inline void keeli_commands_close(keel_commands *commands) {
    commands->scope.kind = KEELI_SCOPE_ENDED;
    commands->promise = NULL;
    commands->enroll = NULL;
}
// The system has ended: queue what it recorded. The list is no longer the system's.
void keeli_commands_submit(keel_world *world, keel_commands *commands);
static inline bool keeli_commands_is_empty(const keel_commands *list) { return !list->first; }
// Is anything recorded that was not applied?
static inline bool keeli_commands_are_pending(const keel_world *world) {
    return world->commands.pending || world->commands.own->first;
}
size_t keeli_commands_bytes(const keel_world *world);
