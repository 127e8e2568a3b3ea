// SPDX-License-Identifier: MIT
// A random game over everything that a world can have: edits, runs and sends, one per step.
#pragma once
#include "rewind/snapshot.h"
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ what there is
typedef struct Sparse {
    uint32_t value;
} Sparse;
typedef struct Index {
    uint32_t value;
} Index;
typedef struct Row {
    uint64_t value;
} Row;
typedef struct Column {
    uint16_t value[3];
} Column;
typedef struct Wide {
    uint32_t word[300];
} Wide;
typedef struct Kept {
    uint32_t value;
} Kept;
typedef struct Loose {
    uint32_t value;
} Loose;
typedef struct Score {
    uint32_t points;
} Score;
typedef struct Ping {
    uint32_t number;
} Ping;
typedef struct Scratch {
    uint32_t value;
} Scratch;
// Values that own something, in each storage.
typedef struct Text {
    char *text;
} Text;
typedef Text TextIndexed;
typedef Text TextRow;
typedef Text TextUnique;
typedef Text TextEvent;
typedef Text TextEdge;
typedef Text TextBond;

static uint32_t copies_left = UINT32_MAX; // then copying fails
static bool has_texts = true;             // false: no values with hooks, for bytes of snapshots
static int64_t live_texts;
static void text_drop(void *value, void *data) {
    (void)data;
    free(((Text *)value)->text);
    --live_texts;
}
static bool text_copy(void *to, const void *from, void *data) {
    (void)data;
    if (!copies_left) return false;
    if (copies_left != UINT32_MAX) --copies_left;
    const char *text = ((const Text *)from)->text;
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    memcpy(copy, text, bytes);
    ((Text *)to)->text = copy;
    ++live_texts;
    return true;
}
static uint64_t text_hash(const void *value, void *data) {
    (void)data;
    uint64_t hash = 14695981039346656037u;
    for (const char *at = ((const Text *)value)->text; *at; ++at)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash;
}
#define OWNS_TEXT .drop = text_drop, .copy = text_copy, .hash = text_hash
static Text text_of(uint32_t number) {
    Text value = { malloc(24) };
    snprintf(value.text, 24, "text %u", (unsigned)number);
    ++live_texts;
    return value;
}

KEEL_COMPONENT(Sparse, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Index, .storage = KEEL_INDEXED, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Column, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Wide, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Kept, .no_padding = true);
KEEL_COMPONENT(Loose, .no_padding = true);
KEEL_COMPONENT(Text, OWNS_TEXT, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(TextIndexed, OWNS_TEXT, .storage = KEEL_INDEXED);
KEEL_COMPONENT(TextRow, OWNS_TEXT, .storage = KEEL_ARCHETYPE, .tracking = KEEL_TRACK_ALL);
KEEL_COMPONENT(Scratch, .no_padding = true, .transient = true);
KEEL_TAG(Moved);
KEEL_TAG(Marked);
static const Score no_points = { 7 };
KEEL_UNIQUE(Score, .no_padding = true, .initial = &no_points);
KEEL_UNIQUE(TextUnique, OWNS_TEXT);
KEEL_EVENT(Ping, .no_padding = true, .limit = 20);
KEEL_EVENT(TextEvent, OWNS_TEXT, .limit = 8);
KEEL_RELATION(Likes, .tracking = KEEL_TRACK_ALL);
typedef struct Docked {
    uint32_t berth;
} Docked;
KEEL_VALUED_RELATION(Docked, .exclusive = true, .no_padding = true, .tracking = KEEL_TRACK_ALL);
typedef struct Holds {
    uint32_t count;
} Holds;
KEEL_VALUED_RELATION(Holds, .no_padding = true, .tracking = KEEL_TRACK_ALL);
typedef struct Pact {
    uint16_t years;
} Pact;
KEEL_VALUED_RELATION(Pact, .no_padding = true, .symmetric = true);
KEEL_VALUED_RELATION(TextEdge, OWNS_TEXT);
KEEL_VALUED_RELATION(TextBond, OWNS_TEXT, .symmetric = true);
KEEL_RELATION(Wed, .exclusive = true, .symmetric = true, .tracking = KEEL_TRACK_ALL);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);

