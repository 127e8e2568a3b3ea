// SPDX-License-Identifier: MIT
// Saves whose content was changed and whose hashes are right again: the loader answers with an
// error and changes nothing, or loads a world that is sound. SAVE_ROUNDS sets how many there are.
#include "support/old_saves.h"

#include <keel_save.h>
#include <save.h>

typedef struct Chest {
    bool is_open;
    char label[6];
    keel_entity owner;
    int16_t coins[2];
} Chest;
KEEL_FIELDS(Chest, is_open, label, owner, coins);
KEEL_COMPONENT(Chest, KEEL_HAS_FIELDS(Chest));
typedef struct Row {
    int32_t number;
} Row;
KEEL_FIELDS(Row, number);
KEEL_COMPONENT(Row, KEEL_HAS_FIELDS(Row), .storage = KEEL_ARCHETYPE);
typedef struct Mood {
    float joy;
} Mood;
KEEL_FIELDS(Mood, joy);
KEEL_COMPONENT(Mood, KEEL_HAS_FIELDS(Mood), .storage = KEEL_INDEXED, .required = KEEL_LIST(Row));
typedef struct OwnedBy {
    int16_t since;
} OwnedBy;
KEEL_FIELDS(OwnedBy, since);
KEEL_VALUED_RELATION(OwnedBy, KEEL_HAS_FIELDS(OwnedBy), .exclusive = true, .acyclic = true);
typedef struct Round {
    uint32_t number;
    keel_entity winner;
} Round;
KEEL_FIELDS(Round, number, winner);
typedef struct Letter { // owns a text, has an enum, and was another one in version 1
    char *text, *pages[2];
    uint8_t mood;
} Letter;
KEEL_FIELDS(Letter, text, pages, KEEL_FIELD(mood, .of = KEEL_TYPE(Temper)));
static void drop_letter(void *value, void *data) {
    (void)data;
    Letter *letter = value;
    free(letter->text);
    free(letter->pages[0]);
    free(letter->pages[1]);
}
static char *copy_text(const char *from) {
    char *text = from ? malloc(strlen(from) + 1) : NULL;
    return text ? strcpy(text, from) : NULL;
}
static bool copy_letter(void *to, const void *from, void *data) {
    (void)data;
    Letter letter = *(const Letter *)from;
    letter.text = copy_text(letter.text);
    letter.pages[0] = copy_text(letter.pages[0]);
    letter.pages[1] = copy_text(letter.pages[1]);
    memcpy(to, &letter, sizeof letter);
    return true;
}
static keel_result migrate_letter(const keel_old_value *old, void *value, void *data) {
    (void)data;
    const char *text = keel_old_text(old, "text", "");
    ((Letter *)value)->mood =
        (uint8_t)((text ? strlen(text) : 0) + (size_t)keel_old_int(old, "mood", 0) +
                  strlen(keel_old_text(old, "mood", "")));
    return keel_old_text(old, "pages[1]", NULL) ? KEEL_OK : KEEL_ABSENT;
}
KEEL_COMPONENT(Letter, KEEL_HAS_FIELDS(Letter), .drop = drop_letter, .copy = copy_letter,
               .version = 1);
static const keel_component later_letter = { .name = "Letter",
                                             .size = sizeof(Letter),
                                             .align = sizeof(void *),
                                             .fields = KEEL_FIELDS_Letter,
                                             .field_count = 3,
                                             .drop = drop_letter,
                                             .copy = copy_letter,
                                             .version = 2,
                                             .migrate = migrate_letter };
KEEL_UNIQUE(Round, KEEL_HAS_FIELDS(Round));

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static keel_world *empty_world(void) {
    static log_record log;
    keel_world *world = keel_world_create(&(keel_world_desc){
        .log = log_to(&log), .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    assert_non_null(world);
    return world;
}

static keel_world *new_world(void) {
    keel_world *world = empty_world();
    assert_int_equal(keel_register(world, Chest, Row, Mood, OwnedBy), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Round)));
    return world;
}

