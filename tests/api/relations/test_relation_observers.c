// SPDX-License-Identifier: MIT
// Observers of edges: what comes and goes is told once for each, with both ends and the value;
// relations to one and to many, by all ways to them. Random edits are in tests/random.
#include "support/api_types.h"

#include <keel/snapshot.h>
#include <stdio.h>
#include <string.h>

typedef struct Holds {
    uint32_t count;
} Holds;
typedef struct Docked {
    uint32_t berth;
} Docked;
KEEL_RELATION(Likes);
KEEL_RELATION(Follows, .exclusive = true);
KEEL_RELATION(PartOf, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_VALUED_RELATION(Holds);
KEEL_VALUED_RELATION(Docked, .exclusive = true);

enum { ENTITIES = 6 };
static api_fixture f;
static keel_entity e[ENTITIES];
static char heard[400];

static char letter_of(keel_entity who) {
    for (uint32_t i = 0; i < ENTITIES; ++i)
        if (keel_is_same(e[i], who)) return (char)('a' + i);
    return keel_is_null(who) ? '0' : '?';
}

static void hear(const keel_change *event, void *data) {
    static const struct {
        uint32_t kind;
        const char *text;
    } names[] = { { KEEL_ON_INSERTED, "new" }, { KEEL_ON_MODIFIED, "changed" },
                  { KEEL_ON_DELETED, "lost" }, { KEEL_ON_RELATED, "+" },
                  { KEEL_ON_UNRELATED, "-" },  { KEEL_ON_DESTROYED, "dead" } };
    const char *text = "?";
    const bool is_edge = event->kind & (KEEL_ON_RELATED | KEEL_ON_UNRELATED);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names[i].kind == event->kind) text = names[i].text;
    char *at = heard + strlen(heard);
    (void)data;
    assert_true(at + 20 < heard + sizeof heard);
    if (!is_edge) {
        assert_true(keel_is_null(event->other));
        (void)sprintf(at, "%s %c, ", text, letter_of(event->entity));
        return;
    }
    const keel_component *relation = event->component;
    assert_true(keel_is_related_component(event->world, event->entity, relation, event->other));
    (void)sprintf(at, "%s%c%c", text, letter_of(event->entity), letter_of(event->other));
    if (event->value) (void)sprintf(at + 3, "%u", (unsigned)*(const uint32_t *)event->value);
    strcat(at, ", ");
}

static void assert_heard(const char *text) {
    assert_string_equal(heard, text);
    *heard = 0;
}

static const uint32_t edges = KEEL_ON_RELATED | KEEL_ON_UNRELATED;
static const uint32_t all =
    KEEL_ON_RELATED | KEEL_ON_UNRELATED | KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED;

static void begin(void) {
    api_begin(&f);
    *heard = 0;
    for (uint32_t i = 0; i < ENTITIES; ++i)
        e[i] = keel_add_entity(f.world);
}

// ------------------------------------------------------------------ the verbs
static void many(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe(f.world, Likes, all, hear, NULL), KEEL_OK);
    keel_relate(f.world, e[0], Likes, e[1]);
    keel_relate(f.world, e[0], Likes, e[2]);
    keel_relate(f.world, e[0], Likes, e[1]); // they are related already
    assert_heard("new a, +ab, changed a, +ac, ");
    keel_unrelate(f.world, e[0], Likes, e[1]);
    assert_int_equal(keel_unrelate(f.world, e[0], Likes, e[1]), KEEL_ABSENT);
    assert_heard("-ab, changed a, ");
    keel_relate(f.world, e[0], Likes, e[0]);
    keel_unrelate_all(f.world, e[0], Likes);
    assert_heard("changed a, +aa, -ac, -aa, changed a, lost a, ");
    api_end(&f);
}

static void one(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe(f.world, Follows, all, hear, NULL), KEEL_OK);
    keel_relate(f.world, e[0], Follows, e[1]);
    assert_heard("new a, +ab, ");
    keel_relate(f.world, e[0], Follows, e[2]);
    assert_heard("-ab, changed a, +ac, ");
    keel_relate(f.world, e[3], Follows, e[2]);
    *heard = 0;
    keel_unrelate_sources(f.world, Follows, e[2]);
    assert_heard("-ac, -dc, lost d, lost a, ");
    api_end(&f);
}

static void values_come_along(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe(f.world, Holds, edges, hear, NULL), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Docked, edges, hear, NULL), KEEL_OK);
    keel_relate(f.world, e[0], Holds, e[1], { 3 });
    keel_relate(f.world, e[0], Holds, e[1], { 4 }); // no edge comes
    keel_relate(f.world, e[0], Holds, e[2], { 5 });
    keel_unrelate(f.world, e[0], Holds, e[1]);
    assert_heard("+ab3, +ac5, -ab4, ");
    keel_relate(f.world, e[0], Docked, e[1], { 6 });
    keel_relate(f.world, e[0], Docked, e[2]); // the value is kept
    keel_relate(f.world, e[0], Docked, e[3], { 7 });
    keel_unrelate(f.world, e[0], Docked, e[3]);
    assert_heard("+ab6, -ab6, +ac6, -ac6, +ad7, -ad7, ");
    api_end(&f);
}

// ------------------------------------------------------------------ deaths
static void deletion_is_told_before_anything(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[1], Likes, e[0]);
    keel_relate(f.world, e[2], Likes, e[0]);
    keel_relate(f.world, e[0], Likes, e[0]);
    keel_relate(f.world, e[0], Likes, e[3]);
    assert_int_equal(keel_observe(f.world, Likes, all, hear, NULL), KEEL_OK);
    assert_int_equal(keel_observe_component(f.world, &keel_entities, KEEL_ON_DESTROYED, hear, NULL),
                     KEEL_OK);
    keel_delete_entity(f.world, e[0]); // the edge to itself once
    assert_heard("-aa, -ad, -ba, -ca, lost a, dead a, lost c, lost b, ");
    keel_relate(f.world, e[4], Likes, e[5]);
    *heard = 0;
    keel_delete_entities(f.world, &e[4], 2);
    assert_heard("-ef, lost e, dead e, dead f, ");
    api_end(&f);
}

