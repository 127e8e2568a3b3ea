// SPDX-License-Identifier: MIT
// Edits of what entities have: each by the entity itself, or by one that is on its rank for sure.
// The system goes through the entities in the order of ids, so that the order of edits of a tree is
// the same on any number of ranks.
#include "storm.h"

#include <stdio.h>

// One edit of an actor: `z` is its random number.
typedef struct edit_act {
    const storm_scene *scene;
    keel_world *w;
    const storm_actor *actor;
    keel_entity e;
    uint64_t z;
} edit_act;

// ------------------------------------------------------------------ whom it may concern
// Returns an entity that this one knows, or null.
static keel_entity edit_known(const edit_act *a, uint32_t slot) {
    const Knows *knows = keel_get(a->w, a->e, Knows);
    const keel_entity who = knows ? knows->who[slot % KNOWN] : keel_null();
    return keel_is_alive(a->w, who) ? who : keel_null();
}

// ------------------------------------------------------------------ values
static void edit_values(edit_act *a) {
    Mood *mood = keel_get_mut(a->w, a->e, Mood);
    if (mood) mood->mood += a->z;
    Mixed *mixed = keel_get_mut(a->w, a->e, Mixed);
    if (mixed) mixed->small = (uint8_t)a->z, mixed->large += a->z;
    Wide *wide = keel_get_mut(a->w, a->e, Wide);
    if (wide) wide->numbers[a->z % 8] ^= a->z;
}

static void edit_adding(edit_act *a) {
    const uint64_t z = a->z;
    switch (z % 10) {
    case 0:
        keel_add(a->w, a->e, Mood, { z });
        break;
    case 1:
        keel_add(a->w, a->e, Mixed, { (uint8_t)z, z });
        break;
    case 2:
        keel_add(a->w, a->e, Wide, { { z, 1, 2, z, 4, 5, 6, z } });
        break;
    case 3:
        keel_add(a->w, a->e, Red);
        break;
    case 4:
        keel_add(a->w, a->e, Rare);
        break;
    case 5:
        keel_delete(a->w, a->e, Mood);
        break;
    case 6:
        keel_delete(a->w, a->e, Mixed);
        break;
    case 7:
        keel_delete(a->w, a->e, Wide);
        break;
    case 8:
        keel_delete(a->w, a->e, Red);
        break;
    default:
        keel_delete(a->w, a->e, Rare);
        break;
    }
}

// ------------------------------------------------------------------ edges and handles
static void edit_edges(edit_act *a) {
    const keel_entity who = edit_known(a, (uint32_t)(a->z >> 8));
    const keel_entity first = keel_target_of(a->w, a->e, Likes);
    if (a->z % 4 == 0 && !keel_is_null(first)) keel_unrelate(a->w, a->e, Likes, first);
    if (a->z % 4 && !keel_is_null(who) && keel_target_count(a->w, a->e, Likes) < 6)
        keel_relate(a->w, a->e, Likes, who);
}

// ------------------------------------------------------------------ births
static void edit_births(edit_act *a) {
    Life *life = keel_get_mut(a->w, a->e, Life);
    if (!life || life->children >= 2 || life->generation >= 3 || a->z % 3) return;
    const keel_global_id own = keel_child_id((keel_global_id){ a->actor->id }, life->children++);
    const Life young = { a->scene->step, 0, life->generation + 1, 0 };
    const uint64_t z = a->z >> 8;
    const Place place = { (int32_t)(z & (STORM_SPACE - 1)),
                          (int32_t)(z >> 20) & (STORM_SPACE - 1) };
    const keel_entity e =
        keel_add_entity(a->w, KEEL_INIT(keel_global_id, own), KEEL_INIT(Place, place),
                        KEEL_INIT(Life, young), KEEL_INIT(Seen, { z }));
    if (a->scene->plan->is_rich)
        keel_add(a->w, e, Knows, { .who = { a->e }, .pairs = { { 5, a->e } } });
    if (z % 2) storm_name(a->w, e);
}

// ------------------------------------------------------------------ all edits
typedef void edit_fn(edit_act *a);
static edit_fn *const edit_functions[STORM_KINDS] = {
    [STORM_VALUES] = edit_values,
    [STORM_ADDING] = edit_adding,
    [STORM_BIRTHS] = edit_births,
    [STORM_EDGES] = edit_edges,
};

KEEL_SYSTEM_ONCE(edit, KEEL_WORLD(w)) {
    storm_scene scene = storm_scene_begin(w);
    for (uint32_t i = 0; i < scene.count; ++i)
        for (uint32_t k = 0; k < STORM_KINDS; ++k) {
            const storm_actor *actor = &scene.actors[i];
            const uint64_t z = storm_chance(scene.plan->seed, actor->id, scene.step, 100 + k);
            if (!storm_has(scene.plan, (storm_kind)k) || !edit_functions[k] || z % 4) continue;
            edit_act act = { &scene, w, actor, actor->e, z / 4 };
            edit_functions[k](&act);
        }
    storm_scene_end(&scene);
}
