// SPDX-License-Identifier: MIT
// A model on 1, 2, 3, 4 and 8 ranks ends with the same hash, and with that of plain Keel: entities
// see their neighbours, move, divide and die. Ranks are threads of this process.
#include "model.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ playing
typedef struct outcome {
    keel_result result;
    uint64_t hash, count, moved;
    uint64_t places, friends; // hashes of one component
    uint32_t most_ghosts;
    char text[256];
    uint32_t balance_every;
} outcome;

static void play(keel_ranks ranks, void *data) {
    outcome *o = (outcome *)data + ranks.rank;
    keel_world *w = new_world(ranks);
    keel_error error = { 0 };
    keel_domain *d = begin_domain(ranks, w, &error);
    o->result = d ? KEEL_OK : error.result;
    snprintf(o->text, sizeof o->text, "%s", error.message);
    for (uint32_t i = 0; i < STEPS && o->result >= 0; ++i) {
        o->result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
        const keel_domain_status status = keel_domain_status_of(d);
        o->most_ghosts = status.ghosts > o->most_ghosts ? status.ghosts : o->most_ghosts;
        if (o->balance_every && i % o->balance_every == 0 && o->result >= 0)
            o->result = keel_domain_balance(d);
    }
    if (d && o->result < 0) snprintf(o->text, sizeof o->text, "%s", keel_domain_error(d)->message);
    if (o->result >= 0) o->result = keel_domain_hash(d, &o->hash);
    if (o->result >= 0) o->result = keel_domain_count(d, &o->count);
    if (o->result >= 0) o->result = keel_domain_hash_of(d, KEEL_OF(Place), &o->places);
    if (o->result >= 0) o->result = keel_domain_hash_of(d, KEEL_OF(Friend), &o->friends);
    o->moved = keel_domain_status_of(d).sent;
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

// Plays without a domain; a domain of one rank only hashes the end.
static void play_plain(keel_ranks ranks, void *data) {
    outcome *o = data;
    keel_world *w = new_world(ranks);
    for (uint32_t i = 0; i < STEPS; ++i)
        assert_true(keel_run_workload(w, tick) >= 0);
    const keel_domain_desc desc = { .ranks = ranks, .position = KEEL_OF(Place) };
    keel_domain *d = keel_domain_begin(w, &desc);
    assert_non_null(d);
    assert_int_equal(keel_domain_hash(d, &o->hash), KEEL_OK);
    assert_int_equal(keel_domain_count(d, &o->count), KEEL_OK);
    assert_int_equal(keel_domain_hash_of(d, KEEL_OF(Place), &o->places), KEEL_OK);
    assert_int_equal(keel_domain_hash_of(d, KEEL_OF(Friend), &o->friends), KEEL_OK);
    assert_true(o->places != o->friends && o->places != o->hash && o->places && o->friends);
    keel_domain_end(d);
    keel_world_destroy(w);
}

static outcome play_on(uint32_t ranks, uint64_t seed, uint32_t balance_every) {
    outcome o[64] = { { .balance_every = balance_every } };
    for (uint32_t r = 0; r < ranks; ++r)
        o[r].balance_every = balance_every;
    assert_int_equal(keel_run_ranks(ranks, seed, play, o), KEEL_OK);
    for (uint32_t r = 0; r < ranks; ++r) {
        if (o[r].result < 0) fail_msg("rank %u of %u: %s", r, ranks, o[r].text);
        assert_true(o[r].hash == o[0].hash && o[r].count == o[0].count);
        if (r) o[0].moved += o[r].moved;
        if (o[r].most_ghosts > o[0].most_ghosts) o[0].most_ghosts = o[r].most_ghosts;
    }
    return o[0];
}

static void any_number_of_ranks_gives_the_same(void **unused) {
    (void)unused;
    outcome plain = { 0 };
    assert_int_equal(keel_run_ranks(1, 1, play_plain, &plain), KEEL_OK);
    assert_in_range(plain.count, POPULATION, 8 * POPULATION);
    static const uint32_t counts[] = { 1, 2, 3, 4, 8 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        const outcome o = play_on(counts[i], i, 16);
        if (o.hash != plain.hash || o.count != plain.count)
            fail_msg("%u ranks: %llu entities with the hash %016llx, not %llu with %016llx",
                     counts[i], (unsigned long long)o.count, (unsigned long long)o.hash,
                     (unsigned long long)plain.count, (unsigned long long)plain.hash);
        assert_true(o.places == plain.places && o.friends == plain.friends);
        if (counts[i] > 1) assert_true(o.moved > POPULATION / 3 && o.most_ghosts > 5);
    }
}

// ------------------------------------------------------------------ order
// Returns the length of the way through all places, in the order of their storage.
static uint64_t way_through(keel_world *w) {
    Place last = { 0, 0 };
    uint64_t way = 0;
    KEEL_EACH(w, KEEL_READ(Place, p)) {
        way += (uint64_t)labs((long)p->x - last.x) + (uint64_t)labs((long)p->y - last.y);
        last = *p;
    }
    return way;
}

static void sort_places(keel_ranks ranks, void *unused) {
    (void)unused;
    keel_world *w = new_world(ranks);
    const uint64_t before = way_through(w);
    keel_domain *d = begin_domain(ranks, w, NULL);
    assert_non_null(d);
    if (3 * way_through(w) > before)
        fail_msg("%llu after %llu", (unsigned long long)way_through(w), (unsigned long long)before);
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

static void entities_lie_along_a_curve(void **unused) {
    (void)unused;
    assert_int_equal(keel_run_ranks(1, 1, sort_places, NULL), KEEL_OK);
}

// ------------------------------------------------------------------ what is refused
typedef enum fault {
    OTHER_COMPONENT,
    MORE_COMPONENTS,
    OTHER_HALO,
    SAME_ID,
    WRITES_GHOSTS,
    LATE_COMPONENT,
    WRITES_VALUES_OF_GHOSTS,
    FAULTS
} fault;

typedef struct Extra {
    uint32_t number;
} Extra;
KEEL_COMPONENT(Extra);
typedef struct Wide {
    uint32_t numbers[2];
} Wide;
KEEL_COMPONENT(Wide, .name = "Changed");
typedef struct Narrow {
    uint32_t number;
} Narrow;
KEEL_COMPONENT(Narrow, .name = "Changed");
KEEL_SYSTEM(move_all, KEEL_WRITE(Place, p)) { ++p->x; }
KEEL_WORKLOAD(bad_tick, KEEL_STEP(move_all));
typedef struct Late {
    uint32_t number;
} Late;
KEEL_COMPONENT(Late);
KEEL_SYSTEM(age_late, KEEL_WRITE(Late, late)) { ++late->number; }
KEEL_WORKLOAD(late_tick, KEEL_STEP(age_late));
// Only a checked build finds what a loop in a system writes.
KEEL_SYSTEM_ONCE(move_by_loop, KEEL_MAY_WRITE(Place), KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WRITE(Place, p))
        ++p->x;
}
KEEL_WORKLOAD(loop_tick, KEEL_STEP(move_by_loop));
static const keel_workload *const wrong_ticks[FAULTS] = {
    [WRITES_GHOSTS] = KEEL_WORKLOAD_OF(bad_tick),
    [LATE_COMPONENT] = KEEL_WORKLOAD_OF(late_tick),
    [WRITES_VALUES_OF_GHOSTS] = KEEL_WORKLOAD_OF(loop_tick),
};

typedef struct refusal {
    fault fault;
    keel_result results[4];
    char texts[4][256];
} refusal;

static void begin_wrong(keel_ranks ranks, void *data) {
    refusal *r = data;
    const bool is_odd = ranks.rank == 2;
    keel_world *w = new_world(ranks);
    if (r->fault == OTHER_COMPONENT) {
        if (is_odd) keel_register(w, Wide);
        else keel_register(w, Narrow);
    }
    if (r->fault == MORE_COMPONENTS && is_odd) keel_register(w, Extra);
    if (r->fault == SAME_ID && ranks.rank != 1)
        keel_add_entity(w, KEEL_INIT(keel_global_id, { 7777 }), KEEL_INIT(Place, { 5, 5 }));
    keel_error error = { 0 };
    const keel_domain_desc desc = { .ranks = ranks,
                                    .position = KEEL_OF(Place),
                                    .halo = r->fault == OTHER_HALO && is_odd ? REACH + 1 : REACH,
                                    .error = &error };
    keel_domain *d = keel_domain_begin(w, &desc);
    r->results[ranks.rank] = d ? keel_domain_step(d, wrong_ticks[r->fault]) : error.result;
    snprintf(r->texts[ranks.rank], sizeof r->texts[0], "%s",
             d ? keel_domain_error(d)->message : error.message);
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void wrong_programs_are_refused_on_all_ranks(void **unused) {
    (void)unused;
    static const struct {
        keel_result result;
        const char *text;
    } expected[] = {
        { KEEL_ERROR_SCHEMA,
          "rank 2: component 'Changed': it is not the same as on rank 0 (8 bytes "
          "here, 4 there); start all ranks with one program" },
        { KEEL_ERROR_SCHEMA, "rank 2: component 'Extra': it is registered here, but not on rank 0; "
                             "register the same components on all ranks before keel_domain_begin" },
        { KEEL_ERROR_SCHEMA, "rank 2: .halo: it is not the same as on rank 0" },
        { KEEL_ERROR_OCCUPIED, "global id 7777" },
        { KEEL_ERROR_ACCESS, "system 'move_all' writes 'Place', which ghosts have; add "
                             "KEEL_WITHOUT(keel_ghost)" },
        { KEEL_ERROR_COMPONENT, "component 'Late' became known after keel_domain_begin" },
        { KEEL_ERROR_ACCESS, "the workload wrote values of a ghost" },
    };
#ifdef NDEBUG
    const int faults = WRITES_VALUES_OF_GHOSTS; // only checked builds find it
#else
    const int faults = FAULTS;
#endif
    for (int f = 0; f < faults; ++f) {
        refusal r = { .fault = (fault)f };
        assert_int_equal(keel_run_ranks(4, 3, begin_wrong, &r), KEEL_OK);
        for (int i = 0; i < 4; ++i) {
            if (!strstr(r.texts[i], expected[f].text)) fail_msg("%d: %s", i, r.texts[i]);
            assert_int_equal(r.results[i], expected[f].result);
        }
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(any_number_of_ranks_gives_the_same, "any number of ranks gives the same"),
        TEST(entities_lie_along_a_curve, "entities lie along a curve"),
        TEST(wrong_programs_are_refused_on_all_ranks, "wrong programs are refused on all ranks"),
    };
    return RUN(tests);
}
