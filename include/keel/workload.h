// SPDX-License-Identifier: MIT
/// @file workload.h
/// Systems and workloads: functions with declared access, and ordered lists of them.
///
/// A **system** is a function and its terms. KEEL_SYSTEM, KEEL_SYSTEM_SPAN, KEEL_SYSTEM_ONCE and
/// KEEL_CONDITION (typed.h) write one; a binding fills in keel_system by hand. A **workload** is a
/// list of systems and other workloads. Systems that do not conflict run at the same time; the
/// result is that of the list run in order, whatever the number of threads. A system that fails
/// stops those that depend on it: that come after it and touch what it touches, or were asked to.
///
/// A system may touch what its terms declare, and nothing else. While a workload runs, edits
/// through the world are refused (KEEL_ERROR_SHARED): systems record commands, or have KEEL_WORLD.
#pragma once
#include <keel/state.h>
#include <keel/view.h>
#include <keel/walk.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

/// How a system is called.
typedef enum keel_system_kind {
    KEEL_SYSTEM_PER_ENTITY,  ///< for each entity: KEEL_SYSTEM
    KEEL_SYSTEM_PER_SPAN,    ///< for each span: KEEL_SYSTEM_SPAN
    KEEL_SYSTEM_PER_RUN,     ///< once per run: KEEL_SYSTEM_ONCE, and plain functions
    KEEL_SYSTEM_IS_CONDITION ///< a test for run_if: KEEL_CONDITION
} keel_system_kind;

/// A system. Exactly one of `run`, `function` and `each_span` is set.
typedef struct keel_system {
    const char *name;      ///< for messages
    keel_system_kind kind; ///< how it is called
    /// Generated code: called once per chunk, or once per run with the columns of uniques and data.
    /// It asks its context for nothing unless it has KEEL_TERM_CONTEXT.
    void (*run)(const keel_chunk *chunk, keel_context *context);
    /// A plain function, of kind KEEL_SYSTEM_PER_RUN: a negative result is the system's failure. Of
    /// kind KEEL_SYSTEM_IS_CONDITION it answers with keel_answer; no answer means no.
    keel_result (*function)(keel_context *context);
    const keel_term *terms; ///< ends with KEEL_TERM_END; what the system may touch
    const char *file;       ///< where it was written, or NULL
    int line;               ///< where it was written
    /// A plain function, of kind KEEL_SYSTEM_PER_SPAN: called for each span of entities, whose
    /// values are keel_span_read_component and keel_span_write_component. A negative result is the
    /// system's failure.
    keel_result (*each_span)(keel_context *context, const keel_span *span);
    void *user; ///< yours, for plain functions: keel_context_info. Another value is no change
} keel_system;

