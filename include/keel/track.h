// SPDX-License-Identifier: MIT
/// @file track.h
/// Changes: tracking, readers, observers and reactive sets. With tracking, a program asks which
/// values have changed since a point in time; an observer is called at the moment of the change.
///
/// **Tracking** is switched on per component: `KEEL_COMPONENT(Health, .tracking = KEEL_TRACK_ALL)`,
/// or keel_track at run time. A view that asks for KEEL_MODIFIED(T) switches it on, too. Components
/// that are not tracked pay nothing. There are four kinds of change:
///
/// - *insertion*: an entity that lacked the component got it. It is no modification.
/// - *modification*: the value was overwritten, returned by keel_get_mut for changing, visited by a
///   loop that writes (KEEL_WRITE; with KEEL_WRITE_MARKED only the values that the loop marks), or
///   marked by hand (keel_mark). The bytes are not compared.
/// - *removal*: keel_remove removed the component and returned its value to the caller, or
///   keel_move_entity moved it to another world.
/// - *deletion*: the component was removed in any other way: by keel_delete, keel_strip, keel_clear
///   or keel_retain, or because its entity was deleted. The value is kept for readers.
///
///     KEEL_EACH(world, KEEL_CHANGED(Health), KEEL_READ(Health, health)) draw_bar(health);
///     KEEL_EACH_REMOVED(world, Health, removal) hide_bar(removal.entity);
///     keel_clear_changes(world, Health, KEEL_TRACK_ALL, KEEL_NOW);
///
/// **The period.** A scope sees the changes of a period, which depends on the kind of scope. A
/// system sees all changes since its own last run, at the same place of the same workload. In its
/// first run it sees everything. A change that the system makes itself is only seen in the same
/// run, by a loop that begins after the change. The commands of a system are applied after it, so
/// it sees their changes in its next run. A keel_reader sees all changes since its last
/// keel_reader_advance. All other code sees the changes since the last keel_clear_changes.
///
/// **What can be missed.** Insertions and modifications are stored with the values that exist, so
/// none of them is lost, however long a period is. A component that was added and removed in one
/// period is only seen as removed (or deleted). A component that was removed and added again is
/// seen as both removed and inserted. Removals and deletions are kept in a log for each component.
/// An entry is dropped when it lies before the periods of all readers and systems that read the
/// log. If a reader never begins a new period, the log fills up to its limit (keel_set_limit). Then
/// the oldest entry is dropped, a log line names the reader once, and keel_missed returns how many
/// entries a reader did not see. Room is made while values are added, so deleting never needs
/// memory.
///
/// **Observers** are called at once, in the middle of an edit. An observer may read everything, and
/// change nothing: views that write and systems that write are refused with KEEL_ERROR_SHARED. It
/// records its edits in `event->commands`. They are applied at the end of the edit that called the
/// observer. If a view or a system uses storages at that time, they are applied together with its
/// commands. Applying them may call observers, which may record edits again. After 64 such rounds
/// the remaining edits are dropped with KEEL_ERROR_CYCLE. In a workload, no other system runs
/// beside a system that edits observed components.
///
/// Disabling or enabling a component is none of these four changes. A disabled component keeps the
/// changes that were tracked for it.
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------ tracking
/// Switches on tracking of more kinds of change of a component. Typed: keel_track. Values that
/// exist already count as inserted now. Tracking cannot be switched off.
/// @param kinds KEEL_TRACK_* bits
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT for a unique (uniques are always
///   tracked), KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_track_component(keel_world *world, const keel_component *component,
                                          uint32_t kinds);

/// Returns the kinds of change that are tracked, as KEEL_TRACK_* bits; for the image of a snapshot,
/// those that its world tracked when it was taken. Typed: keel_tracked.
KEEL_API uint32_t keel_tracked_kinds(const keel_world *world, const keel_component *component);

