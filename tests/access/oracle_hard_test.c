/* SPDX-License-Identifier: Apache-2.0 */
/* The hard kernels that the executor can run alone, from the old and the new front end of
   nvcc. Every access with an expression is where the expression states. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/oracle.h"
#include "base/text.h"

enum { REGION_BYTES = 2 << 20, REGIONS = 4, BLOCK_BYTES = 256 };

/* Parameters: p is a pointer to separate memory, iN an int, lN a 64-bit number. */
static const struct {
    const char *file, *name, *parameters;
    uint32_t grid[3], block[3];
} kernels[] = {
    {"machine", "votes", "p p", {2, 1, 1}, {64, 1, 1}},
    {"machine", "exchanges", "p l0", {1, 1, 1}, {8, 1, 1}},
    {"machine", "flat_grid", "p i4096 i64", {4, 4, 1}, {64, 1, 1}},
    {"machine", "constant_pitch", "p p", {8, 8, 1}, {16, 16, 1}},
    {"machine", "swizzle", "p p i128 i4", {16, 1, 1}, {256, 1, 1}},
    {"machine", "asynchronous", "p p", {2, 1, 1}, {256, 1, 1}},
    {"machine", "block_sum", "p p", {3, 1, 1}, {128, 1, 1}},
    {"machine", "block_scan", "p", {3, 1, 1}, {128, 1, 1}},
    {"machine", "block_sort", "p", {2, 1, 1}, {128, 1, 1}},
    {"language", "productIf", "p l32 p l32 p l32 l32", {2, 2, 1}, {16, 16, 1}},
    {"language", "productId", "p l32 p l32 p l32 l29", {2, 2, 1}, {16, 16, 1}},
    {"language", "5calls", "p i100", {4, 1, 1}, {32, 1, 1}},
    {"language", "recursion", "p", {1, 1, 1}, {32, 1, 1}},
    {"language", "mathematics", "p p i100", {4, 1, 1}, {32, 1, 1}},
    {"language", "jump_table", "p i100", {4, 1, 1}, {32, 1, 1}},
    {"language", "local_array", "p p i100", {4, 1, 1}, {32, 1, 1}},
    {"language", "group_sum", "p p", {4, 1, 1}, {64, 1, 1}},
    {"language", "halves", "p p p i100", {4, 1, 1}, {32, 1, 1}},
    {"language", "prints", "p", {1, 1, 1}, {32, 1, 1}},
};

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static size_t lay_parameters(const char *text, unsigned char *block, unsigned char *memory)
{
    size_t at = 0, region = 0;

    while (*text) {
        char *end = NULL;
        size_t bytes = *text == 'i' ? 4 : 8;
        uint64_t value = *text == 'p'
                             ? (uint64_t)(uintptr_t)(memory + region++ * REGION_BYTES)
                             : (uint64_t)strtoll(text + 1, &end, 10);

        at = (at + bytes - 1) / bytes * bytes;
        memcpy(block + at, &value, bytes);
        at += bytes;
        text = *text == 'p' ? text + 1 : end;
        text += *text == ' ';
    }
    return at;
}

static const char *find_kernel(const char *file, const char *text, size_t bytes,
                               const char *part, char *name, size_t size)
{
    struct proact_error err = {""};
    struct ptx_module *m;

    if (ptx_parse(file, text, bytes, &m, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < m->function_count; i++)
        if (m->functions[i].is_entry && strstr(m->functions[i].name, part))
            snprintf(name, size, "%s", m->functions[i].name);
    ptx_destroy(m);
    return name;
}

/* Returns false if the executor does not support the kernel. */
static bool run_kernel(int number, const char *compiler, uint64_t *claimed)
{
    struct text path = {0};
    char *text, name[128] = "";
    size_t bytes;
    struct oracle o;
    unsigned char block[BLOCK_BYTES] = {0};
    uint32_t *memory = aligned_alloc(256, (size_t)REGION_BYTES * REGIONS);

    text_print(&path, PROACT_SOURCE "/tests/ptx/corpus/hard_%s.%s.ptx",
               kernels[number].file, compiler);
    assert_int_equal(file_read(path.data, &text, &bytes, NULL), PROACT_OK);
    find_kernel(path.data, text, bytes, kernels[number].name, name, sizeof name);
    bool there = oracle_open(&o, path.data, text, bytes, name, ORACLE_AS_IT_IS);

    for (size_t i = 0; i < (size_t)REGION_BYTES * REGIONS / 4; i++)
        memory[i] = (uint32_t)(1 + i % 7);
    if (there) {
        size_t used =
            lay_parameters(kernels[number].parameters, block, (unsigned char *)memory);
        unsigned char *variables = must_calloc(execute_program_bytes(o.program) + 256, 1);

        assert_int_equal(used, execute_kernel_info(o.kernel).parameter_bytes);
        execute_program_image(o.program, (uint64_t)(uintptr_t)variables, variables);
        oracle_run(&o, kernels[number].grid, kernels[number].block, block, used,
                   (uint64_t)(uintptr_t)variables);
        if (o.first_wrong[0])
            fail_msg("%s", o.first_wrong);
        *claimed += o.claimed;
        free(variables);
    }
    oracle_close(&o);
    free(memory), free(text);
    text_clear(&path);
    return there;
}

static void every_hard_expression_holds(void **state)
{
    static const char *const compilers[] = {"sm_75", "sm_80", "sm_90", "sm_100"};
    enum { COMPILERS = sizeof compilers / sizeof *compilers };
    uint64_t claimed = 0;
    unsigned ran = 0;

    (void)state;
    for (int c = 0; c < COMPILERS; c++)
        for (int i = 0; i < KERNELS; i++)
            ran += run_kernel(i, compilers[c], &claimed);
    print_message("%u of %d kernels run, %" PRIu64 " accesses as claimed\n", ran,
                  COMPILERS * KERNELS, claimed);
    assert_int_equal(ran, COMPILERS * KERNELS);
    assert_true(claimed > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_hard_expression_holds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
