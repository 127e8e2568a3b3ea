// SPDX-License-Identifier: MIT
// Saves whose content was changed and whose hashes are right again: the loader answers with an
// error and changes nothing, or loads a world that is sound. SAVE_ROUNDS sets how many there are.
#include "support/api_types.h"

#include <keel_save.h>
#include <save.h>
#include <stdlib.h>
#include <string.h>

typedef struct Chest {
    bool is_open;
    char label[6];
    keel_entity owner;
    int16_t coins[2];
} Chest;
KEEL_FIELDS(Chest, is_open, label, owner, coins);
KEEL_COMPONENT(Chest, KEEL_HAS_FIELDS(Chest));
typedef struct Row {
    int32_t number;
} Row;
KEEL_FIELDS(Row, number);
KEEL_COMPONENT(Row, KEEL_HAS_FIELDS(Row), .storage = KEEL_ARCHETYPE);
typedef struct Mood {
    float joy;
} Mood;
KEEL_FIELDS(Mood, joy);
KEEL_COMPONENT(Mood, KEEL_HAS_FIELDS(Mood), .storage = KEEL_INDEXED, .required = KEEL_LIST(Row));
typedef struct OwnedBy {
    int16_t since;
} OwnedBy;
KEEL_FIELDS(OwnedBy, since);
KEEL_VALUED_RELATION(OwnedBy, KEEL_HAS_FIELDS(OwnedBy), .exclusive = true, .acyclic = true);
typedef struct Round {
    uint32_t number;
    keel_entity winner;
} Round;
KEEL_FIELDS(Round, number, winner);
KEEL_UNIQUE(Round, KEEL_HAS_FIELDS(Round));

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static keel_world *new_world(void) {
    static log_record log;
    keel_world *world = keel_world_create(&(keel_world_desc){
        .log = log_to(&log), .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    assert_non_null(world);
    assert_int_equal(keel_register(world, Chest, Row, Mood, OwnedBy), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Round)));
    return world;
}

static void fill(keel_world *world) {
    keel_entity all[12];
    for (uint32_t i = 0; i < 12; ++i) {
        all[i] = keel_add_entity(world, KEEL_INIT(Row, { (int32_t)i }));
        const keel_entity last = i ? all[i - 1] : keel_null();
        if (i % 2) keel_add(world, all[i], Chest, { true, "gold", last, { 1, -1 } });
        if (i % 3) keel_add(world, all[i], Mood, { 0.5F });
        if (i % 4) assert_int_equal(keel_attach(world, all[i], last), KEEL_OK);
        if (i > 3) assert_int_equal(keel_relate(world, all[i], OwnedBy, last, { 7 }), KEEL_OK);
        const char name[] = { 'n', (char)('a' + i), 0 };
        if (i % 5) assert_int_equal(keel_set_name(world, all[i], name), KEEL_OK);
    }
    assert_int_equal(keel_disable(world, all[4], Mood), KEEL_OK);
    assert_int_equal(keel_disable(world, all[4], Row), KEEL_OK);
    assert_int_equal(keel_delete_entity(world, all[2]), KEEL_OK);
    keel_set_unique(world, Round, { 3, all[1] });
}

static bool keep(void *context, const void *bytes, size_t size) {
    unsigned char *at = save_bytes_more(context, size);
    if (at && size) memcpy(at, bytes, size);
    return at || !size;
}

// One to three changes: a byte, a number, bytes that come or go.
static void change(save_bytes *body) {
    for (uint32_t times = 1 + below(3); times && body->size > 4; --times) {
        static const uint32_t odd[] = { 0,          1,          2,          3,         127,
                                        255,        4096,       65535,      65536,     0x7FFFFFFF,
                                        0x80000000, 0xFFFFEFFF, 0xFFFFFFFE, UINT32_MAX };
        unsigned char *at = body->data + below((uint32_t)body->size - 4);
        switch (below(5)) {
        case 0:
            *at ^= (unsigned char)(1u << below(8));
            break;
        case 1:
            save_write_number(at, odd[below(14)], 4);
            break;
        case 2:
            body->size -= 1 + below(4);
            break;
        case 3: {
            const size_t more = 1 + below(4);
            unsigned char *end = save_bytes_more(body, more);
            if (end) memset(end, (int)below(256), more);
            break;
        }
        default:
            memcpy(at, body->data + below((uint32_t)body->size - 4), 4);
        }
    }
}

// The file again, with one section changed, left out or there twice.
static void rewrite(const save_bytes *file, save_bytes *out) {
    save_reader r = { .at = file->data, .end = file->data + file->size, .bytes_left = 1 << 24 };
    save_writer w = { .sink = { keep, out } };
    const uint32_t victim = below(12), how = below(10);
    assert_int_equal(save_read_header(&r), KEEL_OK);
    assert_int_equal(save_write_header(&w), KEEL_OK);
    for (uint32_t n = 0;; ++n) {
        assert_int_equal(save_read_section(&r), KEEL_OK);
        if (!strcmp(r.tag, "ENDS")) break;
        assert_non_null(save_take(&r, r.raw)); // all of it
        assert_int_equal(save_finish_section(&r, false), KEEL_OK);
        if (n == victim && how > 1) change(&r.body);
        const save_part part = { &r.body, 1 };
        for (uint32_t times = n != victim || how > 1 ? 1 : how * 2; times; --times)
            assert_int_equal(save_write_section(&w, r.tag, &part, 1), KEEL_OK);
    }
    assert_int_equal(save_write_end(&w), KEEL_OK);
    save_reader_free(&r);
    save_writer_free(&w);
}

static void changed_saves_are_refused_or_sound(void **state) {
    (void)state;
    const char *asked = getenv("SAVE_ROUNDS");
    const unsigned long rounds = asked ? strtoul(asked, NULL, 10) : 3000;
    unsigned long loaded = 0;
    keel_world *from = new_world();
    save_bytes file = { 0 };
    fill(from);
    assert_int_equal(keel_save_to(from, (keel_save_sink){ keep, &file }, NULL), KEEL_OK);
    for (unsigned long round = 0; round < rounds; ++round) {
        save_bytes changed = { 0 };
        keel_world *to = new_world();
        keel_error why = { 0 };
        seed = round;
        rewrite(&file, &changed);
        const keel_result r =
            keel_load_from(to, changed.data, changed.size, &(keel_load_options){ .error = &why });
        if (r < 0 && r != KEEL_ERROR_FORMAT && r != KEEL_ERROR_SCHEMA)
            fail_msg("round %lu: %d %s", round, (int)r, why.message);
        if (r < 0) assert_int_equal(why.result, r);
        if (r < 0) assert_int_equal(keel_entity_count(to), 0);
        keel_error broken = { 0 };
        if (!keel_world_check(to, &broken)) fail_msg("round %lu: %s", round, broken.message);
        uint64_t hash;
        assert_int_equal(keel_world_hash(to, &hash), KEEL_OK);
        loaded += r == KEEL_OK;
        keel_world_destroy(to);
        save_bytes_free(&changed);
    }
    assert_in_range(loaded, 1, rounds - 1); // both happen
    keel_world_destroy(from);
    save_bytes_free(&file);
}

static const struct CMUnitTest tests[] = {
    TEST(changed_saves_are_refused_or_sound, "saves with other content are refused, or sound"),
};

int main(void) { return RUN(tests); }
