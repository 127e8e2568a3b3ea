// SPDX-License-Identifier: MIT
// Edits of what entities have: each by the entity itself, or by one that is on its rank for sure.
// The system goes through the entities in the order of ids, so that the order of edits of a tree is
// the same on any number of ranks.
#include "edit.h"

// ------------------------------------------------------------------ whom it may concern
keel_entity edit_known(const edit_act *a, uint64_t z) {
    const Knows *knows = keel_get(a->w, a->e, Knows);
    const keel_entity who = knows ? knows->who[z % KNOWN] : keel_null();
    return keel_is_alive(a->w, who) ? who : keel_null();
}

keel_entity edit_mate(const edit_act *a, uint64_t z) {
    const storm_actor *mates = a->scene->mates;
    uint32_t low = 0, high = a->scene->mate_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (mates[middle].group < a->actor->group) low = middle + 1;
        else high = middle;
    }
    uint32_t count = 0;
    while (low + count < a->scene->mate_count && mates[low + count].group == a->actor->group)
        ++count;
    const storm_actor *mate = &mates[low + z % count];
    return mate->id == a->actor->id ? keel_null() : mate->e;
}

// ------------------------------------------------------------------ all edits
static edit_fn *const edit_functions[STORM_KINDS] = {
    [STORM_VALUES] = edit_values,       [STORM_ADDING] = edit_adding,
    [STORM_DISABLING] = edit_disabling, [STORM_REQUIRED] = edit_required,
    [STORM_BIRTHS] = edit_births,       [STORM_NAMES] = edit_names,
    [STORM_TREES] = edit_trees,         [STORM_PLACES] = edit_places,
    [STORM_SCRATCH] = edit_scratch,     [STORM_KNOWING] = edit_knowing,
    [STORM_EDGES] = edit_edges,         [STORM_VALUED] = edit_valued,
    [STORM_HOOKS] = edit_hooks,         [STORM_PARTS] = edit_parts,
    [STORM_CASCADES] = edit_cascades,   [STORM_BONDS] = edit_bonds,
    [STORM_LETTERS] = edit_letters,     [STORM_PREFABS] = edit_prefabs,
    [STORM_BOLTS] = edit_bolts,
};

static void edit_one(const storm_scene *scene, const storm_actor *actor) {
    edit_act a = { scene, scene->w, actor, actor->e, 0 };
    if (keel_has(scene->w, actor->e, Mail)) {
        a.z = storm_chance(scene->plan->seed, actor->id, scene->step, 99);
        edit_letter(&a);
        return;
    }
    for (uint32_t k = 0; k < STORM_KINDS; ++k) {
        const uint64_t z = storm_chance(scene->plan->seed, actor->id, scene->step, 100 + k);
        if (!storm_has(scene->plan, (storm_kind)k) || !edit_functions[k] || z % 4) continue;
        a.z = z / 4;
        edit_functions[k](&a);
    }
}

KEEL_SYSTEM_ONCE(edit, KEEL_WORLD(w)) {
    storm_scene scene = storm_scene_begin(w);
    // before all edits: the owners of both ends change bonds as if at once
    for (uint32_t i = 0; i < scene.count && storm_has(scene.plan, STORM_BONDS); ++i)
        edit_keep_bonds(&(edit_act){ &scene, w, &scene.actors[i], scene.actors[i].e, 0 });
    for (uint32_t i = 0; i < scene.count; ++i)
        edit_one(&scene, &scene.actors[i]);
    storm_scene_end(&scene);
}
