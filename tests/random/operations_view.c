// SPDX-License-Identifier: MIT
// Random views: what they visit, in chunks and in spans, and what they answer; and edits while one
// is open.
#include "both.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS = 7, OTHERS = 3 };

// A list of terms over different kinds, and how the model decides.
typedef struct query {
    keel_term terms[TERMS + 2];
    uint32_t kinds[TERMS][OTHERS], counts[TERMS], count;
    const keel_component *others[TERMS][OTHERS + 1];
    uint32_t entity; // position of KEEL_TERM_ENTITY, UINT32_MAX without
    bool ascending;  // nothing leads but indices
} query;

static const keel_term_kind choices[] = {
    KEEL_TERM_READ,          KEEL_TERM_WRITE,          KEEL_TERM_EDIT,    KEEL_TERM_OPTIONAL_READ,
    KEEL_TERM_OPTIONAL_READ, KEEL_TERM_OPTIONAL_WRITE, KEEL_TERM_WITH,    KEEL_TERM_WITHOUT,
    KEEL_TERM_READ,          KEEL_TERM_WRITE,          KEEL_TERM_WITHOUT, KEEL_TERM_ANY_OF,
};

static bool is_must(keel_term_kind kind) {
    return kind == KEEL_TERM_READ || kind == KEEL_TERM_WRITE || kind == KEEL_TERM_EDIT ||
           kind == KEEL_TERM_WITH;
}
static bool is_maybe(keel_term_kind kind) {
    return kind == KEEL_TERM_OPTIONAL_READ || kind == KEEL_TERM_OPTIONAL_WRITE;
}
static bool is_written(keel_term_kind kind) {
    return kind == KEEL_TERM_WRITE || kind == KEEL_TERM_EDIT || kind == KEEL_TERM_OPTIONAL_WRITE;
}
static bool has_values(keel_term_kind kind) {
    return is_maybe(kind) || (is_must(kind) && kind != KEEL_TERM_WITH);
}

// A kind that no term has named yet; KINDS when this one was.
static uint32_t roll_new(dice *d, uint32_t *used) {
    const uint32_t k = roll_kind(d);
    if (*used >> k & 1) return KINDS;
    *used |= 1u << k;
    return k;
}

static void roll_term(both *b, dice *d, query *q, uint32_t *used) {
    const uint32_t t = q->count, k = roll_new(d, used);
    keel_term_kind kind = choices[roll_below(d, sizeof choices / sizeof *choices)];
    if (k == KINDS) return;
    if (kinds[k].size == 0 && has_values(kind)) kind = KEEL_TERM_WITH;
    q->kinds[t][0] = k;
    q->counts[t] = 1;
    while (kind == KEEL_TERM_ANY_OF && q->counts[t] < OTHERS && !roll_once_in(d, 4)) {
        const uint32_t other = roll_new(d, used);
        if (other == KINDS) break;
        q->others[t][q->counts[t] - 1] = &b->components[other];
        q->kinds[t][q->counts[t]++] = other;
    }
    q->others[t][q->counts[t] - 1] = NULL;
    q->terms[t] = (keel_term){ .kind = kind,
                               .component = &b->components[k],
                               .others = q->counts[t] > 1 ? q->others[t] : NULL };
    if (is_must(kind) && b->components[k].storage != KEEL_INDEXED) q->ascending = false;
    ++q->count;
}

static void roll_query(both *b, dice *d, query *q) {
    uint32_t used = 0;
    memset(q, 0, sizeof *q);
    q->ascending = true; // unless a group leads
    for (uint32_t i = 0; i < GROUPS; ++i)
        q->ascending = q->ascending && !b->groups[i].group;
    q->entity = UINT32_MAX;
    const uint32_t wanted = roll_below(d, TERMS) + 1;
    for (uint32_t i = 0; i < wanted; ++i)
        roll_term(b, d, q, &used);
    if (!roll_once_in(d, 4)) {
        q->entity = q->count;
        q->terms[q->count].kind = KEEL_TERM_ENTITY;
    }
}

