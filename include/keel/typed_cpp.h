// SPDX-License-Identifier: MIT
/// @file typed_cpp.h
/// Private but for the operators and the std::hash of handles: what C++ adds to typed.h. Component
/// types may own things (std::string, std::vector, std::unique_ptr): how their values are dropped,
/// copied and moved follows from the type, and each value is destroyed exactly once, whether a verb
/// takes it or fails.
///
/// A value that a verb passes to a world lies in a keeli_one, which destroys the value unless the
/// world has taken ownership of it. The world relocates the value: it move-constructs a value in
/// its own memory, and then destroys the original. docs/tasks/cpp.md.
#pragma once
#pragma GCC system_header
#include <keel/commands.h>
#include <keel/custom_view.h>
#include <keel/edit.h>
#include <keel/events.h>
#include <keel/group.h>
#include <keel/parallel.h>
#include <keel/prefab.h>
#include <keel/track.h>
#include <keel/typed_core.h>
#include <keel/unique.h>
#include <keel/walk.h>
#ifdef __cplusplus
#include <exception>
#include <new>
#include <type_traits>
#include <typeindex> // declares std::hash in 70 lines; <functional> is 28,000 more
#include <utility>
// clang-format off

// ---------------------------------------------------------------- handles
/// True if both handles have the same index and version, as keel_is_same.
constexpr bool operator==(keel_entity a, keel_entity b) noexcept { return a.bits == b.bits; }
/// True if the handles differ in index or version.
constexpr bool operator!=(keel_entity a, keel_entity b) noexcept { return a.bits != b.bits; }
/// An order for std::map, std::set and std::sort: by version, then by index.
constexpr bool operator<(keel_entity a, keel_entity b) noexcept { return a.bits < b.bits; }
/// The hash of a handle, for std::unordered_map and std::unordered_set.
template <> struct std::hash<keel_entity> {
    size_t operator()(keel_entity e) const noexcept {
        const uint64_t bits = e.bits;
        return static_cast<size_t>(bits ^ bits >> 32); // a size_t may have 32 bits
    }
};

// ---------------------------------------------------------------- exceptions
#if defined(__cpp_exceptions)
#define KEELI_TRY_COPY try
#define KEELI_CATCH_COPY catch (...) { return false; }
// An exception that leaves a system or a condition makes it fail, with the text of the exception.
#define KEELI_GUARDED(context, ...)                                                                 \
    try { __VA_ARGS__ }                                                                             \
    catch (const std::exception &keeli_what) { keel_fail(context, NULL, "%s", keeli_what.what()); } \
    catch (...) { keel_fail(context, NULL, "an exception that is no std::exception"); }
#define KEELI_THROWS 1
#else
#define KEELI_TRY_COPY
#define KEELI_CATCH_COPY
#define KEELI_GUARDED(context, ...) __VA_ARGS__
#define KEELI_THROWS 0
#endif

#if defined(__cpp_exceptions)
// Calls a function and catches its exceptions. The library calls observers and recorded functions through the guard below, so
// that no exception passes through C code. The first program or plug-in that includes this header sets its guard, and all
// others use the same guard.
template <class F> inline keel_result keeli_catching(keel_world *world, F f) {
    try { return f(); }
    catch (const std::exception &what) { return keeli_caught(world, what.what()); }
    catch (...) { return keeli_caught(world, "an exception that is no std::exception"); }
}
struct keeli_guarding {
    const keeli_guard guard = {
        [](keel_observer_fn *function, const keel_change *event, void *data) { (void)keeli_catching(event->world, [&] { function(event, data); return KEEL_OK; }); },
        [](keel_result (*function)(keel_world *, void *), keel_world *world, void *data) { return keeli_catching(world, [&] { return function(world, data); }); }
    };
    keeli_guarding() { keeli_exchange_guard(NULL, &guard); }
    ~keeli_guarding() { keeli_exchange_guard(&guard, NULL); }
    keeli_guarding(const keeli_guarding &) = delete;
};
KEELI_UNUSED static const keeli_guarding keeli_guarding_here; // not inline: a plug-in could not be unloaded

