// SPDX-License-Identifier: MIT
// The fault: a barrier that nobody needs stands between `animate` and `think`. The question: why do
// these two not run at once?
#include "fault.h"

typedef struct Bone {
    float angle;
} Bone;
typedef struct Sprite {
    float brightness;
} Sprite;
typedef struct Brain {
    float mood;
} Brain;
KEEL_FIELDS(Bone, angle);
KEEL_FIELDS(Sprite, brightness);
KEEL_FIELDS(Brain, mood);
KEEL_COMPONENT(Bone, KEEL_HAS_FIELDS(Bone));
KEEL_COMPONENT(Sprite, KEEL_HAS_FIELDS(Sprite));
KEEL_COMPONENT(Brain, KEEL_HAS_FIELDS(Brain));

KEEL_SYSTEM(animate, KEEL_WRITE(Bone, bone)) {
    fault_spin(0.2);
    bone->angle += 0.1f;
}
KEEL_SYSTEM(draw, KEEL_WRITE(Sprite, sprite)) {
    fault_spin(0.2);
    sprite->brightness += 0.1f;
}
KEEL_SYSTEM(think, KEEL_WRITE(Brain, brain)) {
    fault_spin(0.2);
    brain->mood += 0.1f;
}
KEEL_WORKLOAD(frame, KEEL_STEP(animate), KEEL_BARRIER, KEEL_STEP(think), KEEL_STEP(draw));

int main(int count, char *arguments[]) {
    keel_world *world = fault_create("barrier");
    for (int i = 0; i < 10; ++i) {
        keel_add(world, fault_add_named(world, "bone", i), Bone, { 0 });
        keel_add(world, fault_add_named(world, "sprite", i), Sprite, { 0 });
        keel_add(world, fault_add_named(world, "brain", i), Brain, { 0 });
    }
    return fault_run(world, &KEEL_WORKLOAD_frame, count, arguments);
}
