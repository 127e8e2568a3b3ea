// SPDX-License-Identifier: MIT
// The container of a save: writes and reads sections, their chunks, compression and hashes. It does
// not know the contents of sections: write.c and read.c, and the tool keel-save, call it.
#include "save.h"

#include <stdio.h>
#include <stdlib.h>
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

static uint64_t chunk_hash(const unsigned char *head, const unsigned char *stored, size_t size) {
    return XXH3_64bits_withSeed(stored, size, XXH3_64bits(head, SAVE_CHUNK - 8));
}

// Compresses a chunk and appends it to the section. While `filter` is 2, it compresses the chunk
// both with and without planes, keeps the smaller result, and sets `filter` accordingly for all
// further chunks of the part. A chunk that does not become smaller is stored raw.
static bool pack_chunk(save_writer *w, const unsigned char *raw, uint32_t size) {
    const size_t bound = ZSTD_compressBound(size), head = w->packed.size;
    unsigned char *room = save_bytes_more(&w->packed, SAVE_CHUNK + 2 * bound);
    if (!room) return false;
    unsigned char *plain = room + SAVE_CHUNK, *other = plain + bound;
    size_t packed = size, filtered = size;
    if (w->filter != SAVE_PLANES) packed = ZSTD_compressCCtx(w->packer, plain, bound, raw, size, 1);
    if (w->filter) {
        unsigned char *planes = w->chunk + SAVE_CHUNK_BYTES;
        save_to_planes(planes, raw, size, w->element);
        filtered = ZSTD_compressCCtx(w->packer, w->filter == SAVE_PLANES ? plain : other, bound,
                                     planes, size, 1);
    }
    if (ZSTD_isError(packed) || ZSTD_isError(filtered)) return false;
    const bool uses_planes = w->filter == SAVE_PLANES || (w->filter == 2 && filtered < packed);
    if (uses_planes) packed = filtered;
    const bool is_raw = packed >= size;
    if (is_raw) memcpy(plain, raw, packed = size);
    else if (uses_planes && w->filter == 2) memcpy(plain, other, packed);
    w->filter = uses_planes;
    save_write_number(room, size, 4);
    save_write_number(room + 4, packed, 4);
    room[8] = is_raw ? SAVE_RAW : SAVE_ZSTD;
    room[9] = uses_planes && !is_raw ? SAVE_PLANES : 0;
    save_write_number(room + 10, uses_planes && !is_raw ? w->element : 0, 2);
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

void save_writer_free(save_writer *w) {
    save_bytes_free(&w->hashes);
    save_bytes_free(&w->packed);
    ZSTD_freeCCtx(w->packer);
    free(w->chunk);
    w->packer = w->chunk = NULL;
}

static void flush(save_writer *w, const unsigned char *bytes, uint32_t size) {
    w->raw += size;
    if (size && w->result == KEEL_OK && !pack_chunk(w, bytes, size))
        w->result = no_memory(w->error);
}

void save_begin_section(save_writer *w) {
    if (!w->packer) w->packer = ZSTD_createCCtx();
    if (!w->chunk) w->chunk = malloc(2 * SAVE_CHUNK_BYTES);
    w->packed.size = w->filled = 0;
    w->raw = 0;
    w->result = w->packer && w->chunk ? KEEL_OK : no_memory(w->error);
}

void save_begin_part(save_writer *w, uint32_t element) {
    flush(w, w->chunk, w->filled);
    w->filled = 0;
    w->element = element && element < 65536 ? element : 1;
    w->most = SAVE_CHUNK_BYTES / w->element * w->element;
    w->filter = w->element > 1 ? 2 : 0;
}

void save_put_bytes(save_writer *w, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size && w->result == KEEL_OK) {
        uint32_t n = w->most - w->filled;
        if (n > size) n = (uint32_t)size;
        if (n == w->most) {
            flush(w, at, n); // a full chunk is not copied
        } else {
            memcpy(w->chunk + w->filled, at, n);
            w->filled += n;
            if (w->filled == w->most) flush(w, w->chunk, w->filled), w->filled = 0;
        }
        at += n;
        size -= n;
    }
}

unsigned char *save_put_elements(save_writer *w, uint32_t *count) {
    if (w->filled == w->most) flush(w, w->chunk, w->filled), w->filled = 0;
    if (w->result < 0 || w->element == 1) return NULL;
    const uint32_t room = (w->most - w->filled) / w->element;
    if (*count > room) *count = room;
    w->filled += *count * w->element;
    return w->chunk + (w->filled - *count * w->element);
}

