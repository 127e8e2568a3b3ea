// SPDX-License-Identifier: MIT
// Components of a later program that loads the saves in tests/data/saves; the README there
// describes the program that wrote them. It writes no saves. test_save_old.c, test_save_memory.c
// and test_save_hostile.c include it.
#pragma once
#include "support/api_types.h"

#include <keel_save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// rename_field.keel: { int16_t hp; uint8_t armour; }
typedef struct Renamed {
    uint8_t armour;
    int16_t points;
} Renamed;
KEEL_FIELDS(Renamed, armour, KEEL_FIELD(points, .was = "hp"));
KEEL_COMPONENT(Renamed, .name = "Health", KEEL_HAS_FIELDS(Renamed));

// rename_component.keel: Life, Rounds and Loves
typedef struct Vitality {
    int32_t points;
} Vitality;
KEEL_FIELDS(Vitality, points);
KEEL_COMPONENT(Vitality, KEEL_HAS_FIELDS(Vitality), .saved_as = "Life");
typedef struct Turns {
    uint32_t number;
} Turns;
KEEL_FIELDS(Turns, number);
KEEL_UNIQUE(Turns, KEEL_HAS_FIELDS(Turns), .saved_as = "Rounds");
KEEL_RELATION(Adores, .saved_as = "Loves");

// widen.keel: bool, int8_t, uint8_t, uint16_t, int16_t, float, int32_t, uint32_t, char[4]
typedef struct Unit {
    int32_t asleep;
    int64_t small;
    int16_t byte;
    float steps, drift;
    double speed, gold;
    uint64_t seed;
    char name[16];
} Unit;
KEEL_FIELDS(Unit, asleep, small, byte, steps, drift, speed, gold, seed, name);
KEEL_COMPONENT(Unit, KEEL_HAS_FIELDS(Unit));

// field_gone.keel: { int16_t hp; uint8_t shield; char title[8]; keel_entity foe; float speed;
// int16_t scores[3]; }
typedef struct Fighter {
    int32_t points, armour, best;
    uint8_t title; // was a text
    keel_entity rival;
} Fighter;
KEEL_FIELDS(Fighter, KEEL_FIELD(points, .was = "hp"), armour, best, title, rival);
static inline keel_result migrate_fighter(const keel_old_value *old, void *value, void *data) {
    Fighter *fighter = value;
    (void)data;
    if (keel_old_version(old) != 0) return KEEL_ERROR_ARGUMENT;
    fighter->armour = 10 * (int32_t)keel_old_int(old, "shield", 0);
    fighter->best = (int32_t)keel_old_int(old, "scores[0]", -1);
    fighter->title = (uint8_t)strlen(keel_old_text(old, "title", ""));
    fighter->rival = keel_old_entity(old, "foe", keel_null());
    return keel_old_float(old, "speed", 0) < 200 ? KEEL_OK : KEEL_ERROR_ARGUMENT;
}
KEEL_COMPONENT(Fighter, .name = "Health", KEEL_HAS_FIELDS(Fighter), .version = 1,
               .migrate = migrate_fighter);

// enum_reordered.keel: { uint8_t mood; } of CALM, ANGRY, HUNGRY, without their names
typedef enum Temper { HUNGRY = 1, CALM = 5, ANGRY = 9 } Temper;
KEEL_ENUM(Temper, HUNGRY, CALM, ANGRY);
typedef struct Beast {
    uint8_t mood;
} Beast;
KEEL_FIELDS(Beast, KEEL_FIELD(mood, .of = KEEL_TYPE(Temper)));
static inline keel_result migrate_beast(const keel_old_value *old, void *value, void *data) {
    static const uint8_t moods[] = { CALM, ANGRY, HUNGRY };
    const uint64_t mood = (uint64_t)keel_old_int(old, "mood", 0);
    (void)data;
    if (mood > 2) return KEEL_ERROR_ARGUMENT;
    ((Beast *)value)->mood = moods[mood];
    return KEEL_OK;
}
KEEL_COMPONENT(Beast, .name = "Mob", KEEL_HAS_FIELDS(Beast), .version = 1,
               .migrate = migrate_beast);

// array_longer.keel: { int32_t slots[2]; Corner corners[2]; uint16_t one; Corner at; }
typedef struct Corner {
    float x, y;
} Corner;
KEEL_FIELDS(Corner, x, y);
typedef struct Pack {
    int32_t slots[4];
    Corner corners[3];
    uint16_t one[2];
    Corner at[2];
} Pack;
KEEL_FIELDS(Pack, slots, KEEL_FIELD(corners, .of = KEEL_TYPE(Corner)), one,
            KEEL_FIELD(at, .of = KEEL_TYPE(Corner)));
static const Pack begin_pack = { { -1, -1, -1, -1 },
                                 { { -1, -1 }, { -1, -1 }, { -1, -1 } },
                                 { 65535, 65535 },
                                 { { -1, -1 }, { -1, -1 } } };
KEEL_COMPONENT(Pack, .name = "Bag", KEEL_HAS_FIELDS(Pack), .initial = &begin_pack);

enum { OLD_SAVES = 6 };
static const char *const old_saves[OLD_SAVES] = {
    "rename_field", "rename_component", "widen", "field_gone", "enum_reordered", "array_longer"
};

static inline void old_save_know(keel_world *world, uint32_t i) {
    const keel_component *const of[OLD_SAVES] = { KEEL_OF(Renamed), KEEL_OF(Vitality),
                                                  KEEL_OF(Unit),    KEEL_OF(Fighter),
                                                  KEEL_OF(Beast),   KEEL_OF(Pack) };
    assert_non_null(keel_register_component(world, of[i]));
    if (i != 1) return;
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Turns)));
    assert_non_null(keel_register_component(world, KEEL_OF(Adores)));
}

// Reads an old save. Returns its size.
static inline size_t old_save_read(uint32_t i, unsigned char *out, size_t room) {
    char path[512];
    const char *folder = getenv("KEEL_OLD_SAVES"), *docs = getenv("KEEL_DOCS");
    if (folder) (void)snprintf(path, sizeof path, "%s/%s.keel", folder, old_saves[i]);
    else
        (void)snprintf(path, sizeof path, "%s/../tests/data/saves/%s.keel", docs ? docs : "docs",
                       old_saves[i]);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    const size_t size = fread(out, 1, room, file);
    (void)fclose(file);
    assert_in_range(size, 100, room - 1);
    return size;
}
