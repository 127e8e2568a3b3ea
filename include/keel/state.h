// SPDX-License-Identifier: MIT
/// @file state.h
/// States: an enum as a unique, and steps of workloads that run when the state enters or leaves a
/// value, or while it has the value.
///
/// KEEL_STATE declares a state, and keel_set_state requests a value. The value only changes where
/// KEEL_TRANSITION stands in a workload. Steps behind KEEL_TRANSITION with `.on_exit` and
/// `.on_enter` run once, in the order of the list, and see the new value. The first transition of a
/// world enters the present value, and leaves no value.
///
///     typedef enum Phase { MENU, PLAYING } Phase;
///     KEEL_STATE(Phase);
///     KEEL_WORKLOAD(frame, KEEL_TRANSITION(Phase),
///                   KEEL_STEP(start_music, .on_enter = KEEL_IN(Phase, PLAYING)),
///                   KEEL_STEP(move, .in_state = KEEL_IN(Phase, PLAYING)));
///     keel_set_state(world, Phase, PLAYING);
#pragma once
#include <keel/unique.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Private: the progress of a state beside its value. It is a unique of its own, so that it is
/// copied and hashed with the world.
typedef struct keel_transition {
    uint64_t next;   ///< the requested value
    uint64_t before; ///< the value that the last transition left
    uint32_t asked;  ///< 1: keel_set_state was called since the last transition
    uint32_t begun;  ///< 1: there was a transition
    uint32_t enters; ///< 1: the last KEEL_TRANSITION entered a value
    uint32_t exits;  ///< 1: the last KEEL_TRANSITION left a value
} keel_transition;

/// A state, made by KEEL_STATE.
typedef struct keel_state {
    const char *name;                 ///< name of its type
    const keel_component *value;      ///< the unique of its type, with the present value
    const keel_component *transition; ///< the unique of type keel_transition
} keel_state;

/// Requests a value of a state. Typed: keel_set_state. The next transition enters the value that
/// was requested last. Requesting the present value changes nothing. The first call in a world sets
/// the value at once.
/// @param scope a view or context needs KEEL_MAY_SET_STATE; commands request the value when they
///   are applied, and must be the commands of the world, of an observer, or of KEEL_COMMANDS
///   without a list of components
/// @param value a value of the enum
/// @return KEEL_OK; KEEL_ERROR_ACCESS in a system without KEEL_MAY_SET_STATE;
///   KEEL_ERROR_MISSING_UNIQUE in a system before the first call through the world;
///   KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; KEEL_ERROR_ARGUMENT through a
///   reader
KEEL_API keel_result keel_set_state_of(keel_scope *scope, const keel_state *state, int64_t value);

/// Private: the system of KEEL_TRANSITION.
struct keel_chunk;
KEEL_API void keeli_transition_run(const struct keel_chunk *chunk, keel_context *context);

#ifdef __cplusplus
}
#endif
// clang-format off
/// @cond a macro that lets the function above take its scope as it is
#define keel_set_state_of(scope, ...) keel_set_state_of(KEELI_TO_EDIT(scope), __VA_ARGS__)
/// @endcond
// clang-format on
