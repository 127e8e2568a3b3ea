// SPDX-License-Identifier: MIT
// usage: make_saves FOLDER: writes before.keel, after.keel, kind_before.keel and kind_after.keel,
// for the test of keel-save.
#include <keel_save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Mood { CALM, ANGRY } Mood;
KEEL_ENUM(Mood, CALM, ANGRY);
typedef struct Slot {
    int32_t count;
    char label[8];
} Slot;
KEEL_FIELDS(Slot, count, label);
typedef struct Orc {
    Mood mood;
    keel_entity target;
    Slot slots[2];
    double xs[3];
    bool awake;
} Orc;
KEEL_FIELDS(Orc, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), target,
            KEEL_FIELD(slots, .of = KEEL_TYPE(Slot)), xs, awake);
KEEL_COMPONENT(Orc, KEEL_HAS_FIELDS(Orc), .version = 2);

typedef struct Note {
    char *text;
} Note;
static void note_drop(void *value, void *data) {
    (void)data;
    free(((Note *)value)->text);
}
static bool note_copy(void *to, const void *from, void *data) {
    (void)data;
    const char *text = ((const Note *)from)->text;
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy) strcpy(copy, text);
    ((Note *)to)->text = copy;
    return copy || !text;
}
KEEL_FIELDS(Note, text);
KEEL_COMPONENT(Note, KEEL_HAS_FIELDS(Note), .drop = note_drop, .copy = note_copy);

typedef struct Path {
    uint32_t length;
} Path;
static keel_result path_save(const void *value, keel_stream *out, void *data) {
    (void)data;
    for (uint32_t i = 0; i < ((const Path *)value)->length; ++i)
        keel_stream_write_int(out, i);
    return KEEL_OK;
}
static keel_result path_load(void *value, keel_stream *in, void *data) {
    (void)data;
    char byte;
    ((Path *)value)->length = (uint32_t)(keel_stream_left(in) / 8);
    while (keel_stream_left(in))
        (void)keel_stream_read(in, &byte, 1);
    return KEEL_OK;
}
KEEL_COMPONENT(Path, .save = path_save, .load = path_load);

typedef struct Raw {
    uint8_t bytes[3];
} Raw;
KEEL_COMPONENT(Raw, .no_padding = true);
KEEL_TAG(Asleep);
KEEL_RELATION(Likes);
typedef struct DockedAt {
    int32_t since;
} DockedAt;
KEEL_FIELDS(DockedAt, since);
KEEL_VALUED_RELATION(DockedAt, KEEL_HAS_FIELDS(DockedAt), .exclusive = true);
typedef struct Holds {
    uint16_t count;
} Holds;
KEEL_FIELDS(Holds, count);
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));
typedef struct Round {
    uint64_t number;
} Round;
KEEL_FIELDS(Round, number);
KEEL_UNIQUE(Round, KEEL_HAS_FIELDS(Round));

// In kind_before.keel "Bond" is a tag and "Debt" a relation, in kind_after.keel the other way
// round.
KEEL_TAG(BondTag, .saved_as = "Bond");
KEEL_RELATION(Bond);
KEEL_TAG(DebtTag, .saved_as = "Debt");
KEEL_RELATION(Debt);

static Note note_of(const char *text) {
    Note note, from;
    char room[32];
    (void)snprintf(room, sizeof room, "%s", text);
    from.text = room;
    (void)note_copy(&note, &from, NULL);
    return note;
}

static int save(const keel_world *world, const char *folder, const char *name) {
    char path[1000];
    keel_error why = { 0 };
    (void)snprintf(path, sizeof path, "%s/%s.keel", folder, name);
    if (keel_save(world, path, &(keel_save_options){ .error = &why }) == KEEL_OK) return 0;
    fprintf(stderr, "%s\n", why.message);
    return 1;
}

static int save_kinds(const char *folder, bool is_after) {
    keel_world *world = keel_world_create(NULL);
    const keel_entity a = keel_add_entity(world), b = keel_add_entity(world);
    if (is_after) {
        keel_relate(world, a, Bond, b);
        keel_add(world, b, DebtTag);
    } else {
        keel_add(world, a, BondTag);
        keel_relate(world, b, Debt, a);
    }
    const int status = save(world, folder, is_after ? "kind_after" : "kind_before");
    keel_world_destroy(world);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    keel_world *world = keel_world_create(NULL);
    const keel_entity a = keel_add_entity(world), b = keel_add_entity(world),
                      c = keel_add_entity(world), d = keel_add_entity(world);
    keel_set_name(world, a, "Ugluk");
    keel_add(world, a, Orc,
             { ANGRY, b, { { 1, "axe" }, { 2, "bread" } }, { 0.5, -1, 1e300 }, true });
    keel_add(world, b, Orc, { CALM, keel_null(), { { 0 } }, { 0 }, false });
    const Note hello = note_of("hello");
    keel_add_component(world, c, KEEL_OF(Note), &hello);
    keel_add(world, c, Path, { 3 });
    keel_add(world, c, Raw, { { 1, 2, 255 } });
    keel_add(world, d, Asleep);
    keel_attach(world, b, a);
    keel_relate(world, a, Likes, b);
    keel_relate(world, a, Likes, c);
    keel_relate(world, c, DockedAt, d, { 7 });
    keel_relate(world, a, Holds, b, { 1 });
    keel_relate(world, a, Holds, c, { 2 });
    keel_set_unique(world, Round, { 12345678901234567u });
    keel_disable(world, b, Orc);
    int status = save(world, argv[1], "before");

    keel_get_mut(world, a, Orc)->slots[1].count = 20;
    keel_get_mut(world, a, Orc)->mood = CALM;
    const Note longer = note_of("hello, world");
    keel_add_component(world, c, KEEL_OF(Note), &longer);
    keel_replace(world, c, Path, { 4 });
    keel_get_mut(world, c, Raw)->bytes[2] = 0;
    keel_enable(world, b, Orc);
    keel_detach(world, b);
    keel_set_name(world, b, "Grishnakh");
    keel_unrelate(world, a, Likes, c);
    keel_relate(world, b, Likes, a);
    keel_replace(world, c, DockedAt, { 8 });
    keel_relate(world, a, Holds, c, { 3 });
    keel_delete_entity(world, d);
    keel_add(world, keel_add_entity(world), Asleep);
    keel_set_unique(world, Round, { 12345678901234568u });
    status |= save(world, argv[1], "after");
    keel_world_destroy(world);
    status |= save_kinds(argv[1], false) | save_kinds(argv[1], true);
    return status;
}
