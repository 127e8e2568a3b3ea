// SPDX-License-Identifier: MIT
// Copies and restores the state of readers, of steps of workloads and of groups that runs.h lists.
// image.c copies the data of the world. snapshot.c calls this file, and state_hash.c for the hash.
#include "rewind/runs.h"

#include "base/bytes.h"
#include "follow/follow.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ visits
static void visit_schedules(const keeli_schedule *s, keeli_node_visit *visit, void *data) {
    for (; s; s = s->next)
        for (uint32_t i = 0; i < s->nodes.count; ++i)
            visit(data, s, &s->nodes.items[i]);
}

void keeli_nodes_visit(const keel_world *world, keeli_node_visit *visit, void *data) {
    visit_schedules(world->workloads.schedules, visit, data);
    for (const keeli_stored_workload *w = world->workloads.first; w; w = w->next)
        visit_schedules(w->schedules, visit, data);
    visit_schedules(world->workloads.waiting, visit, data);
}

// The argument of visit_readers_of.
typedef struct node_readers {
    keeli_reader_visit *visit;
    void *data;
    bool parked; // visits the parked readers of nodes; false: the readers in use
} node_readers;

static void visit_readers_of(void *data, const keeli_schedule *s, keeli_node *node) {
    (void)s;
    const node_readers *n = data;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        if (!node->bound[k])
            continue;

        keeli_reader *reader = n->parked ? node->bound[k]->parked : node->bound[k]->reader;
        if (reader)
            n->visit(n->data, reader);
    }
}

void keeli_parked_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data) {
    node_readers nodes = { visit, data, true };
    keeli_nodes_visit(world, visit_readers_of, &nodes);
}

void keeli_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data) {
    const keeli_pointer_table *systems = &world->changes.system_readers;
    for (uint32_t i = 0; i < systems->capacity; ++i)
        if (systems->items[i].key)
            visit(data, systems->items[i].value);
    for (uint32_t i = 0; i < world->changes.waiting.count; ++i)
        visit(data, world->changes.waiting.items[i]);
    for (struct keel_reader *r = world->changes.readers; r; r = r->next)
        visit(data, &r->reader);
    node_readers nodes = { visit, data, false };
    keeli_nodes_visit(world, visit_readers_of, &nodes);
}

// ------------------------------------------------------------------ copying
void keeli_runs_deinit(keeli_runs *runs, keeli_heap *heap) {
    KEELI_RELEASE(heap, &runs->readers);
    KEELI_RELEASE(heap, &runs->nodes);
    KEELI_RELEASE(heap, &runs->groups);
    KEELI_RELEASE(heap, &runs->members);
    KEELI_RELEASE(heap, &runs->slots);
    KEELI_RELEASE(heap, &runs->labels);
    KEELI_RELEASE(heap, &runs->text);
}

static void count_reader(void *data, keeli_reader *reader) {
    (void)reader;
    ++*(uint32_t *)data;
}

static void count_node(void *data, const keeli_schedule *s, keeli_node *node) {
    (void)s;
    (void)node;
    ++*(uint32_t *)data;
}

bool keeli_runs_room(keeli_runs *runs, keeli_heap *heap, const keel_world *world) {
    uint32_t readers = 0, nodes = 0, groups = 0, members = 0, slots = 0;
    keeli_readers_visit(world, count_reader, &readers);
    keeli_nodes_visit(world, count_node, &nodes);
    for (const keel_group *g = world->followers.groups; g; g = g->next, ++groups) {
        members += g->owned_count ? 0 : keeli_group_count(g);
        slots += g->storage_count;
    }

    return KEELI_RESERVE(heap, &runs->readers, readers) &&
           KEELI_RESERVE(heap, &runs->nodes, nodes) && KEELI_RESERVE(heap, &runs->groups, groups) &&
           KEELI_RESERVE(heap, &runs->members, members) && KEELI_RESERVE(heap, &runs->slots, slots);
}

bool keeli_runs_reserve(keeli_runs *runs, keeli_heap *heap, const keel_world *world) {
    runs->readers.count = runs->nodes.count = runs->groups.count = runs->members.count = 0;
    runs->slots.count = 0;
    return keeli_runs_room(runs, heap, world);
}

// Returns the hash of a name, which is computed once. Names do not change.
static uint64_t hash_once(uint64_t *called, const char *name) {
    if (!*called)
        *called = keeli_hash_text(name, 0);
    return *called;
}

