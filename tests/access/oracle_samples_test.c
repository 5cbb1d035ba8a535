/* SPDX-License-Identifier: Apache-2.0 */
/* Every sample kernel from every compiler. Each access with an expression is where the
   expression states, each guard holds, and no value wraps that is assumed not to. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/oracle.h"
#include "samples/samples_ptx.h"

enum { BLOCK_BYTES = 1024, ALIGNMENT = 512, MEMORY_BYTES = 8 << 20 };

struct run {
    struct samples_case c;
    unsigned char *memory;
    size_t used;
    unsigned char *place[SAMPLES_ARRAYS_MAX];
    unsigned char parameters[BLOCK_BYTES];
    size_t bytes;
};

static unsigned char *place_bytes(struct run *r, size_t bytes)
{
    unsigned char *p = r->memory + r->used;

    r->used += (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    assert_true(r->used <= MEMORY_BYTES);
    return p;
}

static void lay_parameters(struct run *r)
{
    for (unsigned i = 0; i < r->c.parameter_count; i++) {
        const struct samples_parameter *p = &r->c.parameters[i];
        size_t align = p->bytes == 4 ? 4 : 8;

        r->bytes = (r->bytes + align - 1) / align * align;
        memcpy(r->parameters + r->bytes, p->value, p->bytes);
        if (p->array >= 0)
            memcpy(r->parameters + r->bytes, &r->place[p->array], 8);
        r->bytes += p->bytes;
    }
}

static void run_case(struct run *r, const struct sample *s, struct oracle *o)
{
    samples_begin(&r->c, s, false);
    r->memory = aligned_alloc(ALIGNMENT, MEMORY_BYTES);
    for (unsigned i = 0; i < r->c.array_count; i++) {
        size_t bytes = samples_bytes(&r->c.arrays[i]);

        r->place[i] = place_bytes(r, bytes);
        memcpy(r->place[i], r->c.arrays[i].content, bytes);
    }
    lay_parameters(r);
    int32_t *again = r->c.again < 0 ? NULL : (int32_t *)(void *)r->place[r->c.again];
    unsigned char *variables = place_bytes(r, execute_program_bytes(o->program) + 1);

    execute_program_image(o->program, (uint64_t)(uintptr_t)variables, variables);
    do {
        if (again)
            *again = 0;
        oracle_run(o, r->c.grid.ctas, r->c.grid.threads, r->parameters, r->bytes,
                   (uint64_t)(uintptr_t)variables);
    } while (again && *again);
    free(r->memory);
    samples_end(&r->c);
}

/* Returns false if there is no text of that compiler. */
static bool run_sample(const struct sample *s, const char *compiler,
                       enum oracle_fault fault, struct oracle *o)
{
    struct run r = {.used = 0};
    size_t bytes;
    char title[96], *text = samples_ptx(s, compiler, SAMPLES_PLAIN, &bytes);

    if (!text)
        return false;
    snprintf(title, sizeof title, "%s.%s", s->file, compiler);
    assert_true(oracle_open(o, title, text, bytes, s->name, fault));
    run_case(&r, s, o);
    if (fault == ORACLE_AS_IT_IS && o->first_wrong[0])
        fail_msg("%s: %s", title, o->first_wrong);
    oracle_close(o);
    free(text);
    return true;
}

static void every_sample_expression_holds(void **state)
{
    uint64_t claimed = 0, silent = 0;
    unsigned ran = 0, closed = 0, bounded = 0, unwrapped = 0;

    (void)state;
    for (int i = 0; samples_compilers[i]; i++)
        for (int j = 0; j < SAMPLES_COUNT; j++) {
            struct oracle o = {.claimed = 0};

            if (!run_sample(&samples[j], samples_compilers[i], ORACLE_AS_IT_IS, &o))
                continue;
            ran++;
            claimed += o.claimed;
            silent += o.silent;
            closed += o.closed;
            bounded += o.bounded;
            unwrapped += o.unwrapped;
            assert_int_equal(o.wrong + o.guards_wrong + o.ranges_wrong + o.bounds_wrong, 0);
        }
    print_message("%u runs, %" PRIu64 " accesses as claimed, %" PRIu64 " not claimed\n",
                  ran, claimed, silent);
    print_message("of %u forms %u are bounded, %u are sure not to wrap\n", closed, bounded,
                  unwrapped);
    assert_int_equal(ran, 4 * SAMPLES_COUNT);
    assert_int_equal(bounded, closed);
    assert_int_equal(unwrapped, closed);
}

static void a_wrong_form_is_caught(void **state)
{
    (void)state;
    for (int j = 0; j < SAMPLES_COUNT; j++) {
        struct oracle o = {.claimed = 0};

        run_sample(&samples[j], "sm_90", ORACLE_SHIFTED, &o);
        if (o.claimed != o.wrong)
            fail_msg("%s: of %" PRIu64 " shifted claims %" PRIu64 " were caught",
                     samples[j].name, o.claimed, o.wrong);
        run_sample(&samples[j], "sm_90", ORACLE_STEEPER, &o);
        assert_true(o.wrong > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_expression_holds),
        cmocka_unit_test(a_wrong_form_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
