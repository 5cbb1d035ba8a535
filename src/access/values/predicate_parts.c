/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of conditions that need no analysis. */
#include "access/values/predicate.h"

const struct access_condition *predicate_unless(struct study *s,
                                                const struct access_condition *c)
{
    struct access_condition *opposite;

    if (c->kind == ACCESS_UNLESS || c->kind == ACCESS_UNSURE)
        return c->kind == ACCESS_UNLESS ? c->first : c;
    opposite = arena_alloc(s->arena, sizeof *opposite);
    opposite->kind = ACCESS_UNLESS;
    opposite->first = c;
    return opposite;
}

const struct access_condition *predicate_pair(struct study *s,
                                              enum access_condition_kind kind,
                                              const struct access_condition *a,
                                              const struct access_condition *b)
{
    struct access_condition *c = arena_alloc(s->arena, sizeof *c);

    c->kind = kind;
    c->first = a;
    c->second = b;
    return c;
}

bool predicate_comparison(const struct ptx_instruction *i, enum access_comparison *out,
                          bool *is_signed)
{
    static const struct {
        enum ptx_part part;
        enum access_comparison comparison;
        bool is_unsigned;
    } rows[] = {
        {PTX_PART_EQ, ACCESS_EQ, false}, {PTX_PART_NE, ACCESS_NE, false},
        {PTX_PART_LT, ACCESS_LT, false}, {PTX_PART_LE, ACCESS_LE, false},
        {PTX_PART_GT, ACCESS_GT, false}, {PTX_PART_GE, ACCESS_GE, false},
        {PTX_PART_LO, ACCESS_LT, true},  {PTX_PART_LS, ACCESS_LE, true},
        {PTX_PART_HI, ACCESS_GT, true},  {PTX_PART_HS, ACCESS_GE, true},
    };

    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (i->part_count && i->parts[0] == rows[r].part) {
            *out = rows[r].comparison;
            *is_signed =
                !rows[r].is_unsigned && i->type >= PTX_PART_S8 && i->type <= PTX_PART_S64;
            return i->type <= PTX_PART_B64;
        }
    return false;
}
