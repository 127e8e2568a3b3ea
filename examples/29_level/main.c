// SPDX-License-Identifier: MIT
// You will learn: a level that people edit, as JSON. Its entities are copies of prefabs, and the text
// says only what is different of each; a mistake in it is named with its line.
#include <keel/keel.h>
#include <keel_json.h>
#include <stdio.h>
#include <string.h>

typedef enum Feeling { CALM, ANGRY } Feeling;
KEEL_ENUM(Feeling, CALM, ANGRY);
typedef struct Place { float x, y; } Place;
typedef struct Health { int points; } Health;
typedef struct Mood { Feeling now; } Mood;
typedef struct Light { float radius; } Light;
typedef struct Weather { float rain; } Weather;
KEEL_FIELDS(Place, x, y);
KEEL_FIELDS(Health, points);
KEEL_FIELDS(Mood, KEEL_FIELD(now, .of = KEEL_TYPE(Feeling)));
KEEL_FIELDS(Light, radius);
KEEL_FIELDS(Weather, KEEL_FIELD(rain, .min = 0, .max = 1));
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));
KEEL_COMPONENT(Mood, KEEL_HAS_FIELDS(Mood));
KEEL_COMPONENT(Light, KEEL_HAS_FIELDS(Light));
KEEL_UNIQUE(Weather, KEEL_HAS_FIELDS(Weather));
KEEL_RELATION(Watches, .exclusive = true);

// What every level can use. Levels find prefabs by their names.
static keel_world *make_game(void) {
    keel_world *world = keel_world_create(NULL);
    keel_register(world, Place, Health, Mood, Light, Watches);
    keel_register_component(world, KEEL_UNIQUE_OF(Weather));
    keel_world *templates = keel_templates(world);
    keel_prefab guard = { keel_add_entity(templates, KEEL_INIT(Health, { 20 }), KEEL_INIT(Mood, { CALM })) };
    keel_entity captain = keel_spawn(templates, guard, KEEL_INIT(Health, { 50 })); // a variant
    keel_entity gate = keel_add_entity(templates, KEEL_INIT(Health, { 300 }), KEEL_INIT(Place, { 0, 5 }));
    keel_entity lamp = keel_add_child(templates, gate, KEEL_INIT(Light, { 4 }));
    keel_set_name(templates, guard.root, "guard");
    keel_set_name(templates, captain, "captain");
    keel_set_name(templates, gate, "gate");
    keel_set_name(templates, lamp, "lamp");
    return world;
}

static void print_village(const keel_world *world) {
    printf("rain: %g\n", (double)keel_get_unique(world, Weather)->rain);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
        const Place *place = keel_get(world, e, Place);
        const Health *health = keel_get(world, e, Health);
        const Light *light = keel_get(world, e, Light);
        const Mood *mood = keel_get(world, e, Mood);
        const keel_entity watched = keel_target_of(world, e, Watches);
        printf("%s:", keel_name_of(world, e));
        if (place) printf(" at %g, %g", (double)place->x, (double)place->y);
        if (health) printf(" health %d", health->points);
        if (light) printf(" light %g", (double)light->radius);
        if (mood) printf(" %s", mood->now == ANGRY ? "angry" : "calm");
        if (!keel_is_null(watched)) printf(" watches the %s", keel_name_of(world, watched));
        if (!keel_is_null(keel_prefab_of(world, e).root)) printf(" (prefab)");
        printf("\n");
    }
}

int main(void) {
    keel_world *world = make_game();
    keel_error why;
    if (keel_json_load(world, LEVEL, NULL, &why) < 0) { // village.json, beside this file
        printf("%s\n", why.message);
        return 1;
    }
    print_village(world);

    // mistakes change nothing, and say where they are
    const char *const mistakes[] = {
        "{\"entities\": {\n  \"carl\": {\"@prefab\": \"gaurd\"}}}",
        "{\"entities\": {\n  \"carl\": {\n    \"Mood\": {\"now\": \"HAPPY\"}}}}",
        "{\"entities\": {\n  \"carl\": {\"Watches\": \"gaet\"}}}",
    };
    for (int i = 0; i < 3; ++i) {
        const keel_json_load_options how = { .name = "mistake.json", .merge = &(keel_merge_options){ .strict = true } };
        if (keel_json_load_text(world, mistakes[i], strlen(mistakes[i]), &how, &why) < 0) printf("%s\n", why.message);
    }
    printf("%u entities\n", (unsigned)keel_entity_count(world));
    keel_world_destroy(world);
    return 0;
}
