/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 65536, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, bytes;
    _Alignas(16) unsigned char data[];
};

void *must_calloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);

    if (!p)
        abort();
    return p;
}

char *must_strndup(const char *text, size_t length)
{
    char *copy = must_calloc(length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

char *must_strdup(const char *text)
{
    return must_strndup(text, strlen(text));
}

void *must_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 16;

    while (wanted <= count)
        wanted *= 2;
    array = realloc(array, wanted * size);
    if (!array)
        abort();
    *capacity = wanted;
    return array;
}

/* The spare one, or one that is made. */
static struct arena_block *new_block(struct arena *a, size_t bytes)
{
    struct arena_block *block = a->spare;
    const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

    if (block && bytes <= block->bytes) {
        a->spare = NULL;
        return block;
    }
    block = must_calloc(1, sizeof *block + room);
    block->bytes = room;
    return block;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = a->blocks;

    if (!block || block->used + bytes > block->bytes) {
        block = new_block(a, bytes);
        block->next = a->blocks;
        a->blocks = block;
    }
    void *p = block->data + block->used;

    block->used += bytes;
    return p;
}

struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){a->blocks, a->blocks ? a->blocks->used : 0};
}

static void empty(struct arena_block *b, size_t used)
{
    memset(b->data + used, 0, b->used - used);
    b->used = used;
}

/* The first block stays, and another one is kept: whoever asks over and over needs no new
   one each time. */
void arena_rewind(struct arena *a, struct arena_mark to)
{
    while (a->blocks != to.block && a->blocks->next) {
        struct arena_block *last = a->blocks;

        a->blocks = last->next;
        if (a->spare || last->bytes > BLOCK_BYTES) {
            free(last);
            continue;
        }
        empty(last, 0);
        a->spare = last;
    }
    if (a->blocks)
        empty(a->blocks, to.used);
}

void arena_clear(struct arena *a)
{
    free(a->spare);
    a->spare = NULL;
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
}
