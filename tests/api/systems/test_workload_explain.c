// SPDX-License-Identifier: MIT
// The plan of a workload written down: text, Graphviz, JSON; with names that hold anything.
#include "support/schedule_fixture.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) { p->x += v->x; }
KEEL_SYSTEM(age, KEEL_WRITE(Health, h)) { --h->points; }
KEEL_SYSTEM(bury, KEEL_READ(Health, h), KEEL_ENTITY(e), KEEL_COMMANDS(c, Health)) {
    if (h->points < 0) (void)keel_delete(c, e, Health);
}
KEEL_SYSTEM(bounce, KEEL_READ(Position, p), KEEL_WRITE(Velocity, v)) {
    if (p->x > 100) v->x = -v->x;
}
KEEL_SYSTEM_ONCE(save, KEEL_WORLD(world)) { (void)world; }
KEEL_CONDITION(is_time, KEEL_UNIQUE_READ(Time, t)) { return t->now > 0; }
KEEL_WORKLOAD(physics, KEEL_STEP(move, .parallel = true), KEEL_STEP(bounce));
KEEL_WORKLOAD(frame, KEEL_STEP(age), KEEL_NESTED(physics, .run_if = KEEL_IF(is_time)),
              KEEL_STEP(bury, .skip_if_empty = KEEL_OF(Frozen)), KEEL_BARRIER,
              KEEL_STEP(save, .startup = true, .skip_if_missing = KEEL_UNIQUE_OF(Time)));

typedef struct Hit {
    int damage;
} Hit;
KEEL_EVENT(Hit);
KEEL_SYSTEM_ONCE(shoot, KEEL_SEND(Hit, hits)) { (void)keel_send(hits, Hit, { 1 }); }
KEEL_SYSTEM_ONCE(tell, KEEL_RECEIVE(Hit, hits)) { (void)keel_event_count(hits, Hit); }
KEEL_WORKLOAD(turn, KEEL_STEP(shoot), KEEL_STEP(tell));

