// SPDX-License-Identifier: MIT
// Each allocation of the inspector and of the library fails once, and from there on: the answer is
// an error or the connection is closed, and the world is as before. The linker leads malloc and its
// like here (--wrap); libraries that are linked dynamically have their own.
#include "client.h"
#include "program.h"
#include "support/failing_malloc.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// How many allocations still succeed; then one fails, or all. The thread that asks is exempt.
static atomic_long left = -1;
static atomic_bool fails_once, has_failed;
static _Thread_local bool is_exempt;
static bool fails(void) {
    if (is_exempt || atomic_load(&left) < 0) return false;
    const long before = atomic_fetch_sub(&left, 1);
    if (before > 0) return false;
    if (before < 0) { // another thread took the last one
        atomic_store(&left, -1);
        return false;
    }
    atomic_store(&has_failed, true);
    atomic_store(&left, atomic_load(&fails_once) ? -1 : 0);
    return true;
}

static void arm(long allocations, bool once) {
    atomic_store(&has_failed, false);
    atomic_store(&fails_once, once);
    atomic_store(&left, allocations);
}
// Lets allocations succeed again. Returns whether one has failed.
static bool disarm(void) {
    atomic_store(&left, -1);
    return atomic_load(&has_failed);
}

static program run;
static uint64_t hash_now(void) {
    program_call(&run, program_hash);
    return run.hash;
}

// Asks with each allocation failing in turn. The world may change only if the answer is no error.
static void ask_without_memory(ask what, bool once) {
    uint64_t hash = hash_now();
    bool failed = true, answered = false;
    for (long n = 0; failed; n += (long)test_stride()) {
        answer a;
        if (n > 3000) fail_msg("%s allocates without an end", what.path);
        arm(n, once);
        client_ask(run.port, what, &a);
        failed = disarm();
        const uint64_t now = hash_now();
        if (a.status != 200 && now != hash)
            fail_msg("%s: allocation %ld failed, the answer is %d, and the world has changed",
                     what.path, n, a.status);
        const bool is_json = a.status && !strstr(a.head, "gzip") && !strstr(a.head, "octet-stream");
        if (is_json && (!a.length || a.body[a.length - 1] != '}'))
            fail_msg("%s: %d with half an answer: %s", what.path, a.status, a.body);
        answered = answered || a.status == 200; // a failure may be harmless
        if (!failed && !answered) fail_msg("%s: %d %s", what.path, a.status, a.body);
        hash = now;
        answer_free(&a);
    }
}

static void each_request_survives(bool once) {
    const char *ship = program_handle(run.ship);
    char entity[64], past[64], changes[64], body[4][200];
    (void)snprintf(entity, sizeof entity, "entity/%s", ship);
    (void)snprintf(past, sizeof past, "entity/%s?frame=3", ship);
    (void)snprintf(changes, sizeof changes, "changes?entity=%s&path=Position.x", ship);
    const char *const gets[] = { "/",
                                 "world",
                                 entity,
                                 past,
                                 changes,
                                 "entities?limit=20",
                                 "systems",
                                 "system/1",
                                 "workload",
                                 "workload?without=1:Position",
                                 "frames",
                                 "nothing",
                                 "query?text=Health.points%20%3E%201&limit=5&columns=Position.x",
                                 "diff?from=2&to=3",
                                 "save" };
    for (size_t i = 0; i < sizeof gets / sizeof *gets; ++i)
        if (strcmp(gets[i], "nothing") != 0) ask_without_memory((ask){ .path = gets[i] }, once);
    (void)snprintf(body[0], sizeof body[0],
                   "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":%d}", ship,
                   once ? 3 : 4);
    (void)snprintf(body[1], sizeof body[1], "{\"name\":\"%s\",\"parent\":\"%s\"}",
                   once ? "a new ship" : "another ship", ship);
    (void)snprintf(body[2], sizeof body[2], "{\"entity\":\"%s\",\"component\":\"%s\"}",
                   program_handle(run.fleet), once ? "Velocity" : "Position");
    (void)snprintf(body[3], sizeof body[3],
                   "{\"entity\":\"%s\",\"relation\":\"Likes\",\"target\":\"%s\"}",
                   program_handle(once ? run.fleet : run.markup), ship);
    const ask posts[] = {
        { .path = "set", .body = body[0] },
        { .path = "spawn", .body = body[1] },
        { .path = "add", .body = body[2] },
        { .path = "relate", .body = body[3] },
        { .path = "track",
          .body = once ? "{\"component\":\"Health\"}" : "{\"component\":\"Frozen\"}" },
        { .path = "pause", .body = "{}" },
        { .path = "back", .body = once ? "{\"frame\":4}" : "{\"frame\":3}" },
    };
    for (size_t i = 0; i < sizeof posts / sizeof *posts; ++i)
        ask_without_memory(posts[i], once);
}

