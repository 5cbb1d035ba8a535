/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each device's share of a launch reads, and why it is everything where it is. */

#include <proact/proact.h>

#include "analyze/analyze_launch.h"
#include "base/spans/spans.h"

/* Of one array, or of what unknown pointers lead to. */
struct analyze_reading {
    bool is_known; /* at `offset` of the parameter block lies its address */
    uint32_t offset;
    uint32_t line;      /* of the load, why everything is read */
    const char *reason; /* NULL: the spans say what */
    struct spans spans[PROACT_DEVICES_MAX];
};

struct analyze_reads {
    struct analyze_reading *each;
    size_t count, capacity;
    char missing_text[192]; /* why nothing is said; empty where it is */
};

/* Start from zero, and clear. */
void analyze_reads_find(struct analyze_reads *r, const struct analyze_launch *l,
                        const struct analyze_kernel *k, const struct analyze_request *q);
void analyze_reads_clear(struct analyze_reads *r);

void analyze_print_reads(const struct analyze_launch *l, const struct analyze_kernel *k,
                         const struct analyze_request *q);
