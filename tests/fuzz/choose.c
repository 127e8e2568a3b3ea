// SPDX-License-Identifier: MIT
// Arguments out of bytes: mostly what a program would hand over, now and then what none should.
#include "fuzz.h"

#include <string.h>

uint32_t fuzz_byte(void) {
    if (!f.left) return 0;
    --f.left;
    return *f.bytes++;
}
uint32_t fuzz_below(uint32_t count) { return count ? fuzz_byte() % count : 0; }
bool fuzz_one_in(uint32_t count) { return f.left && fuzz_byte() % count == count - 1; }

uint32_t fuzz_number(void) {
    static const uint32_t edges[] = { 0,          63,         64,         65,         4095,
                                      4096,       4097,       65535,      65536,      0x00FFFFFF,
                                      0x01000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF };
    const uint32_t n = fuzz_byte();
    if (n < 200) return n % 40;
    return edges[n % (sizeof edges / sizeof *edges)];
}

keel_world *fuzz_world(void) {
    if (f.depth && f.contexts[f.depth] && fuzz_one_in(2)) {
        keel_world *world = keel_context_world(f.contexts[f.depth]);
        if (world) return world;
    }
    return f.worlds[fuzz_one_in(5)];
}

keel_scope *fuzz_scope(void) {
    switch (fuzz_below(16)) {
    case 0:
    case 1:
        return KEEL_SCOPE(keel_world_commands(fuzz_world()));
    case 2:
    case 3:
        return KEEL_SCOPE(&f.views[fuzz_below(FUZZ_VIEWS)].view);
    case 4:
        if (f.readers[0]) return KEEL_SCOPE(f.readers[0]);
        break;
    case 5:
        if (fuzz_one_in(8)) return NULL;
        break;
    case 6:
    case 7:
        if (f.contexts[f.depth]) {
            keel_commands *commands = keel_context_commands(f.contexts[f.depth]);
            if (commands) return KEEL_SCOPE(commands);
        }
        if (f.change && f.change->commands) return KEEL_SCOPE(f.change->commands);
        break;
    case 8:
    case 9:
    case 10:
        if (f.contexts[f.depth]) return KEEL_SCOPE(f.contexts[f.depth]);
        break;
    default:
        break;
    }
    return KEEL_SCOPE(fuzz_world());
}

keel_entity fuzz_forged(void) {
    const uint32_t index = fuzz_number();
    return keel_entity_make(index, fuzz_number());
}

keel_entity fuzz_entity(void) {
    const uint32_t how = fuzz_below(32);
    if (how == 0) return keel_null();
    if (how == 1) return fuzz_forged();
    if (how == 2 && f.handle_count) { // a neighbour in time
        const keel_entity e = f.handles[fuzz_below(FUZZ_HANDLES)];
        return keel_entity_make(keel_entity_index(e), keel_entity_version(e) + 1);
    }
    if (how == 3 && f.change) return f.change->entity;
    if (how == 4) return keel_next_entity(f.worlds[0], f.handles[fuzz_below(FUZZ_HANDLES)]);
    return f.handles[fuzz_below(how < 16 ? 8 : FUZZ_HANDLES)];
}

uint32_t fuzz_entities(keel_entity *list) {
    const uint32_t count = fuzz_below(FUZZ_MANY + 1);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = fuzz_one_in(24) ? fuzz_entity() : f.handles[(f.handle_count + i) % FUZZ_HANDLES];
    return count;
}

// ------------------------------------------------------------------ components
static const keel_component *one_of(const keel_component *const *list, uint32_t count) {
    const keel_component *c = list[fuzz_below(count)];
    // the world's own descriptor, as bindings have it
    if (fuzz_one_in(8) && c->name) {
        const keel_component *known = keel_find_component(f.worlds[fuzz_below(2)], c->name);
        if (known) return known;
    }
    return c;
}

