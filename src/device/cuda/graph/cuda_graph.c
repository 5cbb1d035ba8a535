/* SPDX-License-Identifier: Apache-2.0 */
/* Graph capture. The op list of a recording becomes one graph per device. The driver
   captures it on a stream of its own, which other streams join when they are used.
   Dependences within a device are edges. Between devices they are words
   (cuda_graph_resident.c), one for each wait of each launch. A long recording becomes
   several parts, each with one graph per device. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/graph/cuda_tape.h"

enum { WORD_BYTES = 32 }; /* one word per memory sector */

static enum proact_status make_stream(struct device_set *set, unsigned device,
                                      struct proact_error *err)
{
    struct cuda_device *d = &set->devices[device];
    enum proact_status status = PROACT_OK;
    cu_event *const events[] = {&d->graph_begin, &d->graph_end};
    cu_result result = 0;

    if (!d->graph_stream)
        status = cuda_stream_create(set, device, &d->graph_stream, err);
    if (status || (status = cuda_enter(set, device, err)))
        return status;
    for (int i = 0; i < 2 && !result; i++)
        if (!*events[i])
            result = set->driver.event_create(events[i], CU_EVENT_WITHOUT_TIME);
    if (!result)
        result = cuda_resident_load(set, device);
    return cuda_leave(set, device, result, "cuEventCreate", err);
}

/* Requires peer access of all devices: the driver captures no copy through the host. */
static enum proact_status check_peers(const struct device_set *set,
                                      struct proact_error *err)
{
    for (unsigned from = 0; from < set->count; from++)
        for (unsigned to = 0; to < set->count; to++)
            if (from != to && !set->devices[from].reaches[to])
                return fail(err, PROACT_EREFUSED,
                            "copies between devices %u and %u go through the host, which "
                            "cannot be recorded: device %u does not reach device %u",
                            from, to, from, to);
    return PROACT_OK;
}

enum proact_status cuda_capture_begin(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = check_peers(set, err);

    for (unsigned d = 0; d < set->count && !status; d++)
        status = make_stream(set, d, err);
    if (status)
        return status;
    set->captures++;
    set->captured_waits = set->wait_count;
    set->is_taping = true;
    return PROACT_OK;
}

/* The driver captures nothing before cuda_capture_end(). */
void cuda_capture_pause(struct device_set *set)
{
    set->is_taping = false;
}

void cuda_capture_resume(struct device_set *set)
{
    set->is_taping = true;
}

/* Allocates a word for each wait of this device for another one. */
static enum proact_status make_words(struct device_graph *g, unsigned device,
                                     struct proact_error *err)
{
    struct device_set *set = g->set;
    const struct driver *v = &set->driver;
    size_t bytes = 0;

    for (size_t i = 0; i < set->tape_count; i++) {
        struct cuda_taped_op *op = &set->tape[i];

        if (op->kind != TAPED_WAIT_EVENT || op->stream->device != device ||
            set->tape[op->record].stream->device == device)
            continue;
        op->to = bytes;
        bytes += WORD_BYTES;
    }
    enum proact_status status = bytes ? cuda_enter(set, device, err) : PROACT_OK;

    if (status || !bytes)
        return status;
    cu_result result = v->memory_alloc(&g->words[device], bytes);

    if (!result)
        result = v->fill(g->words[device], 0, bytes, set->devices[device].rescue);
    if (!result)
        result = v->stream_synchronize(set->devices[device].rescue);
    return cuda_leave(set, device, result, "cuMemAlloc", err);
}

static enum proact_status emit_record(const struct device_graph *g, size_t number,
                                      struct proact_error *err)
{
    const struct cuda_taped_op *op = &g->set->tape[number];
    struct device_stream *s = op->stream->with;
    enum proact_status status =
        op->is_done_early ? PROACT_OK : cuda_tell(g, number, s, err);

    if (!status && op->is_awaited_here)
        status = s->meeting.waits ? cuda_meet_now(s, err) : cuda_carry_now(s, err);
    if (status || !op->is_awaited_here || (status = cuda_use(s, err)))
        return status;
    return cuda_leave(s->set, s->device,
                      s->set->driver.event_record(op->event->event, s->stream),
                      "cuEventRecord", err);
}

static enum proact_status emit_wait(const struct device_graph *g,
                                    const struct cuda_taped_op *op,
                                    struct proact_error *err)
{
    struct device_stream *s = op->stream->with;
    struct cuda_meeting *m = &s->meeting;
    const unsigned whom = g->set->tape[op->record].stream->device;
    const bool is_here = whom == s->device;
    enum proact_status status = PROACT_OK;

