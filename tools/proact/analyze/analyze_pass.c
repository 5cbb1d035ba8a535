/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_kernel.h"
#include "base/fail.h"
#include "command.h"

static int print_parse(const struct ptx_module *m)
{
    size_t bytes;
    char *text = ptx_print(m, &bytes);

    fwrite(text, 1, bytes, stdout);
    free(text);
    return EXIT_FINE;
}

/* Prints the refusal with source lines, as for a kernel. */
static int pass_print_refusal(const struct ptx_module *m, const struct proact_error *why)
{
    struct proact_error failure;
    char *text = ptx_with_sources(m, why->text);

    fail(&failure, PROACT_EREFUSED, "%s", text);
    free(text);
    return failure_exit(&failure);
}

static int print_slice(const struct analyze_kernel *k)
{
    if (!k->slice)
        return pass_print_refusal(k->module, &k->uncut);
    struct write_set_slice_info info = write_set_slice_info(k->slice);

    fwrite(info.text, 1, info.text_bytes, stdout);
    return EXIT_FINE;
}

/* True for another kernel version of the same kernel. */
static bool is_other_clone(const char *name, const char *kernel,
                           enum instrument_clone clone)
{
    size_t length = strlen(kernel);

    if (strncmp(name, kernel, length) != 0)
        return false;
    for (int c = 0; c < INSTRUMENT_CLONES; c++)
        if (c != (int)clone &&
            strcmp(name + length, instrument_suffix((enum instrument_clone)c)) == 0)
            return true;
    return false;
}

static int print_clone(const struct analyze_kernel *k, enum instrument_clone clone)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    uint32_t from = 0;

    if (k->clones.refusal[clone].text[0])
        return pass_print_refusal(k->module, &k->clones.refusal[clone]);
    if (ptx_parse(k->module->name, k->text, strlen(k->text), &m, &err))
        return failure_exit(&err);
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];

        if (!is_other_clone(f->name, k->f->name, clone))
            continue;
        fwrite(m->text + from, 1, f->span.offset - from, stdout);
        from = f->span.offset + f->span.bytes;
    }
    fwrite(m->text + from, 1, m->bytes - from, stdout);
    ptx_destroy(m);
    return EXIT_FINE;
}

static const char *const passes[] = {"parse", "slice", "grid", "inline",
                                     "count", "send",  "stage"};
enum { PASSES = sizeof passes / sizeof *passes, PASS_PARSE = 0, PASS_SLICE = 1 };

int analyze_stop_after(const char *pass, bool reassociate_floats,
                       const struct ptx_module *m, const struct ptx_function *f)
{
    struct analyze_kernel k;
    int which = 0, code;

    while (which < PASSES && strcmp(passes[which], pass) != 0)
        which++;
    if (which == PASSES)
        return usage_error(
            "analyze",
            "no pass '%s': the passes are parse, slice, grid, inline, count, send "
            "and stage",
            pass);
    if (which == PASS_PARSE)
        return print_parse(m);
    if (!f)
        return usage_error("analyze", "--stop-after %s is for one kernel: add --kernel",
                           pass);
    analyze_kernel_open(&k, m, f, reassociate_floats);
    code = which == PASS_SLICE ? print_slice(&k)
                               : print_clone(&k, (enum instrument_clone)(which - 2));
    analyze_kernel_close(&k);
    return code;
}
