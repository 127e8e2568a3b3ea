// SPDX-License-Identifier: MIT
/// @file why.h
/// Answers the question why a view, or a system at its place in a workload, does not match an
/// entity: which term or condition says no, and for what reason. The answer is data for tools and a
/// sentence for people. Editors, inspectors and the author of a program who looks for a mistake
/// call it; loops do not.
///
///     keel_why why;
///     if (!keel_view_why(&view, ship, &why)) puts(why.text);
///     // does not match: has Frozen (term 3 of 3, without Frozen)
///
/// Asking changes nothing: no value counts as written, and no period of changes begins or ends.
#pragma once
#include <keel/explain.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The reasons why a view or system does not match an entity. "The component" is the member
/// `component` of keel_why, "the relation" its member `relation`, and "the other entity" its member
/// `other`.
typedef enum keel_why_kind {
    KEEL_WHY_MATCHES,      ///< the view matches the entity
    KEEL_WHY_CLOSED,       ///< the view is closed
    KEEL_WHY_DEAD,         ///< the entity is not alive
    KEEL_WHY_MISSING,      ///< the entity lacks the component
    KEEL_WHY_DISABLED,     ///< the entity has the component, but it is disabled
    KEEL_WHY_EXCLUDED,     ///< the entity has the component, which the term excludes
    KEEL_WHY_NONE_OF,      ///< the entity has none of the components; `component` is the first
    KEEL_WHY_NOT_INSERTED, ///< the component was not inserted in the period that the view sees
    KEEL_WHY_NOT_MODIFIED, ///< the component was not modified in this period
    KEEL_WHY_NOT_CHANGED,  ///< the component was neither inserted nor modified in this period
    KEEL_WHY_INSERTED,     ///< the component was inserted in this period, which the term excludes
    KEEL_WHY_MODIFIED,     ///< the component was modified in this period, which the term excludes
    KEEL_WHY_CHANGED,   ///< the component was inserted or modified in this period, which the term
                        ///< excludes
    KEEL_WHY_NO_TARGET, ///< the entity has no target of the relation
    KEEL_WHY_TARGET_LACKS,    ///< the other entity, its target, lacks the component
    KEEL_WHY_TARGET_DISABLED, ///< the other entity, its target, has the component disabled
    KEEL_WHY_ANCESTORS_LACK,  ///< no entity above it by the relation has the component
    KEEL_WHY_UNCHANGED_UP,  ///< the component changed neither in the entity nor in an entity above
                            ///< it
    KEEL_WHY_NOT_TARGETED,  ///< the entity is not a target of the relation
    KEEL_WHY_NOT_RELATED,   ///< the entity is not a source of the other entity
    KEEL_WHY_TARGET_DEAD,   ///< the other entity, whose sources the view visits, is not alive
    KEEL_WHY_NOT_LISTED,    ///< the entity is not in the list of KEEL_AMONG
    KEEL_WHY_NO_STEP,       ///< steps: the workload has no such step, or an error (keel_last_error)
    KEEL_WHY_STEP_DISABLED, ///< steps: the step, or the nested workload around it, is disabled
    KEEL_WHY_STEP_DONE,     ///< steps: it has run as often as `.startup` or `.times` allows
    KEEL_WHY_STEP_STATE,    ///< steps: the state `name` is not as the step asks
    KEEL_WHY_STEP_MISSING,  ///< steps: the component, a unique that the step needs, is not set
    KEEL_WHY_STEP_EMPTY,    ///< steps: no entity has the component: `.skip_if_empty`
    KEEL_WHY_STEP_CONDITION, ///< steps: the condition `name` left the step out when it was last
                             ///< asked
    KEEL_WHY_STEP_EARLY,     ///< steps: `.every` left the step out when it was last asked
    KEEL_WHY_STEP_ONCE ///< steps: the system runs once and not for each entity; its loops choose
} keel_why_kind;

/// No term: a value of `term` in keel_why.
#define KEEL_NO_TERM UINT32_MAX
/// The most bytes of the sentence in a keel_why, the terminating zero included.
#define KEEL_WHY_TEXT 320

/// The answer of keel_view_why and keel_step_why.
typedef struct keel_why {
    keel_why_kind kind; ///< the reason
    uint32_t term; ///< the index of the first term that says no, counted from 0; KEEL_NO_TERM if
                   ///< no term does
    uint32_t refusing; ///< one bit per term, set if the term says no: the first term is bit 0
    keel_term_kind term_kind; ///< the kind of the term; KEEL_TERM_END without a term
    /// The component of the reason, valid until it is unregistered. NULL if the reason names none,
    /// and if the world does not know the component of the term
    const keel_component *component;
    const keel_component *relation; ///< the relation of the reason; NULL: none
    keel_entity other;              ///< the other entity of the reason; null: none
    /// Steps: the name of the reason's state, condition or nested workload. If the reason is about
    /// the entity, or the system matches it: the first condition that the answer leaves open,
    /// because only a run asks conditions. NULL: none. Valid as long as the step
    const char *name;
    uint64_t last_run; ///< steps: the tick of the system's last run, as in keel_run_info
    uint32_t events;   ///< steps: the number of events that the system would receive
    /// A sentence in plain English, which counts terms from 1; the wording may change with any
    /// version. A long sentence is cut off
    char text[KEEL_WHY_TEXT];
} keel_why;

