// SPDX-License-Identifier: MIT
// The smallest program that uses the installed keel::mpi: a model on two threads, and on the
// processes of MPI if Keel was built with it. The argument is the number of processes that there
// must be.
#include <keel_mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Place {
    int32_t x;
} Place;
KEEL_FIELDS(Place, x);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));

KEEL_SYSTEM(move, KEEL_WRITE(Place, p), KEEL_WITHOUT(keel_ghost)) { p->x = (p->x + 700) % 10000; }
KEEL_WORKLOAD(tick, KEEL_STEP(move));

enum { COUNT = 100, STEPS = 10 };

// Leaves the hash of all ranks, the same on each of them, or 0.
static void play(keel_ranks ranks, void *data) {
    keel_world *world = keel_world_create(NULL);
    uint64_t count, hash = 0;
    const uint64_t first = keel_rank_share(ranks, COUNT, &count);
    for (uint64_t i = first; i < first + count; ++i)
        keel_add_entity(world, KEEL_INIT(keel_global_id, { i + 1 }),
                        KEEL_INIT(Place, { (int32_t)i * 100 }));
    keel_error why = { 0 };
    keel_domain *d = keel_domain_begin(world, &(keel_domain_desc){ .ranks = ranks,
                                                                   .position = KEEL_OF(Place),
                                                                   .dimensions = 1,
                                                                   .halo = 200,
                                                                   .error = &why });
    if (!d) puts(why.message);
    keel_result result = d ? KEEL_OK : why.result;
    for (int i = 0; i < STEPS && result == KEEL_OK; ++i)
        result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
    if (result == KEEL_OK) result = keel_domain_hash(d, &hash);
    if (ranks.rank == 0) *(uint64_t *)data = result == KEEL_OK ? hash : 0;
    keel_domain_end(d);
    keel_world_destroy(world);
}

int main(int argc, char **argv) {
    uint64_t by_threads = 0, by_processes = 0;
    if (keel_run_ranks(2, 1, play, &by_threads) < 0 || !by_threads) return 1;
    const keel_ranks ranks = keel_mpi_ranks();
    if (ranks.count) play(ranks, &by_processes);
    if (ranks.rank != 0) return 0;
    const bool is_right = (!ranks.count || by_processes == by_threads) &&
                          (argc < 2 || ranks.count == (uint32_t)atoi(argv[1]));
    printf("mpi: %s, %u processes %s\n", is_right ? "ok" : "wrong", (unsigned)ranks.count,
           ranks.count ? "with MPI" : "without MPI");
    return !is_right;
}
