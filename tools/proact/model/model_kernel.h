/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launch of a kernel as the model describes it: from its analysis and one execution. */

#include "model/model_options.h"
#include "topology/topology.h"

struct model_kernel_launch {
    char name[128];
    uint64_t ctas, own;     /* of the grid, of the largest partition */
    uint64_t bytes, run;    /* the most that one device writes; length of a CTA's range */
    uint64_t piece, extent; /* written bytes without a gap; of a CTA with its gaps */
    unsigned threads;       /* of a CTA */
    double single_ns;       /* on one device: given, or of one execution on the machine */
    char refusal[512];      /* why the launch cannot be split; "": it can */
};

/* Returns an exit status. */
int model_kernel_describe(const struct model_request *q, const struct topology *t,
                          struct model_kernel_launch *out);
