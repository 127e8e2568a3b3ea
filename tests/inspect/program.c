// SPDX-License-Identifier: MIT
// The program that the tests of keel::inspect look at: program.h.
#include "program.h"

#include "support/test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct Position {
    float x, y;
} Position;
KEEL_FIELDS(Position, x, y);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position));
typedef struct Velocity {
    float x, y;
} Velocity;
KEEL_FIELDS(Velocity, x, y);
KEEL_COMPONENT(Velocity, KEEL_HAS_FIELDS(Velocity), .storage = KEEL_ARCHETYPE);
typedef struct Health {
    int32_t points;
    char label[32];
} Health;
KEEL_FIELDS(Health, KEEL_FIELD(points, .max = 1000), label);
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health), .storage = KEEL_INDEXED);
KEEL_TAG(Frozen);
typedef struct Clock {
    uint32_t frame;
} Clock;
KEEL_FIELDS(Clock, frame);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
KEEL_RELATION(Likes);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true);

KEEL_SYSTEM(program_move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v), KEEL_WITHOUT(Frozen)) {
    p->x += v->x;
    p->y += v->y;
}
KEEL_SYSTEM(program_tire, KEEL_WRITE(Health, health)) {
    health->points = (health->points * 7 + 3) % 1000;
}
KEEL_SYSTEM(program_turn, KEEL_READ(Health, health), KEEL_WRITE(Velocity, v)) {
    v->x = (float)(health->points % 5) - 2;
}
KEEL_SYSTEM_ONCE(program_tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->frame; }
KEEL_SYSTEM_ONCE(program_breed, KEEL_UNIQUE_READ(Clock, clock),
                 KEEL_COMMANDS(commands, Position, Velocity)) {
    if (clock->frame % 8 == 0)
        keel_add_entity(commands, KEEL_INIT(Position, { (float)clock->frame, 0 }),
                        KEEL_INIT(Velocity, { 1, 1 }));
}
KEEL_WORKLOAD(program_work, KEEL_STEP(program_tick), KEEL_STEP(program_move, .parallel = true),
              KEEL_STEP(program_tire, .parallel = true), KEEL_STEP(program_turn, .parallel = true),
              KEEL_STEP(program_breed));

void program_frame(keel_world *world) { (void)keel_run_workload(world, program_work); }

keel_world *program_world(program *p, uint32_t workers) {
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .log = keel_log_none, .worker_count = workers ? workers : 1 });
    keel_register(world, Position, Velocity, Health, Frozen, Likes, PartOf);
    keel_set_unique(world, Clock, { 0 });
    p->fleet = keel_add_entity(world);
    keel_set_name(world, p->fleet, "fleet");
    p->ship =
        keel_add_entity(world, KEEL_INIT(Position, { 7, 7 }), KEEL_INIT(Health, { .points = 200 }));
    keel_set_name(world, p->ship, "ship");
    keel_attach(world, p->ship, p->fleet);
    keel_relate(world, p->ship, Likes, p->fleet);
    p->markup = keel_add_entity(world, KEEL_INIT(Health, { .points = 1, .label = PROGRAM_MARKUP }));
    keel_set_name(world, p->markup, PROGRAM_MARKUP);
    for (int i = 0; i < 200; ++i)
        (void)keel_add_entity(world, KEEL_INIT(Position, { (float)i, 0 }),
                              KEEL_INIT(Velocity, { 1, -1 }), KEEL_INIT(Health, { .points = i }));
    return world;
}

uint16_t program_free_port(void) {
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    (void)close(fd);
    return ntohs(at.sin_port);
}

static void program_wait(void) { nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); }

static void *program_loop(void *context) {
    program *p = context;
    keel_adopt_world(p->world);
    while (!atomic_load(&p->stop)) {
        program_fn *called = atomic_load(&p->called);
        if (called) {
            called(p);
            atomic_store(&p->called, NULL);
        }
        if (atomic_load(&p->sleeps)) {
            program_wait();
            continue;
        }
        if (keel_inspect_update(p->inspect)) {
            program_frame(p->world);
            atomic_fetch_add(&p->frames, 1);
        }
        program_wait();
    }
    return NULL;
}

void program_prepare(program *p, const program_desc *desc) {
    keel_error error;
    memset(p, 0, sizeof *p);
    keel_inspect_desc how = desc->inspect;
    how.quiet = true;
    how.allow_edits = !desc->is_read_only;
    if (!how.port) how.port = program_free_port();
    if (!how.token) how.token = PROGRAM_TOKEN;
    if (!how.workload) how.workload = &KEEL_WORKLOAD_program_work;
    p->port = how.port;
    p->world = program_world(p, desc->workers);
    p->inspect = keel_inspect_begin(p->world, &how, &error);
    if (!p->inspect) fail_msg("%s", error.message);
}

void program_run(program *p) {
    atomic_store(&p->stop, false);
    assert_int_equal(pthread_create(&p->thread, NULL, program_loop, p), 0);
}

void program_begin(program *p, const program_desc *desc) {
    program_prepare(p, desc);
    program_run(p);
}

void program_stop(program *p) {
    if (!p->thread) return;
    atomic_store(&p->stop, true);
    pthread_join(p->thread, NULL);
    p->thread = 0;
    keel_adopt_world(p->world);
}

void program_end(program *p) {
    keel_error error;
    program_stop(p);
    keel_inspect_end(p->inspect);
    assert_true(keel_world_check(p->world, &error));
    keel_world_destroy(p->world);
}

void program_call(program *p, program_fn *function) {
    atomic_store(&p->called, function);
    while (atomic_load(&p->called))
        program_wait();
}

void program_open_view(program *p) {
    (void)keel_view_begin(&p->view, p->world, KEEL_TERMS(KEEL_WRITE(Position, position)),
                          "the test's view");
}
void program_end_view(program *p) { keel_view_end(&p->view); }
void program_hash(program *p) { keel_world_hash(p->world, &p->hash); }

const char *program_handle(keel_entity entity) {
    static char texts[8][32];
    static unsigned at;
    char *text = texts[at++ % 8];
    (void)snprintf(text, sizeof texts[0], "%uv%u", (unsigned)keel_entity_index(entity),
                   (unsigned)keel_entity_version(entity));
    return text;
}
