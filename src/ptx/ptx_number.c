/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_parser.h"

enum { DECIMAL_BYTES_MAX = 400 };

/* False for an invalid digit, no digit, or more than 64 bits. */
static bool digits(const char *text, uint32_t bytes, unsigned base, uint64_t *out)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; i++) {
        char c = text[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : base;

        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return bytes > 0;
}

static bool integer(const char *text, uint32_t bytes, uint64_t *out)
{
    if (bytes > 1 && (text[bytes - 1] == 'U' || text[bytes - 1] == 'u'))
        bytes--;
    if (bytes > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return digits(text + 2, bytes - 2, 16, out);
    if (bytes > 1 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        return digits(text + 2, bytes - 2, 2, out);
    if (bytes > 1 && text[0] == '0')
        return digits(text + 1, bytes - 1, 8, out);
    return digits(text, bytes, 10, out);
}

/* The decimal point of PTX does not depend on the program's locale. */
static bool decimal(const char *text, uint32_t bytes, uint64_t *out)
{
    char copy[DECIMAL_BYTES_MAX + 1], *end;

    if (bytes > DECIMAL_BYTES_MAX)
        return false;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    double value = strtod(copy, &end);

    uselocale(before);
    if (plain)
        freelocale(plain);
    memcpy(out, &value, sizeof value);
    return end == copy + bytes;
}

bool ptx_read_number(struct ptx_parser *p, struct ptx_number *out)
{
    if (p->token.kind != PTX_TOKEN_NUMBER)
        return ptx_expected(p, "a number");
    const char *text = p->text + p->token.span.offset;
    uint32_t bytes = p->token.span.bytes;
    char second = bytes > 1 && text[0] == '0' ? text[1] : '\0';
    bool good;

    out->float_bytes = 0;
    if (second == 'f' || second == 'F') {
        out->float_bytes = 4;
        good = bytes == 10 && digits(text + 2, bytes - 2, 16, &out->bits);
    } else if (second == 'd' || second == 'D') {
        out->float_bytes = 8;
        good = bytes == 18 && digits(text + 2, bytes - 2, 16, &out->bits);
    } else if (memchr(text, '.', bytes) ||
               (second != 'x' && second != 'X' && second != 'b' && second != 'B' &&
                (memchr(text, 'e', bytes) || memchr(text, 'E', bytes)))) {
        out->float_bytes = 8;
        good = decimal(text, bytes, &out->bits);
    } else {
        good = integer(text, bytes, &out->bits);
    }
    if (!good)
        return ptx_expected(p, "a number");
    ptx_next(p);
    return true;
}

bool ptx_read_integer(struct ptx_parser *p, const char *what, uint64_t *out)
{
    struct ptx_number number = {0};
    struct ptx_token t = p->token;

    if (t.kind != PTX_TOKEN_NUMBER)
        return ptx_expected(p, what);
    if (!ptx_read_number(p, &number))
        return false;
    if (number.float_bytes)
        return ptx_wrong(p, t.span.offset, "expected %s, found a floating-point number",
                         what);
    *out = number.bits;
    return true;
}
