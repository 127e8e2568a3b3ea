// SPDX-License-Identifier: MIT
// The game of attack.c and replays.c: ships that inputs steer, and shots. What each frame was last
// played with is recorded.
#pragma once
#include "feed.h"

#include <keel_session.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pad {
    int8_t x;
    uint8_t fire;
} Pad;
// Values may come from a hostile image: they may be any numbers.
typedef struct Ship {
    uint32_t x, player, shots, alone;
} Ship;
typedef struct Shot {
    uint32_t x, life;
} Shot;
KEEL_FIELDS(Ship, x, player, shots, alone);
KEEL_COMPONENT(Ship, KEEL_HAS_FIELDS(Ship));
KEEL_FIELDS(Shot, x, life);
KEEL_COMPONENT(Shot, KEEL_HAS_FIELDS(Shot), .storage = KEEL_ARCHETYPE);
KEEL_TAG(TagWithALongNameSoThatTheHashesOfPartsTakeManyBytes);
KEEL_TAG(TagWithAnotherLongNameWhichIsForTheSameReasonHere);

enum { GAME_PLAYERS = 4, GAME_FRAMES = 4096 };

typedef struct game_frame {
    uint8_t plays[KEEL_SESSION_MAX_PLAYERS];
    Pad pad[KEEL_SESSION_MAX_PLAYERS];
} game_frame;
extern game_frame *game_record; // of the machine that is attacked; NULL: nothing is recorded

// Returns the workload that plays one frame.
const keel_workload *game_step_of(void);
// Plays one frame with the inputs that are set.
void game_play(keel_world *world, double dt);
// Creates a world with a ship for each player, the same each time.
keel_world *game_world(void);
