// SPDX-License-Identifier: MIT
/// @file workload.h
/// Systems and workloads: functions with declared access, and ordered lists of them.
///
/// A **system** is a function and its terms. KEEL_SYSTEM, KEEL_SYSTEM_SPAN, KEEL_SYSTEM_ONCE and
/// KEEL_CONDITION (typed.h) write one; a binding fills in keel_system by hand. A **workload** is a
/// list of systems and other workloads:
///
///     KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
///         p->x += v->x;
///         p->y += v->y;
///     }
///     KEEL_WORKLOAD(frame, KEEL_STEP(move), KEEL_STEP(draw));
///     keel_run_workload(world, frame);
///
/// Systems that do not conflict run at the same time. The result is the same as if the steps ran
/// one by one in the order of the list, whatever the number of threads. When a system fails, the
/// systems that depend on it do not run: later systems that use the same storages, and systems that
/// have to run after it (.after, .before).
///
/// A system may use what its terms declare, and nothing else. While a workload runs, edits through
/// the world are refused (KEEL_ERROR_SHARED): systems record commands, or declare KEEL_WORLD.
#pragma once
#include <keel/state.h>
#include <keel/view.h>
#include <keel/walk.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

/// The kind of a system: it decides how often the system is called in a run.
typedef enum keel_system_kind {
    KEEL_SYSTEM_PER_ENTITY,  ///< once per entity: KEEL_SYSTEM
    KEEL_SYSTEM_PER_SPAN,    ///< once per span: KEEL_SYSTEM_SPAN
    KEEL_SYSTEM_PER_RUN,     ///< once per run: KEEL_SYSTEM_ONCE, and plain functions
    KEEL_SYSTEM_IS_CONDITION ///< a test for run_if: KEEL_CONDITION
} keel_system_kind;

/// A system or a condition. Exactly one of `run`, `function` and `each_span` is set.
typedef struct keel_system {
    const char *name;      ///< name for messages
    keel_system_kind kind; ///< the kind: per entity, per span, per run, or a condition
    /// Generated code: called once per chunk, or once per run with the columns of uniques and data.
    /// It uses its context only if it has KEEL_TERM_CONTEXT.
    void (*run)(const keel_chunk *chunk, keel_context *context);
    /// A plain function, of kind KEEL_SYSTEM_PER_RUN: a negative result is the system's failure. Of
    /// kind KEEL_SYSTEM_IS_CONDITION it calls keel_answer; without a call the answer is no.
    keel_result (*function)(keel_context *context);
    const keel_term *terms; ///< the storages that the system may use; ends with KEEL_TERM_END
    const char *file;       ///< file of the declaration, or NULL
    int line;               ///< line of the declaration
    /// A plain function, of kind KEEL_SYSTEM_PER_SPAN: called for each span of entities. It gets
    /// their values with keel_span_read_component and keel_span_write_component. A negative result
    /// is the system's failure.
    keel_result (*each_span)(keel_context *context, const keel_span *span);
    void *user; ///< any pointer for plain functions, which keel_context_info returns. A change of
                ///< it does not make Keel prepare the workload again
} keel_system;

