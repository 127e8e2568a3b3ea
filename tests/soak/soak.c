// SPDX-License-Identifier: MIT
// A day of a game in fast motion. A world breathes between 1,000 and 1,000,000 entities, with
// everything on: components in each storage, changes, a group, observers, a reactive set,
// relations, a tree, names, events, commands from parallel steps, prefabs and snapshots. At the
// bottom of each breath each entity must be who it was, and when all have gone its memory must be
// what it was. The same edits on plain arrays stand beside it: what is printed of both is how long
// an edit and a frame took, at the median, one in 100, one in 10,000, and at worst.
#include "figures.h"

#include "base/platform/platform.h"
#include "support/counting_allocator.h"
#include "support/part.h"

#include <keel/keel.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ what there is
typedef struct Spot {
    float x, y;
} Spot;
typedef struct Heat {
    uint32_t value;
} Heat;
typedef struct Number {
    uint32_t value;
} Number;
typedef struct Spark {
    uint32_t left;
} Spark;
typedef struct Hit {
    uint32_t strength;
} Hit;
typedef struct Tally {
    uint64_t hits, changes, observed;
} Tally;
KEEL_COMPONENT(Spot, .no_padding = true);
KEEL_COMPONENT(Heat, .storage = KEEL_INDEXED, .tracking = KEEL_TRACK_ALL, .no_padding = true);
KEEL_COMPONENT(Number, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Spark, .no_padding = true, .required = KEEL_LIST(Spot));
KEEL_TAG(Frozen);
KEEL_TAG(Heated);
KEEL_RELATION(Likes);
KEEL_RELATION(Docked, .exclusive = true);
KEEL_EVENT(Hit, .no_padding = true, .limit = 1000);
static const Tally no_tally;
KEEL_UNIQUE(Tally, .no_padding = true, .initial = &no_tally);

KEEL_SYSTEM(cool, KEEL_WRITE(Heat, h), KEEL_WITHOUT(Frozen)) { h->value -= h->value / 8; }
KEEL_SYSTEM(drift, KEEL_WRITE(Spot, s), KEEL_READ(Heat, h)) { s->x += (float)h->value * 0.001f; }
KEEL_SYSTEM(glow, KEEL_READ(Heat, h), KEEL_READ(Number, n), KEEL_COMMANDS(out, Spark, Spot)) {
    if ((n->value + h->value) % 997 == 0) (void)keel_add_entity(out, KEEL_INIT(Spark, { 3 }));
}
KEEL_SYSTEM(fade, KEEL_WRITE(Spark, s), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (!s->left--) (void)keel_delete_entity(out, e);
}
KEEL_SYSTEM_ONCE(hear, KEEL_RECEIVE(Hit, hits), KEEL_UNIQUE_WRITE(Tally, tally)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        tally->hits += hit->strength;
}
KEEL_SYSTEM(see, KEEL_CHANGED(Heat), KEEL_UNIQUE_WRITE(Tally, tally)) { ++tally->changes; }
KEEL_WORKLOAD(frame, KEEL_STEP(cool, .parallel = true), KEEL_STEP(drift, .parallel = true),
              KEEL_STEP(glow, .parallel = true), KEEL_STEP(fade), KEEL_STEP(hear), KEEL_STEP(see));

static uint64_t observed;
static void on_heat(const keel_change *event, void *data) {
    (void)event, (void)data;
    ++observed;
}

// ------------------------------------------------------------------ both worlds
typedef struct plain_entity {
    float x, y;
    uint32_t heat, number, parent, likes, has;
} plain_entity;

typedef struct soak {
    counting_allocator memory;
    keel_world *world;
    keel_prefab prefab;
    keel_entity *handles; // who should live, in the order of `plain`
    plain_entity *plain;
    uint32_t count, most, numbers; // numbers given so far
    uint64_t random, edits, frames;
    figures edit, plain_edit, frame;
} soak;

