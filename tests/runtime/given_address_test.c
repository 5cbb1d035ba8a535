/* SPDX-License-Identifier: Apache-2.0 */
/* Parameter bytes at which a pointer may begin, for kernels that load them in different
   ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/provenance/given_address.h"

static const struct {
    const char *body, *begins; /* expected offsets */
} bodies[] = {
    /* { float *x; short n; } */
    {"ld.param.u64 %rd1, [s]; ld.param.u16 %h1, [s+8];", "0"},
    {"ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+16];", "0 16"},
    {"ld.param.v2.u64 {%rd1, %rd2}, [s+8];", "8 16"},
    {"ld.param.v2.u32 {%r1, %r2}, [s];", ""}, /* two numbers that no instruction joins */
    {"ld.param.u32 %r1, [s]; ld.param.u32 %r2, [s+4]; mov.b64 %rd1, {%r1, %r2};", "0"},
    {"ld.param.u32 %r1, [s]; mov.b64 %rd1, {%r1, %r1};", ""},
    {"ld.param.v2.u32 {%r1, %r2}, [s]; st.local.u32 [%rd3], %r1;", "0"},
    {"ld.param.v2.u32 {%r1, %r2}, [s]; or.b64 %rd1, %rd2, %rd3;", "0"},
    {"ld.param.v2.u32 {%r1, %r2}, [s]; shl.b64 %rd1, %rd2, 32;", "0"},
    {"ld.param.v2.u32 {%r1, %r2}, [s]; shl.b64 %rd1, %rd2, 2; or.b32 %r3, %r1, %r2;", ""},
    {"ld.param.v2.u32 {%r1, %r2}, [s]; st.global.u32 [%rd3], %r1;", ""},
    {"ld.param.v4.u16 {%h1, %h2, %h3, %h4}, [s+8];", "8"},
    {"mov.b64 %rd1, t; ld.param.u16 %h1, [s];", "24 25 26 27 28 29 30 31"},
    {"ld.param.u32 %r1, [t+4];", ""},
};

static void values_loaded_as_pointers_may_be_pointers(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        struct text all = {0}, got = {0};
        struct proact_error err = {""};
        struct ptx_module *m = NULL;

        text_print(&all,
                   ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry "
                   "k(.param .align 8 .b8 s[24], .param .u64 t)\n{\n.reg .b16 %%h<5>; .reg "
                   ".b32 %%r<5>; .reg .b64 %%rd<5>;\n%s\nret;\n}\n",
                   bodies[n].body);
        if (ptx_parse("k", all.data, all.length, &m, &err))
            fail_msg("%s", err.text);
        bool *begins = given_addresses_find(&m->functions[0]);

        for (uint32_t at = 0; at < m->functions[0].parameter_bytes; at++)
            if (begins[at])
                text_print(&got, "%s%u", got.length ? " " : "", (unsigned)at);
        if (strcmp(got.data ? got.data : "", bodies[n].begins) != 0)
            fail_msg("%s: addresses at '%s', not '%s'", bodies[n].body, got.data,
                     bodies[n].begins);
        free(begins);
        ptx_destroy(m);
        text_clear(&all);
        text_clear(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_loaded_as_pointers_may_be_pointers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
