// SPDX-License-Identifier: MIT
// keel::query: random queries over random worlds find what a slow evaluator finds, which asks each
// entity by typed verbs and knows nothing of the text. Each query is walked in random slices.
#define _POSIX_C_SOURCE 200809L
#include "support/api_fixture.h"

#include <keel_query.h>
#include <stdio.h>
#include <string.h>

typedef struct Small {
    int8_t value;
} Small;
KEEL_FIELDS(Small, value);
KEEL_COMPONENT(Small, KEEL_HAS_FIELDS(Small));
typedef struct Real {
    float value;
} Real;
KEEL_FIELDS(Real, value);
KEEL_COMPONENT(Real, KEEL_HAS_FIELDS(Real), .storage = KEEL_INDEXED);
typedef struct Big {
    uint64_t value;
    keel_entity other;
} Big;
KEEL_FIELDS(Big, value, other);
KEEL_COMPONENT(Big, KEEL_HAS_FIELDS(Big), .storage = KEEL_ARCHETYPE);
KEEL_RELATION(Likes);

static uint64_t seed;
static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(seed >> 33) % limit : 0;
}

// ------------------------------------------------------------------ worlds
enum { MOST = 200 };
typedef struct random_world {
    keel_world *world;
    keel_entity e[MOST]; // some are dead
    uint32_t count;
} random_world;

static const float reals[] = { 0, -0.0f, 0.1f, -1.5f, 3, 1e30f };
static const char *const real_texts[] = { "0", "-0.0", "0.1", "-1.5", "3", "1e30" };

static void fill_one(random_world *w, keel_entity e) {
    char name[16];
    const keel_entity other = w->e[below(w->count)];
    if (below(2)) keel_add(w->world, e, Small, { (int8_t)(below(256) - 128) });
    if (below(2)) keel_add(w->world, e, Real, { reals[below(6)] });
    if (below(2))
        keel_add(w->world, e, Big, { below(3) ? below(4) : UINT64_MAX - below(2), other });
    if (below(3) && !keel_is_same(e, other)) keel_attach(w->world, e, other);
    if (below(3) == 0) keel_relate(w->world, e, Likes, other);
    if (below(4) == 0) keel_relate(w->world, e, Likes, w->e[below(w->count)]);
    (void)snprintf(name, sizeof name, "n%u%s", (unsigned)below(50), below(2) ? "x" : "");
    if (below(3) == 0) keel_set_name(w->world, e, name);
    if (below(8) == 0) keel_disable(w->world, e, Real);
    if (below(8) == 0) keel_disable(w->world, e, Big);
}

static void fill(random_world *w) {
    keel_register(w->world, Small, Real, Big, Likes);
    w->count = 1 + below(MOST);
    for (uint32_t i = 0; i < w->count; ++i)
        w->e[i] = keel_add_entity(w->world);
    for (uint32_t i = 0; i < w->count; ++i)
        fill_one(w, w->e[i]);
    for (uint32_t i = 0; i < w->count; ++i)
        if (below(6) == 0) keel_delete_entity(w->world, w->e[i]);
    keel_clear_errors(w->world);
}

// ------------------------------------------------------------------ terms
typedef enum random_kind {
    HAS_SMALL,
    HAS_REAL,
    HAS_BIG,
    SMALL_IS,
    REAL_IS,
    BIG_IS,
    OTHER_IS,
    ANY_OF,
    CHILD_OF,
    BELOW,
    LIKES,
    LIKED_BY,
    LIKES_ANY,
    NAMED,
    THIS,
    DISABLED,
    OPTIONAL,
    KINDS
} random_kind;

typedef struct random_term {
    random_kind kind;
    bool is_not;
    int op;
    int64_t number;
    uint32_t real;
    keel_entity e;
} random_term;

static const char *const operators[] = { "=", "!=", "<", "<=", ">", ">=" };

static bool compares(int op, bool is_less, bool is_same) {
    const bool answers[] = { is_same, !is_same, is_less, is_less || is_same, !is_less && !is_same,
                             !is_less };
    return answers[op];
}

