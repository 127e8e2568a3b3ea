// SPDX-License-Identifier: MIT
// Entities that jump from rank to rank carry all that they have: components of every kind, names,
// relations with values, children and followers. A model on 1 to 8 ranks ends as in plain Keel.
#define _DEFAULT_SOURCE // mkdtemp
#include <dirent.h>
#include <keel_mpi.h>
#include <keel_save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

enum { SPACE = 1 << 16, CLUSTERS = 12, STEPS = 70 };

// ------------------------------------------------------------------ components
typedef struct Place {
    int32_t x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
typedef struct Life {
    uint32_t age, children;
} Life;
KEEL_COMPONENT(Life, .storage = KEEL_ARCHETYPE, .no_padding = true);
typedef struct Mood {
    uint64_t mood;
} Mood;
KEEL_COMPONENT(Mood, .storage = KEEL_INDEXED, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_TAG(Red);
KEEL_TAG(Rare, .storage = KEEL_ARCHETYPE);
typedef struct Knows {
    keel_entity who[2];
    uint32_t lost;
} Knows;
KEEL_FIELDS(Knows, who, lost);
KEEL_COMPONENT(Knows, KEEL_HAS_FIELDS(Knows));
typedef struct Entry {
    keel_entity about;
    uint64_t number;
} Entry;
typedef struct Diary {
    Entry *entries; // at most four
    uint32_t count;
} Diary;
static void drop_diary(void *value, void *data) {
    (void)data;
    free(((Diary *)value)->entries);
}
static bool copy_diary(void *to, const void *from, void *data) {
    (void)data;
    const Diary *source = from;
    Diary copy = { malloc((source->count + 1) * sizeof(Entry)), source->count };
    if (!copy.entries) return false;
    if (copy.count) memcpy(copy.entries, source->entries, copy.count * sizeof(Entry));
    memcpy(to, &copy, sizeof copy);
    return true;
}
static keel_result save_diary(const void *value, keel_stream *out, void *data) {
    (void)data;
    const Diary *d = value;
    keel_stream_write_int(out, d->count);
    for (uint32_t i = 0; i < d->count; ++i) {
        keel_stream_write_entity(out, d->entries[i].about);
        keel_stream_write(out, &d->entries[i].number, sizeof d->entries[i].number);
    }
    return KEEL_OK;
}
static keel_result load_diary(void *value, keel_stream *in, void *data) {
    (void)data;
    Diary *d = value;
    const uint64_t count = (uint64_t)keel_stream_read_int(in);
    if (count > keel_stream_left(in) / 16) return KEEL_ERROR_FORMAT;
    d->entries = malloc(((size_t)count + 1) * sizeof *d->entries);
    if (!d->entries) return KEEL_ERROR_MEMORY;
    for (d->count = 0; d->count < count; ++d->count) {
        Entry *entry = &d->entries[d->count];
        entry->about = keel_stream_read_entity(in);
        (void)keel_stream_read(in, &entry->number, sizeof entry->number);
    }
    return KEEL_OK;
}
KEEL_COMPONENT(Diary, .storage = KEEL_ARCHETYPE, .drop = drop_diary, .copy = copy_diary,
               .save = save_diary, .load = load_diary);
typedef struct Title {
    char *text; // owned
    keel_entity giver;
} Title;
static void drop_title(void *value, void *data) {
    (void)data;
    free(((Title *)value)->text);
}
static char *copy_text(const char *text) {
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}
static bool copy_title(void *to, const void *from, void *data) {
    (void)data;
    Title copy = *(const Title *)from;
    copy.text = copy_text(copy.text);
    memcpy(to, &copy, sizeof copy);
    return true;
}
KEEL_FIELDS(Title, text, giver);
KEEL_COMPONENT(Title, KEEL_HAS_FIELDS(Title), .drop = drop_title, .copy = copy_title);
typedef struct Gun {
    keel_entity bullet; // a template
} Gun;
KEEL_FIELDS(Gun, bullet);
KEEL_COMPONENT(Gun, KEEL_HAS_FIELDS(Gun));
typedef struct Aim {
    uint32_t at;
} Aim;
KEEL_COMPONENT(Aim, .no_padding = true);
KEEL_TAG(Sniper, .required = KEEL_LIST(Aim));
typedef struct Seen {
    uint64_t hash; // of what systems saw, in order
} Seen;
KEEL_COMPONENT(Seen, .no_padding = true);

// ------------------------------------------------------------------ relations
typedef struct Part {
    uint32_t number, times;
} Part;
KEEL_VALUED_RELATION(Part, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES, .no_padding = true);
KEEL_RELATION(Likes);
typedef struct Owes {
    keel_entity witness;
    uint32_t amount;
} Owes;
KEEL_FIELDS(Owes, witness, amount);
KEEL_VALUED_RELATION(Owes, KEEL_HAS_FIELDS(Owes));
typedef struct Home {
    uint64_t since;
} Home;
KEEL_VALUED_RELATION(Home, .exclusive = true, .acyclic = false, .no_padding = true);
typedef Title Letter; // an edge that owns a text
KEEL_FIELDS(Letter, text, giver);
KEEL_VALUED_RELATION(Letter, KEEL_HAS_FIELDS(Letter), .drop = drop_title, .copy = copy_title);
typedef Diary Log; // the value is the component of the source
KEEL_VALUED_RELATION(Log, .exclusive = true, .drop = drop_diary, .copy = copy_diary,
                     .save = save_diary, .load = load_diary);
KEEL_RELATION(Guards, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Friend, .symmetric = true);
typedef struct Married {
    uint64_t vow;
} Married;
KEEL_VALUED_RELATION(Married, .symmetric = true, .exclusive = true, .no_padding = true);

static uint64_t scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// ------------------------------------------------------------------ systems
static uint64_t id_at(keel_scope *scope, keel_entity e) {
    const keel_global_id *id = keel_get(scope, e, keel_global_id);
    return id ? id->value : 0;
}

static uint64_t text_hash(const char *text) {
    uint64_t hash = 7;
    for (; text && *text; ++text)
        hash = hash * 31 + (unsigned char)*text;
    return hash;
}

static uint64_t diary_hash(keel_scope *scope, const Diary *diary) {
    uint64_t hash = 3;
    for (uint32_t i = 0; diary && i < diary->count; ++i)
        hash = hash * 31 + (id_at(scope, diary->entries[i].about) ^ diary->entries[i].number);
    return hash;
}

// Notes what the entity has, in order where that is kept.
KEEL_SYSTEM(look, KEEL_WRITE(Seen, s), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e),
            KEEL_CONTEXT(context), KEEL_MAY_READ(keel_global_id, keel_child, keel_name),
            KEEL_MAY_READ(Diary, Title, Letter, Log),
            KEEL_MAY_READ(Part, Likes, Owes, Home, Friend, Married)) {
    keel_scope *c = (keel_scope *)context;
    uint64_t hash = s->hash + text_hash(keel_name_of(c, e)), sum = 0;
    KEEL_EACH_CHILD(c, e, child)
        hash = hash * 31 + id_at(c, child);
    KEEL_EACH_SOURCE(c, e, Part, part, value)
    hash = hash * 31 + id_at(c, part) + value->number + value->times;
    KEEL_EACH_TARGET(c, e, Likes, liked) hash = hash * 31 + id_at(c, liked);
    KEEL_EACH_TARGET(c, e, Owes, other, debt)
    hash = hash * 31 + (id_at(c, other) ^ debt->amount * 77u ^ id_at(c, debt->witness));
    KEEL_EACH_TARGET(c, e, Letter, to, letter)
    hash = hash * 31 + (id_at(c, to) ^ text_hash(letter->text) ^ id_at(c, letter->giver));
    hash ^= diary_hash(c, keel_get(c, e, Diary)) ^ diary_hash(c, keel_get(c, e, Log)) << 1;
    const Title *title = keel_get(c, e, Title);
    if (title) hash += text_hash(title->text) ^ id_at(c, title->giver);
    const keel_entity home = keel_target_of(c, e, Home);
    if (!keel_is_null(home)) hash ^= id_at(c, home) + keel_get_related(c, e, Home, home)->since;
    KEEL_EACH_TARGET(c, e, Friend, friend) sum += scramble(id_at(c, friend));
    const keel_entity spouse = keel_target_of(c, e, Married);
    if (!keel_is_null(spouse))
        sum ^= id_at(c, spouse) * keel_get_related(c, e, Married, spouse)->vow;
    s->hash = scramble(hash + sum);
}

KEEL_SYSTEM(jump, KEEL_WRITE(Place, p), KEEL_READ(Life, life), KEEL_READ(keel_global_id, id),
            KEEL_WITHOUT(keel_ghost)) {
    const uint64_t z = scramble(id->value * 977 + life->age);
    if (z % 3) return;
    p->x = (int32_t)(z >> 8) & (SPACE - 1);
    p->y = (int32_t)(z >> 32) & (SPACE - 1);
}

KEEL_SYSTEM(mourn, KEEL_WRITE(Knows, k), KEEL_WITHOUT(keel_ghost), KEEL_CONTEXT(context)) {
    for (int i = 0; i < 2; ++i) {
        if (keel_is_null(k->who[i]) || keel_is_alive(context, k->who[i])) continue;
        ++k->lost;
        k->who[i] = keel_null();
    }
}

// Edits edges to those that the entity knows.
KEEL_SYSTEM(relate, KEEL_WRITE(Knows, k), KEEL_READ(Life, life), KEEL_READ(keel_global_id, id),
            KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e), KEEL_CONTEXT(context), KEEL_COMMANDS(out),
            KEEL_MAY_READ(Likes, Owes, Part)) {
    keel_scope *c = (keel_scope *)context;
    const uint64_t z = scramble(id->value * 31 + life->age * 7);
    const keel_entity who = k->who[z >> 40 & 1], first = keel_target_of(c, e, Likes);
    if (z % 8 == 0 && keel_target_count(c, e, Likes) > 1) keel_unrelate(out, e, Likes, first);
    if (z % 8 == 1 && !keel_is_null(who)) keel_relate(out, e, Likes, who);
    if (z % 8 == 2) KEEL_EACH_TARGET(c, e, Owes, other, debt)
    keel_relate(out, e, Owes, other, { first, debt->amount + 1 });
    if (z % 8 == 3 && !keel_is_null(who)) keel_relate(out, e, Home, who, { z });
    if (z % 8 == 4) k->who[z >> 41 & 1] = first;
    if (z % 8 == 5 && !keel_is_null(who)) keel_relate(out, e, Owes, who, { who, 5 });
    const keel_entity whole = keel_target_of(c, e, Part);
    if (z % 8 == 6 && !keel_is_null(whole)) {
        const Part *part = keel_get_related(c, e, Part, whole);
        keel_relate(out, e, Part, whole, { part->number, part->times + 1 });
    }
}

