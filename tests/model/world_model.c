// SPDX-License-Identifier: MIT
// The reference model of a world, see world_model.h.
// Invariant, checked by model_is_valid: an entity is in the children of its parent once and nowhere
// else; the free list holds each index that is neither alive nor retired once.
#include "world_model.h"

#include "resize.h"

#include <assert.h>
#include <string.h>

// Slots

static uint32_t slot_index(const model_slot *slot) { return keel_entity_index(slot->handle); }

// The place of the first slot whose index is not below `index`.
static size_t slot_place(const model_world *world, uint32_t index) {
    assert(world != NULL);
    size_t place = 0;
    while (place < world->slot_count && slot_index(&world->slots[place]) < index)
        place++;
    return place;
}

static model_slot *slot_of(const model_world *world, uint32_t index) {
    const size_t place = slot_place(world, index);
    if (place == world->slot_count || slot_index(&world->slots[place]) != index) return NULL;
    return &world->slots[place];
}

static model_slot *living(const model_world *world, keel_entity e) {
    model_slot *slot = slot_of(world, keel_entity_index(e));
    return slot != NULL && slot->is_alive && keel_is_same(slot->handle, e) ? slot : NULL;
}

static void insert_slot(model_world *world, keel_entity handle) {
    const size_t place = slot_place(world, keel_entity_index(handle));
    const size_t after = world->slot_count - place;
    world->slots = model_resize(world->slots, ++world->slot_count, sizeof *world->slots);
    memmove(&world->slots[place + 1], &world->slots[place], after * sizeof *world->slots);
    world->slots[place] = (model_slot){ .handle = handle, .is_alive = true };
}

static uint32_t lowest_unused_index(const model_world *world) {
    uint32_t index = 0;
    while (index < world->slot_count && slot_index(&world->slots[index]) == index)
        index++;
    return index;
}

// Free list

static void push_free(model_world *world, uint32_t index) {
    world->free_list =
        model_resize(world->free_list, world->free_count + 1, sizeof *world->free_list);
    world->free_list[world->free_count++] = index;
}

// Remove the index and keep the order of the others.
static void remove_free(model_world *world, uint32_t index) {
    size_t kept = 0;
    for (size_t i = 0; i < world->free_count; i++)
        if (world->free_list[i] != index) world->free_list[kept++] = world->free_list[i];
    assert(kept + 1 == world->free_count);
    world->free_count = kept;
}

// Make the index of a dead slot free for its next version, or retire it.
static void release_index(model_world *world, model_slot *slot) {
    const uint32_t version = keel_entity_version(slot->handle);
    slot->is_alive = false;
    slot->name = NULL;
    slot->is_retired = version == KEEL_MAX_ENTITY_VERSION;
    if (slot->is_retired) return;
    slot->handle = keel_entity_make(slot_index(slot), version + 1);
    push_free(world, slot_index(slot));
}

// Links

static bool has_links(const model_slot *slot) {
    return !keel_is_null(slot->parent) || slot->child_count > 0;
}

static void append_child(model_slot *parent, model_slot *child) {
    const size_t count = parent->child_count + 1;
    parent->children = model_resize(parent->children, count, sizeof *parent->children);
    parent->children[parent->child_count++] = child->handle;
    child->parent = parent->handle;
}

static void leave_parent(model_world *world, model_slot *child) {
    model_slot *parent = living(world, child->parent);
    if (parent == NULL) return;
    size_t kept = 0;
    for (size_t i = 0; i < parent->child_count; i++)
        if (!keel_is_same(parent->children[i], child->handle))
            parent->children[kept++] = parent->children[i];
    assert(kept + 1 == parent->child_count);
    parent->child_count = kept;
    child->parent = keel_null();
}

// The child of `parent`, or the root, that has this name, and is another one than `but`; or NULL.
static model_slot *named(const model_world *world, keel_entity parent, const char *name,
                         size_t length, const model_slot *but) {
    for (size_t i = 0; i < world->slot_count; i++) {
        model_slot *slot = &world->slots[i];
        const bool is_child =
            slot->is_alive && (keel_is_null(parent) ? keel_is_null(slot->parent)
                                                    : keel_is_same(slot->parent, parent));
        if (is_child && slot != but && slot->name != NULL && strlen(slot->name) == length &&
            memcmp(slot->name, name, length) == 0)
            return slot;
    }
    return NULL;
}

