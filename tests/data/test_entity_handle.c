// SPDX-License-Identifier: MIT
// The handle itself: its width, its two parts, null. Where the EnTT seed fixes bits and Keel
// differs on purpose (null is an upper half of zero, so zeroed memory holds null handles; the upper
// half is version + 1; there is no tombstone), the test proves Keel's rule.
#include <keel/entity.h>

#include "support/test.h"

#include <string.h>

#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
enum { is_32 = true };
#else
enum { is_32 = false };
#endif

static void the_width_is_a_build_option(void **state) {
    (void)state;
    assert_int_equal(sizeof(keel_entity), is_32 ? 4 : 8);
    assert_int_equal(sizeof(keel_entity_bits), sizeof(keel_entity));
    assert_true((keel_entity_bits)-1 > 0); // unsigned
    // a type of its own: no integer, so it cannot be mixed up with one
    assert_int_equal(_Generic((keel_entity){ 0 }, keel_entity_bits : 1, keel_entity : 2), 2);
}

#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
// The seed's example is (5, 7) == 0x00500007. Keel's upper part is one higher.
static void a_32_bit_handle_has_12_and_20_bits(void **state) {
    (void)state;
    assert_int_equal(KEEL_ENTITY_INDEX_BITS, 20);
    assert_int_equal(KEEL_MAX_ENTITY_INDEX, 0xFFFFF);
    assert_int_equal(keel_entity_make(7, 5).bits, 0x00600007);
    assert_int_equal(keel_entity_make(0xFFFFF, KEEL_MAX_ENTITY_VERSION).bits, 0xFFFFFFFF);
    assert_int_equal(keel_entity_index((keel_entity){ 0x006ABCDE }), 0xABCDE);
    assert_int_equal(keel_entity_version((keel_entity){ 0xFFF00000 }), 0xFFE);
}
#else
static void a_64_bit_handle_has_32_and_32_bits(void **state) {
    (void)state;
    assert_int_equal(KEEL_ENTITY_INDEX_BITS, 32);
    assert_true(keel_entity_make(7, 5).bits == UINT64_C(0x0000000600000007));
    assert_int_equal(keel_entity_index((keel_entity){ UINT64_C(0x00000001FFFFFFFF) }), 0xFFFFFFFF);
    assert_int_equal(keel_entity_version((keel_entity){ UINT64_C(0x8000000000000000) }),
                     0x7FFFFFFF);
}
#endif

static void parts_round_trip(void **state) {
    (void)state;
    const uint32_t indices[] = { 0, 1, 4095, 4096, 10000, KEEL_MAX_ENTITY_INDEX };
    const uint32_t versions[] = { 0, 1, 7, KEEL_MAX_ENTITY_VERSION - 1, KEEL_MAX_ENTITY_VERSION };
    for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i)
        for (size_t v = 0; v < sizeof versions / sizeof *versions; ++v) {
            const keel_entity e = keel_entity_make(indices[i], versions[v]);
            assert_int_equal(keel_entity_index(e), indices[i]);
            assert_int_equal(keel_entity_version(e), versions[v]);
            assert_true(e.bits == (((keel_entity_bits)versions[v] + 1) << KEEL_ENTITY_INDEX_BITS |
                                   indices[i]));
            assert_false(keel_is_null(e));
            assert_true(keel_is_same(e, (keel_entity){ e.bits }));
        }
}

static void parts_out_of_range_make_null(void **state) {
    (void)state;
    assert_true(keel_is_same(keel_entity_make(0, KEEL_MAX_ENTITY_VERSION + 1u), keel_null()));
    assert_true(keel_is_same(keel_entity_make(KEEL_MAX_ENTITY_INDEX + 1u, 0), keel_null()));
    assert_true(keel_is_same(keel_entity_make(UINT32_MAX, UINT32_MAX), keel_null()));
    assert_true(keel_is_same(keel_entity_make(0, UINT32_MAX), keel_null()));
}

// The seed lets users define masks of their own. Keel has two layouts to choose from; all of each
// follows from the width of the index.
static void the_layout_follows_from_the_chosen_width(void **state) {
    (void)state;
    const uint32_t bits = 8 * sizeof(keel_entity_bits), upper_bits = bits - KEEL_ENTITY_INDEX_BITS;
    const uint64_t index_mask = ((uint64_t)1 << KEEL_ENTITY_INDEX_BITS) - 1;
    const uint64_t upper_mask = ((uint64_t)1 << upper_bits) - 1;
    assert_true(KEEL_MAX_ENTITY_INDEX <= index_mask);
    assert_true((uint64_t)KEEL_MAX_ENTITY_VERSION + 1 <= upper_mask);
    const keel_entity all_ones = { (keel_entity_bits)-1 };
    assert_true(keel_entity_index(all_ones) == index_mask);
    assert_true(keel_entity_version(all_ones) == (uint32_t)(upper_mask - 1));
    assert_int_equal(upper_bits, is_32 ? 12 : 32);
}

// The seed's null is an id of all ones and its tombstone a version of all ones. Keel's null is an
// upper part of zero, whatever the index is; all ones is an ordinary handle that nothing has.
static void null_is_an_upper_part_of_zero(void **state) {
    (void)state;
    keel_entity zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    assert_true(keel_is_null(zeroed));
    assert_true(keel_is_null(keel_null()));
    assert_true(keel_is_same(zeroed, keel_null()));
    assert_true(keel_is_null((keel_entity){ 7 }));
    assert_true(keel_is_null((keel_entity){ KEEL_MAX_ENTITY_INDEX }));
    assert_int_equal(keel_entity_version(keel_null()), UINT32_MAX);
    assert_false(keel_is_null(keel_entity_make(0, 0)));
    assert_false(keel_is_null((keel_entity){ (keel_entity_bits)-1 }));
}

static void handles_are_the_same_by_index_and_version(void **state) {
    (void)state;
    const keel_entity e = keel_entity_make(7, 5);
    assert_true(keel_is_same(e, keel_entity_make(7, 5)));
    assert_false(keel_is_same(e, keel_entity_make(7, 6)));
    assert_false(keel_is_same(e, keel_entity_make(8, 5)));
    assert_false(keel_is_same(e, keel_null()));
}

static const struct CMUnitTest tests[] = {
    // proves E-S1
    TEST(the_width_is_a_build_option,
         "a handle is an integer in a type of its own, as wide as the build says"),
#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
    // proves E-S2
    TEST(a_32_bit_handle_has_12_and_20_bits, "a 32-bit handle is 12 bits and 20 bits"),
#else
    // proves E-S3
    TEST(a_64_bit_handle_has_32_and_32_bits, "a 64-bit handle is 32 bits and 32 bits"),
#endif
    // proves E-S4
    TEST(parts_round_trip, "index and version come out as they went in"),
    TEST(parts_out_of_range_make_null, "an index or version above its maximum makes null"),
    // proves E-S5
    TEST(the_layout_follows_from_the_chosen_width,
         "the masks of both layouts follow from the chosen width"),
    // proves E-S6
    TEST(null_is_an_upper_part_of_zero, "null is an upper part of zero, whatever the index"),
    TEST(handles_are_the_same_by_index_and_version, "handles are the same by index and version"),
};

int main(void) { return RUN(tests); }
