// SPDX-License-Identifier: MIT
// Edits of handles in fields and of relations. edit.c calls them.
#include "edit.h"

void edit_knowing(const edit_act *a) {
    Knows *knows = keel_get_mut(a->w, a->e, Knows);
    if (!knows) {
        keel_add(a->w, a->e, Knows, { .who = { a->e }, .lost = a->z });
        return;
    }
    keel_entity *who = &knows->who[a->z / 8 % KNOWN];
    if (a->z % 8 == 0) *who = keel_null();
    if (a->z % 8 == 1) *who = a->e;
    if (a->z % 8 == 2) *who = edit_mate(a, a->z >> 8);
    if (a->z % 8 == 3) *who = keel_target_of(a->w, a->e, Likes);
    if (a->z % 8 == 4) knows->pairs[a->z / 32 % 2].other = *who; // also a handle of the dead
    if (a->z % 8 == 5) *who = knows->pairs[a->z / 32 % 2].other;
    if (a->z % 64 == 6) keel_delete(a->w, a->e, Knows);
}

void edit_edges(const edit_act *a) {
    const keel_entity who = edit_known(a, a->z >> 8);
    const keel_entity first = keel_target_of(a->w, a->e, Likes);
    if (a->z % 4 == 0 && !keel_is_null(first)) keel_unrelate(a->w, a->e, Likes, first);
    if (a->z % 64 == 1) keel_relate(a->w, a->e, Likes, a->e);
    if (a->z % 64 == 2) keel_unrelate_all(a->w, a->e, Likes);
    if (a->z % 4 && !keel_is_null(who) && keel_target_count(a->w, a->e, Likes) < 6)
        keel_relate(a->w, a->e, Likes, who);
}

void edit_valued(const edit_act *a) {
    const keel_entity who = edit_known(a, a->z >> 8), witness = edit_known(a, a->z >> 10);
    const keel_entity owed = keel_target_of(a->w, a->e, Owes);
    if (a->z % 6 == 0 && !keel_is_null(who) && keel_target_count(a->w, a->e, Owes) < 4)
        keel_relate(a->w, a->e, Owes, who, { witness, a->z });
    if (a->z % 6 == 1 && !keel_is_null(owed))
        keel_get_related_mut(a->w, a->e, Owes, owed)->witness = witness;
    if (a->z % 6 == 2 && !keel_is_null(owed)) keel_unrelate(a->w, a->e, Owes, owed);
    if (a->z % 6 == 3 && !keel_is_null(who)) keel_relate(a->w, a->e, Home, who, { a->z });
    if (a->z % 6 == 4 && !keel_is_null(who)) keel_relate(a->w, a->e, Home, who); // keeps the value
    if (a->z % 24 == 5) keel_unrelate_all(a->w, a->e, Home);
}

void edit_cascades(const edit_act *a) {
    const keel_entity who = edit_known(a, a->z >> 8), idol = keel_target_of(a->w, a->e, Fans);
    if (a->z % 4 == 0 && !keel_is_null(who)) keel_relate(a->w, a->e, Guards, who);
    if (a->z % 4 == 1) keel_unrelate_all(a->w, a->e, Guards);
    if (a->z % 4 == 2 && !keel_is_null(who) && keel_target_count(a->w, a->e, Fans) < 2)
        keel_relate(a->w, a->e, Fans, who);
    if (a->z % 4 == 3 && !keel_is_null(idol)) keel_unrelate(a->w, a->e, Fans, idol);
}

// ------------------------------------------------------------------ bonds: both ends have them
// Two who are in one place are on one rank, so that one of them may do it for both.
void edit_bonds(const edit_act *a) {
    const keel_entity mate = edit_mate(a, a->z >> 8);
    if (a->z % 16 == 0) keel_relate(a->w, a->e, Friend, a->e);
    if (keel_is_null(mate)) return;
    const bool is_free = keel_is_null(keel_target_of(a->w, a->e, Married)) &&
                         keel_is_null(keel_target_of(a->w, mate, Married));
    if (a->z % 2 == 0) keel_relate(a->w, a->e, Friend, mate);
    else if (is_free) keel_relate(a->w, a->e, Married, mate, { a->z });
}

void edit_keep_bonds(const edit_act *a) {
    const uint64_t seed = a->scene->plan->seed;
    keel_entity ended[64];
    uint32_t count = 0;
    KEEL_EACH_TARGET(a->w, a->e, Friend, friend) {
        const uint64_t both = a->actor->id ^ storm_id(a->w, friend);
        if (storm_chance(seed, both, a->scene->step, 6) % 16 == 0 && count < 64)
            ended[count++] = friend;
    }
    for (uint32_t i = 0; i < count; ++i)
        keel_unrelate(a->w, a->e, Friend, ended[i]);
    const keel_entity spouse = keel_target_of(a->w, a->e, Married);
    if (keel_is_null(spouse) || keel_is_same(spouse, a->e)) return;
    const uint64_t z = storm_chance(seed, a->actor->id ^ storm_id(a->w, spouse), a->scene->step, 7);
    if (z % 16 == 0) keel_unrelate(a->w, a->e, Married, spouse);
    else if (z % 4 == 1) keel_relate(a->w, a->e, Married, spouse, { z });
}
