/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs a slice over CTAs of a grid, on several threads of the host: CTAs know nothing of
   each other. */

#include "access/write_ranges/write_set_record.h"

struct execution {
    const struct write_set_slice *slice;
    unsigned char *parameters;
    uint64_t variables; /* the address of the module's */
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    uint32_t first, end; /* CTAs to run, by number */
    uint64_t limit;      /* instructions of a CTA */
    unsigned threads;    /* 0: as many as cores */
    uint64_t work_most;  /* of all CTAs; 0: any */
    const char *why; /* it has to be run, which is then said: a phrase about the store at */
    uint32_t line;   /* ... of the kernel */
};
/* In thread instructions, about as long as they take: a span that comes in, which has to be
   sorted, and a range that is found. */
enum { WRITE_SET_SPAN_WORK = 32, WRITE_SET_RANGE_WORK = 64 };

uint64_t write_set_work(const struct record *r, uint64_t lanes);

/* `into` knows its arrays, and numbers those CTAs from 0. What it gets, and the failure of
   the first CTA that fails, do not hang on the threads. Adds to `lanes` the thread
   instructions. */
enum proact_status write_set_execute(const struct execution *e, struct record *into,
                                     uint64_t *lanes, struct proact_error *err);
