// SPDX-License-Identifier: MIT
// The parts of hashes in random games over everything that a world can have. Two games that play
// the same have the same parts. After one bit was changed in one of them, one block of one part
// differs.
#include "random_game.h"

enum { PARTS = 64, BLOCKS = 64 };

// What two worlds differ in.
typedef struct difference {
    uint32_t parts, blocks;
    const char *name; // of the last part that differs
    uint32_t block;   // the last block that differs
} difference;

static uint64_t hash_of(const keel_world *world) {
    uint64_t hash;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static void compare_blocks(const keel_world *a, const keel_world *b, const keel_hash_part *part,
                           difference *d) {
    uint64_t of_a[BLOCKS], of_b[BLOCKS], sum = 0;
    assert_in_range(part->blocks, 1, BLOCKS);
    assert_int_equal(keel_hash_blocks(a, part->component, 0, 64, part->blocks, of_a), KEEL_OK);
    assert_int_equal(keel_hash_blocks(b, part->component, 0, 64, part->blocks, of_b), KEEL_OK);
    for (uint32_t i = 0; i < part->blocks; ++i) {
        sum += of_a[i];
        if (of_a[i] == of_b[i]) continue;
        ++d->blocks;
        d->block = i;
    }
    assert_true(sum == part->hash);
}

// Returns the part of a component, or one of nothing if the list does not have it.
static keel_hash_part part_in(const keel_hash_part *parts, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(parts[i].component->name, name) == 0) return parts[i];
    return (keel_hash_part){ .hash = 0 };
}

// Adds the differences in the parts of `a`, of which `others` may lack some.
static void compare_parts(const keel_world *a, const keel_world *b, difference *d, bool is_again) {
    keel_hash_part parts[PARTS], others[PARTS];
    const uint32_t count = keel_world_hash_parts(a, parts, PARTS);
    const uint32_t other_count = keel_world_hash_parts(b, others, PARTS);
    assert_in_range(count, 1, PARTS);
    assert_ptr_equal(parts[0].component, &keel_entities);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const keel_hash_part other = part_in(others, other_count, parts[i].component->name);
        sum += parts[i].hash;
        if (i > 1) assert_true(strcmp(parts[i - 1].component->name, parts[i].component->name) < 0);
        if (is_again && other.component) continue; // was compared the other way
        compare_blocks(a, b, &parts[i], d);
        if (parts[i].hash == other.hash) continue;
        ++d->parts;
        d->name = parts[i].component->name;
    }
    assert_true(sum == hash_of(a));
}

static difference compare(const keel_world *a, const keel_world *b) {
    difference d = { 0 };
    compare_parts(a, b, &d, false);
    compare_parts(b, a, &d, true);
    assert_int_equal(d.parts != 0, hash_of(a) != hash_of(b));
    return d;
}

static const keel_component *const kinds[] = { KEEL_OF(Sparse), KEEL_OF(Index), KEEL_OF(Row),
                                               KEEL_OF(Column), KEEL_OF(Wide),  KEEL_OF(Kept),
                                               KEEL_OF(Loose) };
enum { VALUES = sizeof kinds / sizeof *kinds, UNIQUE = VALUES, EDGE, ONLY_EDGE, TAG, KINDS };

// Changes a bit of one kind at an entity, and returns the name of the part that differs then; NULL
// if the entity has nothing of that kind.
static const char *plant(keel_world *w, uint32_t kind, keel_entity e) {
    if (kind == UNIQUE) {
        keel_get_unique_mut(w, Score)->points ^= 1u << roll(32);
        return "Score";
    }
    if (kind == EDGE) {
        Holds *holds = keel_get_related_mut(w, e, Holds, keel_target_of(w, e, Holds));
        if (!holds) return NULL;
        holds->count ^= 1u << roll(32);
        return "Holds";
    }
    if (kind == ONLY_EDGE) {
        Docked *docked = keel_get_related_mut(w, e, Docked, keel_target_of(w, e, Docked));
        if (!docked) return NULL;
        docked->berth ^= 1u << roll(32);
        return "Docked";
    }
    if (kind == TAG) {
        const bool is_added = !keel_has(w, e, Marked) && keel_add(w, e, Marked) == KEEL_OK;
        return is_added ? "Marked" : NULL;
    }
    unsigned char *bytes = keel_get_component_mut(w, e, kinds[kind]);
    if (!bytes) return NULL;
    bytes[roll(kinds[kind]->size)] ^= (unsigned char)(1u << roll(8));
    return kinds[kind]->type;
}

