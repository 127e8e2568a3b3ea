// SPDX-License-Identifier: MIT
// The fault: in frame 300 door 3 opens, among a hundred that stay. The question: what is different
// between two frames?
#include "fault.h"
#include <string.h>

typedef struct Door {
    bool open;
} Door;
KEEL_FIELDS(Door, open);
KEEL_COMPONENT(Door, KEEL_HAS_FIELDS(Door));
typedef struct Clock {
    int frame;
} Clock;
KEEL_FIELDS(Clock, frame);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));

KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->frame; }
KEEL_SYSTEM(guard, KEEL_WRITE(Door, door), KEEL_UNIQUE_READ(Clock, clock),
            KEEL_READ(keel_name, name)) {
    if (clock->frame == FAULT_FRAME && !strcmp(name->text, "door 3")) door->open = true;
}
KEEL_WORKLOAD(frame, KEEL_STEP(tick), KEEL_STEP(guard));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("flip");
    keel_set_unique(world, Clock, { 0 });
    for (int i = 0; i < 100; ++i)
        keel_add(world, fault_add_named(world, "door", i), Door, { false });
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
