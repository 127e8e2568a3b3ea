// SPDX-License-Identifier: MIT
// Rolling plans, printing them, and making them simpler.
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const component_plan component_plans[COMPONENTS] = {
    { "SparseA", KEEL_SPARSE_SET, 1, false, false }, { "SparseB", KEEL_SPARSE_SET, 3, false, true },
    { "SparseC", KEEL_SPARSE_SET, 1, false, false }, { "Owned", KEEL_SPARSE_SET, 1, true, false },
    { "Tag", KEEL_SPARSE_SET, 0, false, false },     { "IndexedA", KEEL_INDEXED, 1, false, false },
    { "IndexedB", KEEL_INDEXED, 3, false, true },    { "Large", KEEL_INDEXED, 137, false, false },
    { "RowA", KEEL_ARCHETYPE, 1, false, false },     { "RowB", KEEL_ARCHETYPE, 3, false, true },
    { "RowC", KEEL_ARCHETYPE, 1, true, false },      { "RowTag", KEEL_ARCHETYPE, 0, false, false },
    { "Needy", KEEL_SPARSE_SET, 1, false, true },
};
const char *const relation_names[RELATIONS] = { "Likes", "Docked", "PartOf" };

uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = a * UINT64_C(0xD1342543DE82EF95) + b + UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

// ------------------------------------------------------------------ dice
typedef struct dice {
    uint64_t state;
} dice;

static uint32_t below(dice *d, uint32_t limit) {
    d->state = mix(d->state, 1);
    return (uint32_t)(d->state >> 32) % limit;
}
static bool chance(dice *d, uint32_t percent) { return below(d, 100) < percent; }
// One of the numbers below `limit`, plus 1; mostly 0.
static uint32_t maybe_one(dice *d, uint32_t percent, uint32_t limit) {
    return limit && chance(d, percent) ? 1 + below(d, limit) : 0;
}

// ------------------------------------------------------------------ terms
// A component that the system does not name yet, if one is found soon; `values`: with values that
// may be changed.
static bool fresh_component(dice *d, uint32_t *named, bool values, uint32_t *out) {
    for (uint32_t tries = 0; tries < 20; ++tries) {
        const uint32_t c = below(d, NEEDY);
        const component_plan *about = &component_plans[c];
        if (*named >> c & 1 || (values && (about->is_owned || !about->words))) continue;
        *named |= 1u << c;
        *out = c;
        return true;
    }
    return false;
}

static void add_term(system_plan *s, keel_term_kind kind, uint32_t count, uint32_t a, uint32_t b) {
    s->terms[s->term_count++] = (term_plan){ .kind = kind, .count = count, .components = { a, b } };
}

static void roll_terms(dice *d, system_plan *s, uint32_t *named, keel_term_kind kind,
                       uint32_t percent, bool values) {
    uint32_t c;
    if (chance(d, percent) && fresh_component(d, named, values, &c)) add_term(s, kind, 1, c, 0);
}

static void roll_pair(dice *d, system_plan *s, uint32_t *named, keel_term_kind kind,
                      uint32_t percent) {
    const bool writes = kind == KEEL_TERM_MAY_WRITE;
    uint32_t a, b = 0;
    if (!chance(d, percent) || !fresh_component(d, named, writes, &a)) return;
    const uint32_t count = chance(d, 50) && fresh_component(d, named, writes, &b) ? 2 : 1;
    add_term(s, kind, count, a, b);
}

static void roll_uniques(dice *d, system_plan *s, bool may_write) {
    const uint32_t unique = below(d, UNIQUES - 1), set = chance(d, 98) ? unique : UNIQUES - 1;
    if (chance(d, 30)) add_term(s, KEEL_TERM_UNIQUE_READ, 1, set, 0);
    if (may_write && chance(d, 20))
        add_term(s, KEEL_TERM_UNIQUE_WRITE, 1, (unique + 1) % (UNIQUES - 1), 0);
}

// Commands on what the system names, too: they come later.
static void roll_commands(dice *d, system_plan *s, uint32_t percent) {
    if (!chance(d, percent)) return;
    const uint32_t a = below(d, NEEDY), b = (a + 1 + below(d, NEEDY - 1)) % NEEDY;
    add_term(s, KEEL_TERM_COMMANDS, chance(d, 30) ? 0 : 1 + below(d, 2), a, b);
}

