// SPDX-License-Identifier: MIT
// Replays: what a session or a game recorded is played again, state by state; what differs is
// named; files that are cut, damaged or of other games are refused or played to their last whole
// part.
#include "net_game.h"
#include "support/failing_malloc.h"

#include <keel_session.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

// ------------------------------------------------------------------ memory that runs out
static int64_t allocations_left = -1; // negative: never

static bool fails(void) {
    if (allocations_left < 0) return false;
    if (allocations_left == 0) return true;
    --allocations_left;
    return false;
}

// ------------------------------------------------------------------ helpers
static machine viewer; // the machine that plays replays
static keel_error why;

static void begin_viewing(bool sees) {
    viewer = (machine){ .world = net_world(3) };
    if (sees) viewer.seen = calloc(FRAMES, sizeof *viewer.seen);
    playing = &viewer;
}
static void end_viewing(void) {
    keel_world_destroy(viewer.world);
    free(viewer.seen);
}

// Plays a replay in a new world. `until` 0: all.
static keel_result play_file(const char *path, uint64_t nudge_at, uint64_t until) {
    begin_viewing(false);
    viewer.nudge_at = nudge_at;
    why = (keel_error){ 0 };
    const keel_replay_options options = { .error = &why, .until = until };
    const keel_result result =
        keel_replay_play(viewer.world, KEEL_WORKLOAD_OF(net_frame), path, &options);
    end_viewing();
    return result;
}

static void assert_why(const char *part) {
    if (!strstr(why.message, part)) fail_msg("'%s' does not have '%s'", why.message, part);
}

static keel_replay_info info_of_file(const char *path) {
    begin_viewing(false);
    keel_replay *r = keel_replay_open(viewer.world, KEEL_WORKLOAD_OF(net_frame), path,
                                      &(keel_replay_options){ .error = &why });
    if (!r) fail_msg("%s", why.message);
    const keel_replay_info info = keel_replay_info_of(r);
    keel_replay_close(r);
    end_viewing();
    return info;
}

