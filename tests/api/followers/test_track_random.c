// SPDX-License-Identifier: MIT
// Random operations, and every window of every reader compared with the plain list of all events:
// readers, systems run alone and in two workloads, and the world itself; and observers.
// usage: api_track_random [operations for each of the storages]
#include "model/event_log.h"
#include "support/api_fixture.h"

#include <stdlib.h>
#include <string.h>

// In checked builds each operation walks the storages.
#ifdef NDEBUG
enum { default_operations = 1000000 };
#else
enum { default_operations = 8000 };
#endif

typedef struct Value {
    uint32_t number;
} Value;

static uint32_t alive_values; // of the component with hooks
static void drop_value(void *value, void *data) {
    (void)value, (void)data;
    --alive_values;
}
static bool copy_value(void *to, const void *from, void *data) {
    (void)data;
    memcpy(to, from, sizeof(Value));
    ++alive_values;
    return true;
}

static keel_component components[MODEL_COMPONENTS]; // 1: with hooks; 3: a tag
static const char *const names[MODEL_COMPONENTS] = { "Plain", "Owner", "Wide", "Tag" };
static uint32_t slots_of[MODEL_COMPONENTS];

// ------------------------------------------------------------------ who reads
enum { READERS = 2, SYSTEMS = 4 };

static api_fixture f;
static event_log events;
static keel_reader *readers[READERS];
static uint32_t reader_at[READERS], system_at[SYSTEMS];
static uint32_t world_at[4]; // by kind: bit number
static keel_group *group;
static uint64_t seed;
static uint32_t operations_for_each;

