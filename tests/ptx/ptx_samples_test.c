/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter buffers of the samples have the layout of CUDA C in every compiler's PTX. */
#include "ptx_testing.h"

static const char *const compilers[] = {"sm_75", "sm_90", "sm_100", "clang"};

static const struct {
    const char *family, *kernel;
    uint32_t count, offsets[9], bytes;
} layouts[] = {
    {"vecadd", "vecadd", 4, {0, 8, 16, 24}, 28},
    {"vecadd", "vecadd64", 4, {0, 8, 16, 24}, 32},
    {"vecadd", "saxpy_gs", 4, {0, 8, 16, 24}, 28},
    {"vecadd", "vecadd4", 4, {0, 8, 16, 24}, 28},
    {"vecadd", "coarsen", 3, {0, 8, 16}, 20},
    {"stencil", "jacobi", 4, {0, 8, 16, 20}, 24},
    {"stencil", "jacobi_plain", 4, {0, 8, 16, 20}, 24},
    {"stencil", "jacobi_clamp", 4, {0, 8, 16, 20}, 24},
    {"stencil", "stencil3d", 5, {0, 8, 16, 20, 24}, 28},
    {"stencil", "flat2d", 4, {0, 8, 16, 20}, 24},
    {"transpose", "transpose", 4, {0, 8, 16, 20}, 24},
    {"matmul", "sgemm", 6, {0, 8, 16, 24, 28, 32}, 36},
    {"matmul", "sgemm_amge", 6, {0, 8, 16, 24, 28, 32}, 36},
    {"matmul", "sgemm_naive", 6, {0, 8, 16, 24, 28, 32}, 36},
    {"matmul", "sgemv", 5, {0, 8, 16, 24, 28}, 32},
    {"ndarray", "nd_jacobi", 2, {0, 24}, 48},
    {"ndarray", "nd_sgemm", 3, {0, 24, 48}, 72},
    {"ndarray", "nd_stencil3d", 2, {0, 32}, 64},
    {"ndarray", "nd2_transpose", 2, {0, 16}, 32},
    {"ndarray", "nd2_blockcyclic", 2, {0, 16}, 32},
    {"ndarray", "nd2_cyclic_row", 2, {0, 16}, 32},
    {"reduce", "reduce", 3, {0, 8, 16}, 20},
    {"reduce", "reduce_smem", 3, {0, 8, 16}, 20},
    {"histogram", "hist", 3, {0, 8, 16}, 20},
    {"histogram", "hist_part", 3, {0, 8, 16}, 20},
    {"ranks", "pr_pull", 8, {0, 8, 16, 24, 32, 40, 48, 52}, 56},
    {"ranks", "pr_push", 6, {0, 8, 16, 24, 32, 36}, 40},
    {"relax", "relax_edges", 6, {0, 8, 16, 24, 32, 40}, 44},
    {"relax", "relax_csr", 7, {0, 8, 16, 24, 32, 40, 48}, 52},
};

static struct ptx_module *read_family(const char *family, const char *compiler)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    struct text path = {0};
    size_t bytes;
    char *text;

    text_print(&path, PROACT_SOURCE "/tests/ptx/corpus/%s.%s.ptx", family, compiler);
    if (file_read(path.data, &text, &bytes, &err) ||
        ptx_parse(path.data, text, bytes, &m, &err))
        fail_msg("%s", err.text);
    free(text);
    text_clear(&path);
    return m;
}

static void parameters_have_the_offsets_of_cuda(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++)
        for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
            struct ptx_module *m = read_family(layouts[i].family, compilers[c]);
            const struct ptx_function *f = ptx_function_find(m, layouts[i].kernel);

            assert_non_null(f);
            assert_true(f->is_entry);
            assert_int_equal(f->parameter_count, layouts[i].count);
            assert_int_equal(f->parameter_bytes, layouts[i].bytes);
            for (uint32_t k = 0; k < f->parameter_count; k++)
                assert_int_equal(f->symbols[k].offset, layouts[i].offsets[k]);
            ptx_destroy(m);
        }
}

static unsigned count_stores(const char *family, const char *kernel, const char *compiler)
{
    struct ptx_module *m = read_family(family, compiler);
    const struct ptx_function *f = ptx_function_find(m, kernel);
    unsigned count = 0;

    for (uint32_t i = 0; i < f->instruction_count; i++)
        count += f->instructions[i].opcode == PTX_ST &&
                 f->instructions[i].space == PTX_SPACE_GLOBAL;
    ptx_destroy(m);
    return count;
}

static void stores_are_those_of_the_source(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        assert_int_equal(count_stores("vecadd", "vecadd", compilers[c]), 1);
        assert_int_equal(count_stores("vecadd", "vecadd4", compilers[c]), 1);
        assert_int_equal(count_stores("matmul", "sgemm_amge", compilers[c]), 16);
        assert_int_equal(count_stores("ranks", "pr_pull", compilers[c]), 2);
        assert_int_equal(count_stores("ranks", "pr_push", compilers[c]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_have_the_offsets_of_cuda),
        cmocka_unit_test(stores_are_those_of_the_source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