static bool matches(const query *q, const model_slot *slot) {
    uint32_t has = 0;
    for (size_t i = 0; i < slot->components.count; ++i)
        has |= 1u << slot->components.entries[i].type;
    for (uint32_t t = 0; t < q->count; ++t) {
        const keel_term_kind kind = q->terms[t].kind;
        uint32_t named = 0;
        for (uint32_t i = 0; i < q->counts[t]; ++i)
            named |= 1u << q->kinds[t][i];
        if (is_must(kind) && !(has & named)) return false;
        if (kind == KEEL_TERM_ANY_OF && !(has & named)) return false;
        if (kind == KEEL_TERM_WITHOUT && (has & named)) return false;
    }
    return slot->is_alive;
}

// ------------------------------------------------------------------ walking
typedef struct walk {
    both *b;
    const query *q;
    uint32_t salt; // of what is written
    bool *visited; // by place among the model's slots
    uint32_t count;
    uint64_t index; // of the entity before, +1
    uint64_t sum;   // of what was read, where handles are not known
} walk;

static uint32_t first_word(const void *v, uint32_t k) {
    uint32_t word = 0;
    memcpy(&word, v, payload_size(k) < 4 ? payload_size(k) : 4);
    return word;
}

// One entity of a chunk; `at` is where its values are, by term.
static void visit(walk *w, keel_entity e, void *const *at) {
    both *b = w->b;
    const query *q = w->q;
    ++w->count;
    if (q->entity == UINT32_MAX) {
        for (uint32_t t = 0; t < q->count; ++t)
            if (at[t]) w->sum += first_word(at[t], q->kinds[t][0]) * (uint64_t)(t + 1);
        return;
    }
    const unsigned index = (unsigned)keel_entity_index(e);
    const model_slot *slot = slot_of_living(b, e);
    if (!slot || !matches(q, slot))
        both_fail(b, "a view visits index %u, which does not match", index);
    bool *visited = &w->visited[slot - b->model.slots];
    if (*visited) both_fail(b, "a view visits index %u twice", index);
    *visited = true;
    if (q->ascending && w->index > index) both_fail(b, "a view visits index %u too late", index);
    w->index = (uint64_t)index + 1;
    for (uint32_t t = 0; t < q->count; ++t) {
        const uint32_t k = q->kinds[t][0];
        if (!has_values(q->terms[t].kind)) continue;
        void *models = model_get_mut(&b->model, e, k);
        if (!at[t] != !models)
            both_fail(b, "term %u of index %u is there or not", (unsigned)t, index);
        if (!models) continue;
        if (!same_payload(at[t], models, k))
            both_fail(b, "term %u of index %u has another value", (unsigned)t, index);
        if (!is_written(q->terms[t].kind)) continue;
        value v;
        value_plain(&v, k, w->salt + index);
        memcpy(at[t], &v, payload_size(k));
        memcpy(models, &v, payload_size(k));
    }
}

// Where the values of item `i` are, whatever the form.
static void *value_at(const keel_chunk *c, const keel_chunk_column *column, uint32_t i,
                      uint32_t size) {
    if (c->form != KEEL_CHUNK_LIST)
        return column->base ? (char *)column->base + (size_t)i * size : NULL;
    const uint32_t place = column->index[i], low = place & (((uint32_t)1 << column->shift) - 1);
    if (place == UINT32_MAX) return NULL;
    return (char *)column->pages[place >> column->shift] + (size_t)low * size;
}

static void walk_chunk(walk *w, const keel_chunk *c) {
    const query *q = w->q;
    void *at[TERMS] = { NULL };
    const uint32_t before = w->count;
    if (c->form == KEEL_CHUNK_MASK && c->count > 4096) both_fail(w->b, "a mask is too long");
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->form == KEEL_CHUNK_MASK && !(c->words[i / 64] >> (i % 64) & 1)) continue;
        for (uint32_t t = 0; t < q->count; ++t)
            at[t] = has_values(q->terms[t].kind)
                        ? value_at(c, &c->columns[t], i, kinds[q->kinds[t][0]].size)
                        : NULL;
        visit(w, q->entity == UINT32_MAX ? keel_null() : c->entities[i], at);
    }
    if (w->count == before) both_fail(w->b, "a chunk with nothing in it");
}

