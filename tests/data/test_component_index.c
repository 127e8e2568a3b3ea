// SPDX-License-Identifier: MIT
// Which descriptors are the same component. The numbers last as long as the process, so each test
// has names of its own.
#include "data/component_index.h"

#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// A new number each time: of a definition that nobody had.
static keel_component base(const char *name) {
    return (keel_component){
        .name = name, .size = 8, .align = 4, .file = "game/position.h", .line = 12
    };
}

// ------------------------------------------------------------------ the same definition
static void copies_have_one_number(void **state) {
    (void)state;
    uint32_t slot_a = 0, slot_b = 0;
    keel_component a = base("Copied"), b = base("Copied");
    a.slot = &slot_a;
    b.slot = &slot_b;
    const uint32_t number = keeli_component_acquire(&a);
    assert_int_not_equal(number, 0);
    assert_int_equal(keeli_component_acquire(&b), number);
    assert_int_equal(slot_a, number);
    assert_int_equal(slot_b, number);
    const keel_component without_slot = base("Copied");
    assert_int_equal(keeli_component_acquire(&without_slot), number);
    assert_int_equal(keeli_component_acquire(&a), number);
}

static void the_slot_answers_from_then_on(void **state) {
    (void)state;
    uint32_t slot = 0;
    keel_component c = base("Slotted");
    c.slot = &slot;
    const uint32_t number = keeli_component_acquire(&c);
    c.name = c.type = NULL; // what is not looked at any more
    assert_int_equal(keeli_component_acquire(&c), number);
    slot = 4711;
    assert_int_equal(keeli_component_acquire(&c), 4711);
}

// A plug-in that is loaded again brings slots of zero, strings elsewhere, and other hooks.
static void a_reloaded_copy_has_the_old_number(void **state) {
    (void)state;
    char name[] = "Reloaded", file[] = "src/plugin.c";
    uint32_t slot = 0;
    keel_component first = { .name = name, .size = 4, .align = 4, .file = file, .slot = &slot };
    const uint32_t number = keeli_component_acquire(&first);
    memset(name, 'x', sizeof name - 1); // unloaded
    memset(file, 'x', sizeof file - 1);
    uint32_t fresh_slot = 0;
    keel_component second = first;
    second.name = "Reloaded";
    second.file = "src/plugin.c";
    second.slot = &fresh_slot;
    assert_int_equal(keeli_component_acquire(&second), number);
    assert_int_equal(fresh_slot, number);
}

static void drop(void *value, void *hook_data) {
    (void)value;
    (void)hook_data;
}
static bool copy(void *to, const void *from, void *hook_data) {
    (void)to;
    (void)from;
    (void)hook_data;
    return true;
}
static void move(void *to, void *from, void *hook_data) {
    (void)to;
    (void)from;
    (void)hook_data;
}

// Only the definition counts: hooks, fields, the line and the type's name do not.
static void what_does_not_count(void **state) {
    (void)state;
    static const keel_field fields[] = {
        { .name = "x", .type = KEEL_FIELD_F32, .offset = 0, .count = 1 }
    };
    const keel_component plain = base("Plain");
    keel_component c = plain;
    const uint32_t number = keeli_component_acquire(&plain);
    c.drop = drop;
    c.copy = copy;
    c.move = move;
    c.hook_data = &c;
    c.fields = fields;
    c.field_count = 1;
    c.line = 999;
    c.type = "Anything";
    assert_int_equal(keeli_component_acquire(&c), number);
}

static void defaults_are_what_they_stand_for(void **state) {
    (void)state;
    keel_component c = { .name = "Defaults", .size = 3, .align = 1, .file = "" };
    const uint32_t number = keeli_component_acquire(&c);
    c.align = 0;
    assert_int_equal(keeli_component_acquire(&c), number);
    c.file = NULL; // made at run time
    assert_int_equal(keeli_component_acquire(&c), number);
    c.name = NULL;
    c.type = "Defaults"; // the name is the type's
    assert_int_equal(keeli_component_acquire(&c), number);
}