// Would it have a sibling of its own name there?
static bool is_taken(const model_world *world, const model_slot *slot, keel_entity parent) {
    return slot->name != NULL && named(world, parent, slot->name, strlen(slot->name), slot) != NULL;
}

static void become_root(model_world *world, model_slot *slot) {
    slot->parent = keel_null();
    if (is_taken(world, slot, keel_null())) slot->name = NULL;
}

static void unlink_slot(model_world *world, model_slot *slot) {
    leave_parent(world, slot);
    for (size_t i = 0; i < slot->child_count; i++)
        become_root(world, living(world, slot->children[i]));
    free(slot->children);
    slot->children = NULL;
    slot->child_count = 0;
}

static bool is_at_or_below(const model_world *world, keel_entity e, keel_entity root) {
    while (!keel_is_null(e) && !keel_is_same(e, root))
        e = model_parent_of(world, e);
    return keel_is_same(e, root);
}

// Relations

static bool is_between(keel_entity from, keel_entity to, keel_entity source, keel_entity target) {
    return (keel_is_null(source) || keel_is_same(from, source)) &&
           (keel_is_null(target) || keel_is_same(to, target));
}

// Take the edges away that have this source and this target; null: any. How many there were.
static size_t take_edges(model_relation *r, keel_entity source, keel_entity target) {
    const size_t before = r->edge_count;
    r->edge_count = 0;
    for (size_t i = 0; i < before; i++) {
        const model_edge *edge = &r->edges[i];
        const bool goes = is_between(edge->source, edge->target, source, target) ||
                          (r->symmetric && is_between(edge->target, edge->source, source, target));
        if (!goes) r->edges[r->edge_count++] = *edge;
    }
    return before - r->edge_count;
}

// It lets go, and all let go of it.
static bool leave_relations(model_world *world, keel_entity e) {
    size_t taken = 0;
    for (size_t i = 0; i < world->relation_count; i++) {
        taken += take_edges(&world->relations[i], e, keel_null());
        taken += take_edges(&world->relations[i], keel_null(), e);
    }
    return taken > 0;
}

static bool is_in(const keel_entity *list, size_t count, keel_entity e) {
    for (size_t i = 0; i < count; i++)
        if (keel_is_same(list[i], e)) return true;
    return false;
}

// The children and sources that go with a target come to the list, children first, then those of
// the relation that is known last.
static size_t append_sources(const model_world *world, keel_entity target, keel_entity *list,
                             size_t count) {
    const model_slot *slot = living(world, target);
    const bool takes = slot && world->on_parent_delete == KEEL_DELETE_SOURCES;
    for (size_t i = 0; takes && i < slot->child_count; i++)
        if (!is_in(list, count, slot->children[i])) list[count++] = slot->children[i];
    for (size_t r = world->relation_count; r-- > 0;) {
        const model_relation *relation = &world->relations[r];
        if (relation->on_delete != KEEL_DELETE_SOURCES) continue;
        for (size_t i = 0; i < relation->edge_count; i++)
            if (keel_is_same(relation->edges[i].target, target) &&
                !is_in(list, count, relation->edges[i].source))
                list[count++] = relation->edges[i].source;
    }
    return count;
}

static void forget_names(model_world *world, const keel_entity *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        living(world, list[i])->name = NULL;
}

static bool is_refused(const model_world *world, const keel_entity *list, size_t count) {
    for (size_t k = 0; k < count && world->on_parent_delete == KEEL_REFUSE; k++) {
        const model_slot *slot = living(world, list[k]);
        for (size_t i = 0; i < slot->child_count; i++)
            if (!is_in(list, count, slot->children[i])) return true;
    }
    for (size_t r = 0; r < world->relation_count; r++) {
        const model_relation *relation = &world->relations[r];
        for (size_t i = 0; i < relation->edge_count && relation->on_delete == KEEL_REFUSE; i++)
            if (is_in(list, count, relation->edges[i].target) &&
                !is_in(list, count, relation->edges[i].source))
                return true;
    }
    return false;
}

