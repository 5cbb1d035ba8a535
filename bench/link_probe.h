/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Probes of a link, by the names that files of measurements use. */

#include "link_machine.h"

/* Parameters of a probe; each probe uses a subset. */
struct link_question {
    uint64_t bytes;         /* of a copy or of a contiguous range */
    uint64_t ctas, threads; /* of a kernel */
    uint64_t peers;         /* receivers of one device; 0: the device itself */
};

struct link_probe {
    const char *name, *unit; /* "GB/s" or "us" */
    struct bench_sample (*measure)(struct link_machine *m, const struct link_question *q);
    bool needs_bulk; /* sm_90 or later */
};

const struct link_probe *link_probe_find(const char *name); /* NULL: unknown name */
/* True if the machine has the devices, peers and memory that the question needs. */
bool link_can_answer(const struct link_machine *m, const struct link_probe *p,
                     const struct link_question *q);
