// SPDX-License-Identifier: MIT
// The functions of view_fixture.h: opening views and comparing the entities that they visit. It
// contains no tests; programs of tests/api link it.
#include "support/view_fixture.h"

#include <stdlib.h>

keel_view open_view(keel_world *world, const keel_term *terms) {
    keel_view view;
    const keel_result result = keel_view_begin(&view, world, terms, "a test's view");
    if (result != KEEL_OK) fail_msg("no view: %s", keel_last_error(world)->message);
    return view;
}

void assert_no_view(keel_world *world, const keel_term *terms, keel_result result,
                    const char *part) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, world, terms, "a refused view"), result);
    assert_error(world, result, part);
    assert_int_equal(keel_view_count(&view), 0);
    keel_view_end(&view);
}

const void *chunk_value(const keel_chunk *chunk, uint32_t t, uint32_t i, size_t size) {
    const keel_chunk_column *column = &chunk->columns[t];
    if (chunk->form != KEEL_CHUNK_LIST)
        return column->base ? (const char *)column->base + i * size : NULL;
    const uint32_t at = column->index[i];
    if (at == UINT32_MAX) return NULL;
    return (const char *)column->pages[at >> column->shift] +
           (at & (((uint32_t)1 << column->shift) - 1)) * size;
}

bool chunk_has(const keel_chunk *chunk, uint32_t i) {
    return chunk->form != KEEL_CHUNK_MASK || (chunk->words[i / 64] >> (i % 64) & 1);
}

static uint32_t collect_chunks(const keel_view *view, keel_entity *out, uint32_t max) {
    keel_iterator walk;
    uint32_t count = 0;
    assert_int_equal(keel_iterator_begin(&walk, view), KEEL_OK);
    for (const keel_chunk *c; (c = keel_iterator_next(&walk)) != NULL;)
        for (uint32_t i = 0; i < c->count; ++i) {
            if (!chunk_has(c, i)) continue;
            if (count < max) out[count] = c->entities[i];
            ++count;
        }
    return count;
}

uint32_t collect(const keel_view *view, keel_entity *out, uint32_t max) {
    const uint32_t count = collect_chunks(view, out, max);
    keel_iterator walk;
    keel_span span;
    uint32_t at = 0;
    assert_int_equal(keel_iterator_begin(&walk, view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span)) {
        assert_in_range(span.count, 1, UINT32_MAX);
        for (uint32_t i = 0; i < span.count; ++i, ++at)
            if (at < max) assert_same_entity(span.entities[i], out[at]);
    }
    assert_int_equal(at, count);
    return count;
}

// Asserts that count, first, single and contains of a view agree with the entities that it visited.
static void check_answers(keel_world *world, const keel_view *view, const keel_entity *visited,
                          uint32_t count) {
    assert_int_equal(keel_view_count(view), count);
    assert_same_entity(keel_view_first(view), count ? visited[0] : keel_null());
    keel_entity only = handle_at(1, 1);
    assert_int_equal(keel_view_single(view, &only), count == 1 ? KEEL_OK : KEEL_ERROR_COUNT);
    assert_same_entity(only, count == 1 ? visited[0] : keel_null());
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e))) {
        bool there = false;
        for (uint32_t i = 0; i < count; ++i)
            there = there || keel_is_same(visited[i], e);
        assert_int_equal(keel_view_contains(view, e), there);
    }
}

void assert_visits(keel_world *world, const keel_term *terms, const keel_entity *expected,
                   uint32_t count, int line) {
    const uint32_t max = count + 8;
    keel_entity *visited = calloc(max, sizeof *visited);
    assert_non_null(visited);
    keel_view view = open_view(world, terms);
    const uint32_t n = collect(&view, visited, max);
    if (n != count)
        fail_msg("line %d: visited %u entities, expected %u", line, (unsigned)n, (unsigned)count);
    for (uint32_t i = 0; i < count; ++i)
        if (!keel_is_same(visited[i], expected[i]))
            fail_msg("line %d: place %u has index %u, expected %u", line, (unsigned)i,
                     (unsigned)keel_entity_index(visited[i]),
                     (unsigned)keel_entity_index(expected[i]));
    check_answers(world, &view, visited, count);
    keel_view_end(&view);
    free(visited);
}
