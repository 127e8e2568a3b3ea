// SPDX-License-Identifier: MIT
// A domain that begins with a checkpoint ends like one that was never interrupted, on any number of
// ranks. Checkpoints that are damaged, mixed or missing are refused, and a save that fails leaves
// the folder as it was. Ranks are threads.
#define _DEFAULT_SOURCE // mkdtemp
#include "model.h"

#include "manifest.h"
#include "support/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[32] = "/tmp/keel_checkpoint_XXXXXX"; // all folders of the test
static char folder[64], other_folder[64];

// ------------------------------------------------------------------ playing
typedef struct outcome {
    keel_result result;
    uint64_t hash, steps;
    char text[256];
    bool is_empty; // the world, after an error
} outcome;

typedef struct game {
    const char *restart, *save_into;
    uint32_t steps;                                  // plays until so many are over
    uint32_t save_every;                             // 0: only at the end
    void (*before)(keel_world *w, keel_ranks ranks); // changes the world first; may be NULL
    outcome outcomes[8];
} game;

static bool saves_after(const game *g, uint64_t steps) {
    if (!g->save_into) return false;
    return steps == g->steps || (g->save_every && steps % g->save_every == 0);
}

static void play(keel_ranks ranks, void *data) {
    game *g = data;
    outcome *o = &g->outcomes[ranks.rank];
    keel_world *w = new_world(ranks);
    if (g->restart) keel_clear_entities(w);
    if (g->before) g->before(w, ranks);
    keel_error error = { 0 };
    keel_domain *d = begin_domain_from(ranks, w, g->restart, &error);
    o->result = error.result;
    o->is_empty = keel_entity_count(w) == 0;
    snprintf(o->text, sizeof o->text, "%s", error.message);
    while (d && o->result >= 0 && keel_domain_status_of(d).steps < g->steps) {
        o->result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
        if (o->result >= 0 && saves_after(g, keel_domain_status_of(d).steps))
            o->result = keel_domain_save(d, g->save_into);
    }
    if (d && o->result < 0) snprintf(o->text, sizeof o->text, "%s", keel_domain_error(d)->message);
    if (o->result >= 0) o->result = keel_domain_hash(d, &o->hash);
    o->steps = keel_domain_status_of(d).steps;
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

// Returns the hash of all.
static uint64_t play_on(uint32_t ranks, game g) {
    assert_int_equal(keel_run_ranks(ranks, ranks, play, &g), KEEL_OK);
    for (uint32_t r = 0; r < ranks; ++r) {
        const outcome *o = &g.outcomes[r];
        if (o->result < 0) fail_msg("rank %u of %u: %s", r, ranks, o->text);
        assert_true(o->hash == g.outcomes[0].hash && o->steps == g.steps);
    }
    return g.outcomes[0].hash;
}

static void any_number_of_ranks_goes_on(void **unused) {
    (void)unused;
    static const uint32_t before[] = { 1, 2, 3, 4 }, after[] = { 1, 2, 3, 4, 8 };
    const uint64_t whole = play_on(1, (game){ .steps = STEPS });
    for (size_t i = 0; i < 4; ++i) {
        const uint32_t steps = 50 + 10 * (uint32_t)i;
        const uint64_t hash = play_on(before[i], (game){ .steps = steps, .save_into = folder });
        for (size_t k = 0; k < 5; ++k) {
            const game same = { .steps = steps, .restart = folder };
            assert_true(play_on(after[k], same) == hash);
            const game rest = { .steps = STEPS, .restart = folder };
            if (play_on(after[k], rest) != whole)
                fail_msg("saved on %u ranks, another end on %u", before[i], after[k]);
        }
    }
}

// ------------------------------------------------------------------ files
typedef struct content {
    size_t size;
    unsigned char bytes[1 << 16];
} content;

static const char *in(const char *of, const char *name) {
    static char path[2][160];
    static int turn;
    turn = !turn;
    (void)snprintf(path[turn], sizeof path[0], "%s/%s", of, name);
    return path[turn];
}

static content read_file(const char *path) {
    content c;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    c.size = fread(c.bytes, 1, sizeof c.bytes, file);
    (void)fclose(file);
    assert_true(c.size < sizeof c.bytes);
    return c;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    (void)fclose(file);
}

static void write_text(const char *path, const char *text) { write_file(path, text, strlen(text)); }

// Returns the number of files.
static uint32_t count_files(const char *path) {
    DIR *all = opendir(path);
    uint32_t count = 0;
    for (const struct dirent *one; all && (one = readdir(all)) != NULL;)
        count += one->d_name[0] != '.';
    if (all) (void)closedir(all);
    return count;
}

static void empty_folder(const char *path) {
    DIR *all = opendir(path);
    for (const struct dirent *one; all && (one = readdir(all)) != NULL;)
        (void)unlinkat(dirfd(all), one->d_name, 0);
    if (all) (void)closedir(all);
    (void)rmdir(path);
}

// ------------------------------------------------------------------ what is refused
// Restarts on some ranks: all refuse with the same sentence, which has a text in it.
static void refuse(uint32_t ranks, game g, keel_result result, const char *text) {
    g.steps = STEPS;
    assert_int_equal(keel_run_ranks(ranks, ranks, play, &g), KEEL_OK);
    for (uint32_t r = 0; r < ranks; ++r) {
        const outcome *o = &g.outcomes[r];
        if (!strstr(o->text, text)) fail_msg("'%s' is not in '%s'", text, o->text);
        if (result ? o->result != result : o->result >= 0) fail_msg("%d: %s", o->result, o->text);
        assert_string_equal(o->text, g.outcomes[0].text);
        assert_true(o->is_empty);
    }
}

static void refuse_folder(uint32_t ranks, keel_result result, const char *text) {
    refuse(ranks, (game){ .restart = folder }, result, text);
}

// Saves after some steps on three ranks, as 1-0.keel to 1-2.keel.
static uint64_t save_three(const char *into, uint32_t steps) {
    empty_folder(into);
    return play_on(3, (game){ .steps = steps, .save_into = into });
}

static void damaged_manifests_are_refused(void **unused) {
    (void)unused;
    (void)save_three(folder, 20);
    const content whole = read_file(in(folder, "manifest"));
    content c = whole;
    for (size_t i = 0; i < whole.size; ++i) {
        static const unsigned char others[] = { 1, 0x80 };
        for (size_t k = 0; k < 2; ++k) {
            c.bytes[i] = whole.bytes[i] ^ others[k];
            write_file(in(folder, "manifest"), c.bytes, c.size);
            refuse_folder(1 + (uint32_t)(i + k) % 2, KEEL_ERROR_FORMAT, "/manifest': ");
        }
        c.bytes[i] = whole.bytes[i];
        write_file(in(folder, "manifest"), c.bytes, i);
        refuse_folder(2, KEEL_ERROR_FORMAT, "/manifest': ");
    }
    c.bytes[c.size++] = '\n';
    write_file(in(folder, "manifest"), c.bytes, c.size);
    refuse_folder(2, KEEL_ERROR_FORMAT, "/manifest': it is damaged");
    write_text(in(folder, "manifest"), "keel-checkpoint 2\nanything\n");
    refuse_folder(2, KEEL_ERROR_FORMAT, "/manifest': a newer version of Keel wrote it");
    (void)unlink(in(folder, "manifest"));
    refuse_folder(3, KEEL_ERROR_FILE, "cannot open '");
    assert_int_equal(mkdir(in(folder, "manifest"), 0777), 0);
    refuse_folder(3, KEEL_ERROR_FORMAT, "/manifest' is no file of a checkpoint");
    (void)rmdir(in(folder, "manifest"));
}

// Writes a manifest whose hash is right.
static void forge(const char *lines) {
    char text[1024];
    const int length = snprintf(text, sizeof text, "%s", lines);
    (void)snprintf(text + length, sizeof text - (size_t)length, "end %016llx\n",
                   (unsigned long long)keeli_manifest_hash(text, (size_t)length));
    write_text(in(folder, "manifest"), text);
}

static void forged_manifests_are_refused(void **unused) {
    (void)unused;
    (void)save_three(folder, 20);
    static const struct {
        const char *parts, *why;
    } forged[] = {
        { "parts 0\n", "damaged" },
        { "parts 4097\n", "damaged" },
        { "parts 18446744073709551617\npart 1-0.keel 1 0123456789abcdef 0\n", "damaged" },
        { "parts 2\npart 1-0.keel 1 0123456789abcdef 0\n", "damaged" },
        { "parts 1\npart ../1-0.keel 1 0123456789abcdef 0\n", "damaged" },
        { "parts 1\npart /etc/passwd 1 0123456789abcdef 0\n", "damaged" },
        { "parts 1\npart 1-0.keel/ 1 0123456789abcdef 0\n", "damaged" },
        { "parts 1\npart 1-0.keel -1 0123456789abcdef 0\n", "damaged" },
        { "parts 1\npart 1-0.keel 1 0123456789abcdef 17592186044416\n", "damaged" },
        { "parts 1\npart 1-0.keel 1 0123456789abcdef 0\npart 1-1.keel 1 0123456789abcdef 0\n",
          "damaged" },
        { "parts 1\npart 1-0.keel 9223372036854775807 0123456789abcdef 0\n", "truncated" },
        { "parts 1\npart 1-0.keel 1 0123456789abcdef 0\n", "of another checkpoint" },
        { "parts 1\npart 7-0.keel 1 0123456789abcdef 0\n", "No such file" },
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; ++i) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "keel-checkpoint 1\nsteps 20\nschema 0123456789abcdef\n%s", forged[i].parts);
        forge(text);
        refuse_folder(2, KEEL_OK, forged[i].why);
    }
}

