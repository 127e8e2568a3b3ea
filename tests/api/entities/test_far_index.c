// SPDX-License-Identifier: MIT
// The highest index there is: every storage, every walk. Nothing may wrap.
#include "support/api_types.h"

typedef struct Near {
    uint32_t value;
} Near;
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Near, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);

// The highest index of all; but in test builds every edit is followed by a walk over the
// structures, which are tables of a million pages then, one that is far enough.
#if !defined(NDEBUG) && KEEL_MAX_ENTITY_INDEX > 50000000
static const uint32_t far_index = 50000000;
#else
static const uint32_t far_index = KEEL_MAX_ENTITY_INDEX;
#endif

static api_fixture f;

static uint32_t visited(const keel_component *component) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = component },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    keel_span span;
    uint32_t count = 0;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "far"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i, ++count)
            assert_true(keel_is_alive(f.world, span.entities[i]));
    keel_view_end(&view);
    return count;
}

static void the_highest_index_is_one_like_any_other(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity far = handle_at(far_index, 0), near = keel_add_entity(f.world);
    assert_int_equal(keel_add_entity_at(f.world, far), KEEL_OK);
    const keel_component *const all[] = { KEEL_OF(Number), KEEL_OF(Near), KEEL_OF(Row) };
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t value = 5 + k;
        assert_int_equal(keel_add_component(f.world, far, all[k], &value), KEEL_OK);
        assert_int_equal(keel_add_component(f.world, near, all[k], &value), KEEL_OK);
        assert_int_equal(*(const uint32_t *)keel_get_component(f.world, far, all[k]), value);
        assert_int_equal(visited(all[k]), 2);
    }
    const keel_term everybody[] = { { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(Other) },
                                    { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, everybody, "far"), KEEL_OK);
    assert_int_equal(keel_view_count(&view), 2);
    keel_view_end(&view);
    assert_int_equal(keel_disable(f.world, far, Near), KEEL_OK);
    assert_int_equal(visited(KEEL_OF(Near)), 1);
    assert_int_equal(keel_enable(f.world, far, Near), KEEL_OK);
    assert_same_entity(keel_next_entity(f.world, near), far);
    assert_true(keel_is_null(keel_next_entity(f.world, far)));
    for (uint32_t k = 0; k < 3; ++k) {
        assert_int_equal(keel_clear_component(f.world, all[k]), KEEL_OK);
        assert_false(keel_has_component(f.world, far, all[k]));
    }
    keel_add(f.world, far, Near, { 1 });
    assert_int_equal(keel_delete_entity(f.world, far), KEEL_OK);
    assert_int_equal(visited(KEEL_OF(Near)), 0);
    api_end(&f);
}

static void a_far_world_is_copied(void **state) {
    (void)state;
    api_fixture g;
    api_begin(&f);
    api_begin(&g);
    const keel_entity far = handle_at(far_index, 0);
    assert_int_equal(keel_add_entity_at(f.world, far), KEEL_OK);
    keel_add(f.world, far, Near, { 1 });
    keel_add(f.world, far, Number, { 2 });
    keel_add(f.world, far, Row, { 3 });
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_int_equal(keel_get(g.world, far, Near)->value, 1);
    assert_int_equal(keel_get(g.world, far, Number)->value, 2);
    assert_int_equal(keel_get(g.world, far, Row)->value, 3);
    assert_int_equal(keel_clear_entities(g.world), KEEL_OK);
    api_end(&f);
    api_end(&g);
}

// Each value of a large component has a page of its own, and the list of pages reaches to the
// index.
typedef struct Huge {
    char bytes[2000];
} Huge;
KEEL_COMPONENT(Huge, .storage = KEEL_INDEXED);

static void *resize_small(void *context, void *block, size_t old_size, size_t new_size,
                          size_t align) {
    const counting_allocator *memory = context;
    if (new_size > (size_t)1 << 28) return NULL;
    return memory->allocator.resize(context, block, old_size, new_size, align);
}

static void too_far_for_the_memory_is_an_error(void **state) {
    counting_allocator memory;
    (void)state;
    counting_allocator_init(&memory);
    keel_world *world =
        keel_world_create(&(keel_world_desc){ .allocator = { resize_small, &memory } });
    assert_non_null(world);
    const keel_entity far = handle_at((uint32_t)(KEEL_MAX_ENTITY_INDEX - 5000), 0);
    if (keel_add_entity_at(world, far) == KEEL_OK) { // or its table is too large for that
        const keel_result result = keel_add_component(world, far, KEEL_OF(Huge), NULL);
        if (sizeof(keel_entity) == 8) assert_int_equal(result, KEEL_ERROR_MEMORY);
    }
    assert_true(keel_world_check(world, NULL));
    keel_world_destroy(world);
    assert_int_equal(memory.live_bytes, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(the_highest_index_is_one_like_any_other, "The highest index is one like any other"),
    TEST(a_far_world_is_copied, "A world with the highest index is copied"),
    TEST(too_far_for_the_memory_is_an_error, "An index too far for the memory there is, an error"),
};
int main(void) { return RUN(tests); }
