// SPDX-License-Identifier: MIT
// Random edits with memory that runs out: after each, reactive sets have whom a plain model says,
// and observers of views were told of those, once, who entered and left in the model.
// usage: api_react_random [operations for each of the storages]
#include "model/react_model.h"
#include "support/api_fixture.h"

#include <stdlib.h>
#include <string.h>

// In checked builds each operation walks the storages.
#ifdef NDEBUG
enum { default_operations = 300000 };
#else
enum { default_operations = 5000 };
#endif

enum {
    SLOTS = REACT_SLOTS,
    COMPONENTS = REACT_COMPONENTS,
    FIRST_SET = REACT_FIRST_SET,
    VIEWS = REACT_VIEWS,
    FILLERS = 4500, // entities without components, and every so many a hole between them
    SPACE = 100
};

typedef struct Value {
    uint32_t number;
} Value;

static keel_component components[COMPONENTS]; // three with values, a tag, two sets
static const char *const names[COMPONENTS] = { "A", "B", "C", "Tag", "First", "Second" };
static uint32_t slots_of[COMPONENTS];

static api_fixture f;
static uint64_t seed;
static uint32_t operations_for_each;
static bool has_fillers;

static uint32_t next_random(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

// ------------------------------------------------------------------ what Keel says
static react_model m;
static uint32_t told[VIEWS][SLOTS][2];
static bool is_creating;
static uint32_t slot_of(keel_entity e) {
    for (uint32_t s = 0; s < SLOTS; ++s)
        if (keel_is_same(m.entities[s], e)) return s;
    return UINT32_MAX;
}

static keel_entity unknown[SLOTS * VIEWS]; // who entered before the model knew the handle
static uint32_t unknown_view[SLOTS * VIEWS], unknown_count;

static void on_view(const keel_change *event, void *data) {
    const uint32_t v = (uint32_t)((const react_shape *)data - react_shapes),
                   s = slot_of(event->entity);
    uint32_t bits = 0;
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        bits |= (uint32_t)keel_has_component(event->world, event->entity, &components[c]) << c;
    assert_true(keel_is_alive(event->world, event->entity));
    assert_null(event->component);
    assert_int_equal(bits & react_shapes[v].all, react_shapes[v].all); // still there when it leaves
    assert_true(!react_shapes[v].any || bits & react_shapes[v].any);
    if (event->kind == KEEL_ON_ENTERED) assert_true(react_fits(&react_shapes[v], bits));
    if (s != UINT32_MAX) {
        ++told[v][s][event->kind == KEEL_ON_LEFT];
        return;
    }
    assert_true(is_creating && event->kind == KEEL_ON_ENTERED);
    unknown_view[unknown_count] = v;
    unknown[unknown_count++] = event->entity;
}

static keel_entity known(uint32_t slot, keel_entity e) {
    m.entities[slot] = e;
    for (uint32_t i = 0; i < unknown_count; ++i)
        if (keel_is_same(unknown[i], e)) ++told[unknown_view[i]][slot][0];
    return e;
}

static void compare(const char *what) {
    for (uint32_t v = 0; v < VIEWS; ++v)
        for (uint32_t s = 0; s < SLOTS; ++s)
            for (uint32_t k = 0; k < 2; ++k)
                if (told[v][s][k] != m.told[v][s][k])
                    fail_msg("%s: view %u told of slot %u (%s): %u times, not %u", what, v, s,
                             k ? "left" : "entered", told[v][s][k], m.told[v][s][k]);
    for (uint32_t s = 0; s < SLOTS; ++s)
        for (uint32_t c = 0; c < COMPONENTS; ++c)
            if (keel_has_component(f.world, m.entities[s], &components[c]) != m.has[s][c])
                fail_msg("%s: slot %u %s %s", what, s, m.has[s][c] ? "lacks" : "has", names[c]);
    for (uint32_t c = 0; c < COMPONENTS; ++c) {
        uint32_t count = 0;
        for (uint32_t s = 0; s < SLOTS; ++s)
            count += m.has[s][c];
        assert_int_equal(keel_component_count(f.world, &components[c]), count);
    }
}

// ------------------------------------------------------------------ operations
static uint32_t some_slot(bool alive) {
    const uint32_t from = next_random(SLOTS);
    for (uint32_t i = 0; i < SLOTS; ++i)
        if (keel_is_null(m.entities[(from + i) % SLOTS]) != alive) return (from + i) % SLOTS;
    return UINT32_MAX;
}

static bool is_row(uint32_t c) { return components[c].storage == KEEL_ARCHETYPE; }

// Memory runs out in some operations.
static void hold_memory(void) {
    if (next_random(3) == 0) counting_allocator_fail_after(&f.memory, next_random(6));
}
// What must not need any gets none.
static void refuse_memory(uint32_t c) {
    if (!is_row(c)) counting_allocator_fail_after(&f.memory, 0);
}
// Did it fail, and for want of memory? Then nothing happened.
static bool failed(keel_result result) {
    counting_allocator_never_fail(&f.memory);
    if (result >= 0) return false;
    assert_int_equal(result, KEEL_ERROR_MEMORY);
    keel_clear_errors(f.world);
    return true;
}

static const Value value = { 7 };
static uint32_t values_of(uint32_t wanted, keel_value *values) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        if (wanted >> c & 1) values[n++] = (keel_value){ &components[c], &value };
    values[n] = (keel_value){ NULL, NULL };
    return n;
}

