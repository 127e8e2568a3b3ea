// SPDX-License-Identifier: MIT
// A snapshot is saved on another thread while its world goes on: the file is the world of the take.
#include "support/api_types.h"

#include <keel_save.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct Walk {
    int32_t x, step;
} Walk;
KEEL_FIELDS(Walk, x, step);
KEEL_COMPONENT(Walk, KEEL_HAS_FIELDS(Walk), .storage = KEEL_INDEXED);
typedef struct Load {
    uint64_t tons[4];
} Load;
KEEL_FIELDS(Load, tons);
KEEL_COMPONENT(Load, KEEL_HAS_FIELDS(Load), .storage = KEEL_ARCHETYPE);
typedef struct Turn {
    uint32_t number;
    keel_entity who;
} Turn;
KEEL_FIELDS(Turn, number, who);
KEEL_UNIQUE(Turn, KEEL_HAS_FIELDS(Turn));
KEEL_RELATION(Follows);

static api_fixture f;
static keel_world *loaded;
static const char path[] = "slot.keel";

static void know_all(keel_world *world) {
    assert_int_equal(keel_register(world, Walk, Load, Follows), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Turn)));
}

static int set_up(void **state) {
    (void)state;
    owned_begin();
    api_begin(&f);
    know_all(f.world);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    (void)remove(path);
    api_end(&f);
    assert_owned_end();
    return 0;
}
#define SNAPSHOT_TEST(function, title)                                                             \
    { title, function, set_up, tear_down, NULL }

KEEL_SYSTEM(walk, KEEL_WRITE(Walk, w)) { w->x += w->step; }
KEEL_SYSTEM(unload, KEEL_WRITE(Load, l), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (--l->tons[0] % 64 == 0) keel_delete_entity(out, e);
}
KEEL_SYSTEM_ONCE(turn, KEEL_UNIQUE_WRITE(Turn, t), KEEL_COMMANDS(out)) {
    ++t->number;
    for (int i = 0; i < 20; ++i)
        keel_add_entity(out, KEEL_INIT(Walk, { i, 1 }),
                        KEEL_INIT(Load, { { t->number, 7, 7, 7 } }));
}
KEEL_WORKLOAD(frame, KEEL_STEP(walk), KEEL_STEP(unload), KEEL_STEP(turn));

static void fill(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Walk, { (int32_t)i, 3 }),
                                              KEEL_INIT(Load, { { i % 97 + 1, i, 0, 1 } }));
        char name[24];
        (void)snprintf(name, sizeof name, "%u", (unsigned)i);
        if (i % 5 == 0) assert_int_equal(keel_set_name(f.world, e, name), KEEL_OK);
        if (i % 7)
            assert_int_equal(keel_attach(f.world, e, keel_entity_at(f.world, i / 7)), KEEL_OK);
        if (i % 3)
            assert_int_equal(keel_relate(f.world, e, Follows, keel_entity_at(f.world, i / 2)),
                             KEEL_OK);
        if (i % 11 == 4) assert_int_equal(keel_disable(f.world, e, Load), KEEL_OK);
    }
    keel_set_unique(f.world, Turn, { 1, keel_entity_at(f.world, 3) });
}

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static uint64_t hash_of_file(void) {
    keel_error why = { 0 };
    loaded = keel_world_create(
        &(keel_world_desc){ .log = log_to(&f.log), .on_misuse = KEEL_MISUSE_RETURN });
    know_all(loaded);
    if (keel_load(loaded, path, &(keel_load_options){ .error = &why }) < 0)
        fail_msg("%s", why.message);
    const uint64_t hash = hash_of(loaded);
    keel_world_destroy(loaded);
    return hash;
}

// ------------------------------------------------------------------ on another thread
typedef struct saver {
    keel_snapshot *snapshot;
    keel_result result;
    keel_error why;
    bool is_done; // atomic
} saver;

static void *save(void *data) {
    saver *s = data;
    s->result = keel_save_snapshot(s->snapshot, path, &(keel_save_options){ .error = &s->why });
    __atomic_store_n(&s->is_done, true, __ATOMIC_RELEASE);
    return NULL;
}

static void the_world_goes_on_meanwhile(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "autosave");
    keel_snapshot *other = keel_snapshot_create(f.world, "rewind");
    uint32_t frames = 0;
    fill(3000);
    for (uint32_t round = 0; round < 5; ++round) {
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        const uint64_t hash = hash_of(f.world);
        const keel_world *image;
        saver s = { .snapshot = then };
        pthread_t thread;
        assert_int_equal(keel_snapshot_read_begin(then, &image), KEEL_OK); // until it has begun
        assert_int_equal(pthread_create(&thread, NULL, save, &s), 0);
        do {
            assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
            assert_int_equal(keel_snapshot_take(other), KEEL_OK);
            assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_BORROWED); // too early
            ++frames;
        } while (!__atomic_load_n(&s.is_done, __ATOMIC_ACQUIRE));
        assert_int_equal(pthread_join(thread, NULL), 0);
        keel_snapshot_read_end(then);
        if (s.result < 0) fail_msg("%s", s.why.message);
        assert_true(hash_of_file() == hash);
        keel_clear_errors(f.world);
    }
    assert_true(frames >= 5);
    keel_snapshot_destroy(other);
    keel_snapshot_destroy(then);
}

static void what_is_saved_is_the_take(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "autosave");
    fill(500);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    const uint64_t hash = hash_of(f.world);
    for (int i = 0; i < 10; ++i)
        assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
    assert_true(hash_of(f.world) != hash);
    assert_int_equal(keel_save_snapshot(then, path, NULL), KEEL_OK);
    assert_true(hash_of_file() == hash);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_true(hash_of(f.world) == hash);
    keel_snapshot_destroy(then);
}

// ------------------------------------------------------------------ misuse
static void what_is_read_is_not_written(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "autosave");
    const keel_world *image = NULL;
    keel_error why = { 0 };
    assert_int_equal(keel_save_snapshot(then, path, &(keel_save_options){ .error = &why }),
                     KEEL_ABSENT);
    assert_int_equal(keel_save_snapshot(NULL, path, NULL), KEEL_ERROR_ARGUMENT);
    fill(20);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_snapshot_read_begin(then, &image), KEEL_OK);
    assert_int_equal(keel_snapshot_read_begin(then, &image), KEEL_OK); // twice
    assert_int_equal(keel_entity_count(image), 20);
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_BORROWED);
    assert_non_null(strstr(keel_last_error(f.world)->message, "'autosave'"));
    assert_int_equal(keel_snapshot_reserve(then), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_BORROWED);
    keel_snapshot_destroy(then); // is still there
    keel_snapshot_read_end(then);
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_save_snapshot(then, path, NULL), KEEL_OK); // beside another one
    keel_snapshot_read_end(then);
    keel_snapshot_read_end(then); // once too often
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_clear_errors(f.world);
    keel_snapshot_destroy(then);
}

static const struct CMUnitTest tests[] = {
    SNAPSHOT_TEST(what_is_saved_is_the_take, "what is saved is the world of the take"),
    SNAPSHOT_TEST(the_world_goes_on_meanwhile, "the world goes on while it is saved"),
    SNAPSHOT_TEST(what_is_read_is_not_written, "a snapshot that is read is not written"),
};

int main(void) { return RUN(tests); }
