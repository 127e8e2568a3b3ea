// SPDX-License-Identifier: MIT
/// @file base.h
/// Results, errors, allocator, logger, assertions: what every other header builds on.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Major version. From 1.0 on, the interface is stable within one major version.
#define KEEL_VERSION_MAJOR 0
/// Minor version. Before 1.0 a new minor version may change the interface.
#define KEEL_VERSION_MINOR 1
/// Patch version. A new patch version only fixes mistakes.
#define KEEL_VERSION_PATCH 0

#if defined(_WIN32) && defined(KEELI_BUILD_SHARED)
#define KEEL_API __declspec(dllexport)
#elif defined(__GNUC__)
#define KEEL_API __attribute__((visibility("default")))
#else
#define KEEL_API
#endif

/// @cond attributes and builtins of gcc and clang, and replacements for other compilers
#ifdef __GNUC__
#define KEELI_PURE __attribute__((pure))
#define KEELI_PRINTF(at, from) __attribute__((format(printf, at, from)))
#define KEELI_UNREACHABLE() __builtin_unreachable()
#define KEELI_LOWEST_BIT(word) ((uint32_t)__builtin_ctzll(word)) // the word must not be 0
#define KEELI_HIGHEST_BIT(value) (31 - (uint32_t)__builtin_clz(value))
// Reads the number of a component while another thread may write it, and whether a storage is
// borrowed. The replacements return UINT32_MAX, the number of no component, and 1, "borrowed": then
// inline functions call the exported functions instead.
#define KEELI_SLOT_NUMBER(slot) __atomic_load_n((slot), __ATOMIC_ACQUIRE)
#define KEELI_IN_USE(borrow) ((uint32_t)__atomic_load_n((borrow), __ATOMIC_RELAXED))
#else
#define KEELI_PURE
#define KEELI_PRINTF(at, from)
#define KEELI_UNREACHABLE() ((void)0)
#define KEELI_LOWEST_BIT(word) keeli_lowest_bit(word)
#define KEELI_HIGHEST_BIT(value) keeli_highest_bit(value)
#define KEELI_SLOT_NUMBER(slot) ((void)(slot), UINT32_MAX)
#define KEELI_IN_USE(borrow) ((void)(borrow), 1u)
static inline uint32_t keeli_lowest_bit(uint64_t word) {
    uint32_t bit = 0;
    for (; !(word & 1); word >>= 1)
        ++bit;
    return bit;
}
static inline uint32_t keeli_highest_bit(uint32_t value) {
    uint32_t bit = 0;
    for (; value > 1; value >>= 1)
        ++bit;
    return bit;
}
#endif
// A size or limit, such as the length of a page. Tests of Keel itself are also built with
// KEEL_TINY: the smallest legal sizes, so that small tests reach the code beyond each limit. Grep
// for KEELI_SIZE.
#if defined(KEEL_TINY)
#define KEELI_SIZE(usual, tiny) tiny
#else
#define KEELI_SIZE(usual, tiny) usual
#endif
#define KEELI_PAGE_SHIFT KEELI_SIZE(12, 6)
#define KEELI_PAGE (1u << KEELI_PAGE_SHIFT) // entity indices on a page
/// @endcond

