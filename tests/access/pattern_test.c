/* SPDX-License-Identifier: Apache-2.0 */
/* Access patterns of the samples. patterns.txt contains the patterns of each kernel from
   nvcc for sm_90; `pattern_test print` prints them. The other compilers must give the same
   patterns for written arrays. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/pattern/pattern.h"
#include "base/text.h"
#include "samples/samples_ptx.h"

struct kernel {
    struct ptx_module *module;
    struct access_analysis *analysis;
};

static struct kernel open_kernel(const char *file, const char *name)
{
    struct proact_error err = {""};
    struct kernel k = {NULL, NULL};
    struct text path = {0};
    char *text;
    size_t bytes;

    text_print(&path, PROACT_SOURCE "/tests/ptx/corpus/%s.ptx", file);
    if (file_read(path.data, &text, &bytes, &err) ||
        ptx_parse(file, text, bytes, &k.module, &err))
        fail_msg("%s", err.text);
    assert_non_null(k.module);
    for (uint32_t i = 0; k.module && i < k.module->function_count; i++)
        if (strstr(k.module->functions[i].name, name))
            name = k.module->functions[i].name;
    k.analysis = access_analyze(k.module, ptx_function_find(k.module, name));
    text_clear(&path);
    free(text);
    return k;
}

static struct kernel open_sample(const struct sample *s, const char *compiler)
{
    char file[64];
    struct proact_error err = {""};
    struct kernel k = {NULL, NULL};
    size_t bytes;
    char *text = samples_ptx(s, compiler, SAMPLES_PLAIN, &bytes);

    snprintf(file, sizeof file, "%s.%s", s->file, compiler);
    assert_non_null(text);
    assert_int_equal(ptx_parse(file, text, bytes, &k.module, &err), PROACT_OK);
    k.analysis = access_analyze(k.module, ptx_function_find(k.module, s->name));
    free(text);
    return k;
}

static void close_kernel(struct kernel *k)
{
    access_destroy(k->analysis);
    ptx_destroy(k->module);
}

static void print_form(const struct access_analysis *a, const struct access_form *f,
                       struct text *t)
{
    char text[200];

    access_form_text(a, f, text, sizeof text);
    text_print(t, "%s", text);
}

static void print_axis(const struct access_analysis *a, const struct access_axis *x,
                       struct text *t)
{
    text_print(t, "    {");
    print_form(a, x->stride, t);
    text_print(t, "} %s", access_class_text(x->how));
    if (x->grid >= 0)
        text_print(t, " %c", "xyz"[x->grid]);
    if (x->tile) {
        text_print(t, " by ");
        print_form(a, x->tile, t);
    }
    if (x->has_halo)
        text_print(t, ", halo %" PRId64 " to %" PRId64, x->low, x->high);
    text_print(t, "\n");
}

static void print_array(const struct access_analysis *a, const struct access_array *x,
                        struct text *t)
{
    static const char *const kinds[] = {"read", "write", "atomic", "", ""};

    text_print(t, "  %s [%" PRIu32 "], %" PRIu32 " bytes%s%s%s\n", kinds[x->kind],
               a->symbols[x->base_symbol].offset, x->element_bytes,
               x->is_proven ? "" : ", not proven", x->reason ? ": " : "",
               x->reason ? x->reason : "");
    for (uint32_t i = 0; i < x->axis_count; i++)
        print_axis(a, &x->axes[i], t);
}

static void print_kernel(const struct kernel *k, bool only_writes,
                         const struct access_shape *shapes, uint32_t count,
                         const struct access_launch *l, struct text *t)
{
    struct access_patterns *p = access_patterns(k->analysis, shapes, count, l);

    for (uint32_t i = 0; i < p->count; i++)
        if (!only_writes || p->arrays[i].kind == ACCESS_WRITE)
            print_array(k->analysis, &p->arrays[i], t);
    access_patterns_destroy(p);
}

static void print_samples(struct text *t)
{
    for (int i = 0; i < SAMPLES_COUNT; i++) {
        struct kernel k = open_sample(&samples[i], "sm_90");

        text_print(t, "%s\n", samples[i].name);
        print_kernel(&k, false, NULL, 0, NULL, t);
        close_kernel(&k);
    }
}

static void samples_have_their_patterns(void **state)
{
    struct text t = {0};
    char *wanted;
    size_t bytes;

    (void)state;
    print_samples(&t);
    assert_int_equal(
        file_read(PROACT_SOURCE "/tests/access/patterns.txt", &wanted, &bytes, NULL),
        PROACT_OK);
    assert_string_equal(t.data, wanted);
    free(wanted);
    text_clear(&t);
}

static void compilers_agree_on_what_is_written(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES_COUNT; i++)
        for (int c = 0; samples_compilers[c]; c++) {
            struct kernel one = open_sample(&samples[i], "sm_90");
            struct kernel other = open_sample(&samples[i], samples_compilers[c]);
            struct text a = {0}, b = {0};

            text_print(&a, "%s\n", samples[i].name);
            text_print(&b, "%s\n", samples[i].name);
            print_kernel(&one, true, NULL, 0, NULL, &a);
            print_kernel(&other, true, NULL, 0, NULL, &b);
            if (strcmp(a.data, b.data) != 0)
                fail_msg("%s: %sfrom sm_90: %s", samples_compilers[c], b.data, a.data);
            text_clear(&a), text_clear(&b);
            close_kernel(&one), close_kernel(&other);
        }
}

static void pattern_is_declared(const struct kernel *k, const struct access_shape *shapes,
                                uint32_t count, const struct access_launch *l,
                                const char *wanted)
{
    struct text t = {0};

    print_kernel(k, true, shapes, count, l, &t);
    assert_string_equal(t.data, wanted);
    text_clear(&t);
}

/* float (*)[1024]: the strides are not parameters. */
static void constant_strides_are_found_by_ranges(void **state)
{
    struct kernel k = open_kernel("hard_machine.sm_75", "constant_pitch");
    unsigned char block[16] = {0};
    struct access_launch l = {.ntid = {16, 16, 1},
                              .nctaid = {64, 64, 1},
                              .parameters = block,
                              .parameter_bytes = sizeof block};
    static const char unproven[] = "  write [8], 4 bytes, not proven\n"
                                   "    {4096} block x by 16\n    {4} block y by 16\n";
    static const char proven[] = "  write [8], 4 bytes\n"
                                 "    {4096} block x by 16\n    {4} block y by 16\n";

    (void)state;
    pattern_is_declared(&k, NULL, 0, NULL, unproven);
    pattern_is_declared(&k, NULL, 0, &l, proven);
    l.nctaid[1] = 65; /* a row longer than 1024 */
    pattern_is_declared(&k, NULL, 0, &l, unproven);
    close_kernel(&k);
}

