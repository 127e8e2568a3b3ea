// SPDX-License-Identifier: MIT
// Component descriptors: what they say, when two are the same, and how a world learns of them.
#include "support/api_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Mixed {
    double weight;
    int16_t grid[3];
    bool on;
    keel_entity target;
    char text[10];
} Mixed;
KEEL_FIELDS(Mixed, weight, grid, on, target, text);
KEEL_COMPONENT(Mixed, KEEL_HAS_FIELDS(Mixed), .name = "game.Mixed");

typedef struct Both {
    int32_t value;
} Both;
KEEL_COMPONENT(Both);
KEEL_UNIQUE(Both);

KEEL_TAG(Burning, .storage = KEEL_ARCHETYPE, .required = KEEL_LIST(Both));

// ------------------------------------------------------------------ what a declaration says
static void a_declaration_describes_the_type(void **state) {
    (void)state;
    const keel_component *c = KEEL_OF(Position);
    assert_string_equal(c->type, "Position");
    assert_int_equal(c->size, sizeof(Position));
    assert_int_equal(c->align, _Alignof(Position));
    assert_int_equal(c->storage, KEEL_SPARSE_SET);
    assert_null(c->drop);
    assert_false(c->is_unique);
    assert_non_null(strstr(c->file, "api_types.h"));
    assert_true(c->line > 0);
    assert_int_equal(KEEL_OF(Frozen)->size, 0); // a tag
    assert_true(KEEL_UNIQUE_OF(Time)->is_unique);
}

static void tags_take_options(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(KEEL_OF(Burning)->size, 0);
    assert_int_equal(KEEL_OF(Burning)->storage, KEEL_ARCHETYPE);
    assert_true(KEEL_OF(Burning)->line > KEEL_OF(Mixed)->line);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Burning));
    assert_true(keel_has_all(f.world, e, Burning, Both));
    assert_int_equal(keel_delete(f.world, e, Both), KEEL_ERROR_REQUIRED);
    assert_error(f.world, KEEL_ERROR_REQUIRED, "Burning");
    api_end(&f);
}

static void fields_describe_members(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_component *c = keel_register_component(f.world, KEEL_OF(Mixed));
    assert_non_null(c);
    assert_string_equal(c->name, "game.Mixed");
    assert_string_equal(c->type, "Mixed");
    assert_int_equal(c->field_count, 5);
    static const keel_field expected[] = {
        { .name = "weight", .type = KEEL_FIELD_F64, .offset = offsetof(Mixed, weight), .count = 1 },
        { .name = "grid", .type = KEEL_FIELD_I16, .offset = offsetof(Mixed, grid), .count = 3 },
        { .name = "on", .type = KEEL_FIELD_BOOL, .offset = offsetof(Mixed, on), .count = 1 },
        { .name = "target",
          .type = KEEL_FIELD_ENTITY,
          .offset = offsetof(Mixed, target),
          .count = 1 },
        { .name = "text", .type = KEEL_FIELD_TEXT, .offset = offsetof(Mixed, text), .count = 10 },
    };
    for (int i = 0; i < 5; ++i) {
        assert_string_equal(c->fields[i].name, expected[i].name);
        assert_int_equal(c->fields[i].type, expected[i].type);
        assert_int_equal(c->fields[i].offset, expected[i].offset);
        assert_int_equal(c->fields[i].count, expected[i].count);
    }
    api_end(&f);
}

// ------------------------------------------------------------------ learning of a component
static void a_world_learns_on_first_use(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_null(keel_find_component(f.world, "Position"));
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    const keel_component *found = keel_find_component(f.world, "Position");
    assert_non_null(found);
    assert_ptr_not_equal(found, KEEL_OF(Position));
    assert_string_equal(found->name, "Position");
    assert_int_equal(found->size, sizeof(Position));
    assert_string_equal(found->file, "api_types.h"); // the base name
    // the world's own descriptor works everywhere
    const Position *p = keel_get_component(f.world, e, found);
    assert_true(p->y == 2);
    assert_ptr_equal(keel_register_component(f.world, found), found);
    assert_ptr_equal(keel_register_component(f.world, KEEL_OF(Position)), found);
    assert_null(keel_find_component(f.world, "Positio"));
    assert_null(keel_find_component(f.world, ""));
    assert_null(keel_find_component(f.world, NULL));
    assert_null(keel_find_component(NULL, "Position"));
    api_end(&f);
}

static void reading_teaches_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_null(keel_get(f.world, e, Health));
    assert_false(keel_has(f.world, e, Health));
    assert_int_equal(keel_count(f.world, Health), 0);
    assert_int_equal(keel_remove(f.world, e, Health), KEEL_ABSENT);
    assert_int_equal(keel_delete(f.world, e, Health), KEEL_ABSENT);
    assert_int_equal(keel_clear(f.world, Health), KEEL_ABSENT);
    assert_int_equal(keel_delete_entities_having(f.world, Health), KEEL_ABSENT);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Health)), KEEL_ABSENT);
    assert_null(keel_find_component(f.world, "Health"));
    assert_no_error(f.world);
    api_end(&f);
}

