// SPDX-License-Identifier: MIT
/// @file view.h
/// Views: all entities that have some components, and access to the values of those components.
///
/// A view is a list of terms. Opening a view **borrows** its storages: any number of views may read
/// a storage at the same time, but a view that writes or edits it excludes all other users. A
/// conflict is KEEL_ERROR_BORROWED, and the message names both users of the storage. While a
/// storage is borrowed, edits of it through the world are refused. A view that holds `edit` for the
/// storage may edit it, except while an iterator over that storage is live (KEEL_ERROR_ITERATING).
/// To edit in all other cases, record commands (commands.h). A view is used in the thread that
/// opened it. If that thread may not use one of its components (keel_threads), opening is refused
/// with KEEL_ERROR_THREAD.
///
/// Most programs use the loops of typed.h (KEEL_SYSTEM, KEEL_EACH), which open and close views by
/// themselves. A view that is opened by hand can be iterated many times, also inside its own
/// iteration (for pairs):
///
///     keel_view view;
///     KEEL_TRY(keel_view_begin(&view, world, KEEL_TERMS(KEEL_WRITE(Position, p)), "my view"));
///     keel_iterator walk;
///     keel_result result = keel_iterator_begin(&walk, &view);
///     keel_span span;
///     while (result == KEEL_OK && keel_iterator_next_span(&walk, &span)) {
///         Position *p = keel_span_write(&span, Position);
///         for (uint32_t i = 0; i < span.count; ++i)
///             p[i].x += 1;
///     }
///     keel_view_end(&view);
///
/// **Order.** One term leads: the view iterates over the storage of this term, in the order of the
/// storage. The entities found there are the candidates, and the other terms filter them.
/// - If all components that an entity must have are sparse sets, the smallest leads (of several
///   equally small sets, the first in the list of terms), in packed order: the order of insertion
///   until something is removed. A group (group.h) of such components leads in its own order if it
///   is not larger than the smallest set.
/// - If all are archetype components, the matching tables are visited in the order in which they
///   were made, each row by row.
/// - If the storages are of different kinds, the one whose candidates cost least to visit leads: a
///   sparse set, the tables of archetypes, or the bits of a component by ascending index.
/// - If the components of a KEEL_TERM_ANY_OF together have less than an eighth as many values as
///   the leader by the rules above has candidates, the view iterates over the entities that have
///   any of these components instead, each entity once, by ascending index. In this comparison,
///   each block of 4,096 indices up to the highest index of these entities counts as 8 values more.
///   The rule also holds for views that ask for changes.
/// - A view that requires no component visits all living entities by ascending index. So does a
///   view without terms, or with terms for access or uniques only. Outside of systems, these two
///   kinds of views do not borrow the list of entities, so entities may be created while such a
///   view is open.
///
/// The order depends on the content of the world and on nothing else. keel_view_explain tells which
/// term leads. The following terms choose the order.
///
/// **KEEL_LEADING(T)** makes T lead, even if another component would be cheaper: a sparse set in
/// its packed order, an indexed component by ascending index, an archetype component table by
/// table. T also leads in views that ask for changes.
///
/// **KEEL_AMONG(list, count)** leads with the handles of an array, in its order. Handles that are
/// not alive are skipped, and a handle that is listed twice is visited twice. The array is not
/// copied: it must not change until the view is closed. If no term requires a component, the view
/// borrows the list of entities. keel_view_contains searches the array.
///
/// **KEEL_RELATED(Likes, to)** leads with the sources of one target, in the order of relating. No
/// entity matches if `to` is not alive. **KEEL_TARGETED(Likes)** is a filter: an entity matches if
/// it is a target of at least one source. Both accept keel_child, too: the children of `to`, and
/// entities with children.
///
/// **KEEL_TARGETS_FIRST(keel_child)** visits parents before their children: first the entities
/// without a parent, by ascending index, then the children of the roots, and so on, level by level.
/// In a level, the children of an earlier parent come before those of a later one, and siblings are
/// in their order. No chunk has entities of two levels. The term leads, so the view visits every
/// entity that has a parent, and filters it. The order is cached in the world: the first walk after
/// a change of the hierarchy takes time in proportion to the number of children. The term accepts
/// any relation that is exclusive and acyclic; the target takes the place of the parent. KEEL_UP
/// and KEEL_CHANGED_UP accept the same relations, and KEEL_OF_TARGET any exclusive relation.
///
/// **KEEL_OF_TARGET(keel_child, KEEL_READ(T, t))** gives the view the value of the parent, and
/// **KEEL_UP(keel_child, KEEL_READ(T, t))** the value of the nearest ancestor that has T. With
/// KEEL_READ an entity without such a value does not match; with KEEL_OPTIONAL_READ it gets NULL.
/// KEEL_OF_TARGET also accepts KEEL_WRITE: children of one parent write its value one after the
/// other, in the order of the walk, never on several threads. A view that reads T in this way and
/// also writes T of the entities that it visits depends on the order of visits. It is refused,
/// unless it has KEEL_TARGETS_FIRST(keel_child) and no KEEL_BACKWARDS: then the value of the parent
/// is written before its children read it. Without KEEL_TARGETS_FIRST, KEEL_UP searches the
/// ancestors once for each parent; with it, the value of the level above is known. Observed views
/// accept none of these terms.
///
/// **KEEL_BACKWARDS** visits the same entities in exactly the reverse order. The walk first
/// collects all of them, which needs memory and time in proportion to their number. It skips an
/// entity that has ceased to match before its turn. keel_view_first of such a view is the last
/// entity of the view without the term. keel_view_parallel_for walks views with KEEL_BACKWARDS or
/// KEEL_AMONG in one piece. Systems accept neither as a parameter.
#pragma once
#include <keel/commands.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

