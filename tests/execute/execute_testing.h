/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A rig that runs small PTX texts on one device whose memory is an array of this
   process. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "execute/program.h"

enum { RIG_WORDS = 1 << 16, RIG_WAITS = 64 };

struct rig_wait { /* an access that the fake device has not answered */
    struct execute_warp *warp;
    const struct execute_op *op;
    struct execute_access access;
    uint64_t address[32];
    unsigned char operands[2048];
};

struct rig {
    struct ptx_module *module;
    struct execute_program *program;
    struct execute_launch launch;
    struct execute_host host;
    uint32_t *memory; /* RIG_WORDS; parameters are its address and `value` */
    uint64_t remote;  /* accesses at or above this address are remote */
    bool waits;       /* remote accesses are answered later */
    bool recounts;    /* the CTA restarts its count after each stop, as a device requests */
    struct rig_wait pending[RIG_WAITS];
    unsigned pending_count;
    struct text printed;
    uint64_t clock, fences, barriers, strong_stops, blocked_stops, unit, halves, equal;
    uint64_t issued, lanes, longest, stalls, passed;
    uint64_t all_longest; /* sum of `longest` over the runs of CTAs that restart counts */
    uint32_t sleep_ns;
    char fault[256];
    unsigned char *variables;
    uint64_t parameters[8];
};

static bool rig_has_shape(const struct execute_access *a)
{
    unsigned row = a->shape == EXECUTE_HALVES ? 16 : 32;

    if (a->shape == EXECUTE_SCATTERED)
        return true;
    for (unsigned l = 0; l < 32; l++)
        if (a->shape == EXECUTE_EQUAL
                ? (a->mask >> l & 1) && a->address[l] != a->address[__builtin_ctz(a->mask)]
                : !(a->mask >> l & 1) ||
                      a->address[l] != a->address[l / row * row] + l % row * a->bytes)
            return false;
    return true;
}

static enum execute_verdict rig_access(void *context, struct execute_warp *w,
                                       const struct execute_access *a)
{
    struct rig *r = context;
    uint64_t base = (uint64_t)(uintptr_t)r->memory;

    (void)w;
    r->unit += a->shape == EXECUTE_UNIT;
    r->halves += a->shape == EXECUTE_HALVES;
    r->equal += a->shape == EXECUTE_EQUAL;
    if (!rig_has_shape(a))
        return EXECUTE_FAULT;
    for (unsigned l = 0; l < 32; l++) {
        uint64_t size = execute_program_bytes(r->program);
        uint64_t variables = (uint64_t)(uintptr_t)r->variables;

        if (!(a->mask >> l & 1))
            continue;
        if (r->remote && a->address[l] >= r->remote)
            return EXECUTE_TAKEN;
        if (a->address[l] - variables < size)
            continue;
        if (a->address[l] - base > RIG_WORDS * 4 - a->bytes || a->address[l] % a->align)
            return EXECUTE_FAULT;
    }
    return EXECUTE_GO;
}

/* Performs a remote access, lane by lane. */
static void rig_perform(struct rig_wait *p, unsigned char *data)
{
    uint32_t bytes = p->access.bytes;

    for (unsigned l = 0; l < 32; l++) {
        void *memory = (void *)(uintptr_t)p->address[l];

        if (!(p->access.mask >> l & 1))
            continue;
        if (p->access.kind == EXECUTE_LOAD)
            memcpy(data + l * bytes, memory, bytes);
        else if (p->access.kind == EXECUTE_STORE)
            memcpy(memory, p->operands + l * bytes, bytes);
        else
            execute_atomic(p->op, memory, p->operands + l * bytes,
                           p->operands + (32 + l) * bytes, data + l * bytes);
    }
}

static enum execute_verdict rig_remote(void *context, struct execute_warp *w,
                                       const struct execute_access *a,
                                       const struct execute_op *op,
                                       const unsigned char *operands)
{
    struct rig *r = context;
    struct rig_wait *p = &r->pending[r->pending_count];
    unsigned char data[1024];

    *p = (struct rig_wait){.warp = w, .op = op, .access = *a};
    memcpy(p->address, a->address, sizeof p->address);
    if (operands)
        memcpy(p->operands, operands, 64 * a->bytes);
    if (r->waits && a->kind != EXECUTE_STORE && a->kind != EXECUTE_REDUCTION) {
        r->pending_count++;
        return EXECUTE_WAIT;
    }
    rig_perform(p, data);
    if (a->kind == EXECUTE_LOAD || a->kind == EXECUTE_ATOMIC)
        execute_complete(w, a->mask, data);
    return EXECUTE_TAKEN;
}

static enum execute_verdict rig_fence(void *context, struct execute_warp *w, uint32_t mask,
                                      enum execute_order order, enum execute_scope scope,
                                      uint32_t line)
{
    struct rig *r = context;

    (void)w, (void)mask, (void)order, (void)scope, (void)line;
    r->fences++;
    return EXECUTE_GO;
}

static void rig_barrier(void *context, struct execute_cta *cta)
{
    struct rig *r = context;

    (void)cta;
    r->barriers++;
}

static uint64_t rig_clock(void *context, struct execute_warp *w)
{
    struct rig *r = context;

    (void)w;
    return r->clock += 100;
}

static void rig_print(void *context, const char *text, size_t length)
{
    struct rig *r = context;

    text_add(&r->printed, text, length);
}

