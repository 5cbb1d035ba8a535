/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_LEAST = 4096, BLOCK_MOST = 65536, ALIGNMENT = 16 };

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

/* Blocks double in size. Small arenas are created by the thousand, and zeroing large blocks
   would dominate their cost. */
static struct arena_block *make_block(const struct arena_block *before, size_t bytes)
{
    size_t room = before ? 2 * before->bytes : BLOCK_LEAST;

    if (room > BLOCK_MOST)
        room = BLOCK_MOST;
    if (room < bytes)
        room = bytes;
    struct arena_block *block = must_calloc(1, sizeof *block + room);

    block->bytes = room;
    return block;
}

/* The spare block, or a new one. */
static struct arena_block *new_block(struct arena *a, size_t bytes)
{
    struct arena_block *spare = a->spare;

    if (!spare || bytes > spare->bytes)
        return make_block(a->blocks, bytes);
    a->spare = NULL;
    return spare;
}

static void *take(struct arena_block *block, size_t bytes)
{
    void *p = block->data + block->used;

    block->used += bytes;
    return p;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool has_room(const struct arena_block *block, size_t bytes)
{
    return block && bytes <= block->bytes - block->used;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = aligned(bytes);
    if (!has_room(a->blocks, bytes)) {
        struct arena_block *block = new_block(a, bytes);

        block->next = a->blocks;
        a->blocks = block;
    }
    return take(a->blocks, bytes);
}

void *arena_keep(struct arena *a, size_t bytes)
{
    bytes = aligned(bytes);
    if (!has_room(a->kept, bytes)) {
        struct arena_block *block = make_block(a->kept, bytes);

        block->next = a->kept;
        a->kept = block;
    }
    return take(a->kept, bytes);
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

/* The first block stays, and one more is cached, so that repeated use allocates no new
   block each time. */
void arena_rewind(struct arena *a, struct arena_mark to)
{
    while (a->blocks != to.block && a->blocks->next) {
        struct arena_block *last = a->blocks;

        a->blocks = last->next;
        if (last->bytes > BLOCK_MOST || (a->spare && a->spare->bytes >= last->bytes)) {
            free(last);
            continue;
        }
        free(a->spare);
        empty(last, 0);
        a->spare = last;
    }
    if (a->blocks)
        empty(a->blocks, to.used);
}

static void free_blocks(struct arena_block *block)
{
    while (block) {
        struct arena_block *next = block->next;

        free(block);
        block = next;
    }
}

void arena_clear(struct arena *a)
{
    free(a->spare);
    free_blocks(a->blocks);
    free_blocks(a->kept);
    *a = (struct arena){0};
}
