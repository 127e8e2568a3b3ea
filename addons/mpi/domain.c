// SPDX-License-Identifier: MIT
// The public functions of a domain: its begin and end, steps, balance, counts and errors.
#include "domain.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ errors
keel_result keeli_domain_fail(keel_domain *d, keel_result result, const char *format, ...) {
    d->error = (keel_error){ .result = result };
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(d->error.message, sizeof d->error.message, format, arguments);
    va_end(arguments);
    return result;
}

keel_result keeli_domain_fail_world(keel_domain *d) {
    d->error = *keel_last_error(d->world);
    return d->error.result < 0 ? d->error.result
                               : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "out of memory");
}

const keel_error *keel_domain_error(const keel_domain *d) {
    static const keel_error none = { .result = KEEL_OK };
    return d ? &d->error : &none;
}

// ------------------------------------------------------------------ exchanges
keel_result keeli_domain_exchange(keel_domain *d) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        d->send[r] = (keel_rank_bytes){ d->out[r].items, d->out[r].size };
        if (r != d->desc.ranks.rank) d->status.bytes_sent += d->out[r].size;
        d->out[r].size = 0;
    }
    const double begin = keeli_seconds();
    const bool is_well = d->desc.ranks.exchange(d->desc.ranks.self, d->send, d->receive);
    d->status.seconds_waited += keeli_seconds() - begin;
    if (is_well) return KEEL_OK;
    return keeli_domain_fail(d, KEEL_ERROR_FILE, "another rank has stopped");
}

keel_result keeli_domain_tell_all(keel_domain *d, const void *bytes, size_t size) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        if (keeli_bytes_copy(&d->out[r], bytes, size)) continue;
        d->desc.ranks.stop(d->desc.ranks.self, "out of memory");
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "telling all ranks: out of memory");
    }
    return keeli_domain_exchange(d);
}

// The report that each rank gives all others at the end of each call.
typedef struct rank_report {
    double seconds, cost; // in the workload; of the last balance
    uint32_t has_error;   // then it follows
    uint32_t must_move_again;
    int32_t unclaimed;
} rank_report;

// Reads the reports of all ranks. Returns the error of the lowest rank that has one.
static keel_result read_reports(keel_domain *d) {
    double most = 0;
    d->unclaimed = 0;
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        d->readers[r] = keeli_reader(d->receive[r]);
        const rank_report *report = keeli_bytes_read(&d->readers[r], sizeof *report);
        if (!report)
            return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "rank %u sent no report", (unsigned)r);
        d->all_seconds += report->seconds;
        most = report->seconds > most ? report->seconds : most;
        d->most_cost = report->cost > d->most_cost ? report->cost : d->most_cost;
        d->must_move_again |= report->must_move_again;
        d->unclaimed += report->unclaimed;
        if (!report->has_error) continue;
        const keel_error *error = keeli_bytes_read(&d->readers[r], sizeof *error);
        if (!error) continue;
        d->error = *error;
        if (d->desc.ranks.count > 1)
            (void)snprintf(d->error.message, sizeof d->error.message, "rank %u: %.230s",
                           (unsigned)r, error->message);
        return d->error.result;
    }
    d->most_seconds += most;
    return KEEL_OK;
}

static keel_result agree(keel_domain *d, keel_result own, double seconds, const mpi_bytes *note) {
    const rank_report report = { .seconds = seconds,
                                 .cost = d->own_cost,
                                 .has_error = own < 0,
                                 .must_move_again = d->must_move_again,
                                 .unclaimed = d->unclaimed };
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        mpi_bytes *out = &d->out[r];
        bool has_room = keeli_bytes_copy(out, &report, sizeof report);
        if (own < 0) has_room &= keeli_bytes_copy(out, &d->error, sizeof d->error);
        else if (note) has_room &= keeli_bytes_copy(out, note->items, note->size);
        if (!has_room) d->desc.ranks.stop(d->desc.ranks.self, "out of memory");
    }
    KEEL_TRY(keeli_domain_exchange(d));
    return read_reports(d);
}

