// SPDX-License-Identifier: MIT
// One edit of an entity in a storm. edit.c chooses edits, edit_values.c, edit_edges.c and
// edit_trees.c make them.
#pragma once
#include "storm.h"

typedef struct edit_act {
    const storm_scene *scene;
    keel_world *w;
    const storm_actor *actor;
    keel_entity e;
    uint64_t z; // the random number of this edit
} edit_act;
typedef void edit_fn(const edit_act *a);

// Returns an entity that this one knows, or null.
keel_entity edit_known(const edit_act *a, uint64_t z);
// Returns another entity of its group, or null.
keel_entity edit_mate(const edit_act *a, uint64_t z);

edit_fn edit_values, edit_adding, edit_disabling, edit_required, edit_scratch, edit_hooks;
edit_fn edit_knowing, edit_edges, edit_valued, edit_cascades, edit_bonds;
edit_fn edit_births, edit_names, edit_trees, edit_places, edit_parts, edit_prefabs, edit_bolts;
edit_fn edit_letters, edit_letter;
// Changes the bonds of an entity, as the other end does.
void edit_keep_bonds(const edit_act *a);
