// SPDX-License-Identifier: MIT
// What edits do with bodies that are wrong, hostile or large, and when the world cannot be edited:
// the answer is an error, and the world is as before.
#include "client.h"
#include "program.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

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

static void post(const char *path, int status, const char *part, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void post(const char *path, int status, const char *part, const char *format, ...) {
    char body[2000];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(body, sizeof body, format, arguments);
    va_end(arguments);
    client_expect(run.port, (ask){ .path = path, .body = body }, status, part);
}
static void get(const char *path, int status, const char *part) {
    client_expect(run.port, (ask){ .path = path }, status, part);
}

static uint64_t hash_now(void) {
    program_call(&run, program_hash);
    return run.hash;
}

static char *repeated(const char *begin, const char *part, size_t count, const char *end) {
    const size_t length = strlen(part);
    char *text = calloc(1, strlen(begin) + count * length + strlen(end) + 1);
    char *at = stpcpy(text, begin);
    for (size_t i = 0; i < count; ++i)
        at = stpcpy(at, part);
    (void)strcpy(at, end);
    return text;
}

// ------------------------------------------------------------------ bodies
static void bodies_must_be_objects(void **state) {
    (void)state;
    static const char *const bodies[] = {
        " ",
        "[]",
        "1",
        "null",
        "\"x\"",
        "{",
        "{}}",
        "{\"entity\":}",
        "{'entity':1}",
        "{} {}",
        "{\"entity\":\"1v0\",\"entity\":\"2v0\"}", // duplicate keys
        "{\"entity\":\"\\u0000\"}",
        "{\"entity\":\"\\ud800\"}",
        "{\"entity\":\"\xff\"}",
        "{\"entity\":\"\xc0\x80\"}",
        "{\"a\":1e999}",
        "{\"a\":99999999999999999999999}",
        "\xef\xbb\xbf{}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i)
        client_expect(run.port, (ask){ .path = "delete", .body = bodies[i] }, 400, "\"body\"");
    client_expect(run.port, (ask){ .path = "delete", .body = "" }, 400, "\"body\"");
}

static void deep_bodies_are_refused(void **state) {
    (void)state;
    static const size_t depths[] = { 3000, 100000 };
    for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i) {
        char *arrays = repeated("{\"a\":", "[", depths[i], ""),
             *objects = repeated("", "{\"a\":", depths[i], "");
        client_expect(run.port, (ask){ .path = "set", .body = arrays }, 400, "\"body\"");
        client_expect(run.port, (ask){ .path = "set", .body = objects }, 400, "\"body\"");
        free(arrays);
        free(objects);
    }
}

static void a_body_is_a_mebibyte_at_most(void **state) {
    (void)state;
    char *fits = repeated("{\"x\":\"", "a", (1 << 20) - 8, "\"}"),
         *long_one = repeated("{\"x\":\"", "a", (1 << 20) - 7, "\"}");
    client_expect(run.port, (ask){ .path = "play", .body = fits }, 200, NULL);
    client_expect(run.port, (ask){ .path = "play", .body = long_one }, 413, "\"size\"");
    // More than was announced is another request, and a wrong one.
    const int fd = client_connect(run.port);
    answer a;
    (void)client_ask_on(
        fd, run.port, (ask){ .path = "play", .body = long_one, .length = "Content-Length: 2\r\n" });
    if (client_read(fd, &a, 5)) assert_int_equal(a.status, 400); // {"
    answer_free(&a);
    assert_true(client_is_closed(fd, 5));
    client_close(fd);
    // A GET may have a body, too, which is not kept without an end.
    const int chunked = client_connect(run.port);
    (void)client_ask_on(chunked, run.port,
                        (ask){ .path = "world", .headers = "Transfer-Encoding: chunked\r\n" });
    char *chunk = repeated("10000\r\n", "a", 1 << 16, "\r\n");
    bool is_open = true;
    for (int i = 0; is_open && i < 400; ++i)
        is_open = client_send_text(chunked, chunk);
    assert_false(is_open);
    client_close(chunked);
    free(chunk);
    free(fits);
    free(long_one);
}

// ------------------------------------------------------------------ values
static void edits_work(void **state) {
    (void)state;
    const char *ship = program_handle(run.ship), *fleet = program_handle(run.fleet);
    post("pause", 200, NULL, "{}");
    post("set", 200, "\"value\":77", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":77}",
         ship);
    post("set", 200, "55", "{\"entity\":null,\"path\":\"Clock.frame\",\"value\":\"55\"}");
    post("add", 200, "\"ok\":true", "{\"entity\":\"%s\",\"component\":\"Frozen\"}", ship);
    post("disable", 200, "\"ok\":true",
         "{\"entity\":\"%s\",\"component\":\"Frozen\",\"disabled\":true}", ship);
    post("remove", 200, "\"ok\":true", "{\"entity\":\"%s\",\"component\":\"Frozen\"}", ship);
    post("remove", 404, "\"gone\"", "{\"entity\":\"%s\",\"component\":\"Frozen\"}", ship);
    post("relate", 200, "\"ok\":true",
         "{\"entity\":\"%s\",\"relation\":\"Likes\",\"target\":\"%s\"}", fleet, ship);
    post("unrelate", 200, "\"ok\":true",
         "{\"entity\":\"%s\",\"relation\":\"Likes\",\"target\":\"%s\"}", fleet, ship);
    post("spawn", 200, "\"entity\"", "{\"name\":\"new\",\"parent\":\"%s\"}", fleet);
    post("track", 200, "\"ok\":true", "{\"component\":\"Position\"}");
    post("step", 200, "\"paused\":true", "{\"frames\":2}");
    post("play", 200, "\"paused\":false", "{}");
}

static void mistakes_change_nothing(void **state) {
    (void)state;
    static const struct {
        const char *path, *body; // %s: the ship
        int status;
    } mistakes[] = {
        { "set", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":5000}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":1.5}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":[1]}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":null}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Health.points\",\"value\":\"x\"}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Health.pints\",\"value\":1}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Health\",\"value\":1}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"\",\"value\":1}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\".\",\"value\":1}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":5,\"value\":1}", 400 },
        { "set", "{\"entity\":\"%s\",\"path\":\"Velocity.x\",\"value\":1}", 404 },
        { "set", "{\"entity\":\"999999v0\",\"path\":\"Health.points\",\"value\":1}", 404 },
        { "set", "{\"entity\":\"4294967295v4294967295\",\"path\":\"Health.points\",\"value\":1}",
          404 },
        { "set", "{\"entity\":\"-1v0\",\"path\":\"Health.points\",\"value\":1}", 400 },
        { "set", "{\"entity\":7,\"path\":\"Health.points\",\"value\":1}", 400 },
        { "set", "{}", 400 },
        { "add", "{\"entity\":\"%s\",\"component\":\"Health\"}", 400 },
        { "add", "{\"entity\":\"%s\",\"component\":\"Nothing\"}", 400 },
        { "add", "{\"entity\":\"%s\",\"component\":\"Likes\"}", 400 },
        { "add", "{\"entity\":\"%s\",\"component\":\"Clock\"}", 400 },
        { "add", "{\"entity\":\"%s\"}", 400 },
        { "remove", "{\"entity\":\"%s\",\"component\":\"Clock\"}", 400 },
        { "disable", "{\"entity\":\"%s\",\"component\":\"Clock\",\"disabled\":true}", 400 },
        { "disable", "{\"entity\":\"%s\",\"component\":\"Velocity\",\"disabled\":true}", 404 },
        { "disable", "{\"entity\":\"%s\",\"component\":\"Health\"}", 400 },
        { "delete", "{\"entity\":\"0v99\"}", 404 },
        { "delete", "{\"entity\":\"17\"}", 400 },
        { "spawn", "{\"parent\":\"0v99\"}", 404 },
        { "spawn", "{\"parent\":\"x\"}", 400 },
        { "spawn", "{\"name\":\"\xff\"}", 400 },
        { "relate", "{\"entity\":\"%s\",\"relation\":\"Health\",\"target\":\"%s\"}", 400 },
        { "relate", "{\"entity\":\"%s\",\"relation\":\"PartOf\",\"target\":\"%s\"}", 400 },
        { "unrelate", "{\"entity\":\"%s\",\"relation\":\"PartOf\",\"target\":\"%s\"}", 404 },
        { "track", "{\"component\":\"Nothing\"}", 400 },
        { "track", "{\"component\":\"Clock\"}", 400 },
        { "step", "{\"frames\":0}", 400 },
        { "step", "{\"frames\":-1}", 400 },
        { "step", "{\"frames\":9223372036854775807}", 400 },
        { "step", "{\"frames\":\"2\"}", 400 },
        { "back", "{\"frame\":1}", 404 },
        { "back", "{\"frame\":-1}", 400 },
        { "back", "{}", 400 },
        { "watch", "{}", 400 },
        { "watch", "{\"entity\":\"%s\",\"path\":\"Health\"}", 400 },
    };
    post("pause", 200, NULL, "{}");
    const uint64_t before = hash_now();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        const char *ship = program_handle(run.ship);
        char body[300];
        answer a;
        // The formats are the table's own.
        const char *at = mistakes[i].body;
        size_t length = 0;
        for (; *at && length < sizeof body - 40; ++at) {
            if (at[0] != '%') {
                body[length++] = *at;
                continue;
            }
            length += strlen(strcpy(body + length, ship));
            ++at;
        }
        body[length] = '\0';
        client_ask(run.port, (ask){ .path = mistakes[i].path, .body = body }, &a);
        if (a.status != mistakes[i].status)
            fail_msg("%s %s: %d %s", mistakes[i].path, body, a.status, a.body ? a.body : "");
        assert_non_null(strstr(a.body, "{\"error\":{\"code\":\""));
        answer_free(&a);
    }
    assert_true(hash_now() == before);
    post("play", 200, NULL, "{}");
}

