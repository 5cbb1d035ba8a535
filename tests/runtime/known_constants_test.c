/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose constants determine what they read and write. They are split with the
   values that the constants have at launch. */
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/variables/known_constants.h"

enum { ROWS = 60, BYTES = 4 * N };

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

#define HEAD(name, parameters)                                                             \
    ".visible .entry " name "(" parameters                                                 \
    ")\n{\n .reg .pred %p<4>;\n .reg .b32 %r<12>;\n"                                       \
    " .reg .b64 %rd<12>;\n mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %tid.x;\n"

/* Kernels. rows: out[first + cta * pitch + thread] = sum of in[] at the same index and the
   next one, + 1, within a shape. orders: out[64 * cta + order[thread]] = thread. strides:
   out[cta * bytes + 4 * thread]. puts: at[thread] = value. */
static const char text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .const .align 4 .b8 shape[16];\n" /* width, height, pitch, first */
    ".visible .const .align 4 .b8 order[256];\n"
    ".visible .const .align 8 .u64 bytes = 256;\n"
    /* */
    HEAD("rows",
         ".param .u64 in, .param .u64 out") " ld.param.u64 %rd1, [in];\n"
                                            " ld.param.u64 %rd2, [out];\n ld.const.u32 "
                                            "%r3, [shape];\n ld.const.u32 %r4, [shape+4];\n"
                                            " setp.ge.s32 %p1, %r2, %r3;\n @%p1 bra END;\n"
                                            " setp.ge.s32 %p1, %r1, %r4;\n @%p1 bra END;\n"
                                            " ld.const.u32 %r5, [shape+8];\n ld.const.u32 "
                                            "%r6, [shape+12];\n"
                                            " mad.lo.s32 %r7, %r1, %r5, %r6;\n add.s32 "
                                            "%r7, %r7, %r2;\n"
                                            " mul.wide.s32 %rd3, %r7, 4;\n add.s64 %rd1, "
                                            "%rd1, %rd3;\n add.s64 %rd2, %rd2, %rd3;\n"
                                            " ld.global.u32 %r8, [%rd1];\n ld.global.u32 "
                                            "%r9, [%rd1+4];\n add.s32 %r8, %r8, %r9;\n"
                                            " add.s32 %r8, %r8, 1;\n st.global.u32 [%rd2], "
                                            "%r8;\nEND:\n ret;\n}\n"
    /* */
    HEAD("orders",
         ".param .u64 out") " ld.param.u64 %rd1, [out];\n"
                            " mul.wide.u32 %rd2, %r2, 4;\n mov.u64 %rd3, order;\n add.s64 "
                            "%rd3, %rd3, %rd2;\n"
                            " ld.const.u32 %r3, [%rd3];\n mad.lo.s32 %r3, %r1, 64, %r3;\n"
                            " mul.wide.s32 %rd4, %r3, 4;\n add.s64 %rd4, %rd1, %rd4;\n "
                            "st.global.u32 [%rd4], %r2;\n"
                            " ret;\n}\n"
    /* */
    HEAD("strides", ".param .u64 out") " ld.param.u64 %rd1, [out];\n"
                                       " cvt.u64.u32 %rd2, %r1;\n ld.const.u64 %rd3, "
                                       "[bytes];\n mul.lo.s64 %rd2, %rd2, %rd3;\n"
                                       " add.s64 %rd1, %rd1, %rd2;\n mul.wide.u32 %rd2, "
                                       "%r2, 4;\n add.s64 %rd1, %rd1, %rd2;\n"
                                       " st.global.u32 [%rd1], %r2;\n ret;\n}\n"
    /* */
    HEAD("puts",
         ".param .u64 at, .param .u32 value") " ld.param.u64 %rd1, [at];\n"
                                              " ld.param.u32 %r3, [value];\n mul.wide.u32 "
                                              "%rd2, %r2, 4;\n add.s64 %rd1, %rd1, %rd2;\n"
                                              " st.global.u32 [%rd1], %r3;\n ret;\n}\n";

static const struct proact_image image = {.name = "shapes.ptx", .text = text};

struct shape {
    int32_t width, height, pitch, first;
};

struct shapes {
    struct bench bench;
    struct proact_array *in;
    struct proact_variable shape, order;
    int32_t is[N], was[N];
};

static struct proact_kernel *load(struct bench *b, const char *name)
{
    struct proact_kernel *k = NULL;

    if (proact_kernel_load(b->p, &image, name, &k, &b->err))
        fail_msg("%s", b->err.text);
    return k;
}

