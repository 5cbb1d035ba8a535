/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/variables/known_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/validity/array_validity.h"

static bool may_know(const struct proact_array *a)
{
    return array_has_replicas(a) && !a->is_shared;
}

static void forget(struct known_bytes *k, unsigned n)
{
    free(k->of[n].content);
    k->of[n] = k->of[--k->count];
}

static void forget_all(struct known_bytes *k)
{
    while (k->count)
        forget(k, 0);
}

static void forget_between(struct known_bytes *k, uint64_t first, uint64_t end)
{
    for (unsigned n = k->count; n--;)
        if (k->of[n].first < end && k->of[n].end > first)
            forget(k, n);
}

static struct known_stretch *find(struct known_bytes *k, uint64_t first, uint64_t end)
{
    for (unsigned n = 0; n < k->count; n++)
        if (k->of[n].first <= first && k->of[n].end >= end)
            return &k->of[n];
    return NULL;
}

/* Joins adjacent ranges. */
static void join(struct known_bytes *k, struct known_stretch *to)
{
    for (unsigned n = k->count; n--;) {
        const struct known_stretch s = k->of[n];
        const uint64_t first = s.first < to->first ? s.first : to->first,
                       end = s.end > to->end ? s.end : to->end;

        if ((s.end != to->first && s.first != to->end) || end - first > KNOWN_BYTES_MAX)
            continue;
        unsigned char *both = must_calloc(end - first, 1);

        memcpy(both + (s.first - first), s.content, s.end - s.first);
        memcpy(both + (to->first - first), to->content, to->end - to->first);
        free(to->content);
        *to = (struct known_stretch){first, end, both};
        forget(k, n);
    }
}

/* Takes ownership of `content`. */
static void put(struct known_bytes *k, uint64_t byte, unsigned char *content,
                uint64_t bytes)
{
    struct known_stretch s = {byte, byte + bytes, content}, *in = find(k, s.first, s.end);

    if (in) {
        memcpy(in->content + (byte - in->first), content, bytes);
        free(content);
        return;
    }
    forget_between(k, s.first, s.end);
    join(k, &s);
    if (k->count == KNOWN_STRETCHES_MAX)
        forget(k, 0);
    k->of[k->count++] = s;
}

static bool known_bytes_is_small(uint64_t bytes)
{
    return bytes && bytes <= KNOWN_BYTES_MAX;
}

uint64_t known_bytes_before(struct proact_array *a)
{
    if (!a || !may_know(a))
        return 0;
    array_catch_up(a);
    return a->changes;
}

void known_bytes_follow(struct proact_array *a, uint64_t before, uint64_t byte,
                        const void *from, uint64_t bytes)
{
    const bool is_known = from && known_bytes_is_small(bytes);

    if (!a || !may_know(a) || (!a->known && !is_known))
        return;
    /* copied first, since `from` may be inside the known contents */
    unsigned char *content = is_known ? must_calloc(bytes, 1) : NULL;

    if (is_known)
        memcpy(content, from, bytes);
    if (!a->known)
        a->known = must_calloc(1, sizeof *a->known);
    if (a->known->changes != before || a->changes > before + 1)
        forget_all(a->known);
    if (is_known)
        put(a->known, byte, content, bytes);
    else
        forget_between(a->known, byte, byte + bytes);
    a->known->changes = a->changes;
}

void known_bytes_read(struct proact_array *a, uint64_t byte, const void *what,
                      uint64_t bytes)
{
    known_bytes_follow(a, known_bytes_before(a), byte, what, bytes);
}

/* Whether all queued operations on the array have ended. */
static bool is_settled(const struct proact_array *a)
{
    const struct proact *p = a->session;
    uint64_t last = a->used > p->all_used ? a->used : p->all_used;

    for (unsigned from = 0; from < p->devices.count; from++)
        for (unsigned to = 0; to < p->devices.count; to++)
            for (unsigned lane = 0; lane < TRANSFER_LANES; lane++)
                if (a->sent[from][to][lane] > last)
                    last = a->sent[from][to][lane];
    return last <= p->order.settled;
}

static const unsigned char *find_shared(struct proact_array *a, uint64_t byte)
{
    if (!array_has_replicas(a) || a->session->recording)
        return NULL;
    array_catch_up(a);
    if (is_settled(a)) {
        a->settled_changes = a->changes;
        a->was_settled = true;
    }
    if (!a->was_settled || a->settled_changes != a->changes)
        return NULL;
    return (const unsigned char *)(uintptr_t)a->base[0] + byte;
}

const unsigned char *known_bytes_find(struct proact_array *a, uint64_t byte, uint64_t bytes)
{
    if (a->is_shared)
        return find_shared(a, byte);
    if (!a->known || known_bytes_before(a) != a->known->changes)
        return NULL;
    const struct known_stretch *s = find(a->known, byte, byte + bytes);

    return s ? s->content + (byte - s->first) : NULL;
}

void known_bytes_drop(struct proact_array *a)
{
    if (a->known)
        forget_all(a->known);
    free(a->known);
    a->known = NULL;
}