// A descriptor that lives on the heap, and is scribbled over after it was registered.
typedef struct script_component {
    keel_component component;
    keel_field field;
    char name[32], field_name[8];
} script_component;

static script_component *make_script_component(const char *name, uint32_t size) {
    script_component *made = calloc(1, sizeof *made);
    assert_non_null(made);
    snprintf(made->name, sizeof made->name, "%s.script", name);
    snprintf(made->field_name, sizeof made->field_name, "all");
    made->field = (keel_field){ .name = made->field_name, .type = KEEL_FIELD_BYTES, .count = size };
    made->component = (keel_component){ .name = made->name, .size = size };
    made->component.fields = &made->field;
    made->component.field_count = 1;
    return made;
}

static void a_component_can_be_made_at_run_time(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    script_component *made = make_script_component("Mood", 3);
    const keel_component *c = keel_register_component(f.world, &made->component);
    assert_non_null(c);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, &made->component, "abc"), KEEL_OK);
    assert_memory_equal(keel_get_component(f.world, e, &made->component), "abc", 3);
    memset(made, 0xAA, sizeof *made);
    free(made);
    assert_string_equal(c->name, "Mood.script");
    assert_string_equal(c->type, "Mood.script"); // no type: the name
    assert_null(c->file);
    assert_string_equal(c->fields[0].name, "all");
    assert_int_equal(c->fields[0].count, 3);
    assert_memory_equal(keel_get_component(f.world, e, c), "abc", 3);
    assert_ptr_equal(keel_find_component(f.world, "Mood.script"), c);
    api_end(&f);
}

static void many_components_are_told_apart(void **state) {
    (void)state;
    enum { COUNT = 500 };
    api_fixture f;
    const keel_component *known[COUNT];
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    for (uint32_t i = 0; i < COUNT; ++i) {
        char name[20];
        snprintf(name, sizeof name, "K%u", (unsigned)i);
        const keel_component c = { .name = name, .size = 4, .align = 4 };
        known[i] = keel_register_component(f.world, &c);
        assert_non_null(known[i]);
        assert_int_equal(keel_add_component(f.world, e, known[i], &i), KEEL_OK);
    }
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(*(const uint32_t *)keel_get_component(f.world, e, known[i]), i);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(keel_component_count(f.world, known[i]), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ identity
static void copies_of_one_definition_are_the_same(void **state) {
    (void)state;
    api_fixture f;
    uint32_t slot_a = 0, slot_b = 0;
    const keel_component a = {
        .type = "Shared", .size = 4, .align = 4, .line = 7, .file = "src/shared.h", .slot = &slot_a
    };
    keel_component b = a, without_slot = a;
    b.file = "C:\\other\\place\\shared.h"; // only the base name counts
    b.line = 9;
    b.slot = &slot_b;
    without_slot.slot = NULL;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, &a, &(uint32_t){ 5 }), KEEL_OK);
    assert_int_equal(*(const uint32_t *)keel_get_component(f.world, e, &b), 5);
    assert_int_equal(*(const uint32_t *)keel_get_component(f.world, e, &without_slot), 5);
    assert_int_equal(keel_add_component(f.world, e, &b, &(uint32_t){ 6 }), KEEL_OK);
    assert_int_equal(*(const uint32_t *)keel_get_component(f.world, e, &a), 6);
    assert_int_equal(keel_component_count(f.world, &a), 1);
    api_end(&f);
}

static void assert_clash(keel_component first, keel_component second, const char *one,
                         const char *other) {
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_non_null(keel_register_component(f.world, &first));
    assert_null(keel_register_component(f.world, &second));
    assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_COMPONENT);
    assert_non_null(strstr(keel_last_error(f.world)->message, one));
    assert_error(f.world, KEEL_ERROR_COMPONENT, other);
    assert_int_equal(keel_add_component(f.world, e, &second, NULL), KEEL_ERROR_COMPONENT);
    assert_null(keel_get_component(f.world, e, &second));
    assert_int_equal(keel_component_count(f.world, &second), 0);
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = &second },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "v"), KEEL_ERROR_COMPONENT);
    keel_view_end(&view);
    const keel_lookup column = keel_lookup_of_component(f.world, &second);
    assert_null(keel_column_get_value(&column, e));
    // the first is as it was
    assert_int_equal(keel_add_component(f.world, e, &first, NULL), KEEL_OK);
    api_end(&f);
}

