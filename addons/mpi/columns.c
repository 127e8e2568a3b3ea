// SPDX-License-Identifier: MIT
// Entities as bytes: the ids, then a column of values for each component.
//
//     count, ids; number of whole columns, which all entities have, and no handles: for each the
//     number of the component, values; number of other columns; for each: number of the component,
//     how many have it, which rows (if not all), values
#include "domain.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ the list of columns
static int compare_names(const void *a, const void *b) {
    const mpi_column *x = a, *y = b;
    return strcmp(x->component->name, y->component->name);
}

static keel_result add_column(keel_domain *d, const keel_component *c) {
    const bool is_own =
        strcmp(c->name, "keel_global_id") == 0 || strcmp(c->name, "keel_ghost") == 0;
    const bool is_child = strcmp(c->name, "keel_child") == 0;
    if (is_child) d->child = c;
    if (c->is_relation) {
        // children are with their parents: their edges need no ghosts
        d->has_handles |= !is_child;
        KEEL_TRY(keeli_together_check(d, c));
        return keeli_column_begin(d, &d->relations[d->relation_count++], c);
    }
    if (c->transient || is_own || strcmp(c->name, "keel_name") == 0) return KEEL_OK;
    mpi_column *column = &d->columns[d->column_count++];
    KEEL_TRY(keeli_column_begin(d, column, c));
    d->has_handles |= column->refers;
    return KEEL_OK;
}

// Lists what an entity loses when it goes: its columns, and what stays on no rank.
static void list_components(keel_domain *d) {
    uint32_t count = 0;
    for (; count < d->column_count; ++count)
        d->components[count] = d->columns[count].component;
    for (const keel_component *c = NULL; (c = keel_next_component(d->world, c)) != NULL;)
        if (c->transient && !c->is_relation) d->components[count++] = c;
}

keel_result keeli_columns_begin(keel_domain *d) {
    uint32_t count = 0;
    KEEL_TRY(keeli_together_begin(d));
    KEEL_TRY(keeli_prefabs_begin(d));
    for (const keel_component *c = NULL; (c = keel_next_component(d->world, c)) != NULL;)
        ++count;
    d->columns = calloc(count + 1u, sizeof *d->columns);
    d->relations = calloc(count + 1u, sizeof *d->relations);
    d->components = calloc(count + 1u, sizeof *d->components);
    if (!d->columns || !d->relations || !d->components)
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
    for (const keel_component *c = NULL; (c = keel_next_component(d->world, c)) != NULL;)
        KEEL_TRY(add_column(d, c));
    qsort(d->columns, d->column_count, sizeof *d->columns, compare_names);
    keeli_required_sort(d);
    for (const keel_component *c = NULL; (c = keel_next_component(d->world, c)) != NULL;)
        d->last_component = c;
    list_components(d);
    qsort(d->relations, d->relation_count, sizeof *d->relations, compare_names);
    return KEEL_OK;
}

void keeli_columns_end(keel_domain *d) {
    for (uint32_t i = 0; i < d->column_count; ++i)
        keeli_column_end(&d->columns[i]);
    for (uint32_t i = 0; i < d->relation_count; ++i)
        keeli_column_end(&d->relations[i]);
    free(d->columns);
    free(d->relations);
    free(d->components);
    free(d->together);
    keeli_prefabs_end(d);
}

// ------------------------------------------------------------------ writing
static bool add_u32(mpi_bytes *out, uint32_t number) {
    uint32_t *at = keeli_bytes_add(out, sizeof *at);
    if (at) *at = number;
    return at != NULL;
}

// Appends values that own memory. False: an error was kept.
static bool pack_owned(keel_domain *d, const mpi_column *column, const mpi_list *entities,
                       uint32_t has, size_t rows_at, mpi_bytes *out) {
    for (uint32_t k = 0; k < has; ++k) {
        uint32_t row = k;
        if (rows_at < SIZE_MAX) memcpy(&row, out->items + rows_at + k * sizeof row, sizeof row);
        const keel_entity e = entities->items[row];
        const void *value = keel_get_component(d->world, e, column->component);
        if (!keeli_value_pack(d, column, value, true, out)) return false;
    }
    return true;
}

static const void *find_value(const keel_domain *d, const keel_lookup *lookup, keel_entity e,
                              const keel_component *c) {
    if (c->size) return keeli_column_at(lookup, e, c->size, lookup->shift);
    return keel_has_component(d->world, e, c) ? c : NULL;
}

