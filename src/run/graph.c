// SPDX-License-Identifier: MIT
// The graph of a schedule: the storages that each node touches (accesses), and edges that order
// nodes that conflict. A node gets edges only from the last node that wrote a storage and from the
// nodes that read it since, so that a hundred thousand systems need not be compared pair by pair.
// Edges go forward in the linear order that order.c made. schedule.c calls keeli_touch_step while
// it makes nodes, and keeli_graph when they are ordered.
#include "follow/follow.h"
#include "run/workers.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ what a node touches
// Records that a node touches a storage. If it does so more than once, the strongest access counts.
// False if out of memory.
static bool touch(keeli_schedule *s, keeli_node *node, keeli_storage *storage, keel_access access) {
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        keeli_touch *t = &s->touches.items[node->first_touch + i];
        if (t->storage != storage)
            continue;
        if (access > t->access)
            t->access = access;
        return true;
    }

    if (!KEELI_RESERVE(&s->world->heap, &s->touches, 1))
        return false;
    *KEELI_APPEND(&s->touches) = (keeli_touch){ storage, access };
    ++node->touch_count;
    return true;
}

// Records that a node touches the storages of a holder. False if out of memory.
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

// The storages that the commands and deferred events of a node may edit.
typedef struct record {
    bool any, everything; // the node records something; its commands may edit everything
    bool creates;         // its commands may create entities
    keeli_holder holder;  // the list of storages; it is never opened
} record;

// Adds the storages of a term to a record. False if out of memory.
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

// Adds the storages that the commands of a view may edit, and those of its deferred events, which
// are sent when the commands are applied. Commands may create entities, so they edit the list of
// entities, too. False if out of memory.
static bool record_all(keel_world *world, record *r, const keeli_view *view, bool splits) {
    const keeli_bound_term *commands = keeli_view_commands(view);
    if (commands) {
        r->creates = true;
        r->everything |= commands->count == 0;
        if (!record_term(world, r, view, commands))
            return false;
        if (!keeli_holder_want(world, &r->holder, &world->stand_in.entities, KEEL_ACCESS_EDIT))
            return false;
    }
    const bool waits = view->facts.sends && (splits || view->facts.defers_events);
    if (!waits)
        return true;

    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (view->terms[t].kind != KEEL_TERM_SEND)
            continue;
        if (!record_term(world, r, view, &view->terms[t]))
            return false;
    }
    return true;
}

// Records access to the free handles: edit for a node that creates entities at once, read for a
// node whose commands may create them. Both use free handles, so without an order between these
// nodes the handles of new entities would depend on which thread is faster. Nodes whose commands
// create entities need no order among each other: their handles are reserved before the run.
static bool touch_handles(keeli_schedule *s, keeli_node *node, bool creates) {
    bool edits = false;
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        edits |= t->storage == &s->world->stand_in.entities && t->access == KEEL_ACCESS_EDIT;
    }
    if (!edits && !creates)
        return true;
    return touch(s, node, &s->world->stand_in.handles, edits ? KEEL_ACCESS_EDIT : KEEL_ACCESS_READ);
}

// Binds the terms of a system in `view`. Records the storages that the system touches in `node`,
// and those that its commands may edit in `r`.
static keel_result bind_and_touch(keeli_schedule *s, keeli_node *node, const keel_system *system,
                                  keeli_view *view, record *r) {
    keeli_view_reset(view, system->name);
    KEEL_TRY(keeli_view_bind(view, system->terms, system));
    for (uint32_t i = 0; i < view->storage_count; ++i)
        s->is_partial |= !view->storages[i];
    const bool splits = system == node->step.system && node->step.parallel;
    const bool has_memory =
        touch_uses(s, node, &view->holder) && record_all(s->world, r, view, splits);
    return has_memory ? KEEL_OK : keeli_schedule_no_memory(s);
}

