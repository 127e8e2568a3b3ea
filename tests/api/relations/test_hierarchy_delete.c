// SPDX-License-Identifier: MIT
// Deleting a tree takes what is of one block of 64 indices together. The same tree in a second
// world is deleted one entity after the other: what is left, in which order, and which handles come
// next must be the same.
#include "support/api_types.h"

#include <string.h>

typedef struct Depth {
    uint32_t value;
} Depth;
typedef struct Bulky {
    uint32_t word[512];
} Bulky;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct Noted {
    uint32_t value;
} Noted;
typedef struct Followed {
    uint32_t value;
} Followed;

enum { entities = 3000, trees = 7 };

// What was told, in order: values that were dropped, entities that observers saw go.
typedef struct record {
    uint32_t count;
    uint64_t what[4 * entities];
} record;
static record told[2], *teller;

static void note(uint64_t what) {
    if (teller) teller->what[teller->count++] = what;
}
static void noted_drop(void *value, void *data) {
    (void)data;
    note(((const Noted *)value)->value);
}
static void note_event(const keel_change *event, void *data) {
    (void)data;
    note(event->entity.bits ^ (uint64_t)event->kind << 60);
}

KEEL_COMPONENT(Depth, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Bulky, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Noted, .drop = noted_drop);
KEEL_COMPONENT(Followed, .tracking = KEEL_TRACK_DELETION);

typedef enum kinds { PLAIN, MIXED, OBSERVED } kinds;

typedef struct forest {
    api_fixture f;
    keel_entity e[entities];
} forest;

static uint32_t roll(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u, *seed >> 8; }

static void give_values(keel_world *world, keel_entity e, uint32_t i, kinds k) {
    assert_int_equal(keel_add(world, e, Number, { i }), KEEL_OK);
    if (i % 3) assert_int_equal(keel_add(world, e, Depth, { i }), KEEL_OK);
    if (i % 4 == 1) assert_int_equal(keel_add(world, e, Position, { (float)i, 1 }), KEEL_OK);
    if (i % 2) assert_int_equal(keel_add(world, e, Row, { i }), KEEL_OK);
    if (i % 5 == 2) assert_int_equal(keel_add(world, e, Frozen), KEEL_OK);
    if (i % 100 == 7) assert_int_equal(keel_add(world, e, Bulky, { { i } }), KEEL_OK);
    if (k == PLAIN) return;
    if (i % 97 == 5) assert_int_equal(keel_add(world, e, Noted, { i }), KEEL_OK);
    if (i % 89 == 3) assert_int_equal(keel_add(world, e, Followed, { i }), KEEL_OK);
}

// The first `trees` entities are roots, each later one hangs below an earlier one of its tree.
static void plant(forest *at, kinds k) {
    uint32_t seed = 7;
    api_begin(&at->f);
    keel_world *world = at->f.world;
    if (k == OBSERVED) {
        assert_int_equal(keel_observe(world, Depth, KEEL_ON_DELETED, note_event, NULL), KEEL_OK);
        assert_int_equal(
            keel_observe_component(world, &keel_entities, KEEL_ON_DESTROYED, note_event, NULL),
            KEEL_OK);
    }
    assert_int_equal(keel_add_entities(world, entities, at->e), KEEL_OK);
    for (uint32_t i = entities; --i;) { // handles in any order
        const uint32_t other = roll(&seed) % (i + 1);
        const keel_entity swapped = at->e[i];
        at->e[i] = at->e[other];
        at->e[other] = swapped;
    }
    for (uint32_t i = 0; i < entities; ++i)
        give_values(world, at->e[i], i, k);
    for (uint32_t i = trees; i < entities; ++i) {
        const uint32_t above = i % 4 ? i % trees + trees * (roll(&seed) % (i / trees)) : i % trees;
        assert_int_equal(keel_attach(world, at->e[i], at->e[above]), KEEL_OK);
    }
}

static void delete_one_by_one(keel_world *world, keel_entity root) {
    static keel_entity doomed[entities];
    uint32_t count = 0;
    doomed[count++] = root;
    KEEL_EACH_DESCENDANT(world, root, e)
        doomed[count++] = e;
    while (count--)
        assert_int_equal(keel_delete_entity(world, doomed[count]), KEEL_OK);
}