// Writes values that own memory.
static void write_diary(Diary *diary, keel_entity about, uint64_t number) {
    Entry *entries = malloc(4 * sizeof *entries);
    assert_non_null(entries);
    const uint32_t kept = diary->count < 3 ? diary->count : 3;
    for (uint32_t i = 0; i < kept; ++i)
        entries[i] = diary->entries[diary->count - kept + i];
    entries[kept] = (Entry){ about, number };
    free(diary->entries);
    *diary = (Diary){ entries, kept + 1 };
}
static void write_text(Title *title, keel_entity giver, uint64_t number) {
    char text[40];
    (void)snprintf(text, sizeof text, "%.*s %llu", (int)(number % 9), "excellent",
                   (unsigned long long)number);
    free(title->text);
    *title = (Title){ number % 5 ? copy_text(text) : NULL, giver };
}
KEEL_SYSTEM(write_values, KEEL_WRITE(Diary, diary), KEEL_WRITE(Title, title), KEEL_READ(Life, life),
            KEEL_READ(Knows, k), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_ENTITY(e), KEEL_CONTEXT(context), KEEL_MAY_WRITE(Letter, Log)) {
    keel_scope *c = (keel_scope *)context;
    const uint64_t z = scramble(id->value * 5 + life->age * 19);
    if (z % 4 == 0) write_diary(diary, k->who[0], z);
    if (z % 4 == 1) write_text(title, k->who[1], z);
    KEEL_EACH_TARGET(c, e, Letter, to)
    if (z % 4 == 2) write_text(keel_get_related_mut(c, e, Letter, to), k->who[0], z);
    Log *log = z % 4 == 3 ? keel_get_mut(c, e, Log) : NULL;
    if (log) write_diary(log, k->who[1], z);
}

