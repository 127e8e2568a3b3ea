// SPDX-License-Identifier: MIT
/// @file typed_terms.h
/// The part of typed.h that has the terms of views and the parameters of systems: KEEL_READ,
/// KEEL_WITH, KEEL_COMMANDS and so on, and the table of terms that they make. typed_matrix.h has
/// the code that each parameter expands to. Programs include keel.h.
#pragma once
#pragma GCC system_header
#include <keel/custom_view.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
#include <keel/view.h>
#include <keel/workload.h>
// clang-format off

// ---------------------------------------------------------------- terms and parameters
// A parameter is a tuple (class, kind, C type, name, component, others, word). The class decides what each part of the generated
// code does with it. Class names begin with keeli_, so that no macro of a user (READ, DATA, ...) can change them.
/// Parameter: the component is required; its value to read, `const T *name` (an array in a span): `KEEL_READ(Velocity, v)`.
#define KEEL_READ(T, name) (keeli_value, KEEL_TERM_READ, const T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: the component is required; its value to write, `T *name` (an array in a span): `KEEL_WRITE(Position, p)`. All
/// visited values count as modified.
#define KEEL_WRITE(T, name) (keeli_value, KEEL_TERM_WRITE, T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameters: the component is required; `T *name` and `bool *changed`. The value only counts as modified if the body sets
/// `*changed` to true (see track.h). In a span both are arrays.
#define KEEL_WRITE_MARKED(T, name, changed) (keeli_marked, KEEL_TERM_WRITE_MARKED, T, name, &KEEL_COMPONENT_##T, NULL, T, changed)
/// Parameter of a view: the component is required; values to write, and the view may add and remove the component.
#define KEEL_EDIT(T, name) (keeli_value, KEEL_TERM_EDIT, T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: `const T *name`, or NULL if the entity lacks the component.
#define KEEL_OPTIONAL_READ(T, name) (keeli_maybe, KEEL_TERM_OPTIONAL_READ, const T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: `T *name`, or NULL if the entity lacks the component.
#define KEEL_OPTIONAL_WRITE(T, name) (keeli_maybe, KEEL_TERM_OPTIONAL_WRITE, T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component.
#define KEEL_WITH(T) (keeli_filter, KEEL_TERM_WITH, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component, and the component leads: entities are visited in its order (see view.h). A view
/// or system has at most one KEEL_LEADING.
#define KEEL_LEADING(T) (keeli_filter, KEEL_TERM_WITH, keeli_leads, , &KEEL_COMPONENT_##T, NULL, T)
/// Term of a loop or view: the `count` handles of an array lead, in their order; see view.h. Dead handles are skipped. The
/// array must not change until the loop ends or the view is closed. A view has at most one KEEL_AMONG, and then no
/// KEEL_LEADING.
#define KEEL_AMONG(list, count) (keeli_among, KEEL_TERM_AMONG, count, , NULL, NULL, keeli_among_list(list))
static inline const void *keeli_among_list(const keel_entity *list) { return list; }
static inline uint32_t keeli_among_count(uint32_t count) { return count; }
/// Term of a loop or view: the same entities in reverse order; see view.h.
#define KEEL_BACKWARDS (keeli_backwards, KEEL_TERM_BACKWARDS, void, , NULL, NULL, ~)
/// Filter: the entity must lack the component.
#define KEEL_WITHOUT(T) (keeli_filter, KEEL_TERM_WITHOUT, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have at least one of up to 8 components.
#define KEEL_ANY_OF(...) (keeli_filter, KEEL_TERM_ANY_OF, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Filter: the entity must have the component, inserted in the period that the loop or system sees; see track.h.
#define KEEL_INSERTED(T) (keeli_filter, KEEL_TERM_INSERTED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component, modified in this period.
#define KEEL_MODIFIED(T) (keeli_filter, KEEL_TERM_MODIFIED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component, inserted or modified in this period.
#define KEEL_CHANGED(T) (keeli_filter, KEEL_TERM_CHANGED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity lacks the component, or it was not inserted in this period.
#define KEEL_NOT_INSERTED(T) (keeli_filter, KEEL_TERM_NOT_INSERTED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity lacks the component, or it was not modified in this period.
#define KEEL_NOT_MODIFIED(T) (keeli_filter, KEEL_TERM_NOT_MODIFIED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity lacks the component, or it was neither inserted nor modified in this period.
#define KEEL_NOT_CHANGED(T) (keeli_filter, KEEL_TERM_NOT_CHANGED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: the value of the target of a relation, as the inner parameter says: `KEEL_OF_TARGET(keel_child,
/// KEEL_READ(Position, above))` for the parent's. The inner parameter is KEEL_READ, KEEL_OPTIONAL_READ or KEEL_WRITE. The
/// relation must be exclusive. See view.h.
#define KEEL_OF_TARGET(R, parameter) KEELI_APPLY(KEELI_THROUGH, KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_, _of_target_, R, KEELI_PARTS(parameter), ~)
/// @cond kinds of terms by those of the inner parameter
#define KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_READ KEEL_TERM_OF_TARGET_READ
#define KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_OPTIONAL_READ KEEL_TERM_OF_TARGET_OPTIONAL_READ
#define KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_WRITE KEEL_TERM_OF_TARGET_WRITE
/// @endcond
/// Parameter: the value of the nearest entity above that has the component (the target, the target's target, ...):
/// `KEEL_UP(keel_child, KEEL_OPTIONAL_READ(Global, above))`, or with KEEL_READ. See view.h.
#define KEEL_UP(R, parameter) KEELI_APPLY(KEELI_THROUGH, KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_, _above_, R, KEELI_PARTS(parameter), ~)
/// @cond kinds of terms by those of the inner parameter
#define KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_KEEL_TERM_READ KEEL_TERM_UP_READ
#define KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_KEEL_TERM_OPTIONAL_READ KEEL_TERM_UP_OPTIONAL_READ
/// @endcond
#define KEELI_THROUGH(kinds, word, R, c, kind, CT, n, component, others, T, ...) (c, KEELI_CAT(kinds, kind), CT, n, component, KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##R), T##word##R)
/// Filter beside KEEL_TARGETS_FIRST: the component of the entity, or of an entity above it, was inserted or modified in the
/// period that the loop or system sees: `KEEL_CHANGED_UP(keel_child, Local)`. See view.h.
#define KEEL_CHANGED_UP(R, T) (keeli_filter, KEEL_TERM_CHANGED_UP, void, , &KEEL_COMPONENT_##T, KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##R), T)
/// Order: targets of the relation are visited before their sources, parents before children, level by level; see view.h.
#define KEEL_TARGETS_FIRST(R) (keeli_filter, KEEL_TERM_TARGETS_FIRST, void, , &KEEL_COMPONENT_##R, NULL, R)
/// Parameter: the handle, `const keel_entity name`.
#define KEEL_ENTITY(name) (keeli_entity, KEEL_TERM_ENTITY, keel_entity, name, NULL, NULL, ~)
/// Parameter of a span: the handles, `const keel_entity *name`.
#define KEEL_SPAN_ENTITIES(name) (keeli_entities, KEEL_TERM_ENTITY, keel_entity, name, NULL, NULL, ~)
/// Parameter of a span: the number of entities, `const uint32_t name`.
#define KEEL_SPAN_COUNT(name) (keeli_count, KEEL_TERM_NONE, uint32_t, name, NULL, NULL, ~)
/// Parameter: a unique to read, `const T *name`.
#define KEEL_UNIQUE_READ(T, name) (keeli_unique, KEEL_TERM_UNIQUE_READ, const T, name, &KEEL_UNIQUE_##T, NULL, T)
/// Parameter: a unique to write, `T *name`.
#define KEEL_UNIQUE_WRITE(T, name) (keeli_unique, KEEL_TERM_UNIQUE_WRITE, T, name, &KEEL_UNIQUE_##T, NULL, T)
/// Access: the system may read up to 8 components of any entity (keel_get on the context, KEEL_EACH).
#define KEEL_MAY_READ(...) (keeli_access, KEEL_TERM_MAY_READ, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Access: the system may write up to 8 components of any entity.
#define KEEL_MAY_WRITE(...) (keeli_access, KEEL_TERM_MAY_WRITE, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Access: the system may add and remove up to 8 components of any entity (keel_add on the context).
#define KEEL_MAY_EDIT(...) (keeli_access, KEEL_TERM_MAY_EDIT, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Parameter: commands, `keel_commands *name`. `KEEL_COMMANDS(name, A, B)` lists the components that the commands may edit (up
/// to 8). Without a list they may edit everything.
#define KEEL_COMMANDS(...) KEELI_CAT(KEELI_COMMANDS_, KEELI_OVER_1(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_COMMANDS_keeli_one(name) (keeli_commands, KEEL_TERM_COMMANDS, keel_commands, name, NULL, NULL, ~)
#define KEELI_COMMANDS_keeli_more(name, ...) (keeli_commands, KEEL_TERM_COMMANDS, keel_commands, name, KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Parameter: the context, `keel_context *name`, for look-ups, loops and keel_fail inside the system.
#define KEEL_CONTEXT(name) (keeli_context, KEEL_TERM_CONTEXT, keel_context, name, NULL, NULL, ~)
/// Parameter: the data passed to keel_run_with or keel_run_workload_with, `T *name`.
#define KEEL_DATA(T, name) (keeli_data, KEEL_TERM_DATA, T, name, NULL, NULL, T)
/// Parameter: a custom view, `T *name`; see KEEL_CUSTOM_VIEW. Inside another custom view: a member `T name`.
#define KEEL_CUSTOM_WRITE(T, name) (keeli_custom, KEEL_TERM_CUSTOM, T, name, NULL, NULL, &KEEL_CUSTOM_VIEW_##T)
/// Parameter: a custom view to read, `const T *name`. All threads of a system that is split share it.
#define KEEL_CUSTOM_READ(T, name) (keeli_custom, KEEL_TERM_CUSTOM_READ, const T, name, NULL, NULL, &KEEL_CUSTOM_VIEW_##T)
/// Parameter: a view over the terms that follow, as for KEEL_TERMS; `const keel_view *name`, open while the body runs. The
/// system may use what the terms declare: keel_get(name, e, T), keel_iterator_begin(&it, name). All threads of a system that is
/// split share the view, which then only reads. Inside a custom view: a member `keel_view name`.
#define KEEL_VIEW(name, ...) (keeli_view, KEEL_TERM_NONE, keel_view, name, NULL, NULL, (KEELI_MAP(KEELI_TERM, ~, __VA_ARGS__)))
/// Parameter of KEEL_SYSTEM_ONCE: the world itself, `keel_world *name`. Nothing else runs beside the system.
#define KEEL_WORLD(name) (keeli_world, KEEL_TERM_MAY_EDIT_WORLD, keel_world, name, NULL, NULL, ~)
#define KEELI_END (keeli_end, KEEL_TERM_END, void, , NULL, NULL, ~)

