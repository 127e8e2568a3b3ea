// SPDX-License-Identifier: MIT
// You will learn: a game with three states, systems that enter and leave them, steps that run every
// so often or a few times, data for a whole workload, and how a step is switched off by its label.
#include <keel/keel.h>
#include <stdio.h>

typedef enum Phase { MENU, PLAYING, OVER } Phase;
KEEL_STATE(Phase);
typedef struct Input { bool start; float steer; } Input; // handed to each run
typedef struct Ship { float x, fuel; } Ship;
KEEL_COMPONENT(Ship);

// ------------------------------------------------------------------ the menu
KEEL_SYSTEM_ONCE(show_menu) { puts("menu: press start"); }
KEEL_SYSTEM_ONCE(wait_for_start, KEEL_DATA(Input, input), KEEL_CONTEXT(context),
                 KEEL_MAY_SET_STATE(Phase)) {
    if (input->start) keel_set_state(context, Phase, PLAYING); // at the next transition
}

// ------------------------------------------------------------------ playing
KEEL_SYSTEM_ONCE(begin_level, KEEL_COMMANDS(commands, Ship)) {
    puts("a ship takes off");
    keel_add_entity(commands, KEEL_INIT(Ship, { .fuel = 3 }));
}
KEEL_SYSTEM(fly, KEEL_WRITE(Ship, ship), KEEL_DATA(Input, input)) { ship->x += input->steer; }
KEEL_SYSTEM(burn, KEEL_WRITE(Ship, ship), KEEL_CONTEXT(context), KEEL_MAY_SET_STATE(Phase)) {
    if (--ship->fuel == 0) keel_set_state(context, Phase, OVER);
}
KEEL_SYSTEM(report, KEEL_READ(Ship, ship)) { printf("x %.1f, fuel %.0f\n", ship->x, ship->fuel); }
KEEL_SYSTEM_ONCE(hint) { puts("(use the stick)"); }
KEEL_SYSTEM(end_level, KEEL_WITH(Ship), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    puts("the ship lands");
    keel_delete_entity(commands, e);
}
KEEL_WORKLOAD(level, KEEL_STEP(fly), KEEL_STEP(hint, .times = 2),
              KEEL_STEP(report), KEEL_STEP(burn, .every = 1)); // seconds of .dt that it could run in

// ------------------------------------------------------------------ all of it
KEEL_WORKLOAD(frame, KEEL_TRANSITION(Phase),
              KEEL_STEP(end_level, .on_exit = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(show_menu, .on_enter = KEEL_IN(Phase, MENU)),
              KEEL_STEP(begin_level, .on_enter = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(wait_for_start, .in_state = KEEL_IN(Phase, MENU)),
              KEEL_NESTED(level, .in_state = KEEL_IN(Phase, PLAYING), .label = "simulation"));

int main(void) {
    keel_world *world = keel_world_create(NULL);
    keel_add_workload(world, frame); // stored: its steps can be switched off
    keel_set_state(world, Phase, MENU);
    for (int i = 0; i < 12; ++i) {
        Input input = { .start = i == 1, .steer = 0.5f };
        if (i == 4) keel_enable_step(world, "frame", "simulation", false); // hold it
        if (i == 6) keel_enable_step(world, "frame", "simulation", true);
        if (keel_run_named(world, "frame", .data = &input, .data_size = sizeof input,
                           .dt = 0.5) < 0) {
            fprintf(stderr, "%s\n", keel_last_error(world)->message);
            return 1;
        }
    }
    printf("it is %s\n", *keel_get_unique(world, Phase) == OVER ? "over" : "not over");
    keel_world_destroy(world);
    return 0;
}