static void walk_span(walk *w, const keel_span *span) {
    const query *q = w->q;
    void *at[TERMS] = { NULL };
    for (uint32_t i = 0; i < span->count; ++i) {
        for (uint32_t t = 0; t < q->count; ++t) {
            const keel_component *c = &w->b->components[q->kinds[t][0]];
            if (!has_values(q->terms[t].kind)) continue;
            char *base = is_written(q->terms[t].kind)
                             ? keel_span_write_component(span, c)
                             : (char *)(uintptr_t)keel_span_read_component(span, c);
            at[t] = base ? base + (size_t)i * c->size : NULL;
        }
        visit(w, q->entity == UINT32_MAX ? keel_null() : span->entities[i], at);
    }
    if (!span->count) both_fail(w->b, "a span with nothing in it");
}

// What a walk that does not know handles must have read.
static uint64_t models_sum(const both *b, const query *q, uint32_t *count) {
    uint64_t sum = 0;
    *count = 0;
    for (size_t i = 0; i < b->model.slot_count; ++i) {
        const model_slot *slot = &b->model.slots[i];
        if (!matches(q, slot)) continue;
        ++*count;
        for (uint32_t t = 0; t < q->count; ++t) {
            const void *models =
                has_values(q->terms[t].kind) ? anymap_get(&slot->components, q->kinds[t][0]) : NULL;
            if (models) sum += first_word(models, q->kinds[t][0]) * (uint64_t)(t + 1);
        }
    }
    return sum;
}

static void walk_all(both *b, const query *q, const keel_view *view, uint32_t salt, bool spans) {
    bool *visited = calloc(b->model.slot_count + 1, sizeof *visited);
    walk w = { .b = b, .q = q, .salt = salt, .visited = visited };
    keel_iterator it;
    uint32_t count = 0;
    const uint64_t sum = models_sum(b, q, &count);
    const keel_chunk *chunk;
    keel_span span;
    if (both_agree(b, keel_iterator_begin(&it, view), KEEL_OK)) {
        while (spans ? keel_iterator_next_span(&it, &span)
                     : (chunk = keel_iterator_next(&it)) != NULL)
            if (spans) walk_span(&w, &span);
            else walk_chunk(&w, chunk);
        if (q->count + (q->entity != UINT32_MAX) == 0) count = 0;
        if (w.count != count)
            both_fail(b, "a view visits %u entities, %u match", (unsigned)w.count, (unsigned)count);
        if (q->entity == UINT32_MAX && w.sum != sum) both_fail(b, "a view reads other values");
    }
    free(visited);
}

// ------------------------------------------------------------------ answers
static void check_one(both *b, const query *q, const keel_view *view, keel_entity e) {
    const model_slot *slot = slot_of_living(b, e);
    const bool match = slot && matches(q, slot);
    keel_span span;
    if (keel_view_contains(view, e) != match) both_fail(b, "keel_view_contains is wrong");
    if (keel_view_why(view, e, NULL) != match) both_fail(b, "keel_view_why is wrong");
    const keel_result result = keel_view_get_all(view, e, &span);
    both_agree_surely(b, result, !slot ? KEEL_ERROR_DEAD_ENTITY : match ? KEEL_OK : KEEL_ABSENT);
    for (uint32_t t = 0; match && t < q->count; ++t) {
        const uint32_t k = q->kinds[t][0];
        if (!has_values(q->terms[t].kind)) continue;
        const void *v = keel_span_read_component(&span, &b->components[k]);
        const void *models = anymap_get(&slot->components, k);
        if (!v != !models || (v && !same_payload(v, models, k)))
            both_fail(b, "keel_view_get_all hands out another value");
        if (v != keel_get_component(view, e, &b->components[k]))
            both_fail(b, "keel_view_get and keel_view_get_all disagree");
    }
}