static uint32_t roll(soak *s, uint32_t below) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)((s->random >> 32) * below >> 32);
}

static void fail(const soak *s, const char *what) {
    printf("after %" PRIu64 " edits: %s: %s\n", s->edits, what, keel_last_error(s->world)->message);
    exit(1);
}

static void begin(soak *s, uint32_t most, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->most = most;
    s->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    s->handles = calloc(most + 2000, sizeof *s->handles);
    s->plain = calloc(most + 2000, sizeof *s->plain);
    counting_allocator_init(&s->memory);
    s->world = keel_world_create(&(keel_world_desc){
        .allocator = s->memory.allocator, .log = keel_log_none, .worker_count = 2 });
    if (!s->world || !s->handles || !s->plain) exit(2);
    if (!keel_group_create(s->world, KEEL_OWNED(Spot), KEEL_GET(Heat)) ||
        keel_collect(s->world, Heated, Heat, KEEL_ON_INSERTED) < 0 ||
        keel_observe(s->world, Heat, KEEL_ON_INSERTED | KEEL_ON_DELETED, on_heat, NULL) < 0)
        fail(s, "setting up");
    keel_world *templates = keel_templates(s->world);
    s->prefab.root = keel_add_entity(templates, KEEL_INIT(Spot, { 1, 2 }));
    (void)keel_add_child(templates, s->prefab.root, KEEL_INIT(Heat, { 5 }));
}

static void end(soak *s) {
    keel_world_destroy(s->world);
    if (s->memory.live_bytes) printf("%zu bytes are left\n", s->memory.live_bytes), exit(1);
    free(s->handles);
    free(s->plain);
}

// ------------------------------------------------------------------ edits
enum { HAS_SPOT = 1, HAS_HEAT = 2, HAS_FROZEN = 4 };

typedef enum edit {
    COME,
    GO,
    HEAT_ON,
    HEAT_OFF,
    SPOT_ON,
    SPOT_OFF,
    WRITE,
    RELATE,
    UNRELATE,
    ATTACH,
    DETACH,
    FREEZE,
    SEND,
    NAME,
    EDITS
} edit;

static edit roll_edit(soak *s, uint32_t target) {
    static const edit others[] = { HEAT_ON, HEAT_OFF, SPOT_ON, SPOT_OFF, WRITE,  WRITE, WRITE,
                                   RELATE,  UNRELATE, ATTACH,  DETACH,   FREEZE, SEND,  WRITE };
    if (s->count < 100) return COME;
    if (roll(s, 10) < 6) return s->count < target ? COME : GO;
    if (roll(s, 2000) == 0) return NAME;
    return others[roll(s, sizeof others / sizeof *others)];
}

static keel_result edit_world(soak *s, edit what, uint32_t a, uint32_t b, uint32_t value) {
    keel_world *w = s->world;
    const keel_entity e = s->handles[a], other = s->handles[b];
    char name[24];
    switch (what) {
    case COME:
        s->handles[s->count] =
            value % 3 ? keel_add_entity(w, KEEL_INIT(Number, { s->numbers }),
                                        KEEL_INIT(Spot, { 1, 2 }), KEEL_INIT(Heat, { value }))
                      : keel_add_entity(w, KEEL_INIT(Number, { s->numbers }));
        return keel_is_null(s->handles[s->count]) ? KEEL_ERROR_MEMORY : KEEL_OK;
    case GO:
        return keel_delete_entity(w, e);
    case HEAT_ON:
        return keel_add(w, e, Heat, { value });
    case HEAT_OFF:
        return keel_delete(w, e, Heat);
    case SPOT_ON:
        return keel_add(w, e, Spot, { 1, (float)value });
    case SPOT_OFF:
        return keel_delete(w, e, Spot);
    case WRITE: {
        Heat *heat = keel_get_mut(w, e, Heat);
        if (heat) heat->value = value;
        return KEEL_OK;
    }
    case RELATE:
        return value % 2 ? keel_relate(w, e, Likes, other) : keel_relate(w, e, Docked, other);
    case UNRELATE:
        return keel_unrelate_all(w, e, Likes);
    case ATTACH:
        return keel_attach(w, e, other);
    case DETACH:
        return keel_detach(w, e);
    case FREEZE:
        return keel_has(w, e, Frozen) ? keel_delete(w, e, Frozen) : keel_add(w, e, Frozen);
    case SEND:
        return keel_send(w, Hit, { value });
    default:
        snprintf(name, sizeof name, "e%u", (unsigned)(value % 100000));
        return keel_set_name(w, e, name);
    }
}

