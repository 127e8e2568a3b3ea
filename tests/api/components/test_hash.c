// SPDX-License-Identifier: MIT
// The hash of a world: what counts, what does not, and what cannot be hashed.
#include "support/api_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef struct Point {
    float x, y;
} Point;
typedef struct Gap { // 3 bytes of padding
    uint8_t kind;
    uint32_t amount;
} Gap;
typedef struct Full {
    uint32_t a, b;
} Full;
typedef struct Partly { // `cache` does not count
    uint32_t value, cache;
} Partly;
typedef struct Inner {
    Gap gap;
    uint8_t end;
} Inner;
typedef struct Link {
    keel_entity to;
} Link;
typedef struct Text {
    char *letters;
} Text;
typedef struct Silent {
    uint32_t value;
} Silent;
typedef struct Loud {
    uint32_t value;
} Loud;
typedef struct Shield {
    float strength;
} Shield;
typedef struct Clock {
    uint8_t phase;
    double now;
} Clock;
typedef struct Row {
    uint64_t value;
} Row;

typedef struct Told { // padding between members, behind them, and between bits
    uint8_t kind;
    uint32_t amount;
    struct {
        double far;
        uint8_t end;
    } part;
    uint8_t few : 3;
} Told;
typedef struct Even { // no padding
    float x, y;
    int32_t z;
} Even;
typedef struct Wide { // larger than what is hashed at once
    struct {
        uint8_t kind;
        uint32_t amount;
    } parts[100];
} Wide;
typedef struct Owner {
    uint32_t value;
} Owner;
static void owner_drop(void *value, void *hook_data) { (void)value, (void)hook_data; }

static uint64_t text_hash(const void *value, void *hook_data) {
    const Text *text = value;
    uint64_t sum = 0;
    ++*(uint32_t *)hook_data;
    for (const char *c = text->letters; c && *c; ++c)
        sum = sum * 31 + (unsigned char)*c;
    return sum;
}
static uint32_t text_calls;

KEEL_COMPONENT(Point, .no_padding = true);
KEEL_FIELDS(Gap, kind, amount);
KEEL_COMPONENT(Gap, KEEL_HAS_FIELDS(Gap));
KEEL_FIELDS(Full, a, b);
KEEL_COMPONENT(Full, KEEL_HAS_FIELDS(Full));
KEEL_FIELDS(Partly, value);
KEEL_COMPONENT(Partly, KEEL_HAS_FIELDS(Partly));
KEEL_FIELDS(Inner, gap.kind, gap.amount, end);
KEEL_COMPONENT(Inner, KEEL_HAS_FIELDS(Inner), .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Link, .no_padding = true);
KEEL_COMPONENT(Text, .hash = text_hash, .hook_data = &text_calls);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" // as where the compiler does not know the padding
KEEL_COMPONENT(Silent, .clear_padding = NULL);
KEEL_UNIQUE(Silent, .clear_padding = NULL);
#pragma GCC diagnostic pop
KEEL_COMPONENT(Told);
KEEL_COMPONENT(Even);
KEEL_COMPONENT(Wide, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Owner, .drop = owner_drop);
KEEL_COMPONENT(Loud, .name = "Silent too", .no_padding = true);
KEEL_COMPONENT(Shield, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_TAG(Marked);
KEEL_TAG(Chosen);
KEEL_FIELDS(Clock, phase, now);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
KEEL_COMPONENT(Clock, KEEL_HAS_FIELDS(Clock));

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}
#define assert_hash(world, expected) assert_true(hash_of(world) == (expected))
#define assert_other_hash(world, unexpected) assert_true(hash_of(world) != (unexpected))

