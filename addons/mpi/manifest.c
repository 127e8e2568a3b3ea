// SPDX-License-Identifier: MIT
// The manifest of a checkpoint: a text that names the parts, with a hash of each and of itself.
// checkpoint.c calls it.
//
//     keel-checkpoint 1
//     steps 120
//     schema 0123456789abcdef
//     parts 2
//     part 7-0.keel 51234 0123456789abcdef 3     name, bytes, hash, number of the last id
//     part 7-1.keel 50110 0123456789abcdef 0
//     end 0123456789abcdef                       hash of the lines above
#include "manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, MOST_LINE = 128 };
static const uint64_t most_steps = UINT64_C(1) << 62, most_serial = (UINT64_C(1) << 44) - 1;

// A place in the text of a manifest. After a word that does not fit all reads fail.
typedef struct manifest_reader {
    const char *at, *end;
    bool is_wrong;
} manifest_reader;

// ------------------------------------------------------------------ writing
char *keeli_manifest_text(const mpi_manifest *m) {
    const size_t room = ((size_t)m->count + 5) * MOST_LINE;
    char *text = malloc(room);
    if (!text) return NULL;
    int at = snprintf(text, room,
                      "keel-checkpoint %d\nsteps %" PRIu64 "\nschema %016" PRIx64 "\nparts %" PRIu32
                      "\n",
                      FORMAT, m->steps, m->schema, m->count);
    for (uint32_t i = 0; i < m->count; ++i) {
        const mpi_part *p = &m->parts[i];
        at += snprintf(text + at, MOST_LINE, "part %s %" PRIu64 " %016" PRIx64 " %" PRIu64 "\n",
                       p->name, p->size, p->hash, p->serial);
    }
    (void)snprintf(text + at, MOST_LINE, "end %016" PRIx64 "\n",
                   keeli_manifest_hash(text, (size_t)at));
    return text;
}

// ------------------------------------------------------------------ reading
static void take_text(manifest_reader *r, const char *text) {
    const size_t length = strlen(text);
    r->is_wrong |= (size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0;
    if (!r->is_wrong) r->at += length;
}

// Reads a number without leading zeros.
static uint64_t take_number(manifest_reader *r, uint64_t most) {
    uint64_t number = 0;
    const char *begin = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; ++r->at) {
        const uint64_t digit = (uint64_t)(*r->at - '0');
        r->is_wrong |= number > (most - digit) / 10 || (number == 0 && r->at > begin);
        if (!r->is_wrong) number = 10 * number + digit;
    }
    r->is_wrong |= r->at == begin || number > most;
    return r->is_wrong ? 0 : number;
}

// Reads 16 hexadecimal digits.
static uint64_t take_hash(manifest_reader *r) {
    static const char digits[] = "0123456789abcdef";
    uint64_t hash = 0;
    for (int i = 0; i < 16 && !r->is_wrong; ++i) {
        const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;
        r->is_wrong = !digit;
        if (digit) hash = hash << 4 | (uint64_t)(digit - digits);
        r->at += digit != NULL;
    }
    return hash;
}

// Reads the name of a part: digits, a minus and `.keel`, so that it stays in its folder.
static void take_name(manifest_reader *r, char name[MPI_PART_NAME]) {
    const char *begin = r->at;
    (void)take_number(r, UINT64_MAX);
    take_text(r, "-");
    (void)take_number(r, UINT32_MAX);
    take_text(r, ".keel");
    const size_t length = (size_t)(r->at - begin);
    r->is_wrong |= length >= MPI_PART_NAME;
    if (r->is_wrong) return;
    memcpy(name, begin, length);
    name[length] = 0;
}

static void take_part(manifest_reader *r, mpi_part *part) {
    take_text(r, "part ");
    take_name(r, part->name);
    take_text(r, " ");
    part->size = take_number(r, INT64_MAX);
    take_text(r, " ");
    part->hash = take_hash(r);
    take_text(r, " ");
    part->serial = take_number(r, most_serial);
    take_text(r, "\n");
}

keel_result keeli_manifest_read(mpi_manifest *m, const char *text, size_t size, const char **why) {
    manifest_reader r = { text, text + size, false };
    *m = (mpi_manifest){ 0 };
    *why = "it is no manifest of a checkpoint";
    take_text(&r, "keel-checkpoint ");
    const uint64_t format = take_number(&r, UINT32_MAX);
    if (r.is_wrong) return KEEL_ERROR_FORMAT;
    *why = "a newer version of Keel wrote it";
    if (format > FORMAT) return KEEL_ERROR_FORMAT;
    *why = "it is damaged";
    take_text(&r, "\nsteps ");
    m->steps = take_number(&r, most_steps);
    take_text(&r, "\nschema ");
    m->schema = take_hash(&r);
    take_text(&r, "\nparts ");
    const uint32_t count = (uint32_t)take_number(&r, MPI_MOST_RANKS);
    take_text(&r, "\n");
    if (r.is_wrong || !count || format != FORMAT) return KEEL_ERROR_FORMAT;
    m->parts = calloc(count, sizeof *m->parts);
    *why = "out of memory";
    if (!m->parts) return KEEL_ERROR_MEMORY;
    *why = "it is damaged";
    for (uint32_t i = 0; i < count && !r.is_wrong; ++i)
        take_part(&r, &m->parts[i]);
    const size_t hashed = (size_t)(r.at - text);
    take_text(&r, "end ");
    const uint64_t hash = take_hash(&r);
    take_text(&r, "\n");
    if (!r.is_wrong && r.at == r.end && hash == keeli_manifest_hash(text, hashed)) {
        m->count = count;
        return KEEL_OK;
    }
    free(m->parts);
    m->parts = NULL;
    return KEEL_ERROR_FORMAT;
}
