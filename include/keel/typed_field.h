// SPDX-License-Identifier: MIT
/// @file typed_field.h
/// The part of typed.h that describes types: the fields of structs, the names of enums and flags.
/// Values of described types can be printed and parsed (reflect.h). How it works:
/// docs/understand/macros.md.
#pragma once
#pragma GCC system_header
#include <keel/reflect.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
// clang-format off

/// Describes members of the struct `T` for editors, scripts, saves and keel_world_hash, up to 64: `KEEL_FIELDS(Turret, angle,
/// KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)))`. An array is named once. Write it before KEEL_COMPONENT(T, KEEL_HAS_FIELDS(T)). `T`
/// may also be a struct that is only a member of other structs.
#define KEEL_FIELDS(T, ...)                                                                         \
    KEELI_UNUSED static KEELI_TABLE keel_field KEEL_FIELDS_##T[] = { KEELI_FOR_ALL(KEELI_FIELD, T, __VA_ARGS__) }; \
    KEELI_UNUSED static KEELI_TABLE keel_type KEEL_TYPE_##T = { #T, sizeof(T), KEEL_FIELDS_##T, KEELI_LENGTH(KEEL_FIELDS_##T), NULL, 0, false }
/// A member of KEEL_FIELDS with options: `KEEL_FIELD(reload, .unit = "s", .max = 9)`. They are members of keel_field. A member
/// that is no number, bool, text, entity or array of these needs `.of`, `.bytes` or `.transient`.
#define KEEL_FIELD(...) (__VA_ARGS__)
/// Names the values of the enum `T`, up to 64: `KEEL_ENUM(Mood, CALM, ANGRY);`. An integer field may have it as `.of`.
#define KEEL_ENUM(T, ...) KEELI_NAMES(T, false, __VA_ARGS__)
/// Names bits that may be set together: `KEEL_FLAGS(Skills, SWIMS, FLIES);`. `T` need not be a type.
#define KEEL_FLAGS(T, ...) KEELI_NAMES(T, true, __VA_ARGS__)
/// The description of `T` that KEEL_FIELDS, KEEL_ENUM or KEEL_FLAGS made, for `.of`.
#define KEEL_TYPE(T) (&KEEL_TYPE_##T)
/// The option that gives a component the fields of KEEL_FIELDS.
#define KEEL_HAS_FIELDS(T) .fields = KEEL_FIELDS_##T, .field_count = KEELI_LENGTH(KEEL_FIELDS_##T)
/// The option that gives a component or state that is an enum itself the names of KEEL_ENUM: `KEEL_STATE(Phase,
/// KEEL_HAS_NAMES(Phase));`. The component then has one field, `value`.
#define KEEL_HAS_NAMES(T) .fields = KEELI_NAMED_FIELD(T), .field_count = 1

#define KEELI_NAMES(T, flags, ...)                                                                  \
    KEELI_UNUSED static KEELI_TABLE keel_named_value KEEL_VALUES_##T[] = { KEELI_FOR_ALL(KEELI_NAME, ~, __VA_ARGS__) }; \
    KEELI_UNUSED static KEELI_TABLE keel_type KEEL_TYPE_##T = { #T, 0, NULL, 0, KEEL_VALUES_##T, KEELI_LENGTH(KEEL_VALUES_##T), flags }
