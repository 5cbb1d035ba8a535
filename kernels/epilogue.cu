/* SPDX-License-Identifier: Apache-2.0 */

/* Epilogues for plain kernels: the epilogue of an annotated kernel alone. src/instrument
   appends the body of one of these kernels to a kernel version. */

/* Kernel versions issue no bulk copies, and may run on any device. */
#define PROACT_HAS_BULK_COPY 0
/* A register that is read once would be live throughout the send loops of every version. */
#define PROACT_SREG_ASM asm volatile
#include <proact/device.h>

/* Count and send (fused, dynamic). A kernel version has no parameter `is_leader`:
   src/instrument replaces its loads by a predicate that the start of the kernel computes.
   Computed here, ptxas would read the thread index once and keep up to three registers live
   throughout the kernel. */
extern "C" __global__ void proact_epilogue_send(struct proact_partition partition,
                                                proact_u32 is_leader)
{
    proact_done_mode(&partition, PROACT_MODE_SEND, is_leader != 0);
}

/* Count only, for an agent or a copy engine: two thirds of the registers and a sixth of the
   code. */
extern "C" __global__ void proact_epilogue_count(struct proact_partition partition,
                                                 proact_u32 is_leader)
{
    proact_done_mode(&partition, 0, is_leader != 0);
}
