// SPDX-License-Identifier: MIT
// The program of look.h.
#include "look.h"

#include "inspect.h"
#include "support/test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { SECONDS = 30 };

bool look_update(look *l) {
    if (!keel_inspect_update(l->inspect)) return false;
    ++l->frame;
    if (l->run) l->run(l);
    else if (l->workload) (void)keel_run_workload_of(l->world, l->workload, NULL);
    return true;
}

// Counts the requests that have come in since the last update.
static size_t look_count_incoming(const look *l) {
    size_t count = 0;
    for (const keeli_request *r = atomic_load(&l->inspect->incoming); r; r = r->next)
        ++count;
    return count;
}

int look_send(look *l, ask what) {
    const size_t before = look_count_incoming(l);
    const int fd = client_connect(l->port);
    const double until = client_now() + SECONDS;
    assert_true(fd >= 0);
    assert_true(client_ask_on(fd, l->port, what));
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    while (look_count_incoming(l) == before && !poll(&wait, 1, 0)) // or it is answered at once
        if (client_now() > until) fail_msg("%s did not come in", what.path);
    return fd;
}

void look_wait(look *l, int fd, answer *a) {
    const double until = client_now() + SECONDS;
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    (void)look_update(l);
    while (!poll(&wait, 1, 1)) {
        if (l->inspect->first_waiting) (void)look_update(l);
        if (client_now() > until) fail_msg("no answer came in %d seconds", SECONDS);
    }
    if (!client_read(fd, a, SECONDS)) fail_msg("the answer is no HTTP");
    client_close(fd);
    l->status = a->status;
}

void look_ask(look *l, ask what, answer *a) { look_wait(l, look_send(l, what), a); }

void look_begin(look *l, const keel_inspect_desc *desc) {
    keel_error error;
    keel_inspect_desc how = *desc;
    how.quiet = true;
    how.allow_edits = true;
    how.port = program_free_port();
    how.token = PROGRAM_TOKEN;
    l->port = how.port;
    l->workload = how.workload;
    l->inspect = keel_inspect_begin(l->world, &how, &error);
    if (!l->inspect) fail_msg("%s", error.message);
    look_does(l, "pause", "{}");
    assert_int_equal(l->frame, 0);
}

void look_end(look *l) {
    keel_error error;
    keel_inspect_end(l->inspect);
    if (!keel_world_check(l->world, &error)) fail_msg("%s", error.message);
    keel_world_destroy(l->world);
}

void look_run(look *l, uint32_t frames) {
    const uint64_t until = l->frame + frames;
    look_does(l, "step", "{\"frames\":%u}", (unsigned)frames);
    while (l->frame < until)
        assert_true(look_update(l));
    assert_false(look_update(l));
}

// ------------------------------------------------------------------ asking
static json_t *look_parse(const answer *a, const char *path) {
    json_error_t error;
    json_t *json = json_loadb(a->body, a->length, JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("%s: %s in %.2000s", path, error.text, a->body);
    return json;
}

static json_t *look_ask_json(look *l, ask what) {
    answer a;
    look_ask(l, what, &a);
    if (a.status != 200) fail_msg("%s: %d %.300s", what.path, a.status, a.body);
    json_t *json = look_parse(&a, what.path);
    answer_free(&a);
    return json;
}

json_t *look_get(look *l, const char *path, ...) {
    char text[6000];
    va_list arguments;
    va_start(arguments, path);
    (void)vsnprintf(text, sizeof text, path, arguments);
    va_end(arguments);
    return look_ask_json(l, (ask){ .path = text });
}

json_t *look_post(look *l, const char *path, const char *body, ...) {
    char text[6000];
    va_list arguments;
    va_start(arguments, body);
    (void)vsnprintf(text, sizeof text, body, arguments);
    va_end(arguments);
    return look_ask_json(l, (ask){ .path = path, .body = text });
}

void look_does(look *l, const char *path, const char *body, ...) {
    char text[6000];
    va_list arguments;
    va_start(arguments, body);
    (void)vsnprintf(text, sizeof text, body, arguments);
    va_end(arguments);
    json_decref(look_ask_json(l, (ask){ .path = path, .body = text }));
}

void look_fails(look *l, int status, const char *part, const char *path, const char *body, ...) {
    char text[6000];
    answer a;
    va_list arguments;
    va_start(arguments, body);
    if (body) (void)vsnprintf(text, sizeof text, body, arguments);
    va_end(arguments);
    look_ask(l, (ask){ .path = path, .body = body ? text : NULL }, &a);
    json_t *json = look_parse(&a, path);
    if (a.status != status || !strstr(a.body, part) || !json_object_get(json, "error"))
        fail_msg("%s %s: %d %.300s, and not %d %s", path, body ? text : "", a.status, a.body,
                 status, part);
    json_decref(json);
    answer_free(&a);
}

// ------------------------------------------------------------------ reading answers
static json_t *look_find(json_t *json, const char *path) {
    char key[128];
    while (json && *path) {
        const size_t length = strcspn(path, ".");
        assert_true(length < sizeof key);
        memcpy(key, path, length);
        key[length] = '\0';
        json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
                                   : json_object_get(json, key);
        path += length + (path[length] == '.');
    }
    return json;
}

json_t *at(const json_t *json, const char *path, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, path);
    (void)vsnprintf(text, sizeof text, path, arguments);
    va_end(arguments);
    json_t *found = look_find((json_t *)(uintptr_t)json, text);
    if (!found) {
        char *all = json_dumps(json, JSON_ENCODE_ANY);
        fail_msg("no '%s' in %.2000s", text, all ? all : "nothing");
    }
    return found;
}

bool has(const json_t *json, const char *path) {
    return look_find((json_t *)(uintptr_t)json, path) != NULL;
}

const char *text_at(const json_t *json, const char *path) {
    const json_t *value = at(json, "%s", path);
    if (!json_is_null(value) && !json_is_string(value)) fail_msg("'%s' is no text", path);
    return json_string_value(value);
}

int64_t number_at(const json_t *json, const char *path) {
    const json_t *value = at(json, "%s", path);
    if (!json_is_integer(value)) fail_msg("'%s' is no whole number", path);
    return json_integer_value(value);
}

bool bool_at(const json_t *json, const char *path) {
    const json_t *value = at(json, "%s", path);
    if (!json_is_boolean(value)) fail_msg("'%s' is no boolean", path);
    return json_is_true(value);
}

size_t count_at(const json_t *json, const char *path) {
    const json_t *value = at(json, "%s", path);
    if (!json_is_array(value)) fail_msg("'%s' is no array", path);
    return json_array_size(value);
}

json_t *find(const json_t *array, const char *key, const char *value) {
    size_t i;
    json_t *one;
    json_array_foreach(array, i, one) {
        const char *text = json_string_value(json_object_get(one, key));
        if (text && !strcmp(text, value)) return one;
    }
    return NULL;
}

const char *escaped(const char *text) {
    static char texts[4][6000];
    static unsigned turn;
    char *out = texts[turn++ % 4], *to = out;
    for (; *text && to < out + sizeof texts[0] - 4; ++text)
        to += snprintf(to, 4, "%%%02X", (unsigned char)*text);
    *to = '\0';
    return out;
}

keel_entity handle_of(const json_t *value) {
    keel_entity entity = keel_null();
    if (json_is_null(value)) return entity;
    if (!keeli_parse_handle(json_string_value(value), &entity))
        fail_msg("'%s' is no handle", json_string_value(value) ? json_string_value(value) : "");
    return entity;
}

void assert_same_text(const char *a, const char *b) {
    assert_string_equal(a ? a : "(null)", b ? b : "(null)");
}