static void roll_filters(dice *d, system_plan *s, uint32_t *named) {
    roll_terms(d, s, named, KEEL_TERM_OPTIONAL_READ, 15, false);
    roll_terms(d, s, named, KEEL_TERM_OPTIONAL_WRITE, 15, true);
    roll_terms(d, s, named, KEEL_TERM_WITH, 15, false);
    roll_terms(d, s, named, KEEL_TERM_WITHOUT, 20, false);
    roll_pair(d, s, named, KEEL_TERM_ANY_OF, 10);
}

static void roll_loop(dice *d, system_plan *s) {
    uint32_t named = 0;
    s->parallel = chance(d, 35);
    roll_terms(d, s, &named, KEEL_TERM_WRITE, 80, true);
    roll_terms(d, s, &named, KEEL_TERM_WRITE, 25, true);
    roll_terms(d, s, &named, KEEL_TERM_READ, 60, false);
    roll_terms(d, s, &named, KEEL_TERM_READ, 20, false);
    for (uint32_t t = 0; t < s->term_count; ++t)
        if (!component_plans[s->terms[t].components[0]].words) s->terms[t].kind = KEEL_TERM_WITH;
    roll_filters(d, s, &named);
    if (chance(d, 60) || !s->term_count) add_term(s, KEEL_TERM_ENTITY, 0, 0, 0);
    if (!chance(d, 70)) return;
    add_term(s, KEEL_TERM_CONTEXT, 0, 0, 0);
    if (chance(d, 15)) add_term(s, KEEL_TERM_MAY_READ, 1, LINKS, 0);
    else roll_pair(d, s, &named, KEEL_TERM_MAY_READ, 25);
    if (!s->parallel) roll_pair(d, s, &named, KEEL_TERM_MAY_WRITE, 15);
}

static void roll_once(dice *d, system_plan *s) {
    uint32_t named = 0;
    const body b = s->body;
    add_term(s, KEEL_TERM_CONTEXT, 0, 0, 0);
    roll_pair(d, s, &named, KEEL_TERM_MAY_READ, 80);
    if (b == BODY_LOOP) {
        roll_pair(d, s, &named, KEEL_TERM_MAY_WRITE, 80);
        if (chance(d, 20)) add_term(s, KEEL_TERM_MAY_READ, 1, LINKS, 0);
    } else {
        roll_pair(d, s, &named, KEEL_TERM_MAY_EDIT, 100);
        if (b == BODY_CREATE) add_term(s, KEEL_TERM_MAY_EDIT_ENTITIES, 0, 0, 0);
    }
}

static body roll_body(dice *d) {
    const uint32_t n = below(d, 100);
    return n < 45   ? BODY_ENTITY
           : n < 62 ? BODY_SPAN
           : n < 80 ? BODY_LOOP
           : n < 88 ? BODY_EDIT
           : n < 92 ? BODY_CREATE
                    : BODY_WORLD;
}

// ------------------------------------------------------------------ steps
static bool is_loop(const system_plan *s) { return s->body <= BODY_SPAN; }

static void roll_system(dice *d, system_plan *s, bool fails) {
    s->is_used = true;
    s->body = roll_body(d);
    s->seed = mix(d->state, 7);
    if (s->body == BODY_WORLD) add_term(s, KEEL_TERM_MAY_EDIT_WORLD, 0, 0, 0);
    else if (is_loop(s)) roll_loop(d, s);
    else roll_once(d, s);
    if (s->body != BODY_WORLD) {
        roll_uniques(d, s, !s->parallel);
        roll_commands(d, s, 35);
    }
    s->delays = chance(d, 50) ? 1 + below(d, 4) : 0;
    if (fails && chance(d, 18)) {
        static const uint32_t rates[] = { 1, 1, 20, 200 };
        s->fails = rates[below(d, 4)];
        s->fail_rounds = 1 + below(d, 15);
    }
    s->misuses = fails && chance(d, 10);
    s->startup = chance(d, 4);
    s->main_thread = !s->parallel && chance(d, 6);
    s->run_if = maybe_one(d, 12, CONDITIONS);
    s->skip_if = maybe_one(d, 6, CONDITIONS);
    s->skip_if_empty = maybe_one(d, 6, NEEDY);
    s->skip_if_missing = maybe_one(d, 4, UNIQUES);
    s->label = maybe_one(d, 20, LABELS);
}