// ------------------------------------------------------------------ what counts
static void everything_that_is_alive_counts(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const uint64_t empty = hash_of(f.world);
    const keel_entity e = keel_add_entity(f.world);
    const uint64_t bare = hash_of(f.world);
    assert_true(bare != empty);
    keel_add(f.world, e, Point, { 1, 2 });
    const uint64_t point = hash_of(f.world);
    assert_true(point != bare);
    keel_add(f.world, e, Point, { 2, 1 });
    assert_other_hash(f.world, point);
    keel_add(f.world, e, Point, { 1, 2 });
    assert_hash(f.world, point);
    keel_add(f.world, e, Marked);
    const uint64_t marked = hash_of(f.world);
    assert_true(marked != point);
    keel_delete(f.world, e, Marked);
    keel_add(f.world, e, Chosen);
    assert_other_hash(f.world, marked);
    assert_other_hash(f.world, point);
    keel_delete(f.world, e, Chosen, Point);
    assert_hash(f.world, bare);
    keel_delete_entity(f.world, e);
    assert_hash(f.world, empty);
    (void)keel_add_entity(f.world); // the same index, another version
    assert_other_hash(f.world, bare);
    api_end(&f);
}

static void values_belong_to_their_entity_and_component(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Full, { 1, 2 }));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Full, { 3, 4 }));
    const uint64_t hash = hash_of(f.world);
    keel_add(f.world, a, Full, { 3, 4 });
    keel_add(f.world, b, Full, { 1, 2 });
    assert_other_hash(f.world, hash); // exchanged
    keel_delete(f.world, a, Full);
    keel_delete(f.world, b, Full);
    keel_add(f.world, a, Point);
    const uint64_t zero_point = hash_of(f.world);
    keel_delete(f.world, a, Point);
    keel_add(f.world, a, Full);
    assert_other_hash(f.world, zero_point); // as many zero bytes of another name
    api_end(&f);
}

static void uniques_count(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const uint64_t none = hash_of(f.world);
    keel_set_unique(f.world, Clock, { 1, 2.0 });
    const uint64_t set = hash_of(f.world);
    assert_true(set != none);
    keel_set_unique(f.world, Clock, { 2, 2.0 });
    assert_other_hash(f.world, set);
    keel_get_unique_mut(f.world, Clock)->phase = 1;
    assert_hash(f.world, set);
    keel_remove_unique(f.world, Clock);
    assert_hash(f.world, none);
    api_end(&f);
}

static void disabled_values_count_as_such(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    const uint64_t without = hash_of(f.world);
    keel_add(f.world, e, Shield, { 3 });
    const uint64_t enabled = hash_of(f.world);
    keel_disable(f.world, e, Shield);
    const uint64_t disabled = hash_of(f.world);
    assert_true(disabled != enabled && disabled != without);
    keel_enable(f.world, e, Shield);
    assert_hash(f.world, enabled);
    keel_add(f.world, e, Shield, { 4 });
    keel_disable(f.world, e, Shield);
    assert_other_hash(f.world, disabled);
    api_end(&f);
}

static void links_and_references_count_as_handles(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), a = keel_add_entity(f.world),
                      b = keel_add_entity(f.world);
    const uint64_t apart = hash_of(f.world);
    keel_attach(f.world, a, root);
    keel_attach(f.world, b, root);
    const uint64_t family = hash_of(f.world);
    assert_true(family != apart);
    keel_attach(f.world, a, root); // now the last child
    assert_other_hash(f.world, family);
    keel_attach(f.world, b, root);
    assert_hash(f.world, family);
    keel_unlink_tree(f.world, root);
    assert_hash(f.world, apart);
    keel_add(f.world, root, Link, { a });
    const uint64_t linked = hash_of(f.world);
    keel_get_mut(f.world, root, Link)->to = b;
    assert_other_hash(f.world, linked);
    api_end(&f);
}

