// SPDX-License-Identifier: MIT
// Systems that run again and again between random edits: a world keeps what it found out about
// their walks, and each run must visit what a view that is opened anew visits, in the same order.
#include "support/api_types.h"

#include <string.h>

typedef struct Wide {
    uint32_t value[5];
} Wide;
typedef struct Byte {
    uint8_t value;
} Byte;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct Column {
    uint32_t value;
} Column;
typedef struct Loose {
    uint32_t value;
} Loose;
typedef struct Slack {
    uint32_t value;
} Slack;
KEEL_COMPONENT(Wide, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Byte, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Column, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Loose);
KEEL_COMPONENT(Slack);

enum { MOST = 20000 };
static keel_entity seen[MOST];
static uint32_t seen_count;

static void see(keel_entity e, uint32_t value) {
    assert_true(seen_count < MOST);
    assert_int_equal(value, keel_entity_index(e) & 0xFF);
    seen[seen_count++] = e;
}

static uint32_t same(uint32_t a, uint32_t b) {
    assert_int_equal(a, b);
    return a;
}

// Each as a system, and as a loop of a view that is opened for it.
#define BOTH(name, value, ...)                                                                     \
    KEEL_SYSTEM(name, KEEL_ENTITY(e), __VA_ARGS__) { see(e, value); }                              \
    static void name##_anew(keel_world *world) {                                                   \
        KEEL_EACH(world, KEEL_ENTITY(e), __VA_ARGS__) {                                            \
            see(e, value);                                                                         \
        }                                                                                          \
    }
BOTH(wide, w->value[4], KEEL_READ(Wide, w))
BOTH(indexed, same(w->value[0], b->value), KEEL_WRITE(Wide, w), KEEL_READ(Byte, b))
BOTH(awake, w->value[0], KEEL_READ(Wide, w), KEEL_WITHOUT(Loose))
BOTH(maybe, b ? b->value : w->value[4], KEEL_READ(Wide, w), KEEL_OPTIONAL_READ(Byte, b))
BOTH(rows, r->value, KEEL_READ(Row, r))
BOTH(columns, same(r->value, c->value), KEEL_READ(Row, r), KEEL_WRITE(Column, c))
BOTH(maybe_column, c ? c->value : r->value, KEEL_READ(Row, r), KEEL_OPTIONAL_READ(Column, c))
BOTH(few_rows, r->value, KEEL_READ(Row, r), KEEL_WITHOUT(Column))
BOTH(loose, l->value, KEEL_READ(Loose, l))
BOTH(packed, same(l->value, s->value), KEEL_READ(Loose, l), KEEL_READ(Slack, s))
BOTH(mixed, same(l->value, w->value[0]), KEEL_READ(Loose, l), KEEL_READ(Wide, w))
BOTH(all_kinds, same(l->value, same(w->value[0], r->value)), KEEL_READ(Loose, l),
     KEEL_READ(Wide, w), KEEL_READ(Row, r))

typedef struct way {
    const keel_system *system;
    void (*anew)(keel_world *world);
} way;
#define WAY(name)                                                                                  \
    { &KEEL_SYSTEM_##name, name##_anew }
static const way ways[] = { WAY(wide),         WAY(indexed),  WAY(awake), WAY(maybe),
                            WAY(rows),         WAY(columns),  WAY(loose), WAY(packed),
                            WAY(maybe_column), WAY(few_rows), WAY(mixed), WAY(all_kinds) };

// ------------------------------------------------------------------ random edits
static uint32_t rolled;
static uint32_t roll(uint32_t below) {
    rolled = rolled * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(rolled >> 8) * below >> 24);
}

#define TOGGLE(world, e, T, ...)                                                                   \
    (keel_has(world, e, T) ? (void)keel_remove(world, e, T)                                        \
                           : (void)keel_add(world, e, T, __VA_ARGS__))
