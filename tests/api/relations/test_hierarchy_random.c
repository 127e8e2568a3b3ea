// SPDX-License-Identifier: MIT
// Parents and children on random trees, compared with a naive model; trees that are very deep or
// very wide; trees of the user's own making.
#include "support/api_types.h"
#include "support/tree_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ random numbers
static uint64_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

// ------------------------------------------------------------------ the model
// Nodes are numbers; each keeps a list of its children, in order.
enum { NODES = 40, NOBODY = NODES };
typedef struct node {
    bool alive;
    keel_entity e;
    uint32_t value, parent, count, children[NODES];
} node;

typedef struct forest {
    api_fixture f;
    node nodes[NODES];
} forest;

static void model_detach(forest *m, uint32_t child) {
    if (m->nodes[child].parent == NOBODY) return;
    node *parent = &m->nodes[m->nodes[child].parent];
    uint32_t at = 0;
    while (parent->children[at] != child)
        ++at;
    --parent->count;
    memmove(&parent->children[at], &parent->children[at + 1],
            (parent->count - at) * sizeof(uint32_t));
    m->nodes[child].parent = NOBODY;
}

static void model_attach(forest *m, uint32_t child, uint32_t to) {
    model_detach(m, child);
    m->nodes[to].children[m->nodes[to].count++] = child;
    m->nodes[child].parent = to;
}

static void model_unlink(forest *m, uint32_t n) {
    model_detach(m, n);
    while (m->nodes[n].count)
        model_detach(m, m->nodes[n].children[0]);
}

static bool model_is_at_or_below(const forest *m, uint32_t n, uint32_t above) {
    for (; n != NOBODY; n = m->nodes[n].parent)
        if (n == above) return true;
    return false;
}

// Insertion sort: stable, and simple enough to trust.
static void model_sort(forest *m, uint32_t n) {
    uint32_t *c = m->nodes[n].children;
    for (uint32_t i = 1; i < m->nodes[n].count; ++i)
        for (uint32_t k = i; k && m->nodes[c[k - 1]].value > m->nodes[c[k]].value; --k) {
            const uint32_t other = c[k];
            c[k] = c[k - 1];
            c[k - 1] = other;
        }
}

// ------------------------------------------------------------------ model against world
static uint32_t list_depth_first(const forest *m, uint32_t n, keel_entity *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->nodes[n].count; ++i) {
        const uint32_t child = m->nodes[n].children[i];
        out[count++] = m->nodes[child].e;
        count += list_depth_first(m, child, out + count);
    }
    return count;
}

static uint32_t list_breadth_first(const forest *m, uint32_t n, keel_entity *out) {
    uint32_t queue[NODES + 1] = { n }, from = 0, to = 1;
    for (; from < to; ++from) {
        const node *next = &m->nodes[queue[from]];
        if (from) out[from - 1] = next->e;
        for (uint32_t i = 0; i < next->count; ++i)
            queue[to++] = next->children[i];
    }
    return to - 1;
}

static uint32_t list_ancestors(const forest *m, uint32_t n, keel_entity *out) {
    uint32_t count = 0;
    while ((n = m->nodes[n].parent) != NOBODY)
        out[count++] = m->nodes[n].e;
    return count;
}

static void compare_links(forest *m, uint32_t n) {
    const node *it = &m->nodes[n];
    if (it->count == 0) assert_no_parent_link(m->f.world, it->e);
    else assert_parent_link(m->f.world, it->e, it->count, m->nodes[it->children[0]].e);
    if (it->parent == NOBODY) assert_no_child_link(m->f.world, it->e);
    for (uint32_t i = 0; i < it->count; ++i)
        assert_child_link(m->f.world, m->nodes[it->children[i]].e, it->e,
                          m->nodes[it->children[(i + it->count - 1) % it->count]].e,
                          m->nodes[it->children[(i + 1) % it->count]].e);
}

static void compare(forest *m) {
    keel_entity list[NODES];
    uint32_t alive = 0;
    for (uint32_t n = 0; n < NODES; ++n) {
        const keel_entity e = m->nodes[n].e;
        assert_int_equal(keel_is_alive(m->f.world, e), m->nodes[n].alive);
        if (!m->nodes[n].alive) continue;
        ++alive;
        compare_links(m, n);
        assert_descendants(m->f.world, e, list, list_depth_first(m, n, list));
        assert_breadth(m->f.world, e, list, list_breadth_first(m, n, list));
        assert_ancestors(m->f.world, e, list, list_ancestors(m, n, list));
    }
    assert_int_equal(keel_entity_count(m->f.world), alive);
}

