// SPDX-License-Identifier: MIT
// Running a schedule. On one thread the nodes run in linear order; a team (team.c) runs them as
// soon as what they wait for has ended. Both come through keeli_node_run.
#include "run/execute.h"

#include "edit/events.h"
#include "follow/track.h"
#include "run/startup.h"
#include "run/stock.h"
#include "run/team.h"
#include "run/warm.h"
#include "run/worth.h"
#include "world/report.h"

#include <stdio.h>

// ------------------------------------------------------------------ alone
// A node that touches everything has the world as its owner has it: nobody else is at work.
typedef struct solitude {
    uint32_t share_depth, looping, concurrent, node;
    keeli_first_error *first;
} solitude;

// `lane` is where it runs: errors of systems that it runs by keel_run go where its own go. In a run
// inside of another one, or of shared mode, nobody is alone: it will be refused.
static solitude begin_alone(const keeli_schedule *s, const keeli_lane *lane) {
    keel_world *world = s->world;
    const solitude kept = { world->share_depth, world->looping, world->concurrent,
                            world->own_lane.node, world->own_lane.first };
    if (s->is_inner) return kept;
    world->share_depth = world->looping = world->concurrent = 0;
    world->heap.shared = false;
    world->own_lane.first = lane->first;
    world->own_lane.node = lane->node;
    return kept;
}

static void end_alone(const keeli_schedule *s, solitude kept) {
    keel_world *world = s->world;
    if (s->is_inner) return;
    world->share_depth = kept.share_depth;
    world->looping = kept.looping;
    world->concurrent = kept.concurrent;
    world->heap.shared = kept.concurrent > 0;
    world->own_lane.first = kept.first;
    world->own_lane.node = kept.node;
}

// ------------------------------------------------------------------ systems and conditions
// `which`: 0 the node's system, 1 its run_if, 2 its skip_if.
static keel_result bind_view(keel_world *world, keeli_node *node, uint32_t which,
                             const keel_system *system) {
    char condition[sizeof((keeli_holder *)0)->name];
    if (node->views[which]) return KEEL_OK;
    snprintf(condition, sizeof condition, "condition '%.20s' of '%.20s'", system->name, node->name);
    keeli_view *fresh = keeli_view_take(world, which ? condition : system->name);
    if (!fresh) return KEEL_ERROR_MEMORY;
    fresh->holder.is_system = true;
    keel_result result = keeli_view_bind(fresh, system->terms, system);
    if (result == KEEL_OK && !(node->views[which] = keeli_view_keep(fresh)))
        result = keeli_out_of_memory(world, "starting a system");
    keeli_view_give(fresh);
    return result;
}

// A list for what the context's system records.
static keel_result begin_commands(keel_context *context) {
    keel_world *world = context->world;
    KEEL_TRY(keeli_context_take_commands(context));
    if (!KEELI_RESERVE(&world->heap, &context->node->lists, 1))
        return keeli_out_of_memory(world, "starting a system");
    if (!context->is_inner) keeli_stock_serve(context->commands, context);
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
    if (!s->is_inner) s->world->tick = tick;
}
static void end_tick(keeli_schedule *s, uint64_t tick) {
    if (!s->is_inner) s->first_tick += s->world->tick - tick;
}

// `which`: the system itself, or one of its conditions.
static keel_result give_reader(keel_context *context, const keeli_schedule *s, uint32_t which) {
    keeli_node *node = context->node;
    context->tick = s->first_tick + (uint64_t)(node - s->nodes.items);
    if (!context->view->asks_about_changes) return KEEL_OK;
    if (!node->readers[which]) {
        node->readers[which] = KEELI_NEW(&s->world->heap, keeli_reader);
        if (!node->readers[which]) return keeli_out_of_memory(s->world, "starting a system");
        node->readers[which]->name = context->system->name;
    }
    context->reader = node->readers[which];
    return KEEL_OK;
}

static keel_result run_context(keel_context *context, keeli_schedule *s, uint32_t which) {
    keel_world *world = context->world;
    KEEL_TRY(give_reader(context, s, which));
    if (keeli_context_records(context) && !context->splits) KEEL_TRY(begin_commands(context));
    if (!context->view->holder.everything) return keeli_run_bound(context);
    const solitude kept = begin_alone(s, context->lane);
    begin_tick(s, context->tick);
    keel_result result = keeli_run_bound(context);
    const keel_result applied = keeli_commands_flush(world); // what it recorded on the side
    end_tick(s, context->tick);
    end_alone(s, kept);
    return result < 0 ? result : applied;
}

static keel_result ask(keeli_schedule *s, keeli_node *node, uint32_t which, keeli_lane *lane,
                       bool *answer) {
    const keel_system *condition = which == 1 ? node->step.run_if : node->step.skip_if;
    keel_context context;
    KEEL_TRY(bind_view(s->world, node, which, condition));
    keeli_context_init(&context, s->world, condition, lane);
    context.view = node->views[which];
    context.node = node;
    context.is_inner = s->is_inner;
    const keel_result result = run_context(&context, s, which);
    end_commands(&context);
    *answer = context.answer;
    return result;
}

