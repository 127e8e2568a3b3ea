// SPDX-License-Identifier: MIT
// Entities change those of other ranks: by a child that goes to the owner of its parent, and by
// deleting a ghost. Any number of ranks gives the same as plain Keel.
#include "support/test.h"

#include <keel_mpi.h>
#include <stdio.h>

enum { SPACE = 1 << 16, REACH = 1 << 13, POPULATION = 120, STEPS = 40 };

typedef struct Place {
    int32_t x, y;
} Place;
typedef struct Health {
    int64_t points;
    uint32_t age, letters;
} Health;
// A child of the entity that it is for.
typedef struct Letter {
    uint64_t from;
    int32_t points;
} Letter;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_FIELDS(Health, points, age, letters);
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health));
KEEL_FIELDS(Letter, from, points);
KEEL_COMPONENT(Letter, KEEL_HAS_FIELDS(Letter));
// Nobody has it. Where a component has handles, ghosts stay when they are not seen any more.
typedef struct Friend {
    keel_entity who;
} Friend;
KEEL_FIELDS(Friend, who);
KEEL_COMPONENT(Friend, KEEL_HAS_FIELDS(Friend));

// What may be different in a world, by bits.
enum { HAS_HANDLES = 1, CHILDREN_DIE = 2, ALL_KINDS = 4 };

static uint64_t scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Reads the letters that came in the step before. Those whose reader is dead are roots.
KEEL_SYSTEM(read_letters, KEEL_READ(Letter, letter), KEEL_ENTITY(e), KEEL_WITHOUT(keel_ghost),
            KEEL_MAY_READ(keel_child), KEEL_MAY_WRITE(Health), KEEL_COMMANDS(out),
            KEEL_CONTEXT(context)) {
    const keel_entity reader = keel_parent_of(context, e);
    Health *health = keel_is_null(reader) ? NULL : keel_get_mut(context, reader, Health);
    if (health) {
        health->points += letter->points;
        health->letters += (uint32_t)(letter->from % 1000);
    }
    keel_delete_entity(out, e);
}

static bool is_near(const Place *a, const Place *b) {
    const int32_t x = a->x - b->x, y = a->y - b->y;
    return x <= REACH && x >= -REACH && y <= REACH && y >= -REACH;
}

// Each writes to some of those that it sees.
KEEL_SYSTEM(write_letters, KEEL_READ(Place, p), KEEL_READ(keel_global_id, id),
            KEEL_WRITE(Health, health), KEEL_WITHOUT(keel_ghost),
            KEEL_MAY_READ(Place, keel_global_id), KEEL_COMMANDS(out), KEEL_CONTEXT(context)) {
    ++health->age;
    KEEL_EACH(context, KEEL_READ(Place, q), KEEL_READ(keel_global_id, other), KEEL_ENTITY(e)) {
        if (other->value == id->value || !is_near(p, q)) continue;
        const uint64_t chance = scramble(id->value * 1000 + other->value * 77 + health->age);
        if (chance % 3 == 0)
            keel_add_child(
                out, e,
                KEEL_INIT(keel_global_id,
                          keel_child_id(*id, (uint64_t)health->age << 32 | other->value)),
                KEEL_INIT(Letter, { id->value, (int32_t)(chance >> 40) % 50 }));
    }
}

// Each kills one that it sees, now and then: also ghosts. It comes after all letters are written,
// so that the order of entities does not decide which letters had a reader.
KEEL_SYSTEM(kill_some, KEEL_READ(Place, p), KEEL_READ(keel_global_id, id),
            KEEL_READ(Health, health), KEEL_WITHOUT(keel_ghost),
            KEEL_MAY_READ(Place, keel_global_id), KEEL_COMMANDS(out), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(Place, q), KEEL_READ(keel_global_id, other), KEEL_ENTITY(e)) {
        if (other->value == id->value || !is_near(p, q)) continue;
        const uint64_t chance = scramble(id->value * 1000 + other->value * 77 + health->age);
        if (chance % 2000 == 1) keel_delete_entity(out, e);
    }
}

KEEL_SYSTEM(jump, KEEL_WRITE(Place, p), KEEL_READ(keel_global_id, id), KEEL_READ(Health, health),
            KEEL_WITHOUT(keel_ghost)) {
    const uint64_t z = scramble(id->value + 991u * health->age);
    if (z % 4) return;
    *p = (Place){ (int32_t)(z >> 8) & (SPACE - 1), (int32_t)(z >> 32) & (SPACE - 1) };
}
KEEL_WORKLOAD(tick, KEEL_STEP(read_letters), KEEL_STEP(write_letters), KEEL_STEP(kill_some),
              KEEL_STEP(jump));

