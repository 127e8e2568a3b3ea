// SPDX-License-Identifier: MIT
// A walk cut into pieces, to be walked by several threads. Where the cuts are depends on what the
// view leads over and on nothing else: not on threads, not on time.
#pragma once
#include "find/iterate.h"

// Entities (or slots, or indices) of a piece: the range in about 256 pieces of a multiple of 64, at
// most a page. Fewer than 4,096 may be heavy ones: about 64 pieces of any length, down to 1.
enum { KEELI_PIECES = 256, KEELI_PIECES_OF_FEW = 64, KEELI_GRAIN_MOST = 4096 };

typedef struct keeli_piece {
    uint32_t at, end;            // slots or indices; rows of archetypes: the first, and how many
    uint32_t match_at, block_at; // rows: where the first is
} keeli_piece;

typedef struct keeli_pieces {
    KEELI_ARRAY(keeli_piece) list;
} keeli_pieces;

// The pieces of a walk that has just begun; false when out of memory.
bool keeli_pieces_make(keeli_pieces *pieces, const keeli_iterator *it);
// Walk over this piece next.
void keeli_iterator_aim(keeli_iterator *it, const keeli_piece *piece);
// How many are in a piece of a range.
uint32_t keeli_grain(uint32_t range);
