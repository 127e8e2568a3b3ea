// SPDX-License-Identifier: MIT
// Random operations on the components of one entity, and on one component everywhere.
#include "followers.h"

#include <string.h>

enum { MOST = 6 };

// ------------------------------------------------------------------ adding
// Adding a value that the caller keeps when the call fails.
static void add(both *b, dice *d, bool unchecked) {
    value v, plain;
    const keel_entity e = unchecked ? roll_living(b, d) : roll_entity(b, d);
    const uint32_t k = roll_kind(d), payload = roll_word(d);
    const bool zero = roll_once_in(d, 6);
    if (unchecked && keel_is_null(e)) return;
    value_make(&v, k, payload);
    value_plain(&plain, k, payload);
    if (zero) value_release(&v, k);
    both_trace(b, "index %u kind %u%s", (unsigned)keel_entity_index(e), (unsigned)k,
               zero ? ", zero" : "");
    const void *from = zero ? NULL : &v;
    const keel_result result =
        unchecked ? keel_add_component_unchecked(b->world, e, &b->components[k], from)
                  : keel_add_component(b->world, e, &b->components[k], from);
    if (result != KEEL_OK && !zero) value_release(&v, k);
    const keel_result expected = may_add(b, e, 1u << k);
    const bool stays = zero && model_get(&b->model, e, k);
    if (both_agree(b, result, expected) && result == KEEL_OK && !stays)
        model_add(&b->model, e, k, zero ? NULL : &plain);
}
static void op_add(both *b, dice *d) { add(b, d, false); }
static void op_add_unchecked(both *b, dice *d) { add(b, d, true); }

// A value that lies in the world itself, which the edit may move.
static void op_add_own(both *b, dice *d) {
    static const uint32_t plain_kinds[] = { 2, 3, 4, 5, 6, 10 };
    const uint32_t k = plain_kinds[roll_below(d, 6)];
    const keel_entity e = roll_living(b, d), other = roll_living(b, d);
    const void *models = keel_is_null(other) ? NULL : model_get(&b->model, other, k);
    if (!models) return;
    both_trace(b, "index %u kind %u, of index %u", (unsigned)keel_entity_index(e), (unsigned)k,
               (unsigned)keel_entity_index(other));
    const keel_result result = keel_add_component(
        b->world, e, &b->components[k], keel_get_component(b->world, other, &b->components[k]));
    if (both_agree(b, result, may_add(b, e, 1u << k)) && result == KEEL_OK)
        model_add(&b->model, e, k, models);
}

static void op_add_values(both *b, dice *d) {
    value values[MOST], plain[MOST];
    keel_value list[MOST + 1];
    uint32_t which[MOST], kinds_added = 0;
    const keel_entity e = roll_entity(b, d);
    const uint32_t count = roll_below(d, MOST);
    // those from here on are only for who lacks them
    const uint32_t missing = roll_below(d, 2) ? count : roll_below(d, count + 1);
    both_trace(b, "index %u, %u values, %u always", (unsigned)keel_entity_index(e), (unsigned)count,
               (unsigned)missing);
    list[missing] = (keel_value){ keel_if_missing(), NULL };
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t payload = roll_word(d);
        which[i] = roll_kind(d);
        kinds_added |= 1u << which[i];
        value_make(&values[i], which[i], payload);
        value_plain(&plain[i], which[i], payload);
        list[i + (i >= missing)] = (keel_value){ &b->components[which[i]], &values[i] };
    }
    list[count + (missing < count)] = (keel_value){ NULL, NULL };
    const keel_result result = keel_add_component_values(b->world, e, list);
    for (uint32_t i = 0; i < count && result != KEEL_OK; ++i)
        value_release(&values[i], which[i]);
    if (!both_agree(b, result, may_add(b, e, kinds_added))) return;
    for (uint32_t i = 0; i < count && result == KEEL_OK; ++i)
        if (i < missing || !model_get(&b->model, e, which[i]))
            model_add(&b->model, e, which[i], &plain[i]);
}

