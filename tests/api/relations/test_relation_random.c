// SPDX-License-Identifier: MIT
// Random edits of relations of every option against a plain model of lists, with allocations that
// fail: then nothing has changed.
#include "support/api_fixture.h"

#include <string.h>

KEEL_RELATION(Likes);
KEEL_RELATION(Knows, .tracking = KEEL_TRACK_ALL);
KEEL_RELATION(Follows, .exclusive = true);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Owns, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Needs, .on_delete = KEEL_REFUSE);
KEEL_TAG(Marked);

// Values with an owner: who is made has to be dropped. The other relation has plain values.
typedef struct Seat {
    uint32_t value, mark;
} Seat;
typedef struct Rank {
    uint32_t value;
} Rank;
enum { MARK = 0xABCDEF };
static int32_t living;
static void seat_drop(void *value, void *hook_data) {
    Seat *seat = value;
    (void)hook_data;
    assert_true(seat->mark == MARK || (!seat->mark && !seat->value));
    living -= seat->mark == MARK;
    memset(seat, 0xEE, sizeof *seat);
}
static bool seat_copy(void *to, const void *from, void *hook_data) {
    const Seat *seat = from;
    (void)hook_data;
    assert_true(seat->mark == MARK || (!seat->mark && !seat->value));
    living += seat->mark == MARK;
    memcpy(to, from, sizeof *seat);
    return true;
}
static void seat_move(void *to, void *from, void *hook_data) {
    (void)hook_data;
    memcpy(to, from, sizeof(Seat));
    memset(from, 0xDD, sizeof(Seat));
}
KEEL_VALUED_RELATION(Seat, .exclusive = true, .tracking = KEEL_TRACK_ALL, .no_padding = true,
                     .drop = seat_drop, .copy = seat_copy, .move = seat_move);
KEEL_VALUED_RELATION(Rank, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES,
                     .no_padding = true, .storage = KEEL_INDEXED);

// And to many: a value for each edge.
typedef Seat Load;
typedef Rank Weight;
KEEL_VALUED_RELATION(Load, .tracking = KEEL_TRACK_ALL, .no_padding = true, .drop = seat_drop,
                     .copy = seat_copy, .move = seat_move, .on_delete = KEEL_DELETE_SOURCES);
KEEL_VALUED_RELATION(Weight, .no_padding = true);

enum { NODES = 48, KINDS = 10 };
static const keel_component *kinds[KINDS];

typedef struct model_list {
    uint32_t items[NODES * 4];  // clones are taken from nodes that are free
    uint32_t values[NODES * 4]; // of targets
    uint32_t count;
} model_list;
typedef struct node {
    bool alive;
    keel_entity e;
    model_list targets[KINDS], sources[KINDS];
} node;

static api_fixture f;
static node nodes[NODES];
static uint64_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

// ------------------------------------------------------------------ the model
static uint32_t place_in(const model_list *list, uint32_t item) {
    uint32_t i = 0;
    while (i < list->count && list->items[i] != item)
        ++i;
    return i;
}
static bool is_in(const model_list *list, uint32_t item) {
    return place_in(list, item) < list->count;
}
static void take(model_list *list, uint32_t item) {
    const uint32_t at = place_in(list, item);
    const size_t behind = (--list->count - at) * sizeof *list->items;
    memmove(&list->items[at], &list->items[at + 1], behind);
    memmove(&list->values[at], &list->values[at + 1], behind);
}
static void model_unrelate(uint32_t kind, uint32_t a, uint32_t b) {
    if (!is_in(&nodes[a].targets[kind], b)) return;
    take(&nodes[a].targets[kind], b);
    take(&nodes[b].sources[kind], a);
}
static void model_unrelate_all(uint32_t kind, uint32_t a) {
    while (nodes[a].targets[kind].count)
        model_unrelate(kind, a, nodes[a].targets[kind].items[0]);
}
static void model_unrelate_sources(uint32_t kind, uint32_t b) {
    while (nodes[b].sources[kind].count)
        model_unrelate(kind, nodes[b].sources[kind].items[0], b);
}
static void model_relate(uint32_t kind, uint32_t a, uint32_t b) {
    model_list *targets = &nodes[a].targets[kind], *sources = &nodes[b].sources[kind];
    if (is_in(targets, b)) return;
    if (kinds[kind]->exclusive) model_unrelate_all(kind, a);
    targets->items[targets->count++] = b;
    sources->items[sources->count++] = a;
}
static void model_strip(uint32_t a) {
    for (uint32_t kind = 0; kind < KINDS; ++kind) {
        model_unrelate_all(kind, a);
        model_unrelate_sources(kind, a);
    }
}
static void model_delete(uint32_t a) {
    model_strip(a);
    nodes[a].alive = false;
}
// With all whom they take along; false when a relation refuses that.
static bool model_delete_all(bool *doomed) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < NODES; ++i)
            for (uint32_t kind = 0; kind < KINDS; ++kind)
                for (uint32_t t = 0; nodes[i].alive && t < nodes[i].targets[kind].count; ++t)
                    if (!doomed[i] && doomed[nodes[i].targets[kind].items[t]] &&
                        kinds[kind]->on_delete == KEEL_DELETE_SOURCES)
                        doomed[i] = more = true;
    }
    for (uint32_t i = 0; i < NODES; ++i)
        for (uint32_t kind = 0; kind < KINDS; ++kind)
            for (uint32_t t = 0; nodes[i].alive && t < nodes[i].targets[kind].count; ++t)
                if (!doomed[i] && doomed[nodes[i].targets[kind].items[t]] &&
                    kinds[kind]->on_delete == KEEL_REFUSE)
                    return false;
    for (uint32_t i = 0; i < NODES; ++i)
        if (doomed[i] && nodes[i].alive) model_delete(i);
    return true;
}
static bool model_leads_to(uint32_t kind, uint32_t from, uint32_t to) {
    while (from != to && nodes[from].targets[kind].count)
        from = nodes[from].targets[kind].items[0];
    return from == to;
}
static uint32_t free_node(void) {
    uint32_t i = 0;
    while (i < NODES && nodes[i].alive)
        ++i;
    return i;
}
static void model_add(uint32_t a, keel_entity e) {
    nodes[a].alive = true;
    nodes[a].e = e;
}

