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
    // 1.0 had no "info" and no texts that values own, 1.1 no bytes that functions write
    SAVE_MINOR = 2,
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
static inline uint64_t save_read_number(const unsigned char *at, uint32_t bytes) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; ++i)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}
// The same of four, which compilers make one step of.
static inline uint32_t save_read_index(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline void save_write_index(unsigned char *at, uint32_t index) {
    for (uint32_t i = 0; i < 4; ++i)
        at[i] = (unsigned char)(index >> (8 * i));
}
// Fill `error`, if there is one; the result.
keel_result save_fail(keel_error *error, keel_result result, const char *format, ...);

// ------------------------------------------------------------------ planes
// Byte k of all elements, one plane behind the other; and back.
void save_to_planes(unsigned char *out, const unsigned char *in, uint32_t size, uint32_t element);
void save_from_planes(unsigned char *out, const unsigned char *in, uint32_t size, uint32_t element);

// ------------------------------------------------------------------ sections
// A section is made of parts, each of elements of so many bytes, which are packed as they come:
// only what is packed is kept until its end, as the head says how much it is. An error stays, and
// is the result of the end.
typedef struct save_writer {
    keel_save_sink sink;
    keel_error *error;
    save_bytes hashes, packed; // of all heads; the chunks of a section
    unsigned char *chunk;      // what is not packed yet, and room for its planes behind it
    uint32_t filled, most;     // bytes of it, and when it is full
    uint32_t element, filter;  // of the part
    uint64_t raw;              // of the section
    void *packer;              // of zstd
    keel_result result;
    uint32_t section_count;
} save_writer;
typedef struct save_part {
    const save_bytes *bytes;
    uint32_t element;
} save_part;
keel_result save_write_header(save_writer *w);
void save_begin_section(save_writer *w);
void save_begin_part(save_writer *w, uint32_t element);
void save_put_bytes(save_writer *w, const void *bytes, size_t size);
// Room for `*count` elements or fewer, at least one, which are filled in then; NULL: an error, or
// the elements are too large for that.
unsigned char *save_put_elements(save_writer *w, uint32_t *count);
keel_result save_end_section(save_writer *w, const char *tag);
// All of it at once.
keel_result save_write_section(save_writer *w, const char *tag, const save_part *parts,
                               uint32_t part_count);
keel_result save_write_end(save_writer *w);
void save_writer_free(save_writer *w);

// A section is unpacked chunk by chunk as it is taken.
typedef struct save_reader {
    const unsigned char *at, *end;
    keel_error *error;
    uint64_t bytes_left; // of max_bytes
    save_bytes hashes;   // of what was read
    save_bytes body;     // of the section: what was unpacked and not forgotten,
    size_t offset;       // taken of that,
    uint64_t unpacked;   // and how much there was in all
    uint64_t raw;        // what its head says that there will be
    const unsigned char *section_end;
    size_t hashes_before; // of the sections before
    uint64_t head_hash;
    unsigned char *chunk; // one that is unpacked
    void *unpacker;       // of zstd
    keel_result result;   // the first error in a chunk
    uint32_t section_count, chunk_count;
    char tag[5];
    char name[80]; // for messages: "section COMP 'Health'"
} save_reader;
keel_result save_read_header(save_reader *r);
// The next section, whose head is right. ENDS is the last.
keel_result save_read_section(save_reader *r);
// All of it was taken, and is right; what is skipped need not be taken.
keel_result save_finish_section(save_reader *r, bool skips);
// The next bytes, until more are taken; NULL when there are not as many.
const unsigned char *save_take(save_reader *r, uint64_t size);
// 0 behind the end, which save_finish_section notices.
uint64_t save_take_number(save_reader *r, uint32_t bytes);
// All of the section lies in `body`, and what is taken stays where it is.
keel_result save_unpack_all(save_reader *r);
// What was taken is not needed any more.
void save_forget(save_reader *r);
bool save_has_more(const save_reader *r);
// What was taken last cannot be; the error of a chunk, if that is why.
keel_result save_impossible(save_reader *r, const char *what);
void save_reader_free(save_reader *r);

// The text at the place where the reader is; false when there is none, or it does not fit.
bool save_take_text(save_reader *r, char *out, size_t room);

// ------------------------------------------------------------------ schema
// The type of what .save writes: as long as it says, behind the rows. There is no such field.
#define SAVE_STREAM KEEL_FIELD_STRUCT
// One leaf of the fields of a component: structs are taken apart.
typedef struct save_leaf {
    char path[192];
    keel_field_type type;
    uint32_t offset, count; // in the value; elements, or bytes of BYTES and TEXT
    uint32_t place, texts;  // in a packed row: bytes, and what lies behind the rows, before it
    const keel_type *of;    // the names of an enum or flags, or NULL
} save_leaf;
typedef struct save_schema {
    const keel_component *component; // NULL: of a file
    save_leaf *leaves;
    uint32_t leaf_count, row_bytes;
    uint32_t text_count; // in a row, of what lies behind the rows: owned texts, a stream
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
// Does it lie behind the rows, which have its length?
static inline bool save_is_behind(keel_field_type type) { return type >= KEEL_FIELD_OWNED_TEXT; }
// `texts`: what lies behind the rows of the values before. An error is that of .save.
keel_result save_pack(const save_schema *schema, const void *value, unsigned char *row,
                      save_bytes *texts);
keel_result save_pack_stream(const keel_component *c, const void *value, unsigned char *row,
                             save_bytes *to);
void save_put_entity(unsigned char *row, keel_entity e);

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
    bool is_gone;          // there is no such field any more
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
// What .load makes of the bytes, whose length is in the row.
keel_result save_unpack_stream(const save_match *match, const unsigned char *row, const char *bytes,
                               void *value);
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

// ------------------------------------------------------------------ what copies were made of
typedef struct save_templates {
    struct save_template *list; // by handle, in the program that saved
    size_t count;
} save_templates;
void save_templates_free(save_templates *t);
// The paths of the templates that copies of prefabs were made of, where they have one.
keel_result save_write_templates(save_writer *w, const keel_world *world);
// The section that was read; `world` has the templates of this program.
keel_result save_read_templates(save_reader *r, keel_world *world, save_templates *t);
// Copies in `made` name the templates of `world`; what is not there is told.
void save_place_templates(const save_templates *t, keel_world *made, keel_world *world,
                          keel_load_report_fn *report, void *data);

// ------------------------------------------------------------------ rows
// Many values at a time: what of them is the same in a file is copied, column by column.
typedef struct save_step {
    enum { SAVE_COPY, SAVE_HANDLES, SAVE_TEXTS, SAVE_BOOLS } kind;
    uint32_t offset, place, count; // in the value, in the row; bytes, or handles
} save_step;
typedef struct save_plan {
    save_step *steps;
    uint32_t step_count, row_bytes, value_bytes;
    bool is_whole; // a row is a value
} save_plan;
// False when memory ran out. A plan without steps: values are converted one by one.
bool save_plan_pack(save_plan *plan, const save_schema *schema);
bool save_plan_unpack(save_plan *plan, const save_match *match);
void save_plan_free(save_plan *plan);
void save_pack_rows(const save_plan *plan, const void *values, uint32_t count, unsigned char *rows);
// Into values which have what new fields begin with. False: one is none of its type.
bool save_unpack_rows(const save_plan *plan, const unsigned char *rows, uint32_t count,
                      void *values);

// ------------------------------------------------------------------ files
keel_result save_file(const char *path, keel_error *error,
                      keel_result (*fill)(keel_save_sink sink, void *data), void *data);
keel_result save_read_file(const char *path, uint64_t max_bytes, save_bytes *out,
                           keel_error *error);
// The error of a file begins with its name. Answers with the result.
keel_result save_name_file(const char *path, keel_error *error, keel_result result);
// A private world; its errors are only returned.
keel_world *save_private_world(void);
