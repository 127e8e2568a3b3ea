// SPDX-License-Identifier: MIT
// Plays replays. The file is read into memory and checked whole when it is opened: what follows the
// first chunk that is damaged or not valid is left out. Then its frames are played by the game's
// own workload, and each state that was recorded with its hashes is compared.
#include "game.h"
#include "replay_file.h"
#include "schema.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 3 }; // components in a message

// A state to which a replay can go.
typedef struct replay_place {
    uint64_t frame;
    size_t at; // the IMAGE has this frame
} replay_place;

struct keel_replay {
    keel_world *world;
    const keel_workload *step;
    keel_replay_options options;
    const char *path; // belongs to the caller, while the replay is opened
    unsigned char *file;
    size_t size; // up to the end of the last whole chunk
    size_t at;   // the next chunk begins here
    size_t body; // begins the first chunk behind that of the first frame
    keel_replay_info info;
    keel_result result; // the error after which nothing is played
    // inputs of the frames from `run_first` on
    uint64_t run_first;
    uint32_t run_count, run_slots;
    unsigned char run[KEEL_SESSION_MAX_PLAYERS * REPLAY_RUN * KEEL_SESSION_MAX_INPUT];
    // states
    replay_place *images; // in ascending order
    keel_snapshot *start; // the first frame
    keel_snapshot *same;  // the last state that was the recorded one, in frame `info.same`
    size_t same_at;       // the chunk behind it
    keel_hash_part parts[REPLAY_PARTS];
};

// Fills in the caller's error. Returns the result.
static keel_result replay_error(const keel_replay_options *options, keel_result result,
                                const char *format, ...) KEELI_PRINTF(3, 4);
static keel_result replay_error(const keel_replay_options *options, keel_result result,
                                const char *format, ...) {
    if (!options->error) return result;
    keel_error *error = options->error;
    *error = (keel_error){ .result = result };
    va_list list;
    va_start(list, format);
    vsnprintf(error->message, sizeof error->message, format, list);
    va_end(list);
    return result;
}
// The same, with the error of the world.
static keel_result replay_world_error(const keel_replay *r) {
    const keel_error *error = keel_last_error(r->world);
    if (r->options.error) *r->options.error = *error;
    return error->result < 0 ? error->result : KEEL_ERROR_MEMORY;
}

// ------------------------------------------------------------------ the file
// Reads a file to its end.
static keel_result read_bytes(keel_replay *r, FILE *file) {
    size_t room = 0;
    for (;;) {
        if (r->size == room) {
            room = room ? room * 2 : 65536;
            unsigned char *bytes = realloc(r->file, room);
            if (!bytes)
                return replay_error(&r->options, KEEL_ERROR_MEMORY,
                                    "reading the replay '%.120s': out of memory", r->path);
            r->file = bytes;
        }
        const size_t count = fread(r->file + r->size, 1, room - r->size, file);
        r->size += count;
        if (r->size > r->options.max_bytes)
            return replay_error(&r->options, KEEL_ERROR_FORMAT,
                                "the replay '%.120s' has more than .max_bytes, %llu bytes", r->path,
                                (unsigned long long)r->options.max_bytes);
        if (ferror(file))
            return replay_error(&r->options, KEEL_ERROR_FILE,
                                "the replay '%.120s' cannot be read: %s", r->path, strerror(errno));
        if (!count) break;
    }
    unsigned char *bytes = realloc(r->file, r->size ? r->size : 1);
    if (bytes) r->file = bytes; // else there is room that nobody needs
    return KEEL_OK;
}

static keel_result read_file(keel_replay *r) {
    errno = 0;
    FILE *file = fopen(r->path, "rb");
    if (!file)
        return replay_error(&r->options, KEEL_ERROR_FILE, "the replay '%.120s' cannot be read: %s",
                            r->path, strerror(errno));
    const keel_result result = read_bytes(r, file);
    (void)fclose(file);
    if (result < 0) return result;
    const uint32_t version = keeli_replay_read_head(r->file, r->size);
    if (!version)
        return replay_error(&r->options, KEEL_ERROR_FORMAT, "'%.120s' is no replay", r->path);
    if (version != REPLAY_VERSION)
        return replay_error(&r->options, KEEL_ERROR_FORMAT,
                            "'%.120s' is a replay of version %u, and this Keel reads version %u",
                            r->path, (unsigned)version, (unsigned)REPLAY_VERSION);
    return KEEL_OK;
}

