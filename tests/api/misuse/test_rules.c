// SPDX-License-Identifier: MIT
// The table of docs/reference/rules.md: each cell is an edit that is tried in a world of its own
// while a loop is open, and the table that comes out is compared with the one in the docs.
#include "support/view_fixture.h"

#include <stdio.h>
#include <string.h>

typedef struct Packed {
    int value;
} Packed;
typedef struct ByIndex {
    int value;
} ByIndex;
typedef struct InRow {
    int value;
} InRow;
typedef struct B {
    int value;
} B;
typedef struct R {
    int value;
} R;
typedef struct Hit {
    int value;
} Hit;
KEEL_COMPONENT(Packed, .storage = KEEL_SPARSE_SET);
KEEL_COMPONENT(ByIndex, .storage = KEEL_INDEXED);
KEEL_COMPONENT(InRow, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(B);
KEEL_COMPONENT(R, .storage = KEEL_ARCHETYPE);
KEEL_EVENT(Hit);

// What there is when an edit is tried.
typedef struct cell {
    keel_scope *scope;           // through which it is tried
    const keel_component *a;     // what the loop is over
    keel_entity here, there;     // two that have A and B; the loop is at the first
    keel_entity without, with_b; // one that has nothing, and one that has B only
    keel_result (*edit)(const struct cell *c);
    keel_result result;
} cell;

static keel_world *world_of_test;
static keel_result made(keel_entity e) {
    return keel_is_null(e) ? keel_last_error(world_of_test)->result : KEEL_OK;
}

static keel_result write_a(const cell *c) {
    void *value = keel_get_component_mut(c->scope, c->there, c->a);
    return value ? KEEL_OK : keel_last_error(world_of_test)->result;
}
static keel_result mark_a(const cell *c) { return keel_mark_component(c->scope, c->there, c->a); }
static keel_result overwrite_a(const cell *c) {
    return keel_add_component(c->scope, c->there, c->a, &(int){ 3 });
}
static keel_result add_a(const cell *c) {
    return keel_add_component(c->scope, c->without, c->a, NULL);
}
static keel_result delete_a(const cell *c) {
    return keel_delete_component(c->scope, c->here, c->a);
}
static keel_result write_b(const cell *c) {
    void *value = keel_get_component_mut(c->scope, c->here, KEEL_OF(B));
    return value ? KEEL_OK : keel_last_error(world_of_test)->result;
}
static keel_result delete_b(const cell *c) {
    return keel_delete_component(c->scope, c->here, KEEL_OF(B));
}
static keel_result add_b(const cell *c) {
    return keel_add_component(c->scope, c->without, KEEL_OF(B), NULL);
}
static keel_result add_r(const cell *c) {
    return keel_add_component(c->scope, c->here, KEEL_OF(R), NULL);
}
static keel_result strip_here(const cell *c) { return keel_strip(c->scope, c->here); }
static keel_result strip_b(const cell *c) { return keel_strip(c->scope, c->with_b); }
static keel_result delete_here(const cell *c) { return keel_delete_entity(c->scope, c->here); }
static keel_result delete_other(const cell *c) { return keel_delete_entity(c->scope, c->with_b); }
static keel_result add_empty(const cell *c) { return made(keel_add_entity_values(c->scope, NULL)); }
static keel_result add_with(const cell *c, const keel_component *component) {
    const keel_value values[] = { { .component = component }, { .component = NULL } };
    return made(keel_add_entity_values(c->scope, values));
}
static keel_result add_with_b(const cell *c) { return add_with(c, KEEL_OF(B)); }
static keel_result add_with_a(const cell *c) { return add_with(c, c->a); }
static keel_result attach_here(const cell *c) { return keel_attach(c->scope, c->here, c->without); }

static const struct row {
    const char *text;
    keel_result (*edit)(const cell *c);
} rows[] = {
    { "write `A` of any entity through its handle", write_a },
    { "mark `A` of any entity (`keel_mark`)", mark_a },
    { "overwrite `A` of any entity (`keel_add`)", overwrite_a },
    { "add `A` to an entity", add_a },
    { "delete or remove `A` of an entity", delete_a },
    { "write `B` of any entity through its handle", write_b },
    { "add `B` to an entity", add_b },
    { "delete or remove `B` of an entity", delete_b },
    { "add `R`, an archetype component, to an entity that has `A`", add_r },
    { "strip an entity that has `A`", strip_here },
    { "strip an entity that has `B` only", strip_b },
    { "delete an entity that has `A`", delete_here },
    { "delete an entity that has `B` only", delete_other },
    { "add an entity with nothing", add_empty },
    { "add an entity with `B`", add_with_b },
    { "add an entity with `A`", add_with_a },
    { "attach an entity to a parent", attach_here },
};
enum { ROWS = sizeof rows / sizeof *rows };

// ------------------------------------------------------------------ one cell
// A loop over A, and the edit at its first entity. `loop` is where the loop is opened; NULL: the
// view through which the edit is made is the loop's own.
static void try_in_loop(cell *c, keel_scope *loop, const keel_term *terms, bool names_entity) {
    const keel_term plain[] = { { .kind = KEEL_TERM_READ, .component = c->a, .name = "a" },
                                { .kind = names_entity ? KEEL_TERM_ENTITY : KEEL_TERM_END },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    assert_int_equal((keel_view_begin)(&view, loop, terms ? terms : plain, "loop"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_non_null(keel_iterator_next(&walk));
    if (terms) c->scope = KEEL_SCOPE(&view);
    c->result = c->edit(c);
    keel_view_end(&view);
}

static cell *cell_of_system;
static bool names_entity_of_system;
static keel_result run_in_system(keel_context *context) {
    cell_of_system->scope = KEEL_SCOPE(context);
    try_in_loop(cell_of_system, KEEL_SCOPE(context), NULL, names_entity_of_system);
    return KEEL_OK;
}

enum { IN_WORLD, IN_SYSTEM, IN_VIEW, BY_COMMANDS, SCOPES };
static const keel_component *kind(uint32_t storage) {
    return storage == 0 ? KEEL_OF(Packed) : storage == 1 ? KEEL_OF(ByIndex) : KEEL_OF(InRow);
}

static keel_result try_cell(const struct row *row, uint32_t scope, uint32_t storage,
                            bool names_entity) {
    api_fixture f;
    api_begin(&f);
    world_of_test = f.world;
    cell c = { .scope = KEEL_SCOPE(f.world), .a = kind(storage), .edit = row->edit };
    const keel_value both[] = { { .component = c.a }, { .component = KEEL_OF(B) }, { NULL, NULL } };
    c.here = keel_add_entity_values(f.world, both);
    c.there = keel_add_entity_values(f.world, both);
    c.without = keel_add_entity(f.world);
    c.with_b = keel_add_entity(f.world, KEEL_INIT(B));
    assert_int_equal(keel_register(f.world, R), KEEL_OK);
    const keel_component *const others[] = { KEEL_OF(R), NULL };
    const keel_term may[] = {
        { .kind = KEEL_TERM_EDIT, .component = c.a, .name = "a" },
        { .kind = KEEL_TERM_MAY_EDIT, .component = KEEL_OF(B), .others = others },
        { .kind = KEEL_TERM_MAY_EDIT_ENTITIES },
        { .kind = KEEL_TERM_END }
    };
    const keel_component *const all[] = { KEEL_OF(B), KEEL_OF(R), NULL };
    const keel_term declared[] = { { .kind = KEEL_TERM_MAY_EDIT, .component = c.a, .others = all },
                                   { .kind = KEEL_TERM_MAY_EDIT_ENTITIES },
                                   { .kind = KEEL_TERM_END } };
    const keel_system system = {
        .name = "edits", .kind = KEEL_SYSTEM_PER_RUN, .function = run_in_system, .terms = declared
    };
    cell_of_system = &c;
    names_entity_of_system = names_entity;
    if (scope == IN_SYSTEM)
        (void)keel_run_system(f.world, &system, &(keel_run_desc){ .data = NULL, .data_size = 0 });
    else if (scope == IN_VIEW) try_in_loop(&c, KEEL_SCOPE(f.world), may, names_entity);
    else {
        if (scope == BY_COMMANDS) c.scope = KEEL_SCOPE(keel_world_commands(f.world));
        try_in_loop(&c, KEEL_SCOPE(f.world), NULL, names_entity);
    }
    keel_clear_errors(f.world);
    if (scope == BY_COMMANDS) assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    api_end(&f);
    return c.result;
}

// ------------------------------------------------------------------ the table
static const char *word(keel_result result) {
#define WORD(name, value, text)                                                                    \
    if (result == (value)) return #name;
    if (result == KEEL_OK) return "yes";
    KEEL_RESULTS(WORD)
    return "?";
}

// The cells of the three storages: one word where they agree.
static void print_cells(char **at, const struct row *row, uint32_t scope) {
    keel_result results[3];
    for (uint32_t s = 0; s < 3; ++s) {
        results[s] = try_cell(row, scope, s, false);
        const keel_result named = try_cell(row, scope, s, true);
        if (named != results[s]) // B13
            fail_msg("%s: '%s' without the entity, '%s' with it", row->text, word(results[s]),
                     word(named));
    }
    const char *const prefix = "KEEL_ERROR_";
    char words[3][40];
    for (uint32_t s = 0; s < 3; ++s) {
        const char *text = word(results[s]);
        if (strncmp(text, prefix, strlen(prefix)) == 0) text += strlen(prefix);
        snprintf(words[s], sizeof words[s], "%s", text);
    }
    const bool agree = results[0] == results[1] && results[1] == results[2];
    if (agree) *at += sprintf(*at, " %s |", words[0]);
    else if (results[0] == results[1])
        *at += sprintf(*at, " %s; archetype: %s |", words[0], words[2]);
    else *at += sprintf(*at, " %s; indexed: %s; archetype: %s |", words[0], words[1], words[2]);
}

static void the_table_of_the_docs_is_true(void **state) {
    (void)state;
    static char table[10000];
    char *at = table;
    at +=
        sprintf(at, "| while a loop is open over `A` | world | system | view that edits | commands "
                    "|\n|---|---|---|---|---|\n");
    for (uint32_t r = 0; r < ROWS; ++r) {
        at += sprintf(at, "| %s |", rows[r].text);
        for (uint32_t s = 0; s < SCOPES; ++s)
            print_cells(&at, &rows[r], s);
        at += sprintf(at, "\n");
    }
    const char *docs = docs_text("reference/rules.md");
    if (!docs && !getenv("KEEL_DOCS")) skip(); // run by hand, elsewhere
    assert_non_null(docs);
    if (strstr(docs, table)) return;
    puts(table);
    fail_msg("docs/reference/rules.md lacks the table above");
}

static const struct CMUnitTest tests[] = {
    TEST(
        the_table_of_the_docs_is_true,
        "what may be edited while a loop is open is as docs/reference/rules.md says (B6, B9, B13)"),
};

int main(void) { return RUN(tests); }
