/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/request/interchanged_shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/kernel.h"

enum { SHAPES_MAX = 64 };

unsigned shape_slowest(const uint32_t grid[3])
{
    return grid[2] > 1 ? 2 : grid[1] > 1 ? 1 : 0;
}

bool shape_may_be_slowest(const struct interchanged_shape *s, unsigned dimension)
{
    const unsigned slowest = shape_slowest(s->grid);

    return !s->is_no_good[dimension] &&
           (dimension == slowest || (dimension < slowest && s->grid[dimension] > 1 &&
                                     s->grid[dimension] <= UINT16_MAX));
}

static struct interchanged_shape *find(const struct kernel_interchanges *t,
                                       const uint32_t grid[3], const uint32_t threads[3])
{
    struct interchanged_shape *s = t->shapes;

    while (s && (memcmp(s->grid, grid, sizeof s->grid) != 0 ||
                 memcmp(s->threads, threads, sizeof s->threads) != 0))
        s = s->next;
    return s;
}

struct interchanged_shape *interchanged_shape_find(struct proact_kernel *k,
                                                   const uint32_t grid[3],
                                                   const uint32_t threads[3])
{
    struct interchanged_shape *s;

    if (!k->interchanges)
        k->interchanges = must_calloc(1, sizeof *k->interchanges);
    if ((s = find(k->interchanges, grid, threads)) || k->interchanges->count == SHAPES_MAX)
        return s;
    s = must_calloc(1, sizeof *s);
    memcpy(s->grid, grid, sizeof s->grid);
    memcpy(s->threads, threads, sizeof s->threads);
    s->slowest = shape_slowest(grid);
    s->of = k->interchanges;
    s->next = k->interchanges->shapes;
    k->interchanges->shapes = s;
    k->interchanges->count++;
    return s;
}

void interchanges_drop(struct proact_kernel *k)
{
    if (!k->interchanges)
        return;
    for (struct interchanged_shape *s = k->interchanges->shapes, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    free(k->interchanges);
    k->interchanges = NULL;
}