/// Returns the tick of the last insertion or modification of a value. Typed: keel_change_tick. Each
/// run of a system has a tick of its own, which its timing has, too (`tick` of keel_timing): so the
/// answer tells which system changed the value last, or visited it to write. A change outside of
/// systems has the tick of the world at that time (keel_tick).
/// @param component also a unique, for which `e` is ignored
/// @return 0 when the change was not tracked, the entity lacks the component or is not alive, or
/// the
///   unique is not set
/// @threads the owner
KEEL_API uint64_t keel_change_tick_of_component(const keel_world *world, keel_entity e,
                                                const keel_component *component);

/// Returns a point in time: changes before the call have this tick or a lower one, later changes
/// have a higher one. While a workload runs or the world is in shared mode, time stands still.
/// @threads the owner
KEEL_API uint64_t keel_tick(keel_world *world);

/// A tick later than all others, for keel_clear_changes: forget everything.
#define KEEL_NOW UINT64_MAX

/// Forgets changes, for code outside of systems that uses no reader: such code does not see them
/// any more. Systems and readers still see them. Typed: keel_clear_changes.
/// @param component also a unique
/// @param kinds KEEL_TRACK_* bits
/// @param tick an answer of keel_tick: only the changes before it are forgotten; KEEL_NOW: all
///   changes
/// @return KEEL_OK, KEEL_ABSENT when the world does not know the component, KEEL_ERROR_ARGUMENT for
///   other bits, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_clear_component_changes(keel_world *world,
                                                  const keel_component *component, uint32_t kinds,
                                                  uint64_t tick);

/// Forgets changes of all components and uniques, as keel_clear_component_changes.
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT for other bits, KEEL_ERROR_SHARED
KEEL_API keel_result keel_clear_all_changes(keel_world *world, uint32_t kinds, uint64_t tick);

/// Sets how many removals and deletions of a component (keel_set_limit), or events of a type
/// (keel_set_event_limit), are kept at most; the default is 65,536. If there are more, the oldest
/// are dropped.
/// @param component also a type of events
/// @param limit at least 1
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_THREAD
/// @threads the owner
KEEL_API keel_result keel_set_limit_of(keel_world *world, const keel_component *component,
                                       uint32_t limit);

/// Marks the value of an entity as modified. Typed: keel_mark.
/// @param scope a world: observers are called; commands: the value is marked, and observers are
///   called, when the commands are applied; a view or context needs `write` or more, and calls no
///   observers
/// @return KEEL_OK, KEEL_ABSENT when the entity lacks the component, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_mark_component(keel_scope *scope, keel_entity e,
                                         const keel_component *component);

/// Changes one value in place.
typedef void keel_patch_fn(void *value, void *data);

/// Changes a value by a function, marks it as modified and calls observers. Typed: keel_patch.
/// @param patch cannot edit the world: KEEL_ERROR_SHARED
/// @return as keel_mark_component
/// @threads the owner
KEEL_API keel_result keel_patch_component(keel_world *world, keel_entity e,
                                          const keel_component *component, keel_patch_fn *patch,
                                          void *data);

/// Overwrites the value of a component that the entity must have. Typed: keel_replace. Use keel_add
/// where the entity may lack it.
/// @param scope a view or context must hold `write` or more for the component
/// @param value the new value, of which the world takes ownership; NULL: zeros
/// @return as keel_mark_component; KEEL_ABSENT: nothing was done, `value` is still the caller's
/// @threads the owner
KEEL_API keel_result keel_replace_component(keel_scope *scope, keel_entity e,
                                            const keel_component *component, const void *value);

// ------------------------------------------------------------------ readers
/// Creates a reader: a cursor over changes, for code outside of systems that looks for changes from
/// time to time. The period of a new reader begins with the world, so its first loop over changes
/// sees everything.
/// @param name for messages; copied
/// @return NULL when out of memory, and while several threads use the world (KEEL_ERROR_SHARED)
/// @threads the owner
KEEL_API keel_reader *keel_reader_create(keel_world *world, const char *name);
/// Destroys a reader. NULL is allowed. keel_world_destroy destroys all readers of the world. While
/// several threads use the world, this function and keel_reader_advance are refused
/// (keel_last_error has KEEL_ERROR_SHARED). A call with a destroyed reader is an error
/// (KEEL_ERROR_ARGUMENT), but only until another reader is created, which may reuse the memory.
KEEL_API void keel_reader_destroy(keel_reader *reader);
/// Begins a new period: from now on the reader only sees later changes.
/// @threads the owner
KEEL_API void keel_reader_advance(keel_reader *reader);

