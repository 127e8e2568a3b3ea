// SPDX-License-Identifier: MIT
// The fault: `path` takes 6 ms of each frame for five entities. The question: why is the frame
// slow?
#include "fault.h"

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Goal {
    float x, y;
} Goal;
KEEL_FIELDS(Position, KEEL_FIELD(x, .unit = "m"), KEEL_FIELD(y, .unit = "m"));
KEEL_FIELDS(Velocity, x, y);
KEEL_FIELDS(Goal, x, y);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Velocity, KEEL_HAS_FIELDS(Velocity));
KEEL_COMPONENT(Goal, KEEL_HAS_FIELDS(Goal));

KEEL_SYSTEM(move, KEEL_WRITE(Position, position), KEEL_READ(Velocity, velocity)) {
    position->x += velocity->x;
    position->y += velocity->y;
}
KEEL_SYSTEM(path, KEEL_WRITE(Velocity, velocity), KEEL_READ(Goal, goal)) {
    fault_spin(1.2);
    velocity->x = goal->x * 0.01f;
}
KEEL_SYSTEM(wrap, KEEL_WRITE(Position, position)) {
    if (position->x > 100) position->x -= 100;
}
KEEL_WORKLOAD(frame, KEEL_STEP(path), KEEL_STEP(move), KEEL_STEP(wrap));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("slow_system");
    for (int i = 0; i < 1000; ++i) {
        const keel_entity ship = fault_add_named(world, "ship", i);
        keel_add(world, ship, Position, { (float)i, 0 });
        keel_add(world, ship, Velocity, { 0.1f, 0 });
        if (i < 5) keel_add(world, ship, Goal, { 1, 1 });
    }
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