static random_term random_term_of(const random_world *w) {
    random_term t = { .kind = (random_kind)below(KINDS),
                      .is_not = below(3) == 0,
                      .op = (int)below(6),
                      .real = below(6),
                      .e = w->e[below(w->count)] };
    t.number = t.kind == SMALL_IS ? (int64_t)below(300) - 150 : (int64_t)below(5);
    if (t.kind == OTHER_IS) t.op = (int)below(2);
    if (t.kind == OPTIONAL) t.is_not = false;
    return t;
}

static size_t write_term(const random_term *t, char *to, size_t room) {
    char e[40];
    const char *op = operators[t->op], *not = t->is_not ? "!" : "";
    (void)snprintf(e, sizeof e, "#%uv%u", keel_entity_index(t->e), keel_entity_version(t->e));
    switch (t->kind) {
    case HAS_SMALL:
        return (size_t)snprintf(to, room, "%sSmall", not );
    case HAS_REAL:
        return (size_t)snprintf(to, room, "%s\"Real\"", not );
    case HAS_BIG:
        return (size_t)snprintf(to, room, "%s Big", not );
    case SMALL_IS:
        return (size_t)snprintf(to, room, "%sSmall.value %s %d", not, op, (int)t->number);
    case REAL_IS:
        return (size_t)snprintf(to, room, "%sReal.value%s%s", not, op, real_texts[t->real]);
    case BIG_IS:
        return (size_t)snprintf(to, room, "%sBig.value %s %u", not, op, (unsigned)t->number);
    case OTHER_IS:
        return (size_t)snprintf(to, room, "%sBig.other %s %s", not, op, e);
    case ANY_OF:
        return (size_t)snprintf(to, room, "%sany(Small | Big)", not );
    case CHILD_OF:
        return (size_t)snprintf(to, room, "%schild of %s", not, e);
    case BELOW:
        return (size_t)snprintf(to, room, "%sbelow %s", not, e);
    case LIKES:
        return (size_t)snprintf(to, room, "%sLikes -> %s", not, e);
    case LIKED_BY:
        return (size_t)snprintf(to, room, "%s%s -> Likes", not, e);
    case LIKES_ANY:
        return (size_t)snprintf(to, room, "%sLikes->*", not );
    case NAMED:
        return (size_t)snprintf(to, room, "%sname ~ \"n%u*x\"", not, (unsigned)t->number);
    case THIS:
        return (size_t)snprintf(to, room, "%s%s", not, e);
    case DISABLED:
        return (size_t)snprintf(to, room, "%sdisabled", not );
    default:
        return (size_t)snprintf(to, room, "?Real");
    }
}

static bool is_below(const random_world *w, keel_entity e, keel_entity root) {
    KEEL_EACH_ANCESTOR(w->world, e, above)
        if (keel_is_same(above, root)) return true;
    return false;
}

// True if an entity likes another one, found by a loop over its targets.
static bool likes(const random_world *w, keel_entity a, keel_entity b) {
    bool found = false;
    KEEL_EACH_TARGET(w->world, a, Likes, target) found = found || keel_is_same(target, b);
    return found;
}

static bool has_name(const random_world *w, keel_entity e, int64_t number) {
    const char *name = keel_name_of(w->world, e);
    return name && name[0] == 'n' && name[1] == (char)('0' + number) &&
           name[strlen(name) - 1] == 'x';
}

