// SPDX-License-Identifier: MIT
// What lies above and below in an exclusive relation: KEEL_EACH_TARGET_ABOVE,
// KEEL_EACH_SOURCE_BELOW; trees, circles, long chains, and what is refused.
#include "support/api_types.h"

KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true);
KEEL_RELATION(Follows, .exclusive = true);
KEEL_RELATION(Likes);
KEEL_RELATION(Married, .exclusive = true, .symmetric = true);

enum { ENTITIES = 64 };
static api_fixture f;
static keel_entity e[ENTITIES];
static void begin(void) {
    api_begin(&f);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
}
static uint32_t number_of(keel_entity who) { return keel_get(f.world, who, Number)->value; }

// 0 has 1, 2, 3; 2 has 4, 5; 5 has 6.
static void grow(void) {
    static const int targets[] = { -1, 0, 0, 0, 2, 2, 5 };
    begin();
    for (uint32_t i = 1; i < 7; ++i)
        keel_relate(f.world, e[i], PartOf, e[targets[i]]);
}

static void a_tree(void **state) {
    (void)state;
    static const uint32_t order[] = { 1, 2, 4, 5, 6, 3 };
    uint32_t n = 0;
    grow();
    KEEL_EACH_SOURCE_BELOW(f.world, e[0], PartOf, part)
    assert_int_equal(number_of(part), order[n++]);
    assert_int_equal(n, 6);
    n = 0;
    KEEL_EACH_SOURCE_BELOW(f.world, e[2], PartOf, part)
    assert_int_equal(number_of(part), (n++)["\4\5\6"]);
    assert_int_equal(n, 3);
    KEEL_EACH_SOURCE_BELOW(f.world, e[3], PartOf, part) fail_msg("%u", (unsigned)number_of(part));
    n = 0;
    KEEL_EACH_TARGET_ABOVE(f.world, e[6], PartOf, whole) {
        assert_int_equal(number_of(whole), (n++)["\5\2\0"]);
        keel_unrelate_all(f.world, whole, PartOf); // the current one may let go
    }
    assert_int_equal(n, 3);
    KEEL_EACH_TARGET_ABOVE(f.world, e[0], PartOf, whole) fail_msg("%u", (unsigned)n);
    api_end(&f);
}

// Holes of edges that went are passed.
static void with_holes(void **state) {
    (void)state;
    uint32_t n = 0;
    begin();
    for (uint32_t i = 1; i < ENTITIES; ++i)
        keel_relate(f.world, e[i], PartOf, e[(i - 1) / 8]);
    for (uint32_t i = 9; i < ENTITIES; i += 2)
        keel_unrelate_all(f.world, e[i], PartOf);
    KEEL_EACH_SOURCE_BELOW(f.world, e[0], PartOf, part) {
        assert_true(number_of(part) < 9 || number_of(part) % 2 == 0);
        ++n;
    }
    assert_int_equal(n, 8 + (ENTITIES - 9) / 2);
    api_end(&f);
}

// 0 -> 1 -> 2 -> 3 -> 1: a circle with a tail.
static void circles(void **state) {
    (void)state;
    uint32_t n = 0;
    begin();
    for (uint32_t i = 0; i < 3; ++i)
        keel_relate(f.world, e[i], Follows, e[i + 1]);
    keel_relate(f.world, e[3], Follows, e[1]);
    KEEL_EACH_TARGET_ABOVE(f.world, e[0], Follows, other) assert_int_equal(number_of(other), ++n);
    assert_int_equal(n, 3);
    n = 0;
    KEEL_EACH_TARGET_ABOVE(f.world, e[2], Follows, other)
    assert_int_equal(number_of(other), (n++)["\3\1"]); // not itself
    assert_int_equal(n, 2);
    n = 0;
    KEEL_EACH_SOURCE_BELOW(f.world, e[1], Follows, other)
    assert_int_equal(number_of(other), (n++)["\0\3\2"]);
    assert_int_equal(n, 3);
    keel_relate(f.world, e[9], Follows, e[9]);
    KEEL_EACH_TARGET_ABOVE(f.world, e[9], Follows, other) fail_msg("%u", (unsigned)n);
    KEEL_EACH_SOURCE_BELOW(f.world, e[9], Follows, other) fail_msg("%u", (unsigned)n);
    keel_relate(f.world, e[7], Married, e[8]);
    n = 0;
    KEEL_EACH_SOURCE_BELOW(f.world, e[7], Married, other) n += number_of(other);
    KEEL_EACH_TARGET_ABOVE(f.world, e[7], Married, other) n += number_of(other);
    assert_int_equal(n, 16);
    api_end(&f);
}

// Whoever is not on the way gets null, or somebody who is alive.
static void strangers(void **state) {
    (void)state;
    grow();
    keel_relate(f.world, e[20], Follows, e[21]);
    keel_relate(f.world, e[21], Follows, e[20]);
    const keel_component *c = KEEL_RELATION_OF(Follows);
    assert_true(keel_is_alive(f.world, keel_next_source_below_component(f.world, e[30], c, e[21])));
    assert_true(keel_is_null(keel_next_source_below_component(f.world, e[30], c, e[31])));
    (void)keel_next_target_above_component(f.world, e[30], c, e[21]);
    const keel_entity dead = keel_add_entity(f.world);
    keel_delete_entity(f.world, dead);
    assert_true(keel_is_null(keel_next_target_above_component(f.world, dead, c, keel_null())));
    assert_true(keel_is_null(keel_next_source_below_component(f.world, e[0], c, dead)));
    assert_no_error(f.world);
    c = KEEL_RELATION_OF(Likes);
    keel_relate(f.world, e[0], Likes, e[1]);
    assert_true(keel_is_null(keel_next_target_above_component(f.world, e[0], c, keel_null())));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Likes' is not .exclusive");
    assert_true(keel_is_null(keel_next_source_below_component(f.world, e[0], c, keel_null())));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Likes' is not .exclusive");
    api_end(&f);
}

static void a_long_chain(void **state) {
    (void)state;
    uint32_t n = 0;
    begin();
    keel_entity last = e[0];
    for (uint32_t i = 0; i < 100000; ++i) {
        const keel_entity next = keel_add_entity(f.world);
        keel_relate(f.world, next, PartOf, last);
        last = next;
    }
    KEEL_EACH_SOURCE_BELOW(f.world, e[0], PartOf, part) n += keel_is_alive(f.world, part);
    KEEL_EACH_TARGET_ABOVE(f.world, last, PartOf, whole) n += keel_is_alive(f.world, whole);
    assert_int_equal(n, 200000);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree),    cmocka_unit_test(with_holes),   cmocka_unit_test(circles),
        cmocka_unit_test(strangers), cmocka_unit_test(a_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
