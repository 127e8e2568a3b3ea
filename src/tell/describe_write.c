// SPDX-License-Identifier: MIT
// Writes a described schedule as text, as a graph for Graphviz, and as JSON. describe.c finds the
// batches and reasons, and calls this file. Names are the user's and may contain any bytes.
#include "tell/describe.h"

#include "data/component_index.h"

// ------------------------------------------------------------------ for all three formats
// The reasons why a node waits for another, in each format. For KEEL_WAIT_STORAGE the functions
// below write the names and accesses.
static const struct {
    const char *text, *dot, *json;
} waits[] = {
    [KEEL_WAIT_NONE] = { "", "color=gray", "none" },
    [KEEL_WAIT_COMMANDS] = { " records them", "style=dashed", "commands" },
    [KEEL_WAIT_WORLD] = { " touches everything", "label=\"everything\"", "world" },
    [KEEL_WAIT_STORAGE] = { NULL, NULL, "storage" },
    [KEEL_WAIT_BARRIER] = { " is before a barrier", "color=gray", "barrier" },
    [KEEL_WAIT_NESTED] = { " is to run before it", "color=gray", "nested" },
    [KEEL_WAIT_THREAD] = { " runs in the main thread, which this one needs, too",
                           "style=dotted, label=\"main thread\"", "thread" },
    [KEEL_WAIT_ORDER] = { " is to run before it", "style=bold", "order" },
};

static const char *verb_of(keel_access access, bool is_event) {
    static const char *const verbs[] = { "none", "read", "write", "edit" };
    if (!is_event || access == KEEL_ACCESS_NONE)
        return verbs[access];

    return access == KEEL_ACCESS_READ ? "receive" : "send";
}

// False for the internal storage that stands for free handles, which users do not know.
static bool is_described(const keeli_schedule *s, const keeli_touch *t) {
    return t->storage != &s->world->stand_in.handles;
}

enum { CONDITIONS = 7 };
// A condition of a step: the option, and the name of the system, component or state in it.
typedef struct condition {
    const char *option, *name;
} condition;

// Writes the conditions of a step to `list`, and returns their number.
static uint32_t list_conditions(const keel_step *step, condition list[CONDITIONS]) {
    const keel_component *empty = step->skip_if_empty, *missing = step->skip_if_missing;
    uint32_t count = 0;
    if (step->run_if)
        list[count++] = (condition){ "run_if", step->run_if->name };
    if (step->skip_if)
        list[count++] = (condition){ "skip_if", step->skip_if->name };
    if (empty)
        list[count++] = (condition){ "skip_if_empty", keeli_component_name(empty) };
    if (missing)
        list[count++] = (condition){ "skip_if_missing", keeli_component_name(missing) };
    if (step->in_state)
        list[count++] = (condition){ "in_state", step->in_state->name };
    if (step->on_enter)
        list[count++] = (condition){ "on_enter", step->on_enter->name };
    if (step->on_exit)
        list[count++] = (condition){ "on_exit", step->on_exit->name };
    return count;
}

static bool is_about_state(const keel_step *step) {
    return step->in_state || step->on_enter || step->on_exit;
}

// Returns the number of batches: the last node with work is in the last batch.
static uint32_t count_batches(const keeli_schedule *s) {
    for (uint32_t i = s->nodes.count; i--;)
        if (keeli_node_is_work(&s->nodes.items[i]))
            return s->described.items[i].batch + 1;
    return 0;
}

// ------------------------------------------------------------------ quoting
// Returns the size in bytes of the UTF-8 character at `text`; 0 if the bytes are no UTF-8.
static uint32_t character_size(const unsigned char *text) {
    const unsigned char first = text[0], second = first ? text[1] : 0;
    uint32_t size = 0;
    if (first < 0x80)
        size = 1;
    else if (first >= 0xC2 && first < 0xE0)
        size = 2;
    else if (first >= 0xE0 && first < 0xF0)
        size = 3;
    else if (first >= 0xF0 && first < 0xF5)
        size = 4;
    for (uint32_t i = 1; i < size; ++i)
        if ((text[i] & 0xC0) != 0x80)
            return 0; // also if the text ends here, so no byte after its zero is read

    const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool is_beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return is_overlong || is_beyond ? 0 : size;
}

