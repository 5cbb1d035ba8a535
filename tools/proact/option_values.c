/* SPDX-License-Identifier: Apache-2.0 */
#include "option_values.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { DIGITS_MAX = 19 }; /* every number of so many digits fits into 64 bits */

int option_integer(const struct option_range *range, const char *word, uint64_t *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    unsigned long long value = strtoull(word, &end, 10);

    if (*word < '0' || *word > '9' || *end || strlen(word) > DIGITS_MAX ||
        value < range->low || value > range->high)
        return usage_error(range->command,
                           "--%s: expected a whole number from %llu to %llu, found '%s'",
                           range->option, (unsigned long long)range->low,
                           (unsigned long long)range->high, word);
    *out = value;
    return EXIT_FINE;
}
