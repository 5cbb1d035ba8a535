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
    struct device_set *set = context;
    const uint64_t end_ns = clock_host_ns() + set->hold_limit_ns;

    while (!atomic_load_explicit(&set->is_let_go, memory_order_acquire) &&
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
    set->hold_limit_ns = limit_ns;
    atomic_store(&set->is_let_go, false);
    s->is_open_ended = true;
    return cuda_leave(set, s->device,
                      set->driver.host_function(s->stream, hold_until_released, set),
                      "cuLaunchHostFunc", err);
}

void cuda_let_go(struct device_set *set)
{
    atomic_store_explicit(&set->is_let_go, true, memory_order_release);
}
