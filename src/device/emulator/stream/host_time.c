/* SPDX-License-Identifier: Apache-2.0 */
/* Host time of calls, on the host's clock. Between batch_begin and batch_end one thread per
   device makes the calls that the CUDA backend defers. The threads run concurrently, except
   for the serialized part of each call. */
#include "device/emulator/machine.h"
#include "device/emulator/stream/enqueue.h"
#include "device/emulator/stream/stream.h"

enum { KEPT_MOST = 256 }; /* operations per device, as in the CUDA backend */

static bool is_kept(const struct device_set *set)
{
    return set->batch.is_open && !set->tape;
}

/* Device whose thread makes the next call; set->count: none. */
static unsigned next_thread(const struct device_set *set, const uint64_t *clock_ps)
{
    unsigned next = set->count;

    for (unsigned d = 0; d < set->count; d++)
        if (set->batch.first[d] && (next == set->count || clock_ps[d] < clock_ps[next]))
            next = d;
    return next;
}

void host_settle(struct device_set *set)
{
    uint64_t clock_ps[DEVICES_MAX], turn_ps = set->host_ps, end_ps = set->host_ps;

    for (unsigned d = 0; d < set->count; d++)
        clock_ps[d] = set->host_ps;
    for (unsigned d; (d = next_thread(set, clock_ps)) < set->count;) {
        struct operation *o = set->batch.first[d];

        if (o->turn_ps)
            clock_ps[d] = serve(&turn_ps, clock_ps[d], o->turn_ps);
        clock_ps[d] += o->call_ps;
        o->stamp_ps = clock_ps[d];
        end_ps = clock_ps[d] > end_ps ? clock_ps[d] : end_ps;
        set->batch.first[d] = o->next_kept;
        o->next_kept = NULL;
        set->batch.count[d] = 0;
    }
    set->host_ps = end_ps;
}

void host_take(struct device_set *set, double us)
{
    host_settle(set);
    if (!set->tape)
        set->host_ps += ps_of_ns(1000 * us);
}

void host_take_for(struct operation *o, double us, double turn_us)
{
    struct device_set *set = o->stream->set;

    if (is_kept(set)) {
        o->turn_ps = ps_of_ns(1000 * turn_us);
        o->call_ps = ps_of_ns(1000 * (us - turn_us));
    } else {
        host_take(set, us);
    }
}

void host_stamp(struct operation *o)
{
    struct device_set *set = o->stream->set;
    unsigned d = o->stream->device;

    o->stamp_ps = set->host_ps;
    if (!is_kept(set))
        return;
    if (set->batch.count[d] >= KEPT_MOST)
        host_settle(set);
    if (set->batch.first[d])
        set->batch.last[d]->next_kept = o;
    else
        set->batch.first[d] = o;
    set->batch.last[d] = o;
    set->batch.count[d]++;
}

void host_batch_begin(struct device_set *set)
{
    set->batch.is_open = true;
    set->issued++;
}

enum proact_status host_batch_end(struct device_set *set, struct proact_error *err)
{
    (void)err;
    host_settle(set);
    set->batch.is_open = false;
    return PROACT_OK;
}