// ------------------------------------------------------------------ what does not
// Each byte of a value that no field covers is garbage.
static void padding_does_not_count(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint64_t first = 0;
    for (int garbage = 0; garbage < 256; garbage += 51) {
        Gap gap;
        Inner inner;
        Clock clock;
        memset(&gap, garbage, sizeof gap);
        memset(&inner, garbage, sizeof inner);
        memset(&clock, garbage, sizeof clock);
        gap.kind = inner.gap.kind = inner.end = clock.phase = 1;
        gap.amount = inner.gap.amount = 2;
        clock.now = 3;
        const keel_entity e = keel_add_entity(f.world);
        assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Gap), &gap), KEEL_OK);
        assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Inner), &inner), KEEL_OK);
        assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Clock), &clock), KEEL_OK);
        assert_int_equal(keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Clock), &clock), KEEL_OK);
        if (garbage == 0) first = hash_of(f.world);
        assert_hash(f.world, first);
        keel_get_mut(f.world, e, Inner)->end = 2;
        assert_other_hash(f.world, first);
        api_end(&f);
        api_begin(&f);
    }
    api_end(&f);
}

static void members_without_a_field_do_not_count(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Partly, { 1, 2 }));
    const uint64_t hash = hash_of(f.world);
    keel_get_mut(f.world, e, Partly)->cache = 3;
    assert_hash(f.world, hash);
    keel_get_mut(f.world, e, Partly)->value = 3;
    assert_other_hash(f.world, hash);
    api_end(&f);
}

static void floats_are_their_bytes(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Point, { 0.0f, 0 }));
    const uint64_t zero = hash_of(f.world);
    keel_get_mut(f.world, e, Point)->x = -0.0f;
    assert_other_hash(f.world, zero);
    api_end(&f);
}

static void a_hook_says_what_counts(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    char one[] = "a text", same[] = "a text", other[] = "another";
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Text, { one }));
    text_calls = 0;
    const uint64_t hash = hash_of(f.world);
    assert_int_equal(text_calls, 1);
    keel_get_mut(f.world, e, Text)->letters = same;
    assert_hash(f.world, hash);
    keel_get_mut(f.world, e, Text)->letters = other;
    assert_other_hash(f.world, hash);
    api_end(&f);
}

// The same state by two roads: other order of registration, of values, of archetypes.
static void history_does_not_count(void **state) {
    (void)state;
    enum { count = 300 };
    api_fixture f, g;
    keel_entity e[count];
    api_begin(&f);
    api_begin(&g);
    assert_int_equal(keel_add_entity_columns(f.world, count, e, NULL), KEEL_OK);
    assert_int_equal(keel_add_entity_columns(g.world, count, e, NULL), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        keel_add(f.world, e[i], Full, { i, 1 });
        if (i % 3 == 0) keel_add(f.world, e[i], Row, { i });
        if (i % 5 == 0) keel_add(f.world, e[i], Inner, { .end = (uint8_t)i });
    }
    assert_other_hash(g.world, hash_of(f.world));
    for (uint32_t k = count; k-- > 0;) {
        const uint32_t i = k * 7 % count;
        keel_add(g.world, e[i], Shield, { 1 });
        keel_add(g.world, e[i], Inner, { .end = (uint8_t)i });
        if (i % 5) keel_delete(g.world, e[i], Inner);
        keel_add(g.world, e[i], Full, { i, 1 });
        if (i % 3 == 0) keel_add(g.world, e[i], Row, { i });
        keel_delete(g.world, e[i], Shield);
    }
    assert_hash(g.world, hash_of(f.world));
    assert_int_equal(keel_world_trim(g.world), KEEL_OK);
    assert_hash(g.world, hash_of(f.world));
    api_end(&f);
    api_end(&g);
}

static void a_copy_has_the_same_hash(void **state) {
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    for (uint32_t i = 0; i < 100; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Point, { 1, 2 }),
                                              KEEL_INIT(Row, { i }), KEEL_INIT(Shield, { 3 }));
        if (i % 3 == 0) keel_disable(f.world, e, Shield);
        if (i % 2 == 0) keel_delete_entity(f.world, e);
        else keel_add_child(f.world, e, KEEL_INIT(Gap, { 1, i }));
    }
    keel_set_unique(f.world, Clock, { 1, 2.0 });
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_hash(g.world, hash_of(f.world));
    api_end(&f);
    api_end(&g);
}