/// One entry of a workload. Exactly one of `system`, `workload`, `workload_name` and `barrier` is
/// set. Names in `label`, `after` and the like are separated by commas: `"move, aim"`.
typedef struct keel_step {
    const keel_system *system;            ///< a system
    const struct keel_workload *workload; ///< a nested workload
    const char *workload_name;            ///< a nested workload, found by name
    bool barrier;    ///< KEEL_BARRIER: steps before it in the list end before steps after it begin
    uint32_t number; ///< private: of a step in a stored workload
    /// A condition: the step is left out when it answers no. For a nested workload it is asked
    /// once, and the conditions inside are not asked when it answers no. NULL: always.
    const keel_system *run_if;
    const keel_system *skip_if; ///< a condition: the step is left out when it answers yes
    /// A component: the step is left out when no entity has it
    const keel_component *skip_if_empty;
    const keel_component *skip_if_missing; ///< a unique: the step is left out while it is not set
    /// The step runs while the state has this value: `.in_state = KEEL_IN(Phase, PLAYING)`. A step
    /// has at most one of `in_state`, `on_enter` and `on_exit`. They are tested when the conditions
    /// are.
    const keel_state *in_state;
    /// The step runs in a run in which a KEEL_TRANSITION before it entered this value of the state.
    /// The workload that is run must have a KEEL_TRANSITION of the state.
    const keel_state *on_enter;
    /// The step runs in a run in which a KEEL_TRANSITION before it left this value
    const keel_state *on_exit;
    int64_t state_value;          ///< the value: KEEL_IN sets it
    const keel_state *transition; ///< private: set by KEEL_TRANSITION
    const char *label;            ///< further names of the step
    /// The step runs after all steps of these names: systems, nested workloads, and labels of this
    /// workload and of those nested in it. Where no name decides, the order of the list counts.
    const char *after;
    const char *before;     ///< the step runs before all steps of these names, found as for `after`
    const char *after_all;  ///< as `after`, with names of the whole workload that is run
    const char *before_all; ///< as `before`, with names of the whole workload that is run
    /// The system is split over the workers. Its body must not use what the calls for other
    /// entities change, and it cannot write uniques. The split depends on the view only.
    bool parallel;
    bool sequential; ///< a nested workload: its steps run one after the other
    /// The step runs once: in the first run of the workload in which no condition leaves it out. If
    /// it failed, it runs again in the next run. The same as `.times = 1`.
    bool startup;
    /// The step runs this many times, and is left out from then on; 0: no limit. Runs in which its
    /// conditions say no, or in which it failed, do not count. For a nested workload: each system
    /// in it. If several threads run the workload at once in shared mode, one thread at a time runs
    /// the step and the others wait for its end; a run inside of a run leaves the step out instead
    /// of waiting.
    uint32_t times;
    /// The step runs when this many seconds have passed since it was last due, at most once in each
    /// run of the workload; it does not make up for missed times. Time is the sum of the `.dt` of
    /// the runs, never that of a clock. It only passes in runs in which nothing else leaves the
    /// step out, so it stands still while the step is paused. 0: the step runs in each run. A
    /// nested workload runs as a whole or is left out as a whole.
    double every;
    bool disabled;    ///< true: the step is left out; in a stored workload until keel_enable_step
    bool main_thread; ///< true: the step runs on the thread that runs the workload
    int line;         ///< line of the declaration
} keel_step;

/// A list of steps. During a run, the table and everything that it points to must not change. A
/// table made by hand, without `stamp`, may change between runs: Keel then notices the change, and
/// prepares the workload again, which costs as much as a first run.
typedef struct keel_workload {
    const char *name;       ///< name of the workload
    const keel_step *steps; ///< `step_count` steps
    uint32_t step_count;    ///< number of steps
    uint64_t *stamp;        ///< private: filled by KEEL_WORKLOAD; NULL in tables made by hand
} keel_workload;

/// The options of a run. All zero, or NULL for the whole, is the default. The members are options
/// of keel_run, keel_run_workload, keel_run_named and keel_run_default: `keel_run(world, move,
/// .parallel = true)`.
typedef struct keel_run_desc {
    /// Passed to every system and condition that declares KEEL_DATA. The caller keeps it. Systems
    /// of a workload that run at the same time share it, and Keel does not order their writes to
    /// it.
    void *data;
    size_t data_size; ///< bytes of `data`; must be what each KEEL_DATA declares
    /// A single system is split over the workers of the world, which pays for long loops only. The
    /// split depends on the view and not on the number of workers, and recorded commands are
    /// applied in the order of the entities. All pieces run, even when one of them fails; the error
    /// is that of the first in order.
    bool parallel;
    /// The seconds that pass with this run of a workload, for steps with `.every`. Each step adds
    /// up the seconds of the runs of its workload, so the same calls do the same on any machine.
    double dt;
} keel_run_desc;

