// SPDX-License-Identifier: MIT
// Each allocation of saving and loading fails once, and from there on: the world is as it was. The
// linker leads malloc and its like here (--wrap).
#include "support/failing_malloc.h"
#include "support/old_saves.h"

#include <keel_save.h>

// How many allocations still succeed; then one fails, or all.
static size_t left = SIZE_MAX;
static bool fails_once;
static bool fails(void) {
    if (left == SIZE_MAX) return false;
    if (left) return --left, false;
    if (fails_once) left = SIZE_MAX;
    return true;
}

// ------------------------------------------------------------------ what is saved
typedef struct Letter {
    char *text;
    uint8_t mood;
    int32_t stamps[3];
} Letter;
KEEL_FIELDS(Letter, text, KEEL_FIELD(mood, .of = KEEL_TYPE(Temper)), stamps);
static void drop_letter(void *value, void *data) {
    (void)data;
    free(((Letter *)value)->text);
}
static char *copy_text(const char *from) {
    char *text = malloc(strlen(from) + 1);
    return text ? strcpy(text, from) : NULL;
}
static bool copy_letter(void *to, const void *from, void *data) {
    (void)data;
    Letter letter = *(const Letter *)from;
    if (letter.text && (letter.text = copy_text(letter.text)) == NULL) return false;
    memcpy(to, &letter, sizeof letter);
    return true;
}
KEEL_COMPONENT(Letter, KEEL_HAS_FIELDS(Letter), .drop = drop_letter, .copy = copy_letter);
KEEL_UNIQUE(Letter, KEEL_HAS_FIELDS(Letter), .drop = drop_letter, .copy = copy_letter);
typedef struct Answers {
    char *text;
} Answers;
static void drop_answers(void *value, void *data) {
    (void)data;
    free(((Answers *)value)->text);
}
static bool copy_answers(void *to, const void *from, void *data) {
    (void)data;
    Answers answers = *(const Answers *)from;
    if (answers.text && (answers.text = copy_text(answers.text)) == NULL) return false;
    memcpy(to, &answers, sizeof answers);
    return true;
}
typedef struct Page {
    int16_t number;
    char *text;
} Page;
KEEL_FIELDS(Page, number, text);
static void drop_page(void *value, void *data) {
    (void)data;
    free(((Page *)value)->text);
}
static bool copy_page(void *to, const void *from, void *data) {
    (void)data;
    Page page = *(const Page *)from;
    if (page.text && (page.text = copy_text(page.text)) == NULL) return false;
    memcpy(to, &page, sizeof page);
    return true;
}
KEEL_COMPONENT(Page, KEEL_HAS_FIELDS(Page), .drop = drop_page, .copy = copy_page, .version = 3);
KEEL_RELATION(Follows);
KEEL_FIELDS(Answers, text);
KEEL_VALUED_RELATION(Answers, KEEL_HAS_FIELDS(Answers), .exclusive = true, .drop = drop_answers,
                     .copy = copy_answers);

// Another text, or none when memory runs out.
static keel_result migrate_letter(const keel_old_value *old, void *value, void *data) {
    Letter *letter = value;
    const char *text = keel_old_text(old, "text", NULL);
    (void)data;
    letter->stamps[0] = (int32_t)keel_old_int(old, "stamps[2]", 0);
    char *copy = text ? copy_text(text) : NULL;
    if (text && !copy) return KEEL_ERROR_MEMORY;
    free(letter->text);
    letter->text = copy;
    return KEEL_OK;
}
static keel_world *new_world(void) {
    static log_record log;
    keel_world *world = keel_world_create(&(keel_world_desc){
        .log = log_to(&log), .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    assert_non_null(world);
    return world;
}
static const Letter begin_letter = { NULL, CALM, { 1, 2, 3 } };
static void know_later(keel_world *world) {
    keel_component later = *KEEL_OF(Letter);
    later.version = 1;
    later.migrate = migrate_letter;
    later.initial = &begin_letter;
    assert_non_null(keel_register_component(world, &later));
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Letter)));
    assert_non_null(keel_register_component(world, KEEL_OF(Answers)));
}

static unsigned char kept[1 << 14];
static size_t kept_size;
static bool keep(void *context, const void *bytes, size_t size) {
    (void)context;
    if (size > sizeof kept - kept_size) return false;
    if (size) memcpy(kept + kept_size, bytes, size);
    kept_size += size;
    return true;
}

