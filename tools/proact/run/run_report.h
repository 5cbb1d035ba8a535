/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a study found, for people and for programs. */

#include "run/run_study.h"

struct run_report {
    const struct run_application *application;
    const void *work;
    const struct run_request *request;
    const struct topology *topology;
    const struct run_study *study;
};

/* The speedup of bulk with transfers that take no time; 0: not known. */
double run_report_ideal(const struct run_study *study);

void run_report_print(const struct run_report *r, FILE *to);

/* JSON; units are in the names. Whole or not at all. */
enum proact_status run_report_write(const struct run_report *r, const char *path,
                                    struct proact_error *err);