static size_t read_whole(const char *path, unsigned char **bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *bytes = malloc(1 << 22);
    const size_t size = fread(*bytes, 1, 1 << 22, file);
    (void)fclose(file);
    return size;
}
static void write_whole(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Records a game of two machines over a bad network, with a file of each.
static void record_two(uint32_t steps, uint32_t check_every) {
    net_begin(&(keel_loopback_desc){ .delay_ms = 60, .jitter_ms = 20, .loss = 0.1F, .seed = 2 });
    for (uint32_t i = 0; i < 2; ++i) {
        const keel_session_desc desc = { .players = 2,
                                         .check_every = check_every,
                                         .record = i ? "two_1.keelreplay" : "two_0.keelreplay" };
        machine *m = net_machine(i, &desc);
        assert_int_equal(i ? keel_session_connect(m->session, "0", 0)
                           : keel_session_listen(m->session, 0),
                         KEEL_OK);
    }
    net_run_wild(steps, 3);
    assert_null(event_of(0, KEEL_SESSION_WARNING));
}

// ------------------------------------------------------------------ playing
static void what_a_session_recorded_is_played_state_by_state(void **unused) {
    (void)unused;
    record_two(600, 10);
    const uint64_t confirmed = status_of(0).confirmed;
    assert_true(confirmed > 500);
    seen_frame *seen = malloc(FRAMES * sizeof *seen);
    memcpy(seen, machines[0].seen, FRAMES * sizeof *seen);
    net_end();
    for (uint32_t i = 0; i < 2; ++i) {
        const char *path = i ? "two_1.keelreplay" : "two_0.keelreplay";
        const keel_replay_info info = info_of_file(path);
        assert_int_equal(info.first, 0);
        assert_int_equal(info.players, 2);
        assert_int_equal(info.input_size, sizeof(Pad));
        assert_int_equal(info.rate, 60);
        assert_int_equal(info.check_every, 10);
        assert_true(info.is_whole);
        if (!i) assert_int_equal(info.end, confirmed);

        begin_viewing(true);
        keel_replay *r = keel_replay_open(viewer.world, KEEL_WORKLOAD_OF(net_frame), path, NULL);
        assert_non_null(r);
        while (keel_replay_next(r) == KEEL_OK)
            ;
        assert_int_equal(keel_replay_next(r), KEEL_ABSENT);
        assert_true(keel_replay_info_of(r).checks > 45);
        assert_int_equal(keel_replay_info_of(r).frame, info.end);
        keel_replay_close(r);
        for (uint64_t f = 0; f < info.end && f < confirmed; ++f) {
            assert_memory_equal(viewer.seen[f].pad, seen[f].pad, sizeof seen[f].pad);
            assert_int_equal(viewer.seen[f].state[1], KEEL_INPUT_CONFIRMED);
        }
        end_viewing();
    }
    free(seen);
}

static bool count_frames(keel_world *world, uint64_t frame, void *data) {
    (void)world;
    ++*(uint64_t *)data;
    return frame < 70;
}

static void playing_ends_where_it_is_told_to(void **unused) {
    (void)unused;
    record_two(200, 10);
    net_end();
    begin_viewing(true);
    uint64_t calls = 0;
    keel_replay_options options = { .until = 50, .each = count_frames, .data = &calls };
    assert_int_equal(
        keel_replay_play(viewer.world, KEEL_WORKLOAD_OF(net_frame), "two_0.keelreplay", &options),
        KEEL_OK);
    assert_int_equal(calls, 50);
    assert_int_equal(viewer.seen[49].times, 1);
    assert_int_equal(viewer.seen[50].times, 0);
    options.until = 0;
    calls = 0;
    assert_int_equal(
        keel_replay_play(viewer.world, KEEL_WORKLOAD_OF(net_frame), "two_0.keelreplay", &options),
        KEEL_OK);
    assert_int_equal(calls, 70);
    end_viewing();
}

static void the_first_check_that_differs_is_named(void **unused) {
    (void)unused;
    record_two(300, 30);
    net_end();
    assert_int_equal(play_file("two_0.keelreplay", 0, 0), KEEL_OK);
    assert_int_equal(play_file("two_0.keelreplay", 100, 0), KEEL_ERROR_DIFFERS);
    assert_why("frame 120 is not as recorded in Ship, Shot; frame 90 was; ");
    assert_why("it is the same here");
    assert_int_equal(play_file("two_0.keelreplay", 100, 110), KEEL_OK); // the check is not reached
}

// A step that depends on something outside of the world.
static uint32_t outside;
KEEL_SYSTEM(stray, KEEL_WRITE(Ship, s), KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (in->frame >= 40) s->shots += ++outside;
}
KEEL_WORKLOAD(stray_frame, KEEL_STEP(see, .main_thread = true), KEEL_STEP(steer), KEEL_STEP(fly),
              KEEL_STEP(stray));

static void a_step_that_depends_on_something_else_is_told_apart(void **unused) {
    (void)unused;
    record_two(300, 30);
    net_end();
    begin_viewing(false);
    why = (keel_error){ 0 };
    assert_int_equal(keel_replay_play(viewer.world, KEEL_WORKLOAD_OF(stray_frame),
                                      "two_0.keelreplay", &(keel_replay_options){ .error = &why }),
                     KEEL_ERROR_DIFFERS);
    assert_why("frame 60 is not as recorded in Ship; frame 30 was; played again from there, it is "
               "another one");
    end_viewing();
}

static void players_enter_and_leave_in_a_replay(void **unused) {
    (void)unused;
    net_begin(&(keel_loopback_desc){ .delay_ms = 40, .loss = 0.05F, .seed = 4 });
    static const char *const paths[] = { "late_0.keelreplay", "late_1.keelreplay",
                                         "late_2.keelreplay", "late_3.keelreplay" };
    keel_session_desc desc = {
        .players = 3, .start_players = 2, .check_every = 10, .takes_spectators = true
    };
    for (uint32_t i = 0; i < 4; ++i) {
        desc.record = paths[i];
        desc.spectates = i == 3;
        machine *m = net_machine(i, &desc);
        assert_int_equal(i ? keel_session_connect(m->session, "0", 0)
                           : keel_session_listen(m->session, 0),
                         KEEL_OK);
        net_run_wild(i ? 150 : 1, i);
    }
    const uint64_t entered = event_of(0, KEEL_SESSION_JOINED)->frame;
    playing = &machines[1];
    keel_session_end(machines[1].session); // leaves
    machines[1].session = NULL;
    net_run_wild(150, 5);
    assert_non_null(event_of(0, KEEL_SESSION_LEFT));
    const uint64_t left = event_of(0, KEEL_SESSION_LEFT)->frame;
    net_end();

    for (uint32_t i = 0; i < 4; ++i) {
        const keel_replay_info info = info_of_file(paths[i]);
        assert_true(info.is_whole);
        assert_true(i < 2 ? info.first == 0 : info.first > 100);
        begin_viewing(true);
        why = (keel_error){ 0 };
        const keel_result result =
            keel_replay_play(viewer.world, KEEL_WORKLOAD_OF(net_frame), paths[i],
                             &(keel_replay_options){ .error = &why });
        if (result != KEEL_OK) fail_msg("%s", why.message);
        if (i < 2) {
            assert_int_equal(viewer.seen[entered - 1].state[2], KEEL_INPUT_GONE);
            assert_int_equal(viewer.seen[entered].state[2], KEEL_INPUT_CONFIRMED);
        }
        if (i != 1) {
            assert_int_equal(viewer.seen[left - 1].state[1], KEEL_INPUT_CONFIRMED);
            assert_int_equal(viewer.seen[left].state[1], KEEL_INPUT_GONE);
            assert_int_equal(viewer.seen[info.end - 1].state[1], KEEL_INPUT_GONE);
        }
        end_viewing();
    }
}

// ------------------------------------------------------------------ one player
// Plays `frames` frames without a session, and records them.
static keel_result record_alone(const char *path, uint32_t frames, bool images) {
    begin_viewing(false);
    why = (keel_error){ 0 };
    keel_replay_recorder *r = keel_replay_record_begin(
        viewer.world, &(keel_replay_record_desc){ .path = path,
                                                  .input_size = sizeof(Pad),
                                                  .images = images,
                                                  .check_every = 20,
                                                  .error = &why });
    keel_result result = r ? KEEL_OK : why.result;
    for (uint32_t f = 0; f < frames && result == KEEL_OK; ++f) {
        keel_inputs in = { .frame = f, .players = 1, .size = sizeof(Pad) };
        in.state[0] = KEEL_INPUT_CONFIRMED;
        const Pad pad = { (int8_t)(f / 7 % 3), (int8_t)(f / 50 % 2), f % 9 == 0, 0 };
        memcpy(in.bytes[0], &pad, sizeof pad);
        (void)keel_set_unique_value(viewer.world, KEEL_UNIQUE_OF(keel_inputs), &in);
        result = keel_replay_record_frame(r);
        if (result == KEEL_OK) result = keel_run_workload(viewer.world, net_frame, .dt = 1.0 / 60);
    }
    const keel_result end = keel_replay_record_end(r);
    end_viewing();
    return result < 0 ? result : end;
}

static void a_game_of_one_player_is_recorded_without_a_session(void **unused) {
    (void)unused;
    assert_int_equal(record_alone("alone.keelreplay", 300, false), KEEL_OK);
    const keel_replay_info info = info_of_file("alone.keelreplay");
    assert_true(info.is_whole);
    assert_int_equal(info.end, 300);
    assert_int_equal(info.players, 1);
    assert_int_equal(info.images, 0);
    assert_int_equal(play_file("alone.keelreplay", 0, 0), KEEL_OK);
    assert_int_equal(play_file("alone.keelreplay", 250, 0), KEEL_ERROR_DIFFERS);
    assert_why("frame 260 is not as recorded in Ship, Shot; frame 240 was");
}

static void a_recorder_refuses_what_it_cannot_record(void **unused) {
    (void)unused;
    begin_viewing(false);
    keel_replay_record_desc d = { .path = "refused.keelreplay", .error = &why };
    assert_null(keel_replay_record_begin(viewer.world, &d));
    assert_why("input_size");
    assert_null(keel_replay_record_begin(viewer.world, NULL));
    assert_null(keel_replay_record_begin(NULL, &d));
    d.input_size = 4;
    d.players = 9;
    assert_null(keel_replay_record_begin(viewer.world, &d));
    assert_why("players");
    d.players = 2;
    d.rate = 1001;
    assert_null(keel_replay_record_begin(viewer.world, &d));
    assert_why("rate");
    d.rate = 0;
    d.path = "no/such/folder/file";
    assert_null(keel_replay_record_begin(viewer.world, &d));
    assert_int_equal(why.result, KEEL_ERROR_FILE);
    assert_why("no/such/folder/file");
    assert_why("No such file or directory");
    d.path = "refused.keelreplay";
    keel_replay_recorder *r = keel_replay_record_begin(viewer.world, &d);
    assert_non_null(r);
    assert_int_equal(keel_replay_record_frame(NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_replay_record_frame(r), KEEL_ERROR_MISSING_UNIQUE);
    keel_inputs in = { .frame = 1, .players = 2, .size = 4 };
    keel_inputs *there =
        keel_get_or_set_unique_value(viewer.world, KEEL_UNIQUE_OF(keel_inputs), &in);
    assert_int_equal(keel_replay_record_frame(r), KEEL_ERROR_ARGUMENT); // another frame
    there->frame = 0;
    there->players = 1;
    assert_int_equal(keel_replay_record_frame(r), KEEL_ERROR_ARGUMENT);
    there->players = 2;
    there->size = 5;
    assert_int_equal(keel_replay_record_frame(r), KEEL_ERROR_ARGUMENT);
    there->size = 4;
    there->bytes[1][3] = 1; // of a player who is gone
    assert_int_equal(keel_replay_record_frame(r), KEEL_ERROR_ARGUMENT);
    there->bytes[1][3] = 0;
    assert_int_equal(keel_replay_record_frame(r), KEEL_OK);
    assert_int_equal(keel_replay_record_end(r), KEEL_OK);
    assert_int_equal(keel_replay_record_end(NULL), KEEL_OK);
    end_viewing();
}

// ------------------------------------------------------------------ frame by frame
static void a_viewer_goes_to_any_frame(void **unused) {
    (void)unused;
    for (uint32_t images = 0; images < 2; ++images) {
        assert_int_equal(record_alone("seek.keelreplay", 1500, images), KEEL_OK);
        begin_viewing(true);
        uint64_t *hashes = calloc(1501, sizeof *hashes);
        keel_replay *r =
            keel_replay_open(viewer.world, KEEL_WORKLOAD_OF(net_frame), "seek.keelreplay", NULL);
        assert_non_null(r);
        assert_int_equal(keel_replay_info_of(r).images, images ? 2 : 0);
        for (uint64_t f = 0; f <= 1500; ++f) {
            (void)keel_world_hash(viewer.world, &hashes[f]);
            assert_int_equal(keel_replay_next(r), f < 1500 ? KEEL_OK : KEEL_ABSENT);
        }
        static const uint64_t to[] = { 0, 700, 600, 1300, 1299, 1500, 3, 1250, 1251 };
        for (size_t i = 0; i < sizeof to / sizeof *to; ++i) {
            uint64_t hash;
            memset(viewer.seen, 0, FRAMES * sizeof *viewer.seen);
            assert_int_equal(keel_replay_seek(r, to[i]), KEEL_OK);
            assert_int_equal(keel_replay_info_of(r).frame, to[i]);
            (void)keel_world_hash(viewer.world, &hash);
            assert_true(hash == hashes[to[i]]);
            if (images && to[i] == 1300) assert_int_equal(viewer.seen[1199].times, 0);
        }
        assert_int_equal(keel_replay_seek(r, 1501), KEEL_ABSENT);
        assert_int_equal(keel_replay_seek(NULL, 0), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_replay_next(NULL), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_replay_info_of(NULL).end, 0);
        keel_replay_close(r);
        keel_replay_close(NULL);
        free(hashes);
        end_viewing();
    }
}

static void after_a_difference_a_viewer_goes_on_from_the_next_image(void **unused) {
    (void)unused;
    assert_int_equal(record_alone("seek.keelreplay", 1500, true), KEEL_OK);
    begin_viewing(false);
    viewer.nudge_at = 100;
    keel_replay *r = keel_replay_open(viewer.world, KEEL_WORKLOAD_OF(net_frame), "seek.keelreplay",
                                      &(keel_replay_options){ .error = &why });
    assert_int_equal(keel_replay_seek(r, 500), KEEL_ERROR_DIFFERS);
    assert_int_equal(keel_replay_info_of(r).differs, 120);
    assert_int_equal(keel_replay_info_of(r).same, 100);
    assert_int_equal(keel_replay_info_of(r).frame, 120);
    assert_int_equal(keel_replay_next(r), KEEL_ERROR_DIFFERS);
    assert_int_equal(keel_replay_seek(r, 700), KEEL_OK);
    assert_int_equal(keel_replay_next(r), KEEL_OK);
    assert_int_equal(keel_replay_seek(r, 90), KEEL_OK);
    keel_replay_close(r);
    end_viewing();
}

// ------------------------------------------------------------------ worlds without an image
typedef struct Owned {
    void *memory;
} Owned;
static void owned_drop(void *value, void *data) {
    (void)value;
    (void)data;
}
static bool owned_copy(void *to, const void *from, void *data) {
    (void)data;
    memcpy(to, from, sizeof(Owned));
    return true;
}
static uint64_t owned_hash(const void *value, void *data) {
    (void)value;
    (void)data;
    return 1;
}
KEEL_COMPONENT(Owned, .drop = owned_drop, .copy = owned_copy, .hash = owned_hash);

static keel_world *owning_world(uint32_t ships) {
    keel_world *w = net_world(ships);
    keel_register(w, Owned);
    keel_add_entity(w, KEEL_INIT(Owned, { NULL }));
    return w;
}

static void a_world_without_an_image_must_be_as_it_was(void **unused) {
    (void)unused;
    keel_world *w = owning_world(2);
    keel_replay_recorder *r = keel_replay_record_begin(
        w,
        &(keel_replay_record_desc){ .path = "owned.keelreplay", .input_size = 4, .error = &why });
    if (!r) fail_msg("%s", why.message);
    playing = &viewer;
    for (uint32_t f = 0; f < 100; ++f) {
        keel_inputs in = { .frame = f, .players = 1, .size = 4, .state = { KEEL_INPUT_CONFIRMED } };
        in.bytes[0][0] = (unsigned char)(f & 3);
        (void)keel_set_unique_value(w, KEEL_UNIQUE_OF(keel_inputs), &in);
        assert_int_equal(keel_replay_record_frame(r), KEEL_OK);
        (void)keel_run_workload(w, net_frame, .dt = 1.0 / 60);
    }
    assert_int_equal(keel_replay_record_end(r), KEEL_OK);
    keel_world_destroy(w);
    const keel_replay_options options = { .error = &why };
    for (uint32_t ships = 2; ships < 4; ++ships) {
        w = owning_world(ships);
        const keel_result result =
            keel_replay_play(w, KEEL_WORKLOAD_OF(net_frame), "owned.keelreplay", &options);
        assert_int_equal(result, ships == 2 ? KEEL_OK : KEEL_ERROR_DIFFERS);
        keel_world_destroy(w);
    }
    assert_why("frame 0: the replay has no state of its begin");
}

// ------------------------------------------------------------------ files that are not right
static void a_file_that_is_cut_anywhere_plays_to_its_last_whole_part(void **unused) {
    (void)unused;
    unsigned char *bytes;
    assert_int_equal(record_alone("whole.keelreplay", 130, false), KEEL_OK);
    const size_t size = read_whole("whole.keelreplay", &bytes);
    uint64_t last = 0, opened = 0;
    for (size_t cut = 0; cut < size; ++cut) {
        write_whole("cut.keelreplay", bytes, cut);
        begin_viewing(false);
        keel_replay *r =
            keel_replay_open(viewer.world, KEEL_WORKLOAD_OF(net_frame), "cut.keelreplay",
                             &(keel_replay_options){ .error = &why });
        if (r) {
            keel_result result;
            while ((result = keel_replay_next(r)) == KEEL_OK)
                ;
            assert_int_equal(result, KEEL_ABSENT);
            const keel_replay_info info = keel_replay_info_of(r);
            assert_false(info.is_whole);
            assert_true(info.end >= last && info.end <= 130);
            last = info.end;
            ++opened;
        } else {
            assert_int_equal(why.result, KEEL_ERROR_FORMAT);
            assert_true(opened == 0);
        }
        keel_replay_close(r);
        end_viewing();
    }
    assert_int_equal(last, 130);
    free(bytes);
}

static void a_byte_that_changes_is_noticed_anywhere(void **unused) {
    (void)unused;
    unsigned char *bytes;
    assert_int_equal(record_alone("whole.keelreplay", 130, false), KEEL_OK);
    const size_t size = read_whole("whole.keelreplay", &bytes);
    for (size_t at = 0; at < size; ++at) {
        bytes[at] ^= (unsigned char)(1 + at % 255);
        write_whole("damaged.keelreplay", bytes, size);
        bytes[at] ^= (unsigned char)(1 + at % 255);
        begin_viewing(false);
        keel_replay *r =
            keel_replay_open(viewer.world, KEEL_WORKLOAD_OF(net_frame), "damaged.keelreplay",
                             &(keel_replay_options){ .error = &why });
        keel_result result = KEEL_OK;
        if (r) assert_false(keel_replay_info_of(r).is_whole);
        else assert_int_equal(why.result, KEEL_ERROR_FORMAT);
        while (r && (result = keel_replay_next(r)) == KEEL_OK)
            ;
        if (r) assert_int_equal(result, KEEL_ABSENT);
        keel_replay_close(r);
        end_viewing();
    }
    free(bytes);
}

static void files_that_are_no_replay_of_this_game_are_refused(void **unused) {
    (void)unused;
    assert_int_equal(play_file("missing.keelreplay", 0, 0), KEEL_ERROR_FILE);
    assert_why("'missing.keelreplay' cannot be read: No such file or directory");
    assert_int_equal(play_file(".", 0, 0), KEEL_ERROR_FILE);
    write_whole("empty.keelreplay", (const unsigned char *)"", 0);
    assert_int_equal(play_file("empty.keelreplay", 0, 0), KEEL_ERROR_FORMAT);
    assert_why("'empty.keelreplay' is no replay");

    unsigned char *bytes;
    assert_int_equal(record_alone("whole.keelreplay", 50, false), KEEL_OK);
    const size_t size = read_whole("whole.keelreplay", &bytes);
    bytes[4] = 2;
    write_whole("newer.keelreplay", bytes, size);
    free(bytes);
    assert_int_equal(play_file("newer.keelreplay", 0, 0), KEEL_ERROR_FORMAT);
    assert_why("version 2, and this Keel reads version 1");

    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Ship);
    const keel_replay_options options = { .error = &why };
    assert_int_equal(keel_replay_play(w, KEEL_WORKLOAD_OF(net_frame), "whole.keelreplay", &options),
                     KEEL_ERROR_SCHEMA);
    assert_why("'Shot'");
    assert_int_equal(keel_entity_count(w), 0);
    keel_register(w, Shot, keel_name);
    const keel_replay_options small = { .error = &why, .max_bytes = size - 1 };
    assert_int_equal(keel_replay_play(w, KEEL_WORKLOAD_OF(net_frame), "whole.keelreplay", &small),
                     KEEL_ERROR_FORMAT);
    assert_why("max_bytes");
    const keel_replay_options few = { .error = &why, .max_entities = 1 };
    assert_int_equal(keel_replay_play(w, KEEL_WORKLOAD_OF(net_frame), "whole.keelreplay", &few),
                     KEEL_ERROR_FORMAT);
    assert_int_equal(keel_entity_count(w), 0);
    assert_int_equal(keel_replay_play(NULL, KEEL_WORKLOAD_OF(net_frame), "x", NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_replay_play(w, NULL, "x", NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_replay_play(w, KEEL_WORKLOAD_OF(net_frame), NULL, &options),
                     KEEL_ERROR_ARGUMENT);
    assert_why("a world, a workload and a path");
    keel_world_destroy(w);
}

// ------------------------------------------------------------------ disks and memory that are full
static void a_session_whose_replay_cannot_be_opened_does_not_begin(void **unused) {
    (void)unused;
    keel_world *w = net_world(2);
    const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(net_frame),
                                     .input_size = sizeof(Pad),
                                     .players = 2,
                                     .record = "no/such/folder/file",
                                     .error = &why };
    assert_null(keel_session_begin(w, &desc));
    assert_int_equal(why.result, KEEL_ERROR_FILE);
    assert_why("'no/such/folder/file' cannot be written");
    keel_world_destroy(w);
}

static void a_game_goes_on_when_the_disk_is_full(void **unused) {
    (void)unused;
    if (access("/dev/full", W_OK) != 0) skip();
    net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 2,
              &(keel_session_desc){ .record = "/dev/full", .check_every = 10 });
    net_run_wild(200, 1);
    for (uint32_t i = 0; i < 2; ++i) {
        const keel_session_event *e = event_of(i, KEEL_SESSION_WARNING);
        assert_non_null(e);
        assert_non_null(strstr(e->text, "the replay '/dev/full' cannot be written from frame 0 on: "
                                        "No space left on device"));
    }
    assert_true(assert_same_game(0, 1) > 150);
    net_end();
    assert_int_equal(record_alone("/dev/full", 10, false), KEEL_ERROR_FILE);
    assert_why("No space left on device");
}

static void a_disk_that_is_full_later_ends_the_recording(void **unused) {
    (void)unused;
    struct rlimit old, small;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(record_alone("whole.keelreplay", 300, false), KEEL_OK);
    unsigned char *bytes;
    small = old;
    small.rlim_cur = read_whole("whole.keelreplay", &bytes) / 2;
    free(bytes);
    (void)remove("limited.keelreplay");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const keel_result result = record_alone("limited.keelreplay", 600, false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(result, KEEL_ERROR_FILE);
    const keel_replay_info info = info_of_file("limited.keelreplay");
    assert_false(info.is_whole);
    assert_true(info.end > 50 && info.end < 300);
    assert_int_equal(play_file("limited.keelreplay", 0, 0), KEEL_OK);
}

static void a_replay_is_played_or_not_when_memory_runs_out(void **unused) {
    (void)unused;
    assert_int_equal(record_alone("whole.keelreplay", 60, false), KEEL_OK);
    keel_result result = KEEL_ERROR_MEMORY;
    uint32_t refused = 0;
    for (int64_t at = 0; result != KEEL_OK && at < 20000; ++at) {
        begin_viewing(false);
        why = (keel_error){ 0 };
        const keel_replay_options options = { .error = &why };
        allocations_left = at;
        result = keel_replay_play(viewer.world, KEEL_WORKLOAD_OF(net_frame), "whole.keelreplay",
                                  &options);
        allocations_left = -1;
        if (result == KEEL_ERROR_FILE) result = KEEL_ERROR_MEMORY; // the C library's own memory
        refused += result == KEEL_ERROR_MEMORY;
        if (result != KEEL_OK) assert_int_equal(result, KEEL_ERROR_MEMORY);
        end_viewing();
    }
    assert_int_equal(result, KEEL_OK);
    assert_true(refused > 20);
}

static void a_recording_ends_when_memory_runs_out(void **unused) {
    (void)unused;
    keel_result result = KEEL_ERROR_MEMORY;
    for (int64_t at = 0; result != KEEL_OK && at < 20000; ++at) {
        begin_viewing(false);
        const keel_replay_record_desc desc = {
            .path = "memory.keelreplay", .input_size = sizeof(Pad), .check_every = 5, .error = &why
        };
        allocations_left = at;
        keel_replay_recorder *r = keel_replay_record_begin(viewer.world, &desc);
        result = r ? KEEL_OK : why.result;
        for (uint32_t f = 0; f < 12 && result == KEEL_OK; ++f) {
            keel_inputs in = { .frame = f, .players = 1, .size = sizeof(Pad) };
            result = keel_set_unique_value(viewer.world, KEEL_UNIQUE_OF(keel_inputs), &in);
            if (result == KEEL_OK) result = keel_replay_record_frame(r);
        }
        const keel_result end = keel_replay_record_end(r);
        allocations_left = -1;
        if (result == KEEL_OK) result = end;
        if (result != KEEL_OK && result != KEEL_ERROR_FILE)
            assert_int_equal(result, KEEL_ERROR_MEMORY);
        end_viewing();
    }
    assert_int_equal(result, KEEL_OK);
    assert_int_equal(info_of_file("memory.keelreplay").end, 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_session_recorded_is_played_state_by_state),
        cmocka_unit_test(playing_ends_where_it_is_told_to),
        cmocka_unit_test(the_first_check_that_differs_is_named),
        cmocka_unit_test(a_step_that_depends_on_something_else_is_told_apart),
        cmocka_unit_test(players_enter_and_leave_in_a_replay),
        cmocka_unit_test(a_game_of_one_player_is_recorded_without_a_session),
        cmocka_unit_test(a_recorder_refuses_what_it_cannot_record),
        cmocka_unit_test(a_viewer_goes_to_any_frame),
        cmocka_unit_test(after_a_difference_a_viewer_goes_on_from_the_next_image),
        cmocka_unit_test(a_world_without_an_image_must_be_as_it_was),
        cmocka_unit_test(a_file_that_is_cut_anywhere_plays_to_its_last_whole_part),
        cmocka_unit_test(a_byte_that_changes_is_noticed_anywhere),
        cmocka_unit_test(files_that_are_no_replay_of_this_game_are_refused),
        cmocka_unit_test(a_session_whose_replay_cannot_be_opened_does_not_begin),
        cmocka_unit_test(a_game_goes_on_when_the_disk_is_full),
        cmocka_unit_test(a_disk_that_is_full_later_ends_the_recording),
        cmocka_unit_test(a_replay_is_played_or_not_when_memory_runs_out),
        cmocka_unit_test(a_recording_ends_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
