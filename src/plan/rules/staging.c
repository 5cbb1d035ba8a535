/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "plan/rules/rules.h"

/* Bytes of a CTA from which stores are staged on a machine whose links are not known, such
   as GPUs of a compute capability that no shipped machine has. */
enum { STAGE_BYTES_MIN = 512 };

double plan_staging_ns(const struct plan_problem *p, bool is_staged)
{
    const struct plan_staging *s = p->staging;
    const double stores = (double)s->bytes / s->store_width / p->cta_threads;
    const struct model_problem m = {.devices = p->device_count,
                                    .bytes = p->ctas_most * s->bytes,
                                    .run_bytes = is_staged ? s->bytes : s->store_bytes,
                                    .ctas = p->ctas_most,
                                    .threads = p->cta_threads,
                                    .is_kernel_only = true,
                                    .stores = is_staged ? 0 : ceil(stores)};
    const struct model_plan by = {.who =
                                      is_staged ? MODEL_SEND_BULK_STORE : MODEL_SEND_STORE};

    if (!(p->topology->fabric.egress_gbps > 0))
        return 0;
    const struct model_candidate c = model_candidate_of(p->topology, &m, &by);

    return model_candidate_time(&c).ns;
}

/* Stores are staged if the bulk stores take less time than the stores themselves. */
static unsigned staging_expand(const struct plan_problem *p, const struct plan *partial,
                               struct plan *out, unsigned most)
{
    if (!p->staging || !most)
        return 0;
    const double staged_ns = plan_staging_ns(p, true);

    *out = *partial;
    out->staging = staged_ns > 0 ? staged_ns < plan_staging_ns(p, false)
                                 : p->staging->bytes >= STAGE_BYTES_MIN;
    return 1;
}

const struct plan_rule plan_rule_staging = {"staging", staging_expand};
