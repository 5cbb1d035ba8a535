/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model/pages.h"
#include "run/run_study.h"

void run_copies_note(const struct proact *p, char out[RUN_COPIES_BYTES])
{
    const char *copies = proact_plan_copies(p);

    snprintf(out, RUN_COPIES_BYTES, "%s", copies ? copies : "");
}

const char *run_hint_name(enum proact_unified hint)
{
    return pages_hint_names[hint - PROACT_UNIFIED_NO_HINT];
}

bool run_study_differs(const struct run_study *s)
{
    for (unsigned i = 0; i < s->row_count; i++)
        if (!s->row[i].equal)
            return true;
    return false;
}