// ------------------------------------------------------------------ padding that the compiler
// knows
#ifdef KEELI_KNOWS_PADDING
static void fill_told(Told *told, int padding) {
    memset(told, padding, sizeof *told);
    told->kind = 3;
    told->amount = 70000;
    told->part.far = -0.5;
    told->part.end = 9;
    told->few = 5;
}

static void known_padding_does_not_count(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Told, { 0 }), KEEL_INIT(Wide, { 0 }));
    Told *told = keel_get_mut(f.world, e, Told);
    Wide *wide = keel_get_mut(f.world, e, Wide);
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        fill_told(told, i ? 0xAA : 0x55);
        memset(wide, i ? 0xAA : 0x55, sizeof *wide);
        for (uint32_t k = 0; k < 100; ++k) {
            wide->parts[k].kind = (uint8_t)k;
            wide->parts[k].amount = k * k;
        }
        hashes[i] = hash_of(f.world);
    }
    assert_true(hashes[0] == hashes[1]);

    told->few ^= 4;
    assert_true(hash_of(f.world) != hashes[0]);
    told->few ^= 4;
    told->part.end ^= 0x80;
    assert_true(hash_of(f.world) != hashes[0]);
    told->part.end ^= 0x80;
    wide->parts[99].amount ^= 1;
    assert_true(hash_of(f.world) != hashes[0]);
    wide->parts[99].amount ^= 1;
    assert_true(hash_of(f.world) == hashes[0]);
    api_end(&f);
}

// A type without padding, as the compiler tells, has the hash of one with .no_padding.
static void without_padding_all_bytes_count(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        api_fixture f;
        api_begin(&f);
        keel_component even = *KEEL_OF(Even);
        even.no_padding = i;
        assert_non_null(keel_register_component(f.world, &even));
        for (int k = 0; k < 200; ++k)
            keel_add_entity(f.world, KEEL_INIT(Even, { (float)k, 2, k }));
        hashes[i] = hash_of(f.world);
        api_end(&f);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void a_copied_world_knows_the_padding(void **state) {
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    Told told;
    fill_told(&told, 0x11);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Told), &told), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_true(hash_of(f.world) == hash_of(g.world));
    api_end(&g);
    api_end(&f);
}
#endif

static void values_with_hooks_have_to_say(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint64_t hash;
    keel_add_entity(f.world, KEEL_INIT(Owner, { 1 }));
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_HASH);
    assert_error(f.world, KEEL_ERROR_HASH, "may own memory");
    api_end(&f);
}

// ------------------------------------------------------------------ what cannot be hashed
static void a_component_that_does_not_say_is_named(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint64_t hash = 77;
    keel_register(f.world, Silent); // no values yet
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Silent, { 1 }));
    hash = 77;
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_HASH);
    assert_int_equal(hash, 77);
    assert_error(f.world, KEEL_ERROR_HASH, "cannot hash 'Silent'");
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_HASH);
    assert_error(f.world, KEEL_ERROR_HASH, ".no_padding = true");
    keel_delete(f.world, e, Silent);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    keel_set_unique(f.world, Silent, { 1 });
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_HASH);
    assert_error(f.world, KEEL_ERROR_HASH, "'Silent'");
    keel_remove_unique(f.world, Silent);
    keel_add(f.world, e, Loud, { 1 });
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    api_end(&f);
}

static void a_disabled_value_that_does_not_say_is_named(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    static uint32_t slot;
    const keel_component quiet = {
        .name = "Quiet",
        .size = 4,
        .align = 4,
        .storage = KEEL_INDEXED,
        .slot = &slot,
    };
    const keel_entity e = keel_add_entity(f.world);
    uint64_t hash;
    assert_int_equal(keel_add_component(f.world, e, &quiet, NULL), KEEL_OK);
    assert_int_equal(keel_enable_component(f.world, e, &quiet, false), KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_HASH);
    assert_error(f.world, KEEL_ERROR_HASH, "'Quiet'");
    api_end(&f);
}

