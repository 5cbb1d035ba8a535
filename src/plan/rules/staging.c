/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/rules.h"

/* Staging pays from some hundred bytes per CTA (docs/performance.md), if stores waste the
   bandwidth of the link. */
enum { STAGE_BYTES_MIN = 512 };

static unsigned staging_expand(const struct plan_problem *p, const struct plan *partial,
                               struct plan *out, unsigned most)
{
    if (!p->staging || !most)
        return 0;
    *out = *partial;
    out->staging = p->staging->bytes >= STAGE_BYTES_MIN && p->staging->is_narrow;
    return 1;
}

const struct plan_rule plan_rule_staging = {"staging", staging_expand};
