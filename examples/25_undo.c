// SPDX-License-Identifier: MIT
// You will learn: undo and redo in an editor, where one step is what the user did, not what it was made of.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Position { int x, y; } Position;
KEEL_COMPONENT(Position);

static void show(keel_world *world, const keel_history *past, const char *what) {
    printf("%-14s", what);
    KEEL_EACH(world, KEEL_READ(Position, p)) printf(" (%d, %d)", p->x, p->y);
    printf("   %u behind, %u ahead\n", (unsigned)keel_history_behind(past), (unsigned)keel_history_ahead(past));
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_history *past = keel_history_create(world, (size_t)16 << 20);
    const keel_entity first = keel_add_entity(world, KEEL_INIT(Position, { 0, 0 }));
    (void)keel_add_entity(world, KEEL_INIT(Position, { 5, 5 }));
    if (keel_history_push(past) != KEEL_OK) return 1;
    show(world, past, "begin");

    KEEL_EACH(world, KEEL_WRITE(Position, p)) p->x += 10; // one drag of the mouse moves all of them
    (void)keel_history_push(past);
    show(world, past, "moved");
    (void)keel_delete_entity(world, first);
    (void)keel_history_push(past);
    show(world, past, "deleted");

    (void)keel_history_back(past);
    show(world, past, "undo");
    (void)keel_history_back(past);
    show(world, past, "undo");
    printf("at the begin: %s\n", keel_result_text(keel_history_back(past)));
    (void)keel_history_forward(past);
    show(world, past, "redo");

    (void)keel_replace(world, first, Position, { 7, 7 }); // the handle is the same one
    (void)keel_history_push(past); // what lay ahead is forgotten
    show(world, past, "something else");
    keel_history_destroy(past);
    keel_world_destroy(world);
    return 0;
}