static void create(void) {
    const uint32_t s = some_slot(false), wanted = next_random(64) & next_random(64);
    keel_value values[COMPONENTS + 1];
    if (s == UINT32_MAX) return;
    (void)values_of(wanted, values);
    hold_memory();
    const keel_entity e = keel_add_entity_values(f.world, values);
    if (failed(keel_is_null(e) ? KEEL_ERROR_MEMORY : KEEL_OK)) return;
    known(s, e);
    react_put(&m, s, wanted);
}

static uint32_t free_slots(uint32_t *slots, uint32_t limit) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < SLOTS && count < limit; ++s)
        if (keel_is_null(m.entities[s])) slots[count++] = s;
    return count;
}

static void create_many(void) {
    keel_entity fresh[8];
    uint32_t slots[8];
    const uint32_t count = free_slots(slots, 8), a = next_random(COMPONENTS),
                   b = next_random(COMPONENTS), from = some_slot(true);
    const bool clones = next_random(2) && from != UINT32_MAX;
    const keel_value_column columns[] = { { &components[a], NULL, 0 },
                                          { a == b ? NULL : &components[b], NULL, 0 },
                                          { NULL, NULL, 0 } };
    hold_memory();
    if (failed(clones ? keel_clone_entities(f.world, m.entities[from], count, fresh)
                      : keel_add_entity_columns(f.world, count, fresh, columns)))
        return;
    const uint32_t wanted = clones ? react_bits(&m, from) : 1u << a | 1u << b;
    for (uint32_t i = 0; i < count; ++i) {
        known(slots[i], fresh[i]);
        react_put(&m, slots[i], wanted);
    }
}

static void add_some(void) {
    const uint32_t s = some_slot(true), c = next_random(COMPONENTS);
    const uint32_t wanted = next_random(2) ? 1u << c : 1u << c | 1u << next_random(COMPONENTS);
    keel_value values[COMPONENTS + 1];
    if (s == UINT32_MAX) return;
    const bool single = values_of(wanted, values) == 1 && next_random(2);
    if ((react_bits(&m, s) & wanted) == wanted) refuse_memory(c);
    else hold_memory();
    if (failed(single ? keel_add_component(f.world, m.entities[s], &components[c], values[0].value)
                      : keel_add_component_values(f.world, m.entities[s], values)))
        return;
    react_put(&m, s, wanted);
}

static void keep_value(void *there, void *data) { (void)there, (void)data; }