// What asks for an order follows one that was rolled before, so that there are few cycles.
static void roll_order(dice *d, plan *p, uint32_t systems) {
    uint32_t rank[SYSTEMS];
    for (uint32_t i = 0; i < systems; ++i)
        rank[i] = below(d, 1000) + i * 60;
    for (uint32_t i = 0; i < systems; ++i) {
        system_plan *s = &p->systems[i];
        const uint32_t other = below(d, systems);
        if (other == i || !chance(d, 20)) continue;
        const bool same = p->systems[other].workload == s->workload && chance(d, 60);
        if (rank[other] < rank[i]) *(same ? &s->after : &s->after_all) = other + 1;
        else *(same ? &s->before : &s->before_all) = other + 1;
    }
    if (chance(d, 4)) p->systems[below(d, systems)].after_label = 1 + below(d, LABELS);
}

static void roll_nested(dice *d, plan *p, uint32_t systems) {
    for (uint32_t n = 1; n < WORKLOADS; ++n) {
        nested_plan *nested = &p->nested[n];
        nested->is_used = chance(d, 40);
        nested->outer = below(d, n);
        while (nested->outer && !p->nested[nested->outer].is_used)
            nested->outer = p->nested[nested->outer].outer;
        nested->position = below(d, systems);
        nested->sequential = chance(d, 20);
        nested->main_thread = chance(d, 5);
        nested->startup = chance(d, 4);
        nested->run_if = maybe_one(d, 40, CONDITIONS);
        nested->skip_if_missing = maybe_one(d, 6, UNIQUES);
        nested->label = maybe_one(d, 20, LABELS);
    }
    for (uint32_t i = 0; i < systems; ++i) {
        const uint32_t n = below(d, WORKLOADS);
        p->systems[i].workload = n && p->nested[n].is_used ? n : 0;
        if (p->systems[i].workload && p->nested[n].main_thread) p->systems[i].parallel = false;
    }
}

static void roll_conditions(dice *d, plan *p, bool fails) {
    for (uint32_t c = 0; c < CONDITIONS; ++c)
        p->conditions[c] = (condition_plan){ .seed = mix(d->state, c),
                                             .reads = below(d, UNIQUES - 1),
                                             .writes = chance(d, 30),
                                             .records = chance(d, 15),
                                             .fails = fails ? maybe_one(d, 20, 3) : 0 };
}

// ------------------------------------------------------------------ relations, events, changes
static bool add_wide(system_plan *s, keel_term_kind kind, uint32_t count, uint32_t a, uint32_t b) {
    if (s->term_count >= TERMS - 1) return false;
    add_term(s, kind, count, a, b);
    return true;
}

static uint32_t named_by(const system_plan *s) {
    uint32_t named = 0;
    for (uint32_t t = 0; t < s->term_count; ++t) {
        const keel_term_kind kind = s->terms[t].kind;
        if (kind == KEEL_TERM_COMMANDS || kind >= KEEL_TERM_SEND) continue;
        if (kind == KEEL_TERM_UNIQUE_READ || kind == KEEL_TERM_UNIQUE_WRITE) continue;
        for (uint32_t i = 0; i < s->terms[t].count; ++i)
            named |= 1u << s->terms[t].components[i];
    }
    return named;
}

static void widen_loop(dice *d, system_plan *s) {
    static const keel_term_kind changes[] = { KEEL_TERM_CHANGED, KEEL_TERM_INSERTED,
                                              KEEL_TERM_MODIFIED, KEEL_TERM_NOT_CHANGED };
    static const keel_term_kind through[] = { KEEL_TERM_OF_TARGET_READ, KEEL_TERM_UP_READ,
                                              KEEL_TERM_OF_TARGET_OPTIONAL_READ };
    uint32_t named = named_by(s), c;
    if (chance(d, 20) && fresh_component(d, &named, false, &c) && component_plans[c].is_tracked)
        add_wide(s, changes[below(d, 4)], 1, c, 0);
    if (chance(d, 12)) add_wide(s, KEEL_TERM_WITH, 1, LIKES + below(d, RELATIONS), 0);
    else if (chance(d, 12)) add_wide(s, KEEL_TERM_TARGETED, 1, LIKES + below(d, RELATIONS), 0);
    if (chance(d, 15) && fresh_component(d, &named, false, &c) && component_plans[c].words) {
        const uint32_t k = below(d, 3); // up: an acyclic one
        add_wide(s, through[k], 2, c, k == 1 ? LIKES + 2 : LIKES + 1 + below(d, 2));
    }
    if (chance(d, 10)) add_wide(s, KEEL_TERM_TARGETS_FIRST, 1, LIKES + 2, 0);
}