// Writes a manifest of one part, whose hash is right.
static void forge_part(const content *part, int times) {
    char text[512];
    int at = snprintf(text, sizeof text,
                      "keel-checkpoint 1\nsteps 20\nschema 0123456789abcdef\nparts %d\n", times);
    for (int i = 0; i < times; ++i)
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "part 1-0.keel %zu %016llx 0\n",
                     part->size, (unsigned long long)keeli_manifest_hash(part->bytes, part->size));
    forge(text);
}

static void damaged_parts_are_refused(void **unused) {
    (void)unused;
    (void)save_three(folder, 20);
    const content whole = read_file(in(folder, "1-0.keel")),
                  manifest = read_file(in(folder, "manifest"));
    content c = whole;
    for (size_t i = 0; i < whole.size; i += i < 64 ? 1 : 61) {
        write_file(in(folder, "manifest"), manifest.bytes, manifest.size);
        write_file(in(folder, "1-0.keel"), whole.bytes, i);
        refuse_folder(2, KEEL_ERROR_FORMAT, "truncated");
        c.bytes[i] ^= 1;
        write_file(in(folder, "1-0.keel"), c.bytes, c.size);
        refuse_folder(3, KEEL_ERROR_FORMAT, "it is damaged, or of another checkpoint");
        forge_part(&c, 1);
        refuse_folder(1, KEEL_ERROR_FORMAT, "'1-0.keel': ");
        c.bytes[i] ^= 1;
        c.size = i;
        write_file(in(folder, "1-0.keel"), c.bytes, c.size);
        forge_part(&c, 1);
        refuse_folder(1, KEEL_ERROR_FORMAT, "'1-0.keel': ");
        c.size = whole.size;
    }
    write_file(in(folder, "1-0.keel"), whole.bytes, whole.size);
    forge_part(&whole, 2); // all entities twice
    refuse_folder(1, KEEL_ERROR_OCCUPIED, "own the entity with the global id");
    refuse_folder(2, KEEL_ERROR_OCCUPIED, "own the entity with the global id");
}

