// SPDX-License-Identifier: MIT
// Byte strings as saves: the loader answers with an error and changes nothing, or loads a world
// that is sound, within its limits.
#include "load.h"

#include <keel_save.h>
#include <save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct Chest {
    bool is_open;
    char label[6];
    keel_entity owner;
    int16_t coins[2];
} Chest;
KEEL_FIELDS(Chest, is_open, label, owner, coins);
KEEL_COMPONENT(Chest, KEEL_HAS_FIELDS(Chest));
typedef struct Row {
    int32_t number;
} Row;
KEEL_FIELDS(Row, number);
KEEL_COMPONENT(Row, KEEL_HAS_FIELDS(Row), .storage = KEEL_ARCHETYPE);
typedef struct Mood { // no texts: its values are copied many at a time
    bool is_new;
    float joy;
} Mood;
KEEL_FIELDS(Mood, is_new, joy);
KEEL_COMPONENT(Mood, KEEL_HAS_FIELDS(Mood), .storage = KEEL_INDEXED, .required = KEEL_LIST(Row));
typedef struct OwnedBy {
    int16_t since;
} OwnedBy;
KEEL_FIELDS(OwnedBy, since);
KEEL_VALUED_RELATION(OwnedBy, KEEL_HAS_FIELDS(OwnedBy), .exclusive = true, .acyclic = true);
typedef struct Round {
    uint32_t number;
    keel_entity winner;
} Round;
KEEL_FIELDS(Round, number, winner);
KEEL_UNIQUE(Round, KEEL_HAS_FIELDS(Round));
KEEL_TAG(Asleep);
// A list that a value owns, written by functions; its texts and handles are not kept.
typedef struct Path {
    int64_t *steps;
    uint32_t count;
} Path;
static void path_drop(void *value, void *data) {
    (void)data;
    free(((Path *)value)->steps);
}
static bool path_copy(void *to, const void *from, void *data) {
    (void)data;
    const Path *path = from;
    Path copy = { malloc((path->count + 1u) * sizeof *path->steps), path->count };
    if (!copy.steps) return false;
    if (path->count) memcpy(copy.steps, path->steps, path->count * sizeof *path->steps);
    memcpy(to, &copy, sizeof copy);
    return true;
}
static uint64_t path_hash(const void *value, void *data) {
    (void)data;
    uint64_t hash = ((const Path *)value)->count;
    for (uint32_t i = 0; i < ((const Path *)value)->count; ++i)
        hash = hash * 31 + (uint64_t)((const Path *)value)->steps[i];
    return hash;
}
static keel_result path_save(const void *value, keel_stream *out, void *data) {
    (void)data;
    const Path *path = value;
    keel_stream_write_text(out, path->count ? "path" : NULL);
    keel_stream_write_entity(out, keel_entity_make(path->count, 0));
    for (uint32_t i = 0; i < path->count; ++i)
        keel_stream_write_int(out, path->steps[i]);
    return KEEL_OK;
}
static keel_result path_load(void *value, keel_stream *in, void *data) {
    (void)data;
    Path *path = value;
    const char *text = keel_stream_read_text(in);
    const keel_entity e = keel_stream_read_entity(in);
    if ((text && strlen(text) > 1000) || (keel_is_null(e) && text)) return KEEL_ERROR_FORMAT;
    const size_t count = keel_stream_left(in) / 8;
    free(path->steps);
    path->steps = malloc((count + 1) * sizeof *path->steps);
    if (!path->steps) return KEEL_ERROR_MEMORY;
    for (path->count = 0; path->count < count; ++path->count)
        path->steps[path->count] = keel_stream_read_int(in);
    return KEEL_OK;
}
KEEL_COMPONENT(Path, .drop = path_drop, .copy = path_copy, .hash = path_hash, .save = path_save,
               .load = path_load);

enum { MAX_BYTES = 1 << 20, MAX_ENTITIES = 1 << 14 };
static const char tags[][5] = { "ENTS", "COMP", "RELA", "UNIQ", "DISA",
                                "PARE", "NAME", "ENDS", "xtra" };

static _Noreturn void stop(const char *what) {
    fprintf(stderr, "load: %s\n", what);
    abort();
}

static void be_silent(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
}

static keel_world *new_world(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){
        .log = { be_silent, NULL }, .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    if (!world || keel_register(world, Chest, Row, Mood, OwnedBy, Asleep, Path) < 0 ||
        !keel_register_component(world, KEEL_UNIQUE_OF(Round)))
        stop("out of memory");
    return world;
}

