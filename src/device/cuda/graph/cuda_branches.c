/* SPDX-License-Identifier: Apache-2.0 */
/* Branches of a graph, at most as many as the device has hardware queues. The driver
   assigns branches to queues in its own order. A copy or fill after a blocked kernel may
   then delay the operation that would unblock the kernel (observed on H100s: eight branches
   with a fill after such a kernel, eight queues). Streams therefore share branches, in the
   order of the op list, so that no operation waits for a later one of its branch. One
   branch emits the notifications of streams that have no previous work. */
#include <limits.h>

#include "device/cuda/graph/cuda_tape.h"

/* Whether the operation is work for its device. */
static bool is_work(const struct device_graph *g, const struct cuda_taped_op *op)
{
    if (op->kind != TAPED_WAIT_EVENT)
        return op->kind != TAPED_RECORD;
    return g->set->tape[op->record].stream->device != op->stream->device;
}

/* Whether the device uses hardware queues; a graph of kernels does not. */
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

/* Branch that is complete first in the order of the op list. */
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
    unsigned branches = 1; /* notifications at the start */

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

    if (set->devices[device].lone) /* it notifies in order, without branches */
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
