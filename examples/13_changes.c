// SPDX-License-Identifier: MIT
// You will learn: systems that look only at what changed, values that say so themselves, and what
// is left of the dead.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Health { int points; } Health;
typedef struct Poison { int per_turn; } Poison;
typedef struct Bar { int shown; } Bar;
KEEL_COMPONENT(Health, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Poison);
KEEL_COMPONENT(Bar);

// Visits all, marks only what it really changes; KEEL_WRITE would mark all.
KEEL_SYSTEM(regenerate, KEEL_WRITE_MARKED(Health, health, changed), KEEL_WITHOUT(Poison)) {
    if (health->points >= 100) return;
    ++health->points;
    *changed = true;
}

KEEL_SYSTEM(poison, KEEL_WRITE(Health, health), KEEL_READ(Poison, p)) {
    health->points -= p->per_turn;
}

// The first time it sees everything, later what changed since its last run.
KEEL_SYSTEM(draw_bar, KEEL_WRITE(Bar, bar), KEEL_READ(Health, health), KEEL_CHANGED(Health),
            KEEL_ENTITY(e)) {
    bar->shown = health->points;
    printf("  bar %u: %d\n", (unsigned)keel_entity_index(e), bar->shown);
}

KEEL_SYSTEM(die, KEEL_READ(Health, health), KEEL_MODIFIED(Health), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands)) {
    if (health->points <= 0) keel_delete_entity(commands, e);
}

KEEL_SYSTEM_ONCE(mourn, KEEL_MAY_READ(Health), KEEL_CONTEXT(context)) {
    KEEL_EACH_REMOVED(context, Health, removal) if (removal.deleted) {
        const Health *last = removal.value;
        printf("  %u died with %d points\n", (unsigned)keel_entity_index(removal.entity), last->points);
    }
}

KEEL_WORKLOAD(turn, KEEL_STEP(regenerate), KEEL_STEP(poison), KEEL_STEP(draw_bar), KEEL_STEP(die),
              KEEL_STEP(mourn));

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_add_entity(world, KEEL_INIT(Health, { 100 }), KEEL_INIT(Bar));
    keel_add_entity(world, KEEL_INIT(Health, { 3 }), KEEL_INIT(Bar), KEEL_INIT(Poison, { 2 }));
    keel_add_entity(world, KEEL_INIT(Health, { 98 }), KEEL_INIT(Bar));
    for (int i = 1; i <= 4; ++i) {
        printf("turn %d\n", i);
        keel_run_workload(world, turn);
    }
    keel_world_destroy(world);
    return 0;
}
