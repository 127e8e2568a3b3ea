// SPDX-License-Identifier: MIT
// Raw version of going back in time: memcpy of the values, into memory that was touched.
#include "raw.h"

#include <string.h>

BENCH_WORKLOAD(snapshot_take) {
    const size_t bytes = (size_t)run->n * 80;
    char *from = bench_touched(bytes), *to = bench_touched(bytes);
    run->items = run->n;
    while (bench_next(run)) {
        from[run->n] = to[run->n / 2];
        bench_start(run);
        memcpy(to, from, bytes);
        bench_stop(run);
        run->sum = run->n;
    }
    free(from);
    free(to);
}
