/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/expected.h"

#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/mixed.h"

struct expected {
    struct agent_item item;
    uint32_t last_cta;
};

static int compare_expected(const void *left, const void *right)
{
    const struct expected *a = left, *b = right;

    if (a->last_cta != b->last_cta)
        return a->last_cta < b->last_cta ? -1 : 1;
    if (a->item.slot != b->item.slot)
        return a->item.slot < b->item.slot ? -1 : 1;
    return a->item.chunk < b->item.chunk ? -1 : a->item.chunk > b->item.chunk;
}

/* Appends the chunks of a slot that have pieces. */
static uint64_t list_slot(const struct transfer_table *t, struct transfer_pieces pieces,
                          uint32_t slot, struct expected *out)
{
    uint32_t *last = must_calloc(t->chunk_count, sizeof *last);
    uint64_t count = 0;

    for (uint32_t n = 0; n < t->ctas_count; n++)
        for (uint32_t list = t->ctas[n].list, k = 1; k <= t->chunk[list]; k++)
            last[t->chunk[list + k]] = t->ctas[n].end - 1;
    for (uint32_t c = 0; c < t->chunk_count && pieces.first; c++)
        if (pieces.first[c + 1] > pieces.first[c])
            out[count++] = (struct expected){{slot, c}, last[c]};
    free(last);
    return count;
}

static bool is_of_part(const struct transfer_binding *b, unsigned device,
                       struct agent_item item)
{
    return !b->mixed || b->mixed->in_tail[device][item.slot][item.chunk] == b->is_tail;
}

void expected_list(const struct transfer_binding *b, unsigned device,
                   struct agent_item **out, uint64_t *count)
{
    uint64_t room = 0, listed = 0;

    for (uint32_t s = 0; s < b->slot_count; s++)
        room += b->slot[s].tables->table[device].sent_chunks;
    struct expected *expected = must_calloc(room, sizeof *expected);

    for (uint32_t s = 0; s < b->slot_count; s++) {
        const struct transfer_table *t = &b->slot[s].tables->table[device];

        listed += list_slot(t, transfer_part_pieces(b, t), s, expected + listed);
    }
    qsort(expected, listed, sizeof *expected, compare_expected);
    *out = must_calloc(listed, sizeof **out);
    *count = 0;
    for (uint64_t i = 0; i < listed; i++)
        if (is_of_part(b, device, expected[i].item))
            (*out)[(*count)++] = expected[i].item;
    free(expected);
}
