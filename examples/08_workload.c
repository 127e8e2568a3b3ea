// SPDX-License-Identifier: MIT
// You will learn: a workload with an order, conditions, a nested one, a step that runs once and one
// that is split over all cores; what Keel made of it, and how long each system took.
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

typedef struct Position { float x; } Position;
typedef struct Velocity { float x; } Velocity;
typedef struct Battery { float charge; } Battery;
typedef struct Game { bool paused; } Game;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_COMPONENT(Battery);
KEEL_TAG(Broken);
KEEL_UNIQUE(Game);

KEEL_SYSTEM_ONCE(load, KEEL_COMMANDS(commands, Position, Velocity, Battery)) {
    for (int i = 0; i < 1000; ++i)
        keel_add_entity(commands, KEEL_INIT(Position), KEEL_INIT(Velocity, { 1 }),
                        KEEL_INIT(Battery, { (float)(i % 100) }));
}

KEEL_SYSTEM(drain, KEEL_WRITE(Battery, battery)) { battery->charge -= 1; }
KEEL_SYSTEM(move, KEEL_WRITE(Position, position), KEEL_READ(Velocity, velocity)) {
    position->x += velocity->x;
}
KEEL_SYSTEM(brake, KEEL_READ(Battery, battery), KEEL_WRITE(Velocity, velocity)) {
    if (battery->charge < 0) velocity->x = 0;
}
// `repair` and `move` touch nothing in common: they run at the same time
KEEL_SYSTEM(repair, KEEL_WRITE(Battery, battery), KEEL_WITH(Broken)) { battery->charge = 100; }

// a task runs once; as a step with .main_thread where the window is
KEEL_SYSTEM_ONCE(draw, KEEL_MAY_READ(Position, Velocity), KEEL_CONTEXT(context)) {
    double sum = 0;
    int standing = 0;
    KEEL_EACH(context, KEEL_READ(Position, position), KEEL_READ(Velocity, velocity)) {
        sum += (double)position->x;
        standing += velocity->x == 0;
    }
    printf("at %.2f on average, %d stand still\n", sum / 1000, standing);
}

KEEL_CONDITION(is_playing, KEEL_UNIQUE_READ(Game, game)) { return !game->paused; }

// `move` stands before `brake` in the list, but asks to come after it
KEEL_WORKLOAD(robots, KEEL_STEP(drain), KEEL_STEP(move, .after = "brake", .parallel = true),
              KEEL_STEP(brake), KEEL_STEP(repair, .skip_if_empty = KEEL_OF(Broken)));
KEEL_WORKLOAD(frame, KEEL_STEP(load, .startup = true),
              KEEL_NESTED(robots, .run_if = KEEL_IF(is_playing)),
              KEEL_STEP(draw, .main_thread = true));

int main(void) {
    keel_world *world = keel_world_create(NULL); // as many threads as there are processors
    keel_set_unique(world, Game, { .paused = false });
    keel_timings_begin(world, 0); // note who ran when; keel_timings_write_trace draws it
    for (int i = 0; i < 5; ++i) {
        keel_get_unique_mut(world, Game)->paused = i == 3;
        if (keel_run_workload(world, frame) < 0) {
            fprintf(stderr, "%s\n", keel_last_error(world)->message);
            return 1;
        }
    }
    char text[2000];
    if (keel_explain_workload(world, frame, KEEL_EXPLAIN_TEXT, text, sizeof text)) fputs(text, stdout);

    keel_timings_cursor cursor = { 0 };
    int times = 0;
    for (keel_timing timing; keel_timings_next(world, &cursor, &timing);)
        times += strcmp(timing.system, "drain") == 0;
    printf("'drain' ran %d times\n", times);
    keel_world_destroy(world);
    return 0;
}
