// SPDX-License-Identifier: MIT
// Names of entities: unique among siblings, found by path, kept up by every edit, in every message.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

static keel_entity named(keel_world *world, keel_entity parent, const char *name) {
    const keel_entity e =
        keel_is_null(parent) ? keel_add_entity(world) : keel_add_child(world, parent);
    assert_int_equal(keel_set_name(world, e, name), KEEL_OK);
    return e;
}

static void assert_name(keel_world *world, keel_entity e, const char *name) {
    const char *is = keel_name_of(world, e);
    if (name) assert_non_null(is);
    if (name) assert_string_equal(is, name);
    else assert_null(is);
}

static void assert_found(keel_world *world, keel_entity from, const char *path, keel_entity e) {
    assert_same_entity(keel_find_entity(world, from, path), e);
}

// ------------------------------------------------------------------ setting and finding
static void a_path_leads_to_one_entity(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    char text[] = "ship";
    const keel_entity fleet = named(w, keel_null(), "fleet");
    const keel_entity ship = named(w, fleet, text), other = named(w, fleet, "tender");
    memset(text, 'x', 4); // it was copied
    const keel_entity turret = named(w, ship, "turret"), second = named(w, other, "turret");
    assert_name(w, ship, "ship");
    assert_found(w, keel_null(), "fleet", fleet);
    assert_found(w, keel_null(), "fleet/ship/turret", turret);
    assert_found(w, fleet, "tender/turret", second);
    assert_found(w, ship, "turret", turret);
    const char *const nowhere[] = { "", "/", "/fleet", "fleet/", "fleet//ship", "ship", "flee" };
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; ++i)
        assert_found(w, keel_null(), nowhere[i], keel_null());
    assert_found(w, turret, "fleet", keel_null());
    assert_found(w, keel_null(), NULL, keel_null());
    assert_found(w, handle_at(7, 3), "ship", keel_null());
    assert_name(w, keel_null(), NULL);
    assert_no_error(w);
    api_end(&f);
}

static void siblings_have_different_names(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity a = named(w, keel_null(), "a"), b = keel_add_entity(w);
    const keel_entity below = named(w, a, "a"), beside = keel_add_child(w, a);
    assert_int_equal(keel_set_name(w, b, "a"), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "cannot name 1v0: the root 0v0 \"a\" has that name");
    assert_int_equal(keel_set_name(w, beside, "a"), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "the child 2v0 \"a\" of 0v0 \"a\" has that name");
    assert_int_equal(keel_set_name(w, beside, "b"), KEEL_OK);
    assert_int_equal(keel_set_name(w, beside, "a"), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "cannot name 3v0 \"b\"");
    assert_name(w, beside, "b");
    assert_int_equal(keel_set_name(w, below, "a"), KEEL_OK); // its own
    assert_int_equal(keel_set_name(w, below, "c"), KEEL_OK);
    assert_int_equal(keel_set_name(w, beside, "a"), KEEL_OK); // it is free now
    assert_found(w, a, "b", keel_null());
    assert_found(w, a, "a", beside);
    api_end(&f);
}

static void a_name_is_taken_away(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity e = named(w, keel_null(), "e");
    assert_int_equal(keel_set_name(w, e, "e/f"), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "cannot name 0v0 \"e\" \"e/f\"");
    assert_int_equal(keel_set_name(w, e, NULL), KEEL_OK);
    assert_int_equal(keel_set_name(w, e, ""), KEEL_ABSENT);
    assert_name(w, e, NULL);
    assert_false(keel_has(w, e, keel_name));
    assert_int_equal(keel_set_name(w, e, "again"), KEEL_OK);
    keel_delete_entity(w, e);
    assert_int_equal(keel_set_name(w, e, "dead"), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_set_name(w, keel_null(), "null"), KEEL_ERROR_DEAD_ENTITY);
    assert_name(w, e, NULL);
    assert_found(w, keel_null(), "again", keel_null());
    api_end(&f);
}

static void a_name_stays_where_it_is(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity first = named(f.world, keel_null(), "first");
    const char *text = keel_name_of(f.world, first);
    char name[16];
    for (uint32_t i = 0; i < 1000; ++i) {
        snprintf(name, sizeof name, "e%u", (unsigned)i);
        (void)named(f.world, keel_null(), name);
    }
    for (uint32_t i = 0; i < 1000; i += 2) {
        snprintf(name, sizeof name, "e%u", (unsigned)i);
        keel_delete_entity(f.world, keel_find_entity(f.world, keel_null(), name));
    }
    assert_ptr_equal(keel_name_of(f.world, first), text);
    assert_string_equal(text, "first");
    assert_int_equal(keel_count(f.world, keel_name), 501);
    api_end(&f);
}

