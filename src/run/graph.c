// SPDX-License-Identifier: MIT
// The graph: what each node touches, and an edge wherever two nodes conflict, from the last writer
// and the readers since, so that a hundred thousand systems need no look at all pairs.
#include "follow/follow.h"
#include "run/workers.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ what a node touches
static bool touch(keeli_schedule *s, keeli_node *node, keeli_storage *storage, keel_access access) {
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        keeli_touch *t = &s->touches.items[node->first_touch + i];
        if (t->storage != storage) continue;
        if (access > t->access) t->access = access;
        return true;
    }
    if (!KEELI_RESERVE(&s->world->heap, &s->touches, 1)) return false;
    *KEELI_APPEND(&s->touches) = (keeli_touch){ storage, access };
    ++node->touch_count;
    return true;
}

static bool touch_uses(keeli_schedule *s, keeli_node *node, const keeli_holder *holder) {
    node->everything |= holder->everything;
    node->is_main |= node->everything || keeli_holder_needs_owner(s->world, holder);
    for (uint32_t i = 0; i < holder->uses.count; ++i) {
        const keeli_use *use = &holder->uses.items[i];
        if (!touch(s, node, use->storage, keeli_access_in_parallel(use->storage, use->access)))
            return false;
    }
    return true;
}

// What the commands of a node may edit.
typedef struct record {
    bool any, everything;
    bool creates;        // maybe entities
    keeli_holder holder; // only to find what belongs to a component
} record;

static bool record_term(keel_world *world, record *r, const keeli_view *view,
                        const keeli_bound_term *term) {
    r->any = true;
    for (uint32_t i = 0; i < term->count; ++i) {
        keeli_storage *storage = view->storages[term->first + i];
        if (storage && !keeli_holder_want(world, &r->holder, storage, KEEL_ACCESS_EDIT))
            return false;
    }
    return true;
}

// Commands, and events that wait until their system has ended, which are sent together with them.
// Entities may be created with what is named, so that the list of entities is edited, too.
static bool record_all(keel_world *world, record *r, const keeli_view *view, bool splits) {
    const keeli_bound_term *commands = keeli_view_commands(view);
    if (commands) {
        r->creates = true;
        r->everything |= commands->count == 0;
        if (!record_term(world, r, view, commands) ||
            !keeli_holder_want(world, &r->holder, &world->stand_in.entities, KEEL_ACCESS_EDIT))
            return false;
    }
    const bool waits = view->facts.sends && (splits || view->facts.defers_events);
    for (uint32_t t = 0; waits && t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_SEND && !record_term(world, r, view, &view->terms[t]))
            return false;
    return true;
}

// Who makes entities at once takes free handles, which are promised to commands of others: these
// would get what is left, sooner or later.
static bool touch_handles(keeli_schedule *s, keeli_node *node, bool creates) {
    bool edits = false;
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        edits |= t->storage == &s->world->stand_in.entities && t->access == KEEL_ACCESS_EDIT;
    }
    if (!edits && !creates) return true;
    return touch(s, node, &s->world->stand_in.handles, edits ? KEEL_ACCESS_EDIT : KEEL_ACCESS_READ);
}

static keel_result bind_and_touch(keeli_schedule *s, keeli_node *node, const keel_system *system,
                                  keeli_view *view, record *r) {
    keeli_view_reset(view, system->name);
    KEEL_TRY(keeli_view_bind(view, system->terms, system));
    for (uint32_t i = 0; i < view->storage_count; ++i)
        s->is_partial |= !view->storages[i];
    const bool splits = system == node->step.system && node->step.parallel;
    return touch_uses(s, node, &view->holder) && record_all(s->world, r, view, splits)
               ? KEEL_OK
               : keeli_schedule_no_memory(s);
}

static keel_result touch_skips(keeli_schedule *s, keeli_node *node) {
    const keel_step *step = &node->step;
    const keel_component *list[4] = { step->skip_if_empty, step->skip_if_missing, NULL, NULL };
    (void)keeli_state_uniques(step, &list[2]);
    if (step->in_state) list[3] = NULL;
    for (uint32_t i = 0; i < 4; ++i) {
        keel_result result = KEEL_OK;
        keeli_storage *storage = NULL;
        if (!list[i]) continue;
        if (!s->world->refused || keeli_storage_find(s->world, list[i])) {
            storage = keeli_storage_get(s->world, list[i], i > 0, &result);
            if (!storage) return result;
        } else s->is_partial = true;
        if (storage && !touch(s, node, storage, KEEL_ACCESS_READ))
            return keeli_schedule_no_memory(s);
    }
    return KEEL_OK;
}

// Everything that a node does by itself, and what its commands may do later.
static keel_result touch_node(keeli_schedule *s, keeli_node *node, keeli_view *view, record *r) {
    const keel_step *step = &node->step;
    node->first_touch = s->touches.count;
    if (node->kind != KEEL_NODE_SYSTEM && node->kind != KEEL_NODE_BEGIN) return KEEL_OK;
    if (step->run_if) KEEL_TRY(bind_and_touch(s, node, step->run_if, view, r));
    if (step->skip_if) KEEL_TRY(bind_and_touch(s, node, step->skip_if, view, r));
    KEEL_TRY(touch_skips(s, node));
    if (node->kind != KEEL_NODE_SYSTEM) return KEEL_OK;
    KEEL_TRY(bind_and_touch(s, node, step->system, view, r));
    if (!step->parallel) return KEEL_OK;
    if (!step->main_thread) return keeli_check_split(s->world, step->system);
    return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                        "the step of '%s' is both .parallel and .main_thread", node->name);
}