static void mixed_and_missing_parts_are_refused(void **unused) {
    (void)unused;
    const uint64_t hash = save_three(folder, 20);
    (void)save_three(other_folder, 30);
    const content own = read_file(in(folder, "1-1.keel")),
                  other = read_file(in(other_folder, "1-1.keel")),
                  third = read_file(in(folder, "1-2.keel"));
    write_file(in(folder, "1-1.keel"), other.bytes, other.size);
    refuse_folder(2, KEEL_ERROR_FORMAT, "of another checkpoint");
    write_file(in(folder, "1-1.keel"), third.bytes, third.size);
    write_file(in(folder, "1-2.keel"), own.bytes, own.size);
    refuse_folder(4, KEEL_ERROR_FORMAT, "of another checkpoint");
    write_file(in(folder, "1-2.keel"), third.bytes, third.size);
    (void)unlink(in(folder, "1-1.keel"));
    refuse_folder(4, KEEL_ERROR_FILE, "1-1.keel': No such file");
    assert_int_equal(mkfifo(in(folder, "1-1.keel"), 0666), 0);
    refuse_folder(4, KEEL_ERROR_FORMAT, "1-1.keel' is no file of a checkpoint");
    (void)unlink(in(folder, "1-1.keel"));
    write_file(in(folder, "1-1.keel"), own.bytes, own.size);
    assert_true(play_on(2, (game){ .steps = 20, .restart = folder }) == hash);
}