#define KEELI_FIELD(T, x) KEELI_CAT(KEELI_FIELD_, KEELI_IS_TUPLE(x))(T, x)
#define KEELI_FIELD_0(T, m) KEELI_FIELD_OF(T, m, KEELI_FIELD_IS_KNOWN(T, m, "a field of this type is described by KEEL_FIELD(" #m ", .of = KEEL_TYPE(...)), .bytes = true or .transient = true"))
#define KEELI_FIELD_1(T, x) KEELI_APPLY(KEELI_FIELD_WITH, T, KEELI_UNWRAP x)
#ifdef __cplusplus
#define KEELI_TABLE constexpr
#define KEELI_LENGTH(table) static_cast<uint32_t>(sizeof(table) / sizeof(table)[0])
template <class T, bool is_enum = std::is_enum<T>::value> struct keeli_field_of { static constexpr keel_field_type type = KEEL_FIELD_STRUCT; static constexpr uint32_t count = sizeof(T); };
template <class T> struct keeli_field_of<T, true> : keeli_field_of<typename std::underlying_type<T>::type> {};
template <class T, size_t N> struct keeli_field_of<T[N], false> {
    static constexpr keel_field_type type = keeli_field_of<T>::type;
    static constexpr uint32_t count = N * keeli_field_of<T>::count;
};
template <size_t N, size_t M> struct keeli_field_of<char[N][M], false> { static constexpr keel_field_type type = KEEL_FIELD_STRUCT; static constexpr uint32_t count = N * M; };
#define KEELI_FIELD_TYPE(T, t) template <> struct keeli_field_of<T, false> { static constexpr keel_field_type type = t; static constexpr uint32_t count = 1; };
KEELI_FIELD_TYPE(bool, KEEL_FIELD_BOOL) KEELI_FIELD_TYPE(char, KEEL_FIELD_TEXT) KEELI_FIELD_TYPE(char *, KEEL_FIELD_OWNED_TEXT)
KEELI_FIELD_TYPE(signed char, KEEL_FIELD_I8) KEELI_FIELD_TYPE(unsigned char, KEEL_FIELD_U8)
KEELI_FIELD_TYPE(short, KEEL_FIELD_I16) KEELI_FIELD_TYPE(unsigned short, KEEL_FIELD_U16)
KEELI_FIELD_TYPE(int, KEEL_FIELD_I32) KEELI_FIELD_TYPE(unsigned, KEEL_FIELD_U32)
KEELI_FIELD_TYPE(long, sizeof(long) == 8 ? KEEL_FIELD_I64 : KEEL_FIELD_I32) KEELI_FIELD_TYPE(unsigned long, sizeof(long) == 8 ? KEEL_FIELD_U64 : KEEL_FIELD_U32)
KEELI_FIELD_TYPE(long long, KEEL_FIELD_I64) KEELI_FIELD_TYPE(unsigned long long, KEEL_FIELD_U64)
KEELI_FIELD_TYPE(float, KEEL_FIELD_F32) KEELI_FIELD_TYPE(double, KEEL_FIELD_F64) KEELI_FIELD_TYPE(keel_entity, KEEL_FIELD_ENTITY)
#undef KEELI_FIELD_TYPE
#define KEELI_FIELD_IS_KNOWN(T, m, text) ; static_assert(keeli_field_of<decltype(T::m)>::type != KEEL_FIELD_STRUCT, text)
#define KEELI_FIELD_BEGIN(T, m)                                                                     \
    keel_field keeli_it = {};                                                                       \
    keeli_it.name = #m; keeli_it.type = keeli_field_of<decltype(T::m)>::type;                       \
    keeli_it.offset = offsetof(T, m); keeli_it.count = keeli_field_of<decltype(T::m)>::count;
