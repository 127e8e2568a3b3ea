// SPDX-License-Identifier: MIT
// The output side of keel::json: appends to a text, with JSON's escapes, and writes the text to a
// file. It knows no components. The writers of worlds and of schemas call it.
#include "json_text.h"
#ifdef _WIN32
#include <errno.h>
#else
#include "../replace_file.h"
#endif

#include <stdio.h>
#include <string.h>

void keeli_json_put(keeli_json_out *out, const char *text, size_t length) {
    if (out->result != KEEL_OK) return;
    if (out->room - out->length < length) {
        const size_t room = (out->length + length) * 2 + 256;
        char *grown = keeli_json_resize(&out->allocator, out->text, out->room, room);
        if (!grown) {
            out->result = keeli_json_fail(out->error, KEEL_ERROR_MEMORY, "out of memory");
            return;
        }
        out->text = grown, out->room = room;
    }
    memcpy(out->text + out->length, text, length);
    out->length += length;
}

static void put(keeli_json_out *out, const char *text) { keeli_json_put(out, text, strlen(text)); }

void keeli_json_put_escaped(keeli_json_out *out, const char *text, size_t length,
                            const char *path) {
    for (size_t i = 0, n; i < length && out->result == KEEL_OK; i += n) {
        const unsigned char c = (unsigned char)text[i];
        char escape[8];
        n = keeli_json_utf8(text + i, length - i);
        if (!n) {
            out->result = keeli_json_fail(out->error, KEEL_ERROR_TEXT,
                                          "'%s': a text that is not UTF-8 cannot be JSON", path);
            return;
        }
        if (c == '"' || c == '\\') snprintf(escape, sizeof escape, "\\%c", c);
        else if (c == '\n') snprintf(escape, sizeof escape, "\\n");
        else if (c == '\t') snprintf(escape, sizeof escape, "\\t");
        else if (c < 0x20) snprintf(escape, sizeof escape, "\\u%04x", c);
        else escape[0] = '\0';
        if (escape[0]) put(out, escape);
        else keeli_json_put(out, text + i, n);
    }
}

void keeli_json_put_text(keeli_json_out *out, const char *text, size_t length, const char *path) {
    put(out, "\"");
    keeli_json_put_escaped(out, text, length, path);
    put(out, "\"");
}

void keeli_json_end(keeli_json_out *out) {
    keeli_json_resize(&out->allocator, out->text, out->room, 0);
}

typedef struct json_file {
    char path[4096];
    const char *failed; // step that failed, a verb for the message: "cannot <failed> 'path'"
    int error;          // errno of that step
} json_file;
static bool put_file(void *context, const char *text, size_t length) {
    json_file *to = context;
#ifdef _WIN32 // overwrites the file directly: an error may leave a part of it
    FILE *file = fopen(to->path, "wb");
    const bool is_written = file && fwrite(text, 1, length, file) == length;
    const bool done = file && fclose(file) == 0 && is_written;
    to->failed = "write";
    to->error = errno;
#else
    replacing file;
    const bool begun = replace_begin(&file, to->path);
    const bool done = begun && replace_end(&file, replace_write(&file, text, length));
    to->failed = file.failed;
    to->error = file.error;
#endif
    return done;
}

keel_result keeli_json_write_file(const char *path, keeli_json_write_fn *write, void *data,
                                  keel_error *error) {
    json_file file = { .error = 0 };
    if (!path) return keeli_json_fail(error, KEEL_ERROR_ARGUMENT, "a path is needed");
    if (strlen(path) >= sizeof file.path)
        return keeli_json_fail(error, KEEL_ERROR_FILE, "the path is too long");
    memcpy(file.path, path, strlen(path) + 1);
    const keel_result r = write(data, put_file, &file, error);
    if (r != KEEL_ERROR_FILE) return r;
    return keeli_json_fail(error, r, "cannot %s '%.150s': %s", file.failed, path,
                           strerror(file.error));
}
