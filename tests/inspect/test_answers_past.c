// SPDX-License-Identifier: MIT
// What the inspector answers about the past: which frames changed a field and who did, what differs
// between two frames, and the world as a file.
#include "look.h"
#include "support/test.h"

#include <keel_save.h>

#include <stdio.h>
#include <string.h>

typedef struct Vec2 {
    float x, y;
} Vec2;
KEEL_FIELDS(Vec2, x, y);
typedef struct Place {
    Vec2 at;
    int32_t steps;
} Place;
KEEL_FIELDS(Place, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)), steps);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
typedef struct Fuel {
    int32_t left;
} Fuel;
KEEL_FIELDS(Fuel, left);
KEEL_COMPONENT(Fuel, KEEL_HAS_FIELDS(Fuel), .storage = KEEL_ARCHETYPE);
typedef struct Note {
    char *text;
    char *others[2];
    const void *cache;
} Note;
KEEL_FIELDS(Note, text, others, KEEL_FIELD(cache, .transient = true));
static char *copied(const char *text) {
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy) strcpy(copy, text);
    return copy;
}
static void note_drop(void *value, void *data) {
    Note *note = value;
    (void)data;
    free(note->text);
    free(note->others[0]);
    free(note->others[1]);
}
static bool note_copy(void *to, const void *from, void *data) {
    const Note *note = from;
    (void)data;
    *(Note *)to =
        (Note){ copied(note->text), { copied(note->others[0]), copied(note->others[1]) }, to };
    return true;
}
KEEL_COMPONENT(Note, KEEL_HAS_FIELDS(Note), .drop = note_drop, .copy = note_copy);
typedef struct Plain {
    unsigned char bytes[8];
} Plain;
KEEL_COMPONENT(Plain, .no_padding = true);
KEEL_TAG(Asleep);
KEEL_RELATION(Follows, .exclusive = true);
typedef struct Holds {
    int32_t grip;
} Holds;
KEEL_FIELDS(Holds, grip);
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));
typedef struct Clock {
    int32_t ticks;
} Clock;
KEEL_FIELDS(Clock, ticks);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));
typedef struct Later {
    int32_t number;
} Later;
KEEL_FIELDS(Later, number);
KEEL_UNIQUE(Later, KEEL_HAS_FIELDS(Later));

// Two writers of Place, of which each does its work in every second frame, and commands.
KEEL_SYSTEM_ONCE(past_tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->ticks; }
KEEL_SYSTEM_ONCE(past_even, KEEL_UNIQUE_READ(Clock, clock), KEEL_MAY_WRITE(Place),
                 KEEL_CONTEXT(context)) {
    if (clock->ticks % 2) return;
    KEEL_EACH(context, KEEL_WRITE(Place, p))
        p->steps += 100;
}
KEEL_SYSTEM_ONCE(past_odd, KEEL_UNIQUE_READ(Clock, clock), KEEL_MAY_WRITE(Place),
                 KEEL_CONTEXT(context)) {
    if (clock->ticks % 2 == 0) return;
    KEEL_EACH(context, KEEL_WRITE(Place, p))
        p->steps += 1;
}
KEEL_SYSTEM(past_command, KEEL_READ(Place, p), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Fuel)) {
    if (p->steps % 10 == 2) keel_add(commands, e, Fuel, { p->steps });
}
KEEL_SYSTEM(past_both, KEEL_COMMANDS(commands, Fuel), KEEL_READ(Fuel, fuel), KEEL_ENTITY(e)) {
    keel_add(commands, e, Fuel, { fuel->left + 1 });
}
KEEL_WORKLOAD(past_other, KEEL_STEP(past_both));
KEEL_WORKLOAD(past_work, KEEL_STEP(past_tick), KEEL_STEP(past_even), KEEL_STEP(past_odd),
              KEEL_STEP(past_command));