keel_result save_end_section(save_writer *w, const char *tag) {
    unsigned char head[SAVE_SECTION] = { 0 };
    flush(w, w->chunk, w->filled);
    w->filled = 0;
    if (w->result < 0) return w->result;
    memcpy(head, tag, 4);
    save_write_number(head + 8, w->packed.size, 8);
    save_write_number(head + 16, w->raw, 8);
    const uint64_t hash = XXH3_64bits(head, 24);
    save_write_number(head + 24, hash, 8);
    save_put(&w->hashes, hash, 8);
    ++w->section_count;
    if (w->hashes.is_full) return no_memory(w->error);
    KEEL_TRY(put_out(w, head, sizeof head));
    return put_out(w, w->packed.data, w->packed.size);
}

keel_result save_write_section(save_writer *w, const char *tag, const save_part *parts,
                               uint32_t part_count) {
    save_begin_section(w);
    for (uint32_t p = 0; p < part_count; ++p) {
        if (parts[p].bytes->is_full) w->result = no_memory(w->error);
        save_begin_part(w, parts[p].element);
        save_put_bytes(w, parts[p].bytes->data, parts[p].bytes->size);
    }
    return save_end_section(w, tag);
}

keel_result save_write_end(save_writer *w) {
    unsigned char body[12];
    save_write_number(body, w->section_count, 4);
    save_write_number(body + 4, XXH3_64bits(w->hashes.data, w->hashes.size), 8);
    save_begin_section(w);
    save_begin_part(w, 1);
    save_put_bytes(w, body, sizeof body);
    return save_end_section(w, "ENDS");
}

// ------------------------------------------------------------------ reading
// Returns the next bytes of the file, compressed or not. NULL if fewer are left.
static const unsigned char *take_file(save_reader *r, uint64_t size) {
    if (size > (uint64_t)(r->end - r->at)) return NULL;
    r->at += size;
    return r->at - size;
}

keel_result save_impossible(save_reader *r, const char *what) {
    if (r->result < 0) return r->result;
    return save_fail(r->error, KEEL_ERROR_FORMAT, "section %s: %s", r->name, what);
}

