// SPDX-License-Identifier: MIT
// Worlds with a component of every kind, and a database under a unique name to write them to. It
// tests nothing itself: tests/api/saves/test_sqlite.c and test_sqlite_hostile.c include it.
#pragma once
#include <keel_sqlite.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum Mood { CALM, ANGRY } Mood;
KEEL_ENUM(Mood, CALM, ANGRY);
typedef struct Vec2 {
    float x, X;
} Vec2;
KEEL_FIELDS(Vec2, x, X);
typedef struct All {
    bool on;
    int8_t a;
    uint8_t b;
    int16_t c;
    uint16_t d;
    int32_t e;
    uint32_t f;
    int64_t g;
    uint64_t h;
    double real;
    Vec2 at[2];
    Mood mood;
    keel_entity who, friends[2];
    char text[12];
    unsigned char raw[5];
} All;
KEEL_FIELDS(All, on, a, b, c, d, e, f, g, h, real, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)),
            KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), who, friends, text,
            KEEL_FIELD(raw, .bytes = true));
KEEL_COMPONENT(All, KEEL_HAS_FIELDS(All));
typedef struct Row {
    Vec2 at;
} Row;
KEEL_FIELDS(Row, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)));
KEEL_COMPONENT(Row, KEEL_HAS_FIELDS(Row), .storage = KEEL_ARCHETYPE);
typedef struct Plain {
    uint32_t bits;
} Plain;
KEEL_COMPONENT(Plain, .no_padding = true, .storage = KEEL_INDEXED);
typedef struct Owner { // requires another component, and owns a text
    char *label;
} Owner;
KEEL_FIELDS(Owner, label);
static void drop_owner(void *value, void *data) {
    (void)data;
    free(((Owner *)value)->label);
}
static bool copy_owner(void *to, const void *from, void *data) {
    (void)data;
    const char *label = ((const Owner *)from)->label;
    char *copy = label ? malloc(strlen(label) + 1) : NULL;
    if (copy) memcpy(copy, label, strlen(label) + 1);
    ((Owner *)to)->label = copy;
    return copy || !label;
}
KEEL_COMPONENT(Owner, KEEL_HAS_FIELDS(Owner), .drop = drop_owner, .copy = copy_owner,
               .required = KEEL_LIST(Row));
KEEL_TAG(Flag);
KEEL_RELATION(Likes);
typedef struct Guards {
    int32_t since;
} Guards;
KEEL_FIELDS(Guards, since);
KEEL_VALUED_RELATION(Guards, KEEL_HAS_FIELDS(Guards), .exclusive = true);
typedef struct Holds {
    uint32_t count;
    keel_entity from;
} Holds;
KEEL_FIELDS(Holds, count, from);
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));
typedef struct Bond {
    uint16_t strength;
    keel_entity through;
} Bond;
KEEL_FIELDS(Bond, strength, through);
KEEL_VALUED_RELATION(Bond, KEEL_HAS_FIELDS(Bond), .symmetric = true);
KEEL_RELATION(Wed, .exclusive = true, .symmetric = true);
typedef struct Clock {
    uint64_t ticks;
    keel_entity owner;
} Clock;
KEEL_FIELDS(Clock, ticks, owner);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
KEEL_COMPONENT(Clock, KEEL_HAS_FIELDS(Clock)); // has the name of the unique
typedef struct pos {
    int32_t x, X;
} pos;
KEEL_FIELDS(pos, x, X);
KEEL_COMPONENT(pos, KEEL_HAS_FIELDS(pos));
typedef struct Pos {
    int32_t entity, rowid, frame, source, target, position;
} Pos;
KEEL_FIELDS(Pos, entity, rowid, frame, source, target, position);
KEEL_COMPONENT(Pos, KEEL_HAS_FIELDS(Pos));
typedef struct sqlite_master {
    int32_t n;
} sqlite_master;
KEEL_FIELDS(sqlite_master, n);
KEEL_COMPONENT(sqlite_master, KEEL_HAS_FIELDS(sqlite_master));
typedef struct keel_schema {
    int32_t n;
} keel_schema;
KEEL_FIELDS(keel_schema, n);
KEEL_COMPONENT(keel_schema, KEEL_HAS_FIELDS(keel_schema));
typedef struct Opaque {
    char small;
    int large;
} Opaque;
KEEL_COMPONENT(Opaque);

static char path[] = "keel_sqlite_XXXXXX";
static keel_error error;

static inline int path_begin(void **state) {
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}
static inline int path_end(void **state) {
    (void)state;
    return unlink(path);
}

static uint64_t seed;
static inline uint64_t roll(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 20 ^ seed << 40;
}

static inline keel_world *make_world(void) {
    const keel_world_desc desc = { .log = keel_log_none,
                                   .on_misuse = KEEL_MISUSE_RETURN,
                                   .worker_count = 1 };
    keel_world *world = keel_world_create(&desc);
    assert_non_null(world);
    assert_int_equal(
        keel_register(world, All, Row, Plain, Owner, Flag, Likes, Guards, Holds, Bond, Wed),
        KEEL_OK);
    assert_int_equal(keel_register(world, pos, Pos, sqlite_master, keel_schema, Clock), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Clock)));
    return world;
}

