/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with clusters run on device 0, whatever requests the split: maps, a plan,
   distributed arrays or a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <proact/device.h>
#include <proact/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CTAS = 64, THREADS = 64, N = CTAS * THREADS, DEVICES = 4 };

/* out[i] = i + %r5. */
#define STORE(set)                                                                         \
    "{\n.reg .b32 %r<8>; .reg .b64 %rd<6>;\n"                                              \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"             \
    "mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, 4;\n"     \
    "add.s64 %rd1, %rd1, %rd2; mov.u32 %r5, 0;\n" set                                      \
    "add.u32 %r4, %r4, %r5; st.global.u32 [%rd1], %r4; ret;\n}\n"
#define ENTRY(name) ".visible .entry " name "(.param .u64 out)\n"

static const char text[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".func (.param .u32 r) rank()\n{ .reg .b32 %r<2>; mov.u32 %r1, %cluster_ctarank;\n"
    "st.param.u32 [r], %r1; ret; }\n" ENTRY("plain") STORE("") ENTRY("asks")
        STORE("{ .param .u32 got; call (got), rank;\nld.param.u32 %r5, [got]; }\n")
            ENTRY("meets") STORE("barrier.cluster.arrive; barrier.cluster.wait;\n")
                ENTRY("pair") ".explicitcluster .reqnctapercluster 2, 1, 1\n" STORE(
                    "mov.u32 %r5, %cluster_ctarank;\n")
                    ENTRY("alone") ".reqnctapercluster 1, 1, 1\n" STORE("")
    /* CTAs add to words that other CTAs add to. */
    ENTRY("counts") "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, "
                    "%r1, 4;\n"
                    "add.s64 %rd1, %rd1, %rd2; red.global.add.u32 [%rd1], 1; ret;\n}\n";

static const char marked[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry marked(.param .u64 out, .param .align 8 .b8 share[SIZE]) { ret; }\n";

struct bench {
    struct proact *p;
    struct proact_array *out;
    struct proact_error err;
    unsigned elsewhere; /* kernels on devices 1 and up */
};

static void cluster_record_span(void *context, const struct proact_trace_span *s)
{
    struct bench *b = context;

    b->elsewhere += s->kind == PROACT_TRACE_KERNEL && s->device;
}

#define MUST(b, call)                                                                      \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", (b)->err.text);                                                 \
    } while (0)

static struct bench *bench_open(const char *method, bool distributed)
{
    const struct proact_shape shape = {"out", N, 4};
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    MUST(b, proact_open(&(struct proact_options){.machine = "h200x4",
                                                 .device_count = DEVICES,
                                                 .check = true,
                                                 .plan = {.method = method}},
                        &b->p, &b->err));
    if (distributed)
        MUST(b, proact_array_create_distributed(b->p, &shape, &b->out, &b->err));
    else
        MUST(b, proact_array_create(b->p, &shape, &b->out, &b->err));
    proact_trace_set_callback(b->p, cluster_record_span, b);
    return b;
}

static void bench_close(struct bench *b)
{
    proact_close(b->p);
    free(b);
}

static struct proact_kernel *find(struct bench *b, const char *name)
{
    struct proact_kernel *k;

    MUST(b, proact_kernel_load(b->p, &(struct proact_image){.name = "c.ptx", .text = text},
                               name, &k, &b->err));
    return k;
}

/* Launches with arguments, or with a parameter buffer as a program does. */
static enum proact_status try(struct bench *b, struct proact_kernel *k, uint32_t x,
                              bool by_block)
{
    const struct proact_grid grid = {
        .ctas = {CTAS}, .threads = {THREADS}, .cluster_ctas = {x}};
    const struct proact_relocation relocation = {0, b->out, 0};
    const uint64_t address = 0;

    if (by_block)
        return proact_launch_buffer(
            k, &grid, &(struct proact_parameter_buffer){&address, 8, &relocation, 1},
            &b->err);
    return proact_launch(k, &grid, &PROACT_ARRAY(b->out), 1, &b->err);
}

/* Each word holds its index plus the CTA's rank in clusters of `x` CTAs. */
static void holds(struct bench *b, uint32_t x)
{
    uint32_t *is = calloc(N, sizeof *is);

    assert_non_null(is);
    MUST(b, proact_array_read(b->out, 0, is, N, &b->err));
    for (uint32_t i = 0; i < N; i++)
        if (is[i] != i + i / THREADS % x)
            fail_msg("word %u is %u", i, is[i]);
    free(is);
}

static void expect_message(struct proact_kernel *k, const char *sentence)
{
    const char *why = proact_kernel_refusal(k);

    if (!why || !strstr(why, sentence))
        fail_msg("'%s' does not say '%s'", why ? why : "nothing", sentence);
}

static const struct {
    const char *kernel, *sentence;
    uint32_t requested, ranks; /* cluster size that the stored ranks show */
} cases[] = {
    {"plain",
     "kernel 'plain': it is launched in clusters of 4 x 1 x 1 CTAs, which are not split", 4,
     1},
    {"meets", "in clusters of 1 x 1 x 1 CTAs, which are not split", 1, 1},
    {"asks",
     "kernel 'asks', c.ptx:5: 'mov.u32 %r1, %cluster_ctarank;': clusters of CTAs are not "
     "split",
     0, 1},
    {"asks", "in clusters of 8 x 1 x 1 CTAs", 8, 8},
    {"meets", "'barrier.cluster.arrive;': clusters of CTAs are not split", 0, 1},
    {"pair",
     "kernel 'pair': it is built for clusters of 2 x 1 x 1 CTAs, which are not split", 0,
     2},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Cluster launches run on one device under every method, with and without the user's
   maps. */
static void clusters_run_on_one_device(void **state)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .range_bytes = THREADS * 4};

    (void)state;
    for (const char *const *method = proact_method_names(); *method; method++)
        for (unsigned i = 0; i < 4 * CASES; i++) {
            struct bench *b = bench_open(*method, false);
            struct proact_kernel *k = find(b, cases[i / 4].kernel);

            if (i & 1)
                MUST(b, proact_kernel_map(k, 0, &map, &b->err));
            MUST(b, try(b, k, cases[i / 4].requested, i & 2));
            expect_message(k, cases[i / 4].sentence);
            holds(b, cases[i / 4].ranks);
            assert_int_equal(b->elsewhere, 0);
            bench_close(b);
        }
}