// ------------------------------------------------------------------ model against world
static void assert_edge_value(keel_world *world, uint32_t kind, keel_entity source,
                              keel_entity target, const keeli_valued_walk *walk) {
    const void *value = keel_get_related_component(world, source, kinds[kind], target);
    assert_non_null(value);
    assert_ptr_equal(value, keeli_valued_walk_value(walk));
}
static void assert_lists(keel_world *world, uint32_t a, uint32_t kind) {
    const model_list *targets = &nodes[a].targets[kind], *sources = &nodes[a].sources[kind];
    const keel_component *r = kinds[kind];
    const keel_entity e = nodes[a].e;
    keeli_valued_walk walk;
    assert_int_equal(keel_target_count_component(world, e, r), targets->count);
    assert_int_equal(keel_source_count_component(world, e, r), sources->count);
    assert_int_equal(keel_has_component(world, e, r), targets->count != 0);
    if (r->size && r->exclusive && targets->count) {
        const keel_entity to = nodes[targets->items[0]].e;
        const uint32_t *value = keel_get_component(world, e, r); // first in both structs
        assert_int_equal(*value, targets->values[0]);
        assert_ptr_equal(keel_get_related_component(world, e, r, to), value);
    }
    for (uint32_t side = 0; side < 2; ++side) {
        const model_list *list = side ? sources : targets;
        uint32_t n = 0;
        keeli_relation_walk_begin(&walk.plain, KEEL_SCOPE(world), e, r, side, r->size != 0);
        for (keel_entity s;
             walk.plain.relation && !keel_is_null(s = keeli_relation_walk_next(&walk.plain));) {
            assert_true(n < list->count);
            if (r->size) assert_edge_value(world, kind, side ? s : e, side ? e : s, &walk);
            if (r->size && !side)
                assert_int_equal(*(const uint32_t *)keeli_valued_walk_value(&walk),
                                 list->values[n]);
            assert_same_entity(s, nodes[list->items[n++]].e);
        }
        keeli_relation_walk_end(&walk.plain);
        assert_int_equal(n, list->count);
    }
}
static void assert_as_model(keel_world *world) {
    assert_true(keel_world_check(world, NULL));
    for (uint32_t a = 0; a < NODES; ++a)
        for (uint32_t kind = 0; kind < KINDS; ++kind)
            if (nodes[a].alive) assert_lists(world, a, kind);
            else assert_int_equal(keel_target_count_component(world, nodes[a].e, kinds[kind]), 0);
}

static uint64_t hash_of(keel_world *world) {
    uint64_t hash;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}
static void assert_copy_is_as_model(void) {
    api_fixture g;
    api_begin(&g);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_as_model(g.world);
    assert_true(hash_of(f.world) == hash_of(g.world));
    api_end(&g);
}

// ------------------------------------------------------------------ operations
static bool failed(keel_result result) {
    if (result != KEEL_ERROR_MEMORY) return false;
    keel_clear_errors(f.world);
    return true;
}