// Records the storages that the options of a step read: those of .skip_if_empty and
// .skip_if_missing, and the uniques of its state.
static keel_result touch_skips(keeli_schedule *s, keeli_node *node) {
    const keel_step *step = &node->step;
    const keel_component *list[4] = { step->skip_if_empty, step->skip_if_missing, NULL, NULL };
    (void)keeli_state_uniques(step, &list[2]);
    if (step->in_state)
        list[3] = NULL;
    for (uint32_t i = 0; i < 4; ++i) {
        keel_result result = KEEL_OK;
        keeli_storage *storage = NULL;
        if (!list[i])
            continue;
        const bool may_get = !s->world->refused || keeli_storage_find(s->world, list[i]);
        if (may_get) {
            storage = keeli_storage_get(s->world, list[i], i > 0, &result);
            if (!storage)
                return result;
        } else {
            s->is_partial = true; // shared mode: the component must not be registered now
        }
        if (storage && !touch(s, node, storage, KEEL_ACCESS_READ))
            return keeli_schedule_no_memory(s);
    }
    return KEEL_OK;
}

// Records the storages that a node touches itself, and in `r` those that its commands may edit.
static keel_result touch_node(keeli_schedule *s, keeli_node *node, keeli_view *view, record *r) {
    const keel_step *step = &node->step;
    node->first_touch = s->touches.count;
    if (node->kind != KEEL_NODE_SYSTEM && node->kind != KEEL_NODE_BEGIN)
        return KEEL_OK;
    if (step->run_if)
        KEEL_TRY(bind_and_touch(s, node, step->run_if, view, r));
    if (step->skip_if)
        KEEL_TRY(bind_and_touch(s, node, step->skip_if, view, r));
    KEEL_TRY(touch_skips(s, node));
    if (node->kind != KEEL_NODE_SYSTEM)
        return KEEL_OK;
    KEEL_TRY(bind_and_touch(s, node, step->system, view, r));

    if (!step->parallel)
        return KEEL_OK;
    if (!step->main_thread)
        return keeli_check_split(s->world, step->system);
    return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                        "the step of '%s' is both .parallel and .main_thread", node->name);
}

// Adds a COMMANDS node behind node `index`. False if out of memory.
static bool add_sync(keeli_schedule *s, uint32_t index, const record *r) {
    keeli_node *sync = keeli_new_node(s, KEEL_NODE_COMMANDS, s->nodes.items[index].section);
    if (!sync)
        return false;
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
    if (result == KEEL_OK) {
        bool has_memory = touch_handles(s, node, r.creates);
        if (has_memory && r.any)
            has_memory = add_sync(s, index, &r);
        if (!has_memory)
            result = keeli_schedule_no_memory(s);
    }
    keeli_holder_deinit(s->world, &r.holder);
    return result;
}

// ------------------------------------------------------------------ conflicts
// The nodes so far that touched a storage and that the next node may have to wait for.
typedef struct touch_state {
    uint32_t epoch;   // older than the tracker's: not touched since the last node that is alone
    uint32_t writer;  // the last node that writes it, or KEEL_NO_NODE
    uint32_t readers; // list of nodes that read it since: index in tracker.readers, or KEEL_NO_NODE
} touch_state;

// An entry of a list of readers; `next` is an index in `tracker.readers`.
typedef struct reader {
    uint32_t node, next;
} reader;

typedef struct tracker {
    keeli_pointer_table by_storage; // the touch_state of each storage, in `states`
    KEELI_ARRAY(touch_state) states;
    KEELI_ARRAY(reader) readers;
    touch_state all; // stands for the world: nodes that are alone write it, the others read it
    uint32_t epoch;  // number of nodes so far that are alone
} tracker;

