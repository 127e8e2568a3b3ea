// SPDX-License-Identifier: MIT
// A run on several threads takes as long as its longest chain of nodes, or its share of the whole,
// and something more for each node. Costs come from the first runs, and from some later ones. Those
// that are measured while several threads work are too high when the threads are in each other's
// way; so when the whole run shows that nothing was gained, the next one is on one thread.
#include "run/worth.h"

enum {
    TIMED_RUNS = 3, // the first ones, and then
    TIMED_EVERY = 64,
    NODE_NS = 300,  // what several threads cost, for each node
    HOT_NS = 500,   // least gain when a worker looks for a job,
    COLD_NS = 20000 // and when it has to be woken
};

static bool is_hot(const keel_world *world) {
    return world->executor.context == &world->pool && keeli_pool_is_hot(&world->pool);
}

static bool gains(const keeli_schedule *s) {
    const keeli_costs *c = &s->costs;
    const uint64_t share = c->sum / s->world->worker_count;
    const uint64_t wide = (c->chain > share ? c->chain : share) + (uint64_t)c->nodes * NODE_NS;
    return c->sum > wide + HOT_NS && (c->sum > wide + COLD_NS || is_hot(s->world));
}

void keeli_worth_begin(keeli_schedule *s) {
    keeli_costs *c = &s->costs;
    c->are_wanted = s->is_wide && s->world->worker_count > 1;
    if (!c->are_wanted) {
        c->is_wide = c->is_timed = false;
        return;
    }
    c->is_timed = s->runs < TIMED_RUNS || s->runs % TIMED_EVERY == 0 || c->are_doubtful;
    c->is_wide = !c->are_doubtful && (!c->are_known || gains(s));
    if (c->is_timed) c->began = keeli_clock_ns();
}

void keeli_worth_note(keeli_schedule *s, keeli_node *node, uint64_t ns) {
    const bool is_new = !node->is_measured || s->costs.are_doubtful;
    node->cost = is_new ? ns : (node->cost * 3 + ns) / 4;
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
        keeli_node *next = &s->nodes.items[s->edges.items[node->first_edge + e]];
        if (next->after < end) next->after = end;
    }
}

static void add_up(keeli_schedule *s) {
    keeli_costs *c = &s->costs;
    c->sum = c->chain = c->nodes = 0;
    c->are_known = true;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->nodes.items[i].after = 0;
    for (uint32_t i = 0; i < s->nodes.count; ++i) // all edges go forward
        add_node(s, i);
}

void keeli_worth_end(keeli_schedule *s) {
    keeli_costs *c = &s->costs;
    if (!c->are_wanted || (!c->is_timed && !c->news)) return;
    const uint64_t took = c->is_timed ? keeli_clock_ns() - c->began : 0;
    add_up(s);
    c->are_doubtful = c->is_wide && took > c->sum - c->sum / 8;
    c->news = 0;
}
