// SPDX-License-Identifier: MIT
/// @file typed_matrix.h
/// Private: the code that each class of parameter expands to, in each part of a system: its checks,
/// the parameters of its body, and the loops that call the body. KEEL_SYSTEM and its like (typed.h)
/// put the parts together. How it works: docs/understand/macros.md.
#pragma once
#pragma GCC system_header
#include <keel/typed_terms.h>
#include <keel/workload.h>
// clang-format off

// 2. Checks for every kind of system: each parameter is known, each component has a value in one parameter only, and there are
// at most 16 parameters.
#define KEELI_CHECK(s, i, x) KEELI_PART(KEELI_CHECK_, s, i, x)
#define KEELI_CHECK_keeli_value(s, i, c, k, CT, n, component, others, T) KEELI_HAS_VALUE(s, i, CT, T) enum { KEEL_SYSTEM_##s##_names_##T##_once = i }; typedef CT keeli_type_##s##_##i;
#define KEELI_CHECK_keeli_marked(s, i, c, k, CT, n, component, others, T, ...) KEELI_HAS_VALUE(s, i, CT, T) enum { KEEL_SYSTEM_##s##_names_##T##_once = i }; typedef CT keeli_type_##s##_##i;
#define KEELI_CHECK_keeli_maybe(s, i, c, k, CT, n, component, others, T) KEELI_HAS_VALUE(s, i, CT, T) enum { KEEL_SYSTEM_##s##_names_##T##_once = i }; typedef CT keeli_type_##s##_##i;
#define KEELI_CHECK_keeli_filter(s, i, ...)
#define KEELI_CHECK_keeli_among(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_AMONG is for loops and views: a system does not know the list; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH(context, KEEL_AMONG(list, count), ...)")
#define KEELI_CHECK_keeli_backwards(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_BACKWARDS is for loops and views; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH(context, KEEL_BACKWARDS, ...)")
#define KEELI_CHECK_keeli_access(s, i, ...)
#define KEELI_CHECK_keeli_entity(s, i, ...)
#define KEELI_CHECK_keeli_entities(s, i, ...)
#define KEELI_CHECK_keeli_count(s, i, ...)
#define KEELI_CHECK_keeli_unique(s, i, c, k, CT, n, component, others, T) enum { KEEL_SYSTEM_##s##_unique_##T = i };
#define KEELI_CHECK_keeli_data(s, i, ...) enum { KEEL_SYSTEM_##s##_data_parameter = i };
#define KEELI_CHECK_keeli_custom(s, i, ...)
// The parameter KEEL_VIEW becomes a custom view that consists of this view only.
#define KEELI_CHECK_keeli_view(s, i, c, k, CT, n, component, others, terms)                         \
    static const keel_term keeli_view_terms_##s##_##i[] = { KEELI_UNWRAP terms { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } }; \
    static keel_result keeli_view_open_##s##_##i(void *keeli_it, keel_context *keeli_context) {     \
        return keel_view_begin(KEELI_CAST(keel_view, keeli_it), keeli_context, keeli_view_terms_##s##_##i, #s "." #n); \
    }                                                                                               \
    static const keel_custom_view keeli_view_of_##s##_##i = {                                       \
        #s "." #n, sizeof(keel_view), KEELI_ALIGNOF(keel_view), keeli_view_terms_##s##_##i,         \
        keeli_view_open_##s##_##i, NULL, NULL, __FILE__, __LINE__, NULL };
#define KEELI_CHECK_keeli_commands(s, i, ...) enum { KEEL_SYSTEM_##s##_commands_parameter = i };
#define KEELI_CHECK_keeli_context(s, i, ...)
#define KEELI_CHECK_keeli_world(s, i, ...)
#define KEELI_CHECK_keeli_bad(s, i, c, k, CT, n, component, others, x) KEELI_STATIC_ASSERT(0, #s ": parameter " #i " is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: " #x)
#define KEELI_CHECK_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_CHECK(s) KEELI_STATIC_ASSERT(0, #s ": a system takes at most 16 parameters")

