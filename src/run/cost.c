// SPDX-License-Identifier: MIT
// Measures how long runs and loops take, and decides whether one thread or several are faster. The
// decision changes only the time of a run, never its results. Schedules (execute.c) and split loops
// (loop.c) ask before they run.
//
// The predicted time of a run on several threads is that of its longest chain of nodes or, if that
// is more, the time of all nodes divided by the number of threads, plus a constant for each node.
// If the prediction is better than one thread, or if a loop takes longer than a helper costs, both
// ways are measured and the faster one is used, because a prediction cannot know whether threads
// disturb each other or the machine is busy. Now and then a few runs use the other way (a look), to
// see whether the choice is still right.
#include "run/workers.h"

enum {
    TIMED_RUNS = 3, // the first runs measure their nodes, later one in TIMED_EVERY does
    TIMED_EVERY = KEELI_SIZE(64, 2),
    NODE_NS = 300,   // overhead of each node on several threads
    HOT_NS = 500,    // least predicted gain to try several threads, if a worker looks for a job
    COLD_NS = 20000, // least predicted gain to try several threads, if a worker must be woken
    LOOK_RUNS = 3,   // runs of a look: several, because the first may have to wake workers
    LOOK_AFTER = KEELI_SIZE(32, 2), // runs before the first look; doubled by each confirming look
    LOOK_AT_LEAST = KEELI_SIZE(256, 2), // most runs between looks, if both ways are equally fast
    BELIEVED = 3, // measurements in a row of at least twice the known time that replace it
    ITEMS = 1024, // number of items of a loop that its stored time is for
    SMALL_EVERY = KEELI_SIZE(16, 2) // one in so many runs of a loop that is too small is measured
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

    c->looks = LOOK_RUNS;
    c->is_first_look = true;
    c->is_many = !c->is_many;
    return c->is_many;
}

// Ends a look: decides which way is used from now on, and sets the number of runs until the next
// look. A look costs runs in the slower way, so looks become rarer if
// that way is much slower.
static void end_look(keeli_cost *c) {
    const bool is_confirmed = gains_clearly(c) != c->is_many;
    const uint64_t slow = c->one_ns > c->many_ns ? c->one_ns : c->many_ns;
    const uint64_t fast = c->one_ns + c->many_ns - slow;
    const uint64_t most = LOOK_AT_LEAST * (slow / (fast + 1) + 1);
    if (is_confirmed && c->interval)
        c->interval = keeli_least(c->interval * 2, (uint32_t)most);
    else
        c->interval = LOOK_AFTER;

    c->is_many = gains_clearly(c);
    c->wait = c->interval;
}

// Counts measurements in a row of at least twice the known time, and stores the least of them.
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

// Merges a measurement into the known time. A shorter time counts more than a longer one, because
// other programs can slow a run down but cannot speed it up.
static void merge_time(keeli_cost *c, uint64_t *known, uint64_t ns) {
    if (!*known || c->is_first_look) {
        *known = ns;
    } else if (ns < *known) {
        *known = (*known + ns) / 2;
    } else if (c->looks) {
        return; // during a look only faster runs count
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
    } else if (gains_clearly(c) != c->is_many) { // the other way may be faster now: look at once
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

    // on several threads the time of an item depends on their number: measure again if that number
    // has halved or doubled
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
// True if several threads are predicted to be faster by more than it takes to start them.
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
    c->is_open = c->are_known && promises(s);
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

// Adds a node to the sums of its schedule. Must be called for the nodes in linear order.
static void add_node_cost(keeli_schedule *s, uint32_t index) {
    keeli_costs *c = &s->costs;
    keeli_node *node = &s->nodes.items[index];
    const bool is_idle = keeli_node_is_idle(s, index);
    if (is_idle)
        node->is_measured = false; // its cost will be unknown when it has work again
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
    for (uint32_t i = 0; i < s->nodes.count; ++i) // edges lead only to later nodes
        add_node_cost(s, i);
}