static inline void rig_open_text(struct rig *r, const char *name, const char *text,
                                 size_t bytes, bool hoist)
{
    struct proact_error err = {""};

    memset(r, 0, sizeof *r);
    if (ptx_parse(name, text, bytes, &r->module, &err) ||
        program_create(r->module, 0, hoist, &r->program, &err))
        fail_msg("%s", err.text);
    r->memory = must_calloc(RIG_WORDS, 4);
    r->variables = aligned_alloc(64, execute_program_bytes(r->program) / 64 * 64 + 64);
    execute_program_image(r->program, (uint64_t)(uintptr_t)r->variables, r->variables);
    r->host = (struct execute_host){.context = r,
                                    .access = rig_access,
                                    .remote = rig_remote,
                                    .fence = rig_fence,
                                    .barrier = rig_barrier,
                                    .clock = rig_clock,
                                    .globaltimer = rig_clock,
                                    .print = rig_print};
    r->parameters[0] = (uint64_t)(uintptr_t)r->memory;
    r->launch = (struct execute_launch){.host = &r->host,
                                        .grid = {1, 1, 1},
                                        .block = {32, 1, 1},
                                        .parameters = r->parameters,
                                        .variables = (uint64_t)(uintptr_t)r->variables,
                                        .sm_count = 4,
                                        .grid_id = 7};
}

#define RIG_HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

/* Opens a rig with version and target before `body`. */
static inline void rig_open(struct rig *r, const char *body, bool hoist)
{
    struct text all = {NULL, 0, 0};

    text_print(&all, RIG_HEAD "%s", body);
    rig_open_text(r, "test.ptx", all.data, all.length, hoist);
    text_clear(&all);
}

static inline void rig_close(struct rig *r)
{
    execute_program_destroy(r->program);
    ptx_destroy(r->module);
    free(r->memory);
    free(r->variables);
    text_clear(&r->printed);
}

/* Answers the oldest access at the first stop, two accesses at the second, and so on. */
static void rig_answer(struct rig *r)
{
    unsigned char data[1024];

    for (uint64_t n = 0; n < r->blocked_stops && r->pending_count; n++) {
        struct rig_wait *p = &r->pending[0];

        rig_perform(p, data);
        execute_complete(p->warp, p->access.mask & 0xffff, data); /* in two parts */
        execute_complete(p->warp, p->access.mask & 0xffff0000, data);
        memmove(p, p + 1, --r->pending_count * sizeof *p);
    }
}

static enum execute_stop rig_run_cta(struct rig *r, struct execute_cta *c, uint64_t budget,
                                     uint64_t seed)
{
    for (unsigned rounds = 0; rounds < 100000; rounds++) {
        if (r->recounts)
            c->issued = c->lanes = c->longest = c->stalls = c->barriers = 0;
        enum execute_stop stop = execute_cta_run(c, budget, seed + rounds);

        r->all_longest += r->recounts ? c->longest : 0;
        if (stop == EXECUTE_EXITED || stop == EXECUTE_TRAPPED)
            return stop;
        r->strong_stops += stop == EXECUTE_STRONG;
        r->blocked_stops += stop == EXECUTE_BLOCKED;
        if (stop == EXECUTE_BLOCKED)
            r->sleep_ns = c->sleep_ns;
        if (stop == EXECUTE_BLOCKED && r->pending_count)
            rig_answer(r);
    }
    fail_msg("the CTA does not end");
    return EXECUTE_BUDGET;
}

/* Runs a kernel over the complete grid; r->fault contains the fault, if any. */
static inline enum execute_stop rig_run_kernel(struct rig *r,
                                               const struct execute_kernel *kernel,
                                               uint64_t budget, uint64_t seed)
{
    struct execute_pool *pool = execute_pool_create();
    enum execute_stop stop = EXECUTE_EXITED;

    assert_non_null(kernel);
    r->launch.kernel = kernel;
    struct execute_grid *g = execute_grid_create(&r->launch);
    uint32_t *n = r->launch.grid, count = n[0] * n[1] * n[2];

    for (uint32_t i = 0; i < count && stop == EXECUTE_EXITED; i++) {
        uint32_t id[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        struct execute_cta *c = execute_cta_create(g, pool, id, i % 4);

        stop = rig_run_cta(r, c, budget, seed);
        r->issued += c->issued;
        r->lanes += c->lanes;
        r->longest = c->longest;
        r->stalls = c->stalls;
        r->passed += c->barriers;
        memcpy(r->fault, c->fault, sizeof r->fault);
        execute_cta_destroy(c);
    }
    execute_grid_destroy(g);
    execute_pool_destroy(pool);
    return stop;
}

static inline enum execute_stop rig_run(struct rig *r, uint64_t budget, uint64_t seed)
{
    return rig_run_kernel(r, execute_kernel_find(r->program, "k"), budget, seed);
}

/* Start of every text: %rd1 is this thread's word of the output, %r1 its index in the CTA
   (x only), %r2 the passed value. */
#define RIG_KERNEL                                                                         \
    ".visible .entry k(.param .u64 out, .param .u64 value)\n{\n"                           \
    ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .b64 %rd<30>;\n"          \
    ".reg .f32 %f<20>; .reg .f64 %d<10>;\n"                                                \
    "ld.param.u64 %rd0, [out]; mov.u32 %r1, %tid.x; ld.param.u32 %r2, [value];\n"          \
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd0, %rd2;\n"

static inline void rig_expect(struct rig *r, enum execute_stop wanted)
{
    enum execute_stop stop = rig_run(r, 1000000, 0);

    if (stop != wanted)
        fail_msg("stop %d, not %d: %s", (int)stop, (int)wanted, r->fault);
}
