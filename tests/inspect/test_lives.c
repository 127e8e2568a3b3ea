// SPDX-License-Identifier: MIT
// Begin and end of inspectors: options, ports, requests and streams that are open at the end, two
// worlds, forks, a program that stands still, and one that goes back.
#include "client.h"
#include "program.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void wait_for(double seconds) {
    const double until = client_now() + seconds;
    while (client_now() < until)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static unsigned entries_of(const char *folder) {
    unsigned count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while (readdir(open))
        ++count;
    (void)closedir(open);
    return count;
}

// ------------------------------------------------------------------ options
static void bad_options_are_errors(void **state) {
    (void)state;
    static const char letters[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                                  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                                  "0";
    static const keel_workload nothing = { 0 };
    const struct {
        keel_inspect_desc desc;
        const char *part;
    } bad[] = {
        { { .token = "short" }, ".token needs 32 to 128" },
        { { .token = "" }, ".token needs" },
        { { .token = "0123456789abcdef0123456789abcde\n" }, ".token needs" },
        { { .token = "0123456789abcdef0123456789abcde " }, ".token needs" },
        { { .token = letters }, ".token needs" },
        { { .address = "0.0.0.0" }, ".token must be set" },
        { { .address = "192.168.1.1" }, ".token must be set" },
        { { .address = "localhost", .token = PROGRAM_TOKEN }, "'localhost' is no IPv4 address" },
        { { .address = "127.0.0.1.evil", .token = PROGRAM_TOKEN }, "is no IPv4 address" },
        { { .address = "127.0.0.1.evil" }, "is no IPv4 address" },
        { { .address = "", .token = PROGRAM_TOKEN }, "is no IPv4 address" },
        { { .address = "::1", .token = PROGRAM_TOKEN }, "is no IPv4 address" },
        { { .budget = -1 }, ".budget must be" },
        { { .budget = 2 }, ".budget must be" },
        { { .budget = (double)NAN }, ".budget must be" },
        { { .past = 4097 }, ".past must be at most 4,096" },
        { { .workload = &nothing, .workload_name = "x" }, "not both" },
    };
    program p;
    keel_error error;
    p.world = program_world(&p, 1);
    const unsigned files = entries_of("/proc/self/fd");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        keel_inspect *inspect = keel_inspect_begin(p.world, &bad[i].desc, &error);
        if (inspect || error.result != KEEL_ERROR_ARGUMENT || !strstr(error.message, bad[i].part))
            fail_msg("%zu: %d %s", i, (int)error.result, error.message);
    }
    assert_null(keel_inspect_begin(NULL, NULL, &error));
    assert_int_equal(error.result, KEEL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "needs a world"));
    assert_true(keel_inspect_update(NULL));
    assert_string_equal(keel_inspect_url(NULL), "");
    keel_inspect_end(NULL);
    assert_int_equal(entries_of("/proc/self/fd"), files);
    keel_world_destroy(p.world);
}

static void a_world_in_shared_mode_is_refused(void **state) {
    (void)state;
    program p;
    keel_error error;
    p.world = program_world(&p, 1);
    assert_int_equal(keel_share_begin(p.world), KEEL_OK);
    assert_null(keel_inspect_begin(p.world, &(keel_inspect_desc){ .quiet = true }, &error));
    assert_int_equal(error.result, KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_end(p.world), KEEL_OK);
    keel_world_destroy(p.world);
}

static void tokens_are_random(void **state) {
    (void)state;
    program p;
    char urls[2][300];
    p.world = program_world(&p, 1);
    for (int i = 0; i < 2; ++i) {
        keel_inspect *inspect = keel_inspect_begin(
            p.world, &(keel_inspect_desc){ .quiet = true, .port = program_free_port() }, NULL);
        assert_non_null(inspect);
        (void)snprintf(urls[i], sizeof urls[i], "%s", strchr(keel_inspect_url(inspect), '#'));
        keel_inspect_end(inspect);
    }
    assert_int_equal(strlen(urls[0]), 33);
    assert_string_not_equal(urls[0], urls[1]);
    keel_world_destroy(p.world);
}

