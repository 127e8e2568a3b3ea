// SPDX-License-Identifier: MIT
// For tools/matrix: a zstd that packs nothing, so that keel::save stores its chunks as they are.
#pragma once
#include <stddef.h>
#include <string.h>

#define ZSTD_compressBound(size) (size)
#define ZSTD_isError(size) 0
static inline size_t ZSTD_compress(void *to, size_t room, const void *from, size_t size,
                                   int level) {
    (void)level;
    if (size <= room) memcpy(to, from, size);
    return size;
}
static inline size_t ZSTD_decompress(void *to, size_t room, const void *from, size_t size) {
    (void)to, (void)room, (void)from, (void)size;
    return 0; // not what was asked for: damaged
}
