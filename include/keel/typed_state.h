// SPDX-License-Identifier: MIT
/// @file typed_state.h
/// The part of typed.h that is about states (state.h). A state of type `Phase` consists of the
/// unique Phase, a unique for its progress (keel_transition), the object KEEL_STATE_Phase, and the
/// system of its transition.
#pragma once
#pragma GCC system_header
#include <keel/state.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
#include <keel/workload.h>
// clang-format off

/// Declares the enum `T` as a state: `KEEL_STATE(Phase);`, or with options of its unique, members of keel_component:
/// `KEEL_STATE(Phase, KEEL_HAS_NAMES(Phase));` to print, save or edit its value by name. KEEL_UNIQUE_READ(Phase, phase) and
/// keel_get_unique read its value. Setting the value with keel_set_unique runs no steps. Legal wherever KEEL_UNIQUE is.
#define KEEL_STATE(...) KEELI_STATE(__VA_ARGS__, .no_padding = true)
#define KEELI_STATE(T, ...)                                                                         \
    KEEL_UNIQUE(T, __VA_ARGS__);                                                                    \
    KEELI_DESCRIPTOR(, KEEL_TRANSITION_##T, #T "_transition", sizeof(keel_transition), KEELI_ALIGNOF(keel_transition), true, .no_padding = true); \
    KEELI_UNUSED static const keel_state KEEL_STATE_##T = { #T, KEEL_UNIQUE_OF(T), &KEEL_TRANSITION_##T }; \
    KEELI_UNUSED static const keel_term KEEL_TRANSITION_TERMS_##T[] = {                             \
        { KEEL_TERM_UNIQUE_WRITE, 0, KEEL_UNIQUE_OF(T), NULL, NULL, NULL },                         \
        { KEEL_TERM_UNIQUE_WRITE, 0, &KEEL_TRANSITION_##T, NULL, NULL, NULL },                      \
        { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } };                                             \
    KEELI_UNUSED static const keel_system KEEL_TRANSITION_SYSTEM_##T = { #T, KEEL_SYSTEM_PER_RUN, keeli_transition_run, NULL, KEEL_TRANSITION_TERMS_##T, __FILE__, __LINE__, NULL, NULL }
/// The descriptor of a state, for functions that take one.
#define KEEL_STATE_OF(T) (&KEEL_STATE_##T)
/// Access: the system may request values of a state: keel_set_state(context, T, value).
#define KEEL_MAY_SET_STATE(T) (keeli_access, KEEL_TERM_UNIQUE_WRITE, void, , &KEEL_TRANSITION_##T, NULL, ~)
/// A value of a state, for `.in_state`, `.on_enter` and `.on_exit` of a step: `.in_state = KEEL_IN(Phase, PLAYING)`.
#define KEEL_IN(T, value) KEEL_STATE_OF(T), .state_value = KEELI_STATE_VALUE(T, value)
/// A step in which the state takes the requested value. The step has the name of the type, and the options of KEEL_STEP.
#define KEEL_TRANSITION(...) KEELI_TRANSITION(__VA_ARGS__, .line = __LINE__)
/// Requests a value of a state: `keel_set_state(world, Phase, PLAYING)`. The next KEEL_TRANSITION of the state enters the
/// value. Scope: world, commands; view, context with KEEL_MAY_SET_STATE. See keel_set_state_of.
#define keel_set_state(scope, T, value) keel_set_state_of((scope), KEEL_STATE_OF(T), KEELI_STATE_VALUE(T, value))
#ifdef __cplusplus
#define KEELI_STATE_VALUE(T, value) static_cast<int64_t>(T{ value })
#define KEELI_TRANSITION(T, ...) [] { keel_step keeli_it = {}; keeli_it.system = &KEEL_TRANSITION_SYSTEM_##T; keeli_it.transition = KEEL_STATE_OF(T); KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_it; }()
#else
#define KEELI_STATE_VALUE(T, value) ((int64_t)(T)(value))
#define KEELI_TRANSITION(T, ...) { .system = &KEEL_TRANSITION_SYSTEM_##T, .transition = KEEL_STATE_OF(T), __VA_ARGS__ }
#endif
// clang-format on
