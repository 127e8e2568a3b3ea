// SPDX-License-Identifier: MIT
/// @file custom_view.h
/// Custom views: structs of yours that a system takes like a component or a unique.
///
/// A **bundle** groups views and uniques that are used together, so that ten systems need not name
/// the same six parameters. A **wild view** holds anything else, too: its `init` makes it when the
/// system starts, its `drop` releases it when the system has ended. KEEL_CUSTOM_VIEW (typed.h)
/// declares one, KEEL_CUSTOM_WRITE(T, name) is the parameter:
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
/// What it declares counts as declared by the system: the scheduler sees it, and it is borrowed as
/// long as the custom view lives. Its order: the system's storages are borrowed; custom views are
/// made in the order of the parameters (the members that are declared, then `init`); the system
/// runs; they are dropped in reverse order, also when the system failed; all is given back. When
/// one cannot be made the system does not run, those made before it are dropped, and the error,
/// KEEL_ERROR_VIEW where `init` failed, is that of keel_run*, of the workload and of
/// keel_custom_begin.
///
/// Two custom views, or one and the system's other parameters, borrow against each other as views
/// do.
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How deep custom views may contain each other.
#define KEEL_MAX_CUSTOM_DEPTH 8

/// A custom view. Keel keeps the pointer: it and its terms stay as they are while worlds use it.
typedef struct keel_custom_view {
    const char *name; ///< for messages
    uint32_t size;    ///< of the struct, at least 1
    uint32_t align;   ///< of the struct, a power of two
    /// What it may touch, ends with KEEL_TERM_END. Any number; all kinds but commands, context,
    /// data and events, which belong to a system and to each piece of one that is split. The kinds
    /// that hand out values only declare access here.
    const keel_term *terms;
    /// Generated code, called before `init`: opens the views in the struct and sets its pointers.
    /// NULL: nothing to do. A negative result ends it, as an error that was reported already.
    keel_result (*fill)(void *view, keel_context *context);
    /// Makes the rest of the struct, which was zeroed. The context may touch what `terms` declare;
    /// views that it opens stay open until the custom view has been dropped, and so does its
    /// scratch memory. It is valid during the call. A negative result or keel_fail: it could not be
    /// made, and `drop` is not called. NULL: nothing to do.
    keel_result (*init)(void *view, keel_context *context);
    /// Releases what `init` made, while everything is still borrowed. Called once. keel_fail in it
    /// is an error of the run (KEEL_ERROR_VIEW). NULL: nothing to do.
    void (*drop)(void *view, keel_context *context);
    const char *file; ///< where it was written, or NULL
    int line;         ///< where it was written
    void *user;       ///< yours, for `init` and `drop`: keel_context_info
} keel_custom_view;

/// Make a custom view: keel_custom_begin.
/// @param scope a world, not a reader; or the context of a system: over what the system declared.
/// There one that
///   is left open is dropped when the system ends, with a warning; a system that is split
///   (.parallel) takes it as a parameter, KEEL_CUSTOM_READ, instead
/// @param value `kind->size` bytes that stay where they are until the view is ended; on error
///   nothing in them is to be used
/// @threads as keel_view_begin, whose rules hold for all that it declares
/// @return KEEL_OK; KEEL_ERROR_VIEW when its init failed; the errors of keel_view_begin;
///   KEEL_ERROR_ARGUMENT (an impossible descriptor, memory not aligned or in use by another one),
///   KEEL_ERROR_CYCLE when it contains itself, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_begin_custom_view(keel_scope *scope, const keel_custom_view *kind,
                                            void *value);

/// Drop it and give its storages back: keel_custom_end.
/// @param scope the one that began it, so not a reader
/// @return KEEL_OK; KEEL_ERROR_VIEW when its drop called keel_fail; KEEL_ERROR_ARGUMENT when no
///   custom view was begun there, it was ended already, or its own init or drop asks for it;
///   KEEL_ERROR_THREAD in another thread than the one that began it, while several are at work
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
