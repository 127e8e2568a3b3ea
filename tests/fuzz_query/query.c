// SPDX-License-Identifier: MIT
// Asks a small world one query, and checks what must hold for every text. main.c and libfuzzer.c
// call it.
#include "query.h"

#include <keel/keel.h>
#include <keel_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Mood { CALM, ANGRY } Mood;
KEEL_ENUM(Mood, CALM, ANGRY);
enum { SWIMS = 1, FLIES = 2 };
KEEL_FLAGS(Skills, SWIMS, FLIES);
typedef struct Vec2 {
    float x, y;
} Vec2;
KEEL_FIELDS(Vec2, x, y);
typedef struct Turret {
    Mood mood;
    uint8_t skills;
    int64_t wide;
    double real;
    Vec2 corners[2];
    char label[8];
    unsigned char raw[2];
    keel_entity target;
} Turret;
KEEL_FIELDS(Turret, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)),
            KEEL_FIELD(skills, .of = KEEL_TYPE(Skills)), wide, real,
            KEEL_FIELD(corners, .of = KEEL_TYPE(Vec2)), label, KEEL_FIELD(raw, .bytes = true),
            target);
KEEL_COMPONENT(Turret, KEEL_HAS_FIELDS(Turret), .tracking = KEEL_TRACK_ALL);
KEEL_TAG(Boss);
KEEL_RELATION(Likes);
KEEL_COMPONENT(Vec2, KEEL_HAS_FIELDS(Vec2), .storage = KEEL_ARCHETYPE, .name = "a \"b\", <c>");

const char *const query_samples[] = {
    "Turret, !Boss, ?Likes",
    "Turret.wide < 10, Turret.wide >= -9223372036854775808",
    "Turret.real <= 1e-3, !Turret.real = nan, Turret.real > -inf",
    "name ~ \"ship*\", name = \"ship \\\"1\\\"\"",
    "Likes -> \"fleet/ship 1\", Likes -> *, #1v0 -> Likes",
    "below \"fleet\", child of #0v0, !below #1v0",
    "Turret.mood = ANGRY, Turret.skills >= \"SWIMS | FLIES\"",
    "Turret changed, Turret inserted, disabled",
    "Turret.corners[1].x != 0.5, Turret.label = \"mk 2\", Turret.raw = \"00ff\"",
    "any(Turret | Boss|Likes), #1v0, Turret.target = null, Turret.target != \"fleet\"",
    "\"a \\\"b\\\", <c>\", \"Boss\", \"a \\\"b\\\", <c>\".x > 0",
    "any(Turret|Boss|Likes|Boss|Boss|Boss|Boss|Boss)", // as many as there may be
    NULL,
};

static keel_world *query_world(void) {
    static keel_world *world;
    if (world) return world;
    world = keel_world_create(&(keel_world_desc){ .log = keel_log_none });
    keel_register(world, Turret, Boss, Likes, Vec2);
    const keel_entity fleet = keel_add_entity(world);
    const keel_entity ship = keel_add_entity(
        world,
        KEEL_INIT(Turret, { .mood = ANGRY, .label = "mk 2", .raw = { 0, 255 }, .target = fleet }));
    keel_attach(world, ship, fleet);
    keel_set_name(world, fleet, "fleet");
    keel_set_name(world, ship, "ship 1");
    keel_relate(world, ship, Likes, ship);
    for (uint32_t i = 0; i < 6; ++i)
        (void)keel_add_entity(world, KEEL_INIT(Vec2, { (float)i, 1 }));
    for (uint32_t i = 7; i >= 2; --i) { // in an order that is not that of the indices
        const keel_entity e = keel_entity_at(world, i);
        if (i % 2) keel_attach(world, e, ship);
        if (i % 3) keel_add(world, e, Boss);
        if (i == 4) keel_disable(world, e, Boss);
    }
    return world;
}

static void demand(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "fuzz_query: %s\n", what);
    abort();
}

// Walks the query in slices. Returns the found entities as bits of their indices.
static uint32_t query_found(keel_query *query, uint32_t max_visits) {
    keel_query_slice slice = { .max_visits = max_visits };
    keel_query_walk walk;
    keel_entity e;
    uint32_t bits = 0, slices = 0;
    do {
        demand(slices++ < 20, "slices do not end");
        demand(keel_query_begin(&walk, query, &slice) == KEEL_OK, "a walk does not begin");
        while (keel_query_next(&walk, &e)) {
            const uint32_t bit = 1u << keel_entity_index(e);
            demand(bit > bits, "an entity is found twice, or in another order");
            bits |= bit;
        }
        demand(!max_visits || walk.visits <= max_visits, "a slice is too long");
        slice.after = walk.after;
    } while (!walk.is_finished);
    return bits;
}

static void query_check_error(const keel_query_error *error, const char *text) {
    demand(error->result < 0 && error->message[0], "a mistake has no message");
    demand(error->offset <= strlen(text) && error->column <= strlen(text) + 1,
           "a column is outside");
    demand(strlen(error->message) < sizeof error->message, "a message has no end");
}

bool query_ask(const uint8_t *bytes, size_t size) {
    keel_world *world = query_world();
    char *text = malloc(size + 1), explained[64]; // on the heap, so that no byte behind it is read
    if (!text) return false;
    memcpy(text, bytes, size);
    text[size] = '\0';
    keel_query *query;
    keel_query_error error;
    const bool is_query = keel_query_parse(world, text, &query, &error) == KEEL_OK;
    demand(is_query == (query != NULL), "a mistake leaves a query");
    if (is_query) {
        const uint32_t found = query_found(query, 0);
        demand(found < 1u << 8, "an entity is invented");
        demand(query_found(query, 1) == found && query_found(query, 3) == found,
               "slices find others");
        const size_t length = keel_query_explain(query, explained, sizeof explained);
        demand(length > strlen(explained) || length < sizeof explained,
               "an explanation has no end");
        for (uint32_t i = 0; i < keel_query_component_count(query); ++i)
            demand(keel_query_component(query, i) != NULL, "a component is missing");
    } else query_check_error(&error, text);
    keel_query_destroy(query);
    free(text);
    return is_query;
}