#define KEELI_ONE_OF(...) KEELI_ONE_OF_(__VA_ARGS__, ~)
#define KEELI_ONE_OF_(T, ...) &KEEL_COMPONENT_##T
#define KEELI_OTHERS(...) KEELI_CAT(KEELI_OTHERS_, KEELI_COUNT_8(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_OTHERS_keeli_many(...) keeli_at_most_8_components_in_one_term
#define KEELI_OTHERS_1(a) NULL
#define KEELI_OTHERS_2(a, b) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b)
#define KEELI_OTHERS_3(a, b, c) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c)
#define KEELI_OTHERS_4(a, b, c, d) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d)
#define KEELI_OTHERS_5(a, b, c, d, e) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e)
#define KEELI_OTHERS_6(a, b, c, d, e, f) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e, &KEEL_COMPONENT_##f)
#define KEELI_OTHERS_7(a, b, c, d, e, f, g) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e, &KEEL_COMPONENT_##f, &KEEL_COMPONENT_##g)
#define KEELI_OTHERS_8(a, b, c, d, e, f, g, h) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e, &KEEL_COMPONENT_##f, &KEEL_COMPONENT_##g, &KEEL_COMPONENT_##h)
#ifdef __cplusplus
template <const keel_component *...C> struct keeli_array { static constexpr const keel_component *list[] = { C..., NULL }; };
#define KEELI_COMPONENT_LIST(...) keeli_array<__VA_ARGS__>::list
#else
#define KEELI_COMPONENT_LIST(...) ((const keel_component *const[]){ __VA_ARGS__, NULL }) // parentheses: macro arguments split at commas in braces
#endif