static void the_null_handle_has_no_index(void **state) {
    (void)state;
    assert_int_equal(keel_entity_index(keel_null()), UINT32_MAX);
    assert_int_equal(keel_entity_version(keel_null()), UINT32_MAX);
    assert_int_equal(keel_entity_index(handle_at(0, 0)), 0);
}

// ------------------------------------------------------------------ another place
static void an_edit_that_would_double_a_name_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity ship = named(w, keel_null(), "ship"),
                      tender = named(w, keel_null(), "tender");
    const keel_entity gun = named(w, ship, "gun"), other = named(w, tender, "gun");
    const keel_entity bow = named(w, gun, "bow");
    assert_int_equal(keel_attach(w, other, ship), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED,
                 "cannot attach 3v0 \"gun\": the child 2v0 \"gun\" of 0v0 \"ship\" has that name");
    assert_same_entity(keel_parent_of(w, other), tender);
    const keel_entity root = named(w, keel_null(), "gun");
    assert_int_equal(keel_detach(w, gun), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED,
                 "cannot detach 2v0 \"gun\": the root 5v0 \"gun\" has that name; keel_set_name "
                 "another one, or NULL, before");
    assert_int_equal(keel_unlink(w, gun), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "unlink");
    assert_int_equal(keel_unlink_tree(w, gun), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "unlink");
    assert_same_entity(keel_parent_of(w, bow), gun);
    assert_int_equal(keel_attach(w, gun, ship), KEEL_OK); // to where it is
    assert_found(w, keel_null(), "ship/gun/bow", bow);
    keel_delete_entity(w, root);
    assert_int_equal(keel_detach(w, gun), KEEL_OK);
    assert_found(w, keel_null(), "ship/gun", keel_null());
    assert_found(w, keel_null(), "gun/bow", bow);
    assert_int_equal(keel_attach(w, other, ship), KEEL_OK);
    assert_found(w, keel_null(), "ship/gun", other);
    assert_found(w, keel_null(), "tender/gun", keel_null());
    assert_no_error(w);
    api_end(&f);
}

static void an_orphan_may_lose_its_name(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity gun = named(w, keel_null(), "gun");
    for (uint32_t i = 0; i < 4; ++i) {
        const keel_entity ship = named(w, keel_null(), "ship");
        const keel_entity lost = named(w, ship, "gun"), kept = named(w, ship, "hold");
        const keel_entity heir = named(w, ship, "ship"); // its parent goes, and so the name is free
        f.log.warnings = 0;
        if (i == 0) assert_int_equal(keel_delete_entity(w, ship), KEEL_OK);
        if (i == 1) assert_int_equal(keel_strip(w, ship), KEEL_OK);
        if (i == 2) assert_int_equal(keel_delete_entities(w, (keel_entity[]){ ship }, 1), KEEL_OK);
        if (i == 3)
            assert_int_equal(
                keel_delete_entities_matching(w, KEEL_TERMS(KEEL_TARGETED(keel_child))), KEEL_OK);
        // the log says it of the first, second, fourth, ... of a world
        assert_int_equal(f.log.warnings, i != 2);
        char said[80];
        sprintf(said, "names lost like this so far: %u; keel_delete_tree", i + 1);
        if (i != 2) assert_non_null(strstr(f.log.last, said));
        if (i != 2)
            assert_non_null(
                strstr(f.log.last, "\"gun\" became a root and loses its name: the root 0v0"));
        assert_name(w, lost, NULL);
        assert_found(w, keel_null(), "gun", gun);
        assert_found(w, keel_null(), "hold", kept);
        assert_found(w, keel_null(), "ship", heir);
        assert_int_equal(keel_delete_entities(w, (keel_entity[]){ kept, heir }, 2), KEEL_OK);
        assert_true(keel_world_check(w, NULL));
    }
    api_end(&f);
}

static void an_unlinked_tree_may_lose_names(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity fleet = named(w, keel_null(), "fleet");
    const keel_entity a = named(w, fleet, "a"), b = named(w, fleet, "b");
    const keel_entity of_a = named(w, a, "gun"), of_b = named(w, b, "gun");
    assert_int_equal(keel_unlink_tree(w, fleet), KEEL_OK); // the last in pre-order first
    assert_name(w, of_b, "gun");
    assert_name(w, of_a, NULL);
    assert_found(w, keel_null(), "gun", of_b);
    assert_found(w, keel_null(), "a", a);
    api_end(&f);
}

