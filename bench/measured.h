/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files of measurements (bench/measured) and hardware reports of `proact bench --json`:
   questions and results. */

#include "bench.h"
#include "link_probe.h"

struct measured_row {
    struct bench_row row; /* its columns, `measured` and `excluded` */
    char probe[32];       /* of a link */
    struct link_question question;
};

struct measured {
    char machine[64], source[256];
    struct measured_row *rows;
    size_t count;
};

/* `key` names the field that every row has in addition to `measured`: "probe", "pattern" or
   "what". A malformed file ends the program. */
void measured_read(const char *path, const char *key, struct measured *out);
/* Writes the name of the comparison into `r`. */
void measured_name(const struct measured *m, struct bench_report *r);
/* Comparison for a bench with its own rows. Each row added to `r` shows the measurement
   with the same `what` up to a colon. The machine is that of the file unless the request
   names one. */
void measured_beside(const struct bench_request *q, struct measured *out,
                     struct bench_request *effective, struct bench_report *r);
/* The measurement of this row, and the reason if the model excludes it. */
void measured_fill(const struct measured *m, struct bench_row *row);
/* End of the comparison: counts in `r` the rows that were measured again, and clears
   `m`. */
void measured_end(struct measured *m, struct bench_report *r);
