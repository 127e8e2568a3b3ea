// SPDX-License-Identifier: MIT
// The table of docs/reference/verbs.md: each row that is known here is tried through every scope
// that it says yes or later for, by somebody who holds what its last column says, and by somebody
// who does not.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

static api_fixture f;
static keel_entity parent, child, one, named;

// ------------------------------------------------------------------ the verbs
// Whether the verb did what it is for.
typedef bool verb_fn(keel_scope *s);
#define VERB(name, ...)                                                                            \
    static bool try_##name(keel_scope *s) { return (__VA_ARGS__); }
static void nothing(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)begin, (void)end, (void)piece, (void)data;
}
VERB(component_count, keel_count(s, Position) == 1)
VERB(entity_count, keel_entity_count(s) == 4)
VERB(is_alive, keel_is_alive(s, one))
VERB(entity_at, keel_is_same(keel_entity_at(s, keel_entity_index(one)), one))
VERB(add_entity, !keel_is_null(keel_add_entity(s, KEEL_INIT(Position))))
VERB(delete_entity, keel_delete_entity(s, one) == KEEL_OK)
VERB(having, keel_delete_entities_having(s, Position) == KEEL_OK)
VERB(add, keel_add(s, one, Position, { 1, 2 }) == KEEL_OK)
VERB(add_unchecked, keel_add_unchecked(s, one, Position, { 1, 2 }) == KEEL_OK)
VERB(add_values, keel_add_values(s, one, KEEL_INIT(Position, { 1, 2 })) == KEEL_OK)
VERB(remove, keel_remove(s, one, Position) == KEEL_OK)
VERB(remove_values, keel_remove_values(s, one, KEEL_OUT(Position, &(Position){ 0 })) == KEEL_OK)
VERB(delete, keel_delete(s, one, Position) == KEEL_OK)
VERB(delete_listed, keel_delete(s, one, Position, Position) == KEEL_OK)
VERB(strip, keel_strip(s, one) == KEEL_OK)
VERB(get, keel_get(s, one, Position) != NULL)
VERB(get_mut, keel_get_mut(s, one, Position) != NULL)
VERB(has, keel_has(s, one, Position))
VERB(get_unique, keel_get_unique(s, Time) != NULL)
VERB(get_unique_mut, keel_get_unique_mut(s, Time) != NULL)
VERB(attach, keel_attach(s, one, parent) == KEEL_OK)
VERB(add_child, !keel_is_null(keel_add_child(s, parent)))
VERB(detach, keel_detach(s, child) == KEEL_OK)
VERB(unlink, keel_unlink(s, parent) == KEEL_OK)
VERB(unlink_tree, keel_unlink_tree(s, parent) == KEEL_OK)
VERB(delete_tree, keel_delete_tree(s, parent) == KEEL_OK)
VERB(parent_of, keel_is_same(keel_parent_of(s, child), parent))
VERB(child_count, keel_child_count(s, parent) == 1)
VERB(first_child, keel_is_same(keel_first_child(s, parent), child))
VERB(next_child, keel_next_child(s, parent, child).bits == 0 && keel_child_count(s, parent) == 1)
VERB(next_descendant,
     keel_is_same(keel_next_descendant(s, parent, parent, KEEL_DEPTH_FIRST), child))
VERB(breadth, keel_is_same(keel_next_descendant(s, parent, parent, KEEL_BREADTH_FIRST), child))
VERB(set_name, keel_set_name(s, named, "another") == KEEL_OK)
VERB(name_of, keel_name_of(s, named) != NULL)
VERB(find_entity, keel_is_same(keel_find_entity(s, keel_null(), "named"), named))
VERB(parallel_for, keel_parallel_for(s, 10, 1, nothing, NULL) == KEEL_OK)
VERB(mark, keel_mark(s, one, Position) == KEEL_OK)
VERB(changes_of, keel_changes_of(s, one, Position) != 0)
VERB(unique_changes_of, keel_unique_changes_of(s, Time) != 0)

