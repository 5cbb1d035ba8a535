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
    const uint64_t end_ns = clock_host_ns() + atomic_load(&set->hold_limit_ns);
    const uint64_t number = atomic_fetch_add(&set->holds_begun, 1);

    while (atomic_load_explicit(&set->holds_let_go, memory_order_acquire) <= number &&
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
    atomic_store(&set->hold_limit_ns, limit_ns);
    s->is_open_ended = true;
    const int result = set->driver.host_function(s->stream, hold_until_released, set);

    set->holds += !result;
    return cuda_leave(set, s->device, result, "cuLaunchHostFunc", err);
}

void cuda_let_go(struct device_set *set)
{
    atomic_store_explicit(&set->holds_let_go, set->holds, memory_order_release);
}
