/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/stream/agenda.h"

#include <stdlib.h>

#include "base/memory.h"

static bool before(const struct happening *a, const struct happening *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    return a->tie != b->tie ? a->tie < b->tie : a->number < b->number;
}

void agenda_push(struct agenda *a, struct happening h)
{
    size_t i = a->count++;

    a->heap = must_grow(a->heap, i, &a->capacity, sizeof *a->heap);
    h.number = a->pushed++;
    for (; i > 0 && before(&h, &a->heap[(i - 1) / 2]); i = (i - 1) / 2)
        a->heap[i] = a->heap[(i - 1) / 2];
    a->heap[i] = h;
}

struct happening agenda_pop(struct agenda *a)
{
    struct happening first = a->heap[0], last = a->heap[--a->count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= a->count)
            break;
        if (child + 1 < a->count && before(&a->heap[child + 1], &a->heap[child]))
            child++;
        if (!before(&a->heap[child], &last))
            break;
        a->heap[i] = a->heap[child];
        i = child;
    }
    a->heap[i] = last;
    return first;
}

void agenda_clear(struct agenda *a)
{
    free(a->heap);
    *a = (struct agenda){0};
}
