/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/rt_handle.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { CHAINS_FIRST = 64 };

static struct rt_handle **chain_of(struct rt_handle **chain, size_t chains,
                                   const void *handle)
{
    return &chain[hash_mix((uint64_t)(uintptr_t)handle) % chains];
}

static void grow(struct rt_handles *h)
{
    size_t chains = h->chains ? 2 * h->chains : CHAINS_FIRST;
    struct rt_handle **chain = must_calloc(chains, sizeof(struct rt_handle *));

    for (size_t n = 0; n < h->chains; n++)
        for (struct rt_handle *e = h->chain[n], *next; e; e = next) {
            struct rt_handle **to = chain_of(chain, chains, e->handle);

            next = e->next;
            e->next = *to;
            *to = e;
        }
    free(h->chain);
    h->chain = chain;
    h->chains = chains;
}

/* The link to the handle, or to the NULL at the end of the chain. */
static struct rt_handle **find(const struct rt_handles *h, const void *handle)
{
    struct rt_handle **link = chain_of(h->chain, h->chains, handle);

    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    return link;
}

void handle_add(struct rt_handles *h, const void *handle, enum rt_handle_kind kind)
{
    if (h->count >= h->chains)
        grow(h);
    struct rt_handle **to = chain_of(h->chain, h->chains, handle);
    struct rt_handle *e = must_calloc(1, sizeof *e);

    *e = (struct rt_handle){*to, handle, kind};
    *to = e;
    h->count++;
}

bool handle_is(const struct rt_handles *h, const void *handle, enum rt_handle_kind kind)
{
    const struct rt_handle *e = h->chains ? *find(h, handle) : NULL;

    return e && e->kind == kind;
}

void handle_drop(struct rt_handles *h, const void *handle)
{
    struct rt_handle **link = h->chains ? find(h, handle) : NULL;
    struct rt_handle *e = link ? *link : NULL;

    if (!e)
        return;
    *link = e->next;
    free(e);
    h->count--;
}
