// SPDX-License-Identifier: MIT
// Makes numbers of what entities have, aspect by aspect, so that two runs can be compared and a
// difference has a name. Handles count as ids.
#include "storm.h"

typedef struct census_view {
    keel_world *w;
    const storm_plan *plan;
    keel_entity e;
} census_view;

// ------------------------------------------------------------------ parts of numbers
static uint64_t census_add(uint64_t hash, uint64_t number) {
    return storm_scramble(hash * 31 + number + 1);
}
static uint64_t census_bytes(const void *bytes, size_t size) {
    uint64_t hash = size;
    for (const unsigned char *at = bytes; size; --size)
        hash = hash * 0x100000001b3u + *at++;
    return storm_scramble(hash + 1);
}
static uint64_t census_text(const char *text) {
    return text ? census_bytes(text, strlen(text)) : 0;
}

uint64_t storm_number(const keel_world *w, keel_entity e) {
    if (keel_is_null(e)) return 0;
    return keel_is_alive(w, e) ? storm_id(w, e) : UINT64_MAX;
}

// ------------------------------------------------------------------ values
#define CENSUS_OF(function, T)                                                                     \
    static uint64_t function(const census_view *v) {                                               \
        const T *value = keel_get(v->w, v->e, T);                                                  \
        return value ? census_bytes(value, sizeof *value) : 0;                                     \
    }
CENSUS_OF(census_place, Place)
CENSUS_OF(census_life, Life)
CENSUS_OF(census_mood, Mood)
CENSUS_OF(census_mail, Mail)
CENSUS_OF(census_wide, Wide)
CENSUS_OF(census_seen, Seen)
CENSUS_OF(census_aim, Aim)
CENSUS_OF(census_zoom, Zoom)
CENSUS_OF(census_barrel, Barrel)

static uint64_t census_mixed(const census_view *v) {
    const Mixed *mixed = keel_get(v->w, v->e, Mixed);
    return mixed ? census_add(census_add(1, mixed->small), mixed->large) : 0;
}
static uint64_t census_tags(const census_view *v) {
    return (uint64_t)keel_has(v->w, v->e, Red) | (uint64_t)keel_has(v->w, v->e, Rare) << 1 |
           (uint64_t)keel_has(v->w, v->e, Sniper) << 2;
}

static uint64_t census_knows(const census_view *v) {
    const Knows *knows = keel_get(v->w, v->e, Knows);
    if (!knows) return 0;
    uint64_t hash = knows->lost;
    for (uint32_t i = 0; i < KNOWN; ++i)
        hash = census_add(hash, storm_number(v->w, knows->who[i]));
    for (uint32_t i = 0; i < 2; ++i) {
        hash = census_add(hash, knows->pairs[i].number);
        hash = census_add(hash, storm_number(v->w, knows->pairs[i].other));
    }
    return hash;
}

// ------------------------------------------------------------------ names and edges
static uint64_t census_name(const census_view *v) { return census_text(keel_name_of(v->w, v->e)); }

// Compares the entity with the one that the path of its names leads to.
static uint64_t census_path(const census_view *v) {
    char path[512];
    size_t at = sizeof path - 1;
    path[at] = 0;
    for (keel_entity e = v->e; !keel_is_null(e); e = keel_parent_of(v->w, e)) {
        const char *name = keel_name_of(v->w, e);
        const size_t length = name ? strlen(name) : 0;
        if (!name || length + 1 > at) return 0;
        at -= length + 1;
        memcpy(path + at + 1, name, length);
        path[at] = '/';
    }
    return keel_is_same(keel_find_entity(v->w, keel_null(), path + at + 1), v->e) ? 1 : 2;
}

static uint64_t census_parent(const census_view *v) {
    return storm_number(v->w, keel_parent_of(v->w, v->e));
}
// Followers in their order. Letters have none, as they come from several ranks.
typedef struct census_list {
    uint64_t order, letters;
} census_list;
static void census_follow(const census_view *v, census_list *list, keel_entity e) {
    const uint64_t number = storm_number(v->w, e);
    if (!v->plan->has_order || keel_has(v->w, e, Mail)) list->letters += storm_scramble(number);
    else list->order = census_add(list->order, number);
}
static uint64_t census_children(const census_view *v) {
    census_list list = { 0, 0 };
    KEEL_EACH_CHILD(v->w, v->e, child)
        census_follow(v, &list, child);
    return list.order ^ list.letters;
}
// The parts that live with the entity, in their order.
static uint64_t census_parts(const census_view *v) {
    census_list list = { 0, 0 };
    KEEL_EACH_SOURCE(v->w, v->e, Part, part) census_follow(v, &list, part);
    KEEL_EACH_SOURCE(v->w, v->e, Hung, part) census_follow(v, &list, part);
    KEEL_EACH_SOURCE(v->w, v->e, Bolt, part) census_follow(v, &list, part);
    return list.order ^ list.letters;
}