/// One entry of a workload. Exactly one of `system`, `workload`, `workload_name` and `barrier` is
/// set. Names in `label`, `after` and the like are separated by commas: `"move, aim"`.
typedef struct keel_step {
    const keel_system *system;            ///< a system
    const struct keel_workload *workload; ///< a nested workload
    const char *workload_name;            ///< a nested workload, found by name
    bool barrier; ///< KEEL_BARRIER: what stands before it in the list ends before what stands after
    uint32_t number; ///< private: of a step in a stored workload
    /// A condition: the step is left out when it says no. For a nested workload it is asked once,
    /// and the conditions inside are not asked when it says no. NULL: always.
    const keel_system *run_if;
    const keel_system *skip_if;            ///< a condition: the step is left out when it says yes
    const keel_component *skip_if_empty;   ///< left out when no entity has the component
    const keel_component *skip_if_missing; ///< left out while the unique is not set
    /// The step runs while the state is this: `.in_state = KEEL_IN(Phase, PLAYING)`. A step has one
    /// of this, `on_enter` and `on_exit` at most; all are asked as conditions are.
    const keel_state *in_state;
    /// It runs in a run in which a KEEL_TRANSITION before it entered this value of the state. The
    /// workload that is run must have such a step.
    const keel_state *on_enter;
    const keel_state *on_exit;    ///< and in one in which that left this value
    int64_t state_value;          ///< the value: KEEL_IN sets it
    const keel_state *transition; ///< private: set by KEEL_TRANSITION
    const char *label;            ///< further names of the step
    /// Runs after all steps of these names: systems, nested workloads, labels of this workload and
    /// of those nested in it. The order of the list counts where nothing is said.
    const char *after;
    const char *before;     ///< runs before all steps of these names, found as for `after`
    const char *after_all;  ///< as `after`, with names of the whole workload that is run
    const char *before_all; ///< as `before`, with names of the whole workload that is run
    /// The system is split over the workers. Its body must not touch what other entities' turns
    /// change; it cannot write uniques. How it is split depends on the view only.
    bool parallel;
    bool sequential; ///< a nested workload: its steps run one after the other
    /// It runs once: in the first run of the workload in which its conditions let it, and again in
    /// the next one when it failed; the same as `.times = 1`.
    bool startup;
    /// It runs so many times, and is left out from then on; 0: there is no limit. Runs in which its
    /// conditions say no or it failed do not count. A nested workload: each system in it. Of
    /// threads that run the workload at once in shared mode one at a time runs it, and the others
    /// wait for its end; a run inside of a run goes on without it.
    uint32_t times;
    /// It runs when so many seconds have passed since it was due last, at most once in each run of
    /// the workload; what it missed it does not make up for. Time is what runs were given as `.dt`,
    /// never that of a clock, and passes only with runs in which nothing else leaves the step out:
    /// a pause is a pause. 0: in each run. A nested workload: all of it.
    double every;
    bool disabled;    ///< left out; in a stored workload until keel_enable_step
    bool main_thread; ///< runs on the thread that runs the workload
    int line;         ///< where it was written
} keel_step;

/// A list of steps. While a world may run it, the table and everything that it points to stay as
/// they are; a change is noticed, and costs what the first run costs.
typedef struct keel_workload {
    const char *name;       ///< what it is called
    const keel_step *steps; ///< `step_count` steps
    uint32_t step_count;    ///< how many
    uint64_t *stamp;        ///< private: filled by KEEL_WORKLOAD; NULL in tables made by hand
} keel_workload;

/// What a run is given beside what it runs. All zero, or NULL for the whole, is the default. The
/// members are options of keel_run, keel_run_workload, keel_run_named and keel_run_default:
/// `keel_run(world, move, .parallel = true)`.
typedef struct keel_run_desc {
    /// Handed to every system and condition that takes KEEL_DATA. It stays the caller's; systems of
    /// a workload that run at the same time share it, so what one of them writes is its own affair.
    void *data;
    size_t data_size; ///< bytes of `data`; must be what each KEEL_DATA declares
    /// A single system: it is split over the workers of the world, which pays for long loops only.
    /// How it is split depends on the view and not on the number of workers, and what it records is
    /// applied in the order of the entities. All pieces run, also when one of them fails; the error
    /// is that of the first in order.
    bool parallel;
    /// A workload: the seconds that pass with this run, for steps with `.every`. Each step
    /// adds up what the runs of its workload were given, so that the same calls do the same on any
    /// machine.
    double dt;
} keel_run_desc;

/// Run one system now: keel_run, keel_run_with, keel_run_parallel. Commands of keel_world_commands
/// are applied before, the system's own commands after it.
/// @param desc NULL: the defaults
/// @return KEEL_OK, KEEL_ERROR_SYSTEM when the system failed (its commands are dropped),
///   KEEL_ERROR_ACCESS when it failed because it touched what it did not declare, the errors of
///   keel_view_begin, KEEL_ERROR_ARGUMENT (wrong data, a condition, an impossible list of terms; in
///   parallel a system that writes a unique, may change any entity's components, or runs once),
///   KEEL_ERROR_SHARED in an observer, when the system writes
KEEL_API keel_result keel_run_system(keel_world *world, const keel_system *system,
                                     const keel_run_desc *desc);

