/* SPDX-License-Identifier: Apache-2.0 */
/* Reference implementation of the shapes in stress_kernels.cu, element by element. */
#include "stress/stress_truth.h"

#include <string.h>

struct place {
    const struct stress_work *work;
    const struct stress_array *from;
    struct stress_array *to;
    unsigned slot, element_bytes;
};

static void put(const struct place *p, uint64_t i)
{
    uint32_t old = 0, value;

    if (!stress_writes(p->work, p->slot, i))
        return;
    unsigned char *at = p->to->truth + i * p->element_bytes;

    memcpy(&old, at, p->element_bytes); /* little-endian, like the devices */
    value = stress_value(p->work, i, p->from->truth[stress_place(p->work, i)], old);
    memcpy(at, &value, p->element_bytes);
}

static void put_run(const struct place *p, uint64_t first, uint64_t count)
{
    for (uint64_t j = 0; j < count; j++)
        put(p, first + j);
}

static uint64_t cta_count(const struct stress_shape *s)
{
    return (uint64_t)s->ctas[0] * s->ctas[1] * s->ctas[2];
}

void stress_truth_line(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2])
{
    const struct place p = {w, from, to[0], 0, s->element_bytes};

    put_run(&p, w->offset, cta_count(s) * w->run);
}

void stress_truth_comb(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2])
{
    const struct place p = {w, from, to[0], 0, s->element_bytes};

    for (uint64_t r = 0; r < w->run_count; r++)
        put_run(&p, w->offset + r * w->stride, cta_count(s) * w->run);
}

void stress_truth_tile(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2])
{
    const struct place p = {w, from, to[0], 0, s->element_bytes};
    uint64_t columns = s->ctas[0] * w->run;

    if (columns > w->stride)
        columns = w->stride;
    for (uint64_t row = 0; row < s->ctas[1] * w->rows; row++)
        put_run(&p, w->offset + row * w->stride, columns);
}

void stress_truth_ranges(const struct stress_shape *s, const struct stress_work *w,
                         const struct stress_array *from, struct stress_array *const to[2])
{
    const struct place p = {w, from, to[0], 0, s->element_bytes};

    for (uint32_t r = 0; r < s->table.first[s->table.cta_count]; r++)
        put_run(&p, w->offset + s->table.range[r].first_byte, s->table.range[r].bytes);
}

void stress_truth_pair(const struct stress_shape *s, const struct stress_work *w,
                       const struct stress_array *from, struct stress_array *const to[2])
{
    const struct place second = {w, from, to[1], 1, s->element_bytes};

    stress_truth_line(s, w, from, to);
    put_run(&second, 0, cta_count(s) * w->run2);
}
