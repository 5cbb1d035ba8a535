/* SPDX-License-Identifier: Apache-2.0 */
#include "access/conditions/choices.h"

#include "access/conditions/guards.h"
#include "access/conditions/within.h"
#include "access/values/resolve.h"

/* Kinds of symbols that are constant for the life of a thread. */
enum {
    STEADY = 1u << ACCESS_SPECIAL | 1u << ACCESS_PARAMETER | 1u << ACCESS_CONSTANT |
             1u << ACCESS_FUNCTION
};

static bool holds_only(const struct study *s, const struct access_condition *c,
                       uint32_t kinds)
{
    const struct forms *forms = &s->maker.forms;

    switch (c->kind) {
    case ACCESS_COMPARE:
        return !((form_holds(forms, c->left) | form_holds(forms, c->right)) & ~kinds);
    case ACCESS_UNLESS:
        return holds_only(s, c->first, kinds);
    case ACCESS_BOTH:
    case ACCESS_EITHER:
        return holds_only(s, c->first, kinds) && holds_only(s, c->second, kinds);
    case ACCESS_UNSURE: /* holds nothing that could change */
        return true;
    }
    return false;
}

/* Guards of an edge: those above the block `from`, and the edge itself. */
static uint32_t find_edge(struct study *s, uint32_t from, uint32_t to,
                          struct access_guard **out)
{
    uint32_t count;

    *out = guards_above(s, from, &count); /* has room for one more */
    return count + guards_edge(s, from, to, &(*out)[count]);
}

/* Guards of a selection, or of a guarded instruction, whose choice 0 is the old value. */
static uint32_t find_selection(struct study *s, const struct ssa_value *v, uint32_t choice,
                               struct access_guard **out)
{
    const struct ptx_instruction *i = &s->function->instructions[v->instruction];
    const bool selects = i->opcode == PTX_SELP && i->operand_count > 3 &&
                         i->operands[3].kind == PTX_REGISTER && !i->operands[3].negated;

    if ((i->opcode == PTX_SELP) != (i->guard < 0) || (i->guard < 0 && !selects))
        return 0;
    *out = arena_alloc(s->arena, sizeof **out);
    guards_of(s, v->instruction, selects ? i->operands[3].reg : i->guard,
              selects ? choice == 1 : i->guard_negated != (choice == 0), v->block, *out);
    return 1;
}

/* Whether the choice is made and used in the same iteration. Inner loops may have ended in
   that iteration. Outside all loops a choice is made once. */
static bool is_of_iteration(struct study *s, const struct access_symbol *y, uint32_t choice)
{
    const uint32_t value = (uint32_t)y->variable;
    const struct ssa_value *v = &s->ssa->values[value];
    const int32_t *loop_of = s->regions->loop_of;

    if (v->kind == SSA_PHI && (regions_header_of(s->regions, v->block) >= 0 ||
                               loop_of[y->origins[choice]] != loop_of[v->block]))
        return false;
    return loop_of[v->block] < 0 || within_iteration(s, value);
}

struct access_way choices_way(struct study *s, uint32_t symbol, uint32_t choice)
{
    const struct access_symbol y = s->maker.forms.symbols[symbol];
    const struct ssa_value *v = &s->ssa->values[y.variable];
    struct access_guard *guards = NULL;
    uint32_t count = 0, kept = 0;

    if (s->regions->irreducible || y.origins[choice] == CHOICES_SEVERAL)
        return (struct access_way){0};
    if (v->kind == SSA_PHI)
        count = find_edge(s, y.origins[choice], v->block, &guards);
    else if (v->kind == SSA_DEFINED)
        count = find_selection(s, v, y.origins[choice], &guards);
    for (uint32_t n = 0; n < count; n++)
        if (holds_only(s, guards[n].condition, STEADY) ||
            (holds_only(s, guards[n].condition,
                        STEADY | 1u << ACCESS_ITERATION | 1u << ACCESS_TRIPS) &&
             is_of_iteration(s, &y, choice)))
            guards[kept++] = guards[n];
    return (struct access_way){guards, kept};
}

struct access_way choices_above(struct study *s, uint32_t block)
{
    uint32_t count, kept = 0;
    struct access_guard *guards = guards_above(s, block, &count);

    for (uint32_t n = 0; n < count; n++)
        if (holds_only(s, guards[n].condition, STEADY))
            guards[kept++] = guards[n];
    return (struct access_way){guards, kept};
}

void choices_find_ways(struct study *s)
{
    struct forms *forms = &s->maker.forms;

    for (uint32_t n = 0; n < forms->count; n++) { /* the count may grow */
        const struct access_symbol y = forms->symbols[n];

        if (y.kind != ACCESS_CHOICE)
            continue;
        struct access_way *ways = arena_alloc(s->arena, y.choice_count * sizeof *ways);

        for (uint32_t k = 0; k < y.choice_count; k++)
            ways[k] = choices_way(s, n, k);
        forms->symbols[n].ways = ways;
    }
}
