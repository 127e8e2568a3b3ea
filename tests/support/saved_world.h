// SPDX-License-Identifier: MIT
// The fixture of tests of saves: a world, its save in memory, and another world that loads it, as a
// later program would. It has no components: each test in tests/api that includes it has its own.
#pragma once
#include "support/api_fixture.h"

#include <keel_save.h>
#include <string.h>

static api_fixture f;      // the world that is saved
static keel_world *loaded; // the world that loads it
static keel_error why;
static char kept[1 << 16];
static size_t kept_size;

static inline bool keep(void *context, const void *bytes, size_t size) {
    (void)context;
    if (kept_size + size > sizeof kept) return false;
    if (size) memcpy(kept + kept_size, bytes, size);
    kept_size += size;
    return true;
}
static inline keel_result save(const keel_world *world) {
    kept_size = 0;
    return keel_save_to(world, (keel_save_sink){ keep, NULL },
                        &(keel_save_options){ .error = &why });
}
static inline void expect_ok(keel_result r) {
    if (r != KEEL_OK) fail_msg("%s", why.message);
    assert_int_equal(r, KEEL_OK);
}
static inline uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static inline keel_world *new_world(void) {
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .log = log_to(&f.log), .on_misuse = KEEL_MISUSE_RETURN });
    assert_non_null(world);
    return world;
}
static inline void saved_begin(void) {
    api_begin(&f);
    loaded = new_world();
    why = (keel_error){ 0 };
    kept_size = 0;
}
static inline void saved_end(void) {
    keel_world_destroy(loaded);
    api_end(&f);
}
