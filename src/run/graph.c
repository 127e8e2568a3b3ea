// SPDX-License-Identifier: MIT
// The graph: what each node touches, and an edge wherever two nodes conflict, from the last writer
// and the readers since, so that a hundred thousand systems need no look at all pairs.
#include "run/loop.h"
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
    s->touches.items[s->touches.count++] = (keeli_touch){ storage, access };
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

// Entities may be created with what is named, so that the list of entities is edited, too.
static bool record_commands(keel_world *world, record *r, const keeli_view *view) {
    const keeli_bound_term *term = keeli_view_commands(view);
    if (!term) return true;
    r->any = r->creates = true;
    r->everything |= term->count == 0;
    for (uint32_t i = 0; i < term->count; ++i) {
        keeli_storage *storage = view->storages[term->first + i];
        if (storage && !keeli_holder_want(world, &r->holder, storage, KEEL_ACCESS_EDIT))
            return false;
    }
    return keeli_holder_want(world, &r->holder, &world->stand_in.entities, KEEL_ACCESS_EDIT);
}

// Events that wait until their system has ended are sent together with its commands.
static bool record_events(keel_world *world, record *r, const keeli_view *view, bool splits) {
    for (uint32_t t = 0; view->facts.sends && t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (term->kind != KEEL_TERM_SEND || !(splits || view->facts.defers_events)) continue;
        keeli_storage *storage = view->storages[term->first];
        r->any = true;
        if (storage && !keeli_holder_want(world, &r->holder, storage, KEEL_ACCESS_EDIT))
            return false;
    }
    return true;
}

static bool knows_all(const keeli_view *view) {
    for (uint32_t i = 0; i < view->storage_count; ++i)
        if (!view->storages[i]) return false;
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
    s->is_partial |= !knows_all(view);
    const bool splits = system == node->step.system && node->step.parallel;
    return touch_uses(s, node, &view->holder) && record_commands(s->world, r, view) &&
                   record_events(s->world, r, view, splits)
               ? KEEL_OK
               : keeli_schedule_no_memory(s);
}

