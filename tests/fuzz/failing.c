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
#include <unistd.h>

enum {
    BYTES = 4096,
    LATER = 3072,
    LEAST_BEFORE = 20,
    MOST_BEFORE = 60,
    AFTER = 12,
    MOST_POINTS = 48,
    MOST_SECONDS = 300,
    MOST_ROUNDS = 1000
};

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
    { "keel_templates", SILENT, "what is added to that world keeps its errors there" },
    { "keel_run_system", PARTIAL, "what the system did before stays" },
    { "keel_run_workload_of", PARTIAL, "the systems before it ran" },
    { "keel_run_stored", PARTIAL, "the systems before it ran" },
    { "keel_find_workload", PARTIAL, "the fuzzer runs what was found" },
    { "keel_sort_sources", PARTIAL, "the fuzzer relates its sources before" },
    { "keel_apply_commands", PARTIAL, "the commands before it were applied" },
};

// In hundreds of states none of these ever asked the world's allocator for memory. One that does
// must leave the list, and one that is not in it must be tried.
static const char *const without[] = {
    // clang-format off
    "keel_adopt_world",
    "keel_answer",
    "keel_at_component",
    "keel_at_component_mut",
    "keel_change_tick_of_component",
    "keel_changes_of_component",
    "keel_child_count",
    "keel_clear_all_changes",
    "keel_clear_component_changes",
    "keel_clear_entities",
    "keel_clear_errors",
    "keel_clear_events_of",
    "keel_clear_uniques",
    "keel_collected_kinds",
    "keel_component_count",
    "keel_component_memory",
    "keel_context_commands",
    "keel_context_info",
    "keel_context_world",
    "keel_delete_entity_unchecked",
    "keel_enable_step",
    "keel_end_custom_view",
    "keel_entity_at",
    "keel_entity_count",
    "keel_entity_index",
    "keel_entity_make",
    "keel_entity_version",
    "keel_event_count_of",
    "keel_event_next",
    "keel_fail",
    "keel_fail_text",
    "keel_field_find",
    "keel_field_parse",
    "keel_field_print",
    "keel_find_component",
    "keel_find_entity",
    "keel_find_group",
    "keel_first_child",
    "keel_first_error",
    "keel_fixed_step_advance",
    "keel_fixed_step_alpha",
    "keel_get_component",
    "keel_get_component_mut",
    "keel_get_related_component",
    "keel_get_related_component_mut",
    "keel_get_unique_value",
    "keel_get_unique_value_mut",
    "keel_group_contains",
    "keel_group_count",
    "keel_group_destroy",
    "keel_group_entity",
    "keel_group_name",
    "keel_has_all_components",
    "keel_has_any_component",
    "keel_has_component",
    "keel_hash_blocks",
    "keel_hash_component",
    "keel_history_ahead",
    "keel_history_behind",
    "keel_history_bytes",
    "keel_history_destroy",
    "keel_if_missing",
    "keel_is_alive",
    "keel_is_component_disabled",
    "keel_is_null",
    "keel_is_related_component",
    "keel_is_same",
    "keel_iterator_end",
    "keel_iterator_next",
    "keel_iterator_next_span",
    "keel_last_count",
    "keel_last_error",
    "keel_missed_component",
    "keel_name_of",
    "keel_next_child",
    "keel_next_component",
    "keel_next_component_of",
    "keel_next_descendant",
    "keel_next_entity",
    "keel_next_event_type",
    "keel_next_free_entity",
    "keel_next_source_below_component",
    "keel_next_source_component",
    "keel_next_target_above_component",
    "keel_next_target_component",
    "keel_next_unique",
    "keel_null",
    "keel_parent_of",
    "keel_patch_component",
    "keel_prefab_of",
    "keel_reader_advance",
    "keel_reader_destroy",
    "keel_reader_keep",
    "keel_removal_next",
    "keel_removals",
    "keel_remove_step",
    "keel_remove_workload",
    "keel_result_text",
    "keel_ring_bytes",
    "keel_ring_destroy",
    "keel_ring_frames",
    "keel_set_assert_handler",
    "keel_set_default_workload",
    "keel_share_begin",
    "keel_share_end",
    "keel_snapshot_bytes",
    "keel_snapshot_copied",
    "keel_snapshot_destroy",
    "keel_snapshot_read_begin",
    "keel_snapshot_read_end",
    "keel_snapshot_set_flags",
    "keel_snapshot_write",
    "keel_sort_children",
    "keel_source_count_component",
    "keel_span_read_component",
    "keel_span_write_component",
    "keel_stop_collecting_component",
    "keel_swap_component",
    "keel_target_count_component",
    "keel_target_of_component",
    "keel_tick",
    "keel_timings_end",
    "keel_timings_next",
    "keel_timings_now",
    "keel_timings_write_trace",
    "keel_tracked_kinds",
    "keel_unobserve_component",
    "keel_unobserve_view",
    "keel_version",
    "keel_view_contains",
    "keel_view_end",
    "keel_view_explain",
    "keel_view_get_all",
    "keel_view_why",
    "keel_visit_edges",
    "keel_visit_values",
    "keel_watch_steps",
    "keel_world_check",
    "keel_world_destroy",
    "keel_world_hash",
    "keel_world_hash_parts",
    "keel_world_hash_with",
    "keel_world_statistics",
    "keel_world_trim",
    // clang-format on
};
static bool is_without_memory(const char *name) {
    for (size_t i = 0; i < sizeof without / sizeof *without; ++i)
        if (!strcmp(without[i], name)) return true;
    return false;
}

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