static void mark(void) {
    const uint32_t s = some_slot(true), c = next_random(COMPONENTS), how = next_random(3);
    if (s == UINT32_MAX) return;
    const keel_entity e = m.entities[s];
    counting_allocator_fail_after(&f.memory, 0);
    const keel_result result =
        how == 0   ? keel_mark_component(f.world, e, &components[c])
        : how == 1 ? keel_replace_component(f.world, e, &components[c], &value)
                   : keel_patch_component(f.world, e, &components[c], keep_value, NULL);
    assert_int_equal(result, m.has[s][c] ? KEEL_OK : KEEL_ABSENT);
    counting_allocator_never_fail(&f.memory);
    if (m.has[s][c]) react_event(&m, s, c, KEEL_ON_MODIFIED);
    if (m.has[s][c] && components[c].size) // only marks
        keel_get_component_mut(f.world, e, &components[c]);
}

static void take_some(void) {
    const uint32_t s = some_slot(true), a = next_random(COMPONENTS), b = next_random(COMPONENTS);
    if (s == UINT32_MAX) return;
    const keel_entity e = m.entities[s];
    const bool removes = next_random(2), both = next_random(2);
    const keel_component *const list[] = { &components[a], both ? &components[b] : NULL, NULL };
    const keel_out outs[] = { { &components[a], NULL, NULL },
                              { both ? &components[b] : NULL, NULL, NULL },
                              { NULL, NULL, NULL } };
    if (is_row(a) || is_row(b)) hold_memory();
    else refuse_memory(a);
    keel_result result;
    if (removes && !both) result = keel_remove_component(f.world, e, &components[a], NULL);
    else if (removes) result = keel_remove_component_values(f.world, e, outs);
    else result = keel_delete_components(f.world, e, list);
    if (failed(result)) return;
    react_take(&m, s, a, removes ? KEEL_ON_REMOVED : KEEL_ON_DELETED);
    if (both) react_take(&m, s, b, removes ? KEEL_ON_REMOVED : KEEL_ON_DELETED);
}

static void strip(void) {
    const uint32_t s = some_slot(true);
    if (s == UINT32_MAX) return;
    counting_allocator_fail_after(&f.memory, 0);
    assert_true(keel_strip(f.world, m.entities[s]) >= 0);
    counting_allocator_never_fail(&f.memory);
    react_strip(&m, s);
}

static void delete_some(void) {
    const uint32_t how = next_random(4), s = some_slot(true), c = next_random(COMPONENTS);
    keel_entity list[SLOTS];
    uint32_t count = 0;
    if (s == UINT32_MAX) return;
    counting_allocator_fail_after(&f.memory, 0);
    if (how < 2) {
        assert_int_equal(keel_delete_entity(f.world, m.entities[s]), KEEL_OK);
    } else if (how == 2) {
        for (uint32_t i = s; i < SLOTS && i < s + 6; ++i)
            list[count++] = m.entities[i];
        assert_int_equal(keel_delete_entities(f.world, list, count), KEEL_OK);
    } else {
        assert_true(keel_delete_entities_having_component(f.world, &components[c]) >= 0);
    }
    counting_allocator_never_fail(&f.memory);
    for (uint32_t i = 0; i < SLOTS; ++i)
        if (how < 2 ? i == s : how == 2 ? i >= s && i < s + 6 : m.has[i][c]) react_delete(&m, i);
}

static bool keep_odd(keel_entity e, void *there, void *data) {
    (void)there, (void)data;
    return slot_of(e) % 2;
}

static void take_from_many(void) {
    const uint32_t how = next_random(3), c = next_random(COMPONENTS);
    keel_entity list[SLOTS];
    uint32_t count = 0;
    for (uint32_t s = 0; s < SLOTS; s += 2)
        if (!keel_is_null(m.entities[s])) list[count++] = m.entities[s];
    refuse_memory(c);
    if (failed(how == 0   ? keel_clear_component(f.world, &components[c])
               : how == 1 ? keel_retain_component(f.world, &components[c], keep_odd, NULL)
                          : keel_delete_component_from_many(f.world, list, count, &components[c])))
        return;
    if (how == 0) react_clear(&m, c);
    for (uint32_t s = 0; s < SLOTS; s += 2)
        if (m.has[s][c] || (how == 2 && m.off[s][c])) react_take(&m, s, c, KEEL_ON_DELETED);
}

