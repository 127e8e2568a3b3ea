// SPDX-License-Identifier: MIT
// Plays the model of the tests on the ranks of MPI; rank 0 prints the hash of all. run.sh calls it.
#include "model.h"

#include <stdio.h>

int main(void) {
    const keel_ranks ranks = keel_mpi_ranks();
    keel_world *w = new_world(ranks);
    keel_error error = { 0 };
    keel_domain *d = begin_domain(ranks, w, &error);
    keel_result result = d ? KEEL_OK : error.result;
    for (uint32_t i = 0; i < STEPS && result >= 0; ++i) {
        result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
        if (i % 16 == 0 && result >= 0) result = keel_domain_balance(d);
    }
    uint64_t hash = 0, count = 0;
    if (result >= 0) result = keel_domain_hash(d, &hash);
    if (result >= 0) result = keel_domain_count(d, &count);
    if (result < 0)
        (void)fprintf(stderr, "%s\n", d ? keel_domain_error(d)->message : error.message);
    else if (ranks.rank == 0)
        printf("%llu entities, hash %016llx\n", (unsigned long long)count,
               (unsigned long long)hash);
    keel_domain_end(d);
    keel_world_destroy(w);
    return result < 0;
}