/// Run a workload now: keel_run_workload, keel_run_workload_with. Systems that do not conflict run
/// at the same time, on all workers of the world; what comes out is the same as when they run one
/// by one, in the order of the list. A system that fails stops what depends on it; everything else
/// runs.
/// @param desc NULL: the defaults
/// @threads the owner; in shared mode any thread, and commands then wait for keel_apply_commands.
/// In a system
///   that runs in a workload likewise, over what nobody else uses now: its commands wait for the
///   end of that workload, and the handles of entities that it creates depend on time
/// @return KEEL_OK; the first error in the order of the list, whoever met it first;
///   KEEL_ERROR_CYCLE when a workload contains itself or its steps have no order,
///   KEEL_ERROR_UNKNOWN (a name in `after` or the like), KEEL_ERROR_ARGUMENT (an impossible step,
///   wrong options), KEEL_ERROR_MEMORY: nothing ran
KEEL_API keel_result keel_run_workload_of(keel_world *world, const keel_workload *workload,
                                          const keel_run_desc *desc);

/// Run a stored workload: keel_run_named, keel_run_default. keel_run_workload_of of what
/// keel_find_workload found does the same, but cannot say which name was not there.
/// @param name KEEL_DEFAULT_WORKLOAD: the first one stored, or what keel_set_default_workload
/// chose;
///   KEEL_OK when no workload is stored
/// @param desc NULL: the defaults
/// @return as keel_run_workload_of; KEEL_ERROR_UNKNOWN, with the names there are
KEEL_API keel_result keel_run_stored(keel_world *world, const char *name,
                                     const keel_run_desc *desc);
/// The name that stands for the default workload.
#define KEEL_DEFAULT_WORKLOAD ""

