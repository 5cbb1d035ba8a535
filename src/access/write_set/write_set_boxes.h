/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Write set of a launch by boxes of CTAs: closed forms where they exist, execution of the
   slice elsewhere. A loop with different trip counts in different threads has a closed form
   in each box whose threads agree. */

#include "access/access.h"
#include "access/write_set/write_set_execute.h"

struct boxes_result {
    const char *why; /* reason for an execution: a phrase about the store at `line` */
    uint32_t line;   /* of the kernel; 0: all stores */
    uint32_t ran;    /* executed CTAs */
    uint64_t places; /* points at which closed forms were evaluated */
    uint64_t lanes;  /* thread instructions */
    uint64_t work;   /* `lanes` plus the cost of recording and sorting */
};

/* Finds the ranges of all CTAs. `launch` covers all CTAs, and `into` has its arrays. `run`
   describes the execution of the slice; its CTAs and its reason are set here. */
enum proact_status boxes_find(const struct access_launch *launch,
                              const struct execution *run, struct record *into,
                              struct boxes_result *out, struct proact_error *err);