// Wraps a function of the user that one call of Keel calls repeatedly, such as a comparison or a piece of a loop, and stores
// the first exception that left the function; in a parallel loop, the exception of the piece with the lowest number. After an
// exception, comparisons and keel_retain get a default answer instead of a call, and the call of Keel returns the error at its
// end.
template <class Fn> struct keeli_calls {
    Fn *fn;
    void *data;
    keel_world *world; // NULL in a parallel loop until its first piece sets it
    void (*combine)(void *, const void *, void *);
    bool lock = false; // <atomic> is not included: it breaks if a user has a macro such as min
    bool has_thrown = false;
    uint32_t piece = 0;
    char what[256];
    keeli_calls(keel_world *w, Fn *f, void *d, void (*c)(void *, const void *, void *) = NULL) : fn(f), data(d), world(w), combine(c) {}
    void thrown(uint32_t at, const char *text) {
        while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {}
        if (!has_thrown || at < piece) { __builtin_snprintf(what, sizeof what, "%s", text); piece = at; }
        has_thrown = true;
        __atomic_clear(&lock, __ATOMIC_RELEASE);
    }
    template <class F> void call(uint32_t at, F f) {
        try { f(); }
        catch (const std::exception &e) { thrown(at, e.what()); }
        catch (...) { thrown(at, "an exception that is no std::exception"); }
    }
    template <class F> void of_piece(const keel_piece *p, F f) {
        __atomic_store_n(&world, p->world, __ATOMIC_RELAXED);
        call(p->number, f);
    }
    template <class R, class... A> R answer(R otherwise, A... a) {
        if (!has_thrown) call(0, [&] { otherwise = fn(a..., data); });
        return otherwise;
    }
    keel_result ended(keel_result result) const { return has_thrown ? keeli_caught(world, what) : result; }
    static keeli_calls &in(void *self) { return *static_cast<keeli_calls *>(self); }
};
typedef keeli_calls<keel_retain_fn> keeli_retaining;
typedef keeli_calls<keel_patch_fn> keeli_patching;
typedef keeli_calls<keel_value_compare> keeli_comparing;
typedef keeli_calls<keel_entity_compare> keeli_comparing_entities;
typedef keeli_calls<keel_range_fn> keeli_ranging;
typedef keeli_calls<keel_span_fn> keeli_spanning;
inline bool keeli_keep(keel_entity e, void *value, void *self) { return keeli_retaining::in(self).answer(true, e, value); }
inline void keeli_patch(void *value, void *self) { keeli_patching &it = keeli_patching::in(self); it.call(0, [&] { it.fn(value, it.data); }); }
inline int keeli_compare(const void *a, const void *b, void *self) { return keeli_comparing::in(self).answer(0, a, b); }
inline int keeli_compare_entities(const keel_world *w, keel_entity a, keel_entity b, void *self) { return keeli_comparing_entities::in(self).answer(0, w, a, b); }
inline void keeli_range(uint32_t begin, uint32_t end, const keel_piece *piece, void *self) { keeli_ranging &it = keeli_ranging::in(self); it.of_piece(piece, [&] { it.fn(begin, end, piece, it.data); }); }
inline void keeli_span(const keel_span *span, const keel_piece *piece, void *self) { keeli_spanning &it = keeli_spanning::in(self); it.of_piece(piece, [&] { it.fn(span, piece, it.data); }); }
// Stops combining once a piece has thrown, so that the total stays as it was.
template <class C> inline void keeli_combine(void *total, const void *partial, void *self) { C &it = C::in(self); if (!it.has_thrown) it.call(0, [&] { it.combine(total, partial, it.data); }); }
template <class C, class F> inline keel_result keeli_reduce(const keel_reduction *r, C &calls, F reduce) {
    if (!r || !r->combine || !calls.fn) return reduce(r, calls.fn ? &calls : NULL);
    calls.combine = r->combine;
    const keel_reduction caught = { r->total, r->size, keeli_combine<C> };
    return calls.ended(reduce(&caught, &calls));
}
inline keel_result keeli_retain_component(keel_world *w, const keel_component *c, keel_retain_fn *f, void *data) { keeli_retaining it(w, f, data); return it.ended(keel_retain_component(w, c, f ? keeli_keep : NULL, &it)); }
inline keel_result keeli_patch_component(keel_world *w, keel_entity e, const keel_component *c, keel_patch_fn *f, void *data) { keeli_patching it(w, f, data); return it.ended(keel_patch_component(w, e, c, f ? keeli_patch : NULL, &it)); }
inline keel_result keeli_sort_by(keel_world *w, const keel_sort_desc *desc) {
    if (!desc) return keel_sort_by(w, desc);
    keel_sort_desc sort = *desc;
    keeli_comparing values(w, desc->compare, desc->data);
    keeli_comparing_entities entities(w, desc->compare_entities, desc->data);
    if (desc->compare) { sort.compare = keeli_compare; sort.data = &values; }
    if (desc->compare_entities) { sort.compare_entities = keeli_compare_entities; sort.data = &entities; }
    return entities.ended(values.ended(keel_sort_by(w, &sort)));
}
inline keel_result keeli_parallel_for(keel_scope *s, uint32_t count, uint32_t grain, keel_range_fn *f, void *data) { keeli_ranging it(NULL, f, data); return it.ended((keel_parallel_for)(s, count, grain, f ? keeli_range : NULL, &it)); }
inline keel_result keeli_parallel_reduce(keel_scope *s, uint32_t count, uint32_t grain, keel_range_fn *f, void *data, const keel_reduction *r) { keeli_ranging it(NULL, f, data); return keeli_reduce(r, it, [&](const keel_reduction *to, void *self) { return (keel_parallel_reduce)(s, count, grain, self ? keeli_range : NULL, self, to); }); }
inline keel_result keeli_view_parallel_for(const keel_view *v, keel_span_fn *f, void *data) { keeli_spanning it(NULL, f, data); return it.ended(keel_view_parallel_for(v, f ? keeli_span : NULL, &it)); }
inline keel_result keeli_view_parallel_reduce(const keel_view *v, keel_span_fn *f, void *data, const keel_reduction *r) { keeli_spanning it(NULL, f, data); return keeli_reduce(r, it, [&](const keel_reduction *to, void *self) { return keel_view_parallel_reduce(v, self ? keeli_span : NULL, self, to); }); }
#undef keel_parallel_for
#undef keel_parallel_reduce
#define keel_retain_component keeli_retain_component
#define keel_patch_component keeli_patch_component
#define keel_sort_by keeli_sort_by
#define keel_parallel_for(scope, ...) keeli_parallel_for(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_parallel_reduce(scope, ...) keeli_parallel_reduce(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_view_parallel_for keeli_view_parallel_for
#define keel_view_parallel_reduce keeli_view_parallel_reduce
#endif

