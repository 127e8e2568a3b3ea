// SPDX-License-Identifier: MIT
// Plays a byte string: makes the worlds, calls until there are no bytes left, and looks whether all
// is as it must be: structures are whole (keel_world_check), an edit that returned an error changed
// nothing (keel_world_hash), every value that owns something was released once, no memory is left.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fuzz f;

enum { MOST_CALLS = 512, CHECK_EVERY = 16 };

static _Noreturn void stop(const char *what, const char *message) {
    fprintf(stderr, "%s: %s: %s\n", f.name ? f.name : "at the end", what, message);
    abort();
}

// ------------------------------------------------------------------ the table
static fuzz_call calls[MOST_CALLS];
static uint32_t call_count;

void fuzz_add(fuzz_call call) {
    if (call_count == MOST_CALLS) abort();
    calls[call_count++] = call;
}

// Where a name is on a ring of 16 bits: a function that is added takes a part of its neighbour's
// places, and all other bytes of a kept string mean what they meant.
static uint32_t place_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; ++name)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (hash ^ hash >> 16) & 0xFFFF;
}
static int by_place(const void *a, const void *b) {
    const uint32_t x = place_of(((const fuzz_call *)a)->name);
    const uint32_t y = place_of(((const fuzz_call *)b)->name);
    return x < y ? -1 : x > y;
}
const fuzz_call *fuzz_calls(uint32_t *count) {
    static bool sorted;
    if (!sorted) qsort(calls, call_count, sizeof *calls, by_place);
    sorted = true;
    *count = call_count;
    return calls;
}

static const fuzz_call *next_call(void) {
    // half of the calls are of what programs call most, or little would be there to attack
    static const char *const usual[] = { "keel_add_entity_values",    "keel_add_component",
                                         "keel_add_component_values", "keel_delete_component",
                                         "keel_view_begin",           "keel_iterator_begin",
                                         "keel_iterator_next",        "keel_view_end",
                                         "keel_run_system",           "keel_attach",
                                         "keel_apply_commands",       "keel_run_workload_of" };
    uint32_t count;
    const fuzz_call *all = fuzz_calls(&count);
    const uint32_t a = fuzz_byte(), b = fuzz_byte();
    uint32_t place = a << 8 | b;
    if (a & 1) place = place_of(usual[b % (sizeof usual / sizeof *usual)]);
    for (uint32_t i = 0; i < count; ++i)
        if (place_of(all[i].name) >= place) return &all[i];
    return all;
}

// ------------------------------------------------------------------ memory and messages
static void *resize(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    counting_allocator *memory = context;
    if (new_size > old_size && memory->live_bytes + (new_size - old_size) > f.most) return NULL;
    return memory->allocator.resize(memory, block, old_size, new_size, align);
}
keel_allocator fuzz_allocator(void) { return (keel_allocator){ resize, &f.memory }; }
static void write_line(void *context, keel_log_level level, const char *line) {
    (void)context;
    if (f.trace) printf("    %s %s\n", level == KEEL_LOG_ERROR ? "error:" : "warning:", line);
}
static bool go_on(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)file, (void)line;
    if (f.trace) printf("    assertion: %s\n", message);
    return false;
}

static keel_world *new_world(void) {
    keel_world *world = keel_world_create(&(keel_world_desc){
        .name = "fuzz",
        .allocator = fuzz_allocator(),
        .log = { .write = write_line },
        .on_misuse = KEEL_MISUSE_RETURN,
        .worker_count = 1,
    });
    if (!world) stop("no world", "out of memory");
    return world;
}

// ------------------------------------------------------------------ calls
static bool is_quiet(void) { // nothing is open that could be seen half way
    for (uint32_t i = 0; i < FUZZ_VIEWS; ++i)
        if (f.views[i].world) return false;
    return !f.depth && !f.shared[0] && !f.shared[1];
}

uint64_t fuzz_state(void) {
    uint64_t all = 1;
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i) {
        uint64_t hash;
        if (keel_world_hash(f.worlds[i], &hash) < 0) return 0;
        all = all * 31 + hash;
    }
    return all;
}