const keel_component *fuzz_component(void) {
    const uint32_t how = fuzz_below(64);
    if (how == 0) return NULL;
    if (how == 1) return fuzz_uniques[fuzz_below(fuzz_unique_count)];
    if (how == 2) return fuzz_events[fuzz_below(fuzz_event_count)];
    if (how < 5) return KEEL_OF(keel_child);
    if (how == 5) return keel_if_missing();
    if (how == 6) return fuzz_one_in(2) ? &keel_entities : KEEL_OF(keel_name);
    if (how == 7) return one_of(fuzz_relations, fuzz_relation_count);
    if (how < 11) return one_of(fuzz_components, fuzz_component_count);
    return one_of(fuzz_components, 20); // those that a world takes
}
const keel_component *fuzz_relation(void) {
    return fuzz_one_in(16) ? fuzz_component() : one_of(fuzz_relations, fuzz_relation_count);
}
const keel_component *fuzz_unique(void) {
    return fuzz_one_in(16) ? fuzz_component() : one_of(fuzz_uniques, fuzz_unique_count);
}
const keel_component *fuzz_event(void) {
    return fuzz_one_in(16) ? fuzz_component() : one_of(fuzz_events, fuzz_event_count);
}

const keel_component *const *fuzz_list(void) {
    static const keel_component *lists[FUZZ_DEPTH + 1][8][KEEL_MAX_TERM_COMPONENTS + 3];
    static uint32_t turn;
    const keel_component **list = lists[f.depth][turn++ % 8];
    if (fuzz_one_in(32)) return NULL;
    const uint32_t count = fuzz_one_in(32) ? KEEL_MAX_TERM_COMPONENTS + 2 : fuzz_below(5);
    for (uint32_t i = 0; i < count; ++i) {
        list[i] = fuzz_component();
        if (!list[i]) list[i] = fuzz_components[0];
    }
    list[count] = NULL;
    return list;
}

const keel_term *fuzz_terms(void) {
    static keel_term terms[FUZZ_DEPTH + 1][KEEL_MAX_TERMS + 3];
    keel_term *t = terms[f.depth];
    if (fuzz_one_in(64)) return NULL;
    const uint32_t count = fuzz_one_in(64) ? KEEL_MAX_TERMS + 2 : fuzz_below(5);
    for (uint32_t i = 0; i < count; ++i) {
        // mostly what a loop asks for: to KEEL_TERM_ENTITY
        uint32_t kind = fuzz_one_in(8) ? fuzz_below(40) : 1 + fuzz_below(KEEL_TERM_ENTITY);
        if (fuzz_one_in(32))
            kind = fuzz_one_in(2) ? (uint32_t)KEEL_TERM_AMONG : (uint32_t)KEEL_TERM_BACKWARDS;
        t[i] = (keel_term){ .kind = (keel_term_kind)kind };
        if (t[i].kind == KEEL_TERM_END) t[i].kind = KEEL_TERM_READ;
        if (kind == KEEL_TERM_CUSTOM || kind == KEEL_TERM_CUSTOM_READ)
            t[i].custom = fuzz_custom_views[fuzz_below(fuzz_custom_view_count)];
        else if (kind == KEEL_TERM_AMONG) {
            t[i].custom = f.handles; // nearly always as many as there are
            t[i].data_size = fuzz_below(FUZZ_HANDLES + 1);
        } else if (kind == KEEL_TERM_UNIQUE_READ || kind == KEEL_TERM_UNIQUE_WRITE)
            t[i].component = fuzz_unique();
        else if (kind == KEEL_TERM_SEND || kind == KEEL_TERM_RECEIVE) t[i].component = fuzz_event();
        else if (kind != KEEL_TERM_ENTITY || fuzz_one_in(8)) t[i].component = fuzz_component();
        if (kind == KEEL_TERM_ANY_OF || (kind >= KEEL_TERM_MAY_READ && kind <= KEEL_TERM_MAY_EDIT))
            t[i].others = fuzz_list();
        if (fuzz_one_in(16) && t[i].kind != KEEL_TERM_AMONG)
            t[i].data_size = fuzz_below(3); // KEEL_LEADING is one
    }
    t[count] = (keel_term){ .kind = KEEL_TERM_END };
    return t;
}

// ------------------------------------------------------------------ the rest
const char *fuzz_text(void) {
    static const char *const texts[] = {
        "ship",
        "fleet",
        "fleet/ship",
        "/",
        "",
        "a/b/c/d",
        "small",
        "clock",
        "hit",
        "move",
        "frame",
        "%s%n",
        "\xff\xfe",
        "..",
        "a name that is longer than what most buffers of messages have room for, "
        "and goes on, and on, and on, until nobody can want to read it any more; "
        "then it still goes on, since two hundred and fifty-six bytes are a lot of "
        "text, more than one would think at first"
    };
    if (fuzz_one_in(32)) return NULL;
    return texts[fuzz_below(sizeof texts / sizeof *texts)];
}