/// Runs one system now: keel_run, keel_run_with, keel_run_parallel. Commands of keel_world_commands
/// are applied before it, and the system's own commands after it.
/// @threads the owner; in shared mode any thread
/// @param desc NULL: the defaults
/// @return KEEL_OK, KEEL_ERROR_SYSTEM when the system failed (its commands are dropped),
///   KEEL_ERROR_ACCESS when it failed because it used what it did not declare, the errors of
///   keel_view_begin, KEEL_ERROR_ARGUMENT (wrong data, a condition, an impossible list of terms; in
///   parallel a system that writes a unique, may change any entity's components, or runs once),
///   KEEL_ERROR_SHARED in an observer, when the system writes
KEEL_API keel_result keel_run_system(keel_world *world, const keel_system *system,
                                     const keel_run_desc *desc);

/// Runs a workload now: keel_run_workload, keel_run_workload_with. Systems that do not conflict run
/// at the same time, on all workers of the world. The result is the same as when they run one by
/// one, in the order of the list. A system that fails stops the systems that depend on it; all
/// others run.
/// @param desc NULL: the defaults
/// @threads the owner; in shared mode any thread, and commands then wait for keel_apply_commands. A
///   system that runs in a workload may run another workload, over storages that no other system
///   uses at that time: the commands of the inner workload wait for the end of the outer one, and
///   the handles of entities that it creates depend on timing
/// @return KEEL_OK; the first error in the order of the list, whichever thread met it first;
///   KEEL_ERROR_CYCLE when a workload contains itself, or no order of its steps satisfies all
///   .after and .before, KEEL_ERROR_UNKNOWN (a name in `after` or the like), KEEL_ERROR_ARGUMENT
///   (an impossible step, wrong options), KEEL_ERROR_MEMORY: nothing ran
KEEL_API keel_result keel_run_workload_of(keel_world *world, const keel_workload *workload,
                                          const keel_run_desc *desc);

/// Runs a stored workload: keel_run_named, keel_run_default. keel_run_workload_of with the answer
/// of keel_find_workload does the same, but its error cannot say which name was not found.
/// @param name KEEL_DEFAULT_WORKLOAD: the workload that keel_set_default_workload chose, or the
///   first one that was stored; KEEL_OK when no workload is stored
/// @param desc NULL: the defaults
/// @return as keel_run_workload_of; KEEL_ERROR_UNKNOWN, and the message lists the stored workloads
KEEL_API keel_result keel_run_stored(keel_world *world, const char *name,
                                     const keel_run_desc *desc);
/// The name that stands for the default workload.
#define KEEL_DEFAULT_WORKLOAD ""

