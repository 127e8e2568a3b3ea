// SPDX-License-Identifier: MIT
// Prints what keel_float_check says of this file. With a word, after it changed the mode of the
// processor: up, down, zero.
#include <fenv.h>
#include <keel_float_check.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **words) {
    const char *word = count > 1 ? words[1] : "";
    if (!strcmp(word, "up")) fesetround(FE_UPWARD);
    if (!strcmp(word, "down")) fesetround(FE_DOWNWARD);
    if (!strcmp(word, "zero")) fesetround(FE_TOWARDZERO);
    const uint32_t found = keel_float_check();
    fesetround(FE_TONEAREST);
    printf("%u\n", (unsigned)found);
    for (uint32_t rest = found; rest; rest &= rest - 1)
        puts(keel_float_problem(rest));
    return 0;
}
