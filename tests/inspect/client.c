// SPDX-License-Identifier: MIT
// The client of client.h.
#include "client.h"

#include "program.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double client_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int client_connect(uint16_t port) {
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || !connect(fd, (const struct sockaddr *)&at, sizeof at)) return fd;
    (void)close(fd);
    return -1;
}

void client_close(int fd) { (void)close(fd); }

bool client_send(int fd, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        const ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool client_send_text(int fd, const char *text) { return client_send(fd, text, strlen(text)); }

// ------------------------------------------------------------------ reading
// Reads what is there within a time. 0: closed; -1: nothing came.
static ssize_t client_receive(int fd, char *to, size_t room, double until) {
    const double left = until - client_now();
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    if (left <= 0 || poll(&wait, 1, (int)(left * 1000) + 1) <= 0) return -1;
    const ssize_t count = recv(fd, to, room, 0);
    return count < 0 ? 0 : count;
}

bool client_is_closed(int fd, double seconds) {
    char bytes[4096];
    ssize_t count;
    const double until = client_now() + seconds;
    while ((count = client_receive(fd, bytes, sizeof bytes, until)) > 0) {}
    return count == 0;
}

bool client_read_until(int fd, const char *text, double seconds) {
    enum { ROOM = 1 << 20 };
    const double until = client_now() + seconds;
    char *bytes = malloc(ROOM);
    size_t length = 0;
    bool found = false;
    while (!found) {
        const ssize_t count = client_receive(fd, bytes + length, ROOM - 1 - length, until);
        if (count <= 0) break;
        length += (size_t)count;
        bytes[length] = '\0';
        found = strstr(bytes, text) != NULL;
        if (length > ROOM / 2) { // the end of it may begin what is looked for
            memmove(bytes, bytes + length - 1024, 1024);
            length = 1024;
        }
    }
    free(bytes);
    return found;
}

static const char *answer_header(const answer *a, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = strstr(a->head, "\r\n"); at; at = strstr(at + 2, "\r\n"))
        if (!strncasecmp(at + 2, name, length) && at[2 + length] == ':') return at + 4 + length;
    return NULL;
}

static const char *const needed[] = {
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
    "Referrer-Policy: no-referrer",
    "Cache-Control: no-store",
    "Cross-Origin-Resource-Policy: same-origin",
    "Content-Security-Policy: default-src 'none'; script-src 'sha256-",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
};
// No answer has a cookie, lets other origins read, or tells versions and paths.
static const char *const forbidden[] = { "set-cookie", "access-control", "server:",  "microhttpd",
                                         "jansson",    "x-powered",      "/addons/", "/usr/",
                                         "/home/",     "/root/",         "/tmp/" };

static void answer_check(const answer *a) {
    // libmicrohttpd writes some errors by itself: as HTML, which no answer of ours is but the page.
    const char *type = answer_header(a, "Content-Type");
    const bool is_own = type && (strncmp(type, "text/html", 9) != 0 || a->status == 200);
    for (size_t i = 0; is_own && i < sizeof needed / sizeof *needed; ++i)
        if (!strstr(a->head, needed[i])) fail_msg("%d has no %s", a->status, needed[i]);
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; ++i) {
        if (strcasestr(a->head, forbidden[i])) fail_msg("%d has %s", a->status, forbidden[i]);
        if (a->status >= 400 && strcasestr(a->body, forbidden[i]))
            fail_msg("%d says %s: %s", a->status, forbidden[i], a->body);
    }
}

void answer_free(answer *a) {
    free(a->head);
    *a = (answer){ 0 };
}

// Splits what has come in: true when the whole answer is there.
static bool answer_parse(answer *a, char *text, size_t length) {
    char *end = strstr(text, "\r\n\r\n");
    if (!end || strncmp(text, "HTTP/1.1 ", 9) != 0) return false;
    *end = '\0';
    a->head = text;
    const char *size = answer_header(a, "Content-Length");
    a->length = size ? strtoul(size, NULL, 10) : 0;
    if ((size_t)(text + length - end) - 4 >= a->length) {
        a->body = end + 4;
        a->status = (int)strtol(text + 9, NULL, 10);
        return true;
    }
    *end = '\r';
    return false;
}

static bool client_read_some(int fd, answer *a, double seconds, bool has_body) {
    enum { MOST = 24 << 20 };
    const double until = client_now() + seconds;
    size_t length = 0, room = 1 << 16;
    char *text = calloc(1, room);
    *a = (answer){ 0 };
    while (length < MOST) {
        if (length + 4096 > room) text = realloc(text, room *= 2);
        const ssize_t count = client_receive(fd, text + length, room - length - 1, until);
        a->is_closed = count == 0;
        if (count <= 0) break;
        text[length += (size_t)count] = '\0';
        if (!has_body && strstr(text, "\r\n\r\n")) { // of HEAD: the length is of what is not sent
            a->head = text;
            a->body = strstr(text, "\r\n\r\n") + 4;
            a->status = (int)strtol(text + 9, NULL, 10);
        } else if (!answer_parse(a, text, length)) continue;
        answer_check(a);
        return true;
    }
    free(text);
    const bool is_closed = a->is_closed;
    *a = (answer){ .is_closed = is_closed };
    return false;
}

bool client_read(int fd, answer *a, double seconds) {
    return client_read_some(fd, a, seconds, true);
}

// ------------------------------------------------------------------ asking
bool client_ask_on(int fd, uint16_t port, ask what) {
    char host[64], token[] = "X-Keel-Token: " PROGRAM_TOKEN "\r\n", length[48];
    (void)snprintf(host, sizeof host, "Host: 127.0.0.1:%u\r\n", port);
    (void)snprintf(length, sizeof length, "Content-Length: %zu\r\n",
                   what.body ? strlen(what.body) : 0);
    const bool is_whole = !what.path || what.path[0] == '/';
    const char *parts[] = {
        what.method ? what.method
        : what.body ? "POST"
                    : "GET",
        is_whole ? " " : " /api/v1/",
        what.path ? what.path : "/",
        " HTTP/1.1\r\n",
        what.host ? what.host : host,
        what.token ? what.token : token,
        what.headers ? what.headers : "",
        !what.body  ? ""
        : what.type ? what.type
                    : "Content-Type: application/json\r\n",
        !what.body    ? ""
        : what.length ? what.length
                      : length,
        "\r\n",
        what.body ? what.body : "",
    };
    size_t size = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        size += strlen(parts[i]);
    char *text = calloc(1, size + 1), *at = text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        at = stpcpy(at, parts[i]);
    const bool is_sent = client_send(fd, text, size);
    free(text);
    return is_sent;
}

void client_ask(uint16_t port, ask what, answer *a) {
    const int fd = client_connect(port);
    assert_true(fd >= 0);
    (void)client_ask_on(fd, port, what);
    (void)client_read_some(fd, a, 20, !what.method || strcmp(what.method, "HEAD") != 0);
    client_close(fd);
}

int client_status(uint16_t port, ask what) {
    answer a;
    client_ask(port, what, &a);
    const int status = a.status;
    answer_free(&a);
    return status;
}

void client_expect(uint16_t port, ask what, int status, const char *part) {
    answer a;
    client_ask(port, what, &a);
    if (a.status != status || (part && !strstr(a.body, part)))
        fail_msg("%s: %d %.300s, and not %d %s", what.path ? what.path : "/", a.status,
                 a.body ? a.body : "", status, part ? part : "");
    answer_free(&a);
}
