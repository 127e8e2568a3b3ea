// SPDX-License-Identifier: MIT
// Runs a schedule, and its nodes one by one. On one thread the nodes run in linear order; several
// threads (workers.c) run each node as soon as the nodes before it have ended. Both call
// keeli_node_run. workload.c calls keeli_schedule_run; whether several threads are used is decided
// in cost.c.
#include "edit/commands.h"
#include "follow/changes.h"
#include "run/workers.h"
#include "world/report.h"

#include <keel/why.h>

#include <stdio.h>

// ------------------------------------------------------------------ alone
// Returns the tick of a node. Each node has its own, except in a run inside another run or in
// shared mode, where time does not advance.
static uint64_t tick_of(const keeli_schedule *s, const keeli_node *node) {
    return s->first_tick + (s->is_inner ? 0 : (uint64_t)(node - s->nodes.items));
}

// The state of the world that is restored after a node that may edit everything. No other node runs
// beside such a node, so it may use the world like its owner does outside of runs.
typedef struct solitude {
    uint32_t refused, concurrent, node;
    keeli_first_error *first;
} solitude;

// Lets the node use the world like its owner. Errors of systems that the node runs by keel_run are
// collected with those of `worker`. In a run inside another run, or in shared mode, nothing is
// changed: other nodes may run beside this one, so its edits stay refused.
static solitude begin_alone(const keeli_schedule *s, const keeli_node *node,
                            const keeli_worker *worker) {
    keel_world *world = s->world;
    const solitude kept = { world->refused, world->access.concurrent, world->workers.own.node,
                            world->workers.own.first };
    if (s->is_inner)
        return kept;

    world->refused = world->access.concurrent = 0;
    world->heap.shared = false;
    world->workers.own.first = worker->first;
    world->workers.own.node = worker->node;
    world->changes.tick = tick_of(s, node);
    return kept;
}

// Applies the commands that the node recorded with keel_world_commands, and restores the state. If
// the node ran systems, the world's tick has advanced; the ticks of later nodes are moved by the
// same amount.
static keel_result end_alone(keeli_schedule *s, const keeli_node *node, solitude kept,
                             keel_result result) {
    keel_world *world = s->world;
    const keel_result applied = keeli_commands_flush(world);
    if (result >= 0)
        result = applied;
    if (s->is_inner)
        return result;

    s->first_tick += world->changes.tick - tick_of(s, node);
    world->refused = kept.refused;
    world->access.concurrent = kept.concurrent;
    world->heap.shared = kept.concurrent > 0;
    world->workers.own.first = kept.first;
    world->workers.own.node = kept.node;
    return result;
}

// ------------------------------------------------------------------ systems and conditions
// Binds the system of a step, or one of its conditions, if it is not bound yet.
static keel_result bind_step(keel_world *world, keeli_node *node, keeli_step_system which) {
    if (node->bound[which] && node->bound[which]->view)
        return KEEL_OK;
    const keel_step *step = &node->step;
    const keel_system *const systems[] = { step->system, step->run_if, step->skip_if };
    const keel_system *system = systems[which];
    char condition[sizeof((keeli_holder *)0)->name];
    if (!node->bound[which]) {
        node->bound[which] = KEELI_NEW(&world->heap, keeli_bound);
        if (!node->bound[which])
            return keeli_out_of_memory(world, "starting a system");
    }
    snprintf(condition, sizeof condition, "condition '%.20s' of '%.20s'", system->name, node->name);
    return keeli_bound_bind(node->bound[which], world, system,
                            which == KEELI_STEP_SYSTEM ? system->name : condition);
}

