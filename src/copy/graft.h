// SPDX-License-Identifier: MIT
// A graft copies some entities of one world, its nodes, to another one, with their values, parents,
// names and relations. A handle or relation that leads from a node to another node leads from copy
// to copy. All copies of one node are made in one batch. Merges and prefabs are grafts.
#pragma once
#include "edit/edit.h"

// Tells what a copy has in place of a handle that is not the handle of a node.
typedef enum keeli_outside {
    KEELI_OUTSIDE_STAYS,  // the same handle
    KEELI_OUTSIDE_NULL,   // the null handle
    KEELI_OUTSIDE_REFUSED // nothing: the graft fails with KEEL_ERROR_DEAD_ENTITY
} keeli_outside;

// Up to this number of nodes, a node is searched in the list; `places` is not made.
enum { KEELI_GRAFT_FEW = KEELI_SIZE(16, 1) };

// The nodes and values of a template, collected once and kept until the templates are edited
// (recipe.c). It lists the storages of values, not their addresses: values may be written, and may
// move, without an edit.
typedef struct keeli_recipe {
    keel_entity root;
    int32_t edits;       // `template_edits` of the templates' world when the recipe was made
    uint64_t link_edits; // counter of edits of its hierarchy at that time
    uint32_t count;      // number of nodes
    size_t bytes;        // size of the recipe and its arrays, one allocation
    bool points;         // a value has described fields with handles
    bool is_more;        // a node has relations or disabled values
    const keeli_storage **values; // storages of the values of the first node, the second, ...
    keel_entity *nodes;           // the root first, parents before their children
    uint32_t *above;              // position in `nodes` of each node's parent; UINT32_MAX: none
    uint32_t *first;              // position in `values` of each node's first value; then the end
} keeli_recipe;

// Returns the recipe of a template of the world `to`, made anew if templates were edited. NULL when
// out of memory.
const keeli_recipe *keeli_recipe_of(const keel_world *to, keel_entity root);
// Returns the number of entities of a template: the root and all below it.
uint32_t keeli_recipe_count(const keel_world *templates, keel_entity root);
void keeli_recipes_deinit(keel_world *templates);

typedef struct keeli_graft {
    keel_world *to;
    const keel_world *from;     // the world of the nodes; may be `to`
    const keel_entity *nodes;   // alive; parents before their children, siblings in their order
    uint32_t count, copies;     // number of nodes, and of copies of each node
    const keeli_recipe *recipe; // recipe of the template whose nodes are copied; or NULL
    keel_entity *made;          // out: all copies of the first node, then of the second, ...
    bool is_onto;               // the one copy of the first node is alive before the graft
    bool is_held;               // the handles in `made` were promised to a command
    keeli_entity_index before;  // index of `to` before handles were reserved; unused if `is_held`
    keel_entity root;           // parent of copies whose node's parent is no node; null: none
    const keel_value_column
        *over;           // values of the first node's copies, in place of its own; or NULL
    keeli_storage *link; // a component in which each copy gets the handle of its node; or NULL
    const keeli_storage *left_out; // a component of `from` that is not copied; or NULL
    keeli_outside outside;
    bool leaves_root_names;        // a copy whose node's parent is no node gets no name
    bool has_transient;            // transient components are copied, too
    const char *doing;             // the edit in messages: "merging worlds"
    uint32_t *places, place_count; // by index in `from`: position in `nodes` + 1. NULL: few nodes
    // Observers are notified of values once all copies have their parents, names and targets. Until
    // then this lists, for each node, the components that its copies got, then NULL.
    KEELI_ARRAY(keeli_storage *) unheard;
} keeli_graft;

// The component of a spawned entity, whose value is the handle of its template.
extern const keel_component keeli_instance;
// Returns the storage of that component; NULL if the world does not know it.
const keeli_storage *keeli_instances_of(const keel_world *world);

// Makes all copies: reserves their handles, adds their values, then their parents, names and
// relations. On error deletes what was made, of which observers are notified, too; promised handles
// stay promised.
keel_result keeli_graft_grow(keeli_graft *g, const keeli_holder *holder);
// The same if the copy of the first node is alive already: adds the components that it lacks and
// the link to its node, and makes the copies of the other nodes.
keel_result keeli_graft_onto(keeli_graft *g, const keeli_holder *holder);
// Copies a template of one entity without handles and relations, as fast as keel_add_entity. `*out`
// is null on error. False, with nothing changed, if that needs a graft. `over`: values in place of
// the template's; or NULL.
bool keeli_graft_alone(keel_world *to, const keeli_recipe *r, const keeli_storage *link,
                       const keel_value *over, keel_entity *out);
// Deletes all copies of a graft that succeeded.
void keeli_graft_undo(keeli_graft *g);
// Frees the memory of a graft, after success or error.
void keeli_graft_end(keeli_graft *g);
// Returns the copy, with the number `copy`, of an entity of `from`; null for the null handle. For
// an entity that is no node `outside` decides; if that is refused, sets `*refused`.
keel_entity keeli_graft_copy_of(const keeli_graft *g, keel_entity e, uint32_t copy, bool *refused);
// Copies a value to the uninitialized memory `to`; its handles of nodes become handles of copies.
// Returns KEEL_OK, or KEEL_ERROR_COPY or KEEL_ERROR_DEAD_ENTITY, after which `to` has no value.
keel_result keeli_graft_value(const keeli_graft *g, const keeli_storage *s, void *to,
                              const void *from, uint32_t copy);
