// SPDX-License-Identifier: MIT
// The entities that a rank owns, in the order of ids, and which of them are on one rank on any
// number of ranks: those whose roots are in one place, and those of one tree. edit.c, die.c and
// tick.c begin with it.
#include "storm.h"

#include <stdio.h>

void *storm_room(void *old, size_t count, size_t size) {
    void *room = realloc(old, count * size);
    if (room) return room;
    fputs("mpi_storms: out of memory\n", stderr);
    exit(2);
}

keel_entity storm_leader(const keel_world *w, const storm_plan *plan, keel_entity e) {
    keel_entity leader = keel_parent_of(w, e);
    if (!plan->is_rich) return leader;
    if (keel_is_null(leader)) leader = keel_target_of(w, e, Part);
    if (keel_is_null(leader)) leader = keel_target_of(w, e, Hung);
    if (keel_is_null(leader)) leader = keel_target_of(w, e, Bolt);
    return leader;
}

bool storm_follows(const keel_world *w, const storm_plan *plan, keel_entity e, keel_entity leader) {
    for (uint32_t i = 0; i < 100 && !keel_is_null(e); ++i, e = storm_leader(w, plan, e))
        if (keel_is_same(e, leader)) return true;
    return false;
}

// Returns the number of the group of an entity.
static uint64_t scene_group(const keel_world *w, const storm_plan *plan, keel_entity e) {
    keel_entity root = e;
    for (uint32_t i = 0; i < 100; ++i) {
        const keel_entity leader = storm_leader(w, plan, root);
        if (keel_is_null(leader)) {
            const Place *p = keel_get(w, root, Place);
            if (!p) return storm_scramble(storm_id(w, root) ^ 1ull << 62);
            return storm_scramble((uint64_t)(uint32_t)p->x << 32 | (uint32_t)p->y);
        }
        root = leader;
    }
    return storm_scramble(storm_id(w, e) ^ 3ull << 61); // in a circle, or below one
}

static int scene_compare_ids(const void *a, const void *b) {
    const storm_actor *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}
static int scene_compare_groups(const void *a, const void *b) {
    const storm_actor *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return scene_compare_ids(a, b);
}

storm_scene storm_scene_begin(keel_world *w) {
    const Weather *weather = keel_get_unique(w, Weather);
    storm_scene s = { .w = w, .plan = weather->plan, .step = weather->step };
    const uint32_t room = keel_count(w, keel_global_id) + 1;
    s.actors = storm_room(NULL, room, sizeof *s.actors);
    s.mates = storm_room(NULL, room, sizeof *s.mates);
    KEEL_EACH(w, KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e))
        s.actors[s.count++] = (storm_actor){ id->value, scene_group(w, s.plan, e), e };
    qsort(s.actors, s.count, sizeof *s.actors, scene_compare_ids);
    for (uint32_t i = 0; i < s.count; ++i)
        if (!keel_has(w, s.actors[i].e, Mail)) s.mates[s.mate_count++] = s.actors[i];
    qsort(s.mates, s.mate_count, sizeof *s.mates, scene_compare_groups);
    return s;
}

void storm_scene_end(storm_scene *scene) {
    free(scene->actors);
    free(scene->mates);
}