// Returns the number of the component whose count of entities `idle` points to; 0 for NULL.
static uint32_t slot_of_idle(const uint32_t *idle) {
    const size_t offset = offsetof(keeli_storage, presence) + offsetof(keeli_presence, count);
    return idle ? ((const keeli_storage *)((uintptr_t)idle - offset))->slot : 0;
}

static void copy_reader(void *data, keeli_reader *reader) {
    keeli_runs *runs = data;
    *KEELI_APPEND(&runs->readers) =
        (keeli_kept_reader){ .serial = reader->serial,
                             .last = reader->last,
                             .called = hash_once(&reader->called, reader->name),
                             .at = reader,
                             .name = reader->name,
                             .kind = reader->kind,
                             .is_kept = reader->is_kept };
}

static keeli_kept_node copy_of_node(const keeli_schedule *s, const keeli_node *node) {
    keeli_kept_node kept = { .serial = node->serial,
                             .passed = node->passed,
                             .called = node->called,
                             .runs = node->runs,
                             .idle = s->idle.items[node - s->nodes.items],
                             .place = node->place,
                             .kind = node->kind,
                             .is_limited = node->step.times != 0,
                             .name = node->name };
    kept.idle_slot = slot_of_idle(kept.idle);
    kept.workload = s->sections.count ? keeli_schedule_name(s) : node->workload;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        if (!node->bound[k])
            continue;

        kept.readers[k] = node->bound[k]->reader;
        kept.want[k] = keeli_handles_wanted(s->world, &node->bound[k]->reserved);
        kept.most[k] = node->bound[k]->reserved.most;
    }
    return kept;
}

static void copy_node(void *data, const keeli_schedule *s, keeli_node *node) {
    keeli_runs *runs = data;
    (void)hash_once(&node->called, node->name);
    runs->nodes.items[runs->nodes.count++] = copy_of_node(s, node);
}

// Compares two records by serial, which is the first member of each kind.
static int compare_serials(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}
static void sort_by_serial(void *items, uint32_t count, size_t size) {
    if (count)
        qsort(items, count, size, compare_serials);
}
static const void *find_serial(const void *items, uint32_t count, size_t size, uint64_t serial) {
    return count ? bsearch(&serial, items, count, size, compare_serials) : NULL;
}
#define SORT(array) sort_by_serial((array)->items, (array)->count, sizeof *(array)->items)
#define FIND(array, serial)                                                                        \
    find_serial((array)->items, (array)->count, sizeof *(array)->items, (serial))

void keeli_runs_append_group(keeli_runs *runs, keel_group *g, uint32_t length, uint32_t count) {
    *KEELI_APPEND(&runs->groups) = (keeli_kept_group){ .serial = g->serial,
                                                       .called = hash_once(&g->called, g->name),
                                                       .length = length,
                                                       .first = runs->members.count,
                                                       .count = count,
                                                       .first_slot = runs->slots.count,
                                                       .owned_count = g->owned_count,
                                                       .must_count = g->must_count,
                                                       .storage_count = g->storage_count,
                                                       .name = g->name };
    for (uint32_t i = 0; i < g->storage_count; ++i)
        *KEELI_APPEND(&runs->slots) = g->storages[i]->slot;
}

void keeli_runs_take(keeli_runs *runs, const keel_world *world) {
    keeli_readers_visit(world, copy_reader, runs);
    keeli_nodes_visit(world, copy_node, runs);

    for (keel_group *g = world->followers.groups; g; g = g->next) {
        const uint32_t count = g->owned_count ? 0 : keeli_group_count(g);
        keeli_runs_append_group(runs, g, g->length, count);
        for (uint32_t slot = 0; slot < count; ++slot)
            *KEELI_APPEND(&runs->members) = *keeli_sparse_set_entity(keeli_group_set(g), slot);
    }

    keeli_runs_sort(runs);
}

void keeli_runs_sort(keeli_runs *runs) {
    SORT(&runs->readers);
    SORT(&runs->nodes);
    SORT(&runs->groups);
}

// ------------------------------------------------------------------ hashing
static uint64_t hash_number(uint64_t hash, uint64_t number) {
    return keeli_hash_mix(hash ^ number) + number;
}

static uint64_t hash_reader(uint64_t last, uint64_t called) {
    return last ? hash_number(hash_number(1, last), called) : 0;
}

