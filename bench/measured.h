/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files of measurements (bench/measured), and reports of `proact bench --json` on hardware:
   what was asked, and what it was. */

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

/* `key`: what each row has beside `measured`, "probe", "pattern" or "what". Ends the
   program where the file is wrong. */
void measured_read(const char *path, const char *key, struct measured *out);
/* Where `r` says what it is compared with. */
void measured_name(const struct measured *m, struct bench_report *r);
/* For a bench that asks as it likes: rows added to `r` from now on are shown beside those
   of the same `what`, up to a colon. The machine is the file's unless one was asked for. */
void measured_beside(const struct bench_request *q, struct measured *out,
                     struct bench_request *effective, struct bench_report *r);
/* What was measured of this row, and why the model leaves it out. */
void measured_fill(const struct measured *m, struct bench_row *row);
/* No more rows are shown beside these: counts in `r` which of them were, and clears `m`. */
void measured_end(struct measured *m, struct bench_report *r);