// Compares the components of the replay with those of the world.
static keel_result check_game(keel_replay *r, const replay_chunk *game) {
    char text[PACKET_TEXT + 1];
    packet *own = calloc(2, sizeof *own), *there = own + 1;
    if (!own)
        return replay_error(&r->options, KEEL_ERROR_MEMORY,
                            "reading the replay '%.120s': out of memory", r->path);
    keel_result result = KEEL_OK;
    keeli_schema_of(r->world, own);
    const bool is_valid = keeli_packet_read(there, game->bytes, game->size, 1, 0) &&
                          there->type == PACKET_HELLO && there->kind == PACKET_VERSION &&
                          there->input_size && there->rate && there->rate <= 1000;
    if (!is_valid)
        result = replay_error(&r->options, KEEL_ERROR_FORMAT, "the head of '%.120s' is not valid",
                              r->path);
    else if (!keeli_schema_components_fit(own, there, text))
        result = replay_error(&r->options, KEEL_ERROR_SCHEMA,
                              "the replay is of a game with other components: %s", text);
    r->info.input_size = there->input_size;
    r->info.rate = there->rate;
    r->info.players = game->players;
    r->info.check_every = game->check_every;
    free(own);
    return result;
}

// Adds an image to the list.
static bool add_place(keel_replay *r, const replay_chunk *image, size_t at) {
    const uint32_t count = r->info.images;
    if ((count & (count - 1)) == 0) { // the list is full when its length is a power of two
        replay_place *images = realloc(r->images, (count ? 2 * count : 1) * sizeof *images);
        if (!images) return false;
        r->images = images;
    }
    r->images[r->info.images++] = (replay_place){ image->frame, at };
    return true;
}

// Takes a chunk when the file is opened. Returns false if it is out of place or not valid.
static bool scan_chunk(keel_replay *r, const replay_chunk *c) {
    if (c->frame != r->info.end || r->info.is_whole) return false;
    if (c->kind == REPLAY_GAME || (c->kind == REPLAY_IMAGE && !c->size)) return false;
    if (c->kind == REPLAY_END) r->info.is_whole = true;
    if (c->kind != REPLAY_INPUTS) return true;
    r->info.end += c->count;
    return keeli_replay_read_inputs(c, r->info.players, r->info.input_size, r->run);
}

// Finds the end of what is whole and valid, and all images in it.
static keel_result scan_file(keel_replay *r) {
    replay_chunk game, first, c;
    if (!keeli_replay_read_chunk(r->file, r->size, REPLAY_HEAD, false, &game) ||
        game.kind != REPLAY_GAME)
        return replay_error(&r->options, KEEL_ERROR_FORMAT,
                            "the replay '%.120s' is damaged: it has no valid head", r->path);
    KEEL_TRY(check_game(r, &game));
    if (!keeli_replay_read_chunk(r->file, r->size, game.next, false, &first) ||
        first.kind != REPLAY_IMAGE || first.frame != game.frame)
        return replay_error(&r->options, KEEL_ERROR_FORMAT,
                            "the replay '%.120s' is damaged: it has no first state", r->path);
    r->info.first = r->info.end = first.frame;
    size_t at = r->body = first.next;
    for (; keeli_replay_read_chunk(r->file, r->size, at, false, &c); at = c.next) {
        const uint64_t before = r->info.end;
        if (!scan_chunk(r, &c)) {
            r->info.end = before;
            break;
        }
        if (c.kind == REPLAY_IMAGE && !add_place(r, &c, at))
            return replay_error(&r->options, KEEL_ERROR_MEMORY,
                                "reading the replay '%.120s': out of memory", r->path);
    }
    r->info.is_whole &= at == r->size;
    r->size = at;
    return KEEL_OK;
}

