// SPDX-License-Identifier: MIT
// A schedule for programs: Graphviz and JSON. Names are the user's and may hold anything.
#include "tell/describe.h"

// ------------------------------------------------------------------ quoting
// How many bytes the character takes that begins here, in UTF-8; 0: there is none.
static uint32_t character_size(const unsigned char *text) {
    const unsigned char first = text[0], second = first ? text[1] : 0;
    uint32_t size = 0;
    if (first < 0x80) size = 1;
    else if (first >= 0xC2 && first < 0xE0) size = 2;
    else if (first >= 0xE0 && first < 0xF0) size = 3;
    else if (first >= 0xF0 && first < 0xF5) size = 4;
    for (uint32_t i = 1; i < size; ++i)
        if ((text[i] & 0xC0) != 0x80) return 0; // the terminating zero as well
    const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool is_beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return is_overlong || is_beyond ? 0 : size;
}

// Quotes and backslashes get a backslash. Control characters become `control` and two digits; what
// is no UTF-8 is replaced; an ampersand becomes `ampersand`.
static void write_escaped(keeli_writer *w, const char *text, const char *control,
                          const char *ampersand) {
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    for (uint32_t size; *at; at += size ? size : 1) {
        size = character_size(at);
        if (!size) keeli_write(w, "\xEF\xBF\xBD");
        else if (*at < 0x20 || *at == 0x7F) keeli_write(w, "%s%02x", control, *at);
        else if (*at == '&') keeli_write(w, "%s", ampersand);
        else {
            if (*at == '"' || *at == '\\') keeli_write_char(w, '\\');
            for (uint32_t i = 0; i < size; ++i)
                keeli_write_char(w, (char)at[i]);
        }
    }
}

// ------------------------------------------------------------------ Graphviz
static void write_label(keeli_writer *w, const char *text) {
    write_escaped(w, text, "\\\\x", "&amp;");
}

// Open the boxes around a section, its own included; how many.
static uint32_t write_boxes(keeli_writer *w, const keeli_schedule *s, uint32_t section) {
    uint32_t depth = 0;
    for (uint32_t g = section; g; g = s->sections.items[g].outer)
        ++depth;
    for (uint32_t level = 1; level <= depth; ++level) {
        uint32_t g = section;
        for (uint32_t up = level; up < depth; ++up)
            g = s->sections.items[g].outer;
        keeli_write(w, "subgraph cluster_%u { ", (unsigned)g);
    }
    return depth;
}

static void write_box_ends(keeli_writer *w, uint32_t depth) {
    while (depth--)
        keeli_write(w, " }");
    keeli_write(w, "\n");
}

// The box of a nested workload, with the points where it begins and ends.
static void write_box(keeli_writer *w, const keeli_schedule *s, uint32_t section) {
    const keeli_section *g = &s->sections.items[section];
    keeli_named_option list[KEELI_CONDITIONS];
    const uint32_t count = keeli_list_conditions(&s->nodes.items[g->open].step, list);
    keeli_write(w, "  ");
    const uint32_t depth = write_boxes(w, s, section);
    keeli_write(w, "label=\"");
    write_label(w, g->name);
    for (uint32_t i = 0; i < count; ++i) {
        keeli_write(w, "\\n%s ", list[i].option);
        write_label(w, list[i].name);
    }
    keeli_write(w, "\"; n%u [shape=point]; n%u [shape=point];", (unsigned)g->open,
                (unsigned)g->close);
    write_box_ends(w, depth);
}

static void write_dot_node(keeli_writer *w, const keeli_description *d, uint32_t index) {
    const keeli_schedule *s = d->s;
    const keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEELI_NODE_OPEN || node->kind == KEELI_NODE_CLOSE) return; // in write_box
    keeli_write(w, "  ");
    const uint32_t depth = write_boxes(w, s, node->section);
    if (node->kind == KEELI_NODE_JOIN) {
        keeli_write(w, "n%u [shape=point];", (unsigned)index);
    } else if (node->kind == KEELI_NODE_BARRIER) {
        keeli_write(w, "n%u [shape=plain, label=\"barrier\"];", (unsigned)index);
    } else {
        const bool is_commands = node->kind == KEELI_NODE_SYNC;
        keeli_write(w, "n%u [label=\"%s", (unsigned)index, is_commands ? "commands of " : "");
        write_label(w, node->name);
        keeli_write(w, "\\nbatch %u\"%s];", (unsigned)d->places[index].batch,
                    is_commands ? ", style=dashed" : "");
    }
    write_box_ends(w, depth);
}

static void write_dot_edge(keeli_writer *w, keel_workload_edge edge) {
    keeli_write(w, "  n%u -> n%u", (unsigned)edge.from, (unsigned)edge.to);
    switch (edge.why.kind) {
    case KEEL_WAIT_STORAGE:
        keeli_write(w, " [label=\"");
        write_label(w, edge.why.storage);
        if (edge.why.is_event)
            keeli_write(w, ": %s, %s", keeli_access_verb(edge.why.other_access, true),
                        keeli_access_verb(edge.why.access, true));
        keeli_write(w, "\"]");
        break;
    case KEEL_WAIT_WORLD:
        keeli_write(w, " [label=\"everything\"]");
        break;
    case KEEL_WAIT_COMMANDS:
        keeli_write(w, " [style=dashed]");
        break;
    case KEEL_WAIT_THREAD:
        keeli_write(w, " [style=dotted, label=\"main thread\"]");
        break;
    case KEEL_WAIT_ORDER:
        keeli_write(w, " [style=bold]");
        break;
    default:
        keeli_write(w, " [color=gray]");
        break;
    }
    keeli_write(w, ";\n");
}

