/* SPDX-License-Identifier: Apache-2.0 */
/* Analysis of a launch: its write set, then the number of devices over which it can be
   split. */
#include "analyze/analyze_run.h"

#include <inttypes.h>
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analyze_flags.h"
#include "base/fail.h"
#include "command.h"

/* Limits of a few seconds, for closed expressions and for slices that must be executed. */
enum { CTAS_MAX = 1 << 22 };
static const uint64_t work_most = (uint64_t)1 << 32;

/* The largest number of devices that write disjoint bytes. Atomics may be split only if
   each device has its own bytes, as in the runtime. */
static void find_over(struct analyze_launch *l, const struct analyze_kernel *k)
{
    uint32_t first[PROACT_DEVICES_MAX + 1];
    struct proact_error err;
    const struct write_set_ranges *atomic = k->why.text[0] ? NULL : analyze_atomic(l->set);

    for (l->over = l->devices; l->over > 1; l->over--) {
        analyze_split(l, l->over, first);
        if (!write_set_overlap(l->set, first, l->over, &err))
            break;
        if (l->over == l->devices)
            l->why = err;
    }
    if (!atomic || l->over == l->devices)
        return;
    l->over = 1;
    fail(&l->why, PROACT_EREFUSED,
         "kernel '%s', %s:%" PRIu32
         ": it updates array '%s' by atomics: each device would update its own replica "
         "only",
         k->f->name, k->module->name, atomic->line, atomic->name);
}

/* The write set has an entry for each CTA. */
static bool is_too_much(struct analyze_launch *l, const struct analyze_request *q)
{
    const double ctas = (double)q->grid[0] * q->grid[1] * q->grid[2];

    if (ctas <= CTAS_MAX)
        return false;
    snprintf(l->left_out, sizeof l->left_out,
             "%.0f CTAs exceed the limit of %d: try a smaller grid", ctas, CTAS_MAX);
    return true;
}

int analyze_launch_run(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q)
{
    struct proact_error err = {""};
    int code = analyze_block_fill(&l->block, k, q);

    if (!code)
        code = analyze_constants_fill(&l->constants, k, q);
    if (code || !k->slice || is_too_much(l, q))
        return code;
    struct write_set_launch launch = {.parameters = l->block.bytes,
                                      .parameter_bytes = l->block.size,
                                      .arrays = l->block.arrays,
                                      .array_count = l->block.array_count,
                                      .pointers = l->block.pointers,
                                      .pointer_count = l->block.array_count,
                                      .constants = l->constants.items,
                                      .constant_count = l->constants.count,
                                      .work_most = work_most};

    memcpy(launch.grid, q->grid, sizeof launch.grid);
    memcpy(launch.block, q->block, sizeof launch.block);
    enum proact_status status = write_set_run(k->slice, &launch, &l->set, &err);

    if (status == PROACT_EREFUSED) {
        snprintf(l->left_out, sizeof l->left_out, "%s", err.text);
        return EXIT_FINE;
    }
    if (status)
        return status == PROACT_EINVAL ? usage_error("analyze", "%s", err.text)
                                       : failure_exit(&err);
    l->devices = q->devices;
    memcpy(l->grid, q->grid, sizeof l->grid);
    find_over(l, k);
    if (k->reductions.count)
        analyze_reductions_check(l, k, q, &launch);
    else if (l->over < l->devices)
        analyze_flags_try(l, k, q, &launch);
    return EXIT_FINE;
}
