// SPDX-License-Identifier: MIT
// You will learn: what an entity, a component and a system are, and how to run one.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Position { float x, y; } Position;
typedef struct Velocity { float x, y; } Velocity;
KEEL_COMPONENT(Position); // a component is data that an entity can have
KEEL_COMPONENT(Velocity);

// a system runs once for each entity that has all of these
KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_entity ship =
        keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { .x = 3 }));
    keel_entity rock = keel_add_entity(world, KEEL_INIT(Position, { 5, 5 })); // no velocity

    keel_run(world, move);

    const Position *p = keel_get(world, ship, Position); // NULL if the ship had none
    if (p) printf("ship is at %g, %g\n", (double)p->x, (double)p->y);
    printf("rock moves: %s\n", keel_has(world, rock, Velocity) ? "yes" : "no");
    keel_world_destroy(world);
    return 0;
}