// What commands edit: all, or a list, to which a relation comes.
static void widen_commands(dice *d, system_plan *s) {
    for (uint32_t t = 0; t < s->term_count; ++t) {
        term_plan *term = &s->terms[t];
        if (term->kind != KEEL_TERM_COMMANDS || !term->count || !chance(d, 50)) continue;
        if (chance(d, 50)) term->components[term->count++] = LIKES + below(d, RELATIONS);
        else *term = (term_plan){ KEEL_TERM_COMMANDS, 2, { NEEDY, INDEXED_A, 0 } };
    }
}

static void widen(dice *d, plan *p) {
    p->is_wide = true;
    for (uint32_t i = 0; i < SYSTEMS; ++i) {
        system_plan *s = &p->systems[i];
        if (!s->is_used || s->body == BODY_WORLD) continue;
        if (is_loop(s)) widen_loop(d, s);
        widen_commands(d, s);
        bool has_context = false;
        for (uint32_t t = 0; t < s->term_count; ++t)
            has_context |= s->terms[t].kind == KEEL_TERM_CONTEXT;
        if (!has_context) continue;
        if (chance(d, 20)) add_wide(s, KEEL_TERM_MAY_READ, 1, LIKES + below(d, RELATIONS), 0);
        else if (s->body == BODY_EDIT && chance(d, 50))
            add_wide(s, KEEL_TERM_MAY_EDIT, 1, LIKES + below(d, 2), 0);
        if (chance(d, 20)) add_wide(s, KEEL_TERM_SEND, 1, below(d, EVENTS), 0);
        else if (!s->parallel && chance(d, 25))
            add_wide(s, KEEL_TERM_RECEIVE, 1, below(d, EVENTS), 0);
    }
}

void plan_roll(plan *p, uint64_t seed, uint64_t number) {
    static const uint32_t sizes[] = { 0, 1, 5, 63, 64, 65, 150, 200, 300, 500 };
    dice d = { mix(seed, number) };
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->number = number;
    p->entities = sizes[below(&d, chance(&d, 20) ? 6 : 10)];
    p->rounds = 1 + below(&d, MOST_ROUNDS);
    p->groups = chance(&d, 60) ? below(&d, 1u << GROUPS) : 0;
    p->missing = chance(&d, 40) ? below(&d, 1u << NEEDY) & below(&d, 1u << NEEDY) : 0;
    p->creates = chance(&d, 70);
    const bool fails = chance(&d, 45);
    const uint32_t systems = 2 + below(&d, SYSTEMS - 1);
    roll_conditions(&d, p, fails);
    for (uint32_t i = 0; i < systems; ++i)
        roll_system(&d, &p->systems[i], fails);
    roll_nested(&d, p, systems);
    if (chance(&d, 80)) roll_order(&d, p, systems);
    else
        for (uint32_t i = 0; i < systems; ++i)
            p->systems[i].barrier = chance(&d, 12);
    if (number % 4 != 1) widen(&d, p);
}

bool plan_is_plain(const plan *p) {
    for (uint32_t i = 0; i < SYSTEMS; ++i) {
        const system_plan *s = &p->systems[i];
        if (!s->is_used) continue;
        if (s->run_if || s->skip_if || s->skip_if_empty || s->skip_if_missing || s->startup)
            return false;
        if (s->fails || s->misuses) return false;
        for (uint32_t t = 0; t < s->term_count; ++t) {
            const keel_term_kind kind = s->terms[t].kind;
            if (kind == KEEL_TERM_UNIQUE_READ && s->terms[t].components[0] == UNIQUES - 1)
                return false; // fails
            if (kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_NOT_CHANGED)
                return false; // runs on their own see changes of their own
            if (kind == KEEL_TERM_SEND || kind == KEEL_TERM_RECEIVE) return false;
        }
    }
    for (uint32_t n = 1; n < WORKLOADS; ++n)
        if (p->nested[n].is_used &&
            (p->nested[n].run_if || p->nested[n].skip_if_missing || p->nested[n].startup))
            return false;
    return !p->creates;
}

// ------------------------------------------------------------------ simpler
static void drop_system(plan *p, uint32_t i) {
    memset(&p->systems[i], 0, sizeof p->systems[i]);
    for (uint32_t k = 0; k < SYSTEMS; ++k) {
        system_plan *s = &p->systems[k];
        if (s->after == i + 1) s->after = 0;
        if (s->before == i + 1) s->before = 0;
        if (s->after_all == i + 1) s->after_all = 0;
        if (s->before_all == i + 1) s->before_all = 0;
    }
}