static keel_result wrong_chunk(save_reader *r, const char *what) {
    return save_fail(r->error, KEEL_ERROR_FORMAT, "section %s, chunk %u: %s", r->name,
                     (unsigned)r->chunk_count, what);
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

// Decompresses a chunk and appends it to `body`. The caller has checked the hash of the chunk.
static keel_result unpack(save_reader *r, const unsigned char *head, const unsigned char *stored) {
    const uint32_t raw = (uint32_t)save_read_number(head, 4);
    const uint32_t size = (uint32_t)save_read_number(head + 4, 4);
    const uint32_t element = (uint32_t)save_read_number(head + 10, 2);
    const bool has_planes = head[9] == SAVE_PLANES;
    if (head[8] > SAVE_ZSTD || head[9] > SAVE_PLANES || (has_planes && element < 2) ||
        (!has_planes && element) || (has_planes && raw % element))
        return wrong_chunk(r, "unknown codec or filter");
    if (!r->unpacker) r->unpacker = ZSTD_createDCtx();
    if (!r->chunk) r->chunk = malloc(SAVE_CHUNK_BYTES);
    unsigned char *out = r->unpacker && r->chunk ? save_bytes_more(&r->body, raw) : NULL;
    if (!out)
        return save_fail(r->error, KEEL_ERROR_MEMORY,
                         "out of memory while loading; nothing was changed");
    if (head[8] == SAVE_RAW) {
        if (size != raw) return wrong_chunk(r, "its size is wrong");
        memcpy(has_planes ? r->chunk : out, stored, raw);
    } else {
        const size_t done =
            ZSTD_decompressDCtx(r->unpacker, has_planes ? r->chunk : out, raw, stored, size);
        if (ZSTD_isError(done) || done != raw) return wrong_chunk(r, "cannot be unpacked");
    }
    if (has_planes) save_from_planes(out, r->chunk, raw, element);
    return KEEL_OK;
}

void save_reader_free(save_reader *r) {
    save_bytes_free(&r->hashes);
    save_bytes_free(&r->body);
    ZSTD_freeDCtx(r->unpacker);
    free(r->chunk);
    r->unpacker = r->chunk = NULL;
}

static keel_result read_chunk(save_reader *r) {
    const unsigned char *end = r->section_end;
    const unsigned char *head = end - r->at < SAVE_CHUNK ? NULL : take_file(r, SAVE_CHUNK);
    if (!head) return wrong_chunk(r, "is cut short");
    const uint64_t raw = save_read_number(head, 4), size = save_read_number(head + 4, 4);
    if (size > (uint64_t)(end - r->at)) return wrong_chunk(r, "is cut short");
    const unsigned char *stored = take_file(r, size);
    const uint64_t hash = chunk_hash(head, stored, (size_t)size);
    if (save_read_number(head + 12, 8) != hash) return wrong_chunk(r, "checksum differs");
    if (!raw || raw > SAVE_CHUNK_BYTES) return wrong_chunk(r, "its size is wrong");
    if (raw > r->bytes_left) return wrong_chunk(r, "the values exceed max_bytes");
    r->bytes_left -= raw;
    r->unpacked += raw;
    save_put(&r->hashes, hash, 8);
    KEEL_TRY(unpack(r, head, stored));
    ++r->chunk_count;
    return KEEL_OK;
}

static bool read_more(save_reader *r) {
    if (r->result < 0 || r->at >= r->section_end) return false;
    r->result = read_chunk(r);
    return r->result == KEEL_OK;
}

void save_forget(save_reader *r) {
    const size_t left = r->body.size - r->offset;
    if (left && r->offset) memmove(r->body.data, r->body.data + r->offset, left);
    r->body.size = left;
    r->offset = 0;
}

bool save_has_more(const save_reader *r) {
    return r->result == KEEL_OK && (r->offset < r->body.size || r->at < r->section_end);
}

const unsigned char *save_take(save_reader *r, uint64_t size) {
    while (size > r->body.size - r->offset)
        if (!read_more(r)) return NULL;
    r->offset += (size_t)size;
    return r->body.data ? r->body.data + (r->offset - size) : keel_save_signature;
}

uint64_t save_take_number(save_reader *r, uint32_t bytes) {
    const unsigned char *at = save_take(r, bytes);
    if (at) return save_read_number(at, bytes);
    if (r->result == KEEL_OK) r->result = save_impossible(r, "its size is wrong");
    return 0;
}

bool save_take_text(save_reader *r, char *out, size_t room) {
    const uint64_t length = save_take_number(r, 2);
    const unsigned char *at = save_take(r, length);
    if (!at || length >= room || memchr(at, 0, (size_t)length)) return false;
    memcpy(out, at, (size_t)length);
    out[length] = 0;
    return true;
}

keel_result save_unpack_all(save_reader *r) {
    while (read_more(r)) {}
    return r->result;
}

keel_result save_finish_section(save_reader *r, bool skips) {
    if (skips)
        while (save_has_more(r)) {
            r->offset = r->body.size;
            save_forget(r);
            (void)read_more(r);
        }
    if (r->result < 0) return r->result;
    if (save_has_more(r) || r->unpacked != r->raw) return save_impossible(r, "its size is wrong");
    save_put(&r->hashes, r->head_hash, 8);
    if (!r->hashes.is_full) return KEEL_OK;
    return save_fail(r->error, KEEL_ERROR_MEMORY,
                     "out of memory while loading; nothing was changed");
}

static keel_result check_end(save_reader *r) {
    const uint64_t hash = XXH3_64bits(r->hashes.data, r->hashes_before);
    if (save_take_number(r, 4) != r->section_count || save_take_number(r, 8) != hash)
        return save_impossible(r, "a section is missing");
    KEEL_TRY(save_finish_section(r, false));
    return r->at == r->end ? KEEL_OK : save_impossible(r, "there are bytes after the end");
}

keel_result save_read_section(save_reader *r) {
    const unsigned char *head = take_file(r, SAVE_SECTION);
    r->body.size = r->offset = 0;
    r->unpacked = r->chunk_count = 0;
    if (!head)
        return save_fail(r->error, KEEL_ERROR_FORMAT, "the save is cut short after %u sections",
                         (unsigned)r->section_count);
    if (save_read_number(head + 24, 8) != XXH3_64bits(head, 24))
        return save_fail(r->error, KEEL_ERROR_FORMAT, "section %u: checksum differs",
                         (unsigned)r->section_count);
    memcpy(r->tag, head, 4);
    for (uint32_t i = 0; i < 4; ++i) // printable, for messages
        r->name[i] = head[i] > 32 && head[i] < 127 ? (char)head[i] : '?';
    r->name[4] = 0;
    const uint64_t stored = save_read_number(head + 8, 8);
    r->head_hash = save_read_number(head + 24, 8);
    r->raw = save_read_number(head + 16, 8);
    if (save_read_number(head + 4, 4)) return save_impossible(r, "unknown flags");
    if (stored > (uint64_t)(r->end - r->at)) return save_impossible(r, "is cut short");
    r->section_end = r->at + stored;
    r->hashes_before = r->hashes.size;
    if (!strcmp(r->tag, "ENDS")) return check_end(r);
    ++r->section_count;
    return KEEL_OK;
}
