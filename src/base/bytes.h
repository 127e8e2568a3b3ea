// SPDX-License-Identifier: MIT
// Copies of values whose size is known at run time only. A call of memcpy costs more than most
// values are large.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// For the sizes that keeli_bytes_copy does not do in place.
void keeli_bytes_copy_other(void *to, const void *from, uint32_t size);

// Does keeli_bytes_copy do it in place?
static inline bool keeli_bytes_are_few(uint32_t size) { return size - 8 <= 8 || size == 4; }

// `to` and `from` are the same or do not overlap.
static inline void keeli_bytes_copy(void *to, const void *from, uint32_t size) {
    if (size - 8 <= 8) { // 8 to 16: its first and its last 8 bytes
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, (const char *)from + size - 8, 8);
        memcpy(to, &first, 8);
        memcpy((char *)to + size - 8, &last, 8);
    } else if (size == 4) {
        uint32_t all;
        memcpy(&all, from, 4);
        memcpy(to, &all, 4);
    } else {
        keeli_bytes_copy_other(to, from, size);
    }
}