static void check_answers(both *b, dice *d, const query *q, const keel_view *view) {
    uint32_t count = 0;
    keel_entity only;
    (void)models_sum(b, q, &count);
    for (uint32_t i = 0; i < 3; ++i)
        check_one(b, q, view, roll_entity(b, d));
    if (b->dry) return; // what follows walks, which takes memory
    if (keel_view_count(view) != count)
        both_fail(b, "keel_view_count says %u, %u match", (unsigned)keel_view_count(view),
                  (unsigned)count);
    const keel_entity first = keel_view_first(view);
    if (keel_is_null(first) != (count == 0)) both_fail(b, "keel_view_first is null or not");
    if (count) check_one(b, q, view, first);
    if (count && !keel_view_contains(view, first)) both_fail(b, "keel_view_first does not match");
    both_agree_surely(b, keel_view_single(view, &only), count == 1 ? KEEL_OK : KEEL_ERROR_COUNT);
    if (!keel_is_same(only, count == 1 ? first : keel_null()))
        both_fail(b, "keel_view_single and keel_view_first disagree");
}

static void op_view(both *b, dice *d) {
    query q;
    keel_view view;
    const bool spans = roll_once_in(d, 3);
    roll_query(b, d, &q);
    for (uint32_t t = 0; t < q.count; ++t)
        both_trace(b, "term %u of %u kinds from %u", (unsigned)q.terms[t].kind,
                   (unsigned)q.counts[t], (unsigned)q.kinds[t][0]);
    if (!both_agree(b, keel_view_begin(&view, b->world, q.terms, "a random view"), KEEL_OK)) return;
    if (q.count || q.entity != UINT32_MAX) {
        walk_all(b, &q, &view, roll_word(d), spans);
        if (b->setting.many ? roll_once_in(d, 8) : roll_once_in(d, 2))
            check_answers(b, d, &q, &view);
    }
    keel_view_end(&view);
}

// ------------------------------------------------------------------ edits while a view is open
// Through the view what it holds, nothing of that through the world, and nothing during a walk.
static void op_edit_in_view(both *b, dice *d) {
    const uint32_t k = roll_kind(d), payload = roll_word(d);
    const keel_entity e = roll_living(b, d);
    const keel_component *c = &b->components[k];
    keel_term terms[KINDS + 3] = { { .kind = KEEL_TERM_WITH, .component = c } };
    const uint32_t edited = 1u << k | model_required_of(&b->model, k);
    for (uint32_t i = 0, n = 1; i < KINDS; ++i)
        if (edited >> i & 1)
            terms[n++] = (keel_term){ .kind = KEEL_TERM_MAY_EDIT, .component = &b->components[i] };
    keel_view view;
    keel_iterator it;
    value v, plain, models;
    if (keel_is_null(e)) return;
    if (!both_agree(b, keel_view_begin(&view, b->world, terms, "an editor"), KEEL_OK)) return;
    both_trace(b, "index %u kind %u", (unsigned)keel_entity_index(e), (unsigned)k);
    both_agree_surely(b, keel_add_component(b->world, e, c, NULL), KEEL_ERROR_BORROWED);
    value_make(&v, k, payload);
    value_plain(&plain, k, payload);
    if (keel_iterator_begin(&it, &view) == KEEL_OK) {
        both_agree_surely(b, keel_add_component(&view, e, c, &v), KEEL_ERROR_ITERATING);
        keel_iterator_end(&it);
    }
    if (roll_once_in(d, 2)) {
        value_release(&v, k);
        const keel_result result = keel_remove_component(&view, e, c, NULL);
        if (agree_on_taking(b, result, model_may_take(&b->model, e, 1u << k))) {
            both_agree_surely(b, result, model_remove(&b->model, e, k, &models));
            forget_hidden(b, e, k);
        }
    } else {
        const keel_result result = keel_add_component(&view, e, c, &v);
        if (result != KEEL_OK) value_release(&v, k);
        if (both_agree(b, result, may_add(b, e, 1u << k)) && result == KEEL_OK)
            model_add(&b->model, e, k, &plain);
    }
    keel_view_end(&view);
}

const operation_entry view_operations[] = {
    { "view", op_view, 8 },
    { "edit in a view", op_edit_in_view, 3 },
    { NULL, NULL, 0 },
};