// Parts 3 to 7 have a cell for each class that adds something to a system. These classes add nothing there and have no cell; a
// mistake in their use is reported by part 2.
#define KEELI_ADDS_NOTHING_keeli_filter ~, 1
#define KEELI_ADDS_NOTHING_keeli_among ~, 1
#define KEELI_ADDS_NOTHING_keeli_backwards ~, 1
#define KEELI_ADDS_NOTHING_keeli_related ~, 1
#define KEELI_ADDS_NOTHING_keeli_access ~, 1
#define KEELI_ADDS_NOTHING_keeli_bad ~, 1
#define KEELI_ADDS_NOTHING_keeli_end ~, 1
#define KEELI_PART_IF_ANY(prefix, s, i, x) KEELI_CAT(KEELI_PART_IF_ANY_, KEELI_SECOND(KEELI_CAT(KEELI_ADDS_NOTHING_, KEELI_CLASS(x)), 0, ~))(prefix, s, i, x)
#define KEELI_PART_IF_ANY_0(prefix, s, i, x) KEELI_PART(prefix, s, i, x)
#define KEELI_PART_IF_ANY_1(prefix, s, i, x)

// 3. The parameters of the body.
#define KEELI_BODY(s, i, x) KEELI_PART_IF_ANY(KEELI_BODY_, s, i, x)
#define KEELI_BODY_keeli_value(s, i, c, k, CT, n, ...) , CT *KEELI_RESTRICT n
#define KEELI_BODY_keeli_marked(s, i, c, k, CT, n, component, others, T, changed) , CT *KEELI_RESTRICT n, bool *KEELI_RESTRICT changed
#define KEELI_BODY_keeli_maybe(s, i, c, k, CT, n, ...) , CT *KEELI_RESTRICT n
#define KEELI_BODY_keeli_entity(s, i, c, k, CT, n, ...) , const keel_entity n
#define KEELI_BODY_keeli_entities(s, i, c, k, CT, n, ...) , const keel_entity *n
#define KEELI_BODY_keeli_count(s, i, c, k, CT, n, ...) , const uint32_t n
#define KEELI_BODY_keeli_unique(s, i, c, k, CT, n, ...) , CT *n
#define KEELI_BODY_keeli_data(s, i, c, k, CT, n, ...) , CT *n
#define KEELI_BODY_keeli_custom(s, i, c, k, CT, n, ...) , CT *n
#define KEELI_BODY_keeli_view(s, i, c, k, CT, n, ...) , const CT *n
#define KEELI_BODY_keeli_commands(s, i, c, k, CT, n, ...) , keel_commands *n
#define KEELI_BODY_keeli_context(s, i, c, k, CT, n, ...) , keel_context *n
#define KEELI_BODY_keeli_world(s, i, c, k, CT, n, ...) , keel_world *n
#define KEELI_MANY_KEELI_BODY(s)

// 4. Arrays of values as restrict parameters of the loop functions (gcc ignores restrict on locals), and
//    the arguments for them.
#define KEELI_IS_ARRAY(x) KEELI_SECOND(KEELI_CAT(KEELI_IS_ARRAY_, KEELI_CLASS(x)), 0, ~)
#define KEELI_IS_ARRAY_keeli_value ~, 1
#define KEELI_IS_ARRAY_keeli_marked ~, 1
#define KEELI_IS_ARRAY_keeli_maybe ~, 2
#define KEELI_BASES(s, i, x) KEELI_CAT(KEELI_BASES_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_BASES_1(s, i) , keeli_type_##s##_##i *KEELI_RESTRICT keeli_base_##i
#define KEELI_BASES_2(s, i) KEELI_BASES_1(s, i)
#define KEELI_BASES_0(s, i)
#define KEELI_MANY_KEELI_BASES(s)
#define KEELI_PASS(s, i, x) KEELI_CAT(KEELI_PASS_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_PASS_1(s, i) , KEELI_CAST(keeli_type_##s##_##i, keeli_chunk->columns[i].base)
#define KEELI_PASS_2(s, i) KEELI_PASS_1(s, i)
#define KEELI_PASS_0(s, i)
#define KEELI_MANY_KEELI_PASS(s)
#define KEELI_SHIFT(s, i, x) KEELI_CAT(KEELI_SHIFT_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_SHIFT_1(s, i) , keeli_base_##i + keeli_at
#define KEELI_SHIFT_2(s, i) , (keeli_base_##i ? keeli_base_##i + keeli_at : NULL)
#define KEELI_SHIFT_0(s, i)
#define KEELI_MANY_KEELI_SHIFT(s)
#define KEELI_NEXT_WORD(s, i, x) KEELI_CAT(KEELI_NEXT_WORD_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_NEXT_WORD_1(s, i) keeli_base_##i += 64;
#define KEELI_NEXT_WORD_2(s, i) if (keeli_base_##i) keeli_base_##i += 64;
#define KEELI_NEXT_WORD_0(s, i)
#define KEELI_MANY_KEELI_NEXT_WORD(s)

