/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/capped.h"

#include "access/form/range.h"
#include "access/values/capped_step.h"
#include "access/values/predicate.h"

enum { CHAIN_MAX = 8, PREDICATES_MAX = 4 };

/* Comparison of a capped counter with a bound that its end does not pass. */
struct capped {
    struct capped_step step;
    int32_t value;              /* the counter */
    int next;                   /* the form of the step, of the two */
    struct access_condition is; /* of the step; negated: the setp computes the opposite */
    bool negated;
};

/* Comparison with exchanged sides, and its opposite. */
static const struct {
    enum access_comparison turned, opposite;
} comparisons[] = {
    [ACCESS_EQ] = {ACCESS_EQ, ACCESS_NE}, [ACCESS_NE] = {ACCESS_NE, ACCESS_EQ},
    [ACCESS_LT] = {ACCESS_GT, ACCESS_GE}, [ACCESS_LE] = {ACCESS_GE, ACCESS_GT},
    [ACCESS_GT] = {ACCESS_LT, ACCESS_LE}, [ACCESS_GE] = {ACCESS_LE, ACCESS_LT},
};

/* Whether the end fails the comparison with the bound: it equals the bound, or lies beyond
   it by a constant. The latter assumes that it does not wrap. */
static bool fails(struct study *s, const struct access_form *end,
                  const struct access_condition *by)
{
    const struct access_form *beyond = form_add(&s->maker.forms, end, by->right, -1);
    int64_t distance;

    if (!beyond || !form_is_constant(beyond, &distance))
        return false;
    switch (by->comparison) {
    case ACCESS_LT:
    case ACCESS_GT:
    case ACCESS_NE:
        return !distance;
    case ACCESS_LE:
    case ACCESS_GE:
        if (distance != (by->comparison == ACCESS_LE ? 1 : -1))
            return false;
        function_demand(&s->maker, end, by->bits, by->is_signed);
        function_demand(&s->maker, by->right, by->bits, by->is_signed);
        return true;
    case ACCESS_EQ:
        break;
    }
    return false;
}

/* Whether the comparison asks for the step: a minimum is compared from below, a maximum
   from above. */
static bool is_towards(const struct capped_step *c, enum access_comparison by)
{
    const bool is_direct = c->compared[0] && form_equal(c->forms[0], c->compared[0]);
    const bool is_open = by == ACCESS_LE || by == ACCESS_GE;

    if (!c->compared[0] || by == ACCESS_NE)
        return true;
    if (!is_direct)
        return !is_open;
    return (c->opcode == PTX_MIN) == (by == ACCESS_LT || by == ACCESS_LE);
}

static bool find_side(struct study *s, struct capped *c)
{
    if (form_equal(c->step.forms[0], c->step.forms[1]))
        return false;
    for (int n = 0; n < 2; n++)
        for (int opposite = 0; opposite < 2; opposite++) {
            struct access_condition by = c->is;

            if (opposite)
                by.comparison = comparisons[by.comparison].opposite;
            if (!is_towards(&c->step, by.comparison) ||
                !fails(s, c->step.forms[1 - n], &by))
                continue;
            c->next = n;
            c->is = by;
            c->is.left = c->step.forms[n];
            c->negated = opposite;
            return true;
        }
    return false;
}

static bool capped_compare(struct study *s, uint32_t instruction, struct capped *out)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const unsigned bytes = ptx_type_bytes(i->type);
    enum access_comparison how;
    bool is_signed;

    if (i->operand_count < 3 || !predicate_comparison(i, &how, &is_signed))
        return false;
    for (unsigned n = 1; n < 3; n++) {
        out->value = capped_source(s, capped_read(s, instruction, &i->operands[n]));
        out->is = (struct access_condition){
            .kind = ACCESS_COMPARE,
            .comparison = n == 1 ? how : comparisons[how].turned,
            .is_signed = is_signed,
            .bits = (uint8_t)(8 * bytes),
            .right = study_operand(s, instruction, &i->operands[3 - n])};
        if (out->is.right && capped_step_find(s, out->value, bytes, &out->step) &&
            find_side(s, out))
            return true;
    }
    return false;
}

/* Whether the condition is the comparison of the step, one step earlier: x < end - step for
   x + step < end. They agree unless x + step wraps, as the step goes towards the end. */
static bool is_one_step_before(struct study *s, const struct access_condition *c,
                               const struct access_condition *next)
{
    struct forms *forms = &s->maker.forms;
    const struct range_view any = {.symbols = forms->symbols};
    const bool up = next->comparison == ACCESS_LT, negated = c->kind == ACCESS_UNLESS;
    const struct access_form *left, *right, *step, *ends;
    enum access_comparison by;
    struct range r;

    c = negated ? c->first : c;
    if (c->kind != ACCESS_COMPARE || (!up && next->comparison != ACCESS_GT) ||
        c->bits != next->bits || c->is_signed != next->is_signed)
        return false;
    by = negated ? comparisons[c->comparison].opposite : c->comparison;
    left = by == next->comparison ? c->left : c->right;
    right = by == next->comparison ? c->right : c->left;
    if (by != next->comparison && by != comparisons[next->comparison].turned)
        return false;
    step = form_add(forms, next->left, left, -1);
    ends = form_add(forms, next->right, right, -1);
    return step && ends && form_equal(step, ends) && range_of(&any, step, &r) &&
           (up ? r.low >= 0 : r.high <= 0);
}

