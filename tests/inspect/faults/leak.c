// SPDX-License-Identifier: MIT
// The fault: `shoot` adds a bullet in each frame, and `land` deletes only those that fly down. The
// question: what grows?
#include "fault.h"

typedef struct Position {
    float x, y;
} Position;
typedef struct Bullet {
    float speed;
} Bullet;
KEEL_FIELDS(Position, KEEL_FIELD(x, .unit = "m"), KEEL_FIELD(y, .unit = "m"));
KEEL_FIELDS(Bullet, speed);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Bullet, KEEL_HAS_FIELDS(Bullet));

KEEL_SYSTEM_ONCE(shoot, KEEL_COMMANDS(commands, Position, Bullet)) {
    keel_add_entity(commands, KEEL_INIT(Position, { 0, 10 }), KEEL_INIT(Bullet, { 1 }));
    keel_add_entity(commands, KEEL_INIT(Position, { 0, 10 }), KEEL_INIT(Bullet, { -1 }));
}
KEEL_SYSTEM(fly, KEEL_WRITE(Position, position), KEEL_READ(Bullet, bullet)) {
    position->y += bullet->speed;
}
KEEL_SYSTEM(land, KEEL_READ(Position, position), KEEL_WITH(Bullet), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands)) {
    if (position->y < 0) keel_delete_entity(commands, e);
}
KEEL_WORKLOAD(frame, KEEL_STEP(shoot), KEEL_STEP(fly), KEEL_STEP(land));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("leak");
    for (int i = 0; i < 4; ++i)
        keel_add(world, fault_add_named(world, "ship", i), Position, { (float)i, 0 });
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
