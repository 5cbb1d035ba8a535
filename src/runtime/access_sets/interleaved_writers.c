/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/interleaved_writers.h"

#include "plan/rules/rules.h"
#include "runtime/access_sets/found.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

/* Chunks that one CTA of the run counts in. The rows ascend. */
static uint64_t chunks_of(const struct cta_runs *of, const struct cta_run *run,
                          uint64_t chunk)
{
    uint64_t count = 0, behind = 0; /* last counted chunk + 1 */

    for (uint32_t n = 0; n < run->rows; n++) {
        const struct rows *r = &of->rows[run->first + n];
        const uint64_t first = r->first / chunk, last = (rows_end(r) - 1) / chunk;
        /* With a pitch above the chunk size each row has its own chunks; otherwise all
           chunks from the first to the last count. */
        const uint64_t all =
            r->pitch > chunk ? r->count * (r->bytes / chunk + 1) : last - first + 1;

        count += all - (first < behind);
        behind = last + 1;
    }
    return count;
}

static uint64_t chunks_of_all(const struct cta_runs *of, uint64_t chunk)
{
    uint64_t count = 0;

    for (uint32_t n = 0; n < of->count; n++)
        count += of->run[n].count * chunks_of(of, &of->run[n], chunk);
    return count;
}

static struct plan_counting counting_of(const struct launching *l, uint64_t chunk_bytes)
{
    struct plan_counting c = {.ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};

    for (uint32_t s = 0; s < l->kernel->slot_count; s++) {
        c.chunks += launching_slot_array(l, s)->bytes / chunk_bytes;
        c.counts += chunks_of_all(found_runs(l, s), chunk_bytes);
    }
    return c;
}

bool launch_writes_interleaved(const struct launching *l, uint64_t chunk_bytes)
{
    struct proact_kernel *k = l->kernel;

    /* An equal write set has an equal result. */
    if (k->interleaved.digest != l->found.digest ||
        k->interleaved.chunk_bytes != chunk_bytes) {
        k->interleaved.digest = l->found.digest;
        k->interleaved.chunk_bytes = chunk_bytes;
        const struct plan_counting c = counting_of(l, chunk_bytes);

        k->interleaved.per_cta = (double)c.counts / (double)c.ctas;
        k->interleaved.most = plan_counts_most(&c);
        k->interleaved.are_many = plan_counts_too_often(&c);
    }
    return k->interleaved.are_many;
}
