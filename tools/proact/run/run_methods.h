/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The methods that a command line names: --method all, or NAME[,NAME...]. */

#include <stdbool.h>
#include <stdint.h>

enum { RUN_METHODS_MAX = 64 };

/* Bulk is the baseline: it comes first, named or not. The others follow in the order of the
   command line. A chunk size or thread count of 0 is that of the request. */
struct run_methods {
    bool all;    /* those that a machine refuses are left out */
    bool sweeps; /* entries with a chunk size are plans of one sweep: E(m) only of bulk and
                    of the fastest plan, and no spread */
    unsigned count;
    const char *name[RUN_METHODS_MAX];
    uint64_t chunk_bytes[RUN_METHODS_MAX];
    unsigned threads[RUN_METHODS_MAX];
};

/* Unified memory: no method of the library, and only of comparisons. */
extern const char run_unified[];
/* run_auto: the planner selects the method of each kernel. */
extern const char run_baseline[], run_auto[];
/* Name for struct proact_plan: NULL for run_auto, and for NULL. */
const char *run_method_name(const char *name);

/* NULL means all. Splits `list` in place and borrows it. Returns EXIT_FINE, or prints what
   is wrong and returns EXIT_USAGE. */
int run_methods_parse(char *list, struct run_methods *out);