// Writes a text with a backslash before each quote and backslash. A control character becomes
// `control` and two hexadecimal digits, an ampersand becomes `ampersand`, and each byte that is no
// UTF-8 becomes U+FFFD.
static void write_escaped(keeli_writer *w, const char *text, const char *control,
                          const char *ampersand) {
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    for (uint32_t size; *at; at += size ? size : 1) {
        size = character_size(at);
        if (!size)
            keeli_write(w, "\xEF\xBF\xBD");
        else if (*at < 0x20 || *at == 0x7F)
            keeli_write(w, "%s%02x", control, *at);
        else if (*at == '&')
            keeli_write(w, "%s", ampersand);
        else {
            if (*at == '"' || *at == '\\')
                keeli_write_char(w, '\\');
            for (uint32_t i = 0; i < size; ++i)
                keeli_write_char(w, (char)at[i]);
        }
    }
}

// ------------------------------------------------------------------ text
static void write_name(keeli_writer *w, const keeli_schedule *s, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEEL_NODE_COMMANDS)
        keeli_write(w, "commands of ");
    keeli_write(w, "'%s'", node->name);
    if (node->section)
        keeli_write(w, " in '%s'", node->workload);
}

static void write_conditions(keeli_writer *w, const keel_step *step) {
    condition list[CONDITIONS];
    const uint32_t count = list_conditions(step, list);
    for (uint32_t i = 0; i < count; ++i)
        keeli_write(w, ", %s %s", list[i].option, list[i].name);
    if (is_about_state(step))
        keeli_write(w, " = %lld", (long long)step->state_value);
    if (step->every > 0)
        keeli_write(w, ", every %g s", step->every);
}

static void write_touches(keeli_writer *w, const keeli_schedule *s, const keeli_node *node) {
    if (node->everything)
        keeli_write(w, ": touches everything, alone");
    else if (node->is_alone)
        keeli_write(w, ": touches everything, alone, since what it edits is observed");
    if (node->is_alone)
        return;

    const char *separator = ": ";
    for (uint32_t i = 0; i < node->touch_count; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        const keel_component *c = &t->storage->component;
        if (!is_described(s, t))
            continue;
        keeli_write(w, "%s%ss %s", separator, verb_of(t->access, c->is_event), c->name);
        separator = ", ";
    }
}

// Writes the reason why a node is not in an earlier batch.
static void write_reason(keeli_writer *w, const keeli_schedule *s, uint32_t index) {
    const keel_workload_node *node = &s->described.items[index];
    const keel_wait *why = &node->why;
    if (node->other == KEEL_NO_NODE)
        return;

    keeli_write(w, "    not in batch %u: ", (unsigned)node->batch - 1);
    if (why->kind == KEEL_WAIT_WORLD && node->alone) {
        keeli_write(w, "it touches everything");
    } else {
        write_name(w, s, node->other);
        if (why->kind != KEEL_WAIT_STORAGE)
            keeli_write(w, "%s", waits[why->kind].text);
        else
            keeli_write(w, " %ss %s, this one %ss it", verb_of(why->other_access, why->is_event),
                        why->storage, verb_of(why->access, why->is_event));
    }
    keeli_write(w, "\n");
}

