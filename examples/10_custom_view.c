// SPDX-License-Identifier: MIT
// You will learn: custom views. What ten systems would begin and end with in the same way is
// written once, in a struct of yours that they take as a parameter.
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

typedef struct Position { int x, y; } Position;
typedef struct Sprite { char letter; } Sprite;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Sprite);

typedef struct Graphics { bool lost; int frames; } Graphics; // a GPU, if this were one
KEEL_UNIQUE(Graphics);

// a bundle: views and uniques only; no code, what is declared is filled in
typedef struct Scene {
    keel_view sprites;
    keel_view walls;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_VIEW(sprites, KEEL_READ(Position, p), KEEL_READ(Sprite, s)),
                 KEEL_VIEW(walls, KEEL_READ(Position, p), KEEL_WITHOUT(Sprite)));

// a wild view: made when a system starts, dropped when it has ended
typedef struct Frame {
    Graphics *graphics; // filled in
    Scene scene;        // a custom view inside of another one
    char *picture;      // made by frame_init
} Frame;
enum { WIDTH = 8, HEIGHT = 2 };

static keel_result frame_init(void *view, keel_context *context) {
    Frame *frame = view;
    if (frame->graphics->lost) keel_fail(context, NULL, "the device is lost");
    frame->picture = keel_context_scratch(context, WIDTH * HEIGHT, 1); // until it was dropped
    if (!frame->picture) return KEEL_ERROR_MEMORY;
    memset(frame->picture, '.', WIDTH * HEIGHT);
    return KEEL_OK;
}

static void frame_drop(void *view, keel_context *context) {
    const Frame *frame = view;
    (void)context;
    printf("frame %d\n", ++frame->graphics->frames); // the unique is still borrowed
    for (int y = 0; y < HEIGHT; ++y) printf("  %.*s\n", WIDTH, frame->picture + y * WIDTH);
}

KEEL_CUSTOM_VIEW(Frame, KEEL_UNIQUE_WRITE(Graphics, graphics), KEEL_CUSTOM_WRITE(Scene, scene),
                 .init = frame_init, .drop = frame_drop);

static void draw(const Frame *frame, const keel_view *view, char letter) {
    keel_iterator it;
    if (keel_iterator_begin(&it, view) < 0) return;
    for (keel_span span; keel_iterator_next_span(&it, &span);) {
        const Position *p = keel_span_read(&span, Position);
        const Sprite *s = keel_span_read(&span, Sprite);
        for (uint32_t i = 0; i < span.count; ++i)
            frame->picture[p[i].y * WIDTH + p[i].x] = s ? s[i].letter : letter;
    }
}

// nothing about devices and pictures is left in the systems themselves
KEEL_SYSTEM_ONCE(render, KEEL_CUSTOM_WRITE(Frame, frame)) {
    draw(frame, &frame->scene.walls, '#');
    draw(frame, &frame->scene.sprites, '?');
}
KEEL_SYSTEM(walk, KEEL_WRITE(Position, p), KEEL_WITH(Sprite)) { ++p->x; }
KEEL_WORKLOAD(game, KEEL_STEP(walk), KEEL_STEP(render)); // render waits: Frame reads Position

static void quiet(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
}

int main(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .log = { quiet, NULL } });
    keel_set_unique(world, Graphics, { 0 });
    keel_add_entity(world, KEEL_INIT(Position, { 1, 0 }), KEEL_INIT(Sprite, { '@' }));
    for (int x = 0; x < WIDTH; x += 3) keel_add_entity(world, KEEL_INIT(Position, { x, 1 }));
    keel_run_workload(world, game);

    Frame frame; // the same in ordinary code
    if (keel_custom_begin(world, Frame, &frame) == KEEL_OK) {
        draw(&frame, &frame.scene.sprites, '?');
        keel_custom_end(world, &frame);
    }

    keel_get_unique_mut(world, Graphics)->lost = true;
    keel_run_workload(world, game); // walk runs, render does not, and nothing is dropped
    const keel_error *error = keel_last_error(world);
    printf("%s: %s\n", error->system, error->message);
    keel_world_destroy(world);
    return 0;
}