static keel_world *new_world(keel_ranks ranks, int kind) {
    keel_world *w = keel_world_create(&(keel_world_desc){
        .worker_count = 1,
        .on_parent_delete = kind & CHILDREN_DIE ? KEEL_DELETE_SOURCES : KEEL_UNRELATE });
    keel_register(w, Place, Health, Letter, keel_global_id, keel_ghost);
    if (kind & HAS_HANDLES) keel_register(w, Friend);
    uint64_t count;
    const uint64_t first = keel_rank_share(ranks, POPULATION, &count);
    for (uint64_t i = first; i < first + count; ++i) {
        const uint64_t z = scramble(i + 5);
        keel_add_entity(
            w, KEEL_INIT(keel_global_id, { i + 1 }), KEEL_INIT(Health, { 0, 0, 0 }),
            KEEL_INIT(Place, { (int32_t)z & (SPACE - 1), (int32_t)(z >> 32) & (SPACE - 1) }));
    }
    return w;
}

typedef struct outcome {
    uint64_t hash[STEPS], count, bare;
    bool is_plain;
    int kind;
    char text[256];
} outcome;

// Counts ghosts that stand for entities, with no other components.
static uint64_t count_bare(keel_world *w) {
    uint64_t count = 0;
    KEEL_EACH(w, KEEL_READ(keel_ghost, ghost))
        count += ghost->is_bare;
    return count;
}

static void play(keel_ranks ranks, void *data) {
    outcome *o = (outcome *)data + ranks.rank;
    keel_world *w = new_world(ranks, o->kind);
    keel_error error = { 0 };
    keel_domain *d = NULL;
    for (int i = 0; i < STEPS; ++i) {
        if (o->is_plain) assert_true(keel_run_workload(w, tick) >= 0);
        if (o->is_plain || !d) {
            keel_domain_end(d);
            d = keel_domain_begin(w, &(keel_domain_desc){ .ranks = ranks,
                                                          .position = KEEL_OF(Place),
                                                          .halo = REACH,
                                                          .error = &error });
        }
        snprintf(o->text, sizeof o->text, "%s", error.message);
        if (!d) break;
        if (!o->is_plain && keel_domain_step(d, KEEL_WORKLOAD_OF(tick)) < 0)
            snprintf(o->text, sizeof o->text, "%s", keel_domain_error(d)->message);
        if (*o->text) break;
        (void)keel_domain_hash(d, &o->hash[i]);
        if (i % 16 == 5) assert_true(keel_domain_balance(d) >= 0);
    }
    if (d) (void)keel_domain_count(d, &o->count);
    o->bare = count_bare(w);
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

static void compare(uint32_t ranks, const outcome *plain) {
    static outcome o[8];
    for (uint32_t r = 0; r < ranks; ++r)
        o[r] = (outcome){ .kind = plain->kind };
    assert_int_equal(keel_run_ranks(ranks, ranks, play, o), KEEL_OK);
    for (uint32_t r = 0; r < ranks; ++r) {
        assert_string_equal(o[r].text, "");
        if (!(plain->kind & HAS_HANDLES)) assert_int_equal(o[r].bare, 0);
    }
    for (int i = 0; i < STEPS; ++i)
        if (o[0].hash[i] != plain->hash[i])
            fail_msg("kind %d, %u ranks differ after step %d: %llu entities at the end, not %llu",
                     plain->kind, ranks, i, (unsigned long long)o[0].count,
                     (unsigned long long)plain->count);
}

static void letters_and_deaths_reach_their_owners(void **unused) {
    (void)unused;
    for (int kind = 0; kind < ALL_KINDS; ++kind) {
        static outcome plain;
        plain = (outcome){ .is_plain = true, .kind = kind };
        assert_int_equal(keel_run_ranks(1, 1, play, &plain), KEEL_OK);
        assert_string_equal(plain.text, "");
        assert_in_range(plain.count, POPULATION / 2, 100 * POPULATION);
        static const uint32_t counts[] = { 1, 2, 3, 8 };
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
            compare(counts[i], &plain);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(letters_and_deaths_reach_their_owners, "letters and deaths reach their owners"),
    };
    return RUN(tests);
}
