/* SPDX-License-Identifier: Apache-2.0 */
/* Module variables that kernels write become arrays of several devices. */
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/runtime_testing.h"

#include <proact/program.h>
/* included after them */
#include "runtime/stage.h"

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

enum { PLACES = 2048 };

/* Kernels. `marks`: table[i] = a[i] + first, and every CTA counts. `reads`: a[i] += table[i
   + 1] + level. No kernel writes `level`; `kept` contains the address of another
   variable. */
static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 table[2048] = {1, 2, 3};\n"
    ".visible .global .align 4 .u32 count;\n"
    ".visible .global .align 4 .u32 level = 5;\n"
    ".visible .global .align 4 .u32 kept;\n.visible .global .align 8 .u64 where = kept;\n"
    ".visible .entry marks(.param .u64 a, .param .u32 first)\n{\n .reg .b32 %r<8>;\n"
    " .reg .b64 %rd<8>;\n ld.param.u64 %rd1, [a];\n ld.param.u32 %r5, [first];\n"
    " mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %ntid.x;\n mov.u32 %r3, %tid.x;\n"
    " mad.lo.u32 %r1, %r1, %r2, %r3;\n mul.wide.u32 %rd2, %r1, 4;\n"
    " add.u64 %rd3, %rd1, %rd2;\n ld.global.u32 %r4, [%rd3];\n add.u32 %r4, %r4, %r5;\n"
    " mov.u64 %rd4, table;\n add.u64 %rd4, %rd4, %rd2;\n st.global.u32 [%rd4], %r4;\n"
    " red.global.add.u32 [count], 1;\n ret;\n}\n"
    ".visible .entry reads(.param .u64 a)\n{\n .reg .b32 %r<8>;\n .reg .b64 %rd<8>;\n"
    " .reg .pred %p<2>;\n ld.param.u64 %rd1, [a];\n mov.u32 %r1, %ctaid.x;\n"
    " mov.u32 %r2, %ntid.x;\n mov.u32 %r3, %tid.x;\n mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    " mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd3, %rd1, %rd2;\n"
    " ld.global.u32 %r4, [%rd3];\n ld.global.u32 %r5, [level];\n add.u32 %r4, %r4, %r5;\n"
    " setp.eq.u32 %p1, %r1, 2047;\n @%p1 bra STORE;\n"
    " mov.u64 %rd4, table+4;\n add.u64 %rd4, %rd4, %rd2;\n ld.global.u32 %r5, [%rd4];\n"
    " add.u32 %r4, %r4, %r5;\nSTORE:\n st.global.u32 [%rd3], %r4;\n ret;\n}\n"
    ".visible .entry keeps(.param .u64 a)\n{\n red.global.max.u32 [kept], 1;\n ret;\n}\n";

static const struct proact_image image = {.name = "table.ptx", .text = ptx};

static struct bench open_on(unsigned devices, const char *method)
{
    return testing_open(&(struct proact_options){.machine = "h200x4",
                                                 .device_count = devices,
                                                 .check = true,
                                                 .plan = {.method = method}});
}

static struct proact_kernel *kernel_of(struct bench *b, const char *name)
{
    struct proact_kernel *k = NULL;

    if (proact_kernel_load(b->p, &image, name, &k, &b->err))
        fail_msg("%s", b->err.text);
    return k;
}

static struct proact_variable variable_of(struct bench *b, const char *name)
{
    struct proact_variable v;

    if (proact_variable_find(b->p, &image, name, &v, &b->err))
        fail_msg("%s", b->err.text);
    return v;
}

static uint32_t value_of(struct bench *b, const char *name, size_t i)
{
    const struct proact_variable v = variable_of(b, name);
    uint32_t is = 0;

    if (proact_variable_read(b->p, &v, 4 * i, &is, 4, &b->err))
        fail_msg("%s", b->err.text);
    return is;
}

static void launch(struct bench *b, struct proact_kernel *k, uint32_t first)
{
    const struct {
        uint64_t a;
        uint32_t first;
    } block = {1, first};
    const struct proact_relocation relocation = {0, b->out, 0};
    const size_t bytes = proact_kernel_describe(k).parameter_bytes;

    if (proact_launch_buffer(
            k,
            &(struct proact_grid){.ctas = {PLACES / THREADS},
                                  .threads = {THREADS},
                                  .device_count = proact_device_count(b->p)},
            &(struct proact_parameter_buffer){&block, bytes, &relocation, 1}, &b->err))
        fail_msg("%s", b->err.text);
}

