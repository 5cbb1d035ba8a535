/* SPDX-License-Identifier: Apache-2.0 */
/* Hold of a stream by a host function, which the driver runs on a thread of its own. Unlike
   a wait for a word, it ends by itself if the host that should release it is blocked in the
   driver. */
#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "device/cuda/cuda_set.h"

static void hold_until_released(void *context)
{
    struct cuda_hold *h = context;
    const uint64_t end_ns = clock_host_ns() + atomic_load(&h->limit_ns);

    while (atomic_load_explicit(&h->set->holds_let_go, memory_order_acquire) <=
               atomic_load(&h->number) &&
           clock_host_ns() < end_ns)
        sched_yield();
}

enum proact_status cuda_hold(struct device_stream *s, uint64_t limit_ns,
                             struct proact_error *err)
{
    struct device_set *set = s->set;
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    struct cuda_hold *h = &set->hold[set->holds % CUDA_HOLDS];

    h->set = set;
    atomic_store(&h->number, set->holds);
    atomic_store(&h->limit_ns, limit_ns);
    s->is_open_ended = true;
    const int result = set->driver.host_function(s->stream, hold_until_released, h);

    set->holds += !result;
    return cuda_leave(set, s->device, result, "cuLaunchHostFunc", err);
}

void cuda_let_go(struct device_set *set)
{
    atomic_store_explicit(&set->holds_let_go, set->holds, memory_order_release);
}
