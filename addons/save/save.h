// SPDX-License-Identifier: MIT
// The internal header of keel::save: the format of a file, and the functions that its sources
// share. It is not installed. keel-save, the tool in tool/, includes it, too, and keel::mpi, which
// sends rows of values to other processes.
//
// A file is a header and sections; a section is a head and chunks of at most 256 KiB, each
// compressed by itself. All numbers are little-endian.
//   header:  signature[8], u16 major, u16 minor, u32 flags, zeros[24], u64 hash
//   section: tag[4], u32 flags, u64 stored, u64 raw, u64 hash
//   chunk:   u32 raw, u32 stored, u8 codec, u8 filter, u16 element, u64 hash
// Each hash is xxh3 of the bytes before it in its header or head; the hash of a chunk also covers
// the chunk's stored bytes. `raw` and `stored` are sizes before and after compression. The last
// section, ENDS, has the number of the other sections and a hash of all their hashes, so that a
// missing section is noticed.
#pragma once
#include <keel_save.h>

enum {
    SAVE_MAJOR = 1,
    // 1.1 added "info" sections and owned texts, 1.2 the bytes of .save functions
    SAVE_MINOR = 2,
    SAVE_HEADER = 48,
    SAVE_SECTION = 32,
    SAVE_CHUNK = 20,
    SAVE_CHUNK_BYTES = 256 * 1024,
    SAVE_RAW = 0,   // codec: the bytes as they are
    SAVE_ZSTD = 1,  // codec: compressed by zstd
    SAVE_PLANES = 1 // filter: byte 0 of all elements, then byte 1 of all, ...
};
extern const unsigned char keel_save_signature[8];

// A growing array of bytes. Once memory runs out, is_full is set and nothing is appended any more.
typedef struct save_bytes {
    unsigned char *data;
    size_t size, room;
    bool is_full;
} save_bytes;
void save_bytes_free(save_bytes *b);
// Appends `size` bytes for the caller to fill. Returns their address, valid until the next append.
// NULL if memory runs out.
unsigned char *save_bytes_more(save_bytes *b, size_t size);
// Appends a number in little-endian order, in `bytes` bytes.
void save_put(save_bytes *b, uint64_t number, uint32_t bytes);
// Appends the length of the text in two bytes, and the text without its zero.
void save_put_text(save_bytes *b, const char *text);

