// SPDX-License-Identifier: MIT
// Deaths, at the end of a step. All victims are found first: then it does not matter who dies
// before whom.
#include "storm.h"

typedef struct die_list {
    keel_entity *items;
    uint32_t count, room;
} die_list;

static void die_add(die_list *list, keel_entity e) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        list->items = storm_room(list->items, list->room, sizeof *list->items);
    }
    list->items[list->count++] = e;
}

// Adds the entity and all below it, those below first.
static void die_add_tree(const storm_scene *s, keel_entity root, die_list *victims) {
    const uint32_t begin = victims->count;
    for (keel_entity e = root; !keel_is_null(e);
         e = keel_next_descendant(s->w, root, e, KEEL_DEPTH_FIRST))
        if (!keel_has(s->w, e, Mail)) die_add(victims, e); // it may not have come yet
    for (uint32_t i = begin, k = victims->count; i + 1 < k; ++i) {
        const keel_entity other = victims->items[--k];
        victims->items[k] = victims->items[i];
        victims->items[i] = other;
    }
}

static void die_choose(const storm_scene *s, const storm_actor *actor, die_list *victims) {
    const uint64_t z = storm_chance(s->plan->seed, actor->id, s->step, 4);
    if (storm_has(s->plan, STORM_DEATHS) && z % 40 == 0) die_add(victims, actor->e);
    if (storm_has(s->plan, STORM_DEATHS) && z % 80 == 1) die_add_tree(s, actor->e, victims);
    if (!storm_has(s->plan, STORM_KILLS) || z / 40 % 60) return;
    const Knows *knows = keel_get(s->w, actor->e, Knows);
    if (knows) die_add(victims, knows->who[z / 9600 % KNOWN]);
}

KEEL_SYSTEM_ONCE(die, KEEL_WORLD(w)) {
    storm_scene scene = storm_scene_begin(w);
    die_list victims = { NULL, 0, 0 };
    for (uint32_t i = 0; i < scene.count; ++i)
        die_choose(&scene, &scene.actors[i], &victims);
    for (uint32_t i = 0; i < victims.count; ++i)
        if (keel_is_alive(w, victims.items[i])) keel_delete_entity(w, victims.items[i]);
    free(victims.items);
    storm_scene_end(&scene);
}
