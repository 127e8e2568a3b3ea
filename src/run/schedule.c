// SPDX-License-Identifier: MIT
// Schedules are kept in the world and used again. One that no longer fits is made anew, and takes
// over what its systems know: which startup systems are done.
#include "run/schedule.h"

#include "data/component_index.h"
#include "follow/changes.h"
#include "world/report.h"

#include <string.h>

enum { kept_at_most = 256 }; // tables made by hand: those on the stack come and go

// ------------------------------------------------------------------ freeing
static void free_node(keel_world *world, keeli_node *node) {
    for (uint32_t i = 0; i < 3; ++i) {
        if (node->readers[i]) {
            keeli_reader_forget(world, node->readers[i]);
            KEELI_FREE(&world->heap, keeli_reader, node->readers[i]);
        }
        if (node->views[i]) keeli_view_free(node->views[i]);
    }
    KEELI_RELEASE(&world->heap, &node->stock.handles);
    KEELI_RELEASE(&world->heap, &node->lists);
}

static void free_schedule(keeli_schedule *s) {
    keel_world *world = s->world;
    keeli_heap *heap = &world->heap;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        free_node(world, &s->nodes.items[i]);
    KEELI_RELEASE(heap, &s->nodes);
    KEELI_RELEASE(heap, &s->groups);
    KEELI_RELEASE(heap, &s->pairs);
    KEELI_RELEASE(heap, &s->edges);
    KEELI_RELEASE(heap, &s->loose);
    KEELI_RELEASE(heap, &s->touches);
    KEELI_RELEASE(heap, &s->witnesses);
    KEELI_RELEASE(heap, &s->witness_bytes);
    KEELI_RELEASE(heap, &s->ready);
    KEELI_RELEASE(heap, &s->ready_main);
    KEELI_RELEASE(heap, &s->idle);
    keeli_free_text(heap, s->stored_name);
    KEELI_FREE(heap, keeli_schedule, s);
}

void keeli_schedules_deinit(keel_world *world) {
    for (keeli_schedule *s = world->schedules, *next; s; s = next) {
        next = s->next;
        free_schedule(s);
    }
    world->schedules = NULL;
}

// ------------------------------------------------------------------ making
keel_result keeli_schedule_no_memory(const keeli_schedule *s) {
    return keeli_out_of_memory(s->world, "preparing a workload");
}

static bool make_room(keeli_schedule *s) {
    keeli_heap *heap = &s->world->heap;
    if (!KEELI_RESERVE(heap, &s->ready, s->nodes.count) ||
        !KEELI_RESERVE(heap, &s->ready_main, s->nodes.count) ||
        !KEELI_RESERVE(heap, &s->idle, s->nodes.count))
        return false;
    s->idle.count = s->nodes.count;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->idle.items[i] = NULL;
    return true;
}

static keel_result fill(keeli_schedule *s, const keel_workload *table) {
    KEEL_TRY(keeli_flatten(s, table));
    KEEL_TRY(keeli_order(s));
    KEEL_TRY(keeli_graph(s));
    keeli_batches(s);
    KEELI_RELEASE(&s->world->heap, &s->pairs);
    if (s->stamp) { // it tells enough
        KEELI_RELEASE(&s->world->heap, &s->witnesses);
        KEELI_RELEASE(&s->world->heap, &s->witness_bytes);
    }
    return make_room(s) ? KEEL_OK : keeli_schedule_no_memory(s);
}

static keeli_schedule *make(keel_world *world, const keel_workload *table, const char *name,
                            keel_result *result) {
    keeli_schedule *s = KEELI_NEW(&world->heap, keeli_schedule);
    if (!s) return *result = keeli_out_of_memory(world, "preparing a workload"), NULL;
    s->world = world;
    s->table = table;
    s->stamp = table && table->stamp ? keeli_stamp(table->stamp) : 0;
    if (name && !(s->stored_name = keeli_new_text(&world->heap, name)))
        *result = keeli_schedule_no_memory(s);
    else *result = fill(s, table);
    if (*result < 0) {
        free_schedule(s);
        return NULL;
    }
    s->bindings = world->bindings; // after: making it may have made components known
    return s;
}

// Which nodes of the old schedule are of a system, in linear order: lists by the system's address.
// They are in memory that is for runs, which neither schedule has now.
typedef struct veterans {
    uint32_t *first; // by bucket
    uint32_t *next;  // by node
    uint32_t bucket_count;
} veterans;

static uint32_t *bucket_of(const veterans *v, const keel_system *system) {
    return &v->first[((uint32_t)((uintptr_t)system / 16) * 2654435769u >> 8) % v->bucket_count];
}

static veterans list_veterans(keeli_schedule *s, keeli_schedule *old) {
    const veterans v = { s->ready.items, old->ready.items, s->nodes.count };
    for (uint32_t i = 0; i < v.bucket_count; ++i)
        v.first[i] = KEELI_NO_NODE;
    for (uint32_t i = v.bucket_count ? old->nodes.count : 0; i--;) {
        if (old->nodes.items[i].kind != KEELI_NODE_SYSTEM) continue;
        uint32_t *bucket = bucket_of(&v, old->nodes.items[i].step.system);
        v.next[i] = *bucket;
        *bucket = i;
    }
    return v;
}