static void fill(keel_world *world) {
    keel_entity all[12];
    for (uint32_t i = 0; i < 12; ++i) {
        all[i] = keel_add_entity(world, KEEL_INIT(Row, { (int32_t)i }));
        const keel_entity last = i ? all[i - 1] : keel_null();
        if (i % 2) keel_add(world, all[i], Chest, { true, "gold", last, { 1, -1 } });
        if (i % 3) keel_add(world, all[i], Mood, { 0.5F });
        if (i % 3 == 2)
            keel_add(world, all[i], Letter, { copy_text("dear"), { NULL, copy_text("") }, CALM });
        if (i % 4) assert_int_equal(keel_attach(world, all[i], last), KEEL_OK);
        if (i > 3) assert_int_equal(keel_relate(world, all[i], OwnedBy, last, { 7 }), KEEL_OK);
        const char name[] = { 'n', (char)('a' + i), 0 };
        if (i % 5) assert_int_equal(keel_set_name(world, all[i], name), KEEL_OK);
    }
    assert_int_equal(keel_disable(world, all[4], Mood), KEEL_OK);
    assert_int_equal(keel_disable(world, all[4], Row), KEEL_OK);
    assert_int_equal(keel_delete_entity(world, all[2]), KEEL_OK);
    keel_set_unique(world, Round, { 3, all[1] });
}

static bool keep(void *context, const void *bytes, size_t size) {
    unsigned char *at = save_bytes_more(context, size);
    if (at && size) memcpy(at, bytes, size);
    return at || !size;
}

// One to three changes: a byte, a number, bytes that come or go.
static void change(save_bytes *body) {
    for (uint32_t times = 1 + below(3); times && body->size > 4; --times) {
        static const uint32_t odd[] = { 0,          1,          2,          3,         127,
                                        255,        4096,       65535,      65536,     0x7FFFFFFF,
                                        0x80000000, 0xFFFFEFFF, 0xFFFFFFFE, UINT32_MAX };
        unsigned char *at = body->data + below((uint32_t)body->size - 4);
        switch (below(5)) {
        case 0:
            *at ^= (unsigned char)(1u << below(8));
            break;
        case 1:
            save_write_number(at, odd[below(14)], 4);
            break;
        case 2:
            body->size -= 1 + below(4);
            break;
        case 3: {
            const size_t more = 1 + below(4);
            unsigned char *end = save_bytes_more(body, more);
            if (end) memset(end, (int)below(256), more);
            break;
        }
        default:
            memcpy(at, body->data + below((uint32_t)body->size - 4), 4);
        }
    }
}

// The file again, with each section handed to `edit`, which says how often it comes.
static void rewrite(const save_bytes *file, save_bytes *out,
                    uint32_t (*edit)(uint32_t number, char *tag, save_bytes *body)) {
    save_reader r = { .at = file->data, .end = file->data + file->size, .bytes_left = 1 << 24 };
    save_writer w = { .sink = { keep, out } };
    assert_int_equal(save_read_header(&r), KEEL_OK);
    assert_int_equal(save_write_header(&w), KEEL_OK);
    for (uint32_t n = 0;; ++n) {
        assert_int_equal(save_read_section(&r), KEEL_OK);
        if (!strcmp(r.tag, "ENDS")) break;
        assert_int_equal(save_unpack_all(&r), KEEL_OK);
        r.offset = r.body.size;
        assert_int_equal(save_finish_section(&r, false), KEEL_OK);
        uint32_t times = edit(n, r.tag, &r.body);
        const save_part part = { &r.body, 1 };
        for (; times; --times)
            assert_int_equal(save_write_section(&w, r.tag, &part, 1), KEEL_OK);
    }
    assert_int_equal(save_write_end(&w), KEEL_OK);
    save_reader_free(&r);
    save_writer_free(&w);
}

// One section is changed, left out or there twice.
static uint32_t victim, how;
static uint32_t edit_one(uint32_t number, char *tag, save_bytes *body) {
    (void)tag;
    if (number == victim && how > 1) change(body);
    return number != victim || how > 1 ? 1 : how * 2;
}

static void fail_unless_sound(keel_world *world, unsigned long round) {
    keel_error broken = { 0 };
    uint64_t hash;
    if (!keel_world_check(world, &broken)) fail_msg("round %lu: %s", round, broken.message);
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
}

