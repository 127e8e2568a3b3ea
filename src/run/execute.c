// SPDX-License-Identifier: MIT
// Running a schedule. On one thread the nodes run in linear order; a workers (workers.c) runs them
// as soon as what they wait for has ended. Both come through keeli_node_run.
#include "edit/events.h"
#include "follow/changes.h"
#include "run/loop.h"
#include "world/report.h"

#include <stdio.h>

// ------------------------------------------------------------------ alone
// A node that touches everything has the world as its owner has it: nobody else is at work.
typedef struct solitude {
    uint32_t refused, concurrent, node;
    keeli_first_error *first;
} solitude;

// `worker` is where it runs: errors of systems that it runs by keel_run go where its own go. In a
// run inside of another one, or of shared mode, nobody is alone: it will be refused.
static solitude begin_alone(const keeli_schedule *s, const keeli_worker *worker) {
    keel_world *world = s->world;
    const solitude kept = { world->refused, world->access.concurrent, world->workers.own.node,
                            world->workers.own.first };
    if (s->is_inner) return kept;
    world->refused = world->access.concurrent = 0;
    world->heap.shared = false;
    world->workers.own.first = worker->first;
    world->workers.own.node = worker->node;
    return kept;
}

static void end_alone(const keeli_schedule *s, solitude kept) {
    keel_world *world = s->world;
    if (s->is_inner) return;
    world->refused = kept.refused;
    world->access.concurrent = kept.concurrent;
    world->heap.shared = kept.concurrent > 0;
    world->workers.own.first = kept.first;
    world->workers.own.node = kept.node;
}

// ------------------------------------------------------------------ systems and conditions
static const keel_system *system_of(const keeli_node *node, keeli_step_system which) {
    return which == KEELI_STEP_SYSTEM   ? node->step.system
           : which == KEELI_STEP_RUN_IF ? node->step.run_if
                                        : node->step.skip_if;
}

static keel_result bind_step(keel_world *world, keeli_node *node, keeli_step_system which) {
    char condition[sizeof((keeli_holder *)0)->name];
    const keel_system *system = system_of(node, which);
    if (node->bound[which] && node->bound[which]->view) return KEEL_OK;
    if (!node->bound[which] && !(node->bound[which] = KEELI_NEW(&world->heap, keeli_bound)))
        return keeli_out_of_memory(world, "starting a system");
    snprintf(condition, sizeof condition, "condition '%.20s' of '%.20s'", system->name, node->name);
    return keeli_bound_bind(node->bound[which], world, system,
                            which == KEELI_STEP_SYSTEM ? system->name : condition);
}

// A list for what the context's system records.
static keel_result begin_commands(keel_context *context) {
    keel_world *world = context->world;
    KEEL_TRY(keeli_context_take_commands(context));
    if (!KEELI_RESERVE(&world->heap, &context->node->lists, 1))
        return keeli_out_of_memory(world, "starting a system");
    if (!context->is_inner) keeli_handles_serve(context->commands, context);
    return KEEL_OK;
}

// What it recorded belongs to the node now.
static void end_commands(keel_context *context) {
    keel_commands *list = context->commands;
    if (!list) return;
    keeli_commands_close(list);
    if (!list->first) keeli_commands_discard(context->world, list);
    else context->node->lists.items[context->node->lists.count++] = list;
}

// Somebody who is alone makes time go on as the owner does, by running systems: those after it
// come later by as much.
static void begin_tick(const keeli_schedule *s, uint64_t tick) {
    if (!s->is_inner) s->world->changes.tick = tick;
}
static void end_tick(keeli_schedule *s, uint64_t tick) {
    if (!s->is_inner) s->first_tick += s->world->changes.tick - tick;
}

static keel_result give_reader(keel_context *context, keeli_bound *bound) {
    keel_world *world = context->world;
    if (!bound->view->facts.asks_about_changes) return KEEL_OK;
    if (!bound->reader) {
        bound->reader = KEELI_NEW(&world->heap, keeli_reader);
        if (!bound->reader) return keeli_out_of_memory(world, "starting a system");
        bound->reader->name = context->system->name;
    }
    context->reader = bound->reader;
    return KEEL_OK;
}

static uint64_t tick_of(const keeli_schedule *s, const keeli_node *node) {
    return s->first_tick + (uint64_t)(node - s->nodes.items);
}

static keel_result run_in_world(keel_context *context, keeli_schedule *s, keeli_bound *bound) {
    const solitude kept = begin_alone(s, context->worker);
    begin_tick(s, context->tick);
    keel_result result = keeli_run_bound(context, bound);
    const keel_result applied = keeli_commands_flush(s->world); // what it recorded on the side
    end_tick(s, context->tick);
    end_alone(s, kept);
    return result < 0 ? result : applied;
}