// Sets up what a step needs beside its terms: the reader of changes, and a list for its commands
// and deferred events.
static keel_result begin_step_context(keel_context *context, keeli_bound *bound) {
    keel_world *world = context->in.world;
    const bool asks_about_changes = bound->view->facts.asks_about_changes;
    if (asks_about_changes && !bound->reader) {
        const bool is_new = !bound->parked;
        bound->reader = is_new ? KEELI_NEW(&world->heap, keeli_reader) : bound->parked;
        if (!bound->reader)
            return keeli_out_of_memory(world, "starting a system");
        bound->reader->name = context->system->name;
        bound->reader->kind = KEELI_READER_OF_STEP;
        if (is_new)
            bound->reader->serial = keeli_next_serial(world);
        bound->parked = NULL;
    }
    if (asks_about_changes)
        context->in.reader = bound->reader;
    if (!keeli_context_records(context) || context->splits)
        return KEEL_OK;
    KEEL_TRY(keeli_context_begin_commands(context));
    if (!KEELI_RESERVE(&world->heap, &context->node->lists, 1))
        return keeli_out_of_memory(world, "starting a system");
    if (!context->is_inner)
        keeli_handles_serve(context->commands, context);
    return KEEL_OK;
}

// Runs the bound system of a step, or one of its conditions. `answer`: receives the answer of a
// condition; NULL for a system.
static keel_result run_bound_step(keeli_schedule *s, keeli_node *node, keeli_step_system which,
                                  keeli_worker *worker, bool *answer) {
    keeli_bound *bound = node->bound[which];
    keel_context context;
    keeli_context_init(&context, s->world, bound->system, worker);
    keeli_context_set_view(&context, bound->view);
    context.bound = bound;
    context.node = node;
    context.run = s->run;
    context.is_inner = s->is_inner;
    context.splits = which == KEELI_STEP_SYSTEM && node->step.parallel;
    context.tick = tick_of(s, node);

    keel_result result = begin_step_context(&context, bound);
    if (result == KEEL_OK && bound->view->holder.everything) {
        const solitude kept = begin_alone(s, node, worker);
        result = end_alone(s, node, kept, keeli_run_bound(&context, bound));
    } else if (result == KEEL_OK)
        result = keeli_run_bound(&context, bound);

    if (context.commands) { // a list with records is owned by the node from here on
        keeli_commands_close(context.commands);
        if (!context.commands->first)
            keeli_commands_discard(s->world, context.commands);
        else
            *KEELI_APPEND(&node->lists) = context.commands;
    }

    if (answer)
        *answer = context.answer;
    keeli_context_end(&context);
    return result;
}

// Runs the condition `which` of a step, and stores its answer in `*answer`.
static keel_result ask_condition(keeli_schedule *s, keeli_node *node, keeli_step_system which,
                                 keeli_worker *worker, bool *answer) {
    KEEL_TRY(bind_step(s->world, node, which));
    return run_bound_step(s, node, which, worker, answer);
}

// Adds the time of this run to a step with .every, and returns true if the step is due. Times are
// whole nanoseconds, so that sums are exact. The caller's .dt may be rounded down, which must not
// delay the step by a whole run: so a step is due up to TOO_EARLY nanoseconds early.
static bool is_due(const keeli_schedule *s, keeli_node *node) {
    enum { TOO_EARLY = 1000 };
    const uint64_t dt = (uint64_t)(s->run->dt * 1e9 + 0.5);
    const uint64_t period = (uint64_t)(node->step.every * 1e9 + 0.5);
    const uint64_t passed = node->passed + dt + TOO_EARLY;
    const bool is_due = passed >= period;
    const uint64_t rest = is_due && period ? passed % period : passed;
    keeli_atomic_put(&node->passed, rest - TOO_EARLY);
    return is_due;
}

