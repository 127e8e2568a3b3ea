// SPDX-License-Identifier: MIT
// An image of a snapshot answers everything that an inspector shows as the world did when the
// snapshot was taken: entities, components with their values, disabled components, names, the
// hierarchy, relations, uniques, events, counts and memory. The world is changed at random between
// the take and the reading.
#include "support/api_types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Near {
    uint32_t value;
} Near;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct Holds {
    uint32_t value;
} Holds;
typedef struct Shot {
    uint32_t value;
} Shot;
KEEL_COMPONENT(Near, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Spot, .storage = KEEL_ARCHETYPE);
KEEL_RELATION(Likes);
KEEL_RELATION(Under, .exclusive = true, .acyclic = true);
KEEL_VALUED_RELATION(Holds);
KEEL_EVENT(Shot);

static api_fixture f;

// ------------------------------------------------------------------ everything as text
typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static void put(text *t, const char *format, ...) {
    char line[300];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof line);
    if (t->length + (size_t)length + 1 > t->room) {
        t->room = 2 * (t->room + (size_t)length + 1);
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->length, line, (size_t)length + 1);
    t->length += (size_t)length;
}

static void put_entity(text *t, keel_entity e) {
    if (keel_is_null(e)) put(t, " null");
    else put(t, " %uv%u", (unsigned)keel_entity_index(e), (unsigned)keel_entity_version(e));
}

static void put_value(text *t, const void *value, uint32_t size) {
    if (!value) {
        put(t, " -");
        return;
    }
    for (uint32_t i = 0; i < size; ++i)
        put(t, "%s%02x", i ? "" : " ", ((const unsigned char *)value)[i]);
}

static void put_components(text *t, const keel_world *world, keel_entity e) {
    const keel_component *c = NULL;
    while ((c = keel_next_component_of(world, e, c)) != NULL) {
        assert_true(keel_has_component(world, e, c));
        put(t, "\n  %s", c->name);
        const bool is_text = strcmp(c->name, "keel_name") == 0; // put_links writes names
        if (!is_text) put_value(t, keel_get_component(world, e, c), c->size);
        put(t, " changes %u tick %llu", (unsigned)keel_changes_of_component(world, e, c),
            (unsigned long long)keel_change_tick_of_component(world, e, c));
    }
    while ((c = keel_next_component(world, c)) != NULL)
        if (keel_is_component_disabled(world, e, c)) put(t, "\n  %s is disabled", c->name);
}

static void put_links(text *t, const keel_world *world, keel_entity e) {
    const char *name = keel_name_of(world, e);
    if (name) {
        put(t, "\n  named '%s'", name);
        assert_same_entity(keel_find_entity(world, keel_parent_of(world, e), name), e);
    }
    put(t, "\n  %u children of", (unsigned)keel_child_count(world, e));
    put_entity(t, keel_parent_of(world, e));
    for (keel_entity c = keel_first_child(world, e); !keel_is_null(c);
         c = keel_next_child(world, e, c))
        put_entity(t, c);
    put(t, "\n  below:");
    for (keel_entity d = keel_null();
         !keel_is_null(d = keel_next_descendant(world, e, d, KEEL_DEPTH_FIRST));)
        put_entity(t, d);
    const keel_component *r = NULL;
    while ((r = keel_next_component(world, r)) != NULL) {
        if (!r->is_relation) continue;
        put(t, "\n  %s: %u of %u;", r->name, (unsigned)keel_target_count_component(world, e, r),
            (unsigned)keel_source_count_component(world, e, r));
        put_entity(t, keel_target_of_component(world, e, r));
        for (keel_entity to = keel_null();
             !keel_is_null(to = keel_next_target_component(world, e, r, to));) {
            put_entity(t, to);
            assert_true(keel_is_related_component(world, e, r, to));
            if (r->size) put_value(t, keel_get_related_component(world, e, r, to), r->size);
        }
        put(t, " from");
        for (keel_entity from = keel_null();
             !keel_is_null(from = keel_next_source_component(world, e, r, from));)
            put_entity(t, from);
    }
}

// Writes what does not belong to one entity. The bytes of memory may differ, as an image has
// memory for its own content only, but what has a value has memory.
static void put_whole(text *t, const keel_world *world) {
    put(t, "%u entities", (unsigned)keel_entity_count(world));
    const keel_component *c = NULL;
    while ((c = keel_next_component(world, c)) != NULL) {
        const uint32_t count = keel_component_count(world, c);
        put(t, "\n%s %u bytes in storage %d, tracks %u: %u", c->name, (unsigned)c->size,
            (int)c->storage, (unsigned)keel_tracked_kinds(world, c), (unsigned)count);
        assert_ptr_equal(keel_find_component(world, c->name), c);
        if (count && c->size && !c->is_relation) assert_true(keel_component_memory(world, c) > 0);
    }
    while ((c = keel_next_unique(world, c)) != NULL) {
        put(t, "\nunique %s", c->name);
        put_value(t, keel_get_unique_value(world, c), c->size);
    }
    while ((c = keel_next_event_type(world, c)) != NULL)
        put(t, "\nevents %s: %u", c->name, (unsigned)keel_event_count_of(world, c));
    const keel_statistics statistics = keel_world_statistics(world);
    assert_true(statistics.memory.total > 0);
    assert_true(keel_world_check(world, NULL));
}