static void one_name_for_two_components_is_refused(void **state) {
    (void)state;
    const keel_component first = {
        .type = "Enemy", .size = 8, .align = 4, .line = 12, .file = "src/enemy.c"
    };
    keel_component second = first;
    second.file = "lib/foe.c";
    second.line = 34;
    assert_clash(first, second, "enemy.c:12", "foe.c:34");
    second = first;
    second.size = 12; // one side was not rebuilt
    assert_clash(first, second, "8 bytes", "12 bytes");
    second = first;
    second.align = 8;
    assert_clash(first, second, "enemy.c:12", "Enemy");
    second = first;
    second.file = NULL;
    assert_clash(first, second, "enemy.c:12", "run time");
    second = first;
    second.type = "Other";
    second.name = "Enemy"; // the name counts, not the type
    second.size = 16;
    assert_clash(first, second, "8 bytes", "16 bytes");
}

static void another_name_makes_another_component(void **state) {
    (void)state;
    api_fixture f;
    const keel_component a = { .type = "T", .name = "one", .size = 4, .file = "t.c" };
    const keel_component b = { .type = "T", .name = "two", .size = 4, .file = "t.c" };
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, &a, "aaa"), KEEL_OK);
    assert_null(keel_get_component(f.world, e, &b));
    assert_int_equal(keel_add_component(f.world, e, &b, "bbb"), KEEL_OK);
    assert_string_equal(keel_get_component(f.world, e, &a), "aaa");
    api_end(&f);
}

typedef struct Chosen {
    uint64_t a, b;
} Chosen;
typedef struct Tally {
    uint64_t sum;
} Tally;
KEEL_COMPONENT(Chosen, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Tally, .storage = KEEL_ARCHETYPE);
typedef struct Paged {
    uint64_t a, b;
} Paged;
KEEL_COMPONENT(Paged);

static uint64_t paged_through(const keel_lookup *column, keel_entity e) {
    const Paged *p = keel_lookup_get(column, e, Paged);
    return p ? p->b : 0;
}

// A lookup reads the cells of a sparse set, or asks what the world has in their place.
static void a_lookup_finds_values_in_another_storage(void **state) {
    (void)state;
    static const keel_storage storages[] = { KEEL_SPARSE_SET, KEEL_INDEXED, KEEL_ARCHETYPE };
    for (uint32_t i = 0; i < 3; ++i) {
        api_fixture f;
        api_begin(&f);
        keel_component paged = *KEEL_OF(Paged);
        paged.storage = storages[i];
        assert_non_null(keel_register_component(f.world, &paged));
        const keel_lookup column = keel_lookup_of(f.world, Paged);
        const keel_lookup nothing = { 0 };
        keel_entity e[200];
        for (uint32_t k = 0; k < 200; ++k) {
            e[k] = keel_add_entity(f.world);
            if (k % 3 == 0) assert_int_equal(keel_add(f.world, e[k], Paged, { k, k + 1 }), KEEL_OK);
        }
        for (uint32_t k = 0; k < 200; ++k) {
            assert_int_equal(paged_through(&column, e[k]), k % 3 == 0 ? k + 1 : 0);
            assert_int_equal(paged_through(&nothing, e[k]), 0);
            assert_null(keel_lookup_get(&column, e[k], Tally)); // another size
        }
        // handles that are no entity of this world: null, invented, stale
        assert_int_equal(paged_through(&column, keel_null()), 0);
        assert_int_equal(paged_through(&column, keel_entity_make(0, 1)), 0);
        assert_int_equal(paged_through(&column, (keel_entity){ 0 }), 0);
        assert_int_equal(paged_through(&column, (keel_entity){ (keel_entity_bits)-1 << 31 }), 0);
        assert_int_equal(paged_through(&column, keel_entity_make(1u << 19, 0)), 0);
        assert_int_equal(keel_delete_entity(f.world, e[3]), KEEL_OK);
        assert_int_equal(paged_through(&column, e[3]), 0);
        const keel_entity again = keel_add_entity(f.world, KEEL_INIT(Paged, { 7, 8 }));
        assert_int_equal(keel_entity_index(again), keel_entity_index(e[3]));
        assert_int_equal(paged_through(&column, e[3]), 0);
        assert_int_equal(paged_through(&column, again), 8);
        for (uint32_t k = 0; k < 200; ++k) // values move into the holes
            if (k % 2) (void)keel_remove(f.world, e[k], Paged);
        for (uint32_t k = 4; k < 200; ++k)
            assert_int_equal(paged_through(&column, e[k]), k % 6 == 0 ? k + 1 : 0);
        assert_int_equal(keel_unregister(f.world, Paged), KEEL_OK);
        assert_int_equal(paged_through(&column, e[6]), 0);
        api_end(&f);
    }
}

