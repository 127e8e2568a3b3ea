// SPDX-License-Identifier: MIT
// Numbers as text that comes back bit for bit, whatever the locale is. The C library rounds
// correctly but writes and reads the locale's decimal point: digits are taken from between.
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 24 };

typedef struct real_form {
    uint64_t sign, exponent, fraction; // masks
    uint64_t nan;                      // the usual one
    int digits, most;                  // that every number has at least, and at most
} real_form;

static const real_form *form_of(bool is_double) {
    static const real_form forms[] = {
        { 0x80000000u, 0x7F800000u, 0x007FFFFFu, 0x7FC00000u, 6, 9 },
        { 0x8000000000000000u, 0x7FF0000000000000u, 0x000FFFFFFFFFFFFFu, 0x7FF8000000000000u, 15,
          17 },
    };
    return &forms[is_double];
}

static double value_of(uint64_t bits, bool is_double) {
    double d;
    float f;
    const uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return is_double ? d : (double)f;
}

// Not for infinite ones and NaN.
static uint64_t bits_read(const char *text, bool is_double) {
    uint64_t bits = 0;
    if (is_double) {
        const double d = strtod(text, NULL);
        memcpy(&bits, &d, sizeof d);
    } else {
        const float f = strtof(text, NULL);
        uint32_t low;
        memcpy(&low, &f, sizeof f);
        bits = low;
    }
    return bits;
}

// ------------------------------------------------------------------ printing
// The digits of a number d.ddd * 10^exponent, without zeros at the end.
static int shortest_digits(uint64_t bits, bool is_double, char digits[MOST_DIGITS], int *exponent) {
    const real_form *form = form_of(is_double);
    const double value = value_of(bits, is_double);
    char text[64];
    // few numbers have fewer digits than all have; those next to 0 do
    for (int n = bits & form->exponent ? form->digits : 1; n <= form->most; ++n) {
        snprintf(text, sizeof text, "%.*e", n - 1, value);
        if (bits_read(text, is_double) == bits) break;
    }
    int count = 0;
    const char *at = text;
    for (; *at && *at != 'e' && count < MOST_DIGITS - 1; ++at)
        if (*at >= '0' && *at <= '9') digits[count++] = *at;
    *exponent = *at ? (int)strtol(at + 1, NULL, 10) : 0;
    while (count > 1 && digits[count - 1] == '0')
        --count;
    digits[count] = '\0';
    return count;
}

void keeli_print_real(char text[KEELI_NUMBER_TEXT], uint64_t bits, bool is_double) {
    const real_form *form = form_of(is_double);
    const size_t size = KEELI_NUMBER_TEXT;
    const char *sign = bits & form->sign ? "-" : "";
    if ((bits & form->exponent) == form->exponent) {
        if (bits == form->nan) snprintf(text, size, "nan");
        else if (bits & form->fraction) snprintf(text, size, "nan:%" PRIx64, bits);
        else snprintf(text, size, "%sinf", sign);
        return;
    }
    char digits[MOST_DIGITS];
    int exponent;
    const int count = shortest_digits(bits & ~form->sign, is_double, digits, &exponent);
    if (exponent < -5 || exponent >= form->digits)
        snprintf(text, size, "%s%c%s%se%d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                 exponent);
    else if (exponent < 0) snprintf(text, size, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    else if (exponent >= count - 1)
        snprintf(text, size, "%s%s%.*s.0", sign, digits, exponent - count + 1, "00000000000000");
    else snprintf(text, size, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

// ------------------------------------------------------------------ parsing
static size_t digits_at(const char *text, const char *end) {
    size_t n = 0;
    while (text + n < end && text[n] >= '0' && text[n] <= '9')
        ++n;
    return n;
}

// 1, 1.5, .5, 1e-9; not: 1,5, 0x1p3, " 1"
static bool is_decimal(const char *at, const char *end) {
    if (at < end && (*at == '-' || *at == '+')) ++at;
    const size_t whole = digits_at(at, end);
    at += whole;
    size_t part = 0;
    if (at < end && *at == '.') at += 1 + (part = digits_at(at + 1, end));
    if (!whole && !part) return false;
    if (at == end || (*at != 'e' && *at != 'E')) return at == end;
    if (++at < end && (*at == '-' || *at == '+')) ++at;
    const size_t power = digits_at(at, end);
    return power && at + power == end;
}

static bool parse_special(const char *text, size_t length, const real_form *form, uint64_t *bits) {
    static const struct {
        const char *name;
        bool is_nan, is_negative;
    } names[] = { { "nan", true, false },
                  { "inf", false, false },
                  { "+inf", false, false },
                  { "-inf", false, true } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (length == strlen(names[i].name) && !memcmp(text, names[i].name, length)) {
            *bits = names[i].is_nan ? form->nan : form->exponent;
            if (names[i].is_negative) *bits |= form->sign;
            return true;
        }
    char hex[20] = "0x";
    bool is_negative;
    if (length < 5 || length > 20 || memcmp(text, "nan:", 4) != 0) return false;
    memcpy(hex + 2, text + 4, length - 4);
    const uint64_t all = form->sign | form->exponent | form->fraction;
    return keeli_parse_integer(hex, length - 2, &is_negative, bits) && !(*bits & ~all) &&
           (*bits & form->exponent) == form->exponent && *bits & form->fraction;
}

bool keeli_parse_real(const char *text, size_t length, bool is_double, uint64_t *bits) {
    const real_form *form = form_of(is_double);
    char local[512], point[16];
    if (parse_special(text, length, form, bits)) return true;
    if (!is_decimal(text, text + length)) return false;
    const int n = snprintf(point, sizeof point, "%.1f", 0.5); // 0.5, or 0,5
    const size_t wide = n > 2 ? (size_t)n - 2 : 1;
    if (length + wide > sizeof local) return false;
    const char *dot = memchr(text, '.', length);
    const size_t before = dot ? (size_t)(dot - text) : length;
    size_t written = before;
    memcpy(local, text, before);
    if (dot) {
        memcpy(local + before, point + 1, wide);
        memcpy(local + before + wide, dot + 1, length - before - 1);
        written = length - 1 + wide;
    }
    local[written] = '\0';
    *bits = bits_read(local, is_double);
    return (*bits & form->exponent) != form->exponent;
}

bool keeli_parse_integer(const char *text, size_t length, bool *is_negative, uint64_t *magnitude) {
    const char *at = text, *end = text + length;
    uint64_t sum = 0;
    *is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) ++at;
    const uint32_t base = end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x' ? 16 : 10;
    if (base == 16) at += 2;
    if (at == end) return false;
    for (; at < end; ++at) {
        const uint32_t letter = (uint32_t)(unsigned char)(*at | 32) - 'a';
        const uint32_t digit = *at >= '0' && *at <= '9' ? (uint32_t)(*at - '0') : letter + 10;
        if (digit >= base || (letter > 5 && digit > 9) || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    *magnitude = sum;
    return true;
}