static const keeli_storage *find(const keeli_schedule *s, const keel_component *component) {
    return component ? keeli_storage_find(s->world, component) : NULL;
}

// Do the step's conditions let it run?
static keel_result ask_all(keeli_schedule *s, keeli_node *node, keeli_lane *lane, bool *yes) {
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
    if (*yes && step->run_if) KEEL_TRY(ask(s, node, 1, lane, yes));
    bool no = false;
    if (*yes && step->skip_if) KEEL_TRY(ask(s, node, 2, lane, &no));
    *yes = *yes && !no;
    return KEEL_OK;
}

// A loop that nobody could notice otherwise: it can be left out when it has nothing to do.
static bool is_mere_loop(const keeli_node *node, const keeli_view *view) {
    const keel_system_kind kind = node->step.system->kind;
    if (kind != KEEL_PER_ENTITY && kind != KEEL_PER_SPAN) return false;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term_kind term = view->terms[t].kind;
        if (term >= KEEL_TERM_UNIQUE_READ && term != KEEL_TERM_COMMANDS &&
            term != KEEL_TERM_CONTEXT)
            return false;
    }
    return true;
}

// A loop whose components nobody has does nothing: where to look whether that is still so.
static const uint32_t *find_idle(const keeli_node *node, const keeli_view *view) {
    if (node->has_conditions || node->step.startup || !is_mere_loop(node, view)) return NULL;
    const uint32_t *idle = NULL;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        const keeli_storage *storage =
            keeli_term_must(term->kind) ? view->storages[term->first] : NULL;
        if (storage && !keeli_store_count(storage)) idle = &storage->presence.count;
    }
    return idle;
}

// It asks for changes, and there were none since its last run: then it has seen them.
static bool sees_nothing(const keeli_schedule *s, const keeli_node *node, const keeli_view *view) {
    keeli_reader *reader = node->readers[0];
    if (!view->filters_changes || !reader || s->is_guest || !is_mere_loop(node, view)) return false;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (term->kind < KEEL_TERM_INSERTED || term->kind > KEEL_TERM_CHANGED) continue;
        if (!keeli_nothing_changed(s->world, view->storages[term->first], reader)) continue;
        reader->last = s->first_tick + (uint64_t)(node - s->nodes.items);
        return true;
    }
    return false;
}

static keel_result run_system(keeli_schedule *s, uint32_t index, keeli_lane *lane) {
    keeli_node *node = &s->nodes.items[index];
    keel_context context;
    KEEL_TRY(bind_view(s->world, node, 0, node->step.system));
    keeli_context_init(&context, s->world, node->step.system, lane);
    context.view = node->views[0];
    if (!s->is_guest) s->idle.items[index] = find_idle(node, context.view);
    if (sees_nothing(s, node, context.view)) {
        keeli_atomic_store_byte(&node->has_run, 1);
        return KEEL_OK;
    }
    context.node = node;
    context.is_inner = s->is_inner;
    context.splits = node->step.parallel;
    const keel_result result = run_context(&context, s, 0);
    if (result >= 0) keeli_atomic_store_byte(&node->has_run, 1);
    end_commands(&context);
    return result;
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
    keeli_view *view = node->views[0];
    if (!view) {
        view = node->views[0] = keeli_view_new(world, node->name);
        if (!view) return keeli_out_of_memory(world, "applying commands");
    }
    keeli_holder *holder = &view->holder;
    holder->uses.count = 0;
    if (!KEELI_RESERVE(&world->heap, &holder->uses, node->touch_count))
        return keeli_out_of_memory(world, "applying commands");
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        holder->uses.items[holder->uses.count++] =
            (keeli_use){ .storage = t->storage, .access = t->access };
    }
    holder->tick = s->first_tick + (uint64_t)(node - s->nodes.items);
    KEEL_TRY(keeli_holder_open(world, holder));
    const keel_result result = apply_lists(s, system, holder);
    keeli_holder_close(world, holder);
    return result;
}

static keel_result apply_node(keeli_schedule *s, keeli_node *node, const keeli_lane *lane) {
    keel_world *world = s->world;
    keeli_node *system = &s->nodes.items[node->of];
    if (s->is_guest) { // somebody else may be looking: they wait, as those of keel_run do
        keep_for_later(s, system, 0);
        return KEEL_OK;
    }
    if (!node->everything) return system->lists.count ? apply_declared(s, node, system) : KEEL_OK;
    const solitude kept = begin_alone(s, lane);
    const uint64_t tick = s->first_tick + (uint64_t)(node - s->nodes.items);
    begin_tick(s, tick);
    const keel_result result = system->lists.count ? apply_lists(s, system, NULL) : KEEL_OK;
    const keel_result side = keeli_commands_flush(world); // recorded with keel_world_commands
    end_tick(s, tick);
    end_alone(s, kept);
    return result < 0 ? result : side;
}

