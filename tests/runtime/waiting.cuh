/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose CTAs wait for each other. */
#pragma once

#include <proact/device.h>

/* CTAs run one after another, in an order that memory defines: *out is n - 1 at first. */
extern "C" __global__ void takes_turns(unsigned *out, const unsigned *in, unsigned n)
{
    const unsigned cta = proact_local_cta();
    volatile unsigned *turn = out;

    if (proact_thread_x() > 0)
        return;
    while (*turn != n - 1 + cta)
        ;
    out[1 + in[cta] % (n - 1)] = cta;
    *turn = n + cta;
}
