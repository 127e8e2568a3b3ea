// SPDX-License-Identifier: MIT
// Byte strings as snapshots: the reader answers with an error and changes nothing, or the world
// continues from them, is sound after every frame, and can be emptied.
#include "load.h"

#include "rewind/unpack.h"

#include <keel/keel.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Packed {
    uint32_t value, turn;
} Packed;
typedef struct Kept {
    uint32_t value;
} Kept;
typedef struct Near {
    uint16_t value[3];
} Near;
typedef struct Row {
    uint64_t value;
} Row;
typedef struct Page {
    uint32_t word[300];
} Page;
typedef struct Holds {
    uint32_t count;
} Holds;
typedef struct Bond {
    uint16_t years;
} Bond;
typedef struct Docked {
    uint32_t berth;
} Docked;
typedef struct Score {
    uint32_t points;
} Score;
typedef struct Ping {
    uint32_t number;
} Ping;
typedef struct Owned {
    void *memory;
} Owned;
static void owned_drop(void *value, void *data) {
    (void)data;
    free(((Owned *)value)->memory);
}
KEEL_COMPONENT(Packed, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Kept, .no_padding = true);
KEEL_COMPONENT(Near, .no_padding = true, .storage = KEEL_INDEXED, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Row, .no_padding = true, .storage = KEEL_ARCHETYPE,
               .tracking = KEEL_TRACK_INSERTION);
KEEL_COMPONENT(Page, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Owned, .drop = owned_drop); // bytes must not become values of it
KEEL_TAG(Spot, .storage = KEEL_ARCHETYPE, .required = KEEL_LIST(Row));
KEEL_TAG(Moved);
KEEL_RELATION(Likes, .tracking = KEEL_TRACK_ALL);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Wed, .exclusive = true, .symmetric = true);
KEEL_VALUED_RELATION(Holds, .no_padding = true);
KEEL_VALUED_RELATION(Bond, .no_padding = true, .symmetric = true);
KEEL_VALUED_RELATION(Docked, .no_padding = true, .exclusive = true);
KEEL_UNIQUE(Score, .no_padding = true);
KEEL_EVENT(Ping, .no_padding = true, .limit = 20);

enum { MAX_BYTES = 1 << 24, MAX_ENTITIES = 1 << 14, FRAMES = 3 };

static _Noreturn void stop(const char *what) {
    fprintf(stderr, "load: %s\n", what);
    abort();
}
static void be_silent(void *context, keel_log_level level, const char *line) {
    (void)context, (void)level, (void)line;
}

// ------------------------------------------------------------------ the game
KEEL_SYSTEM_ONCE(start, KEEL_UNIQUE_WRITE(Score, score)) { score->points += 1000; }
KEEL_SYSTEM(see_changed, KEEL_CHANGED(Packed), KEEL_READ(Packed, p),
            KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 31 + p->value;
}
KEEL_SYSTEM(see_new, KEEL_INSERTED(Row), KEEL_READ(Row, row), KEEL_UNIQUE_WRITE(Score, score)) {
    score->points += (uint32_t)row->value;
}
KEEL_SYSTEM(grow, KEEL_WRITE(Near, near), KEEL_WITH(Packed)) { near->value[0] += 3; }
KEEL_SYSTEM(pair, KEEL_WRITE(Packed, p), KEEL_READ(Near, near)) { p->value += near->value[1]; }
KEEL_SYSTEM(breed, KEEL_ENTITY(e), KEEL_READ(Packed, p), KEEL_COMMANDS(out)) {
    if (p->value % 3 == 0) {
        const keel_entity child = keel_add_entity(out, KEEL_INIT(Row, { p->value }));
        keel_relate(out, child, Likes, e);
    }
    if (p->value % 5 == 0) keel_delete_entity(out, e);
}
KEEL_SYSTEM(climb, KEEL_UP(PartOf, KEEL_READ(Packed, above)), KEEL_ENTITY(e),
            KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 3 + above->value + keel_entity_index(e);
}
KEEL_SYSTEM_ONCE(hear, KEEL_RECEIVE(Ping, pings), KEEL_UNIQUE_WRITE(Score, score)) {
    KEEL_EACH_EVENT(pings, Ping, ping)
        score->points = score->points * 17 + ping->number;
}
KEEL_SYSTEM_ONCE(shout, KEEL_UNIQUE_READ(Score, score), KEEL_SEND(Ping, pings)) {
    (void)keel_send(pings, Ping, { score->points });
}
KEEL_WORKLOAD(frame, KEEL_STEP(start, .startup = true), KEEL_STEP(see_changed), KEEL_STEP(see_new),
              KEEL_STEP(grow, .parallel = true), KEEL_STEP(pair), KEEL_STEP(breed),
              KEEL_STEP(climb), KEEL_STEP(hear), KEEL_STEP(shout), KEEL_STEP(shout, .every = 0.3),
              KEEL_STEP(start, .times = 2));

typedef struct game {
    keel_world *world;
    keel_reader *reader, *second;
} game;