keel_result keeli_domain_agree(keel_domain *d, keel_result own, double seconds) {
    return agree(d, own, seconds, NULL);
}

keel_result keeli_domain_agree_and_tell(keel_domain *d, keel_result own, double seconds) {
    return agree(d, own, seconds, &d->note);
}

// ------------------------------------------------------------------ views
keel_result keeli_each_span_of(keel_domain *d, keel_scope *scope, const keel_term *terms,
                               const char *name, mpi_span_fn *function, void *data) {
    keel_view view;
    keel_iterator walk;
    if (keel_view_begin(&view, scope, terms, name) < 0) return keeli_domain_fail_world(d);
    d->error = (keel_error){ .result = KEEL_OK };
    bool is_well = keel_iterator_begin(&walk, &view) == KEEL_OK;
    for (keel_span span; is_well && keel_iterator_next_span(&walk, &span);)
        is_well = function(d, &span, data);
    keel_view_end(&view);
    if (is_well) return KEEL_OK;
    return d->error.result < 0 ? d->error.result
                               : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "%s: out of memory", name);
}

// ------------------------------------------------------------------ positions
static double read_number(const keel_field *f, const void *at) {
    switch (f->type) {
    case KEEL_FIELD_F32:
        return (double)*(const float *)at;
    case KEEL_FIELD_F64:
        return *(const double *)at;
    case KEEL_FIELD_I32:
        return *(const int32_t *)at;
    case KEEL_FIELD_U32:
        return *(const uint32_t *)at;
    case KEEL_FIELD_I64:
        return (double)*(const int64_t *)at;
    case KEEL_FIELD_U64:
        return (double)*(const uint64_t *)at;
    default:
        return 0;
    }
}

static bool is_number(const keel_field *f) {
    return f->type >= KEEL_FIELD_I32 && f->type <= KEEL_FIELD_F64 && f->count <= 1;
}

void keeli_position_read(const keel_domain *d, const void *value, double at[MPI_AXES]) {
    at[1] = at[2] = 0;
    for (uint32_t axis = 0; axis < d->desc.dimensions; ++axis) {
        const keel_field *f = &d->desc.position->fields[axis];
        at[axis] = read_number(f, (const char *)value + f->offset);
    }
}

// ------------------------------------------------------------------ begin
// Adds a component to those of ghosts, and before it what it requires.
static keel_result add_ghost_component(keel_domain *d, const keel_component *c) {
    c = keel_register_component(d->world, c); // it has a name
    if (!c) return keeli_domain_fail_world(d);
    const uint32_t number = keeli_column_number(d, c);
    for (uint32_t i = 0; i < d->ghost_count; ++i)
        if (d->ghost_columns[i] == number) return KEEL_OK;
    for (const keel_component *const *r = c->required; r && *r; ++r)
        KEEL_TRY(add_ghost_component(d, *r));
    if (number == MPI_NO_COLUMN || d->ghost_count == KEEL_MAX_TERMS)
        return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                 "ghosts cannot have '%.80s': at most %d components of the "
                                 "world, none of them transient or a relation",
                                 c->name, KEEL_MAX_TERMS);
    if (d->columns[number].owned)
        return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                 "ghosts cannot have '%.80s': its values have hooks; leave it "
                                 "out of .ghosts, or let a component without hooks say what "
                                 "others see",
                                 c->name);
    d->ghost_components[d->ghost_count] = d->columns[number].component;
    d->ghost_columns[d->ghost_count++] = number;
    d->ghost_size += d->columns[number].component->size;
    return KEEL_OK;
}

static keel_result find_ghost_components(keel_domain *d) {
    KEEL_TRY(add_ghost_component(d, d->desc.position));
    for (uint32_t i = 0; d->desc.ghosts && d->desc.ghosts[i]; ++i)
        KEEL_TRY(add_ghost_component(d, d->desc.ghosts[i]));
    return KEEL_OK;
}

