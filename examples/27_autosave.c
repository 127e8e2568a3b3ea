// SPDX-License-Identifier: MIT
// You will learn: an autosave without a hitch: a snapshot takes a millisecond of the frame, and
// another thread writes it to a file while the game goes on. Needs keel::save (docs/tasks/saves.md).
#include <keel/keel.h>
#include <keel_save.h>
#include <pthread.h>
#include <stdio.h>

typedef struct Position { int x, y; } Position;
typedef struct Speed { int x, y; } Speed;
typedef struct Clock { int frame; } Clock;
KEEL_FIELDS(Position, x, y);
KEEL_FIELDS(Speed, x, y);
KEEL_FIELDS(Clock, frame);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position), .storage = KEEL_INDEXED);
KEEL_COMPONENT(Speed, KEEL_HAS_FIELDS(Speed), .storage = KEEL_INDEXED);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));

KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Speed, s)) {
    p->x += s->x;
    p->y += s->y;
}
KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->frame; }
KEEL_WORKLOAD(frame, KEEL_STEP(move), KEEL_STEP(tick));

// ------------------------------------------------------------------ the saver
typedef struct autosave {
    keel_snapshot *snapshot;
    pthread_t thread;
    keel_result result;
    keel_error why;
} autosave;

static void *write_it(void *data) {
    autosave *a = data;
    a->result = keel_save_snapshot(a->snapshot, "autosave.keel", &(keel_save_options){ .error = &a->why });
    return NULL;
}

// In the frame: only the take. Nobody takes the snapshot again before autosave_end.
static keel_result autosave_begin(autosave *a) {
    KEEL_TRY(keel_snapshot_take(a->snapshot));
    return pthread_create(&a->thread, NULL, write_it, a) ? KEEL_ERROR_MEMORY : KEEL_OK;
}
static keel_result autosave_end(autosave *a) {
    pthread_join(a->thread, NULL);
    if (a->result < 0) printf("autosave: %s\n", a->why.message);
    return a->result;
}

static keel_result play(keel_world *world, autosave *a) {
    for (int i = 0; i < 10000; ++i) keel_add_entity(world, KEEL_INIT(Position, { i, 0 }), KEEL_INIT(Speed, { 1, i % 3 }));
    keel_set_unique(world, Clock, { 0 });
    for (int i = 1; i <= 300; ++i) {
        KEEL_TRY(keel_run_workload(world, frame));
        if (i == 100) KEEL_TRY(autosave_begin(a));
    }
    return autosave_end(a); // a game asks from time to time whether it is done
}

int main(void) {
    keel_world *world = keel_world_create(NULL), *later = keel_world_create(NULL);
    autosave a = { .snapshot = keel_snapshot_create(world, "autosave") };
    keel_result r = a.snapshot ? play(world, &a) : KEEL_ERROR_MEMORY;
    if (r == KEEL_OK) r = keel_register(later, Position, Speed);
    if (r == KEEL_OK) r = keel_register_component(later, KEEL_UNIQUE_OF(Clock)) ? KEEL_OK : KEEL_ERROR_MEMORY;
    if (r == KEEL_OK) r = keel_load(later, "autosave.keel", NULL);
    if (r == KEEL_OK) {
        const keel_entity last = keel_entity_make(9999, 0);
        printf("the game is at frame %d, its last entity at %d\n", keel_get_unique(world, Clock)->frame,
               keel_get(world, last, Position)->x);
        printf("the save is of frame %d, its last entity at %d\n", keel_get_unique(later, Clock)->frame,
               keel_get(later, last, Position)->x);
    }
    remove("autosave.keel");
    keel_snapshot_destroy(a.snapshot);
    keel_world_destroy(later);
    keel_world_destroy(world);
    return r == KEEL_OK ? 0 : 1;
}
