// SPDX-License-Identifier: MIT
// You will learn: what one records in commands instead of doing it, when it happens, handles that
// can be used at once, and what becomes of commands about an entity that died meanwhile.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Cell { int food; } Cell;
typedef struct Link { keel_entity other; } Link;
KEEL_COMPONENT(Cell);
KEEL_COMPONENT(Link);
KEEL_TAG(Hungry);
typedef struct Clock { int ticks; } Clock;
KEEL_UNIQUE(Clock);

// The list says what the commands edit: only those wait for them who touch that. Entities that they
// create have their handles at once, the same for any number of threads.
KEEL_SYSTEM(divide, KEEL_WRITE(Cell, cell), KEEL_ENTITY(mother), KEEL_COMMANDS(commands, Cell, Link)) {
    if (cell->food < 4) return;
    const int given = cell->food / 3;
    cell->food -= given;
    const keel_entity daughter = keel_add_entity(commands, KEEL_INIT(Cell, { given }));
    keel_add(commands, daughter, Link, { mother }); // one knows the other
    keel_add(commands, mother, Link, { daughter });
}

// Without a list they may do anything, such as deleting entities: all that comes later waits.
KEEL_SYSTEM(starve, KEEL_WRITE(Cell, cell), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (--cell->food < 3) keel_add(commands, e, Hungry);
    if (cell->food <= 0) keel_delete_entity(commands, e);
}

// Any function may be a command: it gets the world to itself, and a copy of some data.
static keel_result report(keel_world *world, void *data) {
    const int *when = data;
    printf("%d: %u cells, %u hungry, %u know another one\n", *when, keel_entity_count(world),
           keel_count(world, Hungry), keel_count(world, Link));
    return KEEL_OK;
}
KEEL_SYSTEM_ONCE(look, KEEL_UNIQUE_WRITE(Clock, clock), KEEL_COMMANDS(commands)) {
    ++clock->ticks;
    keel_commands_call(commands, report, &clock->ticks, sizeof clock->ticks);
}

KEEL_WORKLOAD(life, KEEL_STEP(divide), KEEL_STEP(starve), KEEL_STEP(look));

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_set_unique(world, Clock, { 0 });
    keel_add_entity(world, KEEL_INIT(Cell, { 20 }));
    for (int i = 0; i < 3; ++i)
        if (keel_run_workload(world, life) < 0) {
            fprintf(stderr, "%s\n", keel_last_error(world)->message);
            return 1;
        }

    // outside of systems, for instance in a loop, where the world cannot be edited: keel_apply_commands does it
    keel_commands *commands = keel_world_commands(world);
    KEEL_EACH(world, KEEL_WITH(Hungry), KEEL_ENTITY(e)) keel_remove(commands, e, Hungry);
    const keel_entity lost = keel_add_entity(world, KEEL_INIT(Cell, { 1 }));
    keel_add(commands, lost, Hungry);
    keel_delete_entity(world, lost); // so there is nobody to add it to: that command is dropped
    printf("apply: %s, ", keel_result_text(keel_apply_commands(world)));
    printf("dropped: %u, ", (unsigned)keel_world_statistics(world).dropped_commands);
    printf("hungry: %u\n", keel_count(world, Hungry));
    keel_world_destroy(world);
    return 0;
}
