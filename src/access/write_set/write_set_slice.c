/* SPDX-License-Identifier: Apache-2.0 */
#include "access/slice/write_set_slice.h"

#include <stdlib.h>
#include <string.h>

#include "access/closed/closed_map.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/text.h"

static void find_lines(struct write_set_slice *s)
{
    s->line_count = 2;
    for (size_t n = 0; n < s->cut.bytes; n++)
        s->line_count += s->cut.text[n] == '\n';
    s->site_of = arena_alloc(&s->arena, s->line_count * sizeof *s->site_of);
    s->is_exact = true;
    for (uint32_t n = 0; n < s->cut.site_count; n++) {
        s->is_exact &= !s->cut.sites[n].is_may;
        s->site_of[s->cut.sites[n].slice_line] = n + 1;
    }
    s->site_of[0] = 0;
    for (uint32_t n = 1; n < s->line_count; n++) /* a site may take several lines */
        if (!s->site_of[n])
            s->site_of[n] = s->site_of[n - 1];
}

static void find_variables(struct write_set_slice *s)
{
    const struct ptx_module *m = s->module;

    s->variables = arena_alloc(&s->arena, (m->symbol_count + 1) * sizeof *s->variables);
    for (uint32_t n = 0; n < m->symbol_count; n++) {
        struct slice_variable *v = &s->variables[s->variable_count];
        size_t offset, bytes;

        if (m->symbols[n].is_function ||
            !execute_variable(s->program, m->symbols[n].name, &offset, &bytes))
            continue;
        v->name = m->symbols[n].name;
        v->offset = offset;
        v->bytes = bytes;
        v->is_constant = m->symbols[n].space == PTX_SPACE_CONST;
        s->variable_count++;
    }
}

/* Parameters that the slice reads. Where it takes an address, it may read the complete
   parameter. */
static void find_parameters(struct write_set_slice *s)
{
    const struct ptx_function *f = ptx_function_find(s->module, s->name);

    s->parameters = arena_alloc(&s->arena, f->parameter_bytes + 1u);
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        for (uint32_t k = 0; k < i->operand_count; k++) {
            const struct ptx_operand *o = &i->operands[k];

            if ((o->kind != PTX_MEMORY && o->kind != PTX_SYMBOL) || o->symbol < 0 ||
                o->symbol >= (int32_t)f->parameter_count)
                continue;
            const struct ptx_symbol *p = &f->symbols[o->symbol];
            bool part = o->kind == PTX_MEMORY;
            uint64_t from = part ? (uint64_t)o->integer : 0;
            uint64_t bytes =
                part ? ptx_type_bytes(i->type) * (uint64_t)i->vector : p->bytes;

            for (uint64_t at = p->offset + from;
                 at < p->offset + from + bytes && at < f->parameter_bytes; at++)
                s->parameters[at] = true;
        }
    }
}

static enum proact_status make_ready(struct write_set_slice *s, struct proact_error *err)
{
    enum proact_status status =
        ptx_parse(s->name, s->cut.text, s->cut.bytes, &s->module, err);

    if (status)
        return status;
    if ((status = execute_program_create(s->module, &s->program, err)))
        return status;
    s->executable = execute_kernel_find(s->program, s->name);
    s->reads_shared_window = strstr(s->cut.text, "%dynamic_smem_size") != NULL;
    find_lines(s);
    find_variables(s);
    find_parameters(s);
    s->moves = write_set_moves_find(ptx_function_find(s->module, s->name));
    s->closed = closed_map_create(s->module, ptx_function_find(s->module, s->name));
    for (unsigned n = 0; n < 2; n++)
        s->hash[n] = hash_bytes(s->cut.text, s->cut.bytes, hash_mix(n + 1));
    return PROACT_OK;
}

enum proact_status write_set_slice_create(const struct ptx_module *m, const char *kernel,
                                          const struct write_set_options *options,
                                          struct write_set_slice **out,
                                          struct proact_error *err)
{
    static const struct write_set_options plain = {.left_out = NULL};
    const struct ptx_function *f = ptx_function_find(m, kernel);
    enum proact_status status;

    if (!f || !f->is_entry)
        return fail(err, PROACT_EINVAL, "%s has no kernel '%s'", m->name, kernel);
    if (m->address_bits != 64)
        return fail(err, PROACT_EREFUSED, "kernel '%s', %s: addresses have %u bits, not 64",
                    kernel, m->name, m->address_bits);
    if (!f->instruction_count)
        return fail(err, PROACT_EREFUSED, "kernel '%s', %s: it has no instructions", kernel,
                    m->name);
    struct write_set_slice *s = must_calloc(1, sizeof *s);
    struct text name = {0};

    text_print(&name, "%s__proact_slice", kernel);
    s->name = name.data;
    s->kernel = must_strdup(kernel);
    s->file = must_strdup(m->name);
    s->instructions = f->instruction_count;
    if ((status = slice_cut(m, f, options ? options : &plain, &s->arena, &s->cut, err)) ||
        (status = make_ready(s, err))) {
        write_set_slice_destroy(s);
        return status;
    }
    *out = s;
    return PROACT_OK;
}

void write_set_slice_destroy(struct write_set_slice *s)
{
    if (!s)
        return;
    closed_map_destroy(s->closed);
    execute_program_destroy(s->program);
    ptx_destroy(s->module);
    free(s->cut.text);
    free(s->kernel);
    free(s->name);
    free(s->file);
    arena_clear(&s->arena);
    free(s);
}

struct write_set_slice_info write_set_slice_info(const struct write_set_slice *s)
{
    return (struct write_set_slice_info){.kernel = s->kernel,
                                         .name = s->name,
                                         .text = s->cut.text,
                                         .text_bytes = s->cut.bytes,
                                         .is_exact = s->is_exact,
                                         .reads_constants = s->cut.reads_constants,
                                         .sites = s->cut.sites,
                                         .site_count = s->cut.site_count,
                                         .kept = s->cut.kept,
                                         .instructions = s->instructions};
}