/// Returns the changes of the entity's value in the period that the scope sees, as
/// KEEL_TRACK_INSERTION and KEEL_TRACK_MODIFICATION bits. 0 when the entity lacks the component,
/// and for a component that is not tracked; the call does not switch tracking on. Typed:
/// keel_changes_of.
/// @param e null for a unique: inserted means that it was set where there was none
/// @param component also a unique
/// @param scope a world: the changes since the last keel_clear_changes; a context: since the
///   system's last run, and the system must have declared to read the component; a reader: since
///   its last keel_reader_advance
KEEL_API uint32_t keel_changes_of_component(const keel_scope *scope, keel_entity e,
                                            const keel_component *component);

// ------------------------------------------------------------------ removals and deletions
/// One component that an entity lost. `value` is valid until the next edit of that component.
typedef struct keel_removal {
    keel_entity entity; ///< the entity that had it; may be dead by now
    const void *value;  ///< the deleted value; NULL when the component was removed
    uint64_t tick;      ///< the time of the removal or deletion (keel_tick)
    bool deleted;       ///< true: deleted; false: removed
} keel_removal;

/// A walk over removals and deletions, in the caller's memory. Every member but `removal` is
/// private.
typedef struct keel_removal_walk {
    keel_removal removal;    ///< the current removal
    const keel_world *world; ///< private; NULL: the walk is empty
    uint64_t next;           ///< private
    uint64_t last;           ///< private
    uint64_t last_removed;   ///< private
    uint32_t number;         ///< private
    uint32_t kinds;          ///< private
    bool whole;              ///< private
} keel_removal_walk;

/// Begins a walk over removals of a component, its deletions, or both, oldest first. The first walk
/// switches tracking of these kinds on. Typed: KEEL_EACH_REMOVED, for both kinds. In shared mode
/// and while a workload runs it cannot do so: then the walk is empty, with KEEL_ERROR_SHARED. To
/// avoid that, declare `.tracking` or call keel_track before.
/// @param scope as keel_changes_of_component
/// @param kinds KEEL_TRACK_REMOVAL, KEEL_TRACK_DELETION or both; other KEEL_TRACK_* bits find
///   nothing; any other bit is an error, KEEL_ERROR_ARGUMENT, and an empty walk
KEEL_API keel_removal_walk keel_removals(keel_scope *scope, const keel_component *component,
                                         uint32_t kinds);
/// Moves on to the next removal, and stores it in `walk->removal`. Returns false at the end.
KEEL_API bool keel_removal_next(keel_removal_walk *walk);

/// Returns how many removals and deletions of the component were dropped from the log before the
/// scope saw them. For a scope in its first period, this is the number of all that were ever
/// dropped. For a type of events: the number of events that were dropped since the last
/// keel_reader_advance, keel_advance_events or run of the system, before the scope received them.
/// Typed: keel_missed, keel_missed_events.
KEEL_API uint64_t keel_missed_component(const keel_scope *scope, const keel_component *component);