// ---------------------------------------------------------------- which component a type is
// KEEL_COMPONENT declares a function whose result type names the component (KEELI_FOUND). If two components have one type,
// there are two such functions, and a call is ambiguous.
template <class T> struct keeli_type {};
template <const keel_component *C> struct keeli_named {
    static constexpr const keel_component *component = C;
    keeli_named(int);
};

// ---------------------------------------------------------------- hooks of your own
// A copy hook that throws has failed. Move and drop hooks cannot fail, so an exception ends the
// program there, as in a destructor. The functions of a custom view fail as systems do.
template <const keel_component &given> bool keeli_own_copy(void *to, const void *from, void *data) {
    KEELI_TRY_COPY { return given.copy(to, from, data); }
    KEELI_CATCH_COPY
}
template <const keel_component &given> void keeli_own_move(void *to, void *from, void *data) noexcept { given.move(to, from, data); }
template <const keel_component &given> void keeli_own_drop(void *value, void *data) noexcept { given.drop(value, data); }
// Tells whether a hook is set. Comparing a function with NULL is no constant expression under gcc's sanitizers, so the hook is
// a template argument. In gcc 12 a NULL function is no valid template argument: then the second function is chosen.
#define KEELI_HAS_HOOK(hook)                                                                        \
    template <keel_##hook##_hook *> struct keeli_is_##hook { static constexpr bool value = true; }; \
    template <> struct keeli_is_##hook<nullptr> { static constexpr bool value = false; };           \
    template <const keel_component &given, bool is = keeli_is_##hook<given.hook>::value> constexpr bool keeli_has_##hook(int) { return is; } \
    template <const keel_component &given> constexpr bool keeli_has_##hook(long) { return false; }