// Relate with a value, or (0) without one.
static keel_result relate(keel_scope *scope, uint32_t kind, uint32_t a, uint32_t b,
                          uint32_t value) {
    Seat seat = { value, MARK }; // a Rank is its beginning
    const bool owns = value && kinds[kind]->drop;
    living += owns;
    const keel_result result =
        keel_relate_component(scope, nodes[a].e, kinds[kind], nodes[b].e, value ? &seat : NULL);
    living -= owns && result < 0; // nobody took it
    return result;
}
static void model_relate_value(uint32_t kind, uint32_t a, uint32_t b, uint32_t value) {
    model_list *targets = &nodes[a].targets[kind];
    const uint32_t kept = kinds[kind]->exclusive && targets->count ? targets->values[0] : 0;
    const uint32_t at = place_in(targets, b);
    if (at < targets->count) {
        if (value) targets->values[at] = value;
        return;
    }
    model_relate(kind, a, b);
    targets->values[targets->count - 1] = value ? value : kept;
}

static void edit_one(keel_scope *scope, bool records, uint32_t kind, uint32_t a, uint32_t b) {
    const keel_component *r = kinds[kind];
    const uint32_t what = random_below(12);
    const bool related = is_in(&nodes[a].targets[kind], b);
    keel_result result, expected = KEEL_OK;
    if (what < 8) {
        const bool closes = r->acyclic && !related && model_leads_to(kind, b, a);
        const uint32_t value = r->size && random_below(2) ? 1 + random_below(1000) : 0;
        result = relate(scope, kind, a, b, value);
        if (closes && !records) expected = KEEL_ERROR_CYCLE;
        if (closes) keel_clear_errors(f.world);
        else if (!failed(result)) model_relate_value(kind, a, b, value);
    } else if (what < 10) {
        result = keel_unrelate_component(scope, nodes[a].e, r, nodes[b].e);
        expected = related || records ? KEEL_OK : KEEL_ABSENT;
        if (!failed(result)) model_unrelate(kind, a, b);
    } else if (what < 11) {
        expected = nodes[a].targets[kind].count || records ? KEEL_OK : KEEL_ABSENT;
        result = keel_unrelate_all_component(scope, nodes[a].e, r);
        if (!failed(result)) model_unrelate_all(kind, a);
    } else {
        expected = nodes[b].sources[kind].count || records ? KEEL_OK : KEEL_ABSENT;
        result = keel_unrelate_sources_component(scope, nodes[b].e, r);
        if (!failed(result)) model_unrelate_sources(kind, b);
    }
    if (result != KEEL_ERROR_MEMORY) assert_int_equal(result, expected);
}

static void clone(uint32_t a) {
    keel_entity copies[3];
    const uint32_t count = 1 + random_below(3);
    uint32_t room = 0;
    for (uint32_t i = 0; i < NODES; ++i)
        room += !nodes[i].alive;
    if (room < count) return;
    const keel_result result = keel_clone_entities(f.world, nodes[a].e, count, copies);
    if (failed(result)) return;
    assert_int_equal(result, KEEL_OK);
    uint32_t places[3];
    for (uint32_t i = 0; i < count; ++i)
        model_add(places[i] = free_node(), copies[i]);
    for (uint32_t kind = 0; kind < KINDS; ++kind)
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t t = 0; t < nodes[a].targets[kind].count; ++t)
                model_relate_value(kind, places[i], nodes[a].targets[kind].items[t],
                                   nodes[a].targets[kind].values[t]);
}

static void assert_deleted(keel_result result, bool *doomed) {
    if (failed(result)) return;
    const bool goes = model_delete_all(doomed);
    assert_int_equal(result, goes ? KEEL_OK : KEEL_ERROR_RELATED);
    if (!goes) keel_clear_errors(f.world);
}

static void delete_some(uint32_t a) {
    keel_entity list[3];
    bool doomed[NODES] = { false };
    const uint32_t who[3] = { a, random_below(NODES), random_below(NODES) };
    for (uint32_t i = 0; i < 3; ++i) {
        list[i] = nodes[who[i]].e;
        doomed[who[i]] = nodes[who[i]].alive;
    }
    assert_deleted(keel_delete_entities(f.world, list, 3), doomed);
}

static void delete_one(uint32_t a, bool with_tree) {
    bool doomed[NODES] = { false };
    doomed[a] = true;
    assert_deleted(with_tree ? keel_delete_tree(f.world, nodes[a].e)
                             : keel_delete_entity(f.world, nodes[a].e),
                   doomed);
}

static void delete_sources(uint32_t kind) {
    bool doomed[NODES] = { false }, any = false;
    for (uint32_t i = 0; i < NODES; ++i)
        any |= doomed[i] = nodes[i].alive && nodes[i].targets[kind].count;
    const keel_result result = keel_delete_entities_having_component(f.world, kinds[kind]);
    if (any) assert_deleted(result, doomed);
    else assert_int_equal(result, KEEL_ABSENT);
}