// ------------------------------------------------------------------ observers
/// The events that an observer is called for, as bits.
enum {
    KEEL_ON_INSERTED = 1, ///< after the insertion: all values of the edit are in place, and groups
                          ///< have their new members
    KEEL_ON_MODIFIED = 2, ///< after an overwrite, keel_patch or keel_mark; not for loops and
                          ///< keel_get_mut, which only mark the value
    KEEL_ON_DELETED = 4,  ///< before the deletion: the value can still be read
    KEEL_ON_REMOVED = 8,  ///< before the removal: the value can still be read. With
                          ///< keel_move_entity: after the removal
    KEEL_ON_CREATED = 16, ///< keel_entities: after an entity got its first components
    KEEL_ON_DESTROYED = 32, ///< keel_entities: before an entity is deleted, after KEEL_ON_DELETED
                            ///< for its components. Its values, targets and sources can still be
                            ///< read
    KEEL_ON_ENTERED = 64, ///< keel_observe_view: after the edit by which an entity begins to match
    KEEL_ON_LEFT = 128, ///< keel_observe_view: before the removal, or after the addition, by which
                        ///< an entity ceases to match
    KEEL_ON_PRESENT = 256,   ///< keel_observe_view, for the call itself: the observer is called at
                             ///< once, as for KEEL_ON_ENTERED, for the entities that match already
    KEEL_ON_RELATED = 512,   ///< relations: after an edge was added, and after KEEL_ON_INSERTED or
                             ///< KEEL_ON_MODIFIED of its source
    KEEL_ON_UNRELATED = 1024 ///< relations: before an edge is removed; if its source or target is
                             ///< deleted, before all other events of the deletion
};

/// The event that an observer is called for.
typedef struct keel_change {
    keel_world *world;  ///< the world, to read; edits are refused until the observer returns
    uint32_t kind;      ///< one of KEEL_ON_*
    keel_entity entity; ///< the entity
    const keel_component *component; ///< NULL for entities and views
    const void *value;               ///< the value; NULL for entities, views and tags
    keel_entity other;               ///< KEEL_ON_RELATED, KEEL_ON_UNRELATED: the target; or null
    keel_commands *commands; ///< a list to record edits, which are applied after the running edit
} keel_change;

/// An observer: called for each event.
typedef void keel_observer_fn(const keel_change *event, void *data);

/// Calls a function whenever these events happen to a component. Typed: keel_observe. Observers are
/// called in the order in which they were added. If the function observes the component with the
/// same data already, `kinds` are added to that observer. Also allowed in an observer.
/// @param component the component to observe; &keel_entities: the creation and deletion of entities
/// @param kinds KEEL_ON_INSERTED, _MODIFIED, _DELETED, _REMOVED, and for a relation also _RELATED
///   and _UNRELATED; for keel_entities KEEL_ON_CREATED, KEEL_ON_DESTROYED
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (no function,
///   other kinds, a unique), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_observe_component(keel_world *world, const keel_component *component,
                                            uint32_t kinds, keel_observer_fn *function, void *data);
/// Removes an observer. An observer may remove itself or another one, unless it was called from a
/// workload. Typed: keel_unobserve.
/// @return KEEL_OK, KEEL_ABSENT when there is no such observer, KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_unobserve_component(keel_world *world, const keel_component *component,
                                              keel_observer_fn *function, void *data);

/// Calls a function whenever an entity begins or ceases to match a list of terms, exactly once each
/// time, whatever edit causes it. An entity that matches only in the middle of an edit causes no
/// call. Observed views are called in the order in which they were added, for entities by ascending
/// index. If the removal of a component makes the entity cease to match, the call is before the
/// removal, when the entity still has all components (with keel_move_entity: after the removal).
/// For a deleted entity the call is before KEEL_ON_DESTROYED. Disabling a component counts as
/// removing it, and enabling as adding it, because views only see enabled components.
///
/// Entities that match already cause no call now, unless `kinds` has KEEL_ON_PRESENT, but cause one
/// when they cease to match. If the function observes the same terms with the same data already,
/// `kinds` are added to that observed view. An observed view borrows nothing. It ends with
/// keel_unobserve_view, with the world, or when a component that its terms name is unregistered.
/// @param terms the components that an entity must have (KEEL_WITH, KEEL_READ and the like),
///   KEEL_WITHOUT, KEEL_ANY_OF; KEEL_OPTIONAL_READ and KEEL_ENTITY, which filter nothing, are
///   ignored
/// @param kinds KEEL_ON_ENTERED, KEEL_ON_LEFT or both, and KEEL_ON_PRESENT
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (no function,
///   other kinds; terms about changes, uniques, custom views or access; no term that requires a
///   component), KEEL_ERROR_SHARED (also in an observer)
/// @threads the owner
KEEL_API keel_result keel_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                                       keel_observer_fn *function, void *data);
/// Removes all observed views with this function and this data. Also allowed in an observer.
/// @return KEEL_OK, KEEL_ABSENT when there is no such observed view, KEEL_ERROR_SHARED
KEEL_API keel_result keel_unobserve_view(keel_world *world, keel_observer_fn *function, void *data);