// ------------------------------------------------------------------ random edits
static int by_number(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t x = keel_get(world, a, Number)->value, y = keel_get(world, b, Number)->value;
    if (data) ++*(uint32_t *)data;
    return (x > y) - (x < y);
}

static void revive(forest *m, uint32_t n, uint32_t parent) {
    node *it = &m->nodes[n];
    *it = (node){ .alive = true, .value = random_below(6), .parent = NOBODY };
    const Number number = { it->value };
    if (parent == NOBODY) it->e = keel_add_entity(m->f.world, KEEL_INIT(Number, number));
    else {
        it->e = keel_add_child(m->f.world, m->nodes[parent].e, KEEL_INIT(Number, number));
        model_attach(m, n, parent);
    }
    assert_true(keel_is_alive(m->f.world, it->e));
}

static void attach_one(forest *m, uint32_t n, uint32_t to) {
    const keel_result result = keel_attach(m->f.world, m->nodes[n].e, m->nodes[to].e);
    if (model_is_at_or_below(m, to, n)) assert_int_equal(result, KEEL_ERROR_CYCLE);
    else {
        assert_int_equal(result, KEEL_OK);
        model_attach(m, n, to);
    }
}

static void whole_tree(forest *m, uint32_t n, bool delete) {
    keel_world *world = m->f.world;
    const keel_entity e = m->nodes[n].e;
    const bool linked = m->nodes[n].count || m->nodes[n].parent != NOBODY;
    uint32_t members[NODES], count = 0;
    for (uint32_t k = 0; k < NODES; ++k)
        if (m->nodes[k].alive && model_is_at_or_below(m, k, n)) members[count++] = k;
    if (delete) assert_int_equal(keel_delete_tree(world, e), KEEL_OK);
    else assert_int_equal(keel_unlink_tree(world, e), linked ? KEEL_OK : KEEL_ABSENT);
    for (uint32_t k = 0; k < count; ++k) {
        model_unlink(m, members[k]);
        if (delete) m->nodes[members[k]].alive = false;
    }
}

// One random edit of a node that is alive.
static void edit(forest *m, uint32_t n, uint32_t other) {
    node *it = &m->nodes[n];
    const bool is_child = it->parent != NOBODY, is_linked = is_child || it->count;
    const uint32_t kind = random_below(40);
    if (kind < 26) attach_one(m, n, other);
    else if (kind < 29) {
        assert_int_equal(keel_detach(m->f.world, it->e), is_child ? KEEL_OK : KEEL_ABSENT);
        model_detach(m, n);
    } else if (kind < 31) {
        assert_int_equal(keel_unlink(m->f.world, it->e), is_linked ? KEEL_OK : KEEL_ABSENT);
        model_unlink(m, n);
    } else if (kind < 33) {
        assert_int_equal(keel_delete_entity(m->f.world, it->e), KEEL_OK);
        model_unlink(m, n);
        it->alive = false;
    } else if (kind < 38) {
        assert_int_equal(keel_sort_children(m->f.world, it->e, by_number, NULL),
                         it->count > 1 ? KEEL_OK : KEEL_ABSENT);
        model_sort(m, n);
    } else whole_tree(m, n, kind == 38);
}

static void random_edits(uint64_t seed, uint32_t edits) {
    forest *m = calloc(1, sizeof *m);
    assert_non_null(m);
    api_begin(&m->f);
    random_state = seed;
    for (uint32_t n = 0; n < NODES; ++n)
        revive(m, n, n && random_below(2) ? random_below(n) : NOBODY);
    for (uint32_t i = 0; i < edits; ++i) {
        const uint32_t n = random_below(NODES), other = random_below(NODES);
        if (!m->nodes[n].alive) revive(m, n, other != n && m->nodes[other].alive ? other : NOBODY);
        else if (m->nodes[other].alive) edit(m, n, other);
        compare(m);
    }
    api_end(&m->f);
    free(m);
}