// Edits symmetric edges. The owners of both ends see the same, so they do the same.
KEEL_SYSTEM(bond, KEEL_READ(Life, life), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_ENTITY(e), KEEL_CONTEXT(context), KEEL_COMMANDS(out),
            KEEL_MAY_READ(keel_global_id, Friend, Married)) {
    keel_scope *c = (keel_scope *)context;
    KEEL_EACH_TARGET(c, e, Friend, friend)
    if (scramble((id->value ^ id_at(c, friend)) + life->age) % 64 == 0)
        keel_unrelate(out, e, Friend, friend);
    KEEL_EACH_TARGET(c, e, Married, spouse)
    keel_relate(out, e, Married, spouse, { scramble((id->value ^ id_at(c, spouse)) + life->age) });
}

KEEL_SYSTEM(change, KEEL_WRITE(Life, life), KEEL_WRITE(Mood, mood), KEEL_READ(keel_global_id, id),
            KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e), KEEL_CONTEXT(context), KEEL_COMMANDS(out),
            KEEL_MAY_READ(keel_child)) {
    const uint64_t z = scramble(id->value * 13 + life->age);
    mood->mood += z;
    ++life->age;
    if (z % 4 == 0) keel_add(out, e, Red);
    if (z % 4 == 1) keel_delete(out, e, Red);
    if (z % 16 == 2) keel_add(out, e, Rare);
    if (z % 16 == 3) keel_delete(out, e, Rare);
    if (z % 16 == 4) keel_disable(out, e, Knows);
    if (z % 16 == 5) keel_enable(out, e, Knows);
    // a grandchild becomes the last child
    const keel_entity child = keel_first_child(context, e);
    const keel_entity below = keel_is_null(child) ? child : keel_first_child(context, child);
    if (z % 32 == 6 && !keel_is_null(below)) keel_attach(out, below, e);
    if (z % 32 == 7 && life->children < 2) {
        const keel_global_id own = keel_child_id(*id, life->children++);
        char name[24];
        (void)snprintf(name, sizeof name, "%llx", (unsigned long long)own.value);
        const keel_entity made =
            keel_add_child(out, e, KEEL_INIT(keel_global_id, own), KEEL_INIT(Life, { 0, 0 }),
                           KEEL_INIT(Mood, { 1 }), KEEL_INIT(Seen, { 2 }),
                           KEEL_INIT(Knows, { { e, keel_null() }, 0 }));
        keel_set_name(out, made, name);
    }
}

KEEL_SYSTEM(die, KEEL_READ(Life, life), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_WITHOUT(keel_child), KEEL_WITHOUT(Part), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (life->age > 40 + scramble(id->value) % 60) keel_delete_tree(out, e);
}
KEEL_WORKLOAD(tick, KEEL_STEP(mourn), KEEL_STEP(look), KEEL_STEP(jump), KEEL_STEP(relate),
              KEEL_STEP(write_values), KEEL_STEP(bond), KEEL_STEP(change), KEEL_STEP(die));