/// True if the view matches the entity, as keel_view_contains. Otherwise `why` receives the reason:
/// that of the first term that says no. The cost is that of keel_view_contains for each term.
/// @param why written in every case; may be NULL
/// @threads as keel_view_contains
KEEL_API bool keel_view_why(const keel_view *view, keel_entity e, keel_why *why);

/// True if the system of a step would visit the entity if it ran now, with the changes since its
/// last run at this place. Otherwise `why` receives the reason, which is first that for which the
/// step would be left out. Nothing runs and no period begins: conditions (`.run_if`, `.skip_if`)
/// and `.every` are not asked, but count with the answer that they gave when they were last asked.
/// The workload is prepared as by keel_world_workload_nodes.
/// @param workload a table, or a stored workload that keel_find_workload returned
/// @param position a keel_workload_node.position
/// @param why written in every case; may be NULL
/// @threads the owner, while no workload runs: otherwise the kind is KEEL_WHY_NO_STEP, and
///   keel_last_error has KEEL_ERROR_SHARED. It has KEEL_ERROR_ARGUMENT for a position without a
///   system, and else the errors of keel_world_workload_nodes
KEEL_API bool keel_step_why(keel_world *world, const keel_workload *workload, uint32_t position,
                            keel_entity e, keel_why *why);

/// A part of the entities, for a count that is spread over several frames.
typedef struct keel_count_slice {
    keel_entity after;   ///< counts entities with a higher index than this handle has; it receives
                         ///< the last one, for the next slice. Null: begins with the lowest index
    uint32_t max_visits; ///< the most entities to ask about; 0: all
    uint32_t visits;     ///< receives the number of entities that were asked about
    bool is_finished;    ///< receives true if no entity is left
} keel_count_slice;

/// Counts how many entities are left after each term, in the order of the list: `left[0]` entities
/// pass the first term, `left[1]` the first two, and so on. The last number is that of the entities
/// that match. It shows which term is why a view matches nobody. An entity that is listed twice in
/// KEEL_AMONG counts once. The call asks about all living entities (keel_entity_count), so it costs
/// more than a loop: pass a slice to count a part of them, and add up the numbers.
/// @param slice the part of the entities to count; NULL: all
/// @param left receives the first `capacity` numbers; may be NULL when `capacity` is 0
/// @return the number of terms; 0 for a view without terms or a closed one, and when memory runs
///   out (see keel_last_error)
/// @threads as keel_view_contains
KEEL_API uint32_t keel_view_counts(const keel_view *view, keel_count_slice *slice, uint32_t *left,
                                   uint32_t capacity);

/// Counts how many entities each term of a system leaves, if it ran now at its place: as
/// keel_view_counts, with the changes since its last run. The step may be left out nevertheless.
/// @param workload as keel_step_why
/// @param position as keel_step_why
/// @param slice as keel_view_counts
/// @param left receives the first `capacity` numbers, one for each of keel_system.terms; may be
///   NULL when `capacity` is 0
/// @return the number of terms; 0 for a system that runs once, and on error, as keel_step_why
/// @threads the owner, while no workload runs
KEEL_API uint32_t keel_step_counts(keel_world *world, const keel_workload *workload,
                                   uint32_t position, keel_count_slice *slice, uint32_t *left,
                                   uint32_t capacity);

/// A part of a workload that has run: a system, or the commands that a system recorded.
typedef struct keel_step_end {
    const char *system; ///< the name of the system
    uint32_t position;  ///< as keel_workload_node.position; KEEL_NO_STEP inside of another run
    bool is_commands;   ///< true: the commands of the system were applied
} keel_step_end;

/// Called after each part of a workload that ran. It may read the world, and change nothing:
/// KEEL_ERROR_SHARED.
typedef void keel_step_end_fn(const keel_world *world, const keel_step_end *end, void *data);

/// Calls a function after each part of each workload from now on, to find out which of them changes
/// a value. Meanwhile the parts of workloads run one after the other, in the order in which
/// keel_world_workload_nodes lists them; the results are the same.
/// @param function NULL: calls none any more
/// @threads the owner
/// @return KEEL_OK; KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED while a system runs
KEEL_API keel_result keel_watch_steps(keel_world *world, keel_step_end_fn *function, void *data);

#ifdef __cplusplus
}
#endif
