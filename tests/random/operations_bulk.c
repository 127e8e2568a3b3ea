// SPDX-License-Identifier: MIT
// Random operations that make many entities at once: from columns of values, copies, and prefabs.
#include "followers.h"
#include "templates.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4 };

static uint32_t roll_count(both *b, dice *d) {
    if (b->setting.many && roll_once_in(d, 4)) return roll_below(d, 9000);
    return roll_below(d, b->setting.many ? 200 : 12);
}

// How a column's values are given.
typedef enum given { GIVEN_ZEROS, GIVEN_ONE, GIVEN_EACH } given;
typedef struct column {
    uint32_t kind, payload;
    given given;
    value *values; // GIVEN_EACH: one for each entity; GIVEN_ONE: one
} column;

static uint32_t payload_of(const column *c, uint32_t i) {
    return c->given == GIVEN_EACH ? c->payload + i * 7 : c->payload;
}

// Other kinds than the columns before.
static uint32_t roll_columns(dice *d, column *columns, uint32_t count) {
    const uint32_t wanted = roll_below(d, COLUMNS + 1);
    uint32_t used = 0, n = 0;
    for (uint32_t i = 0; i < wanted; ++i) {
        column c = { .kind = roll_kind(d), .given = (given)roll_below(d, 3) };
        c.payload = roll_word(d);
        if (used >> c.kind & 1) continue;
        if (count > 500 && kinds[c.kind].size > 64) continue; // too much memory for a small test
        used |= 1u << c.kind;
        columns[n++] = c;
    }
    return n;
}

static void fill_column(column *c, uint32_t count) {
    const uint32_t n = c->given == GIVEN_EACH ? count : c->given == GIVEN_ONE;
    c->values = n ? aligned_alloc(64, n * sizeof *c->values) : NULL;
    for (uint32_t i = 0; i < n; ++i)
        value_make(&c->values[i], c->kind, payload_of(c, i));
}

// Release what the caller still owns.
static void release_column(column *c, uint32_t count, bool handed_over) {
    const uint32_t n = c->given == GIVEN_EACH ? count : c->given == GIVEN_ONE;
    for (uint32_t i = 0; i < n && !(handed_over && c->given == GIVEN_EACH); ++i)
        value_release(&c->values[i], c->kind);
    free(c->values);
}

static void expect_new(both *b, keel_entity e) {
    const keel_entity models = model_add_entity(&b->model);
    if (!keel_is_same(e, models))
        both_fail(b, "a new entity is index %u version %u, in the model %u version %u",
                  (unsigned)keel_entity_index(e), (unsigned)keel_entity_version(e),
                  (unsigned)keel_entity_index(models), (unsigned)keel_entity_version(models));
}

// The result of a call that copies: copy hooks may be meant to fail now.
static void op_add_entities(both *b, dice *d) {
    column columns[COLUMNS];
    keel_value_column list[COLUMNS + 1];
    bool can_copy = true;
    if (is_crowded(b)) return;
    const uint32_t count = roll_count(b, d), n = roll_columns(d, columns, count);
    both_trace(b, "%u entities, %u columns", (unsigned)count, (unsigned)n);
    for (uint32_t i = 0; i < n; ++i) {
        column *c = &columns[i];
        fill_column(c, count);
        list[i] = (keel_value_column){ &b->components[c->kind], c->values,
                                       c->given == GIVEN_EACH ? sizeof(value) : 0 };
        if (c->given == GIVEN_ONE && !kinds[c->kind].copies) can_copy = false;
    }
    list[n] = (keel_value_column){ NULL, NULL, 0 };
    keel_entity *out = roll_once_in(d, 3) ? NULL : malloc((count + 1) * sizeof *out);
    const bool may_fail = may_copies_fail(d);
    const keel_result result = keel_add_entity_columns(b->world, count, out, list);
    copies_left = UINT32_MAX;
    const bool done = agree_on_copies(b, result, can_copy, may_fail);
    for (uint32_t i = 0; done && i < count; ++i) {
        const keel_entity models = model_add_entity(&b->model);
        if (out && !keel_is_same(out[i], models))
            both_fail(b, "entity %u of many is index %u, in the model %u", (unsigned)i,
                      (unsigned)keel_entity_index(out[i]), (unsigned)keel_entity_index(models));
        for (uint32_t j = 0; j < n; ++j) {
            value plain;
            value_plain(&plain, columns[j].kind, payload_of(&columns[j], i));
            model_add(&b->model, models, columns[j].kind,
                      columns[j].given == GIVEN_ZEROS ? NULL : &plain);
        }
    }
    for (uint32_t i = 0; i < n; ++i)
        release_column(&columns[i], count, done);
    free(out);
}

