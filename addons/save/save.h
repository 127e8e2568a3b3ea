// SPDX-License-Identifier: MIT
// What the parts of keel::save share. A file is a header and sections; a section is a head and
// chunks of at most 256 KiB, each packed by itself. All numbers are little-endian.
//   header:  signature[8], u16 major, u16 minor, u32 flags, zeros[24], u64 hash
//   section: tag[4], u32 flags, u64 stored, u64 raw, u64 hash
//   chunk:   u32 raw, u32 stored, u8 codec, u8 filter, u16 element, u64 hash
// A hash is xxh3 of what precedes it in the head, and for chunks of the stored bytes, too. The last
// section, ENDS, holds the number of the others and a hash of all hashes, so that none can be
// missing.
#pragma once
#include <keel_save.h>

enum {
    SAVE_MAJOR = 1,
    SAVE_MINOR = 1, // 1.0 had no "info" and no texts that values own
    SAVE_HEADER = 48,
    SAVE_SECTION = 32,
    SAVE_CHUNK = 20,
    SAVE_CHUNK_BYTES = 256 * 1024,
    SAVE_RAW = 0, // codecs
    SAVE_ZSTD = 1,
    SAVE_PLANES = 1 // filter: byte k of all elements, then byte k + 1
};
extern const unsigned char keel_save_signature[8];

// Bytes that grow. Once memory ran out it stays as it is, and is_full says so.
typedef struct save_bytes {
    unsigned char *data;
    size_t size, room;
    bool is_full;
} save_bytes;
void save_bytes_free(save_bytes *b);
// Room for so many more, which are part of it at once; NULL when there is no memory.
unsigned char *save_bytes_more(save_bytes *b, size_t size);
void save_put(save_bytes *b, uint64_t number, uint32_t bytes);
void save_put_text(save_bytes *b, const char *text);

void save_write_number(unsigned char *at, uint64_t number, uint32_t bytes);
uint64_t save_read_number(const unsigned char *at, uint32_t bytes);
// Fill `error`, if there is one; the result.
keel_result save_fail(keel_error *error, keel_result result, const char *format, ...);

// ------------------------------------------------------------------ sections
// `body` as a section; `elements`: how many bytes belong together in each part of it.
typedef struct save_writer {
    keel_save_sink sink;
    keel_error *error;
    save_bytes hashes, packed; // of all heads; the chunks of a section
    uint32_t section_count;
} save_writer;
typedef struct save_part {
    const save_bytes *bytes;
    uint32_t element;
} save_part;
keel_result save_write_header(save_writer *w);
keel_result save_write_section(save_writer *w, const char *tag, const save_part *parts,
                               uint32_t part_count);
keel_result save_write_end(save_writer *w);

typedef struct save_reader {
    const unsigned char *at, *end;
    keel_error *error;
    uint64_t bytes_left;     // of max_bytes
    save_bytes hashes, body; // the body of the section that was read
    size_t offset;           // in it
    uint32_t section_count;
    char tag[5];
    char name[80]; // for messages: "section COMP 'Health'"
} save_reader;
keel_result save_read_header(save_reader *r);
// The next section, checked and unpacked. ENDS is the last.
keel_result save_read_section(save_reader *r);
// The next bytes of the body; NULL when there are not as many.
const unsigned char *save_take(save_reader *r, uint64_t size);
// 0 behind the end, which save_is_at_end notices.
uint64_t save_take_number(save_reader *r, uint32_t bytes);
keel_result save_impossible(save_reader *r, const char *what);

// The text at the place where the reader is; false when there is none, or it does not fit.
bool save_take_text(save_reader *r, char *out, size_t room);

