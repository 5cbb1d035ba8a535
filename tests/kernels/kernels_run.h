/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs a kernel of the table in the executor with a minimal host: one memory, no time. */

#include "execute/execute.h"
#include "ptx/ptx.h"
#include "samples/samples.h"

/* Called before every access to global memory. `cta` is the linear index; `array` is -1 for
   module variables. NULL is allowed. */
typedef void kernels_watch(void *context, uint32_t cta, const struct execute_access *a,
                           int array, unsigned lane, uint64_t offset);

struct kernels_run {
    const struct sample *sample;
    const char *title;
    bool large;
    uint32_t seed; /* of inputs and of the order of warps */
    kernels_watch *watch;
    void *context;
};

/* Fails the cmocka test with a message if the kernel faults, accesses memory outside its
   arrays, or an output differs from the reference. */
void kernels_execute(const struct kernels_run *run, const struct execute_program *program);
