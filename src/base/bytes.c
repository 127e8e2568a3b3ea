// SPDX-License-Identifier: MIT
#include "base/bytes.h"

typedef struct half {
    uint64_t a, b;
} half;

void keeli_bytes_copy_other(void *to, const void *from, uint32_t size) {
    if (size - 16 <= 16) { // 16 to 32: its first and its last 16 bytes
        half first, last;
        memcpy(&first, from, sizeof first);
        memcpy(&last, (const char *)from + size - sizeof last, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy((char *)to + size - sizeof last, &last, sizeof last);
    } else if (to != from) {
        memcpy(to, from, size);
    }
}
