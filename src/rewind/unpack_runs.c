// SPDX-License-Identifier: MIT
// Reads the runs of a snapshot from bytes: readers, nodes of schedules and groups. They are
// identified by names, so this file finds those of the user's world, and makes the ones that wait
// for systems and steps that have not run there yet. unpack.c calls it.
#include "rewind/unpack.h"

#include "follow/follow.h"

// ------------------------------------------------------------------ reading
static bool unpack_readers(keeli_unpack *u) {
    const uint32_t count = keeli_unpack_count(u, 15, KEELI_PACKED_MOST);
    if (!KEELI_RESERVE(&u->blank->heap, &u->readers, count))
        return keeli_unpack_no_memory(u);

    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t kind = keeli_unpack_u8(u), is_kept = keeli_unpack_u8(u);
        const char *name = keeli_unpack_text(u);
        const uint64_t last = keeli_unpack_u64(u);
        if (u->result != KEEL_OK)
            return false;
        if (kind >= KEELI_READER_KINDS)
            return keeli_unpack_wrong(u, "a reader is of no kind");
        *KEELI_APPEND(&u->readers) =
            (keeli_packed_reader){ .stand_in = { .name = name,
                                                 .last = last,
                                                 .kind = (keeli_reader_kind)kind,
                                                 .is_kept = is_kept != 0 } };
    }
    return u->result == KEEL_OK;
}

// Reads what a node has for one of its systems.
static bool unpack_node_system(keeli_unpack *u, keeli_packed_node *node, uint32_t k) {
    node->want[k] = keeli_unpack_u32(u);
    node->most[k] = keeli_unpack_u32(u);
    node->readers[k] = keeli_unpack_u32(u);
    if (node->want[k] > u->max_entities || node->most[k] > u->max_entities)
        return keeli_unpack_wrong(u, "a step reserves more handles than .max_entities");
    if (node->readers[k] == KEELI_PACKED_NONE)
        return true;
    if (node->readers[k] >= u->readers.count)
        return keeli_unpack_wrong(u, "a step has a reader that does not exist");

    keeli_packed_reader *reader = &u->readers.items[node->readers[k]];
    if (reader->stand_in.kind != KEELI_READER_OF_STEP || reader->is_in_step)
        return keeli_unpack_wrong(u, "two steps, or a step and somebody else, have one reader");
    reader->is_in_step = true;
    return true;
}

static bool unpack_node(keeli_unpack *u) {
    keeli_packed_node node = { .kind = (keel_node_kind)keeli_unpack_u8(u) };
    node.place = keeli_unpack_u32(u);
    node.workload = keeli_unpack_text(u);
    node.name = keeli_unpack_text(u);
    node.is_limited = keeli_unpack_u8(u) != 0;
    node.runs = keeli_unpack_u32(u);
    node.passed = keeli_unpack_u64(u);
    node.idle = keeli_unpack_u32(u);
    if (u->result != KEEL_OK)
        return false;
    if (node.kind != KEEL_NODE_SYSTEM && node.kind != KEEL_NODE_BEGIN)
        return keeli_unpack_wrong(u, "a step is of no kind");

    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k)
        if (!unpack_node_system(u, &node, k))
            return false;
    *KEELI_APPEND(&u->nodes) = node;
    return u->result == KEEL_OK;
}

static bool is_group_used(const keeli_unpack *u, const keel_group *g) {
    for (uint32_t i = 0; i < u->groups.count; ++i)
        if (u->groups.items[i].group == g)
            return true;
    return false;
}

// True if the group of this world names the components with these numbers in the bytes.
static bool has_components(const keeli_unpack *u, const keel_group *g, const uint32_t counts[3],
                           const unsigned char *numbers) {
    const uint32_t own[] = { g->owned_count, g->must_count, g->storage_count };
    if (memcmp(own, counts, sizeof own) != 0)
        return false;
    for (uint32_t i = 0; i < g->storage_count; ++i) {
        const uint32_t number = keeli_unpack_at(numbers, i);
        const keeli_storage *s =
            number < u->components.count ? u->components.items[number].storage : NULL;
        if (!s || s->slot != g->storages[i]->slot)
            return false;
    }
    return true;
}