// Entities and values in the order of loops, and the handles that come next.
static uint64_t order_of(keel_world *world) {
    uint64_t sum = 0;
    KEEL_EACH(world, KEEL_READ(Number, n), KEEL_ENTITY(e))
        sum = sum * 31 + (e.bits ^ n->value);
    KEEL_EACH(world, KEEL_READ(Position, p), KEEL_ENTITY(e))
        sum = sum * 31 + (e.bits ^ (uint64_t)p->x);
    KEEL_EACH(world, KEEL_READ(Depth, d), KEEL_ENTITY(e))
        sum = sum * 31 + (e.bits ^ d->value);
    KEEL_EACH(world, KEEL_READ(Row, r), KEEL_ENTITY(e))
        sum = sum * 31 + (e.bits ^ r->value);
    KEEL_EACH(world, KEEL_READ(Bulky, b), KEEL_ENTITY(e))
        sum = sum * 31 + (e.bits ^ b->word[0]);
    KEEL_EACH(world, KEEL_WITH(Frozen), KEEL_ENTITY(e))
        sum = sum * 31 + e.bits;
    for (uint32_t i = 0; i < entities; ++i)
        sum = sum * 31 + keel_add_entity(world).bits;
    return sum;
}

static void compare(kinds k) {
    static forest one, other;
    memset(told, 0, sizeof told);
    teller = &told[0];
    plant(&one, k);
    teller = &told[1];
    plant(&other, k);
    for (uint32_t root = 0; root < trees; root += 2) {
        teller = &told[0];
        assert_int_equal(keel_delete_tree(one.f.world, one.e[root]), KEEL_OK);
        teller = &told[1];
        delete_one_by_one(other.f.world, other.e[root]);
        assert_int_equal(keel_entity_count(one.f.world), keel_entity_count(other.f.world));
    }
    assert_true(order_of(one.f.world) == order_of(other.f.world));
    assert_int_equal(told[0].count > 0, k != PLAIN);
    assert_memory_equal(&told[0], &told[1], sizeof told[0]);
    assert_no_error(one.f.world);
    teller = NULL;
    api_end(&one.f);
    api_end(&other.f);
}

static void plain_values(void **state) {
    (void)state;
    compare(PLAIN);
}
static void values_with_hooks_and_tracking(void **state) {
    (void)state;
    compare(MIXED);
}
static void observers(void **state) {
    (void)state;
    compare(OBSERVED);
}

// An observer walks the levels while the tree around it is being deleted: who it meets is alive,
// once.
static void walk_levels(const keel_change *event, void *data) {
    static uint32_t seen[entities];
    uint32_t *calls = data;
    ++*calls;
    KEEL_EACH(event->world, KEEL_TARGETS_FIRST(keel_child), KEEL_ENTITY(e)) {
        assert_true(keel_is_alive(event->world, e));
        assert_true(seen[(uint32_t)e.bits % entities] != *calls);
        seen[(uint32_t)e.bits % entities] = *calls;
    }
}

static void levels_of_a_tree_that_goes(void **state) {
    (void)state;
    api_fixture f;
    static keel_entity list[200];
    uint32_t calls = 0;
    api_begin(&f);
    for (uint32_t i = 0; i < 200; ++i) {
        list[i] = keel_add_entity(f.world, KEEL_INIT(Depth, { i }));
        if (i) assert_int_equal(keel_attach(f.world, list[i], list[i / 3]), KEEL_OK);
    }
    assert_int_equal(keel_observe(f.world, Depth, KEEL_ON_DELETED, walk_levels, &calls), KEEL_OK);
    assert_int_equal(keel_delete_tree(f.world, list[2]), KEEL_OK);
    assert_true(calls > 1);
    assert_int_equal(keel_delete_tree(f.world, list[0]), KEEL_OK);
    assert_int_equal(calls, 200);
    assert_int_equal(keel_entity_count(f.world), 0);
    for (uint32_t i = 0; i < 200; ++i) {
        list[i] = keel_add_entity(f.world, KEEL_INIT(Depth, { i }));
        if (i) assert_int_equal(keel_attach(f.world, list[i], list[i / 3]), KEEL_OK);
    }
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK); // all of them at once
    assert_int_equal(calls, 400);
    assert_no_error(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(plain_values, "a tree is deleted as its entities one by one: plain values"),
    TEST(values_with_hooks_and_tracking, "the same with hooks and tracking, in the same order"),
    TEST(levels_of_a_tree_that_goes,
         "an observer may walk the levels of a tree that is being deleted"),
    TEST(observers, "the same with observers, who are told in the same order"),
};

int main(void) { return RUN(tests); }