static void add_to_many(void) {
    const uint32_t c = next_random(COMPONENTS), limit = 1 + next_random(SLOTS);
    keel_entity list[SLOTS];
    uint32_t count = 0;
    for (uint32_t s = 0; s < limit; ++s)
        if (!keel_is_null(m.entities[s])) list[count++] = m.entities[s];
    hold_memory();
    if (failed(keel_add_component_to_many(f.world, list, count, &components[c], &value, 0))) return;
    for (uint32_t s = 0; s < limit; ++s)
        if (!keel_is_null(m.entities[s])) react_put(&m, s, 1u << c);
}

static void hide(void) {
    const uint32_t s = some_slot(true), c = next_random(COMPONENTS);
    if (s == UINT32_MAX || components[c].storage != KEEL_INDEXED) return;
    if (m.off[s][c]) {
        counting_allocator_fail_after(&f.memory, 0);
        assert_int_equal(keel_enable_component(f.world, m.entities[s], &components[c], true),
                         KEEL_OK);
        counting_allocator_never_fail(&f.memory);
        m.has[s][c] = true;
        m.off[s][c] = false;
        return;
    }
    hold_memory();
    if (failed(keel_enable_component(f.world, m.entities[s], &components[c], false)) ||
        !m.has[s][c])
        return;
    react_hide(&m, s, c);
}

// Each command is an edit of its own.
static void record(void) {
    keel_commands *commands = keel_world_commands(f.world);
    uint32_t slots[4], cs[4];
    bool adds[4], alive[4];
    for (uint32_t i = 0; i < 4; ++i) {
        slots[i] = next_random(SLOTS);
        cs[i] = next_random(COMPONENTS);
        adds[i] = next_random(2);
        const keel_component *const list[] = { &components[cs[i]], NULL };
        const keel_entity e = m.entities[slots[i]];
        alive[i] = !keel_is_null(e);
        assert_true((adds[i] ? keel_add_component(commands, e, &components[cs[i]], &value)
                             : keel_delete_components(commands, e, list)) >= 0);
    }
    assert_true(keel_apply_commands(f.world) >= 0);
    for (uint32_t i = 0; i < 4; ++i) {
        if (alive[i] && adds[i]) react_put(&m, slots[i], 1u << cs[i]);
        if (alive[i] && !adds[i]) react_take(&m, slots[i], cs[i], KEEL_ON_DELETED);
        react_settle(&m);
    }
}

// Through a view that may edit one component, and therefore the sets that it fills.
static void edit_in_view(void) {
    const uint32_t s = some_slot(true), c = next_random(COMPONENTS);
    if (s == UINT32_MAX) return;
    const keel_term terms[] = { { KEEL_TERM_EDIT, 0, &components[c], NULL, NULL, NULL },
                                { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "edit"), KEEL_OK);
    const keel_result result =
        m.has[s][c] ? keel_remove_component(&view, m.entities[s], &components[c], NULL)
                    : keel_add_component(&view, m.entities[s], &components[c], &value);
    assert_int_equal(result, KEEL_OK);
    keel_view_end(&view);
    if (m.has[s][c]) react_take(&m, s, c, KEEL_ON_REMOVED);
    else react_put(&m, s, 1u << c);
}

// ------------------------------------------------------------------ who follows what
static void change_rules(void) {
    const uint32_t set = FIRST_SET + next_random(2), source = next_random(COMPONENTS),
                   kinds = 1 + next_random(15);
    if (next_random(3) == 0) {
        const keel_result result =
            keel_stop_collecting_component(f.world, &components[set], &components[source]);
        assert_int_equal(result, m.rules[set][source] ? KEEL_OK : KEEL_ABSENT);
        m.rules[set][source] = 0;
        return;
    }
    hold_memory();
    const keel_result result =
        keel_collect_component(f.world, &components[set], &components[source], kinds);
    if (react_reaches(&m, set, source)) {
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(result, KEEL_ERROR_CYCLE);
        keel_clear_errors(f.world);
        return;
    }
    if (!failed(result)) m.rules[set][source] |= kinds;
    assert_int_equal(keel_collected_kinds(f.world, &components[set], &components[source]),
                     m.rules[set][source]);
}

