// SPDX-License-Identifier: MIT
// The fault: `repair` asks for Hull and Crew, but no ship has both. The question: why does a system
// match nobody?
#include "fault.h"

typedef struct Hull {
    float points;
} Hull;
typedef struct Crew {
    int heads;
} Crew;
KEEL_FIELDS(Hull, points);
KEEL_FIELDS(Crew, heads);
KEEL_COMPONENT(Hull, KEEL_HAS_FIELDS(Hull));
KEEL_COMPONENT(Crew, KEEL_HAS_FIELDS(Crew));

KEEL_SYSTEM(repair, KEEL_WRITE(Hull, hull), KEEL_READ(Crew, crew)) {
    hull->points += (float)crew->heads;
}
KEEL_SYSTEM(feed, KEEL_WRITE(Crew, crew)) { crew->heads ^= 1; }
KEEL_WORKLOAD(frame, KEEL_STEP(repair), KEEL_STEP(feed));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("matches_nobody");
    for (int i = 0; i < 10; ++i) {
        const keel_entity ship = fault_add_named(world, "ship", i);
        if (i < 6) keel_add(world, ship, Hull, { 5 });
        else keel_add(world, ship, Crew, { 2 });
    }
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