static const struct verb {
    const char *function;
    verb_fn *call;
} verbs[] = {
    { "keel_component_count", try_component_count },
    { "keel_entity_count", try_entity_count },
    { "keel_is_alive", try_is_alive },
    { "keel_entity_at", try_entity_at },
    { "keel_add_entity_values", try_add_entity },
    { "keel_delete_entity", try_delete_entity },
    { "keel_delete_entities_having_component", try_having },
    { "keel_add_component", try_add },
    { "keel_add_component_unchecked", try_add_unchecked },
    { "keel_add_component_values", try_add_values },
    { "keel_remove_component", try_remove },
    { "keel_remove_component_values", try_remove_values },
    { "keel_delete_component", try_delete },
    { "keel_delete_components", try_delete_listed },
    { "keel_strip", try_strip },
    { "keel_get_component", try_get },
    { "keel_get_component_mut", try_get_mut },
    { "keel_has_component", try_has },
    { "keel_get_unique_value", try_get_unique },
    { "keel_get_unique_value_mut", try_get_unique_mut },
    { "keel_attach", try_attach },
    { "keel_add_child_values", try_add_child },
    { "keel_detach", try_detach },
    { "keel_unlink", try_unlink },
    { "keel_unlink_tree", try_unlink_tree },
    { "keel_delete_tree", try_delete_tree },
    { "keel_parent_of", try_parent_of },
    { "keel_child_count", try_child_count },
    { "keel_first_child", try_first_child },
    { "keel_next_child", try_next_child },
    { "keel_next_descendant", try_next_descendant },
    { "keel_next_descendant", try_breadth },
    { "keel_set_name", try_set_name },
    { "keel_name_of", try_name_of },
    { "keel_find_entity", try_find_entity },
    { "keel_parallel_for", try_parallel_for },
    { "keel_mark_component", try_mark },
    { "keel_changes_of_component", try_changes_of },
    { "keel_changes_of_component", try_unique_changes_of },
};

// ------------------------------------------------------------------ who calls
static verb_fn *wanted;
static bool done;
KEEL_SYSTEM_ONCE(no_needs, KEEL_MAY_READ(Other), KEEL_CONTEXT(c)) { done = wanted(KEEL_SCOPE(c)); }
KEEL_SYSTEM_ONCE(reads, KEEL_MAY_READ(Position, keel_child, keel_name),
                 KEEL_UNIQUE_READ(Time, time), KEEL_CONTEXT(c)) {
    (void)time;
    done = wanted(KEEL_SCOPE(c));
}
KEEL_SYSTEM_ONCE(writes, KEEL_MAY_WRITE(Position), KEEL_UNIQUE_WRITE(Time, time), KEEL_CONTEXT(c)) {
    (void)time;
    done = wanted(KEEL_SCOPE(c));
}
KEEL_SYSTEM_ONCE(edits, KEEL_MAY_EDIT(Position, keel_name), KEEL_CONTEXT(c)) {
    done = wanted(KEEL_SCOPE(c));
}
KEEL_SYSTEM_ONCE(edits_entities, KEEL_MAY_EDIT_ENTITIES, KEEL_MAY_EDIT(Position), KEEL_CONTEXT(c)) {
    done = wanted(KEEL_SCOPE(c));
}
KEEL_SYSTEM_ONCE(has_world, KEEL_WORLD(world), KEEL_CONTEXT(c)) {
    (void)world;
    done = wanted(KEEL_SCOPE(c));
}

#define RUN_OF(system)                                                                             \
    static void run_##system(void) { (void)keel_run(f.world, system); }
RUN_OF(no_needs)
RUN_OF(reads)
RUN_OF(writes)
RUN_OF(edits)
RUN_OF(edits_entities)
RUN_OF(has_world)

// What the last column says, the terms of a view that hold it, and what runs a system that does.
static const struct needs {
    const char *text;
    const keel_term *terms;
    void (*run)(void);
} all_needs[] = {
    { "–", KEEL_TERMS(KEEL_MAY_READ(Other)), run_no_needs },
    { "read", KEEL_TERMS(KEEL_MAY_READ(Position, keel_child, keel_name), KEEL_UNIQUE_READ(Time, t)),
      run_reads },
    { "write", KEEL_TERMS(KEEL_MAY_WRITE(Position), KEEL_UNIQUE_WRITE(Time, t)), run_writes },
    { "edit", KEEL_TERMS(KEEL_MAY_EDIT(Position, keel_name)), run_edits },
    { "`KEEL_MAY_EDIT_ENTITIES`", KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES), run_edits_entities },
    { "`KEEL_MAY_EDIT_ENTITIES`, edit", KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES, KEEL_MAY_EDIT(Position)),
      run_edits_entities },
    { "`KEEL_MAY_EDIT_WORLD`", KEEL_TERMS(KEEL_MAY_EDIT_WORLD), run_has_world },
};