// Returns the group of the user's world that was made first, among those with this name and these
// components that are not used yet; NULL, and fails, if there is none.
static keel_group *find_group(keeli_unpack *u, const char *name, const uint32_t counts[3],
                              const unsigned char *numbers) {
    keel_group *found = NULL;
    bool is_named = false;
    for (keel_group *g = u->world->followers.groups; g; g = g->next) {
        if (strcmp(g->name, name) != 0 || is_group_used(u, g))
            continue;
        is_named = true;
        if (has_components(u, g, counts, numbers))
            found = g; // the list has the latest group first
    }
    if (!found)
        (void)keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                                is_named ? "group '%.60s': it has other components here"
                                         : "group '%.60s': it does not exist here; make it before "
                                           "the snapshot is read",
                                name);
    return found;
}

static bool unpack_group(keeli_unpack *u) {
    uint32_t counts[3];
    const char *name = keeli_unpack_text(u);
    for (uint32_t i = 0; i < 3; ++i)
        counts[i] = keeli_unpack_u32(u);
    const unsigned char *numbers = keeli_unpack_bytes(u, (uint64_t)counts[2] * 4);
    keeli_packed_group group = { .length = keeli_unpack_u32(u) };
    group.count = keeli_unpack_u32(u);
    group.members = keeli_unpack_bytes(u, (uint64_t)group.count * 4);
    if (u->result != KEEL_OK)
        return false;

    group.group = find_group(u, name, counts, numbers);
    if (!group.group)
        return false;
    *KEELI_APPEND(&u->groups) = group;
    return true;
}

bool keeli_unpack_runs(keeli_unpack *u) {
    u->section = "readers";
    if (!unpack_readers(u))
        return false;

    u->section = "steps";
    const uint32_t nodes = keeli_unpack_count(u, 70, KEELI_PACKED_MOST);
    if (!KEELI_RESERVE(&u->blank->heap, &u->nodes, nodes))
        return keeli_unpack_no_memory(u);
    for (uint32_t i = 0; i < nodes; ++i)
        if (!unpack_node(u))
            return false;

    u->section = "groups";
    const uint32_t groups = keeli_unpack_count(u, 25, KEELI_PACKED_MOST);
    if (!KEELI_RESERVE(&u->blank->heap, &u->groups, groups))
        return keeli_unpack_no_memory(u);
    for (uint32_t i = 0; i < groups; ++i)
        if (!unpack_group(u))
            return false;
    return u->result == KEEL_OK;
}

// ------------------------------------------------------------------ checking
// Returns the component of the private world that is that of a storage of the user's world.
static const keeli_storage *blank_of(const keeli_unpack *u, const keeli_storage *s) {
    return u->blank->root.storages[s->slot];
}

// True if the entity with this index belongs to the group.
static bool is_member(const keeli_unpack *u, const keel_group *g, uint32_t index) {
    for (uint32_t i = 0; i < g->storage_count; ++i)
        if (keeli_store_has(blank_of(u, g->storages[i]), index) != (i < g->must_count))
            return false;
    return true;
}

static uint32_t count_members(const keeli_unpack *u, const keel_group *g) {
    uint32_t count = 0;
    KEELI_EACH_BIT(i, &blank_of(u, g->storages[0])->presence)
        count += is_member(u, g, i);
    return count;
}

// True if the first slots of all owned sets hold the members, in one order.
static bool check_owning_group(const keeli_unpack *u, const keeli_packed_group *group) {
    const keel_group *g = group->group;
    const keeli_sparse_set *first = &blank_of(u, g->storages[0])->set;
    if (group->count || group->length > first->count)
        return false;
    for (uint32_t slot = 0; slot < group->length; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(first, slot);
        if (!is_member(u, g, keeli_index_of(e)))
            return false;
        for (uint32_t i = 1; i < g->owned_count; ++i) {
            const keeli_sparse_set *set = &blank_of(u, g->storages[i])->set;
            if (slot >= set->count || !keel_is_same(e, *keeli_sparse_set_entity(set, slot)))
                return false;
        }
    }
    return group->length == count_members(u, g);
}

static bool check_group(keeli_unpack *u, const keeli_packed_group *group) {
    const keel_group *g = group->group;
    if (g->owned_count)
        return check_owning_group(u, group);
    if (group->length || group->count != count_members(u, g) || !keeli_unpack_search(u))
        return false;
    for (uint32_t i = 0; i < group->count; ++i) {
        const uint32_t index = keeli_unpack_at(group->members, i);
        if (index >= u->blank->entities.size || !is_member(u, g, index) ||
            keeli_unpack_is_repeated(u, index))
            return false;
    }
    return true;
}

