// SPDX-License-Identifier: MIT
/// @file keel_query.h
/// Finds entities by a text that a person types, for consoles, inspectors, scripts and tests:
/// `keel::query`. docs/tasks/query_text.md explains the text.
///
///     keel_query *query;
///     keel_query_error error;
///     if (keel_query_parse(world, "Position, !Frozen, Health.points < 10", &query, &error) < 0)
///         puts(error.message); // column 27: the world knows no component ...
///
///     keel_query_walk walk;
///     keel_entity e;
///     if (keel_query_begin(&walk, query, &(keel_query_slice){ .max_visits = 10000 }) < 0)
///         puts(keel_last_error(world)->message);
///     while (keel_query_next(&walk, &e)) show(world, e);
///     if (!walk.is_finished) next_frame_from = walk.after; // .after of the next slice
///
/// A walk visits entities by ascending index, and can be cut into slices, one in each frame. While
/// a walk is open, the components of the query are borrowed to be read, as by a view. Between two
/// slices the world may change in any way: a later slice sees the world as it is then, and misses
/// entities that are created behind it.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most terms of a query.
#define KEEL_MAX_QUERY_TERMS 15
/// The longest text of a query, in bytes.
#define KEEL_MAX_QUERY_TEXT 4096

/// A parsed query. It holds no memory of the world, and belongs to the world for which it was
/// parsed.
typedef struct keel_query keel_query;

/// The mistake in a text, and its place.
typedef struct keel_query_error {
    keel_result result; ///< the result of keel_query_parse; KEEL_OK: no error
    uint32_t column;    ///< the place of the mistake, in characters from 1; 0: no place
    uint32_t offset;    ///< the same place in bytes from 0
    char message[256];  ///< one sentence, which begins with the column if there is one
} keel_query_error;

/// The part of a walk that one call to keel_query_begin begins. Zero members take their defaults.
typedef struct keel_query_slice {
    /// The walk visits entities with a higher index than this handle has. The handle may be stale.
    /// Default null: the walk begins with the lowest index
    keel_entity after;
    uint32_t max_visits; ///< entities to look at, whether they match or not; default 0: all
    /// Terms with `changed` and `inserted` ask for changes since the last keel_reader_advance of
    /// this reader. It must be a reader of the query's world. Default NULL: changes since the last
    /// keel_clear_changes of the world
    const keel_reader *reader;
} keel_query_slice;

/// A walk over entities that match, in the caller's memory.
typedef struct keel_query_walk {
    keel_entity after;         ///< the last entity that was looked at: `.after` of the next slice
    uint32_t visits;           ///< number of entities that were looked at
    bool is_finished;          ///< true: no entity is left, so no further slice is needed
    keel_query *query;         ///< private; NULL: the walk has ended
    keel_view view;            ///< private
    const keel_scope *changes; ///< private
    keel_entity *list;         ///< private
    uint32_t count;            ///< private
    uint32_t at;               ///< private
    uint32_t max_visits;       ///< private
} keel_query_walk;

/// Parses a query. Names of components, fields and entities are looked up now, so later renaming of
/// an entity does not change which entity the query means. No component is registered: a name that
/// the world does not know is an error. A term with `changed` or `inserted` needs a component that
/// is tracked (keel_track).
/// @param text at most KEEL_MAX_QUERY_TEXT bytes, and KEEL_MAX_QUERY_TERMS terms
/// @param query receives the query, which keel_query_destroy frees; NULL on error
/// @param error filled in either case; may be NULL
/// @return KEEL_OK; KEEL_ERROR_TEXT for a text that is no query, or a value that its field cannot
///   be compared with; KEEL_ERROR_UNKNOWN for an unknown component, field or entity;
///   KEEL_ERROR_MEMORY; KEEL_ERROR_ARGUMENT for NULL
/// @threads the world's owner
KEEL_API keel_result keel_query_parse(keel_world *world, const char *text, keel_query **query,
                                      keel_query_error *error);

/// Destroys a query. NULL is allowed. An open walk of the query finds nothing more, and must still
/// be ended. The world may be destroyed before the query.
/// @threads as keel_query_begin
KEEL_API void keel_query_destroy(keel_query *query);

/// Begins a walk, and borrows the components of the query until the walk ends. Several walks of one
/// query may be open.
/// @param walk written in either case; on error it is an ended walk
/// @param slice NULL: all entities
/// @return KEEL_OK; KEEL_ERROR_BORROWED if a view or system writes one of the components, and other
///   errors of keel_view_begin (keel_last_error has the message); KEEL_ERROR_UNKNOWN if a component
///   of the query was unregistered since keel_query_parse, or is another one now: parse the text
///   again; KEEL_ERROR_MEMORY; KEEL_ERROR_ARGUMENT for NULL
/// @threads the world's owner; in shared mode any thread, if no other thread uses the query
KEEL_API keel_result keel_query_begin(keel_query_walk *walk, keel_query *query,
                                      const keel_query_slice *slice);

/// Moves on to the next entity that matches. At the end of the slice the walk ends by itself.
/// @param entity receives the handle; null at the end
/// @return false at the end: `walk->is_finished` tells whether another slice is needed
KEEL_API bool keel_query_next(keel_query_walk *walk, keel_entity *entity);

/// Ends a walk early, and releases what it borrowed. Calling it again, or after the end, does
/// nothing. `walk->after` stays readable, so a later slice can go on.
KEEL_API void keel_query_end(keel_query_walk *walk);

/// Writes what the query does, as lines of text for people: which entities it looks at, and then
/// its terms in the order in which they are tested. The wording may change with any version.
/// @param text receives at most `size` bytes, the terminating zero included; may be NULL when
///   `size` is 0
/// @return the length of the whole text without the zero, as snprintf; 0 for NULL
/// @threads the world's owner
KEEL_API size_t keel_query_explain(const keel_query *query, char *text, size_t size);

/// Returns a component that the query names, for the columns of a table: each component once, in
/// the order of the text, those behind `?` too, those behind `!` not.
/// @param index from 0
/// @return the world's own descriptor, valid as long as the component is registered; NULL if
/// `index`
///   is too high, and for a component that was unregistered
/// @threads the world's owner
KEEL_API const keel_component *keel_query_component(const keel_query *query, uint32_t index);

/// Returns the number of components that keel_query_component returns; 0 for NULL.
KEEL_API uint32_t keel_query_component_count(const keel_query *query);

#ifdef __cplusplus
}
#endif