// Sets `*yes` to whether the conditions of a step let it run.
static keel_result ask_conditions(keeli_schedule *s, keeli_node *node, keeli_worker *worker,
                                  bool *yes) {
    const keel_step *step = &node->step;
    *yes = true;
    node->left_out = KEELI_LEFT_OUT_BY_NONE;
    KEEL_TRY(keeli_state_ask(s, node, yes));

    if (*yes && step->skip_if_missing) {
        const keeli_storage *unique = keeli_storage_find(s->world, step->skip_if_missing);
        *yes = unique && unique->unique;
    }
    if (*yes && step->skip_if_empty) {
        const keeli_storage *storage = keeli_storage_find(s->world, step->skip_if_empty);
        *yes = storage && keeli_store_count(storage);
    }

    if (*yes && step->run_if) {
        KEEL_TRY(ask_condition(s, node, KEELI_STEP_RUN_IF, worker, yes));
        node->left_out = *yes ? KEELI_LEFT_OUT_BY_NONE : KEELI_LEFT_OUT_BY_RUN_IF;
    }
    bool no = false;
    if (*yes && step->skip_if)
        KEEL_TRY(ask_condition(s, node, KEELI_STEP_SKIP_IF, worker, &no));
    if (no) {
        node->left_out = KEELI_LEFT_OUT_BY_SKIP_IF;
        *yes = false;
    }

    if (*yes && step->every > 0) {
        *yes = is_due(s, node);
        node->left_out = *yes ? KEELI_LEFT_OUT_BY_NONE : KEELI_LEFT_OUT_BY_EVERY;
    }
    return KEEL_OK;
}

// Runs the system of a step, or skips it if that makes no difference.
static keel_result run_step_system(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    KEEL_TRY(bind_step(s->world, node, KEELI_STEP_SYSTEM));
    keeli_bound *bound = node->bound[KEELI_STEP_SYSTEM];
    // the system of a guest may conflict with an open view, which must be reported
    const bool may_leave_out = bound->is_mere && !s->is_guest;
    if (!s->is_guest) {
        // a loop without other effects can be skipped for as long as no entity has this component
        const bool is_mere = bound->is_mere && !node->has_conditions && !node->step.times;
        const keeli_storage *lacks = is_mere ? keeli_bound_lacks(bound) : NULL;
        s->idle.items[index] = lacks ? &lacks->presence.count : NULL;
    }

    keel_result result = KEEL_OK;
    if (may_leave_out && keeli_bound_sees_nothing(s->world, bound))
        bound->reader->last = tick_of(s, node);
    else
        result = run_bound_step(s, node, KEELI_STEP_SYSTEM, worker, NULL);
    if (result >= 0 && node->runs < UINT32_MAX)
        keeli_atomic_store(&node->runs, node->runs + 1);
    return result;
}

// ------------------------------------------------------------------ steps with .times
// Runs of one workload at the same time have a schedule each. keeli_node.runs of a system with a
// limit is kept equal in all these schedules, under the world's lock.

// Returns the node of the same system in another schedule of the workload, searching from `*other`
// on, and moves `*other` behind that schedule; or NULL.
static keeli_node *next_same(const keeli_schedule *s, uint32_t index, keeli_schedule **other) {
    while (*other) {
        keeli_schedule *o = *other;
        *other = o->next;
        const bool is_other_run = o != s && o->table == s->table && o->stamp == s->stamp;
        if (!is_other_run || index >= o->nodes.count)
            continue;
        keeli_node *node = &o->nodes.items[index];
        if (node->step.system == s->nodes.items[index].step.system)
            return node;
    }
    return NULL;
}

static bool is_counted_elsewhere(const keeli_schedule *s, uint32_t index) {
    keeli_schedule *other = keeli_schedules_beside(s);
    for (const keeli_node *node; (node = next_same(s, index, &other)) != NULL;)
        if (node->is_counting)
            return true;
    return false;
}

static bool has_run_enough(const keeli_node *node) {
    return node->step.times && keeli_atomic_load(&node->runs) >= node->step.times;
}

// Returns true and marks the node as counting if this run may run the system of the node once more.
// Waits while another run is running the system; a run inside another run returns false instead.
static bool begin_counted(keeli_schedule *s, uint32_t index) {
    keel_world *world = s->world;
    keeli_node *node = &s->nodes.items[index];
    keeli_world_lock(world);
    bool is_elsewhere = is_counted_elsewhere(s, index);
    // a nested run must not wait: the run around it may be the one that runs the system
    while (is_elsewhere && !s->is_nested) {
        keeli_condition_wait(&world->workers.started, &world->access.lock);
        is_elsewhere = is_counted_elsewhere(s, index);
    }
    node->is_counting = !is_elsewhere && !has_run_enough(node);
    keeli_world_unlock(world);
    return node->is_counting;
}