/* The same kernel is split again without clusters, or with clusters of one CTA. */
static void without_clusters_it_is_split(void **state)
{
    struct bench *b = bench_open("fused", false);
    struct proact_kernel *k = find(b, "plain");

    (void)state;
    MUST(b, try(b, k, 2, false));
    MUST(b, proact_wait(b->p, &b->err));
    assert_int_equal(b->elsewhere, 0);
    MUST(b, try(b, k, 0, false));
    assert_null(proact_kernel_refusal(k));
    holds(b, 1);
    assert_true(b->elsewhere >= DEVICES - 1);
    b->elsewhere = 0;
    MUST(b, try(b, k, 1, false));
    assert_null(proact_kernel_refusal(k));
    holds(b, 1);
    assert_true(b->elsewhere >= DEVICES - 1);
    bench_close(b);
}

/* The refusal text names clusters, whatever the measurements without clusters showed. */
static void the_refusal_names_clusters(void **state)
{
    struct bench *b = bench_open("fused", false);
    struct proact_kernel *k = find(b, "plain");

    (void)state;
    for (int i = 0; i < 16; i++)
        MUST(b, try(b, k, 0, true));
    expect_message(k, "one device");
    MUST(b, try(b, k, 2, true));
    expect_message(k, "it is launched in clusters of 2 x 1 x 1 CTAs");
    holds(b, 1);
    bench_close(b);
}