// ------------------------------------------------------------------ reactive sets
/// Makes the world add the tag `set` to each entity whose component `source` changes, from now on:
/// keel_collect. The tag is like any other: loops ask for KEEL_WITH(Set), keel_clear(world, Set)
/// empties the set, a deleted entity leaves it, and all code may add and remove it.
///
/// The set collects the events that observers are called for (KEEL_ON_*), before observers are
/// called: single edits, bulk edits, commands. Loops and keel_get_mut only mark values, so the set
/// does not collect their changes; use KEEL_CHANGED to find what loops wrote. keel_move_entity and
/// keel_copy_world count as insertions in the target world, and do not copy reactive sets to it. A
/// stripped entity first loses its tags, and is then added to the sets that collect deletions.
///
/// A set may have many sources, a source many sets, and a set may be a source itself. An edit of a
/// source is an edit of its sets: it is refused while a view uses one of them, and a system that
/// edits the source does not run beside a system that reads the set. Room in the set is made when
/// an entity gets the source. So no event is lost, and overwriting, marking and deleting the source
/// never need memory. A further call for the same set and source adds `kinds`.
/// @param set a tag (no value) whose storage is KEEL_SPARSE_SET or KEEL_INDEXED, not bound to a
///   thread
/// @param source any component, keel_child too; entities that have it already are not collected.
///   &keel_entities: the set collects entities that are created, by any verb; creating an entity is
///   then an edit of the set, and allocates room in it
/// @param kinds KEEL_ON_INSERTED, KEEL_ON_MODIFIED, KEEL_ON_DELETED, KEEL_ON_REMOVED; of
///   keel_entities KEEL_ON_CREATED. A set has no dead entities: use an observer for those
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (`set` has a value, is KEEL_ARCHETYPE or
///   has `.threads`; a unique; other kinds), KEEL_ERROR_CYCLE when `source` collects from `set`,
///   directly or through other sets, KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
///   (also while a workload runs)
/// @threads the owner
KEEL_API keel_result keel_collect_component(keel_world *world, const keel_component *set,
                                            const keel_component *source, uint32_t kinds);
/// Stops collecting from `source` to `set`. Typed: keel_stop_collecting. Entities in the set stay
/// there. Unregistering either component does the same.
/// @return KEEL_OK, KEEL_ABSENT when `set` did not collect from `source`, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
/// @threads the owner
KEEL_API keel_result keel_stop_collecting_component(keel_world *world, const keel_component *set,
                                                    const keel_component *source);
/// Returns the events that `set` collects from `source`, as KEEL_ON_* bits; 0 for none.
KEEL_API uint32_t keel_collected_kinds(const keel_world *world, const keel_component *set,
                                       const keel_component *source);

/// Private: a function of keel_commands_call.
typedef keel_result keeli_command_fn(keel_world *world, void *data);
/// Private: the functions that call an observer or a command of C++, and catch its exceptions,
/// which must not pass through C.
typedef struct keeli_guard {
    /// Private.
    void (*observe)(keel_observer_fn *function, const keel_change *event, void *data);
    /// Private.
    keel_result (*command)(keeli_command_fn *function, keel_world *world, void *data);
} keeli_guard;
/// Private: if `guard` is the guard in use, replaces it by `with`. NULL stands for no guard.
/// @threads at start-up and at the end, while no thread uses a world
KEEL_API void keeli_exchange_guard(const keeli_guard *guard, const keeli_guard *with);
/// Private: reports an exception that was caught. In a system it is the system's failure.
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