static void a_world_that_is_being_written_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Point, { 1, 2 }));
    const uint64_t before = hash_of(f.world);
    uint64_t hash = 77;
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Point, p)), "reader"),
                     KEEL_OK);
    assert_hash(f.world, before);
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_WRITE(Point, p)), "writer"),
                     KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "'Point'");
    keel_view_end(&view);
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES), "maker of entities"),
        KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "a view writes the list of entities");
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_ERROR_SHARED);
    assert_error(f.world, KEEL_ERROR_SHARED, "keel_share_end");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "NULL");
    assert_int_equal(hash, 77);
    assert_hash(f.world, before);
    api_end(&f);
}

// A pointer means nothing elsewhere: what holds one says so, and all else is hashed and copied.
typedef struct Window {
    void *handle;
    uint8_t flag; // and padding
} Window;
static uint32_t windows_dropped;
static void owned_drop_window(void *value, void *data) {
    (void)value, (void)data;
    ++windows_dropped;
}
KEEL_UNIQUE(Window, .transient = true, .drop = owned_drop_window);
typedef struct Cache {
    const void *pointer;
} Cache;
KEEL_COMPONENT(Cache, .transient = true);

static void what_is_transient_is_left_out(void **state) {
    (void)state;
    api_fixture f, other;
    api_begin(&f);
    api_begin(&other);
    uint64_t before, hash;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Clock, { 0 }));
    assert_int_equal(keel_set_unique(f.world, Clock, { 0 }), KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
    assert_int_equal(keel_set_unique(f.world, Window, { &f, 1 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Cache, { &f }), KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    assert_true(hash == before);
    assert_int_equal(keel_set_unique(other.world, Window, { &other, 2 }), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, other.world), KEEL_OK); // no copy hook is needed
    assert_ptr_equal(keel_get_unique(other.world, Window)->handle, &other);
    assert_non_null(keel_get_unique(other.world, Clock));
    assert_int_equal(keel_world_hash(other.world, &hash), KEEL_OK);
    assert_true(hash == before);
    windows_dropped = 0;
    api_end(&f);
    api_end(&other);
    assert_int_equal(windows_dropped, 2);
}

static void hashing_allocates_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Point, { 1, 2 }), KEEL_INIT(Inner, { .end = 1 }));
    const uint64_t before = hash_of(f.world);
    counting_allocator_fail_after(&f.memory, 0);
    assert_hash(f.world, before);
    counting_allocator_never_fail(&f.memory);
    api_end(&f);
}

// Finds the entity whose component differs in two worlds, by what they could send each other:
// hashes of four blocks at a time. Counts the hashes.
static keel_entity find_difference(keel_world *one, keel_world *other, const keel_component *c,
                                   uint32_t *count) {
    uint32_t first = 0, size = 1u << 15; // four of them: 131,072 indices
    for (;; size /= 4) {
        uint64_t a[4], b[4];
        if (!size) size = 1;
        assert_int_equal(keel_hash_blocks(one, c, first, size, 4, a), KEEL_OK);
        assert_int_equal(keel_hash_blocks(other, c, first, size, 4, b), KEEL_OK);
        *count += 4;
        uint32_t at = 0;
        while (at < 4 && a[at] == b[at])
            ++at;
        assert_true(at < 4);
        first += at * size;
        if (size == 1) return keel_entity_at(one, first);
    }
}

