// SPDX-License-Identifier: MIT
// Failing allocations: a seeded string is played up to a call of one function. A first run has all
// the memory and counts the allocations of that call; then the string is played again for each of
// them, which fails, once or with all later ones. The call must report it, change nothing, leave
// structures whole and nothing behind, and with memory do what the first run did: the same result,
// the same state then and after some more calls.
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, LATER = 3072, LEAST_BEFORE = 20, MOST_BEFORE = 60, AFTER = 12, MOST_POINTS = 48 };

// ------------------------------------------------------------------ what is allowed besides
typedef enum fuzz_allowance {
    PARTIAL = 1, // what came before the failure stays: an error is no "nothing was changed"
    SILENT = 2,  // no error: the answer says it, or the work is done in another way
} fuzz_allowance;
static const struct {
    const char *name;
    unsigned allowed;
    const char *reason;
} exceptions[] = {
    { "keel_world_create", SILENT, "NULL: there is no world that could keep an error" },
    { "keel_piece_scratch", SILENT, "NULL" },
    { "keel_run_system", PARTIAL, "what the system did before stays" },
    { "keel_run_workload_of", PARTIAL, "the systems before it ran" },
    { "keel_run_stored", PARTIAL, "the systems before it ran" },
    { "keel_find_workload", PARTIAL, "the fuzzer runs what was found" },
    { "keel_apply_commands", PARTIAL, "the commands before it were applied" },
};

static unsigned allowed_for(const char *name) {
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; ++i)
        if (!strcmp(exceptions[i].name, name)) return exceptions[i].allowed;
    return 0;
}

// ------------------------------------------------------------------ one run
typedef enum place { OUTSIDE, IN_SYSTEM, IN_PIECE } place;

typedef struct outcome {
    bool attacked, failed;
    keel_result result;
    size_t allocations;
    uint64_t after, late; // states; 0: cannot be asked for
} outcome;

static struct {
    const fuzz_call *call;
    uint64_t seed;
    size_t point; // SIZE_MAX: all memory
    bool once;
    const outcome *expected; // of the run with all memory
    outcome now;
} attack;

static _Noreturn void stop(const char *what) {
    fprintf(stderr, "%s: seed %" PRIu64 ", allocation %zu %s: %s (%s, expected %s)\n",
            attack.call->name, attack.seed, attack.point, attack.once ? "once" : "and all later",
            what, keel_result_text(attack.now.result),
            attack.expected ? keel_result_text(attack.expected->result) : "anything");
    abort();
}

// The error that the function returned, or that a world keeps of it.
static keel_result call_it(void) {
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        keel_clear_errors(f.worlds[i]);
    f.result = KEEL_OK;
    f.is_attacked = true;
    attack.call->run();
    f.is_attacked = false;
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i) {
        // in a run the first one is that of the run, and is known at its end
        const keel_error *first = keel_first_error(f.worlds[i]);
        if (first->result == KEEL_OK) first = keel_last_error(f.worlds[i]);
        if (first->result < 0) return first->result;
    }
    return f.result;
}

// The same arguments once more. Views and what the worlds hold stay as they are.
static void rewind_to(const fuzz *start) {
    f.bytes = start->bytes;
    f.left = start->left;
    f.handle_count = start->handle_count;
    memcpy(f.handles, start->handles, sizeof f.handles);
    memcpy(f.steps, start->steps, sizeof f.steps);
    memcpy(f.workloads, start->workloads, sizeof f.workloads);
}

static void call_again(const fuzz *start, uint64_t before) {
    const unsigned allowed = allowed_for(attack.call->name);
    const keel_result expected = attack.expected->result;
    if (attack.now.result == KEEL_OK) {
        if (!(allowed & SILENT)) stop("no error");
        if (!(allowed & PARTIAL)) attack.now.result = expected;
        return;
    }
    if (attack.now.result != KEEL_ERROR_MEMORY && attack.now.result != expected)
        if (!(allowed & SILENT)) stop("another error");
    const uint64_t now = f.depth ? 0 : fuzz_state();
    if (allowed & PARTIAL) return;
    if (now && before && now != before) stop("something was changed");
    rewind_to(start);
    attack.now.result = call_it();
    if (attack.now.result != expected) stop("another result with memory");
}

