/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What can be asked of a link, each by a name that files of measurements use. */

#include "link_machine.h"

/* A probe takes of these what it needs. */
struct link_question {
    uint64_t bytes;         /* of a copy, or of a run */
    uint64_t ctas, threads; /* of a kernel */
    uint64_t peers;         /* that one device sends to; 0: to itself */
};

struct link_probe {
    const char *name, *unit; /* "GB/s" or "us" */
    struct bench_sample (*measure)(struct link_machine *m, const struct link_question *q);
    bool needs_bulk; /* devices of sm_90 and later */
};

const struct link_probe *link_probe_find(const char *name); /* or NULL */
/* Whether the machine has the devices, peers and memory that the question needs. */
bool link_can_answer(const struct link_machine *m, const struct link_probe *p,
                     const struct link_question *q);
