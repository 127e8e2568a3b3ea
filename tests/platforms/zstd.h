// SPDX-License-Identifier: MIT
// For tools/matrix: a zstd that packs nothing, so that keel::save stores its chunks as they are.
#pragma once
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_compressBound(size) (size)
#define ZSTD_isError(size) 0
// contexts that are nothing but there
typedef struct ZSTD_CCtx ZSTD_CCtx;
typedef struct ZSTD_DCtx ZSTD_DCtx;
static inline ZSTD_CCtx *ZSTD_createCCtx(void) { return (ZSTD_CCtx *)malloc(1); }
static inline ZSTD_DCtx *ZSTD_createDCtx(void) { return (ZSTD_DCtx *)malloc(1); }
static inline size_t ZSTD_freeCCtx(ZSTD_CCtx *context) { return free(context), 0; }
static inline size_t ZSTD_freeDCtx(ZSTD_DCtx *context) { return free(context), 0; }
static inline size_t ZSTD_compressCCtx(ZSTD_CCtx *context, void *to, size_t room, const void *from,
                                       size_t size, int level) {
    (void)context, (void)level;
    if (size <= room) memcpy(to, from, size);
    return size;
}
static inline size_t ZSTD_decompressDCtx(ZSTD_DCtx *context, void *to, size_t room,
                                         const void *from, size_t size) {
    (void)context, (void)to, (void)room, (void)from, (void)size;
    return 0; // not what was asked for: damaged
}
