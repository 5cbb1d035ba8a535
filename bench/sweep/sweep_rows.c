/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "sweep/sweep_parts.h"

enum { RUN_BYTES = 4 << 20 /* that take as long as opening and starting a run */ };
static const uint64_t gpu_max = 1ull << 30, copy_max = 256 << 20, kernel_max = 32 << 20;

uint64_t sweep_limit(const struct sweep_run *r, enum model_sender who)
{
    const bool is_kernel = who != MODEL_SEND_COPY && who != MODEL_SEND_COPY_WAIT &&
                           who != MODEL_SEND_RELAY && who != MODEL_SEND_UNIT;
    const uint64_t most = !r->out->is_virtual ? gpu_max : is_kernel ? kernel_max : copy_max;

    return r->q->bytes_max ? r->q->bytes_max : most;
}

void sweep_plan(struct sweep_run *r, uint64_t bytes)
{
    r->all += (double)bytes + RUN_BYTES;
}

bool sweep_next(struct sweep_run *r, enum model_sender who, uint64_t bytes)
{
    const double part = r->all > 0 ? r->done / r->all : 0;

    r->done += (double)bytes + RUN_BYTES;
    if (r->out->is_complete && r->q->goes_on)
        r->out->is_complete = r->q->goes_on(r->q->context, part, model_sender_name(who));
    return r->out->is_complete;
}

void sweep_add(struct sweep_run *r, enum model_sender who, uint64_t bytes, unsigned depth,
               double ns)
{
    struct sweep *s = r->out;

    s->rows = must_grow(s->rows, s->count, &s->capacity, sizeof *s->rows);
    s->rows[s->count++] = (struct sweep_row){who, depth, bytes, ns};
}

int sweep_order(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}
