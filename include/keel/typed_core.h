// SPDX-License-Identifier: MIT
/// @file typed_core.h
/// Private: the preprocessor's part of typed.h. It has macros for the differences between C and
/// C++, macros that count arguments, and macros that expand another macro for each argument. How it
/// works: docs/understand/macros.md.
#pragma once
#pragma GCC system_header
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// clang-format off

#ifdef __cplusplus
#if __cplusplus < 201703L
#error "keel/keel.h needs C++17: compile with -std=c++17. keel/core.h, without macros, needs C++11."
#endif
#define KEELI_RESTRICT __restrict
#define KEELI_ALIGNOF(T) alignof(T)
#define KEELI_STATIC_ASSERT(condition, text) static_assert(condition, text);
#define KEELI_NEVER(text) [] { static_assert(0, text); return false; }()
#define KEELI_DECLARE(type, symbol) extern "C" const type symbol
// A declaration that a `static` before KEEL_SYSTEM applies to: constants of C++ are static anyway. The system itself can be
// used from C, too.
#define KEELI_MAY_BE_STATIC(type, symbol) KEELI_UNUSED const bool symbol##_may_be_static = true; KEELI_DECLARE(type, symbol)
#define KEELI_DEFINE(type, symbol, ...) const type symbol = __VA_ARGS__
#else
#define KEELI_RESTRICT restrict
#define KEELI_ALIGNOF(T) _Alignof(T)
#define KEELI_STATIC_ASSERT(condition, text) _Static_assert(condition, text);
#define KEELI_NEVER(text) (sizeof(struct { _Static_assert(0, text); int keeli_it; }) == 0)
#define KEELI_DECLARE(type, symbol) extern const type symbol
// The first declaration, which a `static` before KEEL_SYSTEM applies to. `extern` in the definition keeps the linkage of this
// declaration.
#define KEELI_MAY_BE_STATIC(type, symbol) const type symbol
#ifdef __clang__
#define KEELI_DEFINE(type, symbol, ...) _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wextern-initializer\"") \
    extern const type symbol = __VA_ARGS__; _Pragma("clang diagnostic pop") KEELI_DECLARE(type, symbol)
#else
#define KEELI_DEFINE(type, symbol, ...) extern const type symbol = __VA_ARGS__
#endif
#define KEELI_GUARDED(context, ...) __VA_ARGS__
#define KEELI_THROWS 0
#endif
// gcc from 11 and clang from 20 on know which bytes of a type are padding.
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define KEELI_KNOWS_PADDING 1
#endif
#endif
// KEELI_STATIC_ASSERT is a declaration, KEELI_NEVER an expression; both say why the code does not compile.
#define KEELI_UNUSED __attribute__((unused))
#define KEELI_NOINLINE static __attribute__((noinline, unused))
#define KEELI_INLINE static inline __attribute__((always_inline))
#define KEELI_TWICE _Pragma("GCC unroll 2") // one jump for two small bodies: a third faster

// ---------------------------------------------------------------- preprocessor core
#define KEELI_CAT_(a, b) a##b
#define KEELI_CAT(a, b) KEELI_CAT_(a, b)
#define KEELI_APPLY(m, ...) m(__VA_ARGS__)
#define KEELI_UNWRAP(...) __VA_ARGS__
#define KEELI_FIRST(a, ...) a
#define KEELI_SECOND_(a, b, ...) b
#define KEELI_SECOND(...) KEELI_SECOND_(__VA_ARGS__)
// Tells whether an argument is in parentheses: 1 or 0.
#define KEELI_PROBE(...) ~, 1
#define KEELI_IS_TUPLE(x) KEELI_SECOND(KEELI_PROBE x, 0, ~)
#define KEELI_TEXT_(...) #__VA_ARGS__
#define KEELI_TEXT(...) KEELI_TEXT_(__VA_ARGS__)
#define KEELI_HERE __FILE__ ":" KEELI_TEXT(__LINE__)
// Count arguments (to 64): the number up to 17 or 8, or whether there are more than 1, 2 or 3.
#define KEELI_AT_64(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, n, ...) n
#define KEELI_COUNT_17(...) KEELI_AT_64(__VA_ARGS__, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define KEELI_COUNT_8(...) KEELI_AT_64(__VA_ARGS__, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, keeli_many, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define KEELI_OVER_1(...) KEELI_AT_64(__VA_ARGS__, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_one, 0, ~)
#define KEELI_OVER_2(...) KEELI_AT_64(__VA_ARGS__, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_one, keeli_one, 0, ~)
#define KEELI_OVER_3(...) KEELI_AT_64(__VA_ARGS__, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_one, keeli_one, keeli_one, 0, ~)
// The same where fewer arguments are a mistake: keeli_few.
#define KEELI_FEW_2(...) KEELI_AT_64(__VA_ARGS__, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_one, keeli_few, 0, ~)
#define KEELI_FEW_3(...) KEELI_AT_64(__VA_ARGS__, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_more, keeli_one, keeli_few, keeli_few, 0, ~)
// KEELI_MAP(f, s, a, b, ...): f(s, 0, a) f(s, 1, b) ... for up to 17 arguments; then KEELI_MANY_f(s).
#define KEELI_MAP(f, s, ...) KEELI_CAT(KEELI_MAP_, KEELI_COUNT_17(__VA_ARGS__))(f, s, __VA_ARGS__)
#define KEELI_MAP_keeli_many(f, s, ...) KEELI_MANY_##f(s)
#define KEELI_MAP_1(f, s, a0) f(s, 0, a0)
#define KEELI_MAP_2(f, s, a0, a1) f(s, 0, a0) f(s, 1, a1)
#define KEELI_MAP_3(f, s, a0, a1, a2) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2)
#define KEELI_MAP_4(f, s, a0, a1, a2, a3) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3)
#define KEELI_MAP_5(f, s, a0, a1, a2, a3, a4) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4)
#define KEELI_MAP_6(f, s, a0, a1, a2, a3, a4, a5) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5)
#define KEELI_MAP_7(f, s, a0, a1, a2, a3, a4, a5, a6) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6)
#define KEELI_MAP_8(f, s, a0, a1, a2, a3, a4, a5, a6, a7) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7)
#define KEELI_MAP_9(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8)
#define KEELI_MAP_10(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9)
#define KEELI_MAP_11(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10)
#define KEELI_MAP_12(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10) f(s, 11, a11)
#define KEELI_MAP_13(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10) f(s, 11, a11) f(s, 12, a12)
#define KEELI_MAP_14(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10) f(s, 11, a11) f(s, 12, a12) f(s, 13, a13)
#define KEELI_MAP_15(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10) f(s, 11, a11) f(s, 12, a12) f(s, 13, a13) f(s, 14, a14)
#define KEELI_MAP_16(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10) f(s, 11, a11) f(s, 12, a12) f(s, 13, a13) f(s, 14, a14) f(s, 15, a15)
#define KEELI_MAP_17(f, s, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16) f(s, 0, a0) f(s, 1, a1) f(s, 2, a2) f(s, 3, a3) f(s, 4, a4) f(s, 5, a5) f(s, 6, a6) f(s, 7, a7) f(s, 8, a8) f(s, 9, a9) f(s, 10, a10) f(s, 11, a11) f(s, 12, a12) f(s, 13, a13) f(s, 14, a14) f(s, 15, a15) f(s, 16, a16)
// clang-format on