void keeli_write_text(keeli_writer *w, const keeli_schedule *s) {
    uint32_t begun = 0; // number of batches begun so far
    keeli_write(w, "workload '%s': systems %u, batches %u\n", s->sections.items[0].name,
                (unsigned)s->system_count, (unsigned)count_batches(s));
    for (uint32_t g = 1; g < s->sections.count; ++g) {
        const keeli_section *section = &s->sections.items[g];
        keeli_write(w, "nested: '%s' in '%s'", section->name,
                    s->sections.items[section->outer].name);
        write_conditions(w, &s->nodes.items[section->open].step);
        if (section->sequential)
            keeli_write(w, ", sequential");
        keeli_write(w, "\n");
    }

    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (!keeli_node_is_work(node))
            continue;

        if (s->described.items[i].batch == begun)
            keeli_write(w, "batch %u\n", (unsigned)begun++);
        keeli_write(w, "  ");
        write_name(w, s, i);
        write_touches(w, s, node);
        write_conditions(w, &node->step);
        if (node->step.parallel)
            keeli_write(w, ", parallel");
        if (node->step.times == 1)
            keeli_write(w, ", startup");
        else if (node->step.times)
            keeli_write(w, ", %u times", (unsigned)node->step.times);
        if (node->is_main && node->kind == KEEL_NODE_SYSTEM)
            keeli_write(w, ", main thread");
        keeli_write(w, "\n");
        write_reason(w, s, i);
    }
}

// ------------------------------------------------------------------ Graphviz
static void write_label(keeli_writer *w, const char *text) {
    write_escaped(w, text, "\\\\x", "&amp;");
}

// Opens the boxes (clusters) of a section and of all sections around it, outermost first. Returns
// the number of boxes.
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

// Writes the box of a nested workload, with its BEGIN and END node as points.
static void write_box(keeli_writer *w, const keeli_schedule *s, uint32_t section) {
    const keeli_section *g = &s->sections.items[section];
    condition list[CONDITIONS];
    const uint32_t count = list_conditions(&s->nodes.items[g->open].step, list);
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

static void write_dot_node(keeli_writer *w, const keeli_schedule *s, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index];
    const bool is_in_box = node->kind == KEEL_NODE_BEGIN || node->kind == KEEL_NODE_END;
    if (is_in_box)
        return; // write_box has written this node

    keeli_write(w, "  ");
    const uint32_t depth = write_boxes(w, s, node->section);
    if (node->kind == KEEL_NODE_JOIN) {
        keeli_write(w, "n%u [shape=point];", (unsigned)index);
    } else if (node->kind == KEEL_NODE_BARRIER) {
        keeli_write(w, "n%u [shape=plain, label=\"barrier\"];", (unsigned)index);
    } else {
        const bool is_commands = node->kind == KEEL_NODE_COMMANDS;
        keeli_write(w, "n%u [label=\"%s", (unsigned)index, is_commands ? "commands of " : "");
        write_label(w, node->name);
        keeli_write(w, "\\nbatch %u\"%s];", (unsigned)s->described.items[index].batch,
                    is_commands ? ", style=dashed" : "");
    }
    write_box_ends(w, depth);
}

static void write_dot_edge(keeli_writer *w, keel_workload_edge edge) {
    keeli_write(w, "  n%u -> n%u", (unsigned)edge.from, (unsigned)edge.to);
    if (edge.why.kind == KEEL_WAIT_STORAGE) {
        keeli_write(w, " [label=\"");
        write_label(w, edge.why.storage);
        if (edge.why.is_event)
            keeli_write(w, ": %s, %s", verb_of(edge.why.other_access, true),
                        verb_of(edge.why.access, true));
        keeli_write(w, "\"];\n");
    } else {
        keeli_write(w, " [%s];\n", waits[edge.why.kind].dot);
    }
}

void keeli_write_dot(keeli_writer *w, const keeli_schedule *s) {
    keeli_write(w, "digraph \"");
    write_label(w, s->sections.items[0].name);
    keeli_write(w, "\" {\n  rankdir=LR;\n  node [shape=box];\n");
    for (uint32_t g = 1; g < s->sections.count; ++g)
        write_box(w, s, g);
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        write_dot_node(w, s, i);
    for (uint32_t e = 0; e < s->edges.count; ++e)
        write_dot_edge(w, keeli_describe_edge(s, e));
    keeli_write(w, "}\n");
}

// ------------------------------------------------------------------ JSON
void keeli_write_json_string(keeli_writer *w, const char *text) {
    keeli_write_char(w, '"');
    write_escaped(w, text, "\\u00", "&");
    keeli_write_char(w, '"');
}