// ------------------------------------------------------------------ schema
// One leaf of the fields of a component: structs are taken apart.
typedef struct save_leaf {
    char path[192];
    keel_field_type type;
    uint32_t offset, count; // in the value; elements, or bytes of BYTES and TEXT
    uint32_t place, texts;  // in a packed row: bytes, and texts that a value owns, before it
    const keel_type *of;    // the names of an enum or flags, or NULL
} save_leaf;
typedef struct save_schema {
    const keel_component *component; // NULL: of a file
    save_leaf *leaves;
    uint32_t leaf_count, row_bytes;
    uint32_t text_count; // in a row, of texts that values own
    uint32_t version;
    keel_type *types; // of a file: names of enums, and their texts
    keel_named_value *values;
    save_bytes info;
} save_schema;
enum { SAVE_MOST_LEAVES = 4096 };
uint32_t save_element_bytes(keel_field_type type); // in a file
uint32_t save_leaf_bytes(const save_leaf *leaf);
keel_result save_schema_make(save_schema *schema, const keel_component *c, keel_error *error);
void save_schema_free(save_schema *schema);
// The head of a section, and what belongs to it: versions and names of enums, in a section "info"
// before it, which earlier programs leave out. False: there is nothing to say.
void save_put_schema(save_bytes *head, const save_schema *schema);
bool save_put_info(save_bytes *info, const save_schema *schema);
// `info`: the body of that section, which the schema takes; empty: there was none.
keel_result save_read_schema(save_reader *r, save_schema *schema, save_bytes *info);
// Is it a component that keeps links or names, which have sections of their own?
bool save_is_own(const keel_component *c);
// Its name in files; who has it, in a world.
const char *save_name(const keel_component *c);
const keel_component *save_find(const keel_world *world, const char *name, bool is_unique);
// Two that have one name in files are an error.
keel_result save_check_names(const keel_world *world, keel_error *error);
// `texts`: those that the value owns, one behind the other; a row has their lengths.
void save_pack(const save_schema *schema, const void *value, unsigned char *row, save_bytes *texts);

uint64_t save_host_number(const void *at, uint32_t bytes);
void save_put_host_number(void *at, uint64_t number, uint32_t bytes);

typedef struct save_number {
    bool is_float, is_signed;
    uint64_t bits; // of an integer
    double f;
} save_number;
bool save_is_number(keel_field_type type);
save_number save_get_number(const unsigned char *row, keel_field_type type);
// False: such a handle cannot be.
bool save_get_entity(const unsigned char *row, keel_entity *out);

// A row of the file's schema as a value of the program's.
typedef struct save_from { // a leaf of the file
    bool is_lost;          // an element of an array that is shorter now
    bool is_renamed;       // of an enum whose numbers are others now
    bool is_plain;         // a number of the same type
    bool is_misfit;        // does not fit, of which migrate may know
    bool is_asked;         // by migrate
} save_from;
typedef struct save_match {
    save_schema file, here;
    uint32_t *leaf_of; // of the file, for each here; UINT32_MAX: none
    save_from *from;
    bool has_lost; // elements of arrays
    bool narrow;   // numbers may become narrower
    bool migrates; // an older version, and the component knows what to do
    // the row that is looked at, and the texts that its value owns
    const unsigned char *row, *text_at, *text_end;
    const char **texts;
    char *text_room;   // a copy of its other texts, each with an end
    keel_entity whose; // for messages; null: nobody's
    keel_error *error;
} save_match;
struct keel_old_value {
    save_match *match;
};
// All but `file`, `here`, `narrow` and `error` is made.
keel_result save_match_make(save_match *match);
void save_match_free(save_match *match);
// Go to a row: its texts are found behind those of the row before. False: they are damaged.
bool save_match_row(save_match *match, const unsigned char *row);
// The next texts of such a row; false when they are damaged.
bool save_walk_texts(const save_schema *schema, const unsigned char *row, const unsigned char **at,
                     const unsigned char *end, const char **texts);
// `value` has what new fields begin with; on error it is a value, too.
keel_result save_unpack(save_match *match, void *value);
// Afterwards: what did not fit must have been asked for.
keel_result save_match_end(const save_match *match);
// " of entity 3v1", or nothing.
enum { SAVE_WHOSE = 48 };
const char *save_whose(const save_match *match, char text[SAVE_WHOSE]);

// ------------------------------------------------------------------ what the program does not know
typedef struct save_kept save_kept;
// Keep the section that was read; `world` has its entities.
keel_result save_keep(save_kept **list, save_reader *r, save_bytes *info, const keel_world *world);
void save_kept_free(save_kept *list);
// Where a world has them; NULL: it has none. With `make` it gets a place.
save_kept **save_kept_of(keel_world *world, bool make);
keel_result save_write_kept(save_writer *w, const keel_world *world);

// ------------------------------------------------------------------ files
keel_result save_file(const char *path, keel_error *error,
                      keel_result (*fill)(keel_save_sink sink, void *data), void *data);
keel_result save_read_file(const char *path, uint64_t max_bytes, save_bytes *out,
                           keel_error *error);
// A private world; its errors are only returned.
keel_world *save_private_world(void);