static void change_views(void) {
    const uint32_t v = next_random(VIEWS);
    keel_term terms[8] = { { KEEL_TERM_ENTITY, 0, NULL, NULL, NULL, NULL } };
    const keel_component *others[COMPONENTS + 1] = { NULL };
    uint32_t n = 1, any = 0;
    for (uint32_t c = 0; c < COMPONENTS; ++c) {
        if (react_shapes[v].all >> c & 1)
            terms[n++] = (keel_term){ KEEL_TERM_WITH, 0, &components[c], NULL, NULL, NULL };
        if (react_shapes[v].none >> c & 1)
            terms[n++] = (keel_term){ KEEL_TERM_WITHOUT, 0, &components[c], NULL, NULL, NULL };
        if (react_shapes[v].any >> c & 1) others[any++] = &components[c];
    }
    if (any) terms[n++] = (keel_term){ KEEL_TERM_ANY_OF, 0, others[0], others + 1, NULL, NULL };
    terms[n] = (keel_term){ KEEL_TERM_END, 0, NULL, NULL, NULL, NULL };
    if (m.observed[v]) {
        assert_int_equal(keel_unobserve_view(f.world, on_view, (void *)(uintptr_t)&react_shapes[v]),
                         KEEL_OK);
        m.observed[v] = false;
        memset(m.member[v], 0, sizeof m.member[v]);
        return;
    }
    const bool present = next_random(2);
    hold_memory();
    if (failed(keel_observe_view(f.world, terms,
                                 KEEL_ON_ENTERED | KEEL_ON_LEFT | (present ? KEEL_ON_PRESENT : 0u),
                                 on_view, (void *)(uintptr_t)&react_shapes[v])))
        return;
    m.observed[v] = true;
    for (uint32_t s = 0; s < SLOTS; ++s) {
        m.member[v][s] = react_fits(&react_shapes[v], react_bits(&m, s));
        m.told[v][s][0] += present && m.member[v][s];
    }
}

static keel_group *groups[2];
static void change_group(void) {
    const uint32_t which = next_random(2);
    const keel_component *const set[] = { &components[FIRST_SET], NULL };
    const keel_component *const a[] = { &components[0], NULL };
    const keel_component *const tag[] = { &components[3], NULL };
    const keel_component *const set_and_a[] = { &components[FIRST_SET], &components[0], NULL };
    const bool owns = components[0].storage == KEEL_SPARSE_SET;
    if (groups[which]) {
        assert_int_equal(keel_group_destroy(f.world, groups[which]), KEEL_OK);
        groups[which] = NULL;
        return;
    }
    const keel_group_desc owning = { .owned = owns ? a : NULL, .get = owns ? set : set_and_a };
    const keel_group_desc led_by_set = { .get = set_and_a, .exclude = tag, .name = "led" };
    hold_memory();
    (void)failed(keel_group_create_of(f.world, which ? &led_by_set : &owning, &groups[which]));
}

static void fill_world(void) {
    keel_entity fresh[FILLERS];
    if (!has_fillers) return;
    assert_int_equal(keel_add_entity_columns(f.world, FILLERS, fresh, NULL), KEEL_OK);
    for (uint32_t i = 0; i < FILLERS; i += SPACE) // what comes is spread over blocks and pages
        assert_int_equal(keel_delete_entity(f.world, fresh[i]), KEEL_OK);
}

static void clear_all(void) {
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    for (uint32_t s = 0; s < SLOTS; ++s)
        if (!keel_is_null(m.entities[s])) react_delete(&m, s);
    fill_world();
}