/* in[i] = 7 i and out[i] = 0. */
static struct shapes *open_shapes(const char *method, unsigned devices)
{
    struct shapes *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->bench = testing_open(&(struct proact_options){.machine = "v100x4",
                                                     .device_count = devices,
                                                     .check = true,
                                                     .plan = {.method = method}});
    struct bench b = s->bench;

    s->in = testing_array(&b, "in");
    MUST(proact_array_write(b.out, 0, s->is, N, &b.err));
    for (int i = 0; i < N; i++)
        s->was[i] = 7 * i;
    MUST(proact_array_write(s->in, 0, s->was, N, &b.err));
    MUST(proact_variable_find(b.p, &image, "shape", &s->shape, &b.err));
    MUST(proact_variable_find(b.p, &image, "order", &s->order, &b.err));
    return s;
}

static void close_shapes(struct shapes *s)
{
    proact_close(s->bench.p);
    free(s);
}

static void launch_rows(struct shapes *s, struct proact_kernel *rows)
{
    const struct proact_grid g = {.ctas = {ROWS}, .threads = {THREADS}};
    struct bench b = s->bench;

    MUST(proact_launch(rows, &g,
                       (struct proact_arg[]){PROACT_ARRAY(s->in), PROACT_ARRAY(b.out)}, 2,
                       &b.err));
}

static void expect_rows(struct shapes *s, const struct shape *h)
{
    int32_t got[N];
    struct bench b = s->bench;

    for (int y = 0; y < h->height && y < ROWS; y++)
        for (int x = 0; x < h->width && x < THREADS; x++) {
            int i = h->first + y * h->pitch + x;

            s->is[i] = s->was[i] + s->was[i + 1] + 1;
        }
    MUST(proact_array_read(b.out, 0, got, N, &b.err));
    assert_memory_equal(got, s->is, sizeof got);
}

static struct shape shape_of(int number)
{
    return (struct shape){50 + number % 7, 40 + 3 * number % 23, 70 - number % 11,
                          number % 5};
}

static void constants_determine_the_split(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct shapes *s = open_shapes(*m, 2 + (unsigned)(m - proact_method_names()) % 3);
        struct proact_kernel *rows = load(&s->bench, "rows");
        struct bench b = s->bench;

        for (int n = 0; n < 12; n++) {
            const struct shape h = shape_of(n / 2);

            if (n % 2 == 0)
                MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
            launch_rows(s, rows);
            assert_null(proact_kernel_refusal(rows));
            expect_rows(s, &h);
        }
        assert_int_equal(rows->looked_through, 0); /* found by symbolic expressions alone */
        close_shapes(s);
    }
}

/* Host writes of single fields are visible to the next launch without a wait for queued
   work, also after device writes. */
static void host_writes_are_followed(void **state)
{
    struct shapes *s = open_shapes("fused", 3);
    struct proact_kernel *rows = load(&s->bench, "rows");
    const struct known_constants *known = rows->image->constants;
    struct bench b = s->bench;
    struct shape h = {50, 40, 64, 2};
    struct proact_array *heights = testing_array(&b, "heights");

    (void)state;
    MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
    assert_false(known->are_read);
    launch_rows(s, rows);
    expect_rows(s, &h);
    for (int n = 0; n < 6; n++) {
        int32_t *field[] = {&h.pitch, &h.width, &h.first}, *at = field[n % 3];

        *at += n % 3 ? 1 : 2;
        MUST(proact_variable_write(b.p, &s->shape, (size_t)((char *)at - (char *)&h), at, 4,
                                   &b.err));
        MUST(proact_variable_write(b.p, &s->order, 4 * (size_t)n, &n, 4, &b.err));
        assert_int_equal(known->since, b.p->constants);
        launch_rows(s, rows);
        expect_rows(s, &h);
        h.first++; /* also by address */
        MUST(proact_device0_write(b.p, s->shape.address[0] + 12, &h.first, 4, &b.err));
        assert_int_equal(known->since, b.p->constants);
        launch_rows(s, rows);
        expect_rows(s, &h);
        h.height--;
        MUST(proact_array_write(heights, 0, &h.height, 1, &b.err));
        MUST(proact_device0_copy(b.p, s->shape.address[0] + 4,
                                 proact_array_address(heights, 0), 4, &b.err));
        MUST(proact_variable_write(b.p, &s->order, 0, &n, 4, &b.err)); /* no effect */
        assert_int_not_equal(known->since, b.p->constants);
        launch_rows(s, rows);
        expect_rows(s, &h);
        assert_null(proact_kernel_refusal(rows));
    }
    close_shapes(s);
}

/* Copies from pinned host memory are followed as long as no device may write that
   memory. */
