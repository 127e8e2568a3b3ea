// SPDX-License-Identifier: MIT
// Plays frames and restores images; see game.h.
#include "game.h"

#include <stdlib.h>

bool keeli_game_prepare(keel_world *world, const keel_workload *step) {
    if (!keel_register_component(world, KEEL_UNIQUE_OF(keel_inputs))) return false;
    // building the plan of a workload registers what its systems use
    return keel_world_explain_workload(world, step, KEEL_EXPLAIN_TEXT, NULL, 0) > 0;
}

keel_result keeli_game_play(keel_world *world, const keel_workload *step, uint32_t rate,
                            const keel_inputs *in) {
    keel_inputs *unique = keel_get_or_set_unique_value(world, KEEL_UNIQUE_OF(keel_inputs), NULL);
    if (!unique) return keel_last_error(world)->result;
    *unique = *in;
    const keel_run_desc run = { .dt = 1.0 / rate };
    return keel_run_workload_of(world, step, &run);
}

keel_result keeli_game_restore(keel_world *world, keel_snapshot *snapshot, const void *bytes,
                               size_t size, uint64_t hash,
                               const keel_snapshot_read_options *options) {
    uint64_t there = 0;
    KEEL_TRY(keel_snapshot_read(snapshot, bytes, size, options));
    keel_result result = keel_snapshot_hash(snapshot, 0, &there);
    if (result == KEEL_OK && there != hash) return KEEL_ERROR_DIFFERS;
    if (result == KEEL_OK) result = keel_snapshot_restore(snapshot);
    if (result < 0 && options->error) *options->error = *keel_last_error(world);
    return result;
}

bool keeli_grow(unsigned char **bytes, size_t *room, size_t need) {
    if (need <= *room) return true;
    unsigned char *larger = realloc(*bytes, need * 2);
    if (!larger) return false;
    *bytes = larger;
    *room = need * 2;
    return true;
}

uint64_t keeli_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
