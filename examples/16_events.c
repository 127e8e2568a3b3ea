// SPDX-License-Identifier: MIT
// You will learn: events that systems send to each other, on several threads, in one order; and
// what somebody who does not come any more has missed.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Target { int distance, life; } Target;
KEEL_COMPONENT(Target);

typedef struct Hit { keel_entity target; int damage; } Hit;
typedef struct Bang { int distance; } Bang;
KEEL_EVENT(Hit);
KEEL_EVENT(Bang, .limit = 4); // more are not kept for those who do not come

// Split over the workers: events come in the order of the entities, whoever was first.
KEEL_SYSTEM(shoot, KEEL_READ(Target, target), KEEL_ENTITY(e), KEEL_SEND(Hit, hits)) {
    if (target->distance < 3) keel_send(hits, Hit, { e, 10 / (1 + target->distance) });
}

// Has the queue of bangs alone, and shares that of hits with whoever else receives them.
KEEL_SYSTEM_ONCE(hurt, KEEL_RECEIVE(Hit, hits), KEEL_MAY_WRITE(Target), KEEL_CONTEXT(context),
          KEEL_SEND(Bang, bangs)) {
    KEEL_EACH_EVENT(hits, Hit, hit) {
        Target *target = keel_get_mut(context, hit->target, Target);
        if (!target || target->life <= 0) continue;
        target->life -= hit->damage;
        printf("  target %u: %d\n", (unsigned)keel_entity_index(hit->target), target->life);
        if (target->life <= 0) keel_send(bangs, Bang, { target->distance });
    }
}

// It receives what it sends itself in its next run: an echo.
KEEL_SYSTEM_ONCE(echo, KEEL_RECEIVE(Bang, in), KEEL_SEND(Bang, out)) {
    KEEL_EACH_EVENT(in, Bang, bang) {
        printf("  bang at %d\n", bang->distance);
        if (bang->distance < 3) keel_send(out, Bang, { bang->distance + 1 });
    }
}

KEEL_CONDITION(anything_hit, KEEL_RECEIVE(Hit, hits)) { return keel_event_count(hits, Hit) > 0; }
KEEL_SYSTEM_ONCE(cheer, KEEL_RECEIVE(Hit, hits)) {
    printf("  %u hits!\n", (unsigned)keel_event_count(hits, Hit));
}

// What is printed Keel does not know of, so `cheer` asks for its turn.
KEEL_WORKLOAD(turn, KEEL_STEP(shoot, .parallel = true), KEEL_STEP(hurt), KEEL_STEP(echo),
              KEEL_STEP(cheer, .after = "hurt, echo", .run_if = KEEL_IF(anything_hit)));

int main(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .log = keel_log_none });
    keel_reader *sleeper = keel_reader_create(world, "a sleeper");
    for (int i = 0; i < 4; ++i)
        keel_add_entity(world, KEEL_INIT(Target, { i, 12 }));
    KEEL_EACH_EVENT(sleeper, Bang, bang) printf("%d\n", bang->distance); // none yet

    for (int i = 1; i <= 4; ++i) {
        printf("turn %d\n", i);
        keel_run_workload(world, turn);
    }

    printf("the sleeper has missed %u\n", (unsigned)keel_missed_events(sleeper, Bang));
    KEEL_EACH_EVENT(sleeper, Bang, bang) printf("and hears a bang at %d\n", bang->distance);
    keel_reader_advance(sleeper);
    printf("%u left\n", (unsigned)keel_event_count(sleeper, Bang));
    keel_world_destroy(world);
    return 0;
}