static uint32_t next_random(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static uint32_t slot_of(keel_entity e) {
    for (uint32_t s = 0; s < MODEL_SLOTS; ++s)
        if (keel_is_same(events.entities[s], e)) return s;
    fail_msg("an entity that the list does not know");
    return 0;
}

// ------------------------------------------------------------------ comparing
// Exactly these are visited, each once.
static void compare_view(keel_view *view, const bool *expected) {
    bool seen[MODEL_SLOTS] = { false };
    keel_iterator it;
    assert_int_equal(keel_iterator_begin(&it, view), KEEL_OK);
    for (keel_span span; keel_iterator_next_span(&it, &span);)
        for (uint32_t i = 0; i < span.count; ++i) {
            const uint32_t s = slot_of(span.entities[i]);
            assert_false(seen[s]);
            seen[s] = true;
            assert_true(keel_view_contains(view, span.entities[i]));
        }
    for (uint32_t s = 0; s < MODEL_SLOTS; ++s)
        if (seen[s] != expected[s])
            fail_msg("slot %u is %svisited (event %u)", s, seen[s] ? "" : "not ", events.count);
    keel_view_end(view);
}

// Who looks: one of the three.
typedef struct looker {
    keel_world *world;
    keel_reader *reader;
    keel_context *context;
    uint32_t at[4]; // by kind
} looker;

static void look(const looker *l, const keel_term *terms, const bool *expected) {
    keel_view view;
    keel_result result;
    if (l->reader) result = keel_view_begin(&view, l->reader, terms, "compare");
    else if (l->context) result = keel_view_begin(&view, l->context, terms, "compare");
    else result = keel_view_begin(&view, l->world, terms, "compare");
    assert_int_equal(result, KEEL_OK);
    compare_view(&view, expected);
}

static bool expected_of(keel_term_kind kind, const model_changes *m, uint32_t s, bool has) {
    const bool negated = kind >= KEEL_TERM_NOT_INSERTED;
    const keel_term_kind asked =
        negated ? kind - KEEL_TERM_NOT_INSERTED + KEEL_TERM_INSERTED : kind;
    const bool changed = has && ((asked != KEEL_TERM_MODIFIED && m->inserted[s]) ||
                                 (asked != KEEL_TERM_INSERTED && m->modified[s]));
    return changed != negated;
}

static void compare_terms(const looker *l, uint32_t c, const model_changes *m) {
    const uint32_t other = next_random(MODEL_COMPONENTS);
    const bool joined = next_random(2);
    for (keel_term_kind kind = KEEL_TERM_INSERTED; kind <= KEEL_TERM_NOT_CHANGED; ++kind) {
        const keel_term terms[] = { { kind, 0, &components[c], NULL, NULL, NULL },
                                    { KEEL_TERM_ENTITY, 0, NULL, NULL, NULL, NULL },
                                    { joined ? KEEL_TERM_READ : KEEL_TERM_NONE, 0,
                                      joined ? &components[other] : NULL, NULL, NULL, NULL },
                                    { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } };
        bool expected[MODEL_SLOTS];
        for (uint32_t s = 0; s < MODEL_SLOTS; ++s)
            expected[s] = !keel_is_null(events.entities[s]) && (!joined || events.has[s][other]) &&
                          expected_of(kind, m, s, events.has[s][c]);
        look(l, terms, expected);
    }
}

static keel_removal_walk removals_of(const looker *l, uint32_t c, uint32_t kinds) {
    if (l->reader) return keel_removals(l->reader, &components[c], kinds);
    if (l->context) return keel_removals(l->context, &components[c], kinds);
    return keel_removals(l->world, &components[c], kinds);
}

static void compare_removals(const looker *l, uint32_t c, uint32_t kinds) {
    keel_removal_walk walk = removals_of(l, c, kinds);
    uint32_t removed = l->at[3], deleted = l->at[2];
    uint32_t at = kinds == 12                   ? (removed < deleted ? removed : deleted)
                  : kinds == KEEL_TRACK_REMOVAL ? removed
                                                : deleted;
    for (const model_event *e; (e = event_log_next_removed(&events, c, kinds, &at)) != NULL;) {
        if (at - 1 < (e->kind == KEEL_TRACK_REMOVAL ? removed : deleted)) continue;
        assert_true(keel_removal_next(&walk));
        assert_true(keel_is_same(walk.removal.entity, e->entity));
        assert_int_equal(walk.removal.deleted, e->kind == KEEL_TRACK_DELETION);
        const Value *v = walk.removal.value;
        assert_int_equal(v != NULL, e->kind == KEEL_TRACK_DELETION && components[c].size);
        if (v) assert_int_equal(v->number, e->value);
    }
    assert_false(keel_removal_next(&walk));
}

static void compare(const looker *l) {
    const uint32_t c = next_random(MODEL_COMPONENTS);
    const model_changes m = event_log_changes(&events, c, l->at[0], l->at[1]);
    compare_terms(l, c, &m);
    compare_removals(l, c, KEEL_TRACK_REMOVAL);
    compare_removals(l, c, KEEL_TRACK_DELETION);
    compare_removals(l, c, KEEL_TRACK_REMOVAL | KEEL_TRACK_DELETION);
    const uint32_t s = next_random(MODEL_SLOTS);
    if (keel_is_null(events.entities[s])) return;
    const uint32_t expected = !events.has[s][c]
                                  ? 0u
                                  : (m.inserted[s] ? KEEL_TRACK_INSERTION : 0u) |
                                        (m.modified[s] ? KEEL_TRACK_MODIFICATION : 0u);
    const keel_entity e = events.entities[s];
    assert_int_equal(l->reader    ? keel_changes_of_component(l->reader, e, &components[c])
                     : l->context ? keel_changes_of_component(l->context, e, &components[c])
                                  : keel_changes_of_component(l->world, e, &components[c]),
                     expected);
}

static looker looker_at(uint32_t at) { return (looker){ .at = { at, at, at, at } }; }

static void compare_reader(uint32_t r) {
    looker l = looker_at(reader_at[r]);
    l.reader = readers[r];
    compare(&l);
    if (next_random(2)) return;
    keel_reader_advance(readers[r]);
    reader_at[r] = events.count;
}

static void compare_world(void) {
    looker l = { .world = f.world };
    memcpy(l.at, world_at, sizeof l.at);
    compare(&l);
    const uint32_t kinds = next_random(16);
    assert_int_equal(keel_clear_all_changes(f.world, kinds, KEEL_NOW), KEEL_OK);
    for (uint32_t k = 0; k < 4; ++k)
        if (kinds >> k & 1) world_at[k] = events.count;
}

// ------------------------------------------------------------------ systems
static void edit_in(keel_context *context) {
    const uint32_t s = next_random(MODEL_SLOTS), c = next_random(MODEL_COMPONENTS);
    const keel_entity e = events.entities[s];
    if (keel_is_null(e)) return;
    if (events.has[s][c]) {
        const bool deletes = next_random(2);
        const keel_component *const list[] = { &components[c], NULL };
        event_log_take(&events, s, c, deletes ? KEEL_TRACK_DELETION : KEEL_TRACK_REMOVAL);
        assert_int_equal(deletes ? keel_delete_components(context, e, list)
                                 : keel_remove_component(context, e, &components[c], NULL),
                         KEEL_OK);
        return;
    }
    const Value value = { next_random(1000) };
    if (c == 1) ++alive_values;
    assert_int_equal(keel_add_component(context, e, &components[c], &value), KEEL_OK);
    event_log_put(&events, s, c, value.number);
}

static keel_result look_and_edit(keel_context *context, uint32_t number, bool edits) {
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c) // it holds what is gone, from its first run on
        (void)keel_removals(context, &components[c], KEEL_TRACK_ALL);
    looker l = looker_at(system_at[number]);
    l.context = context;
    compare(&l);
    for (uint32_t i = 0; edits && i < 3; ++i)
        edit_in(context);
    if (edits) compare(&l); // its own changes, once
    system_at[number] = events.count;
    return KEEL_OK;
}