// Ends the counting that begin_counted began. `is_done`: the system did not fail, so its number of
// runs is copied to the other schedules.
static void end_counted(keeli_schedule *s, uint32_t index, bool is_done) {
    keel_world *world = s->world;
    keeli_node *own = &s->nodes.items[index];
    keeli_world_lock(world);
    own->is_counting = false;
    keeli_schedule *other = is_done ? keeli_schedules_beside(s) : NULL;
    for (keeli_node *node; (node = next_same(s, index, &other)) != NULL;)
        keeli_atomic_store(&node->runs, own->runs);
    keeli_world_unlock(world);
    if (world->access.concurrent)
        keeli_condition_wake_all(&world->workers.started);
}

// ------------------------------------------------------------------ commands
// Queues the lists of a system in the world, from index `from` on. keel_apply_commands applies them
// later.
static void defer_lists(keeli_schedule *s, keeli_node *system, uint32_t from) {
    for (uint32_t i = from; i < system->lists.count; ++i)
        keeli_commands_submit(s->world, system->lists.items[i]);
    system->lists.count = 0;
}

// Applies the lists of a system in order. Returns the first failure.
static keel_result apply_lists(keeli_schedule *s, keeli_node *system, const keeli_holder *holder) {
    keel_result first = KEEL_OK;
    for (uint32_t i = 0; i < system->lists.count; ++i) {
        keel_commands *list = system->lists.items[i];
        const keel_result result = keeli_commands_apply(s->world, holder, list);
        if (first == KEEL_OK && result < 0)
            first = result;
        const bool is_unfinished = result == KEEL_ERROR_MEMORY && list->first;
        if (!is_unfinished)
            continue;
        defer_lists(s, system, i); // the next keel_apply_commands continues with this list
        return first;
    }
    system->lists.count = 0;
    return first;
}

// Applies the commands of a system that declared which components they edit, while a holder of just
// these components is open.
static keel_result apply_declared(keeli_schedule *s, keeli_node *node, keeli_node *system) {
    keel_world *world = s->world;
    if (!node->editor) {
        node->editor = keeli_view_new(world, node->name);
        if (!node->editor)
            return keeli_out_of_memory(world, "applying commands");
    }

    keeli_holder *holder = &node->editor->holder;
    holder->uses.count = 0;
    if (!KEELI_RESERVE(&world->heap, &holder->uses, node->touch_count))
        return keeli_out_of_memory(world, "applying commands");
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        *KEELI_APPEND(&holder->uses) = (keeli_use){ .storage = t->storage, .access = t->access };
    }

    holder->tick = tick_of(s, node);
    KEEL_TRY(keeli_holder_open(world, holder));
    const keel_result result = apply_lists(s, system, holder);
    keeli_holder_close(world, holder);
    return result;
}

// Returns the number of commands in the lists of a system.
static uint64_t count_commands(const keeli_node *system) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < system->lists.count; ++i)
        for (const keeli_command *c = system->lists.items[i]->first; c; c = c->next)
            ++count;
    return count;
}

// Runs a node that applies the commands of a system.
static keel_result apply_node(keeli_schedule *s, keeli_node *node, keeli_worker *worker) {
    keeli_node *system = &s->nodes.items[node->of];
    const char *outer = worker->running;
    keel_result result = KEEL_OK;
    worker->running = node->name; // errors name this system
    worker->has_caught = false;
    const bool is_timed = s->world->workloads.timings && system->lists.count && !s->is_guest;
    const uint64_t edits = is_timed ? count_commands(system) : 0;
    const uint64_t number =
        edits ? keeli_timings_enter_commands(s->world, node, system, tick_of(s, node), worker) : 0;
    if (s->is_guest) { // open views may read the components that would be edited
        defer_lists(s, system, 0);
    } else if (node->everything) {
        const solitude kept = begin_alone(s, node, worker);
        result = end_alone(s, node, kept, apply_lists(s, system, NULL));
    } else if (system->lists.count) {
        result = apply_declared(s, node, system);
    }

    if (edits)
        keeli_timings_leave_commands(s->world, number, edits);
    worker->running = outer;
    return result == KEEL_OK && worker->has_caught ? KEEL_ERROR_SYSTEM : result;
}

