// SPDX-License-Identifier: MIT
// The crude ECS: a list of slots, and an AnyMap of components for each. An entity is the number of
// its slot, without a version: an old id means the new entity once the slot is used again.
// There are no systems; what the components do is up to the caller.
#pragma once
#include "anymap.h"

/// Room for the longest error text.
#define CRUDE_ECS_ERROR_SIZE 64

/// One slot: an entity, or free.
typedef struct crude_ecs_slot {
    bool is_registered; ///< false: free
    anymap components;  ///< empty while the slot is free
} crude_ecs_slot;

/// The database of entities and components. Zero is an empty one.
typedef struct crude_ecs {
    crude_ecs_slot *slots;            ///< the slot of an entity is its id
    size_t slot_count;                ///< number of `slots`; higher ids were never registered
    char error[CRUDE_ECS_ERROR_SIZE]; ///< text of the last error
} crude_ecs;

/// Free everything. The ECS is empty afterwards and may be used again.
void crude_ecs_deinit(crude_ecs *ecs);

/// Make an entity without components, in the lowest free slot.
/// @return its id
size_t crude_ecs_register(crude_ecs *ecs);

/// Free the slot and drop all components. Does nothing when there is no such entity.
void crude_ecs_unregister(crude_ecs *ecs, size_t id);

/// True from register to unregister.
bool crude_ecs_is_registered(const crude_ecs *ecs, size_t id);

/// Give the entity a component, in place of an old one of the same type.
/// @param value `size` bytes, copied; NULL: zeros
/// @return NULL when done; without such an entity the text "No entity with id 7 found.",
///   valid until the next error
const char *crude_ecs_attach(crude_ecs *ecs, size_t id, uint32_t type, const void *value,
                             size_t size);

/// Drop the entity's component of this type, if it has one.
/// @return as crude_ecs_attach
const char *crude_ecs_detach(crude_ecs *ecs, size_t id, uint32_t type);

/// The entity's component; NULL when it has none and when there is no such entity.
const void *crude_ecs_get(const crude_ecs *ecs, size_t id, uint32_t type);

/// The entity's component to change in place, or NULL as for crude_ecs_get.
void *crude_ecs_get_mut(crude_ecs *ecs, size_t id, uint32_t type);