static void tidy(void) {
    const uint32_t c = next_random(COMPONENTS);
    switch (next_random(4)) {
    case 0:
        assert_int_equal(keel_world_trim(f.world), KEEL_OK);
        break;
    case 1:
        hold_memory();
        (void)failed(keel_track_component(f.world, &components[c], 1 + next_random(15)));
        break;
    case 2:
        hold_memory();
        (void)failed(keel_set_limit_of(f.world, &components[c], 1 + next_random(300)));
        break;
    default:
        assert_int_equal(keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    }
}

static const struct operation {
    uint32_t weight;
    void (*run)(void);
    const char *name;
} operations[] = {
    { 14, create, "create" },
    { 4, create_many, "create many" },
    { 20, add_some, "add" },
    { 10, mark, "mark" },
    { 16, take_some, "take" },
    { 4, strip, "strip" },
    { 5, delete_some, "delete" },
    { 5, take_from_many, "take from many" },
    { 3, add_to_many, "add to many" },
    { 6, hide, "hide" },
    { 3, record, "commands" },
    { 4, edit_in_view, "view" },
    { 4, change_rules, "rules" },
    { 4, change_views, "views" },
    { 2, change_group, "groups" },
    { 1, clear_all, "clear all" },
    { 2, tidy, "tidy" },
};

static void operate(uint32_t number) {
    uint32_t roll = next_random(107), i = 0;
    while (roll >= operations[i].weight)
        roll -= operations[i++].weight;
    unknown_count = 0;
    is_creating = operations[i].run == create || operations[i].run == create_many;
    operations[i].run();
    react_settle(&m);
    compare(operations[i].name);
    keel_error fault;
    if (number % 32 == 0 && !keel_world_check(f.world, &fault))
        fail_msg("%s (%u): %s", operations[i].name, number, fault.message);
}

// ------------------------------------------------------------------ storages
static void run_storages(const keel_storage *storages, uint64_t from_seed, bool fillers) {
    static char file[] = "0.c";
    file[0] = (char)('0' + from_seed); // each run has its own components
    for (uint32_t c = 0; c < COMPONENTS; ++c) {
        const bool tag = c >= 3;
        slots_of[c] = 0;
        components[c] = (keel_component){ .name = names[c],
                                          .type = names[c],
                                          .size = tag ? 0 : sizeof(Value),
                                          .align = tag ? 1 : sizeof(Value),
                                          .storage = storages[c],
                                          .file = file,
                                          .slot = &slots_of[c] };
    }
    api_begin(&f);
    seed = from_seed;
    has_fillers = fillers;
    memset(&m, 0, sizeof m);
    memset(told, 0, sizeof told);
    groups[0] = groups[1] = NULL;
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        assert_non_null(keel_register_component(f.world, &components[c]));
    fill_world();
    for (uint32_t i = 0; i < operations_for_each; ++i)
        operate(i);
    assert_no_error(f.world);
    react_model end = m;
    for (uint32_t s = 0; s < SLOTS; ++s) // all leave
        react_delete(&end, s);
    api_end(&f);
    assert_memory_equal(told, end.told, sizeof told);
}

static const keel_storage S = KEEL_SPARSE_SET, I = KEEL_INDEXED, R = KEEL_ARCHETYPE;

static void sparse_sets(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ S, S, S, S, S, S }, 1, false);
}
static void indexed(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ I, I, I, I, I, I }, 2, true);
}
static void rows(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ R, R, R, R, S, I }, 3, false);
}
static void a_mix(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ S, R, I, I, S, I }, 4, true);
}
static void another_mix(void **state) {
    (void)state;
    run_storages((const keel_storage[]){ R, I, S, S, I, S }, 5, true);
}

int main(int count, char **arguments) {
    static const struct CMUnitTest tests[] = {
        TEST(sparse_sets, "sparse sets: sets have, and observers of views are told, what is so"),
        TEST(indexed, "indexed storage: the same"),
        TEST(rows, "archetypes: the same"),
        TEST(a_mix, "a mix of storages: the same"),
        TEST(another_mix, "another mix of storages: the same"),
    };
    operations_for_each =
        count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : test_rounds(default_operations);
    return RUN(tests);
}
