/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Component header: plans of launches, their cost, and profiles of measured plans (PROACT
   III-A, AMGE 5.3). The component has no device and no clock. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_METHOD_BYTES = 24, PLAN_TEXT_BYTES = 256 };

/* Plan of a launch. An empty or zero field leaves the choice to the session. */
struct plan {
    unsigned devices;               /* 1: device 0 alone */
    unsigned axis;                  /* partition axis: 1 x, 2 y, 3 z */
    char method[PLAN_METHOD_BYTES]; /* of the table of transfer methods; "": any */
    char tail[PLAN_METHOD_BYTES];   /* method of the last tail_bytes; "": none */
    uint64_t tail_bytes;
    uint64_t chunk_first, chunk_step; /* chunk i has first + i * step bytes */
    unsigned threads;                 /* of the agent */
    bool interior;                    /* interior and boundary are separate kernels */
    bool staging;                     /* stores are gathered in shared memory */
    bool needed_first;                /* CTAs whose chunks others need run first */
};

/* Method and tail as in proact_plan.method, such as "copy-engine+fused:16777216". */
enum { PLAN_METHODS_BYTES = 3 * PLAN_METHOD_BYTES };
void plan_print_methods(const struct plan *p, char out[PLAN_METHODS_BYTES]);

/* Text of a plan: space-separated fields `name=value`, for example
   "devices=4 axis=1 method=fused chunk=65536". plan_parse() accepts what plan_print()
   writes; its error names the field and lists the valid ones. */
void plan_print(const struct plan *p, char out[PLAN_TEXT_BYTES]);
enum proact_status plan_parse(const char *text, struct plan *out, struct proact_error *err);
