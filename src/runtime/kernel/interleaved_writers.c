/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/interleaved_writers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/rules/rules.h"
#include "runtime/access_sets/found.h"
#include "runtime/access_sets/written_extent.h"
#include "runtime/kernel/problem_features.h"
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

static struct plan_counting counting_of(const struct launching *l)
{
    const uint64_t chunk = l->plan.chunk_bytes;
    struct plan_counting c = {.ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};

    for (uint32_t s = 0; s < l->kernel->slot_count; s++) {
        c.chunks += launching_slot_array(l, s)->bytes / chunk;
        c.counts += chunks_of_all(found_runs(l, s), chunk);
    }
    return c;
}

/* The array of a slot, of which all devices need all bytes. */
static struct plan_array counting_array(const struct launching *l, uint32_t slot,
                                        uint64_t ctas)
{
    const unsigned devices = l->kernel->session->devices.count;
    const uint32_t *first = l->found.cta_first;
    const struct cta_runs *runs = found_runs(l, slot);
    struct plan_array a = {.bytes = launching_slot_array(l, slot)->bytes,
                           .extent = written_extent(runs, first, devices),
                           .chunk_share = 1};
    double bytes = 0, ranges = 0;

    for (uint32_t n = 0; n < runs->count; n++)
        for (uint32_t i = 0; i < runs->run[n].rows; i++) {
            const struct rows *r = &runs->rows[runs->run[n].first + i];

            bytes += (double)r->bytes * r->count * runs->run[n].count;
            ranges += (double)r->count * runs->run[n].count;
        }
    for (unsigned d = 0; d < devices; d++) {
        const size_t copies = (devices - 1) * written_copies(runs, first[d], first[d + 1]);

        a.copies = copies > a.copies ? (unsigned)copies : a.copies;
    }
    a.range_bytes = (uint64_t)(bytes / (double)ctas);
    a.run_bytes = ranges > 0 ? (uint64_t)(bytes / ranges) : 0;
    for (unsigned from = 0; from < devices; from++)
        for (unsigned to = 0; to < devices; to++)
            if (from != to)
                a.sent[from][to] = a.range_bytes * (first[from + 1] - first[from]);
    return a;
}

/* Decides by the planner's costs, and notes them for proact_kernel_plan(). */
static void interleaved_decide(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;
    const struct proact *session = k->session;
    const struct plan_counting counting = counting_of(l);
    const struct plan_method method = problem_method(l->plan.method);
    struct plan_array *arrays = must_calloc(k->slot_count + 1u, sizeof *arrays);
    struct plan_problem p = {.topology = &session->topology,
                             .device_count = session->devices.count,
                             .ctas = counting.ctas,
                             .cta_threads = l->threads[0] * l->threads[1] * l->threads[2],
                             .arrays = arrays,
                             .array_count = k->slot_count,
                             .methods = &method,
                             .method_count = 1,
                             .counting = &counting};
    struct plan plan = {.chunk_first = l->plan.chunk_bytes, .threads = l->plan.threads};

    strncpy(plan.method, method.name, sizeof plan.method - 1);
    for (uint32_t s = 0; s < k->slot_count && plan_counts_many(&counting); s++)
        arrays[s] = counting_array(l, s, counting.ctas);
    for (unsigned d = 0; d < session->devices.count; d++) {
        const uint64_t ctas = l->found.cta_first[d + 1] - l->found.cta_first[d];

        p.ctas_most = ctas > p.ctas_most ? ctas : p.ctas_most;
    }
    k->interleaved.per_cta = (double)counting.counts / (double)counting.ctas;
    const struct plan_counting_times times = plan_counting_times(&p, &plan);

    k->interleaved.counted_ns = times.counted_ns;
    k->interleaved.copied_ns = times.copied_ns;
    k->interleaved.are_many = plan_counts_too_often(&p, &plan);
    free(arrays);
}

bool launch_writes_interleaved(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;

    /* An equal write set has an equal result. */
    if (k->interleaved.digest != l->found.digest ||
        k->interleaved.chunk_bytes != l->plan.chunk_bytes ||
        k->interleaved.method != l->plan.method) {
        k->interleaved.digest = l->found.digest;
        k->interleaved.chunk_bytes = l->plan.chunk_bytes;
        k->interleaved.method = l->plan.method;
        interleaved_decide(l);
    }
    return k->interleaved.are_many;
}