// Finds the values of some entities, NULL for those without. Returns how many have one.
static uint32_t find_values(keel_domain *d, const keel_component *c, const mpi_list *entities,
                            const void **found) {
    const keel_lookup lookup = keel_lookup_of_component(d->world, c);
    uint32_t has = 0;
    for (uint32_t i = 0; i < entities->count; ++i) {
        found[i] = find_value(d, &lookup, entities->items[i], c);
        has += found[i] != NULL;
    }
    return has;
}

// Copies the values that were found. Common sizes are copied without a call.
static void copy_values(const void *const *found, uint32_t count, size_t size, unsigned char *to) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!found[i]) continue;
        if (size == 8) memcpy(to, found[i], 8);
        else if (size == 16) memcpy(to, found[i], 16);
        else memcpy(to, found[i], size);
        to += size;
    }
}

// Returns the values of some entities, NULL for those without, and counts them. NULL when out of
// memory.
static const void **find_column(keel_domain *d, const mpi_column *column, const mpi_list *entities,
                                uint32_t *has) {
    d->room.size = 0;
    const void **found = keeli_bytes_add(&d->room, entities->count * sizeof *found);
    if (found) *has = find_values(d, column->component, entities, found);
    return found;
}

// Appends a column if it is whole, and notes it. False when out of memory.
static bool pack_whole(keel_domain *d, const mpi_list *entities, uint32_t number, mpi_bytes *out) {
    mpi_column *column = &d->columns[number];
    const size_t size = column->component->size;
    column->is_whole = false;
    if (column->owned || column->handle_count || !size) return true;
    uint32_t has = 0;
    const void **found = find_column(d, column, entities, &has);
    if (!found || has < entities->count) return found != NULL;
    column->is_whole = true;
    unsigned char *values = add_u32(out, number) ? keeli_bytes_add(out, has * size) : NULL;
    if (values) copy_values(found, has, size, values);
    return values != NULL;
}

// Appends the column of a component. False: an error was kept, or out of memory.
static bool pack_column(keel_domain *d, const mpi_list *entities, uint32_t number, mpi_bytes *out) {
    const mpi_column *column = &d->columns[number];
    const uint32_t count = entities->count;
    const size_t size = column->component->size;
    uint32_t has = 0;
    const void **found = find_column(d, column, entities, &has);
    uint32_t *head = found ? keeli_bytes_add(out, 2 * sizeof *head) : NULL;
    if (!head) return false;
    head[0] = number;
    head[1] = has;
    const size_t rows_at = out->size;
    uint32_t *rows = keeli_bytes_add(out, has < count ? has * sizeof *rows : 0);
    if (!rows) return false;
    for (uint32_t i = 0, k = 0; i < count && has < count; ++i)
        if (found[i]) rows[k++] = i;
    if (column->owned)
        return pack_owned(d, column, entities, has, has < count ? rows_at : SIZE_MAX, out);
    const size_t values_at = out->size;
    unsigned char *values = keeli_bytes_add(out, has * size);
    if (!values) return false;
    if (size) copy_values(found, count, size, values);
    for (uint32_t k = 0; k < has && column->handle_count; ++k)
        if (!keeli_handles_to_ids(d, column, out->items + values_at + k * size, true)) return false;
    return true;
}

// Appends all columns: the whole ones first. False: an error was kept, or out of memory.
static bool pack_columns(keel_domain *d, const mpi_list *entities, mpi_bytes *out) {
    uint32_t counts[2] = { 0, 0 };
    const size_t whole_at = out->size;
    bool is_well = add_u32(out, 0);
    for (uint32_t i = 0; i < d->column_count && is_well; ++i) {
        is_well = pack_whole(d, entities, i, out);
        ++counts[!d->columns[i].is_whole];
    }
    const size_t rest_at = out->size;
    is_well = is_well && add_u32(out, 0);
    for (uint32_t i = 0; i < d->column_count && is_well; ++i)
        if (!d->columns[i].is_whole) is_well = pack_column(d, entities, i, out);
    if (!is_well) return false;
    memcpy(out->items + whole_at, &counts[0], sizeof counts[0]);
    memcpy(out->items + rest_at, &counts[1], sizeof counts[1]);
    return true;
}