static keel_result run_alone(keel_context *context) { return look_and_edit(context, 0, false); }
static keel_result run_first(keel_context *context) { return look_and_edit(context, 1, true); }
static uint32_t running; // the same system at two places: 2 or 3
static keel_result run_twice(keel_context *context) {
    return look_and_edit(context, running, running == 2);
}

static const keel_component *others[MODEL_COMPONENTS];
static const keel_term system_terms[] = {
    { KEEL_TERM_MAY_EDIT, 0, &components[0], others, NULL, NULL },
    { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL },
};
static const keel_system alone = {
    .name = "alone", .kind = KEEL_SYSTEM_PER_RUN, .function = run_alone, .terms = system_terms
};
static const keel_system first = {
    .name = "first", .kind = KEEL_SYSTEM_PER_RUN, .function = run_first, .terms = system_terms
};
static const keel_system twice = {
    .name = "twice", .kind = KEEL_SYSTEM_PER_RUN, .function = run_twice, .terms = system_terms
};
static const keel_step one_steps[] = { { .system = &first }, { .system = &twice } };
static const keel_step two_steps[] = { { .system = &twice } };
static const keel_workload one = { .name = "one", .steps = one_steps, .step_count = 2 };
static const keel_workload two = { .name = "two", .steps = two_steps, .step_count = 1 };

static void run_system(uint32_t which) {
    keel_result result;
    running = which == 1 ? 2 : 3;
    if (which == 0) result = keel_run_system(f.world, &alone, NULL);
    else result = keel_run_workload_of(f.world, which == 1 ? &one : &two, NULL);
    assert_int_equal(result, KEEL_OK);
}

// ------------------------------------------------------------------ operations
static uint32_t some_slot(bool alive) {
    const uint32_t from = next_random(MODEL_SLOTS);
    for (uint32_t i = 0; i < MODEL_SLOTS; ++i)
        if (keel_is_null(events.entities[(from + i) % MODEL_SLOTS]) != alive)
            return (from + i) % MODEL_SLOTS;
    return UINT32_MAX;
}

static Value make_value(uint32_t c) {
    if (c == 1) ++alive_values;
    return (Value){ next_random(1000) };
}

static void create(void) {
    const uint32_t s = some_slot(false), c = next_random(MODEL_COMPONENTS);
    if (s == UINT32_MAX) return;
    const Value a = make_value(c), b = { 7 };
    const keel_value values[] = { { &components[c], &a },
                                  { c == 0 ? NULL : &components[0], &b },
                                  { NULL, NULL } };
    events.entities[s] = keel_add_entity_values(f.world, values);
    event_log_put(&events, s, c, a.number);
    if (c) event_log_put(&events, s, 0, b.number);
}

