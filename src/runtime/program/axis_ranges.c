/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/program/axis_ranges.h"

#include <stdlib.h>

#include "access/write_set.h"
#include "base/spans/cta_runs.h"
#include "runtime/request/launching.h"

/* CTAs 0 .. length - 1 of each `distance` CTAs: a layer. */
struct axis_layer {
    uint32_t length, distance, cta_count;
};

static uint64_t axis_ranges_sum(const struct rows_list *l)
{
    uint64_t sum = 0;

    for (size_t n = 0; n < l->count; n++)
        sum += l->rows[n].count;
    return sum;
}

static uint64_t axis_ranges_of_array(const struct cta_runs *runs,
                                     const struct axis_layer *layer, uint64_t most)
{
    struct rows_list list = {0};

    for (uint64_t cta = 0; cta < layer->cta_count && list.count <= most;
         cta += layer->distance) {
        struct cta_runs_walk w =
            cta_runs_walk(runs, (uint32_t)cta, (uint32_t)cta + layer->length);

        for (struct rows r; list.count <= most && cta_runs_rows(&w, &r);)
            rows_gather_turns(&list, &r);
    }
    const uint64_t sum = axis_ranges_sum(&list);

    free(list.rows);
    return sum;
}

/* Where the grid of the launch has the dimension of the original grid. */
static unsigned axis_place(const struct launching *l, unsigned dimension)
{
    const unsigned *interchanged = l->interchanged;

    if (!l->original)
        return dimension;
    if (dimension == interchanged[0])
        return interchanged[1];
    return dimension == interchanged[1] ? interchanged[0] : dimension;
}

uint64_t axis_ranges(const struct launching *l, unsigned dimension, uint64_t most)
{
    const unsigned place = axis_place(l, dimension);
    const struct write_set *w = l->found.set;
    struct axis_layer layer = {.length = 1,
                               .cta_count = l->grid[0] * l->grid[1] * l->grid[2]};
    uint64_t sum = 0;

    for (unsigned d = 0; d < place; d++)
        layer.length *= l->grid[d];
    layer.distance = layer.length * l->grid[place];
    for (uint32_t n = 0; w && n < w->array_count && sum <= most; n++)
        sum += axis_ranges_of_array(&w->arrays[n].runs, &layer, most - sum);
    return sum <= most ? sum : most + 1;
}
