/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The report of a study, as text and as JSON. */

#include "run/run_study.h"

/* Three digits and a unit, such as "12.3 ms" or "4.56 GB". */
enum { RUN_SCALED_BYTES = 16 };
void run_scale_time(char into[RUN_SCALED_BYTES], double ns);
void run_scale_bytes(char into[RUN_SCALED_BYTES], double bytes);

struct run_report {
    const struct run_application *application;
    const void *work;
    const struct run_request *request;
    const struct topology *topology;
    const struct run_study *study;
};

/* The ideal speedup (terms.h). */
double run_report_ideal(const struct run_study *study);

void run_report_print(const struct run_report *r, FILE *to);

/* Writes JSON with units in the key names. A failure leaves no partial file. */
enum proact_status run_report_write(const struct run_report *r, const char *path,
                                    struct proact_error *err);
