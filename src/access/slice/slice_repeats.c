/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated stores. A store may write the bytes of an earlier one (`c[i] = 0; ... c[i] +=
   a[k];`), or those of a store on the other side of a branch (`if (in[i] > 0) out[i] = ...;
   else out[i] = ...;`). The slice contains only the first. */
#include <stdlib.h>

#include "access/slice/slice_alike.h"

struct store {
    const struct ptx_instruction *i;
    struct slice_writer writer;
    uint32_t at, block;
    int64_t base; /* the only visible definition of its address, or -1 */
};

static bool has_place(const struct store *of)
{
    return of->writer.address && !of->writer.lines && of->writer.address->reg >= 0;
}

static struct slice_use address_of(const struct store *of)
{
    return (struct slice_use){of->at, (uint32_t)of->writer.address->reg};
}

static struct store store_at(const struct slice *s, uint32_t site)
{
    struct store of = {.at = s->site_at[site]};

    of.i = &s->f->instructions[of.at];
    of.block = s->flow->block_of[of.at];
    of.writer = slice_writer(s, of.i);
    of.base = has_place(&of) ? slice_only_definition(s, address_of(&of)) : -1;
    return of;
}

static bool is_ahead(const struct slice *s, uint32_t at, uint32_t block,
                     const struct store *of)
{
    return block == of->block ? at < of->at : slice_dominates(s, block, of->block);
}

/* Whether `b` repeats `a`: the definition of the address always leads to `a` before `b`. */
static bool repeats(const struct slice *s, const struct store *a, const struct store *b)
{
    if (a->base < 0 || a->base != b->base || a->i->guard >= 0 ||
        a->writer.address->integer != b->writer.address->integer ||
        a->writer.bytes != b->writer.bytes || !is_ahead(s, a->at, a->block, b))
        return false;
    uint32_t by = s->definitions.items[a->base];

    return is_ahead(s, by, s->flow->block_of[by], a);
}

/* The memory-dependent branch that alone decides whether the store executes, or -1. */
static int32_t parting(const struct slice *s, const struct store *of)
{
    uint32_t c = s->controls.first[of->block];
    uint32_t by = s->controls.items[c];

    if (s->controls.first[of->block + 1] != c + 1 || !s->branch_taint[by] ||
        s->ends[by].is_table || by == of->block || !slice_dominates(s, by, of->block))
        return -1;
    return (int32_t)by;
}

/* Whether all paths on this side of the branch reach the store. */
static bool leads_to(const struct slice *s, uint32_t branch, int32_t way,
                     const struct store *of)
{
    const int32_t meeting = s->flow->blocks[branch].post_dominator;

    while (way >= 0 && way != meeting && (uint32_t)way != of->block)
        way = s->flow->blocks[way].post_dominator;
    return way >= 0 && way != meeting;
}

/* The branch whose sides lead to `a` and to `b`, which store to the same bytes; -1:
   none. */
static int32_t parts(const struct slice *s, const struct store *a, const struct store *b)
{
    const int32_t by = parting(s, a);

    if (a->base < 0 || b->base < 0 || a->i->guard >= 0 || b->i->guard >= 0 ||
        a->writer.address->integer != b->writer.address->integer ||
        a->writer.bytes != b->writer.bytes || by < 0 || by != parting(s, b))
        return -1;
    const struct slice_end *end = &s->ends[by];
    const uint32_t branch = (uint32_t)by;
    const bool is_so =
        (leads_to(s, branch, end->target, a) && leads_to(s, branch, end->next, b)) ||
        (leads_to(s, branch, end->next, a) && leads_to(s, branch, end->target, b));

    return is_so && slice_is_alike(s, branch, address_of(a), address_of(b)) ? by : -1;
}

/* The first store of a pair represents both, as if it were in the branch's block. */
static bool join_ways(struct slice *s, struct store *stores, uint32_t *alias_of)
{
    bool any = false;

    for (uint32_t n = 0; n < s->site_count; n++)
        for (uint32_t other = 0; other < n && !s->repeated[n]; other++) {
            int32_t by = -1;

            if (!s->repeated[other] && s->sites[other].is_atomic == s->sites[n].is_atomic)
                by = parts(s, &stores[other], &stores[n]);
            if (by < 0)
                continue;
            s->repeated[n] = any = true;
            alias_of[n] = other;
            stores[other].block = (uint32_t)by;
        }
    return any;
}

static void find_ways(struct slice *s, struct store *stores)
{
    uint32_t *alias_of = must_calloc(s->site_count + 1u, sizeof *alias_of);

    for (uint32_t n = 0; n < s->site_count; n++)
        alias_of[n] = n;
    while (join_ways(s, stores, alias_of))
        ;
    for (uint32_t n = s->site_count; n-- > 0;) {
        uint32_t first = n;

        while (alias_of[first] != first)
            first = alias_of[first];
        if (first != n)
            s->sites[n].is_may = s->sites[first].is_may = s->may_run[stores[first].block];
    }
    free(alias_of);
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
    find_ways(s, stores);
    free(stores);
}