static game begin(void) {
    game g = { keel_world_create(&(keel_world_desc){ .log = { be_silent, NULL },
                                                     .on_misuse = KEEL_MISUSE_RETURN,
                                                     .worker_count = 1 }),
               NULL, NULL };
    keel_world *w = g.world;
    if (!w ||
        keel_register(w, Packed, Kept, Near, Row, Page, Owned, Spot, Moved, Likes, PartOf, Wed) <
            0 ||
        keel_register(w, Holds, Bond, Docked, keel_name) < 0 ||
        !keel_register_component(w, KEEL_UNIQUE_OF(Score)) ||
        !keel_register_component(w, KEEL_EVENT_OF(Ping)))
        stop(w ? keel_last_error(w)->message : "no world");
    g.reader = keel_reader_create(w, "outside");
    g.second = keel_reader_create(w, "second");
    if (!g.reader || !g.second || !keel_group_create(w, KEEL_OWNED(Packed, Kept)) ||
        !keel_group_create(w, KEEL_GET(Row, Near), KEEL_EXCLUDE(Spot)) ||
        keel_collect(w, Moved, Near, KEEL_ON_INSERTED | KEEL_ON_MODIFIED) < 0)
        stop(keel_last_error(w)->message);
    return g;
}

static void end(const game *g) {
    keel_reader_destroy(g->reader);
    keel_reader_destroy(g->second);
    keel_world_destroy(g->world);
}

static void check(const game *g) {
    keel_error broken;
    uint64_t hash;
    if (!keel_world_check(g->world, &broken)) stop(broken.message);
    if (keel_world_hash(g->world, &hash) < 0) stop("no hash");
}

// Reads what a world has in each way that follows other structures than a workload does.
static void look(const game *g) {
    uint32_t sum = 0;
    KEEL_EACH(g->reader, KEEL_CHANGED(Near), KEEL_READ(Near, near))
        sum += near->value[0];
    KEEL_EACH_REMOVED(g->reader, Packed, removal)
        sum += keel_entity_index(removal.entity);
    KEEL_EACH_REMOVED(g->reader, Near, removal)
        sum += keel_entity_index(removal.entity);
    KEEL_EACH_REMOVED(g->second, Packed, removal)
        sum += keel_entity_index(removal.entity);
    KEEL_EACH_EVENT(g->second, Ping, ping)
        sum += ping->number;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(g->world, e));) {
        const char *name = keel_name_of(g->world, e);
        sum += name ? (uint8_t)name[0] : 0u;
        sum += keel_entity_index(keel_parent_of(g->world, e));
        sum += keel_entity_index(keel_target_of(g->world, e, Holds));
        sum += keel_entity_index(keel_target_of(g->world, e, Wed));
    }
    (void)sum;
    keel_reader_advance(g->reader);
}

// Edits some entities in each way, by their index.
static void edit(const game *g, uint32_t turn) {
    keel_world *w = g->world;
    keel_entity before = keel_null();
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(w, e)); before = e) {
        switch ((keel_entity_index(e) + turn) % 11) {
        case 0:
            (void)keel_relate(w, e, Likes, before);
            break;
        case 1:
            (void)keel_unrelate_all(w, e, Likes);
            (void)keel_relate(w, e, Bond, before, { 3 });
            break;
        case 2:
            (void)keel_relate(w, e, Wed, before);
            (void)keel_relate(w, e, PartOf, before);
            break;
        case 3:
            (void)keel_unrelate_all(w, e, Holds);
            (void)keel_attach(w, e, before);
            break;
        case 4:
            (void)keel_disable(w, e, Row);
            (void)keel_disable(w, e, Near);
            break;
        case 5:
            (void)keel_enable(w, e, Near);
            (void)keel_add(w, e, Spot);
            break;
        case 6:
            (void)keel_strip(w, e);
            break;
        case 7:
            (void)keel_delete_entity(w, e);
            break;
        case 8:
            (void)keel_set_name(w, e, turn % 2 ? "other" : NULL);
            break;
        case 9:
            (void)keel_add(w, e, Packed, { 1, turn });
            (void)keel_add(w, e, Kept, { turn });
            break;
        default:
            (void)keel_relate(w, e, Docked, before, { 9 });
            (void)keel_relate(w, e, Holds, before, { 9 });
        }
    }
    keel_clear_errors(w);
}

static void play(const game *g, uint32_t frames) {
    for (uint32_t i = 0; i < frames; ++i) {
        const keel_entity e = keel_add_entity(g->world, KEEL_INIT(Packed, { i, 0 }),
                                              KEEL_INIT(Near, { { 1, 2, 3 } }));
        if (keel_is_null(e)) return; // all indices are used
        (void)keel_run_workload(g->world, frame, .dt = 0.1);
        check(g);
        edit(g, i);
        check(g);
        look(g);
    }
    keel_clear_errors(g->world);
}

