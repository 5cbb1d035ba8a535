/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/fail.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/session/unified.h"

/* Without counters in the backend, the traffic of the arrays' tables counts. */
static void add_traffic(const struct proact *p, unsigned from,
                        struct proact_statistics *out)
{
    if (!p->backend->traffic)
        for (const struct proact_array *a = p->arrays; a; a = a->next)
            out->bytes += a->traffic[from].bytes;
    for (unsigned to = 0; p->backend->traffic && to < p->devices.count; to++) {
        struct device_traffic now = p->backend->traffic(p->set, from, to);
        const struct device_traffic *before = &p->traffic_before[from][to];

        out->bytes += now.bytes - before->bytes;
        out->packets += now.packets - before->packets;
        out->wire_bytes += now.wire_bytes - before->wire_bytes;
    }
    out->chunks += p->chunks[from];
}

enum proact_status proact_statistics_get(struct proact *p, unsigned device,
                                         const struct proact_array *a,
                                         struct proact_statistics *out,
                                         struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_statistics_get(p, out)", (const void *[]){p, out}, err);

    if (status)
        return status;
    if (a && a->session != p)
        return fail(err, PROACT_EINVAL,
                    "statistics of array '%s', which belongs to another session", a->name);
    struct proact_statistics s = {0};

    if ((status = proact_wait(p, err)))
        return status;
    if (device != PROACT_ALL_DEVICES && device >= p->devices.count)
        return fail(err, PROACT_EINVAL, "statistics of device %u, there are %u devices",
                    device, p->devices.count);
    for (unsigned d = 0; d < p->devices.count; d++) {
        if (device != PROACT_ALL_DEVICES && d != device)
            continue;
        if (a) {
            s.bytes += a->traffic[d].bytes;
            s.chunks += a->traffic[d].chunks;
        } else {
            add_traffic(p, d, &s);
        }
    }
    if (!a) {
        const struct span_sums *sums =
            device == PROACT_ALL_DEVICES ? &p->book.all : &p->book.device[device];

        s.kernel_ns = sums->kernel_ns;
        s.transfer_ns = sums->link_ns;
        s.overlap_ns = sums->overlap_ns;
        s.exposed_ns = sums->exposed_ns;
    }
    if (!a && p->unified && device == PROACT_ALL_DEVICES)
        unified_statistics(p, &s);
    *out = s;
    return PROACT_OK;
}

void proact_statistics_reset(struct proact *p)
{
    session_settle(p);
    span_book_reset(&p->book);
    unified_statistics_reset(p);
    memset(p->chunks, 0, sizeof p->chunks);
    for (struct proact_array *a = p->arrays; a; a = a->next)
        memset(a->traffic, 0, sizeof a->traffic);
    for (unsigned from = 0; from < p->devices.count; from++)
        for (unsigned to = 0; p->backend->traffic && to < p->devices.count; to++)
            p->traffic_before[from][to] = p->backend->traffic(p->set, from, to);
}

void proact_trace_set_callback(struct proact *p, proact_trace_callback *observer,
                               void *context)
{
    p->book.observer = observer;
    p->book.context = context;
    if (!p->backend->is_virtual)
        p->backend->observe(p->set, observer ? span_book_take : NULL, &p->book);
}
