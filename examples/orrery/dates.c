// SPDX-License-Identifier: MIT
// Days of the proleptic Gregorian calendar as Julian dates, and back.
#include "dates.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Julian date of 0000-03-01, 00:00: years are counted from March, so that the leap day ends them.
static const double march_of_year_0 = 1721119.5;

static int days_in_month(int year, int month) {
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static int digits(const char *text, int count) {
    int value = 0;
    for (int k = 0; k < count; ++k) value = value * 10 + (text[k] - '0');
    return value;
}

static bool is_shaped_like_a_date(const char *text) {
    static const char shape[] = "dddd-dd-dd";
    if (strlen(text) != sizeof shape - 1) return false;
    for (int k = 0; text[k]; ++k) {
        const bool is_digit = text[k] >= '0' && text[k] <= '9';
        if (shape[k] == 'd' ? !is_digit : text[k] != shape[k]) return false;
    }
    return true;
}

bool date_parse(const char *text, double *jd) {
    if (!is_shaped_like_a_date(text)) return false;
    const int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return false;
    const int y = month > 2 ? year : year - 1, months_since_march = (month + 9) % 12;
    const int days_before_month = (153 * months_since_march + 2) / 5;
    *jd = march_of_year_0 + 365 * y + y / 4 - y / 100 + y / 400 + days_before_month + day - 1;
    return true;
}

void date_format(double jd, char text[DATE_TEXT_SIZE]) {
    const double minute = 1.0 / 1440.0;
    const double whole_minutes = floor((jd - march_of_year_0) / minute + 0.5);
    const long long minutes = (long long)whole_minutes;
    const long long days = minutes / 1440, time = minutes % 1440;
    const long long era = days / 146097, day_of_era = days % 146097; // 400 years
    const long long year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const long long day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const long long months_since_march = (5 * day_of_year + 2) / 153;
    const long long day = day_of_year - (153 * months_since_march + 2) / 5 + 1;
    const long long month = months_since_march < 10 ? months_since_march + 3 : months_since_march - 9;
    const long long year = era * 400 + year_of_era + (month <= 2);
    const int length = snprintf(text, DATE_TEXT_SIZE, "%04d-%02d-%02d", (int)year, (int)month, (int)day);
    if (time != 0 && length > 0 && length < DATE_TEXT_SIZE)
        snprintf(text + length, (size_t)(DATE_TEXT_SIZE - length), " %02d:%02d", (int)(time / 60),
                 (int)(time % 60));
}
