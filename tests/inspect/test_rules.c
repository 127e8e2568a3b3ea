// SPDX-License-Identifier: MIT
// Each rule of safety of keel::inspect, asked over a plain socket. planted.sh takes one rule after
// the other out of the server, and these tests must notice it.
#include "client.h"
#include "program.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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

static int status(ask what) { return client_status(run.port, what); }
static void expect(ask what, int wanted, const char *part) {
    client_expect(run.port, what, wanted, part);
}
static const char *line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *line(const char *format, ...) {
    static char lines[16][300];
    static unsigned at;
    char *text = lines[at++ % 16];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof lines[0], format, arguments);
    va_end(arguments);
    return text;
}
static const char world[] = "world", set[] = "set", pause[] = "pause";

// ------------------------------------------------------------------ who asks
static void answers_the_usual(void **state) {
    (void)state;
    expect((ask){ .path = world }, 200, "\"components\"");
    expect((ask){ .path = pause, .body = "{}" }, 200, "\"paused\":true");
    expect((ask){ .path = "play", .body = "{}" }, 200, "\"paused\":false");
}

static void host_must_be_ours_and_there_once(void **state) {
    (void)state;
    const char *right = line("Host: 127.0.0.1:%u\r\n", run.port);
    expect((ask){ .path = world, .host = "" }, 421, "\"host\"");
    expect((ask){ .path = world, .host = line("%s%s", right, right) }, 421, "\"host\"");
    expect((ask){ .path = world, .host = line("%sHost: evil.example\r\n", right) }, 421, NULL);
    expect((ask){ .path = world, .host = line("Host: evil.example:%u\r\n", run.port) }, 421, NULL);
    expect((ask){ .path = world, .host = "Host: 127.0.0.1\r\n" }, 421, NULL);
    expect((ask){ .path = world, .host = "Host: 127.0.0.1:1\r\n" }, 421, NULL);
    expect((ask){ .path = world, .host = line("Host: 127.0.0.2:%u\r\n", run.port) }, 421, NULL);
    expect((ask){ .path = world, .host = line("Host: 127.0.0.1:%u.\r\n", run.port) }, 421, NULL);
    expect((ask){ .path = world, .host = line("Host: x@127.0.0.1:%u\r\n", run.port) }, 421, NULL);
    expect((ask){ .path = "/", .host = line("Host: evil.example:%u\r\n", run.port) }, 421, NULL);
    expect((ask){ .path = world, .host = line("Host: localhost:%u\r\n", run.port) }, 200, NULL);
    expect((ask){ .path = world, .host = line("hOST: LocalHost:%u\r\n", run.port) }, 200, NULL);
    expect((ask){ .path = world, .host = "Host: localhost:80\r\n" }, 421, NULL);
}

static void all_interfaces_take_addresses_and_no_names(void **state) {
    (void)state;
    program other;
    program_begin(&other, &(program_desc){ .inspect.address = "0.0.0.0" });
    const uint16_t port = other.port;
    const char *const right[] = { line("Host: 127.0.0.1:%u\r\n", port),
                                  line("Host: 192.168.7.20:%u\r\n", port),
                                  line("Host: localhost:%u\r\n", port) };
    const char *const wrong[] = {
        line("Host: my-machine:%u\r\n", port),     line("Host: 1.2.3.4.example:%u\r\n", port),
        line("Host: 1.2.3:%u\r\n", port),          line("Host: 256.1.1.1:%u\r\n", port),
        line("Host: 1.2.3.4.5:%u\r\n", port),      line("Host: 01.2.3.4:%u\r\n", port),
        line("Host: 1.2.3.4\r\nX: :%u\r\n", port),
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; ++i)
        client_expect(port, (ask){ .path = world, .host = right[i] }, 200, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        client_expect(port, (ask){ .path = world, .host = wrong[i] }, 421, NULL);
    program_end(&other);
}

static void origin_must_be_ours(void **state) {
    (void)state;
    const char *ours = line("Origin: http://127.0.0.1:%u\r\n", run.port);
    static const char *const foreign[] = { "Origin: http://evil.example\r\n", "Origin: null\r\n",
                                           "Origin: \r\n", "Origin: http://127.0.0.1\r\n",
                                           "Origin: http://127.0.0.1:80\r\n" };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i) {
        expect((ask){ .path = world, .headers = foreign[i] }, 403, "\"origin\"");
        expect((ask){ .path = pause, .headers = foreign[i], .body = "{}" }, 403, "\"origin\"");
        expect((ask){ .path = "/", .headers = foreign[i] }, 403, "\"origin\"");
    }
    expect((ask){ .path = world, .headers = line("Origin: https://127.0.0.1:%u\r\n", run.port) },
           403, NULL);
    expect((ask){ .path = world, .headers = line("Origin: http://localhost:%u\r\n", run.port) },
           403, NULL); // another origin than the Host that was asked
    expect((ask){ .path = world, .headers = line("Origin: evil://127.0.0.1:%u\r\n", run.port) },
           403, NULL);
    expect((ask){ .path = world, .headers = ours }, 200, NULL);
    expect((ask){ .path = world, .headers = line("%s%s", ours, ours) }, 403, "\"origin\"");
    expect((ask){ .path = world, .headers = line("%sOrigin: http://evil.example\r\n", ours) }, 403,
           NULL);
}

