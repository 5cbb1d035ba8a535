/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared parts of the tests of the ptx component. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ptx/ptx.h"

#define PTX_HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

/* Parses the text; fails the test with the parser's message. */
static inline struct ptx_module *must_parse(const char *text)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;

    if (ptx_parse("test.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

/* Parses a kernel `k` with these statements, 9 registers of each common type, and a few
   symbols. */
static inline struct ptx_module *must_parse_body(const char *body)
{
    struct text t = {0};

    text_print(&t,
               PTX_HEAD ".global .u32 g[4];\n.extern .shared .align 16 .b8 s[];\n"
                        ".func (.param .b32 r) callee (.param .b32 a);\n"
                        ".entry k(.param .u64 p0, .param .u32 p1)\n{\n"
                        ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>;\n"
                        ".reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n%s\n}\n",
               body);
    struct ptx_module *m = must_parse(t.data);

    text_clear(&t);
    return m;
}
