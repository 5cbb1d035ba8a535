/* SPDX-License-Identifier: Apache-2.0 */
#include "model/send_loop.h"

#include <math.h>

enum { VECTOR_BYTES = 16, WARP = 32 };

/* proact_send_vectors() of one vector (proact/device_primitives.h). */
struct model_loop model_loop_fused(double threads)
{
    return (struct model_loop){.threads = threads,
                               .unroll = 1,
                               .step = 7,
                               .vector = 2,
                               .receiver = 14,
                               .store = 1};
}

/* agent_send_vectors() (kernels/agent.cu). */
struct model_loop model_loop_agent(double threads)
{
    return (struct model_loop){.threads = threads,
                               .unroll = 4,
                               .step = 15,
                               .vector = 1.75,
                               .receiver = 15,
                               .store = 1.75};
}

/* proact_send_vectors() of several vectors (kernels/child.cu). */
struct model_loop model_loop_child(void)
{
    return (struct model_loop){.threads = 256,
                               .unroll = 4,
                               .waits_each = true,
                               .loads_address = true,
                               .step = 23,
                               .vector = 3.75,
                               .receiver = 20,
                               .store = 3.5};
}

double model_loop_bytes(const struct model_loop *l)
{
    return l->threads * l->unroll * VECTOR_BYTES;
}

double model_loop_ns(const struct model_loop *l, const struct topology_device *d,
                     double receivers, double load_ns, double bytes)
{
    const double vectors = ceil(bytes / (l->threads * VECTOR_BYTES));
    const double warps = ceil(bytes / (vectors * VECTOR_BYTES * WARP));
    const double instructions =
        l->step + vectors * l->vector + receivers * (l->receiver + vectors * l->store);
    const double cycles = instructions * fmax(d->dependent_cycles, warps / d->issue_width);

    return cycles / d->clock_ghz + (l->waits_each ? vectors : 1) * load_ns +
           (l->loads_address ? receivers * d->l2_latency_ns : 0);
}