/// The most terms of a view, and parameters of a system.
#define KEEL_MAX_TERMS 16
/// The most components in one KEEL_ANY_OF, KEEL_MAY_READ, KEEL_MAY_WRITE or KEEL_MAY_EDIT.
#define KEEL_MAX_TERM_COMPONENTS 8

/// The access to a storage. Each kind includes the kinds before it.
typedef enum keel_access {
    KEEL_ACCESS_NONE,  ///< no access
    KEEL_ACCESS_READ,  ///< read values; shared with other readers
    KEEL_ACCESS_WRITE, ///< write values; excludes all other users
    KEEL_ACCESS_EDIT   ///< add and remove values; excludes all other users
} keel_access;

/// The kinds of terms. "Required" means: an entity matches only if it has the component.
typedef enum keel_term_kind {
    KEEL_TERM_END,          ///< ends a list of terms
    KEEL_TERM_NONE,         ///< no component and no access: the parameter KEEL_SPAN_COUNT
    KEEL_TERM_READ,         ///< required; values to read
    KEEL_TERM_WRITE,        ///< required; values to write: all visited values count as modified
    KEEL_TERM_WRITE_MARKED, ///< required; values to write: the marked values count as modified
    KEEL_TERM_EDIT, ///< required; values to write; the view may add and remove the component
    KEEL_TERM_OPTIONAL_READ,  ///< not required; values to read
    KEEL_TERM_OPTIONAL_WRITE, ///< not required; values to write
    KEEL_TERM_WITH,           ///< required; no values
    KEEL_TERM_WITHOUT,        ///< the entity must lack the component
    KEEL_TERM_ANY_OF,         ///< at least one of several components is required; no values
    KEEL_TERM_INSERTED, ///< required, and inserted in the period that the view sees (track.h); no
                        ///< values
    KEEL_TERM_MODIFIED, ///< required, and modified in this period; no values
    KEEL_TERM_CHANGED,  ///< required, and inserted or modified in this period; no values
    KEEL_TERM_NOT_INSERTED,   ///< the entity lacks the component, or it was not inserted in this
                              ///< period
    KEEL_TERM_NOT_MODIFIED,   ///< the entity lacks the component, or it was not modified in this
                              ///< period
    KEEL_TERM_NOT_CHANGED,    ///< the entity lacks the component, or it was neither inserted nor
                              ///< modified in this period
    KEEL_TERM_OF_TARGET_READ, ///< the target of a relation must have the component; the target's
                              ///< values to read
    KEEL_TERM_OF_TARGET_OPTIONAL_READ, ///< the target's values to read; neither a target nor a
                                       ///< value of it is required
    KEEL_TERM_OF_TARGET_WRITE, ///< the target must have the component; the target's values to write
    KEEL_TERM_UP_READ, ///< an ancestor must have the component; the value of the nearest such
                       ///< ancestor, to read
    KEEL_TERM_UP_OPTIONAL_READ,  ///< the value of the nearest ancestor that has the component, to
                                 ///< read; no ancestor is required
    KEEL_TERM_CHANGED_UP,        ///< required: the component of the entity or of an ancestor was
                                 ///< inserted or modified; no values
    KEEL_TERM_TARGETS_FIRST,     ///< an order: targets of the relation before their sources
    KEEL_TERM_TARGETED,          ///< the entity must be a target of the relation; no values
    KEEL_TERM_ENTITY,            ///< the handles
    KEEL_TERM_MAY_READ,          ///< access only: reads values of other entities
    KEEL_TERM_MAY_WRITE,         ///< access only: writes values of other entities
    KEEL_TERM_MAY_EDIT,          ///< access only: adds and removes components of any entity
    KEEL_TERM_MAY_EDIT_ENTITIES, ///< access only: creates entities
    KEEL_TERM_MAY_EDIT_WORLD,    ///< access only: the whole world; excludes all other users
    KEEL_TERM_UNIQUE_READ,       ///< a unique, to read
    KEEL_TERM_UNIQUE_WRITE,      ///< a unique, to write
    KEEL_TERM_COMMANDS,          ///< systems only: a list of commands
    KEEL_TERM_CONTEXT,           ///< systems only: the context
    KEEL_TERM_DATA,              ///< systems only: the data passed to keel_run_with
    KEEL_TERM_CUSTOM,            ///< systems and custom views: a custom view
    KEEL_TERM_CUSTOM_READ,       ///< a custom view to read: several threads may share it
    KEEL_TERM_SEND,              ///< systems only: sends events (events.h)
    KEEL_TERM_RECEIVE,           ///< systems only: receives events
    KEEL_TERM_AMONG,             ///< views only: the handles of a list lead
    KEEL_TERM_BACKWARDS,         ///< views only: the reverse order
    KEEL_TERM_RELATED            ///< views only: the sources of one target lead
} keel_term_kind;

