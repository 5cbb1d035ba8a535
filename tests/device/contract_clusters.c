/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with clusters of CTAs, which share a barrier and access each other's shared
   memory. */
#include <stdio.h>
#include <string.h>

#include "device/contract.h"

/* Each CTA stores its number plus 1 to shared memory. It then adds up the numbers of its
   cluster in its word of `out`, and stores its rank in the next word. */
#define BODY                                                                               \
    "{\n.reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"                           \
    ".shared .align 4 .u32 mine;\n"                                                        \
    "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"      \
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x;\n"              \
    "mad.lo.u32 %r2, %r3, %r4, %r2; mul.wide.u32 %rd2, %r2, 8;\n"                          \
    "add.s64 %rd1, %rd1, %rd2; add.u32 %r5, %r2, 1; setp.eq.u32 %p1, %r1, 0;\n"            \
    "@%p1 st.shared.u32 [mine], %r5;\n"                                                    \
    "barrier.cluster.arrive; barrier.cluster.wait;\n"                                      \
    "mov.u32 %r6, %cluster_nctarank; mov.u32 %r7, %cluster_ctarank;\n"                     \
    "@%p1 st.global.u32 [%rd1+4], %r7; setp.ge.u32 %p2, %r1, %r6; @%p2 bra DONE;\n"        \
    "mov.u32 %r8, mine; mapa.shared::cluster.u32 %r9, %r8, %r1;\n"                         \
    "ld.shared::cluster.u32 %r10, [%r9]; red.global.add.u32 [%rd1], %r10;\n"               \
    "DONE: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n"

