// SPDX-License-Identifier: MIT
// Measures what runs and loops cost, and decides whether several threads gain anything. Results
// never depend on the answer, only the time does. Schedules (execute.c) and split loops (loop.c)
// ask before they run.
//
// A run on several threads is predicted to take as long as the longest chain of its nodes, or its
// share of the sum, and a constant for each node. Where that promises a gain, or where a loop takes
// longer than a helper costs, both ways are measured and the faster one is used: threads may
// disturb each other, or the machine may be busy. Now and then a few runs use the other way, to see
// whether the answer still holds.
#include "run/workers.h"

enum {
    TIMED_RUNS = 3, // the first runs measure their nodes, later one in TIMED_EVERY does
    TIMED_EVERY = KEELI_SIZE(64, 2),
    NODE_NS = 300,   // cost of several threads, for each node
    HOT_NS = 500,    // least gain when a worker is already looking for a job
    COLD_NS = 20000, // least gain when a worker has to be woken
    LOOK_RUNS = 3,   // runs that use the other way: the first one may have to wake workers
    LOOK_AFTER = KEELI_SIZE(32, 2), // runs before the first look; doubles when nothing is new
    LOOK_AT_LEAST = KEELI_SIZE(256, 2),
    BELIEVED = 3, // so many measurements in a row of twice the known time are no disturbance
    ITEMS = 1024, // the cost of a loop is stored for so many items
    SMALL_EVERY = KEELI_SIZE(16, 2) // runs: how often a loop that is too small is measured
};

// ------------------------------------------------------------------ one way or the other
// True if several threads are at least 5 % faster than one.
static bool gains_clearly(const keeli_cost *c) {
    return c->many_ns && c->many_ns < c->one_ns - c->one_ns / 20;
}

bool keeli_cost_decide(keeli_cost *c) {
    const bool both_known = c->many_ns && c->one_ns;
    if (!both_known) {
        c->is_many = !c->many_ns;
        return c->is_many;
    }
    if (c->looks)
        return c->is_many;
    if (c->wait) {
        --c->wait;
        return c->is_many;
    }

    c->looks = LOOK_RUNS; // time to look at the other way
    c->is_first_look = true;
    c->is_many = !c->is_many;
    return c->is_many;
}

// Ends a look at the other way: decides which way is used from now on, and until when.
static void end_look(keeli_cost *c) {
    const bool is_confirmed = gains_clearly(c) != c->is_many;
    const uint64_t slow = c->one_ns > c->many_ns ? c->one_ns : c->many_ns;
    const uint64_t fast = c->one_ns + c->many_ns - slow;
    const uint64_t most = LOOK_AT_LEAST * (slow / (fast + 1) + 1); // dear looks are rarer
    if (is_confirmed && c->interval)
        c->interval = keeli_least(c->interval * 2, (uint32_t)most);
    else
        c->interval = LOOK_AFTER;

    c->is_many = gains_clearly(c);
    c->wait = c->interval;
}

// Counts measurements in a row that take twice the known time, and remembers the least of them.
static void count_above(keeli_cost *c, uint64_t known, uint64_t ns) {
    const bool is_above = known && !c->looks && ns >= 2 * known;
    if (!is_above) {
        c->above = 0;
        return;
    }
    if (!c->above || ns < c->least_above)
        c->least_above = ns;
    ++c->above;
}

// Merges a measurement into the known time. Shorter ones count more than longer ones, because a run
// can be disturbed by others but not helped by them.
static void merge_time(keeli_cost *c, uint64_t *known, uint64_t ns) {
    if (!*known || c->is_first_look) {
        *known = ns;
    } else if (ns < *known) {
        *known = (*known + ns) / 2;
    } else if (c->looks) {
        return; // a look counts its fastest run
    } else if (c->above == BELIEVED) {
        *known = c->least_above;
        c->above = 0;
    } else {
        const uint64_t capped = ns < 2 * *known ? ns : 2 * *known;
        *known += (capped - *known) / 64;
    }
}

