/* SPDX-License-Identifier: Apache-2.0 */
#include "access/slice/slice_ways.h"

int32_t slice_away(const struct slice *s, uint32_t block, int32_t to)
{
    while (to >= 0 && s->cut[to] && slice_in_loop(s, (uint32_t)to, block)) {
        uint32_t head = (uint32_t)to;

        to = (int32_t)block;
        do
            to = s->flow->blocks[to].post_dominator;
        while (to >= 0 && slice_in_loop(s, head, (uint32_t)to));
    }
    return to;
}

int32_t slice_meeting(const struct slice *s, uint32_t block)
{
    return slice_away(s, block, s->flow->blocks[block].post_dominator);
}

int32_t slice_way(const struct slice *s, uint32_t block)
{
    const struct slice_end *end = &s->ends[block];

    if (!slice_is_branch(s, block))
        return slice_away(s, block, end->target == SLICE_NONE ? end->next : end->target);
    return s->decides[block] ? SLICE_NONE : slice_meeting(s, block);
}

bool slice_both_ways(const struct slice *s, uint32_t block, int32_t *first, int32_t *second)
{
    int32_t meeting = slice_meeting(s, block);

    *first = slice_away(s, block, s->ends[block].target);
    *second = slice_away(s, block, s->ends[block].next);
    if (*first != meeting && !(s->idle[block] & 1))
        return *second != meeting && !(s->idle[block] & 2);
    *first = *second;
    return false;
}

bool slice_waits(const struct slice *s, uint32_t block, int32_t place)
{
    int32_t first, second;

    return s->decides[block] && s->branch_taint[block] &&
           slice_both_ways(s, block, &first, &second) && slice_meeting(s, block) == place;
}

static bool is_idle(const struct slice *s, uint32_t block)
{
    const struct ptx_block *b = &s->flow->blocks[block];

    for (uint32_t n = 0; n < b->count; n++)
        if (s->kept[b->first + n])
            return false;
    for (uint32_t other = 0; other < s->flow->block_count; other++)
        if (slice_waits(s, other, (int32_t)block))
            return false;
    return slice_way(s, block) != SLICE_NONE;
}

int32_t slice_settle(const struct slice *s, uint32_t block, int32_t to)
{
    to = slice_away(s, block, to);
    for (uint32_t n = 0; n < s->flow->block_count && to >= 0 && is_idle(s, (uint32_t)to);
         n++)
        to = slice_way(s, (uint32_t)to);
    return to;
}
