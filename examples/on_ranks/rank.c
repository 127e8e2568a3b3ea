// SPDX-License-Identifier: MIT
// One rank of a program, as rank.h says. launch.c and play.c of each program call it.
#include "rank.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rank_begin(rank *r, const char *program, const common_options *common, keel_ranks ranks) {
    *r = (rank){ .program = program, .common = common, .ranks = ranks };
    r->out = calloc(ranks.count, sizeof *r->out);
    r->in = calloc(ranks.count, sizeof *r->in);
    if (r->out && r->in) return true;
    ranks.stop(ranks.self, "out of memory");
    return false;
}

void rank_end(rank *r) {
    keel_domain_end(r->domain);
    keel_world_destroy(r->world);
    free(r->out);
    free(r->in);
}

bool rank_is_first(const rank *r) { return r->ranks.rank == 0; }

int rank_complain(const rank *r, int status, const char *name, const char *why) {
    if (rank_is_first(r)) fprintf(stderr, "%s: %s%s%s\n", r->program, name, *name ? ": " : "", why);
    return status;
}

// ---- steps --------------------------------------------------------------------------------------

static bool make_domain(rank *r) {
    r->domain = keel_domain_begin(r->world, &r->desc);
    return r->domain != NULL;
}

bool rank_begin_domain(rank *r, const keel_domain_desc *desc) {
    r->desc = *desc;
    r->desc.ranks = r->ranks;
    r->desc.error = &r->error;
    r->desc.restart = r->common->restart;
    if (r->common->plain) return true;
    if (!make_domain(r)) return false;
    const uint64_t steps = keel_domain_status_of(r->domain).steps;
    r->steps_before = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
    return true;
}

// Keeps the error of a result.
static keel_result keep_error(rank *r, keel_result result) {
    if (result < 0) r->error = r->domain ? *keel_domain_error(r->domain) : *keel_last_error(r->world);
    return result;
}

keel_result rank_step(rank *r, const keel_workload *workload) {
    if (!r->domain) return keep_error(r, keel_run_workload_of(r->world, workload, NULL));
    KEEL_TRY(keep_error(r, keel_domain_step(r->domain, workload)));
    const uint64_t steps = keel_domain_status_of(r->domain).steps;
    if (!r->common->checkpoint || steps % r->common->every) return KEEL_OK;
    return keep_error(r, keel_domain_save(r->domain, r->common->checkpoint));
}

keel_result rank_hash(rank *r, uint64_t *hash) {
    if (!r->domain && !make_domain(r)) return r->error.result;
    return keep_error(r, keel_domain_hash(r->domain, hash));
}

int rank_complain_error(const rank *r) {
    const bool is_of_files = r->error.result == KEEL_ERROR_FILE || r->error.result == KEEL_ERROR_FORMAT ||
                             r->error.result == KEEL_ERROR_SCHEMA;
    const char *name = r->domain ? r->common->checkpoint ? "--checkpoint" : "" : r->common->restart ? "--restart" : "";
    return is_of_files && *name ? rank_complain(r, 2, name, r->error.message) : rank_complain(r, 1, "", r->error.message);
}

// ---- restarts -----------------------------------------------------------------------------------

static int refuse_option(const rank *r, const rank_option *o) {
    char text[160];
    if (o->is_derived) snprintf(text, sizeof text, "the checkpoint was made with another %s; give the same", o->name);
    else
        snprintf(text, sizeof text, "the checkpoint was made with %s %" PRIu64 ", not %" PRIu64 "; give the same", o->name,
                 o->saved, o->given);
    return rank_complain(r, 2, "--restart", text);
}

int rank_check_restart(const rank *r, const char *name, uint32_t steps, const rank_option *options, size_t count) {
    if (!r->common->restart) return 0;
    for (size_t i = 0; i < count; ++i)
        if (options[i].saved != options[i].given) return refuse_option(r, &options[i]);
    if (r->steps_before < steps) return 0;
    char text[160];
    snprintf(text, sizeof text, "the checkpoint has %" PRIu32 " steps already; give a greater %s than %" PRIu32, r->steps_before, name, steps);
    return rank_complain(r, 2, "--restart", text);
}