static void random_trees_are_as_in_the_model(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed)
        random_edits(seed, test_rounds(500));
}

// ------------------------------------------------------------------ many children
static void many_children_are_sorted_stably(void **state) {
    (void)state;
    enum { KINDS = 1000 };
    const uint32_t many = test_rounds(100000);
    api_fixture f;
    uint32_t calls = 0;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    random_state = 5;
    for (uint32_t i = 0; i < many; ++i)
        (void)keel_add_child(f.world, root, KEEL_INIT(Number, { random_below(KINDS) }),
                             KEEL_INIT(Other, { i }));
    assert_int_equal(keel_child_count(f.world, root), many);
    assert_int_equal(keel_sort_children(f.world, root, by_number, &calls), KEEL_OK);
    assert_true(calls < many * 17); // n log2 n, not n * n
    uint32_t count = 0, number = 0, order = 0;
    KEEL_EACH_CHILD(f.world, root, child) {
        const uint32_t n = keel_get(f.world, child, Number)->value;
        const uint32_t o = keel_get(f.world, child, Other)->value;
        if (count++) assert_true(n > number || (n == number && o > order));
        number = n;
        order = o;
    }
    assert_int_equal(count, many);
    assert_int_equal(keel_delete_tree(f.world, root), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ a deep chain
// One call per level would need several MiB. cmocka cannot fail in another thread: it only counts.
enum { STACK = 512 * 1024 };
typedef struct chain {
    keel_world *world;
    keel_entity *e; // from the root down
    uint32_t depth;
    uint32_t mistakes;
} chain;

#define EXPECT(condition) (c->mistakes += !(condition))

static void walk_chain(chain *c) {
    uint32_t at = 0;
    KEEL_EACH_DESCENDANT(c->world, c->e[0], below) {
        ++at;
        EXPECT(at < c->depth && keel_is_same(below, c->e[at]));
    }
    EXPECT(at == c->depth - 1);
    KEEL_EACH_ANCESTOR(c->world, c->e[c->depth - 1], above) {
        --at;
        EXPECT(keel_is_same(above, c->e[at]));
    }
    EXPECT(at == 0);
}

static void link_chain(chain *c, bool downwards) {
    for (uint32_t i = 1; i < c->depth; ++i) {
        const uint32_t child = downwards ? i : c->depth - i;
        EXPECT(keel_attach(c->world, c->e[child], c->e[child - 1]) == KEEL_OK);
    }
    EXPECT(keel_count(c->world, keel_child) == c->depth - 1);
}

static void *use_chain(void *data) {
    chain *c = data;
    keel_world *world = c->world;
    c->e[0] = keel_add_entity(world);
    for (uint32_t i = 1; i < c->depth; ++i)
        c->e[i] = keel_add_child(world, c->e[i - 1]);
    walk_chain(c);
    EXPECT(keel_attach(world, c->e[0], c->e[c->depth - 1]) == KEEL_ERROR_CYCLE);
    keel_clear_errors(world);
    EXPECT(keel_unlink_tree(world, c->e[0]) == KEEL_OK);
    EXPECT(count_parents(world) == 0 && keel_count(world, keel_child) == 0);
    link_chain(c, true);
    walk_chain(c);
    EXPECT(keel_world_check(world, NULL));
    EXPECT(keel_unlink_tree(world, c->e[0]) == KEEL_OK);
    link_chain(c, false);
    walk_chain(c);
    EXPECT(keel_delete_tree(world, c->e[1]) == KEEL_OK);
    EXPECT(keel_entity_count(world) == 1 && keel_child_count(world, c->e[0]) == 0);
    for (uint32_t i = 1; i < c->depth; ++i)
        c->e[i] = keel_add_child(world, c->e[i - 1]);
    EXPECT(keel_delete_entities_having(world, keel_child) == KEEL_OK);
    EXPECT(keel_entity_count(world) == 1);
    for (uint32_t i = 1; i < c->depth; ++i) // left for the world's end
        c->e[i] = keel_add_child(world, c->e[i - 1]);
    return NULL;
}

static void a_deep_chain_needs_no_stack(void **state) {
    (void)state;
    api_fixture f;
    pthread_t thread;
    pthread_attr_t attributes;
    api_begin(&f);
    chain c = { .world = f.world, .depth = test_rounds(100000) };
    c.e = calloc(c.depth, sizeof *c.e);
    assert_non_null(c.e);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, use_chain, &c), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    assert_int_equal(c.mistakes, 0);
    free(c.e);
    api_end(&f);
}

// Breadth-first goes over the levels above again: deep enough to see that it ends.
static void breadth_first_goes_deep(void **state) {
    (void)state;
    enum { LEVELS = 500 };
    api_fixture f;
    keel_entity expected[2 * LEVELS];
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    keel_entity last = root;
    for (int i = 0; i < LEVELS; ++i) {
        expected[2 * i] = keel_add_child(f.world, last);
        last = expected[2 * i + 1] = keel_add_child(f.world, last);
    }
    assert_breadth(f.world, root, expected, 2 * LEVELS);
    api_end(&f);
}

// ------------------------------------------------------------------ trees of the user's own
// One component instead of two, singly linked, newest child first.
typedef struct Node {
    keel_entity parent, first_child, next;
} Node;
KEEL_COMPONENT(Node);

static keel_entity add_node(keel_world *world, keel_entity parent) {
    Node made = { .parent = parent };
    if (!keel_is_null(parent)) made.next = keel_get(world, parent, Node)->first_child;
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Node, made));
    if (!keel_is_null(parent)) keel_get_mut(world, parent, Node)->first_child = e;
    return e;
}

