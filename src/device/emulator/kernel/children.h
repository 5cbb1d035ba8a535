/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernels that kernels launch (CUDA dynamic parallelism): the child slots of a device. */

#include "device/emulator/machine.h"

enum { CHILD_PARAMETER_BYTES = 4096 };

struct children {
    uint64_t base; /* address of the slots' parameters, CHILD_PARAMETER_BYTES each */
    uint32_t count, free_count;
    uint32_t *free; /* free slots */
    struct child_place {
        bool is_filling; /* allocated, not yet launched */
        struct execute_child child;
    } * place;
    uint64_t next_begin_ps; /* earliest start of the next child kernel */
    /* Child kernels with CTAs, and those that wait for one of these to run out of CTAs, in
       the order of their starts. */
    uint32_t running;
    struct kernel_run *waiting, **waiting_end; /* waiting_end: NULL if none waits */
};

/* children_places.c: created when a module with kernels that launch kernels is loaded. */
enum proact_status children_open(struct device_set *set, unsigned device,
                                 struct proact_error *err);
void children_clear(struct emulated *d);

/* children.c: callbacks of execute_host. */
uint64_t child_parameters(void *context, struct execute_warp *w,
                          const struct execute_child *child);
uint32_t child_launch(void *context, struct execute_warp *w, uint64_t parameters);