static void drop_term(system_plan *s, uint32_t t) {
    if (t >= s->term_count) return;
    const keel_term_kind kind = s->terms[t].kind;
    if (kind == KEEL_TERM_CONTEXT || kind == KEEL_TERM_MAY_EDIT_WORLD) return;
    memmove(&s->terms[t], &s->terms[t + 1], (--s->term_count - t) * sizeof s->terms[0]);
}

static void simplify_step(system_plan *s, uint32_t what) {
    uint32_t *const numbers[] = { &s->delays,    &s->fails,         &s->run_if,
                                  &s->skip_if,   &s->skip_if_empty, &s->skip_if_missing,
                                  &s->label,     &s->after,         &s->before,
                                  &s->after_all, &s->before_all,    &s->after_label };
    bool *const flags[] = { &s->misuses, &s->parallel, &s->startup, &s->main_thread, &s->barrier };
    if (what < 12) *numbers[what] = 0;
    else if (what < 17) *flags[what - 12] = false;
    else drop_term(s, what - 17);
}

static void drop_nested(plan *p, uint32_t n) {
    if (!p->nested[n].is_used) return;
    p->nested[n].is_used = false;
    for (uint32_t i = 0; i < SYSTEMS; ++i)
        if (p->systems[i].workload == n) p->systems[i].workload = p->nested[n].outer;
    for (uint32_t k = n + 1; k < WORKLOADS; ++k)
        if (p->nested[k].outer == n) p->nested[k].outer = p->nested[n].outer;
}

static void simplify_nested(plan *p, uint32_t n) {
    nested_plan *nested = &p->nested[n];
    nested->sequential = nested->main_thread = nested->startup = false;
    nested->run_if = nested->skip_if_missing = nested->label = 0;
}

static void simplify_condition(condition_plan *c) { c->writes = c->records = false; }

enum { WORLD_STEPS = 6, PLAN_STEPS = WORLD_STEPS + 2 * WORKLOADS + CONDITIONS };

static void simplify_world(plan *p, uint32_t what) {
    if (what == 0 && p->rounds > 1) --p->rounds;
    if (what == 1) p->groups = 0;
    if (what == 2) p->groups &= p->groups - 1;
    if (what == 3) p->entities /= 2;
    if (what == 4) p->missing = 0;
    if (what == 5) p->is_wide = false;
}

static void simplify_plan(plan *p, uint32_t what) {
    const uint32_t n = what - WORLD_STEPS;
    if (what < WORLD_STEPS) simplify_world(p, what);
    else if (n < WORKLOADS) drop_nested(p, n);
    else if (n < 2 * WORKLOADS) simplify_nested(p, n - WORKLOADS);
    else simplify_condition(&p->conditions[n - 2 * WORKLOADS]);
}

bool plan_simplify(plan *p, uint32_t step) {
    enum { SYSTEM_STEPS = 17 + TERMS };
    if (step < SYSTEMS) drop_system(p, step);
    else if (step < SYSTEMS + PLAN_STEPS) simplify_plan(p, step - SYSTEMS);
    else {
        const uint32_t rest = step - SYSTEMS - PLAN_STEPS;
        if (rest >= SYSTEMS * SYSTEM_STEPS) return false;
        simplify_step(&p->systems[rest / SYSTEM_STEPS], rest % SYSTEM_STEPS);
    }
    return true;
}

// ------------------------------------------------------------------ as text
static const char *const kind_names[] = {
    [KEEL_TERM_READ] = "read",
    [KEEL_TERM_WRITE] = "write",
    [KEEL_TERM_OPTIONAL_READ] = "optional_read",
    [KEEL_TERM_OPTIONAL_WRITE] = "optional_write",
    [KEEL_TERM_WITH] = "with",
    [KEEL_TERM_WITHOUT] = "without",
    [KEEL_TERM_ANY_OF] = "any_of",
    [KEEL_TERM_ENTITY] = "entity",
    [KEEL_TERM_MAY_READ] = "may_read",
    [KEEL_TERM_MAY_WRITE] = "may_write",
    [KEEL_TERM_MAY_EDIT] = "may_edit",
    [KEEL_TERM_MAY_EDIT_ENTITIES] = "may_edit_entities",
    [KEEL_TERM_MAY_EDIT_WORLD] = "may_edit_world",
    [KEEL_TERM_UNIQUE_READ] = "unique_read",
    [KEEL_TERM_UNIQUE_WRITE] = "unique_write",
    [KEEL_TERM_COMMANDS] = "commands",
    [KEEL_TERM_CONTEXT] = "context",
    [KEEL_TERM_INSERTED] = "inserted",
    [KEEL_TERM_MODIFIED] = "modified",
    [KEEL_TERM_CHANGED] = "changed",
    [KEEL_TERM_NOT_CHANGED] = "not_changed",
    [KEEL_TERM_OF_TARGET_READ] = "of_target_read",
    [KEEL_TERM_OF_TARGET_OPTIONAL_READ] = "of_target_optional_read",
    [KEEL_TERM_UP_READ] = "up_read",
    [KEEL_TERM_TARGETS_FIRST] = "targets_first",
    [KEEL_TERM_TARGETED] = "targeted",
    [KEEL_TERM_SEND] = "send",
    [KEEL_TERM_RECEIVE] = "receive",
};
static const char *const body_names[] = { "entity", "span", "loop", "edit", "create", "world" };