static void attack_now(void) {
    const fuzz start = f;
    const uint64_t before = f.depth ? 0 : fuzz_state();
    f.before = 0;
    f.memory.failures = 0;
    const size_t calls = f.memory.growing_calls;
    if (attack.once) counting_allocator_fail_once(&f.memory, attack.point);
    else if (attack.point != SIZE_MAX) counting_allocator_fail_after(&f.memory, attack.point);
    attack.now.result = call_it();
    counting_allocator_never_fail(&f.memory);
    attack.now.attacked = true;
    attack.now.allocations = f.memory.growing_calls - calls;
    attack.now.failed = f.memory.failures > 0;
    if (!f.depth) fuzz_check();
    if (attack.now.failed) call_again(&start, before);
    f.left = 0; // nothing is played on inside
}

static keel_result in_system(keel_context *context) {
    f.contexts[++f.depth] = context;
    attack_now();
    f.contexts[f.depth--] = NULL;
    return KEEL_OK;
}
static void in_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)data;
    f.piece = piece;
    ++f.depth;
    attack_now();
    --f.depth;
    f.piece = NULL;
}
static void attack_in(place at) {
    const keel_term terms[] = { { .kind = KEEL_TERM_MAY_EDIT, .component = fuzz_components[0] },
                                { .kind = KEEL_TERM_MAY_EDIT, .component = fuzz_components[14] },
                                { .kind = KEEL_TERM_COMMANDS },
                                { .kind = KEEL_TERM_CONTEXT },
                                { .kind = KEEL_TERM_END } };
    const keel_system system = {
        .name = "attack", .kind = KEEL_SYSTEM_PER_RUN, .function = in_system, .terms = terms
    };
    if (at == IN_SYSTEM) (void)keel_run_system(f.worlds[0], &system, NULL);
    else if (at == IN_PIECE) (void)keel_parallel_for(f.worlds[0], 1, 1, in_piece, NULL);
    else attack_now();
}

// ------------------------------------------------------------------ a string
static void close_all(void) {
    for (uint32_t i = 0; i < FUZZ_VIEWS; ++i) {
        keel_view_end(&f.views[i].view);
        f.views[i].world = NULL;
    }
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        while (f.shared[i] && keel_share_end(f.worlds[i]) == KEEL_OK)
            f.shared[i] = false;
}

static outcome play(const uint8_t *bytes, size_t point, bool once, const outcome *expected) {
    attack.point = point;
    attack.once = once;
    attack.expected = expected;
    attack.now = (outcome){ 0 };
    const place at = attack.seed % 8 == 7 ? IN_PIECE : attack.seed % 4 == 3 ? IN_SYSTEM : OUTSIDE;
    fuzz_begin(bytes, LATER, false);
    const uint32_t calls = LEAST_BEFORE + bytes[LATER] % (MOST_BEFORE - LEAST_BEFORE);
    for (uint32_t i = 0; i < calls; ++i)
        fuzz_call_one();
    if (at != OUTSIDE || attack.seed % 2 == 0) close_all();
    f.name = attack.call->name;
    attack_in(at);
    f.left = 0;
    if (at != OUTSIDE) fuzz_check();
    close_all();
    attack.now.after = fuzz_state();
    f.bytes = bytes + LATER;
    f.left = BYTES - LATER;
    for (uint32_t i = 0; i < AFTER; ++i)
        fuzz_call_one();
    f.left = 0;
    close_all();
    attack.now.late = fuzz_state();
    if (attack.now.failed && !(allowed_for(attack.call->name) & PARTIAL)) {
        if (attack.now.after != expected->after) stop("another state with memory");
        if (attack.now.late != expected->late) stop("another state after some more calls");
    }
    f.name = attack.call->name;
    fuzz_end();
    return attack.now;
}

static void make_bytes(uint64_t seed, uint8_t *bytes) {
    uint64_t state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < BYTES; ++i) { // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        bytes[i] = (uint8_t)(state * UINT64_C(0x2545F4914F6CDD1D) >> 32);
    }
}

uint64_t fuzz_fail_allocations(const fuzz_call *call, uint64_t seed, uint64_t rounds) {
    static uint8_t bytes[BYTES];
    uint64_t points = 0;
    attack.call = call;
    for (attack.seed = seed; attack.seed < seed + rounds; ++attack.seed) {
        make_bytes(attack.seed, bytes);
        const outcome expected = play(bytes, SIZE_MAX, false, NULL);
        if (!expected.allocations) continue;
        for (int once = 0; once < 2; ++once)
            for (size_t point = 0; point < MOST_POINTS; ++point) {
                if (!play(bytes, point, once, &expected).failed) break;
                ++points;
            }
    }
    return points;
}
