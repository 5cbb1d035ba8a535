/* SPDX-License-Identifier: Apache-2.0 */
/* How many branches a graph has. A driver gives them to the device's hardware queues, of
   which there may be fewer, in an order of its own: a copy or a fill behind a kernel that
   stands may then keep back what that one stands for (seen on H100s: eight branches with a
   fill behind such a kernel, eight queues). Kernels alone do not. So there are few: what
   streams tell that have done nothing is told by one of them, and what is left is counted.
 */
#include "base/fail.h"
#include "device/cuda/graph/cuda_tape.h"

/* That its device has something to do for. */
static bool is_work(const struct device_graph *g, const struct cuda_taped_op *op)
{
    const struct device_stream *whom;

    if (op->kind != TAPED_WAIT_EVENT)
        return op->kind != TAPED_RECORD;
    whom = g->set->tape[op->record].stream;
    return whom->device != op->stream->device;
}

enum proact_status cuda_tell_at_begin(struct device_graph *g, unsigned device,
                                      struct proact_error *err)
{
    struct device_set *set = g->set;
    struct device_stream *own = set->devices[device].graph_stream;
    enum proact_status status = PROACT_OK;

    for (struct device_stream *s = set->streams; s; s = s->next)
        s->is_under_way = false;
    for (size_t i = g->first; i < g->end && !status; i++) {
        struct cuda_taped_op *op = &set->tape[i];

        if (op->stream->device != device)
            continue;
        op->stream->is_under_way |= op->kind != TAPED_RECORD;
        op->is_told = !op->stream->is_under_way;
        if (op->is_told)
            status = cuda_tell(g, i, own, err);
    }
    return status ? status : cuda_meet_now(own, err);
}

enum proact_status cuda_check_queues(const struct device_graph *g, unsigned device,
                                     struct proact_error *err)
{
    struct device_set *set = g->set;
    unsigned streams = 1; /* what is told at its begin */

    for (struct device_stream *s = set->streams; s; s = s->next)
        s->is_under_way = false;
    for (size_t i = g->first; i < g->end; i++) {
        const struct cuda_taped_op *op = &set->tape[i];

        if (op->stream->device != device || op->stream->is_under_way || !is_work(g, op))
            continue;
        op->stream->is_under_way = true;
        streams++;
    }
    if (streams <= set->queues)
        return PROACT_OK;
    return fail(err, PROACT_EREFUSED,
                "this cannot be recorded on GPUs: device %u works on %u streams of it and "
                "has %u queues (CUDA_DEVICE_MAX_CONNECTIONS), so that one that waits may "
                "hold up another; launch it anew each time",
                device, streams, set->queues);
}
