// SPDX-License-Identifier: MIT
// The crude ECS, see crude_ecs.h. Invariant: a free slot has no components.
#include "crude_ecs.h"

#include "resize.h"

#include <assert.h>
#include <stdio.h>

static crude_ecs_slot *slot_of(const crude_ecs *ecs, size_t id) {
    assert(ecs != NULL);
    if (id < ecs->slot_count && ecs->slots[id].is_registered) return &ecs->slots[id];
    return NULL;
}

static const char *no_entity(crude_ecs *ecs, size_t id) {
    snprintf(ecs->error, sizeof ecs->error, "No entity with id %zu found.", id);
    return ecs->error;
}

static size_t lowest_free_slot(const crude_ecs *ecs) {
    size_t id = 0;
    while (id < ecs->slot_count && ecs->slots[id].is_registered)
        id++;
    return id;
}

void crude_ecs_deinit(crude_ecs *ecs) {
    assert(ecs != NULL);
    for (size_t id = 0; id < ecs->slot_count; id++)
        crude_ecs_unregister(ecs, id);
    free(ecs->slots);
    *ecs = (crude_ecs){ 0 };
}

size_t crude_ecs_register(crude_ecs *ecs) {
    assert(ecs != NULL);
    const size_t id = lowest_free_slot(ecs);
    if (id == ecs->slot_count)
        ecs->slots = model_resize(ecs->slots, ++ecs->slot_count, sizeof *ecs->slots);
    ecs->slots[id] = (crude_ecs_slot){ .is_registered = true };
    return id;
}

void crude_ecs_unregister(crude_ecs *ecs, size_t id) {
    crude_ecs_slot *slot = slot_of(ecs, id);
    if (slot == NULL) return;
    anymap_deinit(&slot->components);
    slot->is_registered = false;
}

bool crude_ecs_is_registered(const crude_ecs *ecs, size_t id) { return slot_of(ecs, id) != NULL; }

const char *crude_ecs_attach(crude_ecs *ecs, size_t id, uint32_t type, const void *value,
                             size_t size) {
    crude_ecs_slot *slot = slot_of(ecs, id);
    if (slot == NULL) return no_entity(ecs, id);
    anymap_insert(&slot->components, type, value, size);
    return NULL;
}

const char *crude_ecs_detach(crude_ecs *ecs, size_t id, uint32_t type) {
    crude_ecs_slot *slot = slot_of(ecs, id);
    if (slot == NULL) return no_entity(ecs, id);
    anymap_remove(&slot->components, type);
    return NULL;
}

const void *crude_ecs_get(const crude_ecs *ecs, size_t id, uint32_t type) {
    const crude_ecs_slot *slot = slot_of(ecs, id);
    return slot == NULL ? NULL : anymap_get(&slot->components, type);
}

void *crude_ecs_get_mut(crude_ecs *ecs, size_t id, uint32_t type) {
    crude_ecs_slot *slot = slot_of(ecs, id);
    return slot == NULL ? NULL : anymap_get_mut(&slot->components, type);
}
