// SPDX-License-Identifier: MIT
/// @file track.h
/// Knowing what changed: tracking, readers, observers, reactive sets.
///
/// **Tracking** is asked for per component: `KEEL_COMPONENT(Health, .tracking = KEEL_TRACK_ALL)`,
/// or keel_track at run time; a view that asks for KEEL_MODIFIED(T) switches it on, too. Components
/// that are not tracked pay nothing. Four kinds of change are distinguished:
///
/// - *insertion*: an entity that had none got the component. It is no modification.
/// - *modification*: the value was overwritten, handed out to be changed (keel_get_mut), visited by
///   a loop that writes (KEEL_WRITE; KEEL_WRITE_MARKED only where the loop says so), or marked by
///   hand (keel_mark). Whether bytes differ is not looked at.
/// - *removal*: keel_remove and keel_move_entity took it, with its value.
/// - *deletion*: everything else that takes it away: keel_delete, deleting the entity, strip,
/// clear,
///   retain. The value is kept for readers.
///
/// **Since when** is a matter of who asks. A system sees all changes since its own last run, at the
/// same place of the same workload; the first time it sees everything; a change that it makes
/// itself it sees once: in the same run if it looks again, else not any more. Its commands are
/// applied after it, so it sees those the next time. A keel_reader sees all since its last
/// keel_reader_advance. Everybody else sees all since the last keel_clear_changes.
///
/// Insertions and modifications are found on living values, however late one looks: none is lost. A
/// component that was added and removed since the last look shows as removed (or deleted) only;
/// removed and added again: as both, removed and inserted.
///
/// Removals and deletions are kept in a log for each component. An entry is dropped when all that
/// read the log have passed it. When some do not come any more the log is full at its limit
/// (keel_set_limit); then the oldest is dropped, the log says once who holds it up,
/// and keel_missed tells a reader how many it did not see. Room is made while values are added:
/// deleting never needs memory.
///
/// **Observers** are called at once. They may look at everything (in a workload whoever edits what
/// is observed runs alone) and change nothing: views that write and systems that do are refused,
/// with KEEL_ERROR_SHARED. What they want changed they record in `event->commands`, which is
/// applied when the edit that called them is done (if a view or a system uses storages then: with
/// its commands). That edit calls observers again, to 64 times in a row: then the rest is dropped
/// with KEEL_ERROR_CYCLE.
///
/// Disabling and enabling a component is none of these changes: a disabled value is out of sight,
/// and comes back with what was known of it.
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------ tracking
/// Track more kinds of change of a component: keel_track. Values that are there already count as
/// inserted now. It cannot be switched off.
/// @param kinds KEEL_TRACK_* bits
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT for a unique (those are always tracked),
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_track_component(keel_world *world, const keel_component *component,
                                          uint32_t kinds);

/// The kinds of change that are tracked, as KEEL_TRACK_* bits.
KEEL_API uint32_t keel_tracked_kinds(const keel_world *world, const keel_component *component);

/// A point in time: what changed before is older, what changes from now on is later.
/// @threads the owner
KEEL_API uint64_t keel_tick(keel_world *world);

/// A time later than any, for keel_clear_changes: everything.
#define KEEL_NOW UINT64_MAX

/// Forget changes for those who look from outside of systems and without a reader:
/// keel_clear_changes. Systems and readers do not notice.
/// @param component also a unique
/// @param kinds KEEL_TRACK_* bits
/// @param tick of keel_tick: only what was before it is forgotten; KEEL_NOW: all of it
/// @return KEEL_OK, KEEL_ABSENT when the world does not know the component, KEEL_ERROR_ARGUMENT for
///   other bits, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_clear_component_changes(keel_world *world,
                                                  const keel_component *component, uint32_t kinds,
                                                  uint64_t tick);

/// The same for all components and uniques.
KEEL_API keel_result keel_clear_all_changes(keel_world *world, uint32_t kinds, uint64_t tick);

/// Keep at most so many removals and deletions of a component, keel_set_limit, or events of a type,
/// keel_set_event_limit; 65,536 unless set. What is too much goes, the oldest first.
/// @param component also a type of events
/// @param limit at least 1
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_THREAD
/// @threads the owner
KEEL_API keel_result keel_set_limit_of(keel_world *world, const keel_component *component,
                                       uint32_t limit);

