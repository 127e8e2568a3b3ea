// SPDX-License-Identifier: MIT
// Templates beside the model. They are a world of their own, so they have a model of their own, and
// any operation may be done to them. What is spawned is written out from that model entity by
// entity, as if somebody had made it by hand; so is a world that is merged.
#pragma once
#include "both.h"

// What a template is made of, as data: the root first, parents before their children.
enum { TREE = 96 };
typedef struct tree {
    keel_entity nodes[TREE];
    uint32_t count;  // 0: there is no such template
    uint32_t hidden; // how many values are out of sight
    bool can_copy;
} tree;

void templates_begin(both *b);
void templates_end(both *b);
// What keel_prefab_of says. How many components of the entity's own that takes.
uint32_t compare_origin(const both *b, keel_entity e, const void *models);

tree tree_of(const both *templates, keel_entity root);
// All of a world, in the order in which a merge makes copies.
tree tree_of_all(const both *from);
// In the model: the handles of all copies, all of the first node, then of the second, ...
void model_make_copies(both *b, const tree *of, uint32_t copies, keel_entity *made);
// And what they have. What is put on top of that comes after it, then model_copies_are_made.
void model_fill_copies(both *b, const tree *of, uint32_t copies, const keel_entity *made);
// In the model, in sight or not.
bool owns_kind(const both *b, keel_entity e, uint32_t k);
bool is_copy_of(const both *b, keel_entity e, keel_entity template);
// Would a value that is given in addition require what is out of sight in each copy?
bool lacks_required(const both *b, const tree *of, uint32_t given);
// keel_apply_prefab: with which errors it may be refused, a bit for each (1 << -KEEL_ERROR_COPY).
// What it does otherwise: how many have something new, the entity and its new parts;
// model_copies_are_made then. `made`: room for all of the tree.
uint32_t refusals_to_apply(const both *b, keel_entity e, const tree *of);
size_t model_apply(both *b, keel_entity e, const tree *of, keel_entity *made);
void model_copies_are_made(both *b, const keel_entity *made, size_t count);

// keel_merge_world of what tree_of_all gave: with which errors it may be refused, and what it does
// otherwise, with the copies of the nodes.
uint32_t refusals_to_merge(const both *b, const both *from, const tree *of,
                           const keel_merge_options *options);
void model_merge(both *b, const both *from, const tree *of, const keel_merge_options *options,
                 keel_entity *made);