static void a_declared_shape_wins(void **state)
{
    struct kernel k = open_sample(&samples[10], "sm_90");
    int32_t n[6] = {0, 0, 0, 0, 600, 400};
    unsigned char block[24];
    struct access_launch l = {.ntid = {32, 8, 1},
                              .nctaid = {20, 50, 1},
                              .parameters = block,
                              .parameter_bytes = sizeof block};
    const struct access_shape flat = {8, 4, 1, {240000}}, plane = {8, 4, 2, {400, 600}},
                              space = {8, 4, 3, {400, 60, 10}};

    (void)state;
    assert_string_equal(samples[10].name, "jacobi_plain");
    memcpy(block, n, sizeof block);
    pattern_is_declared(&k, &plane, 1, &l,
                        "  write [8], 4 bytes\n    {2400} block y by ntid.y\n"
                        "    {4} block x by ntid.x\n");
    pattern_is_declared(&k, &flat, 1, &l, "  write [8], 4 bytes\n    {4} mixed\n");
    pattern_is_declared(&k, &space, 1, &l,
                        "  write [8], 4 bytes, not proven\n    {2400} block y by ntid.y\n"
                        "    {40} local\n    {4} block x by ntid.x\n");
    close_kernel(&k);
}

/* Checks that the indices and strides of all dimensions add up to the byte offset. */
static void axes_sum_to_the_form(const struct kernel *k, const struct access_array *x)
{
    unsigned char block[256];
    uint64_t trips[16], whole, sum = 0, stride, index;
    const struct access_record *r = k->analysis->records;
    struct access_point p = {.ntid = {7, 5, 3},
                             .nctaid = {11, 13, 17},
                             .tid = {6, 4, 1},
                             .ctaid = {9, 8, 7},
                             .parameters = block,
                             .parameter_bytes = sizeof block,
                             .trips = trips};

    for (unsigned i = 0; i < sizeof block; i++)
        block[i] = i % 4 ? 0 : (unsigned char)(i + 19);
    for (unsigned i = 0; i < 16; i++)
        trips[i] = 23 + i;
    while (r->base_symbol != x->base_symbol || r->kind != x->kind || !r->form)
        r++;
    if (!access_value(k->analysis, r->form, &p, &whole))
        return; /* depends on memory */
    for (uint32_t i = 0; i < x->axis_count; i++) {
        assert_true(access_value(k->analysis, x->axes[i].stride, &p, &stride));
        assert_true(access_value(k->analysis, x->axes[i].index, &p, &index));
        sum += stride * index;
    }
    assert_int_equal(sum, whole);
}

