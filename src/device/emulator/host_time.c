/* SPDX-License-Identifier: Apache-2.0 */
/* What calls cost the host, which goes on with the next one then. Between batch_begin and
   batch_end a thread a device makes those that the CUDA keeper keeps back. */
#include "device/emulator/enqueue.h"
#include "device/emulator/machine.h"
#include "device/emulator/stream.h"

/* All are done; the next ones begin together. */
static void join(struct device_set *set)
{
    uint64_t longest_ps = 0;

    for (unsigned d = 0; d < set->count; d++) {
        if (longest_ps < set->batch.taken_ps[d])
            longest_ps = set->batch.taken_ps[d];
        set->batch.taken_ps[d] = 0;
    }
    set->host_ps = set->batch.began_ps + longest_ps;
}

void host_take(struct device_stream *s, double us)
{
    struct device_set *set = s->set;

    if (set->tape)
        return;
    if (set->batch.is_open)
        join(set);
    set->host_ps += ps_of_ns(1000 * us);
    set->batch.began_ps = set->host_ps;
}

void host_take_together(struct device_stream *s, double us, double turn_us)
{
    struct device_set *set = s->set;

    if (set->tape || !set->batch.is_open) {
        host_take(s, us);
        return;
    }
    set->batch.began_ps += ps_of_ns(1000 * turn_us);
    set->batch.taken_ps[s->device] += ps_of_ns(1000 * (us - turn_us));
    set->host_ps = set->batch.began_ps + set->batch.taken_ps[s->device];
}

void host_batch_begin(struct device_set *set)
{
    set->batch.is_open = true;
    set->issued++;
    set->batch.began_ps = set->host_ps;
}

enum proact_status host_batch_end(struct device_set *set, struct proact_error *err)
{
    (void)err;
    join(set);
    set->batch.is_open = false;
    return PROACT_OK;
}
