/* SPDX-License-Identifier: Apache-2.0 */
#include "access/conditions/bits.h"

#include "access/form/apply.h"
#include "access/values/predicate.h"
#include "access/values/resolve.h"

/* Limit of visited values: the paths to a bit join and split again. The search gives up
   then. */
enum { LOOKS_MAX = 400, DEPTH_MAX = 40 };

struct look {
    struct study *study;
    uint32_t block; /* from which it is seen */
    unsigned looks;
    const struct access_condition *never, *always;
};

static const struct access_condition *plain(struct study *s, bool holds)
{
    struct access_condition *c = arena_alloc(s->arena, sizeof *c);

    *c = (struct access_condition){.kind = ACCESS_COMPARE,
                                   .comparison = holds ? ACCESS_EQ : ACCESS_NE,
                                   .bits = 32,
                                   .left = form_constant(&s->maker.forms, 0),
                                   .right = form_constant(&s->maker.forms, 0)};
    return c;
}

static struct look look_from(struct study *s, uint32_t block)
{
    return (struct look){s, block, 0, plain(s, false), plain(s, true)};
}

static const struct access_condition *unsure(struct study *s)
{
    struct access_condition *c = arena_alloc(s->arena, sizeof *c);

    c->kind = ACCESS_UNSURE;
    return c;
}

/* NULL means an unknown condition. */
static const struct access_condition *both(struct look *k, const struct access_condition *a,
                                           const struct access_condition *b)
{
    if (!a || !b)
        return NULL;
    if (a == k->never || b == k->never)
        return k->never;
    return a == k->always   ? b
           : b == k->always ? a
                            : predicate_pair(k->study, ACCESS_BOTH, a, b);
}

static const struct access_condition *either(struct look *k,
                                             const struct access_condition *a,
                                             const struct access_condition *b)
{
    if (!a || !b)
        return NULL;
    if (a == k->always || b == k->always)
        return k->always;
    return a == k->never   ? b
           : b == k->never ? a
                           : predicate_pair(k->study, ACCESS_EITHER, a, b);
}

static uint64_t all_ones(unsigned bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : ~(uint64_t)0;
}

static unsigned width_of(const struct study *s, int32_t reg)
{
    return 8 * s->function->registers[reg].bytes;
}

static const struct access_condition *of_value(struct look *k, int32_t value, uint64_t mask,
                                               unsigned depth);

static const struct access_condition *of_operand(struct look *k, uint32_t instruction,
                                                 const struct ptx_operand *o, uint64_t mask,
                                                 unsigned depth)
{
    if (!mask)
        return k->never;
    if (o->kind == PTX_INTEGER && !o->negated)
        return (uint64_t)o->integer & mask ? k->always : k->never;
    return o->kind == PTX_REGISTER && !o->negated
               ? of_value(k, ssa_read(k->study->ssa, instruction, o->reg), mask, depth + 1)
               : NULL;
}

static bool number(const struct ptx_instruction *i, uint32_t operand, uint64_t most,
                   uint64_t *out)
{
    const struct ptx_operand *o = &i->operands[operand];

    if (operand >= i->operand_count || o->kind != PTX_INTEGER || o->negated ||
        o->integer < 0 || (uint64_t)o->integer > most)
        return false;
    *out = (uint64_t)o->integer;
    return true;
}

/* Condition of an operand at the time when the instruction reads it. */
static const struct access_condition *condition_at(struct look *k, uint32_t instruction,
                                                   const struct ptx_operand *o)
{
    const struct access_condition *c =
        o->kind == PTX_REGISTER ? study_predicate(k->study, instruction, o->reg) : NULL;

    return c ? resolve_condition(k->study, c,
                                 k->study->regions->flow->block_of[instruction])
             : unsure(k->study);
}

static const struct access_condition *chosen(struct look *k, uint32_t instruction,
                                             uint64_t mask, unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];
    const struct access_condition *c = condition_at(k, instruction, &i->operands[3]);

    return either(k, both(k, c, of_operand(k, instruction, &i->operands[1], mask, depth)),
                  both(k, predicate_unless(k->study, c),
                       of_operand(k, instruction, &i->operands[2], mask, depth)));
}

/* Bits of a result that is the operand, widened from `from` bits or truncated. */
static const struct access_condition *widened(struct look *k, uint32_t instruction,
                                              unsigned from, bool is_signed, uint64_t mask,
                                              unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];

    if (is_signed && mask & ~all_ones(from))
        mask |= (uint64_t)1 << (from - 1);
    return of_operand(k, instruction, &i->operands[1], mask & all_ones(from), depth);
}