static void begin(look *l, const keel_inspect_desc *how) {
    *l = (look){ .world = keel_world_create(
                     &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_register(l->world, Place, Fuel, Note, Plain, Asleep, Follows, Holds);
    keel_set_unique(l->world, Clock, { 0 });
    keel_inspect_desc desc = *how;
    desc.workload = &KEEL_WORKLOAD_past_work;
    look_begin(l, &desc);
}

// ------------------------------------------------------------------ changes
static void change_is(const json_t *json, size_t i, int frame, const char *before,
                      const char *after, const char *system) {
    const json_t *one = at(json, "frames.%zu", i);
    assert_int_equal(number_at(one, "frame"), frame);
    assert_same_text(text_at(one, "before"), before);
    assert_same_text(text_at(one, "after"), after);
    assert_same_text(text_at(one, "system"), system);
}

static void changes_have_their_writers(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 16, .changes = true });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { { 0, 0 }, 0 }));
    look_run(&l, 3); // the ticks 1, 2, 3: odd, even, odd
    keel_get_mut(l.world, e, Place)->steps = 7;
    look_run(&l, 1); // even
    json_t *json = look_get(&l, "changes?entity=%s&path=Place.steps", program_handle(e));
    assert_int_equal(number_at(json, "from"), 1);
    assert_int_equal(number_at(json, "to"), 4);
    assert_int_equal(count_at(json, "frames"), 4);
    change_is(json, 0, 4, "7", "107", "past_even");
    change_is(json, 1, 3, "101", "7", NULL); // past_odd, and then by hand: nobody knows
    change_is(json, 2, 2, "1", "101", "past_even");
    change_is(json, 3, 1, "0", "1", "past_odd");
    assert_string_equal(text_at(json, "last.system"), "past_even");
    assert_int_equal(number_at(json, "last.frame"), 4);
    assert_true(bool_at(json, "tracked"));
    assert_int_equal(count_at(json, "writers"), 2);
    assert_string_equal(text_at(json, "writers.0.system"), "past_even");
    assert_string_equal(text_at(json, "writers.1.system"), "past_odd");
    json_decref(json);
    keel_get_mut(l.world, e, Place)->steps = 8; // by hand, the last of all
    json = look_get(&l, "changes?entity=%s&path=Place.steps", program_handle(e));
    assert_same_text(text_at(json, "last.system"), NULL);
    assert_non_null(strstr(text_at(json, "last.text"), "outside of systems"));
    json_decref(json);
    look_end(&l);
}

static void commands_and_absent_values_are_changes(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 16, .changes = true });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { { 0, 0 }, 0 }));
    look_run(&l, 3); // steps is 102 behind past_odd in frame 3: it gets fuel
    json_t *json = look_get(&l, "changes?entity=%s&path=Fuel.left", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 1);
    change_is(json, 0, 3, NULL, "102", "past_command");
    assert_non_null(strstr(text_at(json, "last.text"), "commands"));
    assert_int_equal(count_at(json, "writers"), 1);
    assert_string_equal(text_at(json, "writers.0.access"), "commands");
    json_decref(json);
    look_run(&l, 1); // frame 4 gives it fuel again, which is deleted by hand behind it
    keel_delete(l.world, e, Fuel);
    look_run(&l, 1);
    json = look_get(&l, "changes?entity=%s&path=Fuel.left", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 2);
    assert_same_text(text_at(json, "frames.0.after"), NULL);
    assert_true(json_is_null(at(json, "last")));
    json_decref(json);
    keel_delete_entity(l.world, e);
    json = look_get(&l, "changes?entity=%s&path=Place.steps", program_handle(e));
    assert_same_text(text_at(json, "frames.0.after"), NULL);
    json_decref(json);
    look_end(&l);
}