uint32_t fuzz_kinds(void) {
    if (fuzz_one_in(8)) return fuzz_number();
    const uint32_t kinds = fuzz_byte();
    return fuzz_one_in(4) ? kinds | 256u : kinds;
}

fuzz_view *fuzz_view_of(bool writable) {
    (void)writable;
    return &f.views[fuzz_below(FUZZ_VIEWS)];
}

keel_group *fuzz_group(void) { return fuzz_one_in(16) ? NULL : f.groups[fuzz_below(FUZZ_GROUPS)]; }

const keel_system *fuzz_system(void) {
    return fuzz_one_in(32) ? NULL : fuzz_systems[fuzz_below(fuzz_system_count)];
}

const char *fuzz_workload_name(void) {
    static const char *const names[] = { "frame", "fixed", "late", "", "nobody" };
    return fuzz_one_in(32) ? NULL : names[fuzz_below(5)];
}

static const char *names_of_steps(void) {
    static const char *const names[] = { "move", "fall, mark", "label",       "nobody",
                                         ",,",   "edit",       "label, label" };
    return fuzz_one_in(4) ? names[fuzz_below(7)] : NULL;
}

const keel_step *fuzz_step(void) {
    static keel_step steps[FUZZ_DEPTH + 1];
    keel_step *step = &steps[f.depth];
    *step = (keel_step){ .system = fuzz_system() };
    const uint32_t how = fuzz_below(32);
    if (how == 0) step->workload = &f.workloads[fuzz_below(FUZZ_WORKLOADS)];
    if (how == 1) step->workload_name = fuzz_workload_name();
    if (how == 2) step->barrier = true;
    if (how < 3 && !fuzz_one_in(8)) step->system = NULL;
    if (how == 3) step->run_if = fuzz_condition;
    if (how == 4) step->skip_if = fuzz_system();
    if (how == 5) step->skip_if_empty = fuzz_component();
    if (how == 6) step->skip_if_missing = fuzz_unique();
    if (how == 7) step->in_state = fuzz_states[fuzz_below(2)];
    if (how == 8) step->on_enter = fuzz_states[fuzz_below(2)];
    if (how == 9) step->on_exit = fuzz_states[fuzz_below(2)];
    if (how == 10) step->transition = fuzz_states[fuzz_below(2)];
    if (how == 11) step->parallel = true;
    if (how == 12) step->sequential = true;
    if (how == 13) step->startup = true;
    if (how == 14) step->times = fuzz_number();
    if (how == 15) step->every = fuzz_one_in(8) ? -1.0 : (double)fuzz_byte() / 64;
    if (how == 16) step->disabled = true;
    if (how == 17) step->main_thread = true;
    step->state_value = fuzz_below(4);
    step->label = fuzz_one_in(4) ? "label" : NULL;
    step->after = names_of_steps();
    step->before = fuzz_one_in(8) ? names_of_steps() : NULL;
    step->after_all = fuzz_one_in(8) ? names_of_steps() : NULL;
    step->before_all = fuzz_one_in(8) ? names_of_steps() : NULL;
    return step;
}

const keel_workload *fuzz_workload(void) {
    if (fuzz_one_in(32)) return NULL;
    const uint32_t at = fuzz_below(FUZZ_WORKLOADS);
    keel_workload *w = &f.workloads[at];
    // a table stays as it is while it runs: here, while anything is called from inside of a call
    if (!f.depth && (!w->name || fuzz_one_in(4))) {
        static const char *const names[] = { "frame", "fixed", "late" };
        const uint32_t count = fuzz_below(FUZZ_STEPS + 1);
        for (uint32_t i = 0; i < count; ++i)
            f.steps[at][i] = *fuzz_step();
        *w = (keel_workload){ .name = names[at], .steps = f.steps[at], .step_count = count };
    }
    return w;
}

const keel_run_desc *fuzz_run_desc(void) {
    static uint32_t data;
    static keel_run_desc descs[FUZZ_DEPTH + 1];
    keel_run_desc *desc = &descs[f.depth];
    if (fuzz_one_in(2)) return NULL;
    *desc = (keel_run_desc){ .data = fuzz_one_in(2) ? &data : NULL };
    desc->data_size = fuzz_one_in(2) ? sizeof data : 0;
    desc->parallel = fuzz_one_in(4);
    desc->dt = fuzz_one_in(8) ? -1.0 : (double)fuzz_byte() / 100;
    return desc;
}