static void arguments_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int status;
    } asked[] = {
        { "entity/x", 400 },
        { "entity/999999v0", 404 },
        { "entity/0v0?frame=1", 404 },
        { "entity/0v0?frame=x", 400 },
        { "entity/0v0x", 400 },
        { "entity/18446744073709551616v0", 400 },
        { "entity/%ff", 400 },
        { "entities?parent=x", 400 },
        { "entities?after=x", 400 },
        { "entities?parent=9999v0", 404 },
        { "entities?limit=0", 200 },
        { "entities?limit=99999999999999999999", 200 },
        { "query?text=%22", 400 },
        { "query?text=Nothing", 400 },
        { "query?text=Health&limit=0", 400 },
        { "query?text=Health&limit=1001", 400 },
        { "query?text=Health&after=x", 400 },
        { "query?text=Health&columns=Health.x", 400 },
        { "query?text=Health&columns=,", 400 },
        { "query?text=%ff%fe", 400 },
        { "query", 400 },
        { "query?", 400 },
        { "system/99", 404 },
        { "system/x", 404 },
        { "system/-1", 404 },
        { "workload/nothing", 404 },
        { "changes", 400 },
        { "changes?entity=0v0", 400 },
        { "changes?entity=0v0&path=x", 400 },
        { "diff?from=1&to=2", 404 },
        { "stream?entity=x", 400 },
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        answer a;
        client_ask(run.port, (ask){ .path = asked[i].path }, &a);
        if (a.status != asked[i].status)
            fail_msg("%s: %d %.200s", asked[i].path, a.status, a.body ? a.body : "");
        answer_free(&a);
    }
}

