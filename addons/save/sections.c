// SPDX-License-Identifier: MIT
// The container: sections of chunks, each under a hash.
#include "save.h"

#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

const unsigned char keel_save_signature[8] = { 0x89, 'K', 'E', 'E', 'L', '\r', '\n', 0x1A };

// ------------------------------------------------------------------ writing
static keel_result no_memory(keel_error *error) {
    return save_fail(error, KEEL_ERROR_MEMORY, "out of memory while saving; nothing was changed");
}

static keel_result put_out(save_writer *w, const void *bytes, size_t size) {
    if (w->sink.write(w->sink.context, bytes, size)) return KEEL_OK;
    return save_fail(w->error, KEEL_ERROR_FILE, "the save could not be written");
}

// Byte k of all elements, one plane behind the other; and back.
static void to_planes(unsigned char *out, const unsigned char *in, uint32_t size,
                      uint32_t element) {
    const uint32_t count = size / element;
    for (uint32_t k = 0; k < element; ++k)
        for (uint32_t i = 0; i < count; ++i)
            *out++ = in[(size_t)i * element + k];
}
static void from_planes(unsigned char *out, const unsigned char *in, uint32_t size,
                        uint32_t element) {
    const uint32_t count = size / element;
    for (uint32_t k = 0; k < element; ++k)
        for (uint32_t i = 0; i < count; ++i)
            out[(size_t)i * element + k] = *in++;
}

static uint64_t chunk_hash(const unsigned char *head, const unsigned char *stored, size_t size) {
    return XXH3_64bits_withSeed(stored, size, XXH3_64bits(head, SAVE_CHUNK - 8));
}

// One chunk: `filter` is 2 while it is not known which is smaller, and then what was.
static bool pack_chunk(save_writer *w, const unsigned char *raw, uint32_t size, uint32_t element,
                       uint32_t *filter) {
    unsigned char planes[SAVE_CHUNK_BYTES];
    const size_t bound = ZSTD_compressBound(size), head = w->packed.size;
    unsigned char *room = save_bytes_more(&w->packed, SAVE_CHUNK + 2 * bound);
    if (!room) return false;
    unsigned char *plain = room + SAVE_CHUNK, *other = plain + bound;
    size_t packed = size, filtered = size;
    if (*filter != SAVE_PLANES) packed = ZSTD_compress(plain, bound, raw, size, 1);
    if (*filter) {
        to_planes(planes, raw, size, element);
        filtered = ZSTD_compress(other, bound, planes, size, 1);
    }
    if (ZSTD_isError(packed) || ZSTD_isError(filtered)) return false;
    const bool uses_planes = *filter == SAVE_PLANES || (*filter == 2 && filtered < packed);
    if (uses_planes) packed = filtered;
    const bool is_raw = packed >= size;
    if (is_raw) memcpy(plain, raw, packed = size);
    else if (uses_planes) memmove(plain, other, packed);
    *filter = uses_planes;
    save_write_number(room, size, 4);
    save_write_number(room + 4, packed, 4);
    room[8] = is_raw ? SAVE_RAW : SAVE_ZSTD;
    room[9] = uses_planes && !is_raw ? SAVE_PLANES : 0;
    save_write_number(room + 10, uses_planes && !is_raw ? element : 0, 2);
    const uint64_t hash = chunk_hash(room, plain, packed);
    save_write_number(room + 12, hash, 8);
    save_put(&w->hashes, hash, 8);
    w->packed.size = head + SAVE_CHUNK + packed;
    return true;
}

keel_result save_write_header(save_writer *w) {
    unsigned char head[SAVE_HEADER] = { 0 };
    memcpy(head, keel_save_signature, 8);
    save_write_number(head + 8, SAVE_MAJOR, 2);
    save_write_number(head + 10, SAVE_MINOR, 2);
    save_write_number(head + 40, XXH3_64bits(head, 40), 8);
    return put_out(w, head, sizeof head);
}

