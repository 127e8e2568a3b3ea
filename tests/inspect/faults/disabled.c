// SPDX-License-Identifier: MIT
// The fault: the Shield of ship 2 is disabled, so `protect` leaves it out. The question: why does a
// system not match an entity that has the component?
#include "fault.h"

typedef struct Shield {
    float strength;
} Shield;
typedef struct Health {
    float points;
} Health;
KEEL_FIELDS(Shield, strength);
KEEL_FIELDS(Health, KEEL_FIELD(points, .max = 1000));
KEEL_COMPONENT(Shield, KEEL_HAS_FIELDS(Shield));
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));

KEEL_SYSTEM(protect, KEEL_WRITE(Health, health), KEEL_READ(Shield, shield)) {
    if (health->points < 1000) health->points += shield->strength;
}
KEEL_WORKLOAD(frame, KEEL_STEP(protect));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("disabled");
    for (int i = 0; i < 4; ++i) {
        const keel_entity ship = fault_add_named(world, "ship", i);
        keel_add(world, ship, Health, { 200 });
        keel_add(world, ship, Shield, { 0.1f });
        if (i == 2) keel_disable(world, ship, Shield);
    }
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