// ------------------------------------------------------------------ names
static void names_are_utf8(void **state) {
    (void)state;
    answer a;
    post("spawn", 200, NULL, "{\"name\":\"\xc3\xa4 \xf0\x9f\x9a\x80 \\\" \\\\ \\n \\u0001\"}");
    client_ask(run.port, (ask){ .path = "query?text=name%20~%20%22%C3%A4*%22" }, &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.body, "\xc3\xa4 \xf0\x9f\x9a\x80 \\\" \\\\ \\n \\u0001"));
    answer_free(&a);
}

static void set_bad_name(program *p) { keel_set_name(p->world, p->ship, "a\xff\xc3(\x80z"); }
static void set_good_name(program *p) { keel_set_name(p->world, p->ship, "ship"); }
static void bytes_that_are_not_utf8_are_replaced(void **state) {
    (void)state;
    char path[64];
    program_call(&run, set_bad_name);
    (void)snprintf(path, sizeof path, "entity/%s", program_handle(run.ship));
    get(path, 200, "\"name\":\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbdz\"");
    program_call(&run, set_good_name);
}

static void long_names_stay_below_the_limit(void **state) {
    (void)state;
    char end[64], path[64];
    (void)snprintf(end, sizeof end, "\",\"parent\":\"%s\"}", program_handle(run.fleet));
    char *body = repeated("{\"name\":\"", "more", (1 << 18) - 16, end);
    for (char c = '0'; c < '6'; ++c) {
        body[9] = c; // names differ
        client_expect(run.port, (ask){ .path = "spawn", .body = body }, 200, "\"entity\"");
    }
    client_expect(run.port, (ask){ .path = "spawn", .body = body }, 400, "\"argument\"");
    (void)snprintf(path, sizeof path, "entity/%s", program_handle(run.fleet));
    get(path, 500, "longer than 4 MiB");
    get("query?text=name%20~%20%22*ore*%22&limit=1", 200, "orem");
    get("world", 200, NULL);
    free(body);
}