static void pinned_memory_is_followed(void **state)
{
    struct shapes *s = open_shapes("fused", 3);
    struct proact_kernel *rows = load(&s->bench, "rows");
    const struct known_constants *known = rows->image->constants;
    struct bench b = s->bench;
    struct shape h = {50, 40, 64, 2}, *there;
    struct proact_array *pinned;

    (void)state;
    MUST(proact_array_create_host_accessible(
        b.p, &(struct proact_shape){.name = "pinned", .count = 4, .element_bytes = 16},
        true, &pinned, &b.err));
    const uint64_t at = proact_array_address(pinned, 0), to = s->shape.address[0];

    there = (struct shape *)(uintptr_t)at;
    MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
    launch_rows(s, rows);
    expect_rows(s, &h);
    for (int n = 0; n < 4; n++) { /* separate locations, so no launch waits */
        h.first++;
        /* Only the last is not empty. */
        there[n] = n < 3 ? (struct shape){50, 0, 64, n} : h;
        MUST(proact_device0_copy(b.p, to, at + (unsigned)n * sizeof h, sizeof h, &b.err));
        assert_int_equal(known->since, b.p->constants);
        launch_rows(s, rows);
    }
    expect_rows(s, &h);
    /* A device writes there, and its result has not arrived. */
    MUST(proact_device0_copy(b.p, at, to, sizeof h, &b.err));
    MUST(proact_device0_copy(b.p, to, at, sizeof h, &b.err));
    assert_int_not_equal(known->since, b.p->constants);
    launch_rows(s, rows);
    expect_rows(s, &h);
    MUST(proact_wait(b.p, &b.err));
    there[0].height = h.height -= 3;
    MUST(proact_device0_copy(b.p, to, at, sizeof h, &b.err));
    assert_int_equal(known->since, b.p->constants);
    launch_rows(s, rows);
    expect_rows(s, &h);
    close_shapes(s);
}

static uint64_t fetched_of(struct bench *b, const struct proact_array *a)
{
    struct proact_statistics s;

    if (proact_statistics_get(b->p, PROACT_ALL_DEVICES, a, &s, &b->err))
        fail_msg("%s", b->err.text);
    return s.bytes;
}

/* A launch with known constants fetches its rows and one more element, not the array on
   three devices. */
static void reads_through_constants_are_fetched(void **state)
{
    struct shapes *s = open_shapes("copy-engine", 4);
    struct proact_kernel *rows = load(&s->bench, "rows");
    const struct shape h = {60, ROWS, 64, 8}, shorter = {60, ROWS / 2, 64, 8};
    struct bench b = s->bench;

    (void)state;
    MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
    MUST(proact_device0_write(b.p, proact_array_address(s->in, 0), s->was, BYTES, &b.err));
    proact_statistics_reset(b.p);
    launch_rows(s, rows);
    expect_rows(s, &h);
    assert_in_range(fetched_of(&b, s->in), 4 * 60 * 45, 4 * 64 * 45 + 3 * 8);
    MUST(proact_variable_write(b.p, &s->shape, 0, &shorter, sizeof shorter, &b.err));
    MUST(proact_device0_write(b.p, proact_array_address(s->in, 0), s->was, BYTES, &b.err));
    proact_statistics_reset(b.p);
    launch_rows(s, rows);
    expect_rows(s, &shorter);
    assert_in_range(fetched_of(&b, s->in), 4 * 60 * 15, 4 * 64 * 15 + 3 * 8);
    close_shapes(s);
}

/* A write to a constant by address is noticed: from the host, by a copy, and by a
   kernel. */
static void a_constant_may_be_written_by_its_address(void **state)
{
    struct shapes *s = open_shapes("fused", 4);
    struct proact_kernel *rows = load(&s->bench, "rows"), *puts = load(&s->bench, "puts");
    struct bench b = s->bench;
    struct proact_array *other = testing_array(&b, "other");
    uint64_t at = s->shape.address[0];
    struct shape h = {40, 50, 64, 3};

    (void)state;
    MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
    launch_rows(s, rows);
    expect_rows(s, &h);
    h = (struct shape){60, 45, 71, 1};
    MUST(proact_device0_write(b.p, at, &h, sizeof h, &b.err));
    launch_rows(s, rows);
    expect_rows(s, &h);
    h = (struct shape){33, 55, 66, 0};
    MUST(proact_array_write(other, 0, &h, 4, &b.err));
    MUST(proact_device0_copy(b.p, at, proact_array_address(other, 0), sizeof h, &b.err));
    launch_rows(s, rows);
    expect_rows(s, &h);
    proact_variables_escape(b.p);
    for (int n = 60; n < 63; n++) {
        const struct {
            uint64_t at;
            int32_t value;
        } block = {at + offsetof(struct shape, width), n - 4};

        MUST(proact_launch_buffer(puts, &(struct proact_grid){.ctas = {1}, .threads = {1}},
                                  &(struct proact_parameter_buffer){&block, 12, NULL, 0},
                                  &b.err));
        h.width = n - 4;
        launch_rows(s, rows);
        expect_rows(s, &h);
        assert_null(proact_kernel_refusal(rows));
    }
    close_shapes(s);
}