// A copy of the declaration says where this world keeps the values; typed verbs know the declared
// storage when they are compiled, and find them all the same.
static void a_world_may_choose_another_storage(void **state) {
    (void)state;
    static const keel_storage storages[] = { KEEL_SPARSE_SET, KEEL_INDEXED, KEEL_ARCHETYPE };
    for (uint32_t i = 0; i < 3; ++i) {
        api_fixture f;
        api_begin(&f);
        keel_component chosen = *KEEL_OF(Chosen), tally = *KEEL_OF(Tally);
        chosen.storage = storages[i];
        tally.storage = storages[(i + 1) % 3];
        const keel_component *own = keel_register_component(f.world, &chosen);
        assert_non_null(own);
        assert_int_equal(own->storage, storages[i]);
        assert_non_null(keel_register_component(f.world, &tally));
        keel_entity e[200];
        for (uint32_t k = 0; k < 200; ++k) {
            e[k] = keel_add_entity(f.world, KEEL_INIT(Tally, { k }));
            if (k % 3 == 0)
                assert_int_equal(keel_add(f.world, e[k], Chosen, { k, k + 1 }), KEEL_OK);
        }
        for (uint32_t k = 0; k < 200; ++k) {
            assert_true(keel_has(f.world, e[k], Chosen) == (k % 3 == 0));
            const Chosen *c = keel_get(f.world, e[k], Chosen);
            assert_true((c != NULL) == (k % 3 == 0));
            if (c) assert_int_equal(c->b, k + 1);
            Chosen *m = keel_get_mut(f.world, e[k], Chosen);
            assert_ptr_equal(m, c);
            assert_non_null(keel_get_mut(f.world, e[k], Tally));
        }
        keel_world *other = keel_world_create(NULL); // as it was declared, in the same process
        const keel_entity there = keel_add_entity(other, KEEL_INIT(Chosen, { 5, 6 }));
        assert_int_equal(keel_get(other, there, Chosen)->b, 6);
        assert_int_equal(keel_find_component(other, "Chosen")->storage, KEEL_INDEXED);
        // values move between all storages, and are copied
        const keel_entity moved = keel_move_entity(other, there, f.world);
        assert_int_equal(keel_get(f.world, moved, Chosen)->b, 6);
        assert_int_equal(keel_copy_world(f.world, other), KEEL_OK);
        assert_int_equal(keel_get(other, moved, Chosen)->b, 6);
        assert_int_equal(keel_count(other, Chosen), 68);
        keel_world_destroy(other);
        api_end(&f);
    }
}

// Another component cannot have the slot of a declaration, or typed verbs would take it for that.
static void a_copy_with_another_name_or_size_needs_a_slot_of_its_own(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t known = 0; known < 2; ++known) {
        keel_component copy = *KEEL_OF(Chosen);
        copy.name = "Other";
        assert_null(keel_register_component(f.world, &copy));
        assert_error(f.world, KEEL_ERROR_COMPONENT, "'Other' is a copy of the descriptor");
        copy = *KEEL_OF(Chosen);
        copy.size = 8;
        assert_null(keel_register_component(f.world, &copy));
        assert_error(f.world, KEEL_ERROR_COMPONENT, ".slot");
        copy.name = "Small";
        copy.slot = NULL;
        copy.declared = NULL;
        assert_non_null(keel_register_component(f.world, &copy));
        assert_non_null(keel_register_component(f.world, KEEL_OF(Chosen)));
    }
    api_end(&f);
}

// ------------------------------------------------------------------ registered again
typedef struct Coat {
    int32_t value;
} Coat;
static const Coat first_coat = { 3 }, second_coat = { 4 };
KEEL_COMPONENT(Coat, .initial = &first_coat);
typedef struct Lining {
    int32_t value;
} Lining;
KEEL_COMPONENT(Lining, .required = KEEL_LIST(Coat));
typedef struct Button {
    int32_t value;
} Button;
KEEL_COMPONENT(Button, .required = KEEL_LIST(Lining), .version = 2, .saved_as = "Knob");
KEEL_RELATION(Wears, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Meets, .symmetric = true);
KEEL_RELATION(Below, .exclusive = true, .acyclic = true);
KEEL_RELATION(Plain);
typedef struct Ping {
    int32_t value;
} Ping;
KEEL_EVENT(Ping, .limit = 9);

static void assert_other(keel_world *world, const keel_component *c, const char *option) {
    assert_null(keel_register_component(world, c));
    char says[120];
    snprintf(says, sizeof says, "'%s' is registered again with another %s than",
             c->name ? c->name : c->type, option);
    assert_error(world, KEEL_ERROR_COMPONENT, says);
}

