// SPDX-License-Identifier: MIT
// Views, walks, look-ups, loops that are split, groups and sorting.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ views
FUZZ(keel_view_begin) {
    fuzz_view *v = fuzz_view_of(true);
    if (v->world) {
        if (v->depth < f.depth) return; // somebody further out walks it
        keel_view_end(&v->view);
        v->world = NULL;
    }
    keel_scope *scope = fuzz_scope();
    const keel_term *terms = fuzz_terms();
    const keel_result result = (keel_view_begin)(&v->view, scope, terms, fuzz_text());
    if (result == KEEL_OK) {
        v->world = f.worlds[0];
        v->depth = f.depth;
    }
    fuzz_edit(result);
}
FUZZ(keel_view_end) {
    fuzz_view *v = fuzz_view_of(true);
    if (v->world && v->depth < f.depth) return;
    keel_view_end(&v->view);
    v->world = NULL;
}
FUZZ(keel_view_count) { (void)keel_view_count(&fuzz_view_of(false)->view); }
FUZZ(keel_view_contains) {
    const fuzz_view *v = fuzz_view_of(false);
    (void)keel_view_contains(&v->view, fuzz_entity());
}
FUZZ(keel_view_first) { (void)fuzz_keep(keel_view_first(&fuzz_view_of(false)->view)); }
FUZZ(keel_view_single) {
    keel_entity e = keel_null();
    const fuzz_view *v = fuzz_view_of(false);
    (void)keel_view_single(&v->view, fuzz_one_in(32) ? NULL : &e);
    (void)fuzz_keep(e);
}
static void touch(const keel_span *span) {
    const keel_component *c = fuzz_component();
    const unsigned char *read = keel_span_read_component(span, c);
    if (read && c && c->size && span->count) fuzz_sink = read[(span->count - 1) * c->size];
    c = fuzz_component();
    unsigned char *write = keel_span_write_component(span, c);
    if (write && c && c->size && !c->drop && span->count) write[0] = (unsigned char)fuzz_byte();
    if (span->entities && span->count) (void)fuzz_keep(span->entities[span->count - 1]);
}
FUZZ(keel_view_get_all) {
    keel_span span = { 0 };
    const fuzz_view *v = fuzz_view_of(false);
    if (keel_view_get_all(&v->view, fuzz_entity(), &span) == KEEL_OK) touch(&span);
}
FUZZ(keel_view_why) {
    keel_why why;
    const fuzz_view *v = fuzz_view_of(false);
    const keel_entity e = fuzz_entity();
    const bool match = keel_view_contains(&v->view, e);
    if (keel_view_why(&v->view, e, fuzz_one_in(8) ? NULL : &why) != match) abort();
}
FUZZ(keel_view_counts) {
    keel_count_slice part = { .after = fuzz_entity() };
    part.max_visits = fuzz_below(4);
    keel_count_slice *slice = fuzz_one_in(2) ? NULL : &part;
    uint32_t left[KEEL_MAX_TERMS];
    const uint32_t room = fuzz_below(KEEL_MAX_TERMS + 1);
    const keel_entity list[] = { f.handles[0], f.handles[1] };
    const keel_term terms[] = { { .kind = KEEL_TERM_AMONG, .custom = list, .data_size = 2 },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    if (fuzz_one_in(2)) {
        (void)keel_view_counts(&fuzz_view_of(false)->view, slice, room ? left : NULL, room);
        return;
    }
    if (keel_view_begin(&view, f.worlds[0], terms, "a list") != KEEL_OK) return;
    (void)keel_view_counts(&view, slice, room ? left : NULL, room);
    keel_view_end(&view);
}
FUZZ(keel_view_explain) {
    char text[512];
    const size_t size = fuzz_below(2) * sizeof text;
    (void)keel_view_explain(&fuzz_view_of(false)->view, size ? text : NULL, size);
}
FUZZ(keel_iterator_begin) {
    fuzz_view *v = fuzz_view_of(false);
    (void)keel_iterator_begin(&v->iterator, &v->view);
}
FUZZ(keel_iterator_next) {
    fuzz_view *v = fuzz_view_of(false);
    const keel_chunk *chunk = keel_iterator_next(&v->iterator);
    if (!chunk) return;
    const uint32_t at = fuzz_byte() % (chunk->count ? chunk->count : 1);
    const bool is_set = chunk->form != KEEL_CHUNK_MASK || chunk->words[at / 64] >> (at % 64) & 1;
    for (uint32_t t = 0; t < 4 && chunk->count && is_set; ++t) {
        const keel_chunk_column *column = &chunk->columns[t];
        if (chunk->form != KEEL_CHUNK_LIST && column->base)
            fuzz_sink = *(const unsigned char *)column->base;
    }
    if (chunk->entities && is_set && chunk->count) (void)fuzz_keep(chunk->entities[at]);
}
FUZZ(keel_iterator_next_span) {
    keel_span span = { 0 };
    if (fuzz_one_in(64)) {
        (void)keel_iterator_next_span(&fuzz_view_of(false)->iterator, NULL);
        return;
    }
    if (keel_iterator_next_span(&fuzz_view_of(false)->iterator, &span)) touch(&span);
}
FUZZ(keel_iterator_end) { keel_iterator_end(&fuzz_view_of(false)->iterator); }
FUZZ(keel_span_read_component) {
    const keel_span span = { 0 };
    if (keel_span_read_component(&span, fuzz_component())) __builtin_trap();
}
FUZZ(keel_span_write_component) {
    const keel_span span = { 0 };
    if (keel_span_write_component(&span, fuzz_component())) __builtin_trap();
}
FUZZ(keel_lookup_of_component) {
    const keel_component *c = fuzz_component();
    (void)keel_lookup_of_component(fuzz_world(), c);
}
FUZZ(keel_column_get_value) {
    const keel_component *c = fuzz_component();
    const keel_lookup lookup = keel_lookup_of_component(f.worlds[0], c);
    const unsigned char *value = (keel_column_get_value)(&lookup, fuzz_entity());
    if (value && c && c->size) fuzz_sink = *value;
}
FUZZ(keel_component_count) {
    keel_scope *scope = fuzz_scope();
    (void)(keel_component_count)(scope, fuzz_component());
}

// ------------------------------------------------------------------ loops that are split
static keel_range_fn *range(void) { return fuzz_one_in(16) ? NULL : fuzz_range; }
static keel_span_fn *span_of(void) { return fuzz_one_in(16) ? NULL : fuzz_span; }
static uint32_t count_of_loop(void) {
    const uint32_t n = fuzz_number();
    return n > 1u << 20 ? 1u << 20 : n; // as long as one has patience
}
FUZZ(keel_parallel_for) {
    keel_scope *scope = fuzz_scope();
    const uint32_t count = count_of_loop();
    const uint32_t batch = fuzz_number();
    (void)(keel_parallel_for)(scope, count, batch, range(), NULL);
}
FUZZ(keel_parallel_reduce) {
    uint32_t total = 0;
    const keel_reduction sum = { &total, sizeof total, fuzz_combine };
    keel_scope *scope = fuzz_scope();
    const uint32_t count = count_of_loop();
    const uint32_t batch = fuzz_number();
    keel_range_fn *function = range();
    const keel_result result =
        (keel_parallel_reduce)(scope, count, batch, function, NULL, fuzz_one_in(16) ? NULL : &sum);
    if (result == KEEL_OK && total && total != count) __builtin_trap();
}
FUZZ(keel_view_parallel_for) {
    const fuzz_view *v = fuzz_view_of(false);
    (void)keel_view_parallel_for(&v->view, span_of(), NULL);
}
FUZZ(keel_view_parallel_reduce) {
    uint32_t total = 0;
    const keel_reduction sum = { &total, sizeof total, fuzz_combine };
    const fuzz_view *v = fuzz_view_of(false);
    keel_span_fn *function = span_of();
    (void)keel_view_parallel_reduce(&v->view, function, NULL, fuzz_one_in(16) ? NULL : &sum);
}
FUZZ(keel_piece_scratch) {
    const keel_piece none = { 0 };
    const size_t size = fuzz_number();
    void *memory = keel_piece_scratch(f.piece ? f.piece : &none, size > 65536 ? 65536 : size,
                                      fuzz_one_in(16) ? 3 : 16);
    if (!memory && f.piece) fuzz_edit(KEEL_ERROR_ARGUMENT); // or out of memory: NULL is all it says
    if (memory && size && size <= 65536) memset(memory, 1, size);
}

// ------------------------------------------------------------------ groups and sorting
FUZZ(keel_group_create_of) {
    keel_group_desc desc = { .name = fuzz_one_in(2) ? NULL : fuzz_text() };
    desc.owned = fuzz_one_in(4) ? NULL : fuzz_list();
    desc.get = fuzz_one_in(2) ? NULL : fuzz_list();
    if (fuzz_one_in(4)) { // a list of its own: there are two
        static const keel_component *exclude[FUZZ_DEPTH + 1][2];
        exclude[f.depth][0] = fuzz_component();
        desc.exclude = exclude[f.depth];
    }
    const uint32_t at = fuzz_below(FUZZ_GROUPS);
    keel_group *group = NULL;
    keel_world *world = fuzz_world();
    const bool none = fuzz_one_in(64);
    const keel_result result =
        keel_group_create_of(world, none ? NULL : &desc, fuzz_one_in(32) ? NULL : &group);
    if (group) f.groups[at] = group;
    fuzz_edit(result);
}
FUZZ(keel_group_destroy) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_group_destroy(world, fuzz_group()));
}
FUZZ(keel_find_group) {
    keel_world *world = fuzz_world();
    (void)keel_find_group(world, fuzz_text());
}
FUZZ(keel_group_name) {
    keel_world *world = fuzz_world();
    if (!keel_group_name(world, fuzz_group())) __builtin_trap();
}
FUZZ(keel_group_count) {
    keel_world *world = fuzz_world();
    (void)keel_group_count(world, fuzz_group());
}
FUZZ(keel_group_contains) {
    keel_world *world = fuzz_world();
    const keel_group *group = fuzz_group();
    (void)keel_group_contains(world, group, fuzz_entity());
}
FUZZ(keel_group_entity) {
    keel_world *world = fuzz_world();
    const keel_group *group = fuzz_group();
    (void)fuzz_keep(keel_group_entity(world, group, fuzz_number()));
}
FUZZ(keel_sort_by) {
    keel_sort_desc sort = { .data = NULL };
    if (fuzz_one_in(4)) sort.group = fuzz_group();
    if (!sort.group || fuzz_one_in(8)) sort.component = fuzz_component();
    const uint32_t how = fuzz_below(4);
    if (how == 0 || fuzz_one_in(16)) sort.as = fuzz_component();
    if (how == 1 || fuzz_one_in(16)) sort.compare_entities = fuzz_compare_entities;
    if (how > 1) sort.compare = fuzz_compare_values;
    if (fuzz_one_in(3)) sort.by = fuzz_component();
    if (fuzz_one_in(4)) sort.first = fuzz_number();
    keel_world *world = fuzz_world();
    fuzz_edit(keel_sort_by(world, fuzz_one_in(32) ? NULL : &sort));
}
FUZZ(keel_swap_component) {
    keel_world *world = fuzz_world();
    const keel_component *c = fuzz_component();
    const keel_entity a = fuzz_entity();
    fuzz_edit(keel_swap_component(world, c, a, fuzz_entity()));
}
