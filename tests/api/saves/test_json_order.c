// SPDX-License-Identifier: MIT
// The order of a target's sources, and of a source's targets, comes back from JSON, of sorted
// sources, too; and what is wrong in a list of sources is named.
#include "support/random_edges.h"

#include <keel_json.h>
#include <stdio.h>

static api_fixture f, g;
typedef struct text {
    char data[1 << 18];
    size_t length;
} text;
static text first, second;

static bool keep(void *context, const char *data, size_t length) {
    text *to = context;
    assert_true(length < sizeof to->data - to->length);
    memcpy(to->data + to->length, data, length);
    to->length += length;
    to->data[to->length] = '\0';
    return true;
}

static void write(const keel_world *world, bool handles, text *to) {
    const keel_json_write_options options = { .handles = handles };
    to->length = 0;
    assert_int_equal(keel_json_write_to(world, keep, to, &options, NULL), KEEL_OK);
}

static void begin(uint32_t from) {
    begin_edges(from);
    api_begin(&f);
    api_begin(&g);
    register_relations(f.world, g.world);
}
static void end(void) {
    api_end(&g);
    api_end(&f);
}

static int by_salt(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t salt = *(uint32_t *)data;
    const uint32_t x = (keel_entity_index(a) * 2654435761u ^ salt) >> 28,
                   y = (keel_entity_index(b) * 2654435761u ^ salt) >> 28;
    (void)world;
    return (x > y) - (x < y);
}

// Some are children of others, so the text is not in the order of indices; some have no name.
static void make_entities(keel_entity *e) {
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        char name[16];
        e[i] = keel_add_entity(f.world);
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        if (roll(4)) keel_set_name(f.world, e[i], name);
    }
    for (uint32_t i = 0; i < ENTITIES / 2; ++i)
        (void)keel_attach(f.world, e[roll(ENTITIES)], e[roll(ENTITIES)]);
    relate_all(f.world, e, ENTITIES);
}

static void a_text_keeps_the_order(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 20; ++from) {
        keel_entity e[ENTITIES];
        begin(from);
        make_entities(e);
        for (uint32_t i = 0; from % 2 && i < ENTITIES; ++i)
            for (uint32_t r = 0, salt = from; r < RELATIONS; ++r, salt += 99)
                (void)keel_sort_sources(f.world, e[i], relations[r], by_salt, &salt);
        write(f.world, true, &first);
        keel_error error = { 0 };
        if (keel_json_load_text(g.world, first.data, first.length, NULL, &error) != KEEL_OK)
            fail_msg("%s", error.message);
        assert_alike(f.world, e, g.world, e, ENTITIES);
        write(g.world, true, &second);
        assert_string_equal(first.data, second.data);
        end();
    }
}

// The same where handles are new: by the names of all.
static void new_handles_change_nothing(void **state) {
    (void)state;
    for (uint32_t from = 0; from < 10; ++from) {
        keel_entity e[ENTITIES], copies[ENTITIES];
        begin(from + 100);
        for (uint32_t i = 0; i < 5; ++i)
            keel_add_entity(f.world);
        make_entities(e);
        for (uint32_t i = 0; i < ENTITIES; ++i) {
            char name[16];
            snprintf(name, sizeof name, "m%u", (unsigned)i);
            assert_int_equal(keel_set_name(f.world, e[i], name), KEEL_OK);
            keel_detach(f.world, e[i]);
        }
        for (keel_entity at = keel_null(); !keel_is_null(at = keel_next_entity(f.world, at));)
            if (!keel_name_of(f.world, at)) keel_delete_entity(f.world, at);
        write(f.world, false, &first);
        assert_int_equal(keel_json_load_text(g.world, first.data, first.length, NULL, NULL),
                         KEEL_OK);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            copies[i] = keel_find_entity(g.world, keel_null(), keel_name_of(f.world, e[i]));
        assert_alike(f.world, e, g.world, copies, ENTITIES);
        end();
    }
}

// Nothing is written where it would come back by itself.
static void what_needs_no_list_has_none(void **state) {
    (void)state;
    begin(0);
    keel_entity e[3];
    for (uint32_t i = 0; i < 3; ++i)
        e[i] = keel_add_entity(f.world);
    keel_relate(f.world, e[0], Likes, e[2]);
    keel_relate(f.world, e[1], Likes, e[2]);
    write(f.world, false, &first);
    assert_null(strstr(first.data, "@sources"));
    keel_unrelate(f.world, e[0], Likes, e[2]);
    keel_relate(f.world, e[0], Likes, e[2]);
    write(f.world, false, &first);
    assert_non_null(strstr(first.data, "\"@sources\": {\"Likes\": [\"@1v0\", \"@0v0\"]}"));
    end();
}

static void wrong_lists_are_named(void **state) {
    (void)state;
    static const struct {
        const char *list, *message; // NULL: all is well
    } cases[] = {
        { "{\"Likes\": [\"b\", \"a\"]}", NULL },
        { "{\"Likes\": [\"b\"]}", NULL },
        { "{}", NULL },
        { "{\"Likes\": [\"b\", \"b\"]}", "twice" },
        { "{\"Likes\": [\"c\"]}", "no source" },
        { "{\"Likes\": [null]}", "no source" },
        { "{\"Likes\": [\"d\"]}", "no entity 'd'" },
        { "{\"Likes\": \"a\"}", "a list of entities" },
        { "{\"Hates\": []}", "no relation 'Hates'" },
        { "{\"Likes\": [], \"Likes\": []}", "twice" },
        { "[]", "in {}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        begin(0);
        keel_error error = { 0 };
        snprintf(first.data, sizeof first.data,
                 "{\"entities\": {\"c\": {\"@sources\": %s}, \"a\": {\"Likes\": [\"c\"]}, \"b\": "
                 "{\"Likes\": [\"c\"]}}}",
                 cases[i].list);
        const keel_result r =
            keel_json_load_text(g.world, first.data, strlen(first.data), NULL, &error);
        if ((r == KEEL_OK) != !cases[i].message) fail_msg("%s: %s", cases[i].list, error.message);
        if (cases[i].message && !strstr(error.message, cases[i].message))
            fail_msg("%s: %s", cases[i].list, error.message);
        const keel_entity c = keel_find_entity(g.world, keel_null(), "c");
        if (i < 2)
            assert_string_equal(keel_name_of(g.world, keel_next_source_component(
                                                          g.world, c, KEEL_OF(Likes), keel_null())),
                                "b");
        end();
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_text_keeps_the_order, "a text keeps both orders of edges, sorted ones, too"),
    TEST(new_handles_change_nothing, "a text without handles keeps both orders"),
    TEST(what_needs_no_list_has_none, "a list of sources is written where it is needed"),
    TEST(wrong_lists_are_named, "what is wrong in a list of sources is named"),
};

int main(void) { return RUN(tests); }
