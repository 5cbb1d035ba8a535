/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A kernel whose output every device needs, on two arrays in turn. */

#include "runtime/runtime_testing.h"

#include <proact/program.h>

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

/* to[i] = 3 from[i - 1] + from[i] + 1, on a ring; every device needs bytes of the others.
 */
static const char ring_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry step(.param .u64 from, .param .u64 to, .param .u32 n)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [from]; cvta.to.global.u64 %rd1, %rd1;\n"
    "ld.param.u64 %rd2, [to]; cvta.to.global.u64 %rd2, %rd2; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p1, %r5, %r1; @%p1 bra END;\n"
    "setp.eq.u32 %p2, %r5, 0; sub.u32 %r6, %r5, 1; sub.u32 %r7, %r1, 1;\n"
    "selp.b32 %r6, %r7, %r6, %p2;\n"
    "mul.wide.u32 %rd3, %r5, 4; mul.wide.u32 %rd4, %r6, 4;\n"
    "add.s64 %rd5, %rd1, %rd3; add.s64 %rd6, %rd1, %rd4;\n"
    "ld.global.u32 %r8, [%rd5]; ld.global.u32 %r9, [%rd6];\n"
    "mad.lo.u32 %r10, %r9, 3, %r8; add.u32 %r10, %r10, 1;\n"
    "add.s64 %rd7, %rd2, %rd3; st.global.u32 [%rd7], %r10;\n"
    "END: ret;\n}\n";

struct ring {
    struct bench b;
    struct proact_kernel *k;
    struct proact_array *two[2];
};

static inline struct ring ring_load(const struct proact_options *options, const char *ptx)
{
    struct ring r = {.b = testing_open(options)};
    static uint32_t words[N];

    if (proact_kernel_load(r.b.p, &(struct proact_image){.name = "step.ptx", .text = ptx},
                           "step", &r.k, &r.b.err))
        fail_msg("%s", r.b.err.text);
    for (uint32_t i = 0; i < N; i++)
        words[i] = i * i;
    for (int i = 0; i < 2; i++) {
        r.two[i] = testing_array(&r.b, "ring");
        if (proact_array_write(r.two[i], 0, words, N, &r.b.err))
            fail_msg("%s", r.b.err.text);
    }
    return r;
}

static inline struct ring ring_open_with(const struct proact_options *options)
{
    return ring_load(options, ring_text);
}

static inline enum proact_status ring_step_of(struct ring *r, int number, unsigned ctas,
                                              unsigned threads)
{
    static const uint32_t n = N;
    const struct proact_grid grid = {.ctas = {ctas}, .threads = {threads}};
    const struct proact_arg args[] = {PROACT_ARRAY(r->two[number % 2]),
                                      PROACT_ARRAY(r->two[1 - number % 2]),
                                      PROACT_VALUE(n)};

    return proact_launch(r->k, &grid, args, 3, &r->b.err);
}

static inline enum proact_status ring_step(struct ring *r, int number)
{
    return ring_step_of(r, number, CTAS, THREADS);
}

/* The same as a program for one GPU makes it. `devices` 0: the faster mode. */
static inline enum proact_status ring_step_buffer_of(struct ring *r, int number,
                                                     unsigned devices, unsigned ctas,
                                                     unsigned threads)
{
    const struct {
        uint64_t from, to;
        uint32_t n;
    } block = {1, 1, N};
    const struct proact_relocation relocations[] = {{0, r->two[number % 2], 0},
                                                    {8, r->two[1 - number % 2], 0}};

    return proact_launch_buffer(
        r->k,
        &(struct proact_grid){
            .ctas = {ctas}, .threads = {threads}, .device_count = devices},
        &(struct proact_parameter_buffer){&block, 20, relocations, 2}, &r->b.err);
}

static inline enum proact_status ring_step_buffer(struct ring *r, int number,
                                                  unsigned devices)
{
    return ring_step_buffer_of(r, number, devices, CTAS, THREADS);
}