// ------------------------------------------------------------------ other programs
typedef struct Large {
    uint32_t numbers[3];
} Large;
KEEL_COMPONENT(Large, .name = "Changed", .no_padding = true);
typedef struct Small {
    uint32_t number;
} Small;
KEEL_COMPONENT(Small, .name = "Changed", .no_padding = true);
typedef struct Weather {
    uint32_t wind;
} Weather;
KEEL_UNIQUE(Weather, .no_padding = true);

static void add_small(keel_world *w, keel_ranks ranks) {
    keel_add_entity(w, KEEL_INIT(keel_global_id, { 7000u + ranks.rank }),
                    KEEL_INIT(Place, { 1, 2 }), KEEL_INIT(Small, { 5 }));
    keel_set_unique(w, Weather, { 30 + ranks.rank });
}
static void know_small(keel_world *w, keel_ranks ranks) {
    (void)ranks;
    keel_register(w, Small);
    keel_register_component(w, KEEL_UNIQUE_OF(Weather));
}
static void know_large(keel_world *w, keel_ranks ranks) {
    know_small(w, ranks);
    keel_unregister(w, Small);
    keel_register(w, Large);
}
static void know_weather(keel_world *w, keel_ranks ranks) {
    (void)ranks;
    keel_register_component(w, KEEL_UNIQUE_OF(Weather));
}
static void add_one(keel_world *w, keel_ranks ranks) {
    know_small(w, ranks);
    if (ranks.rank == 1) keel_add_entity(w, KEEL_INIT(Place, { 1, 2 }));
}

static void other_programs_are_refused(void **unused) {
    (void)unused;
    const game saved = { .steps = 5, .save_into = folder, .before = add_small };
    empty_folder(folder);
    (void)play_on(2, saved);
    refuse(2, (game){ .restart = folder, .before = know_large }, KEEL_ERROR_SCHEMA, "'Changed");
    refuse(2, (game){ .restart = folder, .before = know_large }, KEEL_ERROR_SCHEMA,
           "a program with other components saved it");
    refuse(2, (game){ .restart = folder, .before = know_weather }, KEEL_ERROR_SCHEMA, "'Changed");
    (void)play_on(3, (game){ .steps = 5, .restart = folder, .before = know_small });
    game g = { .steps = 5, .restart = folder, .before = add_one };
    assert_int_equal(keel_run_ranks(2, 1, play, &g), KEEL_OK);
    for (int r = 0; r < 2; ++r) {
        assert_int_equal(g.outcomes[r].result, KEEL_ERROR_ARGUMENT);
        assert_string_equal(g.outcomes[r].text, "rank 1: the world of a restart has entities: "
                                                "begin with an empty one");
    }
}

// ------------------------------------------------------------------ saves that fail
typedef struct Odd {
    char letter;
    uint32_t number; // behind padding: saves refuse it
} Odd;
KEEL_COMPONENT(Odd);

// What makes a save fail: an entity of rank 1, or the disk.
typedef enum save_cause { THE_FOLDER, AN_ODD, NO_ID, DISABLED, THE_DISK } save_cause;

typedef struct failure {
    save_cause cause;
    const char *into, *text;
    keel_result result;
    uint64_t hash;
} failure;

static keel_entity add_cause(keel_world *w, save_cause cause) {
    const keel_global_id id = { 9999 };
    if (cause == AN_ODD)
        return keel_add_entity(w, KEEL_INIT(keel_global_id, id), KEEL_INIT(Odd, { 'a', 1 }));
    if (cause == NO_ID) return keel_add_entity(w, KEEL_INIT(Speed, { 1, 1 }));
    if (cause != DISABLED) return keel_null();
    const keel_entity e = keel_add_entity(w, KEEL_INIT(keel_global_id, id));
    assert_int_equal(keel_enable_entity(w, e, false), KEEL_OK);
    return e;
}

