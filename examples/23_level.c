// SPDX-License-Identifier: MIT
// You will learn: a level from prefabs: a template with parts that know each other, a variant, many
// copies at once, and a level that was made in a world of its own and comes into the game.
#include <keel/keel.h>
#include <stdio.h>

typedef struct Place { int x, y; } Place;
typedef struct Health { int points; } Health;
typedef struct Guard { keel_entity door; } Guard;
KEEL_COMPONENT(Place);
KEEL_COMPONENT(Health);
KEEL_FIELDS(Guard, door); // a handle that follows: each guard stands at the door of its own house
KEEL_COMPONENT(Guard, KEEL_HAS_FIELDS(Guard));

// ------------------------------------------------------------------ templates
static keel_prefab make_house(keel_world *world) {
    keel_world *templates = keel_templates(world);
    keel_prefab house = { keel_add_entity(templates, KEEL_INIT(Health, { 50 })) };
    keel_entity door = keel_add_child(templates, house.root, KEEL_INIT(Health, { 5 }));
    keel_entity guard = keel_add_child(templates, house.root, KEEL_INIT(Guard, { door }));
    keel_set_name(templates, door, "door");
    keel_set_name(templates, guard, "guard");
    return house;
}

// ------------------------------------------------------------------ what came of it
static void print_house(const keel_world *world, keel_entity house) {
    keel_entity door = keel_find_entity(world, house, "door");
    keel_entity guard = keel_find_entity(world, house, "guard");
    const Place *place = keel_get(world, house, Place);
    printf("a house of %d at %d, %d: its guard stands at %s\n", keel_get(world, house, Health)->points,
           place->x, place->y,
           keel_is_same(keel_get(world, guard, Guard)->door, door) ? "its own door" : "another door");
}

int main(void) {
    keel_world *game = keel_world_create(NULL), *level = keel_world_create(NULL);

    // the templates of the level, one of them a variant; no loop ever meets them
    keel_prefab house = make_house(level);
    keel_prefab fort = { keel_spawn(keel_templates(level), house, KEEL_INIT(Health, { 500 })) };
    keel_entity row[3];
    const Place places[3] = { { 0, 0 }, { 10, 0 }, { 20, 0 } };
    keel_spawn_many(level, house, 3, row, KEEL_COLUMN(Place, places));
    keel_spawn(level, fort, KEEL_INIT(Place, { 10, 10 }));
    printf("the level has %u entities\n", (unsigned)keel_entity_count(level));

    // the level comes below an entity of the game, so that it goes with it
    keel_entity hero = keel_add_entity(game, KEEL_INIT(Place, { 1, 1 }));
    keel_entity root = keel_add_entity(game);
    keel_result result = keel_merge_world(game, level, &(keel_merge_options){ .root = root });
    printf("%s: %u came\n", keel_result_text(result), (unsigned)keel_last_count(game));
    keel_world_destroy(level);
    KEEL_EACH_CHILD(game, root, each) print_house(game, each);

    keel_delete_tree(game, root);
    printf("the level is closed, and the hero is %s\n", keel_is_alive(game, hero) ? "alone" : "dead");
    keel_world_destroy(game);
    return result == KEEL_OK ? 0 : 1;
}
