// SPDX-License-Identifier: MIT
// Ranks as the processes of a job of MPI. Without MPI (KEELI_MPI) there are none.
#include "keel_mpi.h"

#ifdef KEELI_MPI
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { TAG = 7, PIECE = 1 << 30 };

typedef struct mpi_job {
    MPI_Comm communicator;
    keel_ranks ranks;
    uint64_t *sizes;       // bytes that go to each rank, then bytes that come from each
    MPI_Request *requests; // 0: room for none
    size_t request_room;
    unsigned char *received;
    size_t room;
} mpi_job;

static void finalize(void) {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (!is_over) MPI_Finalize();
}

static void stop(void *self, const char *why) {
    const mpi_job *job = self;
    (void)fprintf(stderr, "keel::mpi: rank %u stops the job: %s\n", (unsigned)job->ranks.rank, why);
    MPI_Abort(job->communicator, 1);
}

static size_t pieces_of(uint64_t size) { return (size_t)((size + PIECE - 1) / PIECE); }

// Makes room for what comes, and for one request for each piece.
static bool make_room(mpi_job *job) {
    const uint32_t count = job->ranks.count;
    size_t all = 0, pieces = 0;
    for (uint32_t r = 0; r < count; ++r) {
        all += ((size_t)job->sizes[count + r] + 15) & ~(size_t)15;
        pieces += pieces_of(job->sizes[r]) + pieces_of(job->sizes[count + r]);
    }
    if (all > job->room) {
        unsigned char *larger = realloc(job->received, 2 * all);
        if (!larger) return false;
        job->received = larger;
        job->room = 2 * all;
    }
    if (pieces <= job->request_room) return true;
    MPI_Request *more = realloc(job->requests, 2 * pieces * sizeof *more);
    if (!more) return false;
    job->requests = more;
    job->request_room = 2 * pieces;
    return true;
}

static bool exchange(void *self, const keel_rank_bytes *out, keel_rank_bytes *in) {
    mpi_job *job = self;
    const uint32_t count = job->ranks.count;
    for (uint32_t r = 0; r < count; ++r)
        job->sizes[r] = out[r].size;
    MPI_Alltoall(job->sizes, 1, MPI_UINT64_T, job->sizes + count, 1, MPI_UINT64_T,
                 job->communicator);
    if (!make_room(job)) {
        stop(job, "out of memory");
        return false;
    }
    int requests = 0;
    size_t at = 0;
    for (uint32_t r = 0; r < count; ++r) {
        const size_t size = (size_t)job->sizes[count + r];
        in[r] = (keel_rank_bytes){ job->received + at, size };
        for (size_t done = 0; done < size; done += PIECE)
            MPI_Irecv(job->received + at + done, (int)(size - done < PIECE ? size - done : PIECE),
                      MPI_BYTE, (int)r, TAG, job->communicator, &job->requests[requests++]);
        at += (size + 15) & ~(size_t)15;
    }
    for (uint32_t r = 0; r < count; ++r)
        for (size_t done = 0; done < out[r].size; done += PIECE) {
            const size_t left = out[r].size - done;
            MPI_Isend((const char *)out[r].bytes + done, (int)(left < PIECE ? left : PIECE),
                      MPI_BYTE, (int)r, TAG, job->communicator, &job->requests[requests++]);
        }
    MPI_Waitall(requests, job->requests, MPI_STATUSES_IGNORE);
    return true;
}

keel_ranks keel_mpi_ranks(void) {
    static mpi_job job; // a process is one rank of one job
    if (job.ranks.count) return job.ranks;
    int is_ready = 0, rank = 0, count = 1;
    MPI_Initialized(&is_ready);
    if (!is_ready) {
        MPI_Init(NULL, NULL);
        (void)atexit(finalize);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &job.communicator);
    MPI_Comm_rank(job.communicator, &rank);
    MPI_Comm_size(job.communicator, &count);
    job.sizes = calloc(2 * (size_t)count, sizeof *job.sizes);
    if (!job.sizes) return (keel_ranks){ .count = 0 };
    job.ranks = (keel_ranks){ &job, (uint32_t)rank, (uint32_t)count, exchange, stop };
    return job.ranks;
}
#else
keel_ranks keel_mpi_ranks(void) { return (keel_ranks){ .count = 0 }; }
#endif
