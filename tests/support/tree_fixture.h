// SPDX-License-Identifier: MIT
// Assertions for tests of the hierarchy: on the links of an entity, and on the order of walks. They
// read public components and functions only. Tests in tests/api include it.
#pragma once
#include "support/api_fixture.h"

// A list of entities as two arguments: the array and its length.
#define LIST(...)                                                                                  \
    (const keel_entity[]){ __VA_ARGS__ },                                                          \
        (uint32_t)(sizeof((const keel_entity[]){ __VA_ARGS__ }) / sizeof(keel_entity))
#define NO_LIST NULL, 0

// Assert the values of the two components of the hierarchy.
void assert_parent_link(keel_world *world, keel_entity e, uint32_t count, keel_entity first);
void assert_child_link(keel_world *world, keel_entity e, keel_entity parent, keel_entity prev,
                       keel_entity next);
void assert_no_parent_link(keel_world *world, keel_entity e); // it has no children
void assert_no_child_link(keel_world *world, keel_entity e);  // no keel_child: has no parent
void assert_unlinked(keel_world *world, keel_entity e);       // neither

// Assert that a walk visits exactly these entities in this order.
void assert_children(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count);
void assert_ancestors(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count);
void assert_descendants(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count);
void assert_breadth(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count);
