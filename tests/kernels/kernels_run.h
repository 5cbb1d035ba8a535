/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs a kernel of the table in the executor with the plainest host there can be: one
   memory, no time. */

#include "execute/execute.h"
#include "ptx/ptx.h"
#include "samples/samples.h"

/* Sees every access to global memory before it is done: `cta` is its linear number, the
   array -1 for module variables. May be NULL. */
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

/* Fails the cmocka test with a sentence if the kernel faults, touches what is not its own,
   or an output differs from the reference. */
void kernels_execute(const struct kernels_run *run, const struct execute_program *program);