/// Stores a workload in the world under its name; the table is copied. The first workload that is
/// stored becomes the default. A workload of the same name is replaced. Typed: keel_add_workload.
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (no name; a step with no system or
///   workload), KEEL_ERROR_BORROWED while a system runs, KEEL_ERROR_SHARED
KEEL_API keel_result keel_world_add_workload(keel_world *world, const keel_workload *workload);

/// Appends a step to a stored workload, which is created when there is none of this name. Typed:
/// keel_add_step.
/// @threads the owner
/// @return as keel_world_add_workload
KEEL_API keel_result keel_world_add_step(keel_world *world, const char *workload,
                                         const keel_step *step);

/// Disables the steps of a stored workload that have this name, or enables them again. It is cheap:
/// the plan stays as it is.
/// @param workload KEEL_DEFAULT_WORKLOAD: the default one
/// @param name the name of a system or of a nested workload, or a label: all steps with this name
///   in the list of this workload itself, not in workloads nested in it
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_UNKNOWN (the message lists the existing names), KEEL_ERROR_BORROWED
///   and KEEL_ERROR_SHARED while the world is in use
KEEL_API keel_result keel_enable_step(keel_world *world, const char *workload, const char *name,
                                      bool enabled);

/// Removes the steps of a stored workload that have this name, with the stored state of their runs.
/// @threads the owner
/// @return as keel_enable_step
KEEL_API keel_result keel_remove_step(keel_world *world, const char *workload, const char *name);

/// Removes a stored workload.
/// @threads the owner
/// @return KEEL_OK, KEEL_ABSENT, KEEL_ERROR_BORROWED while a system runs, KEEL_ERROR_SHARED
KEEL_API keel_result keel_remove_workload(keel_world *world, const char *name);

/// Returns the stored workload of this name, or NULL. keel_run_workload_of,
/// keel_world_workload_nodes and the like accept it, and then use the stored workload, with its
/// stored state: since when each system sees changes, and how often each step has run.
/// @param name KEEL_DEFAULT_WORKLOAD: the default one
/// @return valid until the workload is changed or removed; its steps must not be changed
/// @threads the owner, while no workload runs
KEEL_API const keel_workload *keel_find_workload(keel_world *world, const char *name);

/// Chooses the default workload.
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_UNKNOWN, KEEL_ERROR_BORROWED while a system runs, KEEL_ERROR_SHARED
KEEL_API keel_result keel_set_default_workload(keel_world *world, const char *name);

/// Fails the running system: keel_run* returns KEEL_ERROR_SYSTEM, and the message has the system's
/// name and this text. The function continues until it returns; a system of kind
/// KEEL_SYSTEM_PER_ENTITY is not called for further entities. Only the first call in a run of the
/// system has an effect.
/// @param object any pointer, or NULL; keel_error.object of the error has it
/// @param format as printf
KEELI_PRINTF(3, 4)
KEEL_API void keel_fail(keel_context *context, const void *object, const char *format, ...);

/// Fails the running system like keel_fail, with a text that is no format, for languages that
/// cannot call functions with `...`.
/// @param text one sentence, copied; NULL: no reason is given
KEEL_API void keel_fail_text(keel_context *context, const char *text);

/// Sets the answer of a condition. Of several calls the last one counts; without a call the answer
/// is no.
KEEL_API void keel_answer(keel_context *context, bool answer);

/// The facts about a run that keel_context_info returns.
typedef struct keel_run_info {
    /// Number of the worker that runs the system: 0 for the thread that began the run; below the
    /// world's worker count. It is meant for counters that are added up later; results must not
    /// depend on it.
    uint32_t worker;
    /// The tick of the system's run before this one, at the same place of the same workload. Later
    /// changes are new to the system (track.h). 0 in the first run, and in custom views that are
    /// begun with a world as the scope.
    uint64_t last_run;
    uint64_t this_run; ///< the tick of this run and of the changes that the system makes; above
                       ///< `last_run`
    void *user; ///< `user` of the running system, or of the custom view that is made or dropped
    void *data; ///< `data` of keel_run_desc, or NULL
    size_t data_size; ///< bytes of `data`
} keel_run_info;

/// Returns facts about the current run: its worker, its ticks, and its data.
/// @param info receives the facts; all zeros if `context` is NULL
/// @return `info`: `keel_context_info(context, &(keel_run_info){ 0 })->user`
KEEL_API keel_run_info *keel_context_info(const keel_context *context, keel_run_info *info);

/// Returns the commands of the running system; NULL when it did not declare KEEL_COMMANDS.
KEEL_API keel_commands *keel_context_commands(keel_context *context);

/// Returns memory for this call of the system (of this piece of it, when it is split), not
/// initialised. The memory is released when the system returns, and later calls use it again, so a
/// run that is repeated allocates nothing.
/// @param align a power of two
/// @threads the thread that runs the system; pieces of parallel loops call keel_piece_scratch
///   instead
/// @return NULL when out of memory
KEEL_API void *keel_context_scratch(keel_context *context, size_t size, size_t align);

/// Returns the world, in a system that declared KEEL_WORLD; otherwise NULL (an error:
/// KEEL_ERROR_ACCESS).
KEEL_API keel_world *keel_context_world(keel_context *context);

/// Private: true if the running system has called keel_fail.
KEEL_API bool keeli_context_has_failed(const keel_context *context);

/// Private: true if the set bits form at most three runs, one of them with at least 8 bits: long
/// enough for a loop of its own.
static inline bool keeli_has_long_runs(uint64_t bits) {
    const uint64_t two = bits & bits >> 1;
    if (!two) return false;
    uint64_t last = bits & ~(bits >> 1); // the last bit of each run
    last &= last - 1;
    last &= last - 1;
    last &= last - 1;
    const uint64_t four = two & two >> 2, eight = four & four >> 4;
    return (last == 0) & (eight != 0);
}

/// Private: removes the lowest run of set bits from `*bits`, and shifts `*bits` behind it. `*at` is
/// the place of the lowest bit of `*bits`, and becomes the first place of the run.
/// @return the length of the run; 0 when there is none
static inline uint32_t keeli_next_run(uint64_t *bits, uint32_t *at) {
    if (!*bits) return 0;
    const uint32_t first = KEELI_LOWEST_BIT(*bits);
    const uint64_t run = *bits >> first, behind = ~run;
    const uint32_t count = behind ? KEELI_LOWEST_BIT(behind) : 64;
    *at += first;
    *bits = count < 64 ? run >> count : 0;
    return count;
}

/// Private: the loop of KEEL_EACH and KEEL_EACH_SPAN.
typedef struct keeli_cursor {
    keel_view view;          ///< private
    keel_iterator iterator;  ///< private
    const keel_chunk *chunk; ///< private
    uint32_t position;       ///< private: of the current entity in the chunk
    uint32_t level;          ///< private: number of nested loops entered
    bool whole, spans;       ///< private: the body ran to its end; the loop is over spans
} keeli_cursor;

/// Private: opens the view of the loop.
KEEL_API void keeli_cursor_begin(keeli_cursor *cursor, keel_scope *scope, const keel_term *terms,
                                 bool spans, const char *where);
/// Private: moves on to the next chunk that is not empty; false at the end.
KEEL_API bool keeli_cursor_refill(keeli_cursor *cursor);
/// Private: closes the view of the loop.
KEEL_API void keeli_cursor_end(keeli_cursor *cursor);

/// Private: moves on to the next entity or span.
static inline bool keeli_cursor_next(keeli_cursor *cursor) {
    if (!cursor->whole) return false; // the body was left by break
    cursor->whole = false;
    cursor->level = 0;
    if (cursor->spans || !cursor->chunk) return keeli_cursor_refill(cursor);
    const keel_chunk *chunk = cursor->chunk;
    uint32_t at = cursor->position + 1;
    if (chunk->form == KEEL_CHUNK_MASK)
        while (at < chunk->count && !(chunk->words[at / 64] >> (at % 64) & 1))
            ++at;
    cursor->position = at;
    return at < chunk->count || keeli_cursor_refill(cursor);
}

/// Private: true the first time for this entity, so that each of the nested loops runs once.
static inline bool keeli_cursor_enter(keeli_cursor *cursor, uint32_t level) {
    if (cursor->level >= level) return false;
    cursor->level = level;
    return true;
}

/// Private: returns the value of the current entity, or NULL.
static inline void *keeli_cursor_at(const keeli_cursor *cursor, uint32_t term, size_t size) {
    const keel_chunk_column *column = &cursor->chunk->columns[term];
    const uint32_t k = cursor->position;
    if (cursor->chunk->form != KEEL_CHUNK_LIST)
        return column->base ? (char *)column->base + k * size : NULL;
    const uint32_t at = column->index[k], low = at & (((uint32_t)1 << column->shift) - 1);
    return at == UINT32_MAX ? NULL : (char *)column->pages[at >> column->shift] + low * size;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