static const struct access_condition *masked(struct look *k, uint32_t instruction,
                                             uint64_t mask, unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];

    for (uint32_t n = 1; n < 3; n++)
        if (i->operands[n].kind == PTX_INTEGER && !i->operands[n].negated)
            return of_operand(k, instruction, &i->operands[3 - n],
                              mask & (uint64_t)i->operands[n].integer, depth);
    return mask & (mask - 1) /* a sign-extended bit gives one condition */
               ? NULL
               : both(k, of_operand(k, instruction, &i->operands[1], mask, depth),
                      of_operand(k, instruction, &i->operands[2], mask, depth));
}

/* Product with a power of two. */
static const struct access_condition *multiplied(struct look *k, uint32_t instruction,
                                                 uint64_t mask, unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];
    const unsigned bits = 8 * ptx_type_bytes(i->type);
    uint64_t by;

    if (ptx_has(i, PTX_PART_HI) || !number(i, 2, (uint64_t)1 << 32, &by) || !by ||
        by & (by - 1))
        return NULL;
    return widened(k, instruction, bits,
                   ptx_has(i, PTX_PART_WIDE) && i->type >= PTX_PART_S8 &&
                       i->type <= PTX_PART_S64,
                   mask >> (unsigned)__builtin_ctzll(by), depth);
}

static const struct access_condition *inserted(struct look *k, uint32_t instruction,
                                               uint64_t mask, unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];
    uint64_t at, count;

    if (!number(i, 3, 63, &at) || !number(i, 4, 64, &count))
        return NULL;
    const uint64_t field = all_ones((unsigned)count) << at;

    return either(k,
                  of_operand(k, instruction, &i->operands[1], (mask & field) >> at, depth),
                  of_operand(k, instruction, &i->operands[2], mask & ~field, depth));
}

static const struct access_condition *shifted(struct look *k, uint32_t instruction,
                                              uint64_t mask, unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];
    const unsigned bits = 8 * ptx_type_bytes(i->type);
    uint64_t by, of;

    if (!bits || !number(i, 2, bits - 1, &by))
        return NULL;
    if (i->opcode == PTX_SHL)
        return of_operand(k, instruction, &i->operands[1], mask >> by, depth);
    of = (mask << by) & all_ones(bits);
    if (i->type >= PTX_PART_S8 && i->type <= PTX_PART_S64 && by && mask >> (bits - by))
        of |= (uint64_t)1 << (bits - 1);
    return of_operand(k, instruction, &i->operands[1], of, depth);
}

static const struct access_condition *of_instruction(struct look *k, uint32_t instruction,
                                                     uint64_t mask, unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];
    const unsigned bits = 8 * ptx_type_bytes(i->type);

    if (i->guard >= 0 || i->operand_count < 2 || !bits)
        return NULL;
    switch (i->opcode) {
    case PTX_MOV:
        return of_operand(k, instruction, &i->operands[1], mask, depth);
    case PTX_AND:
        return masked(k, instruction, mask, depth);
    case PTX_OR:
        return either(k, of_operand(k, instruction, &i->operands[1], mask, depth),
                      of_operand(k, instruction, &i->operands[2], mask, depth));
    case PTX_SHL:
    case PTX_SHR:
        return shifted(k, instruction, mask, depth);
    case PTX_MUL:
        return multiplied(k, instruction, mask, depth);
    case PTX_CVT:
        return i->operands[1].kind == PTX_REGISTER && i->source_type <= PTX_PART_B64 &&
                       !ptx_has(i, PTX_PART_SAT)
                   ? widened(k, instruction, 8 * ptx_type_bytes(i->source_type),
                             i->source_type >= PTX_PART_S8 &&
                                 i->source_type <= PTX_PART_S64,
                             mask & all_ones(bits), depth)
                   : NULL;
    case PTX_BFI:
        return inserted(k, instruction, mask & all_ones(bits), depth);
    case PTX_SELP:
        return chosen(k, instruction, mask, depth);
    default:
        return NULL;
    }
}

/* Whether the form of one iteration becomes that of the previous iteration when K decreases
   by one. */
static bool only_steps(const struct study *s, const struct access_form *f, uint32_t loop)
{
    const uint32_t others = 1U << ACCESS_TRIPS | 1U << ACCESS_CHOICE | 1U << ACCESS_LOADED |
                            1U << ACCESS_OPAQUE | 1U << ACCESS_PHI | 1U << ACCESS_MEMBER |
                            1U << ACCESS_ELEMENT;

    if (form_holds(&s->maker.forms, f) & others)
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t n = 0; n < f->terms[i].degree; n++) {
            const struct access_symbol *y = &s->maker.forms.symbols[f->terms[i].symbols[n]];

            if (y->kind == ACCESS_FUNCTION && y->holds >> ACCESS_ITERATION & 1)
                return false;
            if (y->kind == ACCESS_ITERATION && y->loop != loop &&
                s->regions->loops[loop].contains[s->regions->loops[y->loop].header])
                return false;
        }
    return true;
}