// A pointer was handed out, or NULL because of this.
static bool got_place(both *b, const void *place, keel_entity e, uint32_t k) {
    const keel_result expected = may_add(b, e, 1u << k);
    if (place && expected != KEEL_OK)
        both_fail(b, "an entity has a value, though: %s", keel_result_text(expected));
    if (!place && expected != KEEL_ERROR_DEAD_ENTITY)
        (void)both_agree(b, keel_last_error(b->world)->result, expected);
    return place != NULL;
}

static void op_get_or_add(both *b, dice *d) {
    value v, plain;
    const keel_entity e = roll_entity(b, d);
    const uint32_t k = roll_kind(d), payload = roll_word(d);
    const bool had = model_has(&b->model, e, k);
    value_make(&v, k, payload);
    value_plain(&plain, k, payload);
    both_trace(b, "index %u kind %u", (unsigned)keel_entity_index(e), (unsigned)k);
    const void *place = keel_get_or_add_component(b->world, e, &b->components[k], &v);
    if (!place || had) value_release(&v, k);
    if (!got_place(b, place, e, k)) return;
    if (place != keel_get_component(b->world, e, &b->components[k]))
        both_fail(b, "keel_get_or_add hands out another place than keel_get");
    if (!had) model_add(&b->model, e, k, &plain);
}

static void op_change(both *b, dice *d) {
    value v;
    const keel_entity e = roll_entity(b, d);
    const uint32_t k = roll_kind(d);
    void *place = keel_get_component_mut(b->world, e, &b->components[k]);
    void *models = model_get_mut(&b->model, e, k);
    if (!place != !models) both_fail(b, "keel_get_mut finds kind %u or not", (unsigned)k);
    if (!place) return;
    value_plain(&v, k, roll_word(d));
    memcpy(place, &v, payload_size(k));
    memcpy(models, &v, payload_size(k));
}

// ------------------------------------------------------------------ removing
// A value that came out of the world.
static void check_out(const both *b, value *out, const value *models, uint32_t k) {
    if (!same_payload(out, models, k))
        both_fail(b, "kind %u came out with another value", (unsigned)k);
    value_release(out, k);
}

static void op_remove(both *b, dice *d) {
    value out, models;
    const keel_entity e = roll_entity(b, d);
    const uint32_t k = roll_kind(d);
    const bool to_get = roll_once_in(d, 2);
    const keel_result result =
        keel_remove_component(b->world, e, &b->components[k], to_get ? &out : NULL);
    both_trace(b, "index %u kind %u: %s", (unsigned)keel_entity_index(e), (unsigned)k,
               keel_result_text(result));
    if (!agree_on_taking(b, result, model_may_take(&b->model, e, 1u << k))) return;
    forget_hidden(b, e, k);
    both_agree_surely(b, result, model_remove(&b->model, e, k, &models));
    if (result == KEEL_OK && to_get) check_out(b, &out, &models, k);
}

static void op_remove_values(both *b, dice *d) {
    value outs[MOST], models;
    keel_out list[MOST];
    uint32_t which[MOST], going = 0;
    bool taken[MOST];
    const keel_entity e = roll_entity(b, d);
    const uint32_t count = roll_below(d, MOST);
    for (uint32_t i = 0; i < count; ++i) {
        which[i] = roll_kind(d);
        going |= 1u << which[i];
        taken[i] = false;
        list[i] =
            (keel_out){ &b->components[which[i]], roll_once_in(d, 3) ? NULL : &outs[i], &taken[i] };
    }
    list[count] = (keel_out){ NULL, NULL, NULL };
    const keel_result result = keel_remove_component_values(b->world, e, list);
    both_trace(b, "index %u, %u kinds: %s", (unsigned)keel_entity_index(e), (unsigned)count,
               keel_result_text(result));
    if (!agree_on_taking(b, result, model_may_take(&b->model, e, going))) return;
    keel_result expected = model_is_alive(&b->model, e) ? KEEL_ABSENT : KEEL_ERROR_DEAD_ENTITY;
    for (uint32_t i = 0; i < count; ++i) {
        const bool there = model_remove(&b->model, e, which[i], &models) == KEEL_OK;
        forget_hidden(b, e, which[i]);
        if (there) expected = KEEL_OK;
        if (there != taken[i]) both_fail(b, "kind %u was taken or not", (unsigned)which[i]);
        if (there && list[i].value) check_out(b, &outs[i], &models, which[i]);
    }
    both_agree_surely(b, result, expected);
}