static void pack_ids(keel_domain *d, const mpi_list *entities, uint64_t *ids) {
    const keel_lookup lookup = keel_lookup_of_component(d->world, KEEL_OF(keel_global_id));
    for (uint32_t i = 0; i < entities->count; ++i) {
        const keel_global_id *id =
            keeli_column_at(&lookup, entities->items[i], sizeof *id, lookup.shift);
        ids[i] = id->value;
    }
}

keel_result keeli_columns_pack(keel_domain *d, const mpi_list *entities, mpi_bytes *out) {
    if (!entities->count) return KEEL_OK;
    KEEL_TRY(keeli_leaving_begin(d, entities));
    const size_t head = out->size;
    d->error.result = KEEL_OK;
    bool has_room = add_u32(out, entities->count);
    uint64_t *ids = has_room ? keeli_bytes_add(out, entities->count * sizeof *ids) : NULL;
    if (ids) pack_ids(d, entities, ids);
    has_room = ids && pack_columns(d, entities, out);
    if (!has_room) {
        out->size = head;
        return d->error.result < 0
                   ? d->error.result
                   : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing entities: out of memory");
    }
    return keeli_leaving_pack(d, entities, out);
}

// ------------------------------------------------------------------ reading
static keel_result damaged(keel_domain *d, uint32_t from) {
    return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "what rank %u sent is damaged", (unsigned)from);
}

// Makes a ghost an entity of this rank.
static keel_result own_ghost(keel_domain *d, keel_entity e, uint64_t id) {
    // removed and not deleted: it did not die
    keel_ghost ghost;
    const keel_out out[] = { { KEEL_OF(keel_ghost), &ghost, NULL }, { NULL, NULL, NULL } };
    if (keel_remove_component_values(d->world, e, out) < 0) return keeli_domain_fail_world(d);
    (void)keeli_map_add(&d->arrived, id, 1);
    return KEEL_OK;
}

// The entities of a message, and the columns that all of them have.
typedef struct arrival {
    keel_entity *entities, *made;
    const uint64_t *ids;
    uint32_t count, missing, from; // missing: not here as ghosts
    keel_value_column *whole;      // ids, marks of those that other ranks may know, values
} arrival;

// Reads the whole columns.
static keel_result read_whole(keel_domain *d, mpi_reader *r, arrival *a) {
    const uint32_t columns = keeli_read_u32(r);
    if (columns > d->column_count) return damaged(d, a->from);
    a->whole = calloc(columns + 3u, sizeof *a->whole);
    if (!a->whole) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking: out of memory");
    keel_value_column *next = a->whole;
    *next++ = (keel_value_column){ KEEL_OF(keel_global_id), a->ids, sizeof *a->ids };
    if (d->has_handles)
        *next++ = (keel_value_column){ KEEL_OF(keel_known_ghost), a->ids, sizeof *a->ids };
    for (uint32_t i = 0; i < columns; ++i) {
        const uint32_t number = keeli_read_u32(r);
        if (r->is_short || number >= d->column_count) return damaged(d, a->from);
        const keel_component *c = d->columns[number].component;
        const void *values = keeli_bytes_read(r, (size_t)a->count * c->size);
        if (!values || d->columns[number].owned) return damaged(d, a->from);
        *next++ = (keel_value_column){ c, values, c->size };
    }
    return KEEL_OK;
}

// Finds the entities that are here as ghosts.
static keel_result find_ghosts(keel_domain *d, arrival *a) {
    for (uint32_t i = 0; i < a->count; ++i) {
        a->entities[i] = keeli_ids_find(&d->ids, a->ids[i]);
        const bool is_here = !keel_is_null(a->entities[i]);
        a->missing += !is_here;
        if (is_here && !keel_has_component(d->world, a->entities[i], KEEL_OF(keel_ghost)))
            return keeli_domain_fail(d, KEEL_ERROR_OCCUPIED,
                                     "ranks %u and %u both own the entity with the global id %llu; "
                                     "each entity of all ranks has an id of its own",
                                     (unsigned)d->desc.ranks.rank, (unsigned)a->from,
                                     (unsigned long long)a->ids[i]);
    }
    return KEEL_OK;
}