    if (is_here && op->record < g->first) /* the part starts after the end of the
                                             record's part */
        return PROACT_OK;
    if (is_here ? m->tells > 0 : m->waits == CUDA_MEETING_MAX)
        status = cuda_meet_now(s, err);
    if (is_here && !status)
        status = cuda_carry_now(s, err);
    if (!is_here && !status) {
        m->whom[m->waits] = (unsigned char)(whom + 1);
        m->wait[m->waits++] = cuda_word_of(g, op);
    }
    if (!is_here || status || (status = cuda_use(s, err)))
        return status;
    s->is_behind_kernel = false;
    return cuda_leave(s->set, s->device,
                      s->set->driver.stream_wait_event(s->stream, op->event->event, 0),
                      "cuStreamWaitEvent", err);
}

static enum proact_status emit_work(const struct cuda_taped_op *op,
                                    struct proact_error *err)
{
    struct device_stream *s = op->stream->with;

    switch (op->kind) {
    case TAPED_COPY:
        return cuda_copy_rows(s, &op->rows, err);
    case TAPED_FILL:
        return (cuda_is_small_fill(op->bytes) ? cuda_fill_small : cuda_fill)(
            s, op->to, (unsigned char)op->value, op->bytes, err);
    case TAPED_LAUNCH:
        return cuda_launch(s, op->function, &op->launch, err);
    case TAPED_WAIT_VALUE:
        return cuda_wait_value(s, op->to, op->value, &op->reason, err);
    default:
        return cuda_write_value(s, op->to, op->value, err);
    }
}

static enum proact_status emit(const struct device_graph *g, size_t number,
                               struct proact_error *err)
{
    const struct cuda_taped_op *op = &g->set->tape[number];
    struct device_stream *s = op->stream->with;
    const bool is_carried = op->kind == TAPED_COPY && cuda_is_carried(s, &op->rows);
    enum proact_status status = PROACT_OK;

    if (op->kind == TAPED_RECORD)
        return emit_record(g, number, err);
    if (op->kind == TAPED_WAIT_EVENT)
        return emit_wait(g, op, err);
    if (!is_carried || cuda_is_to_meet(s))
        status = cuda_meet_now(s, err);
    if (status || is_carried)
        return status ? status : cuda_carry(s, &op->rows, err);
    status = emit_work(op, err);
    /* A cubin may launch kernels, so a dependence on it must also wait for its children. */
    s->is_behind_kernel = op->kind == TAPED_WAIT_VALUE ||
                          (op->kind == TAPED_FILL && cuda_is_small_fill(op->bytes)) ||
                          (op->kind == TAPED_LAUNCH && op->function->waits);
    return status;
}

static enum proact_status emit_all(struct device_graph *g, unsigned device,
                                   struct proact_error *err)
{
    const struct device_set *set = g->set;
    enum proact_status status = cuda_tell_at_begin(g, device, err);

    for (size_t i = g->first; i < g->end && !status; i++)
        if (set->tape[i].stream->device == device)
            status = emit(g, i, err);
    for (struct device_stream *s = set->streams; s && !status; s = s->next)
        if (s->device == device)
            status = cuda_meet_now(s, err);
    return status;
}

/* Uploads the graph in the background; otherwise the first launch does. An error is
   reported by the launch. */
static void cuda_graph_preload(const struct device_graph *g, cu_graph_exec exec,
                               struct device_stream *s)
{
    if (g->set->driver.graph_upload && !g->set->driver.graph_upload(exec, s->stream))
        s->is_busy = true;
}

/* Ends the capture within the device's context; `keeps` false discards the result. */
static cu_result end_capture(struct device_graph *g, unsigned device, bool keeps)
{
    struct device_set *set = g->set;
    const struct driver *v = &set->driver;
    struct device_stream *own = set->devices[device].graph_stream;
    cu_graph graph = NULL;
    cu_result result = 0;

    for (struct device_stream *s = set->streams; s; s = s->next) {
        if (s->is_captured && keeps && !result)
            result = cuda_come_together(set, s, own);
        s->is_captured = s->is_behind_kernel = false;
        s->meeting.tells = s->meeting.waits = s->carries.count = 0;
    }
    cu_result ended = v->capture_end(own->stream, &graph);

    cu_graph_exec *exec = &g->part[g->part_count - 1].exec[device];

    if (keeps && !result && !(result = ended))
        result = v->graph_make(exec, graph, CU_GRAPH_PRIORITIES);
    if (keeps && !result)
        cuda_graph_preload(g, *exec, own);
    if (graph)
        v->graph_destroy(graph);
    return result;
}