void fuzz_edit(keel_result result) {
    if (f.trace) printf("%*s-> %s\n", 4 + (int)f.depth * 4, "", keel_result_text(result));
    if (result >= 0) return;
    if (f.result >= 0) f.result = result;
    if (result < KEEL_ERROR_SCHEMA) stop("no result", "an unknown number");
    ++f.refused;
    if (f.depth || !f.before) return;
    counting_allocator_never_fail(&f.memory);
    const uint64_t now = fuzz_state();
    if (now && now != f.before) stop(keel_result_text(result), "and yet something was changed");
}

void fuzz_prepared(void) {
    if (f.before) f.before = fuzz_state();
}

keel_entity fuzz_made(keel_entity e) {
    fuzz_edit(keel_is_null(e) ? KEEL_ERROR_ARGUMENT : KEEL_OK);
    return fuzz_keep(e);
}

keel_entity fuzz_keep(keel_entity e) {
    if (!keel_is_null(e)) f.handles[f.handle_count++ % FUZZ_HANDLES] = e;
    return e;
}

void fuzz_check(void) {
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i) {
        keel_error error;
        if (!keel_world_check(f.worlds[i], &error)) stop("keel_world_check", error.message);
    }
}

void fuzz_call_one(void) {
    const fuzz_call *call = next_call();
    const char *outer = f.name;
    f.name = call->name;
    ++f.calls;
    if (f.trace) printf("%*s%s\n", (int)f.depth * 4, "", call->name);
    // The state is asked for now and then: before what may be refused, with nothing recorded that
    // asking would not see.
    if (!f.depth) f.before = fuzz_one_in(4) && is_quiet() ? fuzz_state() : 0;
    if (!f.depth && fuzz_one_in(16)) counting_allocator_fail_after(&f.memory, fuzz_below(12));
    call->run();
    if (!f.depth) counting_allocator_never_fail(&f.memory);
    f.name = outer;
}

void fuzz_inside(keel_context *context) {
    if (f.depth == FUZZ_DEPTH || !f.left || f.is_attacked) return;
    f.before = 0; // what is called here may change something
    f.contexts[++f.depth] = context;
    for (uint32_t n = fuzz_below(4); n > 0 && f.left; --n)
        fuzz_call_one();
    // what was opened here ends here: a view in a system, a loop in a hook
    for (uint32_t i = 0; i < FUZZ_VIEWS; ++i)
        if (f.views[i].world && f.views[i].depth >= f.depth) {
            keel_view_end(&f.views[i].view);
            f.views[i].world = NULL;
        }
    f.contexts[f.depth--] = NULL;
}

// ------------------------------------------------------------------ one string
void fuzz_begin(const uint8_t *bytes, size_t size, bool trace) {
    f = (fuzz){ .bytes = bytes, .left = size, .trace = trace, .most = FUZZ_MEMORY };
    counting_allocator_init(&f.memory);
    keel_set_assert_handler(go_on);
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        f.worlds[i] = new_world();
    for (uint32_t i = 0; i < FUZZ_HANDLES; ++i)
        (void)fuzz_keep(keel_add_entity(f.worlds[i % 8 == 7]));
}

void fuzz_end(void) {
    f.left = 0; // hooks, observers and commands do nothing any more
    f.most = SIZE_MAX;
    counting_allocator_never_fail(&f.memory);
    for (uint32_t i = 0; i < FUZZ_VIEWS; ++i)
        keel_view_end(&f.views[i].view);
    for (uint32_t i = 0; i < FUZZ_READERS; ++i)
        if (f.readers[i]) keel_reader_destroy(f.readers[i]);
    for (uint32_t i = 0; i < FUZZ_SNAPSHOTS; ++i)
        keel_snapshot_destroy(f.snapshots[i]);
    keel_ring_destroy(f.ring);
    keel_history_destroy(f.history);
    fuzz_check();
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        while (f.shared[i] && keel_share_end(f.worlds[i]) == KEEL_OK)
            f.shared[i] = false;
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        keel_world_destroy(f.worlds[i]);
    if (f.memory.live_bytes) stop("memory", "is left");
    if (fuzz_boxes) stop("values", "were not released");
}

void fuzz_play(const uint8_t *bytes, size_t size, bool trace) {
    fuzz_begin(bytes, size, trace);
    for (uint32_t n = 1; f.left; ++n) {
        fuzz_call_one();
        if (n % CHECK_EVERY == 0) fuzz_check();
    }
    fuzz_end();
}