static void options_that_decide_what_is_stored_stay(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Position, Button, Number), KEEL_OK);
    const keel_component *const relations[] = { KEEL_RELATION_OF(Wears), KEEL_RELATION_OF(Meets),
                                                KEEL_RELATION_OF(Below), KEEL_RELATION_OF(Plain) };
    for (int i = 0; i < 4; ++i)
        assert_non_null(keel_register_component(f.world, relations[i]));
    keel_component c = *KEEL_RELATION_OF(Wears);
    c.exclusive = false;
    assert_other(f.world, &c, ".exclusive");
    c = *KEEL_RELATION_OF(Wears);
    c.on_delete = KEEL_REFUSE;
    assert_other(f.world, &c, ".on_delete");
    c = *KEEL_RELATION_OF(Wears);
    c.acyclic = true;
    assert_other(f.world, &c, ".acyclic");
    c = *KEEL_RELATION_OF(Below);
    c.acyclic = false;
    assert_other(f.world, &c, ".acyclic");
    c = *KEEL_RELATION_OF(Plain);
    c.symmetric = true;
    assert_other(f.world, &c, ".symmetric");
    c.is_relation = c.symmetric = false;
    assert_other(f.world, &c, ".is_relation");
    c = *KEEL_OF(Number);
    c.is_relation = true;
    assert_other(f.world, &c, ".is_relation");
    c = *KEEL_OF(Number);
    c.required = KEEL_LIST(Position);
    assert_other(f.world, &c, ".required");
    c = *KEEL_OF(Button);
    c.required = NULL;
    assert_other(f.world, &c, ".required");
    c.required = KEEL_LIST(Coat);
    assert_other(f.world, &c, ".required");
    c.required = KEEL_LIST(Lining, Position);
    assert_other(f.world, &c, ".required");
    c.required = KEEL_LIST(Lining, Health); // which the world does not know
    assert_other(f.world, &c, ".required");
    c.required = KEEL_LIST(Lining, Coat); // it comes to the same
    assert_non_null(keel_register_component(f.world, &c));
    c.version = 3; // as its migrate hook is
    assert_int_equal(keel_register_component(f.world, &c)->version, 3);
    c = *KEEL_OF(Button);
    c.saved_as = NULL;
    assert_other(f.world, &c, ".saved_as");
    c = *KEEL_OF(Position);
    c.transient = true;
    assert_other(f.world, &c, ".transient");
    c = *KEEL_OF(Position);
    c.threads = KEEL_THREADS_ONE_AT_A_TIME;
    assert_other(f.world, &c, ".threads");
    c = *KEEL_OF(Position);
    c.no_padding = true;
    assert_other(f.world, &c, ".no_padding");
    assert_non_null(keel_register_component(f.world, KEEL_EVENT_OF(Ping)));
    c = *KEEL_EVENT_OF(Ping);
    c.limit = 8;
    assert_other(f.world, &c, ".limit");
    api_end(&f);
}

// A descriptor without such options stands for the component, and so does the world's own.
static void a_plain_descriptor_means_the_known_component(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_component *const all[] = { KEEL_RELATION_OF(Wears), KEEL_RELATION_OF(Meets),
                                          KEEL_RELATION_OF(Below), KEEL_OF(Button), KEEL_OF(Coat) };
    for (int i = 0; i < 5; ++i) {
        const keel_component *known = keel_register_component(f.world, all[i]);
        assert_non_null(known);
        const keel_component plain = { .type = all[i]->type,
                                       .size = all[i]->size,
                                       .align = all[i]->align,
                                       .storage = all[i]->storage,
                                       .is_relation = all[i]->is_relation,
                                       .file = all[i]->file };
        assert_ptr_equal(keel_register_component(f.world, &plain), known);
        assert_ptr_equal(keel_register_component(f.world, all[i]), known);
        assert_ptr_equal(keel_register_component(f.world, known), known);
    }
    assert_true(keel_find_component(f.world, "Wears")->exclusive);
    assert_int_equal(keel_find_component(f.world, "Button")->version, 2);
    assert_ptr_equal(keel_find_component(f.world, "Coat")->initial, &first_coat);
    api_end(&f);
}

static bool refuse_copy(void *to, const void *from, void *data) {
    (void)to, (void)from, (void)data;
    return false;
}
static void forget_it(void *value, void *data) { (void)value, (void)data; }

static void initial_values_are_taken_over(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Coat, Number), KEEL_OK);
    keel_component c = *KEEL_OF(Coat);
    c.initial = &second_coat;
    assert_non_null(keel_register_component(f.world, &c));
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Coat));
    assert_int_equal(keel_get(f.world, e, Coat)->value, 4);
    c.initial = NULL;
    assert_non_null(keel_register_component(f.world, &c));
    assert_int_equal(keel_get(f.world, keel_add_entity(f.world, KEEL_INIT(Coat)), Coat)->value, 4);
    c.drop = forget_it; // the value to begin with could not be copied
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Coat' has an .initial value and a drop hook");
    c.copy = refuse_copy;
    assert_non_null(keel_register_component(f.world, &c));
    static const Number seven = { 7 };
    c = *KEEL_OF(Number);
    c.initial = &seven; // it had none
    assert_non_null(keel_register_component(f.world, &c));
    assert_int_equal(keel_add(f.world, e, Number), KEEL_OK);
    assert_memory_equal(keel_get(f.world, e, Number), &seven, sizeof seven);
    api_end(&f);
}