static void op_delete(both *b, dice *d) {
    const keel_component *list[MOST];
    uint32_t which[MOST], going = 0;
    const keel_entity e = roll_entity(b, d);
    const uint32_t count = roll_below(d, MOST);
    for (uint32_t i = 0; i < count; ++i) {
        which[i] = roll_kind(d);
        going |= 1u << which[i];
        list[i] = &b->components[which[i]];
    }
    list[count] = NULL;
    const keel_result result = count == 1 ? keel_delete_component(b->world, e, list[0])
                                          : keel_delete_components(b->world, e, list);
    both_trace(b, "index %u, %u kinds: %s", (unsigned)keel_entity_index(e), (unsigned)count,
               keel_result_text(result));
    if (!agree_on_taking(b, result, model_may_take(&b->model, e, going))) return;
    keel_result expected = model_is_alive(&b->model, e) ? KEEL_ABSENT : KEEL_ERROR_DEAD_ENTITY;
    for (uint32_t i = 0; i < count; ++i) {
        forget_hidden(b, e, which[i]);
        if (model_delete(&b->model, e, which[i]) == KEEL_OK) expected = KEEL_OK;
    }
    both_agree_surely(b, result, expected);
}

// ------------------------------------------------------------------ everywhere
static void op_clear(both *b, dice *d) {
    const uint32_t k = roll_kind(d);
    const keel_result result = keel_clear_component(b->world, &b->components[k]);
    both_trace(b, "kind %u", (unsigned)k);
    if (!agree_on_taking(b, result, model_may_clear(&b->model, k))) return;
    forget_hidden_kind(b, k);
    both_agree_surely(b, result, model_clear(&b->model, k));
}

typedef struct retaining {
    both *b;
    uint32_t kind, salt, asked;
} retaining;

static bool is_kept(keel_entity e, uint32_t salt) {
    return mix_of(keel_entity_index(e), salt) % 4 < salt % 5;
}

static bool keep(keel_entity e, void *v, void *data) {
    retaining *r = data;
    const void *models = model_get(&r->b->model, e, r->kind);
    ++r->asked;
    if (!models || !same_payload(v, models, r->kind))
        both_fail(r->b, "retain asks about a value that is not there");
    return is_kept(e, r->salt);
}

static void op_retain(both *b, dice *d) {
    retaining r = { b, roll_kind(d), roll(d), 0 };
    both_trace(b, "kind %u", (unsigned)r.kind);
    const size_t count = model_component_count(&b->model, r.kind);
    const keel_result result = keel_retain_component(b->world, &b->components[r.kind], keep, &r);
    if (!agree_on_taking(b, result, model_may_clear(&b->model, r.kind))) return;
    if (r.asked != count)
        both_fail(b, "retain asked %u times for %zu values", (unsigned)r.asked, count);
    keel_result expected = KEEL_ABSENT;
    for (size_t i = 0; i < b->model.slot_count; ++i) {
        const keel_entity e = b->model.slots[i].handle;
        if (model_has(&b->model, e, r.kind) && !is_kept(e, r.salt))
            expected = model_delete(&b->model, e, r.kind);
    }
    both_agree_surely(b, result, expected);
}

static bool is_grouped(const both *b, uint32_t k) {
    for (uint32_t i = 0; i < GROUPS; ++i) {
        const group *g = &b->groups[i];
        if (g->group && (g->owned | g->get | g->exclude) >> k & 1) return true;
    }
    return false;
}

