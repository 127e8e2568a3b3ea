// SPDX-License-Identifier: MIT
// The files of a checkpoint in its folder: writes, reads and deletes them. Each save has a number
// that no file of the folder has, so that it never writes over a part that a manifest names.
// checkpoint.c calls it.
#include "manifest.h"

#include "../replace_file.h"

#include <dirent.h>
#include <inttypes.h>
#include <keel_save.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const char manifest_name[] = "manifest";

uint64_t keeli_manifest_hash(const void *bytes, size_t size) { return XXH3_64bits(bytes, size); }

char *keeli_checkpoint_path(const char *folder, const char *name) {
    const size_t before = strlen(folder), length = strlen(name);
    char *path = malloc(before + length + 2);
    if (!path) return NULL;
    memcpy(path, folder, before);
    path[before] = '/';
    memcpy(path + before + 1, name, length + 1);
    return path;
}

static keel_result no_memory(keel_domain *d) {
    return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "a checkpoint: out of memory");
}

// Keeps the error of a call of the system.
static keel_result cannot(keel_domain *d, const char *what, const char *path, int error) {
    return keeli_domain_fail(d, error == ENOMEM ? KEEL_ERROR_MEMORY : KEEL_ERROR_FILE,
                             "cannot %s '%.150s': %s", what, path, strerror(error));
}

// ------------------------------------------------------------------ names
static bool is_suffix(const char *text) {
    if (text[0] != '.' || strlen(text) != 7) return false;
    for (++text; *text; ++text)
        if (!(*text >= '0' && *text <= '9') && !((*text | 32) >= 'a' && (*text | 32) <= 'z'))
            return false;
    return true;
}

// True if a file is a part, or the temporary file of one, and then reads its number.
static bool is_part(const char *name, uint64_t *number) {
    char *end;
    if (*name < '0' || *name > '9') return false;
    errno = 0;
    *number = strtoull(name, &end, 10);
    if (errno || end[0] != '-' || end[1] < '0' || end[1] > '9') return false;
    (void)strtoul(end + 1, &end, 10);
    return !errno && strncmp(end, ".keel", 5) == 0 && (!end[5] || is_suffix(end + 5));
}

static bool is_temporary_manifest(const char *name) {
    const size_t length = sizeof manifest_name - 1;
    return strncmp(name, manifest_name, length) == 0 && is_suffix(name + length);
}

keel_result keeli_checkpoint_folder(keel_domain *d, const char *folder, bool *is_new,
                                    uint64_t *number) {
    *number = 1;
    *is_new = mkdir(folder, 0777) == 0;
    if (!*is_new && errno != EEXIST) return cannot(d, "make the folder", folder, errno);
    if (*is_new && !replace_sync_folder(folder))
        return cannot(d, "write the folder of", folder, errno);
    DIR *all = opendir(folder);
    if (!all) return cannot(d, "open the folder", folder, errno);
    uint64_t found;
    for (const struct dirent *one; (one = readdir(all)) != NULL;)
        if (is_part(one->d_name, &found) && *number && found >= *number) *number = found + 1;
    (void)closedir(all);
    return *number ? KEEL_OK
                   : keeli_domain_fail(d, KEEL_ERROR_FILE,
                                       "'%.150s' has a part with the last number", folder);
}

void keeli_checkpoint_delete(const char *folder, uint64_t number, bool others) {
    DIR *all = opendir(folder);
    if (!all) return;
    uint64_t found;
    for (const struct dirent *one; (one = readdir(all)) != NULL;) {
        const bool is_old = others && is_temporary_manifest(one->d_name);
        if (is_old || (is_part(one->d_name, &found) && (found != number) == others))
            (void)unlinkat(dirfd(all), one->d_name, 0);
    }
    (void)closedir(all);
}

// ------------------------------------------------------------------ writing
// A part that is being written.
typedef struct part_writer {
    replacing file;
    XXH3_state_t *hash;
    uint64_t size;
} part_writer;

static bool write_some(void *context, const void *bytes, size_t size) {
    part_writer *w = context;
    w->size += size;
    return XXH3_64bits_update(w->hash, bytes, size) == XXH_OK &&
           replace_write(&w->file, bytes, size);
}