// 5. Local variables. KEELI_LOCAL: of all loop functions, for values that are the same for every entity. KEELI_LISTS: of the
// loop over a list, for its columns.
#define KEELI_LOCAL(s, i, x) KEELI_PART_IF_ANY(KEELI_LOCAL_, s, i, x)
#define KEELI_LOCAL_keeli_value(s, i, ...)
#define KEELI_LOCAL_keeli_marked(s, i, ...) bool *keeli_marked_##i = keeli_chunk->columns[i].marked;
#define KEELI_LOCAL_keeli_maybe(s, i, ...)
#define KEELI_LOCAL_keeli_entity(s, i, ...) const keel_entity *keeli_entities_##i = keeli_chunk->entities;
#define KEELI_LOCAL_keeli_entities(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_SPAN_ENTITIES is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM takes KEEL_ENTITY(name)")
#define KEELI_LOCAL_keeli_count(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_SPAN_COUNT is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM runs for one entity")
#define KEELI_LOCAL_keeli_unique(s, i, c, k, CT, ...) CT *keeli_value_##i = KEELI_CAST(CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_data(s, i, c, k, CT, ...) CT *keeli_value_##i = KEELI_CAST(CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_custom(s, i, c, k, CT, ...) CT *keeli_value_##i = KEELI_CAST(CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_view(s, i, c, k, CT, ...) const CT *keeli_value_##i = KEELI_CAST(const CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_commands(s, i, ...) keel_commands *keeli_commands = keel_context_commands(keeli_context);
#define KEELI_LOCAL_keeli_context(s, i, ...)
#define KEELI_LOCAL_keeli_world(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM takes KEEL_CONTEXT(name)")
#define KEELI_MANY_KEELI_LOCAL(s)
#define KEELI_LISTS(s, i, x) KEELI_CAT(KEELI_LISTS_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_LISTS_1(s, i)                                                                         \
    keeli_type_##s##_##i *const keeli_base_##i = KEELI_CAST(keeli_type_##s##_##i, keeli_chunk->columns[i].base);    \
    void *const *keeli_pages_##i = keeli_chunk->columns[i].pages;                                   \
    const uint32_t *keeli_index_##i = keeli_chunk->columns[i].index;                                \
    const uint32_t keeli_shift_##i = keeli_chunk->columns[i].shift;
#define KEELI_LISTS_2(s, i) KEELI_LISTS_1(s, i)
#define KEELI_LISTS_0(s, i)
#define KEELI_MANY_KEELI_LISTS(s)

// 6. The arguments of the body for entity keeli_k: side by side, the bases at slot keeli_origin of the chunk; and through
//    a list, where the base of a column is the page of all its values, or NULL.
#define KEELI_SIDE(s, i, x) KEELI_PART_IF_ANY(KEELI_SIDE_, s, i, x)
#define KEELI_SIDE_keeli_value(s, i, ...) , keeli_base_##i + keeli_k
#define KEELI_SIDE_keeli_marked(s, i, ...) , keeli_base_##i + keeli_k, keeli_marked_##i + keeli_origin + keeli_k
#define KEELI_SIDE_keeli_maybe(s, i, ...) , (keeli_base_##i ? keeli_base_##i + keeli_k : NULL)
#define KEELI_SIDE_keeli_entity(s, i, ...) , keeli_entities_##i[keeli_origin + keeli_k]
#define KEELI_SIDE_keeli_entities(s, i, ...) , NULL
#define KEELI_SIDE_keeli_count(s, i, ...) , 0
#define KEELI_SIDE_keeli_unique(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_data(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_custom(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_view(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_commands(s, i, ...) , keeli_commands
#define KEELI_SIDE_keeli_context(s, i, ...) , keeli_context
#define KEELI_SIDE_keeli_world(s, i, ...) , NULL
#define KEELI_MANY_KEELI_SIDE(s)
#define KEELI_AT(s, i, x) KEELI_PART_IF_ANY(KEELI_AT_, s, i, x)
#define KEELI_AT_VALUE(s, i) (keeli_base_##i ? keeli_base_##i + keeli_index_##i[keeli_k] : KEELI_CAST(keeli_type_##s##_##i, keeli_pages_##i[keeli_index_##i[keeli_k] >> keeli_shift_##i]) + (keeli_index_##i[keeli_k] & (((uint32_t)1 << keeli_shift_##i) - 1)))
#define KEELI_AT_keeli_value(s, i, ...) , KEELI_AT_VALUE(s, i)
#define KEELI_AT_keeli_marked(s, i, ...) , KEELI_AT_VALUE(s, i), keeli_marked_##i + keeli_k
#define KEELI_AT_keeli_maybe(s, i, ...) , (keeli_index_##i[keeli_k] == UINT32_MAX ? NULL : KEELI_AT_VALUE(s, i))
#define KEELI_AT_keeli_entity(s, i, ...) , keeli_entities_##i[keeli_k]
#define KEELI_AT_keeli_entities(s, i, ...) , NULL
#define KEELI_AT_keeli_count(s, i, ...) , 0
#define KEELI_AT_keeli_unique(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_data(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_custom(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_view(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_commands(s, i, ...) , keeli_commands
#define KEELI_AT_keeli_context(s, i, ...) , keeli_context
#define KEELI_AT_keeli_world(s, i, ...) , NULL
#define KEELI_MANY_KEELI_AT(s)