static void other_sites_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header;
        int status;
    } sites[] = {
        { "Sec-Fetch-Site: cross-site\r\n", 403 },
        { "Sec-Fetch-Site: same-site\r\n", 403 },
        { "Sec-Fetch-Site: something\r\n", 403 },
        { "Sec-Fetch-Site: same-origin\r\n", 200 },
        { "Sec-Fetch-Site: none\r\n", 200 },
        { "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n", 403 },
    };
    for (size_t i = 0; i < sizeof sites / sizeof *sites; ++i) {
        const char *header = sites[i].header;
        expect((ask){ .path = world, .headers = header }, sites[i].status, NULL);
        expect((ask){ .path = "/", .headers = header }, sites[i].status, NULL);
        expect((ask){ .path = "play", .headers = header, .body = "{}" }, sites[i].status, NULL);
    }
}

static void only_get_and_post_are_answered(void **state) {
    (void)state;
    static const char *const methods[] = { "OPTIONS", "HEAD",    "PUT", "DELETE", "PATCH",
                                           "TRACE",   "CONNECT", "get", "FOO" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        answer a;
        client_ask(run.port,
                   (ask){ .method = methods[i],
                          .path = i % 2 ? world : "/",
                          .headers = "Access-Control-Request-Method: POST\r\n" },
                   &a);
        if (a.status != 405) fail_msg("%s: %d", methods[i], a.status);
        assert_non_null(strstr(a.head, "Allow: GET, POST"));
        answer_free(&a);
    }
}

// ------------------------------------------------------------------ the token
static void everything_but_the_page_needs_the_token(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "X-Keel-Token: \r\n",
        "X-Keel-Token: 0123456789abcdef0123456789abcdeF\r\n",
        "X-Keel-Token: 0123456789abcdef0123456789abcde\r\n",
        "X-Keel-Token: " PROGRAM_TOKEN "0\r\n",
        "X-Keel-Token: " PROGRAM_TOKEN PROGRAM_TOKEN "\r\n",
        "X-Keel-Token: " PROGRAM_TOKEN "\r\nX-Keel-Token: " PROGRAM_TOKEN "\r\n",
        "Authorization: " PROGRAM_TOKEN "\r\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const char *token = wrong[i];
        expect((ask){ .path = i % 2 ? world : "nothing/here", .token = token }, 401, "\"token\"");
    }
    expect((ask){ .path = pause, .token = "", .body = "{}" }, 401, "\"token\"");
    expect((ask){ .path = "stream", .token = "" }, 401, "\"token\"");
    expect((ask){ .path = "world?token=" PROGRAM_TOKEN, .token = "" }, 401, "\"token\"");
    assert_int_equal(status((ask){ .path = "/", .token = "" }), 200);
    assert_int_equal(status((ask){ .path = "/?x", .token = "" }), 200);
    assert_int_equal(status((ask){ .path = "//", .token = "" }), 401);
    assert_int_equal(status((ask){ .path = "/", .token = "", .body = "{}" }), 401);
    assert_int_equal(status((ask){ .path = "/index.html", .token = "" }), 401);
}

