/* SPDX-License-Identifier: Apache-2.0 */
/* Mutated samples, with lines moved, removed or changed in their registers. They run
   without memory, and every remaining expression must hold. `oracle_mutations_test N` runs
   N mutants. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/oracle.h"
#include "base/text.h"
#include "samples/samples_ptx.h"

enum { PARAMETERS_MAX = 256 };

struct chance {
    uint64_t state;
};

static uint32_t draw(struct chance *c, uint32_t below)
{
    c->state = c->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(c->state >> 33) % below;
}

/* Finds the line around an offset in the kernel. */
static void find_line(const char *text, size_t bytes, size_t at, size_t *first, size_t *end)
{
    for (*first = at; *first && text[*first - 1] != '\n';)
        --*first;
    for (*end = at; *end < bytes && text[*end] != '\n';)
        ++*end;
    *end += *end < bytes;
}

static bool is_instruction(const char *line)
{
    return line[0] == '\t' && strncmp(line, "\t.", 2) != 0;
}

/* Replaces registers by others of the same kind and number of digits, and constants. */
static void change_numbers(char *line, size_t bytes, struct chance *c)
{
    for (size_t i = 1; i < bytes; i++)
        if (line[i] >= '1' && line[i] <= '9' && strchr("rdp ", line[i - 1]) && !draw(c, 3))
            line[i] = (char)('1' + draw(c, 9));
}

static void exchange(char *text, size_t first, size_t end, size_t end2)
{
    char *copy = must_calloc(end - first, 1);

    memcpy(copy, text + first, end - first);
    memmove(text + first, text + end, end2 - end);
    memcpy(text + first + (end2 - end), copy, end - first);
    free(copy);
}

/* Removed lines become blank, so that line numbers stay the same. */
static void mutate(char *text, size_t bytes, const struct ptx_span *body, struct chance *c)
{
    size_t first, end, first2, end2;

    find_line(text, bytes, body->offset + draw(c, body->bytes), &first, &end);
    if (!is_instruction(text + first))
        return;
    switch (draw(c, 4)) {
    case 0:
        memset(text + first, ' ', end - first - 1);
        break;
    case 1:
        find_line(text, bytes, end < bytes ? end : first, &first2, &end2);
        if (first2 == end && is_instruction(text + first2))
            exchange(text, first, end, end2);
        break;
    default:
        change_numbers(text + first, end - first, c);
    }
}

static void fill_parameters(const struct ptx_function *f, unsigned char *block,
                            struct chance *c)
{
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const struct ptx_symbol *p = &f->symbols[i];
        uint64_t pointer = (UINT64_C(1) << 40) + ((uint64_t)i << 34);

        for (uint32_t at = 0; at + 4 <= p->bytes; at += 4)
            block[p->offset + at] = (unsigned char)draw(c, 60);
        if (p->bytes >= 8)
            memcpy(block + p->offset, &pointer, sizeof pointer);
    }
}

struct tally {
    uint64_t kernels, claimed;
};

static void run_mutant(const struct sample *s, const char *compiler, const char *text,
                       size_t bytes, struct chance *c, struct tally *t)
{
    static const uint32_t grid[3] = {3, 2, 1}, block[3] = {16, 4, 1};
    unsigned char parameters[PARAMETERS_MAX] = {0};
    struct oracle o;

    if (oracle_open_dry(&o, compiler, text, bytes, s->name)) {
        size_t used = o.analysis->function->parameter_bytes;

        assert_true(used <= sizeof parameters);
        fill_parameters(o.analysis->function, parameters, c);
        oracle_run(&o, grid, block, parameters, used, UINT64_C(1) << 50);
        t->kernels++;
        t->claimed += o.claimed;
        if (o.first_wrong[0]) {
            file_write("mutant.ptx", text, bytes, NULL);
            fail_msg("%s, mutant.ptx: %s", compiler, o.first_wrong);
        }
    }
    oracle_close(&o);
}

static void run_mutants(const struct sample *s, const char *compiler, uint64_t seed,
                        struct tally *t)
{
    struct chance c = {seed};
    size_t bytes;
    char *text = samples_ptx(s, compiler, SAMPLES_PLAIN, &bytes);
    struct ptx_module *m;

    assert_non_null(text);
    assert_int_equal(ptx_parse(compiler, text, bytes, &m, NULL), PROACT_OK);
    for (uint32_t n = 1 + draw(&c, 4); n; n--)
        mutate(text, bytes, &ptx_function_find(m, s->name)->body, &c);
    run_mutant(s, compiler, text, bytes, &c, t);
    ptx_destroy(m);
    free(text);
}

static void every_mutant_expression_holds(void **state)
{
    const char *rounds = *state;
    struct tally t = {0, 0};

    for (long n = rounds ? strtol(rounds, NULL, 10) : 2; n; n--)
        for (int i = 0; i < SAMPLES_COUNT; i++)
            for (int c = 0; samples_compilers[c]; c++)
                run_mutants(&samples[i], samples_compilers[c],
                            (uint64_t)n * 1000 + (uint64_t)i * 10 + (uint64_t)c, &t);
    print_message("%" PRIu64 " kernels ran, %" PRIu64 " accesses as claimed\n", t.kernels,
                  t.claimed);
    assert_true(t.kernels > 100);
    assert_true(t.claimed > 10000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(
        every_mutant_expression_holds, argc > 1 ? argv[1] : NULL)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
