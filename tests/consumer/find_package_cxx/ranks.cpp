// SPDX-License-Identifier: MIT
// The smallest C++ program that uses the installed keel::mpi. The argument is the number of
// processes that there must be.
#include <keel_mpi.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    const keel_ranks ranks = keel_mpi_ranks();
    keel_world *world = keel_world_create(nullptr);
    const keel_entity e = keel_add_entity(world, KEEL_INIT(keel_global_id, { 7 }));
    const keel_global_id *id = keel_get(world, e, keel_global_id);
    const bool is_right =
        id && id->value == 7 && (argc < 2 || ranks.count == (uint32_t)std::atoi(argv[1]));
    keel_world_destroy(world);
    if (ranks.rank == 0)
        std::printf("mpi: %s, %u processes %s\n", is_right ? "ok" : "wrong", ranks.count,
                    ranks.count ? "with MPI" : "without MPI");
    return !is_right;
}
