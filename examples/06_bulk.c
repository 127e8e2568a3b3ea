// SPDX-License-Identifier: MIT
// You will learn: creating a million entities at once, from arrays, from an array of structs, and
// with one value for all; and copies of a prototype.
#include <keel/keel.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Position { float x, y; } Position;
typedef struct Velocity { float x, y; } Velocity;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_TAG(Star);
typedef struct record { Position at; Velocity v; char name[8]; } record; // as read from a file
enum { COUNT = 1000000 };

int main(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .entity_capacity = COUNT });
    Position *positions = malloc(COUNT * sizeof *positions);
    record *records = calloc(1000, sizeof *records);
    keel_entity *stars = malloc(COUNT * sizeof *stars);
    if (!world || !positions || !records || !stars) return 1;
    for (uint32_t i = 0; i < COUNT; ++i)
        positions[i] = (Position){ (float)i, 0 };

    // all or nothing: on an error no entity was made
    keel_result r = keel_add_entities(world, COUNT, stars,
                                      KEEL_COLUMN(Position, positions), // one array per component
                                      KEEL_FILL(Velocity, { .x = 1 }),  // the same value for all
                                      KEEL_FILL(Star));                 // a tag
    if (r < 0) return 1;
    r = keel_add_entities(world, 1000, NULL, // the handles are not wanted
                          KEEL_COLUMN_IN(Position, &records->at, sizeof *records),
                          KEEL_COLUMN_IN(Velocity, &records->v, sizeof *records));
    if (r < 0) return 1;
    r = keel_clone_entities(world, stars[7], 10, NULL); // ten copies of star 7
    if (r < 0) return 1;

    const Position *p = keel_get(world, stars[123456], Position);
    printf("%u entities, %u stars, star 123456 at %g\n", keel_entity_count(world),
           keel_count(world, Star), p ? (double)p->x : -1);
    free(positions);
    free(records);
    free(stars);
    keel_world_destroy(world);
    return 0;
}