static void many_deleted_entities_free_their_names_first(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity a = named(w, keel_null(), "a"), b = named(w, keel_null(), "b");
    const keel_entity heir = named(w, a, "b");
    assert_int_equal(keel_delete_entities(w, (keel_entity[]){ a, b }, 2), KEEL_OK);
    assert_found(w, keel_null(), "b", heir);
    assert_int_equal(f.log.warnings, 0);
    assert_int_equal(keel_delete_entities_having(w, keel_name), KEEL_OK);
    assert_int_equal(keel_entity_count(w), 0);
    api_end(&f);
}

KEEL_RELATION(Follows, .on_delete = KEEL_DELETE_SOURCES);

// The heir's parent goes with a, before d and b are deleted, whose names are those of its children.
static void whoever_goes_along_frees_names_first(void **state) {
    (void)state;
    for (int how = 0; how < 3; ++how) {
        api_fixture f;
        api_begin(&f);
        keel_world *w = f.world;
        const keel_entity a = named(w, keel_null(), "a"), d = named(w, keel_null(), "d");
        const keel_entity goes = named(w, keel_null(), "goes");
        const keel_entity first = named(w, goes, "a"), second = named(w, goes, "d");
        assert_int_equal(keel_relate(w, d, Follows, a), KEEL_OK);
        assert_int_equal(keel_relate(w, goes, Follows, how < 2 ? a : d), KEEL_OK);
        assert_int_equal(how == 0   ? keel_delete_entity(w, a)
                         : how == 1 ? keel_delete_tree(w, a)
                                    : keel_delete_entities(w, (keel_entity[]){ d, a }, 2),
                         KEEL_OK);
        assert_int_equal(keel_entity_count(w), 2);
        assert_found(w, keel_null(), "a", first);
        assert_found(w, keel_null(), "d", second);
        assert_int_equal(f.log.warnings, 0);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ the component
static void names_go_with_their_component(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity a = named(w, keel_null(), "a"), b = named(w, a, "b");
    assert_int_equal(keel_delete(w, a, keel_name), KEEL_OK);
    assert_found(w, keel_null(), "a", keel_null());
    assert_found(w, a, "b", b);
    assert_int_equal(keel_clear(w, keel_name), KEEL_OK);
    assert_found(w, a, "b", keel_null());
    (void)keel_set_name(w, a, "again");
    assert_int_equal(keel_unregister_component(w, KEEL_OF(keel_name)), KEEL_OK);
    assert_found(w, keel_null(), "again", keel_null());
    (void)keel_set_name(w, b, "b");
    assert_found(w, a, "b", b);
    assert_int_equal(keel_clear_entities(w), KEEL_OK);
    (void)named(w, keel_null(), "b");
    api_end(&f);
}

static void only_keel_set_name_changes_it(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity e = named(w, keel_null(), "e");
    keel_name out;
    assert_int_equal(keel_add(w, e, keel_name, { "x" }), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "cannot add 'keel_name' by hand; use keel_set_name");
    assert_true(keel_is_null(keel_add_entity(w, KEEL_INIT(keel_name, { "x" }))));
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_set_name");
    assert_null(keel_get_mut(w, e, keel_name));
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_set_name");
    assert_int_equal(keel_remove(w, e, keel_name, &out), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_set_name");
    assert_int_equal(keel_add(keel_world_commands(w), e, keel_name, { "x" }), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_set_name");
    keel_view view;
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_WRITE(keel_name, n)), "names"),
                     KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_set_name");
    assert_non_null(keel_register_component(w, KEEL_OF(keel_name))); // keeps its hooks
    KEEL_EACH(w, KEEL_READ(keel_name, name))
        assert_string_equal(name->text, "e");
    api_end(&f);
}

typedef struct heard {
    uint32_t inserted, modified, deleted;
    char last[16];
} heard;
static void hear(const keel_change *change, void *data) {
    heard *h = data;
    h->inserted += change->kind == KEEL_ON_INSERTED;
    h->modified += change->kind == KEEL_ON_MODIFIED;
    h->deleted += change->kind == KEEL_ON_DELETED;
    const keel_name *name = change->value;
    if (name) snprintf(h->last, sizeof h->last, "%s", name->text);
}

static void names_are_observed_and_tracked(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    heard h = { 0 };
    assert_int_equal(
        keel_observe(w, keel_name, KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED, hear, &h),
        KEEL_OK);
    assert_int_equal(keel_track(w, keel_name, KEEL_TRACK_ALL), KEEL_OK);
    const keel_entity a = named(w, keel_null(), "a"), b = keel_add_entity(w);
    assert_int_equal(keel_set_name(w, a, "b"), KEEL_OK);
    assert_string_equal(h.last, "b");
    assert_int_equal(keel_delete_entity(w, a), KEEL_OK); // its value is kept for readers
    assert_found(w, keel_null(), "b", keel_null());
    assert_int_equal(keel_set_name(w, b, "b"), KEEL_OK);
    assert_int_equal(h.inserted, 2);
    assert_int_equal(h.modified, 1);
    assert_int_equal(h.deleted, 1);
    uint32_t deleted = 0;
    KEEL_EACH_REMOVED(w, keel_name, removal) {
        assert_same_entity(removal.entity, a);
        assert_true(removal.deleted);
        assert_string_equal(((const keel_name *)removal.value)->text, "b");
        ++deleted;
    }
    assert_int_equal(deleted, 1);
    api_end(&f);
}

// ------------------------------------------------------------------ copies
static void copies_of_worlds_have_names_and_clones_have_none(void **state) {
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    const keel_entity ship = named(f.world, keel_null(), "ship"), gun = named(f.world, ship, "gun");
    uint64_t before, copied, renamed;
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_found(g.world, keel_null(), "ship/gun", gun);
    assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
    assert_int_equal(keel_world_hash(g.world, &copied), KEEL_OK);
    assert_true(before == copied);
    assert_int_equal(keel_set_name(g.world, gun, "bow"), KEEL_OK);
    assert_int_equal(keel_world_hash(g.world, &renamed), KEEL_OK);
    assert_true(before != renamed);
    assert_found(f.world, keel_null(), "ship/gun", gun);
    const keel_entity clone = keel_clone_entity(f.world, ship);
    assert_false(keel_is_null(clone));
    assert_name(f.world, clone, NULL);
    api_end(&g);
    api_end(&f);
}

// Whatever there is room for in what the other world knows of a block of entities.
static void a_name_moves_with_what_is_disabled(void **state) {
    (void)state;
    enum { MOST = 20 };
    static char texts[MOST][4];
    for (uint32_t count = 1; count <= MOST; ++count) {
        keel_world *from = keel_world_create(NULL), *to = keel_world_create(NULL);
        keel_component components[MOST] = { 0 };
        const keel_entity e = keel_add_entity(from);
        for (uint32_t i = 0; i < count; ++i) {
            (void)snprintf(texts[i], sizeof texts[i], "c%u", (unsigned)i);
            components[i] = (keel_component){ .name = texts[i], .storage = KEEL_INDEXED };
            assert_int_equal(keel_add_component(from, e, &components[i], NULL), KEEL_OK);
        }
        assert_int_equal(keel_enable_component(from, e, &components[0], false), KEEL_OK);
        assert_int_equal(keel_set_name(from, e, "ship"), KEEL_OK);
        const keel_entity moved = keel_move_entity(from, e, to);
        assert_string_equal(keel_name_of(to, moved), "ship");
        assert_true(keel_is_component_disabled(to, moved, &components[0]));
        for (uint32_t i = 1; i < count; ++i)
            assert_true(keel_has_component(to, moved, &components[i]));
        assert_true(keel_world_check(to, NULL));
        keel_world_destroy(from);
        keel_world_destroy(to);
    }
}

static void a_name_moves_to_another_world(void **state) {
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    const keel_entity ship = named(f.world, keel_null(), "ship");
    assert_int_equal(keel_add(f.world, ship, Number, { 5 }), KEEL_OK);
    const keel_entity there = named(g.world, keel_null(), "ship");
    assert_true(keel_is_null(keel_move_entity(f.world, ship, g.world)));
    assert_error(g.world, KEEL_ERROR_OCCUPIED, "cannot move 0v0 \"ship\" to world");
    assert_name(f.world, ship, "ship");
    keel_set_name(g.world, there, "tender");
    const keel_entity moved = keel_move_entity(f.world, ship, g.world);
    assert_found(g.world, keel_null(), "ship", moved);
    assert_found(f.world, keel_null(), "ship", keel_null());
    assert_int_equal(keel_get(g.world, moved, Number)->value, 5);
    api_end(&g);
    api_end(&f);
}

// ------------------------------------------------------------------ scopes
static keel_entity found, promised;
static const char *seen;

KEEL_SYSTEM_ONCE(look_up_names, KEEL_MAY_READ(keel_name, keel_child), KEEL_CONTEXT(c)) {
    found = keel_find_entity(c, keel_null(), "ship/gun");
    seen = keel_name_of(c, found);
}
KEEL_SYSTEM_ONCE(look_up_nothing, KEEL_CONTEXT(c)) {
    found = keel_find_entity(c, keel_null(), "ship/gun");
}
KEEL_SYSTEM_ONCE(record_names, KEEL_COMMANDS(out, keel_name)) {
    promised = keel_add_entity(out);
    char name[] = "recorded";
    keel_set_name(out, promised, name);
    memset(name, 'x', sizeof name - 1);
}
KEEL_SYSTEM_ONCE(record_no_names, KEEL_COMMANDS(out, Number)) {
    assert_int_equal(keel_set_name(out, promised, "x"), KEEL_ERROR_ACCESS);
}
KEEL_SYSTEM_ONCE(edit_names, KEEL_MAY_EDIT(keel_name), KEEL_CONTEXT(c)) {
    keel_set_name(c, promised, "edited");
}
KEEL_WORKLOAD(naming, KEEL_STEP(record_names), KEEL_STEP(edit_names));

static void systems_and_commands_name(void **state) {
    (void)state;
    api_fixture f;
    api_begin_workers(&f, 2);
    keel_world *w = f.world;
    assert_int_equal(keel_run_workload(w, naming), KEEL_OK); // nobody was named before
    assert_found(w, keel_null(), "edited", promised);
    const keel_entity ship = named(w, keel_null(), "ship"), gun = named(w, ship, "gun");
    assert_int_equal(keel_run(w, look_up_names), KEEL_OK);
    assert_same_entity(found, gun);
    assert_string_equal(seen, "gun");
    (void)keel_run(w, look_up_nothing);
    assert_error(w, KEEL_ERROR_ACCESS, "keel_name");
    assert_true(keel_is_null(found));
    (void)keel_run(w, record_no_names);
    assert_error(w, KEEL_ERROR_ACCESS, "keel_name");
    keel_commands *out = keel_world_commands(w);
    assert_int_equal(keel_set_name(out, gun, ""), KEEL_OK);
    assert_int_equal(keel_set_name(out, ship, "gun"), KEEL_OK);
    assert_int_equal(keel_set_name(out, promised, "gun"), KEEL_OK);
    assert_name(w, gun, "gun");
    assert_int_equal(keel_apply_commands(w), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "\"edited\": the root");
    assert_name(w, gun, NULL);
    assert_found(w, keel_null(), "gun", ship);
    api_end(&f);
}

static void a_name_in_use_is_not_changed(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity ship = named(w, keel_null(), "ship"), gun = named(w, ship, "gun");
    KEEL_EACH(w, KEEL_READ(keel_name, name), KEEL_TARGETED(keel_child)) {
        assert_string_equal(name->text, "ship");
        assert_int_equal(keel_set_name(w, ship, "x"), KEEL_ERROR_BORROWED);
        assert_error(w, KEEL_ERROR_BORROWED, "cannot set 'keel_name'");
    }
    keel_view view;
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_MAY_EDIT(keel_name)), "names"),
                     KEEL_OK);
    assert_int_equal(keel_set_name(&view, gun, "bow"), KEEL_OK);
    assert_string_equal(keel_name_of(&view, gun), "bow");
    assert_null(keel_get_mut(&view, gun, keel_name));
    assert_error(w, KEEL_ERROR_ARGUMENT, "keel_set_name");
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ messages
static void messages_name_entities(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity old = keel_add_entity(w);
    keel_delete_entity(w, old);
    const keel_entity ship = named(w, keel_null(), "ship"), gun = keel_add_child(w, ship);
    assert_int_equal(keel_attach(w, ship, gun), KEEL_ERROR_CYCLE);
    assert_error(w, KEEL_ERROR_CYCLE, "cannot attach 0v1 \"ship\" to 1v0: that is itself");
    assert_true(keel_is_null(keel_add_child(w, keel_null())));
    assert_error(w, KEEL_ERROR_DEAD_ENTITY, "the parent null is not alive");
    assert_true(keel_is_null(keel_clone_entity(w, old)));
    assert_error(w, KEEL_ERROR_DEAD_ENTITY, "cannot clone 0v0: it is not alive");
    assert_int_equal(keel_add_many(w, ((keel_entity[]){ gun, keel_null() }), 2, Number, { 1 }),
                     KEEL_ERROR_DEAD_ENTITY);
    assert_error(w, KEEL_ERROR_DEAD_ENTITY, "entity 1 of the list, null, is not alive");
    assert_int_equal(keel_add_entity_at(w, handle_at(0, 5)), KEEL_ERROR_OCCUPIED);
    assert_error(w, KEEL_ERROR_OCCUPIED, "cannot add 0v5: index 0 belongs to 0v1 \"ship\"");
    keel_set_name(w, ship,
                  "a name that is longer than anybody would ever read in any message at all");
    assert_int_equal(keel_attach(w, ship, gun), KEEL_ERROR_CYCLE);
    assert_error(w, KEEL_ERROR_CYCLE, "read in any me...\" to 1v0");
    api_end(&f);
}

