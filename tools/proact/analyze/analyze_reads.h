/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes that each device of a launch reads, or the reason why it may read
   everything. */

#include <proact/proact.h>

#include "analyze/analyze_launch.h"
#include "base/spans/spans.h"

/* Reads of one array, or through unknown pointers. */
struct analyze_reading {
    bool is_known; /* the array with the pointer at `offset` of the parameter buffer */
    uint32_t offset;
    uint32_t line;      /* of the load that reads everything */
    const char *reason; /* NULL: `spans` has the bytes */
    struct spans spans[PROACT_DEVICES_MAX];
};

struct analyze_reads {
    struct analyze_reading *each;
    size_t count, capacity;
    char missing_text[192]; /* reason if nothing is printed; or empty */
};

/* `r` starts zeroed; clear it afterwards. */
void analyze_reads_find(struct analyze_reads *r, const struct analyze_launch *l,
                        const struct analyze_kernel *k, const struct analyze_request *q);
void analyze_reads_clear(struct analyze_reads *r);

void analyze_print_reads(const struct analyze_launch *l, const struct analyze_kernel *k,
                         const struct analyze_request *q);