static void who_goes_along(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[1], PartOf, e[0]);
    keel_relate(f.world, e[2], PartOf, e[1]);
    assert_int_equal(keel_observe(f.world, PartOf, edges, hear, NULL), KEEL_OK);
    keel_delete_entity(f.world, e[0]);
    assert_heard("-cb, -ba, ");
    api_end(&f);
}

// The successor gets who followed the dead.
static void promote(const keel_change *event, void *data) {
    const keel_entity *successor = data;
    if (!keel_is_same(event->entity, *successor))
        keel_relate(event->commands, event->entity, Follows, *successor);
}
static void sources_are_handed_over(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < ENTITIES; ++i)
        keel_relate(f.world, e[i], Follows, e[0]);
    assert_int_equal(keel_observe(f.world, Follows, KEEL_ON_UNRELATED, promote, &e[1]), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    assert_int_equal(keel_source_count(f.world, e[1], Follows), ENTITIES - 2);
    assert_true(keel_is_null(keel_target_of(f.world, e[1], Follows)));
    api_end(&f);
}

static void all_go(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Likes, e[1]);
    keel_relate(f.world, e[2], Likes, e[2]);
    assert_int_equal(keel_observe(f.world, Likes, all, hear, NULL), KEEL_OK);
    keel_clear_entities(f.world);
    assert_heard("-ab, -cc, lost a, lost c, ");
    e[0] = keel_add_entity(f.world);
    e[1] = keel_add_entity(f.world);
    keel_relate(f.world, e[0], Likes, e[1]);
    *heard = 0;
    keel_strip(f.world, e[1]);
    assert_heard("-ab, lost a, ");
    keel_relate(f.world, e[0], Likes, e[1]);
    *heard = 0;
    keel_unregister_component(f.world, KEEL_OF(Likes));
    assert_heard("-ab, lost a, ");
    assert_int_equal(keel_observe(f.world, Follows, edges, hear, NULL), KEEL_OK);
    keel_relate(f.world, e[0], Follows, e[1]);
    *heard = 0;
    api_end(&f); // and the world's end
    assert_heard("-ab, ");
}

// One that ends itself in the middle of a deletion is not called again.
static void hear_once(const keel_change *event, void *data) {
    ++*(uint32_t *)data;
    assert_int_equal(keel_unobserve(event->world, Likes, hear_once, data), KEEL_OK);
}
static void observers_end_themselves(void **state) {
    (void)state;
    uint32_t calls = 0;
    begin();
    for (uint32_t i = 1; i < ENTITIES; ++i)
        keel_relate(f.world, e[i], Likes, e[0]);
    assert_int_equal(
        keel_observe(f.world, Likes, KEEL_ON_DELETED | KEEL_ON_UNRELATED, hear_once, &calls),
        KEEL_OK);
    keel_delete_entity(f.world, e[0]);
    assert_int_equal(calls, 1);
    keel_relate(f.world, e[1], Likes, e[2]);
    keel_unrelate(f.world, e[1], Likes, e[2]);
    assert_int_equal(calls, 1);
    api_end(&f);
}

// ------------------------------------------------------------------ copies
static void copies_tell(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Likes, e[1]);
    keel_relate(f.world, e[0], Likes, e[2]);
    keel_relate(f.world, e[0], Holds, e[1], { 3 });
    keel_relate(f.world, e[0], Docked, e[1], { 4 });
    assert_int_equal(keel_observe(f.world, Likes, edges, hear, NULL), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Holds, edges, hear, NULL), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Docked, edges, hear, NULL), KEEL_OK);
    const keel_entity copy = keel_clone_entity(f.world, e[0]);
    assert_heard("+?b4, +?b3, +?b, +?c, ");
    keel_delete_entity(f.world, copy);
    *heard = 0;

    keel_world *templates = keel_templates(f.world);
    const keel_prefab car = { keel_add_entity(templates) };
    const keel_entity wheel = keel_add_entity(templates);
    keel_attach(templates, wheel, car.root);
    keel_relate(templates, wheel, Docked, car.root, { 5 });
    keel_relate(templates, car.root, Likes, wheel);
    (void)keel_spawn(f.world, car);
    assert_heard("+??, +??5, ");
    api_end(&f);
}

static void restoring_tells_nobody(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Likes, e[1]);
    keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    keel_unrelate(f.world, e[0], Likes, e[1]);
    assert_int_equal(keel_observe(f.world, Likes, edges, hear, NULL), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    assert_heard("");
    keel_unrelate(f.world, e[0], Likes, e[1]);
    assert_heard("-ab, ");
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

static void only_relations_have_edges(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe(f.world, Number, edges, hear, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_observe_component(f.world, &keel_entities, edges, hear, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collect(f.world, Dead, Likes, KEEL_ON_RELATED), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many),
        cmocka_unit_test(one),
        cmocka_unit_test(values_come_along),
        cmocka_unit_test(deletion_is_told_before_anything),
        cmocka_unit_test(who_goes_along),
        cmocka_unit_test(sources_are_handed_over),
        cmocka_unit_test(all_go),
        cmocka_unit_test(observers_end_themselves),
        cmocka_unit_test(copies_tell),
        cmocka_unit_test(restoring_tells_nobody),
        cmocka_unit_test(only_relations_have_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