// ------------------------------------------------------------------ nodes
// Runs a node: applies commands, or runs a system unless its step is disabled, has run as often as
// .times allows, or a condition says no.
static keel_result run_step(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEEL_NODE_COMMANDS)
        return apply_node(s, node, worker);
    const bool is_system = node->kind == KEEL_NODE_SYSTEM;
    if (!is_system && node->kind != KEEL_NODE_BEGIN)
        return KEEL_OK;
    const uint32_t open = s->sections.items[node->section].open;
    const bool is_section_skipped = open != KEEL_NO_NODE && s->nodes.items[open].is_skipped;
    node->is_skipped = node->asked->disabled || is_section_skipped;
    if (node->is_skipped || has_run_enough(node))
        return KEEL_OK;
    if (node->has_conditions) {
        bool yes;
        KEEL_TRY(ask_conditions(s, node, worker, &yes));
        node->is_skipped = !yes;
        if (!yes)
            return KEEL_OK;
    }
    if (!is_system)
        return KEEL_OK;
    if (!node->step.times)
        return run_step_system(s, index, worker);
    if (!begin_counted(s, index))
        return KEEL_OK;
    const keel_result result = run_step_system(s, index, worker);
    end_counted(s, index, result >= 0);
    return result;
}

keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    const bool opens = node->is_alone && !s->is_inner;
    const bool is_timed = keeli_costs_want(s, node);
    const uint64_t begin = is_timed ? keeli_clock_ns() : 0;
    if (opens)
        keeli_world_open(s->world, true); // observers and edits of everything need the world
    const keel_result result = run_step(s, index, worker);
    if (opens)
        keeli_world_open(s->world, false);
    if (is_timed)
        keeli_costs_note(s, node, keeli_clock_ns() - begin);
    return result;
}

bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node) {
    if (!node->is_blocked)
        return true;
    return node->kind == KEEL_NODE_COMMANDS && !s->nodes.items[node->of].has_failed;
}

// Tells the watcher of steps (keel_watch_steps) that a node has run, if it is a system or applied
// commands. The watcher may read: edits are refused, as the workload runs.
static void tell_watcher(keeli_schedule *s, const keeli_node *node) {
    const bool is_commands = node->kind == KEEL_NODE_COMMANDS;
    const keeli_node *system = is_commands ? &s->nodes.items[node->of] : node;
    if (!is_commands && (node->kind != KEEL_NODE_SYSTEM || node->is_skipped))
        return;
    const keel_step_end end = { system->name, s->is_inner ? KEEL_NO_STEP : system->place,
                                is_commands };
    keel_world *world = s->world;
    if (!s->is_inner)
        keeli_world_open(world, true);
    const uint32_t before = keeli_refuse_begin(world, KEELI_REFUSED_ASKING);
    world->workloads.watch(world, &end, world->workloads.watch_data);
    keeli_refuse_end(world, before);
    if (!s->is_inner)
        keeli_world_open(world, false);
}

// ------------------------------------------------------------------ one thread
// Runs all nodes on one thread. Returns the first failure.
static keel_result run_in_order(keeli_schedule *s, keeli_worker *worker) {
    keel_result first = KEEL_OK;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        // an idle node is skipped, except that a blocked one must block the nodes that wait for it;
        // no node is blocked before the first failure, so `node` is not read until then
        if (keeli_node_is_idle(s, i) && (first == KEEL_OK || !node->is_blocked))
            continue;
        keel_result result = KEEL_OK;
        node->ready = 0; // nobody waits for a worker here
        worker->node = i;
        if (first == KEEL_OK || keeli_node_may_run(s, node))
            result = keeli_node_run(s, i, worker);
        if (s->world->workloads.watch)
            tell_watcher(s, node);
        if (result == KEEL_OK && (first == KEEL_OK || !node->is_blocked))
            continue;
        if (first == KEEL_OK)
            first = result;

        node->has_failed = true;
        for (uint32_t e = node->first_edge; e < node->first_edge + node->edge_count; ++e) {
            const keeli_node_edge *edge = &s->edges.items[e];
            if (!edge->is_loose)
                s->nodes.items[edge->to].is_blocked = true;
        }
    }
    worker->node = KEEL_NO_NODE;
    return first;
}

