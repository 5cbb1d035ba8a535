/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The methods that a command line names: --method all, or NAME[,NAME...]. */

#include <stdbool.h>

enum { RUN_METHODS_MAX = 16 };

/* Bulk is the baseline: it comes first, named or not. The others follow in the order of the
   command line. */
struct run_methods {
    bool all; /* those that a machine refuses are left out */
    unsigned count;
    const char *name[RUN_METHODS_MAX];
};

extern const char run_baseline[];

/* NULL means all. Splits `list` in place and borrows it. Returns EXIT_FINE, or prints what
   is wrong and returns EXIT_USAGE. */
int run_methods_parse(char *list, struct run_methods *out);