#define KEELI_FIELD_OF(T, m, known) [] { KEELI_FIELD_BEGIN(T, m) known; return keeli_it; }(),
#define KEELI_FIELD_WITH(T, m, ...)                                                                 \
    [] {                                                                                            \
        constexpr keel_field keeli_field = [] { KEELI_FIELD_BEGIN(T, m) KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_it; }(); \
        static_assert(!keeli_field.bytes || std::is_trivially_copyable<decltype(T::m)>::value,      \
                      "only what is copied as bytes can be .bytes = true: for " #m " use .transient = true, and .save and .load of the component"); \
        return keeli_field;                                                                         \
    }(),
template <class T, const keel_type *of> struct keeli_named_field { static constexpr keel_field field[] = { { "value", keeli_field_of<T>::type, 0, 1, of } }; };
#define KEELI_NAMED_FIELD(T) (keeli_named_field<T, KEEL_TYPE(T)>::field)
// The value's own name, without that of its enum class.
constexpr const char *keeli_own_name(const char *text) {
    const char *name = text;
    for (; *text; ++text) if (*text == ':' || *text == ' ') name = text + 1;
    return name;
}
#define KEELI_NAME(s, v) { keeli_own_name(#v), static_cast<int64_t>(v) },
#else
#define KEELI_TABLE const
#define KEELI_LENGTH(table) sizeof table / sizeof table[0]
// The type of a pointer to the member distinguishes a single element, an array of any length, and an array of rows of 2, 3 or
// 4.
#define KEELI_KIND_OF(E, t) E *: t, E (*)[]: t, E (*)[][2]: t, E (*)[][3]: t, E (*)[][4]: t
#define KEELI_FIELD_BY(m, c, b, s8, u8, s16, u16, s32, u32, s64, u64, f32, f64, e, owned, none)      \
    _Generic(&(m), char *: c, char (*)[]: c, KEELI_KIND_OF(bool, b), KEELI_KIND_OF(signed char, s8), KEELI_KIND_OF(unsigned char, u8), \
        KEELI_KIND_OF(short, s16), KEELI_KIND_OF(unsigned short, u16), KEELI_KIND_OF(int, s32), KEELI_KIND_OF(unsigned, u32), \
        KEELI_KIND_OF(long, sizeof(long) == 8 ? s64 : s32), KEELI_KIND_OF(unsigned long, sizeof(long) == 8 ? u64 : u32), \
        KEELI_KIND_OF(long long, s64), KEELI_KIND_OF(unsigned long long, u64), KEELI_KIND_OF(float, f32), KEELI_KIND_OF(double, f64), \
        KEELI_KIND_OF(keel_entity, e), char **: owned, char *(*)[]: owned, default: none)
#define KEELI_FIELD_TYPE(m)                                                                         \
    KEELI_FIELD_BY(m, KEEL_FIELD_TEXT, KEEL_FIELD_BOOL, KEEL_FIELD_I8, KEEL_FIELD_U8, KEEL_FIELD_I16, KEEL_FIELD_U16, \
        KEEL_FIELD_I32, KEEL_FIELD_U32, KEEL_FIELD_I64, KEEL_FIELD_U64, KEEL_FIELD_F32, KEEL_FIELD_F64, KEEL_FIELD_ENTITY, \
        KEEL_FIELD_OWNED_TEXT, KEEL_FIELD_STRUCT)
#define KEELI_FIELD_COUNT(m)                                                                        \
    (sizeof(m) / KEELI_FIELD_BY(m, 1, sizeof(bool), 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(keel_entity), sizeof(char *), 1))
#define KEELI_FIELD_IS_KNOWN(T, m, text) + 0 * sizeof(struct { _Static_assert(KEELI_FIELD_TYPE(((T *)0)->m) != KEEL_FIELD_STRUCT, text); int keeli_it; })
#define KEELI_FIELD_BEGIN(T, m) .name = #m, .type = KEELI_FIELD_TYPE(((T *)0)->m), .offset = offsetof(T, m), .count = KEELI_FIELD_COUNT(((T *)0)->m)
#define KEELI_FIELD_OF(T, m, known) { KEELI_FIELD_BEGIN(T, m) known },
#define KEELI_FIELD_WITH(T, m, ...) { KEELI_FIELD_BEGIN(T, m), __VA_ARGS__ },
#define KEELI_NAMED_FIELD(T) (const keel_field[]){ { .name = "value", .type = KEELI_FIELD_TYPE(*(T *)0), .count = 1, .of = KEEL_TYPE(T) } }
#define KEELI_NAME(s, v) { #v, (int64_t)(v) },
#endif

// KEELI_FOR_ALL(f, s, x0, x1, ...) is f(s, x0) f(s, x1)..., to 64 arguments.
#define KEELI_COUNT_64(...) KEELI_AT_64(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define KEELI_FOR_ALL(f, s, ...) KEELI_CAT(KEELI_FOR_, KEELI_COUNT_64(__VA_ARGS__))(f, s, __VA_ARGS__)
#define KEELI_FOR_1(f, s, a) f(s, a)
#define KEELI_FOR_2(f, s, a, ...) f(s, a) KEELI_FOR_1(f, s, __VA_ARGS__)
#define KEELI_FOR_3(f, s, a, ...) f(s, a) KEELI_FOR_2(f, s, __VA_ARGS__)
#define KEELI_FOR_4(f, s, a, ...) f(s, a) KEELI_FOR_3(f, s, __VA_ARGS__)
#define KEELI_FOR_5(f, s, a, ...) f(s, a) KEELI_FOR_4(f, s, __VA_ARGS__)
#define KEELI_FOR_6(f, s, a, ...) f(s, a) KEELI_FOR_5(f, s, __VA_ARGS__)
#define KEELI_FOR_7(f, s, a, ...) f(s, a) KEELI_FOR_6(f, s, __VA_ARGS__)
#define KEELI_FOR_8(f, s, a, ...) f(s, a) KEELI_FOR_7(f, s, __VA_ARGS__)
#define KEELI_FOR_9(f, s, a, ...) f(s, a) KEELI_FOR_8(f, s, __VA_ARGS__)
#define KEELI_FOR_10(f, s, a, ...) f(s, a) KEELI_FOR_9(f, s, __VA_ARGS__)
#define KEELI_FOR_11(f, s, a, ...) f(s, a) KEELI_FOR_10(f, s, __VA_ARGS__)
#define KEELI_FOR_12(f, s, a, ...) f(s, a) KEELI_FOR_11(f, s, __VA_ARGS__)
#define KEELI_FOR_13(f, s, a, ...) f(s, a) KEELI_FOR_12(f, s, __VA_ARGS__)
#define KEELI_FOR_14(f, s, a, ...) f(s, a) KEELI_FOR_13(f, s, __VA_ARGS__)
#define KEELI_FOR_15(f, s, a, ...) f(s, a) KEELI_FOR_14(f, s, __VA_ARGS__)
#define KEELI_FOR_16(f, s, a, ...) f(s, a) KEELI_FOR_15(f, s, __VA_ARGS__)
#define KEELI_FOR_17(f, s, a, ...) f(s, a) KEELI_FOR_16(f, s, __VA_ARGS__)
#define KEELI_FOR_18(f, s, a, ...) f(s, a) KEELI_FOR_17(f, s, __VA_ARGS__)
#define KEELI_FOR_19(f, s, a, ...) f(s, a) KEELI_FOR_18(f, s, __VA_ARGS__)
#define KEELI_FOR_20(f, s, a, ...) f(s, a) KEELI_FOR_19(f, s, __VA_ARGS__)
#define KEELI_FOR_21(f, s, a, ...) f(s, a) KEELI_FOR_20(f, s, __VA_ARGS__)
#define KEELI_FOR_22(f, s, a, ...) f(s, a) KEELI_FOR_21(f, s, __VA_ARGS__)
#define KEELI_FOR_23(f, s, a, ...) f(s, a) KEELI_FOR_22(f, s, __VA_ARGS__)
#define KEELI_FOR_24(f, s, a, ...) f(s, a) KEELI_FOR_23(f, s, __VA_ARGS__)
#define KEELI_FOR_25(f, s, a, ...) f(s, a) KEELI_FOR_24(f, s, __VA_ARGS__)
#define KEELI_FOR_26(f, s, a, ...) f(s, a) KEELI_FOR_25(f, s, __VA_ARGS__)
#define KEELI_FOR_27(f, s, a, ...) f(s, a) KEELI_FOR_26(f, s, __VA_ARGS__)
#define KEELI_FOR_28(f, s, a, ...) f(s, a) KEELI_FOR_27(f, s, __VA_ARGS__)
#define KEELI_FOR_29(f, s, a, ...) f(s, a) KEELI_FOR_28(f, s, __VA_ARGS__)
#define KEELI_FOR_30(f, s, a, ...) f(s, a) KEELI_FOR_29(f, s, __VA_ARGS__)
#define KEELI_FOR_31(f, s, a, ...) f(s, a) KEELI_FOR_30(f, s, __VA_ARGS__)
#define KEELI_FOR_32(f, s, a, ...) f(s, a) KEELI_FOR_31(f, s, __VA_ARGS__)
#define KEELI_FOR_33(f, s, a, ...) f(s, a) KEELI_FOR_32(f, s, __VA_ARGS__)
#define KEELI_FOR_34(f, s, a, ...) f(s, a) KEELI_FOR_33(f, s, __VA_ARGS__)
#define KEELI_FOR_35(f, s, a, ...) f(s, a) KEELI_FOR_34(f, s, __VA_ARGS__)
#define KEELI_FOR_36(f, s, a, ...) f(s, a) KEELI_FOR_35(f, s, __VA_ARGS__)
#define KEELI_FOR_37(f, s, a, ...) f(s, a) KEELI_FOR_36(f, s, __VA_ARGS__)
#define KEELI_FOR_38(f, s, a, ...) f(s, a) KEELI_FOR_37(f, s, __VA_ARGS__)
#define KEELI_FOR_39(f, s, a, ...) f(s, a) KEELI_FOR_38(f, s, __VA_ARGS__)
#define KEELI_FOR_40(f, s, a, ...) f(s, a) KEELI_FOR_39(f, s, __VA_ARGS__)
#define KEELI_FOR_41(f, s, a, ...) f(s, a) KEELI_FOR_40(f, s, __VA_ARGS__)
#define KEELI_FOR_42(f, s, a, ...) f(s, a) KEELI_FOR_41(f, s, __VA_ARGS__)
#define KEELI_FOR_43(f, s, a, ...) f(s, a) KEELI_FOR_42(f, s, __VA_ARGS__)
#define KEELI_FOR_44(f, s, a, ...) f(s, a) KEELI_FOR_43(f, s, __VA_ARGS__)
#define KEELI_FOR_45(f, s, a, ...) f(s, a) KEELI_FOR_44(f, s, __VA_ARGS__)
#define KEELI_FOR_46(f, s, a, ...) f(s, a) KEELI_FOR_45(f, s, __VA_ARGS__)
#define KEELI_FOR_47(f, s, a, ...) f(s, a) KEELI_FOR_46(f, s, __VA_ARGS__)
#define KEELI_FOR_48(f, s, a, ...) f(s, a) KEELI_FOR_47(f, s, __VA_ARGS__)
#define KEELI_FOR_49(f, s, a, ...) f(s, a) KEELI_FOR_48(f, s, __VA_ARGS__)
#define KEELI_FOR_50(f, s, a, ...) f(s, a) KEELI_FOR_49(f, s, __VA_ARGS__)
#define KEELI_FOR_51(f, s, a, ...) f(s, a) KEELI_FOR_50(f, s, __VA_ARGS__)
#define KEELI_FOR_52(f, s, a, ...) f(s, a) KEELI_FOR_51(f, s, __VA_ARGS__)
#define KEELI_FOR_53(f, s, a, ...) f(s, a) KEELI_FOR_52(f, s, __VA_ARGS__)
#define KEELI_FOR_54(f, s, a, ...) f(s, a) KEELI_FOR_53(f, s, __VA_ARGS__)
#define KEELI_FOR_55(f, s, a, ...) f(s, a) KEELI_FOR_54(f, s, __VA_ARGS__)
#define KEELI_FOR_56(f, s, a, ...) f(s, a) KEELI_FOR_55(f, s, __VA_ARGS__)
#define KEELI_FOR_57(f, s, a, ...) f(s, a) KEELI_FOR_56(f, s, __VA_ARGS__)
#define KEELI_FOR_58(f, s, a, ...) f(s, a) KEELI_FOR_57(f, s, __VA_ARGS__)
#define KEELI_FOR_59(f, s, a, ...) f(s, a) KEELI_FOR_58(f, s, __VA_ARGS__)
#define KEELI_FOR_60(f, s, a, ...) f(s, a) KEELI_FOR_59(f, s, __VA_ARGS__)
#define KEELI_FOR_61(f, s, a, ...) f(s, a) KEELI_FOR_60(f, s, __VA_ARGS__)
#define KEELI_FOR_62(f, s, a, ...) f(s, a) KEELI_FOR_61(f, s, __VA_ARGS__)
#define KEELI_FOR_63(f, s, a, ...) f(s, a) KEELI_FOR_62(f, s, __VA_ARGS__)
#define KEELI_FOR_64(f, s, a, ...) f(s, a) KEELI_FOR_63(f, s, __VA_ARGS__)
// clang-format on