// Write and read a number of up to eight bytes, in little-endian order.
void save_write_number(unsigned char *at, uint64_t number, uint32_t bytes);
static inline uint64_t save_read_number(const unsigned char *at, uint32_t bytes) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; ++i)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}
// Like the two functions above for four bytes, but unrolled: compilers make one load or store of
// each.
static inline uint32_t save_read_index(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline void save_write_index(unsigned char *at, uint32_t index) {
    for (uint32_t i = 0; i < 4; ++i)
        at[i] = (unsigned char)(index >> (8 * i));
}
// Fills `error`, if there is one. Returns `result`.
keel_result save_fail(keel_error *error, keel_result result, const char *format, ...);

// ------------------------------------------------------------------ planes
// Reorders elements into planes: plane k has byte k of each element.
void save_to_planes(unsigned char *out, const unsigned char *in, uint32_t size, uint32_t element);
// Reverses save_to_planes.
void save_from_planes(unsigned char *out, const unsigned char *in, uint32_t size, uint32_t element);

// ------------------------------------------------------------------ sections
// Writes sections. A section has parts, each an array of elements of one size, which are compressed
// chunk by chunk. The compressed chunks stay in memory until the section ends, because its head has
// their size. After an error the calls do nothing, and save_end_section returns it.
typedef struct save_writer {
    keel_save_sink sink;
    keel_error *error;
    save_bytes hashes, packed; // hashes of all heads; compressed chunks of the section
    unsigned char *chunk;      // bytes of the next chunk, and room for their planes behind them
    uint32_t filled, most;     // number of bytes in `chunk`, and its limit: whole elements only
    uint32_t element;          // size of an element of the part, in bytes
    uint32_t filter;           // SAVE_PLANES, 0 for no filter, or 2: the part's first chunk decides
    uint64_t raw;              // uncompressed bytes of the section so far
    void *packer;              // zstd's context
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
// Appends up to `*count` elements, at least one, for the caller to fill, and sets `*count` to their
// number. NULL on error, or if the elements have one byte or are too large.
unsigned char *save_put_elements(save_writer *w, uint32_t *count);
keel_result save_end_section(save_writer *w, const char *tag);
// Writes a whole section from parts in memory.
keel_result save_write_section(save_writer *w, const char *tag, const save_part *parts,
                               uint32_t part_count);
keel_result save_write_end(save_writer *w);
void save_writer_free(save_writer *w);

// Reads sections. A section is decompressed chunk by chunk, as save_take asks for more bytes.
typedef struct save_reader {
    const unsigned char *at, *end; // rest of the file
    keel_error *error;
    uint64_t bytes_left; // number of bytes that may still be decompressed, by max_bytes
    save_bytes hashes;   // hashes of all heads read so far
    save_bytes body;   // decompressed bytes of the section, without those that save_forget removed
    size_t offset;     // number of bytes of `body` that were read
    uint64_t unpacked; // number of bytes of the section decompressed so far
    uint64_t raw;      // number of uncompressed bytes that the head of the section announces
    const unsigned char *section_end;
    size_t hashes_before; // size of `hashes` before this section
    uint64_t head_hash;
    unsigned char *chunk; // a decompressed chunk in planes
    void *unpacker;       // zstd's context
    keel_result result;   // the first error in a chunk
    uint32_t section_count, chunk_count;
    char tag[5];
    char name[80]; // a name for messages: "section COMP 'Health'"
} save_reader;
keel_result save_read_header(save_reader *r);
// Reads and checks the head of the next section. For ENDS, the last section, the whole section is
// checked.
keel_result save_read_section(save_reader *r);
// Ends a section: an error if a chunk is damaged or bytes are unread. With `skips` the rest is
// decompressed, checked and discarded.
keel_result save_finish_section(save_reader *r, bool skips);
// Returns the next `size` bytes of the section, valid until the next read. NULL if fewer are left.
const unsigned char *save_take(save_reader *r, uint64_t size);
// Returns the next number, or 0 at the end: save_finish_section then returns the error.
uint64_t save_take_number(save_reader *r, uint32_t bytes);
// Decompresses all of the section into `body`: later reads of it do not move the bytes.
keel_result save_unpack_all(save_reader *r);
// Discards the bytes that were read, to save memory.
void save_forget(save_reader *r);
bool save_has_more(const save_reader *r);
// Fills the error for invalid content with `what`, words after the name of the section. If a chunk
// was damaged, keeps its error instead: the content is invalid for that reason.
keel_result save_impossible(save_reader *r, const char *what);
void save_reader_free(save_reader *r);

// Reads a text. False if it is damaged or does not fit in `room` bytes with a zero.
bool save_take_text(save_reader *r, char *out, size_t room);

// ------------------------------------------------------------------ schema
// The type of the leaf for the bytes that the hook .save writes. These bytes lie behind the rows of
// the section, and the row has their length. Structs have leaves for their members and none of
// their own, so the number of KEEL_FIELD_STRUCT is free for this type.
#define SAVE_STREAM KEEL_FIELD_STRUCT
// A field that is no struct, or an array of such fields. A struct has a leaf for each member, and
// an array of structs has a leaf for each member of each element.
typedef struct save_leaf {
    char path[192];
    keel_field_type type;
    uint32_t offset, count; // offset in the value; number of elements, or bytes of BYTES and TEXT
    uint32_t place, texts;  // offset in a packed row; index of its first text among a row's texts
    const keel_type *of;    // the enum or flags type with its names, or NULL
} save_leaf;
// A way to write handles as other numbers than index and version, for rows that are read in a world
// where entities have other handles. The functions return false if they fail.
typedef struct save_references {
    bool (*to_number)(void *data, keel_entity e, uint64_t *number);
    bool (*to_entity)(void *data, uint64_t number, keel_entity *out);
    void *data;
} save_references;
typedef struct save_schema {
    const save_references
        *references;                 // NULL, as in files: index and version. rows.c knows no other
    const keel_component *component; // NULL: the schema was read from a file
    save_leaf *leaves;
    uint32_t leaf_count, row_bytes;
    uint32_t text_count; // number of texts of each row that lie behind the rows: owned texts, and
                         // the bytes of .save as one text
    uint32_t version;
    keel_type *types; // enum types read from a file; their names lie in `info`
    keel_named_value *values;
    save_bytes info;
} save_schema;
enum { SAVE_MOST_LEAVES = 4096 };
// Returns the bytes of an element of this type in a row of a file.
uint32_t save_element_bytes(keel_field_type type);
uint32_t save_leaf_bytes(const save_leaf *leaf);
keel_result save_schema_make(save_schema *schema, const keel_component *c, keel_error *error);
void save_schema_free(save_schema *schema);
// Appends the list of leaves, which is in the head of a section of values.
void save_put_schema(save_bytes *head, const save_schema *schema);
// Appends the version and the names of enums. They get a section "info" of their own, before the
// section of the values, because programs that know only format 1.0 skip it. False, with nothing
// appended, if the schema has neither.
bool save_put_info(save_bytes *info, const save_schema *schema);
// Reads a list of leaves. `info` is the body of the "info" section before this section, or empty;
// it moves into the schema.
keel_result save_read_schema(save_reader *r, save_schema *schema, save_bytes *info);
// True if the component keeps parents or names, which have sections of their own.
bool save_is_own(const keel_component *c);
// Returns the component's name in files.
const char *save_name(const keel_component *c);
// Returns the component that a name in a file means, or NULL.
const keel_component *save_find(const keel_world *world, const char *name, bool is_unique);
// Returns an error if two components of the world have the same name in files.
keel_result save_check_names(const keel_world *world, keel_error *error);
// True if values of the type lie behind the rows, and the rows have only their lengths.
static inline bool save_is_behind(keel_field_type type) { return type >= KEEL_FIELD_OWNED_TEXT; }
// Packs a value into a row, and appends its owned texts and the bytes of .save to `texts`. Returns
// the error of the .save hook if it fails, and KEEL_ERROR_UNKNOWN if the schema's references fail.
keel_result save_pack(const save_schema *schema, const void *value, unsigned char *row,
                      save_bytes *texts);
keel_result save_pack_stream(const save_schema *schema, const void *value, unsigned char *row,
                             save_bytes *to);
// Writes a handle. False if `references` fails.
bool save_put_entity(unsigned char *row, keel_entity e, const save_references *references);

// Read and write a number of 1, 2, 4 or 8 bytes in the byte order of the machine.
uint64_t save_host_number(const void *at, uint32_t bytes);
void save_put_host_number(void *at, uint64_t number, uint32_t bytes);

typedef struct save_number {
    bool is_float, is_signed;
    uint64_t bits; // an integer, sign-extended if signed
    double f;      // a float
} save_number;
bool save_is_number(keel_field_type type);
save_number save_get_number(const unsigned char *row, keel_field_type type);
// Reads a handle. False if this build has no such handle, or if `references` fails.
bool save_get_entity(const unsigned char *row, keel_entity *out, const save_references *references);

// The relation of a leaf of the file to the fields of this program, "today's" fields.
typedef struct save_from {
    bool is_lost;    // an element behind the end of an array that is shorter today
    bool is_gone;    // the component has no such field today
    bool is_renamed; // an enum with names that are missing or have other numbers today
    bool is_plain;   // a number of the same type
    bool is_misfit;  // a value does not fit: an error unless .migrate reads the leaf
    bool is_asked;   // .migrate has read the leaf
} save_from;
// Matches the schema of a file with that of the program's component, to convert rows to values.
typedef struct save_match {
    save_schema file, here;
    uint32_t *leaf_of; // the leaf of the file, by the leaf of `here`; UINT32_MAX: none
    save_from *from;   // by the leaf of the file
    bool has_lost;     // `is_lost` is set in at least one element of `from`
    bool narrow;       // numbers may become narrower (keel_load_options)
    bool migrates;     // the file has an older version, and the component has a .migrate hook
    // the current row, and the rest of the texts behind the rows, beginning with the next row's
    const unsigned char *row, *text_at, *text_end;
    const char **texts; // owned texts of the current row
    char *text_room;    // copies of its fixed texts, each with a zero, for keel_old_text
    keel_entity whose;  // entity of the current row, for messages; may be null
    keel_error *error;
} save_match;
struct keel_old_value {
    save_match *match;
};
// Matches the leaves. The caller has filled `file`, `here`, `narrow`, `whose` and `error`.
keel_result save_match_make(save_match *match);
void save_match_free(save_match *match);
// Calls .load with the bytes of a value, whose length is in the row.
keel_result save_unpack_stream(const save_match *match, const unsigned char *row, const char *bytes,
                               void *value);
// Makes `row` the current one. Its owned texts lie behind those of the row before. False if they
// are damaged.
bool save_match_row(save_match *match, const unsigned char *row);
// Finds the texts of a row at `*at`, stores their addresses in `texts`, and moves `*at` behind
// them. False if they are damaged. If `texts` is NULL, it only checks and skips them.
bool save_walk_texts(const save_schema *schema, const unsigned char *row, const unsigned char **at,
                     const unsigned char *end, const char **texts);
// Reads the current row into `value`, which has the initial values of new fields. On error `value`
// is still valid: the caller drops it.
keel_result save_unpack(save_match *match, void *value);
// Returns an error if a field did not fit and .migrate never read it. Called after all rows.
keel_result save_match_end(const save_match *match);
// Returns " of entity 3v1", or an empty text.
enum { SAVE_WHOSE = 48 };
const char *save_whose(const save_match *match, char text[SAVE_WHOSE]);

// ------------------------------------------------------------------ unknown components
typedef struct save_kept save_kept;
// What a save gives to entities of components that others require: given.c.
typedef struct save_given save_given;
// Notes that entities have a component, if others of the world require it. `size` is the highest
// index of an entity + 1. False when out of memory.
bool save_given_add(save_given **list, const keel_world *world, uint32_t size,
                    const keel_component *c, const keel_entity *entities, uint32_t count);
void save_given_free(save_given *list);
// Deletes what an entity has only because it was added with a component, which is disabled now.
keel_result save_given_trim(save_given *list, keel_world *world, keel_entity e,
                            const keel_component *c);

// Appends the section that `r` has read completely to the list. The indices in it are those of
// entities in `world`.
keel_result save_keep(save_kept **list, save_reader *r, save_bytes *info, const keel_world *world);
void save_kept_free(save_kept *list);
// Returns the world's list of kept sections. If the world has none: adds an empty list if `make` is
// true, otherwise returns NULL. NULL also if memory runs out.
save_kept **save_kept_of(keel_world *world, bool make);
keel_result save_write_kept(save_writer *w, const keel_world *world);

// ------------------------------------------------------------------ templates of prefab copies
typedef struct save_templates {
    struct save_template *list; // sorted by handle in the program that saved
    size_t count;
} save_templates;
void save_templates_free(save_templates *t);
// Writes the paths of the templates of all prefab copies. Templates without a path are left out.
keel_result save_write_templates(save_writer *w, const keel_world *world);
// Reads the section that save_write_templates writes, and finds each path among the templates of
// `world`.
keel_result save_read_templates(save_reader *r, keel_world *world, save_templates *t);
// Makes prefab copies in `made` refer to the templates of `world`, and reports missing templates.
void save_place_templates(const save_templates *t, keel_world *made, keel_world *world,
                          keel_load_report_fn *report, void *data);

// ------------------------------------------------------------------ rows
// A step of a plan: converts one field of many values, or copies several neighbouring fields that
// have the same bytes in a file and in memory.
typedef struct save_step {
    enum { SAVE_COPY, SAVE_HANDLES, SAVE_TEXTS, SAVE_BOOLS } kind;
    uint32_t offset, place; // offset in the value, and in the row
    uint32_t count;         // number of bytes, or for SAVE_HANDLES of handles
} save_step;
typedef struct save_plan {
    save_step *steps;
    uint32_t step_count, row_bytes, value_bytes;
    bool is_whole; // a row has the same bytes as a value, so rows are copied as one block
} save_plan;
// Plans the conversion of many values. False if memory runs out. A plan without steps means that
// values must be converted one by one.
bool save_plan_pack(save_plan *plan, const save_schema *schema);
bool save_plan_unpack(save_plan *plan, const save_match *match);
void save_plan_free(save_plan *plan);
void save_pack_rows(const save_plan *plan, const void *values, uint32_t count, unsigned char *rows);
// Converts rows to values, which have the initial values of new fields. False if a bool or a handle
// is invalid.
bool save_unpack_rows(const save_plan *plan, const unsigned char *rows, uint32_t count,
                      void *values);

// ------------------------------------------------------------------ files
// Calls `fill` with a sink, and writes the bytes that the sink receives into a new file, which then
// replaces `path`. On error the old file stays.
keel_result save_file(const char *path, keel_error *error,
                      keel_result (*fill)(keel_save_sink sink, void *data), void *data);
keel_result save_read_file(const char *path, uint64_t max_bytes, save_bytes *out,
                           keel_error *error);
// Puts the name of the file before the message of an error. Returns `result`.
keel_result save_name_file(const char *path, keel_error *error, keel_result result);
