// SPDX-License-Identifier: MIT
// Random changes of who follows what: observers of components and views, and reactive sets, which
// are emptied and looked at as well.
#include "followers.h"

// ------------------------------------------------------------------ observers
static bool observe(both *b, uint32_t k) {
    observed_kind *o = &b->followers->kinds[k];
    if (o->is_observed) return true;
    if (!both_agree(
            b,
            keel_observe_component(b->world, &b->components[k], all_of_component, on_component, o),
            KEEL_OK))
        return false;
    follow_kind(b->followers, k);
    return true;
}

static bool is_source(const both *b, uint32_t k) {
    return (b->followers->sets[0].rules[k] | b->followers->sets[1].rules[k]) != 0;
}

static void op_observe(both *b, dice *d) {
    const uint32_t k = roll_kind(d);
    observed_kind *o = &b->followers->kinds[k];
    const bool ends = roll_once_in(d, 3);
    both_trace(b, "kind %u%s", (unsigned)k, ends ? ", no longer" : "");
    if (!ends) {
        (void)observe(b, k);
        return;
    }
    if (is_source(b, k)) return; // the checks of its sets need it
    both_agree_surely(b, keel_unobserve_component(b->world, &b->components[k], on_component, o),
                      o->is_observed ? KEEL_OK : KEEL_ABSENT);
    o->is_observed = false;
    handle_set_clear(&o->owners);
}

static void unobserve_view(both *b, observed_view *v) {
    both_agree_surely(b, keel_unobserve_view(b->world, on_view, v), KEEL_OK);
    v->with = v->without = 0;
    handle_set_clear(&v->members);
}

static void note_members(const both *b, observed_view *v) {
    for (size_t i = 0; i < b->model.slot_count; ++i)
        if (does_match(v, &b->model.slots[i]))
            (void)handle_set_add(&v->members, b->model.slots[i].handle);
}

static void op_observe_view(both *b, dice *d) {
    observed_view *v = &b->followers->views[roll_below(d, VIEWS)];
    keel_term terms[6] = { { .kind = KEEL_TERM_END } };
    const uint32_t wanted = 1 + roll_below(d, 4),
                   present = roll_once_in(d, 2) ? KEEL_ON_PRESENT : 0;
    uint32_t with = 0, without = 0, n = 0;
    if (v->with) {
        unobserve_view(b, v);
        return;
    }
    for (uint32_t i = 0; i < wanted; ++i) {
        const uint32_t k = roll_kind(d), bit = 1u << k;
        if ((with | without) & bit) continue;
        const bool excludes = i && roll_once_in(d, 3);
        *(excludes ? &without : &with) |= bit;
        terms[n++] = (keel_term){ .kind = excludes ? KEEL_TERM_WITHOUT : KEEL_TERM_WITH,
                                  .component = &b->components[k] };
    }
    both_trace(b, "view %u: with %x, without %x", (unsigned)(v - b->followers->views),
               (unsigned)with, (unsigned)without);
    const keel_result result =
        keel_observe_view(b->world, terms, KEEL_ON_ENTERED | KEEL_ON_LEFT | present, on_view, v);
    if (!both_agree(b, result, KEEL_OK)) {
        handle_set_clear(&v->members);
        return;
    }
    v->with = with;
    v->without = without;
    if (!present) note_members(b, v);
}

// ------------------------------------------------------------------ sets
static const keel_component *source_of(both *b, uint32_t source) {
    return source < KINDS        ? &b->components[source]
           : source == FIRST_SET ? &b->followers->sets[0].tag
                                 : &keel_entities;
}

static void stop_collecting(both *b, reactive_set *set, uint32_t source) {
    const keel_component *from = source_of(b, source);
    const keel_result result = keel_stop_collecting_component(b->world, &set->tag, from);
    both_agree_surely(b, result, set->rules[source] ? KEEL_OK : KEEL_ABSENT);
    set->rules[source] = 0;
}