static void print_term(const term_plan *t) {
    const bool unique = t->kind == KEEL_TERM_UNIQUE_READ || t->kind == KEEL_TERM_UNIQUE_WRITE;
    printf(" %s(", kind_names[t->kind]);
    for (uint32_t i = 0; i < t->count; ++i) {
        const uint32_t c = t->components[i];
        if (unique) printf("U%u", (unsigned)c);
        else if (t->kind >= KEEL_TERM_SEND) printf("E%u", (unsigned)c);
        else
            printf("%s%s", i ? ", " : "",
                   c == LINKS   ? "links"
                   : c >= LIKES ? relation_names[c - LIKES]
                                : component_plans[c].name);
    }
    printf(")");
}

static void print_number(const char *name, char prefix, uint32_t number) {
    if (number) printf(" .%s=%c%u", name, prefix, (unsigned)number - 1);
}

static void print_system(const system_plan *s, uint32_t i) {
    printf("  s%u in w%u, %s:", (unsigned)i, (unsigned)s->workload, body_names[s->body]);
    for (uint32_t t = 0; t < s->term_count; ++t)
        print_term(&s->terms[t]);
    printf("%s%s%s%s%s", s->parallel ? " .parallel" : "", s->startup ? " .startup" : "",
           s->main_thread ? " .main_thread" : "", s->barrier ? " after a barrier" : "",
           s->misuses ? " misuses" : "");
    print_number("run_if", 'c', s->run_if);
    print_number("skip_if", 'c', s->skip_if);
    if (s->skip_if_empty) printf(" .skip_if_empty=%s", component_plans[s->skip_if_empty - 1].name);
    print_number("skip_if_missing", 'U', s->skip_if_missing);
    print_number("label", 'l', s->label);
    print_number("after", 's', s->after);
    print_number("before", 's', s->before);
    print_number("after_all", 's', s->after_all);
    print_number("before_all", 's', s->before_all);
    print_number("after_all", 'l', s->after_label);
    if (s->delays) printf(" delays 1/%u", (unsigned)s->delays);
    if (s->fails) printf(" fails 1/%u rounds %x", (unsigned)s->fails, (unsigned)s->fail_rounds);
    printf("\n");
}

void plan_print(const plan *p) {
    printf("%u entities, %u rounds, groups %x, missing %x%s%s\n", (unsigned)p->entities,
           (unsigned)p->rounds, (unsigned)p->groups, (unsigned)p->missing,
           p->creates ? ", commands create" : "", p->is_wide ? ", wide" : "");
    for (uint32_t n = 1; n < WORKLOADS; ++n) {
        const nested_plan *nested = &p->nested[n];
        if (!nested->is_used) continue;
        printf("  w%u in w%u before s%u%s%s%s", (unsigned)n, (unsigned)nested->outer,
               (unsigned)nested->position, nested->sequential ? " .sequential" : "",
               nested->main_thread ? " .main_thread" : "", nested->startup ? " .startup" : "");
        print_number("run_if", 'c', nested->run_if);
        print_number("skip_if_missing", 'U', nested->skip_if_missing);
        print_number("label", 'l', nested->label);
        printf("\n");
    }
    for (uint32_t c = 0; c < CONDITIONS; ++c) {
        const condition_plan *about = &p->conditions[c];
        printf("  c%u reads U%u%s%s", (unsigned)c, (unsigned)about->reads,
               about->writes ? ", writes it" : "", about->records ? ", records" : "");
        printf(about->fails ? ", fails in 1 of %u rounds\n" : "\n", (unsigned)about->fails);
    }
    for (uint32_t i = 0; i < SYSTEMS; ++i)
        if (p->systems[i].is_used) print_system(&p->systems[i], i);
}
