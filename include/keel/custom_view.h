// SPDX-License-Identifier: MIT
/// @file custom_view.h
/// Custom views: structs of yours that a system takes as a parameter, like a component or a unique.
///
/// A **bundle** groups views and uniques that are used together, so that ten systems need not name
/// the same six parameters. A **wild view** may hold anything else, too: its `init` makes the
/// content when the system starts, and its `drop` releases it when the system has ended.
/// KEEL_CUSTOM_VIEW (typed.h) declares a custom view, and KEEL_CUSTOM_WRITE(T, name) is the
/// parameter:
///
///     typedef struct Frame {
///         const Graphics *graphics; // filled in by Keel, as declared below
///         keel_view sprites;        // open while the system runs
///         Encoder *encoder;         // made by init
///     } Frame;
///     KEEL_CUSTOM_VIEW(Frame, KEEL_UNIQUE_READ(Graphics, graphics),
///                      KEEL_VIEW(sprites, KEEL_READ(Sprite, s)),
///                      .init = frame_init, .drop = frame_drop);
///
///     KEEL_SYSTEM_ONCE(render, KEEL_CUSTOM_WRITE(Frame, frame)) { draw(frame->encoder); }
///
/// **Access.** The terms of a custom view count as terms of the system: the scheduler sees them,
/// and their storages are borrowed as long as the custom view lives. Two custom views of one
/// system, or a custom view and another parameter, may both read a storage. If one of them writes
/// it, the other one may not use it, and the run returns an error.
///
/// **Order.** First the system's storages are borrowed. Then the custom views are made, in the
/// order of the parameters: first the declared members, then `init`. Then the system runs. Then the
/// custom views are dropped in reverse order, also when the system failed, and all storages are
/// released.
///
/// **Errors.** When a custom view cannot be made, the system does not run, and the custom views
/// made before it are dropped. keel_run*, the workload and keel_custom_begin return the error,
/// which is KEEL_ERROR_VIEW where `init` failed.
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The greatest depth of custom views inside custom views.
#define KEEL_MAX_CUSTOM_DEPTH 8

/// The descriptor of a custom view. Keel keeps the pointer: the descriptor and its terms must not
/// change while worlds use it.
typedef struct keel_custom_view {
    const char *name; ///< name for messages
    uint32_t size;    ///< size of the struct, at least 1
    uint32_t align;   ///< alignment of the struct, a power of two
    /// The storages that the custom view may touch, a list of any length that ends with
    /// KEEL_TERM_END. All kinds of terms are allowed except commands, context, data and events,
    /// which only systems have. Terms with values (KEEL_TERM_READ and so on) only declare access
    /// here.
    const keel_term *terms;
    /// Generated code, called before `init`: opens the views in the struct and sets its pointers.
    /// NULL: nothing to do. A negative result is an error that was reported already; then the
    /// custom view is not made.
    keel_result (*fill)(void *view, keel_context *context);
    /// Makes the rest of the struct, which was zeroed. The context is valid during the call and may
    /// touch what `terms` declare. Views that `init` opens stay open until the custom view has been
    /// dropped, and scratch memory of the context is valid until then, too. A negative result or
    /// keel_fail means that the custom view could not be made; then `drop` is not called. NULL:
    /// nothing to do.
    keel_result (*init)(void *view, keel_context *context);
    /// Releases what `init` made, while all storages are still borrowed. Called once. If it calls
    /// keel_fail, the run returns KEEL_ERROR_VIEW. NULL: nothing to do.
    void (*drop)(void *view, keel_context *context);
    const char *file; ///< file of the declaration, or NULL
    int line;         ///< line of the declaration
    void *user;       ///< any pointer for `init` and `drop`, which keel_context_info returns
} keel_custom_view;

/// Makes a custom view outside of a system's parameters. Typed: keel_custom_begin.
/// @param scope a world, or the context of a system; not a reader. With a context, the custom view
///   may only use what the system declared. If the system leaves the custom view open, it is
///   dropped when the system ends, with a warning. A system that is split (.parallel) must take a
///   parameter KEEL_CUSTOM_READ instead
/// @param value `kind->size` bytes that must stay in place until keel_end_custom_view; on error
///   their content must not be used
/// @threads as keel_view_begin, for all terms of the custom view
/// @return KEEL_OK; KEEL_ERROR_VIEW when its init failed; the errors of keel_view_begin;
///   KEEL_ERROR_ARGUMENT (an impossible descriptor, memory not aligned or in use by another custom
///   view), KEEL_ERROR_CYCLE when the custom view contains itself, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_begin_custom_view(keel_scope *scope, const keel_custom_view *kind,
                                            void *value);

/// Drops a custom view and releases its storages. Typed: keel_custom_end.
/// @param scope the scope that keel_begin_custom_view got, so not a reader
/// @return KEEL_OK; KEEL_ERROR_VIEW when its drop called keel_fail; KEEL_ERROR_ARGUMENT when no
///   custom view was begun at `value`, it was ended already, or its own `init` or `drop` calls this
///   function; KEEL_ERROR_THREAD on another thread than the one that began the view, while several
///   threads use the world
KEEL_API keel_result keel_end_custom_view(keel_scope *scope, void *value);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_begin_custom_view(scope, ...) keel_begin_custom_view(KEELI_TO_OPEN(scope), __VA_ARGS__)
#define keel_end_custom_view(scope, ...) keel_end_custom_view(KEELI_TO_OPEN(scope), __VA_ARGS__)
/// @endcond
// clang-format on
