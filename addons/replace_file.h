// SPDX-License-Identifier: MIT
// A file that is written beside its place and moved there when it is whole and on the disk:
// whatever fails, there is the old one or the new one. POSIX; for add-ons that write files.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct replacing {
    const char *path;
    char *name;         // while it is written
    int file, error;    // errno of what failed
    const char *failed; // which step: "write beside", ...; NULL: none
} replacing;

static inline bool replace_fail(replacing *r, const char *step) {
    if (r->failed) return false; // the first one counts
    r->error = errno;
    r->failed = step;
    return false;
}

// False: nothing was done. ENOMEM when memory ran out.
static inline bool replace_begin(replacing *r, const char *path) {
    const size_t length = strlen(path);
    *r = (replacing){ .path = path, .file = -1, .name = malloc(length + 8) };
    if (!r->name) return errno = ENOMEM, replace_fail(r, "write beside");
    memcpy(r->name, path, length);
    memcpy(r->name + length, ".XXXXXX", 8);
    r->file = mkstemp(r->name); // O_EXCL, mode 600
    if (r->file >= 0) return (void)fcntl(r->file, F_SETFD, FD_CLOEXEC), true;
    (void)replace_fail(r, "write beside");
    free(r->name);
    return false;
}

static inline bool replace_write(replacing *r, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        const ssize_t n = write(r->file, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (!n) errno = EIO;
        if (n <= 0) return replace_fail(r, "write");
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// The folder, so that the new name is on the disk, too.
static inline bool replace_sync_folder(const char *path) {
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

// After replace_begin. `is_whole`: all of it was written; otherwise the old file stays. A new file
// can be read by its owner only, another has the mode of the old one.
static inline bool replace_end(replacing *r, bool is_whole) {
    struct stat old;
    bool done = is_whole && !r->failed;
    if (done && stat(r->path, &old) == 0 && fchmod(r->file, old.st_mode & 07777) != 0)
        done = replace_fail(r, "give its mode to");
    if (done && fsync(r->file) != 0) done = replace_fail(r, "write");
    // what it holds is on the disk; a signal in between closed it all the same
    if (close(r->file) != 0 && errno != EINTR && done) done = replace_fail(r, "write");
    if (done && rename(r->name, r->path) != 0) done = replace_fail(r, "replace");
    if (!done) (void)unlink(r->name);
    else if (!replace_sync_folder(r->path)) done = replace_fail(r, "write the folder of");
    free(r->name);
    return done;
}