/* Only stream that uses the device, or NULL. */
static struct device_stream *lone_stream(const struct device_set *set, unsigned device)
{
    struct device_stream *lone = NULL;

    for (size_t i = 0; i < set->tape_count; i++) {
        struct device_stream *s = set->tape[i].stream;

        if (s->device != device)
            continue;
        if (lone && s != lone)
            return NULL;
        lone = s;
    }
    return lone;
}

static enum proact_status capture(struct device_graph *g, unsigned device,
                                  struct proact_error *err)
{
    struct device_set *set = g->set;
    struct cuda_device *d = &set->devices[device];
    const struct driver *v = &set->driver;
    enum proact_status status = cuda_enter(set, device, err);

    if (status)
        return status;
    cuda_merge_streams(g, device);
    d->lone = lone_stream(set, device);
    cu_result result = v->capture_begin(d->graph_stream->stream, CU_CAPTURE_RELAXED);
    bool begun = !result;

    if (!result)
        result = v->event_record(d->graph_begin, d->graph_stream->stream);
    if (!(status = cuda_leave(set, device, result, "cuStreamBeginCapture", err)))
        status = emit_all(g, device, err);
    if (!begun)
        return status;
    if (status) {
        cuda_context_push(v, d->context);
        end_capture(g, device, false);
        cuda_context_pop(v);
        return status;
    }
    if ((status = cuda_enter(set, device, err)))
        return status;
    return cuda_leave(set, device, end_capture(g, device, true), "cuStreamEndCapture", err);
}

/* Rejects kernels that launch kernels. The driver does not wait for children of the last
   kernel of a graph: replays gave wrong results on two H200s (docs/hardware.md). */
static enum proact_status check_children(const struct device_set *set,
                                         struct proact_error *err)
{
    for (size_t i = 0; i < set->tape_count; i++)
        if (set->tape[i].kind == TAPED_LAUNCH && set->tape[i].function->launches)
            return fail(err, PROACT_EREFUSED,
                        "this cannot be recorded on GPUs: kernel '%s' launches kernels, "
                        "and replays of such kernels have failed; launch it each time",
                        set->tape[i].function->name);
    return PROACT_OK;
}

static bool takes_part(const struct device_graph *g, unsigned device)
{
    for (size_t i = g->first; i < g->end; i++)
        if (g->set->tape[i].stream->device == device)
            return true;
    return false;
}

/* Selects the operations of the next part: up to its maximum, and those that unblock them.
   False: none are left. */
static bool next_part(struct device_graph *g)
{
    const struct device_set *set = g->set;
    unsigned has[TOPOLOGY_DEVICES_MAX] = {0}, most = 0;
    uint32_t blocked = 0; /* bit mask of devices */

    g->first = g->end;
    while (g->end < set->tape_count && (most < CUDA_PART_OPERATIONS || blocked)) {
        const struct cuda_taped_op *op = &set->tape[g->end++];
        const unsigned d = op->stream->device;

        most = ++has[d] > most ? has[d] : most;
        if (op->kind == TAPED_LAUNCH)
            blocked = (blocked & ~(1u << d)) | (uint32_t)op->launch.is_blocking << d;
    }
    if (g->first == g->end)
        return false;
    g->part = must_grow(g->part, g->part_count, &g->part_capacity, sizeof *g->part);
    g->part[g->part_count++] = (struct cuda_part){.exec = {NULL}};
    return true;
}

static void keep_waits(struct device_graph *g)
{
    struct device_set *set = g->set;

    g->wait_count = set->wait_count - set->captured_waits;
    g->waits = must_calloc(g->wait_count, sizeof *g->waits);
    if (g->wait_count)
        memcpy(g->waits, set->waits + set->captured_waits,
               g->wait_count * sizeof *g->waits);
}

enum proact_status cuda_capture_end(struct device_set *set, struct device_graph **out,
                                    struct proact_error *err)
{
    struct device_graph *g = must_calloc(1, sizeof *g);
    enum proact_status status = check_children(set, err);

    g->set = set;
    set->is_taping = false;
    for (unsigned d = 0; d < set->count && !status; d++)
        status = make_words(g, d, err);
    set->is_capturing = true;
    while (!status && next_part(g))
        for (unsigned d = 0; d < set->count && !status; d++)
            if (takes_part(g, d))
                status = capture(g, d, err);
    set->is_capturing = false;
    cuda_tape_clear(set);
    if (status)
        cuda_graph_destroy(g);
    else
        keep_waits(g);
    set->wait_count = set->captured_waits;
    if (!status)
        *out = g;
    return status;
}