// Delete whom the entities take along, the last found first. They are alive and all different.
static keel_result delete_sources(model_world *world, const keel_entity *entities, size_t count) {
    bool has_rules = world->on_parent_delete != KEEL_UNRELATE;
    for (size_t r = 0; r < world->relation_count; r++)
        has_rules |= world->relations[r].on_delete != KEEL_UNRELATE;
    if (!has_rules) return KEEL_OK;
    size_t found = count;
    keel_entity *list = model_resize(NULL, model_entity_count(world) + 1, sizeof *list);
    memcpy(list, entities, count * sizeof *list);
    for (size_t i = 0; i < found; i++)
        found = append_sources(world, list[i], list, found);
    const bool refused = is_refused(world, list, found);
    forget_names(world, list, refused ? 0 : found);
    while (!refused && found > count)
        model_delete_entity_unchecked(world, list[--found]);
    free(list);
    return refused ? KEEL_ERROR_RELATED : KEEL_OK;
}

// Values

static size_t kind_size(const model_world *world, uint32_t kind) {
    assert(kind < world->kind_count && "make the kind known with model_add_kind first");
    return world->kinds[kind].size;
}

static keel_result take_value(anymap *values, uint32_t kind, size_t size, void *out) {
    const void *value = anymap_get(values, kind);
    if (value == NULL) return KEEL_ABSENT;
    if (out != NULL && size > 0) memcpy(out, value, size);
    anymap_remove(values, kind);
    return KEEL_OK;
}

// World

void model_deinit(model_world *world) {
    assert(world != NULL);
    for (size_t i = 0; i < world->slot_count; i++) {
        anymap_deinit(&world->slots[i].components);
        free(world->slots[i].children);
    }
    for (size_t i = 0; i < world->relation_count; i++)
        free(world->relations[i].edges);
    free(world->relations);
    anymap_deinit(&world->uniques);
    free(world->slots);
    free(world->free_list);
    free(world->kinds);
    *world = (model_world){ 0 };
}

uint32_t model_add_kind(model_world *world, size_t size) {
    assert(world != NULL);
    const size_t count = (size_t)world->kind_count + 1;
    world->kinds = model_resize(world->kinds, count, sizeof *world->kinds);
    world->kinds[world->kind_count] = (model_kind){ .size = size };
    return world->kind_count++;
}

// Entities

keel_entity model_add_entity(model_world *world) {
    assert(world != NULL);
    if (world->free_count > 0) {
        model_slot *slot = slot_of(world, world->free_list[--world->free_count]);
        slot->is_alive = true;
        return slot->handle;
    }
    const uint32_t index = lowest_unused_index(world);
    if (index > KEEL_MAX_ENTITY_INDEX) return keel_null();
    insert_slot(world, keel_entity_make(index, world->first_version));
    return keel_entity_make(index, world->first_version);
}

keel_result model_add_entity_at(model_world *world, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (keel_is_null(keel_entity_make(index, keel_entity_version(e))))
        return KEEL_ERROR_DEAD_ENTITY;
    model_slot *slot = slot_of(world, index);
    if (slot == NULL) {
        insert_slot(world, e);
        return KEEL_OK;
    }
    if (slot->is_alive) return KEEL_ERROR_OCCUPIED;
    if (slot->is_retired) return KEEL_ERROR_FULL;
    remove_free(world, index);
    slot->handle = e;
    slot->is_alive = true;
    return KEEL_OK;
}

keel_result model_delete_entity_unchecked(model_world *world, keel_entity e) {
    model_slot *slot = living(world, e);
    if (slot == NULL) return KEEL_ABSENT;
    leave_relations(world, e);
    slot->name = NULL;
    unlink_slot(world, slot);
    anymap_deinit(&slot->components);
    release_index(world, slot);
    return KEEL_OK;
}

keel_result model_delete_entity(model_world *world, keel_entity e) {
    return model_delete_entities(world, &e, 1);
}

