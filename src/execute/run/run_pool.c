/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "execute/run/run.h"

enum { CLASSES = 40, LINE = 64 };

/* Header of each piece; one line long, so that the piece is aligned. */
union piece {
    struct {
        union piece *next;
        unsigned class;
    } head;
    unsigned char room[LINE];
};

struct execute_pool {
    union piece *free[CLASSES]; /* pieces of 2^n bytes */
};

struct execute_pool *execute_pool_create(void)
{
    return must_calloc(1, sizeof(struct execute_pool));
}

void execute_pool_destroy(struct execute_pool *p)
{
    for (unsigned n = 0; p && n < CLASSES; n++)
        while (p->free[n]) {
            union piece *next = p->free[n]->head.next;

            free(p->free[n]);
            p->free[n] = next;
        }
    free(p);
}

void *pool_take(struct execute_pool *p, size_t bytes)
{
    unsigned class = 10;

    while (((size_t)1 << class) < bytes + LINE)
        class ++;
    union piece *piece = p->free[class];

    if (piece) {
        p->free[class] = piece->head.next;
    } else {
        piece = aligned_alloc(LINE, (size_t)1 << class);
        if (!piece)
            abort();
        piece->head.class = class;
    }
    return piece + 1;
}

void pool_give(struct execute_pool *p, void *memory)
{
    union piece *piece = (union piece *)memory - 1;

    piece->head.next = p->free[piece->head.class];
    p->free[piece->head.class] = piece;
}
