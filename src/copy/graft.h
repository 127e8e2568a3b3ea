// SPDX-License-Identifier: MIT
// A graft: copies of some entities of one world grow in another one, with their values, parents,
// names and relations. What points from one of them to another one points to its copy then. All
// copies of one entity are made in one batch.
#pragma once
#include "edit/edit.h"

// A field with a handle of somebody who is not among the nodes.
typedef enum keeli_outside {
    KEELI_OUTSIDE_STAYS, // as it is: the handle means something elsewhere
    KEELI_OUTSIDE_NULL,
    KEELI_OUTSIDE_REFUSED // KEEL_ERROR_DEAD_ENTITY
} keeli_outside;

enum { KEELI_GRAFT_FEW = KEELI_SIZE(16, 1) }; // nodes that are found one by one

// The nodes and values of a template, collected once and kept until the templates are edited
// (recipe.c). Values are looked up when the recipe is followed: they may be written, and move,
// without an edit.
typedef struct keeli_recipe {
    keel_entity root;
    int32_t edits;       // counter of the templates' world
    uint64_t link_edits; // and of their links, when it was made
    uint32_t count;
    size_t bytes;
    bool points;                  // some values have handles
    bool is_more;                 // there are relations, or values out of sight
    const keeli_storage **values; // the first node's, then the second's, ...
    keel_entity *nodes;           // the root first, parents before their children
    uint32_t *above;              // the place of the parent
    uint32_t *first;              // place of each node's first value in `values`, and the end
} keeli_recipe;

// NULL when out of memory. `to`: the world that has these templates.
const keeli_recipe *keeli_recipe_of(const keel_world *to, keel_entity root);
// With how many entities a template is spawned.
uint32_t keeli_recipe_count(const keel_world *templates, keel_entity root);
void keeli_recipes_deinit(keel_world *templates);

typedef struct keeli_graft {
    keel_world *to;
    const keel_world *from;     // another one, or the same
    const keel_entity *nodes;   // alive; parents before their children, siblings in their order
    uint32_t count, copies;     // nodes, and copies of each
    const keeli_recipe *recipe; // the template's, for its nodes; or NULL
    keel_entity *made;          // out: all copies of the first node, then of the second, ...
    bool is_onto;               // the one copy of the first node is alive
    bool is_held;               // they were promised
    keeli_entity_index before;  // when none was taken, unless they were promised
    keel_entity root;           // parent of those whose node has none among the nodes; null: none
    const keel_value_column
        *over;           // values of the first node's copies, in place of its own; or NULL
    keeli_storage *link; // a component in which each copy gets the handle of its node; or NULL
    const keeli_storage *left_out; // a component of `from` that is not copied; or NULL
    keeli_outside outside;
    bool leaves_root_names;        // whoever has no parent among the nodes gets no name
    bool has_transient;            // such components come, too
    const char *doing;             // the edit in messages: "merging worlds"
    uint32_t *places, place_count; // by index in `from`: place in `nodes` + 1. NULL: they are few
    // Observers hear of values when all copies have their parents, names and targets: here is what
    // of. For each node the components that its copies got, then NULL.
    KEELI_ARRAY(keeli_storage *) unheard;
} keeli_graft;

// The component that says what an entity is a copy of, by its handle among the templates, and its
// storage; NULL when nobody was spawned.
extern const keel_component keeli_instance;
const keeli_storage *keeli_instances_of(const keel_world *world);

// Handles come first, then values, then what they point to. On error what came goes again, of which
// observers hear, too; promised handles are promised still.
keel_result keeli_graft_grow(keeli_graft *g, const keeli_holder *holder);
// The same where the first node's copy lives: it gets what it lacks and the link.
keel_result keeli_graft_onto(keeli_graft *g, const keeli_holder *holder);
// A copy of one entity that points to nobody, as keel_add_entity makes it: null on error. False,
// with nothing done, when it takes more. `over`: in place of its own values, or NULL.
bool keeli_graft_alone(keel_world *to, const keeli_recipe *r, const keeli_storage *link,
                       const keel_value *over, keel_entity *out);
// All of it goes again; and the end of a graft, whatever became of it.
void keeli_graft_undo(keeli_graft *g);
void keeli_graft_end(keeli_graft *g);
// The copy of an entity of `from`: the handle itself where it is null, and what `outside` says for
// those that are no nodes. `refused`: set, where that is refused.
keel_entity keeli_graft_copy_of(const keeli_graft *g, keel_entity e, uint32_t copy, bool *refused);
// A copy of a value that points to copies; to be filled by it. KEEL_OK, KEEL_ERROR_COPY,
// KEEL_ERROR_DEAD_ENTITY: then there is no value.
keel_result keeli_graft_value(const keeli_graft *g, const keeli_storage *s, void *to,
                              const void *from, uint32_t copy);