#define CENSUS_TARGETS(function, R)                                                                \
    static uint64_t function(const census_view *v) {                                               \
        uint64_t hash = 0;                                                                         \
        KEEL_EACH_TARGET(v->w, v->e, R, other) hash = census_add(hash, storm_number(v->w, other)); \
        return hash;                                                                               \
    }
CENSUS_TARGETS(census_likes, Likes)
CENSUS_TARGETS(census_fans, Fans)
CENSUS_TARGETS(census_guards, Guards)
CENSUS_TARGETS(census_hung, Hung)
CENSUS_TARGETS(census_bolt, Bolt)

static uint64_t census_part(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Part, whole, part)
    hash = census_add(storm_number(v->w, whole), part->number);
    return hash;
}
static uint64_t census_owes(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Owes, other, debt) {
        hash = census_add(census_add(hash, storm_number(v->w, other)), debt->amount);
        hash = census_add(hash, storm_number(v->w, debt->witness));
    }
    return hash;
}
static uint64_t census_home(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Home, other, home)
    hash = census_add(storm_number(v->w, other), home->since);
    return hash;
}
// Bonds have no order: the ends of one are made in the order of ids on their ranks.
static uint64_t census_friends(const census_view *v) {
    uint64_t sum = 0;
    KEEL_EACH_TARGET(v->w, v->e, Friend, other) sum += storm_scramble(storm_number(v->w, other));
    return sum;
}
static uint64_t census_married(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Married, spouse, bond)
    hash = census_add(storm_number(v->w, spouse), bond->vow);
    return hash;
}

// ------------------------------------------------------------------ values with hooks, prefabs
static uint64_t census_diary_of(const keel_world *w, const Diary *diary) {
    uint64_t hash = diary != NULL;
    for (uint32_t i = 0; diary && i < diary->count; ++i) {
        hash = census_add(hash, storm_number(w, diary->entries[i].about));
        hash = census_add(hash, diary->entries[i].number);
    }
    return hash;
}
static uint64_t census_title_of(const keel_world *w, const Title *title) {
    return title ? census_add(census_text(title->text), storm_number(w, title->giver)) : 0;
}
static uint64_t census_diary(const census_view *v) {
    return census_diary_of(v->w, keel_get(v->w, v->e, Diary));
}
static uint64_t census_title(const census_view *v) {
    return census_title_of(v->w, keel_get(v->w, v->e, Title));
}
static uint64_t census_letters(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Letter, other, letter) {
        hash = census_add(hash, storm_number(v->w, other));
        hash = census_add(hash, census_title_of(v->w, letter));
    }
    return hash;
}
static uint64_t census_log(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Log, other, log)
    hash = census_add(storm_number(v->w, other), census_diary_of(v->w, log));
    return hash;
}
// Templates have the same names on all ranks.
static uint64_t census_prefab(const census_view *v) {
    const keel_world *t = keel_templates(v->w);
    const keel_entity root = keel_prefab_of(v->w, v->e).root;
    const Gun *gun = keel_get(v->w, v->e, Gun);
    const uint64_t hash = keel_is_null(root) ? 0 : census_text(keel_name_of(t, root));
    return gun ? census_add(hash, census_text(keel_name_of(t, gun->bullet))) : hash;
}

static uint64_t census_disabled(const census_view *v) {
    static const keel_component *const all[] = {
        KEEL_OF(Place), KEEL_OF(Mood), KEEL_OF(Mixed),  KEEL_OF(Wide),  KEEL_OF(Red),
        KEEL_OF(Rare),  KEEL_OF(Aim),  KEEL_OF(Sniper), KEEL_OF(Zoom),  KEEL_OF(Barrel),
        KEEL_OF(Knows), KEEL_OF(Gun),  KEEL_OF(Diary),  KEEL_OF(Title),
    };
    uint64_t bits = 0;
    for (uint32_t i = 0; i < (v->plan->is_rich ? 14u : 10u); ++i)
        bits |= (uint64_t)keel_is_component_disabled(v->w, v->e, all[i]) << i;
    return bits;
}