static void targets_and_edits_have_changes(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 16, .changes = true });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { { 0, 0 }, 0 }));
    const keel_entity a = keel_add_entity(l.world), b = keel_add_entity(l.world);
    look_run(&l, 1);
    keel_relate(l.world, e, Holds, a, { 1 });
    keel_relate(l.world, e, Holds, b, { 2 });
    look_run(&l, 1);
    look_does(&l, "set", "{\"entity\":\"%s\",\"path\":\"Place.at.x\",\"value\":5}",
              program_handle(e));
    look_does(&l, "unrelate", "{\"entity\":\"%s\",\"relation\":\"Holds\",\"target\":\"%s\"}",
              program_handle(e), program_handle(a));
    json_t *json = look_get(&l, "changes?entity=%s&path=Place.at.x", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 1);
    change_is(json, 0, 2, "0.0", "5.0", NULL);
    assert_string_equal(text_at(json, "frames.0.by"), "edit");
    assert_false(bool_at(json, "frames.0.certain")); // systems wrote other fields of it
    assert_string_equal(text_at(json, "last.text"), "changed on the page");
    json_decref(json);

    char both[80];
    snprintf(both, sizeof both, "%s, %s", program_handle(a), program_handle(b));
    json = look_get(&l, "changes?entity=%s&path=Holds", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 2);
    change_is(json, 0, 2, both, program_handle(b), NULL);
    change_is(json, 1, 1, NULL, both, NULL);
    json_decref(json);
    json = look_get(&l, "changes?entity=%s&path=Place.steps", program_handle(e));
    assert_false(bool_at(json, "frames.0.certain")); // it has two writers
    json_decref(json);
    look_fails(&l, 400, "is no path", "changes?entity=1v0&path=Nothing", NULL);
    look_end(&l);
}

static void uniques_have_changes(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 2 });
    look_run(&l, 5);
    json_t *json = look_get(&l, "changes?path=Clock.ticks");
    assert_true(json_is_null(at(json, "entity")));
    assert_int_equal(count_at(json, "frames"), 2); // of five, two are kept
    change_is(json, 0, 5, "4", "5", "past_tick");
    change_is(json, 1, 4, "3", "4", "past_tick");
    assert_same_text(text_at(json, "missing"), NULL);
    json_decref(json);
    look_end(&l);
}

static void changes_without_tracking_have_writers(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 8 });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { { 0, 0 }, 0 }));
    look_run(&l, 3);
    json_t *json = look_get(&l, "changes?entity=%s&path=Place.steps", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 3);
    change_is(json, 0, 3, "101", "102", NULL); // it has two writers
    assert_false(bool_at(json, "tracked"));
    assert_true(json_is_null(at(json, "last")));
    json_decref(json);
    json = look_get(&l, "changes?entity=%s&path=Fuel.left", program_handle(e));
    change_is(json, 0, 3, NULL, "102", "past_command"); // the only one
    json_decref(json);
    // A field that nobody changed.
    json = look_get(&l, "changes?entity=%s&path=Place.at.x", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 0);
    json_decref(json);
    look_end(&l);
}

static void without_a_past_there_are_writers(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .changes = true });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { { 0, 0 }, 0 }));
    look_run(&l, 2);
    json_t *json = look_get(&l, "changes?entity=%s&path=Place.steps", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 0);
    assert_non_null(strstr(text_at(json, "missing"), ".past"));
    assert_string_equal(text_at(json, "last.system"), "past_even");
    json_decref(json);
    look_fails(&l, 404, "no frames are kept", "diff?from=1", NULL);
    look_fails(&l, 400, "no path", "changes?entity=0v0&path=Place", NULL);
    look_fails(&l, 400, "entity", "changes?path=Place.steps", NULL);
    look_end(&l);
}

static void the_strongest_access_counts(void **state) {
    look l;
    (void)state;
    l = (look){ .world = keel_world_create(
                    &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_register(l.world, Fuel);
    look_begin(&l, &(keel_inspect_desc){ .workload = &KEEL_WORKLOAD_past_other, .past = 4 });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Fuel, { 1 }));
    look_run(&l, 2);
    json_t *json = look_get(&l, "changes?entity=%s&path=Fuel.left", program_handle(e));
    assert_int_equal(count_at(json, "writers"), 1);
    assert_string_equal(text_at(json, "writers.0.access"), "commands");
    change_is(json, 0, 2, "2", "3", "past_both");
    json_decref(json);
    look_end(&l);
}