static void clone_some(void) {
    const uint32_t from = some_slot(true);
    if (from == UINT32_MAX) return;
    keel_entity fresh[3];
    uint32_t slots[3], count = 0;
    for (uint32_t s = 0; s < MODEL_SLOTS && count < 3; ++s)
        if (keel_is_null(events.entities[s])) slots[count++] = s;
    assert_int_equal(keel_clone_entities(f.world, events.entities[from], count, fresh), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        events.entities[slots[i]] = fresh[i];
        for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c)
            if (events.has[from][c]) event_log_put(&events, slots[i], c, events.values[from][c]);
    }
}

static void patch_value(void *value, void *data) { *(Value *)value = *(const Value *)data; }

static void change_one(uint32_t how) {
    const uint32_t s = some_slot(true), c = next_random(MODEL_COMPONENTS);
    if (s == UINT32_MAX) return;
    const keel_entity e = events.entities[s];
    const bool had = events.has[s][c];
    Value v = { next_random(1000) };
    const keel_value twins[] = { { &components[c], &v }, { NULL, NULL } };
    keel_result result = had ? KEEL_OK : KEEL_ABSENT;
    switch (how) {
    case 0:
        v = make_value(c);
        assert_int_equal(keel_add_component(f.world, e, &components[c], &v), KEEL_OK);
        event_log_put(&events, s, c, v.number);
        return;
    case 1:
        v = make_value(c);
        assert_int_equal(keel_add_component_values(f.world, e, twins), KEEL_OK);
        event_log_put(&events, s, c, v.number);
        return;
    case 2:
        if (had) v = make_value(c);
        assert_int_equal(keel_replace_component(f.world, e, &components[c], &v), result);
        break;
    case 3:
        if (components[c].size) // a tag has nothing to patch
            assert_int_equal(keel_patch_component(f.world, e, &components[c], patch_value, &v),
                             result);
        else assert_int_equal(keel_mark_component(f.world, e, &components[c]), result);
        break;
    default: {
        Value *there = keel_get_component_mut(f.world, e, &components[c]);
        assert_int_equal(there != NULL, had);
        if (there && components[c].size) *there = v;
    }
    }
    if (had) event_log_put(&events, s, c, v.number);
}

static void take_one(bool removes) {
    const uint32_t s = some_slot(true), c = next_random(MODEL_COMPONENTS);
    if (s == UINT32_MAX) return;
    const keel_entity e = events.entities[s];
    Value out = { 0 };
    const bool hands_out = next_random(2), had = events.has[s][c];
    const keel_result result =
        removes ? keel_remove_component(f.world, e, &components[c], hands_out ? &out : NULL)
                : keel_delete_component(f.world, e, &components[c]);
    assert_int_equal(result, had ? KEEL_OK : KEEL_ABSENT);
    if (removes && hands_out && had && c == 1) --alive_values;
    event_log_take(&events, s, c, removes ? KEEL_TRACK_REMOVAL : KEEL_TRACK_DELETION);
}

static void delete_some(uint32_t how) {
    const uint32_t s = some_slot(true), c = next_random(MODEL_COMPONENTS);
    if (s == UINT32_MAX) return;
    if (how == 0) {
        assert_int_equal(keel_delete_entity(f.world, events.entities[s]), KEEL_OK);
        // in the order of the log of each component, which is all that can be seen
        event_log_delete(&events, s);
    } else if (how == 1) {
        (void)keel_strip(f.world, events.entities[s]);
        for (uint32_t i = 0; i < MODEL_COMPONENTS; ++i)
            event_log_take(&events, s, i, KEEL_TRACK_DELETION);
    } else {
        const keel_component *const list[] = { &components[c], &components[(c + 1) % 4], NULL };
        (void)keel_delete_components(f.world, events.entities[s], list);
        event_log_take(&events, s, c, KEEL_TRACK_DELETION);
        event_log_take(&events, s, (c + 1) % 4, KEEL_TRACK_DELETION);
    }
}

