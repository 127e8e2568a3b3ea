// SPDX-License-Identifier: MIT
// Plays the model of the tests and saves it now and then; begins with the checkpoint that it finds.
// kill.sh kills it.
//
//     kill_model [--ranks N] [--every STEPS] [FOLDER]
//
// With --ranks the ranks are threads, else those of MPI. Without a folder it saves nothing. Rank 0
// prints the hash of the end.
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct kill_run {
    const char *folder;
    uint32_t ranks, every;
    bool has_checkpoint, is_failed;
} kill_run;

static keel_result go_on(keel_domain *d, const kill_run *run) {
    keel_result result = KEEL_OK;
    while (result >= 0 && keel_domain_status_of(d).steps < STEPS) {
        result = keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
        if (result >= 0 && run->folder && keel_domain_status_of(d).steps % run->every == 0)
            result = keel_domain_save(d, run->folder);
    }
    return result;
}

static void play(keel_ranks ranks, void *data) {
    kill_run *run = data;
    keel_world *w = new_world(ranks);
    if (run->has_checkpoint) keel_clear_entities(w);
    keel_error error = { 0 };
    keel_domain *d = begin_domain_from(ranks, w, run->has_checkpoint ? run->folder : NULL, &error);
    keel_result result = d ? go_on(d, run) : error.result;
    uint64_t hash = 0, count = 0;
    if (result >= 0) result = keel_domain_hash(d, &hash);
    if (result >= 0) result = keel_domain_count(d, &count);
    if (result < 0) {
        (void)fprintf(stderr, "kill_model: %s\n",
                      d ? keel_domain_error(d)->message : error.message);
        if (ranks.rank == 0) run->is_failed = true; // errors are the same on all
    } else if (ranks.rank == 0) {
        printf("%llu entities, hash %016llx\n", (unsigned long long)count,
               (unsigned long long)hash);
    }
    keel_domain_end(d);
    keel_world_destroy(w);
}

static bool has_manifest(const char *folder) {
    char path[512];
    const int length = folder ? snprintf(path, sizeof path, "%s/manifest", folder) : -1;
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

int main(int count, char **words) {
    kill_run run = { .every = 10 };
    for (int i = 1; i < count; ++i) {
        const bool is_option = strncmp(words[i], "--", 2) == 0 && i + 1 < count;
        const unsigned long number = is_option ? strtoul(words[i + 1], NULL, 10) : 0;
        if (strcmp(words[i], "--ranks") == 0) run.ranks = (uint32_t)number;
        else if (strcmp(words[i], "--every") == 0) run.every = (uint32_t)number;
        else run.folder = words[i];
        i += is_option;
    }
    run.has_checkpoint = has_manifest(run.folder);
    if (!run.every || run.ranks > 64) {
        (void)fprintf(stderr, "kill_model: --every is 1 or more, --ranks at most 64\n");
        return 2;
    }
    if (!run.ranks) play(keel_mpi_ranks(), &run);
    else if (keel_run_ranks(run.ranks, (uint64_t)getpid(), play, &run) < 0) run.is_failed = true;
    return run.is_failed;
}