static bool is_reader_used(const keeli_unpack *u, const keeli_reader *reader) {
    for (uint32_t i = 0; i < u->readers.count; ++i)
        if (u->readers.items[i].real == reader)
            return true;
    return false;
}

// Returns the reader of the user, with this name, that was made first and is not used yet.
static const keeli_reader *find_users_reader(const keeli_unpack *u, const char *name) {
    const keeli_reader *found = NULL;
    for (const struct keel_reader *r = u->world->changes.readers; r; r = r->next)
        if (strcmp(r->reader.name, name) == 0 && !is_reader_used(u, &r->reader))
            found = &r->reader; // the list has the latest reader first
    return found;
}

// Finds the reader of the user's world. Readers of systems and steps are found, or made, later.
static bool find_reader(keeli_unpack *u, keeli_packed_reader *reader) {
    const keeli_reader *own = &reader->stand_in;
    if (own->last > u->blank->changes.tick)
        return keeli_unpack_wrong(u, "a reader has seen changes of the future");
    if (own->kind != KEELI_READER_OF_USER)
        return true;
    reader->real = find_users_reader(u, own->name);
    if (reader->real || own->is_kept)
        return true;
    return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                             "reader '%.60s': it does not exist here; make it before the snapshot "
                             "is read, or exclude it there: keel_reader_keep",
                             own->name);
}

bool keeli_unpack_check_runs(keeli_unpack *u) {
    u->section = "readers";
    for (uint32_t i = 0; i < u->readers.count; ++i)
        if (!find_reader(u, &u->readers.items[i]))
            return false;
    u->section = "steps";
    for (uint32_t i = 0; i < u->nodes.count; ++i)
        if (u->nodes.items[i].idle != KEELI_PACKED_NONE &&
            !keeli_unpack_component(u, u->nodes.items[i].idle))
            return false;
    u->section = "groups";
    for (uint32_t i = 0; i < u->groups.count; ++i)
        if (!check_group(u, &u->groups.items[i]))
            return keeli_unpack_wrong(u, "a group does not hold the entities that match");
    return u->result == KEEL_OK;
}

// ------------------------------------------------------------------ taking
// Finds the reader of a single system, or makes one that waits for it. False when out of memory.
static bool take_system_reader(keeli_unpack *u, keeli_packed_reader *reader) {
    const keeli_pointer_table *known = &u->world->changes.system_readers;
    const char *name = reader->stand_in.name;
    for (uint32_t i = 0; i < known->capacity; ++i) {
        const keeli_reader *own = known->items[i].key ? known->items[i].value : NULL;
        if (own && strcmp(own->name, name) == 0 && !is_reader_used(u, own)) {
            reader->real = own;
            return true;
        }
    }
    const keeli_reader *waiting = keeli_waiting_reader_find(u->world, name);
    if (!waiting || is_reader_used(u, waiting))
        waiting = keeli_waiting_reader_add(u->world, name);
    reader->real = waiting;
    return waiting != NULL;
}

static bool is_node_taken(const void *data, uint64_t serial) {
    const keeli_unpack *u = data;
    for (uint32_t i = 0; i < u->nodes.count; ++i)
        if (u->nodes.items[i].serial == serial)
            return true;
    return false;
}

// Finds the node of the user's world, or makes one that waits, and the readers of its systems.
// False when out of memory.
static bool take_node(keeli_unpack *u, keeli_packed_node *packed) {
    keeli_node *node = keeli_node_find(u->world, packed->workload, packed->kind, packed->place,
                                       packed->name, is_node_taken, u);
    if (!node)
        node = keeli_waiting_add(u->world, packed->workload, packed->kind, packed->place,
                                 packed->name);
    if (!node)
        return false;
    if (!node->asked)
        node->step.times = packed->is_limited; // a node that waits: `runs` counts
    packed->serial = node->serial;

    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        const uint32_t number = packed->readers[k];
        const bool is_bound = packed->want[k] || number != KEELI_PACKED_NONE;
        if (is_bound && !keeli_waiting_bound(u->world, node, (keeli_step_system)k))
            return false;
        if (number == KEELI_PACKED_NONE)
            continue;
        keeli_packed_reader *reader = &u->readers.items[number];
        reader->real =
            keeli_waiting_step_reader(u->world, node, (keeli_step_system)k, reader->stand_in.name);
        if (!reader->real)
            return false;
    }
    return true;
}

