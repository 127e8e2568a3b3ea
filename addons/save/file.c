// SPDX-License-Identifier: MIT
// Files: written beside their place and moved there when they are whole.
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct save_target {
    int file, error; // why it could not be written
} save_target;

static bool write_all(void *context, const void *bytes, size_t size) {
    save_target *to = context;
    const char *at = bytes;
    while (size) {
        const ssize_t n = write(to->file, at, size);
        if (n < 0 && errno == EINTR) continue;
        to->error = n < 0 ? errno : EIO;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static keel_result cannot(keel_error *error, const char *what, const char *path) {
    return save_fail(error, KEEL_ERROR_FILE, "cannot %s '%.150s': %s", what, path, strerror(errno));
}

// The folder, so that the new name is on the disk, too.
static bool sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strdup(path) : strdup(".");
    if (!folder) return false;
    if (slash) folder[slash == path ? 1 : slash - path] = 0;
    const int file = open(folder, O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && fsync(file) == 0;
    if (file >= 0) (void)close(file);
    free(folder);
    return done;
}

keel_result save_file(const char *path, keel_error *error,
                      keel_result (*fill)(keel_save_sink sink, void *data), void *data) {
    const size_t length = strlen(path);
    char *name = malloc(length + 8);
    struct stat old;
    if (!name) return save_fail(error, KEEL_ERROR_MEMORY, "out of memory; nothing was written");
    memcpy(name, path, length);
    memcpy(name + length, ".XXXXXX", 8);
    const int file = mkstemp(name); // O_EXCL, mode 600
    if (file < 0) {
        free(name);
        return cannot(error, "write beside", path);
    }
    (void)fcntl(file, F_SETFD, FD_CLOEXEC);
    save_target target = { .file = file };
    keel_result result = fill((keel_save_sink){ write_all, &target }, data);
    if (result == KEEL_ERROR_FILE) {
        errno = target.error;
        result = cannot(error, "write", path);
    }
    if (result == KEEL_OK && stat(path, &old) == 0 && fchmod(file, old.st_mode & 07777) != 0)
        result = cannot(error, "give its mode to", path);
    if (result == KEEL_OK && fsync(file) != 0) result = cannot(error, "write", path);
    // what it holds is on the disk; a signal in between closed it all the same
    if (close(file) != 0 && errno != EINTR && result == KEEL_OK)
        result = cannot(error, "write", path);
    if (result == KEEL_OK && rename(name, path) != 0) result = cannot(error, "replace", path);
    if (result < 0) (void)unlink(name);
    else if (!sync_folder(path)) result = cannot(error, "write the folder of", path);
    free(name);
    return result;
}

keel_result save_read_file(const char *path, uint64_t max_bytes, save_bytes *out,
                           keel_error *error) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return cannot(error, "open", path);
    keel_result result = KEEL_OK;
    for (ssize_t n = 1; n && result == KEEL_OK;) {
        unsigned char piece[65536];
        n = read(file, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) result = cannot(error, "read", path);
        else if (out->size + (uint64_t)n > max_bytes)
            result = save_fail(error, KEEL_ERROR_FORMAT, "'%.150s' is larger than max_bytes", path);
        else if (n) {
            unsigned char *at = save_bytes_more(out, (size_t)n);
            if (at) memcpy(at, piece, (size_t)n);
            else result = save_fail(error, KEEL_ERROR_MEMORY, "out of memory while loading");
        }
    }
    (void)close(file);
    return result;
}