static bool keep(void *context, const void *bytes, size_t size) {
    unsigned char *at = save_bytes_more(context, size);
    if (at && size) memcpy(at, bytes, size);
    return at || !size;
}

// ------------------------------------------------------------------ a sample
static void fill(keel_world *world) {
    keel_entity all[12];
    for (uint32_t i = 0; i < 12; ++i) {
        all[i] = keel_add_entity(world, KEEL_INIT(Row, { (int32_t)i }));
        const keel_entity last = i ? all[i - 1] : keel_null();
        if (i % 2) keel_add(world, all[i], Chest, { true, "gold", last, { 1, -1 } });
        if (i % 3) keel_add(world, all[i], Mood, { i % 4 == 0, 0.5F });
        if (i % 4) keel_attach(world, all[i], last);
        if (i > 3) keel_relate(world, all[i], OwnedBy, last, { 7 });
        if (i > 5) keel_add(world, all[i], Asleep);
        const char name[] = { 'n', (char)('a' + i), 0 };
        if (i % 5) keel_set_name(world, all[i], name);
        if (i % 6 != 5) continue;
        Path path = { malloc((i + 1) * sizeof *path.steps), i / 5 };
        for (uint32_t k = 0; path.steps && k < path.count; ++k)
            path.steps[k] = k;
        if (!path.steps || keel_add_component(world, all[i], KEEL_OF(Path), &path) < 0)
            path_drop(&path, NULL);
    }
    keel_disable(world, all[4], Mood);
    keel_disable(world, all[4], Row);
    keel_delete_entity(world, all[2]);
    keel_set_unique(world, Round, { 3, all[1] });
}

static void put_bodies(const save_bytes *file, save_bytes *out) {
    save_reader r = { .at = file->data, .end = file->data + file->size, .bytes_left = MAX_BYTES };
    if (save_read_header(&r) < 0) stop("no sample");
    while (save_read_section(&r) == KEEL_OK && strcmp(r.tag, "ENDS") != 0) {
        uint8_t letter = 0;
        while (strcmp(tags[letter], r.tag) != 0)
            ++letter;
        const uint64_t size = r.raw;
        save_put(out, letter, 1);
        save_put(out, size, 2);
        const unsigned char *body = save_take(&r, size);
        if (!body || save_finish_section(&r, false) < 0 || !keep(out, body, (size_t)size))
            stop("no sample");
    }
    save_reader_free(&r);
}

size_t load_sample(load_how how, uint8_t *out, size_t room) {
    save_bytes file = { 0 }, bodies = { 0 };
    keel_world *world = new_world();
    fill(world);
    if (keel_save_to(world, (keel_save_sink){ keep, &file }, NULL) < 0) stop("no sample");
    if (how == LOAD_BODIES) put_bodies(&file, &bodies);
    const save_bytes *from = how == LOAD_BODIES ? &bodies : &file;
    const size_t size = from->size < room ? from->size : room;
    memcpy(out, from->data, size);
    save_bytes_free(&file);
    save_bytes_free(&bodies);
    keel_world_destroy(world);
    return size;
}

// ------------------------------------------------------------------ right hashes
static void repair_chunk(uint8_t *at, size_t stored, save_bytes *hashes) {
    const uint64_t hash = XXH3_64bits_withSeed(at + SAVE_CHUNK, stored, XXH3_64bits(at, 12));
    save_write_number(at + 12, hash, 8);
    save_put(hashes, hash, 8);
}

static void repair(uint8_t *file, size_t size) {
    save_bytes hashes = { 0 };
    uint32_t sections = 0;
    if (size < SAVE_HEADER) return;
    memcpy(file, keel_save_signature, 8);
    save_write_number(file + 40, XXH3_64bits(file, 40), 8);
    for (size_t at = SAVE_HEADER; size - at >= SAVE_SECTION; ++sections) {
        uint8_t *head = file + at;
        uint64_t left = save_read_number(head + 8, 8);
        const bool ends = !memcmp(head, "ENDS", 4);
        const uint64_t before = XXH3_64bits(hashes.data, hashes.size);
        at += SAVE_SECTION;
        if (left > size - at) left = size - at, save_write_number(head + 8, left, 8);
        save_write_number(head + 24, XXH3_64bits(head, 24), 8);
        if (ends && left == SAVE_CHUNK + 12) {
            save_write_number(file + at + SAVE_CHUNK, sections, 4);
            save_write_number(file + at + SAVE_CHUNK + 4, before, 8);
        }
        while (left >= SAVE_CHUNK) {
            uint64_t stored = save_read_number(file + at + 4, 4);
            if (stored > left - SAVE_CHUNK) break;
            repair_chunk(file + at, (size_t)stored, &hashes);
            at += SAVE_CHUNK + (size_t)stored;
            left -= SAVE_CHUNK + stored;
        }
        at += (size_t)left;
        save_put(&hashes, save_read_number(head + 24, 8), 8);
    }
    save_bytes_free(&hashes);
}