/// A term of a view or system. Lists end with KEEL_TERM_END.
typedef struct keel_term {
    keel_term_kind kind; ///< the kind of the term
    /// KEEL_TERM_DATA: the size of the data that the system expects, in bytes. KEEL_TERM_WITH: 1 if
    /// the component leads the view (at most one component does). KEEL_TERM_AMONG: the number of
    /// handles. KEEL_TERM_END: private, 1 if the system may throw exceptions. Otherwise 0
    uint32_t data_size;
    const keel_component *component; ///< the component or unique; NULL where none is needed
    /// The further components of the term, a list that ends with NULL; NULL if there are none.
    /// KEEL_TERM_OF_TARGET_*, KEEL_TERM_UP_*, KEEL_TERM_CHANGED_UP: the relation
    const keel_component *const *others;
    const char *name; ///< the parameter's name, for messages; may be NULL
    /// KEEL_TERM_CUSTOM*: the keel_custom_view. KEEL_TERM_AMONG: the handles, which are not copied.
    /// KEEL_TERM_RELATED: the handle of the target, which is copied. Otherwise NULL
    const void *custom;
} keel_term;

/// The form of a chunk: how its values are addressed. It is the same for all its columns.
typedef enum keel_chunk_form {
    KEEL_CHUNK_SPAN, ///< value i is `base[i]`
    KEEL_CHUNK_MASK, ///< value i is `base[i]`; it is part of the chunk if bit i of `words` is set
    KEEL_CHUNK_LIST  ///< value i is in page `index[i] >> shift`, at the place given by the low
                     ///< `shift` bits of `index[i]`
} keel_chunk_form;

/// The values of one term in a chunk.
typedef struct keel_chunk_column {
    /// SPAN, MASK: the first value; NULL for an optional term that is absent throughout. LIST: the
    /// page of all values if they are on one page, so that value i is `base[index[i]]`; otherwise
    /// NULL. `pages`, `index` and `shift` are always valid. For a unique of a system: its value.
    void *base;
    void *const *pages;    ///< LIST: the pages of values; never NULL for a term with values
    const uint32_t *index; ///< LIST: one number per entity; UINT32_MAX: an absent optional value
    uint32_t shift;        ///< LIST: a page holds `1 << shift` values
    bool *marked; ///< KEEL_TERM_WRITE_MARKED: one per entity (MASK: per slot), all false at first;
                  ///< the loop sets those of the values that count as modified
} keel_chunk_column;

/// Some of the entities that a view matches. It is made for generated code and bindings; other code
/// uses spans.
typedef struct keel_chunk {
    keel_chunk_form form; ///< the form of its values' addresses
    uint32_t count;       ///< SPAN, LIST: number of entities; MASK: number of slots, at most 4,096
    const keel_entity *entities; ///< their handles (MASK: one per slot); NULL unless the view has
                                 ///< KEEL_TERM_ENTITY
    const uint64_t *words; ///< MASK: one bit per slot, set if the chunk has the entity of the slot
    keel_chunk_column columns[KEEL_MAX_TERMS]; ///< by position of the term in the view's list
} keel_chunk;