keel_result save_write_section(save_writer *w, const char *tag, const save_part *parts,
                               uint32_t part_count) {
    uint64_t raw = 0;
    w->packed.size = 0;
    for (uint32_t p = 0; p < part_count; ++p) {
        const save_bytes *bytes = parts[p].bytes;
        const uint32_t element = parts[p].element < 65536 ? parts[p].element : 1;
        const uint32_t most = SAVE_CHUNK_BYTES / element * element;
        uint32_t filter = element > 1 ? 2 : 0;
        if (bytes->is_full) return no_memory(w->error);
        raw += bytes->size;
        for (size_t at = 0; at < bytes->size;) {
            const size_t left = bytes->size - at;
            const uint32_t size = left < most ? (uint32_t)left : most;
            if (!pack_chunk(w, bytes->data + at, size, element, &filter))
                return no_memory(w->error);
            at += size;
        }
    }
    unsigned char head[SAVE_SECTION] = { 0 };
    memcpy(head, tag, 4);
    save_write_number(head + 8, w->packed.size, 8);
    save_write_number(head + 16, raw, 8);
    const uint64_t hash = XXH3_64bits(head, 24);
    save_write_number(head + 24, hash, 8);
    save_put(&w->hashes, hash, 8);
    ++w->section_count;
    if (w->hashes.is_full) return no_memory(w->error);
    KEEL_TRY(put_out(w, head, sizeof head));
    return put_out(w, w->packed.data, w->packed.size);
}

keel_result save_write_end(save_writer *w) {
    save_bytes body = { 0 };
    save_put(&body, w->section_count, 4);
    save_put(&body, XXH3_64bits(w->hashes.data, w->hashes.size), 8);
    const save_part part = { &body, 1 };
    const keel_result result = save_write_section(w, "ENDS", &part, 1);
    save_bytes_free(&body);
    return result;
}

// ------------------------------------------------------------------ reading
static const unsigned char *take_file(save_reader *r, uint64_t size) {
    if (size > (uint64_t)(r->end - r->at)) return NULL;
    r->at += size;
    return r->at - size;
}

keel_result save_impossible(save_reader *r, const char *what) {
    return save_fail(r->error, KEEL_ERROR_FORMAT, "section %s: %s", r->name, what);
}

static keel_result wrong_chunk(save_reader *r, uint32_t chunk, const char *what) {
    return save_fail(r->error, KEEL_ERROR_FORMAT, "section %s, chunk %u: %s", r->name,
                     (unsigned)chunk, what);
}

keel_result save_read_header(save_reader *r) {
    const unsigned char *head = take_file(r, SAVE_HEADER);
    if (!head || memcmp(head, keel_save_signature, 8) != 0)
        return save_fail(r->error, KEEL_ERROR_FORMAT, "this is no save of Keel");
    if (save_read_number(head + 40, 8) != XXH3_64bits(head, 40))
        return save_fail(r->error, KEEL_ERROR_FORMAT, "header: checksum differs");
    const uint64_t major = save_read_number(head + 8, 2);
    if (major != SAVE_MAJOR)
        return save_fail(r->error, KEEL_ERROR_FORMAT,
                         "the save has format %u, this program reads format %u", (unsigned)major,
                         (unsigned)SAVE_MAJOR);
    for (uint32_t i = 12; i < 40; ++i)
        if (head[i]) return save_fail(r->error, KEEL_ERROR_FORMAT, "header: unknown flags");
    return KEEL_OK;
}

// The head and the stored bytes of a chunk are right; unpack it behind the others.
static keel_result unpack(save_reader *r, uint32_t chunk, const unsigned char *head,
                          const unsigned char *stored) {
    const uint32_t raw = (uint32_t)save_read_number(head, 4);
    const uint32_t size = (uint32_t)save_read_number(head + 4, 4);
    const uint32_t element = (uint32_t)save_read_number(head + 10, 2);
    unsigned char unpacked[SAVE_CHUNK_BYTES];
    const bool has_planes = head[9] == SAVE_PLANES;
    if (head[8] > SAVE_ZSTD || head[9] > SAVE_PLANES || (has_planes && element < 2) ||
        (!has_planes && element) || (has_planes && raw % element))
        return wrong_chunk(r, chunk, "unknown codec or filter");
    if (head[8] == SAVE_RAW) {
        if (size != raw) return wrong_chunk(r, chunk, "its size is wrong");
        memcpy(unpacked, stored, raw);
    } else {
        const size_t done = ZSTD_decompress(unpacked, raw, stored, size);
        if (ZSTD_isError(done) || done != raw) return wrong_chunk(r, chunk, "cannot be unpacked");
    }
    unsigned char *out = save_bytes_more(&r->body, raw);
    if (!out)
        return save_fail(r->error, KEEL_ERROR_MEMORY,
                         "out of memory while loading; nothing was changed");
    if (has_planes) from_planes(out, unpacked, raw, element);
    else memcpy(out, unpacked, raw);
    return KEEL_OK;
}

