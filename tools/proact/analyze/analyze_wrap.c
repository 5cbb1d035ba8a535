/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void analyze_wraps(const struct analyze_launch *l, const struct analyze_kernel *k,
                   const struct analyze_request *q, analyze_wrap_report *report,
                   void *context)
{
    const struct access_analysis *a = k->analysis;
    struct access_launch launch = {.parameters = l->block.bytes,
                                   .parameter_bytes = l->block.size,
                                   .constants = analyze_constants(l)};
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);

    memcpy(launch.ntid, q->block, sizeof launch.ntid);
    memcpy(launch.nctaid, q->grid, sizeof launch.nctaid);
    access_trips(a, &launch, trips);
    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        struct proact_error err = {""};

        if (r->kind != ACCESS_READ && r->state == ACCESS_CLOSED &&
            access_check_wrap(a, r, &launch, trips, &err))
            report(context, err.text);
    }
    free(trips);
}