// ---- what ranks tell rank 0 ---------------------------------------------------------------------

// Sends bytes to rank 0, which finds those of all ranks in `in`. All ranks call it together.
static bool tell_first(rank *r, const void *bytes, size_t size) {
    for (uint32_t i = 0; i < r->ranks.count; ++i)
        r->out[i] = (keel_rank_bytes){ bytes, i ? 0 : size };
    return r->ranks.exchange(r->ranks.self, r->out, r->in);
}

bool rank_add_up(rank *r, rank_totals *totals) {
    keel_domain_status status = { 0 };
    if (r->domain) status = keel_domain_status_of(r->domain);
    *totals = (rank_totals){ .imbalance = 1 };
    if (!tell_first(r, &status, sizeof status)) return false;
    for (uint32_t i = 0; rank_is_first(r) && i < r->ranks.count; ++i) {
        memcpy(&status, r->in[i].bytes, sizeof status);
        totals->ghosts += status.ghosts;
        totals->moved += status.sent;
        totals->balances = status.balances;
        totals->seconds_ranks += status.seconds_ghosts + status.seconds_move;
        totals->seconds += status.seconds_run + status.seconds_ghosts + status.seconds_move;
        if (status.imbalance > totals->imbalance) totals->imbalance = status.imbalance;
    }
    return true;
}

void *rank_gather(rank *r, const void *items, size_t count, size_t item_size, size_t *all) {
    *all = 0;
    if (!tell_first(r, items, count * item_size)) {
        rank_complain(r, 1, "", "another rank has stopped");
        return NULL;
    }
    size_t size = 0;
    for (uint32_t i = 0; rank_is_first(r) && i < r->ranks.count; ++i)
        size += r->in[i].size;
    char *list = malloc(size + 1);
    if (!list) {
        rank_complain(r, 1, "", "out of memory");
        return NULL;
    }
    size_t done = 0;
    for (uint32_t i = 0; done < size; done += r->in[i++].size)
        if (r->in[i].size) memcpy(list + done, r->in[i].bytes, r->in[i].size);
    *all = size / item_size;
    return list;
}

// ---- files --------------------------------------------------------------------------------------

// Makes the folder for a moment unless it is there. Returns false after it has set errno.
static bool is_good_folder(const char *name) {
    struct stat found;
    if (stat(name, &found) != 0) return mkdir(name, 0777) == 0 && rmdir(name) == 0;
    if (!S_ISDIR(found.st_mode)) errno = ENOTDIR;
    return S_ISDIR(found.st_mode) && access(name, W_OK | X_OK) == 0;
}

static const char *find_bad_file(const char *const *names, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        FILE *file = names[i] ? fopen(names[i], "ab") : NULL;
        if (names[i] && !file) return names[i];
        if (file) fclose(file);
    }
    return NULL;
}

int rank_check_files(rank *r, const char *const *names, size_t count) {
    const char *folder = r->common->checkpoint;
    const char *bad = rank_is_first(r) ? find_bad_file(names, count) : NULL;
    if (rank_is_first(r) && !bad && folder && !is_good_folder(folder)) bad = folder;
    const char *why = bad ? strerror(errno) : "";
    const char answer = bad != NULL;
    for (uint32_t i = 0; i < r->ranks.count; ++i)
        r->out[i] = (keel_rank_bytes){ &answer, rank_is_first(r) ? 1 : 0 };
    if (!r->ranks.exchange(r->ranks.self, r->out, r->in)) return 1;
    const bool is_bad = r->in[0].size == 1 && *(const char *)r->in[0].bytes;
    return is_bad ? rank_complain(r, 2, bad ? bad : "", why) : 0;
}

int rank_write_file(const rank *r, const char *name, bool (*write)(const void *data, FILE *file),
                    const void *data) {
    FILE *file = fopen(name, "w");
    if (!file) return rank_complain(r, 2, name, strerror(errno));
    const bool is_written = write(data, file);
    if (fclose(file) == 0 && is_written) return 0;
    return rank_complain(r, 2, name, "the file could not be written; is the disk full?");
}
