// SPDX-License-Identifier: MIT
/// @file typed_generic.h
/// C++: the verbs as templates over the type, for generic code: `keel::add<T>(world, e, value)`
/// does what `keel_add(world, e, T, value)` does, for any type T that is declared as a component.
/// Scopes, results, errors, threads and invalidation are those of the verb of the same name. A
/// template whose name would be a keyword of C++ ends with `_`: `delete_`, `register_`.
///
/// The descriptor of a type is found through a function that KEEL_COMPONENT, KEEL_TAG, KEEL_UNIQUE
/// or KEEL_EVENT declares in the namespace of the type. So KEEL_COMPONENT must stand before the use
/// of the template, the type must be a class or an enum, and only one component may be declared for
/// it. If two components have one type (by two typedefs), only the macros can be used: see
/// docs/tasks/cpp_templates.md.
#pragma once
#pragma GCC system_header
#include <keel/typed.h>
#ifdef __cplusplus
#include <tuple>
// clang-format off

/// @cond how a type is found
template <class T, class = void> struct keeli_component_of {
    static_assert(sizeof(keeli_type<T>) == 0, "this type is no component here: write KEEL_COMPONENT(T) in the namespace of T, before; a type that is two components has the macros only");
};
template <class T> struct keeli_component_of<T, std::void_t<decltype(keeli_find_KEEL_COMPONENT_(keeli_type<T>(), 0))>> : decltype(keeli_find_KEEL_COMPONENT_(keeli_type<T>(), 0)) {};
template <class T, class = void> struct keeli_unique_of {
    static_assert(sizeof(keeli_type<T>) == 0, "this type is no unique here: write KEEL_UNIQUE(T) in the namespace of T, before");
};
template <class T> struct keeli_unique_of<T, std::void_t<decltype(keeli_find_KEEL_UNIQUE_(keeli_type<T>(), 0))>> : decltype(keeli_find_KEEL_UNIQUE_(keeli_type<T>(), 0)) {};
template <class T, class = void> struct keeli_event_of {
    static_assert(sizeof(keeli_type<T>) == 0, "this type is no event here: write KEEL_EVENT(T) in the namespace of T, before");
};
template <class T> struct keeli_event_of<T, std::void_t<decltype(keeli_find_KEEL_EVENT_(keeli_type<T>(), 0))>> : decltype(keeli_find_KEEL_EVENT_(keeli_type<T>(), 0)) {};
// The type of an argument that is not deduced: keel::add<T>(world, e, {1, 2}).
template <class T> using keeli_t = typename keeli_same<T>::type;
// A value to copy. If the type cannot be copied, a single static assertion fails.
template <class T> struct keeli_copy_of {
    static constexpr bool is = std::is_copy_constructible_v<T>;
    static_assert(is, "this type cannot be copied: hand its value over with std::move");
    static std::conditional_t<is, const T &, T &&> of(const T &value) { return static_cast<std::conditional_t<is, const T &, T &&>>(const_cast<T &>(value)); }
};
// A function object as the `data` of a C function.
template <class F> inline void *keeli_as_data(F &f) { return const_cast<void *>(static_cast<const void *>(__builtin_addressof(f))); }
template <class F> inline F &keeli_from_data(void *data) { return *static_cast<F *>(data); }
template <class F> void keeli_call_listener(const keel_change *change, void *listener) { keeli_from_data<F>(listener)(*change); }
// The place of a call, as KEELI_HERE writes it, in the 63 bytes that keel_view_begin keeps: a long path loses its beginning.
// It is written from its end, because snprintf would make a short loop a third slower.
struct keeli_call_place {
    char text[64];
    char *begin = text + sizeof text - 1;
    keeli_call_place(const char *file, unsigned line) {
        *begin = 0;
        do *--begin = static_cast<char>('0' + line % 10); while (line /= 10);
        *--begin = ':';
        const size_t size = __builtin_strlen(file), room = static_cast<size_t>(begin - text), kept = size < room ? size : room;
        begin -= kept;
        __builtin_memcpy(begin, file + (size - kept), kept);
    }
    keeli_call_place(const keeli_call_place &) = delete;
};
struct keeli_open_view {
    keel_view view;
    keel_iterator walk;
    bool is_open = false;
    ~keeli_open_view() { if (is_open) { keel_iterator_end(&walk); keel_view_end(&view); } }
};
template <class T> constexpr bool keeli_is_tag_of = keeli_component_of<std::remove_const_t<T>>::component->size == 0;
template <class T> inline T *keeli_values_in(const keel_span *span) {
    if constexpr (keeli_is_tag_of<T>) return NULL;
    else if constexpr (std::is_const_v<T>) return static_cast<T *>(keel_span_read_component(span, keeli_component_of<std::remove_const_t<T>>::component));
    else return static_cast<T *>(keel_span_write_component(span, keeli_component_of<T>::component));
}
// The argument for one component: its value; nothing for a tag, which has no value.
template <class T> inline auto keeli_argument_of(T *values, uint32_t i) {
    if constexpr (keeli_is_tag_of<T>) return (void)values, (void)i, std::tuple<>();
    else return std::tuple<T &>(values[i]);
}
template <class... T, class F> inline void keeli_each_of(const keel_span *span, F &f, T *...values) {
    for (uint32_t i = 0; i < span->count; ++i) {
        if constexpr ((keeli_is_tag_of<T> || ...))
            std::apply([&](auto &...value) {
                if constexpr (std::is_invocable_v<F &, keel_entity, decltype(value)...>) f(span->entities[i], value...);
                else f(value...);
            }, std::tuple_cat(keeli_argument_of<T>(values, i)...));
        else if constexpr (std::is_invocable_v<F &, keel_entity, T &...>) f(span->entities[i], values[i]...);
        else f(values[i]...); // without tuples, which unoptimised code would not inline
    }
}
/// @endcond

