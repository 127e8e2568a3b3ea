// SPDX-License-Identifier: MIT
// Replaces a file atomically: the new one is written beside it, synced, and renamed over it, so
// that after any failure `path` is the old file or the new one. POSIX only. keel::save and
// keel::json call it; keel::sqlite lets SQLite write the new file, and only calls replace_target
// and replace_sync_folder.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A replacement that has begun.
typedef struct replacing {
    char *path, *name;  // the file to replace, and the new file beside it
    int file, error;    // descriptor of the new file; errno of the step that failed
    const char *failed; // the step, a verb for messages such as "write beside"; NULL: none
} replacing;

// Stores the step that failed, with errno, unless an earlier step has failed. Returns false.
static inline bool replace_fail(replacing *r, const char *step) {
    if (r->failed) return false;
    r->error = errno;
    r->failed = step;
    return false;
}

// Follows symbolic links from `path`, and returns the path of the file that they lead to, whether
// it exists or not. If that file is replaced instead of `path`, the links remain. The caller frees
// the path. NULL and errno if `path` leads to a folder, a device, a pipe or a loop of links.
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
        if (n > 0 && n < (ssize_t)sizeof to) { // a relative target is relative to the link's folder
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

// Creates the new file beside `path`. False on error: nothing has changed, and replace_end must not
// be called; `error` is ENOMEM if memory ran out.
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
    if (r->file >= 0) {
        (void)fcntl(r->file, F_SETFD, FD_CLOEXEC);
        return true;
    }
    (void)replace_fail(r, "write beside");
    free(r->name);
    free(r->path);
    return false;
}

// Appends bytes to the new file. False on error.
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

// Syncs the folder of a file, so that the file's new name is on the disk, too.
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

// Ends the replacement. If `is_whole` is true and no step has failed, renames the new file over the
// old one, else deletes the new one. The new file gets the mode of the old one; if there is no old
// file, only the user who wrote it can read the new one. True if the new file is in place and
// synced.
static inline bool replace_end(replacing *r, bool is_whole) {
    struct stat old;
    bool done = is_whole && !r->failed;
    if (done && stat(r->path, &old) == 0 && fchmod(r->file, old.st_mode & 07777) != 0)
        done = replace_fail(r, "give its mode to");
    if (done && fsync(r->file) != 0) done = replace_fail(r, "write");
    // EINTR is no error: fsync succeeded, and the descriptor is closed after a signal, too
    if (close(r->file) != 0 && errno != EINTR && done) done = replace_fail(r, "write");
    if (done && rename(r->name, r->path) != 0) done = replace_fail(r, "replace");
    if (!done) (void)unlink(r->name);
    else if (!replace_sync_folder(r->path)) done = replace_fail(r, "write the folder of");
    free(r->name);
    free(r->path);
    return done;
}
