// SPDX-License-Identifier: MIT
// Put before each source of the orrery by tools/matrix: sines that are the same everywhere, as
// those of C libraries differ in their last bit; the processor's square root, as that of
// mingw-w64's library is not always the nearest one; and what the orrery asks of POSIX where that
// is missing.
#pragma once
#include <math.h>
#include <stdio.h>
#include <sys/types.h>

double matrix_sin(double x);
double matrix_cos(double x);
double matrix_cbrt(double x);
#define sin matrix_sin
#define cos matrix_cos
#define cbrt matrix_cbrt
#define sqrt __builtin_sqrt // -fno-builtin is for the others

#ifdef _WIN32
ssize_t matrix_getline(char **line, size_t *capacity, FILE *file);
#define getline matrix_getline
#endif
