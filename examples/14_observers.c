// SPDX-License-Identifier: MIT
// You will learn: being told at once when something comes, changes or goes, answering with edits,
// and a reader that looks from time to time.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Door { int open; } Door;
typedef struct Alarm { int level; } Alarm;
KEEL_COMPONENT(Door);
KEEL_COMPONENT(Alarm, .tracking = KEEL_TRACK_INSERTION);

static const char *name_of(uint32_t kind) {
    return kind == KEEL_ON_INSERTED ? "built" : kind == KEEL_ON_MODIFIED ? "moved" : "torn down";
}

// It may look at everything. What it wants changed it records: that comes after the running edit.
static void on_door(const keel_change *event, void *data) {
    const Door *door = event->value;
    int *calls = data;
    ++*calls;
    printf("door %u %s: %s\n", (unsigned)keel_entity_index(event->entity), name_of(event->kind),
           door->open ? "open" : "shut");
    if (event->kind == KEEL_ON_MODIFIED && door->open)
        keel_add(event->commands, event->entity, Alarm, { 1 });
}

static void swing(void *value, void *data) {
    (void)data;
    Door *door = value;
    door->open = !door->open;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    int calls = 0;
    keel_observe(world, Door, KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED, on_door, &calls);
    keel_reader *guard = keel_reader_create(world, "guard");

    keel_entity doors[3];
    keel_add_entities(world, 3, doors, KEEL_FILL(Door, { 0 }));
    keel_patch(world, doors[1], Door, swing, NULL);
    KEEL_EACH(guard, KEEL_INSERTED(Alarm), KEEL_ENTITY(e))
        printf("the guard looks at door %u\n", (unsigned)keel_entity_index(e));
    keel_reader_advance(guard);

    keel_patch(world, doors[1], Door, swing, NULL);
    keel_patch(world, doors[2], Door, swing, NULL);
    KEEL_EACH(guard, KEEL_INSERTED(Alarm), KEEL_ENTITY(e))
        printf("the guard looks at door %u\n", (unsigned)keel_entity_index(e));

    keel_delete_entity(world, doors[0]);
    keel_unobserve(world, Door, on_door, &calls);
    keel_clear_entities(world); // nobody listens any more
    printf("%d calls\n", calls);
    keel_world_destroy(world);
    return 0;
}