struct keeli_view;
struct keeli_iterator;
/// An open view, in the caller's memory. Every member is private. The struct may be copied. A call
/// with a view that was closed returns an error; its behaviour is defined.
struct keel_view {
    keel_scope scope;         ///< private
    struct keeli_view *state; ///< private
    keel_world *world;        ///< private
    uint64_t serial;          ///< private
};

/// A walk over the entities of a view, in the caller's memory. Every member is private.
typedef struct keel_iterator {
    struct keeli_iterator *state; ///< private
    keel_world *world;            ///< private
    uint64_t serial;              ///< private
} keel_iterator;

/// Some entities of a view whose values lie side by side.
typedef struct keel_span {
    uint32_t count;                 ///< number of entities, at least 1
    const keel_entity *entities;    ///< `count` handles; NULL unless the view has KEEL_TERM_ENTITY
    const keel_chunk *chunk;        ///< private
    const struct keeli_view *state; ///< private
} keel_span;

/// Opens a view and borrows its storages. Components that the world does not know are registered
/// (in shared mode they match nothing). Close it with keel_view_end.
/// @param view written on success; on error it is a closed view
/// @param scope a world; in a system its context: the view may use the storages that the system
///   declared (KEEL_MAY_READ, KEEL_MAY_WRITE, KEEL_MAY_EDIT), and views of one system exclude each
///   other as other views do; or a reader: terms about changes then ask for the changes since the
///   last keel_reader_advance before this call. The view does not use the reader afterwards
/// @param terms an array that ends with KEEL_TERM_END; the array is copied
/// @param where named in messages: the place in the code, or the purpose of the view; copied to 63
///   bytes
/// @threads the owner; in shared mode any thread, each with its own view
/// @return KEEL_OK, KEEL_ERROR_BORROWED, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_MISSING_UNIQUE, KEEL_ERROR_ARGUMENT (too many terms; a component that one term
///   writes and another term names; a term for systems only), KEEL_ERROR_SHARED (in an observer,
///   for a view that writes), KEEL_ERROR_ACCESS for an access that the system did not declare
KEEL_API keel_result keel_view_begin(keel_view *view, keel_scope *scope, const keel_term *terms,
                                     const char *where);

/// Closes a view, releases its storages and ends its iterators. Calling it again does nothing.
/// Inside a keel_view_parallel_for over the view the call is refused (keel_last_error has
/// KEEL_ERROR_BORROWED): end the view after the loop.
/// @threads the thread that opened the view; while several threads use the world, the call is
///   refused on other threads (keel_last_error has KEEL_ERROR_THREAD)
KEEL_API void keel_view_end(keel_view *view);

/// Returns the number of entities that match. It visits all of them, except for views of one term
/// for a single component. The walk may need memory: if memory runs out, the result is 0, see
/// keel_last_error.
KEEL_API uint32_t keel_view_count(const keel_view *view);

/// True if the view matches this entity. False for an entity that is not alive.
KEEL_API bool keel_view_contains(const keel_view *view, keel_entity e);

/// Returns the first entity in the order of iteration; null when none matches, or when memory runs
/// out (see keel_last_error).
KEEL_API keel_entity keel_view_first(const keel_view *view);

/// Finds the only entity that matches.
/// @return KEEL_OK, KEEL_ERROR_COUNT when none or more than one matches (`out` is then null),
///   KEEL_ERROR_MEMORY
KEEL_API keel_result keel_view_single(const keel_view *view, keel_entity *out);

/// Returns all values of the view for one entity at once, as a span of one entity.
/// @param span valid until the next keel_view_get_all of this view, so only one thread at a time
///   may call it
/// @return KEEL_OK; KEEL_ABSENT when the view does not match the entity; KEEL_ERROR_DEAD_ENTITY
KEEL_API keel_result keel_view_get_all(const keel_view *view, keel_entity e, keel_span *span);

/// Adds one component to all entities that match, or overwrites its value: for all of them or, on
/// error, for none. The matching entities are found before anything is changed, so the terms may
/// also name the component that is added. Typed: keel_add_matching.
/// @param terms ends with KEEL_TERM_END
/// @param value copied for each entity, with the copy hook; the caller keeps it; NULL: zeros
/// @param scope a world, or commands: the edit then applies to the entities that match when the
///   command is applied
/// @return KEEL_OK, KEEL_ABSENT when none matches, an error of keel_view_begin or
///   keel_add_component_to_many
/// @threads the owner
KEEL_API keel_result keel_add_component_to_matching(keel_scope *scope, const keel_term *terms,
                                                    const keel_component *component,
                                                    const void *value);