/* Reductions with clusters run on one device. */
static void cluster_reductions_run_on_one_device(void **state)
{
    struct bench *b = bench_open("inline", false);
    struct proact_kernel *k = find(b, "counts");
    const uint32_t zeros[THREADS] = {0};
    uint32_t is[THREADS];

    (void)state;
    MUST(b, proact_array_write(b->out, 0, zeros, THREADS, &b->err));
    for (int i = 0; i < 3; i++)
        MUST(b, try(b, k, 2, true));
    expect_message(k, "it is launched in clusters of 2 x 1 x 1 CTAs");
    MUST(b, proact_array_read(b->out, 0, is, THREADS, &b->err));
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(is[i], 3 * CTAS);
    assert_int_equal(b->elsewhere, 0);
    bench_close(b);
}

static void distributed_arrays_stay_where_they_are(void **state)
{
    (void)state;
    for (int by_block = 0; by_block < 2; by_block++) {
        struct bench *b = bench_open("inline", true);
        struct proact_kernel *k = find(b, "asks");

        MUST(b, try(b, k, 4, by_block));
        expect_message(k, "it is launched in clusters of 4 x 1 x 1 CTAs");
        holds(b, 4);
        assert_int_equal(b->elsewhere, 0);
        bench_close(b);
    }
}

static void a_recording_keeps_clusters(void **state)
{
    struct bench *b = bench_open("fused", false);
    struct proact_kernel *k = find(b, "asks"), *plain = find(b, "plain");
    struct proact_recording *r;

    (void)state;
    MUST(b, try(b, k, 4, false));
    MUST(b, proact_record_begin(b->p, &b->err));
    MUST(b, try(b, k, 4, false));
    MUST(b, proact_record_end(b->p, &r, &b->err));
    for (int i = 0; i < 2; i++) {
        MUST(b, try(b, plain, 0, false));
        holds(b, 1);
        MUST(b, proact_replay(r, &b->err));
        holds(b, 4);
    }
    bench_close(b);
}

static void wrong_clusters_are_refused(void **state)
{
    struct bench *b = bench_open("inline", false);
    struct proact_kernel *k = find(b, "plain");

    (void)state;
    for (int by_block = 0; by_block < 2; by_block++) {
        assert_int_equal(try(b, k, 3, by_block), PROACT_EINVAL);
        assert_non_null(strstr(b->err.text, "a grid of 64 x 1 x 1 CTAs is no multiple of "
                                            "its clusters, 3 x 1 x 1"));
        assert_int_equal(try(b, k, 32, by_block), PROACT_EINVAL);
        assert_non_null(strstr(b->err.text, "1 to 16 CTAs possible"));
        assert_int_equal(try(b, find(b, "pair"), 4, by_block), PROACT_EINVAL);
        assert_non_null(strstr(b->err.text, "it was built for 2 x 1 x 1"));
    }
    MUST(b, try(b, k, 0, false));
    holds(b, 1);
    bench_close(b);
}

/* An annotated kernel is always split, so clusters are refused. */
static void annotated_kernels_are_refused(void **state)
{
    struct bench *b = bench_open("inline", false);
    struct proact_kernel *k;
    char own[sizeof marked + 8], *size;

    (void)state;
    strcpy(own, marked);
    size = strstr(own, "SIZE");
    assert_non_null(size);
    sprintf(size, "%zu] ) { ret; }\n", sizeof(struct proact_partition));
    MUST(b, proact_kernel_load(b->p, &(struct proact_image){.name = "m.ptx", .text = own},
                               "marked", &k, &b->err));
    for (int by_block = 0; by_block < 2; by_block++) {
        assert_int_equal(try(b, k, 2, by_block), PROACT_EREFUSED);
        assert_string_equal(b->err.text,
                            "kernel 'marked': it is launched in clusters of 2 x 1 x 1 "
                            "CTAs, which are not split, but an annotated kernel must be "
                            "split");
    }
    bench_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_run_on_one_device),
        cmocka_unit_test(without_clusters_it_is_split),
        cmocka_unit_test(the_refusal_names_clusters),
        cmocka_unit_test(cluster_reductions_run_on_one_device),
        cmocka_unit_test(distributed_arrays_stay_where_they_are),
        cmocka_unit_test(a_recording_keeps_clusters),
        cmocka_unit_test(wrong_clusters_are_refused),
        cmocka_unit_test(annotated_kernels_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