KEELI_HAS_HOOK(copy)
KEELI_HAS_HOOK(move)
KEELI_HAS_HOOK(drop)
#undef KEELI_HAS_HOOK
template <const keel_component &given> constexpr keel_component keeli_with_own_hooks() {
    keel_component it = given;
    if constexpr (keeli_has_copy<given>(0)) it.copy = keeli_own_copy<given>;
    if constexpr (keeli_has_move<given>(0)) it.move = keeli_own_move<given>;
    if constexpr (keeli_has_drop<given>(0)) it.drop = keeli_own_drop<given>;
    return it;
}
template <const keel_custom_view &given> keel_result keeli_own_init(void *view, keel_context *context) {
    KEELI_GUARDED(context, return given.init(view, context);)
    return KEEL_OK; // after an exception the call has failed by keel_fail
}
template <const keel_custom_view &given> void keeli_own_end(void *view, keel_context *context) {
    KEELI_GUARDED(context, given.drop(view, context);)
}
template <const keel_custom_view &given> keel_custom_view keeli_with_own_functions() {
    keel_custom_view it = given;
    if (it.init) it.init = keeli_own_init<given>;
    if (it.drop) it.drop = keeli_own_end<given>;
    return it;
}

// ---------------------------------------------------------------- hooks that follow from the type
template <class T> void keeli_destroy(void *value, void *) noexcept { static_cast<T *>(value)->~T(); }
template <class T> void keeli_relocate(void *to, void *from, void *) noexcept {
    ::new (to) T(std::move(*static_cast<T *>(from)));
    static_cast<T *>(from)->~T();
}
template <class T> bool keeli_copy(void *to, const void *from, void *) {
    if constexpr (std::is_copy_constructible_v<T>) {
        KEELI_TRY_COPY { ::new (to) T(*static_cast<const T *>(from)); }
        KEELI_CATCH_COPY
        return true;
    } else {
        (void)to, (void)from;
        return false; // never called by verbs, which check `is_move_only` first
    }
}
// Returns a function that clears the padding of a value, or nullptr if the compiler does not know the padding.
template <class T> constexpr keel_clear_padding *keeli_padding() {
#ifdef KEELI_KNOWS_PADDING
    if constexpr (std::is_trivially_copyable_v<T>)
        return [](void *value) { __builtin_clear_padding(static_cast<T *>(value)); };
#endif
    if constexpr (std::has_unique_object_representations_v<T>) return [](void *) {}; // no padding
    return nullptr;
}
// The value before its load hook is called: zeros may be no T.
template <class T> inline const T keeli_initial = T();
// True if values begin as T() when they are loaded.
constexpr bool keeli_begins_as_default(const keel_component &given) {
    return given.load && !given.initial && !given.copy && !given.is_unique && !given.is_event && !given.is_relation;
}
// Hooks for a type whose declaration gives none. A type whose values are plain bytes needs no hooks.
template <class T, bool begins_as_default> constexpr void keeli_derive(keel_component &it) {
    if (!it.clear_padding) it.clear_padding = keeli_padding<T>();
    if constexpr (!std::is_trivially_copyable_v<T>) {
        if constexpr (begins_as_default && std::is_default_constructible_v<T> && std::is_copy_constructible_v<T>) it.initial = &keeli_initial<T>;
        static_assert(std::is_move_constructible_v<T>, "a component's type needs a move constructor or a copy constructor: values move within a world");
        if (!it.drop && !std::is_trivially_destructible_v<T>) it.drop = keeli_destroy<T>;
        if (!it.copy) {
            it.copy = keeli_copy<T>;
            it.is_move_only = !std::is_copy_constructible_v<T>;
        }
        if (!it.move) it.move = keeli_relocate<T>;
    }
}