keel_result model_delete_entities(model_world *world, const keel_entity *entities, size_t count) {
    keel_entity *list = model_resize(NULL, count + 1, sizeof *list);
    size_t living_count = 0;
    for (size_t i = 0; i < count; i++)
        if (living(world, entities[i]) && !is_in(list, living_count, entities[i]))
            list[living_count++] = entities[i];
    keel_result result = living_count > 0 ? delete_sources(world, list, living_count) : KEEL_ABSENT;
    forget_names(world, list, result == KEEL_OK ? living_count : 0);
    for (size_t i = 0; i < living_count && result == KEEL_OK; i++)
        model_delete_entity_unchecked(world, list[i]);
    free(list);
    return result;
}

keel_result model_delete_with(model_world *world, uint32_t kind) {
    keel_entity *list = model_resize(NULL, world->slot_count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = world->slot_count; i-- > 0;)
        if (model_has(world, world->slots[i].handle, kind)) list[count++] = world->slots[i].handle;
    const keel_result result = model_delete_entities(world, list, count);
    free(list);
    return result;
}

void model_clear_entities(model_world *world) {
    assert(world != NULL);
    for (size_t i = 0; i < world->slot_count; i++)
        model_delete_entity_unchecked(world, world->slots[i].handle);
    world->free_count = 0;
    for (size_t i = world->slot_count; i-- > 0;)
        if (!world->slots[i].is_retired) push_free(world, slot_index(&world->slots[i]));
}

bool model_is_alive(const model_world *world, keel_entity e) { return living(world, e) != NULL; }

size_t model_entity_count(const model_world *world) {
    assert(world != NULL);
    size_t count = 0;
    for (size_t i = 0; i < world->slot_count; i++)
        count += world->slots[i].is_alive;
    return count;
}

static bool has_any(const model_world *world, keel_entity e, const uint32_t *kinds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (model_has(world, e, kinds[i])) return true;
    return false;
}

static bool has_all(const model_world *world, keel_entity e, const uint32_t *kinds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!model_has(world, e, kinds[i])) return false;
    return true;
}

static bool is_match(const model_world *world, keel_entity e, const model_query *query) {
    return has_all(world, e, query->with, query->with_count) &&
           !has_any(world, e, query->without, query->without_count);
}

size_t model_list(const model_world *world, const model_query *query, keel_entity *out) {
    assert(world != NULL);
    size_t count = 0;
    for (size_t i = 0; i < world->slot_count; i++) {
        const model_slot *slot = &world->slots[i];
        if (slot->is_alive && (query == NULL || is_match(world, slot->handle, query)))
            out[count++] = slot->handle;
    }
    return count;
}

// Components

static bool requires(const model_world *world, uint32_t kind, uint32_t required) {
    return kind < 32 && required < 32 && world->kinds[kind].required >> required & 1;
}

keel_result model_add(model_world *world, keel_entity e, uint32_t kind, const void *value) {
    const size_t size = kind_size(world, kind);
    model_slot *slot = living(world, e);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    anymap_insert(&slot->components, kind, value ? value : world->kinds[kind].initial, size);
    for (uint32_t r = 0; r < world->kind_count; r++)
        if (requires(world, kind, r) && !model_has(world, e, r)) model_add(world, e, r, NULL);
    return KEEL_OK;
}

keel_result model_remove(model_world *world, keel_entity e, uint32_t kind, void *out) {
    const size_t size = kind_size(world, kind);
    model_slot *slot = living(world, e);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    return take_value(&slot->components, kind, size, out);
}

keel_result model_delete(model_world *world, keel_entity e, uint32_t kind) {
    return model_remove(world, e, kind, NULL);
}

keel_result model_strip(model_world *world, keel_entity e) {
    model_slot *slot = living(world, e);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    const bool was_related = leave_relations(world, e);
    if (slot->components.count == 0 && slot->name == NULL && !has_links(slot) && !was_related)
        return KEEL_ABSENT;
    slot->name = NULL;
    unlink_slot(world, slot);
    anymap_deinit(&slot->components);
    return KEEL_OK;
}

keel_result model_clear(model_world *world, uint32_t kind) {
    keel_result result = KEEL_ABSENT;
    for (size_t i = 0; i < world->slot_count; i++)
        if (model_delete(world, world->slots[i].handle, kind) == KEEL_OK) result = KEEL_OK;
    return result;
}

