// SPDX-License-Identifier: MIT
// Edits of who is there and who lives with whom: births, names, children, parts, places, copies of
// prefabs. edit.c calls them.
#include "edit.h"

#include <stdio.h>

// True if no child can become a root but by an edit of itself: then children of different parents
// may have the same names.
static bool edit_has_short_names(const edit_act *a) {
    return a->scene->plan->on_parent_delete != KEEL_UNRELATE;
}

static void edit_name_child(const edit_act *a, keel_entity e, uint64_t z) {
    const char name[] = { (char)('a' + z % 4), 0 };
    const bool is_child = !keel_is_null(keel_parent_of(a->w, e));
    if (is_child && edit_has_short_names(a)) keel_set_name(a->w, e, name); // a sibling may have it
    else storm_name(a->w, e);
}

void edit_names(const edit_act *a) {
    if (a->z % 3) edit_name_child(a, a->e, a->z / 3);
    else keel_set_name(a->w, a->e, NULL);
}

// Returns another entity of the group that this one may follow, or null.
static keel_entity edit_whole(const edit_act *a, uint64_t z) {
    const keel_entity mate = edit_mate(a, z);
    const bool is_circle = storm_follows(a->w, a->scene->plan, mate, a->e);
    return is_circle && !a->scene->plan->has_circles ? keel_null() : mate;
}

// True if it follows another by a relation: then it gets no other leader.
static bool edit_is_part(const edit_act *a) {
    return a->scene->plan->is_rich && (!keel_is_null(keel_target_of(a->w, a->e, Part)) ||
                                       !keel_is_null(keel_target_of(a->w, a->e, Hung)) ||
                                       !keel_is_null(keel_target_of(a->w, a->e, Bolt)));
}

// ------------------------------------------------------------------ births
static keel_entity edit_bear(const edit_act *a, keel_global_id id, uint32_t generation) {
    const keel_entity e =
        keel_add_entity(a->w, KEEL_INIT(keel_global_id, id), KEEL_INIT(Seen, { a->z }),
                        KEEL_INIT(Life, { a->scene->step, 0, generation, 0 }));
    if (a->scene->plan->is_rich)
        keel_add(a->w, e, Knows, { .who = { a->e }, .pairs = { { 5, a->e } } });
    return e;
}

void edit_births(const edit_act *a) {
    Life *life = keel_get_mut(a->w, a->e, Life);
    if (!life || life->children >= 2 || life->generation >= 3 || a->z % 3) return;
    const keel_global_id own = keel_child_id((keel_global_id){ a->actor->id }, life->children++);
    const uint64_t z = a->z / 3;
    const keel_entity e = edit_bear(a, own, life->generation + 1);
    const bool is_child = storm_has(a->scene->plan, STORM_TREES) && z % 2;
    const bool is_part = storm_has(a->scene->plan, STORM_PARTS) && !is_child && z / 2 % 2;
    if (is_child) keel_attach(a->w, e, a->e);
    if (is_part) keel_relate(a->w, e, Part, a->e, { z });
    if ((!is_child && !is_part) || z / 4 % 2)
        keel_add(a->w, e, Place,
                 { (int32_t)(z >> 8 & (STORM_SPACE - 1)), (int32_t)(z >> 24 & 0xFFF) });
    if (z / 8 % 2) edit_name_child(a, e, z / 16);
}

// ------------------------------------------------------------------ trees
static int edit_compare_ids(const keel_world *w, keel_entity a, keel_entity b, void *data) {
    (void)data;
    const uint64_t x = storm_scramble(storm_id(w, a)), y = storm_scramble(storm_id(w, b));
    return (x > y) - (x < y);
}

// Makes a root of a child. As a root it needs a name that no other root has.
static void edit_detach(const edit_act *a, keel_entity child) {
    if (keel_name_of(a->w, child)) storm_name(a->w, child);
    keel_detach(a->w, child);
}

// Returns the first child that is no letter: those may not have come yet.
static keel_entity edit_first_child(const edit_act *a) {
    keel_entity child = keel_first_child(a->w, a->e);
    while (!keel_is_null(child) && keel_has(a->w, child, Mail))
        child = keel_next_child(a->w, a->e, child);
    return child;
}

void edit_trees(const edit_act *a) {
    const keel_entity mate = edit_whole(a, a->z >> 8), child = edit_first_child(a);
    const bool is_child = !keel_is_null(keel_parent_of(a->w, a->e));
    switch (a->z % 5) {
    case 0:
    case 1: // refused below itself, and where a sibling has its name
        if (!keel_is_null(mate) && !edit_is_part(a)) keel_attach(a->w, a->e, mate);
        break;
    case 2:
        if (is_child) edit_detach(a, a->e);
        break;
    case 3: // the first becomes the last
        if (keel_is_null(child) || !a->scene->plan->has_order) break;
        edit_detach(a, child);
        keel_attach(a->w, child, a->e);
        break;
    default:
        keel_sort_children(a->w, a->e, edit_compare_ids, NULL);
        break;
    }
}