static uint64_t hash_node(const keeli_kept_node *node, uint64_t called) {
    const uint32_t runs = node->is_limited ? node->runs : 0;
    uint64_t hash = hash_number(hash_number(hash_number(2, runs), node->passed), called);
    uint64_t known = runs | node->passed;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        hash = hash_number(hash, node->want[k]);
        known |= node->want[k];
    }
    return known ? hash : 0;
}

static uint64_t hash_kept_group(const keeli_runs *runs, const keeli_kept_group *g) {
    uint64_t hash = hash_number(hash_number(3, g->called), g->length);
    for (uint32_t i = 0; i < g->count; ++i)
        hash = hash_number(hash, runs->members.items[g->first + i].bits);
    return hash;
}

static uint64_t hash_group(const keel_group *g) {
    const uint32_t count = g->owned_count ? 0 : keeli_group_count(g);
    uint64_t hash = hash_number(hash_number(3, keeli_hash_text(g->name, 0)), g->length);
    for (uint32_t slot = 0; slot < count; ++slot)
        hash = hash_number(hash, keeli_sparse_set_entity(&g->order.set, slot)->bits);
    return hash;
}

uint64_t keeli_runs_hash(const keeli_runs *runs) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < runs->readers.count; ++i)
        sum += hash_reader(runs->readers.items[i].last, runs->readers.items[i].called);
    for (uint32_t i = 0; i < runs->nodes.count; ++i)
        sum += hash_node(&runs->nodes.items[i], runs->nodes.items[i].called);
    for (uint32_t i = 0; i < runs->groups.count; ++i)
        sum += hash_kept_group(runs, &runs->groups.items[i]);
    return sum;
}

static void add_reader(void *sum, keeli_reader *reader) {
    *(uint64_t *)sum += hash_reader(reader->last, keeli_hash_text(reader->name, 0));
}
static void add_node(void *sum, const keeli_schedule *s, keeli_node *node) {
    const keeli_kept_node copy = copy_of_node(s, node);
    *(uint64_t *)sum += hash_node(&copy, keeli_hash_text(node->name, 0));
}

uint64_t keeli_runs_hash_of(const keel_world *world) {
    uint64_t sum = 0;
    keeli_readers_visit(world, add_reader, &sum);
    keeli_nodes_visit(world, add_node, &sum);
    for (const keel_group *g = world->followers.groups; g; g = g->next)
        sum += hash_group(g);
    return sum;
}

// ------------------------------------------------------------------ labels
// Returns the label that item `i` of all readers, nodes and groups should have, without offsets,
// and its two names.
static keeli_label label_of(const keeli_runs *runs, uint32_t i, const char *names[2]) {
    names[1] = "";
    if (i < runs->readers.count) {
        names[0] = runs->readers.items[i].name;
        return (keeli_label){ .serial = runs->readers.items[i].serial };
    }
    i -= runs->readers.count;
    if (i < runs->nodes.count) {
        const keeli_kept_node *node = &runs->nodes.items[i];
        names[0] = node->name ? node->name : "";
        names[1] = node->workload ? node->workload : "";
        return (keeli_label){ .serial = node->serial, .place = node->place };
    }
    const keeli_kept_group *group = &runs->groups.items[i - runs->nodes.count];
    names[0] = group->name;
    return (keeli_label){ .serial = group->serial };
}

static bool labels_are_right(const keeli_runs *runs, uint32_t count) {
    if (runs->labels.count != count)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const char *names[2];
        const keeli_label label = label_of(runs, i, names), *now = &runs->labels.items[i];
        if (label.serial != now->serial || label.place != now->place)
            return false;
    }
    return true;
}

// Appends a name to the text, for which there is room, and returns its offset.
static uint32_t append_name(keeli_runs *runs, const char *name) {
    const uint32_t at = runs->text.count;
    const uint32_t bytes = (uint32_t)strlen(name) + 1;
    memcpy(runs->text.items + at, name, bytes);
    runs->text.count += bytes;
    return at;
}