static void keep_reader(keeli_runs *runs, const keeli_packed_reader *reader) {
    if (!reader->real)
        return;
    *KEELI_APPEND(&runs->readers) =
        (keeli_kept_reader){ .serial = reader->real->serial,
                             .last = reader->stand_in.last,
                             .called = keeli_hash_text(reader->stand_in.name, 0),
                             .at = reader->real,
                             .name = reader->stand_in.name,
                             .kind = reader->stand_in.kind,
                             .is_kept = reader->stand_in.is_kept };
}

static void keep_node(const keeli_unpack *u, keeli_runs *runs, const keeli_packed_node *node) {
    keeli_kept_node kept = { .serial = node->serial,
                             .passed = node->passed,
                             .called = keeli_hash_text(node->name, 0),
                             .runs = node->runs,
                             .place = node->place,
                             .kind = node->kind,
                             .is_limited = node->is_limited,
                             .name = node->name,
                             .workload = node->workload };
    if (node->idle != KEELI_PACKED_NONE) {
        const keeli_storage *s = u->components.items[node->idle].storage;
        kept.idle = &u->world->root.storages[s->slot]->presence.count;
        kept.idle_slot = s->slot;
    }
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        kept.want[k] = node->want[k];
        kept.most[k] = node->most[k];
        if (node->readers[k] != KEELI_PACKED_NONE)
            kept.readers[k] = u->readers.items[node->readers[k]].real;
    }
    *KEELI_APPEND(&runs->nodes) = kept;
}

static void keep_group(const keeli_unpack *u, keeli_runs *runs, const keeli_packed_group *packed) {
    keeli_runs_append_group(runs, packed->group, packed->length, packed->count);
    for (uint32_t i = 0; i < packed->count; ++i)
        *KEELI_APPEND(&runs->members) =
            keeli_entity_at(&u->blank->entities, keeli_unpack_at(packed->members, i));
}

// Makes room in the runs for all that was read; false when out of memory.
static bool reserve_kept(const keeli_unpack *u, keeli_runs *runs) {
    keeli_heap *heap = &u->snapshot->image->heap;
    uint64_t members = 0, slots = 0;
    for (uint32_t i = 0; i < u->groups.count; ++i) {
        members += u->groups.items[i].count;
        slots += u->groups.items[i].group->storage_count;
    }
    runs->readers.count = runs->nodes.count = runs->groups.count = 0;
    runs->members.count = runs->slots.count = runs->labels.count = 0;
    return KEELI_RESERVE(heap, &runs->readers, u->readers.count) &&
           KEELI_RESERVE(heap, &runs->nodes, u->nodes.count) &&
           KEELI_RESERVE(heap, &runs->groups, u->groups.count) &&
           KEELI_RESERVE(heap, &runs->members, members) && KEELI_RESERVE(heap, &runs->slots, slots);
}

bool keeli_unpack_take_runs(keeli_unpack *u) {
    keeli_runs *runs = &u->snapshot->taken->next;
    if (!reserve_kept(u, runs))
        return keeli_unpack_no_memory(u);

    for (uint32_t i = 0; i < u->readers.count; ++i)
        if (u->readers.items[i].stand_in.kind == KEELI_READER_OF_SYSTEM &&
            !take_system_reader(u, &u->readers.items[i]))
            return keeli_unpack_no_memory(u);
    for (uint32_t i = 0; i < u->nodes.count; ++i)
        if (!take_node(u, &u->nodes.items[i]))
            return keeli_unpack_no_memory(u);

    for (uint32_t i = 0; i < u->readers.count; ++i)
        keep_reader(runs, &u->readers.items[i]);
    for (uint32_t i = 0; i < u->nodes.count; ++i)
        keep_node(u, runs, &u->nodes.items[i]);
    for (uint32_t i = 0; i < u->groups.count; ++i)
        keep_group(u, runs, &u->groups.items[i]);
    keeli_runs_sort(runs);
    return keeli_runs_label(runs, &u->snapshot->image->heap) || keeli_unpack_no_memory(u);
}

const keeli_reader *keeli_unpack_map_reader(void *data, const keeli_reader *reader) {
    const keeli_unpack *u = data;
    for (uint32_t i = 0; i < u->readers.count; ++i)
        if (&u->readers.items[i].stand_in == reader)
            return u->readers.items[i].real;
    return NULL;
}