// ------------------------------------------------------------------ states
// Remembers the present state as one that is the recorded one.
static keel_result note_same(keel_replay *r) {
    r->info.same = r->info.frame;
    r->same_at = r->at;
    return keel_snapshot_take(r->same) < 0 ? replay_world_error(r) : KEEL_OK;
}

// Goes to a state that the world has now: that before `frame`, at a chunk.
static void begin_at(keel_replay *r, uint64_t frame, size_t at) {
    r->info.frame = frame;
    r->at = at;
    r->run_count = 0;
    r->run_first = frame;
    r->result = KEEL_OK;
}

// Restores the state of an IMAGE. On error the world is as before.
static keel_result restore_image(keel_replay *r, const replay_chunk *image) {
    keel_snapshot *snapshot = keel_snapshot_create(r->world, "a state of a replay");
    if (!snapshot) return replay_world_error(r);
    const keel_snapshot_read_options options = { .error = r->options.error,
                                                 .max_bytes = r->options.max_bytes,
                                                 .max_entities = r->options.max_entities };
    keel_result result =
        keeli_game_restore(r->world, snapshot, image->bytes, image->size, image->hash, &options);
    if (result == KEEL_ERROR_DIFFERS)
        result =
            replay_error(&r->options, KEEL_ERROR_FORMAT,
                         "frame %llu: the state in the replay is not the one that was recorded",
                         (unsigned long long)image->frame);
    keel_snapshot_destroy(snapshot);
    return result;
}

// Puts the world into the state of the first frame, or finds it there.
static keel_result restore_first(keel_replay *r) {
    replay_chunk game, first;
    uint64_t hash = 0;
    (void)keeli_replay_read_chunk(r->file, r->size, REPLAY_HEAD, true, &game);
    (void)keeli_replay_read_chunk(r->file, r->size, game.next, true, &first);
    if (first.size) {
        KEEL_TRY(restore_image(r, &first));
    } else if (keel_world_hash(r->world, &hash) < 0) {
        return replay_world_error(r);
    } else if (hash != first.hash) {
        return replay_error(&r->options, KEEL_ERROR_DIFFERS,
                            "frame %llu: the replay has no state of its begin, and this world is "
                            "not as the recorded one was; prepare it in the same way",
                            (unsigned long long)r->info.first);
    }
    begin_at(r, r->info.first, r->body);
    return keel_snapshot_take(r->start) < 0 ? replay_world_error(r) : note_same(r);
}

// ------------------------------------------------------------------ checks
typedef struct names {
    char text[160];
    uint32_t count;
} names;

static void add_name(names *list, const char *name) {
    if (list->count++ >= NAMES_SHOWN) return;
    const size_t length = strlen(list->text);
    const char *shown = strcmp(name, keel_entities.name) == 0 ? "the set of entities" : name;
    snprintf(list->text + length, sizeof list->text - length, "%s%.40s", length ? ", " : "", shown);
}

// Finds the hash of a component in a check.
static bool find_recorded(const replay_chunk *check, const char *name, uint64_t *hash) {
    char there[REPLAY_NAME + 1];
    size_t at = 0;
    for (uint32_t i = 0; i < check->count; ++i)
        if (keeli_replay_read_part(check, &at, there, hash) &&
            strncmp(there, name, REPLAY_NAME) == 0)
            return true;
    return false;
}

// Lists the components whose hashes are not those of a check, or that one side lacks.
static void list_differing(keel_replay *r, const replay_chunk *check, names *list) {
    uint32_t count = keel_world_hash_parts(r->world, r->parts, REPLAY_PARTS);
    count = count < REPLAY_PARTS ? count : REPLAY_PARTS;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t hash;
        const char *name = r->parts[i].component->name;
        if (!find_recorded(check, name, &hash) || hash != r->parts[i].hash) add_name(list, name);
    }
    size_t at = 0;
    for (uint32_t k = 0; k < check->count; ++k) {
        char name[REPLAY_NAME + 1];
        uint64_t hash;
        bool is_here = false;
        (void)keeli_replay_read_part(check, &at, name, &hash);
        for (uint32_t i = 0; i < count && !is_here; ++i)
            is_here = strncmp(r->parts[i].component->name, name, REPLAY_NAME) == 0;
        if (!is_here) add_name(list, name);
    }
    if (list->count > NAMES_SHOWN) {
        const size_t length = strlen(list->text);
        snprintf(list->text + length, sizeof list->text - length, " and %u more",
                 (unsigned)(list->count - NAMES_SHOWN));
    }
}