// Tracks what the readers of the domain follow. Each step reads all of it, so the logs need no
// limit.
static keel_result track_ids(keel_domain *d) {
    const keel_component *const tracked[] = { KEEL_OF(keel_global_id), KEEL_OF(keel_ghost),
                                              KEEL_OF(keel_known_ghost) };
    for (size_t i = 0; i < sizeof tracked / sizeof *tracked; ++i) {
        const uint32_t kinds = i ? KEEL_TRACK_DELETION : KEEL_TRACK_INSERTION | KEEL_TRACK_DELETION;
        if (!keel_register_component(d->world, tracked[i]) ||
            keel_track_component(d->world, tracked[i], kinds) < 0 ||
            keel_set_limit_of(d->world, tracked[i], UINT32_MAX) < 0)
            return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

static keel_result check_desc(keel_domain *d) {
    const keel_component *position = d->desc.position;
    if (!position || d->desc.dimensions < 1 || d->desc.dimensions > MPI_AXES)
        return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                 "a domain needs .position, and 1 to 3 .dimensions");
    bool is_fit = position->field_count >= d->desc.dimensions;
    for (uint32_t i = 0; i < d->desc.dimensions && is_fit; ++i)
        is_fit = is_number(&position->fields[i]);
    if (!is_fit || !(d->desc.halo >= 0))
        return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                 "the first %u fields of '%.80s' must be numbers of 32 or 64 bits "
                                 "(KEEL_FIELDS), and .halo 0 or more",
                                 (unsigned)d->desc.dimensions, position->name);
    d->desc.position = keel_register_component(d->world, position);
    return d->desc.position ? track_ids(d) : keeli_domain_fail_world(d);
}

static keel_domain *refuse(const keel_domain_desc *desc, keel_result result, const char *text) {
    if (desc && desc->error) {
        *desc->error = (keel_error){ .result = result };
        (void)snprintf(desc->error->message, sizeof desc->error->message, "%s", text);
    }
    return NULL;
}

// Makes the lists of ranks. False when out of memory.
static bool make_room(keel_domain *d) {
    const uint32_t ranks = d->desc.ranks.count;
    d->cuts = calloc(ranks, sizeof *d->cuts);
    d->near = calloc(ranks, sizeof *d->near);
    d->lists = calloc(ranks + MPI_MORE_LISTS, sizeof *d->lists);
    d->out = calloc(ranks, sizeof *d->out);
    d->send = calloc(ranks, sizeof *d->send);
    d->receive = calloc(ranks, sizeof *d->receive);
    d->readers = calloc(ranks, sizeof *d->readers);
    d->told = calloc(ranks, sizeof *d->told);
    d->shown = calloc(ranks, sizeof *d->shown);
    d->seen = calloc(ranks, sizeof *d->seen);
    d->heads = calloc(ranks, sizeof *d->heads);
    d->seen_hashes = calloc(ranks, sizeof *d->seen_hashes);
    d->reader = keel_reader_create(d->world, "keel::mpi: ids");
    d->known_deleted = keel_reader_create(d->world, "keel::mpi: deaths");
    d->ghosts_deleted = keel_reader_create(d->world, "keel::mpi: deleted ghosts");
    return d->cuts && d->near && d->lists && d->out && d->send && d->receive && d->readers &&
           d->told && d->shown && d->seen && d->heads && d->seen_hashes && d->reader &&
           d->known_deleted && d->ghosts_deleted;
}

static keel_result begin(keel_domain *d) {
    KEEL_TRY(check_desc(d));
    for (uint32_t i = 0; d->desc.ghosts && d->desc.ghosts[i]; ++i)
        if (!keel_register_component(d->world, d->desc.ghosts[i]))
            return keeli_domain_fail_world(d);
    KEEL_TRY(keeli_columns_begin(d));
    KEEL_TRY(find_ghost_components(d));
    // entities that are there already were inserted before the reader began
    return keeli_ids_begin(d);
}