/// Deletes one component from all entities that match. Typed: keel_delete_matching.
/// @param terms ends with KEEL_TERM_END; the terms need not name the component
/// @param scope as keel_add_component_to_matching
/// @return KEEL_OK, KEEL_ABSENT when no matching entity had the component, an error of
///   keel_view_begin or keel_delete_component_from_many
/// @threads the owner
KEEL_API keel_result keel_delete_component_from_matching(keel_scope *scope, const keel_term *terms,
                                                         const keel_component *component);

/// Deletes all entities that match, with all their components. The entities are found before
/// anything is changed. keel_last_count returns how many were deleted.
/// @param terms ends with KEEL_TERM_END
/// @param scope as keel_add_component_to_matching
/// @return KEEL_OK, KEEL_ABSENT when none matches, an error of keel_view_begin or
///   keel_delete_entities
/// @threads the owner
KEEL_API keel_result keel_delete_entities_matching(keel_scope *scope, const keel_term *terms);

/// Writes how the view would walk its entities now, as a few lines of text for people: the term
/// that leads, with the expected number of candidates, the filters in the order in which they are
/// applied, the columns with their storages, and the form of the chunks. The wording may change
/// with any version.
/// @param text receives at most `size` bytes, the terminating zero included; may be NULL when
///   `size` is 0
/// @return the length of the whole text without the zero, as snprintf; 0 when the view is closed or
///   memory ran out
KEEL_API size_t keel_view_explain(const keel_view *view, char *text, size_t size);

/// Begins a walk over the matching entities.
/// @param iterator written on success; on error it is an ended iterator
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT when the view is closed
KEEL_API keel_result keel_iterator_begin(keel_iterator *iterator, const keel_view *view);

/// Returns the next entities, as a chunk in the form that their storages allow (keel_chunk_form).
/// @return a chunk, valid until the next call; NULL at the end, which ends the iterator
KEEL_API const keel_chunk *keel_iterator_next(keel_iterator *iterator);

/// Returns the next entities whose values lie side by side. A walk should call either this function
/// or keel_iterator_next, not both: keel_iterator_next continues behind the whole current chunk, so
/// it skips the spans of the chunk that were not returned yet.
/// @return false at the end, which ends the iterator; `span` is valid until the next call
KEEL_API bool keel_iterator_next_span(keel_iterator *iterator, keel_span *span);

/// Ends a walk early. Calling it again, or after the end, does nothing.
KEEL_API void keel_iterator_end(keel_iterator *iterator);

/// Returns the values of a component in a span, to read: an array of `span->count` values. Typed:
/// keel_span_read.
/// @return NULL when the view has no values of the component, or when it is optional and the
///   entities of this span lack it
KEEL_API const void *keel_span_read_component(const keel_span *span,
                                              const keel_component *component);

/// Returns the values of a component in a span, to write. Typed: keel_span_write.
/// @return NULL when the view has no values of the component, or when it is optional and the
///   entities of this span lack it; also when the view only reads the values: KEEL_ERROR_ACCESS,
///   see keel_last_error
KEEL_API void *keel_span_write_component(const keel_span *span, const keel_component *component);

/// Private: the part of the entity list that keel_lookup reads. Layouts may change with any
/// version.
struct keeli_entity_root {
    uint32_t *const *versions; ///< private: pages of 4,096
    uint32_t *const *where;    ///< private: pages of 4,096; places of rows
    uint32_t page_count;       ///< private
};
/// Private: the bits of a component that keel_lookup reads. Layouts may change with any version.
struct keeli_bits_root {
    uint64_t *const *pages; ///< private: pages of 4,096 bits
    uint32_t page_count;    ///< private
};
/// Private: the part of a storage that keel_lookup reads. Layouts may change with any version.
struct keeli_set_root {
    keel_storage kind;                        ///< private
    uint32_t shift;                           ///< private: a page holds `1 << shift` values
    void *const *pages;                       ///< private: values by place
    uint32_t *const *sparse;                  ///< private: sparse sets: places in pages of 4,096
    uint32_t page_count;                      ///< private: of `sparse`
    uint32_t mask;                            ///< private: `(1 << shift) - 1`
    const struct keeli_bits_root *bits;       ///< private: the entities that have a value
    const struct keeli_entity_root *entities; ///< private
    uint32_t *const *const *places; ///< private: pages of places by index; `*places` NULL: the
                                    ///< place of a value is the entity's index
};