// The same at the first entity from a random one on that has it. `*block` is set to the block that
// differs then.
static const char *plant_somewhere(keel_world *w, uint32_t kind, uint32_t *block) {
    const uint32_t first = roll(100);
    for (uint32_t i = first; i < first + 200; ++i) {
        const keel_entity e = keel_entity_at(w, i % 200);
        const char *name = keel_is_null(e) ? NULL : plant(w, kind, e);
        *block = kind == UNIQUE ? 0 : i % 200 / 64;
        if (name) return name;
    }
    return NULL;
}

// Plants each kind in a game, of which there is a snapshot. `other` is the same as the game.
static void find_planted(game *g, keel_snapshot *snapshot, const keel_world *other,
                         uint32_t *found) {
    for (uint32_t kind = 0; kind < KINDS; ++kind) {
        uint32_t block;
        const char *name = plant_somewhere(g->f.world, kind, &block);
        if (name) {
            const difference d = compare(g->f.world, other);
            assert_int_equal(d.parts, 1);
            assert_int_equal(d.blocks, 1);
            assert_string_equal(d.name, name);
            assert_int_equal(d.block, block);
            ++found[kind];
        }
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_int_equal(compare(g->f.world, other).parts, 0);
    }
}

// Plays the same with the same numbers, and relates many at the end, for there to be edges of all
// kinds.
static void play(game *g, uint64_t seed, uint32_t steps) {
    state = seed;
    for (uint32_t i = 0; i < steps; ++i)
        step(g);
    for (uint32_t i = 0; i < 200; ++i)
        relate_some(g);
}

static void one_bit_is_found(void **unused) {
    (void)unused;
    uint32_t found[KINDS] = { 0 };
    for (uint32_t round = 1; round <= test_rounds(20); ++round) {
        game g = { .reader = NULL }, h = { .reader = NULL };
        populate(&g, 1);
        populate(&h, 1);
        keel_snapshot *snapshot = keel_snapshot_create(g.f.world, "here");
        const uint64_t seed = round * UINT64_C(0x9E3779B97F4A7C15);
        const uint32_t steps = 150 + round;
        play(&g, seed, steps);
        play(&h, seed, steps);
        assert_int_equal(compare(g.f.world, h.f.world).parts, 0);
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        const keel_world *image;
        assert_int_equal(keel_snapshot_read_begin(snapshot, &image), KEEL_OK);
        assert_int_equal(compare(image, h.f.world).parts, 0);
        keel_snapshot_read_end(snapshot);

        find_planted(&g, snapshot, h.f.world, found);
        step(&g);
        step(&g);
        step(&g);
        (void)compare(g.f.world, g.f.world); // parts are equal if and only if the hash is
        check(&g);
        keel_snapshot_destroy(snapshot);
        keel_reader_destroy(g.reader);
        keel_reader_destroy(h.reader);
        api_end(&g.f);
        api_end(&h.f);
        assert_int_equal(live_texts, 0);
    }
    for (uint32_t kind = 0; kind < KINDS; ++kind)
        if (!found[kind]) fail_msg("kind %u was never planted", (unsigned)kind);
}

static const struct CMUnitTest tests[] = {
    TEST(one_bit_is_found, "one bit that differs is found in one block of one part"),
};
int main(void) { return RUN(tests); }
