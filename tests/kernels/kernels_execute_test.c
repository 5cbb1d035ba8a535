/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the table from every compiler's PTX in the executor. The results equal
   the CPU's reference at several sizes, and the parser prints the text unchanged. The
   observed stores agree with the table. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "kernels/kernels_run.h"

enum { SEEDS = 3 };

/* By byte: the CTA that stored it, plus 1; and whether a second CTA did. */
struct owners {
    uint32_t *of[SAMPLES_ARRAYS_MAX];
    size_t bytes[SAMPLES_ARRAYS_MAX];
    bool overlap, atomics;
};

static void watch(void *context, uint32_t cta, const struct execute_access *a, int array,
                  unsigned lane, uint64_t offset)
{
    struct owners *o = context;

    (void)lane;
    if (a->kind == EXECUTE_LOAD || array < 0)
        return;
    o->atomics |= a->kind != EXECUTE_STORE;
    for (uint64_t i = offset; i < offset + a->bytes; i++) {
        o->overlap |= o->of[array][i] && o->of[array][i] != cta + 1;
        o->of[array][i] = cta + 1;
    }
}

static void owners_begin(struct owners *o, const struct kernels_run *run)
{
    struct samples_case c;

    samples_begin_seeded(&c, run->sample, run->large, run->seed);
    for (unsigned i = 0; i < c.array_count; i++) {
        o->bytes[i] = samples_bytes(&c.arrays[i]);
        o->of[i] = calloc(o->bytes[i], sizeof *o->of[i]);
    }
    samples_end(&c);
}

static void owners_end(struct owners *o)
{
    for (int i = 0; i < SAMPLES_ARRAYS_MAX; i++)
        free(o->of[i]);
}

static bool same_owners(const struct owners *a, const struct owners *b)
{
    for (int i = 0; i < SAMPLES_ARRAYS_MAX; i++)
        for (size_t k = 0; k < a->bytes[i] && k < b->bytes[i]; k++)
            if (a->of[i][k] != b->of[i][k])
                return false;
    return true;
}

/* A kernel that the table splits has no atomics, and each CTA stores to separate bytes. The
   stored addresses do not depend on the data. */
static void check_verdict(const struct owners *o, const struct owners *other,
                          const struct sample *s, const char *title)
{
    if (s->verdict > SAMPLES_MAY_WRITE)
        return;
    if (o->overlap || o->atomics)
        fail_msg("%s: %s: CTAs share what they store", title, s->name);
    if (s->verdict == SAMPLES_SPLITS && !same_owners(o, other))
        fail_msg("%s: %s: where it stores depends on data", title, s->name);
}

static void run_noted(struct kernels_run run, const struct execute_program *program,
                      struct owners *o)
{
    run.watch = watch;
    run.context = o;
    owners_begin(o, &run);
    kernels_execute(&run, program);
}

static void run_seeds(struct kernels_run run, const struct execute_program *program)
{
    for (uint32_t seed = 0; seed < (run.large ? 1 : SEEDS); seed++) {
        struct owners o = {0}, other = {0};

        run.seed = seed;
        run_noted(run, program, &o);
        run.seed = seed + KERNELS_SEEDS;
        run_noted(run, program, &other);
        check_verdict(&o, &other, run.sample, run.title);
        owners_end(&o);
        owners_end(&other);
    }
}

/* Grid and cluster barriers need concurrent CTAs, which only a device runs. */
static bool runs_alone(const struct sample *s)
{
    static const char *const not_here[] = {"grid sync", "cluster"};

    for (size_t i = 0; s->refusal && i < sizeof not_here / sizeof not_here[0]; i++)
        if (!strcmp(s->refusal, not_here[i]))
            return false;
    return true;
}

static void check_print(const struct ptx_module *m, const char *text, size_t bytes,
                        const char *title)
{
    size_t printed_bytes;
    char *printed = ptx_print(m, &printed_bytes);

    if (printed_bytes != bytes || memcmp(printed, text, bytes) != 0)
        fail_msg("%s: does not come back from the parser as it was", title);
    free(printed);
}

/* Runs the kernels of the file that starts at row `first`; returns its number of rows. */
static int run_file(int first, const char *compiler, bool large, unsigned *ran)
{
    struct proact_error err = {""};
    struct ptx_module *module = NULL;
    struct execute_program *program = NULL;
    const char *file = kernels[first].file;
    char title[96];
    size_t bytes = 0;
    int count = 0;
    char *text = kernels_ptx(&kernels[first], compiler, &bytes);

    while (first + count < KERNELS_COUNT && !strcmp(kernels[first + count].file, file))
        count++;
    if (!text)
        return count;
    assert_true(kernels_compiles(compiler, &kernels[first]));
    snprintf(title, sizeof title, "%s.%s", file, compiler);
    if (ptx_parse(title, text, bytes, &module, &err) ||
        (execute_program_create(module, &program, &err) && runs_alone(&kernels[first])))
        fail_msg("%s: %s", title, err.text);
    check_print(module, text, bytes, title);
    for (int i = first; i < first + count; i++) {
        assert_non_null(ptx_function_find(module, kernels[i].name));
        if (runs_alone(&kernels[i]))
            run_seeds(
                (struct kernels_run){.sample = &kernels[i], .title = title, .large = large},
                program);
        *ran += 1;
    }
    execute_program_destroy(program);
    ptx_destroy(module);
    free(text);
    return count;
}

static void every_kernel_equals_its_reference(void **state)
{
    unsigned compilers = 0;

    for (int i = 0; kernels_compilers[i]; i++) {
        unsigned ran = 0, expected = 0;

        for (int k = 0; k < KERNELS_COUNT; k++)
            expected += kernels_compiles(kernels_compilers[i], &kernels[k]);
        for (int first = 0; first < KERNELS_COUNT;)
            first += run_file(first, kernels_compilers[i], *state != NULL, &ran);
        if (ran)
            print_message("%s: %u of %d kernels\n", kernels_compilers[i], ran,
                          KERNELS_COUNT);
        if (ran)
            assert_int_equal(ran, expected);
        compilers += ran > 0;
    }
    assert_true(compilers > 0);
}

int main(int argc, char **argv)
{
    char *large = argc > 1 && !strcmp(argv[1], "large") ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_kernel_equals_its_reference, large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
