// SPDX-License-Identifier: MIT
// Divides space anew: each rank tells places of its entities and how long they take, and all cut
// space in the same way. domain.c asks after each step whether that pays.
#include "domain.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double keeli_seconds(void) {
    struct timespec now = { 0 };
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double keeli_seconds_of_thread(void) {
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// ------------------------------------------------------------------ how long entities take
enum { WINDOW = 16 }; // steps

// Returns the seconds of one entity in a workload: the least of the last steps, for what disturbs a
// process only adds. 0: not known.
static double seconds_of_entity(const keel_domain *d) {
    const double a = d->least_seconds[0], b = d->least_seconds[1];
    return !(a > 0) || (b > 0 && b < a) ? b : a;
}

double keeli_balance_note(keel_domain *d, double seconds) {
    if (d->status.steps % WINDOW == 0) {
        d->least_seconds[1] = d->least_seconds[0];
        d->least_seconds[0] = 0;
    }
    double *const least = &d->least_seconds[0];
    const double one = d->owned ? seconds / d->owned : 0;
    if (one > 0 && (!(*least > 0) || one < *least)) *least = one;
    return seconds_of_entity(d) * d->owned;
}

bool keeli_balance_pays(const keel_domain *d) {
    const double average = d->all_seconds / d->desc.ranks.count;
    return d->most_seconds > d->desc.balance_above * average &&
           d->most_seconds - average > d->most_cost;
}

// ------------------------------------------------------------------ samples
// Places of this rank, one in every `step`, and how much work each stands for.
typedef struct sample {
    mpi_point *points;
    uint32_t count, step, number;
    double weight;
} sample;

static bool sample_span(keel_domain *d, const keel_span *span, void *data) {
    sample *s = data;
    const char *values = keel_span_read_component(span, d->desc.position);
    for (uint32_t i = 0; i < span->count; ++i) {
        if (s->number++ % s->step || s->count == MPI_SAMPLE) continue;
        mpi_point *point = &s->points[s->count++];
        keeli_position_read(d, values + (size_t)i * d->desc.position->size, point->at);
        point->weight = s->weight;
    }
    return true;
}

static keel_result take_sample(keel_domain *d, sample *s) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = d->desc.position },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_END } };
    s->points = calloc(MPI_SAMPLE, sizeof *s->points);
    if (!s->points) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "balancing: out of memory");
    const uint32_t all = keel_component_count(d->world, d->desc.position);
    const uint32_t ghosts = keel_component_count(d->world, KEEL_OF(keel_ghost));
    const uint32_t owned = all > ghosts ? all - ghosts : 0; // about: ghosts may have no place
    s->step = owned / MPI_SAMPLE + 1;
    s->weight = s->step * seconds_of_entity(d);
    return keeli_each_span(d, terms, "keel::mpi: a sample", sample_span, s);
}

// Tells all ranks where some of this rank's entities are, and how much work each stands for.
static keel_result tell_sample(keel_domain *d) {
    sample s = { .points = NULL };
    const keel_result result = take_sample(d, &s);
    const keel_result told = keeli_domain_tell_all(d, s.points, s.count * sizeof *s.points);
    free(s.points);
    return result < 0 ? result : told;
}

// Gives points of ranks that have not measured any step the weight of the others.
static void weigh_unknown(mpi_point *points, size_t count) {
    double all = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; ++i) {
        all += points[i].weight;
        known += points[i].weight > 0;
    }
    for (size_t i = 0; i < count; ++i)
        if (!(points[i].weight > 0)) points[i].weight = known ? all / (double)known : 1;
}

static keel_result cut_space(keel_domain *d) {
    KEEL_TRY(tell_sample(d));
    size_t count = 0;
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r)
        count += d->receive[r].size / sizeof(mpi_point);
    mpi_point *points = malloc((count + 1) * sizeof *points);
    if (!points) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "balancing: out of memory");
    count = 0;
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        const size_t some = d->receive[r].size / sizeof(mpi_point);
        if (some) memcpy(points + count, d->receive[r].bytes, some * sizeof *points);
        count += some;
    }
    weigh_unknown(points, count);
    keeli_regions_cut(d->cuts, d->desc.ranks.count, points, (uint32_t)count, d->desc.dimensions);
    keeli_region_box(d->cuts, d->desc.ranks.count, d->desc.ranks.rank, &d->region);
    free(points);
    return KEEL_OK;
}

// ------------------------------------------------------------------ balance
keel_result keel_domain_balance(keel_domain *d) {
    if (!d) return KEEL_ERROR_ARGUMENT;
    const double begin = keeli_seconds_of_thread();
    keel_result result = keeli_move(d, cut_space(d));
    if (result >= 0) result = keeli_handles_collect(d);
    if (result >= 0) result = keeli_curve_sort(d);
    d->own_cost = keeli_seconds_of_thread() - begin;
    d->most_cost = 0;
    result = keeli_domain_agree(d, result, 0);
    d->all_seconds = d->most_seconds = 0;
    ++d->status.balances;
    d->is_out_of_step |= result < 0;
    return result;
}