static void tracking_is_added(void **state) {
    (void)state;
    api_fixture f;
    keel_view view;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_component c = *KEEL_OF(Number);
    c.tracking = KEEL_TRACK_MODIFICATION;
    assert_non_null(keel_register_component(f.world, &c));
    assert_int_equal(keel_tracked(f.world, Number), KEEL_TRACK_MODIFICATION);
    c.tracking = KEEL_TRACK_INSERTION;
    assert_non_null(keel_register_component(f.world, &c));
    assert_non_null(keel_register_component(f.world, KEEL_OF(Number))); // takes none away
    const uint32_t both = KEEL_TRACK_MODIFICATION | KEEL_TRACK_INSERTION;
    assert_int_equal(keel_tracked(f.world, Number), both);
    assert_true(keel_changes_of(f.world, e, Number) & KEEL_TRACK_INSERTION);
    c.tracking = KEEL_TRACK_ALL;
    (void)keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "reads");
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_BORROWED, "reads");
    assert_int_equal(keel_tracked(f.world, Number), both);
    keel_view_end(&view);
    c.tracking = 1u << 20;
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "unknown bits");
    api_end(&f);
}

static void a_unique_and_a_component_may_share_a_name(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Both, { 1 }));
    assert_int_equal(keel_set_unique(f.world, Both, { 2 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Both)->value, 1);
    assert_int_equal(keel_get_unique(f.world, Both)->value, 2);
    assert_false(keel_find_component(f.world, "Both")->is_unique); // the component comes first
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Both)), KEEL_OK);
    assert_true(keel_find_component(f.world, "Both")->is_unique);
    assert_int_equal(keel_get_unique(f.world, Both)->value, 2);
    api_end(&f);
}

static void kinds_are_not_mixed_up(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, KEEL_UNIQUE_OF(Time), NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Time' is a unique, not a component");
    assert_int_equal(keel_set_unique_value(f.world, KEEL_OF(Position), NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Position' is a component, not a unique");
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 1 }), KEEL_OK);
    assert_null(keel_get_component(f.world, e, KEEL_UNIQUE_OF(Time)));
    assert_int_equal(keel_add(f.world, e, Position, { 1, 1 }), KEEL_OK);
    assert_null(keel_get_unique_value(f.world, KEEL_OF(Position)));
    assert_int_equal(keel_remove_unique_value(f.world, KEEL_OF(Position), NULL), KEEL_ABSENT);
    assert_int_equal(keel_count(f.world, Position), 1);
    const keel_lookup column = keel_lookup_of_component(f.world, KEEL_UNIQUE_OF(Time));
    assert_null(keel_column_get_value(&column, e));
    api_end(&f);
}

// ------------------------------------------------------------------ broken descriptors
static void broken_descriptors_are_refused(void **state) {
    (void)state;
    static const keel_field no_name = { .type = KEEL_FIELD_U8, .count = 1 };
    static const keel_field outside = { .name = "x", .offset = 5, .count = 1 };
    static const struct {
        keel_component component;
        const char *says;
    } broken[] = {
        { { .size = 4 }, "no name" },
        { { .name = "", .size = 4 }, "no name" },
        { { .name = "B1", .size = KEEL_MAX_COMPONENT_SIZE + 1 }, "64 KiB" },
        { { .name = "B2", .size = 12, .align = 3 }, "power of two" },
        { { .name = "B3", .size = 8192, .align = 8192 }, "4096" },
        { { .name = "B4", .size = 6, .align = 4 }, "multiple" },
        { { .name = "B5", .size = 4, .storage = (keel_storage)9 }, "storage" },
        { { .name = "B6", .size = 4, .field_count = 2 }, "no fields" },
        { { .name = "B7", .size = 4, .fields = &no_name, .field_count = 1 }, "without a name" },
        { { .name = "B8", .size = 4, .fields = &outside, .field_count = 1 },
          "ends behind the end" },
    };
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i) {
        const keel_component *c = &broken[i].component;
        assert_null(keel_register_component(f.world, c));
        assert_error(f.world, KEEL_ERROR_ARGUMENT, broken[i].says);
        assert_int_equal(keel_add_component(f.world, e, c, NULL), KEEL_ERROR_ARGUMENT);
        assert_error(f.world, KEEL_ERROR_ARGUMENT, broken[i].says);
    }
    assert_null(keel_next_component_of(f.world, e, NULL));
    api_end(&f);
}

// A zeroed descriptor, and none at all, in every function that only looks.
static void looking_with_no_descriptor_finds_nothing(void **state) {
    (void)state;
    static const keel_component nameless;
    const keel_component *const none[] = { NULL, &nameless };
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 1 }), KEEL_OK);
    for (int i = 0; i < 2; ++i) {
        const keel_component *c = none[i];
        assert_null(keel_get_component(f.world, e, c));
        assert_null(keel_get_component_mut(f.world, e, c));
        assert_false(keel_has_component(f.world, e, c));
        assert_int_equal(keel_component_count(f.world, c), 0);
        assert_int_equal(keel_component_memory(f.world, c), 0);
        assert_null(keel_get_unique_value(f.world, c));
        assert_null(keel_get_unique_value_mut(f.world, c));
        assert_int_equal(keel_remove_unique_value(f.world, c, NULL), KEEL_ABSENT);
        assert_int_equal(keel_unregister_component(f.world, c), KEEL_ABSENT);
        assert_int_equal(keel_delete_entities_having_component(f.world, c), KEEL_ABSENT);
        const keel_lookup column = keel_lookup_of_component(f.world, c);
        assert_null(keel_column_get_value(&column, e));
    }
    assert_null(keel_next_component(f.world, &nameless));
    assert_null(keel_next_component_of(f.world, e, &nameless));
    assert_int_equal(keel_count(f.world, Position), 1);
    api_end(&f);
}

