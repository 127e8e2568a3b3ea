// SPDX-License-Identifier: MIT
// What the game knows: the components of its squares, and the uniques that belong to no square. Every
// file of the game includes this one. All of the game's state is here, so that it can be hashed and rewound.
#pragma once
#include <keel/keel.h>

// The picture has 960 x 540 pixels; squares are between TOP and BOTTOM, the score is above and the help below.
enum { ARENA_WIDTH = 960, ARENA_HEIGHT = 540, ARENA_TOP = 58, ARENA_BOTTOM = 510, FRAMES_PER_SECOND = 60 };
// Over the network four can play, at one keyboard two.
enum { MAX_PLAYERS = 4, KEYBOARD_PLAYERS = 2 };

// ---------------------------------------------------------------- components
typedef struct Position {
    float x, y; // of the centre, in pixels of the arena
} Position;
typedef struct Velocity {
    float x, y; // pixels per frame
} Velocity;
typedef struct Size {
    float side;
} Size;
typedef struct Player {
    int32_t index;
    int32_t power;      // frames for which it can eat grown squares
    int32_t invincible; // frames for which it cannot be hit
    int32_t chain;      // grown squares that were eaten with this pellet
    float pop;          // 1 when it has just eaten, falls to 0: the picture swells with it
} Player;
// A square that appears and grows. It is a friend, which can be eaten, until it is full; then it hunts.
typedef struct Friend {
    float full;  // the side at which it is grown
    float speed; // at most, when it hunts
    int32_t grown;
    int32_t eaten; // in this frame: it is deleted at the end of the system that ate it
} Friend;
typedef struct Pellet {
    int32_t age;
} Pellet;
typedef struct Particle {
    int32_t left; // frames
    int32_t paint;
    int32_t points; // it is this number, in letters; 0: a small square
} Particle;
KEEL_FIELDS(Position, x, y);
KEEL_FIELDS(Velocity, x, y);
KEEL_FIELDS(Size, side);
KEEL_FIELDS(Player, index, power, invincible, chain, pop);
KEEL_FIELDS(Friend, full, speed, grown, eaten);
KEEL_FIELDS(Pellet, age);
KEEL_FIELDS(Particle, left, paint, points);
KEEL_COMPONENT(Position, .no_padding = true, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Velocity, .no_padding = true, KEEL_HAS_FIELDS(Velocity));
KEEL_COMPONENT(Size, .no_padding = true, KEEL_HAS_FIELDS(Size));
KEEL_COMPONENT(Player, .no_padding = true, KEEL_HAS_FIELDS(Player));
KEEL_COMPONENT(Friend, .no_padding = true, KEEL_HAS_FIELDS(Friend));
KEEL_COMPONENT(Pellet, .no_padding = true, KEEL_HAS_FIELDS(Pellet));
KEEL_COMPONENT(Particle, .no_padding = true, KEEL_HAS_FIELDS(Particle));

// What a particle is made of; draw.c has the colours. Those of the players come first, by index.
enum { PAINT_PLAYER, PAINT_FRIEND = MAX_PLAYERS, PAINT_FOE, PAINT_PELLET };

// ---------------------------------------------------------------- uniques
typedef enum Phase { MENU, STARTING, PLAYING, PAUSED, OVER } Phase;
KEEL_STATE(Phase);

enum { PRESS_START = 1, PRESS_PAUSE = 2, PRESS_RESTART = 4, POINTING = 8, PRESS_ONE = 16, PRESS_TWO = 32 };
// What one player does in a frame.
typedef struct Pad {
    int8_t x, y; // -1, 0, 1
    uint16_t buttons;
    int16_t to_x, to_y; // where the pointer is, while POINTING is set: it leads the player
} Pad;
// What all players do. It comes from keys, from the automatic player, from a record or over the network.
typedef struct Input {
    Pad pads[MAX_PLAYERS];
} Input;
typedef struct Clock {
    uint32_t frame;
} Clock;
typedef struct Dice {
    uint32_t state;
} Dice;
typedef struct Match {
    int32_t players; // their scores are shown, also of those who left
    int32_t there;   // bit i: player i plays
    int32_t seated;  // bit i: player i has got a square in this match
    int32_t score[MAX_PLAYERS];
    int32_t time;  // frames that were played
    uint32_t began; // the frame in which it did
    uint32_t idle;  // frames since it was paused or over, 0 while it is played
    int32_t shake; // frames for which the picture shakes, after a hit
} Match;
KEEL_FIELDS(Pad, x, y, buttons, to_x, to_y);
KEEL_FIELDS(Input, KEEL_FIELD(pads, .of = KEEL_TYPE(Pad)));
KEEL_FIELDS(Clock, frame);
KEEL_FIELDS(Dice, state);
KEEL_FIELDS(Match, players, there, seated, score, time, began, idle, shake);
KEEL_UNIQUE(Input, .no_padding = true, KEEL_HAS_FIELDS(Input));
KEEL_UNIQUE(Clock, .no_padding = true, KEEL_HAS_FIELDS(Clock));
KEEL_UNIQUE(Dice, .no_padding = true, KEEL_HAS_FIELDS(Dice));
KEEL_UNIQUE(Match, .no_padding = true, KEEL_HAS_FIELDS(Match));

// ---------------------------------------------------------------- events
typedef struct Touch {
    keel_entity player, other;
} Touch;
KEEL_EVENT(Touch, .no_padding = true);