/// Fast access to one component by entity, for hot loops that look up entities in no order: half
/// the cost of keel_get. A lookup stays valid over edits, until the world is destroyed. After the
/// component is unregistered, the lookup finds nothing. Pointers that it returns are valid as long
/// as those of keel_get. A lookup borrows nothing.
typedef struct keel_lookup {
    const struct keeli_set_root *set; ///< private; NULL: the lookup finds nothing
    uint32_t size;                    ///< bytes of a value
    uint32_t shift;                   ///< private: as in `set`
} keel_lookup;

/// Returns the lookup of a component. A component that the world does not know is registered.
/// Typed: keel_lookup_of.
/// @return a lookup that finds nothing on error: KEEL_ERROR_COMPONENT, KEEL_ERROR_MEMORY
KEEL_API keel_lookup keel_lookup_of_component(keel_world *world, const keel_component *component);

/// Private: true if the bit of an entity index is set.
static inline bool keeli_has_bit(const struct keeli_bits_root *bits, uint32_t index) {
    return index >> KEELI_PAGE_SHIFT < bits->page_count &&
           bits->pages[index >> KEELI_PAGE_SHIFT][(index & (KEELI_PAGE - 1)) / 64] >> (index % 64) &
               1;
}
/// Private: returns the place of the value of an entity index, or UINT32_MAX.
static inline uint32_t keeli_place(keel_storage kind, const struct keeli_set_root *set,
                                   const struct keeli_bits_root *bits,
                                   const struct keeli_entity_root *entities, uint32_t index) {
    const uint32_t page = index >> KEELI_PAGE_SHIFT, at = index & (KEELI_PAGE - 1);
    if (kind == KEEL_INDEXED) return keeli_has_bit(bits, index) ? index : UINT32_MAX;
    if (kind == KEEL_SPARSE_SET) return page < set->page_count ? set->sparse[page][at] : UINT32_MAX;
    return keeli_has_bit(bits, index) ? entities->where[page][at] : UINT32_MAX;
}
/// Private: the `shift` of KEEL_INDEXED. Pages have 32 KiB or a little more, and at least one word
/// of bits. A value above 1 KiB has its own page, and all tags share one.
static inline uint32_t keeli_indexed_shift(size_t size) {
    return size == 0     ? 31
           : size > 1024 ? 0
           : size >= 512 ? 6
                         : KEELI_SIZE(15 - KEELI_HIGHEST_BIT((uint32_t)size), 6);
}

/// Private: returns `set` if `is_it` is true and the set is not NULL; otherwise an empty set, in
/// which a lookup finds nothing.
static inline const struct keeli_set_root *keeli_set_or_nothing(const struct keeli_set_root *set,
                                                                bool is_it) {
    static const struct keeli_bits_root bits = { NULL, 0 };
    static const struct keeli_entity_root entities = { NULL, NULL, 0 };
    static uint32_t *const *const places = NULL;
    static const struct keeli_set_root nothing = { KEEL_INDEXED, 0,         NULL,   NULL, 0, 0,
                                                   &bits,        &entities, &places };
    // Computed without a branch: compilers would make a branch of `?:`, and would not move the
    // reads that follow a branch out of loops.
    const uintptr_t given = (uintptr_t)set & -(uintptr_t)is_it;
    const uintptr_t other = (uintptr_t)&nothing & -(uintptr_t)(given == 0);
    return (const struct keeli_set_root *)(given | other);
}