// One file, changed in many ways: how many of them load.
static unsigned long play(const save_bytes *file, unsigned long rounds, int which) {
    unsigned long loaded = 0;
    for (unsigned long round = 0; round < rounds; ++round) {
        save_bytes changed = { 0 };
        keel_error why = { 0 };
        keel_world *to = which < 0 ? new_world() : empty_world();
        const keel_load_options options = { .error = &why,
                                            .unknown = (keel_unknown)(round % 3),
                                            .narrow = round % 2 };
        if (which >= 0 && round % 5) old_save_know(to, (uint32_t)which); // else they are kept
        if (which < 0 && round % 4)
            assert_non_null(
                keel_register_component(to, round % 4 == 1 ? KEEL_OF(Letter) : &later_letter));
        seed = round;
        victim = below(14);
        how = below(10);
        rewrite(file, &changed, edit_one);
        const keel_result r = keel_load_from(to, changed.data, changed.size, &options);
        // an argument: migrate says it of what cannot be
        if (r < 0 && r != KEEL_ERROR_FORMAT && r != KEEL_ERROR_SCHEMA && r != KEEL_ERROR_ARGUMENT)
            fail_msg("round %lu: %d %s", round, (int)r, why.message);
        if (r < 0) assert_int_equal(why.result, r);
        if (r < 0) assert_int_equal(keel_entity_count(to), 0);
        fail_unless_sound(to, round);
        save_bytes again = { 0 };
        const keel_result saved = keel_save_to(to, (keel_save_sink){ keep, &again }, NULL);
        if (saved != KEEL_OK) fail_msg("round %lu: saved %d", round, (int)saved);
        loaded += r == KEEL_OK;
        keel_world_destroy(to);
        save_bytes_free(&again);
        save_bytes_free(&changed);
    }
    return loaded;
}

static unsigned long round_count(void) {
    const char *asked = getenv("SAVE_ROUNDS");
    return asked && *asked ? strtoul(asked, NULL, 10) : 3000;
}

static void changed_saves_are_refused_or_sound(void **state) {
    (void)state;
    keel_world *from = new_world();
    save_bytes file = { 0 };
    assert_int_equal(keel_register(from, Letter), KEEL_OK);
    fill(from);
    assert_int_equal(keel_save_to(from, (keel_save_sink){ keep, &file }, NULL), KEEL_OK);
    const unsigned long loaded = play(&file, round_count(), -1);
    assert_in_range(loaded, 1, round_count() - 1); // both happen
    keel_world_destroy(from);
    save_bytes_free(&file);
}

static void changed_old_saves_are_refused_or_sound(void **state) {
    (void)state;
    static unsigned char bytes[8192];
    for (int which = 0; which < OLD_SAVES; ++which) {
        const save_bytes file = { .data = bytes,
                                  .size = old_save_read((uint32_t)which, bytes, sizeof bytes) };
        const unsigned long loaded = play(&file, round_count() / 5, which);
        assert_in_range(loaded, 1, round_count() / 5 - 1);
    }
}

// ------------------------------------------------------------------ one by one
typedef struct Switch {
    bool on;
} Switch;
KEEL_FIELDS(Switch, on);
KEEL_COMPONENT(Switch, KEEL_HAS_FIELDS(Switch));

static uint32_t set_last_byte(uint32_t number, char *tag, save_bytes *body) {
    (void)number;
    if (!strcmp(tag, "COMP")) body->data[body->size - 1] = 2;
    return 1;
}
static uint32_t say_twice(uint32_t number, char *tag, save_bytes *body) {
    (void)number, (void)body;
    return strcmp(tag, "info") == 0 ? 2 : 1;
}
static uint32_t leave_out_values(uint32_t number, char *tag, save_bytes *body) {
    (void)number, (void)body;
    return strcmp(tag, "COMP") != 0;
}

static uint32_t add_to_info(uint32_t number, char *tag, save_bytes *body) {
    (void)number;
    if (!strcmp(tag, "info")) save_put(body, 0, 1);
    return 1;
}
static uint32_t take_last_end(uint32_t number, char *tag, save_bytes *body) {
    (void)number;
    if (!strcmp(tag, "info")) body->data[body->size - 1] = 'x';
    return 1;
}
static uint32_t take_last_row(uint32_t number, char *tag, save_bytes *body) {
    (void)number;
    if (!strcmp(tag, "COMP")) --body->size;
    return 1;
}

static uint32_t add_to_values(uint32_t number, char *tag, save_bytes *body) {
    (void)number;
    if (!strcmp(tag, "COMP")) save_put(body, 0, 1);
    return 1;
}
static uint32_t tag_later(uint32_t number, char *tag, save_bytes *body) {
    (void)number, (void)body;
    if (!strcmp(tag, "COMP")) tag[0] = 'X';
    return 1;
}
static uint32_t tag_optional(uint32_t number, char *tag, save_bytes *body) {
    (void)number, (void)body;
    if (!strcmp(tag, "COMP")) tag[0] = 'x';
    return 1;
}
static uint32_t take_end_of_text(uint32_t number, char *tag, save_bytes *body) {
    return take_last_row(number, tag, body);
}

