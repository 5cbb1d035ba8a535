/* SPDX-License-Identifier: Apache-2.0 */
/* Needs of one device for one array. */
#include "runtime/request/need.h"

#include <string.h>

#include "base/hash.h"

uint64_t need_digest(const struct transfer_need *n)
{
    uint64_t digest = hash_mix(1 + n->all);

    if (n->digest)
        return n->digest;
    if (!n->all && n->spans.count)
        digest = hash_bytes(n->spans.span, n->spans.count * sizeof *n->spans.span, digest);
    return digest ? digest : 1;
}

bool need_differs(const struct transfer_need *a, const struct transfer_need *b)
{
    if (a->all || b->all)
        return a->all != b->all;
    return a->spans.count != b->spans.count ||
           (a->spans.count && memcmp(a->spans.span, b->spans.span,
                                     a->spans.count * sizeof *a->spans.span) != 0);
}

void need_join(struct transfer_need *into, const struct transfer_need *of)
{
    into->all |= of->all;
    into->digest = 0;
    if (into->all)
        spans_clear(&into->spans);
    else
        spans_join(&into->spans, &of->spans);
}

void need_clear(struct transfer_need *n)
{
    spans_clear(&n->spans);
    n->all = false;
    n->digest = 0;
}