// A copy that is as long as it says; also into too little room.
static char *explain(keel_world *world, const keel_workload *w, keel_explain_format format) {
    const size_t length = keel_world_explain_workload(world, w, format, NULL, 0);
    assert_true(length > 0);
    char *text = malloc(length + 1), *part = malloc(length + 2);
    assert_non_null(text);
    assert_non_null(part);
    assert_int_equal(keel_world_explain_workload(world, w, format, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    for (size_t size = 1; size <= length + 1; size += 1 + length / 97) {
        memset(part, '#', length + 2);
        assert_int_equal(keel_world_explain_workload(world, w, format, part, size), length);
        assert_int_equal(strlen(part), size - 1);
        assert_memory_equal(part, text, size - 1);
        assert_int_equal(part[size], '#');
    }
    free(part);
    return text;
}

// ------------------------------------------------------------------ text
static void the_text_tells_batches_and_reasons(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    char *text = explain(f.world, &KEEL_WORKLOAD_frame, KEEL_EXPLAIN_TEXT);
    assert_string_equal(
        text, "workload 'frame': systems 5, batches 4\n"
              "nested: 'physics' in 'frame', run_if is_time\n"
              "batch 0\n"
              "  'age': writes Health\n"
              "  'move' in 'physics': writes Position, reads Velocity, parallel\n"
              "batch 1\n"
              "  'bounce' in 'physics': reads Position, writes Velocity\n"
              "    not in batch 0: 'move' in 'physics' writes Position, this one reads it\n"
              "  'bury': reads Frozen, reads Health, reads entities, skip_if_empty Frozen\n"
              "    not in batch 0: 'age' writes Health, this one reads it\n"
              "batch 2\n"
              "  commands of 'bury': edits Health, edits entities\n"
              "    not in batch 1: 'bury' records them\n"
              "batch 3\n"
              "  'save': touches everything, alone, skip_if_missing Time, startup, main thread\n"
              "    not in batch 2: it touches everything\n");
    free(text);
    assert_int_equal(keel_add_workload(f.world, frame), KEEL_OK);
    assert_int_equal(keel_world_explain_workload(f.world, keel_find_workload(f.world, "frame"),
                                                 KEEL_EXPLAIN_TEXT, NULL, 0),
                     keel_explain_workload(f.world, frame, KEEL_EXPLAIN_TEXT, NULL, 0));
    assert_no_error(f.world);
    api_end(&f);
}

static void all_reasons_have_words(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_step inner[] = { { MARK(b) } };
    const keel_workload late = WORKLOAD("late", inner);
    const keel_step steps[] = { { MARK(a), .main_thread = true },
                                { MARK(c), .main_thread = true },
                                { .workload = &late, .after = "c" },
                                KEEL_BARRIER,
                                { MARK(d) },
                                { MARK(e), .after = "d" } };
    const keel_workload w = WORKLOAD("words", steps);
    char *text = explain(f.world, &w, KEEL_EXPLAIN_TEXT);
    const char *parts[] = { "'a' runs in the main thread, which this one needs, too\n",
                            "  'b' in 'late'", "not in batch 1: 'c' is to run before it\n",
                            "not in batch 2: 'b' in 'late' is before a barrier\n",
                            "not in batch 3: 'd' is to run before it\n" };
    for (int i = 0; i < 5; ++i)
        if (!strstr(text, parts[i])) fail_msg("no '%s' in\n%s", parts[i], text);
    free(text);
    api_end(&f);
}

// ------------------------------------------------------------------ JSON
static void assert_text_member(const json_t *object, const char *key, const char *expected) {
    const json_t *value = json_object_get(object, key);
    if (!expected) {
        assert_true(json_is_null(value));
        return;
    }
    assert_true(json_is_string(value));
    assert_string_equal(json_string_value(value), expected);
}
static void assert_number_member(const json_t *object, const char *key, uint32_t expected) {
    const json_t *value = json_object_get(object, key);
    if (expected == KEEL_NO_NODE) {
        assert_true(json_is_null(value));
        return;
    }
    assert_true(json_is_integer(value));
    assert_int_equal(json_integer_value(value), expected);
}
static void assert_flag_member(const json_t *object, const char *key, bool expected) {
    assert_true(json_is_boolean(json_object_get(object, key)));
    assert_int_equal(json_is_true(json_object_get(object, key)), expected);
}

static void assert_why_member(const json_t *object, const keel_wait *why, bool raw) {
    static const char *const kinds[] = { NULL,      "commands", "world",  "storage",
                                         "barrier", "nested",   "thread", "order" };
    static const char *const plain[] = { "none", "read", "write", "edit" };
    static const char *const of_events[] = { "none", "receive", "send", "send" };
    const char *const *accesses = why->is_event ? of_events : plain;
    const json_t *value = json_object_get(object, "why");
    if (why->kind == KEEL_WAIT_NONE) {
        assert_true(json_is_null(value));
        return;
    }
    assert_text_member(value, "kind", kinds[why->kind]);
    if (why->kind != KEEL_WAIT_STORAGE) {
        assert_null(json_object_get(value, "storage"));
        return;
    }
    if (raw) assert_text_member(value, "storage", why->storage);
    assert_text_member(value, "access", accesses[why->access]);
    assert_text_member(value, "other_access", accesses[why->other_access]);
}

// The JSON says what the data says. `raw`: names are compared as they are.
static json_t *assert_json_is_data(keel_world *world, const keel_workload *w, bool raw) {
    static const char *const kinds[] = { "system", "commands", "barrier", "begin", "end" };
    char *text = explain(world, w, KEEL_EXPLAIN_JSON);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("%s at %d:\n%s", error.text, error.position, text);
    free(text);
    const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
    keel_workload_node node_list[64];
    keel_workload_edge edge_list[256];
    const uint32_t node_count = keel_world_workload_nodes(world, w, node_list, 64),
                   edge_count = keel_world_workload_edges(world, w, edge_list, 256);
    assert_true(json_is_array(nodes) && json_is_array(edges));
    assert_int_equal(json_array_size(nodes), node_count);
    assert_int_equal(json_array_size(edges), edge_count);
    for (uint32_t i = 0; i < node_count; ++i) {
        const json_t *o = json_array_get(nodes, i);
        const keel_workload_node *n = &node_list[i];
        assert_text_member(o, "kind", kinds[n->kind]);
        if (raw) assert_text_member(o, "name", n->name);
        if (raw) assert_text_member(o, "workload", n->workload);
        assert_number_member(o, "position", n->position);
        assert_number_member(o, "batch", n->batch);
        assert_number_member(o, "other", n->other);
        assert_why_member(o, &n->why, raw);
        assert_flag_member(o, "alone", n->alone);
        assert_flag_member(o, "main_thread", n->main_thread);
        assert_flag_member(o, "parallel", n->parallel);
        assert_true(json_is_array(json_object_get(o, "touches")));
        assert_true(json_is_object(json_object_get(o, "conditions")));
    }
    for (uint32_t e = 0; e < edge_count; ++e) {
        const json_t *o = json_array_get(edges, e);
        assert_number_member(o, "from", edge_list[e].from);
        assert_number_member(o, "to", edge_list[e].to);
        assert_why_member(o, &edge_list[e].why, raw);
    }
    return root;
}

static void the_json_says_what_the_data_says(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    json_t *root = assert_json_is_data(f.world, &KEEL_WORKLOAD_frame, true);
    assert_text_member(root, "workload", "frame");
    assert_number_member(root, "systems", 5);
    assert_number_member(root, "batches", 4);
    uint32_t seen = 0;
    size_t i;
    json_t *node;
    json_array_foreach(json_object_get(root, "nodes"), i, node) {
        const char *name = json_string_value(json_object_get(node, "name"));
        const char *kind = json_string_value(json_object_get(node, "kind"));
        const json_t *conditions = json_object_get(node, "conditions");
        const json_t *touches = json_object_get(node, "touches");
        if (strcmp(kind, "system") == 0 && strcmp(name, "move") == 0) {
            assert_text_member(node, "workload", "physics");
            assert_int_equal(json_array_size(touches), 2);
            assert_text_member(json_array_get(touches, 0), "storage", "Position");
            assert_text_member(json_array_get(touches, 0), "access", "write");
            assert_text_member(json_array_get(touches, 1), "access", "read");
            ++seen;
        } else if (strcmp(kind, "begin") == 0) {
            assert_text_member(node, "name", "physics");
            assert_text_member(conditions, "run_if", "is_time");
            ++seen;
        } else if (strcmp(kind, "system") == 0 && strcmp(name, "bury") == 0) {
            assert_text_member(conditions, "skip_if_empty", "Frozen");
            ++seen;
        } else if (strcmp(name, "save") == 0) {
            assert_text_member(conditions, "skip_if_missing", "Time");
            assert_flag_member(node, "startup", true);
            ++seen;
        }
    }
    assert_int_equal(seen, 4);
    json_decref(root);
    api_end(&f);
}

static void events_are_sent_and_received(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    char *text = explain(f.world, &KEEL_WORKLOAD_turn, KEEL_EXPLAIN_TEXT);
    assert_non_null(strstr(text, "'shoot': sends Hit\n"));
    assert_non_null(strstr(text, "'tell': receives Hit\n"));
    assert_non_null(strstr(text, "'shoot' sends Hit, this one receives it\n"));
    free(text);
    json_t *root = assert_json_is_data(f.world, &KEEL_WORKLOAD_turn, true);
    const json_t *nodes = json_object_get(root, "nodes");
    static const char *const verbs[] = { "send", "receive" };
    for (size_t i = 0; i < 2; ++i) {
        const json_t *touches = json_object_get(json_array_get(nodes, i), "touches");
        assert_int_equal(json_array_size(touches), 1);
        assert_text_member(json_array_get(touches, 0), "storage", "Hit");
        assert_text_member(json_array_get(touches, 0), "access", verbs[i]);
    }
    const json_t *why = json_object_get(json_array_get(nodes, 1), "why");
    assert_text_member(why, "other_access", "send");
    assert_text_member(why, "access", "receive");
    json_decref(root);
    text = explain(f.world, &KEEL_WORKLOAD_turn, KEEL_EXPLAIN_DOT);
    assert_non_null(strstr(text, "n0 -> n1 [label=\"Hit: send, receive\"]"));
    free(text);
    api_end(&f);
}

// ------------------------------------------------------------------ Graphviz
// Walks over the text as Graphviz would: strings end, brackets close; how many nodes and edges.
static void read_dot(const char *text, uint32_t *nodes, uint32_t *edges, uint32_t *boxes) {
    int depth = 0;
    bool in_list = false;
    *nodes = *edges = *boxes = 0;
    for (const char *at = text; *at; ++at) {
        if (*at == '"') {
            for (++at; *at != '"'; ++at) {
                assert_true((unsigned char)*at >= 0x20); // neither the end nor a line break
                if (*at == '\\') ++at;
            }
        } else if (*at == '{') ++depth;
        else if (*at == '}') assert_true(--depth >= 0);
        else if (*at == '[') {
            assert_false(in_list);
            in_list = true;
        } else if (*at == ']') in_list = false;
        else if (strncmp(at, " [shape=p", 9) == 0 || strncmp(at, " [label=\"", 9) == 0)
            *nodes += at[-1] != ';';
        else if (strncmp(at, "->", 2) == 0) ++*edges;
        else if (strncmp(at, "label=", 6) == 0) *boxes += !in_list;
    }
    assert_int_equal(depth, 0);
    assert_false(in_list);
}

static void the_drawing_has_all_nodes_and_edges(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint32_t nodes, edges, boxes;
    char *text = explain(f.world, &KEEL_WORKLOAD_frame, KEEL_EXPLAIN_DOT);
    read_dot(text, &nodes, &edges, &boxes);
    assert_int_equal(edges, keel_workload_edges(f.world, frame, NULL, 0));
    assert_int_equal(boxes, 1);
    assert_non_null(strstr(text, "digraph \"frame\" {"));
    assert_non_null(strstr(text, "label=\"physics\\nrun_if is_time\""));
    assert_non_null(strstr(text, "[label=\"commands of bury\\nbatch 2\", style=dashed]"));
    assert_non_null(strstr(text, "[shape=plain, label=\"barrier\"]"));
    keel_workload_node list[32];
    const uint32_t count = keel_workload_nodes(f.world, frame, list, 32);
    for (uint32_t i = 0; i < count; ++i) { // each is declared once
        char begin[16];
        uint32_t found = 0;
        snprintf(begin, sizeof begin, "n%u [", (unsigned)i);
        for (const char *at = text; (at = strstr(at, begin)) != NULL; ++at)
            found += at[-1] == ' ' && !(at - text > 3 && memcmp(at - 3, "-> ", 3) == 0);
        assert_int_equal(found, 1);
    }
    free(text);
    api_end(&f);
}

// ------------------------------------------------------------------ names
static keel_result do_nothing(keel_context *context) { return (void)context, KEEL_OK; }

// Cut off, a surrogate, longer than needed, beyond the end.
#define NOT_UTF_8                                                                                  \
    "\xFF\xC3 \xE2\x82 \xF0\x9F\x98 \xED\xA0\x80 \xC0\xAF \xF4\x90\x80\x80 \xE0\x80\x80"

static void names_may_hold_anything(void **state) {
    (void)state;
    static const char *const names[] = { "a \"quoted\" one",
                                         "back\\slash\\",
                                         "line\nbreak\ttab\x01\x7f",
                                         "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
                                         NOT_UTF_8,
                                         "&lt;b&gt; \\N \\G",
                                         "",
                                         "]; } n0 -> n1 {" };
    static const keel_term terms[] = { { .kind = KEEL_TERM_END } };
    for (int i = 0; i < 8; ++i) {
        api_fixture f;
        api_begin(&f);
        const keel_component c = { .name = *names[i] ? names[i] : "x", .size = 4, .align = 4 };
        const keel_component *known = keel_register_component(f.world, &c);
        assert_non_null(known);
        const keel_term writes[] = { { .kind = KEEL_TERM_MAY_WRITE, .component = known },
                                     { .kind = KEEL_TERM_END } };
        const keel_system first = { .name = names[i],
                                    .kind = KEEL_SYSTEM_PER_RUN,
                                    .function = do_nothing,
                                    .terms = writes },
                          second = { .name = names[i],
                                     .kind = KEEL_SYSTEM_PER_RUN,
                                     .function = do_nothing,
                                     .terms = terms };
        const keel_step inner[] = { { .system = &first }, { .system = &second } };
        const keel_workload nested = WORKLOAD(names[i], inner);
        const keel_step steps[] = { { .system = &first },
                                    { .workload = &nested, .skip_if_empty = known } };
        const keel_workload w = WORKLOAD(names[i], steps);
        json_decref(assert_json_is_data(f.world, &w, i != 4));
        uint32_t nodes, edges, boxes;
        char *text = explain(f.world, &w, KEEL_EXPLAIN_DOT);
        read_dot(text, &nodes, &edges, &boxes);
        assert_int_equal(edges, keel_world_workload_edges(f.world, &w, NULL, 0));
        assert_int_equal(boxes, 1);
        free(text);
        free(explain(f.world, &w, KEEL_EXPLAIN_TEXT));
        assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_OK);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ errors
static void nothing_is_told_about_what_cannot_run(void **state) {
    (void)state;
    api_fixture f;
    char text[32] = "old";
    api_begin(&f);
    assert_int_equal(keel_world_explain_workload(f.world, NULL, KEEL_EXPLAIN_TEXT, text, 32), 0);
    assert_string_equal(text, "");
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "NULL");
    assert_int_equal(keel_world_workload_nodes(f.world, NULL, NULL, 0), 0);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "NULL");
    assert_int_equal(keel_world_workload_edges(f.world, NULL, NULL, 0), 0);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "NULL");
    assert_null(keel_find_workload(f.world, "frame"));
    assert_null(keel_find_workload(f.world, NULL));
    assert_no_error(f.world); // asking is none
    assert_int_equal(keel_run_workload_of(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "keel_find_workload returns for an unknown name; there is: none");
    assert_int_equal(keel_explain_workload(f.world, frame, (keel_explain_format)7, text, 32), 0);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "KEEL_EXPLAIN_TEXT");
    const keel_workload empty = { .name = "empty" };
    keel_workload_node node;
    assert_int_equal(keel_world_workload_nodes(f.world, &empty, &node, 1), 0);
    assert_int_equal(keel_world_workload_edges(f.world, &empty, NULL, 5), 0);
    assert_true(keel_world_explain_workload(f.world, &empty, KEEL_EXPLAIN_JSON, NULL, 50) > 0);
    assert_no_error(f.world);
    api_end(&f);
}