static void expect_refused(const save_bytes *file,
                           uint32_t (*edit)(uint32_t number, char *tag, save_bytes *body),
                           const char *message) {
    save_bytes changed = { 0 };
    keel_error why = { 0 };
    keel_world *to = empty_world();
    if (edit != take_last_row)
        assert_int_equal(keel_register(to, Switch, Beast, Letter), KEEL_OK); // else it is kept
    rewrite(file, &changed, edit);
    const keel_load_options options = { .error = &why, .unknown = KEEL_UNKNOWN_KEEP };
    assert_int_equal(keel_load_from(to, changed.data, changed.size, &options), KEEL_ERROR_FORMAT);
    assert_string_equal(why.message, message);
    keel_world_destroy(to);
    save_bytes_free(&changed);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    save_bytes file = { 0 };
    keel_world *from = empty_world();
    keel_add_entity(from, KEEL_INIT(Switch, { true }));
    assert_int_equal(keel_save_to(from, (keel_save_sink){ keep, &file }, NULL), KEEL_OK);
    expect_refused(&file, set_last_byte, "section COMP 'Switch': a value is invalid for its type");
    expect_refused(&file, tag_later, "section XOMP: is unknown; a later version of Keel wrote it");
    save_bytes later = { 0 };
    keel_world *to = empty_world();
    rewrite(&file, &later, tag_optional);
    assert_int_equal(keel_load_from(to, later.data, later.size, NULL), KEEL_OK);
    assert_int_equal(keel_entity_count(to), 1);
    keel_world_destroy(to);
    save_bytes_free(&later);
    keel_clear_entities(from);
    keel_add_entity(from, KEEL_INIT(Beast, { CALM }));
    file.size = 0;
    assert_int_equal(keel_save_to(from, (keel_save_sink){ keep, &file }, NULL), KEEL_OK);
    expect_refused(&file, add_to_info, "section COMP 'Mob': its info section is damaged");
    expect_refused(&file, take_last_end, "section COMP 'Mob': its info section is damaged");
    expect_refused(&file, take_last_row, "section COMP 'Mob': its size is wrong");
    expect_refused(&file, say_twice, "section info: is empty or follows another info section");
    expect_refused(&file, leave_out_values,
                   "section PARE: follows an info section, which must precede values");
    keel_clear_entities(from);
    keel_add_entity(from, KEEL_INIT(Letter, { copy_text("dear"), { NULL, NULL }, CALM }));
    file.size = 0;
    assert_int_equal(keel_save_to(from, (keel_save_sink){ keep, &file }, NULL), KEEL_OK);
    expect_refused(&file, add_to_values, "section COMP 'Letter': its size is wrong");
    expect_refused(&file, take_end_of_text, "section COMP 'Letter': a text is damaged");
    expect_refused(&file, take_last_row, "section COMP 'Letter': a text is damaged");
    keel_world_destroy(from);
    save_bytes_free(&file);
}

// In memory of its own, so that a look behind it is noticed.
static void texts_end_where_they_lie(void **state) {
    (void)state;
    save_leaf leaf = { .path = "text", .type = KEEL_FIELD_OWNED_TEXT, .count = 1 };
    const save_schema schema = {
        .leaves = &leaf, .leaf_count = 1, .row_bytes = 4, .text_count = 1
    };
    unsigned char row[4], *texts = malloc(4);
    assert_non_null(texts);
    memcpy(texts, "abc", 4);
    for (uint32_t length = 0; length < 8; ++length) {
        const unsigned char *at = texts;
        const char *text = "";
        save_write_number(row, length, 4);
        const bool is_right = save_walk_texts(&schema, row, &at, texts + 4, &text);
        assert_true(is_right == (length == 0 || length == 4));
        if (length == 4) assert_string_equal(text, "abc");
    }
    texts[3] = 'd';
    const unsigned char *at = texts;
    save_write_number(row, 5, 4);
    assert_false(save_walk_texts(&schema, row, &at, texts + 4, NULL));
    free(texts);
}

static const struct CMUnitTest tests[] = {
    TEST(what_cannot_be_is_refused, "what cannot be is refused, and named"),
    TEST(texts_end_where_they_lie, "texts end where they lie"),
    TEST(changed_saves_are_refused_or_sound, "saves with other content are refused, or sound"),
    TEST(changed_old_saves_are_refused_or_sound, "and so are saves of earlier programs"),
};

int main(void) { return RUN(tests); }
