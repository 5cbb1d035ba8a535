/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/unsplittable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/kernel_texels.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/provenance/found_address.h"
#include "runtime/variables/module_variable.h"

/* The host writes to a managed variable without a call. */
static enum proact_status refuse_managed(const struct proact_kernel *k,
                                         struct proact_error *err)
{
    uint32_t line = 0;
    const struct ptx_symbol *s = module_managed_variable(k->image->ptx, k->ptx, &line);

    return !s ? PROACT_OK
              : fail(err, PROACT_EREFUSED,
                     "kernel '%s', %s:%" PRIu32 ": it uses managed variable '%s', and "
                     "each device has its own copy",
                     k->name, k->image->ptx->name, line, s->name);
}

static enum proact_status refuse_large(const struct proact_kernel *k,
                                       struct proact_error *err)
{
    uint32_t line = 0;
    const struct ptx_symbol *s = module_large_variable(k->image->ptx, k->ptx, &line);

    return !s ? PROACT_OK
              : fail(err, PROACT_EREFUSED,
                     "kernel '%s', %s:%" PRIu32 ": it uses variable '%s' of %" PRIu64
                     " bytes, and variables of more than %" PRIu32
                     " bytes have no copies on other devices",
                     k->name, k->image->ptx->name, line, s->name, s->bytes, UINT32_MAX);
}

static uint32_t prints_in(const struct ptx_module *m, const struct ptx_function *f)
{
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];

        for (uint32_t o = 0; in->opcode == PTX_CALL && o < in->operand_count; o++)
            if (in->operands[o].kind == PTX_SYMBOL &&
                strcmp(ptx_symbol(m, f, in->operands[o].symbol)->name, "vprintf") == 0)
                return in->line;
    }
    return 0;
}

/* Line at which the kernel or a callee prints; 0: none. */
static uint32_t prints_at(const struct ptx_module *m, const struct ptx_function *f)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    uint32_t line = 0;

    ptx_reach(m, f, reached);
    for (uint32_t i = 0; i < m->function_count && !line; i++)
        if (reached[i])
            line = prints_in(m, &m->functions[i]);
    free(reached);
    return line;
}

enum proact_status unsplittable(const struct proact_kernel *k, struct proact_error *err)
{
    enum proact_status status;

    if (k->texels && k->texels->textures.why)
        return fail(err, PROACT_EREFUSED, "kernel '%s', %s:%" PRIu32 ": %s", k->name,
                    k->image->ptx->name, k->texels->textures.line, k->texels->textures.why);
    if (!k->may_write)
        return fail(err, PROACT_EREFUSED, "kernel '%s' writes to no array", k->name);
    status = refuse_managed(k, err);

    return status ? status : refuse_large(k, err);
}

enum proact_status unsplittable_in_program(const struct proact_kernel *k,
                                           struct proact_error *err)
{
    const char *file = k->image->ptx->name;
    uint32_t line = found_address_line(k->image->ptx, k->ptx);

    if (line)
        return fail(
            err, PROACT_EREFUSED,
            "kernel '%s', %s:%" PRIu32
            ": it loads values that may be pointers, which are valid on device 0 only",
            k->name, file, line);
    if ((line = prints_at(k->image->ptx, k->ptx)))
        return fail(
            err, PROACT_EREFUSED,
            "kernel '%s', %s:%" PRIu32
            ": it prints, and several devices would not keep the order of the output",
            k->name, file, line);
    return PROACT_OK;
}
