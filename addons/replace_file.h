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
    char *path, *name;  // what is replaced, and its name while it is written
    int file, error;    // errno of what failed
    const char *failed; // which step: "write beside", ...; NULL: none
} replacing;

static inline bool replace_fail(replacing *r, const char *step) {
    if (r->failed) return false; // the first one counts
    r->error = errno;
    r->failed = step;
    return false;
}

// The file that a path leads to, in memory of malloc: links are followed, so that they stay what
// they are. What is no file, a device or a pipe, is not replaced. NULL: errno says why.
static inline char *replace_target(const char *path) {
    char *at = strdup(path);
    for (int links = 0; at; ++links) {
        struct stat there;
        const bool is_there = lstat(at, &there) == 0;
        if (!is_there || S_ISREG(there.st_mode)) return at;
        char to[4096], *next = NULL;
        errno = S_ISDIR(there.st_mode) ? EISDIR : links < 40 ? EINVAL : ELOOP;
        const bool is_link = S_ISLNK(there.st_mode) && links < 40;
        const ssize_t n = is_link ? readlink(at, to, sizeof to) : -1;
        if (n == (ssize_t)sizeof to) errno = ENAMETOOLONG;
        const char *slash = strrchr(at, '/');
        if (n > 0 && n < (ssize_t)sizeof to) { // beside the link, unless it begins at the root
            const size_t before = slash && to[0] != '/' ? (size_t)(slash - at) + 1 : 0;
            next = malloc(before + (size_t)n + 1);
            if (next) {
                memcpy(next, at, before);
                memcpy(next + before, to, (size_t)n);
                next[before + (size_t)n] = 0;
            }
        }
        const int error = errno;
        free(at);
        errno = error;
        at = next;
    }
    return NULL;
}

// False: nothing was done. ENOMEM when memory ran out.
static inline bool replace_begin(replacing *r, const char *path) {
    *r = (replacing){ .path = replace_target(path), .file = -1 };
    if (!r->path)
        return replace_fail(r, errno == EINVAL ? "write over a device or pipe," : "replace");
    const size_t length = strlen(r->path);
    r->name = malloc(length + 8);
    if (r->name) {
        memcpy(r->name, r->path, length);
        memcpy(r->name + length, ".XXXXXX", 8);
        r->file = mkstemp(r->name); // O_EXCL, mode 600
    }
    if (r->file >= 0) return (void)fcntl(r->file, F_SETFD, FD_CLOEXEC), true;
    (void)replace_fail(r, "write beside");
    free(r->name);
    free(r->path);
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
    free(r->path);
    return done;
}