// ------------------------------------------------------------------ all aspects
static const struct {
    const char *name;
    uint64_t (*function)(const census_view *);
    bool is_rich, is_seen; // ghosts have it
    bool is_required;      // ghosts have it in some storms
} census_aspects[] = {
    { "Place", census_place, false, true, false },
    { "Life", census_life, false, false, false },
    { "Mail", census_mail, false, false, false },
    { "Mood", census_mood, false, true, false },
    { "Mixed", census_mixed, false, false, false },
    { "Wide", census_wide, false, false, false },
    { "Seen", census_seen, false, false, false },
    { "tags", census_tags, false, false, false },
    { "Aim", census_aim, false, false, true },
    { "Zoom", census_zoom, false, false, true },
    { "Barrel", census_barrel, false, false, true },
    { "name", census_name, false, false, false },
    { "Knows", census_knows, true, true, false },
    { "path of names", census_path, false, false, false },
    { "disabled components", census_disabled, false, false, false },
    { "parent", census_parent, false, false, false },
    { "order of children", census_children, false, false, false },
    { "order of parts", census_parts, true, false, false },
    { "Part", census_part, true, false, false },
    { "Hung", census_hung, true, false, false },
    { "Bolt", census_bolt, true, false, false },
    { "Likes", census_likes, true, false, false },
    { "Fans", census_fans, true, false, false },
    { "Guards", census_guards, true, false, false },
    { "Owes", census_owes, true, false, false },
    { "Home", census_home, true, false, false },
    { "Friend", census_friends, true, false, false },
    { "Married", census_married, true, false, false },
    { "Diary", census_diary, true, false, false },
    { "Title", census_title, true, false, false },
    { "Letter", census_letters, true, false, false },
    { "Log", census_log, true, false, false },
    { "prefab", census_prefab, true, false, false },
};
enum { CENSUS_COUNT = sizeof census_aspects / sizeof *census_aspects };
_Static_assert((int)CENSUS_COUNT <= (int)STORM_ASPECTS, "a record has room for all aspects");

const char *storm_aspect_name(uint32_t aspect) {
    return aspect < CENSUS_COUNT ? census_aspects[aspect].name : NULL;
}

static int census_compare(const void *a, const void *b) {
    const storm_record *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

storm_census storm_census_of(keel_world *w, const storm_plan *plan, storm_rank *rank) {
    storm_census c = { NULL, 0, keel_count(w, keel_global_id) + 1 };
    c.items = storm_room(NULL, c.room, sizeof *c.items);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(w, e));) {
        if (storm_is_ghost(w, e)) continue;
        storm_record r = { .id = storm_id(w, e) };
        if (!r.id) {
            storm_problem(rank, "entity %u has no id", (unsigned)keel_entity_index(e));
            continue;
        }
        const census_view v = { w, plan, e };
        for (uint32_t i = 0; i < CENSUS_COUNT; ++i)
            if (plan->is_rich || !census_aspects[i].is_rich)
                r.aspects[i] = census_aspects[i].function(&v);
        c.items[c.count++] = r;
    }
    qsort(c.items, c.count, sizeof *c.items, census_compare);
    return c;
}

// ------------------------------------------------------------------ what ghosts have
uint64_t storm_sight_of(keel_world *w, const storm_plan *plan, keel_entity e) {
    const census_view v = { w, plan, e };
    uint64_t hash = keel_has(w, e, Red);
    if (plan->shows_required) hash |= (uint64_t)keel_has(w, e, Sniper) << 1;
    for (uint32_t i = 0; i < CENSUS_COUNT; ++i)
        if ((census_aspects[i].is_seen ||
             (census_aspects[i].is_required && plan->shows_required)) &&
            (plan->is_rich || !census_aspects[i].is_rich))
            hash = census_add(hash, census_aspects[i].function(&v));
    return hash;
}

void storm_see(storm_sights *sights, uint64_t id, uint64_t hash) {
    if (sights->count == sights->room) {
        sights->room = 2 * sights->room + 64;
        sights->items = storm_room(sights->items, sights->room, sizeof *sights->items);
    }
    sights->items[sights->count++] = (storm_sight){ id, hash };
}
