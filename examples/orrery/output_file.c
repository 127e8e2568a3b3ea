// SPDX-License-Identifier: MIT
// Files that appear complete or not at all.
#include "output_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_with_errno(failure *why, const char *path) {
    return fail(why, "orrery: %s: %s", path, strerror(errno));
}

// The permissions that fopen would give a new file; there is no way to read them without a write.
static mode_t permissions_of_new_files(void) {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// The full name of a file that need not exist, in a directory that does; NULL with errno.
static char *full_name(const char *path) {
    char *name = realpath(path, NULL);
    if (name || errno != ENOENT) return name;
    const char *slash = strrchr(path, '/');
    char *start = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    char *directory = start ? realpath(start, NULL) : NULL;
    const char *last = slash ? slash + 1 : path;
    free(start);
    if (!directory) return NULL;
    const size_t size = strlen(directory) + strlen(last) + 2;
    name = malloc(size);
    if (name) snprintf(name, size, "%s/%s", directory, last);
    free(directory);
    return name;
}

// "dir/name" becomes "dir/.name.XXXXXX": on the same file system, or rename would not work.
static char *temporary_name(const char *target) {
    const char *slash = strrchr(target, '/');
    const int directory = (int)(slash + 1 - target); // a full name has a slash
    const size_t size = strlen(target) + sizeof "..XXXXXX";
    char *name = malloc(size);
    if (name) snprintf(name, size, "%.*s.%s.XXXXXX", directory, target, target + directory);
    return name;
}

static bool open_beside(output_file *output, mode_t mode) {
    output->temporary = temporary_name(output->target);
    if (!output->temporary) return false;
    const int descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        const int error = errno;
        free(output->temporary); // there is no file to remove
        output->temporary = NULL;
        errno = error;
        return false;
    }
    if (fchmod(descriptor, mode) == 0) output->file = fdopen(descriptor, "wb");
    if (!output->file) close(descriptor);
    return output->file != NULL;
}

static bool open_output(output_file *output, const char *path) {
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    if (!exists && (errno != ENOENT || !*path)) return false;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    // Renaming would replace a symbolic link, not the file it leads to.
    output->target = full_name(path);
    if (!output->target) return false;
    if (!exists) return open_beside(output, permissions_of_new_files());
    if (S_ISREG(status.st_mode)) // renaming would replace a file that must not be written
        return access(path, W_OK) == 0 && open_beside(output, status.st_mode & 07777);
    output->file = fopen(path, "wb");
    return output->file != NULL;
}

bool output_open(output_file *output, const char *path, failure *why) {
    output->path = path;
    if (open_output(output, path)) return true;
    fail_with_errno(why, path);
    output_discard(output);
    return false;
}

bool output_replaces(const output_file *output, const char *path) {
    if (!output->temporary) return false;
    char *target = full_name(path);
    const bool is_same = target && strcmp(target, output->target) == 0;
    free(target);
    return is_same;
}

bool output_fail(const output_file *output, failure *why) {
    return fail_with_errno(why, output->path);
}

bool output_close(output_file *output, failure *why) {
    const bool had_error = ferror(output->file) != 0;
    // A full disk often shows only here, when the last buffer is written.
    const bool closed = fclose(output->file) == 0;
    output->file = NULL;
    if (closed && had_error) errno = EIO; // an earlier write that nobody looked at
    return (closed && !had_error) || fail_with_errno(why, output->path);
}

bool output_publish(output_file *output, failure *why) {
    if (!output->temporary) return true;
    if (rename(output->temporary, output->target) != 0) return fail_with_errno(why, output->path);
    free(output->temporary);
    output->temporary = NULL;
    return true;
}

void output_discard(output_file *output) {
    if (output->file) fclose(output->file);
    if (output->temporary) unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (output_file){ 0 };
}
