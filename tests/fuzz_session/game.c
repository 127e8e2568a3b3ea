// SPDX-License-Identifier: MIT
// The game of attack.c and replays.c; see game.h.
#include "game.h"

game_frame *game_record;

KEEL_SYSTEM_ONCE(record_frame, KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (!game_record || in->frame >= GAME_FRAMES) return;
    for (uint32_t i = 0; i < in->players; ++i) {
        game_record[in->frame].plays[i] = in->state[i] != KEEL_INPUT_GONE;
        game_record[in->frame].pad[i] = *keel_input_of(in, i, Pad);
    }
}
KEEL_SYSTEM(steer, KEEL_WRITE(Ship, s), KEEL_UNIQUE_READ(keel_inputs, in), KEEL_COMMANDS(out)) {
    const Pad *pad = keel_input_of(in, s->player, Pad);
    const int32_t by = pad->x;
    s->x += (uint32_t)by;
    s->alone += s->player < in->players && in->state[s->player] == KEEL_INPUT_GONE;
    if (!(pad->fire & 1)) return;
    ++s->shots;
    keel_add_entity(out, KEEL_INIT(Shot, { s->x, 20 }));
}
KEEL_SYSTEM(fly, KEEL_WRITE(Shot, s), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    s->x += 3;
    if (--s->life == 0) keel_delete_entity(out, e);
}
KEEL_WORKLOAD(game_step, KEEL_STEP(record_frame, .main_thread = true), KEEL_STEP(steer),
              KEEL_STEP(fly));

static void game_be_silent(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
}

keel_world *game_world(void) {
    keel_world *w = keel_world_create(&(keel_world_desc){
        .log = { game_be_silent, NULL }, .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    if (!w ||
        keel_register(w, Ship, Shot, keel_name, TagWithALongNameSoThatTheHashesOfPartsTakeManyBytes,
                      TagWithAnotherLongNameWhichIsForTheSameReasonHere) < 0)
        feed_stop("no world");
    (void)keel_add_entity(w, KEEL_INIT(TagWithALongNameSoThatTheHashesOfPartsTakeManyBytes),
                          KEEL_INIT(TagWithAnotherLongNameWhichIsForTheSameReasonHere));
    for (uint32_t i = 0; i < GAME_PLAYERS; ++i)
        (void)keel_add_entity(w, KEEL_INIT(Ship, { i * 10, i, 0, 0 }));
    return w;
}

const keel_workload *game_step_of(void) { return KEEL_WORKLOAD_OF(game_step); }

void game_play(keel_world *world, double dt) {
    (void)keel_run_workload(world, game_step, .dt = dt);
}