// Several at once: the order within one edit is the library's, so the list takes it from there.
static void take_in_order(uint32_t c, bool entities_too, const bool *going) {
    uint32_t count = 0, at = events.count;
    for (uint32_t s = 0; s < MODEL_SLOTS; ++s)
        count += going[s];
    keel_removal_walk walk = keel_removals(readers[0], &components[c], KEEL_TRACK_DELETION);
    uint32_t seen = 0, before = reader_at[0];
    while (event_log_next_removed(&events, c, KEEL_TRACK_DELETION, &before))
        ++seen;
    for (uint32_t i = 0; keel_removal_next(&walk); ++i) {
        if (i < seen) continue;
        const uint32_t s = slot_of(walk.removal.entity);
        assert_true(going[s]);
        if (entities_too) event_log_delete(&events, s);
        else event_log_take(&events, s, c, KEEL_TRACK_DELETION);
        --count;
    }
    assert_int_equal(count, 0);
    assert_true(events.count >= at);
}

static bool keep_odd(keel_entity e, void *value, void *data) {
    (void)value, (void)data;
    return slot_of(e) % 2;
}

static void take_from_all(uint32_t how) {
    const uint32_t c = next_random(MODEL_COMPONENTS);
    keel_entity list[MODEL_SLOTS];
    uint32_t count = 0;
    bool going[MODEL_SLOTS];
    for (uint32_t s = 0; s < MODEL_SLOTS; ++s) {
        going[s] = events.has[s][c] && (how == 0 || how == 3 || s % 2 == 0);
        if (how == 2 && !keel_is_null(events.entities[s]) && s % 2 == 0)
            list[count++] = events.entities[s];
    }
    if (how == 0) (void)keel_clear_component(f.world, &components[c]);
    else if (how == 1) (void)keel_retain_component(f.world, &components[c], keep_odd, NULL);
    else if (how == 2) (void)keel_delete_component_from_many(f.world, list, count, &components[c]);
    else (void)keel_delete_entities_having_component(f.world, &components[c]);
    take_in_order(c, how == 3, going);
}

static void add_to_many(void) {
    const uint32_t c = next_random(MODEL_COMPONENTS), limit = 1 + next_random(MODEL_SLOTS);
    keel_entity list[MODEL_SLOTS];
    uint32_t count = 0;
    const Value v = { next_random(1000) };
    for (uint32_t s = 0; s < limit; ++s)
        if (!keel_is_null(events.entities[s])) list[count++] = events.entities[s];
    assert_int_equal(keel_add_component_to_many(f.world, list, count, &components[c], &v, 0),
                     KEEL_OK);
    for (uint32_t s = 0; s < limit; ++s)
        if (!keel_is_null(events.entities[s])) event_log_put(&events, s, c, v.number);
}

static void add_many_entities(void) {
    const uint32_t c = next_random(MODEL_COMPONENTS);
    keel_entity fresh[8];
    uint32_t slots[8], count = 0;
    for (uint32_t s = 0; s < MODEL_SLOTS && count < 8; ++s)
        if (keel_is_null(events.entities[s])) slots[count++] = s;
    const Value v = { 3 };
    const keel_value_column columns[] = { { &components[c], &v, 0 }, { NULL, NULL, 0 } };
    assert_int_equal(keel_add_entity_columns(f.world, count, fresh, columns), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        events.entities[slots[i]] = fresh[i];
        event_log_put(&events, slots[i], c, v.number);
    }
}

// A loop that writes, left early at times: by spans, which count as far as they were handed out, or
// by chunks with marks by hand.
static void loop(void) {
    const uint32_t c = next_random(3), other = next_random(MODEL_COMPONENTS);
    const bool joined = next_random(2) && other != c, by_hand = next_random(2);
    uint32_t left = next_random(3) ? UINT32_MAX : 1 + next_random(4);
    const keel_term terms[] = { { by_hand ? KEEL_TERM_WRITE_MARKED : KEEL_TERM_WRITE, 0,
                                  &components[c], NULL, NULL, NULL },
                                { KEEL_TERM_ENTITY, 0, NULL, NULL, NULL, NULL },
                                { joined ? KEEL_TERM_WITH : KEEL_TERM_NONE, 0,
                                  joined ? &components[other] : NULL, NULL, NULL, NULL },
                                { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } };
    keel_view view;
    keel_iterator it;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "loop"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    for (keel_span span; left-- && keel_iterator_next_span(&it, &span);)
        for (uint32_t i = 0; i < span.count; ++i) {
            const uint32_t s = slot_of(span.entities[i]);
            if (by_hand && next_random(2)) continue;
            Value *v = &((Value *)keel_span_write_component(&span, &components[c]))[i];
            v->number = next_random(1000);
            if (by_hand) span.chunk->columns[0].marked[i] = true;
            event_log_put(&events, s, c, v->number);
        }
    keel_iterator_end(&it);
    keel_view_end(&view);
}

