// SPDX-License-Identifier: MIT
// A domain that begins with a checkpoint ends like one that was never interrupted, on any number of
// ranks. Checkpoints that are damaged, mixed or missing are refused. Ranks are threads.
#include "model.h"
#include "support/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], other_folder[80];

// ------------------------------------------------------------------ playing
typedef struct outcome {
    keel_result result;
    uint64_t hash, steps;
    char text[256];
    bool is_empty; // the world, after an error
} outcome;

typedef struct game {
    const char *restart, *save_into;
    uint32_t steps;      // plays until so many are over
    uint32_t save_every; // 0: only at the end
    outcome outcomes[8];
} game;

static bool saves_after(const game *g, uint64_t steps) {
    if (!g->save_into) return false;
    return steps == g->steps || (g->save_every && steps % g->save_every == 0);
}

static void play(keel_ranks ranks, void *data) {
    game *g = data;
    outcome *o = &g->outcomes[ranks.rank];
    keel_world *w = new_world(ranks);
    if (g->restart) keel_clear_entities(w);
    keel_error error = { 0 };
    keel_domain *d = begin_domain_from(ranks, w, g->restart, &error);
    o->result = error.result;
    o->is_empty = keel_entity_count(w) == 0;
    snprintf(o->text, sizeof o->text, "%s", error.message);
    while (d && o->result >= 0 && keel_domain_status_of(d).steps < g->steps) {
        o->result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
        if (o->result >= 0 && saves_after(g, keel_domain_status_of(d).steps))
            o->result = keel_domain_save(d, g->save_into);
    }
    if (d && o->result < 0) snprintf(o->text, sizeof o->text, "%s", keel_domain_error(d)->message);
    if (o->result >= 0) o->result = keel_domain_hash(d, &o->hash);
    o->steps = keel_domain_status_of(d).steps;
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

// Returns the hash of all.
static uint64_t play_on(uint32_t ranks, game g) {
    assert_int_equal(keel_run_ranks(ranks, ranks, play, &g), KEEL_OK);
    for (uint32_t r = 0; r < ranks; ++r) {
        const outcome *o = &g.outcomes[r];
        if (o->result < 0) fail_msg("rank %u of %u: %s", r, ranks, o->text);
        assert_true(o->hash == g.outcomes[0].hash && o->steps == g.steps);
    }
    return g.outcomes[0].hash;
}

static void any_number_of_ranks_goes_on(void **unused) {
    (void)unused;
    static const uint32_t before[] = { 1, 2, 3, 4 }, after[] = { 1, 2, 3, 4, 8 };
    const uint64_t whole = play_on(1, (game){ .steps = STEPS });
    for (size_t i = 0; i < 4; ++i) {
        const uint32_t steps = 50 + 10 * (uint32_t)i;
        const uint64_t hash = play_on(before[i], (game){ .steps = steps, .save_into = folder });
        for (size_t k = 0; k < 5; ++k) {
            const game same = { .steps = steps, .restart = folder };
            assert_true(play_on(after[k], same) == hash);
            const game rest = { .steps = STEPS, .restart = folder };
            if (play_on(after[k], rest) != whole)
                fail_msg("saved on %u ranks, another end on %u", before[i], after[k]);
        }
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(any_number_of_ranks_goes_on, "any number of ranks goes on"),
    };
    (void)snprintf(folder, sizeof folder, "/tmp/keel_checkpoint_%ld", (long)getpid());
    (void)snprintf(other_folder, sizeof other_folder, "%s_b", folder);
    return RUN(tests);
}