void keeli_cost_note(keeli_cost *c, bool many, uint64_t ns) {
    uint64_t *known = many ? &c->many_ns : &c->one_ns;
    if (!ns)
        ns = 1;
    count_above(c, *known, ns);
    merge_time(c, known, ns);
    c->is_first_look = false;

    const bool both_known = c->one_ns && c->many_ns;
    if (!both_known || many != c->is_many)
        return;
    if (c->looks) {
        --c->looks;
        if (!c->looks)
            end_look(c);
    } else if (gains_clearly(c) != c->is_many) { // the answer may have changed: look soon
        c->interval = LOOK_AFTER;
        c->wait = 0;
    }
}

// ------------------------------------------------------------------ loops
keeli_loop_way keeli_cost_decide_loop(keeli_cost *c, uint32_t items, uint64_t helper_ns) {
    keeli_loop_way way = { true, true, c->one_ns * items / ITEMS };
    if (!c->one_ns)
        return way;
    if (way.one_ns < helper_ns) {
        way.is_many = false;
        way.is_timed = c->above || c->untimed++ % SMALL_EVERY == 0;
        return way;
    }

    // the cost of an item on several threads differs between few items and many
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
// True if several threads promise to gain more than they cost.
static bool promises(const keeli_schedule *s) {
    const keeli_costs *c = &s->costs;
    const uint64_t share = c->sum / s->world->workers.count;
    const uint64_t longest = c->chain > share ? c->chain : share;
    const uint64_t wide = longest + (uint64_t)c->nodes * NODE_NS;
    if (c->sum <= wide + HOT_NS)
        return false;
    return c->sum > wide + COLD_NS || keeli_helpers_are_hot(s->world);
}

void keeli_costs_begin(keeli_schedule *s, bool may_be_wide) {
    keeli_costs *c = &s->costs;
    c->are_wanted = may_be_wide && s->is_wide && s->world->workers.count > 1;
    c->is_wide = c->is_timed = c->is_open = false;
    if (!c->are_wanted)
        return;

    c->is_timed = s->runs < TIMED_RUNS || s->runs % TIMED_EVERY == 0;
    c->is_open = c->are_known && promises(s); // either way may be the better one
    if (c->is_open)
        c->is_wide = keeli_cost_decide(&c->run);
    else
        c->is_wide = !c->are_known;
    if (c->is_timed || c->is_open)
        c->began = keeli_clock_ns();
}

void keeli_costs_note(keeli_schedule *s, keeli_node *node, uint64_t ns) {
    node->cost = !node->is_measured ? ns : (node->cost * 3 + ns) / 4;
    if (!node->is_measured && !s->costs.is_timed)
        keeli_atomic_store(&s->costs.news, 1);
    node->is_measured = true;
}

// Adds a node to the sums of its schedule. Nodes are added in linear order.
static void add_node_cost(keeli_schedule *s, uint32_t index) {
    keeli_costs *c = &s->costs;
    keeli_node *node = &s->nodes.items[index];
    const bool is_idle = keeli_node_is_idle(s, index);
    if (is_idle)
        node->is_measured = false; // its last time says nothing about when it works again
    const uint64_t cost = is_idle ? 0 : node->cost, end = node->after + cost;
    if (!is_idle && !node->is_measured)
        c->are_known = false;

    c->nodes += !is_idle;
    c->sum += cost;
    if (end > c->chain)
        c->chain = end;

    for (uint32_t e = 0; e < node->edge_count; ++e) {
        keeli_node *next = &s->nodes.items[s->edges.items[node->first_edge + e].to];
        if (next->after < end)
            next->after = end;
    }
}

void keeli_costs_end(keeli_schedule *s) {
    keeli_costs *c = &s->costs;
    if (!c->are_wanted)
        return;
    if (c->is_open)
        keeli_cost_note(&c->run, c->is_wide, keeli_clock_ns() - c->began);
    if (!c->is_timed && !c->news)
        return;

    c->sum = c->chain = c->nodes = c->news = 0;
    c->are_known = true;

    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->nodes.items[i].after = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) // all edges go forward
        add_node_cost(s, i);
}