static void editing_with_no_descriptor_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    assert_null(keel_register_component(f.world, NULL));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "NULL");
    assert_int_equal(keel_add_component(f.world, e, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_null(keel_get_or_add_component(f.world, e, NULL, NULL));
    assert_null(keel_get_or_add_component(f.world, e, NULL, NULL));
    assert_true(keel_remove_component(f.world, e, NULL, NULL) < 0);
    assert_true(keel_clear_component(f.world, NULL) < 0);
    assert_true(keel_retain_component(f.world, NULL, NULL, NULL) < 0);
    assert_int_equal(keel_reserve_component(f.world, NULL, 1), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_set_unique_value(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_true(keel_get(f.world, e, Position)->y == 2);
    api_end(&f);
}

// ------------------------------------------------------------------ lists
static void lists_register_in_order(void **state) {
    (void)state;
    static const keel_component KEEL_COMPONENT_Bad = { .name = "Bad", .size = 3, .align = 2 };
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Position, Velocity, Frozen), KEEL_OK);
    assert_non_null(keel_find_component(f.world, "Velocity"));
    // an older error of another kind is still there: the result is that of this call
    keel_view view;
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), "a view"),
        KEEL_ERROR_MISSING_UNIQUE);
    assert_int_equal(keel_register(f.world, Health, Bad, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_first_error(f.world)->result, KEEL_ERROR_MISSING_UNIQUE);
    assert_int_equal(keel_last_error(f.world)->result, KEEL_ERROR_ARGUMENT);
    assert_non_null(keel_find_component(f.world, "Health")); // the ones before it are registered
    assert_null(keel_find_component(f.world, "Number"));
    api_end(&f);
}

typedef struct Second {
    int value;
} Second;
KEEL_UNIQUE(Second);

static void components_are_walked_in_order_of_registration(void **state) {
    (void)state;
    static const char *const names[] = { "keel_child", "Health", "Position", "Dead" };
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Health, { 1 }));
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 1 }), KEEL_OK); // not listed
    assert_int_equal(keel_register(f.world, Position, Dead), KEEL_OK);
    const keel_component *c = NULL;
    for (int i = 0; i < 4; ++i) {
        c = keel_next_component(f.world, c);
        assert_non_null(c);
        assert_string_equal(c->name, names[i]);
    }
    assert_null(keel_next_component(f.world, c));
    assert_null(keel_next_component(NULL, NULL));
    assert_int_equal(keel_register_component(f.world, KEEL_UNIQUE_OF(Second))->size, 4); // not set
    c = keel_next_unique(f.world, NULL);
    assert_string_equal(c->name, "Time");
    c = keel_next_unique(f.world, c);
    assert_string_equal(c->name, "Second");
    assert_null(keel_next_unique(f.world, c));
    assert_null(keel_next_unique(NULL, NULL));

    (void)keel_add(f.world, e, Dead);
    c = keel_next_component_of(f.world, e, NULL);
    assert_string_equal(c->name, "Health");
    c = keel_next_component_of(f.world, e, c);
    assert_string_equal(c->name, "Dead");
    assert_null(keel_next_component_of(f.world, e, c));
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_null(keel_next_component_of(f.world, e, NULL));
    api_end(&f);
}

// ------------------------------------------------------------------ forgetting
static void unregistering_drops_values_and_frees_the_name(void **state) {
    (void)state;
    static const keel_component other = { .name = "Owned", .size = 2, .align = 2, .file = "x.c" };
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned a = owned_make(), b = owned_make();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Owned, a));
    (void)keel_add_entity(f.world, KEEL_INIT(Owned, b));
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Owned)), KEEL_OK);
    assert_int_equal(owned.living, 0);
    assert_null(keel_find_component(f.world, "Owned"));
    assert_null(keel_get(f.world, e, Owned));
    assert_true(keel_is_alive(f.world, e));
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Owned)), KEEL_ABSENT);
    // the name is free for another component, and then for the first again
    assert_int_equal(keel_add_component(f.world, e, &other, NULL), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Owned), KEEL_ERROR_COMPONENT);
    assert_int_equal(keel_unregister_component(f.world, &other), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Owned), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Owned)->token, 0);
    api_end(&f);
    assert_owned_end();
}

