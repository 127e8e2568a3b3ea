// SPDX-License-Identifier: MIT
// Many clients at once: streams, silent clients, slow clients. A page is still answered, and who
// has shown the token stays.
#include "client.h"
#include "program.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STREAMS = 8, SILENT = 200, SLOW = 40 };

static program run;
static int begin(void **state) {
    (void)state;
    program_begin(&run, &(program_desc){ 0 });
    return 0;
}
static int end(void **state) {
    (void)state;
    program_end(&run);
    return 0;
}

static void wait_for(double seconds) {
    const double until = client_now() + seconds;
    while (client_now() < until)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

static int open_stream(const char *path) {
    const int fd = client_connect(run.port);
    assert_true(fd >= 0);
    assert_true(client_ask_on(fd, run.port, (ask){ .path = path }));
    return fd;
}

// Asks until the answer has this status: the server notices later that a client has gone.
static void await_status(const char *path, int status) {
    answer a;
    const double until = client_now() + 5;
    int last = 0;
    while (client_now() < until && last != status) {
        const int fd = open_stream(path);
        // A stream has no length: its head is enough.
        if (client_read_until(fd, " 200 OK", 0.2)) last = 200;
        else if (client_read(fd, &a, 0.2)) answer_free(&a);
        client_close(fd);
    }
    assert_int_equal(last, status);
}

// ------------------------------------------------------------------ streams
static void a_stream_tells_the_world_and_an_entity(void **state) {
    (void)state;
    char path[64];
    (void)snprintf(path, sizeof path, "stream?every=33&entity=%s", program_handle(run.ship));
    const int fd = open_stream(path);
    assert_true(client_read_until(fd, "Content-Type: text/event-stream", 5));
    client_close(fd);
    static const char *const events[] = { "event: world\ndata: {\"frame\":",
                                          "event: frames\ndata: {", "event: counts\ndata: {",
                                          "event: entity\ndata: {" };
    for (size_t i = 0; i < sizeof events / sizeof *events; ++i) {
        const int stream = open_stream(path);
        if (!client_read_until(stream, events[i], 5)) fail_msg("no %s", events[i]);
        client_close(stream);
    }
    const int gone = open_stream("stream?entity=0v77");
    assert_true(client_read_until(gone, "event: entity\ndata: {\"gone\":true}", 5));
    client_close(gone);
}

static void the_ninth_stream_is_refused(void **state) {
    (void)state;
    int streams[STREAMS];
    wait_for(0.5); // those of the other test are gone
    for (int i = 0; i < STREAMS; ++i) {
        streams[i] = open_stream("stream");
        assert_true(client_read_until(streams[i], "event: world", 5));
    }
    client_expect(run.port, (ask){ .path = "stream" }, 503, "busy: 8 streams");
    client_expect(run.port, (ask){ .path = "world" }, 200, NULL);
    client_close(streams[3]);
    await_status("stream", 200);
    for (int i = 0; i < STREAMS; ++i)
        if (i != 3) client_close(streams[i]);
}

static void a_client_that_does_not_read_misses_events(void **state) {
    (void)state;
    char path[64];
    (void)snprintf(path, sizeof path, "stream?every=33&entity=%s", program_handle(run.ship));
    const int fd = open_stream(path);
    wait_for(1);
    for (int i = 0; i < 20; ++i)
        client_expect(run.port, (ask){ .path = "world" }, 200, NULL);
    client_close(fd);
}

// ------------------------------------------------------------------ silent and slow clients
static void silence_is_closed_after_two_seconds(void **state) {
    (void)state;
    int fds[3];
    static const char *const begins[] = { "", "GET / HTTP/1.1\r\n", "GET /" };
    const double begun = client_now();
    for (int i = 0; i < 3; ++i) {
        fds[i] = client_connect(run.port);
        assert_true(client_send_text(fds[i], begins[i]));
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(client_is_closed(fds[i], 6));
        assert_in_range((int)((client_now() - begun) * 10), 14, 50);
        client_close(fds[i]);
    }
}

static int trusted_client(void) {
    answer a;
    const int fd = client_connect(run.port);
    assert_true(client_ask_on(fd, run.port, (ask){ .path = "world" }));
    assert_true(client_read(fd, &a, 10));
    assert_int_equal(a.status, 200);
    answer_free(&a);
    return fd;
}

static void expect_within(ask what, double seconds) {
    const double begun = client_now();
    client_expect(run.port, what, 200, NULL);
    if (client_now() - begun > seconds)
        fail_msg("%s was answered after %.1f s", what.path, client_now() - begun);
}

static void a_crowd_shuts_nobody_out(void **state) {
    (void)state;
    static int silent[SILENT], slow[SLOW];
    static const char head[] = "GET / HTTP/1.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    answer a;
    const int known = trusted_client();
    for (int i = 0; i < SLOW; ++i)
        slow[i] = client_connect(run.port);
    for (int i = 0; i < SILENT; ++i)
        silent[i] = client_connect(run.port);
    for (size_t second = 0; second < 5; ++second) {
        for (int i = 0; i < SLOW; ++i)
            (void)client_send(slow[i], head + second, 1);
        expect_within((ask){ .path = "/", .token = "" }, 3);
        expect_within((ask){ .path = "world" }, 3);
        for (int i = 0; i < SILENT / 2; ++i) { // they come again
            const size_t at = (second * SILENT / 2 + (size_t)i) % SILENT;
            client_close(silent[at]);
            silent[at] = client_connect(run.port);
        }
        wait_for(0.9);
    }
    // Longer than the two seconds of a stranger.
    assert_true(client_ask_on(known, run.port, (ask){ .path = "world" }));
    assert_true(client_read(known, &a, 3));
    assert_int_equal(a.status, 200);
    answer_free(&a);
    client_close(known);
    for (int i = 0; i < SLOW; ++i)
        client_close(slow[i]);
    for (int i = 0; i < SILENT; ++i)
        client_close(silent[i]);
}

static void slow_clients_alone_shut_nobody_out(void **state) {
    (void)state;
    static int slow[100];
    for (int i = 0; i < 100; ++i)
        slow[i] = client_connect(run.port);
    for (int i = 0; i < 100; ++i)
        (void)client_send(slow[i], "G", 1);
    expect_within((ask){ .path = "/", .token = "" }, 1);
    for (int i = 0; i < 100; ++i)
        client_close(slow[i]);
}

static void pages_may_fill_the_connections(void **state) {
    (void)state;
    int known[64];
    answer a;
    wait_for(0.5);
    for (int i = 0; i < 60; ++i)
        known[i] = trusted_client();
    for (int i = 0; i < 60; ++i) {
        assert_true(client_ask_on(known[i], run.port, (ask){ .path = "world" }));
        assert_true(client_read(known[i], &a, 3));
        answer_free(&a);
    }
    expect_within((ask){ .path = "world" }, 3);
    for (int i = 0; i < 60; ++i)
        client_close(known[i]);
}

static const struct CMUnitTest tests[] = {
    TEST(a_stream_tells_the_world_and_an_entity, "a stream tells the world and an entity"),
    TEST(the_ninth_stream_is_refused, "the ninth stream is refused, until another one ends"),
    TEST(a_client_that_does_not_read_misses_events, "a client that does not read misses events"),
    TEST(silence_is_closed_after_two_seconds, "a silent client is closed after two seconds"),
    TEST(slow_clients_alone_shut_nobody_out, "a hundred clients that send a byte shut nobody out"),
    TEST(a_crowd_shuts_nobody_out,
         "two hundred silent and forty slow clients shut no page out, and who is known stays"),
    TEST(pages_may_fill_the_connections, "sixty pages are answered at once"),
};
int main(void) { return cmocka_run_group_tests(tests, begin, end); }
