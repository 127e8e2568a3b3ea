// SPDX-License-Identifier: MIT
// A world that has run for a very long time: its ticks come to the end of what 32 bits hold.
#include "follow/changes.h"
#include "support/api_fixture.h"
#include "world.h"

typedef struct Age {
    uint32_t value;
} Age;
KEEL_COMPONENT(Age, .tracking = KEEL_TRACK_ALL);

static uint32_t changed_since(keel_reader *reader, const keel_term *terms) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, reader, terms, "count"), KEEL_OK);
    const uint32_t count = keel_view_count(&view);
    keel_view_end(&view);
    return count;
}

static uint32_t seen;
KEEL_SYSTEM(see, KEEL_READ(Age, age), KEEL_MODIFIED(Age)) { seen += age->value != 0; }

static void over_the_limit(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    f.world->changes.tick = KEELI_TICK_SPAN - 300;
    keel_entity e[8];
    for (uint32_t i = 0; i < 8; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Age, { i + 1 }));
    keel_reader *often = keel_reader_create(f.world, "often");
    keel_reader *never = keel_reader_create(f.world, "never");
    keel_reader_advance(often);
    assert_int_equal(keel_run(f.world, see), KEEL_OK);
    seen = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        keel_get_mut(f.world, e[i % 8], Age)->value = 1;
        assert_int_equal(changed_since(often, KEEL_TERMS(KEEL_MODIFIED(Age))), 1);
        assert_int_equal(changed_since(often, KEEL_TERMS(KEEL_INSERTED(Age))), 0);
        keel_reader_advance(often);
        assert_int_equal(changed_since(often, KEEL_TERMS(KEEL_CHANGED(Age))), 0);
        assert_int_equal(keel_run(f.world, see), KEEL_OK);
        assert_int_equal(seen, i + 1);
    }
    assert_true(f.world->changes.tick_base > 0);
    assert_int_equal(changed_since(never, KEEL_TERMS(KEEL_INSERTED(Age))), 8);
    assert_int_equal(changed_since(never, KEEL_TERMS(KEEL_MODIFIED(Age))), 8);
    assert_int_equal(keel_delete(f.world, e[0], Age), KEEL_OK);
    uint32_t gone = 0;
    KEEL_EACH_REMOVED(often, Age, it)
        if (it.deleted) ++gone;
    assert_int_equal(gone, 1);
    // and far beyond
    for (uint32_t i = 0; i < 5; ++i) {
        f.world->changes.tick += KEELI_TICK_SPAN / 2 - 10;
        for (uint32_t k = 0; k < 20; ++k) {
            keel_get_mut(f.world, e[1], Age)->value = 1;
            assert_int_equal(changed_since(often, KEEL_TERMS(KEEL_MODIFIED(Age))), 1);
            keel_reader_advance(often);
        }
    }
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(over_the_limit, "ticks never wrap: near the limit of 32 bits their base rises"),
};

int main(void) { return RUN(tests); }
