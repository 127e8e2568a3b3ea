// SPDX-License-Identifier: MIT
// The fault: `fight` sends Hit, and nobody receives it. The question: which events wait, and whose
// are they?
#include "fault.h"

typedef struct Health {
    float points;
} Health;
KEEL_FIELDS(Health, KEEL_FIELD(points, .max = 1000));
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));
typedef struct Hit {
    keel_entity target;
} Hit;
typedef struct Step {
    keel_entity walker;
} Step;
KEEL_EVENT(Hit);
KEEL_EVENT(Step);

KEEL_SYSTEM(fight, KEEL_READ(Health, health), KEEL_ENTITY(e), KEEL_SEND(Hit, hits)) {
    if (health->points > 0) keel_send(hits, Hit, { e });
}
KEEL_SYSTEM(walk, KEEL_READ(Health, health), KEEL_ENTITY(e), KEEL_SEND(Step, steps)) {
    if (health->points > 0) keel_send(steps, Step, { e });
}
KEEL_SYSTEM_ONCE(sound, KEEL_RECEIVE(Step, steps)) {
    KEEL_EACH_EVENT(steps, Step, step)
        (void)step;
}
KEEL_WORKLOAD(frame, KEEL_STEP(fight), KEEL_STEP(walk), KEEL_STEP(sound));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("no_receiver");
    for (int i = 0; i < 4; ++i)
        keel_add(world, fault_add_named(world, "ship", i), Health, { 200 });
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
