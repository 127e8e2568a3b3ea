// SPDX-License-Identifier: MIT
// What runs and loops cost, and whether several threads gain anything: only how long they take
// depends on the answer. A schedule on several threads is predicted to take as long as its longest
// chain of nodes, or its share of the whole, and something more for each node. Where that promises
// a gain, as where the pieces of a loop take longer than a helper costs, both ways are measured and
// the faster one is taken: threads may be in each other's way, or the machine may be busy. Now and
// then a few runs go the other way, to see whether that is still so.
#include "run/workers.h"

enum {
    TIMED_RUNS = 3, // the first ones measure their nodes, and then
    TIMED_EVERY = KEELI_SIZE(64, 2),
    NODE_NS = 300,                  // what several threads cost, for each node
    HOT_NS = 500,                   // least gain when a worker looks for a job,
    COLD_NS = 20000,                // and when it has to be woken
    LOOK_RUNS = 3,                  // that go the other way: the first one may have to wake workers
    LOOK_AFTER = KEELI_SIZE(32, 2), // runs at first, twice as many when nothing new is found
    LOOK_AT_LEAST = KEELI_SIZE(256, 2),
    BELIEVED = 3, // measurements in a row that are twice what is known are no disturbance
    ITEMS = 1024, // of a loop, whose cost is kept
    SMALL_EVERY = KEELI_SIZE(16, 2) // runs of a loop that is too small for a helper are measured
};

// ------------------------------------------------------------------ one way or the other
static bool gains_clearly(const keeli_cost *c) {
    return c->many_ns && c->many_ns < c->one_ns - c->one_ns / 20;
}

bool keeli_cost_decide(keeli_cost *c) {
    if (!c->many_ns || !c->one_ns) return c->is_many = !c->many_ns;
    if (c->looks || c->wait--) return c->is_many;
    c->wait = 0;
    c->looks = LOOK_RUNS;
    c->is_first_look = true;
    return c->is_many = !c->is_many;
}

// The other way was looked at: which one is it from now on, and for how long?
static void end_look(keeli_cost *c) {
    const bool is_confirmed = gains_clearly(c) != c->is_many;
    const uint64_t slow = c->one_ns > c->many_ns ? c->one_ns : c->many_ns;
    const uint64_t fast = c->one_ns + c->many_ns - slow;
    const uint64_t most = LOOK_AT_LEAST * (slow / (fast + 1) + 1); // the dearer, the rarer
    c->interval =
        is_confirmed && c->interval ? keeli_least(c->interval * 2, (uint32_t)most) : LOOK_AFTER;
    c->is_many = gains_clearly(c);
    c->wait = c->interval;
}

void keeli_cost_note(keeli_cost *c, bool many, uint64_t ns) {
    uint64_t *known = many ? &c->many_ns : &c->one_ns;
    if (!ns) ns = 1;
    if (!*known || c->looks || ns < 2 * *known) c->above = 0;
    else if (!c->above++ || ns < c->least_above) c->least_above = ns;
    if (!*known || c->is_first_look) *known = ns;
    else if (ns < *known || c->looks) *known = ns < *known ? (*known + ns) / 2 : *known;
    else if (c->above == BELIEVED) { // one that takes twice as long may be disturbed by others
        *known = c->least_above;
        c->above = 0;
    } else *known += ((ns < 2 * *known ? ns : 2 * *known) - *known) / 64;
    c->is_first_look = false;
    if (!c->one_ns || !c->many_ns || many != c->is_many) return;
    if (c->looks) {
        if (--c->looks == 0) end_look(c);
    } else if (gains_clearly(c) != c->is_many) { // it was better so; is it still?
        c->interval = LOOK_AFTER;
        c->wait = 0;
    }
}

// ------------------------------------------------------------------ loops
keeli_loop_way keeli_cost_decide_loop(keeli_cost *c, uint32_t items, uint64_t helper_ns) {
    keeli_loop_way way = { true, true, c->one_ns * items / ITEMS };
    if (!c->one_ns) return way;
    if (way.one_ns < helper_ns) {
        way.is_many = false;
        way.is_timed = c->above || c->untimed++ % SMALL_EVERY == 0;
        return way;
    }
    // what several threads cost for each item is not the same for many more or fewer of them
    if (items / 2 > c->items || items < c->items / 2) {
        c->items = items;
        c->many_ns = c->wait = c->looks = c->interval = 0;
    }
    way.is_many = keeli_cost_decide(c);
    return way;
}

void keeli_cost_note_loop(keeli_cost *c, uint32_t items, bool many, uint64_t ns) {
    keeli_cost_note(c, many, ns * ITEMS / items + 1);
}

// ------------------------------------------------------------------ schedules
// Do several threads promise to gain more than they cost?
static bool promises(const keeli_schedule *s) {
    const keeli_costs *c = &s->costs;
    const uint64_t share = c->sum / s->world->workers.count;
    const uint64_t wide = (c->chain > share ? c->chain : share) + (uint64_t)c->nodes * NODE_NS;
    return c->sum > wide + HOT_NS && (c->sum > wide + COLD_NS || keeli_helpers_are_hot(s->world));
}

void keeli_costs_begin(keeli_schedule *s, bool may_be_wide) {
    keeli_costs *c = &s->costs;
    c->are_wanted = may_be_wide && s->is_wide && s->world->workers.count > 1;
    c->is_wide = c->is_timed = c->is_open = false;
    if (!c->are_wanted) return;
    c->is_timed = s->runs < TIMED_RUNS || s->runs % TIMED_EVERY == 0;
    c->is_open = c->are_known && promises(s); // both ways may be the better one
    c->is_wide = c->is_open ? keeli_cost_decide(&c->run) : !c->are_known;
    if (c->is_timed || c->is_open) c->began = keeli_clock_ns();
}

void keeli_costs_note(keeli_schedule *s, keeli_node *node, uint64_t ns) {
    node->cost = !node->is_measured ? ns : (node->cost * 3 + ns) / 4;
    if (!node->is_measured && !s->costs.is_timed) keeli_atomic_store(&s->costs.news, 1);
    node->is_measured = true;
}

static void add_node(keeli_schedule *s, uint32_t index) {
    keeli_costs *c = &s->costs;
    keeli_node *node = &s->nodes.items[index];
    const bool is_idle = keeli_node_is_idle(s, index);
    if (is_idle) node->is_measured = false; // what it took says nothing about the day it works
    const uint64_t cost = is_idle ? 0 : node->cost, end = node->after + cost;
    if (!is_idle && !node->is_measured) c->are_known = false;
    c->nodes += !is_idle;
    c->sum += cost;
    if (end > c->chain) c->chain = end;
    for (uint32_t e = 0; e < node->edge_count; ++e) {
        keeli_node *next = &s->nodes.items[s->edges.items[node->first_edge + e].to];
        if (next->after < end) next->after = end;
    }
}

void keeli_costs_end(keeli_schedule *s) {
    keeli_costs *c = &s->costs;
    if (!c->are_wanted) return;
    if (c->is_open) keeli_cost_note(&c->run, c->is_wide, keeli_clock_ns() - c->began);
    if (!c->is_timed && !c->news) return;
    c->sum = c->chain = c->nodes = c->news = 0;
    c->are_known = true;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->nodes.items[i].after = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) // all edges go forward
        add_node(s, i);
}