// ------------------------------------------------------------------ systems
KEEL_SYSTEM_ONCE(start, KEEL_UNIQUE_WRITE(Score, score)) { score->points += 1000; }
KEEL_SYSTEM(count_changes, KEEL_CHANGED(Sparse), KEEL_READ(Sparse, s),
            KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 31 + s->value;
}
KEEL_SYSTEM(see_new, KEEL_INSERTED(Row), KEEL_READ(Row, row), KEEL_UNIQUE_WRITE(Score, score)) {
    score->points += (uint32_t)row->value;
}
KEEL_SYSTEM(grow, KEEL_WRITE(Index, index), KEEL_WITH(Sparse)) { index->value += 3; }
KEEL_SYSTEM(breed, KEEL_ENTITY(e), KEEL_READ(Sparse, s), KEEL_COMMANDS(out)) {
    if (s->value % 5 == 0) {
        const keel_entity child = keel_add_entity(out, KEEL_INIT(Row, { s->value }));
        keel_relate(out, child, Likes, e);
    }
    if (s->value % 7 == 0) keel_delete_entity(out, e);
}
KEEL_SYSTEM(pair, KEEL_READ(Kept, kept), KEEL_READ(Loose, loose), KEEL_UNIQUE_WRITE(Score, score)) {
    score->points = score->points * 5 + kept->value * 3 + loose->value;
}
KEEL_SYSTEM(climb, KEEL_UP(PartOf, KEEL_READ(Sparse, above)), KEEL_ENTITY(e),
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
KEEL_SYSTEM_ONCE(seldom, KEEL_UNIQUE_WRITE(Score, score)) { score->points ^= 0x55555555; }
KEEL_WORKLOAD(frame, KEEL_STEP(start, .startup = true), KEEL_STEP(count_changes),
              KEEL_STEP(see_new), KEEL_STEP(grow, .parallel = true), KEEL_STEP(breed),
              KEEL_STEP(pair), KEEL_STEP(climb), KEEL_STEP(hear), KEEL_STEP(shout),
              KEEL_STEP(seldom, .every = 0.3), KEEL_STEP(seldom, .times = 4));

// ------------------------------------------------------------------ a random game
static uint64_t state;
static uint32_t roll(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

typedef struct game {
    api_fixture f;
    keel_reader *reader;
    keel_commands *commands;
    keel_snapshot *often;
} game;

// Somebody, by index; null where nobody is.
static keel_entity anybody(const game *g) { return keel_entity_at(g->f.world, roll(120)); }

static void on_index(const keel_change *event, void *data) {
    (void)data;
    keel_set_unique(event->commands, Score, { keel_entity_index(event->entity) * event->kind });
}

static void populate(game *g, uint32_t workers) {
    api_begin_workers(&g->f, workers);
    keel_world *w = g->f.world;
    const keel_component *const all[] = {
        // so that all games know them in one order
        KEEL_OF(Sparse),     KEEL_OF(Index),          KEEL_OF(Row),
        KEEL_OF(Column),     KEEL_OF(Wide),           KEEL_OF(Kept),
        KEEL_OF(Loose),      KEEL_OF(Text),           KEEL_OF(TextIndexed),
        KEEL_OF(TextRow),    KEEL_OF(Scratch),        KEEL_OF(Moved),
        KEEL_OF(Marked),     KEEL_OF(Likes),          KEEL_OF(Docked),
        KEEL_OF(Holds),      KEEL_OF(TextEdge),       KEEL_OF(PartOf),
        KEEL_OF(TextBond),   KEEL_OF(Pact),           KEEL_OF(Wed),
        KEEL_OF(keel_name),  KEEL_UNIQUE_OF(Score),   KEEL_UNIQUE_OF(TextUnique),
        KEEL_EVENT_OF(Ping), KEEL_EVENT_OF(TextEvent)
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        assert_non_null(keel_register_component(w, all[i]));
    g->reader = keel_reader_create(w, "outside");
    assert_non_null(keel_group_create(w, KEEL_OWNED(Sparse, Text)));
    assert_non_null(keel_group_create(w, KEEL_GET(Row, Kept), KEEL_EXCLUDE(Marked)));
    assert_int_equal(keel_collect(w, Moved, Index, KEEL_ON_INSERTED | KEEL_ON_MODIFIED), KEEL_OK);
    assert_int_equal(keel_observe(w, Index, KEEL_ON_INSERTED | KEEL_ON_DELETED, on_index, NULL),
                     KEEL_OK);
}

static void add_values(game *g, keel_entity e) {
    keel_world *w = g->f.world;
    if (keel_is_null(e)) return;
    switch (roll(has_texts ? 10 : 6)) {
    case 0:
        (void)keel_add(w, e, Sparse, { roll(1000) });
        break;
    case 1:
        (void)keel_add(w, e, Index, { roll(1000) });
        break;
    case 2:
        (void)keel_add(w, e, Row, { roll(1000) });
        break;
    case 3:
        (void)keel_add(w, e, Column, { { (uint16_t)roll(9) } });
        break;
    case 4:
        (void)keel_add(w, e, Wide, { { roll(1000) } });
        break;
    case 5:
        (void)keel_add(w, e, Loose, { roll(1000) });
        (void)keel_add(w, e, Kept, { roll(1000) });
        break;
    case 6:
        (void)keel_add(w, e, Text, text_of(roll(1000)));
        break;
    case 7:
        (void)keel_add(w, e, TextIndexed, text_of(roll(1000)));
        break;
    case 8:
        (void)keel_add(w, e, TextRow, text_of(roll(1000)));
        break;
    default:
        (void)keel_add(w, e, Marked);
    }
}

static void take_values(game *g, keel_entity e) {
    keel_world *w = g->f.world;
    Sparse out;
    if (keel_is_null(e)) return;
    switch (roll(9)) {
    case 0:
        (void)keel_delete(w, e, Sparse);
        break;
    case 1:
        (void)keel_delete(w, e, Index);
        break;
    case 2:
        (void)keel_delete(w, e, Row);
        break;
    case 3:
        (void)keel_delete(w, e, Text);
        break;
    case 4:
        (void)keel_delete(w, e, TextIndexed);
        break;
    case 5:
        (void)keel_delete(w, e, TextRow);
        break;
    case 6:
        (void)keel_remove(w, e, Sparse, &out);
        break;
    case 7:
        (void)keel_delete(w, e, Marked);
        break;
    default:
        (void)keel_strip(w, e);
    }
}

// The first edge of an entity is written, or goes.
static void change_edge(game *g, keel_entity a) {
    keel_world *w = g->f.world;
    const keel_entity held = keel_target_of(w, a, Holds), said = keel_target_of(w, a, TextEdge);
    Holds *holds = keel_get_related_mut(w, a, Holds, held);
    if (holds) holds->count = roll(1000);
    if (has_texts && !keel_is_null(said) && roll(2))
        (void)keel_relate(w, a, TextEdge, said, text_of(roll(1000)));
    else if (!keel_is_null(said)) (void)keel_unrelate(w, a, TextEdge, said);
    if (roll(3) == 0) (void)keel_unrelate(w, a, Holds, held);
}

static void relate_some(game *g) {
    keel_world *w = g->f.world;
    const keel_entity a = anybody(g), b = anybody(g);
    char name[16];
    if (keel_is_null(a) || keel_is_null(b)) return;
    switch (roll(15)) {
    case 12:
        (void)keel_relate(w, a, Wed, b);
        break;
    case 13:
        if (has_texts) (void)keel_relate(w, a, TextBond, b, text_of(roll(100)));
        else (void)keel_relate(w, a, Pact, b, { (uint16_t)roll(100) });
        break;
    case 14:
        (void)keel_unrelate_all(w, a, TextBond);
        (void)keel_unrelate_all(w, a, Pact);
        break;
    case 8:
        (void)keel_relate(w, a, Holds, b, { roll(100) });
        break;
    case 9:
        if (has_texts) (void)keel_relate(w, a, TextEdge, b, text_of(roll(100)));
        else (void)keel_add(w, a, Marked);
        break;
    case 10:
    case 11:
        change_edge(g, a);
        break;
    case 6:
        (void)keel_relate(w, a, Docked, b, { roll(100) });
        break;
    case 0:
        (void)keel_relate(w, a, Likes, b);
        break;
    case 1:
        (void)keel_unrelate(w, a, Likes, b);
        break;
    case 2:
        (void)keel_relate(w, a, PartOf, b);
        break;
    case 3:
        (void)keel_attach(w, a, b);
        break;
    case 4:
        (void)keel_detach(w, a);
        break;
    case 5:
        (void)keel_unrelate_all(w, a, Likes);
        break;
    default:
        snprintf(name, sizeof name, "n%u", (unsigned)roll(30));
        (void)keel_set_name(w, a, name);
    }
    keel_clear_errors(w);
}

static void look_and_pass(game *g) {
    keel_world *w = g->f.world;
    uint32_t sum = 0;
    switch (roll(5)) {
    case 0:
        KEEL_EACH(g->reader, KEEL_CHANGED(Sparse), KEEL_READ(Sparse, s))
            sum += s->value;
        KEEL_EACH_REMOVED(g->reader, Text, removal)
            sum += keel_entity_index(removal.entity);
        keel_set_unique(w, Score, { sum });
        keel_reader_advance(g->reader);
        break;
    case 1:
        (void)keel_clear_all_changes(w, KEEL_TRACK_ALL, UINT64_MAX);
        break;
    case 2:
        (void)keel_clear(w, Moved);
        break;
    case 3:
        if (has_texts) (void)keel_set_unique(w, TextUnique, text_of(roll(99)));
        break;
    default:
        (void)keel_remove_unique(w, TextUnique);
    }
}

// A value of each kind of storage is disabled or enabled.
static void turn_some(game *g) {
    keel_world *w = g->f.world;
    const keel_entity e = anybody(g);
    switch (roll(5)) {
    case 0:
        (void)keel_disable(w, e, Sparse);
        break;
    case 1:
        (void)keel_disable(w, e, Row);
        break;
    case 2:
        (void)keel_disable(w, e, Wide);
        break;
    case 3:
        (void)keel_enable(w, e, Row);
        break;
    default:
        (void)keel_enable(w, e, Sparse);
        (void)keel_enable(w, e, Wide);
    }
    keel_clear_errors(w);
}

static void step(game *g) {
    keel_world *w = g->f.world;
    const uint32_t what = roll(20);
    keel_entity e;
    if (what < 4) {
        e = keel_add_entity(w, KEEL_INIT(Sparse, { roll(1000) }), KEEL_INIT(Row, { roll(100) }));
        add_values(g, e);
        add_values(g, e);
    } else if (what < 8) add_values(g, anybody(g));
    else if (what < 11) take_values(g, anybody(g));
    else if (what < 12) (void)keel_delete_entity(w, anybody(g));
    else if (what < 14) relate_some(g);
    else if (what < 15) look_and_pass(g);
    else if (what < 16 && !has_texts) turn_some(g);
    else if (what < 16) {
        if (roll(2)) (void)keel_disable(w, anybody(g), TextIndexed);
        else (void)keel_enable(w, anybody(g), TextIndexed);
    } else if (what < 17) {
        (void)keel_send(w, Ping, { roll(100) });
        if (has_texts) (void)keel_send(w, TextEvent, text_of(roll(100)));
    } else if (what < 18) {
        e = anybody(g);
        Index *index = keel_get_mut(w, e, Index);
        if (index) index->value = roll(1000);
    } else {
        assert_int_equal(keel_run_workload(w, frame, .dt = 0.1), KEEL_OK);
    }
}

static void check(const game *g) {
    keel_error error;
    if (!keel_world_check(g->f.world, &error)) fail_msg("%s", error.message);
}
