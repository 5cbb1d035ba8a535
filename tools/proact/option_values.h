/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of options, for the commands. */

#include <stdint.h>

/* Reads a decimal integer from low to high. NULL leaves *out as it is. Returns EXIT_FINE,
   or prints what is wrong with --OPTION of the command and returns EXIT_USAGE. */
struct option_range {
    const char *command, *option;
    uint64_t low, high;
};
int option_integer(const struct option_range *range, const char *word, uint64_t *out);
/* The same for bytes with an optional suffix K, M or G, and for a positive number up to
   `high`. */
int option_bytes(const struct option_range *range, const char *word, uint64_t *out);
int option_real(const struct option_range *range, const char *word, double *out);
