// SPDX-License-Identifier: MIT
// Edits of components: values, tags, disabled ones, those that require others, those with hooks,
// and those that stay on their rank. edit.c calls them.
#include "edit.h"

void edit_values(const edit_act *a) {
    Mood *mood = keel_get_mut(a->w, a->e, Mood);
    if (mood) mood->mood += a->z;
    Mixed *mixed = keel_get_mut(a->w, a->e, Mixed);
    if (mixed) mixed->small = (uint8_t)a->z, mixed->large += a->z;
    Wide *wide = keel_get_mut(a->w, a->e, Wide);
    if (wide) wide->numbers[a->z % 8] ^= a->z;
}

// ------------------------------------------------------------------ which components it has
static const keel_component *const edit_plain[] = { KEEL_OF(Mood), KEEL_OF(Mixed), KEEL_OF(Wide),
                                                    KEEL_OF(Red), KEEL_OF(Rare) };
static const keel_component *const edit_rich[] = { KEEL_OF(Knows), KEEL_OF(Diary), KEEL_OF(Title),
                                                   KEEL_OF(Gun) };
static const keel_component *const edit_requiring[] = { KEEL_OF(Aim), KEEL_OF(Sniper),
                                                        KEEL_OF(Zoom), KEEL_OF(Barrel) };

void edit_adding(const edit_act *a) {
    const keel_component *c = edit_plain[a->z % 5];
    if (a->z / 5 % 2) {
        keel_delete_component(a->w, a->e, c);
        return;
    }
    Wide value = { { a->z, 1, 2, a->z, 4, 5, 6, a->z } }; // large enough for all
    Mixed mixed = { (uint8_t)a->z, a->z };
    keel_add_component(a->w, a->e, c, !c->size ? NULL : a->z % 5 == 1 ? (void *)&mixed : &value);
}

void edit_disabling(const edit_act *a) {
    const bool is_rich = a->scene->plan->is_rich && a->z % 3 == 0;
    const keel_component *c = is_rich ? edit_rich[a->z / 3 % 4] : edit_plain[a->z / 3 % 5];
    keel_enable_component(a->w, a->e, c, a->z / 60 % 2);
}

void edit_required(const edit_act *a) {
    const keel_component *c = edit_requiring[a->z % 4];
    const uint32_t value = (uint32_t)a->z;
    switch (a->z / 4 % 5) {
    case 0:
    case 1:
        keel_add_component(a->w, a->e, c, c->size ? &value : NULL);
        break;
    case 2:
        keel_delete_component(a->w, a->e, c);
        break;
    case 3: // both of a pair, or what others require alone, which is refused
        keel_enable_component(a->w, a->e, edit_requiring[a->z % 2 * 2 + 1], false);
        keel_enable_component(a->w, a->e, edit_requiring[a->z % 2 * 2], false);
        break;
    default:
        keel_enable_component(a->w, a->e, c, a->z / 20 % 2);
        break;
    }
}

void edit_scratch(const edit_act *a) {
    if (a->z % 4) keel_add(a->w, a->e, Scratch, { a->actor->id });
    else keel_delete(a->w, a->e, Scratch);
    const keel_entity who = a->scene->plan->is_rich ? edit_known(a, a->z / 4) : keel_null();
    if (!keel_is_null(who)) keel_relate(a->w, a->e, Whim, who);
}

// ------------------------------------------------------------------ values with hooks
static void edit_post(const edit_act *a) {
    const keel_entity who = edit_known(a, a->z >> 8), to = keel_target_of(a->w, a->e, Letter);
    if (a->z % 2 && !keel_is_null(who) && keel_target_count(a->w, a->e, Letter) < 3)
        keel_relate(a->w, a->e, Letter, who, { parts_text(a->z), edit_known(a, a->z >> 10) });
    else if (a->z % 8 == 0 && !keel_is_null(to)) keel_unrelate(a->w, a->e, Letter, to);
}

static void edit_log(const edit_act *a) {
    const keel_entity who = edit_known(a, a->z >> 8);
    Log *log = keel_get_mut(a->w, a->e, Log);
    if (a->z % 4 == 0 && !keel_is_null(who)) keel_relate(a->w, a->e, Log, who);
    else if (a->z % 16 == 1) keel_unrelate_all(a->w, a->e, Log);
    else if (log) parts_write_diary(log, who, a->z);
}

void edit_hooks(const edit_act *a) {
    Diary *diary = keel_get_mut(a->w, a->e, Diary);
    if (a->z % 3 == 0) edit_post(a);
    if (a->z % 3 == 1) edit_log(a);
    if (a->z % 5 == 0 && diary) parts_write_diary(diary, edit_known(a, a->z >> 8), a->z);
    if (a->z % 5 == 1) keel_add(a->w, a->e, Title, { parts_text(a->z), edit_known(a, a->z >> 8) });
    if (a->z % 5 == 2 && !diary) keel_add(a->w, a->e, Diary, { NULL, 0 });
    if (a->z % 25 == 3) keel_delete(a->w, a->e, Diary);
    if (a->z % 25 == 4) keel_delete(a->w, a->e, Title);
}
