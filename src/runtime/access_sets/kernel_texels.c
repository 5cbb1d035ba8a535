/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/kernel_texels.h"

#include <stdlib.h>

#include "base/memory.h"

static void look_in(const struct ptx_function *f, struct kernel_texels *out)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (!ptx_opcode_has_texels(i->opcode))
            continue;
        if (!out->line)
            out->line = i->line;
        out->writes |= i->opcode == PTX_SUST || i->opcode == PTX_SURED;
    }
}

struct kernel_texels *kernel_texels_find(const struct ptx_module *m,
                                         const struct ptx_function *kernel)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    struct kernel_texels found = {.line = 0}, *t;

    ptx_reach(m, kernel, reached);
    for (uint32_t n = 0; n < m->function_count; n++)
        if (reached[n])
            look_in(&m->functions[n], &found);
    free(reached);
    if (!found.line)
        return NULL;
    t = must_calloc(1, sizeof *t);
    *t = found;
    instrument_textures(m, kernel, &t->textures);
    return t;
}

void kernel_texels_destroy(struct kernel_texels *t)
{
    if (!t)
        return;
    free(t->textures.offsets);
    free(t);
}