static void the_list_of_entities_is_called_what_it_is(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity e = keel_add_entity(w);
    keel_view view, other;
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES), "maker"),
                     KEEL_OK);
    assert_int_equal(keel_delete_entity(w, e), KEEL_ERROR_BORROWED);
    assert_error(w, KEEL_ERROR_BORROWED,
                 "cannot delete from the list of entities: maker is editing it");
    assert_int_equal(keel_view_begin(&other, w, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES), "second"),
                     KEEL_ERROR_BORROWED);
    assert_error(w, KEEL_ERROR_BORROWED, "second wants to edit the list of entities, which maker");
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ what it costs
static void a_world_without_names_has_no_index(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_world *w = f.world;
    const keel_entity a = keel_add_entity(w), b = keel_add_child(w, a);
    const keel_memory before = keel_world_statistics(w).memory;
    const size_t calls = f.memory.calls;
    assert_int_equal(keel_set_name(w, a, NULL), KEEL_ABSENT);
    assert_name(w, a, NULL);
    assert_found(w, keel_null(), "a/b", keel_null());
    assert_int_equal(keel_detach(w, b), KEEL_OK);
    assert_int_equal(keel_attach(w, b, a), KEEL_OK);
    const keel_memory after = keel_world_statistics(w).memory;
    assert_int_equal(after.total, before.total);
    assert_true(calls <= f.memory.calls);
    assert_null(keel_find_component(w, "keel_name"));
    (void)keel_set_name(w, a, "a");
    const size_t with_one = keel_world_statistics(w).memory.total;
    assert_true(with_one > before.total);
    assert_int_equal(keel_clear(w, keel_name), KEEL_OK);
    assert_int_equal(keel_world_trim(w), KEEL_OK);
    assert_true(keel_world_statistics(w).memory.total < with_one);
    assert_int_equal(keel_set_name(w, a, "a"), KEEL_OK);
    assert_found(w, keel_null(), "a", a);
    api_end(&f);
}

