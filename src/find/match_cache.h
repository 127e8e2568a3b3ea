// SPDX-License-Identifier: MIT
// Which archetypes have the components that a view wants. Answers are kept in the world; a view
// looks only at archetypes that were made since the last time.
#pragma once
#include "world.h"

// What is asked of an archetype: process-wide numbers of components.
typedef struct keeli_match_key {
    uint32_t must_count, without_count, any_count;
    uint32_t must[KEEL_MAX_TERMS], without[KEEL_MAX_TERMS];
    uint32_t any[KEEL_MAX_TERMS][KEEL_MAX_TERM_COMPONENTS]; // each list ends with 0, or is full
} keeli_match_key;

typedef struct keeli_match {
    keeli_match_key key;
    KEELI_ARRAY(keeli_archetype *) list; // in order of creation
    uint32_t seen;                       // archetypes looked at
    uint32_t generation;                 // of world->archetypes when `list` was begun
    struct keeli_match *next;            // of the world
} keeli_match;

// The matching archetypes, up to date; NULL when out of memory. Valid until archetypes are freed,
// which no open view survives.
const keeli_match *keeli_match_get(keel_world *world, const keeli_match_key *key);
// Would keeli_match_get find nothing to add to it?
bool keeli_match_is_current(keel_world *world, const keeli_match *match);
void keeli_matches_deinit(keel_world *world);
