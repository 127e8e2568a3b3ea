// SPDX-License-Identifier: MIT
// Makes numbers of what entities have, aspect by aspect, so that two runs can be compared and a
// difference has a name. Handles count as ids.
#include "storm.h"

typedef struct census_view {
    const keel_world *w;
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
    return keel_has(v->w, v->e, Red) | keel_has(v->w, v->e, Rare) << 1 |
           keel_has(v->w, v->e, Sniper) << 2;
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

static uint64_t census_likes(const census_view *v) {
    uint64_t hash = 0;
    KEEL_EACH_TARGET(v->w, v->e, Likes, other) hash = census_add(hash, storm_number(v->w, other));
    return hash;
}

// ------------------------------------------------------------------ all aspects
static const struct {
    const char *name;
    uint64_t (*function)(const census_view *);
    bool is_rich, is_seen; // ghosts have it
    bool is_required;      // ghosts have it in some storms
} census_aspects[] = {
    { "Place", census_place, false, true, false }, { "Life", census_life, false, false, false },
    { "Mood", census_mood, false, true, false },   { "Mixed", census_mixed, false, false, false },
    { "Wide", census_wide, false, false, false },  { "Seen", census_seen, false, false, false },
    { "tags", census_tags, false, false, false },  { "Aim", census_aim, false, false, true },
    { "Zoom", census_zoom, false, false, true },   { "Barrel", census_barrel, false, false, true },
    { "name", census_name, false, false, false },  { "Knows", census_knows, true, true, false },
    { "Likes", census_likes, true, false, false },
};
enum { CENSUS_COUNT = sizeof census_aspects / sizeof *census_aspects };

const char *storm_aspect_name(uint32_t aspect) {
    return aspect < CENSUS_COUNT ? census_aspects[aspect].name : NULL;
}

static int census_compare(const void *a, const void *b) {
    const storm_record *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

storm_census storm_census_of(const keel_world *w, const storm_plan *plan, storm_rank *rank) {
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
uint64_t storm_sight_of(const keel_world *w, const storm_plan *plan, keel_entity e) {
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