static keel_result touch_skips(keeli_schedule *s, keeli_node *node) {
    const keel_component *const list[] = { node->step.skip_if_empty, node->step.skip_if_missing };
    for (uint32_t i = 0; i < 2; ++i) {
        keel_result result = KEEL_OK;
        keeli_storage *storage = NULL;
        if (!list[i]) continue;
        if (!s->world->refused || keeli_storage_find(s->world, list[i])) {
            storage = keeli_storage_get(s->world, list[i], i == 1, &result);
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
    if (node->kind != KEELI_NODE_SYSTEM && node->kind != KEELI_NODE_OPEN) return KEEL_OK;
    if (step->run_if) KEEL_TRY(bind_and_touch(s, node, step->run_if, view, r));
    if (step->skip_if) KEEL_TRY(bind_and_touch(s, node, step->skip_if, view, r));
    KEEL_TRY(touch_skips(s, node));
    if (node->kind != KEELI_NODE_SYSTEM) return KEEL_OK;
    KEEL_TRY(bind_and_touch(s, node, step->system, view, r));
    if (!step->parallel) return KEEL_OK;
    if (!step->main_thread) return keeli_check_split(s->world, step->system);
    return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                        "the step of '%s' is both .parallel and .main_thread", node->name);
}

// ------------------------------------------------------------------ nodes for commands
// A node that applies what node `index` records; at the end of the list for now.
static bool park_sync(keeli_schedule *s, uint32_t index, const record *r) {
    keeli_node *sync = keeli_new_node(s, KEELI_NODE_SYNC, s->nodes.items[index].section);
    if (!sync) return false;
    keeli_node *node = &s->nodes.items[index];
    sync->name = node->name;
    sync->first_touch = s->touches.count;
    sync->everything = sync->is_main = r->everything;
    node->creates = r->creates;
    return touch_uses(s, sync, &r->holder);
}

// `place` says of each node whether it got one.
static keel_result insert_syncs(keeli_schedule *s, keeli_view *view, uint32_t *place) {
    for (uint32_t i = 0, count = s->nodes.count; i < count; ++i) {
        record r = { 0 };
        keel_result result = touch_node(s, &s->nodes.items[i], view, &r);
        if (result == KEEL_OK && !touch_handles(s, &s->nodes.items[i], r.creates))
            result = keeli_schedule_no_memory(s);
        if (result == KEEL_OK && r.any && !park_sync(s, i, &r))
            result = keeli_schedule_no_memory(s);
        keeli_holder_deinit(s->world, &r.holder);
        if (result < 0) return result;
        place[i] = r.any;
    }
    return KEEL_OK;
}

// Nodes move up to make room for them; `place` says where each is then.
static bool spread_nodes(keeli_schedule *s, uint32_t count, uint32_t *place) {
    const uint32_t total = s->nodes.count;
    if (!total) return true;
    keeli_node *fresh = keeli_new(&s->world->heap, total * sizeof *fresh, _Alignof(max_align_t));
    if (!fresh) return false;
    uint32_t at = 0, parked = count;
    for (uint32_t i = 0; i < count; ++i) {
        const bool sync = place[i];
        place[i] = at;
        fresh[at] = s->nodes.items[i];
        if (sync) {
            fresh[at + 1] = s->nodes.items[parked++];
            fresh[at].of = at + 1;
            fresh[at + 1].of = at;
        }
        at += 1 + sync;
    }
    KEELI_RELEASE(&s->world->heap, &s->nodes); // it may have room for twice as many
    s->nodes.items = fresh;
    s->nodes.count = s->nodes.capacity = total;
    return true;
}

// Who comes after a system comes after its commands, too.
static bool follow_nodes(keeli_schedule *s, const uint32_t *place) {
    for (uint32_t e = 0; e < s->pairs.count; ++e) {
        keeli_edge_pair *pair = &s->pairs.items[e];
        const uint32_t from = place[pair->from];
        const keeli_node *node = &s->nodes.items[from];
        pair->from = node->of != KEELI_NO_NODE && node->kind != KEELI_NODE_SYNC ? node->of : from;
        pair->to = place[pair->to];
    }
    keeli_move_sections(s, place);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        if (s->nodes.items[i].kind == KEELI_NODE_SYNC &&
            !keeli_add_pair(s, s->nodes.items[i].of, i))
            return false;
    return true;
}

static keel_result add_syncs(keeli_schedule *s) {
    const uint32_t count = s->nodes.count;
    keeli_heap *heap = &s->world->heap;
    keeli_view *view = keeli_view_take(s->world, "a workload");
    if (!view) return KEEL_ERROR_MEMORY;
    uint32_t *place = keeli_new(heap, (count + 1) * sizeof *place, sizeof *place);
    keel_result result = place ? insert_syncs(s, view, place) : keeli_schedule_no_memory(s);
    if (result == KEEL_OK && !(spread_nodes(s, count, place) && follow_nodes(s, place)))
        result = keeli_schedule_no_memory(s);
    keeli_free(heap, place, (count + 1) * sizeof *place, sizeof *place);
    keeli_view_give(view);
    return result;
}

// ------------------------------------------------------------------ conflicts
// How a storage was touched by the nodes so far.
typedef struct state {
    const keeli_storage *storage; // NULL: an empty place
    uint32_t epoch;   // of the tracker; an older one: nobody since a node that touched all
    uint32_t writer;  // the last one, KEELI_NO_NODE: none
    uint32_t readers; // since then: entry of `tracker.readers`, KEELI_NO_NODE: none
} state;

typedef struct reader {
    uint32_t node, next;
} reader;

typedef struct tracker {
    state *states; // open addressing, by address of the storage
    uint32_t capacity, count;
    KEELI_ARRAY(reader) readers;
    uint32_t all;       // the last node that touched everything
    uint32_t since_all; // nodes from here on come after it
    uint32_t epoch;
} tracker;

static bool begin_tracking(keeli_schedule *s, tracker *t) {
    t->capacity = 64;
    while (t->capacity < 2 * s->touches.count)
        t->capacity *= 2;
    t->states = keeli_new_zeroed(&s->world->heap, t->capacity * sizeof *t->states, sizeof(void *));
    t->all = KEELI_NO_NODE;
    return t->states != NULL;
}

static state *state_of(tracker *t, const keeli_storage *storage) {
    uint32_t at = (uint32_t)((uintptr_t)storage / 64 * 2654435769u) & (t->capacity - 1);
    while (t->states[at].storage && t->states[at].storage != storage)
        at = (at + 1) & (t->capacity - 1);
    if (!t->states[at].storage || t->states[at].epoch != t->epoch)
        t->states[at] = (state){ storage, t->epoch, KEELI_NO_NODE, KEELI_NO_NODE };
    return &t->states[at];
}

static bool add_touch(keeli_schedule *s, tracker *t, uint32_t node, const keeli_touch *touched) {
    state *now = state_of(t, touched->storage);
    const bool writes = touched->access > KEEL_ACCESS_READ;
    if ((!writes || now->readers == KEELI_NO_NODE) && now->writer != KEELI_NO_NODE &&
        !keeli_add_pair(s, now->writer, node))
        return false;
    if (writes) {
        for (uint32_t r = now->readers; r != KEELI_NO_NODE; r = t->readers.items[r].next)
            if (!keeli_add_pair(s, t->readers.items[r].node, node)) return false;
        now->readers = KEELI_NO_NODE;
        now->writer = node;
        return true;
    }
    if (!KEELI_RESERVE(&s->world->heap, &t->readers, 1)) return false;
    t->readers.items[t->readers.count] = (reader){ node, now->readers };
    now->readers = t->readers.count++;
    return true;
}

static bool add_all(keeli_schedule *s, tracker *t, uint32_t node) {
    for (uint32_t i = t->since_all; i < node; ++i)
        if (!keeli_add_pair(s, i, node)) return false;
    if (t->all != KEELI_NO_NODE && t->since_all == node && !keeli_add_pair(s, t->all, node))
        return false;
    t->all = node;
    t->since_all = node + 1;
    t->readers.count = 0;
    ++t->epoch;
    return true;
}

static bool add_conflicts(keeli_schedule *s, tracker *t) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (node->everything) {
            if (!add_all(s, t, i)) return false;
            continue;
        }
        if (t->all != KEELI_NO_NODE && !keeli_add_pair(s, t->all, i)) return false;
        for (uint32_t k = 0; k < node->touch_count; ++k)
            if (!add_touch(s, t, i, &s->touches.items[node->first_touch + k])) return false;
    }
    return true;
}

