/* SPDX-License-Identifier: Apache-2.0 */
/* Child launches: the two functions of CUDA's device runtime that nvcc calls. The first
   allocates memory for the parameters, the second launches with them. */
#include "execute/run/run.h"

static void read_extent(const struct execute_warp *w, unsigned lane, op_place offset,
                        uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = (uint32_t)thread_word(w, lane, offset + 4 * i, 4);
}

/* The kernel address comes from the program and may be invalid. */
static uint64_t parameters(struct execute_warp *w, const struct execute_op *op,
                           unsigned lane)
{
    const struct execute_host *host = w->grid->launch.host;
    const struct execute_program *p = w->grid->kernel->program;
    uint64_t number = thread_word(w, lane, op->from[0], 8);
    struct execute_child child = {.shared_bytes =
                                      (uint32_t)thread_word(w, lane, op->from[3], 4)};

    if (number == 0 || number > p->kernel_count || p->kernels[number - 1].refusal)
        return 0;
    child.kernel = &p->kernels[number - 1];
    read_extent(w, lane, op->from[1], child.grid);
    read_extent(w, lane, op->from[2], child.block);
    return host->child_parameters(host->context, w, &child);
}

bool child_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct execute_host *host = w->grid->launch.host;

    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        if (!host->child_launch) {
            warp_fault(w, op->line, lane, "launches a kernel, which is not supported here");
            return false;
        }
        if (op->detail[0] == CHILD_PARAMETERS)
            thread_answer(w, lane, op->to, parameters(w, op, lane), 8);
        else
            thread_answer(
                w, lane, op->to,
                host->child_launch(host->context, w, thread_word(w, lane, op->from[0], 8)),
                4);
    }
    return true;
}
