// SPDX-License-Identifier: MIT
// The memory of the models: plain realloc that never fails, because the program ends when it does.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// Resize `block` (NULL: a new one) to `count` elements of `size` bytes.
/// @return the block, never NULL, also for 0 bytes
static inline void *model_resize(void *block, size_t count, size_t size) {
    const size_t bytes = count == 0 || size == 0 ? 1 : count * size;
    void *resized = size > 0 && count > SIZE_MAX / size ? NULL : realloc(block, bytes);
    if (resized == NULL) {
        fputs("model: out of memory\n", stderr);
        abort();
    }
    return resized;
}
