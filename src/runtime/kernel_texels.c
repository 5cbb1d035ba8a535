/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel_texels.h"

#include <stdlib.h>

#include "base/memory.h"

static uint32_t line_in(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (ptx_opcode_has_texels(f->instructions[n].opcode))
            return f->instructions[n].line;
    return 0;
}

uint32_t texels_line(const struct ptx_module *m, const struct ptx_function *kernel)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    uint32_t line = 0;

    ptx_reach(m, kernel, reached);
    for (uint32_t n = 0; n < m->function_count && !line; n++)
        if (reached[n])
            line = line_in(&m->functions[n]);
    free(reached);
    return line;
}
