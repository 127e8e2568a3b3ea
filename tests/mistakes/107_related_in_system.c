// SPDX-License-Identifier: MIT
// A system asks for the sources of one target
// gcc: glide: KEEL_RELATED is for loops and views: a system does not know the target
#include "game.h"

KEEL_RELATION(Likes);
static keel_entity sun;

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_RELATED(Likes, sun)) { p->x += 1; }