// As plain arrays have it: who goes is replaced by the last.
static void edit_plain(soak *s, edit what, uint32_t a, uint32_t b, uint32_t value) {
    plain_entity *e = &s->plain[a];
    switch (what) {
    case COME:
        s->plain[s->count] = (plain_entity){
            1, 2, value, s->numbers, UINT32_MAX, UINT32_MAX, value % 3 ? HAS_SPOT | HAS_HEAT : 0
        };
        return;
    case GO:
        *e = s->plain[s->count - 1];
        return;
    case HEAT_ON:
        e->has |= HAS_HEAT;
        e->heat = value;
        return;
    case HEAT_OFF:
        e->has &= ~(uint32_t)HAS_HEAT;
        return;
    case SPOT_ON:
        e->has |= HAS_SPOT;
        e->y = (float)value;
        return;
    case SPOT_OFF:
        e->has &= ~(uint32_t)HAS_SPOT;
        return;
    case WRITE:
        if (e->has & HAS_HEAT) e->heat = value;
        return;
    case RELATE:
        e->likes = s->plain[b].number;
        return;
    case ATTACH:
        e->parent = s->plain[b].number;
        return;
    case FREEZE:
        e->has ^= HAS_FROZEN;
        return;
    default:
        e->likes = UINT32_MAX;
        return;
    }
}

// One in 16 is timed: the clock takes as long as an edit.
static void edit_both(soak *s, uint32_t target) {
    const edit what = roll_edit(s, target);
    const uint32_t a = roll(s, s->count ? s->count : 1), b = roll(s, s->count ? s->count : 1);
    const uint32_t value = roll(s, 1000);
    const bool is_timed = s->edits % 16 == 0;
    const uint64_t t0 = is_timed ? keeli_clock_ns() : 0;
    const keel_result result = edit_world(s, what, a, b, value);
    const uint64_t t1 = is_timed ? keeli_clock_ns() : 0;
    edit_plain(s, what, a, b, value);
    if (is_timed) {
        figures_add(&s->edit, t1 - t0);
        figures_add(&s->plain_edit, keeli_clock_ns() - t1);
    }
    if (result < 0 && result != KEEL_ERROR_CYCLE && result != KEEL_ERROR_OCCUPIED)
        fail(s, "an edit");
    if (what == COME) ++s->count, ++s->numbers;
    if (what == GO) s->handles[a] = s->handles[--s->count];
    ++s->edits;
}

// ------------------------------------------------------------------ breaths
static void run_frame(soak *s) {
    const uint64_t t0 = keeli_clock_ns();
    if (keel_run_workload(s->world, frame) < 0) fail(s, "a frame");
    figures_add(&s->frame, keeli_clock_ns() - t0);
    (void)keel_clear(s->world, Heated);
    ++s->frames;
}

// Who lives is who should, with its own number, and nobody else does.
static void check_all(soak *s) {
    keel_error error;
    for (uint32_t i = 0; i < s->count; ++i) {
        const Number *n = keel_get(s->world, s->handles[i], Number);
        if (!n || n->value != s->plain[i].number) fail(s, "an entity is not who it was");
    }
    if (keel_count(s->world, Number) != s->count) fail(s, "others live");
    if (!keel_world_check(s->world, &error)) printf("%s\n", error.message), exit(1);
}