// A call without memory leaves its own error in a world, but those that hand theirs out.
static void check_own_error(void) {
    if (strstr(attack.call->name, "keel_field_") || strstr(attack.call->name, "_read_begin"))
        return;
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        if (keel_last_error(f.worlds[i])->result == f.result) return;
    attack.now.result = f.result;
    stop("it leaves no error of its own");
}

// The error that the function returned, or that a world keeps of it.
static keel_result call_it(void) {
    for (uint32_t i = 0; i < FUZZ_WORLDS; ++i)
        keel_clear_errors(f.worlds[i]);
    f.result = KEEL_OK;
    f.is_attacked = true;
    attack.call->run();
    f.is_attacked = false;
    if (f.result == KEEL_ERROR_MEMORY) check_own_error();
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

// What random calls seldom come to: a tree with names, values of most types, a group, a stored
// workload.
static void furnish(void) {
    keel_world *world = f.worlds[0];
    for (uint32_t i = 0; i < 24; ++i) {
        const keel_entity e = f.handles[i];
        if (i && i < 8) (void)keel_attach(world, e, f.handles[0]);
        if (i % 5 == 0) (void)keel_set_name(world, e, i ? "ship" : "fleet");
        for (uint32_t c = 0; c < 20; ++c)
            if ((i + c) % 3) (void)keel_add_component(world, e, fuzz_components[c], NULL);
    }
    const keel_component *const owned[] = { fuzz_components[1], fuzz_components[4], NULL };
    (void)keel_group_create_of(world, &(keel_group_desc){ .name = "fleet", .owned = owned },
                               &f.groups[0]);
    const keel_step steps[] = { { .system = fuzz_systems[0] }, { .system = fuzz_systems[1] } };
    const keel_workload frame = { .name = "frame", .steps = steps, .step_count = 2 };
    (void)keel_world_add_workload(world, &frame);
}

static outcome play(const uint8_t *bytes, size_t point, bool once, const outcome *expected) {
    attack.point = point;
    attack.once = once;
    attack.expected = expected;
    attack.now = (outcome){ 0 };
    const place at = attack.seed % 8 == 7 ? IN_PIECE : attack.seed % 4 == 3 ? IN_SYSTEM : OUTSIDE;
    fuzz_begin(bytes, LATER, false);
    if (attack.seed / 8 % 2) furnish();
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

// Every allocation of one string's call, once and with all later ones; how many there were.
static uint64_t fail_each(void) {
    static uint8_t bytes[BYTES];
    uint64_t points = 0;
    make_bytes(attack.seed, bytes);
    const outcome expected = play(bytes, SIZE_MAX, false, NULL);
    if (!expected.allocations) return 0;
    for (int once = 0; once < 2; ++once)
        for (size_t point = 0; point < MOST_POINTS; ++point, ++points)
            if (!play(bytes, point, once, &expected).failed) break;
    return points;
}

uint64_t fuzz_fail_allocations(const fuzz_call *call, uint64_t seed, uint64_t rounds) {
    const bool is_without = is_without_memory(call->name);
    uint64_t points = 0;
    attack.call = call;
    attack.seed = seed;
    // some are seldom in a state in which they need memory
    for (uint64_t i = 0; i < rounds || (!points && !is_without && i < MOST_ROUNDS); ++i) {
        alarm(MOST_SECONDS);
        points += fail_each();
        ++attack.seed;
    }
    if (!points != is_without) {
        fprintf(stderr, "%s: %s\n", call->name,
                points ? "needs memory: take it from the list of those that do not"
                       : "was never tried: no call of it asked for memory");
        abort();
    }
    return points;
}