static void explaining_survives_the_end_of_memory(void **state) {
    (void)state;
    size_t length = 0;
    for (size_t n = 0; !length; ++n) {
        api_fixture f;
        api_begin(&f);
        counting_allocator_fail_after(&f.memory, n);
        length = keel_explain_workload(f.world, frame, KEEL_EXPLAIN_JSON, NULL, 0);
        counting_allocator_never_fail(&f.memory);
        if (!length) assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_true(keel_explain_workload(f.world, frame, KEEL_EXPLAIN_JSON, NULL, 0) > 0);
        api_end(&f);
    }
}

static void nothing_runs_and_a_run_needs_nothing_more(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_step steps[] = { { MARK(a) }, { MARK(b), .after = "a" } };
    const keel_workload w = WORKLOAD("again", steps);
    forget_marks();
    assert_true(keel_world_explain_workload(f.world, &w, KEEL_EXPLAIN_TEXT, NULL, 0) > 0);
    assert_marks("", "");
    for (int i = 0; i < 3; ++i)
        assert_runs(f.world, &w, "ab", "ab");
    const size_t calls = f.memory.growing_calls;
    for (int i = 0; i < 3; ++i) {
        assert_true(keel_world_explain_workload(f.world, &w, KEEL_EXPLAIN_TEXT, NULL, 0) > 0);
        assert_runs(f.world, &w, "ab", "ab");
    }
    assert_int_equal(f.memory.growing_calls, calls);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-74
    TEST(the_text_tells_batches_and_reasons, "the text tells batches and reasons"),
    // proves S-74
    TEST(all_reasons_have_words, "all reasons have words"),
    // proves S-74
    TEST(the_json_says_what_the_data_says, "the JSON says what the data says"),
    TEST(events_are_sent_and_received, "Of events all formats say who sends and who receives"),
    // proves S-74
    TEST(the_drawing_has_all_nodes_and_edges, "the drawing has all nodes and edges"),
    TEST(names_may_hold_anything, "names may hold anything"),
    TEST(nothing_is_told_about_what_cannot_run, "nothing is told about what cannot run"),
    TEST(explaining_survives_the_end_of_memory, "explaining survives the end of memory"),
    TEST(nothing_runs_and_a_run_needs_nothing_more,
         "explaining runs nothing and allocates nothing the second time"),
};

int main(void) { return RUN(tests); }
