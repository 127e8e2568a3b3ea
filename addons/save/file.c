// SPDX-License-Identifier: MIT
// The file operations of keel::save: writes a file atomically, and reads a file into memory. It
// does not know the format of a save. write.c, read.c and the tool keel-save call it.
#include "../replace_file.h"
#include "save.h"

static keel_result cannot(keel_error *error, const char *what, const char *path) {
    return save_fail(error, KEEL_ERROR_FILE, "cannot %s '%.150s': %s", what, path, strerror(errno));
}

static bool write_some(void *context, const void *bytes, size_t size) {
    return replace_write(context, bytes, size);
}

keel_result save_file(const char *path, keel_error *error,
                      keel_result (*fill)(keel_save_sink sink, void *data), void *data) {
    replacing file;
    keel_result result = KEEL_OK;
    if (replace_begin(&file, path)) {
        result = fill((keel_save_sink){ write_some, &file }, data);
        (void)replace_end(&file, result == KEEL_OK);
    }
    if (!file.failed) return result;
    if (file.error == ENOMEM)
        return save_fail(error, KEEL_ERROR_MEMORY, "out of memory; nothing was written");
    errno = file.error;
    return cannot(error, file.failed, path);
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

keel_result save_name_file(const char *path, keel_error *error, keel_result result) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (result >= 0 || !error) return result;
    const keel_error why = *error;
    return save_fail(error, result, "'%.60s': %.190s", name, why.message);
}
