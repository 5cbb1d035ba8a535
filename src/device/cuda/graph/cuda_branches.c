/* SPDX-License-Identifier: Apache-2.0 */
/* How many branches a graph has. A driver gives them to the device's hardware queues, of
   which there may be fewer, in an order of its own: a copy or a fill behind a kernel that
   stands may then keep back what that one stands for (seen on H100s: eight branches with a
   fill behind such a kernel, eight queues). So there are no more than queues: streams go
   together where there are many, each operation in its place of the tape, where it waits
   for none behind it; and what streams tell that have done nothing is told by one branch.
 */
#include <limits.h>

#include "device/cuda/graph/cuda_tape.h"

/* That its device has something to do for. */
static bool is_work(const struct device_graph *g, const struct cuda_taped_op *op)
{
    if (op->kind != TAPED_WAIT_EVENT)
        return op->kind != TAPED_RECORD;
    return g->set->tape[op->record].stream->device != op->stream->device;
}

/* Kernels alone go by no queue. */
static bool takes_queues(const struct device_graph *g, unsigned device)
{
    for (size_t i = g->first; i < g->end; i++) {
        const struct cuda_taped_op *op = &g->set->tape[i];

        if (op->stream->device == device &&
            ((op->kind == TAPED_FILL && !cuda_is_small_fill(op->bytes)) ||
             (op->kind == TAPED_COPY && !cuda_is_carried(op->stream, &op->rows))))
            return true;
    }
    return false;
}

static void let_each_go_by_itself(const struct device_graph *g, unsigned device)
{
    for (struct device_stream *s = g->set->streams; s; s = s->next)
        if (s->device == device) {
            s->is_under_way = false;
            s->with = s;
            s->last = 0;
        }
    for (size_t i = g->first; i < g->end; i++)
        if (is_work(g, &g->set->tape[i]))
            g->set->tape[i].stream->last = i;
}

/* The one that is done first, of those that go by themselves. */
static struct device_stream *first_done(const struct device_set *set, unsigned device)
{
    struct device_stream *first = NULL;

    for (struct device_stream *s = set->streams; s; s = s->next)
        if (s->device == device && s->is_under_way && s->with == s &&
            (!first || s->last < first->last))
            first = s;
    return first ? first : set->devices[device].graph_stream;
}

void cuda_merge_streams(const struct device_graph *g, unsigned device)
{
    const struct device_set *set = g->set;
    const unsigned most = takes_queues(g, device) ? set->queues : UINT_MAX;
    unsigned branches = 1; /* what is told at the begin */

    let_each_go_by_itself(g, device);
    for (size_t i = g->first; i < g->end; i++) {
        const struct cuda_taped_op *op = &set->tape[i];
        struct device_stream *s = op->stream;

        if (s->device != device || s->is_under_way || !is_work(g, op))
            continue;
        if (branches < most)
            branches++;
        else
            s->with = first_done(set, device);
        s->is_under_way = true;
        s->with->last = s->last > s->with->last ? s->last : s->with->last;
    }
}

enum proact_status cuda_tell_at_begin(struct device_graph *g, unsigned device,
                                      struct proact_error *err)
{
    struct device_set *set = g->set;
    struct device_stream *own = set->devices[device].graph_stream;
    enum proact_status status = PROACT_OK;

    if (set->devices[device].lone) /* which says it as it goes, beside nobody */
        return PROACT_OK;
    for (struct device_stream *s = set->streams; s; s = s->next)
        s->is_under_way = false;
    for (size_t i = g->first; i < g->end && !status; i++) {
        struct cuda_taped_op *op = &set->tape[i];

        if (op->stream->device != device)
            continue;
        op->stream->is_under_way |= op->kind != TAPED_RECORD;
        op->is_done_early = !op->stream->is_under_way;
        if (op->is_done_early)
            status = cuda_tell(g, i, own, err);
    }
    return status ? status : cuda_meet_now(own, err);
}