/// Mark the value of an entity as modified: keel_mark.
/// @param scope a world: observers are notified; commands: when they are applied; a view or context
///   needs `write` or more, and notifies nobody
/// @return KEEL_OK, KEEL_ABSENT when the entity has none, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_mark_component(keel_scope *scope, keel_entity e,
                                         const keel_component *component);

/// Changes one value in place.
typedef void keel_patch_fn(void *value, void *data);

/// Change a value by a function, mark it as modified and tell observers: keel_patch.
/// @param patch cannot edit the world: KEEL_ERROR_SHARED
/// @return as keel_mark_component
/// @threads the owner
KEEL_API keel_result keel_patch_component(keel_world *world, keel_entity e,
                                          const keel_component *component, keel_patch_fn *patch,
                                          void *data);

/// Overwrite a value that must be there: keel_replace. Where it may be absent use keel_add.
/// @param scope a view or context must hold `write` or more for it
/// @param value handed over; NULL: zeros
/// @return as keel_mark_component; KEEL_ABSENT: nothing was done, `value` is still the caller's
/// @threads the owner
KEEL_API keel_result keel_replace_component(keel_scope *scope, keel_entity e,
                                            const keel_component *component, const void *value);

// ------------------------------------------------------------------ readers
// A keel_reader is somebody outside of systems who looks at changes from time to time, since the
// last time.
/// Make a reader. It has not seen anything: the first time it sees everything.
/// @param name for messages; copied
/// @return NULL when out of memory, and while several threads are at work (KEEL_ERROR_SHARED)
/// @threads the owner
KEEL_API keel_reader *keel_reader_create(keel_world *world, const char *name);
/// Forget a reader. NULL is allowed. The world's end forgets all. Refused while several threads are
/// at work, as is keel_reader_advance (KEEL_ERROR_SHARED is kept). Who uses it afterwards gets an
/// error (KEEL_ERROR_ARGUMENT), until another one is made.
KEEL_API void keel_reader_destroy(keel_reader *reader);
/// All that happened up to now is seen: next time the reader sees what comes from here on.
KEEL_API void keel_reader_advance(keel_reader *reader);

/// Which changes of the entity's value are there to see, as KEEL_TRACK_INSERTION and
/// KEEL_TRACK_MODIFICATION bits: keel_changes_of. 0 when the entity does not have it, and of what
/// is not tracked, which this does not begin.
/// @param e null for a unique: was it set where there was none, or changed?
/// @param component also a unique
/// @param scope a world: as somebody outside of systems sees it; a context, which must have
///   declared to read it: since the system's last run; a reader: since its last pass
KEEL_API uint32_t keel_changes_of_component(const keel_scope *scope, keel_entity e,
                                            const keel_component *component);

// ------------------------------------------------------------------ removals and deletions
/// One component that an entity lost. `value` is valid until the next edit of that component.
typedef struct keel_removal {
    keel_entity entity; ///< who had it; may be dead by now
    const void *value;  ///< what was deleted; NULL when it was removed
    uint64_t tick;      ///< when
    bool deleted;       ///< and not removed
} keel_removal;

/// A walk over them, in the caller's memory; every member but `removal` is private.
typedef struct keel_removal_walk {
    keel_removal removal;    ///< the current one
    const keel_world *world; ///< private; NULL: nothing to see
    uint64_t next;           ///< private
    uint64_t last;           ///< private
    uint64_t last_removed;   ///< private
    uint32_t number;         ///< private
    uint32_t kinds;          ///< private
    bool whole;              ///< private
} keel_removal_walk;

/// Begin a walk over what entities lost, oldest first: KEEL_EACH_REMOVED, or some kinds of it.
/// @param scope as keel_changes_of_component
/// @param kinds KEEL_TRACK_REMOVAL, KEEL_TRACK_DELETION or both; other KEEL_TRACK_* bits find
///   nothing, what is none is an error, KEEL_ERROR_ARGUMENT, and a walk over nothing
/// These kinds are tracked from the first walk on. In shared mode and while a workload runs that
/// cannot begin: KEEL_ERROR_SHARED, and a walk over nothing; declare `.tracking` or keel_track it.
KEEL_API keel_removal_walk keel_removals(keel_scope *scope, const keel_component *component,
                                         uint32_t kinds);
/// The next one, in `walk->removal`; false at the end.
KEEL_API bool keel_removal_next(keel_removal_walk *walk);

/// How many removals and deletions of the component were dropped before the scope saw them:
/// keel_missed. One that looks for the first time learns how many there ever were. Of a type of
/// events: how many were dropped since its last pass (of a system: run), keel_missed_events.
KEEL_API uint64_t keel_missed_component(const keel_scope *scope, const keel_component *component);

