// SPDX-License-Identifier: MIT
// The assertions, in four tiers. They report mistakes in code; errors at run time, such as full
// memory, are returned and not asserted. All of src/ uses them.
// KEEL_ASSERT checks the caller's contract, in builds without NDEBUG or as the option KEEL_CHECKED
//   says. If the handler lets the program continue, the code behind the assertion returns the
//   documented error.
// KEELI_ASSERT_ROOM checks, in the same builds, that room was reserved before a write that cannot
//   fail. So a reservation that is too small by one fails at the first write beyond it.
// KEEL_ASSERT_INTERNAL checks Keel's own invariants, in builds without NDEBUG.
// KEELI_CHECK_STRUCTURE checks a whole data structure after an edit, in builds with the option
//   KEEL_VALIDATE.
#pragma once
#include <keel/base.h>

// Calls the handler of failed assertions (keel_set_assert_handler), and aborts if it returns true.
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
