// SPDX-License-Identifier: MIT
// Tiers of assertions.
// KEEL_ASSERT: the caller's contract; unless NDEBUG is defined, or as KEEL_CHECKED says. When the
//   handler lets the program go on, the code behind it returns the documented error.
// KEELI_ASSERT_ROOM: a write that cannot fail relies on room that was made before; in the same
//   builds, so that a reservation which counts one too few fails at the first write.
// KEEL_ASSERT_INTERNAL: Keel's own invariants; in builds without NDEBUG.
// KEELI_CHECK_STRUCTURE: walks a whole data structure after it was edited; in builds with
// KEEL_VALIDATE.
#pragma once
#include <keel/base.h>

// Tell the handler; abort when it says so.
void keeli_assert_failed(const char *condition, const char *message, const char *file, int line);

#if !defined(KEELI_CHECKED) && defined(NDEBUG)
#define KEELI_CHECKED 0
#elif !defined(KEELI_CHECKED)
#define KEELI_CHECKED 1
#endif
#if KEELI_CHECKED
#define KEEL_ASSERT(condition, message)                                                            \
    ((condition) ? (void)0 : keeli_assert_failed(#condition, message, __FILE__, __LINE__))
#else
#define KEEL_ASSERT(condition, message) ((void)0)
#endif
#define KEELI_ASSERT_ROOM(condition)                                                               \
    KEEL_ASSERT(condition, "a bug in Keel: no room was made for this; please report it")

#ifdef NDEBUG
#define KEEL_ASSERT_INTERNAL(condition) ((void)0)
#else
#define KEEL_ASSERT_INTERNAL(condition)                                                            \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : keeli_assert_failed(#condition, "a bug in Keel: please report it", __FILE__, __LINE__))
#endif

#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
#define KEELI_CHECK_STRUCTURE(walker)                                                              \
    ((walker)                                                                                      \
         ? (void)0                                                                                 \
         : keeli_assert_failed(#walker, "a bug in Keel: please report it", __FILE__, __LINE__))
#else
#define KEELI_CHECK_STRUCTURE(walker) ((void)0)
#endif
