// SPDX-License-Identifier: MIT
// Numbers as text, and back, bit for bit and in any locale. The C library converts and rounds, but
// with the decimal point of the locale. So printing copies only the digits that it wrote, and
// parsing replaces the point before it reads.
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 24 };

typedef struct real_form {
    uint64_t sign, exponent, fraction; // masks
    uint64_t nan;                      // bits of the usual NaN
    int digits; // number of decimal digits that the type always preserves; the search for the
                // shortest text begins here, because trailing zeros are removed later
    int most;   // number of decimal digits that suffices for every number
} real_form;

static const real_form *real_form_of(bool is_double) {
    static const real_form forms[] = {
        { 0x80000000u, 0x7F800000u, 0x007FFFFFu, 0x7FC00000u, 6, 9 },
        { 0x8000000000000000u, 0x7FF0000000000000u, 0x000FFFFFFFFFFFFFu, 0x7FF8000000000000u, 15,
          17 },
    };
    return &forms[is_double];
}

static double real_value(uint64_t bits, bool is_double) {
    double d;
    float f;
    const uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return is_double ? d : (double)f;
}

// Returns the bits of the number in a text, which has the decimal point of the locale. The text
// must not be that of an infinity or a NaN.
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
// Writes the decimal digits of the shortest text that parses to these bits, without trailing zeros,
// and returns their number. The value is d.ddd * 10^exponent; `*exponent` is set.
static int shortest_digits(uint64_t bits, bool is_double, char digits[MOST_DIGITS], int *exponent) {
    const real_form *form = real_form_of(is_double);
    const double value = real_value(bits, is_double);
    char text[64];

    // subnormal numbers may need fewer digits than the others
    const bool is_subnormal = !(bits & form->exponent);
    for (int n = is_subnormal ? 1 : form->digits; n <= form->most; ++n) {
        snprintf(text, sizeof text, "%.*e", n - 1, value);
        if (bits_read(text, is_double) == bits)
            break;
    }

    int count = 0;
    const char *at = text;
    for (; *at && *at != 'e' && count < MOST_DIGITS - 1; ++at)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    *exponent = *at ? (int)strtol(at + 1, NULL, 10) : 0;
    while (count > 1 && digits[count - 1] == '0')
        --count;
    digits[count] = '\0';
    return count;
}

enum { SHORT_DECIMALS = 6 };

// Writes the digits of a number in front of `end`. Returns where they begin.
static char *put_digits(char *end, uint64_t number, int least) {
    for (; number || least > 0; --least, number /= 10)
        *--end = (char)('0' + number % 10);
    return end;
}

// Writes a number with at most six decimals, as most numbers of programs are; printf takes ten
// times as long. False, and nothing is written: it has more decimals, is very large or small, or it
// is too close to call.
static bool print_short(char *text, double value, bool is_double) {
    const double largest = is_double ? 1e8 : 1e6; // above, floats are written with an exponent
    double scale = 1;
    if (value != 0 && (value < 1e-3 || value >= largest))
        return false;
    for (int decimals = 0; decimals <= SHORT_DECIMALS; ++decimals, scale *= 10) {
        const double scaled = value * scale;
        const uint64_t number = (uint64_t)(scaled + 0.5);
        const double back = (double)number / scale;
        if (is_double ? back != value : (float)back != (float)value)
            continue;
        // A double that is halfway between two floats may stand for either, and printf rounds a
        // number halfway between two texts to the even one.
        const double distance = back > value ? back - value : value - back;
        const bool is_halfway = (double)number - scaled == 0.5;
        if (is_halfway || (!is_double && distance > value * 0x1p-26))
            return false;

        char room[KEELI_NUMBER_TEXT], *end = room + sizeof room;
        const uint64_t whole = number / (uint64_t)scale, part = number % (uint64_t)scale;
        char *at = put_digits(end, part, decimals ? decimals : 1);
        *--at = '.';
        at = put_digits(at, whole, 1);
        memcpy(text, at, (size_t)(end - at));
        text[end - at] = '\0';
        return true;
    }
    return false;
}

void keeli_print_real(char text[KEELI_NUMBER_TEXT], uint64_t bits, bool is_double) {
    const real_form *form = real_form_of(is_double);
    const size_t size = KEELI_NUMBER_TEXT;
    const char *sign = bits & form->sign ? "-" : "";
    if ((bits & form->exponent) == form->exponent) {
        if (bits == form->nan)
            snprintf(text, size, "nan");
        else if (bits & form->fraction)
            snprintf(text, size, "nan:%" PRIx64, bits);
        else
            snprintf(text, size, "%sinf", sign);
        return;
    }

    text[0] = '-';
    if (print_short(text + (*sign != 0), real_value(bits & ~form->sign, is_double), is_double))
        return;

    char digits[MOST_DIGITS];
    int exponent;
    const int count = shortest_digits(bits & ~form->sign, is_double, digits, &exponent);
    if (exponent < -5 || exponent >= form->digits)
        snprintf(text, size, "%s%c%s%se%d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                 exponent);
    else if (exponent < 0)
        snprintf(text, size, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    else if (exponent >= count - 1)
        snprintf(text, size, "%s%s%.*s.0", sign, digits, exponent - count + 1, "00000000000000");
    else
        snprintf(text, size, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

// ------------------------------------------------------------------ parsing
static size_t digits_at(const char *text, const char *end) {
    size_t n = 0;
    while (text + n < end && text[n] >= '0' && text[n] <= '9')
        ++n;
    return n;
}

// True for a decimal number, such as 1, 1.5, .5 or 1e-9; false for 1,5 or 0x1p3 or " 1".
static bool is_decimal(const char *at, const char *end) {
    if (at < end && (*at == '-' || *at == '+'))
        ++at;

    const size_t whole = digits_at(at, end);
    at += whole;
    size_t fraction = 0;
    if (at < end && *at == '.') {
        fraction = digits_at(at + 1, end);
        at += 1 + fraction;
    }
    if (!whole && !fraction)
        return false;
    if (at == end)
        return true;

    if (*at != 'e' && *at != 'E')
        return false;
    ++at;
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    const size_t power = digits_at(at, end);
    return power && at + power == end;
}

// Reads infinity and NaN: nan, nan:hex, inf, +inf, -inf.
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
            if (names[i].is_negative)
                *bits |= form->sign;
            return true;
        }

    char hex[20] = "0x";
    bool is_negative;
    if (length < 5 || length > 20 || memcmp(text, "nan:", 4) != 0)
        return false;
    memcpy(hex + 2, text + 4, length - 4);
    if (!keeli_parse_integer(hex, length - 2, &is_negative, bits))
        return false;

    const uint64_t all = form->sign | form->exponent | form->fraction;
    const bool is_nan = (*bits & form->exponent) == form->exponent && *bits & form->fraction;
    return is_nan && !(*bits & ~all);
}

bool keeli_parse_real(const char *text, size_t length, bool is_double, uint64_t *bits) {
    const real_form *form = real_form_of(is_double);
    char local[512], point[16];
    if (parse_special(text, length, form, bits))
        return true;
    if (!is_decimal(text, text + length))
        return false;

    // between the 0 and the 5 stands the decimal point of the locale, maybe of several bytes
    const int n = snprintf(point, sizeof point, "%.1f", 0.5);
    const size_t wide = n > 2 ? (size_t)n - 2 : 1;
    if (length + wide > sizeof local)
        return false;

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
    if (at < end && (*at == '-' || *at == '+'))
        ++at;

    const uint32_t base = end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x' ? 16 : 10;
    if (base == 16)
        at += 2;
    if (at == end)
        return false;

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
