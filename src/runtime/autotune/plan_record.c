/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/plan_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void plan_record_copy(struct plan_record *to, const struct plan_record *from)
{
    plan_record_clear(to);
    if (!from->number)
        return;
    *to = *from;
    to->all = must_calloc(from->count, sizeof *to->all);
    memcpy(to->all, from->all, from->count * sizeof *to->all);
}

void plan_record_clear(struct plan_record *r)
{
    free(r->all);
    *r = (struct plan_record){.number = 0};
}
