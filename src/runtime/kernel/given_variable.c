/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/given_variable.h"

#include <proact/program.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/ptx.h"
#include "runtime/arrays/variable_array.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/provenance/stored_address.h"

struct given_variables {
    struct proact_variable *list;
    size_t count, capacity;
    uint64_t first, end; /* they contain all addresses */
};

static void given_variables_append(struct given_variables *g,
                                   const struct proact_variable *v)
{
    g->list = must_grow(g->list, g->count + 1, &g->capacity, sizeof *g->list);
    g->list[g->count++] = *v;
    if (g->count == 1 || v->address[0] < g->first)
        g->first = v->address[0];
    if (v->address[0] + v->bytes > g->end)
        g->end = v->address[0] + v->bytes;
}

/* A variable of the device-0 module. One that the driver does not know by its name has no
   address here. */
static void given_variables_add(struct given_variables *g, const struct proact *p,
                                const struct session_image *i, const struct ptx_symbol *s)
{
    struct proact_variable v = {.bytes = 0};
    struct proact_error err;

    if ((s->space != PTX_SPACE_GLOBAL && s->space != PTX_SPACE_CONST) || s->is_function ||
        s->is_extern || !s->bytes)
        return;
    for (unsigned d = 0; d < i->devices; d++)
        if (p->backend->variable(i->module[d], s->name, &v.address[d], &v.bytes, &err))
            return;
    given_variables_append(g, &v);
}

/* Arrays are parameters of the kernels that use them. */
static void given_variables_add_arrays(struct given_variables *g,
                                       const struct session_image *i,
                                       const struct ptx_function *f, const bool *leaves)
{
    for (uint32_t n = 0; n < f->parameter_count && f->is_entry; n++) {
        const struct ptx_symbol *s = &f->symbols[n];
        const struct variable_array *a =
            leaves[s->offset] ? variable_array_given(i, s) : NULL;

        if (a)
            given_variables_append(g, &(struct proact_variable){{a->array->base[0]},
                                                                .bytes = a->array->bytes,
                                                                .array = a->array});
    }
}

static void given_variables_note_initial(const struct ptx_symbol *s, bool *given)
{
    for (uint32_t n = 0; n < s->relocation_count; n++)
        if (s->relocations[n].symbol >= PTX_SYMBOL_MODULE)
            given[s->relocations[n].symbol - PTX_SYMBOL_MODULE] = true;
}

static struct given_variables *given_variables_of(const struct proact *p,
                                                  const struct session_image *i)
{
    const struct ptx_module *m = i->ptx;
    struct given_variables *g = must_calloc(1, sizeof *g);
    bool *given = must_calloc(m->symbol_count + 1u, sizeof *given);

    for (uint32_t n = 0; n < m->function_count; n++) {
        struct stored_addresses leaving = leaving_addresses_find(m, &m->functions[n]);

        for (uint32_t s = 0; s < m->symbol_count; s++)
            given[s] |= leaving.symbols[s];
        given_variables_add_arrays(g, i, &m->functions[n], leaving.hang);
        stored_addresses_clear(&leaving);
    }
    for (uint32_t s = 0; s < m->symbol_count; s++)
        given_variables_note_initial(&m->symbols[s], given);
    for (uint32_t s = 0; s < m->symbol_count; s++)
        if (given[s])
            given_variables_add(g, p, i, &m->symbols[s]);
    free(given);
    return g;
}

static const struct proact_variable *given_variable_at(const struct given_variables *g,
                                                       uint64_t address)
{
    if (address < g->first || address >= g->end)
        return NULL;
    for (size_t n = 0; n < g->count; n++)
        if (address - g->list[n].address[0] < g->list[n].bytes)
            return &g->list[n];
    return NULL;
}

const struct proact_variable *given_variable_find(const struct proact *p, uint64_t address)
{
    const struct proact_variable *v = NULL;

    for (struct session_image *i = p->images; i && !v; i = i->next) {
        if (!i->given_variables)
            i->given_variables = given_variables_of(p, i);
        v = given_variable_at(i->given_variables, address);
    }
    return v;
}

void given_variables_destroy(struct given_variables *g)
{
    if (!g)
        return;
    free(g->list);
    free(g);
}
