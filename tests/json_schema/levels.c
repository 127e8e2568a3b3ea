// SPDX-License-Identifier: MIT
// usage: levels schema FILE    writes the schema of the components below
//        levels write FILE     writes a level that uses all of them
//        levels load FILE      loads a level: 0, or 1 and what is wrong
#include <keel_json.h>
#include <stdio.h>
#include <string.h>

typedef enum Mood { CALM, ANGRY } Mood;
KEEL_ENUM(Mood, CALM, ANGRY);
typedef enum Can { SWIM = 1, FLY = 2 } Can;
KEEL_FLAGS(Can, SWIM, FLY);
typedef struct Slot {
    uint8_t count;
    char label[8];
} Slot;
KEEL_FIELDS(Slot, count, label);
typedef struct Orc {
    Mood mood;
    Can can;
    keel_entity target;
    Slot slots[2];
    double xs[3];
    float speed;
    bool awake;
    int8_t i8;
    uint16_t u16;
    int64_t i64;
    uint8_t hash[4];
} Orc;
KEEL_FIELDS(Orc, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), KEEL_FIELD(can, .of = KEEL_TYPE(Can)),
            target, KEEL_FIELD(slots, .of = KEEL_TYPE(Slot)), xs,
            KEEL_FIELD(speed, .min = 0, .max = 99.5, .unit = "m/s", .was = "pace"), awake, i8, u16,
            i64, KEEL_FIELD(hash, .bytes = true));
KEEL_COMPONENT(Orc, KEEL_HAS_FIELDS(Orc), .saved_as = "Goblin");
typedef struct Raw {
    uint8_t bytes[3];
} Raw;
KEEL_COMPONENT(Raw, .no_padding = true);
KEEL_TAG(Asleep);
typedef struct Cache {
    int32_t bytes;
} Cache;
KEEL_COMPONENT(Cache, .transient = true);
KEEL_RELATION(Likes);
KEEL_RELATION(Follows, .exclusive = true);
typedef struct DockedAt {
    int32_t since;
} DockedAt;
KEEL_FIELDS(DockedAt, since);
KEEL_VALUED_RELATION(DockedAt, KEEL_HAS_FIELDS(DockedAt), .exclusive = true);
typedef struct Holds {
    uint8_t count;
} Holds;
KEEL_FIELDS(Holds, count);
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));
typedef struct Round {
    uint64_t number;
} Round;
KEEL_FIELDS(Round, number);
KEEL_UNIQUE(Round, KEEL_HAS_FIELDS(Round));

static keel_world *new_world(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN });
    if (!world ||
        keel_register(world, Orc, Raw, Asleep, Cache, Likes, Follows, DockedAt, Holds) < 0 ||
        !keel_register_component(world, KEEL_UNIQUE_OF(Round)))
        return NULL;
    return world;
}

static void populate(keel_world *world) {
    const keel_entity a = keel_add_entity(world), b = keel_add_entity(world);
    keel_set_name(world, a, "Ugluk");
    keel_add(world, a, Orc,
             { .mood = ANGRY,
               .can = SWIM | FLY,
               .target = b,
               .slots = { { 1, "axe" }, { 2, "\"12345\"" } },
               .xs = { 0.5, -1, 1e300 },
               .speed = 99.5F,
               .awake = true,
               .i8 = -128,
               .u16 = 65535,
               .i64 = INT64_MIN,
               .hash = { 1, 2, 3, 4 } });
    keel_add(world, b, Orc, { .mood = (Mood)7, .can = (Can)0 });
    keel_add(world, b, Raw, { { 1, 2, 255 } });
    keel_add(world, b, Asleep);
    keel_attach(world, b, a);
    keel_relate(world, a, Likes, b);
    keel_relate(world, a, Follows, b);
    keel_relate(world, b, DockedAt, a, { 7 });
    keel_relate(world, b, Holds, a, { 3 });
    keel_relate(world, b, Holds, b, { 4 });
    keel_set_unique(world, Round, { UINT64_MAX });
    keel_disable(world, b, Orc);
}

int main(int argc, char **argv) {
    keel_error why = { 0 };
    keel_world *world = new_world();
    if (argc != 3 || !world) return 2;
    keel_result r = KEEL_ERROR_ARGUMENT;
    if (!strcmp(argv[1], "schema")) r = keel_json_write_schema(world, argv[2], &why);
    if (!strcmp(argv[1], "load")) r = keel_json_load(world, argv[2], NULL, &why);
    if (!strcmp(argv[1], "write")) {
        const keel_json_write_options how = { .handles = true, .schema = "level.schema.json" };
        populate(world);
        r = keel_json_write(world, argv[2], &how, &why);
    }
    if (r < 0) printf("%s\n", why.message);
    keel_world_destroy(world);
    return r < 0;
}
