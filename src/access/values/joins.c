/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/joins.h"

#include "access/values/predicate.h"

/* Value that one side of a branch assigns. */
struct way {
    enum { NOTHING, NEVER, ALWAYS, A_VALUE } what;
    int32_t value;
    const struct access_condition *condition; /* of A_VALUE */
};

/* Side of the branch on which control came from `from` to `to` since the branch last
   executed; -1: either side. */
static int way_of(const struct regions *r, uint32_t branch, uint32_t from, uint32_t to)
{
    const struct ptx_block *b = &r->flow->blocks[branch];

    for (int k = 0; k < 2; k++) {
        const uint32_t way = b->successors[k];

        if (from == branch
                ? way == to
                : regions_is_only_way(r, branch, way) && regions_dominate(r, way, from))
            return k;
    }
    return -1;
}

/* Reads the assigned value. A value of another loop is unknown, because it belongs to that
   loop's last iteration. */
static bool read_way(const struct study *s, int32_t value, uint32_t block, struct way *out)
{
    const struct ssa_value *d = value >= 0 ? &s->ssa->values[value] : NULL;
    bool is_set;

    if (!d || s->regions->loop_of[d->block] != s->regions->loop_of[block])
        return false;
    *out = (struct way){A_VALUE, value, s->values[value].condition};
    if (predicate_constant(s, value, &is_set))
        *out = (struct way){.what = is_set ? ALWAYS : NEVER};
    return out->what != A_VALUE ||
           (out->condition && out->condition->kind != ACCESS_UNSURE);
}

static bool agree(const struct way *a, const struct way *b)
{
    return a->what == b->what && (a->what != A_VALUE || a->value == b->value);
}

/* Finds the value of both sides. False unless each side assigns one value, from whichever
   block. */
static bool find_ways(const struct study *s, const struct ssa_value *phi, uint32_t branch,
                      struct way ways[2])
{
    const struct ptx_block *b = &s->regions->flow->blocks[phi->block];

    for (uint32_t n = 0; n < b->predecessor_count; n++) {
        const uint32_t from = b->predecessors[n];
        struct way w;
        int k;

        if (s->regions->position[from] < 0)
            continue;
        k = way_of(s->regions, branch, from, phi->block);
        if (k < 0 || !read_way(s, phi->from[n], phi->block, &w))
            return false;
        if (ways[k].what != NOTHING && !agree(&ways[k], &w))
            return false;
        ways[k] = w;
    }
    return ways[0].what != NOTHING && ways[1].what != NOTHING;
}

/* Condition "`by`, and the value of its side"; NULL if the side assigns false. */
static const struct access_condition *taken(struct study *s,
                                            const struct access_condition *by,
                                            const struct way *w)
{
    if (w->what == NEVER)
        return NULL;
    return w->what == ALWAYS ? by : predicate_pair(s, ACCESS_BOTH, by, w->condition);
}

/* Joins both sides. If one side assigns true, the result is a disjunction: `a || b || c`,
   tested one after the other, gives three terms. */
static const struct access_condition *join(struct study *s,
                                           const struct access_condition *by,
                                           const struct way ways[2])
{
    const struct access_condition *unless = predicate_unless(s, by);

    if (ways[0].what == ALWAYS && ways[1].what == A_VALUE)
        return predicate_pair(s, ACCESS_EITHER, by, ways[1].condition);
    if (ways[1].what == ALWAYS && ways[0].what == A_VALUE)
        return predicate_pair(s, ACCESS_EITHER, unless, ways[0].condition);
    const struct access_condition *yes = taken(s, by, &ways[0]);
    const struct access_condition *no = taken(s, unless, &ways[1]);

    return yes && no ? predicate_pair(s, ACCESS_EITHER, yes, no) : yes ? yes : no;
}

/* Within one iteration of any surrounding loop, control comes from the dominator's branch
   to the block once. The side of the branch therefore decides the phi. */
const struct access_condition *joins_condition(struct study *s, uint32_t value)
{
    const struct regions *r = s->regions;
    const struct ssa_value *phi = &s->ssa->values[value];
    const int32_t above = r->flow->blocks[phi->block].dominator;
    struct way ways[2] = {{NOTHING, -1, NULL}, {NOTHING, -1, NULL}};
    const struct access_condition *by;

    if (above < 0 || r->loop_of[above] != r->loop_of[phi->block])
        return NULL;
    const struct ptx_block *b = &r->flow->blocks[above];
    const uint32_t at = b->first + b->count - 1;
    const struct ptx_instruction *i = &s->function->instructions[at];

    if (i->opcode != PTX_BRA || i->guard < 0 || b->successor_count != 2 ||
        b->successors[0] == b->successors[1])
        return NULL;
    by = study_predicate(s, at, i->guard);
    if (!by || by->kind == ACCESS_UNSURE || !find_ways(s, phi, (uint32_t)above, ways))
        return NULL;
    s->values[value].chosen_by = ssa_read(s->ssa, at, i->guard) + 1;
    return join(s, i->guard_negated ? predicate_unless(s, by) : by, ways);
}
