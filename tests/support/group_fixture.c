// SPDX-License-Identifier: MIT
// The functions of group_fixture.h: the packed order of sparse sets and groups. It contains no
// tests; programs of tests/api link it.
#include "support/group_fixture.h"

#include <stdio.h>
#include <string.h>

keel_entity *packed_order(keel_world *world, const keel_component *component, uint32_t *count) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = component },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_entity *list = malloc((keel_component_count(world, component) + 1) * sizeof *list);
    keel_view view;
    keel_iterator walk;
    keel_span span;
    *count = 0;
    assert_non_null(list);
    assert_int_equal(keel_view_begin(&view, world, terms, "packed_order"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            list[(*count)++] = span.entities[i];
    keel_view_end(&view);
    return list;
}

static void append_index(char *text, size_t size, keel_entity e) {
    const size_t length = strlen(text);
    snprintf(text + length, size - length, length ? " %u" : "%u", (unsigned)keel_entity_index(e));
}

void assert_packed(keel_world *world, const keel_component *component, const char *indices) {
    char text[400] = "";
    uint32_t count;
    keel_entity *list = packed_order(world, component, &count);
    for (uint32_t i = 0; i < count; ++i)
        append_index(text, sizeof text, list[i]);
    free(list);
    assert_string_equal(text, indices);
}

void assert_members(const keel_world *world, const keel_group *group, const char *indices) {
    char text[400] = "";
    for (uint32_t i = 0; i < keel_group_count(world, group); ++i)
        append_index(text, sizeof text, keel_group_entity(world, group, i));
    assert_true(keel_is_null(keel_group_entity(world, group, keel_group_count(world, group))));
    assert_string_equal(text, indices);
}
