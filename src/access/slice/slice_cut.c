/* SPDX-License-Identifier: Apache-2.0 */
#include "access/slice/slice_cut.h"

#include <stdlib.h>

#include "access/slice/slice.h"

struct collector {
    uint32_t instruction;
    uint32_t (*pairs)[2];
    size_t count, capacity;
};

static void collect(void *context, uint32_t reg)
{
    struct collector *c = context;

    c->pairs = must_grow(c->pairs, c->count, &c->capacity, sizeof *c->pairs);
    c->pairs[c->count][0] = reg;
    c->pairs[c->count++][1] = c->instruction;
}

static void find_registers(struct slice *s)
{
    struct collector definitions = {0}, uses = {0};

    s->registers = s->f->register_count + 1;
    for (uint32_t n = 0; n < s->f->instruction_count; n++) {
        const struct ptx_instruction *i = &s->f->instructions[n];

        if (!s->reached[s->flow->block_of[n]])
            continue;
        definitions.instruction = uses.instruction = n;
        slice_visit_definitions(s, i, collect, &definitions);
        slice_visit_uses(s, i, collect, &uses);
    }
    s->definitions = slice_list_make(
        s, s->registers, (const uint32_t(*)[2])definitions.pairs, definitions.count);
    s->uses =
        slice_list_make(s, s->registers, (const uint32_t(*)[2])uses.pairs, uses.count);
    free(definitions.pairs);
    free(uses.pairs);
}

static enum proact_status analyse(struct slice *s, struct proact_error *err)
{
    enum proact_status status = slice_find_flow(s, err);

    if (status)
        return status;
    find_registers(s);
    slice_find_local(s);
    slice_find_views(s);
    slice_find_taint(s);
    if ((status = slice_find_needs(s, err)))
        return status;
    slice_find_names(s);
    return PROACT_OK;
}

enum proact_status slice_cut(const struct ptx_module *m, const struct ptx_function *f,
                             const struct write_set_options *options, struct arena *arena,
                             struct slice_result *out, struct proact_error *err)
{
    struct slice s = {.module = m,
                      .f = f,
                      .constants_known = options->constants_known,
                      .left_out = options->left_out,
                      .arena = arena};
    struct slice_result r = {0};
    enum proact_status status;

    s.registers = f->register_count + 1; /* the carry flag is the last one */
    if ((status = analyse(&s, err)))
        return status;
    r.text = slice_print(&s, &r.bytes);
    r.sites = s.sites;
    r.site_count = s.site_count;
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        r.kept += s.kept[n];
        r.reads_constants |=
            s.kept[n] && i->opcode == PTX_LD && i->space == PTX_SPACE_CONST;
    }
    *out = r;
    return PROACT_OK;
}