static void set_limit(rlim_t bytes) {
    const struct rlimit limit = { bytes, RLIM_INFINITY };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// Plays to the end, with a save in between that fails.
static void play_failing(keel_ranks ranks, void *data) {
    failure *f = data;
    keel_world *w = new_world(ranks);
    keel_register(w, Odd);
    keel_error error = { 0 };
    keel_domain *d = begin_domain(ranks, w, &error);
    assert_non_null(d);
    keel_entity cause = keel_null();
    for (uint32_t i = 0; i < STEPS; ++i) {
        assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(tick)), KEEL_OK);
        if (i != 20) continue;
        if (ranks.rank == 1) cause = add_cause(w, f->cause);
        if (f->cause == THE_DISK) set_limit(1024);
        assert_int_equal(keel_domain_save(d, f->into), f->result);
        const char *text = keel_domain_error(d)->message;
        if (!strstr(text, f->text)) fail_msg("'%s' is not in '%s'", f->text, text);
        if (!keel_is_null(cause)) keel_delete_entity(w, cause);
        uint64_t all; // all ranks have saved
        assert_int_equal(keel_domain_count(d, &all), KEEL_OK);
        if (f->cause == THE_DISK) set_limit(RLIM_INFINITY);
    }
    uint64_t hash = 0;
    assert_int_equal(keel_domain_hash(d, &hash), KEEL_OK);
    if (ranks.rank == 0) f->hash = hash;
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void saves_that_fail_change_nothing(void **unused) {
    (void)unused;
    const uint64_t end = play_on(1, (game){ .steps = STEPS }), hash = save_three(folder, 20);
    empty_folder(other_folder);
    write_text(in(root, "file"), "a file");
    const char *const file = strdup(in(root, "file")), *const far = strdup(in(root, "no/where"));
    const failure failures[] = {
        { THE_FOLDER, file, "file': Not a directory", KEEL_ERROR_FILE, 0 },
        { THE_FOLDER, far, "no/where': No such file or directory", KEEL_ERROR_FILE, 0 },
        { THE_FOLDER, "/proc", "cannot write beside '/proc/1-", KEEL_ERROR_FILE, 0 },
        { THE_FOLDER, "", "needs a folder", KEEL_ERROR_ARGUMENT, 0 },
        { AN_ODD, folder, "rank 1: 'Odd' does not say", KEEL_ERROR_SCHEMA, 0 },
        { AN_ODD, other_folder, "rank 1: 'Odd' does not say", KEEL_ERROR_SCHEMA, 0 },
        { NO_ID, folder, "has no keel_global_id, or a disabled one", KEEL_ERROR_UNKNOWN, 0 },
        { NO_ID, other_folder, "has no keel_global_id", KEEL_ERROR_UNKNOWN, 0 },
        { DISABLED, other_folder, "has no keel_global_id", KEEL_ERROR_UNKNOWN, 0 },
        { THE_DISK, folder, "cannot write '", KEEL_ERROR_FILE, 0 },
        { THE_DISK, other_folder, "cannot write '", KEEL_ERROR_FILE, 0 },
    };
    (void)signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i) {
        failure f = failures[i];
        assert_int_equal(keel_run_ranks(3, 1, play_failing, &f), KEEL_OK);
        assert_true(f.hash == end);
        assert_int_equal(count_files(folder), 4);
        assert_true(access(other_folder, F_OK) != 0);
    }
    assert_true(play_on(2, (game){ .steps = 20, .restart = folder }) == hash);
    free((void *)(uintptr_t)file);
    free((void *)(uintptr_t)far);
}

static void later_saves_replace_earlier_ones(void **unused) {
    (void)unused;
    (void)save_three(folder, 10);
    // what is left of a save that was killed, and a file of somebody else
    write_text(in(folder, "17-0.keel"), "x");
    write_text(in(folder, "17-1.keel.aBc123"), "x");
    write_text(in(folder, "manifest.aBc123"), "x");
    write_text(in(folder, "notes-1.keel"), "x");
    const game more = { .steps = 40, .restart = folder, .save_into = folder, .save_every = 10 };
    const uint64_t hash = play_on(2, more);
    assert_int_equal(count_files(folder), 4); // two parts, the manifest, notes
    assert_int_equal(access(in(folder, "20-0.keel"), F_OK), 0);
    assert_true(play_on(4, (game){ .steps = 40, .restart = folder }) == hash);
}

