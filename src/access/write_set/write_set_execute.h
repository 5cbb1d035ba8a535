/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Execution of a slice for CTAs of a grid, on several host threads. CTAs are independent of
   each other. */

#include "access/write_ranges/write_set_record.h"

struct execution {
    const struct write_set_slice *slice;
    unsigned char *parameters;
    uint64_t variables; /* address of the module's variables */
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    uint32_t first, end; /* numbers of the CTAs to execute */
    uint64_t limit;      /* warp instructions of a CTA */
    unsigned threads;    /* 0: one per core */
    uint64_t work_most;  /* for all CTAs; 0: unlimited */
    const char *why;     /* reason, for messages: a phrase about the store at */
    uint32_t line;       /* `line` of the kernel */
};
/* Cost in thread instructions: recording and sorting of a span, and creation of a range. */
enum { WRITE_SET_SPAN_WORK = 32, WRITE_SET_RANGE_WORK = 64 };

uint64_t write_set_work(const struct record *r, uint64_t lanes);

/* Executes the CTAs. `into` has its arrays and numbers these CTAs from 0. Neither the
   result nor the reported failure, that of the first failing CTA, depends on the number of
   threads. Adds the executed thread instructions to `lanes`. */
enum proact_status write_set_execute(const struct execution *e, struct record *into,
                                     uint64_t *lanes, struct proact_error *err);
