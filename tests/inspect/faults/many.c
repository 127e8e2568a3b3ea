// SPDX-License-Identifier: MIT
// No fault, but a world of 1,000,000 entities, and one whose name is markup. Are the first rows of
// a query there at once, and does a name stay text?
#include "fault.h"

typedef struct Position {
    float x, y;
} Position;
KEEL_FIELDS(Position, KEEL_FIELD(x, .unit = "m"), KEEL_FIELD(y, .unit = "m"));
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
KEEL_TAG(Odd);

KEEL_SYSTEM(rest, KEEL_READ(Position, position), KEEL_WITH(Odd)) { (void)position; }
KEEL_WORKLOAD(frame, KEEL_STEP(rest));

enum { ENTITIES = 1000000 };

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("many");
    const keel_entity markup = keel_add_entity(world);
    keel_add(world, markup, Odd);
    keel_set_name(world, markup, "<img src=x onerror=alert(1)>");
    if (keel_add_entities(world, ENTITIES - 1, NULL, KEEL_FILL(Position, { 1, 2 })) < 0) return 1;
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