// ------------------------------------------------------------------ the model
static keel_entity add(keel_world *w, uint64_t id, keel_entity parent, const char *name) {
    const keel_entity e =
        keel_add_entity(w, KEEL_INIT(keel_global_id, { id }), KEEL_INIT(Life, { 0, 0 }),
                        KEEL_INIT(Mood, { id }), KEEL_INIT(Seen, { 0 }));
    if (!keel_is_null(parent)) assert_int_equal(keel_attach(w, e, parent), KEEL_OK);
    if (name) assert_int_equal(keel_set_name(w, e, name), KEEL_OK);
    return e;
}

// Makes the prefabs: on some ranks in another order.
static void make_prefabs(keel_world *w, bool bullet_last) {
    keel_world *t = keel_templates(w);
    assert_non_null(t);
    keel_entity bullet = bullet_last ? keel_null() : keel_add_entity(t, KEEL_INIT(Red));
    const keel_entity tank = keel_add_entity(t, KEEL_INIT(Mood, { 3 }));
    if (bullet_last) bullet = keel_add_entity(t, KEEL_INIT(Red));
    const keel_entity gun = keel_add_child(t, tank, KEEL_INIT(Gun, { bullet }));
    assert_false(keel_is_null(keel_add_child(t, tank, KEEL_INIT(Mood, { 4 })))); // without a name
    assert_int_equal(keel_set_name(t, tank, "tank"), KEEL_OK);
    assert_int_equal(keel_set_name(t, gun, "gun"), KEEL_OK);
    assert_int_equal(keel_set_name(t, bullet, "bullet"), KEEL_OK);
}

static void add_tank(keel_world *w, uint64_t id) {
    const keel_prefab tank = { keel_find_entity(keel_templates(w), keel_null(), "tank") };
    const keel_entity root =
        keel_spawn(w, tank, KEEL_INIT(keel_global_id, { id }), KEEL_INIT(Life, { 0, 0 }),
                   KEEL_INIT(Seen, { 0 }), KEEL_INIT(Place, { (int32_t)id, 5 }));
    KEEL_EACH_CHILD(w, root, part)
        keel_add(w, part, keel_global_id, { ++id });
}

// Compares the copies of prefabs that this rank owns with its templates. Returns their number.
static uint32_t check_tanks(keel_world *w) {
    const keel_world *t = keel_templates(w);
    const keel_entity tank = keel_find_entity(t, keel_null(), "tank");
    const keel_entity gun = keel_find_entity(t, keel_null(), "tank/gun");
    const keel_entity bullet = keel_find_entity(t, keel_null(), "bullet");
    uint32_t count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(w, e));) {
        const uint64_t id = id_at((keel_scope *)w, e);
        if (keel_has(w, e, keel_ghost) || id > UINT32_MAX || id % 100 < 31) continue;
        const keel_entity expected[] = { tank, gun, keel_next_child(t, tank, gun) };
        assert_true(keel_is_same(keel_prefab_of(w, e).root, expected[id % 100 - 31]));
        if (id % 100 == 32) assert_true(keel_is_same(keel_get(w, e, Gun)->bullet, bullet));
        ++count;
    }
    return count;
}

// Four roots that know each other; one is a tree, one has parts.
static void add_cluster(keel_world *w, uint64_t k) {
    keel_entity r[4];
    char name[24];
    for (uint64_t i = 0; i < 4; ++i) {
        const uint64_t id = k * 100 + i + 1, z = scramble(id);
        (void)snprintf(name, sizeof name, "root %u", (unsigned)id);
        r[i] = add(w, id, keel_null(), name);
        keel_add(w, r[i], Place, { (int32_t)(z % SPACE), (int32_t)(z >> 32) & (SPACE - 1) });
    }
    const keel_entity wheel = add(w, k * 100 + 21, keel_null(), NULL);
    const keel_entity motor = add(w, k * 100 + 22, keel_null(), NULL);
    for (uint64_t i = 0; i < 4; ++i) {
        keel_add(w, r[i], Knows, { { r[(i + 1) % 4], r[(i + 3) % 4] }, 0 });
        keel_add(w, r[i], Diary, { NULL, 0 });
        keel_add(w, r[i], Sniper);
        keel_add(w, r[i], Title, { copy_text("king"), r[0] });
        keel_relate(w, r[i], Letter, r[(i + 2) % 4], { copy_text("dear"), r[1] });
        keel_relate(w, r[i], Letter, r[i], { NULL, keel_null() });
    }
    keel_relate(w, r[1], Log, r[3], { NULL, 0 });
    keel_relate(w, r[3], Guards, r[2]); // it dies with the other, on whatever ranks they are
    keel_relate(w, motor, Guards, wheel);
    keel_relate(w, wheel, Guards, r[0]);
    keel_relate(w, r[2], Log, r[3], { NULL, 0 });
    const keel_entity arm = add(w, k * 100 + 11, r[0], "arm"),
                      leg = add(w, k * 100 + 12, r[0], "leg");
    const keel_entity hand = add(w, k * 100 + 13, arm, "hand");
    const keel_entity toe = add(w, k * 100 + 14, leg, "toe");
    keel_add(w, leg, Place, { 5, 5 }); // it does not count
    keel_add(w, hand, Knows, { { r[1], toe }, 0 });
    keel_add(w, hand, Diary, { NULL, 0 });
    keel_add(w, hand, Title, { copy_text("left"), toe });
    keel_disable(w, hand, Title); // it goes disabled
    const keel_entity screw = add(w, k * 100 + 23, motor, NULL);
    keel_relate(w, wheel, Part, r[1], { 1, 0 });
    keel_relate(w, motor, Part, r[1], { 2, 0 });
    keel_add(w, motor, Knows, { { r[2], hand }, 0 });
    keel_relate(w, r[0], Likes, r[1]);
    keel_relate(w, r[0], Likes, toe);
    keel_relate(w, r[0], Likes, r[2]);
    keel_relate(w, r[3], Likes, r[3]);
    keel_relate(w, screw, Likes, hand);
    keel_relate(w, motor, Likes, r[3]);
    keel_relate(w, r[2], Owes, r[0], { r[3], 10 });
    keel_relate(w, r[2], Owes, wheel, { keel_null(), 20 });
    keel_relate(w, hand, Home, r[3], { 4 });
    keel_relate(w, r[0], Friend, r[1]);
    keel_relate(w, r[0], Friend, r[3]);
    keel_relate(w, r[2], Friend, toe);
    keel_relate(w, r[2], Friend, r[2]);
    keel_relate(w, r[0], Married, r[2], { 1 });
    keel_relate(w, wheel, Married, hand, { 1 });
    add_tank(w, k * 100 + 31);
}

