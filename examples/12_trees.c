// SPDX-License-Identifier: MIT
// You will learn: entities that are parts of others. Where a part is follows from where the whole
// is; a part can be taken off and put on; what is deleted takes its parts along, or leaves them.
// Entities have names, and a path of names leads to one of them.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Local { int x, y; } Local; // seen from the parent
typedef struct Place { int x, y; } Place; // seen from the world
KEEL_COMPONENT(Local);
KEEL_COMPONENT(Place);

static void put(keel_context *context, keel_entity e, Place origin) {
    const Local *local = keel_get(context, e, Local);
    Place *place = keel_get_mut(context, e, Place);
    if (local && place) *place = (Place){ origin.x + local->x, origin.y + local->y };
}

// Roots are those without keel_child. Below each, parents come before their children, so the place
// that a part starts from is known when it is its turn.
KEEL_SYSTEM_ONCE(place_all, KEEL_MAY_READ(Local, keel_child), KEEL_MAY_WRITE(Place),
          KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WITH(Local), KEEL_WITHOUT(keel_child), KEEL_ENTITY(root)) {
        put(context, root, (Place){ 0, 0 });
        KEEL_EACH_DESCENDANT(context, root, part) {
            const Place *whole = keel_get(context, keel_parent_of(context, part), Place);
            if (whole) put(context, part, *whole);
        }
    }
}

KEEL_SYSTEM(print, KEEL_READ(keel_name, name), KEEL_READ(Place, place)) {
    printf("  %-6s at %d, %d\n", name->text, place->x, place->y);
}

static void show(keel_world *world, const char *what) {
    printf("%s\n", what);
    keel_run(world, place_all);
    keel_run(world, print);
}

static keel_entity part(keel_world *world, keel_entity whole, const char *name, int x, int y) {
    keel_entity e =
        keel_add_child(world, whole, KEEL_INIT(Local, { x, y }), KEEL_INIT(Place, { 0, 0 }));
    keel_set_name(world, e, name);
    return e;
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_entity tank =
        keel_add_entity(world, KEEL_INIT(Local, { 10, 0 }), KEEL_INIT(Place, { 0, 0 }));
    keel_set_name(world, tank, "tank");
    keel_entity turret = part(world, tank, "turret", 0, 2);
    part(world, turret, "gun", 3, 0);
    part(world, tank, "tracks", 0, -1);
    show(world, "all together");

    keel_add(world, tank, Local, { 50, 0 }); // all that is part of it moves along
    show(world, "the tank has moved");

    keel_entity gun = keel_find_entity(world, keel_null(), "tank/turret/gun");
    keel_attach(world, gun, tank); // it leaves the turret
    show(world, "the gun is on the tank itself");

    if (keel_attach(world, tank, gun) == KEEL_ERROR_CYCLE) printf("a tank is no part of its gun\n");
    printf("the tank has %u parts:", (unsigned)keel_child_count(world, tank));
    KEEL_EACH_CHILD(world, tank, child) printf(" %s", keel_name_of(world, child));
    printf("\n");

    keel_detach(world, turret);
    keel_delete_tree(world, tank); // keel_delete_entity would make its parts roots
    show(world, "what is left");
    keel_world_destroy(world);
    return 0;
}