keel_domain *keel_domain_begin(keel_world *world, const keel_domain_desc *desc) {
    if (!world || !desc)
        return refuse(desc, KEEL_ERROR_ARGUMENT, "a domain needs a world and a descriptor");
    keel_domain *d = calloc(1, sizeof *d);
    if (!d) return refuse(desc, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
    d->world = world;
    d->desc = *desc;
    if (!d->desc.ranks.count) d->desc.ranks = keel_mpi_ranks();
    if (!d->desc.dimensions) d->desc.dimensions = 2;
    if (!(d->desc.balance_above > 0)) d->desc.balance_above = 1.2;
    const keel_ranks ranks = d->desc.ranks;
    if (!ranks.count || ranks.count > MPI_MOST_RANKS || ranks.rank >= ranks.count) {
        free(d);
        return refuse(desc, KEEL_ERROR_ARGUMENT,
                      "a domain needs .ranks, 1 to 4096: Keel is built without MPI");
    }
    if (!make_room(d)) {
        ranks.stop(ranks.self, "out of memory");
        keel_domain_end(d);
        return refuse(desc, KEEL_ERROR_MEMORY, "beginning a domain: out of memory");
    }
    keel_result result = keeli_domain_agree(d, begin(d), 0);
    if (result >= 0) result = keeli_domain_agree(d, keeli_schema_compare(d), 0);
    if (result >= 0)
        result = d->desc.restart ? keeli_checkpoint_restart(d) : keel_domain_balance(d);
    d->desc.restart = NULL; // the caller's text
    if (result >= 0) return d;
    const keel_error error = d->error;
    keel_domain_end(d);
    (void)refuse(desc, result, error.message);
    return NULL;
}

void keel_domain_end(keel_domain *d) {
    if (!d) return;
    for (uint32_t r = 0; r < d->desc.ranks.count + MPI_MORE_LISTS; ++r)
        if (d->lists) free(d->lists[r].items);
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        if (d->out) free(d->out[r].items);
    }
    keel_reader_destroy(d->reader);
    keel_reader_destroy(d->known_deleted);
    keel_reader_destroy(d->ghosts_deleted);
    keeli_map_free(&d->ids);
    keeli_map_free(&d->arrived);
    keeli_ghosts_end(d);
    free(d->cuts);
    keeli_columns_end(d);
    mpi_bytes *const bytes[] = { &d->enabled, &d->scratch, &d->gone, &d->fresh,
                                 &d->changes, &d->room,    &d->note, &d->dead_ids };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i)
        free(bytes[i]->items);
    free(d->near);
    free(d->lists);
    free(d->out);
    free(d->readers);
    free(d->told);
    free(d->send);
    free(d->receive);
    free(d);
}

// ------------------------------------------------------------------ steps
// Runs the workload. Returns the seconds that it took of a processor.
static double run(keel_domain *d, const keel_workload *workload, keel_result *result) {
    const double begin = keeli_seconds_of_thread();
    const keel_run_desc run = { .dt = d->desc.dt };
    if (*result >= 0) *result = keeli_schema_check_workload(d, workload);
    if (*result >= 0 && keel_run_workload_of(d->world, workload, &run) < 0)
        *result = keeli_domain_fail_world(d);
    return keeli_seconds_of_thread() - begin;
}

// Writes what the other ranks have to know of the workload: who died, and the reduced uniques.
static keel_result write_note(keel_domain *d) {
    d->note.size = 0;
    KEEL_TRY(keeli_schema_check_known(d));
    KEEL_TRY(keeli_ids_update(d));
    KEEL_TRY(keeli_deaths_note(d));
    const uint64_t size = d->dead_ids.size;
    if (!keeli_bytes_copy(&d->note, &size, sizeof size) ||
        !keeli_bytes_copy(&d->note, d->dead_ids.items, d->dead_ids.size))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "telling deaths: out of memory");
    return keeli_reduce_write(d, &d->note);
}

