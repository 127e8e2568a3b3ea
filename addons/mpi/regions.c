// SPDX-License-Identifier: MIT
// Divides space by recursive coordinate bisection: cuts the longest side so that both parts weigh
// as much as their shares of the ranks, and then each part likewise. The cuts are a tree in an
// array: behind a cut come those of its lower side, then those of its upper side.
#include "domain.h"

#include <math.h>
#include <stdlib.h>

static int compare(double a, double b) { return (a > b) - (a < b); }
static int compare_x(const void *a, const void *b) {
    return compare(((const mpi_point *)a)->at[0], ((const mpi_point *)b)->at[0]);
}
static int compare_y(const void *a, const void *b) {
    return compare(((const mpi_point *)a)->at[1], ((const mpi_point *)b)->at[1]);
}
static int compare_z(const void *a, const void *b) {
    return compare(((const mpi_point *)a)->at[2], ((const mpi_point *)b)->at[2]);
}

static uint32_t longest_axis(const mpi_point *points, uint32_t count, uint32_t dimensions) {
    uint32_t longest = 0;
    double length = -1;
    for (uint32_t axis = 0; axis < dimensions; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            low = fmin(low, points[i].at[axis]);
            high = fmax(high, points[i].at[axis]);
        }
        if (high - low > length) {
            length = high - low;
            longest = axis;
        }
    }
    return longest;
}

// Returns the number of points, which are sorted, that weigh about a part of all.
static uint32_t find_part(const mpi_point *points, uint32_t count, double part) {
    double all = 0, below = 0;
    for (uint32_t i = 0; i < count; ++i)
        all += points[i].weight;
    for (uint32_t i = 0; i < count; ++i) {
        if (below + points[i].weight / 2 > all * part) return i;
        below += points[i].weight;
    }
    return count;
}

void keeli_regions_cut(mpi_cut *cuts, uint32_t ranks, mpi_point *points, uint32_t count,
                       uint32_t dimensions) {
    static int (*const by[MPI_AXES])(const void *, const void *) = { compare_x, compare_y,
                                                                     compare_z };
    if (ranks < 2) return;
    const uint32_t lower = ranks / 2, axis = longest_axis(points, count, dimensions);
    if (count) qsort(points, count, sizeof *points, by[axis]);
    const uint32_t below = find_part(points, count, (double)lower / ranks);
    double at = 0;
    if (count)
        at = !below           ? points[0].at[axis]
             : below == count ? nextafter(points[count - 1].at[axis], INFINITY)
                              : (points[below - 1].at[axis] + points[below].at[axis]) / 2;
    *cuts = (mpi_cut){ .at = at, .axis = axis, .lower = lower };
    keeli_regions_cut(cuts + 1, lower, points, below, dimensions);
    keeli_regions_cut(cuts + lower, ranks - lower, points + below, count - below, dimensions);
}

uint32_t keeli_region_of(const mpi_cut *cuts, uint32_t ranks, const double at[MPI_AXES]) {
    uint32_t first = 0;
    while (ranks > 1) {
        const uint32_t lower = cuts->lower;
        if (at[cuts->axis] < cuts->at) {
            ranks = lower;
            ++cuts;
        } else {
            first += lower;
            ranks -= lower;
            cuts += lower;
        }
    }
    return first;
}

void keeli_region_box(const mpi_cut *cuts, uint32_t ranks, uint32_t rank, mpi_box *box) {
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        box->low[axis] = -INFINITY;
        box->high[axis] = INFINITY;
    }
    while (ranks > 1) {
        const uint32_t lower = cuts->lower, axis = cuts->axis;
        if (rank < lower) {
            box->high[axis] = fmin(box->high[axis], cuts->at);
            ranks = lower;
            ++cuts;
        } else {
            box->low[axis] = fmax(box->low[axis], cuts->at);
            rank -= lower;
            ranks -= lower;
            cuts += lower;
        }
    }
}

static uint32_t meet(const mpi_cut *cuts, uint32_t first, uint32_t ranks, const mpi_box *box,
                     uint32_t *out) {
    if (ranks == 1) {
        *out = first;
        return 1;
    }
    const uint32_t lower = cuts->lower;
    uint32_t count = 0;
    if (box->low[cuts->axis] < cuts->at) count = meet(cuts + 1, first, lower, box, out);
    if (box->high[cuts->axis] >= cuts->at)
        count += meet(cuts + lower, first + lower, ranks - lower, box, out + count);
    return count;
}

uint32_t keeli_regions_meet(const mpi_cut *cuts, uint32_t ranks, const mpi_box *box,
                            uint32_t *out) {
    return meet(cuts, 0, ranks, box, out);
}