struct step {
    struct study *study;
    uint32_t loop;
};

static const struct access_form *step_of(void *context, uint32_t symbol)
{
    const struct step *t = context;
    struct forms *forms = &t->study->maker.forms;
    const struct access_symbol y = forms->symbols[symbol];

    return y.kind == ACCESS_ITERATION && y.loop == t->loop
               ? form_add(forms, form_of(forms, symbol), form_constant(forms, 1), -1)
               : NULL;
}

/* The condition one iteration earlier; unsure if unknown. */
static const struct access_condition *stepped(struct study *s,
                                              const struct access_condition *c,
                                              uint32_t loop)
{
    struct step t = {s, loop};
    struct access_condition *out = arena_alloc(s->arena, sizeof *out);

    *out = *c;
    if (c->first)
        out->first = stepped(s, c->first, loop);
    if (c->second)
        out->second = stepped(s, c->second, loop);
    if (c->kind != ACCESS_COMPARE)
        return out;
    if (!only_steps(s, c->left, loop) || !only_steps(s, c->right, loop))
        return unsure(s);
    out->left = form_map(&s->maker.forms, c->left, step_of, &t);
    out->right = form_map(&s->maker.forms, c->right, step_of, &t);
    return out->left && out->right ? out : unsure(s);
}

static bool is_zero(const struct ptx_operand *o)
{
    return o->kind == PTX_INTEGER && !o->integer;
}

/* Matches a mask that keeps some bits of the phi in each iteration. The bits remain only if
   `kept` holds; NULL: always. */
static bool leaves(struct look *k, int32_t value, int32_t phi, unsigned depth,
                   const struct access_condition **kept)
{
    const struct ssa_value *d = value >= 0 ? &k->study->ssa->values[value] : NULL;

    if (value == phi)
        return true;
    if (!d || d->kind != SSA_DEFINED || depth == DEPTH_MAX || k->looks++ > LOOKS_MAX)
        return false;
    const struct ptx_instruction *i = &k->study->function->instructions[d->instruction];
    const struct ptx_operand *o = i->operands;
    const uint32_t from = i->opcode == PTX_SELP && is_zero(&o[1]) ? 2 : 1;

    if (i->guard >= 0 || i->operand_count < 2 || o[from].kind != PTX_REGISTER ||
        o[from].negated)
        return false;
    if (i->opcode == PTX_SELP && is_zero(&o[3 - from])) {
        const struct access_condition *c = condition_at(k, d->instruction, &o[3]);

        if (from == 2)
            c = predicate_unless(k->study, c);
        *kept = *kept ? predicate_pair(k->study, ACCESS_BOTH, *kept, c) : c;
    } else if (i->opcode != PTX_MOV && (i->opcode != PTX_AND || o[2].kind != PTX_INTEGER)) {
        return false;
    }
    return leaves(k, ssa_read(k->study->ssa, d->instruction, o[from].reg), phi, depth + 1,
                  kept);
}

/* True in the first iteration, or if the previous iteration kept the mask. */
static const struct access_condition *first_or(struct look *k, uint32_t loop,
                                               const struct access_condition *kept)
{
    struct forms *forms = &k->study->maker.forms;
    const struct access_symbol y = {.kind = ACCESS_ITERATION, .loop = loop};
    struct access_condition *first = arena_alloc(k->study->arena, sizeof *first);

    *first = (struct access_condition){.kind = ACCESS_COMPARE,
                                       .comparison = ACCESS_EQ,
                                       .is_signed = true,
                                       .bits = 64,
                                       .left = form_make(forms, &y),
                                       .right = form_constant(forms, 0)};
    return predicate_pair(k->study, ACCESS_EITHER, first, stepped(k->study, kept, loop));
}

/* Mask with an initial value from outside a loop that may clear bits. */
static const struct access_condition *of_loop(struct look *k, int32_t phi, uint32_t loop,
                                              uint64_t mask, unsigned depth)
{
    const struct study *s = k->study;
    const struct ssa_value *d = &s->ssa->values[phi];
    const struct ptx_block *b = &s->regions->flow->blocks[d->block];
    const struct access_condition *c = k->never, *kept = NULL;
    unsigned ways = 0;

    for (uint32_t n = 0; n < b->predecessor_count; n++)
        if (!s->regions->loops[loop].contains[b->predecessors[n]])
            c = either(k, c, of_value(k, d->from[n], mask, depth + 1));
        else if (ways++ || !leaves(k, d->from[n], phi, 0, &kept))
            return NULL;
    if (kept)
        c = both(k, c, first_or(k, loop, kept));
    return both(k, c, unsure(k->study));
}