// ------------------------------------------------------------------ the table
static void begin(void) {
    api_begin(&f);
    parent = keel_add_entity(f.world);
    child = keel_add_child(f.world, parent);
    one = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    named = keel_add_entity(f.world);
    keel_set_name(f.world, named, "named");
    keel_set_unique(f.world, Time, { 1, 2 });
    keel_track(f.world, Position, KEEL_TRACK_ALL);
    keel_register(f.world, Other);
}

static bool through_view(const keel_term *terms) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "test"), KEEL_OK);
    const bool result = wanted(KEEL_SCOPE(&view));
    keel_view_end(&view);
    return result;
}
static bool through_system(void (*run)(void)) {
    done = false;
    run();
    return done;
}
static bool through_commands(void) {
    return wanted(KEEL_SCOPE(keel_world_commands(f.world))) &&
           keel_apply_commands(f.world) == KEEL_OK &&
           keel_world_statistics(f.world).dropped_commands == 0;
}
static bool through_reader(void) {
    keel_reader *reader = keel_reader_create(f.world, "reader");
    const bool result = wanted(KEEL_SCOPE(reader));
    keel_reader_destroy(reader);
    return result;
}

enum { WORLD, COMMANDS, VIEW, CONTEXT, READER, SCOPES };
static bool through(uint32_t scope, const struct needs *needs) {
    switch (scope) {
    case WORLD:
        return wanted(KEEL_SCOPE(f.world));
    case COMMANDS:
        return through_commands();
    case VIEW:
        return through_view(needs->terms);
    case CONTEXT:
        return through_system(needs->run);
    default:
        return through_reader();
    }
}

static bool try_it(uint32_t scope, const struct needs *needs) {
    begin();
    const bool result = through(scope, needs);
    keel_clear_errors(f.world);
    api_end(&f);
    return result;
}

// The cells of a row after the one of the function, `count` of them; false: there is no such row.
static bool cells_of(const char *docs, const char *function, char (*cells)[60], uint32_t count) {
    char wanted_cell[100];
    snprintf(wanted_cell, sizeof wanted_cell, "| `%s` | ", function);
    const char *at = strstr(docs, wanted_cell);
    // the first column may have the same name
    if (at && strncmp(at + strlen(wanted_cell), wanted_cell + 2, strlen(wanted_cell + 2)) == 0)
        at += strlen(wanted_cell) - 2;
    if (!at) return false;
    at += strlen(wanted_cell);
    for (uint32_t i = 0; i < count; ++i) {
        const char *end = strstr(at, " |");
        snprintf(cells[i], sizeof cells[i], "%.*s", (int)(end - at), at);
        at = end + 3;
    }
    return true;
}

static const struct needs *needs_of(const char *text) {
    for (uint32_t i = 0; i < sizeof all_needs / sizeof *all_needs; ++i)
        if (strcmp(all_needs[i].text, text) == 0) return &all_needs[i];
    fail_msg("nobody here holds %s", text);
    return NULL;
}

static uint32_t wrong;
static void check(bool as_written, const struct verb *verb, const char *what) {
    if (as_written) return;
    print_error("%s: %s\n", verb->function, what);
    ++wrong;
}

static void each_cell_is_true(void **state) {
    (void)state;
    static const char *const names[] = { "world", "commands", "view", "context", "reader" };
    const char *docs = docs_text("reference/verbs.md");
    if (!docs && !getenv("KEEL_DOCS")) skip(); // run by hand, elsewhere
    assert_non_null(docs);
    for (uint32_t v = 0; v < sizeof verbs / sizeof *verbs; ++v) {
        char cells[SCOPES + 1][60];
        wanted = verbs[v].call;
        if (!cells_of(docs, verbs[v].function, cells, SCOPES + 1)) {
            check(false, &verbs[v], "has no row");
            continue;
        }
        const struct needs *needs = needs_of(cells[SCOPES]);
        for (uint32_t s = 0; s < SCOPES; ++s)
            if (strcmp(cells[s], "yes") == 0 || strcmp(cells[s], "later") == 0)
                check(try_it(s, needs), &verbs[v], names[s]);
        if (needs == all_needs) continue;                      // they need nothing
        const bool counts = verbs[v].call == try_entity_count; // any context may
        if (strcmp(cells[VIEW], "yes") == 0)
            check(!try_it(VIEW, all_needs), &verbs[v], "a view that declared nothing");
        if (strcmp(cells[CONTEXT], "yes") == 0 && !counts)
            check(!try_it(CONTEXT, all_needs), &verbs[v], "a system that declared nothing");
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_cell_is_true, "each cell of docs/reference/verbs.md is true"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
