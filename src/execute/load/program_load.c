/* SPDX-License-Identifier: Apache-2.0 */
/* Loading of a module: its variables are laid out, and its kernels are decoded. */
#include <stdlib.h>

#include "base/fail.h"
#include "execute/program.h"

static void variables_place(struct execute_program *p)
{
    const struct ptx_module *m = p->module;

    p->offsets = arena_alloc(&p->arena, (m->symbol_count + 1) * sizeof *p->offsets);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        const struct ptx_symbol *s = &m->symbols[n];
        size_t align = s->align ? s->align : 1;

        if (!program_is_variable(s))
            continue;
        p->bytes = (p->bytes + align - 1) / align * align;
        p->offsets[n] = p->bytes;
        p->bytes += s->bytes;
    }
}

enum proact_status program_create(const struct ptx_module *m, unsigned capability,
                                  bool hoist, struct execute_program **out,
                                  struct proact_error *err)
{
    struct execute_program *p = must_calloc(1, sizeof *p);
    const char *refusal = NULL;
    bool any = false;

    p->module = m;
    p->capability = capability;
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
    return program_create(m, 0, true, out, err);
}

enum proact_status execute_program_create_for(const struct ptx_module *m,
                                              unsigned capability,
                                              struct execute_program **out,
                                              struct proact_error *err)
{
    return program_create(m, capability, true, out, err);
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
