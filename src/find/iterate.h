// SPDX-License-Identifier: MIT
// Walking over the entities of a view.
#pragma once
#include "find/view.h"

enum { KEELI_BLOCK = 256 }; // candidates that are filtered at a time

typedef struct keeli_iterator {
    keeli_view *view;
    uint64_t serial;       // of the handle that began it; 0: spare
    keeli_storage *driver; // NULL: the list of entities
    uint32_t at, end;      // the next candidate: a slot of the driver, or an entity index
    bool plain;            // only required terms: runs of equal order are spans
    bool done;
    uint64_t serial_of_view;
    keel_chunk chunk; // what keel_iterator_next hands out
    keel_chunk span;  // what keel_iterator_next_span hands out
    uint32_t span_at; // entities of `chunk` that were handed out in spans
    uint32_t index[KEEL_MAX_TERMS][KEELI_BLOCK];
    uint32_t picked[KEELI_BLOCK];
    keel_entity candidates[KEELI_BLOCK], entities[KEELI_BLOCK];
    struct keeli_iterator *next; // of all states of the world
} keeli_iterator;

// Begin a walk over a state (for the run layer); NULL when out of memory (reported).
keeli_iterator *keeli_iterator_take(keeli_view *view);
const keel_chunk *keeli_iterator_advance(keeli_iterator *it);
const keel_chunk *keeli_iterator_advance_span(keeli_iterator *it);
void keeli_iterator_give(keeli_iterator *it);
void keeli_iterators_end_of(keeli_view *view);
void keeli_iterators_deinit(keel_world *world);

// Does the view match this living entity?
bool keeli_view_matches(const keeli_view *view, keel_entity e);