// ------------------------------------------------------------------ observers
/// What an observer is called for, as bits.
enum {
    KEEL_ON_INSERTED = 1,   ///< after it: all values of the edit are there, groups have them
    KEEL_ON_MODIFIED = 2,   ///< after an overwrite, keel_patch or keel_mark; loops and keel_get_mut
                            ///< only mark
    KEEL_ON_DELETED = 4,    ///< before it: the value can still be read
    KEEL_ON_REMOVED = 8,    ///< before it: the value can still be read. keel_move_entity: after it
    KEEL_ON_CREATED = 16,   ///< of keel_entities: after an entity got its first components
    KEEL_ON_DESTROYED = 32, ///< of keel_entities: before an entity is deleted, after
                            ///< KEEL_ON_DELETED for its components, which can still be read, as
                            ///< can whom it is related to and who to it
    KEEL_ON_ENTERED = 64,   ///< keel_observe_view: after the edit since which an entity matches
    KEEL_ON_LEFT = 128,     ///< keel_observe_view: before a component goes without which it does
                            ///< not match any more, or after one came that keeps it out
    KEEL_ON_PRESENT = 256,  ///< keel_observe_view, for the call itself: those that match already
                            ///< are notified as KEEL_ON_ENTERED, at once
    KEEL_ON_RELATED = 512,  ///< of a relation: after an edge came, and KEEL_ON_INSERTED or
                            ///< KEEL_ON_MODIFIED of its source
    KEEL_ON_UNRELATED = 1024 ///< of a relation: before an edge goes; where one of both is deleted,
                             ///< before anything else of that
};

/// What happened.
typedef struct keel_change {
    keel_world *world;               ///< to look at; edits are refused until the observer returns
    uint32_t kind;                   ///< one of KEEL_ON_*
    keel_entity entity;              ///< whose component it is
    const keel_component *component; ///< NULL for entities and views
    const void *value;               ///< of the component; NULL for entities, views and tags
    keel_entity other;               ///< KEEL_ON_RELATED, KEEL_ON_UNRELATED: the target; or null
    keel_commands *commands;         ///< to record edits, which are applied after the running one
} keel_change;

/// Called for each event.
typedef void keel_observer_fn(const keel_change *event, void *data);

/// Call a function whenever this happens to a component: keel_observe. Observers are called in the
/// order in which they came. The same function with the same data again: kinds are added to it.
/// @param component &keel_entities: whenever an entity is created or deleted
/// @param kinds KEEL_ON_* bits of components, and of edges of relations; of
///   keel_entities KEEL_ON_CREATED, KEEL_ON_DESTROYED
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (no function, no
///   such kind, a unique), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; also allowed in an observer
/// @threads the owner
KEEL_API keel_result keel_observe_component(keel_world *world, const keel_component *component,
                                            uint32_t kinds, keel_observer_fn *function, void *data);
/// Do not call it any more: keel_unobserve. Also allowed in an observer, itself included, unless a
/// workload called it.
/// @return KEEL_OK, KEEL_ABSENT when there is no such observer, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_unobserve_component(keel_world *world, const keel_component *component,
                                              keel_observer_fn *function, void *data);

/// Call a function whenever an entity enters or leaves what these terms match: exactly once each,
/// whatever the edit. What is true only in the middle of an edit is left out. Views are notified in
/// the order in which they came, entities by ascending index; who leaves because a component goes
/// is notified before that, with all components still there (keel_move_entity: after it). A deleted
/// entity leaves before KEEL_ON_DESTROYED. Disabling a component counts as losing it here, enabling
/// as getting it: that is what views see.
///
/// Entities that match already cause no notification, unless `kinds` has KEEL_ON_PRESENT; when they
/// leave they are. The same function with the same data and terms again: kinds are added. An
/// observed view borrows nothing. It ends with keel_unobserve_view, the world, or when a component
/// that it names is unregistered.
/// @param terms what must be there (KEEL_WITH, KEEL_READ and the like), KEEL_WITHOUT, KEEL_ANY_OF;
///   KEEL_OPTIONAL_READ and KEEL_ENTITY say nothing about who matches and are left out
/// @param kinds KEEL_ON_ENTERED, KEEL_ON_LEFT or both, and KEEL_ON_PRESENT
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (no function, no
///   such kind; terms about changes, uniques, custom views or access; nothing that must be there),
///   KEEL_ERROR_SHARED, in an observer too
/// @threads the owner
KEEL_API keel_result keel_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                                       keel_observer_fn *function, void *data);
/// Do not call this function with this data for any view any more. Also allowed in an observer.
/// @return KEEL_OK, KEEL_ABSENT when it observes none, KEEL_ERROR_SHARED
KEEL_API keel_result keel_unobserve_view(keel_world *world, keel_observer_fn *function, void *data);