// `turns`: odd ranks make their templates in another order.
static keel_world *new_world(keel_ranks ranks, bool turns) {
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    assert_non_null(w);
    keel_register(w, Place, Life, Mood, Red, Rare, Knows, Seen, Part, Likes, Owes, Home, Friend,
                  Married);
    keel_register(w, Diary, Title, Letter, Log, Gun, Guards, Aim, Sniper);
    make_prefabs(w, turns && ranks.rank & 1);
    uint64_t count;
    const uint64_t first = keel_rank_share(ranks, CLUSTERS, &count);
    for (uint64_t k = first; k < first + count; ++k)
        add_cluster(w, k + 1);
    return w;
}

static keel_domain *begin_domain(keel_ranks ranks, keel_world *w, const char *restart,
                                 keel_error *error) {
    return keel_domain_begin(w, &(keel_domain_desc){ .ranks = ranks,
                                                     .position = KEEL_OF(Place),
                                                     .halo = ranks.count % 2 ? 0 : 9000,
                                                     .ghosts = KEEL_LIST(Mood, Knows),
                                                     .together = KEEL_LIST(Part),
                                                     .restart = restart,
                                                     .error = error });
}

typedef struct outcome {
    keel_result result;
    uint32_t balance_every, tanks;
    const char *restart, *save_into; // NULL: from the beginning; to the end
    uint64_t hash, count, moved;
    char text[256];
} outcome;

