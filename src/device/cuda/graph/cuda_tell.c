/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications between streams of different devices in a graph. */
#include "device/cuda/graph/cuda_tape.h"

cu_address cuda_word_of(const struct device_graph *g, const struct cuda_taped_op *wait)
{
    return g->words[wait->stream->device] + wait->to;
}

bool cuda_is_to_meet(const struct device_stream *s)
{
    return s->meeting.tells || s->meeting.waits;
}

/* Emits pending copies, then notifications and waits in one kernel. Notifications come
   first there, so that combining them causes no delay. */
enum proact_status cuda_meet_now(struct device_stream *s, struct proact_error *err)
{
    enum proact_status status = cuda_carry_now(s, err);

    if (status || !cuda_is_to_meet(s) || (status = cuda_use(s, err)))
        return status;
    return cuda_leave(s->set, s->device, cuda_meet(s, &s->meeting), "cuLaunchKernelEx",
                      err);
}

enum proact_status cuda_tell(const struct device_graph *g, size_t record,
                             struct device_stream *by, struct proact_error *err)
{
    const struct device_set *set = g->set;
    const struct cuda_taped_op *r = &set->tape[record];
    struct cuda_meeting *m = &by->meeting;
    enum proact_status status = PROACT_OK;

    for (size_t i = record + 1; i < set->tape_count && !status; i++) {
        const struct cuda_taped_op *op = &set->tape[i];

        if (op->kind == TAPED_RECORD && op->event == r->event)
            break;
        if (op->kind != TAPED_WAIT_EVENT || op->record != record ||
            op->stream->device == r->stream->device)
            continue;
        if (m->waits || m->tells == CUDA_MEETING_MAX)
            status = cuda_meet_now(by, err);
        m->tell[m->tells++] = cuda_word_of(g, op);
    }
    return status;
}