static const char text[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                           ".visible .entry sum(.param .u64 out)\n" BODY
                           ".visible .entry sum_of_two(.param .u64 out)\n"
                           ".explicitcluster .reqnctapercluster 2, 1, 1\n" BODY;

struct crowd {
    struct device_function *any, *two;
    device_addr out;
    struct contract_parameters p;
};

enum { WORDS = 128 };

static enum proact_status try(struct contract *c, const struct crowd *k,
                              struct device_function *f, const uint32_t grid[2],
                              const uint32_t cluster[2])
{
    const struct device_launch l = {.grid = {grid[0], grid[1], 1},
                                    .block = {32, 1, 1},
                                    .cluster = {cluster[0], cluster[1], cluster[0] ? 1 : 0},
                                    .parameters = k->p.block,
                                    .parameter_bytes = k->p.bytes};

    contract_must(c, c->b->fill(c->stream[0][0], k->out, 0, WORDS * 4, &c->err));
    return c->b->launch(c->stream[0][0], f, &l, &c->err);
}

/* Returns false if the device or its driver does not support clusters. */
static bool load(struct contract *c, struct crowd *k)
{
    struct device_module *m;
    enum proact_status status =
        c->b->module_load(c->set, 0, "clusters.ptx", text, sizeof text - 1, &m, &c->err);

    if (status) {
        contract_refused(c, status, PROACT_EREFUSED);
        return false;
    }
    memset(k, 0, sizeof *k);
    contract_must(c, c->b->function(m, "sum", &k->any, &c->err));
    contract_must(c, c->b->function(m, "sum_of_two", &k->two, &c->err));
    k->out = contract_words(c, 0, WORDS);
    contract_add(&k->p, &k->out, 8);
    status = try(c, k, k->any, (uint32_t[]){2, 1}, (uint32_t[]){2, 1});
    if (status)
        contract_refused(c, status, PROACT_EREFUSED);
    return !status;
}

/* Compares the sums of CTA numbers, for clusters of `x` by `y`. */
static void runs(struct contract *c, const struct crowd *k, struct device_function *f,
                 const uint32_t grid[2], const uint32_t requested[2], uint32_t x,
                 uint32_t y)
{
    uint32_t out[WORDS];

    contract_must(c, try(c, k, f, grid, requested));
    contract_get(c, 0, k->out, out, WORDS);
    for (uint32_t n = 0; n < grid[0] * grid[1]; n++) {
        uint32_t at[2] = {n % grid[0], n / grid[0]}, sum = 0;

        for (uint32_t i = 0; i < grid[0] * grid[1]; i++)
            if (i % grid[0] / x == at[0] / x && i / grid[0] / y == at[1] / y)
                sum += i + 1;
        assert_int_equal(out[2 * n], sum);
        assert_int_equal(out[2 * n + 1], at[0] % x + x * (at[1] % y));
    }
}

static void clusters_share_memory_and_a_barrier(struct contract *c)
{
    const uint32_t none[2] = {0, 0};
    struct crowd k;

    if (!load(c, &k))
        return;
    runs(c, &k, k.any, (uint32_t[]){6, 1}, none, 1, 1);
    runs(c, &k, k.any, (uint32_t[]){6, 2}, (uint32_t[]){3, 1}, 3, 1);
    runs(c, &k, k.any, (uint32_t[]){8, 4}, (uint32_t[]){2, 2}, 2, 2);
    runs(c, &k, k.any, (uint32_t[]){8, 4}, (uint32_t[]){1, 4}, 1, 4);
    runs(c, &k, k.two, (uint32_t[]){8, 1}, none, 2, 1);
    runs(c, &k, k.two, (uint32_t[]){8, 1}, (uint32_t[]){2, 1}, 2, 1);
}

static void wrong_clusters_are_refused(struct contract *c)
{
    struct crowd k;

    if (!load(c, &k))
        return;
    contract_refused(c, try(c, &k, k.any, (uint32_t[]){7, 1}, (uint32_t[]){2, 1}),
                     PROACT_EINVAL);
    contract_refused(c, try(c, &k, k.any, (uint32_t[]){32, 1}, (uint32_t[]){32, 1}),
                     PROACT_EINVAL);
    contract_refused(c, try(c, &k, k.any, (uint32_t[]){8, 1}, (uint32_t[]){2, 0}),
                     PROACT_EINVAL);
    contract_refused(c, try(c, &k, k.two, (uint32_t[]){8, 1}, (uint32_t[]){4, 1}),
                     PROACT_EINVAL);
    contract_refused(c, try(c, &k, k.two, (uint32_t[]){7, 1}, (uint32_t[]){0, 0}),
                     PROACT_EINVAL);
    runs(c, &k, k.any, (uint32_t[]){4, 1}, (uint32_t[]){4, 1}, 4, 1);
}

/* Clusters of 16 CTAs exceed some GPUs and may be refused. */
static void large_clusters_run_or_are_refused(struct contract *c)
{
    const uint32_t all[2] = {16, 1};
    struct crowd k;

    if (!load(c, &k))
        return;
    enum proact_status status = try(c, &k, k.any, all, all);

    if (status)
        contract_refused(c, status, PROACT_EINVAL);
    else
        runs(c, &k, k.any, all, all, 16, 1);
}

/* Graphs support clusters as well. */
static void clusters_are_replayed(struct contract *c)
{
    const uint32_t grid[2] = {8, 1}, requested[2] = {4, 1};
    struct device_graph *graph;
    struct crowd k;

    if (!load(c, &k))
        return;
    contract_must(c, try(c, &k, k.any, grid, requested));
    contract_sync(c);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, try(c, &k, k.any, grid, requested));
    contract_must(c, c->b->capture_end(c->set, &graph, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], k.out, 9, WORDS * 4, &c->err));
    contract_must(c, c->b->graph_launch(graph, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, k.out), 1 + 2 + 3 + 4);
    assert_int_equal(contract_word(c, 0, k.out + 4 * 8), 5 + 6 + 7 + 8);
    c->b->graph_destroy(graph);
}

const struct contract_promise contract_clusters[] = {
    {"clusters share memory and a barrier", clusters_share_memory_and_a_barrier, false},
    {"wrong clusters are refused", wrong_clusters_are_refused, false},
    {"large clusters run or are refused", large_clusters_run_or_are_refused, false},
    {"clusters are replayed", clusters_are_replayed, false},
    {NULL, NULL, false},
};