static void play(keel_ranks ranks, void *data) {
    outcome *o = (outcome *)data + ranks.rank;
    keel_world *w = new_world(ranks, !o->restart && !o->save_into); // fields refer to templates
    if (o->restart) keel_clear_entities(w);
    keel_error error = { 0 };
    keel_domain *d = begin_domain(ranks, w, o->restart, &error);
    o->result = d ? KEEL_OK : error.result;
    snprintf(o->text, sizeof o->text, "%s", error.message);
    const uint32_t steps = o->save_into ? STEPS / 2 : STEPS;
    for (uint32_t i = (uint32_t)keel_domain_status_of(d).steps; i < steps && o->result >= 0; ++i) {
        o->result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
        if (o->balance_every && i % o->balance_every == 0 && o->result >= 0)
            o->result = keel_domain_balance(d);
        assert_true(i % 10 || keel_world_check(w, NULL));
        o->tanks += i == 20 && o->result >= 0 ? check_tanks(w) : 0;
    }
    if (o->result >= 0 && o->save_into) o->result = keel_domain_save(d, o->save_into);
    if (o->result >= 0) o->result = keel_domain_hash(d, &o->hash);
    if (o->result >= 0) o->result = keel_domain_count(d, &o->count);
    if (d && o->result < 0) snprintf(o->text, sizeof o->text, "%s", keel_domain_error(d)->message);
    o->moved = keel_domain_status_of(d).sent;
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

// Plays without a domain; a domain of one rank only hashes the end.
static void play_plain(keel_ranks ranks, void *data) {
    outcome *o = data;
    keel_world *w = new_world(ranks, true);
    for (uint32_t i = 0; i < STEPS; ++i)
        assert_true(keel_run_workload(w, tick) >= 0);
    keel_domain *d = begin_domain(ranks, w, NULL, NULL);
    assert_non_null(d);
    assert_int_equal(keel_domain_hash(d, &o->hash), KEEL_OK);
    assert_int_equal(keel_domain_count(d, &o->count), KEEL_OK);
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void all_that_entities_have_goes_with_them(void **unused) {
    (void)unused;
    outcome plain = { 0 };
    assert_int_equal(keel_run_ranks(1, 1, play_plain, &plain), KEEL_OK);
    assert_in_range(plain.count, 4 * CLUSTERS, 100 * CLUSTERS);
    for (uint32_t ranks = 1; ranks <= 8; ++ranks) {
        outcome o[8] = { { 0 } };
        for (uint32_t r = 0; r < ranks; ++r)
            o[r].balance_every = ranks % 3 ? 9 : 0;
        assert_int_equal(keel_run_ranks(ranks, ranks, play, o), KEEL_OK);
        uint64_t moved = 0, tanks = 0;
        for (uint32_t r = 0; r < ranks; ++r) {
            if (o[r].result < 0) fail_msg("rank %u of %u: %s", r, ranks, o[r].text);
            moved += o[r].moved;
            tanks += o[r].tanks;
        }
        if (o[0].hash != plain.hash || o[0].count != plain.count)
            fail_msg("%u ranks: %llu entities with the hash %016llx, not %llu with %016llx", ranks,
                     (unsigned long long)o[0].count, (unsigned long long)o[0].hash,
                     (unsigned long long)plain.count, (unsigned long long)plain.hash);
        assert_true(tanks == 3 * CLUSTERS);
        if (ranks > 1) assert_true(moved > 20 * CLUSTERS);
    }
}

static uint64_t play_part(uint32_t ranks, const char *restart, const char *save_into) {
    outcome o[8] = { { 0 } };
    for (uint32_t r = 0; r < ranks; ++r)
        o[r] = (outcome){ .restart = restart, .save_into = save_into, .balance_every = 9 };
    assert_int_equal(keel_run_ranks(ranks, ranks, play, o), KEEL_OK);
    for (uint32_t r = 0; r < ranks; ++r)
        if (o[r].result < 0) fail_msg("rank %u of %u: %s", r, ranks, o[r].text);
    return o[0].hash;
}

static void all_that_entities_have_is_in_a_checkpoint(void **unused) {
    (void)unused;
    char folder[] = "/tmp/keel_carry_XXXXXX";
    assert_non_null(mkdtemp(folder));
    const uint64_t end = play_part(1, NULL, NULL);
    for (uint32_t before = 1; before <= 4; ++before) {
        (void)play_part(before, NULL, folder);
        for (uint32_t after = 1; after <= 8; after += after < 4 ? 1 : 4)
            if (play_part(after, folder, NULL) != end)
                fail_msg("saved on %u ranks, another end on %u", before, after);
    }
    DIR *all = opendir(folder);
    for (const struct dirent *one; (one = readdir(all)) != NULL;)
        (void)unlinkat(dirfd(all), one->d_name, 0);
    (void)closedir(all);
    (void)rmdir(folder);
}

// ------------------------------------------------------------------ what is refused
KEEL_SYSTEM_ONCE(do_nothing, KEEL_MAY_READ(Place)) {}
KEEL_WORKLOAD(no_tick, KEEL_STEP(do_nothing));

typedef enum fault {
    OWNS_MEMORY,
    GHOSTS_WITH_HOOKS,
    TOGETHER_MANY,
    REFUSES_FAR,
    OTHER_RELATION,
    OTHER_PREFABS,
    LATE_PREFAB,
    SAVE_FAILS,
    FAULTS
} fault;
typedef Diary Secret; // its entries are lost on the way
KEEL_COMPONENT(Secret, .drop = drop_diary, .copy = copy_diary);
KEEL_RELATION(Extra);
KEEL_RELATION(Holds, .exclusive = true, .on_delete = KEEL_REFUSE);
static keel_result fail_to_save(const void *value, keel_stream *out, void *data) {
    (void)value, (void)out, (void)data;
    return KEEL_ERROR_FILE;
}
typedef Diary Broken;
KEEL_COMPONENT(Broken, .drop = drop_diary, .copy = copy_diary, .save = fail_to_save,
               .load = load_diary);

typedef struct refusal {
    fault fault;
    keel_result results[2];
    char texts[2][256];
} refusal;

// Begins a domain of two ranks with a fault, and moves an entity of rank 1.
static void begin_wrong(keel_ranks ranks, void *data) {
    refusal *r = data;
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Place, Likes, Title, Broken);
    if (r->fault == OWNS_MEMORY) keel_register(w, Secret);
    if (r->fault == REFUSES_FAR) keel_register(w, Holds);
    if (r->fault == OTHER_RELATION && ranks.rank) keel_register(w, Extra);
    keel_world *t = keel_templates(w);
    const keel_entity e = keel_add_entity(w, KEEL_INIT(keel_global_id, { ranks.rank + 1 }),
                                          KEEL_INIT(Place, { (int32_t)ranks.rank * 100, 0 }));
    if (r->fault == OTHER_PREFABS)
        keel_set_name(t, keel_add_entity(t), ranks.rank ? "car" : "tank");
    keel_error error = { 0 };
    const keel_domain_desc desc = { .ranks = ranks,
                                    .position = KEEL_OF(Place),
                                    .ghosts =
                                        r->fault == GHOSTS_WITH_HOOKS ? KEEL_LIST(Title) : NULL,
                                    .together = r->fault == TOGETHER_MANY ? KEEL_LIST(Likes) : NULL,
                                    .error = &error };
    keel_domain *d = keel_domain_begin(w, &desc);
    const bool is_rank_1 = d && keel_domain_status_of(d).rank == 1;
    if (is_rank_1 && r->fault == LATE_PREFAB)
        assert_int_equal(keel_apply_prefab(w, e, (keel_prefab){ keel_add_entity(t) }), KEEL_OK);
    if (is_rank_1 && r->fault == SAVE_FAILS) {
        keel_add(w, e, Broken, { NULL, 0 });
        keel_add(w, e, Title, { NULL, keel_null() });
        assert_int_equal(keel_disable(w, e, Title), KEEL_OK);
    }
    if (is_rank_1) keel_add(w, e, Place, { -1000, 0 });
    if (is_rank_1) assert_false(keel_has(w, e, keel_ghost));
    r->results[ranks.rank] = d ? keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)) : error.result;
    if (is_rank_1 && r->fault == SAVE_FAILS) assert_true(keel_is_disabled(w, e, Title));
    snprintf(r->texts[ranks.rank], sizeof r->texts[0], "%s",
             d ? keel_domain_error(d)->message : error.message);
    keel_domain_end(d);
    assert_true(keel_world_check(w, NULL));
    keel_world_destroy(w);
}

