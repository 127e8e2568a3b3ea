// SPDX-License-Identifier: MIT
// Running a schedule. On one thread the nodes run in linear order; several (workers.c) run them as
// soon as what they wait for has ended. Both come through keeli_node_run.
#include "edit/commands.h"
#include "follow/changes.h"
#include "run/workers.h"
#include "world/report.h"

#include <stdio.h>

// ------------------------------------------------------------------ alone
// Each node has its own; but time does not go on in a run inside of another one, or of shared mode.
static uint64_t tick_of(const keeli_schedule *s, const keeli_node *node) {
    return s->first_tick + (s->is_inner ? 0 : (uint64_t)(node - s->nodes.items));
}

// A node that touches everything has the world as its owner has it: nobody else is at work.
typedef struct solitude {
    uint32_t refused, concurrent, node;
    keeli_first_error *first;
} solitude;

// `worker` is where it runs: errors of systems that it runs by keel_run go where its own go. In a
// run inside of another one, or of shared mode, nobody is alone: it will be refused.
static solitude begin_alone(const keeli_schedule *s, const keeli_node *node,
                            const keeli_worker *worker) {
    keel_world *world = s->world;
    const solitude kept = { world->refused, world->access.concurrent, world->workers.own.node,
                            world->workers.own.first };
    if (s->is_inner) return kept;
    world->refused = world->access.concurrent = 0;
    world->heap.shared = false;
    world->workers.own.first = worker->first;
    world->workers.own.node = worker->node;
    world->changes.tick = tick_of(s, node);
    return kept;
}

// Applies what the node recorded with keel_world_commands, too. Time went on as it does for the
// owner, by running systems: those after it come later by as much.
static keel_result end_alone(keeli_schedule *s, const keeli_node *node, solitude kept,
                             keel_result result) {
    keel_world *world = s->world;
    const keel_result applied = keeli_commands_flush(world);
    if (result >= 0) result = applied;
    if (s->is_inner) return result;
    s->first_tick += world->changes.tick - tick_of(s, node);
    world->refused = kept.refused;
    world->access.concurrent = kept.concurrent;
    world->heap.shared = kept.concurrent > 0;
    world->workers.own.first = kept.first;
    world->workers.own.node = kept.node;
    return result;
}

// ------------------------------------------------------------------ systems and conditions
static keel_result bind_step(keel_world *world, keeli_node *node, keeli_step_system which) {
    if (node->bound[which] && node->bound[which]->view) return KEEL_OK;
    const keel_step *step = &node->step;
    const keel_system *const systems[] = { step->system, step->run_if, step->skip_if };
    const keel_system *system = systems[which];
    char condition[sizeof((keeli_holder *)0)->name];
    if (!node->bound[which] && !(node->bound[which] = KEELI_NEW(&world->heap, keeli_bound)))
        return keeli_out_of_memory(world, "starting a system");
    snprintf(condition, sizeof condition, "condition '%.20s' of '%.20s'", system->name, node->name);
    return keeli_bound_bind(node->bound[which], world, system,
                            which == KEELI_STEP_SYSTEM ? system->name : condition);
}

// What it needs beside its terms: who it is to changes, and a list for what it records.
static keel_result begin_step(keel_context *context, keeli_bound *bound) {
    keel_world *world = context->in.world;
    if (bound->view->facts.asks_about_changes && !bound->reader) {
        bound->reader = bound->parked ? bound->parked : KEELI_NEW(&world->heap, keeli_reader);
        if (!bound->reader) return keeli_out_of_memory(world, "starting a system");
        bound->reader->name = context->system->name;
        if (!bound->parked) bound->reader->serial = keeli_next_serial(world);
        bound->parked = NULL;
    }
    if (bound->view->facts.asks_about_changes) context->in.reader = bound->reader;
    if (!keeli_context_records(context) || context->splits) return KEEL_OK;
    KEEL_TRY(keeli_context_take_commands(context));
    if (!KEELI_RESERVE(&world->heap, &context->node->lists, 1))
        return keeli_out_of_memory(world, "starting a system");
    if (!context->is_inner) keeli_handles_serve(context->commands, context);
    return KEEL_OK;
}

// The system of a step or one of its conditions, which is bound. `answer`: of a condition, or NULL.
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
    keel_result result = begin_step(&context, bound);
    if (result == KEEL_OK && bound->view->holder.everything) {
        const solitude kept = begin_alone(s, node, worker);
        result = end_alone(s, node, kept, keeli_run_bound(&context, bound));
    } else if (result == KEEL_OK) result = keeli_run_bound(&context, bound);
    if (context.commands) { // what it recorded belongs to the node now
        keeli_commands_close(context.commands);
        if (!context.commands->first) keeli_commands_discard(s->world, context.commands);
        else *KEELI_APPEND(&node->lists) = context.commands;
    }
    if (answer) *answer = context.answer;
    keeli_context_end(&context);
    return result;
}