// Edits that are taken back leave nothing.
static void take_and_restore(soak *s) {
    keel_snapshot *snapshot = keel_snapshot_create(s->world, "soak");
    uint64_t before = 0, after = 0;
    if (!snapshot || keel_snapshot_take(snapshot) < 0 || keel_world_hash(s->world, &before) < 0)
        fail(s, "a take");
    if (keel_spawn_many(s->world, s->prefab, 500, NULL) < 0) fail(s, "prefabs");
    for (uint32_t i = 0; i < 100; ++i)
        (void)keel_delete_tree(s->world, s->handles[roll(s, s->count)]);
    run_frame(s);
    if (keel_snapshot_restore(snapshot) < 0 || keel_world_hash(s->world, &after) < 0)
        fail(s, "a restore");
    if (before != after) fail(s, "what was restored differs");
    keel_snapshot_destroy(snapshot);
}

// From the bottom to the top and back, until nobody is left; the bytes held then.
static size_t breathe(soak *s, uint64_t edits, uint64_t per_frame) {
    for (uint64_t i = 0; i < edits; ++i) {
        const uint64_t half = edits / 2, up = i < half ? i : edits - i;
        edit_both(s, 1000 + (uint32_t)((uint64_t)(s->most - 1000) * up / half));
        if (i % per_frame == 0) run_frame(s);
    }
    while (s->count > 1000)
        edit_both(s, 1000);
    for (uint32_t i = 0; i < 10; ++i)
        run_frame(s);
    check_all(s);
    take_and_restore(s);
    if (keel_clear_entities(s->world) < 0) fail(s, "clearing");
    s->count = 0;
    if (keel_world_trim(s->world) < 0) fail(s, "trimming");
    return s->memory.live_bytes;
}

static void print_breath(soak *s, uint32_t number, size_t bytes) {
    printf("%4u %11" PRIu64 " %9zu  ", (unsigned)number, s->edits, bytes);
    figures_print(&s->edit);
    figures_print(&s->plain_edit);
    figures_print(&s->frame);
    printf("\n");
    fflush(stdout);
}

int main(int count, char **arguments) {
    static soak s;
    uint64_t edits = 100000000, most = 1000000, seed = 1;
    for (int i = 1; i + 1 < count; i += 2) {
        const uint64_t number = strtoull(arguments[i + 1], NULL, 10);
        if (strcmp(arguments[i], "--edits") == 0) edits = test_part(number);
        else if (strcmp(arguments[i], "--most") == 0) most = number;
        else if (strcmp(arguments[i], "--seed") == 0) seed = number;
        else return fprintf(stderr, "usage: soak [--edits N] [--most ENTITIES] [--seed S]\n"), 2;
    }
    const uint64_t breath = most * 4;
    size_t first = 0, last = 0, highest = 0;
    begin(&s, (uint32_t)most, seed);
    printf("breath     edits     bytes  edits: median, 1 %%, 0.01 %%, worst (ns)     plain arrays"
           "                      frames (ns)\n");
    for (uint32_t number = 1; s.edits < edits; ++number) {
        last = breathe(&s, breath, breath / 200);
        if (number == 2) first = last; // the first one fills what is kept
        if (last > highest) highest = last;
        print_breath(&s, number, last);
    }
    first = first ? first : last;
    printf("%" PRIu64 " edits, %" PRIu64 " frames, %" PRIu64 " notices; at the bottom %zu bytes, "
           "at most %zu, now %zu: %.2f %%\n",
           s.edits, s.frames, observed, first, highest, last,
           100.0 * ((double)last / (double)first - 1));
    end(&s);
    // buffers of two threads may still grow by a page or two
    return (double)last <= (double)first * 1.01 + (1 << 20) ? 0 : 1;
}
