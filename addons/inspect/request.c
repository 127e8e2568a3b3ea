// SPDX-License-Identifier: MIT
// Requests as answers see them: arguments, bodies and errors. The server makes and frees them.
#include "inspect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void keeli_request_free(keeli_request *request) {
    if (!request) return;
    if (request->job && request->free_job) request->free_job(request->job);
    json_decref(request->fields);
    free(request->body);
    keeli_out_free(&request->out);
    free(request);
}

const char *keeli_argument(const keeli_request *request, const char *name) {
    for (const char *at = request->arguments; *at;) {
        const char *value = at + strlen(at) + 1;
        if (!strcmp(at, name)) return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

bool keeli_argument_number(const keeli_request *request, const char *name, uint64_t *number) {
    const char *text = keeli_argument(request, name);
    const size_t length = text ? strlen(text) : 0;
    if (!length || length > 18 || strspn(text, "0123456789") != length) return false;
    *number = strtoull(text, NULL, 10);
    return true;
}

bool keeli_argument_page(keeli_request *request, uint64_t *limit, keel_entity *after) {
    enum { ROWS = 100, MAX_ROWS = 1000 };
    const char *text = keeli_argument(request, "after");
    *limit = ROWS;
    *after = keel_null();
    keeli_argument_number(request, "limit", limit);
    if (*limit < 1 || *limit > MAX_ROWS)
        return !keeli_request_fail(request, 400, "argument", "limit must be from 1 to %d",
                                   (int)MAX_ROWS);
    if (text && !keeli_parse_handle(text, after))
        return !keeli_request_fail(request, 400, "argument", "after: '%.40s' is no handle", text);
    return true;
}

const char *keeli_field_text(const keeli_request *request, const char *name) {
    return json_string_value(json_object_get(request->fields, name));
}

static void request_put_error(keeli_request *request, const char *code, const char *message,
                              unsigned column) {
    keeli_out *out = &request->out;
    keeli_out_clear(out);
    keeli_out_open(out, '{');
    keeli_out_key_open(out, "error", '{');
    keeli_out_key_text(out, "code", code);
    keeli_out_key_text(out, "message", message);
    if (column) keeli_out_key_number(out, "column", column);
    keeli_out_close(out, '}');
    keeli_out_close(out, '}');
}

bool keeli_request_fail(keeli_request *request, unsigned status, const char *code,
                        const char *format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    request->status = status;
    request_put_error(request, code, message, 0);
    return true;
}

bool keeli_request_fail_at(keeli_request *request, unsigned column, const char *code,
                           const char *message) {
    request->status = 400;
    request_put_error(request, code, message, column);
    return true;
}

bool keeli_request_fail_by(keeli_request *request, const keel_world *world, keel_result result) {
    const keel_error *error = keel_last_error(world);
    const char *message = error->result == result ? error->message : keel_result_text(result);
    if (result == KEEL_ERROR_BORROWED || result == KEEL_ERROR_SHARED ||
        result == KEEL_ERROR_ITERATING)
        return keeli_request_fail(request, 503, "busy", "busy: %s", message);
    if (result == KEEL_ERROR_DEAD_ENTITY)
        return keeli_request_fail(request, 404, "gone", "%s", message);
    if (result == KEEL_ERROR_MEMORY)
        return keeli_request_fail(request, 500, "memory", "%s", message);
    return keeli_request_fail(request, 400, "argument", "%s", message);
}

bool keeli_parse_handle(const char *text, keel_entity *entity) {
    unsigned long index, version;
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    index = strtoul(text, &end, 10);
    if (*end != 'v' || end[1] < '0' || end[1] > '9') return false;
    version = strtoul(end + 1, &end, 10);
    if (*end || index > UINT32_MAX || version > UINT32_MAX) return false;
    *entity = keel_entity_make((uint32_t)index, (uint32_t)version);
    return true;
}