// ---------------------------------------------------------------- values that are moved into a world
inline bool keeli_has_taken(keel_result result) { return result == KEEL_OK; }
inline bool keeli_has_taken(keel_entity e) { return !keel_is_null(e); }
inline bool keeli_has_taken(const void *value) { return value != NULL; }
// A value for a verb. An array of one element can be initialised by {1, 2}, {.x = 3}, a variable or a scalar. `component` is
// set if the value is part of a list, such as that of keel_add_entity.
template <class T> union keeli_held { T value[1]; ~keeli_held() {} };
template <class T> struct keeli_one {
    keeli_held<T> held;
    mutable bool is_taken;
    const keel_component *component;
    bool is_default; // the user gave no value, and this is T()
    operator keel_value() const { return { component, held.value }; }
    ~keeli_one() { if (!is_taken) held.value[0].~T(); }
    template <class R> R taken_by(R result) const { is_taken = keeli_has_taken(result); return result; }
};
template <class T> inline const void *keeli_pointer(const keeli_one<T> &one) { return one.held.value; }
inline const void *keeli_pointer(const void *none) { return none; }
#define KEELI_THE_VALUE_OF(component, T, ...) keeli_one<T>{ { { __VA_ARGS__ } }, false, component, false }
#define KEELI_THE_VALUE(T, ...) KEELI_THE_VALUE_OF(NULL, T, __VA_ARGS__)
// The value to add when the user gives none: T(), or NULL if T() is zeros or the component is a tag.
template <class T, bool is_tag> struct keeli_default {
    static const void *value() { return NULL; }
    static keel_value init(const keel_component *c) { return { c, NULL }; }
};
template <class T> struct keeli_default<T, false> {
    static_assert(std::is_default_constructible_v<T>, "this type has no default value: give one");
    static constexpr bool is_zeros = std::is_trivially_default_constructible_v<T>;
    static auto value() {
        if constexpr (is_zeros) return static_cast<const void *>(NULL);
        else return KEELI_THE_VALUE(T, T());
    }
    static auto init(const keel_component *c) {
        if constexpr (is_zeros) return keel_value{ c, NULL };
        else return keeli_one<T>{ { { T() } }, false, c, true };
    }
};
#define KEELI_DEFAULT(T, descriptor) (keeli_default<T, descriptor.size == 0>::value())
inline void keeli_taken(const keel_value &) {}
template <class T> void keeli_taken(const keeli_one<T> &v) { v.is_taken = true; }

// Values of an array, which are moved into the world: the elements of the array are T() afterwards.
template <class T> struct keeli_column {
    const keel_component *component;
    T *values;
    size_t stride;
    operator keel_value_column() const { return { component, values, stride }; }
};
template <class T, class Array> auto keeli_column_in(const keel_component *c, const T *values, size_t stride) {
    if constexpr (std::is_trivially_copyable_v<T>) return keel_value_column{ c, values, stride };
    else {
        static_assert(!std::is_const_v<std::remove_pointer_t<std::decay_t<Array>>>, "values are moved out of the array: it must not be const");
        return keeli_column<T>{ c, const_cast<T *>(values), stride };
    }
}
inline void keeli_taken(const keel_value_column &, uint32_t) {}
template <class T> void keeli_taken(const keeli_column<T> &column, uint32_t count) noexcept {
    if constexpr (!std::is_trivially_copyable_v<T>) {
        static_assert(std::is_default_constructible_v<T>, "the elements of the array are default values afterwards: the type needs a constructor without arguments");
        char *at = reinterpret_cast<char *>(column.values);
        for (uint32_t i = 0; i < count; ++i, at += column.stride)
            ::new (static_cast<void *>(at)) T();
    }
}

// ---------------------------------------------------------------- values that a verb returns
// Moves a removed value to the user's variable by assignment, so that the former value of the variable is destroyed.
template <class T> struct keeli_slot {
    union { T value; };
    keeli_slot() {}
    ~keeli_slot() {}
    void put(T *out) { *out = std::move(value); value.~T(); }
};
template <class T, class F> keel_result keeli_take(T *out, F take) {
    if constexpr (std::is_trivially_copyable_v<T>) return take(out);
    else {
        keeli_slot<T> slot;
        const keel_result result = take(out ? &slot.value : NULL);
        if (out && result == KEEL_OK) slot.put(out);
        return result;
    }
}
template <class T> struct keeli_out {
    const keel_component *component;
    T *out;
    bool *taken;
    mutable keeli_slot<T> slot;
    mutable bool was_there;
    operator keel_out() const {
        if constexpr (std::is_trivially_copyable_v<T>) return { component, out, &was_there };
        else return { component, out ? &slot.value : NULL, &was_there };
    }
    void done() const {
        if constexpr (!std::is_trivially_copyable_v<T>)
            if (was_there && out) slot.put(out);
        if (taken) *taken = was_there;
    }
};
template <class T> keeli_out<T> keeli_out_of(const keel_component *c, T *out, bool *taken = NULL) { return { c, out, taken, {}, false }; }

