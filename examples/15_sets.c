// SPDX-License-Identifier: MIT
// You will learn: letting the world collect what needs another look, and being told of entities
// that enter or leave what some terms match.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Tile { int height; } Tile;
typedef struct Mesh { int built; } Mesh;
KEEL_COMPONENT(Tile, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Mesh);
KEEL_TAG(Hidden);
KEEL_TAG(Stale); // the set: whose mesh does not show its tile

// However often a tile changes, its mesh is built once.
KEEL_SYSTEM(rebuild, KEEL_WRITE(Mesh, mesh), KEEL_READ(Tile, tile), KEEL_WITH(Stale), KEEL_ENTITY(e)) {
    mesh->built = tile->height;
    printf("  mesh %u: height %d\n", (unsigned)keel_entity_index(e), mesh->built);
}

static void on_drawn(const keel_change *event, void *data) {
    int *drawn = data;
    *drawn += event->kind == KEEL_ON_ENTERED ? 1 : -1;
}

static void raise(void *value, void *data) { ((Tile *)value)->height += *(const int *)data; }

static void frame(keel_world *world, const char *what, const int *drawn) {
    printf("%s: %u stale, %d drawn\n", what, (unsigned)keel_count(world, Stale), *drawn);
    keel_run(world, rebuild);
    keel_clear(world, Stale);
}

int main(void) {
    keel_world *world = keel_world_create(NULL);
    int drawn = 0;
    keel_collect(world, Stale, Tile, KEEL_ON_INSERTED | KEEL_ON_MODIFIED);
    keel_collect(world, Stale, Hidden, KEEL_ON_DELETED | KEEL_ON_REMOVED); // it was not looked after
    keel_observe_view(world, KEEL_TERMS(KEEL_WITH(Tile), KEEL_WITH(Mesh), KEEL_WITHOUT(Hidden)),
                      KEEL_ON_ENTERED | KEEL_ON_LEFT, on_drawn, &drawn);

    keel_entity tiles[4];
    keel_add_entities(world, 4, tiles, KEEL_FILL(Tile, { 1 }), KEEL_FILL(Mesh, { 0 }));
    frame(world, "new", &drawn);

    int step = 2;
    keel_patch(world, tiles[1], Tile, raise, &step);
    keel_patch(world, tiles[1], Tile, raise, &step);
    keel_add(world, tiles[2], Tile, { 9 });
    keel_add(world, tiles[3], Hidden);
    frame(world, "changed", &drawn);

    keel_remove(world, tiles[3], Hidden);
    keel_delete_entity(world, tiles[0]);
    frame(world, "shown again", &drawn);

    // A loop only marks: what it wrote is found with KEEL_CHANGED.
    KEEL_EACH(world, KEEL_WRITE(Tile, tile))
        --tile->height;
    frame(world, "worn down", &drawn);
    keel_world_destroy(world);
    printf("at the end: %d drawn\n", drawn);
    return 0;
}
