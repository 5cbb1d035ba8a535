/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that finds an array through a pointer in memory (`follows`: out[i] =
   from[0][i]). Each device uses its own replica's address, for the content of the table at
   launch. */
#include "runtime/objects/session.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b->err.text);                                                   \
    } while (0)

struct tables {
    struct bench b;
    struct proact_array *from, *other;
    struct proact_kernel *follows;
};

static void fill(struct bench *b, struct proact_array *a, uint32_t first)
{
    uint32_t host[N];

    for (uint32_t i = 0; i < N; i++)
        host[i] = first + i;
    MUST(proact_array_write(a, 0, host, N, &b->err));
}

static struct tables open_tables(unsigned devices, bool check)
{
    struct tables t = {.b = testing_open(&(struct proact_options){
                           .machine = "v100x4", .device_count = devices, .check = check})};

    t.from = testing_array(&t.b, "from");
    t.other = testing_array(&t.b, "other");
    t.follows = testing_kernel(&t.b, "follows");
    fill(&t.b, t.b.out, 0);
    fill(&t.b, t.from, 0);
    fill(&t.b, t.other, 1000);
    return t;
}

static void point(struct tables *t, uint64_t to)
{
    struct bench *b = &t->b;

    MUST(proact_device0_write(b->p, proact_array_address(t->from, 0), &to, 8, &b->err));
}

/* The refusal text; NULL: the launch was split. */
static const char *follow(struct tables *t)
{
    struct bench *b = &t->b;
    const struct {
        uint64_t out, from;
        uint32_t n, padding;
    } view = {proact_array_address(b->out, 0), proact_array_address(t->from, 0), N, 0};
    const struct proact_relocation relocations[] = {{0, b->out, 0}, {8, t->from, 0}};

    MUST(proact_launch_buffer(
        t->follows,
        &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}, .device_count = 4},
        &(struct proact_parameter_buffer){&view, 20, relocations, 2}, &b->err));
    return proact_kernel_refusal(t->follows);
}

static void expect(struct tables *t, struct proact_array *a, uint32_t first)
{
    struct bench *b = &t->b;
    uint32_t host[N];

    MUST(proact_array_read(a, 0, host, N, &b->err));
    for (uint32_t i = 0; i < N; i++)
        if (host[i] != first + i)
            fail_msg("element %u is %u, not %u", i, host[i], first + i);
}

static void the_current_table_decides(void **state)
{
    struct tables t = open_tables(4, false);
    struct proact_array *third = testing_array(&t.b, "third");

    (void)state;
    fill(&t.b, third, 7000);
    for (unsigned n = 0; n < 4; n++) {
        point(&t, proact_array_address(n % 2 ? third : t.other, 0));
        assert_null(follow(&t));
        expect(&t, t.b.out, n % 2 ? 7000 : 1000);
        fill(&t.b, t.b.out, 1);
        assert_null(follow(&t)); /* unchanged */
        expect(&t, t.b.out, n % 2 ? 7000 : 1000);
    }
    proact_close(t.b.p);
}

/* Another array may later occupy the same address. */
static void arrays_behind_a_pointer_may_be_replaced(void **state)
{
    struct tables t = open_tables(4, false);
    const uint64_t address = proact_array_address(t.other, 0);

    (void)state;
    point(&t, address);
    assert_null(follow(&t));
    proact_array_destroy(t.other);
    t.other = testing_array(&t.b, "another");
    if (proact_array_address(t.other, 0) != address)
        point(&t, proact_array_address(t.other, 0));
    fill(&t.b, t.other, 3000);
    assert_null(follow(&t));
    expect(&t, t.b.out, 3000);
    proact_close(t.b.p);
}

static void host_written_pointers_need_no_wait(void **state)
{
    struct tables t = open_tables(4, false);
    struct bench *b = &t.b;
    struct proact_array *third = testing_array(b, "third"),
                        *words = testing_array(b, "words");
    const uint64_t at = proact_array_address(t.from, 0),
                   other = proact_array_address(t.other, 0);

    (void)state;
    fill(b, third, 7000);
    point(&t, proact_array_address(t.other, 0));
    assert_null(follow(&t)); /* loads the auxiliary kernels */
    MUST(proact_wait(b->p, &b->err));
    const uint64_t settled = b->p->order.settled;

    for (unsigned n = 0; n < 4; n++) {
        point(&t, proact_array_address(n % 2 ? third : t.other, 0));
        assert_null(follow(&t));
    }
    /* A device copy next to the pointer does not matter. */
    MUST(proact_device0_copy(b->p, at + 8, at + 16, 8, &b->err));
    assert_null(follow(&t));
    assert_int_equal(b->p->order.settled, settled);
    assert_true(settled < b->p->sequence);
    expect(&t, b->out, 7000);
    /* A copy of known content is known too. Other content that the copy overwrites must be
       read. */
    point(&t, proact_array_address(t.other, 0));
    MUST(proact_device0_write(b->p, at + 8, &other, 8, &b->err));
    MUST(proact_device0_copy(b->p, at + 12, at, 8, &b->err)); /* across the end of both */
    MUST(proact_device0_copy(b->p, at, at + 12, 8, &b->err));
    const uint64_t before = b->p->order.settled;

    assert_null(follow(&t));
    assert_int_equal(b->p->order.settled, before);
    MUST(proact_array_write(words, 0, &other, 2, &b->err));
    MUST(proact_device0_copy(b->p, at, proact_array_address(words, 0), 8, &b->err));
    const uint64_t now = b->p->order.settled;

    assert_null(follow(&t));
    assert_true(b->p->order.settled > now);
    expect(&t, b->out, 1000);
    proact_close(b->p);
}

