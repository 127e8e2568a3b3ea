// SPDX-License-Identifier: MIT
// Values that own memory, as the rows of keel::save: described fields with their owned texts, and
// what the .save hook writes. Handles are ids on the way. values.c calls it, one value at a time.
//
//     bytes of texts; row; texts
#include "domain.h"

bool keeli_owned_is(const keel_component *c) { return c->drop || c->copy || c->save; }

#ifdef KEELI_MPI_NO_SAVES
keel_result keeli_owned_begin(keel_domain *d, mpi_column *column) {
    return keeli_domain_fail(d, KEEL_ERROR_COPY,
                             "'%.80s' cannot go to other ranks: its values have hooks, and "
                             "keel::mpi is built without keel::save",
                             column->component->name);
}
void keeli_owned_end(mpi_owned *owned) { (void)owned; }
// No column has values of this kind.
bool keeli_owned_pack(const mpi_column *column, const void *value, bool marks, mpi_bytes *out) {
    (void)column, (void)value, (void)marks, (void)out;
    return false;
}
bool keeli_owned_unpack(const mpi_column *column, mpi_reader *r, void *value) {
    (void)column, (void)r, (void)value;
    return false;
}
bool keeli_owned_use(const mpi_column *column, const void *value, mpi_list *used) {
    (void)column, (void)value, (void)used;
    return false;
}
#else
#include "save.h"

#include <stdlib.h>
#include <string.h>

// The purpose of packing a value.
typedef struct owned_use {
    keel_domain *d;
    const char *name;
    mpi_list *used; // receives the ghosts that handles refer to; NULL: handles become ids
    bool marks;     // as for keeli_handles_to_ids
    bool is_failed; // an error was kept
} owned_use;

struct mpi_owned {
    save_match match; // both schemas are those of the component
    save_references references;
    save_bytes texts;
    unsigned char *row;
    owned_use use;
};

// ------------------------------------------------------------------ handles
static bool to_number(void *data, keel_entity e, uint64_t *number) {
    owned_use *use = data;
    *number = 0;
    if (use->is_failed) return false;
    if (!use->used) use->is_failed = !keeli_handle_to_id(use->d, e, use->name, use->marks, number);
    else if (keel_has_component(use->d->world, e, KEEL_OF(keel_ghost)))
        use->is_failed = !keeli_list_add(use->used, e);
    return !use->is_failed;
}

static bool to_entity(void *data, uint64_t number, keel_entity *out) {
    owned_use *use = data;
    if (!use->is_failed) use->is_failed = !keeli_handle_from_id(use->d, number, out);
    return !use->is_failed;
}

// ------------------------------------------------------------------ begin and end
static bool has_owned_text(const keel_field *fields, uint32_t count) {
    for (const keel_field *f = fields; f < fields + count; ++f) {
        if (f->transient) continue;
        if (f->type == KEEL_FIELD_OWNED_TEXT) return true;
        if (f->type == KEEL_FIELD_STRUCT && f->of &&
            has_owned_text(f->of->fields, f->of->field_count))
            return true;
    }
    return false;
}

keel_result keeli_owned_begin(keel_domain *d, mpi_column *column) {
    const keel_component *c = column->component;
    if (!(c->save && c->load) && !has_owned_text(c->fields, c->field_count))
        return keeli_domain_fail(d, KEEL_ERROR_COPY,
                                 "%s '%.80s' cannot go to other ranks: its values own memory; "
                                 "give it .save and .load, or make it .transient",
                                 c->is_relation ? "relation" : "component", c->name);
    mpi_owned *o = calloc(1, sizeof *o);
    column->owned = o;
    if (!o) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
    o->use = (owned_use){ .d = d, .name = c->name };
    o->match.error = &d->error;
    KEEL_TRY(save_schema_make(&o->match.here, c, &d->error));
    KEEL_TRY(save_schema_make(&o->match.file, c, &d->error));
    o->references = (save_references){ to_number, to_entity, &o->use };
    o->match.here.references = o->match.file.references = &o->references;
    KEEL_TRY(save_match_make(&o->match));
    o->row = malloc(o->match.here.row_bytes + 1u);
    if (!o->row)
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
    column->refers = c->save != NULL; // it may write handles
    for (uint32_t i = 0; i < o->match.here.leaf_count; ++i)
        column->refers |= o->match.here.leaves[i].type == KEEL_FIELD_ENTITY;
    return KEEL_OK;
}