static int by_number(const void *a, const void *b, void *data) {
    (void)data;
    return (int)((const Value *)a)->number - (int)((const Value *)b)->number;
}

static void reorder(void) {
    if (components[0].storage != KEEL_SPARSE_SET) return;
    if (!group && next_random(2)) {
        assert_int_equal(keel_sort_with(f.world, .component = &components[0], .compare = by_number),
                         KEEL_OK);
    } else if (group) {
        assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
        group = NULL;
    } else {
        const keel_component *const own[] = { &components[0], NULL };
        const keel_component *const get[] = { &components[1], NULL };
        assert_int_equal(
            keel_group_create_of(f.world, &(keel_group_desc){ .owned = own, .get = get }, &group),
            KEEL_OK);
    }
}

static void clear_all(void) {
    bool going[MODEL_SLOTS];
    if (next_random(20)) return;
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c) {
        for (uint32_t s = 0; s < MODEL_SLOTS; ++s)
            going[s] = events.has[s][c];
        take_in_order(c, false, going);
    }
    for (uint32_t s = 0; s < MODEL_SLOTS; ++s)
        events.entities[s] = keel_null();
}

// ------------------------------------------------------------------ observers
// Components are observed at times: what is only tracked, only observed or both is edited in other
// ways.
typedef struct watch {
    bool on;
    uint32_t from;    // the event from which on it is told
    uint32_t told[4]; // by kind: bit number
} watch;
static watch watches[MODEL_COMPONENTS];

static void on_event(const keel_change *event, void *data) {
    const watch *w = data;
    const keel_component *c = &components[w - watches];
    assert_true(keel_has_component(event->world, event->entity, c));
    assert_int_equal(event->value != NULL, c->size != 0);
    assert_ptr_equal(event->value,
                     c->size ? keel_get_component(event->world, event->entity, c) : NULL);
    ++((watch *)data)->told[__builtin_ctz(event->kind)];
}

static void observe_other(void) {
    const uint32_t c = next_random(MODEL_COMPONENTS);
    watch *w = &watches[c];
    if (w->on) {
        assert_int_equal(keel_unobserve_component(f.world, &components[c], on_event, w), KEEL_OK);
        w->on = false;
        return;
    }
    *w = (watch){ .on = true, .from = events.count };
    assert_int_equal(keel_observe_component(f.world, &components[c],
                                            KEEL_ON_INSERTED | KEEL_ON_DELETED | KEEL_ON_REMOVED,
                                            on_event, w),
                     KEEL_OK);
}

// Each was told of all that the list has since then.
static void compare_told(void) {
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c) {
        watch *w = &watches[c];
        uint32_t happened[4] = { 0 };
        for (; w->on && w->from < events.count; ++w->from) {
            const model_event *e = &events.events[w->from];
            if (e->component == c && e->kind != KEEL_TRACK_MODIFICATION)
                ++happened[__builtin_ctz(e->kind)];
        }
        assert_memory_equal(w->told, happened, sizeof happened);
        memset(w->told, 0, sizeof w->told);
    }
}

static void operate(void) {
    const uint32_t roll = next_random(100);
    if (roll < 12) create();
    else if (roll < 42) change_one(next_random(5));
    else if (roll < 58) take_one(next_random(2));
    else if (roll < 66) delete_some(next_random(3));
    else if (roll < 70) take_from_all(next_random(4));
    else if (roll < 73) add_to_many();
    else if (roll < 75) add_many_entities();
    else if (roll < 77) clone_some();
    else if (roll < 84) loop();
    else if (roll < 86) reorder();
    else if (roll < 87) observe_other();
    else if (roll < 88) clear_all();
    else if (roll < 93) compare_reader(next_random(READERS));
    else if (roll < 96) compare_world();
    else run_system(next_random(3));
}