// ------------------------------------------------------------------ memory runs out
enum { SETS, RENAMES, RECORDS, COPIES, MOVES, EDITS };
static keel_result do_edit(uint32_t edit, api_fixture *f, api_fixture *g, keel_entity e) {
    switch (edit) {
    case SETS:
        return keel_set_name(f->world, e, "seventeenth");
    case RENAMES:
        return keel_set_name(f->world, keel_find_entity(f->world, keel_null(), "e3"), "renamed");
    case RECORDS:
        return keel_set_name(keel_world_commands(f->world), e, "recorded");
    case COPIES:
        return keel_copy_world(f->world, g->world);
    default:
        return keel_is_null(keel_move_entity(
                   f->world, keel_find_entity(f->world, keel_null(), "e3"), g->world))
                   ? KEEL_ERROR_MEMORY
                   : KEEL_OK;
    }
}

static bool fails_at(uint32_t edit, size_t n) {
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    char name[16];
    keel_entity e = keel_null();
    for (uint32_t i = 0; i < 16; ++i) {
        snprintf(name, sizeof name, "e%u", (unsigned)i);
        e = named(f.world, keel_null(), name);
    }
    e = keel_add_entity(f.world);
    uint64_t before, after;
    assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
    counting_allocator *memory = edit >= COPIES ? &g.memory : &f.memory;
    counting_allocator_fail_after(memory, n);
    const keel_result result = do_edit(edit, &f, &g, e);
    const bool failed = memory->failures > 0;
    counting_allocator_never_fail(memory);
    assert_int_equal(result, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
    if (failed) {
        assert_error(edit >= COPIES ? g.world : f.world, KEEL_ERROR_MEMORY, "memory");
        assert_int_equal(keel_world_hash(f.world, &after), KEEL_OK);
        assert_true(before == after);
        assert_int_equal(keel_entity_count(g.world), 0);
        assert_true(keel_world_check(f.world, NULL) && keel_world_check(g.world, NULL));
        assert_int_equal(do_edit(edit, &f, &g, e), KEEL_OK);
    }
    api_end(&g);
    api_end(&f);
    return failed;
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    for (uint32_t edit = 0; edit < EDITS; ++edit) {
        size_t n = 0;
        while (fails_at(edit, n))
            ++n;
        assert_true(n > 0);
    }
}

// ------------------------------------------------------------------ random edits
enum { NODES = 24, NOBODY = NODES, NAMES = 6, NAMELESS = NAMES };
static const char *const all_names[NAMES] = { "a", "b", "gun", "ship", "hold", "a b" };
typedef struct node {
    bool alive;
    keel_entity e;
    uint32_t name, parent, count, children[NODES];
} node;
typedef struct fleet {
    api_fixture f;
    node nodes[NODES];
    uint64_t random;
} fleet;

static uint32_t below(fleet *m, uint32_t limit) {
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % limit;
}

static uint32_t model_find(const fleet *m, uint32_t parent, uint32_t name) {
    for (uint32_t n = 0; n < NODES && name != NAMELESS; ++n)
        if (m->nodes[n].alive && m->nodes[n].parent == parent && m->nodes[n].name == name) return n;
    return NOBODY;
}
static bool model_is_taken(const fleet *m, uint32_t n, uint32_t parent, uint32_t name) {
    const uint32_t there = model_find(m, parent, name);
    return there != NOBODY && there != n;
}
static bool model_is_below(const fleet *m, uint32_t n, uint32_t above) {
    for (; n != NOBODY; n = m->nodes[n].parent)
        if (n == above) return true;
    return false;
}
static void model_detach(fleet *m, uint32_t n) {
    if (m->nodes[n].parent == NOBODY) return;
    node *parent = &m->nodes[m->nodes[n].parent];
    uint32_t at = 0;
    while (parent->children[at] != n)
        ++at;
    --parent->count;
    memmove(&parent->children[at], &parent->children[at + 1],
            (parent->count - at) * sizeof(uint32_t));
    if (model_is_taken(m, n, NOBODY, m->nodes[n].name)) m->nodes[n].name = NAMELESS;
    m->nodes[n].parent = NOBODY;
}
static void model_attach(fleet *m, uint32_t n, uint32_t to) {
    const uint32_t name = m->nodes[n].name;
    model_detach(m, n);
    m->nodes[n].name = name; // on the way it is nowhere
    m->nodes[n].parent = to;
    m->nodes[to].children[m->nodes[to].count++] = n;
}
static void model_unlink(fleet *m, uint32_t n) {
    model_detach(m, n);
    while (m->nodes[n].count)
        model_detach(m, m->nodes[n].children[0]);
}
static void model_unlink_tree(fleet *m, uint32_t n) {
    model_detach(m, n);
    while (m->nodes[n].count) {
        uint32_t last = n;
        while (m->nodes[last].count)
            last = m->nodes[last].children[m->nodes[last].count - 1];
        model_detach(m, last);
    }
}
static void model_delete_tree(fleet *m, uint32_t n) {
    m->nodes[n].name = NAMELESS;
    while (m->nodes[n].count)
        model_delete_tree(m, m->nodes[n].children[0]);
    model_detach(m, n);
    m->nodes[n].alive = false;
}

static void compare(fleet *m) {
    for (uint32_t n = 0; n < NODES; ++n)
        if (m->nodes[n].alive)
            assert_name(m->f.world, m->nodes[n].e,
                        m->nodes[n].name == NAMELESS ? NULL : all_names[m->nodes[n].name]);
    for (uint32_t parent = 0; parent <= NODES; ++parent)
        for (uint32_t name = 0; name < NAMES; ++name) {
            const uint32_t there = model_find(m, parent, name);
            if (parent != NOBODY && !m->nodes[parent].alive) continue;
            assert_found(m->f.world, parent == NOBODY ? keel_null() : m->nodes[parent].e,
                         all_names[name], there == NOBODY ? keel_null() : m->nodes[there].e);
        }
    if (!keel_world_check(m->f.world, NULL)) fail_msg("the world is broken");
}

static void revive(fleet *m, uint32_t n, uint32_t parent) {
    node *it = &m->nodes[n];
    *it = (node){ .alive = true, .name = NAMELESS, .parent = NOBODY };
    const bool is_child = parent != n && m->nodes[parent].alive && below(m, 2);
    it->e = is_child ? keel_add_child(m->f.world, m->nodes[parent].e, KEEL_INIT(Number, { n }))
                     : keel_add_entity(m->f.world, KEEL_INIT(Number, { n }));
    if (is_child) model_attach(m, n, parent);
}

static void random_edit(fleet *m, uint32_t n, uint32_t other) {
    keel_world *w = m->f.world;
    node *it = &m->nodes[n];
    const keel_entity e = it->e;
    const bool is_child = it->parent != NOBODY;
    const bool stays = is_child && model_is_taken(m, n, NOBODY, it->name);
    const uint32_t kind = below(m, 40), name = below(m, NAMES + 1);
    if (kind < 16) {
        const bool taken = model_is_taken(m, n, it->parent, name);
        assert_int_equal(keel_set_name(w, e, name == NAMELESS ? NULL : all_names[name]),
                         taken                                      ? KEEL_ERROR_OCCUPIED
                         : name == NAMELESS && it->name == NAMELESS ? KEEL_ABSENT
                                                                    : KEEL_OK);
        if (!taken) it->name = name;
    } else if (kind < 28 && m->nodes[other].alive) {
        const keel_result result = keel_attach(w, e, m->nodes[other].e);
        if (model_is_below(m, other, n)) assert_int_equal(result, KEEL_ERROR_CYCLE);
        else if (model_is_taken(m, n, other, it->name))
            assert_int_equal(result, KEEL_ERROR_OCCUPIED);
        else {
            assert_int_equal(result, KEEL_OK);
            model_attach(m, n, other);
        }
    } else if (kind < 31) {
        assert_int_equal(keel_detach(w, e), stays      ? KEEL_ERROR_OCCUPIED
                                            : is_child ? KEEL_OK
                                                       : KEEL_ABSENT);
        if (!stays) model_detach(m, n);
    } else if (kind < 33) {
        const keel_result result = kind == 31 ? keel_unlink(w, e) : keel_unlink_tree(w, e);
        assert_int_equal(result, stays                   ? KEEL_ERROR_OCCUPIED
                                 : is_child || it->count ? KEEL_OK
                                                         : KEEL_ABSENT);
        if (!stays && kind == 31) model_unlink(m, n);
        else if (!stays) model_unlink_tree(m, n);
    } else if (kind < 36) {
        assert_int_equal(kind == 33 ? keel_strip(w, e) : keel_delete_entity(w, e), KEEL_OK);
        it->name = NAMELESS;
        model_unlink(m, n);
        it->alive = kind == 33;
        if (kind == 33) (void)keel_add(w, e, Number, { n });
    } else if (kind == 36) {
        assert_int_equal(keel_delete_tree(w, e), KEEL_OK);
        model_delete_tree(m, n);
    } else if (kind == 37) {
        assert_int_equal(keel_delete(w, e, keel_name),
                         it->name == NAMELESS ? KEEL_ABSENT : KEEL_OK);
        it->name = NAMELESS;
    } else {
        const keel_entity clone = keel_clone_entity(w, e);
        assert_name(w, clone, NULL);
        keel_delete_entity(w, clone);
    }
}

static void random_edits_are_as_in_the_model(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        fleet m = { .random = seed };
        api_begin(&m.f);
        for (uint32_t i = 0; i < test_rounds(4000); ++i) {
            const uint32_t n = below(&m, NODES), other = below(&m, NODES);
            if (!m.nodes[n].alive) revive(&m, n, other);
            else random_edit(&m, n, other);
            compare(&m);
            keel_clear_errors(m.f.world);
        }
        api_end(&m.f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_path_leads_to_one_entity, "a path of names leads to one entity"),
    TEST(siblings_have_different_names, "siblings have different names"),
    TEST(a_name_is_taken_away, "a name is taken away"),
    TEST(a_name_stays_where_it_is, "a name stays where it is"),
    TEST(the_null_handle_has_no_index, "the index of the null handle is no index"),
    TEST(an_edit_that_would_double_a_name_is_refused,
         "an edit that would double a name is refused"),
    TEST(an_orphan_may_lose_its_name, "an orphan may lose its name"),
    TEST(an_unlinked_tree_may_lose_names, "an unlinked tree may lose names"),
    TEST(many_deleted_entities_free_their_names_first,
         "many deleted entities free their names first"),
    TEST(whoever_goes_along_frees_names_first, "whoever goes along frees names first"),
    TEST(names_go_with_their_component, "names go with their component"),
    TEST(only_keel_set_name_changes_it, "only keel set name changes it"),
    TEST(names_are_observed_and_tracked, "names are observed and tracked"),
    TEST(copies_of_worlds_have_names_and_clones_have_none,
         "copies of worlds have names and clones have none"),
    TEST(a_name_moves_with_what_is_disabled, "a name moves with what is disabled"),
    TEST(a_name_moves_to_another_world, "a name moves to another world"),
    TEST(systems_and_commands_name, "systems and commands name"),
    TEST(a_name_in_use_is_not_changed, "a name in use is not changed"),
    TEST(messages_name_entities, "messages name entities"),
    TEST(the_list_of_entities_is_called_what_it_is, "the list of entities is called what it is"),
    TEST(a_world_without_names_has_no_index, "a world without names has no index"),
    TEST(without_memory_nothing_changes, "without memory nothing changes"),
    TEST(random_edits_are_as_in_the_model, "random edits are as in the model"),
};

int main(void) { return RUN(tests); }
