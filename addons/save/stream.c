// SPDX-License-Identifier: MIT
// The streams of .save and .load hooks: the public functions keel_stream_*, and the functions that
// call the hooks. The bytes of a stream lie behind the rows of a section, among the owned texts.
// Described fields are packed in schema.c and unpacked in match.c, which call this file.
#include "save.h"

#include <string.h>

struct keel_stream {
    save_bytes *out;                   // destination of writes; NULL: the stream is read
    const unsigned char *at, *end;     // bytes that were not read yet
    uint32_t version;                  // version of the component in the program that saved
    const save_references *references; // as in the schema
    bool is_lost;                      // a handle could not be written
    bool is_short; // a read asked for more bytes than were left, or found a text or
                   // handle invalid
};

void keel_stream_write(keel_stream *out, const void *bytes, size_t size) {
    unsigned char *at = out && out->out && bytes && size ? save_bytes_more(out->out, size) : NULL;
    if (at) memcpy(at, bytes, size);
}

void keel_stream_write_int(keel_stream *out, int64_t number) {
    if (out && out->out) save_put(out->out, (uint64_t)number, 8);
}

void keel_stream_write_float(keel_stream *out, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    keel_stream_write_int(out, (int64_t)bits);
}

void keel_stream_write_text(keel_stream *out, const char *text) {
    const size_t size = text ? strlen(text) + 1 : 0;
    keel_stream_write_int(out, (int64_t)size);
    keel_stream_write(out, text, size);
}

void keel_stream_write_entity(keel_stream *out, keel_entity e) {
    unsigned char row[8];
    if (!out || !out->out) return;
    if (!save_put_entity(row, e, out->references)) out->is_lost = true;
    keel_stream_write(out, row, sizeof row);
}

size_t keel_stream_left(const keel_stream *in) {
    return in && !in->out ? (size_t)(in->end - in->at) : 0;
}

uint32_t keel_stream_version(const keel_stream *in) { return in ? in->version : 0; }

static const unsigned char *take(keel_stream *in, uint64_t size) {
    if (size > keel_stream_left(in)) {
        if (in) in->is_short = true;
        return NULL;
    }
    in->at += size;
    return in->at - size;
}

bool keel_stream_read(keel_stream *in, void *bytes, size_t size) {
    if (!size || !bytes) return !size;
    const unsigned char *at = take(in, size);
    if (at) memcpy(bytes, at, size);
    else memset(bytes, 0, size);
    return at != NULL;
}

int64_t keel_stream_read_int(keel_stream *in) {
    const unsigned char *at = take(in, 8);
    return at ? (int64_t)save_read_number(at, 8) : 0;
}

double keel_stream_read_float(keel_stream *in) {
    const int64_t bits = keel_stream_read_int(in);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

const char *keel_stream_read_text(keel_stream *in) {
    const uint64_t size = (uint64_t)keel_stream_read_int(in);
    const unsigned char *at = size ? take(in, size) : NULL;
    if (!at || memchr(at, 0, (size_t)size) == at + size - 1) return (const char *)at;
    in->is_short = true;
    return NULL;
}

keel_entity keel_stream_read_entity(keel_stream *in) {
    const unsigned char *at = take(in, 8);
    keel_entity e = keel_null();
    if (at && !save_get_entity(at, &e, in->references)) in->is_short = true;
    return e;
}

// ------------------------------------------------------------------ around the hooks
keel_result save_pack_stream(const save_schema *schema, const void *value, unsigned char *row,
                             save_bytes *to) {
    const keel_component *c = schema->component;
    keel_stream out = { .out = to, .references = schema->references };
    const size_t before = to->size;
    const keel_result result = c->save(value, &out, c->hook_data);
    const size_t length = to->size - before;
    if (length > UINT32_MAX) to->is_full = true;
    save_write_number(row, length, 4);
    return result >= 0 && out.is_lost ? KEEL_ERROR_UNKNOWN : result;
}

keel_result save_unpack_stream(const save_match *m, const unsigned char *row, const char *bytes,
                               void *value) {
    const keel_component *c = m->here.component;
    const unsigned char *at = (const unsigned char *)bytes;
    keel_stream in = {
        .at = at, .end = at, .version = m->file.version, .references = m->file.references
    };
    if (at) in.end += save_read_number(row, 4);
    const keel_result result = c->load(value, &in, c->hook_data);
    char whose[SAVE_WHOSE];
    if (result < 0)
        return save_fail(m->error, result, "'%s'%s: .load failed: %s", c->name,
                         save_whose(m, whose), keel_result_text(result));
    if (!in.is_short && in.at == in.end) return KEEL_OK;
    return save_fail(m->error, KEEL_ERROR_SCHEMA,
                     "'%s'%s: .load read %s than .save wrote; call keel_stream_version for the "
                     "version that wrote it",
                     c->name, save_whose(m, whose), in.is_short ? "more" : "less");
}