static void ten_wrong_tokens_are_a_pause(void **state) {
    (void)state;
    answer a;
    nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 100000000 }, NULL); // others count, too
    const char *wrong = "X-Keel-Token: 1123456789abcdef0123456789abcdef\r\n";
    const int known = client_connect(run.port);
    assert_true(client_ask_on(known, run.port, (ask){ .path = world }));
    assert_true(client_read(known, &a, 10));
    assert_int_equal(a.status, 200);
    answer_free(&a);

    const double begin = client_now();
    for (int i = 0; i < 10; ++i)
        assert_int_equal(status((ask){ .path = world, .token = wrong }), 401);
    assert_int_equal(status((ask){ .path = world, .token = wrong }), 429);
    assert_int_equal(status((ask){ .path = world }), 429); // so that guessing tells nothing
    assert_true(client_now() - begin < 1);
    assert_true(client_ask_on(known, run.port, (ask){ .path = world }));
    assert_true(client_read(known, &a, 10));
    assert_int_equal(a.status, 200);
    answer_free(&a);
    client_close(known);

    nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 200000000 }, NULL);
    assert_int_equal(status((ask){ .path = world }), 200);
}

// ------------------------------------------------------------------ what is asked
static void read_only_refuses_every_post(void **state) {
    (void)state;
    static const char *const posts[] = { "set",    "add",    "remove", "disable",  "delete",
                                         "spawn",  "relate", "track",  "pause",    "play",
                                         "step",   "back",   "watch",  "unrelate", "world",
                                         "stream", "nothing" };
    program other;
    program_begin(&other, &(program_desc){ .is_read_only = true });
    for (size_t i = 0; i < sizeof posts / sizeof *posts; ++i)
        client_expect(other.port, (ask){ .path = posts[i], .body = "{}" }, 403, "\"read_only\"");
    client_expect(other.port, (ask){ .path = world }, 200, "\"edits\":false");
    program_end(&other);
}

static void bodies_are_json_of_a_known_length(void **state) {
    (void)state;
    expect((ask){ .path = set, .body = "{}", .type = "" }, 415, "\"type\"");
    expect((ask){ .path = set, .body = "{}", .type = "Content-Type: text/plain\r\n" }, 415, NULL);
    expect((ask){ .path = set, .body = "{}", .type = "Content-Type: application/jsonx\r\n" }, 415,
           NULL);
    expect((ask){ .path = set,
                  .body = "{}",
                  .type = "Content-Type: application/x-www-form-urlencoded\r\n" },
           415, NULL);
    expect((ask){ .path = "play",
                  .body = "{}",
                  .type = "Content-Type: application/json; charset=utf-8\r\n" },
           200, NULL);
    expect((ask){ .path = set, .body = "{}", .length = "" }, 411, "\"length\"");
    expect((ask){ .path = set,
                  .body = "2\r\n{}\r\n0\r\n\r\n",
                  .length = "Transfer-Encoding: chunked\r\n" },
           411, "\"length\"");
    expect((ask){ .path = set, .body = "{}", .length = "Content-Length: 1048577\r\n" }, 413,
           "\"size\"");
    expect((ask){ .path = set, .body = "{}", .length = "Content-Length: 9999999999\r\n" }, 413,
           NULL);
    // libmicrohttpd has its own word about these, or ours: never an answer of a route
    static const char *const odd[] = { "Content-Length: -1\r\n",
                                       "Content-Length: 2x\r\n",
                                       "Content-Length: \r\n",
                                       "Content-Length: 0x2\r\n",
                                       "Content-Length: 99999999999999999999999\r\n",
                                       "Content-Length: 2\r\nContent-Length: 3\r\n" };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
        const int refused = status((ask){ .path = "play", .body = "{}", .length = odd[i] });
        if (refused != 400 && refused != 413 && refused != 0) fail_msg("%s: %d", odd[i], refused);
    }
}

static char *repeated(const char *begin, char letter, size_t count, const char *end) {
    char *text = calloc(1, strlen(begin) + count + strlen(end) + 1);
    (void)strcpy(text, begin);
    memset(text + strlen(begin), letter, count);
    (void)strcat(text, end);
    return text;
}

static void long_requests_are_refused(void **state) {
    (void)state;
    static const size_t lengths[] = { 3900, 4085, 4097, 8000, 32000 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        char *path = repeated("world?x=", 'a', lengths[i], "");
        expect((ask){ .path = path }, lengths[i] < 4000 ? 200 : 414, NULL);
        free(path);
    }
    static const size_t heads[] = { 30000, 33000, 60000 };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i) {
        char *headers = repeated("X-Long: ", 'a', heads[i], "\r\n");
        expect((ask){ .path = world, .headers = headers }, heads[i] < 32000 ? 200 : 431, NULL);
        free(headers);
    }
    char *headers = repeated("X-Long: ", 'a', 200000, "\r\n");
    const int refused = status((ask){ .path = world, .headers = headers });
    free(headers);
    assert_true(refused == 0 || refused == 413 || refused == 431); // by libmicrohttpd
}

