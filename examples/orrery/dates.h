// SPDX-License-Identifier: MIT
// Days of the proleptic Gregorian calendar as Julian dates, and back.
#pragma once
#include <stdbool.h>

// Julian date of J2000.0, the epoch of the orbital elements.
#define J2000 2451545.0
// Days in the century that the rates of the elements refer to.
#define DAYS_PER_CENTURY 36525.0

// 00:00 of a day written YYYY-MM-DD, years 0001 to 9999. False when there is no such day.
bool date_parse(const char *text, double *jd);

enum { DATE_TEXT_SIZE = 24 };

// The day, and the time of day unless it is 00:00: "2026-11-21", "2026-11-21 12:00".
void date_format(double jd, char text[DATE_TEXT_SIZE]);
