/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/number_scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Up to these limits the integer and the power of ten are exact doubles, so one
   multiplication or division is rounded correctly. */
enum { EXACT_DIGITS = 15, EXACT_POWER = 22 };

const char *scan_unsigned(const char *at, uint64_t *out)
{
    uint64_t value = 0;
    const char *from = at;

    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');

        if (value > (UINT64_MAX - digit) / 10)
            return NULL;
        value = value * 10 + digit;
    }
    if (at == from)
        return NULL;
    *out = value;
    return at;
}

static const char *scan_slowly(const char *at, double *out)
{
    char *after;
    double value = strtod(at, &after);

    if (after == at || !isfinite(value))
        return NULL;
    *out = value;
    return after;
}

const char *scan_real(const char *from, double *out)
{
    static const double power[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = from;
    bool negative = *at == '-';
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0;

    if (*at != '-' && *at != '+' && *at != '.' && (*at < '0' || *at > '9'))
        return NULL; /* strtod() would skip white space and accept words */
    at += *at == '-' || *at == '+';
    for (; *at >= '0' && *at <= '9' && digits < EXACT_DIGITS; at++, digits++)
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9' && digits < EXACT_DIGITS; at++, digits++) {
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
            exponent--;
        }
    if (digits == 0 || (*at >= '0' && *at <= '9') || *at == '.' || *at == 'e' ||
        *at == 'E' || *at == 'x' || *at == 'X' || -exponent > EXACT_POWER)
        return scan_slowly(from, out);
    double value = (double)mantissa / power[-exponent];

    *out = negative ? -value : value;
    return at;
}