static void folders_do_not_count(void **state) {
    (void)state;
    const char *const paths[] = { "position.h",           "/usr/include/game/position.h",
                                  "./position.h",         "..\\game\\position.h",
                                  "C:\\game/position.h",  "//position.h",
                                  "C:/a\\b/c\\position.h" };
    keel_component c = base("Foldered");
    const uint32_t number = keeli_component_acquire(&c);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        c.file = paths[i];
        assert_string_equal(keeli_base_name(c.file), "position.h");
        assert_int_equal(keeli_component_acquire(&c), number);
    }
    assert_string_equal(keeli_base_name(NULL), "");
    assert_string_equal(keeli_base_name(""), "");
    assert_string_equal(keeli_base_name("folder/"), "");
}

// ------------------------------------------------------------------ other definitions
static void each_part_of_the_definition_counts(void **state) {
    (void)state;
    keel_component all[9];
    for (size_t i = 0; i < 9; ++i)
        all[i] = base("Parts");
    all[1].name = "parts";
    all[2].name = "Parts2";
    all[3].size = 12;
    all[4].align = 8;
    all[5].file = "game/position.c";
    all[6].file = NULL;
    all[7].is_unique = true;
    all[8].storage = (keel_storage)1; // none yet: the world refuses it
    uint32_t numbers[9];
    for (size_t i = 0; i < 9; ++i) {
        numbers[i] = keeli_component_acquire(&all[i]);
        assert_int_not_equal(numbers[i], 0);
        for (size_t k = 0; k < i; ++k)
            assert_int_not_equal(numbers[i], numbers[k]);
    }
    for (size_t i = 0; i < 9; ++i)
        assert_int_equal(keeli_component_acquire(&all[i]), numbers[i]);
}

static void no_name_is_no_component(void **state) {
    (void)state;
    uint32_t slot = 0;
    const keel_component c = { .size = 4, .align = 4, .slot = &slot, .file = "a.c" };
    assert_int_equal(keeli_component_acquire(&c), 0);
    assert_int_equal(slot, 0);
}

// ------------------------------------------------------------------ many
enum { MANY = 1000 };

static keel_component numbered(char *text, size_t size, uint32_t i) {
    snprintf(text, size, "Many%u", i);
    return base(text);
}

// Numbers are dense, and stay while the list of definitions grows. The texts are copied.
static void a_thousand_definitions(void **state) {
    (void)state;
    char text[32];
    uint32_t numbers[MANY];
    for (uint32_t i = 0; i < MANY; ++i) {
        const keel_component c = numbered(text, sizeof text, i);
        numbers[i] = keeli_component_acquire(&c);
        assert_int_equal(numbers[i], numbers[0] + i);
    }
    for (uint32_t i = MANY; i-- > 0;) {
        const keel_component c = numbered(text, sizeof text, i);
        assert_int_equal(keeli_component_acquire(&c), numbers[i]);
    }
}

enum { THREADS = 4, SHARED = 200 };
static uint32_t shared_slots[SHARED];

typedef struct asked {
    pthread_t thread;
    uint32_t first;
    uint32_t numbers[SHARED];
} asked;

// Each thread begins elsewhere; they share the slots of every second definition.
static void *ask(void *data) {
    asked *a = data;
    char text[32];
    for (uint32_t i = 0; i < SHARED; ++i) {
        const uint32_t k = (a->first + i) % SHARED;
        snprintf(text, sizeof text, "Threads%u", k);
        keel_component c = base(text);
        if (k % 2) c.slot = &shared_slots[k];
        a->numbers[k] = keeli_component_acquire(&c);
    }
    return NULL;
}