/* out[i * *step] = i, while i * *step is less than n. */
static const char spaces_text[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry spaces(.param .u64 out, .param .u64 step, .param .u32 n)\n{\n"
    " .reg .pred %p<2>;\n .reg .b32 %r<9>;\n .reg .b64 %rd<5>;\n"
    " ld.param.u64 %rd1, [out];\n ld.param.u64 %rd2, [step];\n ld.param.u32 %r1, [n];\n"
    " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n"
    " mad.lo.s32 %r5, %r2, %r3, %r4;\n cvta.to.global.u64 %rd2, %rd2;\n"
    " ld.global.u32 %r6, [%rd2];\n mul.lo.s32 %r7, %r5, %r6;\n"
    " setp.ge.u32 %p1, %r7, %r1;\n @%p1 bra END;\n cvta.to.global.u64 %rd1, %rd1;\n"
    " mul.wide.u32 %rd3, %r7, 4;\n add.s64 %rd4, %rd1, %rd3;\n"
    " st.global.u32 [%rd4], %r5;\nEND:\n ret;\n}\n";

static struct proact_kernel *load_spaces(struct bench *b)
{
    struct proact_kernel *k = NULL;

    MUST(proact_kernel_load(
        b->p, &(struct proact_image){.name = "spaces.ptx", .text = spaces_text}, "spaces",
        &k, &b->err));
    return k;
}

static void space(struct tables *t, struct proact_kernel *spaces)
{
    struct bench *b = &t->b;
    const struct {
        uint64_t out, step;
        uint32_t n, padding;
    } view = {proact_array_address(b->out, 0), proact_array_address(t->from, 0), N, 0};
    const struct proact_relocation relocations[] = {{0, b->out, 0}, {8, t->from, 0}};

    MUST(proact_launch_buffer(
        spaces,
        &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}, .device_count = 4},
        &(struct proact_parameter_buffer){&view, 20, relocations, 2}, &b->err));
}

static void expect_space(struct tables *t, uint32_t step)
{
    struct bench *b = &t->b;
    uint32_t host[N];

    MUST(proact_array_read(b->out, 0, host, N, &b->err));
    for (uint32_t i = 0; i < N / step; i++)
        if (host[i * step] != i)
            fail_msg("element %u is %u, not %u", i * step, host[i * step], i);
}

/* The host and then a device write the step. The launch waits for device writes only while
   these are rare. */
static void table_values_may_change(void **state)
{
    struct tables t = open_tables(4, false);
    struct bench *b = &t.b;
    struct proact_kernel *spaces = load_spaces(b);
    const uint64_t at = proact_array_address(t.from, 0);
    unsigned waits = 0;

    (void)state;
    for (uint32_t step = 1; step < 4; step++) {
        MUST(proact_device0_write(b->p, at, &step, 4, &b->err));
        space(&t, spaces);
        assert_null(proact_kernel_refusal(spaces));
        expect_space(&t, step);
    }
    for (uint32_t n = 0; n < 6; n++) {
        const uint32_t step = n % 3 + 1;

        MUST(proact_array_write(t.other, 0, &step, 1, &b->err));
        MUST(proact_device0_copy(b->p, at, proact_array_address(t.other, 0), 4, &b->err));
        const uint64_t settled = b->p->order.settled;

        space(&t, spaces);
        waits += b->p->order.settled > settled;
        expect_space(&t, step);
    }
    assert_int_equal(waits, 2);
    const uint32_t step = 2;

    MUST(proact_device0_write(b->p, at, &step, 4, &b->err));
    space(&t, spaces);
    expect_space(&t, step);
    proact_close(b->p);
}

static void unknown_pointers_are_not_followed(void **state)
{
    struct tables t = open_tables(4, false);
    const char *why;

    (void)state;
    point(&t, proact_array_address(t.other, 0));
    assert_null(follow(&t));
    /* An address of another device is not an address of the program. The launch runs on
       device 0, where the access works. */
    point(&t, proact_array_address(t.other, 1));
    why = follow(&t);
    assert_non_null(why);
    point(&t, proact_array_address(t.other, 0));
    assert_null(follow(&t));
    proact_close(t.b.p);
}

static void check_mode_does_not_follow_pointers(void **state)
{
    struct tables t = open_tables(4, true);

    (void)state;
    point(&t, proact_array_address(t.other, 0));
    assert_non_null(strstr(follow(&t), "values that may be pointers"));
    expect(&t, t.b.out, 1000);
    proact_close(t.b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_current_table_decides),
        cmocka_unit_test(arrays_behind_a_pointer_may_be_replaced),
        cmocka_unit_test(host_written_pointers_need_no_wait),
        cmocka_unit_test(table_values_may_change),
        cmocka_unit_test(unknown_pointers_are_not_followed),
        cmocka_unit_test(check_mode_does_not_follow_pointers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
