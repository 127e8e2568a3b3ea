// SPDX-License-Identifier: MIT
// A world that saves, empties itself and loads its own save plays on as one does that has just been
// made and loads the same save: what runs know of handles goes with the entities.
#include "support/saved_world.h"

#include <keel_save.h>

typedef struct Life {
    int32_t left;
} Life;
typedef struct Place {
    int32_t x, step;
} Place;
typedef struct Mood {
    int32_t anger;
} Mood;
typedef struct Mark {
    int32_t seen;
} Mark;
typedef struct Tally {
    uint32_t order;
} Tally;
KEEL_FIELDS(Life, left);
KEEL_FIELDS(Place, x, step);
KEEL_FIELDS(Mood, anger);
KEEL_FIELDS(Mark, seen);
KEEL_FIELDS(Tally, order);
KEEL_COMPONENT(Life, KEEL_HAS_FIELDS(Life), .storage = KEEL_INDEXED);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place), .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Mood, KEEL_HAS_FIELDS(Mood), .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Mark, KEEL_HAS_FIELDS(Mark), .tracking = KEEL_TRACK_INSERTION);
KEEL_UNIQUE(Tally, KEEL_HAS_FIELDS(Tally));
KEEL_RELATION(Follows, .exclusive = true);

// ------------------------------------------------------------------ systems that add by commands
KEEL_SYSTEM(age, KEEL_WRITE(Life, life), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (--life->left > 0) return;
    keel_delete_entity(out, e);
    keel_add_entity(out, KEEL_INIT(Life, { 5 + (int32_t)(keel_entity_index(e) % 7) }));
}
KEEL_SYSTEM(wander, KEEL_WRITE(Place, p), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    p->x += p->step;
    if (p->x % 11 == 0) keel_add(out, e, Mood, { p->x });
    if (p->x % 5 == 0) keel_add(out, e, Mark, { p->x });
    if (p->x % 13 == 0) keel_add_entity(out, KEEL_INIT(Place, { p->x + 1, p->step % 5 + 1 }));
    if (p->x % 17 == 0) keel_delete_entity(out, e);
}
KEEL_SYSTEM(calm, KEEL_WRITE(Mood, m), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if ((m->anger -= 7) > 0) return;
    (void)keel_remove(out, e, Mood);
    keel_add_entity(out, KEEL_INIT(Life, { 3 }), KEEL_INIT(Place, { 2 - m->anger, 3 }));
}
KEEL_SYSTEM(notice, KEEL_WRITE(Mark, k), KEEL_INSERTED(Mark), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    const keel_entity other = keel_add_entity(out, KEEL_INIT(Life, { 4 + k->seen % 3 }));
    keel_relate(out, other, Follows, e);
    k->seen = -k->seen;
}
KEEL_SYSTEM(forget, KEEL_WRITE(Mark, k), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (++k->seen % 4 == 0) (void)keel_remove(out, e, Mark);
}
// Whose result is the order of the loop.
KEEL_SYSTEM(count_all, KEEL_READ(Place, p), KEEL_ENTITY(e), KEEL_UNIQUE_WRITE(Tally, tally)) {
    tally->order = tally->order * 31 + keel_entity_index(e) + (uint32_t)p->x;
}
KEEL_SYSTEM(count_marks, KEEL_READ(Mark, k), KEEL_ENTITY(e), KEEL_UNIQUE_WRITE(Tally, tally)) {
    tally->order = tally->order * 37 + keel_entity_index(e) + (uint32_t)k->seen;
}

static const keel_system *const systems[] = { &KEEL_SYSTEM_age,        &KEEL_SYSTEM_wander,
                                              &KEEL_SYSTEM_calm,       &KEEL_SYSTEM_notice,
                                              &KEEL_SYSTEM_forget,     &KEEL_SYSTEM_count_all,
                                              &KEEL_SYSTEM_count_marks };
enum { SYSTEMS = sizeof systems / sizeof *systems, FRAMES = 12 };

static uint32_t rolled;
static uint32_t roll(uint32_t below) {
    rolled = rolled * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(rolled >> 8) * below >> 24);
}

// ------------------------------------------------------------------ a random game
typedef struct game {
    keel_step steps[2 * SYSTEMS];
    keel_workload frame;
} game;

static void make_game(game *g, uint32_t seed) {
    rolled = seed * 7919;
    g->frame = (keel_workload){ .name = "frame", .steps = g->steps, .step_count = SYSTEMS };
    for (uint32_t i = 0; i < SYSTEMS; ++i)
        g->steps[i] = (keel_step){ .system = systems[i] };
    for (uint32_t i = SYSTEMS - 1; i; --i) { // in any order, and some are left out
        const uint32_t k = roll(i + 1);
        const keel_step step = g->steps[i];
        g->steps[i] = g->steps[k];
        g->steps[k] = step;
    }
    g->frame.step_count = 2 + roll(SYSTEMS - 1);
    for (uint32_t i = 0; i < g->frame.step_count; ++i)
        g->steps[i].parallel = g->steps[i].system != &KEEL_SYSTEM_count_all &&
                               g->steps[i].system != &KEEL_SYSTEM_count_marks && !roll(3);
}