// ------------------------------------------------------------------ ids, uniques
typedef struct part_game {
    uint32_t phase;
    uint64_t count;
} part_game;

// Ranks give ids, save, give more in a second life, and end up with one id for each entity.
static void play_ids(keel_ranks ranks, void *data) {
    part_game *g = data;
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Place, Speed, Life, Red, Friend);
    keel_register_component(w, KEEL_UNIQUE_OF(Weather));
    keel_error error = { 0 };
    if (!g->phase) {
        keel_set_unique(w, Weather, { 30 + ranks.rank });
        for (int i = 0; i < 10; ++i)
            keel_add_entity(w, KEEL_INIT(Place, { i * 100, (int)ranks.rank * 100 }));
    }
    keel_domain *d = begin_domain_from(ranks, w, g->phase ? folder : NULL, &error);
    if (!d) fail_msg("%s", error.message);
    const Weather *weather = keel_get_unique(w, Weather);
    assert_non_null(weather);
    assert_int_equal(weather->wind, 30 + (g->phase ? ranks.rank % 3 : ranks.rank));
    for (int i = 0; i < 5; ++i)
        keel_add_entity(w, KEEL_INIT(Place, { i * 90, (int)ranks.rank * 90 }));
    if (g->phase) assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(tick)), KEEL_OK);
    assert_int_equal(keel_domain_save(d, folder), KEEL_OK); // it gives ids, too
    assert_int_equal(keel_domain_balance(d), KEEL_OK);
    uint64_t count;
    assert_int_equal(keel_domain_count(d, &count), KEEL_OK);
    if (!ranks.rank) g->count = count;
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void ids_of_ranks_do_not_meet(void **unused) {
    (void)unused;
    part_game g = { 0 };
    empty_folder(folder);
    assert_int_equal(keel_run_ranks(3, 1, play_ids, &g), KEEL_OK);
    assert_int_equal(g.count, 45);
    g.phase = 1;
    assert_int_equal(keel_run_ranks(2, 1, play_ids, &g), KEEL_OK);
    assert_int_equal(g.count, 55);
}

static void play_one_restart(keel_ranks ranks, void *data) {
    outcome *o = (outcome *)data + ranks.rank;
    keel_world *w = new_world(ranks);
    keel_clear_entities(w);
    keel_error error = { 0 };
    keel_domain *d = begin_domain_from(ranks, w, ranks.rank == 1 ? folder : NULL, &error);
    o->result = error.result;
    snprintf(o->text, sizeof o->text, "%s", error.message);
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void all_ranks_restart_or_none(void **unused) {
    (void)unused;
    outcome o[3] = { 0 };
    assert_int_equal(keel_run_ranks(3, 1, play_one_restart, o), KEEL_OK);
    for (int r = 0; r < 3; ++r) {
        assert_int_equal(o[r].result, KEEL_ERROR_SCHEMA);
        assert_non_null(strstr(o[r].text, "rank 1: .restart: it is not the same as on rank 0"));
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(any_number_of_ranks_goes_on, "any number of ranks goes on"),
        TEST(damaged_manifests_are_refused, "damaged manifests are refused"),
        TEST(forged_manifests_are_refused, "forged manifests are refused"),
        TEST(damaged_parts_are_refused, "damaged parts are refused"),
        TEST(mixed_and_missing_parts_are_refused, "mixed and missing parts are refused"),
        TEST(other_programs_are_refused, "other programs are refused"),
        TEST(saves_that_fail_change_nothing, "saves that fail change nothing"),
        TEST(later_saves_replace_earlier_ones, "later saves replace earlier ones"),
        TEST(ids_of_ranks_do_not_meet, "ids of ranks do not meet"),
        TEST(all_ranks_restart_or_none, "all ranks restart, or none"),
    };
    if (!mkdtemp(root)) return 1;
    (void)snprintf(folder, sizeof folder, "%s/a", root);
    (void)snprintf(other_folder, sizeof other_folder, "%s/b", root);
    const int failed = RUN(tests);
    empty_folder(folder);
    empty_folder(other_folder);
    empty_folder(root);
    return failed;
}
