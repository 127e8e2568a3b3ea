// SPDX-License-Identifier: MIT
// The fault: `storm` takes 20 points from ship 2 in one frame only, the 300th. The question: who
// changed this value, and when?
#include "fault.h"

typedef struct Health {
    float points;
} Health;
KEEL_FIELDS(Health, KEEL_FIELD(points, .max = 1000));
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));
typedef struct Clock {
    int frame;
} Clock;
KEEL_FIELDS(Clock, frame);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));

KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->frame; }
KEEL_CONDITION(is_late, KEEL_UNIQUE_READ(Clock, clock)) { return clock->frame == FAULT_FRAME; }
KEEL_SYSTEM(storm, KEEL_WRITE(Health, health)) { health->points -= 20; }
KEEL_SYSTEM(look, KEEL_READ(Health, health)) { (void)health; }
KEEL_WORKLOAD(frame, KEEL_STEP(tick), KEEL_STEP(look),
              KEEL_STEP(storm, .run_if = KEEL_IF(is_late)));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("late_writer");
    keel_set_unique(world, Clock, { 0 });
    for (int i = 0; i < 4; ++i)
        keel_add(world, fault_add_named(world, "ship", i), Health, { 200 });
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