// ------------------------------------------------------------------ busy
static void edits_wait_for_no_view(void **state) {
    (void)state;
    const char *ship = program_handle(run.ship);
    post("pause", 200, NULL, "{}");
    program_call(&run, program_open_view);
    post("set", 503, "busy: ", "{\"entity\":\"%s\",\"path\":\"Position.x\",\"value\":1}", ship);
    post("add", 503, "busy: ", "{\"entity\":\"%s\",\"component\":\"Position\"}",
         program_handle(run.fleet));
    post("remove", 503, "the test's view", "{\"entity\":\"%s\",\"component\":\"Position\"}", ship);
    post("delete", 503, "busy: ", "{\"entity\":\"%s\"}", ship);
    static const char *const paths[] = {
        "world", "entities", "systems", "workload", "frames", "system/0", "query?text=Position",
        "save"
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        answer a;
        client_ask(run.port, (ask){ .path = paths[i] }, &a);
        if (a.status != 200 && (a.status != 503 || !strstr(a.body, "busy: ")))
            fail_msg("%s: %d %s", paths[i], a.status, a.body ? a.body : "");
        answer_free(&a);
    }
    program_call(&run, program_end_view);
    post("set", 200, NULL, "{\"entity\":\"%s\",\"path\":\"Position.x\",\"value\":1}", ship);
    post("play", 200, NULL, "{}");
}

static void share_begin(program *p) { keel_share_begin(p->world); }
static void share_end(program *p) { keel_share_end(p->world); }
static void edits_wait_for_shared_mode(void **state) {
    (void)state;
    post("pause", 200, NULL, "{}");
    program_call(&run, share_begin);
    post("delete", 503, "busy: ", "{\"entity\":\"%s\"}", program_handle(run.ship));
    post("spawn", 503, "busy: ", "{}");
    get("world", 200, NULL);
    program_call(&run, share_end);
    post("play", 200, NULL, "{}");
}

static const struct CMUnitTest tests[] = {
    TEST(edits_work, "edits are made, and answered with the values as they are"),
    TEST(bodies_must_be_objects, "a body that is no object, or has a key twice, is refused"),
    TEST(deep_bodies_are_refused, "a body that is nested deeply is refused"),
    TEST(a_body_is_a_mebibyte_at_most, "a body has a mebibyte at most"),
    TEST(mistakes_change_nothing, "a wrong edit is an error, and changes nothing"),
    TEST(arguments_are_checked, "arguments that are wrong are errors"),
    TEST(names_are_utf8, "names are sent as UTF-8, with escapes"),
    TEST(bytes_that_are_not_utf8_are_replaced, "bytes that are not UTF-8 are replaced"),
    TEST(edits_wait_for_no_view, "while a view is open, edits are refused as busy"),
    TEST(edits_wait_for_shared_mode, "while the world is shared, edits are refused as busy"),
    TEST(long_names_stay_below_the_limit,
         "names of a megabyte are kept, and answers stay below 4 MiB"),
};
int main(void) { return cmocka_run_group_tests(tests, begin, end); }