// Returns the state of a storage, NULL if out of memory.
static touch_state *touch_state_of(keeli_schedule *s, tracker *t, const keeli_storage *storage) {
    touch_state *now = keeli_pointer_find(&t->by_storage, storage);
    if (!now) {
        if (!keeli_pointer_reserve(&t->by_storage, &s->world->heap))
            return NULL;
        now = &t->states.items[t->states.count++];
        keeli_pointer_add(&t->by_storage, storage, now);
        now->epoch = UINT32_MAX;
    }
    if (now->epoch != t->epoch)
        *now = (touch_state){ t->epoch, KEEL_NO_NODE, KEEL_NO_NODE };
    return now;
}

// Adds edges to a node from the earlier nodes that conflict with it, and updates the state of the
// storage. False if out of memory.
static bool order_after(keeli_schedule *s, tracker *t, touch_state *now, uint32_t node,
                        bool writes) {
    // a node that waits for readers need not wait for the last writer: these readers do
    const bool waits_for_writer = !writes || now->readers == KEEL_NO_NODE;
    if (waits_for_writer && now->writer != KEEL_NO_NODE &&
        !keeli_add_edge(s, now->writer, node, false))
        return false;
    if (writes) {
        for (uint32_t r = now->readers; r != KEEL_NO_NODE; r = t->readers.items[r].next)
            if (!keeli_add_edge(s, t->readers.items[r].node, node, false))
                return false;
        now->readers = KEEL_NO_NODE;
        now->writer = node;
        return true;
    }

    if (!KEELI_RESERVE(&s->world->heap, &t->readers, 1))
        return false;
    t->readers.items[t->readers.count] = (reader){ node, now->readers };
    now->readers = t->readers.count++;
    return true;
}

// True if no other node may run beside the node. Editing an observed component may call observers,
// which may read everything.
static bool is_alone(const keeli_schedule *s, const keeli_node *node) {
    bool alone = node->everything;
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        alone |= t->access == KEEL_ACCESS_EDIT && keeli_calls_observers(t->storage);
    }
    return alone;
}

// Adds edges so that of two nodes that conflict the later one waits. False if out of memory.
static bool add_conflicts(keeli_schedule *s, tracker *t) {
    t->all = (touch_state){ 0, KEEL_NO_NODE, KEEL_NO_NODE };
    if (!KEELI_RESERVE(&s->world->heap, &t->states, s->touches.count))
        return false;

    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_alone = is_alone(s, node);
        if (!order_after(s, t, &t->all, i, node->is_alone))
            return false;
        if (node->is_alone) {
            ++t->epoch;
            t->readers.count = 0;
            continue;
        }
        for (uint32_t k = 0; k < node->touch_count; ++k) {
            const keeli_touch *touch = &s->touches.items[node->first_touch + k];
            touch_state *now = touch_state_of(s, t, touch->storage);
            if (!now || !order_after(s, t, now, i, touch->access > KEEL_ACCESS_READ))
                return false;
        }
    }
    return true;
}

// Chains the nodes that must run on the calling thread (is_main), as they run one by one anyway. A
// system that may create entities waits for the last such node before it. Otherwise the calling
// thread could run the system first and wait for its turn, which needs that node to end, but no
// other thread may run it. All these edges are loose: a failure does not block the later node.
static bool chain_main(keeli_schedule *s) {
    uint32_t last = KEEL_NO_NODE;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_main |= node->step.main_thread;
        const bool waits = last != KEEL_NO_NODE && (node->is_main || node->creates);
        if (waits && !keeli_add_edge(s, last, i, true))
            return false;
        if (node->is_main)
            last = i;
    }
    return true;
}

// True if two nodes can run at once, or a step is parallel. Two nodes cannot if each node waits for
// the node before it.
static bool is_wide(const keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (node->step.parallel)
            return true;
        if (i + 1 == s->nodes.count)
            return false;
        const bool next_waits = node->edge_count && s->edges.items[node->first_edge].to == i + 1;
        if (!next_waits)
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
    if (!done)
        return keeli_schedule_no_memory(s);

    keeli_sort_edges(s);
    s->is_wide = is_wide(s);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->created += s->nodes.items[i].creates;
    return KEEL_OK;
}
