/* SPDX-License-Identifier: Apache-2.0 */
/* Epilogues with child launches. The text of kernels/child.cu precedes the module's
   functions, and calls replace the comments that <proact/device_epilogue.h> left for
   them. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "instrument/instrument.h"

extern const char kernel_child[]; /* PTX that proact_kernel() embeds */

/* Names that kernels/child.cu uses before their definition: CUDA's device runtime and the
   child kernel. */
static const char declarations[] =
    ".visible .entry proact_child(.param .align 8 .b8 proact_child_param_0[16]);\n"
    ".extern .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2\n"
    "\t(.param .b64 kernel, .param .align 4 .b8 grid[12],\n"
    "\t.param .align 4 .b8 block[12], .param .b32 shared);\n"
    ".extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2\n"
    "\t(.param .b64 buffer, .param .b64 stream);\n";

enum { REGISTER = 24 };
static const char mark[] = "/* proact_launch_child ";

/* Registers of the annotated call: answer, work, slot, chunk. */
struct annotated_call {
    char reg[4][REGISTER];
};

static bool read_mark(const char *at, struct annotated_call *c)
{
    int read = 0;

    return sscanf(at + sizeof mark - 1, "%23s %23s %23s %23s */%n", c->reg[0], c->reg[1],
                  c->reg[2], c->reg[3], &read) == 4 &&
           read > 0;
}

static void add_call(struct text *text, const struct annotated_call *c)
{
    text_print(text,
               "{\n\t.param .b64 proact_c0;\n\t.param .b32 proact_c1, proact_c2, "
               "proact_c3;\n\tst.param.b64 [proact_c0], %s;\n\t"
               "st.param.b32 [proact_c1], %s;\n\tst.param.b32 [proact_c2], %s;\n\t"
               "call.uni (proact_c3), proact_launch_child, "
               "(proact_c0, proact_c1, proact_c2);\n\t"
               "ld.param.b32 %s, [proact_c3];\n\t}",
               c->reg[1], c->reg[2], c->reg[3], c->reg[0]);
}

/* The text after the module header. */
static const char *child_body(void)
{
    const char *head = strstr(kernel_child, ".address_size");

    return head ? strchr(head, '\n') : "";
}

char *instrument_children(const struct ptx_module *m, size_t *bytes)
{
    size_t first = m->function_count ? m->functions[0].span.offset : m->bytes;
    const char *at = m->text + first, *next;
    struct text text = {0};
    struct annotated_call call;

    text_add(&text, m->text, first);
    text_print(&text, "%s%s\n", declarations, child_body());
    for (; (next = strstr(at, mark)) && read_mark(next, &call);
         at = strstr(next, "*/") + 2) {
        text_add(&text, at, (size_t)(next - at));
        add_call(&text, &call);
    }
    text_add(&text, at, m->bytes - (size_t)(at - m->text));
    *bytes = text.length;
    return text.data;
}
