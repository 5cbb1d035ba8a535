/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/rules.h"

/* Chunk sizes: each fourfold size up to the largest piece that a device sends, and the
   default. The cost decides between them. A method that schedules selects them itself. */
static unsigned chunk_expand(const struct plan_problem *p, const struct plan *partial,
                             struct plan *out, unsigned most)
{
    enum { LEAST = 4 << 10, MOST = 4 << 20, STEP = 4 };
    const struct plan_method *m = plan_method_find(p, partial->method);
    uint64_t largest = 0;
    unsigned count = 0;

    if (!m || !m->takes_chunks || m->schedules)
        return 0;
    out[count] = *partial;
    out[count++].chunk_first = p->usual.chunk_first;
    for (unsigned a = 0; a < p->array_count; a++)
        largest = p->arrays[a].bytes > largest ? p->arrays[a].bytes : largest;
    for (uint64_t size = LEAST; size <= MOST && !p->chunk_is_fixed && count < most;
         size *= STEP) {
        if (size == p->usual.chunk_first || (size > largest && size > LEAST))
            continue;
        out[count] = *partial;
        out[count++].chunk_first = size;
    }
    return count;
}

const struct plan_rule plan_rule_chunk = {"chunk", chunk_expand};