static void links_cannot_be_unregistered(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(keel_child)), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "part of every world");
    api_end(&f);
}

static void a_used_component_cannot_be_unregistered(void **state) {
    (void)state;
    api_fixture f;
    keel_view view;
    api_begin(&f);
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_WITHOUT(Position), KEEL_ENTITY(e)), "idle"),
        KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Position)), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "idle");
    keel_view_end(&view);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Position)), KEEL_OK);
    api_end(&f);
}

typedef struct Row {
    int value;
} Row;
typedef struct Side {
    int value;
} Side;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Side, .storage = KEEL_ARCHETYPE);

// Nobody is in one of the archetypes that the loop names.
static void another_may_be_unregistered_in_a_loop_over_rows(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_register(f.world, Health);
    for (int i = 0; i < 50; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Row, { i }));
    assert_int_equal(
        keel_delete_entity(f.world, keel_add_entity(f.world, KEEL_INIT(Row), KEEL_INIT(Side))),
        KEEL_OK);
    int visited = 0, sum = 0;
    KEEL_EACH(f.world, KEEL_READ(Row, row)) {
        sum += row->value;
        if (visited++ != 5) continue;
        assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Health)), KEEL_OK);
        assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Side)), KEEL_ERROR_BORROWED);
    }
    assert_int_equal(visited, 50);
    assert_int_equal(sum, 49 * 25);
    keel_clear_errors(f.world);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Side)), KEEL_OK);
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
}

// A spare iterator must not remember a storage that is gone.
static void views_work_after_unregistering(void **state) {
    (void)state;
    api_fixture f;
    keel_view view;
    keel_iterator walk;
    api_begin(&f);
    (void)keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    assert_int_equal(keel_set_unique(f.world, Time, { .now = 1 }), KEEL_OK);
    (void)keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Position, p)), "first");
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_non_null(keel_iterator_next(&walk));
    keel_view_end(&view);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Position)), KEEL_OK);
    (void)keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), "second");
    assert_int_equal(keel_view_count(&view), 1); // it visits the living
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_non_null(keel_iterator_next(&walk));
    assert_null(keel_iterator_next(&walk));
    keel_view_end(&view);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-11
    TEST(a_declaration_describes_the_type, "a declaration says how a component is stored"),
    TEST(tags_take_options, "a tag takes the options of a component"),
    TEST(fields_describe_members, "described fields carry name, type, offset and count"),
    TEST(a_world_learns_on_first_use, "a world learns of a component on first use"),
    TEST(reading_teaches_nothing, "looking for a component does not make it known"),
    TEST(a_component_can_be_made_at_run_time, "a component can be made at run time"),
    // proves E-C1
    TEST(many_components_are_told_apart, "each of 500 components has a pool of its own"),
    TEST(copies_of_one_definition_are_the_same, "copies of one definition are one component"),
    TEST(one_name_for_two_components_is_refused, "a clash of names is told with both places"),
    TEST(another_name_makes_another_component, "one type under two names is two components"),
    TEST(a_lookup_finds_values_in_another_storage,
         "a lookup finds values in another storage than the declared one, and no stale handle"),
    TEST(a_world_may_choose_another_storage,
         "typed verbs find values in another storage than the declared one"),
    TEST(a_copy_with_another_name_or_size_needs_a_slot_of_its_own,
         "a descriptor with the slot of another component is refused"),
    TEST(options_that_decide_what_is_stored_stay,
         "registering again with another option that decides what is stored is refused"),
    TEST(a_plain_descriptor_means_the_known_component,
         "registering again without options keeps those that are known"),
    TEST(initial_values_are_taken_over, "registering again takes over an initial value"),
    TEST(tracking_is_added, "registering again adds tracking"),
    // proves S-51
    TEST(a_unique_and_a_component_may_share_a_name, "a type may be both a component and a unique"),
    TEST(kinds_are_not_mixed_up, "a unique is no component and the other way round"),
    TEST(broken_descriptors_are_refused, "broken descriptors are refused, saying what is wrong"),
    TEST(looking_with_no_descriptor_finds_nothing, "looking with no descriptor finds nothing"),
    TEST(editing_with_no_descriptor_is_refused, "editing with no descriptor is an error"),
    TEST(lists_register_in_order, "lists are registered in order, to the first error"),
    TEST(components_are_walked_in_order_of_registration,
         "components are walked in order of registration"),
    TEST(unregistering_drops_values_and_frees_the_name,
         "unregistering drops the values and frees the name"),
    TEST(links_cannot_be_unregistered, "the links of the hierarchy cannot be unregistered"),
    TEST(a_used_component_cannot_be_unregistered, "a component in use cannot be unregistered"),
    TEST(another_may_be_unregistered_in_a_loop_over_rows,
         "a loop over rows goes on when another component is unregistered (A9)"),
    TEST(views_work_after_unregistering, "views work after a component was unregistered"),
};

int main(void) { return RUN(tests); }