static void threads_get_the_same_numbers(void **state) {
    (void)state;
    static asked all[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i) {
        all[i].first = i * 37;
        assert_int_equal(pthread_create(&all[i].thread, NULL, ask, &all[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
    for (uint32_t k = 0; k < SHARED; ++k) {
        assert_int_not_equal(all[0].numbers[k], 0);
        for (uint32_t i = 1; i < THREADS; ++i)
            assert_int_equal(all[i].numbers[k], all[0].numbers[k]);
        for (uint32_t other = 0; other < k; ++other)
            assert_int_not_equal(all[0].numbers[other], all[0].numbers[k]);
    }
}

// ------------------------------------------------------------------ what nobody uses any more
static void looking_makes_no_definition(void **state) {
    (void)state;
    const keel_component c = base("Sought");
    assert_int_equal(keeli_component_find(&c), 0);
    assert_int_equal(keeli_component_find(&c), 0);
    const uint32_t number = keeli_component_acquire(&c);
    assert_int_equal(keeli_component_find(&c), number);
    keeli_component_release(number);
}

static void a_definition_goes_with_the_last_world(void **state) {
    (void)state;
    const keel_component c = base("Shared");
    const uint32_t number = keeli_component_acquire(&c);
    assert_int_equal(keeli_component_acquire(&c), number);
    keeli_component_release(number);
    assert_int_equal(keeli_component_find(&c), number);
    keeli_component_release(number);
    assert_int_equal(keeli_component_find(&c), 0);
    uint32_t most = 0; // numbers are used again
    for (uint32_t i = 0; i < 1000; ++i) {
        char name[16];
        snprintf(name, sizeof name, "Passing%u", (unsigned)i);
        const keel_component passing = base(name);
        const uint32_t own = keeli_component_acquire(&passing);
        if (own > most) most = own;
        keeli_component_release(own);
    }
    const keel_component last = base("Last");
    assert_true(keeli_component_acquire(&last) <= most);
}

static void a_slot_keeps_its_number(void **state) {
    (void)state;
    uint32_t slot = 0;
    keel_component c = base("Static");
    c.slot = &slot;
    const uint32_t number = keeli_component_acquire(&c);
    keeli_component_release(number);
    const keel_component same = base("Static"), other = base("Another");
    assert_int_not_equal(keeli_component_acquire(&other), number);
    assert_int_equal(keeli_component_find(&same), number);
    assert_int_equal(keeli_component_acquire(&c), number);
}

static void what_is_declared_alike(void **state) {
    (void)state;
    uint32_t slot = 0;
    keel_component c = base("Alike");
    c.slot = &slot;
    (void)keeli_component_acquire(&c);
    assert_true(keeli_component_is_like(&c));
    c.size *= 2;
    assert_false(keeli_component_is_like(&c));
    c.size /= 2;
    c.align = 64;
    assert_false(keeli_component_is_like(&c));
}

static const struct CMUnitTest tests[] = {
    TEST(copies_have_one_number, "copies of a definition have one number, each in its slot"),
    TEST(the_slot_answers_from_then_on, "the slot answers from then on"),
    TEST(a_reloaded_copy_has_the_old_number, "a copy that is loaded again has the old number"),
    TEST(what_does_not_count, "hooks, fields, line and type do not count"),
    TEST(defaults_are_what_they_stand_for, "defaults are what they stand for"),
    TEST(folders_do_not_count, "folders do not count, the file's name does"),
    TEST(each_part_of_the_definition_counts,
         "another name, size, alignment, file, storage or kind is another component"),
    TEST(no_name_is_no_component, "without a name there is no number"),
    TEST(a_thousand_definitions, "a thousand definitions have a thousand numbers in a row"),
    TEST(threads_get_the_same_numbers, "threads that ask at the same time get the same numbers"),
    TEST(looking_makes_no_definition, "looking for a definition does not make one"),
    TEST(a_definition_goes_with_the_last_world,
         "a definition goes with the last world that has it"),
    TEST(what_is_declared_alike, "another size or alignment is not alike"),
    TEST(a_slot_keeps_its_number, "a definition that a slot points to keeps its number"),
};

int main(void) { return RUN(tests); }
