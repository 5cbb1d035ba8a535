/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The plans with which destroyed kernels of a session were last launched, so that a caller
   can report them after an application has ended. */

#include <stddef.h>

#include "transfer/transfer.h"

struct proact;
struct proact_kernel;

struct used_plan {
    char *kernel;
    struct transfer_plan plan;
};

/* Adds the plan of the kernel's last launch, unless it had none or is listed. */
void used_plans_note(const struct proact_kernel *k);
/* In the order of destruction; borrowed until the next destruction of a kernel. */
const struct used_plan *used_plans_list(const struct proact *p, size_t *count);
void used_plans_clear(struct proact *p);