static void begin_paused(void) {
    program_begin(&run, &(program_desc){ .inspect = { .past = 1000, .budget = 0.05 } });
    while (atomic_load(&run.frames) < 5)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    client_expect(run.port, (ask){ .path = "pause", .body = "{}" }, 200, NULL);
    client_expect(run.port, (ask){ .path = "back", .body = "{\"frame\":5}" }, 200, NULL);
}

static void requests_survive_one_failure(void **state) {
    (void)state;
    begin_paused();
    each_request_survives(true);
    program_end(&run);
}

static void requests_survive_without_memory(void **state) {
    (void)state;
    begin_paused();
    each_request_survives(false);
    program_end(&run);
}

static void streams_survive(void **state) {
    (void)state;
    char path[64];
    begin_paused();
    (void)snprintf(path, sizeof path, "stream?every=33&entity=%s", program_handle(run.ship));
    bool failed = true;
    for (long n = 0; failed; n += (long)test_stride()) {
        assert_true(n < 300);
        const int fd = client_connect(run.port);
        arm(n, n % 2);
        (void)client_ask_on(fd, run.port, (ask){ .path = path });
        nanosleep(&(struct timespec){ .tv_nsec = 80000000 }, NULL);
        failed = disarm();
        // The stream goes on once there is memory again, unless it was refused.
        if (!client_read_until(fd, "event: entity", 3) && !client_is_closed(fd, 3) && !failed)
            fail_msg("the stream is silent after allocation %ld", n);
        client_close(fd);
    }
    program_end(&run);
}

// The snapshots of the past fail now and then. What is kept can be looked at.
static void frames_survive(void **state) {
    (void)state;
    char path[64];
    begin_paused();
    for (long n = 0; n < 60; n += (long)test_stride()) {
        arm(n, n % 2);
        client_status(run.port, (ask){ .path = "step", .body = "{\"frames\":2}" });
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        (void)disarm();
        (void)snprintf(path, sizeof path, "entity/%s?frame=3", program_handle(run.ship));
        client_expect(run.port, (ask){ .path = path }, 200, "\"past\":true");
        client_expect(run.port, (ask){ .path = "world" }, 200, NULL);
    }
    client_expect(run.port, (ask){ .path = "back", .body = "{\"frame\":4}" }, 200, NULL);
    program_end(&run);
}

static void begin_survives(void **state) {
    (void)state;
    keel_error error;
    bool failed = true;
    program p;
    p.world = program_world(&p, 1);
    for (long n = 0; failed; ++n) {
        const keel_inspect_desc how = { .quiet = true, .port = program_free_port(), .past = 3 };
        is_exempt = false;
        arm(n, n % 2);
        keel_inspect *inspect = keel_inspect_begin(p.world, &how, &error);
        failed = disarm();
        is_exempt = true;
        assert_true(n < 300);
        assert_true(inspect || error.result == KEEL_ERROR_MEMORY);
        assert_true(inspect || strstr(error.message, "out of memory"));
        assert_true((inspect != NULL) == !failed);
        keel_inspect_end(inspect);
    }
    keel_world_destroy(p.world);
}

static const struct CMUnitTest tests[] = {
    TEST(requests_survive_one_failure, "requests survive that one allocation fails"),
    TEST(requests_survive_without_memory, "requests survive that no allocation succeeds any more"),
    TEST(streams_survive, "streams survive that memory runs out"),
    TEST(frames_survive, "frames survive that memory runs out"),
    TEST(begin_survives, "memory that runs out at the begin is an error"),
};
int main(void) {
    is_exempt = true;
    return RUN(tests);
}