void keeli_owned_end(mpi_owned *o) {
    if (!o) return;
    save_match_free(&o->match);
    save_bytes_free(&o->texts);
    free(o->row);
    free(o);
}

// ------------------------------------------------------------------ writing
// Packs a value into `o->row` and `o->texts`. False: an error was kept.
static bool pack(mpi_owned *o, const void *value) {
    keel_domain *d = o->use.d;
    o->use.is_failed = false;
    o->texts.size = 0;
    const keel_result result = save_pack(&o->match.here, value, o->row, &o->texts);
    if (o->texts.is_full) {
        save_bytes_free(&o->texts);
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing '%.80s': out of memory",
                                o->use.name);
        return false;
    }
    if (result < 0 && !o->use.is_failed)
        (void)keeli_domain_fail(d, result, "'%.80s': .save failed: %s", o->use.name,
                                keel_result_text(result));
    return result >= 0;
}

bool keeli_owned_pack(const mpi_column *column, const void *value, bool marks, mpi_bytes *out) {
    mpi_owned *o = column->owned;
    o->use.used = NULL;
    o->use.marks = marks;
    if (!pack(o, value)) return false;
    const size_t row_bytes = o->match.here.row_bytes;
    uint64_t *size = keeli_bytes_add(out, sizeof *size);
    if (size) *size = o->texts.size;
    unsigned char *row = size ? keeli_bytes_add(out, row_bytes) : NULL;
    if (row) memcpy(row, o->row, row_bytes);
    unsigned char *texts = row ? keeli_bytes_add(out, o->texts.size) : NULL;
    if (texts && o->texts.size) memcpy(texts, o->texts.data, o->texts.size);
    if (!texts)
        (void)keeli_domain_fail(o->use.d, KEEL_ERROR_MEMORY, "packing '%.80s': out of memory",
                                o->use.name);
    return texts != NULL;
}

bool keeli_owned_use(const mpi_column *column, const void *value, mpi_list *used) {
    column->owned->use.used = used;
    return pack(column->owned, value);
}

// ------------------------------------------------------------------ reading
static keel_result unpack(mpi_owned *o, mpi_reader *r, void *value) {
    const keel_component *c = o->match.here.component;
    save_match *m = &o->match;
    const uint64_t *size = keeli_bytes_read(r, sizeof *size);
    const unsigned char *row = keeli_bytes_read(r, m->file.row_bytes);
    const unsigned char *texts = row ? keeli_bytes_read(r, (size_t)*size) : NULL;
    memset(value, 0, c->size);
    if (!texts)
        return keeli_domain_fail(o->use.d, KEEL_ERROR_FORMAT, "what another rank sent is damaged");
    m->text_at = texts;
    m->text_end = texts + *size;
    if (!save_match_row(m, row))
        return keeli_domain_fail(o->use.d, KEEL_ERROR_FORMAT, "what another rank sent is damaged");
    if (c->initial && c->copy && !c->copy(value, c->initial, c->hook_data)) {
        memset(value, 0, c->size);
        return keeli_domain_fail(o->use.d, KEEL_ERROR_MEMORY, "'%.80s': .copy failed", c->name);
    }
    if (c->initial && !c->copy) memcpy(value, c->initial, c->size);
    return save_unpack(m, value); // it keeps an error in the domain
}

bool keeli_owned_unpack(const mpi_column *column, mpi_reader *r, void *value) {
    mpi_owned *o = column->owned;
    const keel_component *c = column->component;
    o->use.is_failed = false;
    if (unpack(o, r, value) >= 0 && !o->use.is_failed) return true;
    if (c->drop) c->drop(value, c->hook_data);
    return false;
}
#endif
