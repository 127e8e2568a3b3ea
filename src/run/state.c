// SPDX-License-Identifier: MIT
// States: a state is a unique whose value changes only at one place of a workload, the step
// KEEL_TRANSITION. A second unique, a keel_transition, has the requested value and the result of
// the last transition. Users request values with keel_set_state; execute.c asks whether a step of a
// state runs; schedule.c checks the options of steps. Values are cut to the size of their type
// before they are compared, so that it does not matter whether the type has a sign.
#include "run/schedule.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

// ------------------------------------------------------------------ values
// Cuts a value to the size of its type.
static uint64_t cut_value(int64_t value, size_t size) {
    if (size >= sizeof value)
        return (uint64_t)value;
    const uint64_t mask = ((uint64_t)1 << size * 8) - 1;
    return (uint64_t)value & mask;
}

// Reads a value of 1, 2, 4 or 8 bytes.
static uint64_t load_value(const void *at, size_t size) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case sizeof one:
        memcpy(&one, at, sizeof one);
        return one;
    case sizeof two:
        memcpy(&two, at, sizeof two);
        return two;
    case sizeof four:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

// Writes a value of 1, 2, 4 or 8 bytes.
static void store_value(void *at, size_t size, uint64_t value) {
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    switch (size) {
    case sizeof one:
        memcpy(at, &one, sizeof one);
        break;
    case sizeof two:
        memcpy(at, &two, sizeof two);
        break;
    case sizeof four:
        memcpy(at, &four, sizeof four);
        break;
    default:
        memcpy(at, &value, sizeof value);
        break;
    }
}

// ------------------------------------------------------------------ setting a state
static keel_result check_state(keel_world *world, const keel_state *state) {
    const size_t size = state && state->value && state->transition ? state->value->size : 0;
    if (size == 1 || size == 2 || size == 4 || size == 8)
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "'%s' is no state; declare an enum with KEEL_STATE",
                        state && state->name ? state->name : "NULL");
}

static keel_result has_no_value(keel_world *world, const char *who, const keel_state *state) {
    return keeli_error(world, KEEL_ERROR_MISSING_UNIQUE,
                       "the state '%s' has no value yet; call keel_set_state(world, %s, ...) "
                       "before '%s' runs",
                       state->name, state->name, who);
}

// Makes the two uniques of a state, at the first keel_set_state through the world. If the second
// cannot be made, the first is removed again.
static keel_result begin_state(keel_world *world, const keel_state *state, int64_t value) {
    uint64_t bytes;
    store_value(&bytes, state->value->size, cut_value(value, state->value->size));
    KEEL_TRY(keel_set_unique_value(world, state->transition, NULL));
    if (keel_get_unique_value(world, state->value))
        return KEEL_OK; // made by keel_set_unique
    const keel_result result = keel_set_unique_value(world, state->value, &bytes);
    if (result < 0)
        (void)keel_remove_unique_value(world, state->transition, NULL);
    return result;
}

// A command that sets a state.
typedef struct state_command {
    keel_state state;
    int64_t value;
} state_command;

static keel_result run_state_command(keel_world *world, void *data) {
    const state_command *l = data;
    return keel_set_state_of(world, &l->state, l->value);
}

keel_result(keel_set_state_of)(keel_scope *scope, const keel_state *state, int64_t value) {
    keeli_caller who;
    KEEL_TRY(keeli_caller_must_be(scope, &who));
    KEEL_TRY(check_state(who.world, state));
    if (who.commands)
        return keel_commands_call(who.commands, run_state_command,
                                  &(state_command){ *state, value }, sizeof(state_command));
    if (who.reader && !who.inside)
        return keeli_reader_edits_nothing(who.world);

    const keeli_storage *s = keeli_storage_find(who.world, state->transition);
    if (who.holder && (!s || keeli_holder_access(who.holder, s) < KEEL_ACCESS_WRITE))
        return keeli_misuse(who.world, KEEL_ERROR_ACCESS,
                            "'%s' sets the state '%s' but did not declare it; add "
                            "KEEL_MAY_SET_STATE(%s) to its parameters",
                            who.holder->name, state->name, state->name);

    if (!who.holder && s)
        KEEL_TRY(keeli_may_edit(who.world, NULL, s, "write"));
    if (!who.holder && (!s || !s->unique))
        KEEL_TRY(begin_state(who.world, state, value));

    keel_transition *t = keel_get_unique_value_mut(scope, state->transition);
    if (!t)
        return has_no_value(who.world, who.holder ? who.holder->name : "", state);
    t->next = cut_value(value, state->value->size);
    t->asked = true;
    return KEEL_OK;
}