static keel_result read_notes(keel_domain *d) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        const uint64_t *size = keeli_bytes_read(&d->readers[r], sizeof *size);
        const void *ids = size ? keeli_bytes_read(&d->readers[r], (size_t)*size) : NULL;
        d->told[r] = (keel_rank_bytes){ ids, ids ? (size_t)*size : 0 };
    }
    d->dead_ids.size = 0;
    return keeli_reduce_read(d);
}

keel_result keel_domain_step(keel_domain *d, const keel_workload *workload) {
    if (!d || !workload) return KEEL_ERROR_ARGUMENT;
    const double begin = keeli_seconds();
    keel_result result = keeli_ghosts_refresh(d);
    const double seen = keeli_seconds();
    const double seconds = run(d, workload, &result);
    if (result >= 0) result = keeli_ghosts_check(d);
    const double ran = keeli_seconds();
    d->status.seconds_ghosts += seen - begin;
    d->status.seconds_run += ran - seen;
    if (result >= 0) result = write_note(d);
    result = keeli_domain_agree_and_tell(d, result, keeli_balance_note(d, seconds));
    if (result >= 0) {
        const keel_result read = read_notes(d), told = keeli_deaths_tell(d);
        result = keeli_move(d, read < 0 ? read : told);
    }
    d->status.seconds_move += keeli_seconds() - ran;
    d->is_out_of_step = result < 0;
    KEEL_TRY(result);
    ++d->status.steps;
    return keeli_balance_pays(d) ? keel_domain_balance(d) : KEEL_OK;
}

// ------------------------------------------------------------------ answers
keel_entity keel_domain_find(const keel_domain *d, keel_global_id id) {
    return d ? keeli_ids_find(&d->ids, id.value) : keel_null();
}

keel_domain_status keel_domain_status_of(const keel_domain *d) {
    if (!d) return (keel_domain_status){ 0 };
    keel_domain_status status = d->status;
    status.rank = d->desc.ranks.rank;
    status.ranks = d->desc.ranks.count;
    status.owned = keel_component_count(d->world, KEEL_OF(keel_global_id)) -
                   keel_component_count(d->world, KEEL_OF(keel_ghost));
    status.imbalance =
        d->all_seconds > 0 ? d->most_seconds * d->desc.ranks.count / d->all_seconds : 1;
    return status;
}

// Adds up a number of each rank.
static keel_result sum(keel_domain *d, keel_result own, uint64_t *number) {
    KEEL_TRY(keeli_domain_agree(d, own, 0));
    KEEL_TRY(keeli_domain_tell_all(d, number, sizeof *number));
    *number = 0;
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r)
        if (d->receive[r].size == sizeof *number) *number += *(const uint64_t *)d->receive[r].bytes;
    return KEEL_OK;
}

keel_result keel_domain_count(keel_domain *d, uint64_t *count) {
    if (!d || !count) return KEEL_ERROR_ARGUMENT;
    *count = keel_component_count(d->world, KEEL_OF(keel_global_id)) -
             keel_component_count(d->world, KEEL_OF(keel_ghost));
    return sum(d, KEEL_OK, count);
}

keel_result keel_domain_hash(keel_domain *d, uint64_t *hash) {
    if (!d || !hash) return KEEL_ERROR_ARGUMENT;
    return sum(d, keeli_columns_hash(d, NULL, hash), hash);
}

keel_result keel_domain_hash_of(keel_domain *d, const keel_component *component, uint64_t *hash) {
    if (!d || !component || !hash) return KEEL_ERROR_ARGUMENT;
    const char *name = component->name ? component->name : component->type;
    return sum(d, keeli_columns_hash(d, name, hash), hash);
}