// ------------------------------------------------------------------ storages
static void prepare(const keel_storage *storages) {
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c) {
        const bool tag = c == 3;
        slots_of[c] = 0;
        components[c] = (keel_component){ .name = names[c],
                                          .type = names[c],
                                          .size = tag ? 0 : sizeof(Value),
                                          .align = tag ? 1 : sizeof(Value),
                                          .storage = storages[c],
                                          .tracking = KEEL_TRACK_ALL,
                                          .drop = c == 1 ? drop_value : NULL,
                                          .copy = c == 1 ? copy_value : NULL,
                                          .file = storages[0] == storages[3] ? "same.c" : "mix.c",
                                          .slot = &slots_of[c] };
        if (c) others[c - 1] = &components[c];
    }
    others[MODEL_COMPONENTS - 1] = NULL;
}

static void run_storages(const keel_storage *storages, uint64_t from_seed) {
    prepare(storages);
    api_begin(&f);
    seed = from_seed;
    alive_values = 0;
    memset(&events, 0, sizeof events);
    memset(reader_at, 0, sizeof reader_at);
    memset(system_at, 0, sizeof system_at);
    memset(world_at, 0, sizeof world_at);
    memset(watches, 0, sizeof watches);
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c)
        assert_non_null(keel_register_component(f.world, &components[c]));
    for (uint32_t r = 0; r < READERS; ++r)
        readers[r] = keel_reader_create(f.world, "a reader");
    for (uint32_t r = 0; r < READERS; ++r) // from the start they hold what is gone
        for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c)
            (void)keel_removals(readers[r], &components[c], KEEL_TRACK_ALL);
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c)
        (void)keel_removals(f.world, &components[c], KEEL_TRACK_ALL);
    for (uint32_t s = 0; s < 3; ++s) // and so do the systems
        run_system(s);
    for (uint32_t i = 0; i < operations_for_each; ++i) {
        operate();
        compare_told();
    }
    for (uint32_t c = 0; c < MODEL_COMPONENTS; ++c)
        if (watches[c].on)
            (void)keel_unobserve_component(f.world, &components[c], on_event, &watches[c]);
    assert_no_error(f.world);
    group = NULL;
    api_end(&f);
    assert_int_equal(alive_values, 0);
    event_log_free(&events);
}

static void all_sparse(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ KEEL_SPARSE_SET, KEEL_SPARSE_SET, KEEL_SPARSE_SET,
                                         KEEL_SPARSE_SET },
                 1);
}
static void all_indexed(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ KEEL_INDEXED, KEEL_INDEXED, KEEL_INDEXED, KEEL_INDEXED },
                 2);
}
static void all_rows(void **state) {
    (void)state;
    run_storages(
        (const keel_storage[]){ KEEL_ARCHETYPE, KEEL_ARCHETYPE, KEEL_ARCHETYPE, KEEL_ARCHETYPE },
        3);
}
static void a_mix(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ KEEL_SPARSE_SET, KEEL_ARCHETYPE, KEEL_INDEXED,
                                         KEEL_SPARSE_SET + 2 },
                 4);
}
static void another_mix(void **state) {
    (void)state;
    run_storages(
        (const keel_storage[]){ KEEL_ARCHETYPE, KEEL_INDEXED, KEEL_SPARSE_SET, KEEL_INDEXED }, 5);
}

int main(int count, char **arguments) {
    static const struct CMUnitTest tests[] = {
        // proves S-77 S-79..S-81 S-90
        TEST(all_sparse, "sparse sets: all readers see what the list says"),
        // proves S-77 S-79..S-81 S-90
        TEST(all_indexed, "indexed storage: the same"),
        // proves S-77 S-79..S-81 S-90
        TEST(all_rows, "archetypes: the same"),
        // proves S-77 S-79..S-81 S-90
        TEST(a_mix, "a mix of storages: the same"),
        // proves S-77 S-79..S-81 S-90
        TEST(another_mix, "another mix of storages: the same"),
    };
    operations_for_each =
        count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : test_rounds(default_operations);
    return RUN(tests);
}
