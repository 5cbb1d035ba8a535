/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture for the joint decision: kernels that read each other's output, and two measured
   kernels. */

#include "runtime/autotune/choice.h"
#include "runtime/objects/session.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/autotune/coupling.h"

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

/* Two measured kernels of a session whose links carry one byte per nanosecond. */
struct two {
    struct proact p;
    struct choice one, other;
};

static inline void add(struct two *t, struct choice *c, uint64_t split_ns,
                       uint64_t whole_ns, double apart)
{
    *c = (struct choice){.session = &t->p,
                         .step = CHOICE_MADE,
                         .launches = 3,
                         .split_ns = split_ns,
                         .whole_ns = whole_ns,
                         .apart = apart,
                         .chosen = t->p.chosen,
                         .next_of_all = t->p.choices};
    t->p.choices = c;
}

/* Split launches gain 50 us for one kernel and lose 10 us for the other. If the kernels use
   different modes, each pays 500 us. */
static inline struct two *open_two(double one_apart, double other_apart)
{
    struct two *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->p.topology.fabric.egress_gbps = 1;
    t->p.chosen = 1000;
    add(t, &t->one, 50000, 100000, one_apart);
    add(t, &t->other, 30000, 20000, other_apart);
    coupling_note(&t->one, &t->other, false, 490000);
    coupling_note(&t->one, &t->other, true, 530000);
    coupling_note(&t->other, &t->one, false, 490000);
    coupling_note(&t->other, &t->one, true, 550000);
    return t;
}

static inline void close_two(struct two *t)
{
    coupling_drop(&t->one);
    coupling_drop(&t->other);
    free(t);
}
