/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/number_scan.h"

#include <stddef.h>

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