/* The added kernel parameters are not visible to the program. */
static void added_parameters_are_hidden(void **state)
{
    (void)state;
    struct bench b = open_on(4, "fused");
    struct proact_kernel *marks = kernel_of(&b, "marks");
    const struct proact_kernel_info info = proact_kernel_describe(marks);
    const uint64_t block[3] = {0};

    assert_int_equal(info.parameter_count, 2);
    assert_int_equal(info.parameter_bytes, 12);
    REFUSED(proact_launch_buffer(marks, &(struct proact_grid){.ctas = {1}},
                                 &(struct proact_parameter_buffer){block, 24, NULL, 0},
                                 &b.err),
            PROACT_EINVAL, "a parameter buffer of 24 bytes, its parameters have 12");
    assert_non_null(variable_of(&b, "table").array);
    assert_non_null(variable_of(&b, "count").array);
    assert_null(variable_of(&b, "level").array);
    assert_null(variable_of(&b, "kept").array);
    proact_close(b.p);
}

static void split_launches_write_them(void **state)
{
    static const char *const methods[] = {"bulk", "inline", "fused", "polling"};

    (void)state;
    for (unsigned devices = 1; devices <= 4; devices++) {
        struct bench b = open_on(devices, methods[devices - 1]);
        struct proact_kernel *marks = kernel_of(&b, "marks"),
                             *reads = kernel_of(&b, "reads");
        const struct proact_variable count = variable_of(&b, "count"),
                                     table = variable_of(&b, "table");
        static uint32_t zeros[N], is[N];
        const uint32_t ten = 10;

        assert_int_equal(count.array != NULL, devices > 1);
        assert_int_equal(value_of(&b, "table", 2), 3);
        MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
        MUST(proact_variable_write(b.p, &count, 0, &ten, 4, &b.err));
        launch(&b, marks, 100);
        assert_null(proact_kernel_refusal(marks));
        launch(&b, reads, 0);
        assert_null(proact_kernel_refusal(reads));
        launch(&b, marks, 1000);
        MUST(proact_array_read(b.out, 0, is, N, &b.err));
        assert_int_equal(is[0], 105);
        assert_int_equal(is[PLACES / 2 - 1], 105);
        assert_int_equal(is[PLACES - 1], 5);
        assert_int_equal(value_of(&b, "table", 0), 1105);
        assert_int_equal(value_of(&b, "table", PLACES - 1), 1005);
        assert_int_equal(value_of(&b, "count", 0), 10 + 2 * PLACES);
        /* By address, and by its own kernel on one device. */
        MUST(proact_device0_fill(b.p, table.address[0], 0, 4 * PLACES, &b.err));
        launch(&b, reads, 0);
        launch(&b, kernel_of(&b, "keeps"), 0);
        MUST(proact_array_read(b.out, 0, is, N, &b.err));
        assert_int_equal(is[0], 110);
        assert_int_equal(value_of(&b, "kept", 0), 1);
        MUST(proact_variables_reset(b.p, &b.err));
        assert_int_equal(value_of(&b, "count", 0), 0);
        assert_int_equal(value_of(&b, "kept", 0), 0);
        assert_int_equal(value_of(&b, "table", 1), 2);
        launch(&b, reads, 0);
        MUST(proact_array_read(b.out, 0, is, N, &b.err));
        assert_int_equal(is[0], 117);
        proact_close(b.p);
    }
}

/* Launches of <proact/proact.h> work as well. */
static void argument_launches_use_them(void **state)
{
    (void)state;
    struct bench b = open_on(3, "fused");
    struct proact_kernel *marks = kernel_of(&b, "marks");
    static const uint32_t zeros[N];
    const uint32_t first = 7;

    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_launch(
        marks, &(struct proact_grid){.ctas = {PLACES / THREADS}, .threads = {THREADS}},
        (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_VALUE(first)}, 2, &b.err));
    assert_int_equal(value_of(&b, "table", 9), 7);
    assert_int_equal(value_of(&b, "count", 0), PLACES);
    proact_close(b.p);
}

/* Without memory they remain module variables, and kernels that write them run on one
   device. */
static void without_memory_they_are_no_arrays(void **state)
{
    (void)state;
    for (unsigned left = 0; left < 5; left++) { /* 0: no limit */
        struct stage s;
        struct proact_kernel *k;

        raise_curtain(&s, "bulk", 2);
        fake_state(s.p->set)->allocations_left = left;
        const unsigned before = fake_state(s.p->set)->memory;

        must(&s, proact_kernel_load(s.p, &image, "marks", &k, &s.err));
        assert_int_equal(k->image->variable_count, left ? 0 : 2);
        assert_int_equal(fake_state(s.p->set)->memory, before + (left ? 0 : 4));
        assert_int_equal(proact_kernel_describe(k).parameter_count, 2);
        proact_close(s.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_parameters_are_hidden),
        cmocka_unit_test(split_launches_write_them),
        cmocka_unit_test(argument_launches_use_them),
        cmocka_unit_test(without_memory_they_are_no_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