static void axes_sum_to_every_form(void **state)
{
    unsigned checked = 0;

    (void)state;
    for (int i = 0; i < SAMPLES_COUNT; i++)
        for (int c = 0; samples_compilers[c]; c++) {
            struct kernel k = open_sample(&samples[i], samples_compilers[c]);
            struct access_patterns *p = access_patterns(k.analysis, NULL, 0, NULL);

            for (uint32_t n = 0; n < p->count; n++)
                if (p->arrays[n].record_count == 1 && p->arrays[n].axis_count) {
                    axes_sum_to_the_form(&k, &p->arrays[n]);
                    checked++;
                }
            access_patterns_destroy(p);
            close_kernel(&k);
        }
    assert_true(checked > 150);
}

/* An index from a table in the parameters belongs to no dimension. */
static void tables_have_no_dimension(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .align 8 .b8 table[64])\n{\n"
        ".reg .b32 %r<4>; .reg .b64 %rd<8>;\n"
        "ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;\n"
        "mov.b64 %rd2, table; mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd3, %r0, 4;\n"
        "add.s64 %rd4, %rd2, %rd3; ld.param.u32 %r1, [%rd4];\n"
        "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd1, %rd5;\n"
        "st.global.u32 [%rd6], %r1;\nret;\n}\n";
    struct proact_error err = {""};
    struct kernel k = {NULL, NULL};

    (void)state;
    assert_int_equal(ptx_parse("table", text, sizeof text - 1, &k.module, &err), PROACT_OK);
    k.analysis = access_analyze(k.module, &k.module->functions[0]);
    access_patterns_destroy(access_patterns(k.analysis, NULL, 0, NULL));
    close_kernel(&k);
}

/* Pitch as cudaMallocPitch() returns it: a number of bytes, not necessarily a multiple of
   the element size. */
static void a_pitch_is_a_stride_of_bytes(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 pitch)\n{\n"
        ".reg .b32 %r<4>; .reg .b64 %rd<8>;\n"
        "ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0; ld.param.u64 %rd2, "
        "[pitch];\n"
        "mov.u32 %r0, %ctaid.y; cvt.u64.u32 %rd3, %r0; mul.lo.s64 %rd3, %rd3, %rd2;\n"
        "add.s64 %rd4, %rd1, %rd3; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd5, %r1, 16;\n"
        "add.s64 %rd6, %rd4, %rd5; add.s64 %rd7, %rd6, %rd2;\n"
        "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd7];\n"
        "st.global.v4.b32 [%rd6], {%r0, %r1, %r2, %r3};\nret;\n}\n";
    struct proact_error err = {""};
    struct kernel k = {NULL, NULL};
    struct text t = {0};

    (void)state;
    assert_int_equal(ptx_parse("pitch", text, sizeof text - 1, &k.module, &err), PROACT_OK);
    k.analysis = access_analyze(k.module, &k.module->functions[0]);
    print_kernel(&k, false, NULL, 0, NULL, &t);
    assert_string_equal(t.data,
                        "  read [0], 16 bytes\n    {[8]} block y by 1, halo 0 to 1\n"
                        "    {16} block x by 1, halo 0 to 0\n"
                        "  write [0], 16 bytes\n    {[8]} block y by 1\n"
                        "    {16} block x by 1\n");
    text_clear(&t);
    close_kernel(&k);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_their_patterns),
        cmocka_unit_test(compilers_agree_on_what_is_written),
        cmocka_unit_test(constant_strides_are_found_by_ranges),
        cmocka_unit_test(a_declared_shape_wins),
        cmocka_unit_test(axes_sum_to_every_form),
        cmocka_unit_test(tables_have_no_dimension),
        cmocka_unit_test(a_pitch_is_a_stride_of_bytes),
    };

    if (argc > 1 && !strcmp(argv[1], "print")) {
        struct text t = {0};

        print_samples(&t);
        fputs(t.data, stdout);
        text_clear(&t);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
