// SPDX-License-Identifier: MIT
// An initialiser with the same value 4,096 times.
#pragma once

#define KEELI_4_TIMES(x) x, x, x, x
#define KEELI_16_TIMES(x) KEELI_4_TIMES(x), KEELI_4_TIMES(x), KEELI_4_TIMES(x), KEELI_4_TIMES(x)
#define KEELI_64_TIMES(x) KEELI_16_TIMES(x), KEELI_16_TIMES(x), KEELI_16_TIMES(x), KEELI_16_TIMES(x)
#define KEELI_256_TIMES(x)                                                                         \
    KEELI_64_TIMES(x), KEELI_64_TIMES(x), KEELI_64_TIMES(x), KEELI_64_TIMES(x)
#define KEELI_1024_TIMES(x)                                                                        \
    KEELI_256_TIMES(x), KEELI_256_TIMES(x), KEELI_256_TIMES(x), KEELI_256_TIMES(x)
#define KEELI_4096_TIMES(x)                                                                        \
    KEELI_1024_TIMES(x), KEELI_1024_TIMES(x), KEELI_1024_TIMES(x), KEELI_1024_TIMES(x)