// ------------------------------------------------------------------ before and after
// Discards lists that were not applied, because their system failed.
static void drop_lists(keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_blocked = node->has_failed = false;
        for (uint32_t k = 0; k < node->lists.count; ++k)
            keeli_commands_discard(s->world, node->lists.items[k]);
        node->lists.count = 0;
    }
}

// Runs all nodes on several threads or, if `workers` is NULL, on one.
static keel_result run_nodes(keeli_schedule *s, keeli_workers *workers) {
    if (workers)
        return keeli_workers_run(workers, s);

    keeli_worker spare, *worker = keeli_worker_begin(s->world, &spare);
    keeli_first_error first, *const outer = worker->first;
    const uint32_t outer_node = worker->node;
    keeli_errors_collect(worker, &first); // the errors of a run count as one
    const keel_result result = run_in_order(s, worker);

    worker->first = outer;
    worker->node = outer_node;
    keeli_worker_end(s->world, worker);
    keeli_error_hand_over(s->world, &first.error);
    return result;
}

// Runs all nodes. Meanwhile the world refuses edits, and handles for new entities are reserved.
static keel_result run_all(keeli_schedule *s, keeli_workers *workers) {
    keel_world *world = s->world;
    s->first_tick = s->is_inner ? keeli_tick_inside(world) : world->changes.tick;
    if (!s->is_inner) {
        KEEL_TRY(keeli_handles_reserve_all(s));
        keeli_world_open(world, false);
        world->refused |= KEELI_REFUSED_RUNNING; // also on one thread: systems use commands
    }

    const keel_result result = run_nodes(s, workers);
    if (!s->is_inner) {
        keeli_world_open(world, true);
        world->refused &= ~(uint32_t)KEELI_REFUSED_RUNNING;
        world->changes.tick = s->first_tick + s->nodes.count;
        keeli_tick_advance(world);
        keeli_events_flush(world);
    }

    if (result < 0)
        drop_lists(s);
    if (!s->is_inner)
        keeli_handles_return_all(s);
    return result;
}

static void warn_of_no_time(const keeli_schedule *s) {
    if (s->run->dt > 0)
        return;
    keeli_warn(s->world,
               "workload '%s' has steps with .every, but its first run has no .dt, so no time "
               "passes; pass it: keel_run_workload(world, name, .dt = seconds)",
               s->sections.items[0].name);
}

keel_result keeli_schedule_run(keeli_schedule *s) {
    keel_world *world = s->world;
    if (s->has_periods && !s->runs)
        warn_of_no_time(s);

    s->is_inner = world->refused > 0;
    s->is_guest = s->is_inner || world->access.holders;
    s->is_nested = s->has_limits && keeli_worker_here(world);

    // a workload that an observer runs uses one thread: keeli_is_inside_edit, which checks what it
    // may access, is true only in the thread of the edit
    keeli_costs_begin(s, !keeli_is_inside_edit(world));
    if (world->workloads.watch)
        s->costs.is_wide = false;
    keeli_workers *workers = s->costs.is_wide ? keeli_workers_acquire(world) : NULL;
    if (s->costs.is_wide && !workers)
        return KEEL_ERROR_MEMORY;
    keeli_workers_count_memory(world, 1);

    const keel_result result = run_all(s, workers);
    if (workers)
        keeli_workers_release(workers);
    if (workers || s->parallel)
        keeli_workers_preallocate(world, s->parallel);
    keeli_costs_end(s);

    ++s->runs;
    return result;
}