#ifdef __cplusplus
extern "C" {
#endif

/// All results with their values and texts: X(name, value, text). Errors are negative.
#define KEEL_RESULTS(X)                                                                            \
    X(KEEL_ABSENT, 1, "nothing was there (not an error)")                                          \
    X(KEEL_OK, 0, "done")                                                                          \
    X(KEEL_ERROR_MEMORY, -1, "out of memory; nothing was changed")                                 \
    X(KEEL_ERROR_DEAD_ENTITY, -2, "the entity is null, deleted, or of another world")              \
    X(KEEL_ERROR_BORROWED, -3, "the storage is in use by an open view or a running system")        \
    X(KEEL_ERROR_ITERATING, -4, "the storage is being iterated; record the edit with commands")    \
    X(KEEL_ERROR_SHARED, -5, "the world is shared between threads; record the edit with commands") \
    X(KEEL_ERROR_ACCESS, -6, "the system or view did not declare this access")                     \
    X(KEEL_ERROR_COMPONENT, -7, "two different components have the same name")                     \
    X(KEEL_ERROR_MISSING_UNIQUE, -8, "the unique is not set")                                      \
    X(KEEL_ERROR_UNKNOWN, -9, "no component, workload or system of this name")                     \
    X(KEEL_ERROR_SYSTEM, -10, "a system reported an error")                                        \
    X(KEEL_ERROR_ARGUMENT, -11, "an argument is out of its documented range")                      \
    X(KEEL_ERROR_FULL, -12, "every entity index is in use")                                        \
    X(KEEL_ERROR_OCCUPIED, -13, "a living entity has this index, or a sibling this name, already") \
    X(KEEL_ERROR_CYCLE, -14, "entities, steps or components would form a cycle")                   \
    X(KEEL_ERROR_COPY, -15, "the component cannot be copied")                                      \
    X(KEEL_ERROR_COUNT, -16, "not exactly one entity matches")                                     \
    X(KEEL_ERROR_GROUPED, -17, "a group owns or names the component")                              \
    X(KEEL_ERROR_HASH, -18, "the component does not say which of its bytes to hash")               \
    X(KEEL_ERROR_THREAD, -19, "the component or the view belongs to another thread")               \
    X(KEEL_ERROR_VIEW, -20, "a custom view could not be made")                                     \
    X(KEEL_ERROR_FILE, -21, "a file cannot be read or written")                                    \
    X(KEEL_ERROR_RELATED, -22, "a relation forbids the deletion of its target")                    \
    X(KEEL_ERROR_TEXT, -23, "the text is not a valid value of the field")                          \
    X(KEEL_ERROR_SNAPSHOT, -24, "the snapshot does not fit the world")                             \
    X(KEEL_ERROR_REQUIRED, -25, "another component of the entity requires it")                     \
    X(KEEL_ERROR_FORMAT, -26, "a file is not a save, or is damaged")                               \
    X(KEEL_ERROR_SCHEMA, -27, "a component or field of a save does not fit the program")           \
    X(KEEL_ERROR_DIFFERS, -28, "a frame that was played again, or on another machine, differs")

/// The result of a call. A negative result is an error, and the call changed nothing. KEEL_RESULTS
/// lists names, values and texts; docs/reference/errors.md lists which call returns which result.
typedef enum keel_result {
#define KEELI_RESULT(name, value, text) name = value,
    KEEL_RESULTS(KEELI_RESULT)
#undef KEELI_RESULT
} keel_result;

/// Returns the text of a result, for people.
/// @return a string that is never freed; "unknown result" for a value that is no result
KEEL_API const char *keel_result_text(keel_result result);

/// Evaluates `call`, and returns its result from the calling function if that is negative. After
/// KEEL_OK and KEEL_ABSENT the calling function continues.
///
///     static keel_result make_ship(keel_world *world, keel_entity ship) {
///         KEEL_TRY(keel_add(world, ship, Position, {1, 2}));
///         KEEL_TRY(keel_add(world, ship, Velocity));
///         return KEEL_OK;
///     }
#define KEEL_TRY(call)                                                                             \
    do {                                                                                           \
        const keel_result keeli_result_ = (call);                                                  \
        if (keeli_result_ < 0) return keeli_result_;                                               \
    } while (0)

/// Returns the version of the library that is linked, such as "0.1.0".
KEEL_API const char *keel_version(void);

/// An error: its result, and where and why it happened. keel_last_error returns one.
typedef struct keel_error {
    keel_result result; ///< the result of the call that failed; KEEL_OK: no error
    char system[64];    ///< name of the system that failed or was running; empty outside of systems
    const void *object; ///< the object that the system passed to keel_fail, or NULL
    char message[256];  ///< one sentence: what happened, to which entity or component, and what to
                        ///< do
} keel_error;

/// The functions that allocate memory. An allocator of zeros means malloc and free.
typedef struct keel_allocator {
    /// Allocates a block (`block` NULL, `old_size` 0), frees it (`new_size` 0, returns NULL) or
    /// resizes it. On failure it returns NULL and leaves `block` as it is. Freeing never fails.
    /// `align` is a power of two, and the same for all calls about one block. Keel never calls this
    /// function from two threads at once. The function must not call the world: until it returns,
    /// the world refuses edits, and calls that need memory fail.
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size, size_t align);
    void *context; ///< passed to every call
} keel_allocator;

/// The severity of a log line.
typedef enum keel_log_level {
    KEEL_LOG_WARNING, ///< a likely mistake; no call failed because of it
    KEEL_LOG_ERROR    ///< a call failed, and returned the error that the line describes
} keel_log_level;

/// The function that log lines are written to. A logger of zeros means stderr.
typedef struct keel_logger {
    /// Writes one log line. `line` is one sentence without a line break, and only valid during the
    /// call.
    void (*write)(void *context, keel_log_level level, const char *line);
    void *context; ///< passed to every call
} keel_logger;

/// A logger that drops every line.
KEEL_API extern const keel_logger keel_log_none;

/// Decides what happens when an assertion fails, in builds without NDEBUG (KEEL_CHECKED).
/// @param condition the text of the condition that does not hold
/// @param message what the caller did wrong and what to do instead
/// @return true to abort the process; false to continue: the call then returns its error result
typedef bool keel_assert_handler(const char *condition, const char *message, const char *file,
                                 int line);

/// Sets the assertion handler of the process. NULL restores the default handler, which prints the
/// message and aborts.
/// @threads at start-up, before other threads use Keel
KEEL_API void keel_set_assert_handler(keel_assert_handler *handler);

#ifdef __cplusplus
}
#endif
