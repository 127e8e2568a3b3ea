// SPDX-License-Identifier: MIT
#include "find/match_cache.h"

#include <string.h>

static bool has(const keeli_archetype *archetype, uint32_t number) {
    return keeli_archetype_column(archetype, number) != UINT32_MAX;
}

static bool has_any(const keeli_archetype *archetype, const uint32_t *numbers) {
    for (uint32_t i = 0; i < KEEL_MAX_TERM_COMPONENTS && numbers[i]; ++i)
        if (has(archetype, numbers[i])) return true;
    return false;
}

static bool matches(const keeli_match_key *key, const keeli_archetype *archetype) {
    for (uint32_t i = 0; i < key->must_count; ++i)
        if (!has(archetype, key->must[i])) return false;
    for (uint32_t i = 0; i < key->without_count; ++i)
        if (has(archetype, key->without[i])) return false;
    for (uint32_t i = 0; i < key->any_count; ++i)
        if (!has_any(archetype, key->any[i])) return false;
    return true;
}

static bool is_same(const keeli_match_key *a, const keeli_match_key *b) {
    return a->must_count == b->must_count && a->without_count == b->without_count &&
           a->any_count == b->any_count &&
           memcmp(a->must, b->must, a->must_count * sizeof *a->must) == 0 &&
           memcmp(a->without, b->without, a->without_count * sizeof *a->without) == 0 &&
           memcmp(a->any, b->any, a->any_count * sizeof *a->any) == 0;
}

// Look at the archetypes that are new.
static bool pull(keel_world *world, keeli_match *match) {
    const keeli_archetypes *a = &world->archetypes;
    if (match->generation != a->generation) {
        match->generation = a->generation;
        match->list.count = match->seen = 0;
    }
    for (; match->seen < a->count; ++match->seen) {
        if (!matches(&match->key, a->all[match->seen])) continue;
        if (!KEELI_RESERVE(&world->heap, &match->list, 1)) return false;
        match->list.items[match->list.count++] = a->all[match->seen];
    }
    return true;
}

static keeli_match *find(keel_world *world, const keeli_match_key *key) {
    keeli_match *match = world->matches;
    while (match && !is_same(&match->key, key))
        match = match->next;
    if (match) return match;
    match = KEELI_NEW(&world->heap, keeli_match);
    if (!match) return NULL;
    match->key = *key;
    match->generation = world->archetypes.generation;
    match->next = world->matches;
    world->matches = match;
    return match;
}

const keeli_match *keeli_match_get(keel_world *world, const keeli_match_key *key) {
    keeli_world_lock(world);
    keeli_match *match = find(world, key);
    if (match && !pull(world, match)) match = NULL;
    keeli_world_unlock(world);
    return match;
}

bool keeli_match_is_current(keel_world *world, const keeli_match *match) {
    const keeli_archetypes *a = &world->archetypes;
    keeli_world_lock(world);
    const bool is_current = match->generation == a->generation && match->seen == a->count;
    keeli_world_unlock(world);
    return is_current;
}

void keeli_matches_deinit(keel_world *world) {
    for (keeli_match *match = world->matches, *next; match; match = next) {
        next = match->next;
        KEELI_RELEASE(&world->heap, &match->list);
        KEELI_FREE(&world->heap, keeli_match, match);
    }
    world->matches = NULL;
}