static char *everything_of(const keel_world *world) {
    text t = { 0 };
    put_whole(&t, world);
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
        assert_true(keel_is_alive(world, e));
        assert_same_entity(keel_entity_at(world, keel_entity_index(e)), e);
        put(&t, "\n");
        put_entity(&t, e);
        put_components(&t, world, e);
        put_links(&t, world, e);
    }
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_free_entity(world, e));) {
        put(&t, "\nfree");
        put_entity(&t, e);
    }
    return t.bytes;
}

// ------------------------------------------------------------------ random worlds
enum { ENTITIES = 40 };
static uint32_t dice;
static keel_entity all[ENTITIES];

static uint32_t roll(uint32_t below) {
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 8) % below;
}

static void edit_links(keel_entity e, keel_entity other) {
    char name[20];
    snprintf(name, sizeof name, "name %u", (unsigned)roll(1000));
    switch (roll(7)) {
    case 0:
        keel_set_name(f.world, e, name);
        return;
    case 1:
        (void)keel_attach(f.world, e, other);
        return;
    case 2:
        (void)keel_detach(f.world, e);
        return;
    case 3:
        (void)keel_relate(f.world, e, Likes, other);
        return;
    case 4:
        (void)keel_relate(f.world, e, Under, other);
        return;
    case 5:
        (void)keel_relate(f.world, e, Holds, other, { dice });
        return;
    default:
        (void)keel_unrelate(f.world, e, Likes, other);
    }
}

static void edit_something(void) {
    static const keel_component *const some[] = { KEEL_OF(Number), KEEL_OF(Near), KEEL_OF(Row),
                                                  KEEL_OF(Frozen), KEEL_OF(Spot), KEEL_OF(Large) };
    const uint32_t at = roll(ENTITIES);
    const keel_component *c = some[roll(6)];
    uint32_t value[512] = { dice };
    switch (roll(10)) {
    case 0:
    case 1:
    case 2:
        (void)keel_add_component(f.world, all[at], c, c->size ? value : NULL);
        break;
    case 3:
        (void)keel_delete_component(f.world, all[at], c);
        break;
    case 4:
        (void)keel_enable_component(f.world, all[at], c, roll(2) == 0);
        break;
    case 5:
        keel_delete_entity(f.world, all[at]);
        if (roll(3)) all[at] = keel_add_entity(f.world);
        break;
    case 6:
        keel_set_unique(f.world, Time, { roll(9), 1 });
        if (roll(4) == 0) keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW);
        keel_send(f.world, Shot, { dice });
        break;
    default:
        edit_links(all[at], all[roll(ENTITIES)]);
    }
    keel_clear_errors(f.world); // cycles, names that are taken and the like
}

// Parts of the text that must be met, or the test would show too little.
static const char *const parts[] = {
    "is disabled",   "named '",     "Holds: 1",     "Likes: 2", "Under: 1 of",
    "children of 1", "unique Time", "events Shot:", "tick 1",   "changes 1",
    "changes 2",     "free",        "tracks 15",
};
enum { PARTS = sizeof parts / sizeof *parts };

static void an_image_shows_all_that_the_world_showed(void **state) {
    (void)state;
    dice = 5;
    bool is_met[PARTS] = { false };
    for (uint32_t world = 0; world < 4; ++world) {
        api_begin(&f);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            all[i] = keel_add_entity(f.world);
        keel_track(f.world, Near, KEEL_TRACK_ALL);
        keel_track(f.world, Row, KEEL_TRACK_ALL);
        keel_ring *ring = keel_ring_create(f.world, 3);
        char *then[3] = { NULL };
        for (uint64_t frame = 0; frame < 12; ++frame) {
            for (uint32_t i = roll(60); i; --i)
                edit_something();
            assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
            free(then[frame % 3]);
            then[frame % 3] = everything_of(f.world);
            for (uint32_t i = roll(60); i; --i)
                edit_something();
            for (uint64_t back = frame < 2 ? 0 : frame - 2; back <= frame; ++back) {
                keel_snapshot *snapshot = keel_ring_snapshot(ring, back);
                const keel_world *image;
                assert_int_equal(keel_snapshot_read_begin(snapshot, &image), KEEL_OK);
                char *now = everything_of(image);
                assert_string_equal(now, then[back % 3]);
                for (uint32_t i = 0; i < PARTS; ++i)
                    is_met[i] |= strstr(now, parts[i]) != NULL;
                free(now);
                keel_snapshot_read_end(snapshot);
            }
        }
        for (uint32_t i = 0; i < 3; ++i)
            free(then[i]);
        keel_ring_destroy(ring);
        assert_no_error(f.world);
        api_end(&f);
    }
    for (uint32_t i = 0; i < PARTS; ++i)
        if (!is_met[i]) fail_msg("no image had '%s'", parts[i]);
}

static const struct CMUnitTest tests[] = {
    TEST(an_image_shows_all_that_the_world_showed, "an image shows all that the world showed"),
};
int main(void) { return RUN(tests); }
