/* SPDX-License-Identifier: Apache-2.0 */
#include "option_values.h"

#include <inttypes.h>
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

int option_bytes(const struct option_range *range, const char *word, uint64_t *out)
{
    static const char units[] = "KMG";
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    const uint64_t count = *word >= '0' && *word <= '9' ? strtoull(word, &end, 10) : 0;
    const char *unit = count && *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

    if (!count || strlen(word) > 19 || end[unit != NULL] || count > range->high >> shift ||
        count << shift < range->low)
        return usage_error(range->command,
                           "--%s: expected bytes from %" PRIu64 " to %" PRIu64
                           ", such as 4096, 64K or 1G, found '%s'",
                           range->option, range->low, range->high, word);
    *out = count << shift;
    return EXIT_FINE;
}

int option_real(const struct option_range *range, const char *word, double *out)
{
    char *end = NULL;

    if (!word)
        return EXIT_FINE;
    const double value = strtod(word, &end);

    if (end == word || *end || !(value > 0) || value > (double)range->high)
        return usage_error(range->command,
                           "--%s: expected a positive number up to %" PRIu64 ", found '%s'",
                           range->option, range->high, word);
    *out = value;
    return EXIT_FINE;
}