static keel_result play_frame_of(keel_replay *r);

// Plays from the last state that was the same up to the present frame once more, and hashes it.
static keel_result play_once_more(keel_replay *r, uint64_t *hash) {
    const uint64_t frame = r->info.frame;
    if (keel_snapshot_restore(r->same) < 0) return replay_world_error(r);
    begin_at(r, r->info.same, r->same_at);
    while (r->info.frame < frame)
        KEEL_TRY(play_frame_of(r));
    return keel_world_hash(r->world, hash) < 0 ? replay_world_error(r) : KEEL_OK;
}

// Tells what can be known about a state that is not the recorded one.
static keel_result tell_check(keel_replay *r, const replay_chunk *check, uint64_t hash) {
    names list = { .count = 0 };
    uint64_t again = 0;
    list_differing(r, check, &list);
    r->info.differs = check->frame;
    KEEL_TRY(play_once_more(r, &again));
    const char *why =
        again == hash ? "played again from there, it is the same here: the program or its numbers "
                        "are not those of the recording"
                      : "played again from there, it is another one: a step depends on something "
                        "outside of the world";
    return replay_error(&r->options, KEEL_ERROR_DIFFERS,
                        "frame %llu is not as recorded in %s; frame %llu was; %s",
                        (unsigned long long)check->frame,
                        list.count ? list.text : "a component that the replay does not list",
                        (unsigned long long)r->info.same, why);
}