// ------------------------------------------------------------------ ports
static int listen_on(uint16_t port) {
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
    (void)bind(fd, (const struct sockaddr *)&at, sizeof at);
    (void)listen(fd, 1); // if it cannot, somebody else does
    return fd;
}

static void taken_ports_are_errors(void **state) {
    (void)state;
    enum { FIRST = 27750, COUNT = 10 };
    program p;
    keel_error error;
    int fds[COUNT];
    p.world = program_world(&p, 1);
    const uint16_t port = program_free_port();
    const int taken = listen_on(port);
    assert_null(keel_inspect_begin(p.world, &(keel_inspect_desc){ .port = port }, &error));
    assert_int_equal(error.result, KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, "cannot listen on 127.0.0.1, port "));
    (void)close(taken);

    for (int i = 0; i < COUNT; ++i)
        fds[i] = listen_on((uint16_t)(FIRST + i));
    assert_null(keel_inspect_begin(p.world, NULL, &error));
    assert_int_equal(error.result, KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, "port 27750 to 27759"));
    (void)close(fds[7]);
    keel_inspect *inspect =
        keel_inspect_begin(p.world, &(keel_inspect_desc){ .quiet = true }, &error);
    if (!inspect || !strstr(keel_inspect_url(inspect), "http://127.0.0.1:27757/#"))
        fail_msg("%s", inspect ? keel_inspect_url(inspect) : error.message);
    keel_inspect_end(inspect);
    for (int i = 0; i < COUNT; ++i)
        if (i != 7) (void)close(fds[i]);
    keel_world_destroy(p.world);
}

static void only_this_machine_is_listened_to(void **state) {
    (void)state;
    program p;
    char line[300];
    unsigned found = 0;
    program_begin(&p, &(program_desc){ 0 });
    FILE *file = fopen("/proc/net/tcp", "r");
    assert_non_null(file);
    char wanted[32], everybody[32];
    (void)snprintf(wanted, sizeof wanted, "0100007F:%04X 00000000:0000 0A", p.port);
    (void)snprintf(everybody, sizeof everybody, "00000000:%04X 00000000:0000 0A", p.port);
    while (fgets(line, sizeof line, file)) {
        assert_null(strstr(line, everybody));
        found += strstr(line, wanted) != NULL;
    }
    (void)fclose(file);
    assert_int_equal(found, 1);
    program_end(&p);
}

// ------------------------------------------------------------------ the end
static void the_end_answers_what_waits(void **state) {
    (void)state;
    enum { WAITING = 20 };
    static const ask asked[] = {
        { .path = "world" },
        { .path = "query?text=Health" },
        { .path = "pause", .body = "{}" },
        { .path = "entities" },
    };
    program p;
    int fds[WAITING];
    answer a;
    program_prepare(&p, &(program_desc){ 0 }); // nobody calls keel_inspect_update
    for (int i = 0; i < WAITING; ++i) {
        fds[i] = client_connect(p.port);
        assert_true(client_ask_on(fds[i], p.port, asked[i % 4]));
    }
    wait_for(0.3);
    program_end(&p);
    for (int i = 0; i < WAITING; ++i) {
        if (!client_read(fds[i], &a, 3)) fail_msg("request %d has no answer", i);
        assert_int_equal(a.status, 503);
        assert_non_null(strstr(a.body, "\"ended\""));
        answer_free(&a);
        client_close(fds[i]);
    }
}

// A request that has had its first slice, and one that waits for the next frame.
static void the_end_frees_what_has_begun(void **state) {
    (void)state;
    program p;
    answer a;
    char body[100];
    program_prepare(&p, &(program_desc){ .inspect = { .budget = 1e-9 } });
    for (int i = 0; i < 20000; ++i)
        (void)keel_add_entity(p.world);
    const int query = client_connect(p.port), watch = client_connect(p.port);
    assert_true(client_ask_on(query, p.port, (ask){ .path = "query?text=!Health&count=1" }));
    wait_for(0.2);
    (void)snprintf(body, sizeof body, "{\"entity\":\"%s\",\"path\":\"Position.x\"}",
                   program_handle(p.ship));
    assert_true(client_ask_on(watch, p.port, (ask){ .path = "watch", .body = body }));
    wait_for(0.2);
    for (int i = 0; i < 2; ++i) // a slice of the query, and the begin of the watch
        (void)keel_inspect_update(p.inspect);
    program_end(&p);
    const int fds[] = { query, watch };
    for (int i = 0; i < 2; ++i) {
        assert_true(client_read(fds[i], &a, 3));
        assert_int_equal(a.status, 503);
        answer_free(&a);
        client_close(fds[i]);
    }
}

