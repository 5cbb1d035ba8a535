/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `proact bench`, checked before anything is measured. */

#include "bench.h"

enum bench_kind { BENCH_LINK, BENCH_MICRO, BENCH_LATENCY, BENCH_STEP, BENCH_TRACKING };
enum { BENCH_KINDS = BENCH_TRACKING + 1 };
extern const char *const bench_names[BENCH_KINDS];

struct bench_words; /* the command line; the options borrow from it */

struct bench_options {
    enum bench_kind kind;
    bool help; /* only the help text is requested */
    struct bench_request request;
    double within; /* percent */
    double points; /* percentage points of the added fraction */
    const char *json;
};

/* Returns an exit status. The caller destroys `words` in any case. */
int bench_options_read(int argc, char **argv, struct bench_words **words,
                       struct bench_options *out);
void bench_options_destroy(struct bench_words *w);
