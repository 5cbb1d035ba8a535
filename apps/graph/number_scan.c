/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/number_scan.h"

#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* The position after the exponent at `at`, if there is one. Fortran omits the letter if the
   exponent has three digits. */
static const char *skip_exponent(const char *at)
{
    const char *sign = at + (*at && strchr("eEdD", *at));
    const char *digits = sign + (*sign == '+' || *sign == '-');
    const char *after = skip_digits(digits);

    return digits == at || after == digits ? at : after;
}

/* strtod() with the locale "C" for this thread. */
static double parse_in_c_locale(const char *text)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    if (!plain)
        abort();
    locale_t before = uselocale(plain);
    double value = strtod(text, NULL);

    uselocale(before);
    freelocale(plain);
    return value;
}

const char *scan_real(const char *at, double *out)
{
    const char *digits = at + (*at == '+' || *at == '-'), *point = skip_digits(digits);
    const char *end = *point == '.' ? skip_digits(point + 1) : point;

    if (end == digits || end == digits + (*digits == '.'))
        return NULL;
    const char *after = skip_exponent(end);
    if (after == end || *end == 'e' || *end == 'E') {
        *out = parse_in_c_locale(at);
        return after;
    }
    const char *exponent = end + (*end == 'd' || *end == 'D');
    size_t length = (size_t)(end - at), rest = (size_t)(after - exponent);
    char *plain = malloc(length + rest + 2);

    if (!plain)
        abort();
    memcpy(plain, at, length);
    plain[length] = 'e';
    memcpy(plain + length + 1, exponent, rest);
    plain[length + 1 + rest] = '\0';
    *out = parse_in_c_locale(plain);
    free(plain);
    return after;
}