static keel_result ask(keeli_schedule *s, keeli_node *node, keeli_step_system which,
                       keeli_worker *worker, bool *answer) {
    KEEL_TRY(bind_step(s->world, node, which));
    return run_bound_step(s, node, which, worker, answer);
}

static const keeli_storage *find(const keeli_schedule *s, const keel_component *component) {
    return component ? keeli_storage_find(s->world, component) : NULL;
}

// Is a step with .every due, now that the time of this run has passed for it? Time is whole
// nanoseconds, so that sums are exact. What a caller's fraction of a second was rounded by must not
// make it late by a whole run, so it is due a little too early.
static bool is_due(const keeli_schedule *s, keeli_node *node) {
    enum { TOO_EARLY = 1000 };
    const uint64_t dt = (uint64_t)(s->run->dt * 1e9 + 0.5);
    const uint64_t period = (uint64_t)(node->step.every * 1e9 + 0.5);
    const uint64_t passed = node->passed + dt + TOO_EARLY;
    const bool is_due = passed >= period;
    keeli_atomic_put(&node->passed, (is_due && period ? passed % period : passed) - TOO_EARLY);
    return is_due;
}

// Do the step's conditions let it run?
static keel_result ask_all(keeli_schedule *s, keeli_node *node, keeli_worker *worker, bool *yes) {
    const keel_step *step = &node->step;
    *yes = true;
    KEEL_TRY(keeli_state_ask(s, node, yes));
    if (*yes && step->skip_if_missing) {
        const keeli_storage *unique = find(s, step->skip_if_missing);
        *yes = unique && unique->unique;
    }
    if (*yes && step->skip_if_empty) {
        const keeli_storage *storage = find(s, step->skip_if_empty);
        *yes = storage && keeli_store_count(storage);
    }
    if (*yes && step->run_if) KEEL_TRY(ask(s, node, KEELI_STEP_RUN_IF, worker, yes));
    bool no = false;
    if (*yes && step->skip_if) KEEL_TRY(ask(s, node, KEELI_STEP_SKIP_IF, worker, &no));
    *yes = *yes && !no;
    if (*yes && step->every > 0) *yes = is_due(s, node);
    return KEEL_OK;
}

static keel_result run_system(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    KEEL_TRY(bind_step(s->world, node, KEELI_STEP_SYSTEM));
    keeli_bound *bound = node->bound[KEELI_STEP_SYSTEM];
    if (!s->is_guest) { // a guest may have to hear of a conflict
        // a loop that nobody could notice can be left out for as long as it lacks this
        const bool is_mere = bound->is_mere && !node->has_conditions && !node->step.times;
        const keeli_storage *lacks = is_mere ? keeli_bound_lacks(bound) : NULL;
        s->idle.items[index] = lacks ? &lacks->presence.count : NULL;
    }
    keel_result result = KEEL_OK;
    if (!s->is_guest && bound->is_mere && keeli_bound_sees_nothing(s->world, bound))
        bound->reader->last = tick_of(s, node);
    else result = run_bound_step(s, node, KEELI_STEP_SYSTEM, worker, NULL);
    if (result >= 0 && node->runs < UINT32_MAX) keeli_atomic_store(&node->runs, node->runs + 1);
    return result;
}

// ------------------------------------------------------------------ steps with .times
// Runs of one workload at once have a schedule each. How often a system with a limit has run is
// kept the same in all of them, under the world's lock.

// The same system's node in another schedule of the workload, the next one from `*other` on, which
// is moved behind it; or NULL.
static keeli_node *next_same(const keeli_schedule *s, uint32_t index, keeli_schedule **other) {
    for (keeli_schedule *o; (o = *other) != NULL;) {
        *other = o->next;
        if (o == s || index >= o->nodes.count || o->table != s->table || o->stamp != s->stamp)
            continue;
        keeli_node *node = &o->nodes.items[index];
        if (node->step.system == s->nodes.items[index].step.system) return node;
    }
    return NULL;
}

static bool is_counted_elsewhere(const keeli_schedule *s, uint32_t index) {
    keeli_schedule *other = keeli_schedules_beside(s);
    for (const keeli_node *node; (node = next_same(s, index, &other)) != NULL;)
        if (node->is_counting) return true;
    return false;
}