static void the_end_is_told_to_streams(void **state) {
    (void)state;
    program p;
    int fds[8];
    program_begin(&p, &(program_desc){ 0 });
    for (int i = 0; i < 8; ++i) {
        fds[i] = client_connect(p.port);
        assert_true(client_ask_on(fds[i], p.port, (ask){ .path = "stream?every=33" }));
        assert_true(client_read_until(fds[i], "event: world", 5));
    }
    program_stop(&p);
    const double begun = client_now();
    program_end(&p);
    assert_true(client_now() - begun < 1.5);
    for (int i = 0; i < 8; ++i) {
        assert_true(client_read_until(fds[i], "event: end\ndata: {}", 3));
        assert_true(client_is_closed(fds[i], 3));
        client_close(fds[i]);
    }
}

static void the_end_is_quick_when_pages_have_gone(void **state) {
    (void)state;
    program p;
    program_begin(&p, &(program_desc){ 0 });
    const int fd = client_connect(p.port);
    assert_true(client_ask_on(fd, p.port, (ask){ .path = "stream?every=33" }));
    assert_true(client_read_until(fd, "event: world", 5));
    client_close(fd);
    wait_for(0.5);
    program_stop(&p);
    const double begun = client_now();
    program_end(&p);
    assert_true(client_now() - begun < 0.4);
}

// Clients that take nothing of large answers, and one in the middle of its body.
static void the_end_waits_for_nobody(void **state) {
    (void)state;
    enum { CLIENTS = 10 };
    program p;
    int fds[CLIENTS];
    program_begin(&p, &(program_desc){ .inspect = { .past = 10 } });
    for (int i = 0; i < CLIENTS; ++i) {
        fds[i] = client_connect(p.port);
        (void)setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &(int){ 4096 }, sizeof(int));
        if (i == 0)
            assert_true(client_ask_on(
                fds[i], p.port,
                (ask){ .path = "set", .body = "{", .length = "Content-Length: 1000\r\n" }));
        else if (i < 5) assert_true(client_ask_on(fds[i], p.port, (ask){ .path = "stream" }));
        else
            for (int k = 0; k < 20; ++k)
                (void)client_ask_on(fds[i], p.port, (ask){ .path = "entities?limit=1000" });
    }
    wait_for(0.5);
    program_stop(&p);
    const double begun = client_now();
    program_end(&p);
    assert_true(client_now() - begun < 2);
    for (int i = 0; i < CLIENTS; ++i)
        client_close(fds[i]);
}

static void clients_may_leave_while_they_wait(void **state) {
    (void)state;
    program p;
    program_prepare(&p, &(program_desc){ 0 });
    for (int i = 0; i < 30; ++i) {
        const int fd = client_connect(p.port);
        assert_true(client_ask_on(fd, p.port, (ask){ .path = i % 2 ? "world" : "systems" }));
        client_close(fd);
    }
    wait_for(0.2);
    program_run(&p);
    client_expect(p.port, (ask){ .path = "world" }, 200, NULL);
    program_end(&p);
}

static void two_hundred_lives_leave_nothing(void **state) {
    (void)state;
    program p;
    p.world = program_world(&p, 1);
    unsigned files = 0, threads = 0;
    for (uint32_t i = 0, rounds = test_rounds(200) + 2; i < rounds; ++i) {
        keel_inspect_desc how = { .quiet = true, .port = program_free_port(), .past = i % 3 };
        how.token = PROGRAM_TOKEN;
        p.inspect = keel_inspect_begin(p.world, &how, NULL);
        assert_non_null(p.inspect);
        const int fd = client_connect(how.port);
        (void)client_ask_on(fd, how.port, (ask){ .path = i % 2 ? "world" : "stream" });
        for (int k = 0; k < 3; ++k)
            if (keel_inspect_update(p.inspect)) program_frame(p.world);
        keel_inspect_end(p.inspect);
        client_close(fd);
        if (i == 1) {
            files = entries_of("/proc/self/fd");
            threads = entries_of("/proc/self/task");
        }
    }
    assert_int_equal(entries_of("/proc/self/fd"), files);
    assert_int_equal(entries_of("/proc/self/task"), threads);
    keel_world_destroy(p.world);
}

