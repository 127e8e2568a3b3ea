// SPDX-License-Identifier: MIT
// Random operations of one component on many entities: a list of them, or all that match.
#include "both.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ lists of entities
typedef struct list {
    keel_entity *e;
    uint32_t count;
} list;

static uint32_t roll_length(const both *b, dice *d) {
    if (b->setting.many && roll_once_in(d, 4)) return roll_below(d, 6000);
    return roll_below(d, b->setting.many ? 200 : 14);
}

// The living from some place on: consecutive indices, often, and in packed order, often.
static void append_run(const both *b, list *l, uint32_t from, uint32_t count) {
    const size_t slots = b->model.slot_count;
    for (size_t i = 0; i < slots && count; ++i) {
        const model_slot *slot = &b->model.slots[(from + i) % slots];
        if (!slot->is_alive) continue;
        l->e[l->count++] = slot->handle;
        --count;
    }
}

static void turn_around(list *l) {
    for (uint32_t i = 0; i < l->count / 2; ++i) {
        const keel_entity e = l->e[i];
        l->e[i] = l->e[l->count - 1 - i];
        l->e[l->count - 1 - i] = e;
    }
}

// Runs, single ones, twins; once in a while somebody who is not alive.
static list roll_list(both *b, dice *d) {
    const uint32_t length = roll_length(b, d);
    list l = { .e = malloc((length + 3) * sizeof *l.e) };
    if (!roll_once_in(d, 3)) append_run(b, &l, roll_word(d) % 4096, length);
    while (l.count < length) {
        const keel_entity e = roll_living(b, d);
        if (keel_is_null(e)) break;
        l.e[l.count++] = e;
    }
    if (roll_once_in(d, 3)) turn_around(&l);
    if (l.count && roll_once_in(d, 3)) { // a twin
        const keel_entity twin = l.e[roll_below(d, l.count)];
        l.e[l.count++] = twin;
    }
    if (roll_once_in(d, 6)) l.e[l.count++] = roll_entity(b, d);
    return l;
}

// ------------------------------------------------------------------ values
typedef enum given { GIVEN_ZEROS, GIVEN_ONE, GIVEN_EACH } given;
typedef struct values {
    value *items;
    given given;
    uint32_t kind, payload, count; // of `items`
} values;

static uint32_t payload_of(const values *v, uint32_t i) {
    return v->given == GIVEN_EACH ? v->payload + i * 7 : v->payload;
}

static values make_values(given how, uint32_t kind, uint32_t payload, uint32_t count) {
    values v = { .given = how, .kind = kind, .payload = payload };
    v.count = how == GIVEN_EACH ? count : how == GIVEN_ONE;
    v.items = v.count ? aligned_alloc(64, v.count * sizeof *v.items) : NULL;
    for (uint32_t i = 0; i < v.count; ++i)
        value_make(&v.items[i], kind, payload_of(&v, i));
    return v;
}

static void release(values *v, bool handed_over) {
    for (uint32_t i = 0; i < v->count && !(handed_over && v->given == GIVEN_EACH); ++i)
        value_release(&v->items[i], v->kind);
    free(v->items);
}

static void model_add_to_all(both *b, const list *l, const values *v) {
    for (uint32_t i = 0; i < l->count; ++i) {
        value plain;
        value_plain(&plain, v->kind, payload_of(v, i));
        if (v->given != GIVEN_ZEROS || !model_get(&b->model, l->e[i], v->kind))
            model_add(&b->model, l->e[i], v->kind, v->given == GIVEN_ZEROS ? NULL : &plain);
    }
}

// Why they do not get it: a bit for each reason.
static uint32_t refusals_of(const both *b, const list *l, const values *v) {
    const bool copies = v->given == GIVEN_ONE && l->count;
    uint32_t reasons = copies && !kinds[v->kind].copies ? 1u << -KEEL_ERROR_COPY : 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        const keel_result may = may_add(b, l->e[i], 1u << v->kind);
        if (may < 0) reasons |= 1u << -may;
    }
    return reasons;
}

// ------------------------------------------------------------------ operations
static bool is_too_much(const list *l, uint32_t kind) {
    return l->count > 300 && kinds[kind].size > 64; // memory for a small test
}

static void op_add_to_many(both *b, dice *d) {
    list l = roll_list(b, d);
    const uint32_t k = roll_kind(d), payload = roll_word(d);
    const given how = (given)roll_below(d, 3);
    values v = make_values(how, k, payload, is_too_much(&l, k) ? 0 : l.count);
    if (is_too_much(&l, k)) l.count = 0;
    both_trace(b, "%u entities, kind %u, given %d", (unsigned)l.count, (unsigned)k, (int)how);
    const bool may_fail = how == GIVEN_ONE && roll_once_in(d, 5);
    if (may_fail) copies_left = roll_below(d, 6);
    const keel_result result = keel_add_component_to_many(
        b->world, l.e, l.count, &b->components[k], v.items, how == GIVEN_EACH ? sizeof(value) : 0);
    copies_left = UINT32_MAX;
    if (agree_on_reasons(b, result, refusals_of(b, &l, &v), may_fail)) model_add_to_all(b, &l, &v);
    release(&v, result == KEEL_OK);
    free(l.e);
}