// The texts of the values differ behind what an answer shows of them.
static void long_texts_are_compared_to_their_end(void **state) {
    look l;
    char longer[400];
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 8 });
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const keel_entity e = keel_add_entity(l.world);
    keel_add_component(l.world, e, KEEL_OF(Note), &(Note){ .text = copied(longer) });
    look_run(&l, 1);
    keel_get_mut(l.world, e, Note)->text[390] = 'y';
    look_run(&l, 1);
    json_t *json = look_get(&l, "changes?entity=%s&path=Note.text", program_handle(e));
    assert_int_equal(count_at(json, "frames"), 1);
    assert_int_equal(number_at(json, "frames.0.frame"), 1);
    json_decref(json);
    json = look_get(&l, "diff?from=1&to=2");
    assert_int_equal(count_at(json, "entities"), 1);
    assert_string_equal(text_at(json, "entities.0.fields.0.path"), "Note.text");
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ diff
static const json_t *row_of(const json_t *json, keel_entity e, const char *change) {
    const json_t *row = find(at(json, "entities"), "entity", program_handle(e));
    if (!row) fail_msg("no row of %s", program_handle(e));
    assert_string_equal(text_at(row, "change"), change);
    return row;
}

static void field_is(const json_t *row, const char *path, const char *before, const char *after) {
    const json_t *one = find(row, "path", path);
    if (!one) fail_msg("%s is not different", path);
    assert_same_text(text_at(one, "before"), before);
    assert_same_text(text_at(one, "after"), after);
}

// Two frames, between which something happened to each of these entities, but for `same` and
// `owner`.
typedef struct differences {
    look l;
    keel_entity a, same, dies, parts, owner, named, off, related, child, held, plain, reused, fresh;
} differences;

// Frame 1 begins with these.
static void differences_begin(differences *d) {
    begin(&d->l, &(keel_inspect_desc){ .past = 8 });
    keel_world *world = d->l.world;
    d->a = keel_add_entity(world, KEEL_INIT(Fuel, { 1 }));
    d->same = keel_add_entity(world, KEEL_INIT(Fuel, { 2 }));
    d->dies = keel_add_entity(world, KEEL_INIT(Fuel, { 3 }), KEEL_INIT(Asleep));
    d->parts = keel_add_entity(world, KEEL_INIT(Fuel, { 4 }), KEEL_INIT(Asleep));
    d->owner = keel_add_entity(world);
    d->named = keel_add_entity(world);
    d->off = keel_add_entity(world, KEEL_INIT(Fuel, { 5 }));
    d->related = keel_add_entity(world);
    d->child = keel_add_entity(world);
    d->held = keel_add_entity(world);
    d->plain = keel_add_entity(world, KEEL_INIT(Plain, { { 1 } }));
    keel_set_name(world, d->a, "a");
    keel_set_name(world, d->named, "old");
    keel_relate(world, d->related, Follows, d->a);
    keel_relate(world, d->held, Holds, d->a, { 3 });
    keel_relate(world, d->held, Follows, d->a);
    keel_add_component(world, d->owner, KEEL_OF(Note),
                       &(Note){ copied("one"), { copied("two"), NULL }, d });
}

// Frame 2 begins with all of this.
static void differences_happen(differences *d) {
    keel_world *world = d->l.world;
    keel_get_mut(world, d->a, Fuel)->left = 11;
    keel_delete_entity(world, d->dies);
    d->reused = keel_add_entity(world, KEEL_INIT(Fuel, { 6 }));
    assert_int_equal(keel_entity_index(d->reused), keel_entity_index(d->dies));
    d->fresh = keel_add_entity(world, KEEL_INIT(Place, { { 1, 2 }, 3 }));
    keel_delete(world, d->parts, Asleep);
    keel_add(world, d->parts, Plain, { { 1 } });
    keel_set_name(world, d->named, "new");
    keel_set_name(world, d->same, NULL);
    keel_disable(world, d->off, Fuel);
    keel_relate(world, d->related, Follows, d->same);
    keel_attach(world, d->child, d->a);
    keel_get_related_mut(world, d->held, Holds, d->a)->grip = 4;
    keel_get_mut(world, d->plain, Plain)->bytes[7] = 1;
    keel_set_unique(world, Later, { 5 });
}

