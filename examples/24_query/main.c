// SPDX-License-Identifier: MIT
// You will learn: a run as tables. Each frame of a small simulation is added to a database, which is
// then asked in SQL: what happened, to whom, and since when. Any frame can be loaded again.
#include <keel_sqlite.h>
#include <sqlite3.h>
#include <stdio.h>

typedef enum Task { GRAZE, FLEE } Task;
KEEL_ENUM(Task, GRAZE, FLEE);
typedef struct Place { float x, y; } Place;
typedef struct Sheep { int32_t wool; Task task; } Sheep;
KEEL_FIELDS(Place, x, y);
KEEL_FIELDS(Sheep, wool, KEEL_FIELD(task, .of = KEEL_TYPE(Task)));
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Sheep, KEEL_HAS_FIELDS(Sheep));
KEEL_TAG(Wolf);
KEEL_RELATION(Hunts, .exclusive = true);

// ------------------------------------------------------------------ the simulation
KEEL_SYSTEM(live, KEEL_WRITE(Sheep, sheep), KEEL_WRITE(Place, p), KEEL_ENTITY(e), KEEL_CONTEXT(context),
            KEEL_MAY_READ(Hunts)) {
    sheep->task = keel_source_count(context, e, Hunts) ? FLEE : GRAZE;
    if (sheep->task == GRAZE) sheep->wool += 1;
    else p->x += 2;
}
KEEL_SYSTEM(hunt, KEEL_WRITE(Place, p), KEEL_WITH(Wolf), KEEL_WITH(Hunts)) {
    p->x += 3;
}
KEEL_WORKLOAD(day, KEEL_STEP(live), KEEL_STEP(hunt));

// ------------------------------------------------------------------ questions
static const char *const wool = // how much wool has each sheep at the end, and how much could it be?
    "SELECT name, wool, (SELECT max(frame) FROM keel_frame) AS days FROM Sheep"
    " JOIN keel_entity USING (frame, entity)"
    " WHERE frame = (SELECT max(frame) FROM keel_frame) ORDER BY name";

static const char *const flight = // who fled, from when to when, and how far?
    "SELECT e.name, n.name AS task, min(frame) AS first, max(frame) AS last, max(x) - min(x) AS way FROM Sheep"
    " JOIN Place USING (frame, entity) JOIN keel_entity e USING (frame, entity)"
    " JOIN keel_names n ON n.\"table\" = 'Sheep' AND n.\"column\" = 'task' AND n.value = task"
    " WHERE n.name = 'FLEE' GROUP BY entity ORDER BY first";

static const char *const distance = // how near did a wolf come to what it hunts?
    "SELECT w.name AS wolf, s.name AS sheep, Hunts.frame, min(abs(there.x - here.x)) AS near FROM Hunts"
    " JOIN Place here ON here.frame = Hunts.frame AND here.entity = source"
    " JOIN Place there ON there.frame = Hunts.frame AND there.entity = target"
    " JOIN keel_entity w ON w.frame = Hunts.frame AND w.entity = source"
    " JOIN keel_entity s ON s.frame = Hunts.frame AND s.entity = target"
    " GROUP BY source, target ORDER BY Hunts.frame";

static int ask(sqlite3 *db, const char *question) {
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(db, question, -1, &s, NULL) != SQLITE_OK) puts(sqlite3_errmsg(db));
    int rows = 0;
    for (; sqlite3_step(s) == SQLITE_ROW; ++rows)
        for (int i = 0, n = sqlite3_column_count(s); i < n; ++i)
            printf("%s=%s%s", sqlite3_column_name(s, i), (const char *)sqlite3_column_text(s, i),
                   i + 1 < n ? ", " : "\n");
    sqlite3_finalize(s);
    return rows;
}

// ------------------------------------------------------------------ a run
static keel_result run(keel_world *world, const char *path) {
    keel_entity wolf = keel_add_entity(world, KEEL_INIT(Place, { -20, 0 }), KEEL_INIT(Wolf));
    keel_entity dolly = keel_add_entity(world, KEEL_INIT(Place, { 0, 0 }), KEEL_INIT(Sheep, { 10, GRAZE }));
    keel_entity shaun = keel_add_entity(world, KEEL_INIT(Place, { 5, 1 }), KEEL_INIT(Sheep, { 3, GRAZE }));
    keel_set_name(world, wolf, "wolf");
    keel_set_name(world, dolly, "dolly");
    keel_set_name(world, shaun, "shaun");
    for (int64_t frame = 0; frame <= 12; ++frame) {
        if (frame == 2) keel_relate(world, wolf, Hunts, dolly);
        if (frame == 8) keel_relate(world, wolf, Hunts, shaun);
        keel_error why = { 0 };
        KEEL_TRY(keel_run_workload(world, day));
        const keel_result result = keel_sqlite_write(
            world, path, &(keel_sqlite_write_options){ .frame = frame, .append = frame > 0, .error = &why });
        if (result < 0) return puts(why.message), result;
    }
    return KEEL_OK;
}

int main(void) {
    const char *path = "24_query.db";
    keel_world *world = keel_world_create(NULL), *again = keel_world_create(NULL);
    sqlite3 *db = NULL;
    keel_result result = run(world, path);

    sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    const int rows = ask(db, wool) + ask(db, flight) + ask(db, distance);
    sqlite3_close(db);

    // the ninth day once more, and from there on as it was
    keel_register(again, Place, Sheep, Wolf, Hunts);
    if (result == KEEL_OK)
        result = keel_sqlite_load(again, path, &(keel_sqlite_load_options){ .at_frame = true, .frame = 9 });
    for (int frame = 10; frame <= 12; ++frame)
        keel_run_workload(again, day);
    uint64_t first = 0, second = 1;
    keel_world_hash(world, &first);
    keel_world_hash(again, &second);
    printf("%s: the run goes on from frame 9 %s\n", keel_result_text(result),
           first == second ? "as it did" : "in another way");
    keel_world_destroy(again);
    keel_world_destroy(world);
    remove(path);
    return result == KEEL_OK && rows ? 0 : 1;
}