static keel_result save_world(keel_domain *d, part_writer *w, const char *path) {
    keel_error error = { .result = KEEL_OK };
    keel_result result = KEEL_OK;
    if (replace_begin(&w->file, path)) {
        result = keel_save_to(d->world, (keel_save_sink){ write_some, w },
                              &(keel_save_options){ .error = &error });
        (void)replace_end(&w->file, result == KEEL_OK);
    }
    if (w->file.failed) return cannot(d, w->file.failed, path, w->file.error);
    if (result < 0) d->error = error;
    return result;
}

keel_result keeli_checkpoint_write_part(keel_domain *d, const char *folder, uint64_t number,
                                        mpi_part *part) {
    part_writer w = { .hash = XXH3_createState() };
    (void)snprintf(part->name, sizeof part->name, "%" PRIu64 "-%u.keel", number,
                   (unsigned)d->desc.ranks.rank);
    char *path = keeli_checkpoint_path(folder, part->name);
    const bool has_room = path && w.hash && XXH3_64bits_reset(w.hash) == XXH_OK;
    const keel_result result = has_room ? save_world(d, &w, path) : no_memory(d);
    if (has_room) part->hash = XXH3_64bits_digest(w.hash);
    part->size = w.size;
    part->serial = d->serial;
    (void)XXH3_freeState(w.hash);
    free(path);
    return result;
}

keel_result keeli_checkpoint_check_part(keel_domain *d, const char *folder, const mpi_part *part) {
    char *path = keeli_checkpoint_path(folder, part->name);
    if (!path) return no_memory(d);
    struct stat there;
    // opened, since some file systems of networks know of a new file only then
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_there = file >= 0 && fstat(file, &there) == 0;
    const bool is_well = is_there && (uint64_t)there.st_size == part->size;
    if (file >= 0) (void)close(file);
    const keel_result result =
        is_well ? KEEL_OK
                : keeli_domain_fail(d, KEEL_ERROR_FILE,
                                    "'%.120s', which another rank has written, is not here; save "
                                    "into a folder that all ranks share",
                                    path);
    free(path);
    return result;
}

keel_result keeli_checkpoint_write_manifest(keel_domain *d, const char *folder,
                                            const mpi_manifest *manifest, bool *is_there) {
    char *text = keeli_manifest_text(manifest);
    char *path = keeli_checkpoint_path(folder, manifest_name);
    replacing file = { 0 };
    keel_result result = text && path ? KEEL_OK : no_memory(d);
    *is_there = false;
    if (result == KEEL_OK && replace_begin(&file, path)) {
        (void)replace_write(&file, text, strlen(text));
        *is_there = replace_end(&file, true);
    }
    if (file.failed) {
        *is_there = strstr(file.failed, "folder") != NULL; // renamed, but perhaps not on the disk
        result = cannot(d, file.failed, path, file.error);
    }
    free(text);
    free(path);
    return result;
}

// ------------------------------------------------------------------ reading
static keel_result read_all(keel_domain *d, int file, const char *path, unsigned char *bytes,
                            size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t n = read(file, bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot(d, "read", path, errno);
        if (!n) return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "'%.150s' is truncated", path);
        done += (size_t)n;
    }
    return KEEL_OK;
}

keel_result keeli_checkpoint_read_file(keel_domain *d, const char *path, size_t most, void **bytes,
                                       size_t *size) {
    struct stat there;
    *bytes = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait
    if (file < 0) return cannot(d, "open", path, errno);
    keel_result result = KEEL_OK;
    if (fstat(file, &there) != 0) result = cannot(d, "read", path, errno);
    else if (!S_ISREG(there.st_mode) || (uint64_t)there.st_size > most)
        result =
            keeli_domain_fail(d, KEEL_ERROR_FORMAT, "'%.150s' is no file of a checkpoint", path);
    if (result == KEEL_OK) {
        *size = (size_t)there.st_size;
        *bytes = malloc(*size + 1);
        result = *bytes ? read_all(d, file, path, *bytes, *size) : no_memory(d);
    }
    (void)close(file);
    if (result == KEEL_OK) return KEEL_OK;
    free(*bytes);
    *bytes = NULL;
    return result;
}
