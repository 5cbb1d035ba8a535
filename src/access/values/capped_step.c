/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/capped_step.h"

#include "access/values/predicate.h"

enum { SUMS_MAX = 2 };

const struct ptx_instruction *capped_made_by(const struct study *s, int32_t value,
                                             uint32_t *at)
{
    const struct ssa_value *v = value < 0 ? NULL : &s->ssa->values[value];
    const struct ptx_instruction *i;

    if (!v || v->kind != SSA_DEFINED || v->element)
        return NULL;
    *at = v->instruction;
    i = &s->function->instructions[v->instruction];
    return i->guard < 0 ? i : NULL;
}

int32_t capped_read(const struct study *s, uint32_t at, const struct ptx_operand *o)
{
    return o->kind == PTX_REGISTER && !o->negated && !o->is_part
               ? ssa_read(s->ssa, at, o->reg)
               : -1;
}

int32_t capped_source(const struct study *s, int32_t value)
{
    const struct ptx_instruction *i;
    uint32_t at;

    while ((i = capped_made_by(s, value, &at)) && i->opcode == PTX_MOV &&
           i->operand_count == 2 && i->operands[0].kind == PTX_REGISTER &&
           capped_read(s, at, &i->operands[1]) >= 0)
        value = capped_read(s, at, &i->operands[1]);
    return value;
}

static bool is_extreme_step(struct study *s, uint32_t at, struct capped_step *c)
{
    const struct ptx_instruction *i = &s->function->instructions[at];

    c->is_signed = i->type >= PTX_PART_S8 && i->type <= PTX_PART_S64;
    for (unsigned n = 0; n < 2; n++)
        c->compared[n] = c->forms[n] = study_operand(s, at, &i->operands[n + 1]);
    return i->operand_count == 3 && i->part_count == 1;
}

static bool is_selected_step(struct study *s, uint32_t at, struct capped_step *c)
{
    const struct ptx_instruction *i = &s->function->instructions[at];

    if (i->operand_count != 4 || capped_read(s, at, &i->operands[3]) < 0)
        return false;
    for (unsigned n = 0; n < 2; n++)
        c->forms[n] = study_operand(s, at, &i->operands[n + 1]);
    c->predicate = capped_source(s, capped_read(s, at, &i->operands[3]));
    c->first = study_predicate(s, at, i->operands[3].reg);
    return c->first != NULL;
}

/* Join of two paths within one iteration. */
static bool is_joined_step(struct study *s, int32_t value, unsigned bytes,
                           struct capped_step *c)
{
    const struct ssa_value *v = &s->ssa->values[value];
    const struct ptx_block *b = &s->regions->flow->blocks[v->block];

    if (v->kind != SSA_PHI || b->predecessor_count != 2 || s->regions->irreducible ||
        regions_header_of(s->regions, v->block) >= 0 ||
        s->function->registers[v->reg].bytes != bytes)
        return false;
    for (unsigned n = 0; n < 2; n++) {
        if (v->from[n] < 0 || s->regions->position[b->predecessors[n]] < 0 ||
            s->regions->loop_of[b->predecessors[n]] != s->regions->loop_of[v->block])
            return false;
        c->forms[n] = s->values[v->from[n]].form;
    }
    c->is_join = true;
    return true;
}

static bool find_step(struct study *s, int32_t value, unsigned bytes, unsigned sums,
                      struct capped_step *out);

/* Sum or difference of such a value and another one. */
static bool is_moved_step(struct study *s, uint32_t at, unsigned bytes, unsigned sums,
                          struct capped_step *c)
{
    const struct ptx_instruction *i = &s->function->instructions[at];
    const bool minus = i->opcode == PTX_SUB;
    struct forms *forms = &s->maker.forms;

    if (i->operand_count != 3 || i->part_count != 1 || sums == SUMS_MAX)
        return false;
    for (unsigned n = 1; n < 3; n++) {
        const struct access_form *by = study_operand(s, at, &i->operands[3 - n]);

        if (!by || !find_step(s, capped_read(s, at, &i->operands[n]), bytes, sums + 1, c))
            continue;
        for (unsigned k = 0; k < 2; k++)
            c->forms[k] = n == 1 ? form_add(forms, c->forms[k], by, minus ? -1 : 1)
                                 : form_add(forms, by, c->forms[k], minus ? -1 : 1);
        return c->forms[0] && c->forms[1];
    }
    return false;
}

static bool find_step(struct study *s, int32_t value, unsigned bytes, unsigned sums,
                      struct capped_step *out)
{
    uint32_t at;
    bool is = false;

    value = capped_source(s, value);
    const struct ptx_instruction *i = capped_made_by(s, value, &at);

    *out = (struct capped_step){.predicate = -1, .bits = (uint8_t)(8 * bytes)};
    if (!i)
        return value >= 0 && is_joined_step(s, value, bytes, out) && out->forms[0] &&
               out->forms[1];
    if (i->type > PTX_PART_B64 || ptx_type_bytes(i->type) != bytes)
        return false;
    switch (i->opcode) {
    case PTX_ADD:
    case PTX_SUB:
        return is_moved_step(s, at, bytes, sums, out);
    case PTX_MIN:
    case PTX_MAX:
        is = is_extreme_step(s, at, out);
        break;
    case PTX_SELP:
        is = is_selected_step(s, at, out);
        break;
    default:
        break;
    }
    out->opcode = i->opcode;
    return is && out->forms[0] && out->forms[1];
}

bool capped_step_find(struct study *s, int32_t value, unsigned bytes,
                      struct capped_step *out)
{
    return find_step(s, value, bytes, 0, out);
}

const struct access_condition *capped_step_taken(struct study *s,
                                                 const struct capped_step *c, int which)
{
    struct access_condition *t;

    if (c->first)
        return which ? predicate_unless(s, c->first) : c->first;
    t = arena_alloc(s->arena, sizeof *t);
    *t = (struct access_condition){.kind = c->is_join ? ACCESS_UNSURE : ACCESS_COMPARE,
                                   .comparison =
                                       c->opcode == PTX_MIN ? ACCESS_LT : ACCESS_GT,
                                   .is_signed = c->is_signed,
                                   .bits = c->bits,
                                   .left = c->compared[which],
                                   .right = c->compared[1 - which]};
    return t;
}
