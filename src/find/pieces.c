// SPDX-License-Identifier: MIT
#include "find/pieces.h"

#include "base/memory.h"
#include "find/mark.h"

uint32_t keeli_grain(uint32_t range) {
    const uint32_t few = (range + KEELI_PIECES_OF_FEW - 1) / KEELI_PIECES_OF_FEW;
    if (few < 64) return few ? few : 1;
    return keeli_least((range / KEELI_PIECES + 63) / 64 * 64, KEELI_GRAIN_MOST);
}

static bool add(keeli_pieces *p, keeli_heap *heap, keeli_piece piece) {
    if (!KEELI_RESERVE(heap, &p->list, 1)) return false;
    p->list.items[p->list.count++] = piece;
    return true;
}

static bool cut_range(keeli_pieces *p, keeli_heap *heap, uint32_t range) {
    const uint32_t grain = keeli_grain(range);
    for (uint32_t at = 0; at < range; at += keeli_least(grain, range - at))
        if (!add(p, heap, (keeli_piece){ at, at + keeli_least(grain, range - at), 0, 0 }))
            return false;
    return true;
}

// Rows of many small archetypes make one piece, those of a large one several.
static bool cut_rows(keeli_pieces *p, keeli_heap *heap, const keeli_match *match) {
    uint32_t total = 0;
    for (uint32_t m = 0; m < match->list.count; ++m)
        total += match->list.items[m]->row_count;
    const uint32_t grain = keeli_grain(total);
    keeli_piece piece = { 0 };
    for (uint32_t m = 0; m < match->list.count; ++m) {
        const keeli_archetype *a = match->list.items[m];
        for (uint32_t b = 0; a->row_count && b < a->block_count; ++b) {
            const uint32_t rows = a->blocks[b]->count;
            for (uint32_t at = 0; at < rows;) {
                if (piece.end == 0) piece = (keeli_piece){ at, 0, m, b };
                const uint32_t taken = keeli_least(grain - piece.end, rows - at);
                piece.end += taken;
                at += taken;
                if (piece.end < grain) continue;
                if (!add(p, heap, piece)) return false;
                piece.end = 0;
            }
        }
    }
    return piece.end == 0 || add(p, heap, piece);
}

// Presence bits go by whole pages; of a single one only the part with bits counts.
static uint32_t range_of(const keeli_iterator *it) {
    if (it->plan->driver != KEELI_DRIVE_BITS || it->end != KEELI_WINDOW) return it->end;
    uint32_t word = KEELI_WINDOW / 64;
    while (word && !keeli_presence_word(&it->plan->leader->presence, word - 1))
        --word;
    if (!word) return 0;
    const uint64_t last = keeli_presence_word(&it->plan->leader->presence, word - 1);
    return word * 64 - (uint32_t)__builtin_clzll(last);
}

bool keeli_pieces_make(keeli_pieces *pieces, const keeli_iterator *it) {
    keeli_heap *heap = &it->view->world->heap;
    pieces->list.count = 0;
    if (it->done) return true;
    if (it->plan->driver == KEELI_DRIVE_ROWS) return cut_rows(pieces, heap, it->plan->match);
    if (it->plan->driver == KEELI_DRIVE_CHANGES) // few by their nature
        return add(pieces, heap, (keeli_piece){ 0 });
    return cut_range(pieces, heap, range_of(it));
}

void keeli_iterator_aim(keeli_iterator *it, const keeli_piece *piece) {
    keeli_mark_chunk(it); // of the piece before, when that was left early
    it->marks_all = false;
    it->done = false;
    it->span_at = 0;
    it->chunk.count = 0;
    if (it->plan->driver == KEELI_DRIVE_CHANGES) {
        keeli_drive_changes_begin(it);
        return;
    }
    it->at = piece->at;
    if (it->plan->driver == KEELI_DRIVE_ROWS) {
        it->match_at = piece->match_at;
        it->block_at = piece->block_at;
        it->rows_left = piece->end;
        return;
    }
    it->end = piece->end;
    it->from = it->window_end = piece->at;
    it->next_page = piece->at / KEELI_WINDOW;
    it->run_misses = it->run_pause = 0; // what is handed out depends on the piece alone
}
