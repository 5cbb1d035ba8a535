/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to a place that one ahead of them has stored to (`c[i] = 0; ... c[i] += a[k];`):
   the slice has the first alone. */
#include <stdlib.h>

#include "access/slice/slice.h"

struct store {
    const struct ptx_instruction *i;
    struct slice_writer writer;
    uint32_t at, block;
    int64_t base; /* the one definition of its address that it sees, or -1 */
};

static int64_t base_of(const struct slice *s, const struct store *of)
{
    if (!of->writer.address || of->writer.lines || of->writer.address->reg < 0)
        return -1;
    uint32_t view = slice_view(s, of->at, (uint32_t)of->writer.address->reg);
    uint32_t first = s->sees.first[view];

    return s->sees.first[view + 1] == first + 1 ? (int64_t)s->sees.items[first] : -1;
}

static struct store store_at(const struct slice *s, uint32_t site)
{
    struct store of = {.at = s->site_at[site]};

    of.i = &s->f->instructions[of.at];
    of.block = s->flow->block_of[of.at];
    of.writer = slice_writer(s, of.i);
    of.base = base_of(s, &of);
    return of;
}

static bool is_ahead(const struct slice *s, uint32_t at, uint32_t block,
                     const struct store *of)
{
    return block == of->block ? at < of->at : slice_dominates(s, block, of->block);
}

/* The definition of the address leads to `a` before it leads to `b`, each time anew. */
static bool repeats(const struct slice *s, const struct store *a, const struct store *b)
{
    if (a->base < 0 || a->base != b->base || a->i->guard >= 0 ||
        a->writer.address->integer != b->writer.address->integer ||
        a->writer.bytes != b->writer.bytes || !is_ahead(s, a->at, a->block, b))
        return false;
    uint32_t by = s->definitions.items[a->base];

    return is_ahead(s, by, s->flow->block_of[by], a);
}

void slice_find_repeats(struct slice *s)
{
    struct store *stores = must_calloc(s->site_count + 1u, sizeof *stores);

    for (uint32_t n = 0; n < s->site_count; n++) {
        stores[n] = store_at(s, n);
        for (uint32_t other = 0; other < n && !s->repeated[n]; other++)
            s->repeated[n] = !s->repeated[other] &&
                             s->sites[other].is_atomic == s->sites[n].is_atomic &&
                             repeats(s, &stores[other], &stores[n]);
    }
    free(stores);
}
