/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/study.h"

const struct access_form *study_opaque(struct study *s, uint32_t instruction,
                                       uint32_t element, const char *reason)
{
    const struct access_symbol y = {.kind = ACCESS_OPAQUE,
                                    .variable = (int32_t)instruction,
                                    .offset = element,
                                    .line = s->function->instructions[instruction].line,
                                    .reason = reason};

    return form_make(&s->maker.forms, &y);
}

static const struct access_form *read_special(struct study *s, uint32_t instruction,
                                              enum ptx_special special)
{
    const struct access_symbol y = {.kind = ACCESS_SPECIAL, .special = special};

    if (special == PTX_WARP_SZ)
        return form_constant(&s->maker.forms, 32);
    if (special <= PTX_NCTAID_Z || special == PTX_LANEID)
        return form_make(&s->maker.forms, &y);
    return study_opaque(s, instruction, 0, "reads a special register that is not analyzed");
}

static const struct access_form *read_symbol(struct study *s, uint32_t instruction,
                                             int32_t symbol)
{
    const struct ptx_symbol *p = ptx_symbol(s->module, s->function, symbol);
    struct access_symbol y = {.variable = symbol};

    if (p->is_function)
        return study_opaque(s, instruction, 0, "is the address of a function");
    switch (p->space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        y.kind = ACCESS_VARIABLE;
        break;
    case PTX_SPACE_SHARED:
        y.kind = ACCESS_SHARED;
        break;
    case PTX_SPACE_LOCAL:
        y.kind = ACCESS_LOCAL;
        break;
    case PTX_SPACE_PARAM:
        y.kind = ACCESS_BLOCK;
        if (symbol < (int32_t)s->function->parameter_count)
            break;
        return study_opaque(s, instruction, 0, "is the address of a call's argument");
    default:
        return study_opaque(s, instruction, 0, "is an address in an unknown space");
    }
    return form_make(&s->maker.forms, &y);
}

static const struct access_form *read_register(struct study *s, uint32_t instruction,
                                               int32_t reg)
{
    int32_t v = ssa_read(s->ssa, instruction, reg);

    if (v < 0 || !s->values[v].form)
        return study_opaque(s, instruction, 0, "reads a register that was never assigned");
    return s->values[v].form;
}

const struct access_form *study_operand(struct study *s, uint32_t instruction,
                                        const struct ptx_operand *o)
{
    struct forms *forms = &s->maker.forms;
    const struct access_form *at;

    switch (o->kind) {
    case PTX_REGISTER:
        return read_register(s, instruction, o->reg);
    case PTX_SPECIAL:
        return read_special(s, instruction, o->special);
    case PTX_INTEGER:
        return form_constant(forms, o->integer);
    case PTX_SYMBOL:
    case PTX_MEMORY:
        at = o->reg >= 0 && o->kind == PTX_MEMORY ? read_register(s, instruction, o->reg)
             : o->symbol >= 0                     ? read_symbol(s, instruction, o->symbol)
                                                  : form_constant(forms, 0);
        return form_add(forms, at, form_constant(forms, o->integer), 1);
    default:
        return study_opaque(s, instruction, 0, "reads a floating-point or packed operand");
    }
}

const struct access_condition *study_predicate(struct study *s, uint32_t instruction,
                                               int32_t reg)
{
    int32_t v = ssa_read(s->ssa, instruction, reg);

    return v < 0 ? NULL : s->values[v].condition;
}
