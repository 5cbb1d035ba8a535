/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a source of kernels into device functions and wraps each one in a kernel that
   starts at any CTA of the grid. Include this file, define __global__ as __device__,
   include the source, and restore __global__ (app_unwrap.cuh). With PEER_NVSHMEM the CTA
   then puts what it wrote to its peers. */
#pragma once

#include <proact/device.h>

#include "app_kernel.h"

#ifdef PEER_NVSHMEM
#include <nvshmem.h>
#include <nvshmemx.h>
#endif

PROACT_DEVICE_INLINE uint32_t &app_first_cta()
{
    __shared__ uint32_t first;

    return first;
}

PROACT_DEVICE_INLINE uint32_t app_cta()
{
    return blockIdx.x + app_first_cta();
}

/* Block-wide puts without waiting, to each peer that reads the bytes. */
PROACT_DEVICE_INLINE void app_send(const app_ctas &part)
{
#ifdef PEER_NVSHMEM
    const int me = nvshmem_my_pe(), all = nvshmem_n_pes();

    __syncthreads(); /* all stores of the CTA are made */
    for (uint32_t i = 0; i < part.sends; i++) {
        const auto &s = part.sent[i];
        const uint64_t from = app_cta() * s.cta_bytes;
        const uint64_t to = from + s.cta_bytes < s.bytes ? from + s.cta_bytes : s.bytes;

        for (int turn = 1; turn < all && from < to; turn++) {
            const int peer = (me + turn) % all;
            const bool below = peer == me - 1 && from < s.begin + s.halo_bytes;
            const bool above = peer == me + 1 && to + s.halo_bytes > s.end;

            if (!s.halo_bytes || below || above)
                nvshmemx_putmem_nbi_block(s.base + from, s.base + from, to - from, peer);
        }
    }
#else
    (void)part;
#endif
}

template <auto F, class... A> __global__ void app_run(const app_ctas part, A... args)
{
    if (threadIdx.x == 0)
        app_first_cta() = part.first;
    __syncthreads();
    F(args...);
    app_send(part);
}

template <auto F, class T> struct app_signature;
template <auto F, class... A> struct app_signature<F, void (*)(A...)> {
    static app_kernel kernel(const char *image, const char *name, app_rule writes)
    {
        return {image,
                name,
                reinterpret_cast<const void *>(&app_run<F, A...>),
                (unsigned)sizeof...(A),
                {(uint32_t)sizeof(A)...},
                writes};
    }
};

#define APP_KERNEL_OF(image, name, function, writes)                                       \
    app_signature<function, decltype(&function)>::kernel(image, name, writes)
#define APP_KERNEL(function, writes) APP_KERNEL_OF(nullptr, #function, function, writes)

#define proact_local_cta() app_cta()
#undef __global__
#define __global__ __device__
