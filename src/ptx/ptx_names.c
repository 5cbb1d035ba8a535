/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { HEADS_FIRST = 256 };

/* FNV-1a */
static uint32_t hash_of(const char *text, uint32_t bytes)
{
    uint32_t hash = 2166136261u;

    for (uint32_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* Entries are linked from the oldest to the newest, so that the newest stays first. */
static void grow_heads(struct ptx_names *n)
{
    n->head_count = n->head_count ? n->head_count * 4 : HEADS_FIRST;
    free(n->heads);
    n->heads = must_calloc(n->head_count, sizeof *n->heads);
    for (size_t i = 1; i < n->count; i++) {
        uint32_t *head = &n->heads[n->entries[i].hash & (n->head_count - 1)];

        n->entries[i].next = *head;
        *head = (uint32_t)i;
    }
}

void ptx_names_add(struct ptx_names *n, enum ptx_name_kind kind, const char *text,
                   uint32_t bytes, int32_t index)
{
    if (!n->count)
        n->count = 1;
    n->entries = must_grow(n->entries, n->count, &n->capacity, sizeof *n->entries);
    if (n->count >= n->head_count)
        grow_heads(n);
    uint32_t hash = hash_of(text, bytes);
    uint32_t *head = &n->heads[hash & (n->head_count - 1)];

    n->entries[n->count] =
        (struct ptx_name){text, bytes, hash, n->depth, *head, kind, index};
    *head = (uint32_t)n->count++;
}

const struct ptx_name *ptx_names_find(const struct ptx_names *n, unsigned kinds,
                                      const char *text, uint32_t bytes)
{
    if (!n->head_count)
        return NULL;
    uint32_t hash = hash_of(text, bytes);

    for (uint32_t i = n->heads[hash & (n->head_count - 1)]; i; i = n->entries[i].next) {
        const struct ptx_name *e = &n->entries[i];

        if (e->hash == hash && (e->kind & kinds) && e->bytes == bytes &&
            !memcmp(e->text, text, bytes))
            return e;
    }
    return NULL;
}

void ptx_names_enter(struct ptx_names *n)
{
    n->depth++;
}

void ptx_names_leave(struct ptx_names *n)
{
    while (n->count > 1 && n->entries[n->count - 1].depth == n->depth) {
        const struct ptx_name *e = &n->entries[--n->count];

        n->heads[e->hash & (n->head_count - 1)] = e->next;
    }
    n->depth--;
}

void ptx_names_clear(struct ptx_names *n)
{
    free(n->entries);
    free(n->heads);
    *n = (struct ptx_names){0};
}
