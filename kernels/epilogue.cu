/* SPDX-License-Identifier: Apache-2.0 */

/* The last words of a marked kernel and nothing else: src/instrument puts the body of one
   of these kernels behind those that say no last words of their own. */

/* Clones make no bulk stores, and may be for any device. */
#define PROACT_HAS_BULK_COPY 0
/* What is read once lives through the loops that send: more registers for every kernel. */
#define PROACT_SREG_ASM asm volatile
#include <proact/device.h>

/* The clone has no parameter `leads`: where it is read, src/instrument puts a predicate
   from the kernel's first words. Asked for here, the thread's place would take up to three
   registers all through the kernel, because ptxas reads it once. */
extern "C" __global__ void proact_epilogue_send(struct proact_partition partition, proact_u32 leads)
{
    proact_done_mode(&partition, PROACT_MODE_SEND, leads != 0);
}

/* Where no mechanism has the CTA send, two thirds of the registers and a sixth of the code
   do. */
extern "C" __global__ void proact_epilogue_count(struct proact_partition partition, proact_u32 leads)
{
    proact_done_mode(&partition, 0, leads != 0);
}
