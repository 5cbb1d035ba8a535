/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ptx/ptx_parser.h"

void *ptx_list_add(struct ptx_list *l)
{
    l->data = must_grow(l->data, l->count, &l->capacity, l->size);
    void *element = (char *)l->data + l->count++ * l->size;

    return memset(element, 0, l->size);
}

void *ptx_list_take(struct ptx_list *l, size_t first, struct arena *a)
{
    size_t bytes = (l->count - first) * l->size;

    if (!bytes)
        return NULL;
    void *copy = arena_alloc(a, bytes);

    memcpy(copy, (char *)l->data + first * l->size, bytes);
    l->count = first;
    return copy;
}