// The loops stop after keel_fail. Only a system with a context can call keel_fail, so other systems have no check.
#define KEELI_GOES_ON(s, i, x) KEELI_CAT(KEELI_GOES_ON_, KEELI_SECOND(KEELI_CAT(KEELI_IS_CONTEXT_, KEELI_CLASS(x)), 0, ~))
#define KEELI_IS_CONTEXT_keeli_context ~, 1
#define KEELI_GOES_ON_1 && !keeli_context_has_failed(keeli_context)
#define KEELI_GOES_ON_0
#define KEELI_MANY_KEELI_GOES_ON(s)

// 7. The arguments of the body of KEEL_SYSTEM_SPAN, KEEL_SYSTEM_ONCE and KEEL_CONDITION.
#define KEELI_WHOLE(s, i, x) KEELI_PART_IF_ANY(KEELI_WHOLE_, s, i, x)
#define KEELI_WHOLE_keeli_value(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_marked(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base), keeli_chunk->columns[i].marked
#define KEELI_WHOLE_keeli_maybe(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_entity(s, i, ...) , (KEELI_NEVER(#s ": KEEL_ENTITY is for KEEL_SYSTEM; a KEEL_SYSTEM_SPAN takes KEEL_SPAN_ENTITIES(name)"), keel_null())
#define KEELI_WHOLE_keeli_entities(s, i, ...) , keeli_chunk->entities
#define KEELI_WHOLE_keeli_count(s, i, ...) , keeli_chunk->count
#define KEELI_WHOLE_keeli_unique(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_data(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_custom(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_view(s, i, c, k, CT, ...) , KEELI_CAST(const CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_commands(s, i, ...) , keel_context_commands(keeli_context)
#define KEELI_WHOLE_keeli_context(s, i, ...) , keeli_context
#define KEELI_WHOLE_keeli_world(s, i, ...) , keel_context_world(keeli_context)
#define KEELI_MANY_KEELI_WHOLE(s)

// 8. KEELI_ABOUT counts the parameters about entities: KEEL_SYSTEM and KEEL_SYSTEM_SPAN need at least one, KEEL_SYSTEM_ONCE and
// KEEL_CONDITION must have none. KEELI_WORLDS counts KEEL_WORLD, which KEEL_SYSTEM_SPAN must not have.
#define KEELI_ABOUT(s, i, x) KEELI_CAT(KEELI_ABOUT_, KEELI_CLASS(x))
#define KEELI_WORLDS(s, i, x) + KEELI_SECOND(KEELI_CAT(KEELI_IS_WORLD_, KEELI_CLASS(x)), 0, ~)
#define KEELI_IS_WORLD_keeli_world ~, 1
#define KEELI_MANY_KEELI_WORLDS(s) + 0
#define KEELI_ABOUT_keeli_value + 1
#define KEELI_ABOUT_keeli_marked + 1
#define KEELI_ABOUT_keeli_maybe + 1
#define KEELI_ABOUT_keeli_filter + 1
#define KEELI_ABOUT_keeli_entity + 1
#define KEELI_ABOUT_keeli_entities + 1
#define KEELI_ABOUT_keeli_count + 0
#define KEELI_ABOUT_keeli_access + 0
#define KEELI_ABOUT_keeli_unique + 0
#define KEELI_ABOUT_keeli_data + 0
#define KEELI_ABOUT_keeli_custom + 0
#define KEELI_ABOUT_keeli_view + 0
#define KEELI_ABOUT_keeli_commands + 0
#define KEELI_ABOUT_keeli_context + 0
#define KEELI_ABOUT_keeli_world + 0
#define KEELI_ABOUT_keeli_bad + 0
#define KEELI_ABOUT_keeli_end + 0
#define KEELI_MANY_KEELI_ABOUT(s) + 0
// clang-format on