// A parameter that is no tuple gets the class keeli_bad, whose check is an error that quotes the parameter.
#define KEELI_CLASS(x) KEELI_CAT(KEELI_CLASS_, KEELI_IS_TUPLE(x))(x)
#define KEELI_CLASS_1(x) KEELI_FIRST x
#define KEELI_CLASS_0(x) keeli_bad
#define KEELI_PARTS(x) KEELI_CAT(KEELI_PARTS_, KEELI_IS_TUPLE(x))(x)
#define KEELI_PARTS_1(x) KEELI_UNWRAP x
#define KEELI_PARTS_0(x) keeli_bad, KEEL_TERM_END, void, , NULL, NULL, x
#define KEELI_PART(prefix, s, i, x) KEELI_APPLY(KEELI_CAT(prefix, KEELI_CLASS(x)), s, i, KEELI_PARTS(x))

// 1. The table of terms.
#define KEELI_TERM(s, i, x) KEELI_APPLY(KEELI_TERM_, KEELI_PARTS(x))
#define KEELI_TERM_(c, kind, CT, n, component, others, ...) { kind, KEELI_CAT(KEELI_SIZE_, c)(CT), component, others, #n, KEELI_CAT(KEELI_KIND_, KEELI_SECOND(KEELI_CAT(KEELI_IS_CUSTOM_, c), 0, ~))(__VA_ARGS__) },
#define KEELI_MANY_KEELI_TERM(s) { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL }
#define KEELI_IS_CUSTOM_keeli_custom ~, 1
#define KEELI_IS_CUSTOM_keeli_among ~, 1
// The same for a system, where a view is a custom view.
#define KEELI_SYSTEM_TERM(s, i, x) KEELI_CAT(KEELI_SYSTEM_TERM_, KEELI_SECOND(KEELI_CAT(KEELI_IS_VIEW_, KEELI_CLASS(x)), 0, ~))(s, i, x)
#define KEELI_SYSTEM_TERM_0(s, i, x) KEELI_TERM(s, i, x)
#define KEELI_SYSTEM_TERM_1(s, i, x) { KEEL_TERM_CUSTOM_READ, 0, NULL, NULL, #s, &keeli_view_of_##s##_##i },
#define KEELI_MANY_KEELI_SYSTEM_TERM(s) KEELI_MANY_KEELI_TERM(s)
#define KEELI_IS_VIEW_keeli_view ~, 1
#define KEELI_KIND_1(kind) kind
#define KEELI_KIND_0(...) NULL
// Expands to nothing useful, and compiles only for a type that has a value.
#ifdef __cplusplus
template <class T> constexpr auto keeli_has_value(int) -> decltype(sizeof(T) > 0) { return true; }
template <class T> constexpr bool keeli_has_value(...) { return false; }
#define KEELI_HAS_VALUE(s, i, CT, T) KEELI_STATIC_ASSERT(keeli_has_value<CT>(0), #s ": " #T " is a tag, which has no value: use KEEL_WITH(" #T ")")
#define KEELI_SIZE_keeli_value(CT) 0 * sizeof(CT)
#else
#define KEELI_HAS_VALUE(s, i, CT, T) enum { s##_size_##i = KEELI_SIZE_keeli_value(CT) };
#define KEELI_SIZE_keeli_value(CT) 0 * sizeof(struct { CT keeli_a_tag_has_no_value_use_KEEL_WITH; })
#endif
#define KEELI_SIZE_keeli_marked(CT) KEELI_SIZE_keeli_value(CT)
#define KEELI_SIZE_keeli_maybe(CT) KEELI_SIZE_keeli_value(CT)
#define KEELI_SIZE_keeli_filter(CT) KEELI_LEADS_##CT
#define KEELI_SIZE_keeli_among(CT) keeli_among_count(CT)
#define KEELI_SIZE_keeli_backwards(CT) 0
#define KEELI_LEADS_void 0
#define KEELI_LEADS_keeli_leads 1
#define KEELI_SIZE_keeli_access(CT) 0
#define KEELI_SIZE_keeli_entity(CT) 0
#define KEELI_SIZE_keeli_entities(CT) 0
#define KEELI_SIZE_keeli_count(CT) 0
#define KEELI_SIZE_keeli_unique(CT) 0
#define KEELI_SIZE_keeli_data(CT) sizeof(CT)
#define KEELI_SIZE_keeli_custom(CT) 0
#define KEELI_SIZE_keeli_view(CT) KEEL_VIEW_is_for_systems_and_custom_views
#define KEELI_SIZE_keeli_commands(CT) 0
#define KEELI_SIZE_keeli_context(CT) 0
#define KEELI_SIZE_keeli_world(CT) 0
#define KEELI_SIZE_keeli_bad(CT) 0
#define KEELI_SIZE_keeli_end(CT) KEELI_THROWS
// clang-format on
