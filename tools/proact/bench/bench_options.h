/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `proact bench`, read and refused before anything is measured. */

#include "bench.h"

enum bench_kind { BENCH_LINK, BENCH_MICRO, BENCH_LATENCY, BENCH_STEP, BENCH_TRACKING };
enum { BENCH_KINDS = BENCH_TRACKING + 1 };
extern const char *const bench_names[BENCH_KINDS];

struct bench_words; /* of the command line; what is read from them borrows them */

struct bench_options {
    enum bench_kind kind;
    bool help; /* is all that was asked for */
    struct bench_request request;
    double within; /* percent */
    double points; /* percentage points, of what rows add */
    const char *json;
};

/* Returns what the program exits with; destroy `words` in any case. */
int bench_options_read(int argc, char **argv, struct bench_words **words,
                       struct bench_options *out);
void bench_options_destroy(struct bench_words *w);