static void op_collect(both *b, dice *d) {
    reactive_set *set = &b->followers->sets[roll_below(d, SETS)];
    const uint32_t source = roll_below(d, SOURCES), bits = 1 + roll_below(d, 15);
    const uint32_t rule = source == ENTITIES ? KEEL_ON_CREATED : bits;
    const bool fills_itself = source == FIRST_SET && set == &b->followers->sets[0];
    const keel_component *from = source_of(b, source);
    both_trace(b, "set %u of source %u: %x", (unsigned)(set - b->followers->sets), (unsigned)source,
               (unsigned)rule);
    if (roll_once_in(d, 3)) {
        stop_collecting(b, set, source);
        return;
    }
    if (source < KINDS && !observe(b, source)) return;
    const keel_result result = keel_collect_component(b->world, &set->tag, from, rule);
    if (both_agree(b, result, fills_itself ? KEEL_ERROR_CYCLE : KEEL_OK) && result == KEEL_OK)
        set->rules[source] |= rule;
    if (keel_collected_kinds(b->world, &set->tag, from) != set->rules[source])
        both_fail(b, "keel_collected_kinds says otherwise");
}

static void look_at_set(both *b, const reactive_set *set) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = &set->tag },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    if (!both_agree(b, keel_view_begin(&view, b->world, terms, "a set"), KEEL_OK)) return;
    if (keel_view_count(&view) != set->members.count)
        both_fail(b, "a view of a set counts %u, not %u", (unsigned)keel_view_count(&view),
                  (unsigned)set->members.count);
    for (uint32_t c = 0; set->members.count && c < set->members.capacity; ++c)
        if (!keel_is_null(set->members.cells[c]) &&
            !keel_view_contains(&view, set->members.cells[c]))
            both_fail(b, "a view of a set lacks an entity");
    keel_view_end(&view);
}

// By hand, as with every tag.
static void op_set(both *b, dice *d) {
    const reactive_set *set = &b->followers->sets[roll_below(d, SETS)];
    const keel_entity e = roll_entity(b, d);
    const bool is_alive = model_is_alive(&b->model, e), is_in = handle_set_has(&set->members, e);
    const keel_result missing = is_alive ? KEEL_ABSENT : KEEL_ERROR_DEAD_ENTITY;
    const uint32_t how = roll_below(d, 4);
    keel_result result;
    both_trace(b, "set %u: %u, index %u", (unsigned)(set - b->followers->sets), (unsigned)how,
               (unsigned)keel_entity_index(e));
    look_at_set(b, set);
    switch (how) {
    case 0:
        follow_copies(b);
        result = keel_add_component(b->world, e, &set->tag, NULL);
        (void)both_agree(b, result, is_alive ? KEEL_OK : KEEL_ERROR_DEAD_ENTITY);
        break;
    case 1:
        result = keel_delete_component(b->world, e, &set->tag);
        (void)both_agree(b, result, is_in ? KEEL_OK : missing);
        break;
    default:
        result = set->members.count ? KEEL_OK : KEEL_ABSENT;
        (void)both_agree(b, keel_clear_component(b->world, &set->tag), result);
        break;
    }
}

// The value stays as it is.
static void op_mark(both *b, dice *d) {
    const keel_entity e = roll_entity(b, d);
    const uint32_t k = roll_kind(d);
    const bool is_alive = model_is_alive(&b->model, e);
    const keel_result missing = is_alive ? KEEL_ABSENT : KEEL_ERROR_DEAD_ENTITY;
    both_agree_surely(b, keel_mark_component(b->world, e, &b->components[k]),
                      is_alive && model_has(&b->model, e, k) ? KEEL_OK : missing);
}

const operation_entry follow_operations[] = {
    { "observe", op_observe, 2 }, { "observe_view", op_observe_view, 2 },
    { "collect", op_collect, 2 }, { "a set by hand", op_set, 3 },
    { "mark", op_mark, 2 },       { NULL, NULL, 0 },
};
