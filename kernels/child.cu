/* SPDX-License-Identifier: Apache-2.0 */

/* PROACT III-C, dynamic: the CTA that completes a chunk launches the kernel that sends it.
   src/instrument puts all of this ahead of a module whose kernels shall do that, and a call
   where they say so (proact_launch_child() in <proact/device_epilogue.h>). The parent's end
   is also the end of its children: what orders the one orders the other. */

#include "child.h"

enum { CHILD_THREADS = 256, UNROLL = 4 };         /* of a CTA, at most; their vectors */
enum { CTA_BYTES = CHILD_THREADS * UNROLL * 16 }; /* that a CTA has on its way at once */

struct child_parameters {
    const struct child_work *work;
    proact_u32 slot, chunk;
};

/* The two calls of CUDA's device runtime, as nvcc writes them for a <<<launch>>>: assembly,
   because nvcc knows them only in other modes and clang not at all. 0: none to be had. */
PROACT_DEVICE_INLINE struct child_parameters *child_parameters(proact_u32 ctas, proact_u32 threads)
{
    proact_u64 p;

    asm volatile("{\n\t"
                 ".param .b64 kernel, buffer;\n\t"
                 ".param .align 4 .b8 grid[12], block[12];\n\t"
                 ".param .b32 shared;\n\t"
                 ".reg .b64 child;\n\t"
                 "mov.u64 child, proact_child;\n\t"
                 "st.param.b64 [kernel], child;\n\t"
                 "st.param.b32 [grid], %1;\n\t"
                 "st.param.b32 [grid+4], 1;\n\t"
                 "st.param.b32 [grid+8], 1;\n\t"
                 "st.param.b32 [block], %2;\n\t"
                 "st.param.b32 [block+4], 1;\n\t"
                 "st.param.b32 [block+8], 1;\n\t"
                 "st.param.b32 [shared], 0;\n\t"
                 "call.uni (buffer), __cudaCDP2GetParameterBufferV2, "
                 "(kernel, grid, block, shared);\n\t"
                 "ld.param.b64 %0, [buffer];\n\t"
                 "}"
                 : "=l"(p)
                 : "r"(ctas), "r"(threads)
                 : "memory");
    return (struct child_parameters *)p;
}

/* An error of CUDA's, or 0. 4: cudaStreamFireAndForget, it waits for no sibling. */
PROACT_DEVICE_INLINE proact_u32 child_launch(struct child_parameters *p)
{
    proact_u32 error;

    asm volatile("{\n\t"
                 ".param .b64 buffer, stream;\n\t"
                 ".param .b32 error;\n\t"
                 "st.param.b64 [buffer], %1;\n\t"
                 "st.param.b64 [stream], 4;\n\t"
                 "call.uni (error), __cudaCDP2LaunchDeviceV2, (buffer, stream);\n\t"
                 "ld.param.b32 %0, [error];\n\t"
                 "}"
                 : "=r"(error)
                 : "l"(p)
                 : "memory");
    return error;
}

PROACT_DEVICE_INLINE proact_u32 child_grid(void)
{
    proact_u32 v;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
    return v;
}

/* Each CTA has its part of every piece. */
extern "C" __global__ void proact_child(struct child_parameters p)
{
    const struct proact_slot *slot = &p.work->partition.slot[p.slot];
    const proact_u32 end = slot->piece_first[p.chunk + 1];

#pragma unroll 1
    for (proact_u32 i = slot->piece_first[p.chunk]; i < end; i++) {
        const struct proact_piece *piece = &slot->piece[i];
        proact_u32 bytes = piece->bytes;
        proact_u32 part = (bytes / child_grid() / CTA_BYTES + 1) * CTA_BYTES;
        proact_u64 first = (proact_u64)part * proact_local_cta();

        if (first < bytes)
            proact_send_piece<UNROLL>(
                slot->peer_offset + piece->first_peer, slot->base + piece->first_byte + first,
                bytes - first < part ? (proact_u32)(bytes - first) : part,
                piece->peer_count, p.chunk);
    }
}

/* CTAs that are worth their while. */
PROACT_DEVICE_INLINE proact_u32 child_ctas(const struct child_work *work, proact_u32 slot,
                                  proact_u32 chunk)
{
    const struct proact_slot *s = &work->partition.slot[slot];
    const proact_u32 end = s->piece_first[chunk + 1];
    proact_u64 bytes = 0;

#pragma unroll 1
    for (proact_u32 i = s->piece_first[chunk]; i < end; i++)
        bytes += s->piece[i].bytes;
    proact_u64 useful = (bytes + CTA_BYTES - 1) / CTA_BYTES;
    proact_u32 most = work->threads / CHILD_THREADS;

    return useful < most ? (proact_u32)useful : most ? most : 1;
}

/* By the leader of a CTA, which has seen all of the chunk (last-fence), and so has the
   child. False where the device has no room for one more: then the CTA sends it. */
extern "C" __device__ __attribute__((used)) proact_u32 proact_launch_child(
    const struct child_work *work, proact_u32 slot, proact_u32 chunk)
{
    proact_u32 threads = work->threads < CHILD_THREADS ? work->threads : CHILD_THREADS;
    struct child_parameters *p = child_parameters(child_ctas(work, slot, chunk), threads);

    if (!p)
        return 0;
    p->work = work;
    p->slot = slot;
    p->chunk = chunk;
    /* protocol: child-launch (else: return 1;) */
    return child_launch(p) == 0;
}