// Passes the chunks up to the next inputs, and compares the present state with checks among them.
static keel_result pass_checks(keel_replay *r) {
    replay_chunk c;
    while (keeli_replay_read_chunk(r->file, r->size, r->at, true, &c) && c.kind != REPLAY_INPUTS) {
        r->at = c.next;
        if (c.kind != REPLAY_CHECK) continue;
        uint64_t hash;
        if (keel_world_hash(r->world, &hash) < 0) return replay_world_error(r);
        ++r->info.checks;
        if (hash != c.hash) return tell_check(r, &c, hash);
        KEEL_TRY(note_same(r));
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ frames
// Reads the next inputs; all chunks were checked when the file was opened.
static void next_run(keel_replay *r) {
    replay_chunk c;
    while (keeli_replay_read_chunk(r->file, r->size, r->at, true, &c)) {
        r->at = c.next;
        if (c.kind != REPLAY_INPUTS) continue;
        (void)keeli_replay_read_inputs(&c, r->info.players, r->info.input_size, r->run);
        r->run_first = c.frame;
        r->run_count = c.count;
        r->run_slots = c.slots;
        return;
    }
}

// Plays one frame, without comparing anything.
static keel_result play_frame_of(keel_replay *r) {
    if (r->info.frame == r->run_first + r->run_count) next_run(r);
    const uint32_t size = r->info.input_size;
    const size_t k = (size_t)(r->info.frame - r->run_first);
    keel_inputs in = { .frame = r->info.frame, .players = r->info.players, .size = size };
    for (uint32_t i = 0; i < r->info.players; ++i) {
        if (!(r->run_slots >> i & 1)) continue; // gone
        in.state[i] = KEEL_INPUT_CONFIRMED;
        memcpy(in.bytes[i], r->run + ((size_t)i * REPLAY_RUN + k) * size, size);
    }
    if (keeli_game_play(r->world, r->step, r->info.rate, &in) < 0) return replay_world_error(r);
    ++r->info.frame;
    return KEEL_OK;
}

keel_result keel_replay_next(keel_replay *r) {
    if (!r) return KEEL_ERROR_ARGUMENT;
    if (r->result < 0) return r->result;
    if (r->info.frame >= r->info.end) return KEEL_ABSENT;
    keel_result result = play_frame_of(r);
    if (result == KEEL_OK && r->info.frame == r->run_first + r->run_count) result = pass_checks(r);
    r->result = result;
    return result;
}

keel_result keel_replay_seek(keel_replay *r, uint64_t frame) {
    if (!r) return KEEL_ERROR_ARGUMENT;
    if (frame < r->info.first || frame > r->info.end) return KEEL_ABSENT;
    const replay_place *best = NULL;
    for (uint32_t i = 0; i < r->info.images && r->images[i].frame <= frame; ++i)
        best = &r->images[i];
    const bool is_ahead = best && best->frame > r->info.frame;
    if (is_ahead || frame < r->info.frame || r->result < 0) {
        replay_chunk image;
        if (best) {
            (void)keeli_replay_read_chunk(r->file, r->size, best->at, true, &image);
            KEEL_TRY(restore_image(r, &image));
            begin_at(r, best->frame, image.next);
        } else if (keel_snapshot_restore(r->start) < 0) {
            return replay_world_error(r);
        } else {
            begin_at(r, r->info.first, r->body);
        }
        KEEL_TRY(note_same(r));
    }
    while (r->info.frame < frame)
        KEEL_TRY(keel_replay_next(r));
    return KEEL_OK;
}

// ------------------------------------------------------------------ open, close, play
keel_replay_info keel_replay_info_of(const keel_replay *r) {
    return r ? r->info : (keel_replay_info){ 0 };
}

void keel_replay_close(keel_replay *r) {
    if (!r) return;
    keel_snapshot_destroy(r->start);
    keel_snapshot_destroy(r->same);
    free(r->images);
    free(r->file);
    free(r);
}

// Reads the file, and goes to the first frame.
static keel_result replay_begin(keel_replay *r) {
    KEEL_TRY(read_file(r));
    KEEL_TRY(scan_file(r));
    r->start = keel_snapshot_create(r->world, "the first frame of a replay");
    r->same = r->start ? keel_snapshot_create(r->world, "a frame of a replay") : NULL;
    if (!r->same || !keel_register_component(r->world, KEEL_UNIQUE_OF(keel_inputs)))
        return replay_world_error(r);
    KEEL_TRY(restore_first(r));
    return pass_checks(r);
}

// Opens a replay. Returns NULL on error, with the result.
static keel_replay *replay_open(keel_world *world, const keel_workload *step, const char *path,
                                const keel_replay_options *options, keel_result *result) {
    keel_replay_options filled = options ? *options : (keel_replay_options){ 0 };
    if (!filled.max_bytes) filled.max_bytes = 1u << 30;
    if (!world || !step || !path) {
        *result = replay_error(&filled, KEEL_ERROR_ARGUMENT,
                               "playing a replay needs a world, a workload and a path");
        return NULL;
    }
    keel_replay *r = calloc(1, sizeof *r);
    if (!r) {
        *result = replay_error(&filled, KEEL_ERROR_MEMORY, "playing a replay: out of memory");
        return NULL;
    }
    r->world = world;
    r->step = step;
    r->options = filled;
    r->path = path;
    *result = replay_begin(r);
    r->path = NULL;
    if (*result == KEEL_OK) return r;
    keel_replay_close(r);
    return NULL;
}

keel_replay *keel_replay_open(keel_world *world, const keel_workload *step, const char *path,
                              const keel_replay_options *options) {
    keel_result result;
    return replay_open(world, step, path, options, &result);
}

keel_result keel_replay_play(keel_world *world, const keel_workload *step, const char *path,
                             const keel_replay_options *options) {
    keel_result result;
    keel_replay *r = replay_open(world, step, path, options, &result);
    if (!r) return result;
    const uint64_t until = r->options.until ? r->options.until : UINT64_MAX;
    while (result == KEEL_OK && r->info.frame < until) {
        result = keel_replay_next(r);
        const bool goes_on = result != KEEL_OK || !r->options.each ||
                             r->options.each(world, r->info.frame, r->options.data);
        if (!goes_on) break;
    }
    keel_replay_close(r);
    return result < 0 ? result : KEEL_OK;
}