static bool add_loose_pair(keeli_schedule *s, uint32_t from, uint32_t to) {
    if (!keeli_add_pair(s, from, to)) return false;
    s->pairs.items[s->pairs.count - 1].is_loose = true;
    return true;
}

// Observers are called by one thread at a time and in the order of the list: who edits takes turns.
static bool chain_observed(keeli_schedule *s) {
    uint32_t last = KEELI_NO_NODE;
    for (uint32_t i = 0; s->world->followers.observed && i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        bool edits = node->everything;
        for (uint32_t k = 0; k < node->touch_count; ++k)
            edits |= s->touches.items[node->first_touch + k].access == KEEL_ACCESS_EDIT;
        if (!edits) continue;
        if (last != KEELI_NO_NODE && !keeli_add_pair(s, last, i)) return false;
        last = i;
    }
    return true;
}

// Steps of the calling thread, and those that touch everything, run one by one in any case. A
// system that may create entities starts after those before it: it may have to wait for its turn,
// and the calling thread must not wait for itself. None depends on what the other does.
static bool chain_main(keeli_schedule *s) {
    uint32_t last = KEELI_NO_NODE;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->is_main |= node->step.main_thread;
        if (last != KEELI_NO_NODE && (node->is_main || node->creates) &&
            !add_loose_pair(s, last, i))
            return false;
        if (node->is_main) last = i;
    }
    return true;
}

// ------------------------------------------------------------------ edges by node
static int compare_pairs(const void *a, const void *b) {
    const keeli_edge_pair *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return x->is_loose - y->is_loose; // the first of equals is kept
}

static bool is_same_pair(const keeli_edge_pair *a, const keeli_edge_pair *b) {
    return a->from == b->from && a->to == b->to;
}

static keel_result collect_edges(keeli_schedule *s) {
    keeli_edge_pair *pairs = s->pairs.items;
    uint32_t kept = 0;
    if (s->pairs.count) qsort(pairs, s->pairs.count, sizeof *pairs, compare_pairs);
    for (uint32_t e = 0; e < s->pairs.count; ++e)
        if (!kept || !is_same_pair(&pairs[kept - 1], &pairs[e])) pairs[kept++] = pairs[e];
    if (!KEELI_RESERVE(&s->world->heap, &s->edges, kept) ||
        !KEELI_RESERVE(&s->world->heap, &s->loose, kept))
        return keeli_schedule_no_memory(s);
    s->edges.count = s->loose.count = kept;
    for (uint32_t e = 0; e < kept; ++e) {
        keeli_node *from = &s->nodes.items[pairs[e].from];
        if (!from->edge_count++) from->first_edge = e;
        s->edges.items[e] = pairs[e].to;
        s->loose.items[e] = pairs[e].is_loose;
        ++s->nodes.items[pairs[e].to].waits_for;
    }
    s->pairs.count = kept;
    return KEEL_OK;
}

// Can two nodes ever run at once? Not when each waits for the one before.
static bool is_wide(const keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (node->step.parallel) return true;
        if (i + 1 < s->nodes.count &&
            !(node->edge_count && s->edges.items[node->first_edge] == i + 1))
            return true;
    }
    return false;
}

keel_result keeli_graph(keeli_schedule *s) {
    KEEL_TRY(add_syncs(s));
    tracker t = { 0 };
    const bool done =
        begin_tracking(s, &t) && add_conflicts(s, &t) && chain_main(s) && chain_observed(s);
    keeli_free(&s->world->heap, t.states, t.capacity * sizeof *t.states, sizeof(void *));
    KEELI_RELEASE(&s->world->heap, &t.readers);
    if (!done) return keeli_schedule_no_memory(s);
    KEEL_TRY(collect_edges(s));
    s->is_wide = is_wide(s);
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        node->gate = s->sections.items[node->section].gate;
        s->created += node->creates;
    }
    return KEEL_OK;
}