// Creates the entities that are not here, and gives all their whole columns.
static keel_result create_missing(keel_domain *d, arrival *a) {
    const bool all_new = a->missing == a->count;
    if (a->missing &&
        keel_add_entity_columns(d->world, a->missing, a->made, all_new ? a->whole : NULL) < 0)
        return keeli_domain_fail_world(d);
    for (uint32_t i = 0, next = 0; i < a->count; ++i) {
        if (!keel_is_null(a->entities[i])) {
            KEEL_TRY(own_ghost(d, a->entities[i], a->ids[i]));
            continue;
        }
        a->entities[i] = a->made[next++];
        if (!keeli_ids_add(&d->ids, a->ids[i], a->entities[i])) return damaged(d, a->from);
    }
    for (const keel_value_column *c = a->whole; c->component && !all_new; ++c)
        if (keel_add_component_to_many(d->world, a->entities, a->count, c->component, c->values,
                                       c->stride) < 0)
            return keeli_domain_fail_world(d);
    return KEEL_OK;
}

// Makes the entities of a message this rank's, with their whole columns.
static keel_result take_entities(keel_domain *d, mpi_reader *r, arrival *a) {
    KEEL_TRY(read_whole(d, r, a));
    a->entities = malloc((size_t)a->count * 2 * sizeof *a->entities);
    if (!a->entities || !keeli_ids_reserve(&d->ids, a->count))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking: out of memory");
    a->made = a->entities + a->count;
    KEEL_TRY(find_ghosts(d, a));
    if (!keeli_map_reserve(&d->arrived, a->count - a->missing))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking: out of memory");
    return create_missing(d, a);
}

// The entities of a message that have one column.
typedef struct column_rows {
    const uint32_t *rows; // they ascend; NULL: all have it
    uint32_t count, column;
} column_rows;

// Deletes components of entities that do not have them any more, the last column first: it may
// require those before it.
static keel_result delete_rest(keel_domain *d, const keel_entity *entities, uint32_t count,
                               const column_rows *all, uint32_t columns) {
    for (const column_rows *one = all + columns; one-- > all;)
        for (uint32_t i = 0, k = 0; i < count && one->rows; ++i) {
            if (k < one->count && one->rows[k] == i) ++k;
            else if (keel_delete_component(d->world, entities[i],
                                           d->columns[one->column].component) < 0)
                return keeli_domain_fail_world(d);
        }
    return KEEL_OK;
}

const void *keeli_columns_handles(keel_domain *d, const mpi_column *column, const void *values,
                                  uint32_t count) {
    const size_t size = column->component->size;
    d->scratch.size = 0;
    unsigned char *copies = keeli_bytes_add(&d->scratch, count * size);
    if (!copies) {
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking: out of memory");
        return NULL;
    }
    memcpy(copies, values, count * size);
    for (uint32_t i = 0; i < count; ++i)
        if (!keeli_handles_from_ids(d, column, copies + i * size)) return NULL;
    return copies;
}

