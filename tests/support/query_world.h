// SPDX-License-Identifier: MIT
// A small world with a component of every kind, for the tests of keel::query, and a list of the
// entities that a text finds, as their names.
#pragma once
#include "support/api_fixture.h"

#include <keel_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Mood { CALM, ANGRY, SULKING = -3 } Mood;
KEEL_ENUM(Mood, CALM, ANGRY, SULKING);
enum { SWIMS = 1, FLIES = 2, DIGS = 4 };
KEEL_FLAGS(Skills, SWIMS, FLIES, DIGS);
typedef struct Vec2 {
    float x, y;
} Vec2;
KEEL_FIELDS(Vec2, x, y);
typedef struct Position {
    double x, y;
} Position;
KEEL_FIELDS(Position, x, y);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position), .tracking = KEEL_TRACK_ALL);
typedef struct Health {
    float points;
    uint8_t level;
} Health;
KEEL_FIELDS(Health, points, level);
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health), .storage = KEEL_INDEXED);
typedef struct Turret {
    Mood mood;
    uint8_t skills;
    bool is_loaded;
    int16_t slots[3];
    int64_t wide;
    uint64_t mask;
    Vec2 aim, corners[2];
    char label[8];
    unsigned char raw[2];
    keel_entity target;
} Turret;
KEEL_FIELDS(Turret, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)),
            KEEL_FIELD(skills, .of = KEEL_TYPE(Skills)), is_loaded, slots, wide, mask,
            KEEL_FIELD(aim, .of = KEEL_TYPE(Vec2)), KEEL_FIELD(corners, .of = KEEL_TYPE(Vec2)),
            label, KEEL_FIELD(raw, .bytes = true), target);
KEEL_COMPONENT(Turret, KEEL_HAS_FIELDS(Turret), .storage = KEEL_ARCHETYPE);
typedef struct Note {
    char *text;
} Note;
KEEL_FIELDS(Note, text);
static inline void note_drop(void *value, void *data) {
    (void)data;
    free(((Note *)value)->text);
}
static inline bool note_copy(void *to, const void *from, void *data) {
    (void)to, (void)from, (void)data;
    return false;
}
KEEL_COMPONENT(Note, KEEL_HAS_FIELDS(Note), .drop = note_drop, .copy = note_copy);
KEEL_TAG(Frozen);
KEEL_TAG(Boss, .storage = KEEL_INDEXED);
typedef struct DockedAt {
    int32_t since;
} DockedAt;
KEEL_FIELDS(DockedAt, since);
KEEL_VALUED_RELATION(DockedAt, KEEL_HAS_FIELDS(DockedAt), .exclusive = true);
KEEL_RELATION(Likes);
typedef struct Clock {
    int ticks;
} Clock;
KEEL_UNIQUE(Clock);

typedef struct query_world {
    api_fixture f;
    keel_world *world;
    keel_entity fleet, one, two, turret, port, dock, odd, bare;
} query_world;

#define assert_ok(call) assert_int_equal((call), KEEL_OK)

static inline keel_entity query_world_add(query_world *w, keel_entity parent, const char *name) {
    const keel_entity e = keel_add_entity(w->world);
    if (!keel_is_null(parent)) keel_attach(w->world, e, parent);
    keel_set_name(w->world, e, name);
    return e;
}

/// Makes the world: entities by ascending index, with their names.
static inline void query_world_begin(query_world *w) {
    memset(w, 0, sizeof *w);
    api_begin(&w->f);
    w->world = w->f.world;
    keel_register(w->world, Position, Health, Turret, Note, Frozen, Boss, DockedAt, Likes);
    keel_set_unique(w->world, Clock, { 1 });
    w->fleet = query_world_add(w, keel_null(), "fleet");
    w->one = query_world_add(w, w->fleet, "ship 1");
    w->two = query_world_add(w, w->fleet, "ship 2");
    w->turret = query_world_add(w, w->two, "turret");
    w->port = query_world_add(w, keel_null(), "port");
    w->dock = query_world_add(w, w->port, "dock 3");
    w->odd = query_world_add(w, keel_null(), "a \"b\", <c>|changed\\");
    w->bare = keel_add_entity(w->world);
    keel_add(w->world, w->one, Position, { 1, 2 });
    keel_add(w->world, w->two, Position, { -1.5, 2 });
    keel_add(w->world, w->odd, Position, { 0.1, 0 });
    keel_add(w->world, w->one, Health, { 9.5f, 200 });
    keel_add(w->world, w->two, Health, { 10, 0 });
    keel_add(w->world, w->dock, Health, { 0.1f, 255 });
    keel_add(w->world, w->two, Frozen);
    keel_add(w->world, w->odd, Boss);
    keel_add(w->world, w->turret, Turret,
             { .mood = ANGRY,
               .skills = SWIMS | DIGS,
               .is_loaded = true,
               .slots = { -7, 0, 300 },
               .wide = INT64_MIN,
               .mask = UINT64_MAX,
               .aim = { 1, -2 },
               .corners = { { 3, 4 } },
               .label = "mk 2",
               .raw = { 0, 255 },
               .target = w->two });
    keel_add(w->world, w->bare, Turret,
             { .mood = SULKING, .skills = FLIES, .wide = INT64_MAX, .label = "12345678" });
    keel_relate(w->world, w->one, DockedAt, w->dock, { 7 });
    keel_relate(w->world, w->one, Likes, w->two);
    keel_relate(w->world, w->one, Likes, w->odd);
    keel_relate(w->world, w->turret, Likes, w->two);
}

static inline void query_world_end(query_world *w) { api_end(&w->f); }

/// Writes the indices of all entities that a text finds, as `1 2`, or the message of the mistake.
static inline const char *query_world_find(query_world *w, const char *text) {
    static char found[4096];
    keel_query *query;
    keel_query_error error;
    keel_query_walk walk;
    keel_entity e;
    size_t length = 0;
    if (keel_query_parse(w->world, text, &query, &error) < 0) return strcpy(found, error.message);
    found[0] = '\0';
    if (keel_query_begin(&walk, query, NULL) < 0) return "no walk";
    while (keel_query_next(&walk, &e) && length + 16 < sizeof found)
        length += (size_t)sprintf(found + length, "%s%u", length ? " " : "", keel_entity_index(e));
    if (!walk.is_finished) (void)strcpy(found, "not finished");
    keel_query_end(&walk);
    keel_query_destroy(query);
    return found;
}