// ------------------------------------------------------------------ the transition
// The body of the system of KEEL_TRANSITION. Changes the state if another value was requested, and
// stores the result for steps with .on_enter and .on_exit. The first transition always enters a
// value, even if none was requested.
void keeli_transition_run(const keel_chunk *chunk, keel_context *context) {
    const keeli_view *view = context->view;
    const size_t size = view->storages[view->terms[0].first]->size;
    void *value = chunk->columns[0].base;
    keel_transition *t = chunk->columns[1].base;
    const uint64_t now = load_value(value, size);
    const bool is_new = t->asked && t->next != now;
    t->enters = !t->begun || is_new;
    t->exits = t->enters && t->begun;
    if (t->exits)
        t->before = now;

    if (t->asked)
        store_value(value, size, t->next);
    t->asked = false;
    t->begun = true;
}

// ------------------------------------------------------------------ steps
// Returns the state that a step changes or depends on, or NULL.
static const keel_state *state_of_step(const keel_step *step) {
    if (step->transition)
        return step->transition;
    if (step->in_state)
        return step->in_state;
    if (step->on_enter)
        return step->on_enter;
    return step->on_exit;
}

// Returns how many options of a step name a state.
static int state_options(const keel_step *step) {
    return (step->transition != NULL) + (step->in_state != NULL) + (step->on_enter != NULL) +
           (step->on_exit != NULL);
}

keel_result keeli_state_check(keel_world *world, const keel_step *step, const char *workload) {
    if (!state_options(step))
        return KEEL_OK;
    if (state_options(step) > 1)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "a step of workload '%s' has more than one of .in_state, .on_enter and "
                            ".on_exit; write a step for each",
                            workload);
    return check_state(world, state_of_step(step));
}

uint32_t keeli_state_uniques(const keel_step *step, const keel_component *uniques[2]) {
    const keel_state *state = state_of_step(step);
    if (!state)
        return 0;
    uniques[0] = state->value;
    uniques[1] = state->transition;
    return step->in_state ? 1 : 2;
}

// True if a step of the schedule is the KEEL_TRANSITION of the state.
static bool has_transition(const keeli_schedule *s, const keel_state *state) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keel_state *changed = s->nodes.items[i].step.transition;
        if (changed && strcmp(changed->name, state->name) == 0)
            return true;
    }
    return false;
}

keel_result keeli_state_check_all(const keeli_schedule *s) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keel_step *step = &s->nodes.items[i].step;
        const keel_state *state = step->on_enter ? step->on_enter : step->on_exit;
        if (!state || has_transition(s, state))
            continue;
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                            "'%s' waits for the state '%s', which no step of workload '%s' "
                            "changes; add KEEL_TRANSITION(%s) before it",
                            s->nodes.items[i].name, state->name, s->sections.items[0].name,
                            state->name);
    }
    return KEEL_OK;
}

keel_result keeli_state_ask(keeli_schedule *s, const keeli_node *node, bool *yes) {
    const keel_step *step = &node->step;
    const keel_component *uniques[2];
    const void *values[2] = { NULL, NULL };
    const uint32_t count = keeli_state_uniques(step, uniques);
    if (!count)
        return KEEL_OK;

    for (uint32_t i = 0; i < count; ++i) {
        const keeli_storage *unique = keeli_storage_find(s->world, uniques[i]);
        if (!unique || !unique->unique)
            return has_no_value(s->world, node->name, state_of_step(step));
        values[i] = unique->unique;
    }

    const keel_transition *t = values[1];
    const size_t size = uniques[0]->size;
    const uint64_t asked = cut_value(step->state_value, size);
    if (step->transition) { // analyzer: steps of a transition name two uniques
        *yes = t->asked || !t->begun || t->enters;
    } else if (step->on_exit) { // analyzer: likewise
        *yes = t->exits && t->before == asked;
    } else {
        const bool is_in_state = load_value(values[0], size) == asked;
        *yes = is_in_state && (step->in_state || t->enters);
    }
    return KEEL_OK;
}
