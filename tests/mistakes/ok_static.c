// SPDX-License-Identifier: MIT
// Systems, conditions and workloads that one file keeps to itself, and a system and a condition of
// one name.
#include <keel/keel.h>

typedef struct Health {
    int points;
} Health;
KEEL_COMPONENT(Health);
typedef struct Time {
    float seconds;
} Time;
KEEL_UNIQUE(Time);

static KEEL_SYSTEM(heal, KEEL_WRITE(Health, health)) { ++health->points; }
static KEEL_SYSTEM_SPAN(harm, KEEL_WRITE(Health, health), KEEL_SPAN_COUNT(n)) {
    for (uint32_t i = 0; i < n; ++i)
        --health[i].points;
}
static KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Time, time)) { ++time->seconds; }
static KEEL_CONDITION(late, KEEL_UNIQUE_READ(Time, time)) { return time->seconds > 9; }
KEEL_SYSTEM(hurt, KEEL_WRITE(Health, health)) { --health->points; }
KEEL_CONDITION(hurt, KEEL_MAY_READ(Health), KEEL_VIEW(all, KEEL_READ(Health, h)),
               KEEL_UNIQUE_READ(Time, time)) {
    return time->seconds > 0 && keel_view_count(all) > 0;
}
KEEL_SYSTEM_DECLARE(declared);
KEEL_SYSTEM(declared, KEEL_READ(Health, health)) { (void)health; }

static KEEL_WORKLOAD(frame, KEEL_STEP(heal), KEEL_STEP(harm, .run_if = KEEL_IF(late)), KEEL_BARRIER,
                     KEEL_STEP(tick), KEEL_STEP(hurt, .run_if = KEEL_IF(hurt)));
KEEL_WORKLOAD(only_barrier, KEEL_BARRIER);

keel_result use(keel_world *world);
keel_result use(keel_world *world) {
    KEEL_TRY(keel_run(world, heal));
    return keel_run_workload(world, frame);
}