/// Store a workload in the world under its name; the table is copied. The first one stored becomes
/// the default. One of the same name is replaced.
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (no name; a step with no system or
///   workload), KEEL_ERROR_BORROWED while a system runs, KEEL_ERROR_SHARED
KEEL_API keel_result keel_world_add_workload(keel_world *world, const keel_workload *workload);

/// Append a step to a stored workload, which is made when there is none of this name.
/// @return as keel_world_add_workload
KEEL_API keel_result keel_world_add_step(keel_world *world, const char *workload,
                                         const keel_step *step);

/// Leave out the steps of a stored workload that have this name, or have them run again. It is as
/// cheap as it looks: nothing is planned anew.
/// @param workload KEEL_DEFAULT_WORKLOAD: the default one
/// @param name of a system, of a nested workload, or a label: all steps of this workload itself
/// that
///   have it, not those of workloads nested in it
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_UNKNOWN, with the names there are; KEEL_ERROR_BORROWED and
///   KEEL_ERROR_SHARED while the world is in use
KEEL_API keel_result keel_enable_step(keel_world *world, const char *workload, const char *name,
                                      bool enabled);

/// Take the steps of a stored workload that have this name out of it, and what they know of their
/// runs.
/// @return as keel_enable_step
KEEL_API keel_result keel_remove_step(keel_world *world, const char *workload, const char *name);

/// Forget a stored workload.
/// @return KEEL_OK, KEEL_ABSENT, KEEL_ERROR_BORROWED while a system runs, KEEL_ERROR_SHARED
KEEL_API keel_result keel_remove_workload(keel_world *world, const char *name);

/// The stored workload of this name, or NULL: for keel_run_workload_of, keel_world_workload_nodes
/// and the like, which then mean the stored one, with what its systems have seen.
/// @param name KEEL_DEFAULT_WORKLOAD: the default one
/// @return valid until the workload is changed or forgotten; its steps are not to be changed
/// @threads the owner, while no workload runs
KEEL_API const keel_workload *keel_find_workload(keel_world *world, const char *name);

/// Choose the default workload.
/// @return KEEL_OK, KEEL_ERROR_UNKNOWN, KEEL_ERROR_BORROWED while a system runs, KEEL_ERROR_SHARED
KEEL_API keel_result keel_set_default_workload(keel_world *world, const char *name);

/// Fail the running system: keel_run* returns KEEL_ERROR_SYSTEM, and the message carries the
/// system's name and this text. The function goes on until it returns; per-entity systems see no
/// more entities. Only the first call of a run counts.
/// @param object anything of yours, given back in keel_error; it must live until you take it from
/// there
/// @param format as printf
KEELI_PRINTF(3, 4)
KEEL_API void keel_fail(keel_context *context, const void *object, const char *format, ...);

/// keel_fail with a text that is no format, for languages that cannot call functions with `...`.
/// @param text one sentence, copied; NULL: no reason is given
KEEL_API void keel_fail_text(keel_context *context, const char *text);

/// The answer of a condition. The last one counts; without any it is no.
KEEL_API void keel_answer(keel_context *context, bool answer);

/// What keel_context_info tells of a run.
typedef struct keel_run_info {
    /// Which worker runs this: 0 is the thread that began the run; below the world's worker count.
    /// For counters that are added up later; results must not depend on it.
    uint32_t worker;
    /// The tick of the system's run before this one, at the same place of the same workload: what
    /// was changed later is new to it (track.h). 0 the first time, and in custom views that are
    /// begun in the world.
    uint64_t last_run;
    uint64_t this_run; ///< the tick of this run, that of the changes it makes; above `last_run`
    void *user;        ///< of the system that runs, or of the custom view that is made or dropped
    void *data;        ///< of keel_run_desc: what the caller of the run handed in, or NULL
    size_t data_size;  ///< bytes of `data`
} keel_run_info;

/// Who runs, when, and what it was given.
/// @param info is filled in: all zeros without a context
/// @return info: `keel_context_info(context, &(keel_run_info){ 0 })->user`
KEEL_API keel_run_info *keel_context_info(const keel_context *context, keel_run_info *info);

/// The commands of the running system; NULL when it did not declare KEEL_COMMANDS.
KEEL_API keel_commands *keel_context_commands(keel_context *context);

/// Memory for this call of the system (of this piece of it, when it is split), not initialised. It
/// goes when the system returns and is used again, so a run that is repeated allocates nothing.
/// @param align a power of two
/// @threads that of the system; pieces of its loops have keel_piece_scratch
/// @return NULL when out of memory
KEEL_API void *keel_context_scratch(keel_context *context, size_t size, size_t align);

/// The world, in a system that declared KEEL_WORLD; otherwise NULL (an error: KEEL_ERROR_ACCESS).
KEEL_API keel_world *keel_context_world(keel_context *context);

/// Private: was keel_fail called?
KEEL_API bool keeli_context_has_failed(const keel_context *context);

/// Private: are these bits at most three runs, and is one long enough for a loop of its own?
static inline bool keeli_has_long_runs(uint64_t bits) {
    const uint64_t two = bits & bits >> 1;
    if (!two) return false;
    uint64_t last = bits & ~(bits >> 1); // of each run
    last &= last - 1;
    last &= last - 1;
    last &= last - 1;
    const uint64_t four = two & two >> 2, eight = four & four >> 4;
    return (last == 0) & (eight != 0);
}

/// Private: the next run of set bits: `*at`, the place of the lowest bit of `*bits`, goes to its
/// first and the bits go with it, to behind it. Its length; 0 when there is none.
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
    uint32_t level;          ///< private: loops entered
    bool whole, spans;       ///< private: the body ran to its end; by span
} keeli_cursor;

/// Private.
KEEL_API void keeli_cursor_begin(keeli_cursor *cursor, keel_scope *scope, const keel_term *terms,
                                 bool spans, const char *where);
/// Private: the next chunk that is not empty; false at the end.
KEEL_API bool keeli_cursor_refill(keeli_cursor *cursor);
/// Private.
KEEL_API void keeli_cursor_end(keeli_cursor *cursor);

/// Private: to the next entity or span.
static inline bool keeli_cursor_next(keeli_cursor *cursor) {
    if (!cursor->whole) return false; // left by break
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

/// Private: each of the nested loops runs once per entity.
static inline bool keeli_cursor_enter(keeli_cursor *cursor, uint32_t level) {
    if (cursor->level >= level) return false;
    cursor->level = level;
    return true;
}

/// Private: the value of the current entity, or NULL.
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
