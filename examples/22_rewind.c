// SPDX-License-Identifier: MIT
// You will learn: a rewind key over a ring of snapshots, and rollback: inputs that come late, and a
// game that is the same in the end as if they had come in time.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Position { int x, y; } Position;
typedef struct Speed { int x, y; } Speed;
KEEL_COMPONENT(Position, .no_padding = true);
KEEL_COMPONENT(Speed, .no_padding = true);

// What a game knows beside its entities goes into uniques, the random generator first of all.
typedef struct Dice { unsigned state; } Dice;
typedef struct Pad { int x; } Pad;
KEEL_UNIQUE(Dice, .no_padding = true);
KEEL_UNIQUE(Pad, .no_padding = true);

static unsigned roll(Dice *dice, unsigned below) {
    dice->state = dice->state * 1664525u + 1013904223u;
    return (dice->state >> 16) % below;
}

KEEL_SYSTEM_ONCE(spawn, KEEL_UNIQUE_WRITE(Dice, dice), KEEL_UNIQUE_READ(Pad, pad), KEEL_COMMANDS(out)) {
    if (roll(dice, 3)) return;
    keel_add_entity(out, KEEL_INIT(Position, { pad->x, 0 }), KEEL_INIT(Speed, { (int)roll(dice, 5) - 2, 1 }));
}
KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Speed, s)) {
    p->x += s->x;
    p->y += s->y;
}
KEEL_SYSTEM(leave, KEEL_READ(Position, p), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (p->y > 20) keel_delete_entity(out, e);
}
KEEL_WORKLOAD(play, KEEL_STEP(spawn), KEEL_STEP(move, .parallel = true), KEEL_STEP(leave));

static keel_world *new_game(void) {
    keel_world *world = keel_world_create(NULL);
    keel_set_unique(world, Dice, { 7 });
    return world;
}
static void step(keel_world *world, int x) {
    keel_set_unique(world, Pad, { x });
    keel_run_workload(world, play);
}
static unsigned long long hash_of(keel_world *world) {
    uint64_t hash = 0;
    keel_world_hash(world, &hash);
    return (unsigned long long)hash;
}

enum { FRAMES = 60, LATE = 5 };
static int input(int frame) { return frame * frame % 11; } // of the other side

int main(void) {
    // in time
    keel_world *here = new_game();
    for (int f = 0; f < FRAMES; ++f)
        step(here, input(f));
    printf("in time: %u entities\n", (unsigned)keel_entity_count(here));

    // late: guess that the pad is where it was, and play again what was guessed wrong
    keel_world *there = new_game();
    keel_ring *ring = keel_ring_create(there, LATE + 1);
    int known = 0, played = 0;
    for (int f = 0; f < FRAMES; ++f) {
        const int arrived = f - LATE + 1; // the inputs of all frames before it are here
        int from = f;
        if (arrived > known && arrived - 1 >= 0 && arrived - 1 < f) {
            from = arrived - 1; // the guess for that frame was the last one known
            known = arrived;
            if (keel_rollback(ring, (uint64_t)from) != KEEL_OK) return 1;
        }
        for (int at = from; at <= f; ++at, ++played) {
            keel_ring_take(ring, (uint64_t)at);
            step(there, at < known ? input(at) : known ? input(known - 1) : 0);
        }
    }
    keel_rollback(ring, FRAMES - LATE); // the rest arrives
    for (int f = FRAMES - LATE; f < FRAMES; ++f)
        step(there, input(f));
    printf("late: %d frames were played for %d, the same in the end: %s\n", played, FRAMES,
           hash_of(here) == hash_of(there) ? "yes" : "no");

    // a rewind key: three frames back, and another way from there
    for (int f = 0; f < 6; ++f) {
        keel_ring_take(ring, (uint64_t)(FRAMES + f));
        step(there, 3);
    }
    const unsigned long long after = hash_of(there);
    keel_rollback(ring, FRAMES + 3);
    for (int f = 3; f < 6; ++f)
        step(there, 3);
    printf("back three frames and on: %s\n", hash_of(there) == after ? "the same" : "something else");
    keel_rollback(ring, FRAMES + 3);
    for (int f = 3; f < 6; ++f)
        step(there, 9);
    printf("back and another way: %s\n", hash_of(there) == after ? "the same" : "something else");

    keel_ring_destroy(ring);
    keel_world_destroy(there);
    keel_world_destroy(here);
    return 0;
}