static void a_hierarchy_of_one_component_can_be_made(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = add_node(f.world, keel_null());
    const keel_entity a = add_node(f.world, root), b = add_node(f.world, root);
    const keel_entity a1 = add_node(f.world, a), b1 = add_node(f.world, b);
    const keel_entity expected[] = { root, b, a, b1, a1 };
    keel_entity queue[5] = { root };
    uint32_t from = 0, to = 1;
    for (; from < to; ++from) { // breadth-first with a queue
        keel_entity child = keel_get(f.world, queue[from], Node)->first_child;
        for (; !keel_is_null(child); child = keel_get(f.world, child, Node)->next)
            queue[to++] = child;
        assert_same_entity(queue[from], expected[from]);
    }
    assert_int_equal(to, 5);
    assert_int_equal(keel_count(f.world, Node), 5);
    assert_int_equal(keel_attach(f.world, a1, b1), KEEL_OK); // beside the one of the library
    assert_same_entity(keel_get(f.world, a1, Node)->parent, a);
    api_end(&f);
}

// Other sorts: by what is below, and backwards.
static int by_child_count(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const int sign = *(const int *)data;
    const uint32_t x = keel_child_count(world, a), y = keel_child_count(world, b);
    return sign * ((x > y) - (x < y));
}

static void other_orders_and_walks_can_be_had(void **state) {
    (void)state;
    api_fixture f;
    int up = 1, down = -1;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity a = keel_add_child(f.world, root), b = keel_add_child(f.world, root);
    const keel_entity c = keel_add_child(f.world, root), b1 = keel_add_child(f.world, b);
    const keel_entity c1 = keel_add_child(f.world, c), b2 = keel_add_child(f.world, b);
    assert_breadth(f.world, root, LIST(a, b, c, b1, b2, c1));
    assert_int_equal(keel_sort_children(f.world, root, by_child_count, &down), KEEL_OK);
    assert_children(f.world, root, LIST(b, c, a));
    assert_breadth(f.world, root, LIST(b, c, a, b1, b2, c1));
    assert_int_equal(keel_sort_children(f.world, root, by_child_count, &up), KEEL_OK);
    assert_children(f.world, root, LIST(a, c, b));
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-122 S-124 S-125 S-128 S-130 S-131 S-132
    TEST(random_trees_are_as_in_the_model, "random trees are as in the model"),
    // proves S-132
    TEST(many_children_are_sorted_stably, "100,000 children are sorted, equal ones stay"),
    // proves S-128 S-131
    TEST(a_deep_chain_needs_no_stack, "a chain of 100,000 needs no stack"),
    TEST(breadth_first_goes_deep, "breadth-first goes deep"),
    // proves S-138
    TEST(a_hierarchy_of_one_component_can_be_made, "a hierarchy of one component can be made"),
    // proves S-138
    TEST(other_orders_and_walks_can_be_had, "breadth-first, other orders, backwards"),
};

int main(void) { return RUN(tests); }
