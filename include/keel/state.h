// SPDX-License-Identifier: MIT
/// @file state.h
/// States: an enum as a unique, and steps for entering one of its values, for leaving it, and for
/// being in it.
///
/// KEEL_STATE declares one, keel_set_state asks for a value. It changes at one place only, where
/// KEEL_TRANSITION stands in a workload: behind it steps with `.on_exit` and `.on_enter` run once,
/// in the order of the list, and already see the new value. The first transition of a world enters
/// the value that there is, and leaves none.
#pragma once
#include <keel/unique.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Private: what goes on beside the value of a state. A unique of its own, so that it is copied and
/// hashed with the world.
typedef struct keel_transition {
    uint64_t next;   ///< what was asked for
    uint64_t before; ///< what was left at last
    uint32_t asked;  ///< keel_set_state was called since the last transition
    uint32_t begun;  ///< there was one
    uint32_t enters; ///< the last KEEL_TRANSITION entered a value
    uint32_t exits;  ///< and left one
} keel_transition;

/// A state, made by KEEL_STATE.
typedef struct keel_state {
    const char *name;                 ///< that of its type
    const keel_component *value;      ///< the unique of its type: what it is now
    const keel_component *transition; ///< the unique of type keel_transition
} keel_state;

/// Ask for a value of a state: keel_set_state. The last one before a transition counts; asking for
/// what it is changes nothing. The first call in a world gives it that value at once.
/// @param scope a view or context needs KEEL_MAY_SET_STATE; commands ask when they are applied, and
///   are those of the world, of an observer, or of KEEL_COMMANDS without components
/// @param value one of the enum's
/// @return KEEL_OK; KEEL_ERROR_ACCESS in a system without KEEL_MAY_SET_STATE;
///   KEEL_ERROR_MISSING_UNIQUE in one before the first call through the world; KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; KEEL_ERROR_ARGUMENT through a reader
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
