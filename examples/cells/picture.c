// SPDX-License-Identifier: MIT
// Draws the pictures with cairo; without it (ON_RANKS_PICTURES) there are none. play.c calls it.
#include "picture.h"

#ifndef ON_RANKS_PICTURES
const char *picture_draw_cells(const picture_cell *cells, size_t count, const options *o, uint32_t ranks) {
    (void)cells;
    (void)count;
    (void)o;
    (void)ranks;
    return drawing_missing();
}

const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks) {
    (void)r;
    (void)o;
    (void)ranks;
    return drawing_missing();
}
#else
const char *picture_draw_cells(const picture_cell *cells, size_t count, const options *o, uint32_t ranks) {
    (void)cells;
    (void)count;
    (void)o;
    (void)ranks;
    return NULL;
}

const char *picture_draw_curve(const record *r, const options *o, uint32_t ranks) {
    (void)r;
    (void)o;
    (void)ranks;
    return NULL;
}
#endif