/* Disjunction over all incoming edges. */
static const struct access_condition *of_join(struct look *k, int32_t phi, uint64_t mask,
                                              unsigned depth)
{
    const struct ssa_value *d = &k->study->ssa->values[phi];
    const struct ptx_block *b = &k->study->regions->flow->blocks[d->block];
    const struct access_condition *c = k->never;

    for (uint32_t n = 0; n < b->predecessor_count && c; n++)
        c = either(k, c, of_value(k, d->from[n], mask, depth + 1));
    return both(k, c, unsure(k->study));
}

static const struct access_condition *of_value(struct look *k, int32_t value, uint64_t mask,
                                               unsigned depth)
{
    const struct study *s = k->study;
    const struct ssa_value *d = value >= 0 ? &s->ssa->values[value] : NULL;

    if (!d || depth >= DEPTH_MAX || k->looks++ > LOOKS_MAX || d->reg < 0)
        return NULL;
    mask &= all_ones(width_of(s, d->reg));
    if (!mask)
        return k->never;
    if (d->kind == SSA_DEFINED)
        return of_instruction(k, d->instruction, mask, depth);
    const int32_t loop = regions_header_of(s->regions, d->block);

    return s->regions->irreducible ? NULL
           : loop >= 0             ? of_loop(k, value, (uint32_t)loop, mask, depth)
                                   : of_join(k, value, mask, depth);
}

const struct access_condition *bits_condition(struct study *s, uint32_t instruction,
                                              int32_t reg, uint32_t block)
{
    struct look k = look_from(s, block);
    const struct access_condition *c =
        of_value(&k, ssa_read(s->ssa, instruction, reg), ~(uint64_t)0, 0);

    return c ? resolve_condition(s, c, block) : NULL;
}

/* setp.ne p, x, 0 and setp.eq p, x, 0. */
static const struct access_condition *of_test(struct look *k, uint32_t instruction,
                                              unsigned depth)
{
    const struct ptx_instruction *i = &k->study->function->instructions[instruction];
    const struct access_condition *c;

    if (i->operand_count != 3 || !i->part_count || !is_zero(&i->operands[2]) ||
        (i->parts[0] != PTX_PART_NE && i->parts[0] != PTX_PART_EQ) ||
        i->type > PTX_PART_B64)
        return NULL;
    c = of_operand(k, instruction, &i->operands[1], all_ones(8 * ptx_type_bytes(i->type)),
                   depth);
    return c && i->parts[0] == PTX_PART_EQ ? predicate_unless(k->study, c) : c;
}

static const struct access_condition *of_predicate(struct look *k, uint32_t instruction,
                                                   const struct ptx_operand *o,
                                                   unsigned depth)
{
    struct study *s = k->study;
    const int32_t v = o->kind == PTX_REGISTER ? ssa_read(s->ssa, instruction, o->reg) : -1;
    const struct ssa_value *d = v >= 0 ? &s->ssa->values[v] : NULL;
    const struct access_condition *a, *b;

    if (!d || d->kind != SSA_DEFINED || d->element || depth == DEPTH_MAX ||
        k->looks++ > LOOKS_MAX)
        return NULL;
    const struct ptx_instruction *i = &s->function->instructions[d->instruction];

    if (i->guard >= 0)
        return NULL;
    if (i->opcode == PTX_SETP)
        a = of_test(k, d->instruction, depth);
    else if (i->opcode == PTX_NOT || i->opcode == PTX_MOV) {
        a = of_predicate(k, d->instruction, &i->operands[1], depth + 1);
        a = a && i->opcode == PTX_NOT ? predicate_unless(s, a) : a;
    } else if (i->opcode == PTX_AND || i->opcode == PTX_OR) {
        a = of_predicate(k, d->instruction, &i->operands[1], depth + 1);
        b = of_predicate(k, d->instruction, &i->operands[2], depth + 1);
        if (!a && !b)
            return NULL;
        a = a ? a : condition_at(k, d->instruction, &i->operands[1]);
        b = b ? b : condition_at(k, d->instruction, &i->operands[2]);
        a = i->opcode == PTX_AND ? both(k, a, b) : either(k, a, b);
    } else {
        return NULL;
    }
    return a && o->negated ? predicate_unless(s, a) : a;
}

const struct access_condition *bits_predicate(struct study *s, uint32_t instruction,
                                              int32_t reg, uint32_t block)
{
    struct look k = look_from(s, block);
    const struct ptx_operand o = {.kind = PTX_REGISTER, .reg = reg};
    const struct access_condition *c = of_predicate(&k, instruction, &o, 0);

    return c ? resolve_condition(s, c, block) : NULL;
}