/// Private: returns the value in a place. It is never NULL, and the compiler knows that, so it
/// drops tests of the result.
static inline void *keeli_value_in(void *const *pages, uint32_t place, size_t size,
                                   uint32_t shift) {
    char *values = (char *)pages[place >> shift];
    if (!values) KEELI_UNREACHABLE();
    return values + (place & (((uint32_t)1 << shift) - 1)) * size;
}
/// Private: returns the value of an entity, or NULL. It first reads all members that are the same
/// for every entity, even if this entity does not need them, so that the compiler moves these reads
/// out of a loop. `shift`: used if the storage is KEEL_INDEXED.
static inline void *keeli_column_at(const keel_lookup *column, keel_entity e, size_t size,
                                    uint32_t shift) {
    const struct keeli_set_root *set = keeli_set_or_nothing(column->set, column->size == size);
    const uint32_t page_count = set->bits->page_count;
    uint64_t *const *words = set->bits->pages;
    uint32_t *const *versions = set->entities->versions, *const *places = *set->places;
    void *const *pages = set->pages;
    const uint32_t shift_of_places = set->shift;

    const uint32_t index = keeli_index_of(e), page = index >> KEELI_PAGE_SHIFT,
                   at = index & (KEELI_PAGE - 1);
    if (page >= page_count || !(words[page][at / 64] >> (at % 64) & 1)) return NULL;
    // An entity with a value is alive, so its version is on this page, and it is the version of a
    // living entity.
    const uint32_t upper = (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
    if (versions[page][at] != upper) return NULL;
    uint32_t place = index;
    if (places) place = places[page][at], shift = shift_of_places;
    return keeli_value_in(pages, place, size, shift);
}

/// Private: keeli_column_at, not inline.
KEELI_PURE KEEL_API void *keeli_column_find(const keel_lookup *column, keel_entity e, size_t size);
/// Private: keeli_column_at for a component that its definition keeps in a sparse set. A cell says
/// whether the entity has a value and where the value is, so no bit is read. A world may keep the
/// component in another storage, which is the same question for every entity of a loop.
static inline void *keeli_sparse_column_at(const keel_lookup *column, keel_entity e, size_t size) {
    const struct keeli_set_root *set = keeli_set_or_nothing(column->set, column->size == size);
    const keel_storage kind = set->kind;
    const uint32_t page_count = set->page_count, shift = set->shift;
    uint32_t *const *cells = set->sparse, *const *versions = set->entities->versions;
    void *const *pages = set->pages;
    if (kind != KEEL_SPARSE_SET) return keeli_column_find(column, e, size);

    const uint32_t index = keeli_index_of(e), page = index >> KEELI_PAGE_SHIFT,
                   at = index & (KEELI_PAGE - 1);
    if (page >= page_count) return NULL;
    const uint32_t place = cells[page][at];
    if (place == UINT32_MAX) return NULL;
    // An entity with a value is alive, so its version is on this page, and it is the version of a
    // living entity.
    if (versions[page][at] != (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS)) return NULL;
    return keeli_value_in(pages, place, size, shift);
}
/// Private: keel_lookup_get for a component whose definition the compiler knows.
static inline void *keeli_typed_column_at(const keel_lookup *column, keel_entity e,
                                          const keel_component *component, size_t size) {
    return component->storage == KEEL_SPARSE_SET
               ? keeli_sparse_column_at(column, e, size)
               : keeli_column_at(column, e, size, keeli_indexed_shift(size));
}

/// Returns the value of an entity, `column->size` bytes; NULL when it lacks the component or is not
/// alive. Typed: keel_lookup_get.
KEEL_API const void *keel_column_get_value(const keel_lookup *column, keel_entity e);
/// Private: keel_column_get_value, inline.
static inline const void *keeli_column_get_value(const keel_lookup *column, keel_entity e) {
    return keeli_column_at(column, e, column->size, column->shift);
}

/// Private: the beginning of a component's storage. Layouts may change with any version.
struct keeli_storage_head {
    uint32_t flags; ///< private: only keeli_write_flags matter here
    int32_t borrow; ///< private; 0: no view and no system uses the storage
};
/// Private: flags of storages (world/storage.h). MARKS: a write marks the value as modified. ASKS:
/// the fast path must call the general function, which decides about a write.
enum keeli_write_flags { KEELI_WRITE_MARKS = 67117056, KEELI_WRITE_ASKS = 1 | 2 | 32 | 33554432 };
/// Private: the part of a world that keel_get reads. Layouts may change with any version.
struct keeli_world_root {
    keel_scope scope;                   ///< private
    const struct keeli_set_root **sets; ///< private: by number of the component
    struct keeli_storage **storages; ///< private: by number of the component; NULL: the world does
                                     ///< not know the component
    uint32_t storage_capacity;       ///< private
    uint32_t reach; ///< private: keel_get may read components with a number below this; 0 while
                    ///< systems run
    const uint32_t *refused; ///< private: the reason why edits are refused now; 0: none
};

/// Private: returns the set of a component by its number. NULL: call the exported function, which
/// finds components by name, and checks more.
static inline const struct keeli_set_root *keeli_known_set(const keel_scope *world,
                                                           const keel_component *component) {
    const struct keeli_world_root *root = (const struct keeli_world_root *)world;
    const uint32_t number = KEELI_SLOT_NUMBER(component->slot);
    return root && number < root->reach ? root->sets[number] : NULL;
}
/// Private: returns the number of pages of 4,096 indices of a set; 0 if the component is not known.
static inline uint32_t keeli_reach(const struct keeli_set_root *set, keel_storage kind) {
    return kind == KEEL_SPARSE_SET ? set->page_count : set->bits->page_count;
}
/// Private: true if an entity has a value; `*place` receives the place of the value. The entity
/// must be within reach: the page of its index is below keeli_reach.
static inline bool keeli_find_place(const struct keeli_set_root *set, keel_storage kind,
                                    keel_entity e, uint32_t *place) {
    const uint32_t index = keeli_index_of(e), page = index >> KEELI_PAGE_SHIFT,
                   at = index & (KEELI_PAGE - 1);
    *place = kind == KEEL_SPARSE_SET ? set->sparse[page][at] : index;
    if (kind == KEEL_SPARSE_SET ? *place == UINT32_MAX
                                : !(set->bits->pages[page][at / 64] >> (at % 64) & 1))
        return false;
    if (kind == KEEL_ARCHETYPE) *place = set->entities->where[page][at];
    // An entity with a value is alive, so its version is on this page, and it is the version of a
    // living entity.
    return set->entities->versions[page][at] == (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
}
/// Private: keel_has_component for a descriptor that the compiler knows. All descriptors with one
/// number have the same storage and size, so the compiler drops the code for other storages.
static inline bool keeli_world_has(const keel_scope *world, keel_entity e,
                                   const keel_component *component) {
    const struct keeli_set_root *set = keeli_known_set(world, component);
    uint32_t place;
    if (!set || keeli_index_of(e) >> KEELI_PAGE_SHIFT >= keeli_reach(set, component->storage))
        return keel_has_component(world, e, component);
    return keeli_find_place(set, component->storage, e, &place);
}
/// Private: returns the value of an entity that is within reach, or NULL.
static inline void *keeli_reached_value(const struct keeli_set_root *set, keel_entity e,
                                        const keel_component *component) {
    const keel_storage kind = component->storage;
    uint32_t place;
    if (!keeli_find_place(set, kind, e, &place)) return NULL;
    const uint32_t shift = kind == KEEL_INDEXED     ? keeli_indexed_shift(component->size)
                           : kind == KEEL_ARCHETYPE ? KEELI_PAGE_SHIFT
                                                    : set->shift;
    return keeli_value_in(set->pages, place, component->size, shift);
}
/// Private: keel_get_component for a descriptor that the compiler knows.
static inline const void *keeli_world_get(const keel_scope *world, keel_entity e,
                                          const keel_component *component) {
    const struct keeli_set_root *set = keeli_known_set(world, component);
    if (!set || keeli_index_of(e) >> KEELI_PAGE_SHIFT >= keeli_reach(set, component->storage))
        return keel_get_component(world, e, component);
    return keeli_reached_value(set, e, component);
}
/// Private: returns the value of a component whose writes are marked, or NULL.
KEEL_API void *keeli_get_marked(keel_scope *world, keel_entity e, struct keeli_storage *storage);
/// Private: keel_get_component_mut for a descriptor that the compiler knows. It handles a component
/// that no view and no system uses, and calls keel_get_component_mut in all other cases.
static inline void *keeli_world_get_mut(keel_scope *world, keel_entity e,
                                        const keel_component *component) {
    const struct keeli_world_root *root = (const struct keeli_world_root *)world;
    const uint32_t number = KEELI_SLOT_NUMBER(component->slot);
    struct keeli_storage *storage =
        root && number < root->storage_capacity ? root->storages[number] : NULL;
    const struct keeli_storage_head *head = (const struct keeli_storage_head *)storage;
    if (!head || KEELI_IN_USE(&head->borrow) | *root->refused | (head->flags & KEELI_WRITE_ASKS))
        return keel_get_component_mut(world, e, component);
    if (head->flags & KEELI_WRITE_MARKS) return keeli_get_marked(world, e, storage);
    const struct keeli_set_root *set = root->sets[number];
    void *value = keeli_index_of(e) >> KEELI_PAGE_SHIFT < keeli_reach(set, component->storage)
                      ? keeli_reached_value(set, e, component)
                      : NULL;
#ifndef NDEBUG
    if (!value) return keel_get_component_mut(world, e, component); // logs the reason
#endif
    return value;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_column_get_value(column, e) keeli_column_get_value((column), (e))
#define keel_add_component_to_matching(scope, ...) keel_add_component_to_matching(KEELI_TO_RECORD(scope), __VA_ARGS__)
#define keel_delete_component_from_matching(scope, ...) keel_delete_component_from_matching(KEELI_TO_RECORD(scope), __VA_ARGS__)
#define keel_delete_entities_matching(scope, ...) keel_delete_entities_matching(KEELI_TO_RECORD(scope), __VA_ARGS__)
#define keel_view_begin(view, scope, ...) keel_view_begin((view), KEELI_TO_OPEN(scope), __VA_ARGS__)
/// @endcond
// clang-format on
