// SPDX-License-Identifier: MIT
// The fault: ship 7 is still Frozen, and `move` leaves out what is. The question: why does a system
// not match this entity, which has all that it needs?
#include "fault.h"

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
KEEL_FIELDS(Position, KEEL_FIELD(x, .unit = "m"), KEEL_FIELD(y, .unit = "m"));
KEEL_FIELDS(Velocity, x, y);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Velocity, KEEL_HAS_FIELDS(Velocity));
KEEL_TAG(Frozen);

KEEL_SYSTEM(move, KEEL_WRITE(Position, position), KEEL_READ(Velocity, velocity),
            KEEL_WITHOUT(Frozen)) {
    position->x += velocity->x;
    position->y += velocity->y;
}
KEEL_WORKLOAD(frame, KEEL_STEP(move));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("filter");
    for (int i = 0; i < 12; ++i) {
        const keel_entity ship = fault_add_named(world, "ship", i);
        keel_add(world, ship, Position, { (float)i, 0 });
        keel_add(world, ship, Velocity, { 0.1f, 0 });
        if (i == 7) keel_add(world, ship, Frozen);
    }
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