static void what_cannot_go_is_refused_on_all_ranks(void **unused) {
    (void)unused;
    static const struct {
        keel_result result;
        const char *text;
    } expected[FAULTS] = {
        { KEEL_ERROR_COPY, "component 'Secret' cannot go to other ranks: its values own memory; "
                           "give it .save and .load, or make it .transient" },
        { KEEL_ERROR_ARGUMENT, "ghosts cannot have 'Title': its values have hooks" },
        { KEEL_ERROR_ARGUMENT, "'Likes' is in .together, and is no exclusive relation" },
        { KEEL_ERROR_ARGUMENT, "relation 'Holds' refuses to delete targets (KEEL_REFUSE), whose "
                               "sources may be on other ranks; list it in .together" },
        { KEEL_ERROR_SCHEMA, "relation 'Extra': it is registered here, but not on rank 0" },
        { KEEL_ERROR_SCHEMA, "the names of prefabs: it is not the same as on rank 0" },
        { KEEL_ERROR_UNKNOWN, "'keel_instance' of an entity refers to a template that was made "
                              "after keel_domain_begin; make all prefabs before" },
        { KEEL_ERROR_FILE, "'Broken': .save failed" },
    };
    for (int f = 0; f < FAULTS; ++f) {
        refusal r = { .fault = (fault)f };
        assert_int_equal(keel_run_ranks(2, 3, begin_wrong, &r), KEEL_OK);
        for (int i = 0; i < 2; ++i) {
            if (!strstr(r.texts[i], expected[f].text))
                fail_msg("%d on rank %d: %s", f, i, r.texts[i]);
            assert_int_equal(r.results[i], expected[f].result);
        }
    }
}

// ------------------------------------------------------------------ edges to ghosts
// Rank 0 relates its entity to one of rank 1, which has always been there, and which dies.
static void relate_to_ghost(keel_ranks ranks, void *data) {
    bool *is_over = data;
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Place, Likes);
    const uint64_t first = ranks.rank * 10u + 1;
    for (uint64_t i = 0; i < 10; ++i)
        keel_add_entity(w, KEEL_INIT(keel_global_id, { first + i }),
                        KEEL_INIT(Place, { (int32_t)(first + i) * 10, 0 }));
    keel_domain *d = keel_domain_begin(
        w, &(keel_domain_desc){
               .ranks = ranks, .position = KEEL_OF(Place), .dimensions = 1, .halo = 30 });
    assert_non_null(d);
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    const keel_entity near = keel_domain_find(d, (keel_global_id){ 10 });
    const keel_entity far = keel_domain_find(d, (keel_global_id){ 11 });
    assert_true(keel_is_alive(w, near) && keel_is_alive(w, far));
    if (ranks.rank == 0) assert_int_equal(keel_relate(w, near, Likes, far), KEEL_OK);
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    if (ranks.rank == 0) assert_int_equal(keel_target_count(w, near, Likes), 1);
    if (ranks.rank == 1) assert_int_equal(keel_delete_entity(w, far), KEEL_OK);
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    is_over[ranks.rank] = !keel_is_alive(w, far) && keel_target_count(w, near, Likes) == 0;
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void an_edge_to_a_ghost_ends_with_its_entity(void **unused) {
    (void)unused;
    bool is_over[2] = { false, false };
    assert_int_equal(keel_run_ranks(2, 5, relate_to_ghost, is_over), KEEL_OK);
    assert_true(is_over[0] && is_over[1]);
}

// ------------------------------------------------------------------ what one rank cannot know
typedef struct far_edit {
    bool is_circle;
    keel_result results[2];
    char texts[2][256];
} far_edit;