// What goes wrong there is told of the system that recorded it.
static keel_result run_sync(keeli_schedule *s, keeli_node *node, keeli_lane *lane) {
    const char *outer = lane->running;
    lane->running = node->name;
    const keel_result result = apply_node(s, node, lane);
    lane->running = outer;
    return result;
}

// ------------------------------------------------------------------ nodes
static keel_result run_node(keeli_schedule *s, uint32_t index, keeli_lane *lane) {
    keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEELI_NODE_SYNC) return run_sync(s, node, lane);
    const bool is_system = node->kind == KEELI_NODE_SYSTEM;
    if (!is_system && node->kind != KEELI_NODE_OPEN) return KEEL_OK;
    node->is_skipped = node->gate != KEELI_NO_NODE && s->nodes.items[node->gate].is_skipped;
    const bool is_startup = node->step.startup;
    if (node->is_skipped || (is_startup && keeli_atomic_load_byte(&node->has_run))) return KEEL_OK;
    if (node->has_conditions) {
        bool yes;
        KEEL_TRY(ask_all(s, node, lane, &yes));
        node->is_skipped = !yes;
        if (!yes) return KEEL_OK;
    }
    if (!is_system || (is_startup && !keeli_startup_begin(s, index))) return KEEL_OK;
    const keel_result result = run_system(s, index, lane);
    if (is_startup) keeli_startup_end(s, index, result >= 0);
    return result;
}

keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_lane *lane) {
    keeli_node *node = &s->nodes.items[index];
    if (!keeli_worth_wants(s, node)) return run_node(s, index, lane);
    const uint64_t begin = keeli_clock_ns();
    const keel_result result = run_node(s, index, lane);
    keeli_worth_note(s, node, keeli_clock_ns() - begin);
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

static keel_result run_in_order(keeli_schedule *s, keeli_lane *lane) {
    keel_result first = KEEL_OK;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        // after a failure it may be blocked, and others depend on it; before, nodes are not looked
        // at
        if (keeli_node_is_idle(s, i) && (first == KEEL_OK || !node->is_blocked)) continue;
        keel_result result = KEEL_OK;
        lane->node = i;
        if (first == KEEL_OK || keeli_node_may_run(s, node)) result = keeli_node_run(s, i, lane);
        if (result == KEEL_OK && (first == KEEL_OK || !node->is_blocked)) continue;
        if (first == KEEL_OK) first = result;
        node->has_failed = true;
        block_next(s, node);
    }
    lane->node = KEELI_NO_NODE;
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

static keel_result run_with_team(keeli_schedule *s, keeli_team *team, bool wide) {
    if (!wide) {
        keeli_lane *lane = keeli_team_open(team, NULL);
        const keel_result result = run_in_order(s, lane);
        keeli_team_close(team);
        return result;
    }
    reset_nodes(s);
    const bool begins = keeli_world_go_concurrent(s->world);
    keeli_team_run(team, s);
    if (begins) keeli_world_end_concurrent(s->world);
    return team->failed_result;
}

static keel_result run_alone(keeli_schedule *s) {
    keeli_lane spare;
    keeli_lane *lane = keeli_lane_begin(s->world, &spare);
    const keel_result result = run_in_order(s, lane);
    keeli_lane_end(s->world, lane);
    return result;
}

keel_result keeli_schedule_run(keeli_schedule *s) {
    keel_world *world = s->world;
    s->is_inner = world->share_depth > 0;
    s->is_guest = s->is_inner || world->holders;
    s->is_nested = s->is_inner && s->has_startup && keeli_lane_current(world);
    keeli_worth_begin(s);
    // what an observer runs stays on its thread, where it is known to change nothing
    const bool wide = s->costs.is_wide && !keeli_is_inside_edit(world);
    keeli_team *team = wide || s->parallel ? keeli_team_take(world) : NULL;
    if (!team && (wide || s->parallel)) return KEEL_ERROR_MEMORY;
    keeli_warm_begin(world, 1);
    s->first_tick = world->tick;
    keel_result result = s->is_inner ? KEEL_OK : keeli_stocks_fill(s);
    if (result == KEEL_OK) {
        if (!s->is_inner) ++world->share_depth; // edits go through commands, on one thread, too
        result = team ? run_with_team(s, team, wide) : run_alone(s);
        if (!s->is_inner) {
            --world->share_depth;
            world->tick = s->first_tick + s->nodes.count;
            keeli_tick_advance(world);
            keeli_events_settle(world);
        }
        if (result < 0) drop_lists(s);
        if (!s->is_inner) keeli_stocks_return(s);
    }
    if (team) keeli_warm_end(team, s->parallel);
    if (team) keeli_team_give(team);
    keeli_worth_end(s);
    ++s->runs;
    return result;
}