namespace keel {
/// The descriptor of a component, as KEEL_OF. Its `type` is the name as it was written; `name` is NULL unless one was given.
template <class T> constexpr const keel_component *component = keeli_component_of<T>::component;
/// The descriptor of a unique, as KEEL_UNIQUE_OF.
template <class T> constexpr const keel_component *unique = keeli_unique_of<T>::component;
/// The descriptor of a type of events, as KEEL_EVENT_OF.
template <class T> constexpr const keel_component *event = keeli_event_of<T>::component;
/// @cond
template <class T> constexpr bool keeli_is_tag = component<T>->size == 0;
/// @endcond

/// A component to add, as KEEL_INIT: `keel_add_entity(world, keel::init<A>(), keel::init<B>(value))`.
template <class T> auto init() { return keeli_default<T, keeli_is_tag<T>>::init(component<T>); }
template <class T> keeli_one<T> init(keeli_t<T> &&value) { return KEELI_THE_VALUE_OF(component<T>, T, std::move(value)); }
template <class T> keeli_one<T> init(const keeli_t<T> &value) { return KEELI_THE_VALUE_OF(component<T>, T, keeli_copy_of<T>::of(value)); }
/// Values of an array, which are moved out of it, as KEEL_COLUMN.
template <class T, class A> auto column(A &array) { return keeli_column_in<T, A &>(component<T>, &array[0], sizeof(T)); }

template <class T, class S> keel_result add(S *s, keel_entity e) { return keeli_add_default(s, e, component<T>, keeli_default<T, keeli_is_tag<T>>::value()); }
template <class T, class S> keel_result add(S *s, keel_entity e, keeli_t<T> &&value) { return keeli_add(s, e, component<T>, KEELI_THE_VALUE(T, std::move(value))); }
template <class T, class S> keel_result add(S *s, keel_entity e, const keeli_t<T> &value) { return keeli_add(s, e, component<T>, KEELI_THE_VALUE(T, keeli_copy_of<T>::of(value))); }
template <class T, class S> keel_result add_if_missing(S *s, keel_entity e) { return keeli_add_if_missing(s, e, component<T>, keeli_default<T, keeli_is_tag<T>>::value()); }
template <class T, class S> keel_result add_if_missing(S *s, keel_entity e, keeli_t<T> &&value) { return keeli_add_if_missing(s, e, component<T>, KEELI_THE_VALUE(T, std::move(value))); }
template <class T, class S> keel_result add_if_missing(S *s, keel_entity e, const keeli_t<T> &value) { return keeli_add_if_missing(s, e, component<T>, KEELI_THE_VALUE(T, keeli_copy_of<T>::of(value))); }
template <class T, class S> keel_result replace(S *s, keel_entity e, keeli_t<T> &&value) { return keeli_replace(s, e, component<T>, KEELI_THE_VALUE(T, std::move(value))); }
template <class T, class S> keel_result replace(S *s, keel_entity e, const keeli_t<T> &value) { return keeli_replace(s, e, component<T>, KEELI_THE_VALUE(T, keeli_copy_of<T>::of(value))); }
template <class T> T *get_or_add(keel_world *w, keel_entity e) { return static_cast<T *>(keeli_get_or_add(w, e, component<T>, keeli_default<T, keeli_is_tag<T>>::value())); }
template <class T> T *get_or_add(keel_world *w, keel_entity e, keeli_t<T> &&value) { return static_cast<T *>(keeli_get_or_add(w, e, component<T>, KEELI_THE_VALUE(T, std::move(value)))); }
template <class T> T *get_or_add(keel_world *w, keel_entity e, const keeli_t<T> &value) { return static_cast<T *>(keeli_get_or_add(w, e, component<T>, KEELI_THE_VALUE(T, keeli_copy_of<T>::of(value)))); }
template <class T, class S> const T *get(S *s, keel_entity e) { return static_cast<const T *>(KEELI_DIRECT(s, keeli_world_get, (keel_get_component))(KEELI_TO_READ(s), e, component<T>)); }
template <class T, class S> T *get_mut(S *s, keel_entity e) { return static_cast<T *>(KEELI_DIRECT(s, keeli_world_get_mut, (keel_get_component_mut))(KEELI_TO_WRITE(s), e, component<T>)); }
/// Returns the value as keel_at does; the message names the type.
template <class T, class S> const T &at(S *s, keel_entity e) { return *static_cast<const T *>(keel_at_component(s, e, component<T>, component<T>->type)); }
template <class T, class S> T &at_mut(S *s, keel_entity e) { return *static_cast<T *>(keel_at_component_mut(s, e, component<T>, component<T>->type)); }
template <class T, class S> bool has(S *s, keel_entity e) { return KEELI_DIRECT(s, keeli_world_has, (keel_has_component))(KEELI_TO_READ(s), e, component<T>); }
template <class... T, class S> bool has_all(S *s, keel_entity e) { return keeli_has_all(s, e, component<T>...); }
template <class... T, class S> bool has_any(S *s, keel_entity e) { return keeli_has_any(s, e, component<T>...); }
template <class T, class S> keel_result remove(S *s, keel_entity e) { return keel_remove_component(s, e, component<T>, NULL); }
template <class T, class S> keel_result remove(S *s, keel_entity e, T *out) { return keeli_take_out(s, e, component<T>, out); }
template <class... T, class S> keel_result delete_(S *s, keel_entity e) { return keeli_delete_all(s, e, component<T>...); }
template <class T, class S> bool drain(S *s, keel_entity *e, T *out) { return keeli_drain<T>(s, component<T>, e, out); }
template <class T, class S> keel_result clear(S *s) { return keel_clear_component(s, component<T>); }
template <class T, class S> keel_result mark(S *s, keel_entity e) { return keel_mark_component(s, e, component<T>); }
template <class T, class S> keel_result enable(S *s, keel_entity e) { return keel_enable_component(s, e, component<T>, true); }
template <class T, class S> keel_result disable(S *s, keel_entity e) { return keel_enable_component(s, e, component<T>, false); }
template <class T, class S> uint32_t count(S *s) { return keel_component_count(s, component<T>); }
template <class T, class S> keel_result add_many(S *s, const keel_entity *entities, uint32_t n, const keeli_t<T> &value) { return keel_add_component_to_many(s, entities, n, component<T>, __builtin_addressof(value), 0); }
template <class T, class S, class A> keel_result add_column_many(S *s, const keel_entity *entities, uint32_t n, A &array) { return keeli_add_column_to_many(s, entities, n, column<T>(array)); }
template <class T, class S> keel_result delete_many(S *s, const keel_entity *entities, uint32_t n) { return keel_delete_component_from_many(s, entities, n, component<T>); }
template <class T, class S> keel_result add_matching(S *s, const keel_term *terms, const keeli_t<T> &value) { return keel_add_component_to_matching(s, terms, component<T>, __builtin_addressof(value)); }
template <class T, class S> keel_result delete_matching(S *s, const keel_term *terms) { return keel_delete_component_from_matching(s, terms, component<T>); }
template <class... T> keel_result register_(keel_world *w) { return keeli_register(w, component<T>...); }
/// Deletes the component where `keep(entity, value)` returns false. `keep` is any function object.
template <class T, class F> keel_result retain(keel_world *w, F &&keep) {
    typedef std::remove_reference_t<F> function;
    return keel_retain_component(w, component<T>, [](keel_entity e, void *value, void *f) -> bool { return keeli_from_data<function>(f)(e, *static_cast<T *>(value)); }, keeli_as_data(keep));
}
/// Changes a value by `change(value)`.
template <class T, class F> keel_result patch(keel_world *w, keel_entity e, F &&change) {
    typedef std::remove_reference_t<F> function;
    return keel_patch_component(w, e, component<T>, [](void *value, void *f) { keeli_from_data<function>(f)(*static_cast<T *>(value)); }, keeli_as_data(change));
}
/// Sorts by `is_less(a, b)`, which returns bool, as for std::sort.
template <class T, class F> keel_result sort(keel_world *w, F &&is_less) {
    typedef std::remove_reference_t<F> function;
    keel_sort_desc by = {};
    by.component = component<T>;
    by.data = keeli_as_data(is_less);
    by.compare = [](const void *a, const void *b, void *f) {
        function &less = keeli_from_data<function>(f);
        const T &x = *static_cast<const T *>(a), &y = *static_cast<const T *>(b);
        static_assert(std::is_same_v<std::decay_t<decltype(less(x, y))>, bool>,
                      "keel::sort takes a function that returns bool, a < b, as std::sort; a function that returns an int less than, equal to or greater than 0 is for keel_sort");
        return less(x, y) ? -1 : less(y, x) ? 1 : 0;
    };
    return keel_sort_by(w, &by);
}
template <class T> keel_result observe(keel_world *w, uint32_t kinds, keel_observer_fn *f, void *data) { return keel_observe_component(w, component<T>, kinds, f, data); }
/// Observes `T` with a function object, a lambda with captures or a std::function: `listener(change)` is called. The world
/// keeps the address of `listener`, which must stay in place until `unobserve<T>(world, listener)` or the end of the world.
template <class T, class F> keel_result observe(keel_world *w, uint32_t kinds, F &listener) { return keel_observe_component(w, component<T>, kinds, keeli_call_listener<F>, keeli_as_data(listener)); }
/// A temporary cannot observe: its address is no longer valid after the call.
template <class T, class F> std::enable_if_t<!std::is_lvalue_reference_v<F>, keel_result> observe(keel_world *, uint32_t, F &&) {
    static_assert(sizeof(keeli_type<F>) == 0, "the world keeps the address of what observes, and a temporary ends here: keep it in a variable until keel::unobserve");
    return KEEL_ERROR_ARGUMENT;
}
template <class T, class F> keel_result unobserve(keel_world *w, F &listener) { return keel_unobserve_component(w, component<T>, keeli_call_listener<F>, keeli_as_data(listener)); }
template <class T> keel_result unobserve(keel_world *w, keel_observer_fn *f, void *data) { return keel_unobserve_component(w, component<T>, f, data); }

template <class T, class S> keel_result set_unique(S *s) { return keeli_set_unique(s, unique<T>, keeli_default<T, false>::value()); }
template <class T, class S> keel_result set_unique(S *s, keeli_t<T> &&value) { return keeli_set_unique(s, unique<T>, KEELI_THE_VALUE(T, std::move(value))); }
template <class T, class S> keel_result set_unique(S *s, const keeli_t<T> &value) { return keeli_set_unique(s, unique<T>, KEELI_THE_VALUE(T, keeli_copy_of<T>::of(value))); }
template <class T, class S> const T *get_unique(S *s) { return static_cast<const T *>(keel_get_unique_value(s, unique<T>)); }
template <class T, class S> T *get_unique_mut(S *s) { return static_cast<T *>(keel_get_unique_value_mut(s, unique<T>)); }
template <class T> T *get_or_set_unique(keel_world *w) { return static_cast<T *>(keeli_get_or_set_unique(w, unique<T>, keeli_default<T, false>::value())); }
template <class T, class S> keel_result remove_unique(S *s) { return keel_remove_unique_value(s, unique<T>, NULL); }
template <class T> keel_result remove_unique(keel_world *w, T *out) { return keeli_take_unique(w, unique<T>, out); }
/// Sends an event, as keel_send. Scope: world, commands, context.
template <class T, class S> keel_result send(S *s, keeli_t<T> &&value) { return keeli_send(s, event<T>, KEELI_THE_VALUE(T, std::move(value))); }
template <class T, class S> keel_result send(S *s, const keeli_t<T> &value) { return keeli_send(s, event<T>, KEELI_THE_VALUE(T, keeli_copy_of<T>::of(value))); }

/// Loops over the entities that have all of `T`: `keel::each<A, const B>(world, [](A &a, const B &b) { ... })`, or with the
/// handle first. A const type is only read. A tag is required and is no argument, as it has no value. The function may edit the
/// same as the body of a KEEL_EACH, and may throw. KEEL_EACH is faster where values do not lie side by side. Scope: world,
/// context, reader.
/// @param file, line the place of the call, which the compiler fills in: messages name it, as for KEEL_EACH
/// @return as keel_view_begin
template <class... T, class S, class F> keel_result each(S *s, F &&f, const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    const keel_term terms[] = { { keeli_is_tag_of<T> ? KEEL_TERM_WITH : std::is_const_v<T> ? KEEL_TERM_READ : KEEL_TERM_WRITE, 0, component<std::remove_const_t<T>>, NULL, NULL, NULL }...,
                                { KEEL_TERM_ENTITY, 0, NULL, NULL, NULL, NULL },
                                { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } };
    keeli_open_view open;
    KEEL_TRY(keel_view_begin(&open.view, s, static_cast<const keel_term *>(terms), keeli_call_place(file, line).begin));
    keel_result result = keel_iterator_begin(&open.walk, &open.view);
    open.is_open = true;
    keel_span span;
    while (result == KEEL_OK && keel_iterator_next_span(&open.walk, &span))
        keeli_each_of<T...>(&span, f, keeli_values_in<T>(&span)...);
    return result;
}
} // namespace keel
// clang-format on
#endif