/* Whether the condition implies the comparison, of the same two forms. */
static bool is_stricter(const struct access_condition *c,
                        const struct access_condition *next)
{
    return c->kind == ACCESS_COMPARE && c->bits == next->bits &&
           c->comparison >= ACCESS_LT && c->comparison != ACCESS_LE &&
           c->comparison != ACCESS_GE && form_equal(c->left, next->left) &&
           form_equal(c->right, next->right) &&
           (next->comparison == ACCESS_NE ||
            (c->comparison == next->comparison && c->is_signed == next->is_signed));
}

const struct access_condition *capped_condition(struct study *s, uint32_t instruction)
{
    const struct access_condition *taken, *both;
    struct access_condition *next;
    struct capped c;

    if (!capped_compare(s, instruction, &c))
        return NULL;
    next = arena_alloc(s->arena, sizeof *next);
    *next = c.is;
    taken = capped_step_taken(s, &c.step, c.next);
    both = is_stricter(taken, next) ? taken
           : is_one_step_before(s, taken, next)
               ? next
               : predicate_pair(s, ACCESS_BOTH, taken, next);
    return c.negated ? predicate_unless(s, both) : both;
}

/* Form of a minimum or maximum by the comparison of its two sides; NULL: undecided. */
static const struct access_form *chosen_side(struct study *s, uint32_t at, bool is,
                                             const struct capped_step *c)
{
    const struct ptx_instruction *i = &s->function->instructions[at];
    const struct access_form *left = study_operand(s, at, &i->operands[1]),
                             *right = study_operand(s, at, &i->operands[2]);
    enum access_comparison how;
    bool is_signed, less;

    if (!c->compared[0] || !predicate_comparison(i, &how, &is_signed) ||
        is_signed != c->is_signed || 8 * ptx_type_bytes(i->type) != c->bits || !left ||
        !right)
        return NULL;
    how = is ? how : comparisons[how].opposite;
    if (how == ACCESS_EQ || how == ACCESS_NE)
        return NULL;
    less = how == ACCESS_LT || how == ACCESS_LE;
    for (int n = 0; n < 2; n++)
        if (form_equal(left, c->compared[n]) && form_equal(right, c->compared[1 - n]))
            return c->forms[less == (c->opcode == PTX_MIN) ? n : 1 - n];
    return NULL;
}

/* Counter that an edge passes to the loop. */
struct edge {
    int32_t counter;
    struct capped_step step;
};

/* Form of the counter if the predicate is `is`; NULL: undecided. */
static const struct access_form *form_if(struct study *s, int32_t predicate, bool is,
                                         const struct edge *e, unsigned depth)
{
    const struct access_form *found = NULL;
    uint32_t at;
    const struct ptx_instruction *i;
    struct capped c;

    predicate = capped_source(s, predicate);
    if (predicate >= 0 && predicate == e->step.predicate)
        return e->step.forms[is ? 0 : 1];
    i = capped_made_by(s, predicate, &at);
    if (!i || depth == PREDICATES_MAX)
        return NULL;
    switch (i->opcode) {
    case PTX_SETP:
        if (i->operand_count != 3)
            return NULL;
        if (capped_compare(s, at, &c) && c.value == e->counter && c.negated != is)
            return c.is.left;
        return chosen_side(s, at, is, &e->step);
    case PTX_AND:
    case PTX_OR:
        for (unsigned n = 1; n < 3 && !found && (i->opcode == PTX_AND) == is; n++)
            found = form_if(s, capped_read(s, at, &i->operands[n]), is, e, depth + 1);
        return found;
    case PTX_NOT:
        return form_if(s, capped_read(s, at, &i->operands[1]), !is, e, depth + 1);
    default:
        return NULL;
    }
}

/* Control comes to the back edge through a chain of blocks with one predecessor each; any
   of their branches may decide the counter. */
const struct access_form *capped_back(struct study *s, uint32_t phi, uint32_t k)
{
    const struct ssa_value *v = &s->ssa->values[phi];
    const struct ptx_flow *flow = s->regions->flow;
    uint32_t to = v->block, block = flow->blocks[to].predecessors[k];
    struct edge e = {.counter = capped_source(s, v->from[k])};

    if (regions_header_of(s->regions, to) < 0 || s->regions->irreducible ||
        !s->regions->loops[regions_header_of(s->regions, to)].contains[block] ||
        !capped_step_find(s, e.counter, s->function->registers[v->reg].bytes, &e.step))
        return NULL;
    for (unsigned n = 0; n < CHAIN_MAX; n++) {
        const struct ptx_block *from = &flow->blocks[block];
        const uint32_t last = from->first + from->count - 1;
        const struct ptx_instruction *jump = &s->function->instructions[last];
        const struct access_form *found = NULL;

        if (jump->opcode == PTX_BRA && jump->guard >= 0 && from->successor_count == 2)
            found = form_if(s, ssa_read(s->ssa, last, jump->guard),
                            (from->successors[0] == to) != jump->guard_negated, &e, 0);
        if (found)
            return found;
        if (from->predecessor_count != 1)
            return NULL;
        to = block;
        block = from->predecessors[0];
    }
    return NULL;
}