static void what_differs_is_listed(void **state) {
    differences d;
    (void)state;
    differences_begin(&d);
    look_run(&d.l, 1);
    differences_happen(&d);
    look_run(&d.l, 1);
    json_t *json = look_get(&d.l, "diff?from=1&to=2");
    assert_int_equal(number_at(json, "from"), 1);
    assert_int_equal(number_at(json, "to"), 2);
    assert_true(bool_at(json, "finished"));
    assert_true(json_is_null(at(json, "next")));
    field_is(at(row_of(json, d.a, "changed"), "fields"), "Fuel.left", "1", "11");
    assert_string_equal(text_at(row_of(json, d.a, "changed"), "name"), "a");
    assert_null(find(at(json, "entities"), "entity", program_handle(d.same)));
    // The texts of the owner are copies in each frame, and its cache is no value.
    assert_null(find(at(json, "entities"), "entity", program_handle(d.owner)));
    assert_string_equal(text_at(row_of(json, d.dies, "removed"), "components.removed.0"), "Fuel");
    assert_string_equal(text_at(row_of(json, d.reused, "added"), "components.added.0"), "Fuel");
    assert_int_equal(count_at(row_of(json, d.fresh, "added"), "fields"), 0);
    const json_t *row = row_of(json, d.parts, "changed");
    assert_string_equal(text_at(row, "components.added.0"), "Plain");
    assert_int_equal(count_at(row, "components.added"), 1);
    assert_string_equal(text_at(row, "components.removed.0"), "Asleep");
    assert_int_equal(count_at(row, "fields"), 0);
    field_is(at(row_of(json, d.named, "changed"), "fields"), "name", "old", "new");
    field_is(at(row_of(json, d.off, "changed"), "fields"), "Fuel", "enabled", "disabled");
    assert_int_equal(count_at(row_of(json, d.off, "changed"), "components.removed"), 0);
    char text[32];
    (void)snprintf(text, sizeof text, "#%s", program_handle(d.same));
    field_is(at(row_of(json, d.related, "changed"), "fields"), "Follows", "a", text);
    field_is(at(row_of(json, d.child, "changed"), "fields"), "parent", NULL, "a");
    field_is(at(row_of(json, d.held, "changed"), "fields"), "Holds.grip", "3", "4");
    assert_int_equal(count_at(row_of(json, d.held, "changed"), "fields"), 1);
    assert_int_equal(count_at(row_of(json, d.plain, "changed"), "fields"), 1);
    field_is(at(json, "uniques"), "Clock.ticks", "0", "1");
    field_is(at(json, "uniques"), "Later.number", NULL, "5");
    assert_int_equal(count_at(json, "uniques"), 2);
    assert_int_equal(count_at(json, "entities"), 11);
    json_decref(json);
    look_end(&d.l);
}

static void differences_go_both_ways(void **state) {
    differences d;
    (void)state;
    differences_begin(&d);
    look_run(&d.l, 1);
    differences_happen(&d);
    look_run(&d.l, 1);
    // And back: what was added is removed.
    json_t *json = look_get(&d.l, "diff?from=2&to=1");
    assert_int_equal(count_at(json, "entities"), 11);
    (void)row_of(json, d.fresh, "removed");
    (void)row_of(json, d.dies, "added");
    field_is(at(json, "uniques"), "Later.number", "5", NULL);
    json_decref(json);
    json = look_get(&d.l, "diff?from=2&to=2");
    assert_int_equal(count_at(json, "entities"), 0);
    assert_int_equal(count_at(json, "uniques"), 0);
    json_decref(json);
    json = look_get(&d.l, "diff?from=2");            // the present world
    assert_int_equal(count_at(json, "entities"), 1); // past_odd in frame 1, past_even in frame 2
    field_is(at(row_of(json, d.fresh, "changed"), "fields"), "Place.steps", "3", "103");
    json_decref(json);
    look_fails(&d.l, 404, "is not kept", "diff?from=1&to=77", NULL);
    look_fails(&d.l, 404, "is not kept", "diff?from=77", NULL);
    look_fails(&d.l, 400, "is no number", "diff?from=x", NULL);
    look_fails(&d.l, 400, "limit", "diff?from=1&limit=0", NULL);
    look_end(&d.l);
}

