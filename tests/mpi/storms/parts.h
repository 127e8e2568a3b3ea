// SPDX-License-Identifier: MIT
// The components and relations of the entities in a storm: one of each kind that goes to other
// ranks, and those that stay. All files of mpi_storms include it.
#pragma once
#include <keel_mpi.h>
#include <keel_save.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ values without hooks
typedef struct Place {
    int32_t x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
typedef struct Life {
    uint32_t born, children, generation, unused;
} Life;
KEEL_COMPONENT(Life, .storage = KEEL_ARCHETYPE, .no_padding = true);
typedef struct Mood {
    uint64_t mood;
} Mood;
KEEL_COMPONENT(Mood, .storage = KEEL_INDEXED, .no_padding = true, .tracking = KEEL_TRACK_ALL);
typedef struct Mixed { // its padding does not count
    uint8_t small;
    uint64_t large;
} Mixed;
KEEL_FIELDS(Mixed, small, large);
KEEL_COMPONENT(Mixed, KEEL_HAS_FIELDS(Mixed), .storage = KEEL_ARCHETYPE);
typedef struct Wide {
    _Alignas(32) uint64_t numbers[8];
} Wide;
KEEL_COMPONENT(Wide, .no_padding = true);
typedef struct Seen {
    uint64_t hash; // of what the entity saw, in order
} Seen;
KEEL_COMPONENT(Seen, .no_padding = true);
KEEL_TAG(Red);
KEEL_TAG(Rare, .storage = KEEL_ARCHETYPE);
// What is required comes before what requires it by name, and behind it.
typedef struct Aim {
    uint32_t at;
} Aim;
KEEL_COMPONENT(Aim, .no_padding = true);
KEEL_TAG(Sniper, .required = KEEL_LIST(Aim));
typedef struct Zoom {
    uint32_t factor;
} Zoom;
KEEL_COMPONENT(Zoom, .no_padding = true, .storage = KEEL_ARCHETYPE);
typedef struct Barrel {
    uint32_t length;
} Barrel;
KEEL_COMPONENT(Barrel, .no_padding = true, .required = KEEL_LIST(Zoom));
typedef struct Scratch {
    uint64_t number;
} Scratch;
KEEL_COMPONENT(Scratch, .transient = true);

// Entities that go to those of other ranks. They have no followers, and nobody knows them.
typedef struct Mail {
    uint64_t number;
} Mail;
KEEL_COMPONENT(Mail, .no_padding = true);

// ------------------------------------------------------------------ handles, and values with hooks
typedef struct Pair {
    uint32_t number;
    keel_entity other;
} Pair;
KEEL_FIELDS(Pair, number, other);
enum { KNOWN = 4 };
typedef struct Knows {
    keel_entity who[KNOWN];
    Pair pairs[2];
    uint64_t lost;
} Knows;
KEEL_FIELDS(Knows, who, KEEL_FIELD(pairs, .of = KEEL_TYPE(Pair)), lost);
KEEL_COMPONENT(Knows, KEEL_HAS_FIELDS(Knows));
typedef struct Entry {
    keel_entity about;
    uint64_t number;
} Entry;
typedef struct Diary {
    Entry *entries; // at most four
    uint32_t count;
} Diary;
void parts_drop_diary(void *value, void *data);
bool parts_copy_diary(void *to, const void *from, void *data);
keel_result parts_save_diary(const void *value, keel_stream *out, void *data);
keel_result parts_load_diary(void *value, keel_stream *in, void *data);
// Appends an entry, and forgets the first of four.
void parts_write_diary(Diary *diary, keel_entity about, uint64_t number);
KEEL_COMPONENT(Diary, .storage = KEEL_ARCHETYPE, .drop = parts_drop_diary, .copy = parts_copy_diary,
               .save = parts_save_diary, .load = parts_load_diary);
typedef struct Title {
    char *text; // owned
    keel_entity giver;
} Title;
void parts_drop_title(void *value, void *data);
bool parts_copy_title(void *to, const void *from, void *data);
// Returns a text that depends on a number, from malloc, or NULL for some.
char *parts_text(uint64_t number);
KEEL_FIELDS(Title, text, giver);
KEEL_COMPONENT(Title, KEEL_HAS_FIELDS(Title), .drop = parts_drop_title, .copy = parts_copy_title);
typedef struct Gun {
    keel_entity bullet; // a template
} Gun;
KEEL_FIELDS(Gun, bullet);
KEEL_COMPONENT(Gun, KEEL_HAS_FIELDS(Gun));

// ------------------------------------------------------------------ relations
typedef struct Part {
    uint64_t number;
} Part;
KEEL_VALUED_RELATION(Part, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES, .no_padding = true);
KEEL_RELATION(Hung, .exclusive = true);
KEEL_RELATION(Bolt, .exclusive = true, .on_delete = KEEL_REFUSE);
KEEL_RELATION(Likes);
typedef struct Owes {
    keel_entity witness;
    uint64_t amount;
} Owes;
KEEL_FIELDS(Owes, witness, amount);
KEEL_VALUED_RELATION(Owes, KEEL_HAS_FIELDS(Owes));
typedef struct Home {
    uint64_t since;
} Home;
KEEL_VALUED_RELATION(Home, .exclusive = true, .no_padding = true);
typedef Title Letter; // an edge that owns a text
KEEL_FIELDS(Letter, text, giver);
KEEL_VALUED_RELATION(Letter, KEEL_HAS_FIELDS(Letter), .drop = parts_drop_title,
                     .copy = parts_copy_title);
typedef Diary Log; // the value is the component of the source
KEEL_VALUED_RELATION(Log, .exclusive = true, .drop = parts_drop_diary, .copy = parts_copy_diary,
                     .save = parts_save_diary, .load = parts_load_diary);
KEEL_RELATION(Guards, .exclusive = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Fans, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Friend, .symmetric = true);
typedef struct Married {
    uint64_t vow;
} Married;
KEEL_VALUED_RELATION(Married, .symmetric = true, .exclusive = true, .no_padding = true);
KEEL_RELATION(Whim, .transient = true);
