// SPDX-License-Identifier: MIT
// You will learn: relations. Ships follow a leader, and a system reads the leader's place beside
// their own; one asks who follows whom from both sides, and nobody follows a ship that is gone.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Place { int x, y; } Place;
typedef struct Slot { int x, y; } Slot; // in the formation, seen from the leader
KEEL_COMPONENT(Place);
KEEL_COMPONENT(Slot);
KEEL_RELATION(Follows, .exclusive = true); // one leader at most

// A new place depends on that of the leader, who may follow another one. To read it is not to
// write it: where ships go to is a component of its own, and the order does not count.
typedef struct Goal { int x, y; } Goal;
KEEL_COMPONENT(Goal);

KEEL_SYSTEM(aim, KEEL_WRITE(Goal, goal), KEEL_READ(Slot, slot), KEEL_OF_TARGET(Follows, KEEL_READ(Place, leader))) {
    *goal = (Goal){ leader->x + slot->x, leader->y + slot->y };
}
static int step(int from, int to) { return from + (to > from) - (to < from); }
KEEL_SYSTEM(fly, KEEL_WRITE(Place, place), KEEL_READ(Goal, goal)) {
    *place = (Place){ step(place->x, goal->x), step(place->y, goal->y) };
}
KEEL_WORKLOAD(frame, KEEL_STEP(aim, .parallel = true), KEEL_STEP(fly, .parallel = true));

KEEL_SYSTEM(print, KEEL_READ(keel_name, name), KEEL_READ(Place, place)) {
    printf("  %-6s at %2d, %2d\n", name->text, place->x, place->y);
}

static keel_entity ship(keel_world *world, const char *name, Slot slot) {
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Place, { 0, 0 }), KEEL_INIT(Goal, { 0, 0 }), KEEL_INIT(Slot, { slot.x, slot.y }));
    keel_set_name(world, e, name);
    return e;
}

static void fly_for(keel_world *world, int frames, const char *what) {
    for (int i = 0; i < frames; ++i)
        keel_run_workload(world, frame);
    printf("%s\n", what);
    keel_run(world, print);
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    const keel_entity lead = ship(world, "lead", (Slot){ 0, 0 });
    const keel_entity left = ship(world, "left", (Slot){ -2, -2 });
    const keel_entity right = ship(world, "right", (Slot){ 2, -2 });
    const keel_entity last = ship(world, "last", (Slot){ 0, -3 });
    keel_add(world, lead, Goal, { 10, 5 });
    keel_relate(world, left, Follows, lead);
    keel_relate(world, right, Follows, lead);
    keel_relate(world, last, Follows, left);
    fly_for(world, 20, "in formation:");

    printf("who follows lead:\n");
    KEEL_EACH(world, KEEL_RELATED(Follows, lead), KEEL_READ(keel_name, name))
        printf("  %s\n", name->text);
    printf("who is followed:\n");
    KEEL_EACH(world, KEEL_TARGETED(Follows), KEEL_READ(keel_name, name)) printf("  %s\n", name->text);

    keel_relate(world, last, Follows, right); // and left is not followed any more
    fly_for(world, 10, "last changes sides:");

    keel_delete_entity(world, lead);
    printf("without lead: left %s, last %s\n", keel_has(world, left, Follows) ? "follows" : "is on its own",
           keel_has(world, last, Follows) ? "follows" : "is on its own");
    keel_world_destroy(world);
    return 0;
}