static void step(void) {
    const uint32_t what = random_below(100), kind = random_below(KINDS);
    const uint32_t a = random_below(NODES), b = random_below(random_below(2) ? 4 : NODES);
    const uint32_t free = free_node();
    if (random_below(20) == 0) counting_allocator_fail_once(&f.memory, random_below(4));
    if (free < NODES && what < 25) {
        const keel_entity e = random_below(2) ? keel_add_entity(f.world, KEEL_INIT(Marked))
                                              : keel_add_entity(f.world);
        if (!keel_is_null(e)) model_add(free, e);
        else keel_clear_errors(f.world);
    } else if (!nodes[a].alive) {
        assert_int_equal(keel_relate_component(f.world, nodes[a].e, kinds[kind], nodes[b].e, NULL),
                         KEEL_ERROR_DEAD_ENTITY);
    } else if (nodes[b].alive && what < 75) {
        edit_one(KEEL_SCOPE(f.world), false, kind, a, b);
    } else if (nodes[b].alive && what < 84) {
        counting_allocator_never_fail(&f.memory);
        edit_one(KEEL_SCOPE(keel_world_commands(f.world)), true, kind, a, b);
        const keel_result result = keel_apply_commands(f.world);
        assert_true(result == KEEL_OK || result == KEEL_ERROR_CYCLE);
        keel_clear_errors(f.world);
    } else if (what < 88) {
        clone(a);
    } else if (what < 90) {
        assert_true(keel_strip(f.world, nodes[a].e) >= 0);
        model_strip(a);
    } else if (what < 96) {
        delete_one(a, what == 90);
    } else if (what < 98) {
        delete_some(a);
    } else if (what == 98 && random_below(10) == 0) {
        delete_sources(kind);
    } else if (what == 99 && random_below(30) == 0) {
        assert_true(keel_world_trim(f.world) >= 0);
    }
    counting_allocator_never_fail(&f.memory);
    if (random_below(400)) return;
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    for (uint32_t i = 0; i < NODES; ++i)
        if (nodes[i].alive) model_delete(i);
}

static void begin(uint64_t seed) {
    api_begin(&f);
    memset(nodes, 0, sizeof nodes);
    random_state = seed;
    const keel_component *const all[] = { KEEL_OF(Likes),  KEEL_OF(Knows), KEEL_OF(Follows),
                                          KEEL_OF(PartOf), KEEL_OF(Owns),  KEEL_OF(Needs),
                                          KEEL_OF(Seat),   KEEL_OF(Rank),  KEEL_OF(Load),
                                          KEEL_OF(Weight) };
    memcpy(kinds, all, sizeof kinds);
    for (uint32_t i = 0; i < KINDS; ++i)
        assert_non_null(keel_register_component(f.world, all[i]));
}

static void random_edits_are_as_the_model(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= test_rounds(20); ++seed) {
        begin(seed);
        for (uint32_t i = 0; i < 4000; ++i) {
            step();
            if (i % 25 == 0) assert_as_model(f.world);
            if (i % 1000 == 0) assert_copy_is_as_model();
        }
        assert_as_model(f.world);
        assert_no_error(f.world);
        api_end(&f);
        assert_int_equal(living, 0);
    }
}

// One script; each of its allocations fails once.
static void a_failed_allocation_changes_nothing(void **state) {
    (void)state;
    for (size_t left = 0; left < 4000; left += test_stride()) {
        begin(7);
        for (uint32_t i = 0; i < 30; ++i)
            model_add(i, keel_add_entity(f.world));
        const size_t before = f.memory.failures;
        counting_allocator_fail_once(&f.memory, left);
        for (uint32_t i = 0; i < 300 && f.memory.failures == before; ++i) {
            const uint32_t kind = i % KINDS, a = i * 7 % 30, b = i * i % 30;
            if (i % 50 == 49) clone(a);
            if (i % 50 == 49 || (kinds[kind]->acyclic && model_leads_to(kind, b, a))) continue;
            const uint32_t value = kinds[kind]->size ? i : 0;
            if (!failed(relate(KEEL_SCOPE(f.world), kind, a, b, value)))
                model_relate_value(kind, a, b, value);
        }
        const bool is_through = f.memory.failures == before;
        counting_allocator_never_fail(&f.memory);
        assert_as_model(f.world);
        assert_copy_is_as_model();
        api_end(&f);
        assert_int_equal(living, 0);
        if (is_through) return;
    }
    fail();
}

static const struct CMUnitTest tests[] = {
    TEST(random_edits_are_as_the_model, "random edits of relations are as those of a plain model"),
    TEST(a_failed_allocation_changes_nothing,
         "an edit of relations whose memory fails is not made"),
};
int main(void) { return RUN(tests); }