static void make_file(const uint8_t *bytes, size_t size, save_bytes *out) {
    save_writer w = { .sink = { keep, out } };
    if (save_write_header(&w) < 0) stop("out of memory");
    for (size_t at = 0; size - at >= 3;) {
        const uint8_t letter = bytes[at] % 9;
        size_t length = (size_t)bytes[at + 1] | (size_t)bytes[at + 2] << 8;
        at += 3;
        if (length > size - at) length = size - at;
        save_begin_section(&w);
        save_begin_part(&w, bytes[at - 3] / 9 % 8 + 1);
        save_put_bytes(&w, bytes + at, length - length % (bytes[at - 3] / 9 % 8 + 1));
        save_begin_part(&w, 1);
        save_put_bytes(&w, bytes + at + length - length % (bytes[at - 3] / 9 % 8 + 1),
                       length % (bytes[at - 3] / 9 % 8 + 1));
        if (save_end_section(&w, tags[letter]) < 0) stop("out of memory");
        at += length;
    }
    if (save_write_end(&w) < 0) stop("out of memory");
    save_writer_free(&w);
}

// ------------------------------------------------------------------ loading
// Those that begin with a bool.
static bool look(const keel_value_run *run, void *data) {
    const size_t size = *(const size_t *)data;
    for (uint32_t i = 0; i < run->count; ++i) // as a bool it may not be read
        if (*((const uint8_t *)run->values + i * size) > 1) stop("a bool that is none");
    return true;
}
static void look_at(keel_world *world, const keel_component *c) {
    size_t size = c->size;
    if (keel_visit_values(world, c, look, &size) < 0) stop("cannot be looked at");
}

static int load_file(const uint8_t *bytes, size_t size) {
    keel_world *world = new_world();
    keel_error why = { 0 }, broken = { 0 };
    uint64_t hash;
    const keel_load_options how = { .error = &why,
                                    .max_bytes = MAX_BYTES,
                                    .max_entities = MAX_ENTITIES,
                                    .unknown = (keel_unknown)(size % 3) };
    const keel_result r = keel_load_from(world, bytes, size, &how);
    if (r < 0 && r != KEEL_ERROR_FORMAT && r != KEEL_ERROR_SCHEMA) stop("another error");
    if (r < 0 && (why.result != r || !why.message[0])) stop("no message");
    if (r < 0 && keel_entity_count(world)) stop("something was changed");
    if (keel_entity_count(world) > MAX_ENTITIES) stop("more entities than max_entities");
    if (!keel_world_check(world, &broken)) stop(broken.message);
    look_at(world, KEEL_OF(Chest));
    look_at(world, KEEL_OF(Mood));
    if (keel_world_hash(world, &hash) < 0) stop("no hash");
    // what was loaded can be saved, and is the same again
    if (r == KEEL_OK) {
        save_bytes file = { 0 };
        uint64_t again;
        const keel_load_options again_how = { .unknown = KEEL_UNKNOWN_KEEP };
        keel_world *second = new_world();
        if (keel_save_to(world, (keel_save_sink){ keep, &file }, NULL) < 0) stop("cannot be saved");
        if (keel_load_from(second, file.data, file.size, &again_how) < 0)
            stop("is not loaded again");
        if (keel_world_hash(second, &again) < 0 || again != hash) stop("is another world");
        save_bytes_free(&file);
        keel_world_destroy(second);
    }
    keel_world_destroy(world);
    return r == KEEL_OK;
}

int load_bytes(load_how how, const uint8_t *bytes, size_t size) {
    save_bytes file = { 0 };
    if (how == LOAD_BODIES) make_file(bytes, size, &file);
    else if (!keep(&file, bytes, size)) stop("out of memory");
    if (how == LOAD_REPAIRED) repair(file.data, file.size);
    uint8_t *exact = malloc(file.size + 1); // so that reading behind it is noticed
    if (!exact) stop("out of memory");
    if (file.size) memcpy(exact, file.data, file.size);
    exact = realloc(exact, file.size ? file.size : 1);
    const int loaded = load_file(exact, file.size);
    free(exact);
    save_bytes_free(&file);
    return loaded;
}

int load_string(const uint8_t *bytes, size_t size) {
    return size ? load_bytes((load_how)(bytes[0] % LOAD_WAYS), bytes + 1, size - 1) : 0;
}