bool keeli_runs_label(keeli_runs *runs, keeli_heap *heap) {
    const uint32_t count = runs->readers.count + runs->nodes.count + runs->groups.count;
    const char *names[2];
    if (labels_are_right(runs, count))
        return true;

    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; ++i) {
        (void)label_of(runs, i, names);
        bytes += strlen(names[0]) + strlen(names[1]) + 2;
    }
    runs->labels.count = runs->text.count = 0;
    if (bytes > UINT32_MAX || !KEELI_RESERVE(heap, &runs->labels, count) ||
        !KEELI_RESERVE(heap, &runs->text, bytes))
        return false;

    for (uint32_t i = 0; i < count; ++i) {
        keeli_label label = label_of(runs, i, names);
        label.name = append_name(runs, names[0]);
        label.workload = append_name(runs, names[1]);
        *KEELI_APPEND(&runs->labels) = label;
    }
    return true;
}

// ------------------------------------------------------------------ restoring
bool keeli_runs_know(const keeli_runs *runs, const keeli_reader *reader) {
    return FIND(&runs->readers, reader->serial);
}

static void restore_reader(void *data, keeli_reader *reader) {
    const keeli_runs *runs = data;
    const keeli_kept_reader *kept = FIND(&runs->readers, reader->serial);
    reader->last = kept && !reader->is_kept ? kept->last : 0;
}

typedef struct restoring {
    const keeli_runs *runs;
    keel_world *world;
} restoring;

// Parks a reader that a step got after the copy was made. At that time the step had not read
// anything, so it has no reader again. The reader is not freed, because a later restore may go
// forward to a state in which the step has the reader.
static void park_reader(keel_world *world, const keeli_runs *runs, keeli_bound *bound) {
    if (!bound->reader || keeli_runs_know(runs, bound->reader))
        return;

    keeli_reader_forget(world, bound->reader);
    bound->parked = bound->reader;
    bound->parked->last = 0;
    bound->reader = NULL;
}

// Gives a step its parked reader again, if the step had the reader when the copy was made.
static void unpark_reader(void *data, const keeli_schedule *s, keeli_node *node) {
    const keeli_runs *runs = data;
    (void)s;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        keeli_bound *bound = node->bound[k];
        if (!bound || !bound->parked || !keeli_runs_know(runs, bound->parked))
            continue;

        bound->reader = bound->parked;
        bound->parked = NULL;
    }
}

static void restore_node(void *data, const keeli_schedule *s, keeli_node *node) {
    static const keeli_kept_node unused;
    const restoring *r = data;
    const keeli_runs *runs = r->runs;
    const keeli_kept_node *kept = FIND(&runs->nodes, node->serial);
    if (!kept)
        kept = &unused;

    s->idle.items[node - s->nodes.items] = kept->idle;
    node->runs = kept->runs;
    node->passed = kept->passed;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        if (!node->bound[k])
            continue;

        park_reader(r->world, runs, node->bound[k]);
        node->bound[k]->reserved.want = kept->want[k];
        node->bound[k]->reserved.emptied = r->world->emptied;
        node->bound[k]->reserved.most = kept->most[k];
    }
}

bool keeli_runs_reserve_restore(const keeli_runs *runs, keel_world *world) {
    for (keel_group *g = world->followers.groups; g; g = g->next) {
        const keeli_kept_group *kept = FIND(&runs->groups, g->serial);
        keeli_sparse_set *set = &g->order.set;
        if (!kept)
            continue;

        for (uint32_t i = 0; i < kept->count; ++i) {
            const uint32_t index = keeli_index_of(runs->members.items[kept->first + i]);
            if (!keeli_sparse_set_reserve_cell(set, &world->heap, index))
                return false;
        }
        if (kept->count > set->room &&
            !keeli_sparse_set_reserve(set, &world->heap, kept->count - set->count))
            return false;
    }
    return true;
}

void keeli_runs_restore(const keeli_runs *runs, keel_world *world) {
    keeli_nodes_visit(world, unpark_reader, (void *)(uintptr_t)runs);
    keeli_readers_visit(world, restore_reader, (void *)(uintptr_t)runs);
    restoring r = { runs, world };
    keeli_nodes_visit(world, restore_node, &r);

    keeli_groups_clear_all(world);
    for (keel_group *g = world->followers.groups; g; g = g->next) {
        const keeli_kept_group *kept = FIND(&runs->groups, g->serial);
        if (!kept) {
            keeli_group_fill(g);
            continue;
        }

        g->length = kept->length;
        for (uint32_t i = 0; i < kept->count; ++i)
            (void)keeli_sparse_set_push(&g->order.set, runs->members.items[kept->first + i]);
    }
}
