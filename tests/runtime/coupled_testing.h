/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture for the joint decision: kernels that read each other's output. */

#include "runtime/autotune/choice.h"
#include "runtime/objects/session.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/autotune/choice_edges.h"

static inline struct bench open_k40(void)
{
    return testing_open(&(struct proact_options){
        .machine = PROACT_SOURCE "/tests/runtime/bus.json", .plan = {.method = "inline"}});
}

enum { SWEPT = 1 << 16, EACH = 64 };

static inline void make_two(struct bench *b, struct proact_array *a[2])
{
    for (int i = 0; i < 2; i++)
        if (proact_array_create(b->p, &(struct proact_shape){"a", SWEPT, 4}, &a[i],
                                &b->err))
            fail_msg("%s", b->err.text);
}

/* Launches `k` from a[0] to a[1]. Returns whether the launch was split. */
static inline bool pass(struct bench *b, struct proact_kernel *k,
                        struct proact_array *const a[2], uint32_t ctas, uint32_t much)
{
    const struct {
        uint64_t in, out;
        uint32_t n, much;
    } block = {1, 2, SWEPT, much};
    const struct proact_relocation relocations[] = {{0, a[0], 0}, {8, a[1], 0}};

    if (proact_launch_buffer(
            k, &(struct proact_grid){.ctas = {ctas}, .threads = {256}},
            &(struct proact_parameter_buffer){&block, sizeof block, relocations, 2},
            &b->err))
        fail_msg("%s", b->err.text);
    return !proact_kernel_refusal(k);
}