// ------------------------------------------------------------------ bytes
typedef struct text {
    uint8_t *data;
    size_t size, room;
} text;
static bool keep(void *context, const void *bytes, size_t size) {
    text *t = context;
    if (t->size + size > t->room) {
        t->room = 2 * (t->size + size);
        t->data = realloc(t->data, t->room);
        if (!t->data) stop("out of memory");
    }
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
    return true;
}
static text write(keel_snapshot *snapshot) {
    text t = { NULL, 0, 0 };
    if (keel_snapshot_write(snapshot, (keel_snapshot_sink){ keep, &t }) < 0) stop("not written");
    return t;
}

size_t load_sample(unsigned which, uint8_t *out, size_t room) {
    const game g = begin();
    keel_entity some[12];
    for (uint32_t i = 0; i < 12; ++i) {
        some[i] = keel_add_entity(g.world, KEEL_INIT(Row, { i }));
        const char name[] = { 'n', (char)('a' + i), 0 };
        if (i % 3) (void)keel_set_name(g.world, some[i], name);
        if (i % 4) (void)keel_attach(g.world, some[i], some[i - i % 4]);
        if (i % 5) (void)keel_relate(g.world, some[i], Holds, some[i - 1], { i });
        if (i % 5) (void)keel_relate(g.world, some[i], Holds, some[i / 2], { i });
        if (i % 6 == 1) (void)keel_relate(g.world, some[i], Bond, some[i - 1], { 7 });
        if (i % 6 == 2) (void)keel_add(g.world, some[i], Page, { { 7 } });
        if (i % 6 == 3) (void)keel_relate(g.world, some[i], Wed, some[i - 1]);
        if (i > 7) (void)keel_relate(g.world, some[i], PartOf, some[i - 1]);
        if (i > 8) (void)keel_relate(g.world, some[i], Docked, some[i - 1], { i });
    }
    (void)keel_disable(g.world, some[2], Page);
    play(&g, which * 4);
    keel_snapshot *snapshot = keel_snapshot_create(g.world, NULL);
    if (keel_snapshot_take(snapshot) < 0) stop("not taken");
    text t = write(snapshot);
    if (t.size > room) stop("a sample is too large");
    memcpy(out, t.data, t.size);
    free(t.data);
    keel_snapshot_destroy(snapshot);
    end(&g);
    return t.size;
}

// ------------------------------------------------------------------ reading
// Reads bytes that are valid: what they say can be written and read again, and played.
static void continue_from(game *g, keel_snapshot *snapshot) {
    const keel_snapshot_read_options options = { .max_bytes = 4 * MAX_BYTES };
    if (keel_snapshot_restore(snapshot) != KEEL_OK) stop("cannot be restored");
    check(g);
    const text once = write(snapshot);
    if (keel_snapshot_read(snapshot, once.data, once.size, &options) < 0) stop("is not read again");
    const text twice = write(snapshot);
    if (once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
        stop("is another state when it is read again");
    free(once.data);
    free(twice.data);
    look(g);
    edit(g, 1);
    check(g);
    if (keel_snapshot_restore(snapshot) != KEEL_OK) stop("cannot be restored again");
    check(g);
    keel_reader_destroy(g->second); // nothing may refer to it any more
    g->second = keel_reader_create(g->world, "second");
    play(g, FRAMES);
    (void)keel_clear_entities(g->world);
    check(g);
}

static int read_exact(const uint8_t *bytes, size_t size) {
    game g = begin();
    keel_error why = { 0 };
    const keel_snapshot_read_options options = { .error = &why,
                                                 .max_bytes = MAX_BYTES,
                                                 .max_entities = MAX_ENTITIES };
    keel_snapshot *snapshot = keel_snapshot_create(g.world, NULL);
    (void)keel_add_entity(g.world, KEEL_INIT(Packed, { 1, 0 }));
    if (keel_snapshot_take(snapshot) < 0) stop("not taken");
    const uint64_t before = keeli_state_hash(g.world);
    const keel_result r = keel_snapshot_read(snapshot, bytes, size, &options);
    if (keeli_state_hash(g.world) != before) stop("the world was changed");
    if (r == KEEL_OK) {
        continue_from(&g, snapshot);
    } else {
        if (r != KEEL_ERROR_FORMAT && r != KEEL_ERROR_SCHEMA) stop("another error");
        if (why.result != r || !why.message[0]) stop("no message");
        (void)keel_add_entity(g.world);
        if (keel_snapshot_restore(snapshot) != KEEL_OK) stop("the snapshot is lost");
        if (keeli_state_hash(g.world) != before) stop("the snapshot was changed");
    }
    keel_snapshot_destroy(snapshot);
    end(&g);
    return r == KEEL_OK;
}

int load_bytes(const uint8_t *bytes, size_t size, int repairs) {
    uint8_t *exact = malloc(size ? size : 1); // so that reading behind it is noticed
    if (!exact) stop("out of memory");
    if (size) memcpy(exact, bytes, size);
    if (repairs && size >= 8) {
        const uint64_t hash = keeli_packed_hash(exact, size - 8);
        for (uint32_t i = 0; i < 8; ++i)
            exact[size - 8 + i] = (uint8_t)(hash >> 8 * i);
    }
    const int is_valid = read_exact(exact, size);
    free(exact);
    return is_valid;
}
