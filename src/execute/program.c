/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a loaded program (load/program_load.c loads it). */
#include "execute/program.h"

#include <string.h>

size_t execute_program_bytes(const struct execute_program *p)
{
    return p->bytes;
}

void execute_program_image(const struct execute_program *p, uint64_t address, void *into)
{
    if (p->bytes)
        memset(into, 0, p->bytes);
    execute_program_initialize(p, address, into);
}

const char *execute_largest_variable(const struct execute_program *p, uint64_t *bytes)
{
    const struct ptx_module *m = p->module;
    const char *name = NULL;

    *bytes = 0;
    for (uint32_t n = 0; n < m->symbol_count; n++)
        if (program_is_variable(&m->symbols[n]) && m->symbols[n].bytes > *bytes) {
            name = m->symbols[n].name;
            *bytes = m->symbols[n].bytes;
        }
    return name;
}

void execute_program_initialize(const struct execute_program *p, uint64_t address,
                                void *into)
{
    const struct ptx_module *m = p->module;
    unsigned char *image = into;

    for (uint32_t n = 0; n < m->symbol_count; n++) {
        const struct ptx_symbol *s = &m->symbols[n];

        if (!program_is_variable(s))
            continue;
        if (s->initial)
            memcpy(image + p->offsets[n], s->initial, s->bytes);
        for (uint32_t k = 0; k < s->relocation_count; k++) {
            int32_t target = s->relocations[k].symbol;
            uint64_t value = (uint64_t)s->relocations[k].addend;

            if (target >= PTX_SYMBOL_MODULE)
                target -= PTX_SYMBOL_MODULE;
            if (target < 0 || (uint32_t)target >= m->symbol_count)
                continue;
            const struct ptx_symbol *to = &m->symbols[target];

            if (to->is_function && to->function >= 0)
                value += EXECUTE_FUNCTION(to->function);
            else if (program_is_variable(to))
                value += address + p->offsets[target];
            else
                continue;
            memcpy(image + p->offsets[n] + s->relocations[k].at, &value, sizeof value);
        }
    }
}

bool execute_variable(const struct execute_program *p, const char *name, size_t *offset,
                      size_t *bytes)
{
    const struct ptx_module *m = p->module;

    for (uint32_t n = 0; n < m->symbol_count; n++)
        if (program_is_variable(&m->symbols[n]) && strcmp(m->symbols[n].name, name) == 0) {
            *offset = p->offsets[n];
            *bytes = m->symbols[n].bytes;
            return true;
        }
    return false;
}

bool execute_launches(const struct execute_program *p)
{
    return p->launches;
}

bool execute_allocates(const struct execute_program *p)
{
    return p->allocates;
}

static const struct execute_kernel *kernel_named(const struct execute_program *p,
                                                 const char *name)
{
    for (uint32_t n = 0; n < p->kernel_count; n++)
        if (strcmp(p->kernels[n].info.name, name) == 0)
            return &p->kernels[n];
    return NULL;
}

const struct execute_kernel *execute_kernel_find(const struct execute_program *p,
                                                 const char *name)
{
    const struct execute_kernel *k = kernel_named(p, name);

    return k && !k->refusal ? k : NULL;
}

const char *execute_kernel_refusal(const struct execute_program *p, const char *name)
{
    const struct execute_kernel *k = kernel_named(p, name);

    return k ? k->refusal : NULL;
}

struct execute_kernel_info execute_kernel_info(const struct execute_kernel *k)
{
    return k->info;
}