// The system of a step or one of its conditions, which is bound. `answer`: of a condition, or NULL.
static keel_result run_bound_step(keeli_schedule *s, keeli_node *node, keeli_step_system which,
                                  keeli_worker *worker, bool *answer) {
    keeli_bound *bound = node->bound[which];
    keel_context context;
    keeli_context_init(&context, s->world, bound->system, worker);
    context.view = bound->view;
    context.bound = bound;
    context.node = node;
    context.is_inner = s->is_inner;
    context.splits = which == KEELI_STEP_SYSTEM && node->step.parallel;
    context.tick = tick_of(s, node);
    keel_result result = give_reader(&context, bound);
    if (result == KEEL_OK && keeli_context_records(&context) && !context.splits)
        result = begin_commands(&context);
    if (result == KEEL_OK)
        result = bound->view->holder.everything ? run_in_world(&context, s, bound)
                                                : keeli_run_bound(&context, bound);
    end_commands(&context);
    if (answer) *answer = context.answer;
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

// Do the step's conditions let it run?
static keel_result ask_all(keeli_schedule *s, keeli_node *node, keeli_worker *worker, bool *yes) {
    const keel_step *step = &node->step;
    *yes = true;
    if (step->skip_if_missing) {
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
    return KEEL_OK;
}

static keel_result run_system(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    KEEL_TRY(bind_step(s->world, node, KEELI_STEP_SYSTEM));
    keeli_bound *bound = node->bound[KEELI_STEP_SYSTEM];
    if (!s->is_guest) { // a guest may have to be told of a conflict
        // a loop that nobody could notice can be left out for as long as it lacks this
        const bool is_mere = bound->is_mere && !node->has_conditions && !node->step.startup;
        const keeli_storage *lacks = is_mere ? keeli_bound_lacks(bound) : NULL;
        s->idle.items[index] = lacks ? &lacks->presence.count : NULL;
    }
    keel_result result = KEEL_OK;
    if (!s->is_guest && bound->is_mere && keeli_bound_sees_nothing(s->world, bound))
        bound->reader->last = tick_of(s, node);
    else result = run_bound_step(s, node, KEELI_STEP_SYSTEM, worker, NULL);
    if (result >= 0) keeli_atomic_store_byte(&node->has_run, 1);
    return result;
}

// ------------------------------------------------------------------ startup systems
// Runs of one workload at once have a schedule each. What a startup system's node knows is kept the
// same in all of them, under the world's lock.
// The same system's node in another schedule of the workload, or NULL.
static keeli_node *find_same(const keeli_schedule *s, uint32_t index, keeli_schedule *other) {
    if (other == s || index >= other->nodes.count) return NULL;
    if (other->table != s->table || other->stamp != s->stamp) return NULL;
    keeli_node *node = &other->nodes.items[index];
    return node->step.system == s->nodes.items[index].step.system ? node : NULL;
}

static bool is_started_elsewhere(const keeli_schedule *s, uint32_t index) {
    for (keeli_schedule *other = keeli_schedules_beside(s); other; other = other->next) {
        const keeli_node *node = find_same(s, index, other);
        if (node && node->is_starting) return true;
    }
    return false;
}

// May this run run the startup system of the node? False: it ran in another one, which this one has
// waited for; a run inside of another one does not wait.
static bool begin_startup(keeli_schedule *s, uint32_t index) {
    keel_world *world = s->world;
    keeli_node *node = &s->nodes.items[index];
    keeli_world_lock(world);
    bool waits = is_started_elsewhere(s, index);
    // whoever runs it may be waiting for the end of a run inside of it
    for (; waits && !s->is_nested; waits = is_started_elsewhere(s, index))
        keeli_condition_wait(&world->workers.started, &world->access.lock);
    node->is_starting = !waits && !keeli_atomic_load_byte(&node->has_run);
    keeli_world_unlock(world);
    return node->is_starting;
}

static void end_startup(keeli_schedule *s, uint32_t index, bool is_done) {
    keel_world *world = s->world;
    keeli_world_lock(world);
    s->nodes.items[index].is_starting = false;
    for (keeli_schedule *other = keeli_schedules_beside(s); is_done && other; other = other->next) {
        keeli_node *node = find_same(s, index, other);
        if (node) keeli_atomic_store_byte(&node->has_run, 1);
    }
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
        keep_for_later(s, system, i); // the next keel_apply goes on with it
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
        holder->uses.items[holder->uses.count++] =
            (keeli_use){ .storage = t->storage, .access = t->access };
    }
    holder->tick = tick_of(s, node);
    KEEL_TRY(keeli_holder_open(world, holder));
    const keel_result result = apply_lists(s, system, holder);
    keeli_holder_close(world, holder);
    return result;
}

static keel_result apply_node(keeli_schedule *s, keeli_node *node, const keeli_worker *worker) {
    keel_world *world = s->world;
    keeli_node *system = &s->nodes.items[node->of];
    if (s->is_guest) { // somebody else may be looking: they wait, as those of keel_run do
        keep_for_later(s, system, 0);
        return KEEL_OK;
    }
    if (!node->everything) return system->lists.count ? apply_declared(s, node, system) : KEEL_OK;
    const solitude kept = begin_alone(s, worker);
    const uint64_t tick = tick_of(s, node);
    begin_tick(s, tick);
    const keel_result result = system->lists.count ? apply_lists(s, system, NULL) : KEEL_OK;
    const keel_result side = keeli_commands_flush(world); // recorded with keel_world_commands
    end_tick(s, tick);
    end_alone(s, kept);
    return result < 0 ? result : side;
}

// What goes wrong there is told of the system that recorded it.
static keel_result run_sync(keeli_schedule *s, keeli_node *node, keeli_worker *worker) {
    const char *outer = worker->running;
    worker->running = node->name;
    const keel_result result = apply_node(s, node, worker);
    worker->running = outer;
    return result;
}

// ------------------------------------------------------------------ nodes
static keel_result run_step(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEELI_NODE_SYNC) return run_sync(s, node, worker);
    const bool is_system = node->kind == KEELI_NODE_SYSTEM;
    if (!is_system && node->kind != KEELI_NODE_OPEN) return KEEL_OK;
    node->is_skipped = node->gate != KEELI_NO_NODE && s->nodes.items[node->gate].is_skipped;
    const bool is_startup = node->step.startup;
    if (node->is_skipped || (is_startup && keeli_atomic_load_byte(&node->has_run))) return KEEL_OK;
    if (node->has_conditions) {
        bool yes;
        KEEL_TRY(ask_all(s, node, worker, &yes));
        node->is_skipped = !yes;
        if (!yes) return KEEL_OK;
    }
    if (!is_system || (is_startup && !begin_startup(s, index))) return KEEL_OK;
    const keel_result result = run_system(s, index, worker);
    if (is_startup) end_startup(s, index, result >= 0);
    return result;
}

keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_worker *worker) {
    keeli_node *node = &s->nodes.items[index];
    if (!keeli_costs_want(s, node)) return run_step(s, index, worker);
    const uint64_t begin = keeli_clock_ns();
    const keel_result result = run_step(s, index, worker);
    keeli_costs_note(s, node, keeli_clock_ns() - begin);
    return result;
}

bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node) {
    if (!node->is_blocked) return true;
    return node->kind == KEELI_NODE_SYNC && !s->nodes.items[node->of].has_failed;
}

// ------------------------------------------------------------------ one thread
static void block_next(keeli_schedule *s, const keeli_node *node) {
    for (uint32_t e = node->first_edge; e < node->first_edge + node->edge_count; ++e)
        if (!s->loose.items[e]) s->nodes.items[s->edges.items[e]].is_blocked = true;
}

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
        block_next(s, node);
    }
    worker->node = KEELI_NO_NODE;
    return first;
}

// ------------------------------------------------------------------ before and after
static void reset_nodes(keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->pending = node->waits_for;
        node->is_blocked = node->has_ended = node->has_failed = false;
    }
}

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

static keel_result run_by(keeli_schedule *s, keeli_workers *workers) {
    if (!s->costs.is_wide) {
        keeli_worker *worker = keeli_workers_open(workers, NULL);
        const keel_result result = run_in_order(s, worker);
        keeli_workers_close(workers);
        return result;
    }
    reset_nodes(s);
    const bool begins = keeli_world_go_concurrent(s->world);
    keeli_workers_run(workers, s);
    if (begins) keeli_world_end_concurrent(s->world);
    return workers->failed_result;
}

static keel_result run_here(keeli_schedule *s) {
    keeli_worker spare;
    keeli_worker *worker = keeli_worker_begin(s->world, &spare);
    const keel_result result = run_in_order(s, worker);
    keeli_worker_end(s->world, worker);
    return result;
}

// `workers`: NULL where one thread runs it and no step is split.
static keel_result run_all(keeli_schedule *s, keeli_workers *workers) {
    keel_world *world = s->world;
    s->first_tick = world->changes.tick;
    if (!s->is_inner) {
        KEEL_TRY(keeli_handles_reserve_all(s));
        world->refused |= KEELI_REFUSED_RUNNING; // edits go through commands, on one thread, too
    }
    const keel_result result = workers ? run_by(s, workers) : run_here(s);
    if (!s->is_inner) {
        world->refused &= ~(uint32_t)KEELI_REFUSED_RUNNING;
        world->changes.tick = s->first_tick + s->nodes.count;
        keeli_tick_advance(world);
        keeli_events_settle(world);
    }
    if (result < 0) drop_lists(s);
    if (!s->is_inner) keeli_handles_return_all(s);
    return result;
}

keel_result keeli_schedule_run(keeli_schedule *s) {
    keel_world *world = s->world;
    s->is_inner = world->refused > 0;
    s->is_guest = s->is_inner || world->access.holders;
    s->is_nested = s->is_inner && s->has_startup && keeli_worker_here(world);
    // what an observer runs stays on its thread, where it is known to change nothing
    keeli_costs_begin(s, !keeli_is_inside_edit(world));
    const bool needs_workers = s->costs.is_wide || s->parallel;
    keeli_workers *workers = needs_workers ? keeli_workers_take(world) : NULL;
    if (needs_workers && !workers) return KEEL_ERROR_MEMORY;
    keeli_workers_count_memory(world, 1);
    const keel_result result = run_all(s, workers);
    if (workers) keeli_workers_preallocate(workers, s->parallel);
    if (workers) keeli_workers_give(workers);
    keeli_costs_end(s);
    ++s->runs;
    return result;
}