// Unpacks values that own memory.
static keel_result unpack_owned(keel_domain *d, mpi_reader *r, const mpi_column *column,
                                const keel_entity *entities, uint32_t count) {
    const keel_component *c = column->component;
    for (uint32_t k = 0; k < count; ++k) {
        void *value = keeli_value_unpack(d, column, r);
        if (!value) return d->error.result;
        if (keel_add_component(d->world, entities[k], c, value) >= 0) continue;
        if (c->drop) c->drop(value, c->hook_data);
        return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

// Unpacks one column, and notes who has it. `room` has a place for each entity.
static keel_result unpack_column(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                                 uint32_t count, keel_entity *room, column_rows *noted,
                                 uint32_t from) {
    const uint32_t *head = keeli_bytes_read(r, 2 * sizeof *head);
    if (!head || head[0] >= d->column_count || head[1] > count) return damaged(d, from);
    const mpi_column *column = &d->columns[head[0]];
    const keel_component *c = column->component;
    const uint32_t has = head[1];
    const uint32_t *rows = has < count ? keeli_bytes_read(r, has * sizeof *rows) : NULL;
    const void *values = column->owned ? NULL : keeli_bytes_read(r, (size_t)has * c->size);
    if (r->is_short) return damaged(d, from);
    *noted = (column_rows){ rows, has, head[0] };
    for (uint32_t k = 0; k < has; ++k) {
        const uint32_t row = rows ? rows[k] : k;
        if (row >= count) return damaged(d, from);
        room[k] = entities[row];
    }
    if (column->owned) {
        KEEL_TRY(unpack_owned(d, r, column, room, has));
    } else if (column->handle_count && has) {
        values = keeli_columns_handles(d, column, values, has);
        if (!values) return d->error.result;
    }
    if (has && !column->owned &&
        keel_add_component_to_many(d->world, room, has, c, c->size ? values : NULL, c->size) < 0)
        return keeli_domain_fail_world(d);
    return KEEL_OK;
}

// Unpacks all columns of some entities.
static keel_result unpack_columns(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                                  uint32_t count, uint32_t columns, uint32_t from) {
    if (columns > d->column_count) return damaged(d, from);
    keel_entity *room = malloc(count * sizeof *room);
    column_rows *noted = malloc((columns + 1) * sizeof *noted);
    keel_result result = KEEL_OK;
    if (!room || !noted)
        result = keeli_domain_fail(d, KEEL_ERROR_MEMORY, "unpacking: out of memory");
    for (uint32_t i = 0; i < columns && result == KEEL_OK; ++i)
        result = unpack_column(d, r, entities, count, room, &noted[i], from);
    if (result == KEEL_OK) result = delete_rest(d, entities, count, noted, columns);
    free(room);
    free(noted);
    return result;
}

static keel_result unpack_entities(keel_domain *d, mpi_reader *r, arrival *a) {
    KEEL_TRY(take_entities(d, r, a));
    const uint32_t columns = keeli_read_u32(r);
    KEEL_TRY(unpack_columns(d, r, a->entities, a->count, columns, a->from));
    return keeli_leaving_unpack(d, r, a->entities, a->count);
}

keel_result keeli_columns_unpack(keel_domain *d, keel_rank_bytes in, uint32_t from) {
    mpi_reader r = keeli_reader(in);
    while (r.at < r.end) {
        arrival a = { .count = keeli_read_u32(&r), .from = from };
        a.ids = keeli_bytes_read(&r, (size_t)a.count * sizeof *a.ids);
        if (r.is_short || !a.count) return damaged(d, from);
        const keel_result result = unpack_entities(d, &r, &a);
        free(a.entities);
        free(a.whole);
        KEEL_TRY(result);
        d->status.received += a.count;
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ hashing
typedef struct hash_walk {
    keel_domain *d;
    const mpi_column *column;
    mpi_bytes value;
    uint64_t sum;
    bool is_failed; // an error was kept
} hash_walk;

static bool hash_run(const keel_value_run *run, void *data) {
    hash_walk *h = data;
    const keel_component *c = h->column->component;
    const uint64_t name = keeli_hash_bytes(c->name, strlen(c->name), run->disabled);
    for (uint32_t i = 0; i < run->count; ++i) {
        const keel_entity e = keel_entity_at(h->d->world, run->index + i);
        const keel_global_id *id = keel_get_component(h->d->world, e, KEEL_OF(keel_global_id));
        if (!id || keel_has_component(h->d->world, e, KEEL_OF(keel_ghost))) continue;
        uint64_t hash = keeli_hash_bytes(&id->value, sizeof id->value, name);
        h->is_failed = !keeli_value_hash(h->d, h->column,
                                         (const unsigned char *)run->values + (size_t)i * c->size,
                                         &h->value, &hash);
        if (h->is_failed) return false;
        h->sum += hash;
    }
    return true;
}

static bool hash_span_of_names(keel_domain *d, const keel_span *span, void *data) {
    uint64_t *hash = data;
    const keel_global_id *ids = keel_span_read_component(span, KEEL_OF(keel_global_id));
    for (uint32_t i = 0; i < span->count; ++i) {
        const char *name = keel_name_of(d->world, span->entities[i]);
        if (name) *hash += keeli_hash_bytes(name, strlen(name), ids[i].value);
    }
    return true;
}

static keel_result hash_names(keel_domain *d, uint64_t *hash) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    return keeli_each_span(d, terms, "hashing names", hash_span_of_names, hash);
}

keel_result keeli_columns_hash(keel_domain *d, const char *only, uint64_t *hash) {
    *hash = 0;
    if (!only) KEEL_TRY(hash_names(d, hash));
    hash_walk h = { .d = d };
    keel_result result = KEEL_OK;
    for (uint32_t i = 0; i < d->column_count && result >= 0; ++i) {
        const keel_component *c = d->columns[i].component;
        if (only && strcmp(only, c->name) != 0) continue;
        h.column = &d->columns[i];
        result = keel_visit_values(d->world, c, hash_run, &h);
        if (h.is_failed) result = d->error.result;
        else if (result < 0) (void)keeli_domain_fail(d, result, "hashing: '%s' is in use", c->name);
    }
    *hash += h.sum;
    free(h.value.items);
    return result < 0 ? result : keeli_edges_hash(d, only, hash);
}
