// SPDX-License-Identifier: MIT
// A game of 600 frames that was recorded once, with gcc on x86-64, is played again by every build
// and on every platform, to the same states: with each function of keel::maths, random numbers,
// entities that come and go, relations and events. `api_recorded_game --record FILE` records it.
#include "support/test.h"

#include <keel_maths.h>
#include <keel_random.h>
#include <keel_session.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ the game
typedef struct Stick {
    int16_t x, y;
    uint8_t fire, spare[3];
} Stick;
typedef struct Ship {
    float x, y, heading, speed;
    uint32_t player, score;
} Ship;
typedef struct Rocket {
    float x, y, heading, heat;
    int32_t age;
} Rocket;
typedef struct Glow {
    float red, green, blue;
} Glow;
// 16 bytes also where a handle is aligned to 4: padding would make it another component there.
typedef struct Crash {
    keel_entity ship;
    float force;
    int32_t age;
} Crash;
KEEL_FIELDS(Ship, x, y, heading, speed, player, score);
KEEL_FIELDS(Rocket, x, y, heading, heat, age);
KEEL_FIELDS(Glow, red, green, blue);
KEEL_COMPONENT(Ship, KEEL_HAS_FIELDS(Ship));
KEEL_COMPONENT(Rocket, KEEL_HAS_FIELDS(Rocket), .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Glow, KEEL_HAS_FIELDS(Glow));
KEEL_RELATION(Chases, .exclusive = true);
KEEL_EVENT(Crash, .no_padding = true);
KEEL_UNIQUE(keel_random, .no_padding = true);

static const float width = 640, height = 360;
static bool is_planted; // one ship is moved by 1 / 1,024 in frame 333

// Returns a place inside of the field: who leaves it comes in on the other side.
static float wrapped(float at, float size) { return keel_fmodf(at + size, size); }

KEEL_SYSTEM(steer, KEEL_WRITE(Ship, s), KEEL_ENTITY(e), KEEL_UNIQUE_READ(keel_inputs, in),
            KEEL_UNIQUE_WRITE(keel_random, random), KEEL_COMMANDS(out)) {
    const Stick *stick = keel_input_of(in, s->player, Stick);
    const float x = (float)stick->x / 32768, y = (float)stick->y / 32768;
    if (stick->x || stick->y) s->heading = keel_atan2f(y, x);
    s->speed = s->speed * 0.9F + keel_hypotf(x, y);
    s->x = wrapped(s->x + s->speed * keel_cosf(s->heading), width);
    s->y = wrapped(s->y + s->speed * keel_sinf(s->heading), height);
    if (is_planted && in->frame == 333 && s->player == 0) s->x += 0x1p-10F;
    if (!stick->fire) return;
    const float spread = keel_tanf(keel_random_between_floats(random, -0.3F, 0.3F));
    const keel_entity rocket =
        keel_add_entity(out, KEEL_INIT(Rocket, { s->x, s->y, s->heading + spread, 1, 0 }),
                        KEEL_INIT(Glow, { 1, 1, 1 }));
    keel_relate(out, rocket, Chases, e);
}

KEEL_SYSTEM(fly, KEEL_WRITE(Rocket, r), KEEL_WRITE(Glow, glow), KEEL_ENTITY(e),
            KEEL_COMMANDS(out)) {
    const float age = (float)++r->age / 60;
    const float wave = keel_sinf(age * 9 + r->heading);
    r->heading += 0.05F * keel_asinf(wave) + 0.01F * keel_acosf(wave) - 0.02F * keel_atanf(age);
    r->heat = keel_expf(-age) * keel_powf(1 + age, 0.7F);
    r->x = wrapped(r->x + 5 * r->heat * keel_cosf(r->heading), width);
    r->y = wrapped(r->y + 5 * r->heat * keel_sinf(r->heading), height);
    *glow = (Glow){ keel_cbrtf(r->heat), keel_sqrtf(r->heat), keel_logf(1 + r->heat) };
    if (r->age > 150) keel_delete_entity(out, e);
}

KEEL_SYSTEM(collide, KEEL_READ(Rocket, r), KEEL_ENTITY(e), KEEL_MAY_READ(Ship, Chases),
            KEEL_CONTEXT(context), KEEL_SEND(Crash, crashes), KEEL_COMMANDS(out)) {
    const keel_entity owner = keel_target_of(context, e, Chases);
    KEEL_EACH(context, KEEL_READ(Ship, s), KEEL_ENTITY(ship)) {
        const float distance = keel_hypotf(r->x - s->x, r->y - s->y);
        if (keel_is_same(ship, owner) || distance > 60) continue;
        keel_send(crashes, Crash, { owner, r->heat, r->age });
        keel_delete_entity(out, e);
        break;
    }
}

KEEL_SYSTEM_ONCE(count, KEEL_RECEIVE(Crash, crashes), KEEL_MAY_WRITE(Ship), KEEL_CONTEXT(context)) {
    KEEL_EACH_EVENT(crashes, Crash, crash) {
        Ship *ship = keel_get_mut(context, crash->ship, Ship);
        if (ship) ship->score += (uint32_t)crash->age + (uint32_t)(10 * crash->force);
    }
}