// A node behind node `index` that applies what that one records.
static bool add_sync(keeli_schedule *s, uint32_t index, const record *r) {
    keeli_node *sync = keeli_new_node(s, KEEL_NODE_COMMANDS, s->nodes.items[index].section);
    if (!sync) return false;
    keeli_node *node = &s->nodes.items[index];
    node->creates = r->creates;
    node->of = s->nodes.count - 1;
    sync->of = index;
    sync->name = node->name;
    sync->first_touch = s->touches.count;
    sync->everything = sync->is_main = r->everything;
    return touch_uses(s, sync, &r->holder) && keeli_add_edge(s, index, node->of, false);
}

keel_result keeli_touch_step(keeli_schedule *s, uint32_t index, keeli_view *view) {
    record r = { 0 };
    keeli_node *node = &s->nodes.items[index];
    keel_result result = touch_node(s, node, view, &r);
    if (result == KEEL_OK &&
        !(touch_handles(s, node, r.creates) && (!r.any || add_sync(s, index, &r))))
        result = keeli_schedule_no_memory(s);
    keeli_holder_deinit(s->world, &r.holder);
    return result;
}

// ------------------------------------------------------------------ conflicts
// How something was touched by the nodes so far.
typedef struct state {
    uint32_t epoch;   // an older one than now: by nobody since a node that ran alone
    uint32_t writer;  // the last one, KEEL_NO_NODE: none
    uint32_t readers; // since then: entry of `tracker.readers`, KEEL_NO_NODE: none
} state;

typedef struct reader {
    uint32_t node, next;
} reader;

typedef struct tracker {
    keeli_pointer_table by_storage; // states; room for all of them is made before
    KEELI_ARRAY(state) states;
    KEELI_ARRAY(reader) readers;
    state all; // what each node reads, and those write that run alone
    uint32_t epoch;
} tracker;

// NULL: out of memory.
static state *state_of(keeli_schedule *s, tracker *t, const keeli_storage *storage) {
    state *now = keeli_pointer_find(&t->by_storage, storage);
    if (!now) {
        if (!keeli_pointer_reserve(&t->by_storage, &s->world->heap)) return NULL;
        now = &t->states.items[t->states.count++];
        keeli_pointer_add(&t->by_storage, storage, now);
        now->epoch = UINT32_MAX;
    }
    if (now->epoch != t->epoch) *now = (state){ t->epoch, KEEL_NO_NODE, KEEL_NO_NODE };
    return now;
}

static bool touched(keeli_schedule *s, tracker *t, state *now, uint32_t node, bool writes) {
    if ((!writes || now->readers == KEEL_NO_NODE) && now->writer != KEEL_NO_NODE &&
        !keeli_add_edge(s, now->writer, node, false))
        return false;
    if (writes) {
        for (uint32_t r = now->readers; r != KEEL_NO_NODE; r = t->readers.items[r].next)
            if (!keeli_add_edge(s, t->readers.items[r].node, node, false)) return false;
        now->readers = KEEL_NO_NODE;
        now->writer = node;
        return true;
    }
    if (!KEELI_RESERVE(&s->world->heap, &t->readers, 1)) return false;
    t->readers.items[t->readers.count] = (reader){ node, now->readers };
    now->readers = t->readers.count++;
    return true;
}

// Whoever edits what is observed may call observers, and they may look at everything.
static bool is_alone(const keeli_schedule *s, const keeli_node *node) {
    bool alone = node->everything;
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        alone |= t->access == KEEL_ACCESS_EDIT && keeli_calls_observers(t->storage);
    }
    return alone;
}

static bool add_conflicts(keeli_schedule *s, tracker *t) {
    t->all = (state){ 0, KEEL_NO_NODE, KEEL_NO_NODE };
    if (!KEELI_RESERVE(&s->world->heap, &t->states, s->touches.count)) return false;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_alone = is_alone(s, node);
        if (!touched(s, t, &t->all, i, node->is_alone)) return false;
        for (uint32_t k = 0; k < node->touch_count && !node->is_alone; ++k) {
            const keeli_touch *touch = &s->touches.items[node->first_touch + k];
            state *now = state_of(s, t, touch->storage);
            if (!now || !touched(s, t, now, i, touch->access > KEEL_ACCESS_READ)) return false;
        }
        if (!node->is_alone) continue;
        ++t->epoch;
        t->readers.count = 0;
    }
    return true;
}

// Steps of the calling thread, and those that touch everything, run one by one in any case. A
// system that may create entities starts after those before it: it may have to wait for its turn,
// and the calling thread must not wait for itself. None depends on what the other does.
static bool chain_main(keeli_schedule *s) {
    uint32_t last = KEEL_NO_NODE;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_main |= node->step.main_thread;
        if (last != KEEL_NO_NODE && (node->is_main || node->creates) &&
            !keeli_add_edge(s, last, i, true))
            return false;
        if (node->is_main) last = i;
    }
    return true;
}

// Can two nodes ever run at once? Not when each waits for the one before.
static bool is_wide(const keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (node->step.parallel) return true;
        if (i + 1 < s->nodes.count &&
            !(node->edge_count && s->edges.items[node->first_edge].to == i + 1))
            return true;
    }
    return false;
}

keel_result keeli_graph(keeli_schedule *s) {
    tracker t = { 0 };
    const bool done = add_conflicts(s, &t) && chain_main(s);
    keeli_pointer_table_deinit(&t.by_storage, &s->world->heap);
    KEELI_RELEASE(&s->world->heap, &t.states);
    KEELI_RELEASE(&s->world->heap, &t.readers);
    if (!done) return keeli_schedule_no_memory(s);
    keeli_sort_edges(s);
    s->is_wide = is_wide(s);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->created += s->nodes.items[i].creates;
    return KEEL_OK;
}