// Give copies in the model what `prototype` has there.
static void model_copy(both *b, const keel_entity *copies, uint32_t n, keel_entity prototype) {
    for (uint32_t k = 0; k < ALL_KINDS * n; ++k) {
        const void *models = model_get(&b->model, prototype, k / n);
        value copy;
        if (!models) continue;
        memcpy(&copy, models, kinds[k / n].size);
        model_add(&b->model, copies[k % n], k / n, &copy);
    }
    for (uint32_t r = 0; r < RELATIONS; ++r) { // to the same ones; a copy is none of them
        const bool is_one = b->relations[r].symmetric && b->relations[r].exclusive;
        const size_t count = is_one ? 0 : b->model.relations[r].edge_count;
        for (size_t i = 0; i < count * n; ++i) {
            const model_edge edge = b->model.relations[r].edges[i % count];
            if (keel_is_same(edge.source, prototype))
                (void)model_relate(&b->model, r, copies[i / count], edge.target, &edge.value);
        }
    }
}

static bool is_copyable(const both *b, keel_entity e) {
    for (uint32_t k = 0; k < KINDS; ++k)
        if (!kinds[k].copies && model_has(&b->model, e, k)) return false;
    return true;
}

static void op_clone_entity(both *b, dice *d) {
    const keel_entity prototype = roll_entity(b, d);
    if (is_crowded(b)) return;
    follow_copies(b);
    const bool may_fail = may_copies_fail(d);
    const keel_entity e = keel_clone_entity(b->world, prototype);
    copies_left = UINT32_MAX;
    both_trace(b, "index %u: %u", (unsigned)keel_entity_index(prototype),
               (unsigned)keel_entity_index(e));
    if (keel_is_null(e)) {
        const keel_result result = keel_last_error(b->world)->result;
        if (model_is_alive(&b->model, prototype))
            (void)agree_on_copies(b, result, is_copyable(b, prototype), may_fail);
        else both_agree_surely(b, result, KEEL_ERROR_DEAD_ENTITY);
        return;
    }
    if (!model_is_alive(&b->model, prototype)) both_fail(b, "a copy of a dead entity");
    expect_new(b, e);
    model_copy(b, &e, 1, prototype);
}

static void op_clone_entities(both *b, dice *d) {
    keel_entity out[80];
    const keel_entity prototype = roll_entity(b, d);
    const uint32_t count = roll_below(d, b->setting.many ? 80 : 8);
    if (is_crowded(b)) return;
    follow_copies(b);
    const bool may_fail = may_copies_fail(d);
    const keel_result result = keel_clone_entities(b->world, prototype, count, out);
    copies_left = UINT32_MAX;
    both_trace(b, "%u of index %u: %s", (unsigned)count, (unsigned)keel_entity_index(prototype),
               keel_result_text(result));
    if (!model_is_alive(&b->model, prototype)) {
        both_agree_surely(b, result, KEEL_ERROR_DEAD_ENTITY);
        return;
    }
    if (!agree_on_copies(b, result, is_copyable(b, prototype), may_fail)) return;
    for (uint32_t i = 0; i < count; ++i)
        expect_new(b, out[i]);
    model_copy(b, out, count, prototype);
}

// ------------------------------------------------------------------ prefabs
// How many copies there is room for.
static uint32_t roll_copies(both *b, dice *d, const tree *of) {
    const bool many = b->setting.many && roll_once_in(d, 4);
    const uint32_t room = many ? 3000 : b->are_templates ? 30 : 70;
    uint32_t count = roll_below(d, many ? 500 : roll_once_in(d, 2) ? 7 : 3);
    if (of->count * count > room) count = room / of->count;
    const uint32_t hidden_room = HIDDEN - b->hidden_count;
    return of->hidden * count > hidden_room ? hidden_room / of->hidden : count;
}

// A pair for a root may name templates: the value is taken as it is.
static void name_templates(const column *c, void *v, const tree *of) {
    if (c->kind != PAIR || !of->count || c->payload % 2) return;
    const pair named = { of->nodes[c->payload / 2 % of->count], of->nodes[0] };
    memcpy(v, &named, sizeof named);
}

// Often nothing but a pair, so that some copies are made without a batch.
static uint32_t roll_over(dice *d, column *columns, uint32_t count) {
    const uint32_t n = roll_columns(d, columns, count), how = roll_below(d, 4);
    if (how > 1) return n;
    columns[0] = (column){ .kind = PAIR, .payload = roll_word(d) * 6 + how * 2 };
    columns[0].given = how ? GIVEN_EACH : GIVEN_ONE;
    return roll_once_in(d, 2);
}