bool model_has(const model_world *world, keel_entity e, uint32_t kind) {
    return model_get(world, e, kind) != NULL;
}

const void *model_get(const model_world *world, keel_entity e, uint32_t kind) {
    assert(kind < world->kind_count);
    const model_slot *slot = living(world, e);
    return slot == NULL ? NULL : anymap_get(&slot->components, kind);
}

void *model_get_mut(model_world *world, keel_entity e, uint32_t kind) {
    assert(kind < world->kind_count);
    model_slot *slot = living(world, e);
    return slot == NULL ? NULL : anymap_get_mut(&slot->components, kind);
}

size_t model_component_count(const model_world *world, uint32_t kind) {
    size_t count = 0;
    for (size_t i = 0; i < world->slot_count; i++)
        count += model_has(world, world->slots[i].handle, kind);
    return count;
}

// Components that require others

void model_require(model_world *world, uint32_t kind, uint32_t required) {
    assert(kind < world->kind_count && kind < 32 && required < world->kind_count && required < 32);
    world->kinds[kind].required |= 1u << required;
}

void model_set_initial(model_world *world, uint32_t kind, const void *value) {
    assert(kind < world->kind_count);
    world->kinds[kind].initial = value;
}

uint32_t model_required_of(const model_world *world, uint32_t kind) {
    uint32_t all = 0;
    for (uint32_t r = 0; r < world->kind_count; r++)
        if (requires(world, kind, r)) all |= 1u << r | model_required_of(world, r);
    return all;
}

keel_result model_may_take(const model_world *world, keel_entity e, uint32_t taken) {
    for (uint32_t kind = 0; kind < world->kind_count && kind < 32; kind++)
        if (!(taken >> kind & 1) && model_has(world, e, kind) &&
            model_required_of(world, kind) & taken)
            return KEEL_ERROR_REQUIRED;
    return KEEL_OK;
}

keel_result model_may_clear(const model_world *world, uint32_t kind) {
    keel_result result = KEEL_OK;
    for (size_t i = 0; i < world->slot_count && result == KEEL_OK; i++)
        result = model_may_take(world, world->slots[i].handle, 1u << kind);
    return result;
}

// Uniques

void model_set_unique(model_world *world, uint32_t kind, const void *value) {
    anymap_insert(&world->uniques, kind, value, kind_size(world, kind));
}

keel_result model_remove_unique(model_world *world, uint32_t kind, void *out) {
    return take_value(&world->uniques, kind, kind_size(world, kind), out);
}

const void *model_get_unique(const model_world *world, uint32_t kind) {
    assert(kind < world->kind_count);
    return anymap_get(&world->uniques, kind);
}

void *model_get_unique_mut(model_world *world, uint32_t kind) {
    assert(kind < world->kind_count);
    return anymap_get_mut(&world->uniques, kind);
}

// Hierarchy

