/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/stopwatch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "runtime/objects/session.h"
#include "runtime/session/program_streams.h"

enum {
    HOLD_NS = 5000000
}; /* limit of the hold; a host that queues for longer is timed
      with the devices */

struct stopwatch {
    struct device_event *from, *to; /* timing events of device 0 */
    struct device_event *end[PROACT_DEVICES_MAX][TRANSFER_LANES];
    uint64_t started_ns; /* host clock */
    bool is_running;
};

static enum proact_status open_one(struct proact *p, struct proact_error *err)
{
    struct stopwatch *w = p->stopwatch = must_calloc(1, sizeof *w);
    enum proact_status status = p->backend->event_create(p->set, 0, true, &w->from, err);

    if (!status)
        status = p->backend->event_create(p->set, 0, true, &w->to, err);
    for (unsigned d = 0; d < p->devices.count; d++)
        for (int lane = 0; lane < TRANSFER_LANES && !status; lane++)
            status = p->backend->event_create(p->set, d, false, &w->end[d][lane], err);
    return status;
}

static struct device_stream *first_main(const struct proact *p)
{
    return p->devices.device[0].lane[TRANSFER_MAIN];
}

static enum proact_status all_follow(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < p->devices.count; d++)
        for (int n = 0; n < TRANSFER_LANES && !status; n++) {
            struct device_stream *lane = p->devices.device[d].lane[n];

            if (lane != first_main(p))
                status = p->backend->wait_event(lane, p->stopwatch->from, err);
        }
    return status;
}

static enum proact_status follow_all(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < p->devices.count; d++)
        for (int n = 0; n < TRANSFER_LANES && !status; n++) {
            struct device_stream *lane = p->devices.device[d].lane[n];
            struct device_event *end = p->stopwatch->end[d][n];

            if (lane == first_main(p))
                continue;
            status = p->backend->record(lane, end, err);
            if (!status)
                status = p->backend->wait_event(first_main(p), end, err);
        }
    return status;
}

enum proact_status stopwatch_start(struct proact *p, struct proact_error *err)
{
    enum proact_status status = p->stopwatch ? PROACT_OK : open_one(p, err);

    if (status) {
        stopwatch_close(p);
        return status;
    }
    if (p->backend->hold)
        status = p->backend->hold(first_main(p), HOLD_NS, err);
    if (!status)
        status = p->backend->record(first_main(p), p->stopwatch->from, err);
    if (!status)
        status = all_follow(p, err);
    if (!status) /* including a program's streams */
        status = streams_join(p, err);
    p->stopwatch->started_ns = clock_host_ns();
    p->stopwatch->is_running = true;
    return status;
}

bool stopwatch_is_running(const struct proact *p)
{
    return p->stopwatch && p->stopwatch->is_running;
}

enum proact_status stopwatch_stop(struct proact *p, enum proact_status so_far,
                                  struct stopwatch_time *out, struct proact_error *err)
{
    struct stopwatch *w = p->stopwatch;
    enum proact_status status = so_far;
    double ns = 0;

    if (!w)
        return so_far;
    w->is_running = false;
    out->host_ns = p->backend->is_virtual ? 0 : clock_host_ns() - w->started_ns;
    if (!status && !(status = streams_join(p, err)))
        status = follow_all(p, err);
    if (!status)
        status = p->backend->record(first_main(p), w->to, err);
    if (p->backend->hold)
        p->backend->let_go(p->set);
    if (status || (status = proact_wait(p, err)) ||
        (status = p->backend->elapsed(w->from, w->to, &ns, err)))
        return status;
    out->devices_ns = ns > 0 ? (uint64_t)ns : 0;
    return PROACT_OK;
}

void stopwatch_close(struct proact *p)
{
    struct stopwatch *w = p->stopwatch;

    if (!w)
        return;
    if (w->from)
        p->backend->event_destroy(w->from);
    if (w->to)
        p->backend->event_destroy(w->to);
    for (unsigned d = 0; d < p->devices.count; d++)
        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            if (w->end[d][lane])
                p->backend->event_destroy(w->end[d][lane]);
    free(w);
    p->stopwatch = NULL;
}
