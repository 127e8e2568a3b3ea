// SPDX-License-Identifier: MIT
// A schedule as text for people.
#include "tell/describe.h"

// ------------------------------------------------------------------ what a node is
static void write_name(keeli_writer *w, const keeli_schedule *s, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index];
    if (node->kind == KEELI_NODE_SYNC) keeli_write(w, "commands of ");
    keeli_write(w, "'%s'", node->name);
    if (node->section) keeli_write(w, " in '%s'", s->sections.items[node->section].name);
}

static void write_conditions(keeli_writer *w, const keel_step *step) {
    keeli_named_option list[KEELI_CONDITIONS];
    const uint32_t count = keeli_list_conditions(step, list);
    for (uint32_t i = 0; i < count; ++i)
        keeli_write(w, ", %s %s", list[i].option, list[i].name);
}

static void write_touches(keeli_writer *w, const keeli_schedule *s, const keeli_node *node) {
    const char *separator = ": ";
    if (node->everything) keeli_write(w, ": touches everything, alone");
    for (uint32_t i = 0; i < node->touch_count && !node->everything; ++i) {
        const keeli_touch *t = &s->touches.items[node->first_touch + i];
        if (!keeli_touch_is_described(s, t)) continue;
        keeli_write(w, "%s%ss %s", separator,
                    keeli_access_verb(t->access, t->storage->component.is_event),
                    t->storage->component.name);
        separator = ", ";
    }
}

static void write_options(keeli_writer *w, const keeli_node *node) {
    const keel_step *step = &node->step;
    if (node->kind != KEELI_NODE_SYSTEM) return;
    write_conditions(w, step);
    if (step->parallel) keeli_write(w, ", parallel");
    if (step->startup) keeli_write(w, ", startup");
    if (node->is_main) keeli_write(w, ", main thread");
}

// ------------------------------------------------------------------ why it is where it is
static void write_reason(keeli_writer *w, const keeli_description *d, uint32_t index) {
    const keeli_node *node = &d->s->nodes.items[index];
    const keeli_batch_place *place = &d->places[index];
    const keel_wait *why = &place->why;
    if (place->other == KEELI_NO_NODE) return;
    keeli_write(w, "    not in batch %u: ", (unsigned)place->batch - 1);
    if (why->kind == KEEL_WAIT_WORLD && node->everything) {
        keeli_write(w, "it touches everything\n");
        return;
    }
    write_name(w, d->s, place->other);
    switch (why->kind) {
    case KEEL_WAIT_NONE:
        break;
    case KEEL_WAIT_COMMANDS:
        keeli_write(w, " records them");
        break;
    case KEEL_WAIT_WORLD:
        keeli_write(w, " touches everything");
        break;
    case KEEL_WAIT_STORAGE:
        keeli_write(w, " %ss %s, this one %ss it",
                    keeli_access_verb(why->other_access, why->is_event), why->storage,
                    keeli_access_verb(why->access, why->is_event));
        break;
    case KEEL_WAIT_BARRIER:
        keeli_write(w, " is before a barrier");
        break;
    case KEEL_WAIT_THREAD:
        keeli_write(w, " runs in the main thread, which this one needs, too");
        break;
    case KEEL_WAIT_NESTED:
    case KEEL_WAIT_ORDER:
        keeli_write(w, " is to run before it");
        break;
    }
    keeli_write(w, "\n");
}

// ------------------------------------------------------------------ all of it
static void write_nested(keeli_writer *w, const keeli_schedule *s) {
    for (uint32_t g = 1; g < s->sections.count; ++g) {
        const keeli_section *section = &s->sections.items[g];
        const keeli_node *open = &s->nodes.items[section->open];
        keeli_write(w, "nested: '%s' in '%s'", section->name,
                    s->sections.items[section->outer].name);
        write_conditions(w, &open->step);
        if (section->sequential) keeli_write(w, ", sequential");
        keeli_write(w, "\n");
    }
}

void keeli_write_text(keeli_writer *w, const keeli_description *d) {
    const keeli_schedule *s = d->s;
    keeli_write(w, "workload '%s': systems %u, batches %u\n", s->sections.items[0].name,
                (unsigned)s->system_count, (unsigned)keeli_batch_count(d));
    write_nested(w, s);
    uint32_t begun = 0; // batches
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        if (!keeli_node_is_work(node)) continue;
        if (d->places[i].batch == begun) keeli_write(w, "batch %u\n", (unsigned)begun++);
        keeli_write(w, "  ");
        write_name(w, s, i);
        write_touches(w, s, node);
        write_options(w, node);
        keeli_write(w, "\n");
        write_reason(w, d, i);
    }
}