static void zero_bytes_are_refused(void **state) {
    (void)state;
    expect((ask){ .path = "world%00" }, 400, "zero byte");
    expect((ask){ .path = "query?text=Health%00" }, 400, "zero byte");
    expect((ask){ .path = "/%00", .token = "" }, 400, "zero byte");
}

static void unknown_paths_have_one_answer(void **state) {
    (void)state;
    static const char *const paths[] = { "/favicon.ico",
                                         "/api/v2/world",
                                         "nothing",
                                         "entity/",
                                         "worlds",
                                         "/etc/passwd",
                                         "/api/v1/../v1/world",
                                         "",
                                         "/<script>alert(1)</script>",
                                         "set" };
    answer first, a;
    client_ask(run.port, (ask){ .path = "/nothing" }, &first);
    assert_int_equal(first.status, 404);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        client_ask(run.port, (ask){ .path = paths[i] }, &a);
        if (a.status != 404) fail_msg("%s: %d", paths[i], a.status);
        assert_string_equal(a.body, first.body);
        answer_free(&a);
    }
    answer_free(&first);
}

// ------------------------------------------------------------------ the page, and texts
static void the_page_runs_only_its_own_script(void **state) {
    (void)state;
    static const char *const parts[] = { "default-src 'none'; ", "script-src 'sha256-",
                                         "style-src 'sha256-",   "connect-src 'self'; ",
                                         "img-src data:; ",      "base-uri 'none'; ",
                                         "form-action 'none'; ", "frame-ancestors 'none'" };
    answer a;
    client_ask(run.port, (ask){ .path = "/", .token = "" }, &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.head, "Content-Type: text/html; charset=utf-8"));
    assert_non_null(strstr(a.head, "Content-Encoding: gzip"));
    assert_memory_equal(a.body, "\x1f\x8b", 2);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!strstr(a.head, parts[i])) fail_msg("the policy has no %s", parts[i]);
    assert_null(strstr(a.head, "unsafe-inline"));
    assert_null(strstr(a.head, "unsafe-eval"));
    answer_free(&a);
}

static void names_as_markup_are_text(void **state) {
    (void)state;
    static const char *const paths[] = { "entities", "query?text=Health", "entity/%s",
                                         "query?text="
                                         "%%3Cscript%%3E" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        char path[100];
        answer a;
        (void)snprintf(path, sizeof path, "%s", paths[i]);
        if (i == 2) (void)snprintf(path, sizeof path, "entity/%s", program_handle(run.markup));
        client_ask(run.port, (ask){ .path = path }, &a);
        assert_non_null(strstr(a.head, "Content-Type: application/json"));
        assert_non_null(strstr(a.head, "X-Content-Type-Options: nosniff"));
        if (i < 3) assert_non_null(strstr(a.body, "\"" PROGRAM_MARKUP "\""));
        answer_free(&a);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(answers_the_usual, "a request with all that is needed is answered"),
    TEST(host_must_be_ours_and_there_once, "the Host must be ours, and be there once"),
    TEST(all_interfaces_take_addresses_and_no_names,
         "bound to all interfaces, the Host is an address and no name"),
    TEST(origin_must_be_ours, "the Origin must be ours, also for GET"),
    TEST(other_sites_are_refused, "requests of other sites are refused, also GET"),
    TEST(only_get_and_post_are_answered, "only GET and POST are answered, to no other origin"),
    TEST(everything_but_the_page_needs_the_token, "everything but the page needs the token"),
    TEST(read_only_refuses_every_post, "without .allow_edits each POST is refused"),
    TEST(bodies_are_json_of_a_known_length, "bodies are JSON, of a length that is known before"),
    TEST(long_requests_are_refused, "long heads and URLs are refused"),
    TEST(zero_bytes_are_refused, "a zero byte in a URL is refused"),
    TEST(unknown_paths_have_one_answer, "all unknown paths have the same answer"),
    TEST(the_page_runs_only_its_own_script, "the page runs only its own script"),
    TEST(names_as_markup_are_text, "names that look like markup are sent as text"),
    TEST(ten_wrong_tokens_are_a_pause, "ten wrong tokens in a second are a pause of a second"),
};
int main(void) { return cmocka_run_group_tests(tests, begin, end); }