// Take the component from all of the list in the model: its answer.
static keel_result model_delete_from_all(both *b, const list *l, uint32_t k) {
    keel_result result = KEEL_ABSENT;
    for (uint32_t i = 0; i < l->count; ++i) {
        forget_hidden(b, l->e[i], k);
        if (model_delete(&b->model, l->e[i], k) == KEEL_OK) result = KEEL_OK;
    }
    return result;
}

static void delete_from_all(both *b, const list *l, uint32_t k, keel_result result) {
    keel_result refusal = KEEL_OK;
    for (uint32_t i = 0; i < l->count && refusal == KEEL_OK; ++i)
        refusal = model_may_take(&b->model, l->e[i], 1u << k);
    if (agree_on_taking(b, result, refusal))
        both_agree_surely(b, result, model_delete_from_all(b, l, k));
}

static void op_delete_from_many(both *b, dice *d) {
    list l = roll_list(b, d);
    const uint32_t k = roll_kind(d);
    both_trace(b, "%u entities, kind %u", (unsigned)l.count, (unsigned)k);
    delete_from_all(b, &l, k,
                    keel_delete_component_from_many(b->world, l.e, l.count, &b->components[k]));
    free(l.e);
}

// ------------------------------------------------------------------ all that match
enum { TERMS = 2 };
typedef struct query {
    keel_term terms[TERMS + 2];
    uint32_t with, without; // a bit for each kind
} query;

// Each kind at most once; without any the term of the entity lets all of them match.
static query roll_query(both *b, dice *d) {
    query q = { .with = 0 };
    const uint32_t wanted = roll_below(d, TERMS + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < wanted; ++i) {
        const uint32_t k = roll_kind(d), bit = 1u << k;
        const bool with = roll_once_in(d, 2);
        if ((q.with | q.without) & bit) continue;
        *(with ? &q.with : &q.without) |= bit;
        q.terms[n++] = (keel_term){ .kind = with ? KEEL_TERM_WITH : KEEL_TERM_WITHOUT,
                                    .component = &b->components[k] };
    }
    if (!n || roll_once_in(d, 3)) q.terms[n].kind = KEEL_TERM_ENTITY;
    return q;
}

static list list_matching(const both *b, const query *q) {
    list l = { .e = malloc((b->model.slot_count + 1) * sizeof *l.e) };
    for (size_t i = 0; i < b->model.slot_count; ++i) {
        const model_slot *slot = &b->model.slots[i];
        if (!slot->is_alive) continue;
        const uint32_t has = bits_of(slot);
        if ((has & q->with) == q->with && !(has & q->without)) l.e[l.count++] = slot->handle;
    }
    return l;
}

static void op_add_to_matching(both *b, dice *d) {
    const query q = roll_query(b, d);
    const uint32_t k = roll_kind(d), payload = roll_word(d);
    list l = list_matching(b, &q);
    values v = make_values(roll_once_in(d, 4) ? GIVEN_ZEROS : GIVEN_ONE, k, payload, 0);
    both_trace(b, "%u entities match, kind %u", (unsigned)l.count, (unsigned)k);
    if (!is_too_much(&l, k)) {
        const keel_result result =
            keel_add_component_to_matching(b->world, q.terms, &b->components[k], v.items);
        if (!l.count) (void)both_agree(b, result, KEEL_ABSENT);
        else if (agree_on_reasons(b, result, refusals_of(b, &l, &v), false))
            model_add_to_all(b, &l, &v);
    }
    release(&v, false);
    free(l.e);
}

static void op_delete_from_matching(both *b, dice *d) {
    const query q = roll_query(b, d);
    const uint32_t k = roll_kind(d);
    list l = list_matching(b, &q);
    both_trace(b, "%u entities match, kind %u", (unsigned)l.count, (unsigned)k);
    const keel_result result =
        keel_delete_component_from_matching(b->world, q.terms, &b->components[k]);
    delete_from_all(b, &l, k, result);
    free(l.e);
}

const operation_entry many_operations[] = {
    { "add_to_many", op_add_to_many, 4 },
    { "delete_from_many", op_delete_from_many, 3 },
    { "add_to_matching", op_add_to_matching, 2 },
    { "delete_from_matching", op_delete_from_matching, 2 },
    { NULL, NULL, 0 },
};
