// SPDX-License-Identifier: MIT
// The fault: `heal` and `bleed` write the same Health in each frame, and it never moves. The
// question: who changes this value?
#include "fault.h"

typedef struct Health {
    float points;
} Health;
KEEL_FIELDS(Health, KEEL_FIELD(points, .max = 1000));
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));

KEEL_SYSTEM(heal, KEEL_WRITE(Health, health)) { health->points += 2; }
KEEL_SYSTEM(bleed, KEEL_WRITE(Health, health)) { health->points -= 2; }
KEEL_SYSTEM(look, KEEL_READ(Health, health)) { (void)health; }
KEEL_WORKLOAD(frame, KEEL_STEP(heal), KEEL_STEP(bleed), KEEL_STEP(look));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("two_writers");
    for (int i = 0; i < 4; ++i)
        keel_add(world, fault_add_named(world, "ship", i), Health, { 200 });
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