// ------------------------------------------------------------------ reactive sets
/// From now on the world gives the tag `set` to entities when something happens to their `source`:
/// keel_collect. The tag is one like others: loops ask for KEEL_WITH(Set), keel_clear(world, Set)
/// empties it, an entity that is deleted leaves it, and everybody may add and take it.
///
/// It collects what observers are called for (KEEL_ON_*), before they are: single edits, bulk
/// edits, commands. Loops and keel_get_mut only mark, so they collect nothing; who wants to know
/// what loops wrote asks for KEEL_CHANGED. keel_move_entity and keel_copy_world insert in the
/// target, and do not take the rules along. An entity that is stripped loses its tags and then
/// comes to the sets that collect deletions.
///
/// A set may have many sources, a source many sets, and a set may be a source itself. An edit of a
/// source is an edit of its sets: it is refused while a view uses one of them, and systems that
/// edit the source take turns with those that look at the set. Room in the set is made when an
/// entity gets the source: no event is lost, and overwriting, marking and deleting the source never
/// need memory. Called again: kinds are added.
/// @param set a tag (no value) whose storage is KEEL_SPARSE_SET or KEEL_INDEXED, not bound to a
/// thread
/// @param source any component, keel_child too. Who has it already is not
///   collected. &keel_entities: entities that are created, however they are; creating one is an
///   edit of the set then, and makes room in it
/// @param kinds KEEL_ON_INSERTED, KEEL_ON_MODIFIED, KEEL_ON_DELETED, KEEL_ON_REMOVED; of
///   keel_entities KEEL_ON_CREATED: the dead are in no set, observers learn of them
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (a value, archetypes, .threads, a
///   unique, no such kind), KEEL_ERROR_CYCLE when the set fills the source, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, while a workload runs too
/// @threads the owner
KEEL_API keel_result keel_collect_component(keel_world *world, const keel_component *set,
                                            const keel_component *source, uint32_t kinds);
/// `source` fills `set` no longer: keel_stop_collecting. Whoever is in the set stays. Unregistering
/// either component does the same.
/// @return KEEL_OK, KEEL_ABSENT when it did not, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_stop_collecting_component(keel_world *world, const keel_component *set,
                                                    const keel_component *source);
/// What `set` collects of `source`: KEEL_ON_* bits, 0 for nothing.
KEEL_API uint32_t keel_collected_kinds(const keel_world *world, const keel_component *set,
                                       const keel_component *source);

/// Private: a function of keel_commands_call.
typedef keel_result keeli_command_fn(keel_world *world, void *data);
/// Private: who calls functions of the user's that C++ may leave by an exception, which must not
/// pass through C.
typedef struct keeli_guard {
    /// Private.
    void (*observe)(keel_observer_fn *function, const keel_change *event, void *data);
    /// Private.
    keel_result (*command)(keeli_command_fn *function, keel_world *world, void *data);
} keeli_guard;
/// Private: where `guard` is in use, or none (NULL), use `with` from now on.
/// @threads at start-up and at the end, while no world is at work
KEEL_API void keeli_exchange_guard(const keeli_guard *guard, const keeli_guard *with);
/// Private: an exception was caught. In a system it is its failure.
/// @return KEEL_ERROR_SYSTEM
KEEL_API keel_result keeli_caught(keel_world *world, const char *what);

/// @cond what keel_mark calls for a world
KEEL_API keel_result keeli_world_mark(keel_scope *world, keel_entity e,
                                      const keel_component *component);
/// @endcond

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_mark_component(scope, ...) KEELI_DIRECT(scope, keeli_world_mark, keel_mark_component)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_replace_component(scope, ...) keel_replace_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_changes_of_component(scope, ...) keel_changes_of_component(KEELI_TO_SEE(scope), __VA_ARGS__)
#define keel_removals(scope, ...) keel_removals(KEELI_TO_OPEN(scope), __VA_ARGS__)
#define keel_missed_component(scope, ...) keel_missed_component(KEELI_TO_SEE(scope), __VA_ARGS__)
/// @endcond
// clang-format on
