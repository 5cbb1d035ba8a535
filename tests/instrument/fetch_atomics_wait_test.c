/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting loops in kernel versions with value-returning atomics on device 0's memory. A
   loop whose end depends on the returned value waits for another CTA; a loop that only
   contains such an atomic does not. Fences before reads of that memory have system
   scope. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

/* %in is only read; every access through %to is performed on device 0's memory. */
static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 to, .param .u64 in)\n{\n.reg .pred %p<4>;\n"
    ".reg .b32 %r<12>;\n.reg .b64 %rd<6>;\n.reg .b64 %to, %in;\n.shared .align 4 .b32 s;\n"
    "ld.param.u64 %to, [to];\nld.param.u64 %in, [in];\nmov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, 0;\n";

static bool goes_by_to(const struct ptx_module *m, const struct ptx_instruction *i)
{
    const struct ptx_span s = i->span;
    char text[200];

    snprintf(text, sizeof text, "%.*s", (int)s.bytes, m->text + s.offset);
    return strstr(text, "global") && strstr(text, "[%to");
}

/* Returns the text of the kernel version if is_text is set, or the reason for its
   refusal. */
static char *clone(const char *body, bool is_text)
{
    struct instrument_result result;
    struct proact_error err;
    struct ptx_module *m;
    bool there[64] = {false};
    char text[2048], *out;
    size_t bytes;

    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    if (ptx_parse("waiting.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    for (uint32_t n = 0; n < m->functions[0].instruction_count; n++)
        there[n] = goes_by_to(m, &m->functions[0].instructions[n]);
    const struct instrument_request request = {.kernel = "k",
                                               .slot_count = 2,
                                               .slot_offset = {0, 8},
                                               .flags = there,
                                               .joint = there,
                                               .only = INSTRUMENT_GRID};

    assert_int_equal(instrument_kernel(m, &request, &result, &out, &bytes, &err),
                     PROACT_OK);
    ptx_destroy(m);
    if (is_text)
        return out;
    free(out);
    return strdup(result.refusal[INSTRUMENT_GRID].text);
}

static void waits(const char *body, const char *what)
{
    char *why = clone(body, false);

    if (!strstr(why, what))
        fail_msg("'%s', not '%s': %s", why, what, body);
    free(why);
}

static void goes_on(const char *body)
{
    char *why = clone(body, false);

    if (*why)
        fail_msg("'%s': %s", why, body);
    free(why);
}

static const char atomic[] = "a loop waits for the result of this atomic";

static void polling_for_a_value_is_a_wait(void **state)
{
    (void)state;
    /* its turn, a lock, an element that may be written later */
    waits("L:\natom.global.add.u32 %r3, [%to], 0;\nsetp.ne.u32 %p1, %r3, %r1;\n"
          "@%p1 bra L;\n",
          atomic);
    waits("L:\natom.global.cas.b32 %r3, [%to], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n"
          "@%p1 bra L;\n",
          atomic);
    /* through shared memory, a select, or a return */
    waits("L:\natom.global.add.u32 %r3, [%to], 1;\nst.shared.u32 [s], %r3;\nbar.sync 0;\n"
          "ld.shared.u32 %r4, [s];\nsetp.lt.u32 %p1, %r4, 100;\n@%p1 bra L;\n",
          atomic);
    waits("L:\natom.global.add.u32 %r3, [%to], 0;\nsetp.ne.u32 %p1, %r3, %r1;\n"
          "@%p1 bra M;\nmov.u32 %r2, 1;\nM:\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;\n",
          atomic);
    waits("L:\natom.global.add.u32 %r3, [%to], 0;\nsetp.eq.u32 %p1, %r3, %r1;\n"
          "@%p1 ret;\nbra L;\n",
          atomic);
    /* through a location of other stores, in a loop with an atomic */
    waits("L:\natom.global.add.u32 %r3, [%to], 1;\nld.global.u32 %r4, [%to+4];\n"
          "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n",
          "a loop waits for the value that this load reads");
}

static void loops_that_continue_anyway_do_not_wait(void **state)
{
    (void)state;
    /* no loop */
    goes_on("atom.global.add.u32 %r3, [%to], 1;\n");
    /* a list of constant length, and a loop exit that depends on its elements */
    goes_on(
        "L:\natom.global.add.u32 %r3, [%to], 1;\nst.global.u32 [%to+8], %r3;\n"
        "ld.global.u32 %r4, [%in+4];\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r4;\n"
        "@%p1 bra L;\n");
    goes_on("L:\natom.global.min.u32 %r3, [%to], %r2;\nsetp.le.u32 %p1, %r3, %r2;\n"
            "@%p1 bra M;\natom.global.add.u32 %r5, [%to+4], 1;\nM:\n"
            "ld.global.u32 %r4, [%in];\nsetp.eq.u32 %p2, %r4, 9;\n@%p2 bra E;\n"
            "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 50;\n@%p3 bra L;\nE:\n");
}

/* A CTA that reads a value of another device may then read data that the device wrote
   before. */
static void fences_have_system_scope(void **state)
{
    char *text = clone("membar.gl;\nred.global.add.u32 [%to], 1;\nfence.acq_rel.gpu;\n"
                       "ld.volatile.global.u32 %r3, [%to+4];\n",
                       true);

    (void)state;
    assert_non_null(strstr(text, "membar.sys;"));
    assert_non_null(strstr(text, "fence.acq_rel.sys;"));
    assert_null(strstr(text, "membar.gl;"));
    assert_non_null(strstr(text, "red.sys.global.add.u32 [%proact_d0+0], 1;"));
    assert_non_null(strstr(text, "ld.volatile.global.u32 %r3, [%proact_d0+4];"));
    free(text);
}

/* Ordered atomics have system scope too. An atomic with an order stays even if it changes
   nothing. */
static void orders_of_atomics_stay(void **state)
{
    char *text = clone("fence.sc.gpu;\natom.global.acquire.gpu.add.u32 %r3, [%to], 1;\n"
                       "red.release.gpu.global.or.b32 [%to+4], 1;\n",
                       true);

    (void)state;
    assert_non_null(strstr(text, "fence.sc.sys;"));
    assert_non_null(strstr(text, ".acquire.sys.add.u32 %r3, [%proact_d0+0], 1;"));
    assert_non_null(strstr(text, "red.release.sys.global.or.b32 [%proact_d0+4], 1;"));
    assert_null(strstr(text, "ld.volatile"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polling_for_a_value_is_a_wait),
        cmocka_unit_test(loops_that_continue_anyway_do_not_wait),
        cmocka_unit_test(fences_have_system_scope),
        cmocka_unit_test(orders_of_atomics_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
