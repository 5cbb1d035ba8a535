/* SPDX-License-Identifier: Apache-2.0 */
#include "access/scatters.h"

#include "access/access.h"
#include "base/memory.h"

/* With no more words than these, so that another address is all that a clone changes. */
static bool has_plain_words(const struct ptx_instruction *i)
{
    for (uint8_t n = 0; n < i->part_count; n++)
        switch (i->parts[n]) {
        case PTX_PART_GLOBAL:
        case PTX_PART_WEAK:
        case PTX_PART_V2:
        case PTX_PART_V4:
            break;
        case PTX_PART_VOLATILE:
            if (i->opcode == PTX_LD)
                return false;
            break;
        default:
            if (i->parts[n] != i->type)
                return false;
        }
    return true;
}

static bool is_plain(const struct ptx_instruction *i, enum ptx_opcode opcode)
{
    const struct ptx_operand *at = &i->operands[opcode == PTX_LD];

    return i->opcode == opcode && i->operand_count == 2 && at->kind == PTX_MEMORY &&
           at->reg >= 0 && !at->count &&
           (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC) &&
           has_plain_words(i);
}

/* Whether it orders what another CTA may see: there is no saying what it sees of another
   device's, whose stores go a longer way. */
static bool orders(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_FENCE || i->opcode == PTX_MEMBAR)
        return !ptx_has(i, PTX_PART_CTA);
    return ptx_has(i, PTX_PART_ACQUIRE) || ptx_has(i, PTX_PART_RELEASE) ||
           ptx_has(i, PTX_PART_ACQ_REL);
}

static bool orders_none(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (orders(&f->instructions[n]))
            return false;
    return true;
}

static bool is_of_cta(const struct access_symbol *y)
{
    return y->kind == ACCESS_SPECIAL
               ? y->special >= PTX_CTAID_X && y->special <= PTX_CTAID_Z
               : (y->holds >> ACCESS_SPECIAL & 1) != 0;
}

/* Whether each CTA may have a place of its own, as far as its form says. */
static bool is_own(const struct access_analysis *a, const struct access_record *r)
{
    if (r->state != ACCESS_CLOSED)
        return false;
    for (uint32_t t = 0; t < r->form->count; t++)
        for (uint32_t n = 0; n < r->form->terms[t].degree; n++)
            if (is_of_cta(&a->symbols[r->form->terms[t].symbols[n]]))
                return true;
    return false;
}

static uint32_t parameter_of(const struct access_analysis *a, const struct access_record *r)
{
    return a->symbols[r->base_symbol].offset;
}

static bool is_by_pointer(const struct access_analysis *a, uint32_t n,
                          enum ptx_opcode opcode)
{
    const struct access_record *r = &a->records[n];

    return r->base == ACCESS_BASE_PARAMETER &&
           is_plain(&a->function->instructions[r->instruction], opcode);
}

/* One of the stores by that pointer may go where another CTA's goes. */
static bool is_scattered(const struct access_analysis *a, uint32_t parameter)
{
    for (uint32_t n = 0; n < a->record_count; n++)
        if (is_by_pointer(a, n, PTX_ST) && parameter_of(a, &a->records[n]) == parameter &&
            !is_own(a, &a->records[n]))
            return true;
    return false;
}

void access_scatters_add(struct access_reductions *to, const struct ptx_module *m,
                         const struct ptx_function *f)
{
    struct access_analysis *a = access_analyze(m, f);
    const bool may_read = orders_none(f);
    size_t capacity = to->count;

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];

        if (!(is_by_pointer(a, n, PTX_ST) || (may_read && is_by_pointer(a, n, PTX_LD))) ||
            !is_scattered(a, parameter_of(a, r)))
            continue;
        to->reduction =
            must_grow(to->reduction, to->count, &capacity, sizeof *to->reduction);
        to->reduction[to->count++] = (struct access_reduction){
            r->instruction, r->line, parameter_of(a, r), ACCESS_SCATTERED};
    }
    access_destroy(a);
}
