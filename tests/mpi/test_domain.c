// SPDX-License-Identifier: MIT
// A model on 1, 2, 3, 4 and 8 ranks ends with the same hash, and with that of plain Keel: entities
// see their neighbours, move, divide and die. Ranks are threads of this process.
#include "model.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ playing
typedef struct outcome {
    keel_result result;
    uint64_t hash, count, moved;
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
        if (counts[i] > 1) assert_true(o.moved > 100 && o.most_ghosts > 10);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(any_number_of_ranks_gives_the_same, "any number of ranks gives the same"),
    };
    return RUN(tests);
}