static inline uint64_t hash(keel_world *world) {
    uint64_t h = 0;
    assert_int_equal(keel_world_hash(world, &h), KEEL_OK);
    return h;
}

static inline void write_world(const keel_world *world, const keel_sqlite_write_options *options) {
    keel_sqlite_write_options how = { 0 };
    if (options) how = *options;
    how.error = &error;
    if (how.append && how.frame == 0) unlink(path);
    if (keel_sqlite_write(world, path, &how) != KEEL_OK) fail_msg("%s", error.message);
}
static inline void load_world(keel_world *world) {
    const keel_sqlite_load_options how = { .error = &error };
    if (keel_sqlite_load(world, path, &how) != KEEL_OK) fail_msg("%s", error.message);
}

// Returns the number that a query finds in the database.
static inline int ask(const char *sql) {
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    const int found = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int(s, 0) : -1;
    sqlite3_finalize(s);
    sqlite3_close(db);
    return found;
}

static inline All random_all(const keel_entity *all, uint32_t count) {
    static const char *const texts[] = {
        "", "a \"b\"\\", "\n\t\x01", "\xc3\xa4\xe2\x82\xac", "twelve bytes", "\xff\xfe"
    };
    All v;
    memset(&v, 0, sizeof v);
    const uint64_t bits[3] = { roll() | roll() << 31, roll(), roll() };
    const uint32_t narrow[4] = { (uint32_t)roll(), 0x7fc00001u, 0x80000000u, 0xff800000u };
    v.on = roll() & 1, v.a = (int8_t)roll(), v.b = (uint8_t)roll();
    v.c = (int16_t)roll(), v.d = (uint16_t)roll(), v.e = (int32_t)roll(), v.f = (uint32_t)roll();
    v.g = (int64_t)bits[0], v.h = ~bits[0];
    memcpy(&v.real, &bits[1], sizeof v.real);
    memcpy(v.at, narrow, sizeof v.at);
    v.mood = roll() & 1 ? ANGRY : (Mood)(roll() & 7);
    v.who = roll() & 1 ? all[roll() % count] : keel_null();
    v.friends[1] = all[roll() % count];
    const char *text = texts[roll() % 6];
    memcpy(v.text, text, strlen(text));
    memcpy(v.raw, &bits[2], sizeof v.raw);
    return v;
}

enum { COUNT = 30 };
static inline keel_world *random_world(uint64_t from) {
    keel_world *world = make_world();
    keel_entity all[COUNT];
    char name[16];
    seed = from;
    for (int i = 0; i < COUNT; ++i)
        all[i] = keel_add_entity(world);
    for (int i = 0; i < 12; ++i) { // makes versions, free handles, and references to dead entities
        const uint64_t which = roll() % COUNT;
        (void)keel_delete_entity(world, all[which]);
        if (roll() & 1) all[which] = keel_add_entity(world);
    }
    for (int i = 0; i < COUNT; ++i) {
        if (!keel_is_alive(world, all[i])) continue;
        snprintf(name, sizeof name, "%s%d", roll() & 1 ? "@" : "n", i);
        if (roll() & 1) keel_set_name(world, all[i], name);
        if (roll() & 1) (void)keel_attach(world, all[i], all[roll() % COUNT]);
        const All v = random_all(all, COUNT);
        if (roll() & 1) (void)keel_add_component(world, all[i], KEEL_OF(All), &v);
        if (roll() & 1) keel_add(world, all[i], Row, { { (float)i, -0.0f } });
        if (roll() & 1) keel_add(world, all[i], Plain, { (uint32_t)roll() });
        if (roll() & 1) keel_add(world, all[i], Flag);
        if (roll() & 1) keel_add(world, all[i], Owner, { roll() & 1 ? strdup(name) : NULL });
        for (int j = 0; j < 3; ++j)
            if (roll() & 1) (void)keel_relate(world, all[i], Likes, all[roll() % COUNT]);
        if (roll() & 1) (void)keel_relate(world, all[i], Guards, all[roll() % COUNT], { -i });
        if (roll() & 1) (void)keel_relate(world, all[i], Bond, all[roll() % COUNT], { 7, all[i] });
        if (roll() & 1) (void)keel_relate(world, all[i], Wed, all[roll() % COUNT]);
        for (uint32_t j = 0; j < 3; ++j)
            if (roll() & 1)
                (void)keel_relate(world, all[i], Holds, all[roll() % COUNT], { j + 5, all[j] });
        if (!(roll() & 3)) (void)keel_disable(world, all[i], Owner);
        if (!(roll() & 3)) (void)keel_disable(world, all[i], Row);
        if (!(roll() & 3)) (void)keel_disable(world, all[i], Flag);
        if (!(roll() & 7)) (void)keel_enable_entity(world, all[i], false);
    }
    if (roll() & 1) keel_set_unique(world, Clock, { UINT64_MAX - 1, all[3] });
    return world;
}
