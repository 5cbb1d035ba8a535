/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_launch.h"

#include <proact/proact.h>

/* The partition that the runtime uses. */
void analyze_split(const struct analyze_launch *l, unsigned over, uint32_t *first)
{
    access_partition(l->grid, over, first);
}

unsigned analyze_device(const struct analyze_launch *l, uint32_t cta)
{
    uint32_t first[PROACT_DEVICES_MAX + 1] = {0};
    unsigned d = 0;

    analyze_split(l, l->devices, first);
    while (cta >= first[d + 1])
        d++;
    return d;
}

const struct write_set_ranges *analyze_atomic(const struct write_set *w)
{
    for (uint32_t a = 0; a < w->array_count; a++)
        if (w->arrays[a].runs.count && w->arrays[a].is_atomic)
            return &w->arrays[a];
    return NULL;
}

void analyze_launch_clear(struct analyze_launch *l)
{
    analyze_block_clear(&l->block);
    analyze_constants_clear(&l->constants);
    write_set_destroy(l->set);
    flag_bytes_clear(&l->flags);
}

struct analyze_written analyze_written(const struct analyze_launch *l, uint32_t array)
{
    const struct write_set_ranges *r = &l->set->arrays[array];
    struct analyze_written w = {.bytes = r->bytes, .least = UINT64_MAX};

    if (array < l->block.array_count && l->block.sized[array])
        w.end = l->block.arrays[array].bytes;
    for (uint32_t cta = 0; cta < l->set->cta_count; cta++) {
        struct cta_runs_walk walk = cta_runs_walk(&r->runs, cta, cta + 1);
        uint64_t bytes = 0;

        for (struct span s; cta_runs_span(&walk, &s);) {
            bytes += s.end - s.first;
            w.end = s.end > w.end ? s.end : w.end;
        }
        w.ctas += bytes > 0;
        w.least = bytes < w.least ? bytes : w.least;
        w.most = bytes > w.most ? bytes : w.most;
    }
    return w;
}
