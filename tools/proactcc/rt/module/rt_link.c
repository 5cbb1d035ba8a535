/* SPDX-License-Identifier: Apache-2.0 */
/* Device code with calls. The PTX of several objects becomes one module, and functions are
   inlined into their callers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "ptx/link/ptx_link.h"
#include "rt/rt.h"

/* Names of CUDA's device runtime, through which kernels launch kernels. */
static const char *const of_device_runtime[] = {"'__cudaCDP", "'cudaGetParameterBuffer",
                                                "'cudaLaunchDevice"};

void rt_put_in(struct proact_image *ptx)
{
    if (ptx->bytes > INSTRUMENT_INLINE_BYTES_MAX)
        return;
    char *text = must_strndup(ptx->text, ptx->bytes);

    /* A kernel with calls runs, but it can rarely be split. */
    if (!strstr(text, "call") || instrument_inline("program", &text, &ptx->bytes, NULL)) {
        free(text);
        return;
    }
    ptx->text = text;
}

static enum proact_status explain(enum proact_status status, struct proact_error *err)
{
    for (size_t i = 0; i < sizeof of_device_runtime / sizeof *of_device_runtime; i++)
        if (status && strstr(err->text, of_device_runtime[i]))
            return fail(err, status, "a kernel launches kernels, which is not supported");
    return status;
}

enum proact_status rt_link(const struct proact_image *objects, size_t count,
                           struct proact_image *out, struct proact_error *err)
{
    struct ptx_module **modules = must_calloc(count + 1, sizeof(struct ptx_module *));
    enum proact_status status = PROACT_OK;
    size_t bytes = 0;
    char *text = NULL;

    for (size_t i = 0; i < count && !status; i++) {
        char name[32];

        snprintf(name, sizeof name, "object %zu", i + 1);
        status = ptx_parse(name, objects[i].text, objects[i].bytes, &modules[i], err);
    }
    if (!status)
        status = explain(
            ptx_link((const struct ptx_module *const *)modules, count, &text, &bytes, err),
            err);
    /* A kernel with calls runs, but it can rarely be split. */
    if (!status)
        instrument_inline("the linked objects", &text, &bytes, NULL);
    for (size_t i = 0; i < count; i++)
        ptx_destroy(modules[i]);
    free(modules);
    if (status) {
        free(text);
        return status;
    }
    out->text = text;
    out->bytes = bytes;
    return PROACT_OK;
}
