// SPDX-License-Identifier: MIT
// The stage of a loader: a private world that a file is loaded into. Only if all of the file is
// valid is the stage copied or merged into the caller's world, so an error has nothing to undo.
// keel::save, keel::json and keel::sqlite call it. The writers of JSON and of databases copy the
// world that they write to a stage.
#pragma once
#include <keel/keel.h>

static inline void stage_log_nothing(void *context, keel_log_level level, const char *line) {
    (void)context;
    (void)level;
    (void)line;
}

// Creates a stage, which the caller destroys. It logs nothing, returns from misuse, and starts no
// threads. NULL when out of memory. `allocator`: zeros for Keel's default.
static inline keel_world *stage_create(const char *name, keel_allocator allocator) {
    return keel_world_create(&(keel_world_desc){ .name = name,
                                                 .allocator = allocator,
                                                 .log = { .write = stage_log_nothing },
                                                 .on_misuse = KEEL_MISUSE_RETURN,
                                                 .worker_count = 1 });
}

// Registers the caller's components and uniques in the stage, except those for which `is_left_out`
// (may be NULL) is true, and clears the initial values of the uniques, which a file does not have.
// On error keel_last_error(stage) says what failed.
static inline keel_result stage_register(keel_world *stage, const keel_world *world,
                                         bool (*is_left_out)(const keel_component *c)) {
    const keel_component *(*const next[])(
        const keel_world *, const keel_component *) = { keel_next_component, keel_next_unique };
    for (uint32_t i = 0; i < 2; ++i) {
        for (const keel_component *c = NULL; (c = next[i](world, c)) != NULL;) {
            if (is_left_out && is_left_out(c)) continue;
            if (!keel_register_component(stage, c)) return keel_last_error(stage)->result;
        }
    }

    const keel_result result = keel_clear_uniques(stage);
    return result < 0 ? result : KEEL_OK;
}

// Merges the stage into the world if there are options for it, or copies the stage to the world,
// which must be empty then. On error the world is unchanged, and keel_last_error(world) says what
// failed.
static inline keel_result stage_finish(const keel_world *stage, keel_world *world,
                                       const keel_merge_options *merge) {
    const keel_result result =
        merge ? keel_merge_world(world, stage, merge) : keel_copy_world(stage, world);
    return result < 0 ? result : KEEL_OK;
}

// Copies the world to an empty stage, for writing, and enables every component in it, because the
// values of disabled components cannot be read. On error keel_last_error(stage) says what failed.
static inline keel_result stage_copy_enabled(keel_world *stage, const keel_world *world) {
    keel_result result = keel_copy_world(world, stage);
    for (keel_entity e = keel_null(); result >= 0;) {
        e = keel_next_entity(stage, e);
        if (keel_is_null(e)) return KEEL_OK;
        result = keel_enable_entity(stage, e, true);
    }
    return result;
}