void keeli_write_dot(keeli_writer *w, const keeli_description *d) {
    const keeli_schedule *s = d->s;
    keeli_write(w, "digraph \"");
    write_label(w, s->sections.items[0].name);
    keeli_write(w, "\" {\n  rankdir=LR;\n  node [shape=box];\n");
    for (uint32_t g = 1; g < s->sections.count; ++g)
        write_box(w, s, g);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        write_dot_node(w, d, i);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        for (uint32_t e = 0; e < s->nodes.items[i].edge_count; ++e)
            write_dot_edge(w, keeli_describe_edge(s, i, e));
    keeli_write(w, "}\n");
}

// ------------------------------------------------------------------ JSON
void keeli_write_json_string(keeli_writer *w, const char *text) {
    keeli_write_char(w, '"');
    write_escaped(w, text, "\\u00", "&");
    keeli_write_char(w, '"');
}

// A member of an object; never the first one.
static void write_text_member(keeli_writer *w, const char *name, const char *text) {
    keeli_write(w, ", \"%s\": ", name);
    keeli_write_json_string(w, text);
}

static void write_number_member(keeli_writer *w, const char *name, uint32_t number) {
    if (number == KEEL_NO_NODE) keeli_write(w, ", \"%s\": null", name);
    else keeli_write(w, ", \"%s\": %u", name, (unsigned)number);
}

static void write_flag_member(keeli_writer *w, const char *name, bool flag) {
    keeli_write(w, ", \"%s\": %s", name, flag ? "true" : "false");
}

static void write_why_member(keeli_writer *w, const keel_wait *why) {
    static const char *const names[] = { "none",    "commands", "world",  "storage",
                                         "barrier", "nested",   "thread", "order" };
    if (why->kind == KEEL_WAIT_NONE) {
        keeli_write(w, ", \"why\": null");
        return;
    }
    keeli_write(w, ", \"why\": {\"kind\": \"%s\"", names[why->kind]);
    if (why->kind == KEEL_WAIT_STORAGE) {
        write_text_member(w, "storage", why->storage);
        write_text_member(w, "access", keeli_access_verb(why->access, why->is_event));
        write_text_member(w, "other_access", keeli_access_verb(why->other_access, why->is_event));
    }
    keeli_write(w, "}");
}

static void write_conditions_member(keeli_writer *w, const keel_step *step) {
    keeli_named_option list[KEELI_CONDITIONS];
    const uint32_t count = keeli_list_conditions(step, list);
    keeli_write(w, ", \"conditions\": {");
    for (uint32_t i = 0; i < count; ++i) {
        keeli_write(w, "%s\"%s\": ", i ? ", " : "", list[i].option);
        keeli_write_json_string(w, list[i].name);
    }
    keeli_write(w, "}");
}

static void write_touches_member(keeli_writer *w, const keeli_schedule *s, const keeli_node *node) {
    const char *separator = "";
    keeli_write(w, ", \"touches\": [");
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        if (!keeli_touch_is_described(s, t)) continue;
        keeli_write(w, "%s{\"access\": \"%s\"", separator,
                    keeli_access_verb(t->access, t->storage->component.is_event));
        separator = ", ";
        write_text_member(w, "storage", t->storage->component.name);
        keeli_write(w, "}");
    }
    keeli_write(w, "]");
}

static void write_json_node(keeli_writer *w, const keeli_description *d, uint32_t index) {
    static const char *const kinds[] = { "system", "commands", "barrier", "begin", "end", "join" };
    const keeli_schedule *s = d->s;
    const keeli_node *node = &s->nodes.items[index];
    const keel_workload_node n = keeli_describe_node(d, index);
    keeli_write(w, "%s\n    {\"kind\": \"%s\"", index ? "," : "", kinds[n.kind]);
    write_text_member(w, "name", n.name);
    write_text_member(w, "workload", n.workload);
    write_number_member(w, "position", n.position);
    write_number_member(w, "batch", n.batch);
    write_number_member(w, "other", n.other);
    write_why_member(w, &n.why);
    write_flag_member(w, "alone", n.alone);
    write_flag_member(w, "main_thread", n.main_thread);
    write_flag_member(w, "parallel", n.parallel);
    write_flag_member(w, "startup", node->step.startup);
    write_conditions_member(w, &node->step);
    write_touches_member(w, s, node);
    keeli_write(w, "}");
}

void keeli_write_json(keeli_writer *w, const keeli_description *d) {
    const keeli_schedule *s = d->s;
    keeli_write(w, "{\n  \"workload\": ");
    keeli_write_json_string(w, s->sections.items[0].name);
    write_number_member(w, "systems", s->system_count);
    write_number_member(w, "batches", keeli_batch_count(d));
    keeli_write(w, ",\n  \"nodes\": [");
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        write_json_node(w, d, i);
    keeli_write(w, "\n  ],\n  \"edges\": [");
    const char *separator = "";
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        for (uint32_t e = 0; e < s->nodes.items[i].edge_count; ++e) {
            const keel_workload_edge edge = keeli_describe_edge(s, i, e);
            keeli_write(w, "%s\n    {\"from\": %u", separator, (unsigned)edge.from);
            write_number_member(w, "to", edge.to);
            write_why_member(w, &edge.why);
            keeli_write(w, "}");
            separator = ",";
        }
    keeli_write(w, "\n  ]\n}\n");
}