static void fill(keel_world *world) {
    keel_entity last = keel_null();
    for (int32_t i = 0; i < 12; ++i) {
        const keel_entity e = keel_add_entity(
            world, KEEL_INIT(Letter, { copy_text("dear you"), ANGRY, { i, 0, 5 } }));
        if (i % 2) keel_add(world, e, Page, { (int16_t)i, copy_text("...") });
        if (i) assert_int_equal(keel_relate(world, e, Follows, last), KEEL_OK);
        if (i)
            assert_int_equal(keel_relate(world, e, Answers, last, { copy_text("hello") }), KEEL_OK);
        last = e;
    }
    keel_set_unique(world, Letter, { copy_text("to all"), CALM, { 0, 0, 0 } });
}

static void load_fails(bool once) {
    keel_world *world = new_world();
    keel_error why;
    know_later(world);
    uint64_t before, after;
    assert_int_equal(keel_world_hash(world, &before), KEEL_OK);
    keel_result r = KEEL_ERROR_MEMORY;
    size_t count = 0;
    for (; r != KEEL_OK; ++count) {
        left = count, fails_once = once;
        r = keel_load_from(world, kept, kept_size,
                           &(keel_load_options){ .error = &why, .unknown = KEEL_UNKNOWN_KEEP });
        left = SIZE_MAX;
        if (r == KEEL_OK) break;
        if (r != KEEL_ERROR_MEMORY && r != KEEL_ERROR_COPY) fail_msg("%d: %s", r, why.message);
        assert_int_equal(why.result, r);
        assert_int_equal(keel_entity_count(world), 0);
        assert_int_equal(keel_world_hash(world, &after), KEEL_OK);
        assert_true(before == after);
        keel_clear_errors(world);
    }
    assert_true(count > 10);
    assert_int_equal(keel_entity_count(world), 12);
    assert_int_equal(keel_get(world, keel_entity_at(world, 3), Letter)->stamps[0], 5);
    assert_string_equal(keel_get_unique(world, Letter)->text, "to all");
    keel_world_destroy(world);
}

static void loading(void **state) {
    (void)state;
    keel_world *from = new_world();
    fill(from);
    kept_size = 0;
    assert_int_equal(keel_save_to(from, (keel_save_sink){ keep, NULL }, NULL), KEEL_OK);
    keel_world_destroy(from);
    load_fails(true);
    load_fails(false);
}

// With what it keeps for a program that knows more.
static void saving(void **state) {
    (void)state;
    keel_world *world = new_world();
    keel_error why;
    know_later(world);
    assert_int_equal(keel_load_from(world, kept, kept_size,
                                    &(keel_load_options){ .unknown = KEEL_UNKNOWN_KEEP }),
                     KEEL_OK);
    for (size_t count = 0, once = 0; once < 2; ++count) {
        kept_size = 0;
        left = count, fails_once = once;
        const keel_result r = keel_save_to(world, (keel_save_sink){ keep, NULL },
                                           &(keel_save_options){ .error = &why });
        left = SIZE_MAX;
        if (r == KEEL_OK) assert_true(count > 10);
        else if (r != KEEL_ERROR_MEMORY && r != KEEL_ERROR_COPY) fail_msg("%d: %s", r, why.message);
        if (r == KEEL_OK) ++once, count = 0;
    }
    keel_world_destroy(world);
    world = new_world(); // nothing of it is lost
    assert_int_equal(keel_register(world, Letter, Page, Follows, Answers), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Letter)));
    assert_int_equal(keel_load_from(world, kept, kept_size, NULL), KEEL_ERROR_SCHEMA); // newer
    keel_world_destroy(world);
    world = new_world();
    know_later(world);
    assert_int_equal(keel_register(world, Page, Follows), KEEL_OK);
    assert_int_equal(keel_load_from(world, kept, kept_size, NULL), KEEL_OK);
    assert_int_equal(keel_component_count(world, KEEL_OF(Page)), 6);
    assert_string_equal(keel_get(world, keel_entity_at(world, 3), Page)->text, "...");
    keel_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    TEST(loading, "whichever allocation of loading fails, the world is as it was"),
    TEST(saving, "whichever allocation of saving fails, the world is as it was"),
};

int main(void) { return RUN(tests); }