static keel_result read_chunk(save_reader *r, uint32_t chunk, const unsigned char *end) {
    const unsigned char *head = end - r->at < SAVE_CHUNK ? NULL : take_file(r, SAVE_CHUNK);
    if (!head) return wrong_chunk(r, chunk, "is cut short");
    const uint64_t raw = save_read_number(head, 4), size = save_read_number(head + 4, 4);
    if (size > (uint64_t)(end - r->at)) return wrong_chunk(r, chunk, "is cut short");
    const unsigned char *stored = take_file(r, size);
    const uint64_t hash = chunk_hash(head, stored, (size_t)size);
    if (save_read_number(head + 12, 8) != hash) return wrong_chunk(r, chunk, "checksum differs");
    if (!raw || raw > SAVE_CHUNK_BYTES) return wrong_chunk(r, chunk, "its size is wrong");
    if (raw > r->bytes_left) return wrong_chunk(r, chunk, "there is more than max_bytes");
    r->bytes_left -= raw;
    save_put(&r->hashes, hash, 8);
    return unpack(r, chunk, head, stored);
}

static keel_result check_end(save_reader *r, const save_bytes *hashes_before, uint32_t sections) {
    const uint64_t count = save_take_number(r, 4), hash = save_take_number(r, 8);
    if (r->body.size != 12 || count != sections ||
        hash != XXH3_64bits(hashes_before->data, hashes_before->size))
        return save_impossible(r, "a section is missing");
    return r->at == r->end ? KEEL_OK : save_impossible(r, "there is something behind the end");
}

keel_result save_read_section(save_reader *r) {
    const unsigned char *head = take_file(r, SAVE_SECTION);
    r->body.size = r->offset = 0;
    if (!head)
        return save_fail(r->error, KEEL_ERROR_FORMAT, "the save is cut short after %u sections",
                         (unsigned)r->section_count);
    if (save_read_number(head + 24, 8) != XXH3_64bits(head, 24))
        return save_fail(r->error, KEEL_ERROR_FORMAT, "section %u: checksum differs",
                         (unsigned)r->section_count);
    memcpy(r->tag, head, 4);
    for (uint32_t i = 0; i < 4; ++i) // for messages
        r->name[i] = head[i] > 32 && head[i] < 127 ? (char)head[i] : '?';
    r->name[4] = 0;
    const uint64_t stored = save_read_number(head + 8, 8), raw = save_read_number(head + 16, 8);
    if (save_read_number(head + 4, 4)) return save_impossible(r, "unknown flags");
    if (stored > (uint64_t)(r->end - r->at)) return save_impossible(r, "is cut short");
    const unsigned char *end = r->at + stored;
    const size_t before = r->hashes.size; // of the sections before this one
    for (uint32_t chunk = 0; r->at < end; ++chunk)
        KEEL_TRY(read_chunk(r, chunk, end));
    if (r->body.size != raw) return save_impossible(r, "its size is wrong");
    save_put(&r->hashes, save_read_number(head + 24, 8), 8);
    if (r->hashes.is_full)
        return save_fail(r->error, KEEL_ERROR_MEMORY,
                         "out of memory while loading; nothing was changed");
    const save_bytes earlier = { r->hashes.data, before, 0, false };
    if (!strcmp(r->tag, "ENDS")) return check_end(r, &earlier, r->section_count);
    ++r->section_count;
    return KEEL_OK;
}

const unsigned char *save_take(save_reader *r, uint64_t size) {
    if (size > r->body.size - r->offset) return NULL;
    r->offset += (size_t)size;
    return r->body.data ? r->body.data + (r->offset - size) : keel_save_signature;
}

uint64_t save_take_number(save_reader *r, uint32_t bytes) {
    const unsigned char *at = save_take(r, bytes);
    return at ? save_read_number(at, bytes) : 0;
}

bool save_take_text(save_reader *r, char *out, size_t room) {
    const uint64_t length = save_take_number(r, 2);
    const unsigned char *at = save_take(r, length);
    if (!at || length >= room || memchr(at, 0, (size_t)length)) return false;
    memcpy(out, at, (size_t)length);
    out[length] = 0;
    return true;
}
