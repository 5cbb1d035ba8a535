/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs the kernel `k(.param .u64 out)` of a text on emulated devices: alone, and over four
   of them, with what the analysis and the kernel versions make of it. Thread i of the grid
   writes word i of `out`. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <proact/proact.h>

#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"
#include "ptx/ptx.h"

enum { MODULE_CTAS = 8, MODULE_THREADS = 64, MODULE_WORDS = MODULE_CTAS * MODULE_THREADS };

#define MODULE_HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
/* p: the thread's word; i: its index in the grid; t: its index in the CTA. */
#define MODULE_KERNEL                                                                      \
    ".visible .entry k(.param .u64 out)\n{\n"                                              \
    ".reg .b32 t, c, n, i; .reg .b64 p, q;\n"                                              \
    "ld.param.u64 p, [out]; mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x;\n" \
    "mad.lo.u32 i, c, n, t; mul.wide.u32 q, i, 4; add.u64 p, p, q;\n"

struct module_case {
    const char *name, *text; /* after MODULE_HEAD */
    uint32_t (*expected)(uint32_t i);
    bool is_inlined; /* a plain launch of the text itself is refused: a function stores */
};

static inline void module_must(enum proact_status status, const char *name,
                               const struct proact_error *err)
{
    if (status)
        fail_msg("%s: %s", name, err->text);
}

/* The printed text is the text. */
static inline void module_returns(const struct module_case *c, const char *text)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    size_t bytes;

    module_must(ptx_parse(c->name, text, strlen(text), &m, &err), c->name, &err);
    char *printed = ptx_print(m, &bytes);

    assert_string_equal(printed, text);
    free(printed);
    ptx_destroy(m);
}

static inline void module_run(const struct module_case *c, const char *text,
                              unsigned devices)
{
    struct proact_error err = {""};
    struct proact *p = NULL;
    struct proact_array *out = NULL;
    struct proact_kernel *kernel = NULL;
    uint32_t words[MODULE_WORDS] = {0};
    const struct proact_image image = {
        .name = c->name, .text = text, .bytes = strlen(text)};
    const struct proact_grid grid = {.ctas = {MODULE_CTAS}, .threads = {MODULE_THREADS}};
    const struct proact_options options = {
        .machine = "h200x4", .device_count = devices, .check = true};

    module_must(proact_open(&options, &p, &err), c->name, &err);
    module_must(
        proact_array_create(p, &(struct proact_shape){"out", MODULE_WORDS, 4}, &out, &err),
        c->name, &err);
    module_must(proact_array_write(out, 0, words, MODULE_WORDS, &err), c->name, &err);
    module_must(proact_kernel_load(p, &image, "k", &kernel, &err), c->name, &err);
    module_must(
        proact_launch(kernel, &grid, (struct proact_arg[]){PROACT_ARRAY(out)}, 1, &err),
        c->name, &err);
    module_must(proact_array_read(out, 0, words, MODULE_WORDS, &err), c->name, &err);
    for (uint32_t i = 0; i < MODULE_WORDS; i++)
        if (words[i] != c->expected(i))
            fail_msg("%s on %u devices: word %u is %u, not %u", c->name, devices, i,
                     words[i], c->expected(i));
    proact_kernel_destroy(kernel);
    proact_array_destroy(out);
    proact_close(p);
}

static inline void module_check(const struct module_case *c)
{
    struct text text = {NULL, 0, 0};
    struct proact_error err = {""};

    text_print(&text, "%s%s", MODULE_HEAD, c->text);
    module_returns(c, text.data);
    for (unsigned devices = 1; devices <= 4 && !c->is_inlined; devices += 3)
        module_run(c, text.data, devices);
    size_t bytes = text.length;
    char *inlined = must_strndup(text.data, bytes);

    module_must(instrument_inline(c->name, &inlined, &bytes, &err), c->name, &err);
    module_run(c, inlined, 1);
    module_run(c, inlined, 4);
    free(inlined);
    text_clear(&text);
}