// The world forgets the component, and learns of it anew at its next use.
static void op_unregister(both *b, dice *d) {
    const uint32_t k = roll_kind(d);
    if (!roll_once_in(d, 3)) return;
    both_trace(b, "kind %u", (unsigned)k);
    const keel_result result = keel_unregister_component(b->world, &b->components[k]);
    if (result == KEEL_ERROR_GROUPED && is_grouped(b, k)) return;
    if (!agree_on_taking(b, result, is_required(b, k) ? KEEL_ERROR_REQUIRED : KEEL_OK)) return;
    forget_hidden_kind(b, k);
    if (!is_grouped(b, k)) follow_unregistered(b, k);
    const keel_result expected = model_clear(&b->model, k);
    if (is_grouped(b, k)) both_fail(b, "kind %u of a group was unregistered", (unsigned)k);
    if (result != expected && (result != KEEL_OK || expected != KEEL_ABSENT))
        both_agree_surely(b, result, expected);
    counting_allocator_never_fail(b->memory);
    b->columns[k] = keel_lookup_of_component(b->world, &b->components[k]);
}

static void op_reserve(both *b, dice *d) {
    const uint32_t k = roll_kind(d), count = roll(d) * (b->setting.many ? 40u : 1u);
    (void)both_agree(b,
                     keel_reserve_component(
                         b->world, roll_once_in(d, 2) ? &keel_entities : &b->components[k], count),
                     KEEL_OK);
}

static void op_trim(both *b, dice *d) {
    (void)d;
    both_agree_surely(b, keel_world_trim(b->world), KEEL_OK);
}

// ------------------------------------------------------------------ uniques
void op_unique(both *b, dice *d) {
    value v, plain;
    const uint32_t k = roll_kind(d), payload = roll_word(d);
    if (roll_once_in(d, 3)) {
        const keel_result result = keel_remove_unique_value(b->world, &b->uniques[k], &v);
        both_agree_surely(b, result, model_remove_unique(&b->model, k, &plain));
        if (result == KEEL_OK) check_out(b, &v, &plain, k);
        return;
    }
    value_make(&v, k, payload);
    value_plain(&plain, k, payload);
    const keel_result result = keel_set_unique_value(b->world, &b->uniques[k], &v);
    if (result != KEEL_OK) value_release(&v, k);
    if (both_agree(b, result, KEEL_OK)) model_set_unique(&b->model, k, &plain);
}

// ------------------------------------------------------------------ out of sight
void op_disable(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    const uint32_t k = roll_kind(d);
    const bool is_alive = model_is_alive(&b->model, e);
    const hidden *h = find_hidden(b, e, k);
    const bool to_enable = h || roll_once_in(d, 4);
    both_trace(b, "index %u kind %u%s", (unsigned)keel_entity_index(e), (unsigned)k,
               to_enable ? ", back" : "");
    const bool has = model_has(&b->model, e, k);
    if (!h && !to_enable && has && b->hidden_count == HIDDEN) return;
    const keel_result result = to_enable
                                   ? keel_enable_component(b->world, e, &b->components[k], true)
                                   : keel_enable_component(b->world, e, &b->components[k], false);
    keel_result expected = KEEL_ABSENT;
    if (!is_alive) expected = KEEL_ERROR_DEAD_ENTITY;
    if (to_enable && h) expected = may_show(b, e, k);
    if (!to_enable && has) expected = model_may_take(&b->model, e, 1u << k);
    if (!both_agree(b, result, expected) || result != KEEL_OK) return;
    value v;
    if (to_enable) {
        memcpy(&v, &h->value, kinds[k].size);
        forget_hidden(b, e, k);
        follow_shown(b, e, k);
        model_add(&b->model, e, k, &v);
    } else {
        model_remove(&b->model, e, k, &v);
        hide(b, e, k, &v);
        follow_hidden(b, e, k);
    }
}

const operation_entry component_operations[] = {
    { "add", op_add, 13 },
    { "add_unchecked", op_add_unchecked, 3 },
    { "add a value of the world", op_add_own, 4 },
    { "add_values", op_add_values, 6 },
    { "get_or_add", op_get_or_add, 3 },
    { "change", op_change, 3 },
    { "remove", op_remove, 7 },
    { "remove_values", op_remove_values, 4 },
    { "delete", op_delete, 5 },
    { "clear", op_clear, 1 },
    { "retain", op_retain, 2 },
    { "unregister", op_unregister, 1 },
    { "reserve", op_reserve, 1 },
    { "trim", op_trim, 1 },
    { "unique", op_unique, 2 },
    { "disable", op_disable, 5 },
    { NULL, NULL, 0 },
};