keel_result model_attach(model_world *world, keel_entity child, keel_entity parent) {
    model_slot *child_slot = living(world, child);
    model_slot *parent_slot = living(world, parent);
    if (child_slot == NULL || parent_slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    if (is_at_or_below(world, parent, child)) return KEEL_ERROR_CYCLE;
    if (is_taken(world, child_slot, parent)) return KEEL_ERROR_OCCUPIED;
    leave_parent(world, child_slot);
    append_child(parent_slot, child_slot);
    return KEEL_OK;
}

keel_result model_detach(model_world *world, keel_entity child) {
    model_slot *slot = living(world, child);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    if (keel_is_null(slot->parent)) return KEEL_ABSENT;
    if (is_taken(world, slot, keel_null())) return KEEL_ERROR_OCCUPIED;
    leave_parent(world, slot);
    return KEEL_OK;
}

keel_result model_unlink(model_world *world, keel_entity e) {
    model_slot *slot = living(world, e);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    if (!has_links(slot)) return KEEL_ABSENT;
    if (is_taken(world, slot, keel_null())) return KEEL_ERROR_OCCUPIED;
    unlink_slot(world, slot);
    return KEEL_OK;
}

// The descendants in pre-order, in an array of its own, which the caller frees.
static keel_entity *descendants_of(const model_world *world, keel_entity root, size_t *count) {
    keel_entity *entities = model_resize(NULL, model_entity_count(world), sizeof *entities);
    *count = model_list_descendants(world, root, entities);
    return entities;
}

keel_result model_unlink_tree(model_world *world, keel_entity root) {
    size_t count = 0;
    keel_entity *below = descendants_of(world, root, &count);
    model_slot *slot = living(world, root);
    keel_result result = KEEL_OK;
    if (slot == NULL) result = KEEL_ERROR_DEAD_ENTITY;
    else if (!has_links(slot)) result = KEEL_ABSENT;
    else if (is_taken(world, slot, keel_null())) result = KEEL_ERROR_OCCUPIED;
    if (result == KEEL_OK) leave_parent(world, slot);
    while (result == KEEL_OK && count > 0) {
        model_slot *last = living(world, below[--count]);
        leave_parent(world, last);
        become_root(world, last);
    }
    free(below);
    return result;
}

keel_result model_delete_tree(model_world *world, keel_entity root) {
    if (living(world, root) == NULL) return KEEL_ABSENT;
    keel_entity *all = model_resize(NULL, model_entity_count(world) + 1, sizeof *all);
    all[0] = root;
    size_t count = 1 + model_list_descendants(world, root, &all[1]);
    const keel_result result = delete_sources(world, all, count);
    forget_names(world, all, result == KEEL_OK ? count : 0);
    while (result == KEEL_OK && count > 0)
        model_delete_entity_unchecked(world, all[--count]);
    free(all);
    return result;
}

keel_result model_sort_children(model_world *world, keel_entity parent, model_compare *compare,
                                void *data) {
    assert(compare != NULL);
    model_slot *slot = living(world, parent);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    if (slot->child_count < 2) return KEEL_ABSENT;
    keel_entity *children = slot->children;
    for (size_t sorted = 1; sorted < slot->child_count; sorted++) {
        const keel_entity moved = children[sorted];
        size_t place = sorted;
        for (; place > 0 && compare(world, children[place - 1], moved, data) > 0; place--)
            children[place] = children[place - 1];
        children[place] = moved;
    }
    return KEEL_OK;
}

keel_entity model_parent_of(const model_world *world, keel_entity e) {
    const model_slot *slot = living(world, e);
    return slot == NULL ? keel_null() : slot->parent;
}

size_t model_child_count(const model_world *world, keel_entity e) {
    const model_slot *slot = living(world, e);
    return slot == NULL ? 0 : slot->child_count;
}

keel_entity model_child(const model_world *world, keel_entity parent, size_t place) {
    const model_slot *slot = living(world, parent);
    assert(slot != NULL && place < slot->child_count);
    return slot->children[place];
}

// Insert the children of `e` into the list before `place`.
static size_t insert_children(const model_world *world, keel_entity e, keel_entity *list,
                              size_t count, size_t place) {
    const size_t child_count = model_child_count(world, e);
    if (child_count == 0) return count;
    memmove(&list[place + child_count], &list[place], (count - place) * sizeof *list);
    for (size_t i = 0; i < child_count; i++)
        list[place + i] = model_child(world, e, i);
    return count + child_count;
}

size_t model_list_descendants(const model_world *world, keel_entity root, keel_entity *out) {
    size_t count = insert_children(world, root, out, 0, 0);
    for (size_t i = 0; i < count; i++)
        count = insert_children(world, out[i], out, count, i + 1);
    return count;
}

size_t model_list_descendants_breadth(const model_world *world, keel_entity root,
                                      keel_entity *out) {
    size_t count = insert_children(world, root, out, 0, 0);
    for (size_t i = 0; i < count; i++)
        count = insert_children(world, out[i], out, count, count);
    return count;
}

// Names

keel_result model_set_name(model_world *world, keel_entity e, const char *name) {
    model_slot *slot = living(world, e);
    if (slot == NULL) return KEEL_ERROR_DEAD_ENTITY;
    if (name == NULL || name[0] == 0) {
        const keel_result result = slot->name != NULL ? KEEL_OK : KEEL_ABSENT;
        slot->name = NULL;
        return result;
    }
    if (strchr(name, '/') != NULL) return KEEL_ERROR_ARGUMENT;
    if (named(world, slot->parent, name, strlen(name), slot) != NULL) return KEEL_ERROR_OCCUPIED;
    slot->name = name;
    return KEEL_OK;
}

const char *model_name_of(const model_world *world, keel_entity e) {
    const model_slot *slot = living(world, e);
    return slot == NULL ? NULL : slot->name;
}

keel_entity model_find(const model_world *world, keel_entity parent, const char *path) {
    for (;; path++) {
        const size_t length = strcspn(path, "/");
        const model_slot *slot = named(world, parent, path, length, NULL);
        if (slot == NULL) return keel_null();
        parent = slot->handle;
        path += length;
        if (*path == 0) return parent;
    }
}

// Relations

uint32_t model_add_relation(model_world *world, model_relation options) {
    const size_t count = world->relation_count + 1;
    world->relations = model_resize(world->relations, count, sizeof *world->relations);
    world->relations[world->relation_count] = options;
    return (uint32_t)world->relation_count++;
}

static model_edge *edge_of(const model_world *world, uint32_t relation, keel_entity source,
                           keel_entity target) {
    const model_relation *r = &world->relations[relation];
    for (size_t i = 0; i < r->edge_count; i++)
        if (keel_is_same(r->edges[i].source, source) &&
            (keel_is_null(target) || keel_is_same(r->edges[i].target, target)))
            return &r->edges[i];
    return NULL;
}

static bool leads_to(const model_world *world, uint32_t relation, keel_entity from,
                     keel_entity to) {
    const model_edge *edge = NULL;
    while (!keel_is_same(from, to) && (edge = edge_of(world, relation, from, keel_null())) != NULL)
        from = edge->target;
    return keel_is_same(from, to);
}

keel_result model_relate(model_world *world, uint32_t relation, keel_entity source,
                         keel_entity target, const uint32_t *value) {
    model_relation *r = &world->relations[relation];
    if (living(world, source) == NULL || living(world, target) == NULL)
        return KEEL_ERROR_DEAD_ENTITY;
    if (edge_of(world, relation, source, target) != NULL) {
        if (value != NULL) model_write_edge(world, relation, source, target, *value);
        return KEEL_OK;
    }
    if (r->acyclic && leads_to(world, relation, target, source)) return KEEL_ERROR_CYCLE;
    const bool keeps = r->exclusive && !r->symmetric; // the value is the source's
    const model_edge *old = keeps ? edge_of(world, relation, source, keel_null()) : NULL;
    const uint32_t is = value != NULL ? *value : old ? old->value : 0;
    if (r->exclusive) take_edges(r, source, keel_null());
    if (r->exclusive && r->symmetric) take_edges(r, target, keel_null());
    r->edges = model_resize(r->edges, r->edge_count + 2, sizeof *r->edges);
    r->edges[r->edge_count++] = (model_edge){ source, target, is };
    if (r->symmetric && !keel_is_same(source, target))
        r->edges[r->edge_count++] = (model_edge){ target, source, is };
    return KEEL_OK;
}

void model_write_edge(model_world *world, uint32_t relation, keel_entity source, keel_entity target,
                      uint32_t value) {
    const bool symmetric = world->relations[relation].symmetric;
    edge_of(world, relation, source, target)->value = value;
    if (symmetric) edge_of(world, relation, target, source)->value = value;
}

keel_result model_unrelate(model_world *world, uint32_t relation, keel_entity source,
                           keel_entity target) {
    if (living(world, source) == NULL || living(world, target) == NULL)
        return KEEL_ERROR_DEAD_ENTITY;
    return take_edges(&world->relations[relation], source, target) ? KEEL_OK : KEEL_ABSENT;
}

keel_result model_unrelate_all(model_world *world, uint32_t relation, keel_entity source) {
    if (living(world, source) == NULL) return KEEL_ERROR_DEAD_ENTITY;
    return take_edges(&world->relations[relation], source, keel_null()) ? KEEL_OK : KEEL_ABSENT;
}

keel_result model_unrelate_sources(model_world *world, uint32_t relation, keel_entity target) {
    if (living(world, target) == NULL) return KEEL_ERROR_DEAD_ENTITY;
    return take_edges(&world->relations[relation], keel_null(), target) ? KEEL_OK : KEEL_ABSENT;
}

const model_edge *model_find_edge(const model_world *world, uint32_t relation, keel_entity source,
                                  keel_entity target) {
    return keel_is_null(target) ? NULL : edge_of(world, relation, source, target);
}

bool model_is_related(const model_world *world, keel_entity e) {
    for (size_t r = 0; r < world->relation_count; r++)
        for (size_t i = 0; i < world->relations[r].edge_count; i++) {
            const model_edge *edge = &world->relations[r].edges[i];
            if (keel_is_same(edge->source, e) || keel_is_same(edge->target, e)) return true;
        }
    return false;
}

// Validation

static size_t times_free(const model_world *world, uint32_t index) {
    size_t times = 0;
    for (size_t i = 0; i < world->free_count; i++)
        times += world->free_list[i] == index;
    return times;
}

static size_t times_child(const model_slot *parent, keel_entity child) {
    size_t times = 0;
    for (size_t i = 0; i < parent->child_count; i++)
        times += keel_is_same(parent->children[i], child);
    return times;
}

static bool children_are_valid(const model_world *world, const model_slot *slot) {
    for (size_t i = 0; i < slot->child_count; i++)
        if (!keel_is_same(model_parent_of(world, slot->children[i]), slot->handle)) return false;
    return true;
}

// Its parent lists it once, and the way up ends.
static bool parent_is_valid(const model_world *world, const model_slot *slot) {
    if (keel_is_null(slot->parent)) return true;
    const model_slot *parent = living(world, slot->parent);
    if (parent == NULL || times_child(parent, slot->handle) != 1) return false;
    keel_entity e = slot->parent;
    for (size_t steps = 0; steps < world->slot_count && !keel_is_null(e); steps++)
        e = model_parent_of(world, e);
    return keel_is_null(e);
}

static bool values_are_valid(const model_world *world, const anymap *values) {
    for (size_t i = 0; i < values->count; i++) {
        const anymap_entry *entry = &values->entries[i];
        if (entry->type >= world->kind_count || entry->size != world->kinds[entry->type].size)
            return false;
    }
    return true;
}

static bool slot_is_valid(const model_world *world, const model_slot *slot) {
    const bool is_free = !slot->is_alive && !slot->is_retired;
    if (times_free(world, slot_index(slot)) != (is_free ? 1u : 0u) || keel_is_null(slot->handle))
        return false;
    if (!slot->is_alive)
        return slot->components.count == 0 && slot->name == NULL && !has_links(slot);
    return !is_taken(world, slot, slot->parent) && !slot->is_retired &&
           values_are_valid(world, &slot->components) && children_are_valid(world, slot) &&
           parent_is_valid(world, slot);
}

static bool edges_are_valid(const model_world *world, const model_relation *r) {
    for (size_t i = 0; i < r->edge_count; i++) {
        const model_edge *edge = &r->edges[i];
        if (!living(world, edge->source) || !living(world, edge->target)) return false;
        for (size_t j = 0; j < i; j++)
            if (keel_is_same(r->edges[j].source, edge->source) &&
                (r->exclusive || keel_is_same(r->edges[j].target, edge->target)))
                return false;
        bool is_back = !r->symmetric;
        for (size_t j = 0; j < r->edge_count && !is_back; j++)
            is_back = keel_is_same(r->edges[j].source, edge->target) &&
                      keel_is_same(r->edges[j].target, edge->source) &&
                      r->edges[j].value == edge->value;
        if (!is_back) return false;
    }
    return true;
}

bool model_is_valid(const model_world *world) {
    size_t free_count = 0;
    for (size_t r = 0; r < world->relation_count; r++)
        if (!edges_are_valid(world, &world->relations[r])) return false;
    for (size_t i = 0; i < world->slot_count; i++) {
        const model_slot *slot = &world->slots[i];
        if (i > 0 && slot_index(slot - 1) >= slot_index(slot)) return false;
        if (!slot_is_valid(world, slot)) return false;
        free_count += !slot->is_alive && !slot->is_retired;
    }
    return free_count == world->free_count && values_are_valid(world, &world->uniques);
}
