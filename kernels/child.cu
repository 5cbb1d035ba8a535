/* SPDX-License-Identifier: Apache-2.0 */

/* Child kernel of the dynamic mechanism (PROACT III-C): the CTA that completes a chunk
   launches a kernel that sends it. src/instrument inserts this file before a module whose
   kernels use the mechanism, and a call of proact_launch_child() at their markers (see
   <proact/device_epilogue.h>). A kernel ends after its children: an operation ordered after
   the kernel is ordered after them. */

#include "child.h"

enum { CHILD_THREADS = 256, UNROLL = 4 };         /* at most, per CTA; vectors per thread */
enum { CTA_BYTES = CHILD_THREADS * UNROLL * 16 }; /* in flight per CTA */

/* Parameters of proact_child(). */
struct child_parameters {
    const struct child_work *work;
    proact_u32 slot, chunk;
};

/* Parameter buffer of a child launch, from CUDA's device runtime; NULL: none is available.
   This function and the next contain the calls that nvcc generates for <<<>>>, in assembly:
   nvcc supports them only in other modes, and clang does not support them. */
PROACT_DEVICE_INLINE struct child_parameters *child_parameters(proact_u32 ctas,
                                                               proact_u32 threads)
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

/* Launches the child in stream 4, cudaStreamFireAndForget, where it waits for no sibling.
   Returns 0 or a CUDA error. */
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

/* Number of CTAs of the child. */
PROACT_DEVICE_INLINE proact_u32 child_grid(void)
{
    proact_u32 v;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
    return v;
}

/* Entry of the child. Each CTA sends its part of every piece of the chunk. Without peers,
   in a plan that skips transfers, it sends nothing. */
extern "C" __global__ void proact_child(struct child_parameters p)
{
    const struct proact_slot *slot = &p.work->partition.slot[p.slot];
    const proact_u32 end =
        p.work->partition.peer_count ? slot->piece_first[p.chunk + 1] : 0;

#pragma unroll 1
    for (proact_u32 i = slot->piece_first[p.chunk]; i < end; i++) {
        const struct proact_piece *piece = &slot->piece[i];
        proact_u32 bytes = piece->bytes;
        proact_u32 part = (bytes / child_grid() / CTA_BYTES + 1) * CTA_BYTES;
        proact_u64 first = (proact_u64)part * proact_local_cta();

        if (first < bytes)
            proact_send_piece<UNROLL>(slot->peer_offset + piece->first_peer,
                                      slot->base + piece->first_byte + first,
                                      bytes - first < part ? (proact_u32)(bytes - first)
                                                           : part,
                                      piece->peer_count, p.chunk);
    }
}

/* Number of CTAs for a chunk: one per CTA_BYTES, within the limit of the plan. */
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

/* Launches the child for a chunk. Called by the leader of the last writer after once-fence
   or last-fence; the child observes everything that the leader observes. False: the device
   accepts no more launches, and the CTA sends the chunk itself. */
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
    /* Launch of the sender. It pairs with once-fence or last-fence of the leader. */
    /* protocol: child-launch (else: return 1;) */
    return child_launch(p) == 0;
}
