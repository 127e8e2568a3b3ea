// SPDX-License-Identifier: MIT
/// @file parallel.h
/// Parallel loops that are called directly, and reductions: they split a loop over the workers of a
/// world.
///
/// A loop is cut into **pieces**. The cuts depend on the count and the grain (for a loop over a
/// view, on the storage of the leading term), never on the number of workers or on time. Pieces run
/// in any order and at the same time, so a piece must not depend on the others. A **reduction**
/// gives every piece a partial result of its own, and combines these in the order of the pieces
/// when all have ended. So sums of floats have the same bits for 1 and for 64 workers.
///
/// A loop may be started anywhere: in ordinary code, in a system, and inside a piece of another
/// loop. The calling thread works, too, and then waits for the last pieces. Short loops stay on the
/// calling thread by themselves. A piece must return: no exceptions, no longjmp out of it.
///
/// **In a system** a piece may use what the system declared, and look up values with the system's
/// context. It must not call keel_fail, record commands, send events or edit the world: collect the
/// edits, and make them after the loop. **In ordinary code** the same holds for the world: edits in
/// a piece are refused (KEEL_ERROR_SHARED), and values that no other piece uses may be written
/// (keel_get_mut).
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most pieces of a loop over indices. A smaller grain is raised to fit.
#define KEEL_MAX_PIECES 65536

struct keeli_worker;

/// A piece of a loop.
typedef struct keel_piece {
    uint32_t number; ///< number of the piece in its loop, from 0
    /// Number of the worker that runs the piece, below the world's worker count. Two pieces with
    /// the same number never run at the same time. It is meant for caches, and for sums that are
    /// added up later; results must not depend on it.
    uint32_t worker;
    void *partial;     ///< partial result of the piece; NULL in loops that are no reductions
    keel_world *world; ///< private
    struct keeli_worker *self; ///< private
} keel_piece;

/// Runs a piece of a loop over indices: from `begin` to before `end`.
typedef void keel_range_fn(uint32_t begin, uint32_t end, const keel_piece *piece, void *data);

/// Runs a part of a piece of a loop over a view: a span of entities whose values lie side by side.
/// The function is called any number of times for one piece, or not at all.
typedef void keel_span_fn(const keel_span *span, const keel_piece *piece, void *data);

/// The result of a reduction, and the function that combines partial results.
typedef struct keel_reduction {
    /// Before the loop: the neutral value (0 for a sum), which every piece starts with; after the
    /// loop: the result. Its type needs no larger alignment than malloc gives
    void *total;
    size_t size; ///< bytes of the result
    /// Adds a partial result to the total. Called once for each piece, in the order of the pieces,
    /// on the thread that called keel_parallel_reduce or keel_view_parallel_reduce.
    void (*combine)(void *total, const void *partial, void *data);
} keel_reduction;

/// Calls `fn` for all indices below `count`, in pieces, on the workers of the world. Returns when
/// all pieces have ended.
/// @param grain number of indices in a piece; 0: chosen from `count` (64 to 4,096; about 256
///   pieces)
/// @param data passed to every call
/// @param scope a world, a view or the context of a system; no access need be declared
/// @threads any
/// @return KEEL_OK; KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (no function): nothing was called
KEEL_API keel_result keel_parallel_for(keel_scope *scope, uint32_t count, uint32_t grain,
                                       keel_range_fn *fn, void *data);

/// Runs a loop like keel_parallel_for, and combines the results of its pieces: `fn` writes its
/// partial result to `piece->partial`.
/// @param scope as keel_parallel_for
/// @return KEEL_OK; KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT: nothing was called, and the total did
///   not change
KEEL_API keel_result keel_parallel_reduce(keel_scope *scope, uint32_t count, uint32_t grain,
                                          keel_range_fn *fn, void *data,
                                          const keel_reduction *reduction);

/// Calls `fn` for all entities of an open view, in pieces, on the workers of the world. `fn` may
/// write the values that the view writes, but only of the entities in its span. Views of components
/// that are bound to a thread (keel_threads) stay on the calling thread.
/// @return KEEL_OK; KEEL_ERROR_MEMORY; KEEL_ERROR_ARGUMENT: the view is closed, or no function
KEEL_API keel_result keel_view_parallel_for(const keel_view *view, keel_span_fn *fn, void *data);

/// Runs a loop like keel_view_parallel_for, and combines the results of its pieces.
/// @return as keel_view_parallel_for; on error the total did not change
KEEL_API keel_result keel_view_parallel_reduce(const keel_view *view, keel_span_fn *fn, void *data,
                                               const keel_reduction *reduction);

/// Returns memory for this piece, not initialised. The memory is released when the piece has ended,
/// and later pieces use it again, so a loop that is repeated allocates nothing.
/// @param align a power of two
/// @return NULL when out of memory
KEEL_API void *keel_piece_scratch(const keel_piece *piece, size_t size, size_t align);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_parallel_for(scope, ...) keel_parallel_for(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_parallel_reduce(scope, ...) keel_parallel_reduce(KEELI_TO_WRITE(scope), __VA_ARGS__)
/// @endcond
// clang-format on