void edit_parts(const edit_act *a) {
    const keel_entity mate = edit_whole(a, a->z >> 8);
    const bool is_child = !keel_is_null(keel_parent_of(a->w, a->e));
    const bool is_hung = !keel_is_null(keel_target_of(a->w, a->e, Hung));
    const bool is_part = edit_is_part(a) && !is_hung;
    if (a->z % 4 == 0 && !keel_is_null(mate) && !is_child && !is_hung)
        keel_relate(a->w, a->e, Part, mate, { a->z }); // also in a circle
    if (a->z % 4 == 1 && !keel_is_null(mate) && !is_child && !is_part)
        keel_relate(a->w, a->e, Hung, mate);
    if (a->z % 8 == 2) keel_unrelate_all(a->w, a->e, Part);
    if (a->z % 8 == 3) keel_unrelate_all(a->w, a->e, Hung);
}

void edit_bolts(const edit_act *a) {
    const keel_entity mate = edit_whole(a, a->z >> 8);
    const bool leads = keel_is_null(storm_leader(a->w, a->scene->plan, a->e));
    if (a->z % 4 < 2 && leads && !keel_is_null(mate)) keel_relate(a->w, a->e, Bolt, mate);
    if (a->z % 4 == 2) keel_unrelate_all(a->w, a->e, Bolt);
}

// ------------------------------------------------------------------ letters
static void edit_send(const edit_act *a, keel_entity letter, keel_entity to, uint64_t z) {
    keel_detach(a->w, letter);
    keel_unrelate_all(a->w, letter, Hung);
    keel_unrelate_all(a->w, letter, Part);
    if (z % 3 == 0) keel_relate(a->w, letter, Hung, to);
    else if (z % 3 == 1) keel_relate(a->w, letter, Part, to, { z });
    else keel_attach(a->w, letter, to);
}

// Sends a letter to an entity, on whatever rank it is.
void edit_letters(const edit_act *a) {
    const keel_entity to = edit_known(a, a->z >> 8);
    if (keel_is_null(to) || a->z % 2) return;
    const keel_global_id id =
        keel_child_id((keel_global_id){ a->actor->id }, 7000 + a->scene->step);
    const keel_entity letter = edit_bear(a, id, 9);
    keel_add(a->w, letter, Mail, { a->z });
    keel_add(a->w, letter, Knows, { .who = { to, a->e } });
    if (a->z / 2 % 2) storm_name(a->w, letter);
    edit_send(a, letter, to, a->z / 4);
}

// A letter tells whom it is for, and goes on to another, or ends.
void edit_letter(const edit_act *a) {
    const keel_entity reader = storm_leader(a->w, a->scene->plan, a->e);
    Mood *mood = keel_is_null(reader) ? NULL : keel_get_mut(a->w, reader, Mood);
    if (mood) mood->mood += a->z;
    const keel_entity next = edit_known(a, a->z >> 8);
    if (a->z % 4 == 0) keel_add(a->w, a->e, Knows, { .who = { next, reader, a->e } });
    if (a->z % 4 == 1 && !keel_is_null(next) && !keel_is_same(next, a->e))
        edit_send(a, a->e, next, a->z / 4);
    if (a->z % 16 == 2) keel_detach(a->w, a->e);
}

// ------------------------------------------------------------------ places and prefabs
void edit_places(const edit_act *a) {
    if (a->z % 8 == 0) keel_delete(a->w, a->e, Place);
    if (a->z % 8 == 1) keel_disable(a->w, a->e, Place);
    if (a->z % 8 == 2) keel_enable(a->w, a->e, Place);
    if (a->z % 8 == 3) keel_add(a->w, a->e, Place, { (int32_t)(a->z >> 8 & 0xFFFF), 7 });
}

// Copies a prefab, or makes a copy of the entity itself. The parts get ids, and names of their own.
void edit_prefabs(const edit_act *a) {
    if (a->z % 8) return;
    const keel_prefab tank = { keel_find_entity(keel_templates(a->w), keel_null(), "tank") };
    const keel_global_id base =
        keel_child_id((keel_global_id){ a->actor->id }, 1000 + a->scene->step);
    keel_entity root = a->e;
    if (a->z / 8 % 2) keel_apply_prefab(a->w, root, tank);
    else
        root = keel_spawn(a->w, tank, KEEL_INIT(keel_global_id, base), KEEL_INIT(Place, { 77, 5 }),
                          KEEL_INIT(Life, { a->scene->step, 0, 5, 0 }));
    for (keel_entity part = keel_first_child(a->w, root); !keel_is_null(part);
         part = keel_next_child(a->w, root, part)) {
        if (storm_id(a->w, part)) continue;
        keel_add(a->w, part, keel_global_id, keel_child_id(base, 1));
        storm_name(a->w, part);
    }
}