static void launch_orders(struct bench *of, struct proact_kernel *orders, int by)
{
    static int32_t got[N];
    struct bench b = *of;

    MUST(proact_launch(orders, &(struct proact_grid){.ctas = {ROWS}, .threads = {64}},
                       (struct proact_arg[]){PROACT_ARRAY(b.out)}, 1, &b.err));
    MUST(proact_array_read(b.out, 0, got, 64 * ROWS, &b.err));
    for (int i = 0; i < 64 * ROWS; i++)
        assert_int_equal(got[i / 64 * 64 + i % 64 * by % 64], i % 64);
}

static void put_order(struct shapes *s, int by)
{
    struct bench b = s->bench;
    int32_t order[64];

    for (int i = 0; i < 64; i++)
        order[i] = i * by % 64;
    MUST(proact_variable_write(b.p, &s->order, 0, order, sizeof order, &b.err));
}

/* A table without a symbolic expression is enumerated thread by thread, within a budget. */
static void enumeration_has_a_budget(void **state)
{
    struct shapes *s = open_shapes("fused", 3);
    struct proact_kernel *orders = load(&s->bench, "orders");
    uint64_t once;

    (void)state;
    put_order(s, 3);
    launch_orders(&s->bench, orders, 3);
    assert_null(proact_kernel_refusal(orders));
    once = orders->looked_through;
    assert_true(once > 64 * ROWS);
    launch_orders(&s->bench, orders, 3);
    assert_int_equal(orders->looked_through, once); /* cached */
    put_order(s, 5);
    launch_orders(&s->bench, orders, 5);
    assert_null(proact_kernel_refusal(orders));
    assert_in_range(orders->looked_through, once + 1, 3 * once);
    orders->looked_through = (uint64_t)1 << 60; /* exceeds the budget */
    put_order(s, 7);
    for (int again = 0; again < 2; again++) {
        launch_orders(&s->bench, orders, 7);
        assert_non_null(strstr(proact_kernel_refusal(orders), "only thread by thread"));
    }
    put_order(s, 3); /* the result is cached */
    launch_orders(&s->bench, orders, 3);
    assert_null(proact_kernel_refusal(orders));
    close_shapes(s);
}

/* Constants of 64 bits may be addresses and are not used. */
static void wide_constants_are_not_read(void **state)
{
    struct shapes *s = open_shapes("fused", 2);
    struct proact_kernel *strides = load(&s->bench, "strides");
    struct bench b = s->bench;

    (void)state;
    MUST(proact_launch(strides, &(struct proact_grid){.ctas = {ROWS}, .threads = {64}},
                       (struct proact_arg[]){PROACT_ARRAY(b.out)}, 1, &b.err));
    assert_non_null(strstr(proact_kernel_refusal(strides), "depends on what line"));
    close_shapes(s);
}

static void recordings_replay_with_other_constants(void **state)
{
    struct shapes *s = open_shapes("fused", 3);
    struct proact_kernel *rows = load(&s->bench, "rows");
    struct proact_recording *r = NULL;
    struct bench b = s->bench;
    struct shape h = {50, 40, 64, 2};

    (void)state;
    MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
    launch_rows(s, rows);
    expect_rows(s, &h);
    MUST(proact_record_begin(b.p, &b.err));
    launch_rows(s, rows);
    MUST(proact_record_end(b.p, &r, &b.err));
    assert_non_null(
        strstr(proact_kernel_refusal(rows), "whose changes a recording does not follow"));
    for (int n = 0; n < 3; n++) {
        h = shape_of(n);
        MUST(proact_variable_write(b.p, &s->shape, 0, &h, sizeof h, &b.err));
        MUST(proact_replay(r, &b.err));
        expect_rows(s, &h);
    }
    proact_recording_destroy(r);
    close_shapes(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_determine_the_split),
        cmocka_unit_test(host_writes_are_followed),
        cmocka_unit_test(pinned_memory_is_followed),
        cmocka_unit_test(reads_through_constants_are_fetched),
        cmocka_unit_test(a_constant_may_be_written_by_its_address),
        cmocka_unit_test(enumeration_has_a_budget),
        cmocka_unit_test(wide_constants_are_not_read),
        cmocka_unit_test(recordings_replay_with_other_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