// ------------------------------------------------------------------ several worlds, several
// processes
static void two_worlds_have_an_inspector_each(void **state) {
    (void)state;
    program a, b;
    program_begin(&a, &(program_desc){ .inspect = { .program = "first" } });
    program_begin(&b, &(program_desc){ .inspect = { .program = "second" } });
    client_expect(a.port, (ask){ .path = "world" }, 200, "\"program\":\"first\"");
    client_expect(b.port, (ask){ .path = "world" }, 200, "\"program\":\"second\"");
    client_expect(a.port, (ask){ .path = "pause", .body = "{}" }, 200, "\"paused\":true");
    client_expect(b.port, (ask){ .path = "world" }, 200, "\"paused\":false");
    program_end(&a);
    client_expect(b.port, (ask){ .path = "world" }, 200, "\"program\":\"second\"");
    program_end(&b);
}

static void a_child_process_does_nothing(void **state) {
    (void)state;
    program p;
    int status;
    program_prepare(&p, &(program_desc){ 0 });
    const int fd = client_connect(p.port);
    assert_true(client_ask_on(fd, p.port, (ask){ .path = "pause", .body = "{}" }));
    wait_for(0.2);
    assert_false(keel_inspect_update(p.inspect));
    client_close(fd);
    const pid_t child = fork(); // it is not paused: nobody could let it go on
    if (!child) {
        bool all = true;
        for (int i = 0; i < 10; ++i)
            all = all && keel_inspect_update(p.inspect);
        keel_inspect_end(p.inspect);
        _exit(all ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    program_run(&p);
    client_expect(p.port, (ask){ .path = "world" }, 200, NULL);
    program_end(&p);
}

// ------------------------------------------------------------------ a program that stands still
static void a_stream_says_that_the_program_has_stopped(void **state) {
    (void)state;
    program p;
    program_prepare(&p, &(program_desc){ 0 });
    const int fd = client_connect(p.port);
    assert_true(client_ask_on(fd, p.port, (ask){ .path = "stream?every=33" }));
    assert_true(client_read_until(fd, "event: world\ndata: {\"stopped\":true}", 4));
    client_expect(p.port, (ask){ .path = "/", .token = "" }, 200, NULL);
    program_run(&p);
    assert_true(client_read_until(fd, "\"stopped\":false", 4));
    program_stop(&p);
    assert_true(client_read_until(fd, "\"stopped\":true", 4));
    program_end(&p);
    assert_true(client_read_until(fd, "event: end", 3));
    client_close(fd);
}

// ------------------------------------------------------------------ back
static void the_program_goes_back(void **state) {
    (void)state;
    program p;
    char path[64];
    program_begin(&p, &(program_desc){ .inspect = { .past = 100 } });
    const int stream = client_connect(p.port);
    assert_true(client_ask_on(stream, p.port, (ask){ .path = "stream?every=33" }));
    while (atomic_load(&p.frames) < 40)
        wait_for(0.02);
    client_expect(p.port, (ask){ .path = "pause", .body = "{}" }, 200, NULL);
    (void)snprintf(path, sizeof path, "entity/%s?frame=20", program_handle(p.ship));
    client_expect(p.port, (ask){ .path = path }, 200, "\"frame\":20,\"past\":true");
    client_expect(p.port, (ask){ .path = "back", .body = "{\"frame\":0}" }, 404, "\"gone\"");
    client_expect(p.port, (ask){ .path = "back", .body = "{\"frame\":100000}" }, 404, "\"gone\"");
    client_expect(p.port, (ask){ .path = "back", .body = "{\"frame\":21}" }, 200, "\"newest\":21");
    (void)snprintf(path, sizeof path, "entity/%s?frame=22", program_handle(p.ship));
    client_expect(p.port, (ask){ .path = path }, 404, "not kept any more");
    (void)snprintf(path, sizeof path, "entity/%s?frame=20", program_handle(p.ship));
    client_expect(p.port, (ask){ .path = path }, 200, "\"past\":true");
    program_call(&p, program_hash);
    const uint64_t then = p.hash;
    client_expect(p.port, (ask){ .path = "step", .body = "{\"frames\":5}" }, 200, NULL);
    wait_for(0.2);
    client_expect(p.port, (ask){ .path = "world" }, 200, "\"frame\":25,");
    program_call(&p, program_hash);
    assert_true(p.hash != then);
    client_expect(p.port, (ask){ .path = "frames?from=1&to=100" }, 200, "\"frame\":24");
    client_expect(p.port, (ask){ .path = "diff?from=20&to=24" }, 200, "\"entities\"");
    client_expect(p.port, (ask){ .path = "back", .body = "{\"frame\":21}" }, 200, NULL);
    program_call(&p, program_hash);
    assert_true(p.hash == then);
    client_expect(p.port, (ask){ .path = "play", .body = "{}" }, 200, NULL);
    assert_true(client_read_until(stream, "event: world", 3));
    client_close(stream);
    program_end(&p);
}

static void frames_that_do_not_fit_are_dropped(void **state) {
    (void)state;
    program p;
    program_begin(&p, &(program_desc){ .inspect = { .past = 100, .past_bytes = 1 } });
    while (atomic_load(&p.frames) < 20)
        wait_for(0.02);
    client_expect(p.port, (ask){ .path = "pause", .body = "{}" }, 200, "\"frames\":1,");
    client_expect(p.port, (ask){ .path = "back", .body = "{\"frame\":3}" }, 404, "\"gone\"");
    program_end(&p);
}

// A stream that says nothing for ten seconds does not notice by itself that its page has gone.
static void a_stream_whose_page_has_gone_frees_its_place(void **state) {
    (void)state;
    program p;
    program_begin(&p, &(program_desc){ .workers = 1 });
    for (int i = 0; i < 40; ++i) {
        const int fd = client_connect(p.port);
        assert_true(client_ask_on(fd, p.port, (ask){ .path = "stream?every=10000" }));
        const bool is_told = client_read_until(fd, "event: world", 3);
        client_close(fd);
        assert_true(is_told);
    }
    program_end(&p);
}

static const struct CMUnitTest tests[] = {
    TEST(a_stream_whose_page_has_gone_frees_its_place,
         "a stream whose page has gone frees its place"),
    TEST(bad_options_are_errors, "each bad option is an error with a sentence"),
    TEST(a_world_in_shared_mode_is_refused, "a world in shared mode is refused"),
    TEST(tokens_are_random, "a token has 128 random bits"),
    TEST(taken_ports_are_errors, "a taken port is an error, and the next free one of ours is used"),
    TEST(only_this_machine_is_listened_to, "the server listens to this machine only"),
    TEST(the_end_answers_what_waits, "requests that wait at the end get an error"),
    TEST(the_end_frees_what_has_begun, "requests that have begun are freed at the end"),
    TEST(the_end_is_told_to_streams, "streams are told of the end"),
    TEST(the_end_is_quick_when_pages_have_gone, "the end is quick when pages have gone"),
    TEST(the_end_waits_for_nobody, "the end does not wait for clients that do not read"),
    TEST(clients_may_leave_while_they_wait, "clients may leave while they wait"),
    TEST(two_hundred_lives_leave_nothing, "two hundred begins and ends leave nothing open"),
    TEST(two_worlds_have_an_inspector_each, "two worlds have an inspector each"),
    TEST(a_child_process_does_nothing, "in a child process the inspector does nothing"),
    TEST(a_stream_says_that_the_program_has_stopped, "a stream says that the program stands still"),
    TEST(the_program_goes_back, "the program goes back, and what came after is forgotten"),
    TEST(frames_that_do_not_fit_are_dropped, "frames that do not fit into memory are dropped"),
};
int main(void) { return RUN(tests); }
