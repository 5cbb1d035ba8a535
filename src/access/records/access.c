/* SPDX-License-Identifier: Apache-2.0 */
#include "access/access.h"
#include "access/conditions/choices.h"
#include "access/conditions/guards.h"
#include "access/form/range.h"
#include "access/records/records.h"
#include "access/values/resolve.h"
#include "access/values/walk.h"

#include <stdlib.h>

static void find_above(struct study *s, const struct access_range *ranges, uint32_t count,
                       bool *found)
{
    for (uint32_t n = 0; n < count; n++) {
        const int32_t block = ranges[n].block;

        if (block < 0 || found[block])
            continue;
        found[block] = true;
        s->analysis->above[block] = choices_above(s, (uint32_t)block);
    }
}

static void find_all_above(struct study *s)
{
    struct access_analysis *a = s->analysis;
    const uint32_t blocks = s->regions->flow->block_count;
    bool *found = must_calloc(blocks, sizeof *found);
    uint32_t ways;

    a->above = arena_alloc(&a->arena, blocks * sizeof *a->above);
    for (uint32_t r = 0; r < a->record_count; r++) {
        const struct access_record *way = access_either(&a->records[r], &ways);

        for (uint32_t n = 0; n < ways; n++)
            find_above(s, way[n].ranges, way[n].range_count, found);
    }
    free(found);
}

/* Keeps the assumptions that arose while forms were resolved. Their instructions are
   unknown, so they apply to all records. Resolution here may add further ones. */
static void keep_demands(struct study *s, uint32_t first)
{
    struct access_analysis *a = s->analysis;
    uint32_t room = 0;

    for (uint32_t i = first; i < s->maker.range_count; i++) {
        const struct access_form *f = resolve_form(s, s->maker.ranges[i].form, 0);

        if (f)
            s->maker.ranges[i].form = f;
    }
    room = s->maker.range_count - first;
    a->ranges = arena_alloc(&a->arena, room * sizeof *a->ranges);
    for (uint32_t i = 0; i < room; i++) {
        const struct access_range *r = &s->maker.ranges[first + i];
        const struct range_view any = {.symbols = s->maker.forms.symbols};

        if (!range_fits(&any, r->form, r->bits, r->is_signed))
            a->ranges[a->range_count++] = *r;
    }
}

struct access_analysis *access_analyze(const struct ptx_module *m,
                                       const struct ptx_function *f)
{
    struct access_analysis *a = must_calloc(1, sizeof *a);
    struct study s = {
        .analysis = a, .module = m, .function = f, .arena = &a->arena, .generation = 1};

    uint32_t walked;

    a->module = m;
    a->function = f;
    s.maker.forms.arena = &a->arena;
    s.maker.block = f->reqntid;
    s.regions = regions_build(f, &a->arena);
    s.ssa = ssa_build(s.regions, &a->arena);
    s.values = arena_alloc(&a->arena, s.ssa->count * sizeof *s.values);
    walk_values(&s);
    walked = s.maker.range_count;
    resolve_loops(&s);
    records_make(&s);
    guards_make_loops(&s);
    choices_find_ways(&s);
    find_all_above(&s);
    keep_demands(&s, walked);
    a->symbols = s.maker.forms.symbols;
    a->symbol_count = s.maker.forms.count;
    forms_clear(&s.maker.forms);
    free(s.maker.ranges);
    return a;
}

bool access_is_constant_look_up(const struct ptx_instruction *i)
{
    return i->opcode == PTX_LD && i->space == PTX_SPACE_CONST && i->operand_count == 2 &&
           i->operands[1].kind == PTX_MEMORY && i->operands[1].reg >= 0;
}

struct access_analysis *access_analyze_constants(const struct ptx_module *m,
                                                 const struct ptx_function *f)
{
    struct ptx_function *own = must_calloc(1, sizeof *own);
    struct ptx_instruction *all = must_calloc(f->instruction_count + 1u, sizeof *all);

    *own = *f;
    own->instructions = all;
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        all[n] = f->instructions[n];
        if (access_is_constant_look_up(&all[n]))
            all[n].space = PTX_SPACE_GLOBAL;
    }
    struct access_analysis *a = access_analyze(m, own);

    a->own = own;
    return a;
}

void access_destroy(struct access_analysis *a)
{
    if (!a)
        return;
    if (a->own)
        free(a->own->instructions);
    free(a->own);
    free(a->symbols);
    free(a->prints);
    arena_clear(&a->arena);
    free(a);
}

static bool is_of_cta(const struct access_symbol *y)
{
    return y->kind == ACCESS_SPECIAL
               ? y->special >= PTX_CTAID_X && y->special <= PTX_CTAID_Z
               : (y->holds >> ACCESS_SPECIAL & 1) != 0;
}

bool access_is_own(const struct access_analysis *a, const struct access_record *r)
{
    if (r->state != ACCESS_CLOSED)
        return false;
    for (uint32_t t = 0; t < r->form->count; t++)
        for (uint32_t n = 0; n < r->form->terms[t].degree; n++)
            if (is_of_cta(&a->symbols[r->form->terms[t].symbols[n]]))
                return true;
    return false;
}
