// SPDX-License-Identifier: MIT
// A program that is watched has the same worlds as one that is not, for any number of workers.
#include "client.h"
#include "support/test.h"
#include "watchers.h"

#include <time.h>

enum { FRAMES = 300, READERS = 9 }; // all watchers but the one that edits

static uint64_t hash_alone(void) {
    program p;
    uint64_t hash = 0;
    keel_world *world = program_world(&p, 1);
    for (int i = 0; i < FRAMES; ++i)
        program_frame(world);
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    keel_world_destroy(world);
    return hash;
}

static uint64_t hash_watched(const program_desc *desc) {
    program p;
    watchers w;
    uint64_t hash = 0;
    program_prepare(&p, desc);
    watchers_begin(&w, &p, READERS);
    for (int i = 0; i < FRAMES; ++i) {
        assert_true(keel_inspect_update(p.inspect));
        program_frame(p.world);
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    assert_int_equal(keel_world_hash(p.world, &hash), KEEL_OK);
    // Watchers that wait for an answer get one at the end.
    atomic_store(&w.stop, true);
    program_end(&p);
    watchers_end(&w);
    assert_true(atomic_load(&w.asked) > 10);
    return hash;
}

static void watching_changes_nothing(void **state) {
    (void)state;
    const uint64_t alone = hash_alone();
    for (uint32_t workers = 1; workers <= 16; workers += test_few() > 1 ? 5 : 1)
        assert_true(hash_watched(&(program_desc){ .workers = workers }) == alone);
}

static void the_past_and_changes_change_nothing(void **state) {
    (void)state;
    const uint64_t alone = hash_alone();
    for (uint32_t workers = 1; workers <= 4; workers *= 2)
        assert_true(hash_watched(&(program_desc){
                        .workers = workers, .inspect = { .past = 40, .changes = workers > 1 } }) ==
                    alone);
}

static const struct CMUnitTest tests[] = {
    TEST(watching_changes_nothing, "with 1 to 16 workers, a watched world has the same hash"),
    TEST(the_past_and_changes_change_nothing, "keeping the past and changes leaves the same hash"),
};
int main(void) { return RUN(tests); }