// Entities of two ranks become children of each other; or rank 0 deletes the ghost of a parent that
// cannot be deleted.
static void edit_far(keel_ranks ranks, void *data) {
    far_edit *f = data;
    keel_world *w =
        keel_world_create(&(keel_world_desc){ .worker_count = 1, .on_parent_delete = KEEL_REFUSE });
    keel_register(w, Place, Likes);
    const keel_entity own = keel_add_entity(w, KEEL_INIT(keel_global_id, { ranks.rank + 1u }),
                                            KEEL_INIT(Place, { (int32_t)ranks.rank * 10, 0 }));
    if (ranks.rank && !f->is_circle) keel_add_child(w, own, KEEL_INIT(keel_global_id, { 7 }));
    keel_domain *d = keel_domain_begin(
        w, &(keel_domain_desc){
               .ranks = ranks, .position = KEEL_OF(Place), .dimensions = 1, .halo = 30 });
    assert_non_null(d);
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    const bool is_first = keel_domain_status_of(d).rank == 0;
    const keel_entity mine = keel_domain_find(d, (keel_global_id){ is_first ? 1 : 2 });
    const keel_entity other = keel_domain_find(d, (keel_global_id){ is_first ? 2 : 1 });
    assert_true(keel_has(w, other, keel_ghost) && !keel_has(w, mine, keel_ghost));
    if (f->is_circle) assert_int_equal(keel_attach(w, mine, other), KEEL_OK);
    else if (is_first) assert_int_equal(keel_delete_entity(w, other), KEEL_OK);
    f->results[ranks.rank] = keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick));
    snprintf(f->texts[ranks.rank], sizeof f->texts[0], "%s", keel_domain_error(d)->message);
    if (!f->is_circle) { // nothing has changed, and the next step shows it again
        assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
        uint64_t count = 0;
        assert_int_equal(keel_domain_count(d, &count), KEEL_OK);
        assert_int_equal(count, 3);
        assert_false(keel_is_null(keel_domain_find(d, (keel_global_id){ 2 })));
    }
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void what_other_ranks_refuse_is_an_error_of_the_step(void **unused) {
    (void)unused;
    for (int is_circle = 0; is_circle < 2; ++is_circle) {
        far_edit f = { .is_circle = is_circle };
        assert_int_equal(keel_run_ranks(2, 0, edit_far, &f), KEEL_OK);
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(f.results[i], is_circle ? KEEL_ERROR_CYCLE : KEEL_ERROR_RELATED);
            const char *text = is_circle ? "entities of several ranks follow each other in a circle"
                                         : "the world refuses to delete parents";
            if (!strstr(f.texts[i], text)) fail_msg("%s", f.texts[i]);
        }
    }
}

// ------------------------------------------------------------------ handles in values with memory
// Rank 0 has both entities. The one whose title names the other moves to rank 1; then the other
// dies, which rank 1 has to hear.
static void outlive_giver(keel_ranks ranks, void *data) {
    bool *is_told = data;
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Place, Title);
    const int32_t side = ranks.rank ? 1000 : -1000;
    keel_entity own[10];
    for (uint64_t i = 0; i < 10; ++i)
        own[i] = keel_add_entity(w, KEEL_INIT(keel_global_id, { ranks.rank * 10u + i + 1 }),
                                 KEEL_INIT(Place, { side + (int32_t)i, 0 }));
    if (!ranks.rank) keel_add(w, own[0], Title, { copy_text("heir"), own[1] });
    keel_domain *d = keel_domain_begin(
        w, &(keel_domain_desc){ .ranks = ranks, .position = KEEL_OF(Place), .dimensions = 1 });
    assert_non_null(d);
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    if (!ranks.rank) keel_add(w, own[0], Place, { 1000, 0 });
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    const keel_entity heir = keel_domain_find(d, (keel_global_id){ 1 });
    const Title *title = ranks.rank ? keel_get(w, heir, Title) : NULL;
    if (ranks.rank) assert_true(title && keel_is_alive(w, title->giver));
    if (!ranks.rank) assert_int_equal(keel_delete_entity(w, own[1]), KEEL_OK);
    assert_int_equal(keel_domain_step(d, KEEL_WORKLOAD_OF(no_tick)), KEEL_OK);
    title = ranks.rank ? keel_get(w, heir, Title) : NULL;
    is_told[ranks.rank] = !ranks.rank || (title && !keel_is_alive(w, title->giver));
    keel_domain_end(d);
    keel_world_destroy(w);
}

static void a_handle_in_a_value_with_memory_ends_with_its_entity(void **unused) {
    (void)unused;
    bool is_told[2] = { false };
    assert_int_equal(keel_run_ranks(2, 1, outlive_giver, is_told), KEEL_OK);
    assert_true(is_told[0] && is_told[1]);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(all_that_entities_have_goes_with_them, "all that entities have goes with them"),
        TEST(all_that_entities_have_is_in_a_checkpoint,
             "all that entities have is in a checkpoint"),
        TEST(what_cannot_go_is_refused_on_all_ranks, "what cannot go is refused on all ranks"),
        TEST(an_edge_to_a_ghost_ends_with_its_entity, "an edge to a ghost ends with its entity"),
        TEST(what_other_ranks_refuse_is_an_error_of_the_step,
             "what other ranks refuse is an error of the step"),
        TEST(a_handle_in_a_value_with_memory_ends_with_its_entity,
             "a handle in a value with memory ends with its entity"),
    };
    return RUN(tests);
}