static bool has_run_enough(const keeli_node *node) {
    return node->step.times && keeli_atomic_load(&node->runs) >= node->step.times;
}

// May this run run the system of the node once more? False: another one did, which this one has
// waited for; a run inside of another one does not wait.
static bool begin_counted(keeli_schedule *s, uint32_t index) {
    keel_world *world = s->world;
    keeli_node *node = &s->nodes.items[index];
    keeli_world_lock(world);
    bool waits = is_counted_elsewhere(s, index);
    // whoever runs it may be waiting for the end of a run inside of it
    for (; waits && !s->is_nested; waits = is_counted_elsewhere(s, index))
        keeli_condition_wait(&world->workers.started, &world->access.lock);
    node->is_counting = !waits && !has_run_enough(node);
    keeli_world_unlock(world);
    return node->is_counting;
}

static void end_counted(keeli_schedule *s, uint32_t index, bool is_done) {
    keel_world *world = s->world;
    keeli_node *own = &s->nodes.items[index];
    keeli_world_lock(world);
    own->is_counting = false;
    keeli_schedule *other = is_done ? keeli_schedules_beside(s) : NULL;
    for (keeli_node *node; (node = next_same(s, index, &other)) != NULL;)
        keeli_atomic_store(&node->runs, own->runs);
    keeli_world_unlock(world);
    if (world->access.concurrent) keeli_condition_wake_all(&world->workers.started);
}

// ------------------------------------------------------------------ commands
static void keep_for_later(keeli_schedule *s, keeli_node *system, uint32_t from) {
    for (uint32_t i = from; i < system->lists.count; ++i)
        keeli_commands_submit(s->world, system->lists.items[i]);
    system->lists.count = 0;
}

static keel_result apply_lists(keeli_schedule *s, keeli_node *system, const keeli_holder *holder) {
    keel_result first = KEEL_OK;
    for (uint32_t i = 0; i < system->lists.count; ++i) {
        keel_commands *list = system->lists.items[i];
        const keel_result result = keeli_commands_apply(s->world, holder, list);
        if (first == KEEL_OK && result < 0) first = result;
        if (result != KEEL_ERROR_MEMORY || !list->first) continue;
        keep_for_later(s, system, i); // the next keel_apply_commands goes on with it
        return first;
    }
    system->lists.count = 0;
    return first;
}

// Those who said what they edit hold just that while it is applied.
static keel_result apply_declared(keeli_schedule *s, keeli_node *node, keeli_node *system) {
    keel_world *world = s->world;
    if (!node->editor && !(node->editor = keeli_view_new(world, node->name)))
        return keeli_out_of_memory(world, "applying commands");
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

static keel_result apply_node(keeli_schedule *s, keeli_node *node, keeli_worker *worker) {
    keeli_node *system = &s->nodes.items[node->of];
    const char *outer = worker->running;
    keel_result result = KEEL_OK;
    worker->running = node->name; // whose errors these are
    worker->has_caught = false;
    if (s->is_guest) { // somebody else may be looking: they wait, as those of keel_run do
        keep_for_later(s, system, 0);
    } else if (node->everything) {
        const solitude kept = begin_alone(s, node, worker);
        result = end_alone(s, node, kept, apply_lists(s, system, NULL));
    } else if (system->lists.count) result = apply_declared(s, node, system);
    worker->running = outer;
    return result == KEEL_OK && worker->has_caught ? KEEL_ERROR_SYSTEM : result;
}

// ------------------------------------------------------------------ nodes
static keel_result run_step(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEEL_NODE_COMMANDS) return apply_node(s, node, worker);
    const bool is_system = node->kind == KEEL_NODE_SYSTEM;
    if (!is_system && node->kind != KEEL_NODE_BEGIN) return KEEL_OK;
    const uint32_t open = s->sections.items[node->section].open;
    node->is_skipped =
        node->asked->disabled || (open != KEEL_NO_NODE && s->nodes.items[open].is_skipped);
    if (node->is_skipped || has_run_enough(node)) return KEEL_OK;
    if (node->has_conditions) {
        bool yes;
        KEEL_TRY(ask_all(s, node, worker, &yes));
        node->is_skipped = !yes;
        if (!yes) return KEEL_OK;
    }
    if (!is_system || (node->step.times && !begin_counted(s, index))) return KEEL_OK;
    const keel_result result = run_system(s, index, worker);
    if (node->step.times) end_counted(s, index, result >= 0);
    return result;
}

keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    const bool opens = node->is_alone && !s->is_inner, wants = keeli_costs_want(s, node);
    const uint64_t begin = wants ? keeli_clock_ns() : 0;
    if (opens) keeli_world_open(s->world, true); // observers and who edits all look at the world
    const keel_result result = run_step(s, index, worker);
    if (opens) keeli_world_open(s->world, false);
    if (wants) keeli_costs_note(s, node, keeli_clock_ns() - begin);
    return result;
}

bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node) {
    if (!node->is_blocked) return true;
    return node->kind == KEEL_NODE_COMMANDS && !s->nodes.items[node->of].has_failed;
}

// ------------------------------------------------------------------ one thread
static keel_result run_in_order(keeli_schedule *s, keeli_worker *worker) {
    keel_result first = KEEL_OK;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        // after a failure it may be blocked, and others depend on it; before, nodes are not looked
        // at
        if (keeli_node_is_idle(s, i) && (first == KEEL_OK || !node->is_blocked)) continue;
        keel_result result = KEEL_OK;
        worker->node = i;
        if (first == KEEL_OK || keeli_node_may_run(s, node)) result = keeli_node_run(s, i, worker);
        if (result == KEEL_OK && (first == KEEL_OK || !node->is_blocked)) continue;
        if (first == KEEL_OK) first = result;
        node->has_failed = true;
        for (uint32_t e = node->first_edge; e < node->first_edge + node->edge_count; ++e)
            if (!s->edges.items[e].is_loose) s->nodes.items[s->edges.items[e].to].is_blocked = true;
    }
    worker->node = KEEL_NO_NODE;
    return first;
}

// ------------------------------------------------------------------ before and after
// Lists that were not applied are those of systems that failed.
static void drop_lists(keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_blocked = node->has_failed = false;
        for (uint32_t k = 0; k < node->lists.count; ++k)
            keeli_commands_discard(s->world, node->lists.items[k]);
        node->lists.count = 0;
    }
}

// On several threads, or (`workers` NULL) on one.
static keel_result run_nodes(keeli_schedule *s, keeli_workers *workers) {
    if (workers) return keeli_workers_run(workers, s);
    keeli_worker spare, *worker = keeli_worker_begin(s->world, &spare);
    keeli_first_error first, *const outer = worker->first;
    const uint32_t outer_node = worker->node;
    keeli_errors_collect(worker, &first); // those of a run count as one
    const keel_result result = run_in_order(s, worker);
    worker->first = outer;
    worker->node = outer_node;
    keeli_worker_end(s->world, worker);
    keeli_error_hand_over(s->world, &first.error);
    return result;
}

static keel_result run_all(keeli_schedule *s, keeli_workers *workers) {
    keel_world *world = s->world;
    s->first_tick = s->is_inner ? keeli_tick_inside(world) : world->changes.tick;
    if (!s->is_inner) {
        KEEL_TRY(keeli_handles_reserve_all(s));
        keeli_world_open(world, false);
        world->refused |= KEELI_REFUSED_RUNNING; // edits go through commands, on one thread, too
    }
    const keel_result result = run_nodes(s, workers);
    if (!s->is_inner) {
        keeli_world_open(world, true);
        world->refused &= ~(uint32_t)KEELI_REFUSED_RUNNING;
        world->changes.tick = s->first_tick + s->nodes.count;
        keeli_tick_advance(world);
        keeli_events_flush(world);
    }
    if (result < 0) drop_lists(s);
    if (!s->is_inner) keeli_handles_return_all(s);
    return result;
}

static void warn_of_no_time(const keeli_schedule *s) {
    if (s->run->dt > 0) return;
    keeli_warn(s->world,
               "workload '%s' has steps with .every, and no time passes with its first run; hand "
               "it in: keel_run_workload(world, name, .dt = seconds)",
               s->sections.items[0].name);
}

keel_result keeli_schedule_run(keeli_schedule *s) {
    keel_world *world = s->world;
    if (s->has_periods && !s->runs) warn_of_no_time(s);
    s->is_inner = world->refused > 0;
    s->is_guest = s->is_inner || world->access.holders;
    s->is_nested = s->has_limits && keeli_worker_here(world);
    // what an observer runs stays on its thread, where it is known to change nothing
    keeli_costs_begin(s, !keeli_is_inside_edit(world));
    keeli_workers *workers = s->costs.is_wide ? keeli_workers_take(world) : NULL;
    if (s->costs.is_wide && !workers) return KEEL_ERROR_MEMORY;
    keeli_workers_count_memory(world, 1);
    const keel_result result = run_all(s, workers);
    if (workers) keeli_workers_give(workers);
    if (workers || s->parallel) keeli_workers_preallocate(world, s->parallel);
    keeli_costs_end(s);
    ++s->runs;
    return result;
}