static void differences_come_in_pages(void **state) {
    enum { MANY = 2500 };
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 4, .budget = 0.00005 });
    for (int i = 0; i < MANY; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Fuel, { i }));
    look_run(&l, 1);
    KEEL_EACH(l.world, KEEL_WRITE(Fuel, fuel))
        fuel->left += fuel->left % 3 == 0;
    look_run(&l, 1);
    size_t rows = 0;
    char after[48] = "";
    for (bool finished = false; !finished;) {
        json_t *json = look_get(&l, "diff?from=1&to=2&limit=70%s", after);
        assert_true(count_at(json, "entities") <= 70);
        for (size_t i = 0; i < count_at(json, "entities"); ++i, ++rows)
            assert_int_equal(keel_entity_index(handle_of(at(json, "entities.%zu.entity", i))),
                             rows * 3);
        finished = bool_at(json, "finished");
        assert_int_equal(json_is_null(at(json, "next")), finished);
        if (!finished) (void)snprintf(after, sizeof after, "&after=%s", text_at(json, "next"));
        json_decref(json);
    }
    assert_int_equal(rows, (MANY + 2) / 3);
    json_t *json = look_get(&l, "diff?from=1&to=2&after=4294967295v0");
    assert_int_equal(count_at(json, "entities"), 0);
    assert_true(bool_at(json, "finished"));
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ save
static void the_world_is_a_file(void **state) {
    look l;
    answer a;
    uint64_t here = 0, there = 1;
    keel_error error;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity root = keel_add_entity(l.world, KEEL_INIT(Place, { { 1, 2 }, 3 }));
    keel_set_name(l.world, root, "root");
    for (int i = 0; i < 500; ++i) {
        const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Fuel, { i }));
        if (i % 2) keel_attach(l.world, e, root);
        if (i % 3) keel_relate(l.world, e, Holds, root, { i });
        if (i % 5) keel_disable(l.world, e, Fuel);
    }
    look_run(&l, 3);
    keel_world_hash(l.world, &here);
    look_ask(&l, (ask){ .path = "save" }, &a);
    assert_int_equal(a.status, 200);
    assert_non_null(strstr(a.head, "application/octet-stream"));
    assert_non_null(strstr(a.head, "filename=\"world-3.keel\""));
    keel_world *copy = keel_world_create(&(keel_world_desc){ .log = keel_log_none });
    keel_register(copy, Place, Fuel, Note, Plain, Asleep, Follows, Holds);
    keel_register_component(copy, &KEEL_UNIQUE_Clock);
    if (keel_load_from(copy, a.body, a.length, &(keel_load_options){ .error = &error }) < 0)
        fail_msg("%s", error.message);
    keel_world_hash(copy, &there);
    assert_true(here == there);
    keel_world_destroy(copy);
    answer_free(&a);
    look_end(&l);
}

static const struct CMUnitTest tests[] = {
    TEST(changes_have_their_writers, "the changes of a field have the frames and the writers"),
    TEST(commands_and_absent_values_are_changes, "commands change values, also to and from absent"),
    TEST(targets_and_edits_have_changes, "targets have changes, and edits are told apart"),
    TEST(uniques_have_changes, "uniques have changes, too"),
    TEST(changes_without_tracking_have_writers,
         "without tracking the only writer of a component is the one"),
    TEST(without_a_past_there_are_writers, "without a past there are the last change and writers"),
    TEST(the_strongest_access_counts,
         "a system that reads a component and edits it, too, writes it"),
    TEST(long_texts_are_compared_to_their_end, "long texts are compared to their end"),
    TEST(what_differs_is_listed, "what differs between two frames is listed, and nothing else"),
    TEST(differences_go_both_ways, "frames are compared in both directions, and with now"),
    TEST(differences_come_in_pages, "differences come in pages and slices"),
    TEST(the_world_is_a_file, "the world is a file that loads again with the same hash"),
};
int main(void) { return RUN(tests); }