static void toggle(keel_world *world, keel_entity e) {
    const uint32_t value = keel_entity_index(e) & 0xFF;
    switch (roll(7)) {
    case 0:
        TOGGLE(world, e, Wide, { { value, 0, 0, 0, value } });
        break;
    case 1:
        TOGGLE(world, e, Byte, { (uint8_t)value });
        break;
    case 2:
        TOGGLE(world, e, Row, { value });
        break;
    case 3:
        TOGGLE(world, e, Column, { value });
        break;
    case 4:
        TOGGLE(world, e, Loose, { value });
        break;
    case 5:
        TOGGLE(world, e, Slack, { value });
        break;
    default:
        if (keel_has(world, e, Wide)) (void)keel_disable(world, e, Wide);
        else (void)keel_enable(world, e, Wide);
    }
}

static keel_entity add_one(keel_world *world, uint32_t kinds) {
    const keel_entity e = keel_add_entity(world);
    const uint32_t value = keel_entity_index(e) & 0xFF;
    if (kinds & 1) keel_add(world, e, Wide, { { value, 0, 0, 0, value } });
    if (kinds & 2) keel_add(world, e, Byte, { (uint8_t)value });
    if (kinds & 4) keel_add(world, e, Row, { value });
    if (kinds & 8) keel_add(world, e, Column, { value });
    if (kinds & 16) keel_add(world, e, Loose, { value });
    if (kinds & 32) keel_add(world, e, Slack, { value });
    return e;
}

static void assert_ways_agree(keel_world *world) {
    static keel_entity expected[MOST];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        seen_count = 0;
        ways[i].anew(world);
        const uint32_t count = seen_count;
        memcpy(expected, seen, count * sizeof *seen);
        seen_count = 0;
        assert_int_equal(keel_run_system(world, ways[i].system, NULL), KEEL_OK);
        assert_int_equal(seen_count, count);
        assert_memory_equal(seen, expected, count * sizeof *seen);
        seen_count = 0;
        for (uint32_t again = 0; again < 2; ++again)
            assert_int_equal(keel_run_system(world, ways[i].system, NULL), KEEL_OK);
        assert_int_equal(seen_count, 2 * count);
    }
}

// A population whose end is somewhere on a page, and whose edits make and fill holes.
static void run_between_edits(uint32_t seed, uint32_t population, uint32_t kinds) {
    static keel_entity e[MOST];
    api_fixture f;
    api_begin(&f);
    rolled = seed;
    for (uint32_t i = 0; i < population; ++i)
        e[i] = add_one(f.world, kinds);
    keel_group *group = NULL;
    for (uint32_t round = 0; round < 8; ++round) {
        assert_ways_agree(f.world);
        for (uint32_t k = roll(5) * roll(5); k; --k)
            toggle(f.world, e[roll(population)]);
        if (roll(4) == 0) { // one more at the end of all pages, or in a hole
            const uint32_t i = roll(population);
            (void)keel_delete_entity(f.world, e[i]);
            e[i] = add_one(f.world, roll(64));
        }
        if (roll(4) == 0 && !group) group = keel_group_create(f.world, KEEL_OWNED(Loose, Slack));
        else if (group && roll(2)) {
            assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
            group = NULL;
        }
    }
    api_end(&f);
}

static void kept_walks_follow_edits(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= test_rounds(30); ++seed)
        run_between_edits(seed, 100 + seed * 7, seed % 3 ? 63 : seed);
}

static void windows_that_are_nearly_full(void **state) {
    (void)state;
    static const uint32_t populations[] = { 4095, 4096, 4097, 5000, 8192 };
    for (uint32_t i = 0; i < test_rounds(5); ++i)
        run_between_edits(100 + i, populations[i], 1 | 2 | 16);
}

static const struct CMUnitTest tests[] = {
    TEST(kept_walks_follow_edits, "a system that runs again visits what a new view does"),
    TEST(windows_that_are_nearly_full, "a page with holes or with an end is visited as it is"),
};

int main(void) { return RUN(tests); }