// The functions write_..._member write a member of a JSON object with a comma before it, so the
// member must not be the first of the object.
static void write_text_member(keeli_writer *w, const char *name, const char *text) {
    keeli_write(w, ", \"%s\": ", name);
    keeli_write_json_string(w, text);
}

static void write_number_member(keeli_writer *w, const char *name, uint32_t number) {
    if (number == KEEL_NO_NODE)
        keeli_write(w, ", \"%s\": null", name);
    else
        keeli_write(w, ", \"%s\": %u", name, (unsigned)number);
}

static void write_flag_member(keeli_writer *w, const char *name, bool flag) {
    keeli_write(w, ", \"%s\": %s", name, flag ? "true" : "false");
}

static void write_why_member(keeli_writer *w, const keel_wait *why) {
    if (why->kind == KEEL_WAIT_NONE) {
        keeli_write(w, ", \"why\": null");
        return;
    }
    keeli_write(w, ", \"why\": {\"kind\": \"%s\"", waits[why->kind].json);
    if (why->kind == KEEL_WAIT_STORAGE) {
        write_text_member(w, "storage", why->storage);
        write_text_member(w, "access", verb_of(why->access, why->is_event));
        write_text_member(w, "other_access", verb_of(why->other_access, why->is_event));
    }
    keeli_write(w, "}");
}

static void write_conditions_member(keeli_writer *w, const keel_step *step) {
    condition list[CONDITIONS];
    const uint32_t count = list_conditions(step, list);
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
        if (!is_described(s, t))
            continue;
        keeli_write(w, "%s{\"access\": \"%s\"", separator,
                    verb_of(t->access, t->storage->component.is_event));
        separator = ", ";
        write_text_member(w, "storage", t->storage->component.name);
        keeli_write(w, "}");
    }
    keeli_write(w, "]");
}

static void write_json_node(keeli_writer *w, const keeli_schedule *s, uint32_t index) {
    static const char *const kinds[] = { "system", "commands", "barrier", "begin", "end", "join" };
    const keeli_node *node = &s->nodes.items[index];
    const keel_workload_node *n = &s->described.items[index];
    keeli_write(w, "%s\n    {\"kind\": \"%s\"", index ? "," : "", kinds[n->kind]);
    write_text_member(w, "name", n->name);
    write_text_member(w, "workload", n->workload);
    write_number_member(w, "position", n->position);
    write_number_member(w, "batch", n->batch);
    write_number_member(w, "other", n->other);
    write_why_member(w, &n->why);
    write_flag_member(w, "alone", n->alone);
    write_flag_member(w, "main_thread", n->main_thread);
    write_flag_member(w, "parallel", n->parallel);
    write_flag_member(w, "startup", node->step.times == 1);
    if (is_about_state(&node->step))
        keeli_write(w, ", \"state_value\": %lld", (long long)node->step.state_value);
    if (node->step.times)
        write_number_member(w, "times", node->step.times);
    if (node->step.every > 0)
        keeli_write(w, ", \"every\": %g", node->step.every);
    write_conditions_member(w, &node->step);
    write_touches_member(w, s, node);
    keeli_write(w, "}");
}

void keeli_write_json(keeli_writer *w, const keeli_schedule *s) {
    keeli_write(w, "{\n  \"workload\": ");
    keeli_write_json_string(w, s->sections.items[0].name);
    write_number_member(w, "systems", s->system_count);
    write_number_member(w, "batches", count_batches(s));
    keeli_write(w, ",\n  \"nodes\": [");
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        write_json_node(w, s, i);
    keeli_write(w, "\n  ],\n  \"edges\": [");
    for (uint32_t e = 0; e < s->edges.count; ++e) {
        const keel_workload_edge edge = keeli_describe_edge(s, e);
        keeli_write(w, "%s\n    {\"from\": %u", e ? "," : "", (unsigned)edge.from);
        write_number_member(w, "to", edge.to);
        write_why_member(w, &edge.why);
        keeli_write(w, "}");
    }
    keeli_write(w, "\n  ]\n}\n");
}