static void a_difference_is_found_by_blocks(void **state) {
    enum { MANY = 100000 };
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    for (uint32_t i = 0; i < MANY; ++i)
        keel_add_entity(f.world, KEEL_INIT(Full, { i, 1 }), KEEL_INIT(Point, { 1, 2 }));
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    const keel_entity e = keel_entity_at(g.world, 77123);
    keel_get_mut(g.world, e, Full)->b ^= 1u << 17;
    assert_true(hash_of(f.world) != hash_of(g.world));

    uint32_t hashes = 0, different = 0;
    for (const keel_component *c = NULL; (c = keel_next_component(f.world, c)) != NULL;) {
        uint64_t a, b;
        assert_int_equal(keel_hash_component(f.world, c, &a), KEEL_OK);
        assert_int_equal(keel_hash_component(g.world, c, &b), KEEL_OK);
        ++hashes;
        if (a == b) continue;
        ++different;
        assert_string_equal(c->name, "Full");
        assert_true(keel_is_same(find_difference(f.world, g.world, c, &hashes), e));
    }
    assert_int_equal(different, 1);
    assert_true(hashes <= 40);
    api_end(&g);
    api_end(&f);
}

static void parts_of_the_hash_name_mistakes(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Full, { 1, 2 }));
    uint64_t hash = 5, hashes[2] = { 5, 5 };
    assert_int_equal(keel_hash_component(f.world, NULL, &hash), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "component to hash is NULL");
    assert_int_equal(keel_hash_component(f.world, KEEL_OF(Full), NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_hash_component needs a place");
    assert_int_equal(keel_hash_blocks(f.world, KEEL_OF(Full), 0, 0, 2, hashes),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "size of a block is 0");
    assert_true(hash == 5 && hashes[0] == 5);

    // what the world does not know has no part; blocks may lie behind all indices
    assert_int_equal(keel_hash_component(f.world, KEEL_OF(Point), &hash), KEEL_OK);
    assert_true(hash == 0);
    assert_int_equal(
        keel_hash_blocks(f.world, KEEL_OF(Full), UINT32_MAX - 1, UINT32_MAX, 2, hashes), KEEL_OK);
    assert_true(hashes[0] == 0 && hashes[1] == 0);
    keel_add_entity(f.world, KEEL_INIT(Silent, { 1 }));
    assert_int_equal(keel_hash_component(f.world, KEEL_OF(Silent), &hash), KEEL_ERROR_HASH);
    assert_int_equal(keel_hash_component(f.world, KEEL_OF(Full), &hash), KEEL_OK);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(what_is_transient_is_left_out, "what is transient is left out of hashes and copies (B18)"),
    TEST(everything_that_is_alive_counts, "handles, components, tags and values count"),
    TEST(values_belong_to_their_entity_and_component,
         "a value counts for its entity and component"),
    TEST(uniques_count, "uniques count"),
    TEST(disabled_values_count_as_such, "disabled values count, and otherwise than enabled ones"),
    TEST(links_and_references_count_as_handles, "the hierarchy and references count as handles"),
    TEST(padding_does_not_count, "padding does not count, whatever is in it"),
    TEST(members_without_a_field_do_not_count, "members without a field do not count"),
    TEST(floats_are_their_bytes, "floats are their bytes"),
    TEST(a_hook_says_what_counts, "a hash hook says what counts"),
    TEST(history_does_not_count, "how the world came to be does not count"),
    TEST(a_copy_has_the_same_hash, "a copy has the same hash"),
    TEST(a_component_that_does_not_say_is_named,
         "a component that does not say which bytes count is an error that names it"),
    TEST(a_disabled_value_that_does_not_say_is_named, "so is one that is only disabled"),
    TEST(a_world_that_is_being_written_is_refused,
         "a world that is written or shared is not hashed"),
#ifdef KEELI_KNOWS_PADDING
    TEST(known_padding_does_not_count, "padding that the compiler knows does not count"),
    TEST(without_padding_all_bytes_count, "without padding all bytes count, as with .no_padding"),
    TEST(a_copied_world_knows_the_padding, "a copied world knows the padding, too"),
#endif
    TEST(values_with_hooks_have_to_say, "values with hooks have to say what counts"),
    TEST(hashing_allocates_nothing, "hashing allocates nothing"),
    TEST(a_difference_is_found_by_blocks,
         "one bit of one value of 100,000 entities is found with at most 40 hashes"),
    TEST(parts_of_the_hash_name_mistakes, "hashes of components and blocks name mistakes"),
};
int main(void) { return RUN(tests); }
