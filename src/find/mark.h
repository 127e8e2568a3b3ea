// SPDX-License-Identifier: MIT
// What a walk that writes marks as modified: what it hands out, when the user has gone through it.
// A walk that visits everything there is of a component marks that with one tick, at its end.
// Several threads may mark chunks of one view at once, each its own: no mark goes to the log of
// single changes, so that who reads it visits the same order for any number of threads.
#pragma once
#include "find/iterate.h"

// Find out what is to be marked; `flags`: of all storages of the view. False when out of memory.
bool keeli_marks_begin(keeli_iterator *it, uint32_t flags);
// Put the places for marks by hand into the chunk.
void keeli_marks_hand_out(keeli_iterator *it);
// The first `count` items (slots of a mask) of the chunk were handed out.
void keeli_mark_chunk_slowly(keeli_iterator *it, uint32_t count);
static inline void keeli_mark_chunk(keeli_iterator *it) {
    if (it->mark_count) keeli_mark_chunk_slowly(it, UINT32_MAX);
}
// The walk is over, at its end or before.
void keeli_marks_end(keeli_iterator *it);