static bool is_so(const random_world *w, const random_term *t, keel_entity e) {
    const Small *small = keel_get(w->world, e, Small);
    const Real *real = keel_get(w->world, e, Real);
    const Big *big = keel_get(w->world, e, Big);
    const float r = reals[t->real];
    switch (t->kind) {
    case HAS_SMALL:
        return small != NULL;
    case HAS_REAL:
        return real != NULL;
    case HAS_BIG:
        return big != NULL;
    case SMALL_IS:
        return small && compares(t->op, small->value < t->number, small->value == t->number);
    case REAL_IS:
        return real && compares(t->op, real->value < r, !(real->value < r) && !(real->value > r));
    case BIG_IS:
        return big &&
               compares(t->op, big->value < (uint64_t)t->number, big->value == (uint64_t)t->number);
    case OTHER_IS:
        return big && keel_is_same(big->other, t->e) == (t->op == 0);
    case ANY_OF:
        return small || big;
    case CHILD_OF:
        return keel_is_same(keel_parent_of(w->world, e), t->e);
    case BELOW:
        return is_below(w, e, t->e);
    case LIKES:
        return likes(w, e, t->e);
    case LIKED_BY:
        return likes(w, t->e, e);
    case LIKES_ANY:
        return keel_has(w->world, e, Likes);
    case NAMED:
        return has_name(w, e, t->number);
    case THIS:
        return keel_is_same(e, t->e);
    case DISABLED:
        return keel_is_disabled(w->world, e, Small) || keel_is_disabled(w->world, e, Real) ||
               keel_is_disabled(w->world, e, Big);
    default:
        return true;
    }
}

// ------------------------------------------------------------------ queries
static uint32_t found_by_query(const random_world *w, const char *text, uint32_t *found) {
    keel_query *query;
    keel_query_error error;
    keel_query_walk walk;
    keel_entity e;
    uint32_t count = 0;
    if (keel_query_parse(w->world, text, &query, &error) < 0)
        fail_msg("%s: %s", text, error.message);
    keel_query_slice slice = { .max_visits = 0 };
    do {
        slice.max_visits = below(3) ? 1 + below(20) : 0;
        const uint32_t leave = below(4) ? UINT32_MAX : below(5); // some walks are left early
        assert_int_equal(keel_query_begin(&walk, query, &slice), KEEL_OK);
        for (uint32_t n = 0; n < leave && keel_query_next(&walk, &e); ++n)
            found[count++] = keel_entity_index(e);
        keel_query_end(&walk);
        slice.after = walk.after;
    } while (!walk.is_finished);
    keel_query_destroy(query);
    return count;
}

static uint32_t found_slowly(const random_world *w, const random_term *terms, uint32_t term_count,
                             uint32_t *found) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->count; ++i) {
        bool is_found = keel_is_alive(w->world, w->e[i]);
        for (uint32_t t = 0; is_found && t < term_count; ++t)
            is_found = is_so(w, &terms[t], w->e[i]) != terms[t].is_not;
        if (is_found) found[count++] = keel_entity_index(w->e[i]);
    }
    return count;
}

static uint32_t compare_queries(const random_world *w) {
    uint32_t found[MOST], expected[MOST], total = 0;
    for (int round = 0; round < 40; ++round) {
        char text[1000];
        random_term terms[5];
        size_t length = 0;
        const uint32_t term_count = 1 + below(below(2) ? 2 : 5);
        for (uint32_t t = 0; t < term_count; ++t) {
            terms[t] = random_term_of(w);
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", t ? ", " : "");
            length += write_term(&terms[t], text + length, sizeof text - length);
        }
        const uint32_t count = found_slowly(w, terms, term_count, expected);
        if (found_by_query(w, text, found) != count ||
            memcmp(found, expected, count * sizeof *found))
            fail_msg("seed %llu: %s finds others", (unsigned long long)seed, text);
        total += count;
    }
    return total;
}

static void random_queries_find_what_is_so(void **state) {
    uint32_t total = 0;
    const uint32_t rounds = test_rounds(150);
    (void)state;
    for (uint32_t round = 0; round < rounds; ++round) {
        api_fixture f;
        seed = round + 1;
        api_begin(&f);
        random_world w = { .world = f.world };
        fill(&w);
        total += compare_queries(&w);
        assert_no_error(f.world);
        api_end(&f);
    }
    assert_true(total > rounds * 100); // it is not always nothing
}

static const struct CMUnitTest tests[] = {
    TEST(random_queries_find_what_is_so, "random queries find what a slow evaluator finds"),
};
int main(void) { return RUN(tests); }
