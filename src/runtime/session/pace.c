/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/pace.h"

#include <sched.h>

#include "base/clock.h"
#include "runtime/objects/session.h"

/* Launches between two events. The host is at most two intervals ahead. */
enum { PACE = 8 };
/* Limit of the waits of a session for compilations. */
enum { COMPILING_NS_MAX = 1000000000 };

enum proact_status pace_keep(struct proact *p, pace_goes_on *goes_on,
                             struct proact_error *err)
{
    const struct device_backend *b = p->backend;

    if (b->is_virtual || !b->progress)
        return PROACT_OK;
    const uint64_t n = p->pace.launches++;
    struct device_event **mark = &p->pace.mark[n / PACE % 2],
                        *other = p->pace.mark[1 - n / PACE % 2];
    enum proact_status status = PROACT_OK;

    if (n % PACE)
        return PROACT_OK;
    while (other && goes_on(p, &status, err) &&
           b->progress(p->set, NULL, other) == PROACT_PROGRESS_RUNNING)
        sched_yield();
    if (!status && !*mark)
        status = b->event_create(p->set, 0, false, mark, err);
    return status ? status
                  : b->record(p->devices.device[0].lane[TRANSFER_MAIN], *mark, err);
}

static bool pace_compiles(struct proact *p, enum proact_status *status,
                          struct proact_error *err)
{
    (void)status, (void)err;
    return p->backend->is_compiling(p->set) &&
           clock_host_ns() - p->pace.from_ns + p->pace.waited_ns < COMPILING_NS_MAX;
}

enum proact_status pace_keep_compiling(struct proact *p, struct proact_error *err)
{
    if (p->recording || p->repeating || p->has_waiting ||
        p->pace.waited_ns >= COMPILING_NS_MAX)
        return PROACT_OK;
    p->pace.from_ns = clock_host_ns();
    const enum proact_status status = pace_keep(p, pace_compiles, err);

    p->pace.waited_ns += clock_host_ns() - p->pace.from_ns;
    return status;
}

void pace_close(struct proact *p)
{
    for (int n = 0; n < 2; n++)
        if (p->pace.mark[n])
            p->backend->event_destroy(p->pace.mark[n]);
}