KEEL_WORKLOAD(play_frame, KEEL_STEP(steer), KEEL_STEP(fly), KEEL_STEP(collide), KEEL_STEP(count));

enum { SHIPS = 3, LENGTH = 600 };

static keel_world *new_game(void) {
    keel_world *world = keel_world_create(NULL);
    keel_register(world, Ship, Rocket, Glow, Chases);
    assert_non_null(keel_register_component(world, KEEL_EVENT_OF(Crash)));
    keel_set_unique_value(world, KEEL_UNIQUE_OF(keel_random), &(keel_random){ 0 });
    *keel_get_unique_mut(world, keel_random) = keel_random_begin(7, 1);
    for (uint32_t i = 0; i < SHIPS; ++i)
        keel_add_entity(world, KEEL_INIT(Ship, { 100 + 200 * (float)i, 180, 0, 0, i, 0 }));
    return world;
}

// ------------------------------------------------------------------ recording
static void record(const char *path) {
    keel_world *world = new_game();
    keel_error error = { 0 };
    const keel_replay_record_desc desc = { .path = path,
                                           .input_size = sizeof(Stick),
                                           .players = SHIPS,
                                           .check_every = 10,
                                           .error = &error };
    keel_replay_recorder *recorder = keel_replay_record_begin(world, &desc);
    if (!recorder) fail_msg("%s", error.message);
    keel_random hands = keel_random_begin(1, 2); // the players' hands, not the game's dice
    keel_inputs inputs = { .players = SHIPS, .size = sizeof(Stick) };
    for (uint64_t frame = 0; frame < LENGTH; ++frame) {
        inputs.frame = frame;
        for (uint32_t i = 0; i < SHIPS; ++i) {
            Stick stick;
            memcpy(&stick, inputs.bytes[i], sizeof stick);
            if (!keel_random_below(&hands, 20)) {
                stick.x = (int16_t)keel_random_between(&hands, -32768, 32767);
                stick.y = (int16_t)keel_random_between(&hands, -32768, 32767);
            }
            stick.fire = !keel_random_below(&hands, 8);
            memcpy(inputs.bytes[i], &stick, sizeof stick);
            inputs.state[i] = KEEL_INPUT_CONFIRMED;
        }
        keel_set_unique_value(world, KEEL_UNIQUE_OF(keel_inputs), &inputs);
        assert_int_equal(keel_replay_record_frame(recorder), KEEL_OK);
        assert_true(keel_run_workload(world, play_frame, .dt = 1.0 / 60) >= 0);
    }
    assert_int_equal(keel_replay_record_end(recorder), KEEL_OK);
    keel_world_destroy(world);
}

// ------------------------------------------------------------------ playing
static const char *recorded_path(void) {
    static char path[512];
    const char *docs = getenv("KEEL_DOCS");
    (void)snprintf(path, sizeof path, "%s/../tests/data/replays/x86_64.keelreplay",
                   docs ? docs : "docs");
    return path;
}

static keel_error why;
static keel_result play(void) {
    keel_world *world = new_game();
    why = (keel_error){ 0 };
    const keel_replay_options options = { .error = &why };
    const keel_result result =
        keel_replay_play(world, KEEL_WORKLOAD_OF(play_frame), recorded_path(), &options);
    uint32_t scores = 0;
    KEEL_EACH(world, KEEL_READ(Ship, s))
        scores += s->score;
    if (result == KEEL_OK) assert_in_range(scores, 500, 50000); // much has happened
    keel_world_destroy(world);
    return result;
}

// Returns a part of the reason for which this machine cannot play the file, as the state that it
// begins with is the bytes of memory; NULL if it can.
static const char *refusal(void) {
    const uint16_t one = 1;
    if (KEEL_ENTITY_INDEX_BITS == 20) return "component 'Crash'"; // narrow handles are smaller
    if (*(const unsigned char *)&one != 1) return "byte order";
    if (_Alignof(keel_random) != 8) return "alignment 8 there, 4 here"; // x86 with 32 bits
    return NULL;
}

static void it_plays_to_the_same_states(void **unused) {
    (void)unused;
    const keel_result result = play();
    if (!refusal()) {
        if (result != KEEL_OK) fail_msg("%s", why.message);
        return;
    }
    assert_int_equal(result, KEEL_ERROR_SCHEMA);
    if (!strstr(why.message, refusal())) fail_msg("%s", why.message);
}

static void a_small_change_is_noticed(void **unused) {
    (void)unused;
    if (refusal()) return;
    is_planted = true;
    const keel_result result = play();
    is_planted = false;
    assert_int_equal(result, KEEL_ERROR_DIFFERS);
    if (!strstr(why.message, "frame 340 is not as recorded in Ship")) fail_msg("%s", why.message);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        TEST(it_plays_to_the_same_states, "a recorded game plays to the same states"),
        TEST(a_small_change_is_noticed, "and a small change is noticed"),
    };
    if (argc == 3 && !strcmp(argv[1], "--record")) {
        record(argv[2]);
        return 0;
    }
    return RUN(tests);
}