static keel_world *new_player(uint32_t workers) {
    keel_world *world = keel_world_create(&(keel_world_desc){
        .log = log_to(&f.log), .on_misuse = KEEL_MISUSE_RETURN, .worker_count = workers });
    assert_non_null(world);
    assert_int_equal(keel_register(world, Life, Place, Mood, Mark, Follows), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Tally)));
    return world;
}

static void play(keel_world *world, const game *g) {
    assert_int_equal(keel_run_workload_of(world, &g->frame, NULL), KEEL_OK);
}

static void populate(keel_world *world) {
    assert_int_equal(keel_set_unique(world, Tally, { 0 }), KEEL_OK);
    const uint32_t count = 20 + roll(100);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = keel_add_entity(world);
        if (roll(2)) keel_add(world, e, Life, { 1 + (int32_t)roll(20) });
        if (roll(2)) keel_add(world, e, Place, { (int32_t)roll(40), 1 + (int32_t)roll(4) });
        if (!roll(3)) keel_add(world, e, Mood, { (int32_t)roll(40) });
        if (!roll(4)) keel_add(world, e, Mark, { (int32_t)roll(9) });
    }
}

typedef enum emptying { EMPTY_AT_ONCE, EMPTY_ONE_BY_ONE, EMPTIES } emptying;
static void empty(keel_world *world, emptying how) {
    if (how == EMPTY_AT_ONCE) assert_int_equal(keel_clear_entities(world), KEEL_OK);
    for (uint32_t i = 0; how == EMPTY_ONE_BY_ONE && keel_entity_count(world); ++i)
        (void)keel_delete_entity(world, keel_entity_at(world, i));
    assert_int_equal(keel_remove_unique(world, Tally), KEEL_OK);
}

static void load_in(keel_world *world) {
    expect_ok(keel_load_from(world, kept, kept_size, &(keel_load_options){ .error = &why }));
}

static void host_and_guest(uint32_t seed, emptying how) {
    game g;
    make_game(&g, seed);
    const uint32_t workers = 1 + roll(2), of_guest = 1 + roll(2);
    keel_world *host = new_player(workers), *guest = new_player(of_guest);
    populate(host);
    const uint32_t frames = 1 + roll(60);
    for (uint32_t i = 0; i < frames && keel_entity_count(host) < 400; ++i)
        play(host, &g);
    expect_ok(save(host));
    empty(host, how);
    load_in(host);
    load_in(guest);
    for (uint32_t i = 1; i <= FRAMES && keel_entity_count(host) < 2000; ++i) {
        play(host, &g);
        play(guest, &g);
        if (hash_of(host) != hash_of(guest))
            fail_msg("seed %u: frame %u of host and guest differ", (unsigned)seed, (unsigned)i);
    }
    keel_world_destroy(guest);
    keel_world_destroy(host);
}

static void a_host_that_loads_in_place_plays_on_as_a_guest(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= test_rounds(50); ++seed)
        host_and_guest(seed, EMPTY_AT_ONCE);
}

static void so_does_one_that_deleted_its_entities_one_by_one(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= test_rounds(50); ++seed)
        host_and_guest(seed, EMPTY_ONE_BY_ONE);
}

// What runs wanted before comes back with a snapshot of then.
static void a_restore_brings_back_what_runs_knew(void **state) {
    (void)state;
    game g;
    make_game(&g, 3);
    keel_world *world = new_player(1);
    populate(world);
    for (uint32_t i = 0; i < 20; ++i)
        play(world, &g);
    keel_snapshot *before = keel_snapshot_create(world, NULL);
    assert_int_equal(keel_snapshot_take(before), KEEL_OK);
    uint64_t hashes[FRAMES];
    for (uint32_t i = 0; i < FRAMES; ++i) {
        play(world, &g);
        hashes[i] = hash_of(world);
    }
    assert_int_equal(keel_clear_entities(world), KEEL_OK);
    play(world, &g);
    assert_int_equal(keel_snapshot_restore(before), KEEL_OK);
    for (uint32_t i = 0; i < FRAMES; ++i) {
        play(world, &g);
        assert_int_equal(hash_of(world), hashes[i]);
    }
    keel_snapshot_destroy(before);
    keel_world_destroy(world);
}

static int set_up(void **state) {
    (void)state;
    saved_begin();
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    saved_end();
    return 0;
}
#define IN_PLACE(function, title)                                                                  \
    { title, function, set_up, tear_down, NULL }
static const struct CMUnitTest tests[] = {
    IN_PLACE(a_host_that_loads_in_place_plays_on_as_a_guest,
             "a host that empties itself and loads its save plays on as a guest that loads it"),
    IN_PLACE(so_does_one_that_deleted_its_entities_one_by_one,
             "so does one that deleted its entities one by one"),
    IN_PLACE(a_restore_brings_back_what_runs_knew,
             "a restore brings back what runs knew before the world was emptied"),
};
int main(void) { return RUN(tests); }