// ---------------------------------------------------------------- verbs
template <class S> inline keel_entity keeli_add_entity_values(S *s, const keel_value *v) { return keel_add_entity_values(s, v); }
template <class S> inline keel_result keeli_add_values(S *s, keel_entity e, const keel_value *v) { return keel_add_component_values(s, e, v); }
template <class S> inline keel_result keeli_add(S *s, keel_entity e, const keel_component *c, const void *v) { return keel_add_component(s, e, c, v); }
template <class S> inline keel_result keeli_add_unchecked(S *s, keel_entity e, const keel_component *c, const void *v) { return keel_add_component_unchecked(s, e, c, v); }
template <class S> inline keel_result keeli_remove_out(S *s, keel_entity e, const keel_component *c, void *out) { return keel_remove_component(KEELI_TO_WRITE(s), e, c, out); }
template <class R, class... V> inline R keeli_taken_by(R result, const V &...v) { if (keeli_has_taken(result)) (keeli_taken(v), ...); return result; }
template <class S, class... V> inline keel_entity keeli_add_entity(S s, const V &...v) { const keel_value list[] = { v..., keel_value{ NULL, NULL } }; return keeli_taken_by(keeli_add_entity_values(s, static_cast<const keel_value *>(list)), v...); }
template <class S, class... V> inline keel_entity keeli_add_child(S s, keel_entity parent, const V &...v) { const keel_value list[] = { v..., keel_value{ NULL, NULL } }; return keeli_taken_by(keel_add_child_values(s, parent, static_cast<const keel_value *>(list)), v...); }
inline bool keeli_is_default(const keel_value &) { return false; }
template <class T> inline bool keeli_is_default(const keeli_one<T> &v) { return v.is_default; }
// Builds a list for keel_add_values: first the values that the user gave, then, behind keel_if_missing, default values, which
// are only added if the entity lacks the component.
template <class S, class... V> inline keel_result keeli_add_all(S s, keel_entity e, const V &...v) {
    keel_value list[sizeof...(V) + 2] = {};
    size_t n = 0;
    ((keeli_is_default(v) ? void() : void(list[n++] = v)), ...);
    if ((keeli_is_default(v) || ...)) list[n++] = keel_value{ keel_if_missing(), NULL };
    ((keeli_is_default(v) ? void(list[n++] = v) : void()), ...);
    return keeli_taken_by(keeli_add_values(s, e, static_cast<const keel_value *>(list)), v...);
}
template <class S> inline keel_result keeli_add_if_missing(S s, keel_entity e, const keel_component *c, const void *v) {
    const keel_value list[] = { { keel_if_missing(), NULL }, { c, v }, { NULL, NULL } };
    return keeli_add_values(s, e, static_cast<const keel_value *>(list));
}
template <class S, class T> inline keel_result keeli_add_if_missing(S s, keel_entity e, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keeli_add_if_missing(s, e, c, keeli_pointer(v))); }
inline void keeli_done(const keel_out &) {}
template <class T> inline void keeli_done(const keeli_out<T> &out) { out.done(); }
template <class S, class... V> inline keel_result keeli_remove_all(S s, keel_entity e, const V &...v) {
    const keel_out list[] = { v..., keel_out{ NULL, NULL, NULL } };
    const keel_result result = keel_remove_component_values(s, e, static_cast<const keel_out *>(list));
    (keeli_done(v), ...);
    return result;
}
template <class S, class... V> inline keel_result keeli_add_entities(S s, uint32_t n, keel_entity *out, const V &...v) {
    const keel_value_column list[] = { v..., keel_value_column{ NULL, NULL, 0 } };
    const keel_result result = keel_add_entity_columns(s, n, out, list);
    if (result == KEEL_OK) (keeli_taken(v, n), ...);
    return result;
}
template <class S, class... V> inline keel_entity keeli_spawn(S s, keel_prefab prefab, const V &...v) { const keel_value list[] = { v..., keel_value{ NULL, NULL } }; return keeli_taken_by(keel_spawn_values(s, prefab, static_cast<const keel_value *>(list)), v...); }
template <class S, class... V> inline keel_result keeli_spawn_many(S s, keel_prefab prefab, uint32_t n, keel_entity *out, const V &...v) {
    const keel_value_column list[] = { v..., keel_value_column{ NULL, NULL, 0 } };
    const keel_result result = keel_spawn_columns(s, prefab, n, out, list);
    if (result == KEEL_OK) (keeli_taken(v, n), ...);
    return result;
}
template <class S, class C> inline keel_result keeli_add_column_to_many(S w, const keel_entity *entities, uint32_t n, const C &column) {
    const keel_value_column bulk = column;
    const keel_result result = keel_add_component_to_many(w, entities, n, bulk.component, bulk.values, bulk.stride);
    if (result == KEEL_OK) keeli_taken(column, n);
    return result;
}
// Verbs with one value, which keeli_one destroys unless the world has taken ownership of it.
template <class S, class T> inline keel_result keeli_add(S s, keel_entity e, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keeli_add(s, e, c, keeli_pointer(v))); }
template <class S> inline keel_result keeli_add_default(S s, keel_entity e, const keel_component *c, const void *v) { return keeli_add(s, e, c, v); }
template <class S, class T> inline keel_result keeli_add_default(S s, keel_entity e, const keel_component *c, const keeli_one<T> &v) {
    if constexpr (decltype(keeli_is_world(s))::value)
        if (!keel_has_component(s, e, c)) return keeli_add(s, e, c, v);
    return keeli_add_if_missing(s, e, c, v);
}
template <class S, class T> inline keel_result keeli_add_unchecked(S s, keel_entity e, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keeli_add_unchecked(s, e, c, keeli_pointer(v))); }
inline void *keeli_get_or_add(keel_world *w, keel_entity e, const keel_component *c, const void *v) { return keel_get_or_add_component(w, e, c, v); }
template <class T> inline void *keeli_get_or_add(keel_world *w, keel_entity e, const keel_component *c, const keeli_one<T> &v) {
    if (keel_has_component(w, e, c)) return keel_get_or_add_component(w, e, c, NULL); // v is not used, and destroyed by the caller
    return v.taken_by(keel_get_or_add_component(w, e, c, keeli_pointer(v)));
}
template <class S> inline keel_result keeli_set_unique(S w, const keel_component *c, const void *v) { return keel_set_unique_value(w, c, v); }
template <class S, class T> inline keel_result keeli_set_unique(S w, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keel_set_unique_value(w, c, keeli_pointer(v))); }
inline void *keeli_get_or_set_unique(keel_world *w, const keel_component *c, const void *v) { return keel_get_or_set_unique_value(w, c, v); }
template <class T> inline void *keeli_get_or_set_unique(keel_world *w, const keel_component *c, const keeli_one<T> &v) {
    if (keel_get_unique_value(w, c)) return keel_get_unique_value_mut(w, c); // v is not used, and destroyed by the caller
    return v.taken_by(keel_get_or_set_unique_value(w, c, keeli_pointer(v)));
}
template <class S> inline keel_result keeli_replace(S w, keel_entity e, const keel_component *c, const void *v) { return keel_replace_component(w, e, c, v); }
template <class S, class T> inline keel_result keeli_replace(S w, keel_entity e, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keel_replace_component(w, e, c, keeli_pointer(v))); }
template <class S, class T> inline keel_result keeli_relate(S s, keel_entity source, const keel_component *c, keel_entity target, const keeli_one<T> &v) { return v.taken_by(keel_relate_component(s, source, c, target, keeli_pointer(v))); }
template <class T, class S> inline bool keeli_drain(S s, const keel_component *c, keel_entity *e, T *out) { return keeli_take(out, [&](void *to) { return keel_drain_component(s, c, e, to) ? KEEL_OK : KEEL_ABSENT; }) == KEEL_OK; }
template <class T, class S> inline keel_result keeli_take_out(S s, keel_entity e, const keel_component *c, T *out) { return keeli_take(out, [&](void *to) { return keeli_remove_out(s, e, c, to); }); }
template <class T> inline keel_result keeli_take_unique(keel_world *w, const keel_component *c, T *out) { return keeli_take(out, [&](void *to) { return keel_remove_unique_value(w, c, to); }); }
template <class S, class... C> inline bool keeli_has_all(S s, keel_entity e, C... c) { const keel_component *const list[] = { c..., NULL }; return keel_has_all_components(s, e, static_cast<const keel_component *const *>(list)); }
template <class S, class... C> inline bool keeli_has_any(S s, keel_entity e, C... c) { const keel_component *const list[] = { c..., NULL }; return keel_has_any_component(s, e, static_cast<const keel_component *const *>(list)); }
template <class S, class... C> inline keel_result keeli_delete_all(S s, keel_entity e, C... c) { const keel_component *const list[] = { c..., NULL }; return keel_delete_components(s, e, static_cast<const keel_component *const *>(list)); }
template <class S> inline keel_result keeli_delete_all(S s, keel_entity e, const keel_component *c) { return keel_delete_component(s, e, c); }
template <class... C> inline keel_result keeli_register(keel_world *w, C... c) { const keel_component *const list[] = { c..., NULL }; return keeli_register_list(w, list); }
// clang-format on
#endif
