/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of values in constant memory. Every access of the kernels of constants.cu is
   where its expression states, whatever the constants contain. Perturbed expressions are
   caught. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/oracle.h"
#include "base/random.h"
#include "base/text.h"

enum { REGION_BYTES = 1 << 20, AHEAD_BYTES = 1 << 16, ROUNDS = 12 };

static const struct {
    const char *name;
    uint32_t grid[3], block[3];
} kernels[] = {
    {"constant_shape", {5, 4, 1}, {16, 8, 1}},  {"constant_steps", {3, 9, 1}, {32, 1, 1}},
    {"constant_pulls", {3, 9, 1}, {32, 1, 1}},  {"constant_rounds", {3, 9, 1}, {32, 1, 1}},
    {"constant_planes", {6, 1, 1}, {64, 1, 1}}, {"constant_order", {4, 1, 1}, {64, 1, 1}},
};

struct tally {
    uint64_t compilers, claimed, wrong;
};

/* Small multiples of an element size, so that all addresses stay in the regions. */
static void draw(const struct oracle *o, unsigned char *variables, uint64_t *chance)
{
    for (uint32_t n = 0; n < o->plain->symbol_count; n++) {
        const struct ptx_symbol *s = &o->plain->symbols[n];
        size_t offset, bytes;

        if (!execute_variable(o->program, s->name, &offset, &bytes))
            continue;
        memset(variables + offset, 0, bytes);
        for (size_t at = 0; at + 4 <= bytes; at += bytes == 8 ? 8 : 4)
            variables[offset + at] = (unsigned char)(4 * (1 + random_below(chance, 15)));
    }
}

static void run(struct oracle *o, int number, unsigned char *memory)
{
    unsigned char *variables = must_calloc(execute_program_bytes(o->program) + 256, 1);
    unsigned char block[24] = {0};
    uint64_t in = (uint64_t)(uintptr_t)memory + AHEAD_BYTES, out = in + REGION_BYTES,
             chance = 1;
    int n = 200;

    memcpy(block, &in, 8);
    memcpy(block + 8, &out, 8);
    memcpy(block + 16, &n, 4);
    execute_program_image(o->program, (uint64_t)(uintptr_t)variables, variables);
    for (int round = 0; round < ROUNDS; round++) {
        oracle_run(o, kernels[number].grid, kernels[number].block, block,
                   execute_kernel_info(o->kernel).parameter_bytes,
                   (uint64_t)(uintptr_t)variables);
        draw(o, variables, &chance);
    }
    free(variables);
}

static void run_compiler(const char *compiler, enum oracle_fault fault, struct tally *t)
{
    unsigned char *memory = must_calloc(3, REGION_BYTES); /* two regions, with a margin
                                                             before and after them */
    struct text path = {0};
    char *text;
    size_t bytes;

    text_print(&path, PROACT_BINARY "/tests/kernels/constants.%s.ptx", compiler);
    if (!file_read(path.data, &text, &bytes, NULL)) {
        t->compilers++;
        for (int k = 0; k < (int)(sizeof kernels / sizeof kernels[0]); k++) {
            struct oracle o;

            assert_true(oracle_open(&o, path.data, text, bytes, kernels[k].name, fault));
            run(&o, k, memory);
            if (!fault && o.first_wrong[0])
                fail_msg("%s", o.first_wrong);
            t->claimed += o.claimed;
            t->wrong += o.wrong;
            oracle_close(&o);
        }
        free(text);
    }
    text_clear(&path);
    free(memory);
}

static struct tally run_all(enum oracle_fault fault)
{
    static const char *const compilers[] = {"sm_75", "sm_80", "sm_90", "sm_100", "clang"};
    struct tally t = {0};

    for (int i = 0; i < 5; i++)
        run_compiler(compilers[i], fault, &t);
    return t;
}

static void every_form_holds(void **state)
{
    struct tally t = run_all(ORACLE_AS_IT_IS);

    (void)state;
    print_message("%d compilers, %llu accesses\n", (int)t.compilers,
                  (unsigned long long)t.claimed);
    assert_true(t.compilers > 0);
    assert_true(t.claimed > t.compilers * 100000);
}

static void other_forms_are_caught(void **state)
{
    struct tally t = run_all(ORACLE_SHIFTED);

    (void)state;
    assert_true(t.wrong == t.claimed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_holds),
        cmocka_unit_test(other_forms_are_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