// The values for the roots of copies, as a column; some lie as in an array of their type.
static keel_value_column fill_over(both *b, column *c, uint32_t count, const tree *of) {
    fill_column(c, count);
    const uint32_t n = c->given == GIVEN_EACH ? count : c->given == GIVEN_ONE;
    for (uint32_t i = 0; i < n; ++i)
        name_templates(c, &c->values[i], of);
    const keel_component *component = &b->components[c->kind];
    if (c->given != GIVEN_EACH) return (keel_value_column){ component, c->values, 0 };
    if (kinds[c->kind].tail != TAIL_NONE || c->payload % 3)
        return (keel_value_column){ component, c->values, sizeof(value) };
    for (uint32_t i = 0; i < n; ++i)
        memmove((uint8_t *)c->values + (size_t)i * component->size, &c->values[i], component->size);
    return (keel_value_column){ component, c->values, component->size };
}

static keel_result spawn_one(both *b, keel_prefab prefab, const keel_value_column *columns,
                             keel_entity *out) {
    keel_value list[COLUMNS + 1] = { { NULL, NULL } };
    for (uint32_t i = 0; columns[i].component; ++i)
        list[i] = (keel_value){ columns[i].component, columns[i].values };
    *out = keel_spawn_values(b->world, prefab, list);
    return keel_is_null(*out) ? keel_last_error(b->world)->result : KEEL_OK;
}

static void model_spawn(both *b, const tree *of, uint32_t copies, const keel_entity *out,
                        const column *columns, uint32_t n) {
    keel_entity *made = malloc(((size_t)of->count * copies + 1) * sizeof *made);
    model_make_copies(b, of, copies, made);
    model_fill_copies(b, of, copies, made);
    for (uint32_t i = 0; i < copies; ++i) {
        if (out && !keel_is_same(out[i], made[i]))
            both_fail(b, "copy %u is index %u, in the model %u", (unsigned)i,
                      (unsigned)keel_entity_index(out[i]), (unsigned)keel_entity_index(made[i]));
        for (uint32_t j = 0; j < n; ++j) {
            const column *c = &columns[j];
            value plain;
            value_plain(&plain, c->kind, payload_of(c, i));
            name_templates(c, &plain, of);
            const hidden *h = find_hidden(b, made[i], c->kind); // what is named is in sight
            if (c->given != GIVEN_ZEROS) model_add(&b->model, made[i], c->kind, &plain);
            else if (!model_has(&b->model, made[i], c->kind))
                model_add(&b->model, made[i], c->kind, h ? &h->value : NULL);
        }
    }
    model_copies_are_made(b, made, (size_t)of->count * copies);
    free(made);
}

static void op_spawn(both *b, dice *d) {
    column columns[COLUMNS];
    keel_value_column list[COLUMNS + 1] = { { NULL, NULL, 0 } };
    if (!b->templates || is_crowded(b)) return;
    const keel_prefab prefab = { roll_entity(b->templates, d) };
    const tree of = tree_of(b->templates, prefab.root);
    const uint32_t copies = roll_copies(b, d, &of);
    const uint32_t n = roll_over(d, columns, copies);
    const bool is_one = copies == 1 && roll_once_in(d, 2), wants = roll_once_in(d, 3);
    bool can_copy = of.can_copy;
    uint32_t over = 0; // kinds
    for (uint32_t i = 0; i < n; ++i) {
        over |= 1u << columns[i].kind;
        if (is_one && columns[i].given == GIVEN_ONE) columns[i].given = GIVEN_EACH;
        list[i] = fill_over(b, &columns[i], copies, &of);
        if (columns[i].given == GIVEN_ONE && !kinds[columns[i].kind].copies) can_copy = false;
    }
    keel_entity *out = is_one || wants ? malloc((copies + 1) * sizeof *out) : NULL;
    const bool may_fail = may_copies_fail(d);
    if (b->dry) counting_allocator_fail_after(b->memory, roll_below(d, 40));
    const keel_result result = is_one ? spawn_one(b, prefab, list, out)
                                      : keel_spawn_columns(b->world, prefab, copies, out, list);
    copies_left = UINT32_MAX;
    both_trace(b, "template %u of %u entities, %u times, %u columns: %s",
               (unsigned)keel_entity_index(prefab.root), (unsigned)of.count, (unsigned)copies,
               (unsigned)n, keel_result_text(result));
    bool done = false;
    uint32_t reasons = can_copy || !copies ? 0 : 1u << -KEEL_ERROR_COPY;
    if (copies && lacks_required(b, &of, over)) reasons |= 1u << -KEEL_ERROR_REQUIRED;
    if (!of.count) both_agree_surely(b, result, KEEL_ERROR_DEAD_ENTITY);
    else done = agree_on_reasons(b, result, reasons, may_fail);
    if (done) model_spawn(b, &of, copies, out, columns, n);
    for (uint32_t i = 0; i < n; ++i)
        release_column(&columns[i], copies, done);
    free(out);
}

const operation_entry bulk_operations[] = {
    { "add_entities", op_add_entities, 5 },
    { "clone_entity", op_clone_entity, 4 },
    { "clone_entities", op_clone_entities, 3 },
    { "spawn", op_spawn, 11 },
    { NULL, NULL, 0 },
};