// The first one of the system that was not asked for yet, or NULL.
static keeli_node *next_veteran(const veterans *v, keeli_schedule *old, const keel_system *system) {
    uint32_t *at = bucket_of(v, system);
    while (*at != KEELI_NO_NODE && old->nodes.items[*at].step.system != system)
        at = &v->next[*at];
    if (*at == KEELI_NO_NODE) return NULL;
    keeli_node *node = &old->nodes.items[*at];
    *at = v->next[*at];
    return node;
}

// What a system knows from its runs so far goes over to the node that takes its place.
static void take_over(keeli_schedule *s, keeli_schedule *old) {
    const veterans v = list_veterans(s, old);
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        if (node->kind != KEELI_NODE_SYSTEM) continue;
        keeli_node *was = next_veteran(&v, old, node->step.system);
        if (!was) continue;
        node->has_run = keeli_atomic_load_byte(&was->has_run);
        memcpy(node->readers, was->readers, sizeof node->readers);
        memset(was->readers, 0, sizeof was->readers);
        node->stock.want = was->stock.want;
    }
    s->runs = old->runs;
}

// ------------------------------------------------------------------ keeping
static bool is_for(const keeli_schedule *s, const keel_workload *table, const char *name) {
    if (!table) return s->stored_name && strcmp(s->stored_name, name) == 0;
    return s->table == table &&
           (!s->stamp || (table->stamp && keeli_atomic_load64(table->stamp) == s->stamp));
}

static bool is_current(const keeli_schedule *s) {
    return !s->is_partial && s->bindings == s->world->bindings && keeli_witnesses_agree(s);
}

// What an old one knows is about the same workload. Bytes behind names that are stored may be gone.
static bool can_take_over(const keeli_schedule *old) {
    return old->stored_name || old->stamp || (!old->names_stored && keeli_witnesses_agree(old));
}

static void unlink(keeli_schedule *s) {
    keeli_schedule **at = &s->world->schedules;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

static void keep(keeli_schedule *s) {
    s->next = s->world->schedules;
    s->world->schedules = s;
}

// The last ones in the list were not used for the longest time.
static void forget_oldest(keel_world *world) {
    uint32_t count = 0;
    for (keeli_schedule *s = world->schedules, *next; s; s = next) {
        next = s->next;
        if (s->stamp || s->stored_name) continue;
        if (++count <= kept_at_most || s->is_busy) continue;
        unlink(s);
        free_schedule(s);
    }
}

void keeli_schedule_forget(keel_world *world, const char *name) {
    for (keeli_schedule *s = world->schedules, *next; s; s = next) {
        next = s->next;
        if (s->is_busy || !s->stored_name || strcmp(s->stored_name, name) != 0) continue;
        unlink(s);
        free_schedule(s);
    }
}

// A second one is used while the first is busy: what was run once there is not run again.
static void learn(keeli_schedule *s, const keeli_schedule *first) {
    for (uint32_t i = 0; i < s->nodes.count && i < first->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const keeli_node *other = &first->nodes.items[i];
        if (node->step.system == other->step.system && keeli_atomic_load_byte(&other->has_run))
            keeli_atomic_store_byte(&node->has_run, 1);
    }
}

// The one of the workload that is no second one, or NULL.
static keeli_schedule *find_first(const keel_world *world, const keel_workload *table,
                                  const char *name) {
    keeli_schedule *s = world->schedules;
    while (s && (s->is_second || !is_for(s, table, name)))
        s = s->next;
    return s;
}

// One that is kept and not busy, moved to the front of the list and marked.
static keeli_schedule *find(keel_world *world, const keel_workload *table, const char *name) {
    keeli_schedule *const first = find_first(world, table, name);
    keeli_schedule *s = first && !first->is_busy ? first : world->schedules;
    while (s && (s->is_busy || !is_for(s, table, name)))
        s = s->next;
    if (!s) return NULL;
    s->is_busy = true;
    if (s->is_second && first) learn(s, first);
    if (s != world->schedules) {
        unlink(s);
        keep(s);
    }
    return s;
}

static void keep_new(keeli_schedule *s, const keeli_schedule *old) {
    const keeli_schedule *first = find_first(s->world, s->table, s->stored_name);
    s->is_busy = true;
    s->is_second = old ? old->is_second : first != NULL;
    if (s->is_second && first) learn(s, first);
    if (old && old->is_partial) learn(s, old); // what it was told of since it was looked at
    keep(s);
}

keeli_schedule *keeli_schedule_take(keel_world *world, const keel_workload *table, const char *name,
                                    keel_result *result) {
    keeli_world_lock(world);
    keeli_schedule *old = find(world, table, name);
    keeli_world_unlock(world);
    *result = KEEL_OK;
    if (old && is_current(old)) return old;
    keeli_schedule *fresh = make(world, table, name, result);
    if (fresh && old && can_take_over(old)) take_over(fresh, old);
    keeli_world_lock(world);
    if (fresh) keep_new(fresh, old);
    if (fresh && old) unlink(old);
    else if (old) old->is_busy = false; // for another try
    forget_oldest(world);
    keeli_world_unlock(world);
    if (fresh && old) free_schedule(old);
    return fresh;
}

void keeli_schedule_give(keeli_schedule *s) {
    keel_world *world = s->world;
    keeli_world_lock(world);
    s->is_busy = false;
    keeli_world_unlock(world);
}
