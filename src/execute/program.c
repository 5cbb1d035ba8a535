/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static bool is_variable(const struct ptx_symbol *s)
{
    return !s->is_function && !s->is_extern &&
           (s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST);
}

static void variables_place(struct execute_program *p)
{
    const struct ptx_module *m = p->module;

    p->offsets = arena_alloc(&p->arena, (m->symbol_count + 1) * sizeof *p->offsets);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        const struct ptx_symbol *s = &m->symbols[n];
        size_t align = s->align ? s->align : 1;

        if (!is_variable(s))
            continue;
        p->bytes = (p->bytes + align - 1) / align * align;
        p->offsets[n] = p->bytes;
        p->bytes += s->bytes;
    }
}

enum proact_status program_create(const struct ptx_module *m, bool hoist,
                                  struct execute_program **out, struct proact_error *err)
{
    struct execute_program *p = must_calloc(1, sizeof *p);
    const char *refusal = NULL;
    bool any = false;

    p->module = m;
    variables_place(p);
    p->kernels = arena_alloc(&p->arena, (m->function_count + 1) * sizeof *p->kernels);
    for (uint32_t n = 0; n < m->function_count; n++) {
        const struct ptx_function *f = &m->functions[n];

        if (!f->is_entry)
            continue;
        struct execute_kernel *k = &p->kernels[p->kernel_count++];

        k->program = p;
        k->function = f;
        k->info = (struct execute_kernel_info){
            .name = f->name,
            .parameter_bytes = f->parameter_bytes,
            .max_threads = f->max_threads ? f->max_threads : 1024,
            .cluster = {f->cluster[0], f->cluster[1], f->cluster[2]},
            .max_cluster = f->max_cluster,
            .must_cluster = f->must_cluster,
        };
        kernel_decode(p, k, hoist);
        any |= !k->refusal;
        if (k->refusal && !refusal)
            refusal = k->refusal;
    }
    if (!any && refusal) {
        fail(err, PROACT_EREFUSED, "%s", refusal);
        execute_program_destroy(p);
        return PROACT_EREFUSED;
    }
    *out = p;
    return PROACT_OK;
}

enum proact_status execute_program_create(const struct ptx_module *m,
                                          struct execute_program **out,
                                          struct proact_error *err)
{
    return program_create(m, true, out, err);
}

void execute_program_destroy(struct execute_program *p)
{
    if (!p)
        return;
    for (uint32_t n = 0; n < p->kernel_count; n++)
        kernel_clear(&p->kernels[n]);
    arena_clear(&p->arena);
    free(p);
}

size_t execute_program_bytes(const struct execute_program *p)
{
    return p->bytes;
}

void execute_program_image(const struct execute_program *p, uint64_t address, void *into)
{
    const struct ptx_module *m = p->module;
    unsigned char *image = into;

    if (p->bytes)
        memset(image, 0, p->bytes);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        const struct ptx_symbol *s = &m->symbols[n];

        if (!is_variable(s))
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
            else if (is_variable(to))
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
        if (is_variable(&m->symbols[n]) && strcmp(m->symbols[n].name, name) == 0) {
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
