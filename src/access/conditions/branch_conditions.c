/* SPDX-License-Identifier: Apache-2.0 */
/* Branches that the launch decides uniformly for all threads. */
#include "access/access.h"

struct branches {
    struct access_branch *branch;
    uint32_t count, most;
};

/* Whether the form depends only on parameters and sizes of the launch. */
static bool is_given(const struct access_analysis *a, const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t n = 0; n < f->terms[i].degree; n++) {
            const struct access_symbol *y = &a->symbols[f->terms[i].symbols[n]];
            const bool is_size =
                y->kind == ACCESS_SPECIAL &&
                ((y->special >= PTX_NTID_X && y->special <= PTX_NTID_Z) ||
                 (y->special >= PTX_NCTAID_X && y->special <= PTX_NCTAID_Z));

            if (y->kind == ACCESS_FUNCTION ? !is_given(a, y->left) || !is_given(a, y->right)
                                           : y->kind != ACCESS_PARAMETER && !is_size)
                return false;
        }
    return f != NULL;
}

/* Whether the launch may decide the condition. */
static bool is_decided(const struct access_analysis *a, const struct access_condition *c)
{
    if (c->kind == ACCESS_COMPARE)
        return is_given(a, c->left) && is_given(a, c->right);
    return (c->first && is_decided(a, c->first)) || (c->second && is_decided(a, c->second));
}

/* The only conditional branch at the line; -1: none or several. */
static int64_t branch_at(const struct ptx_function *f, uint32_t line)
{
    int64_t found = -1;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        if (f->instructions[n].line != line || f->instructions[n].guard < 0)
            continue;
        if (found >= 0 || f->instructions[n].opcode != PTX_BRA)
            return -1;
        found = n;
    }
    return found;
}

/* Skips guards with assumptions: a narrow number may wrap. */
static void add(const struct access_analysis *a, const struct access_guard *guards,
                uint32_t count, struct branches *into)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct access_guard *g = &guards[i];
        bool is_new = into->count < into->most && !g->is_part && !g->range_count &&
                      is_decided(a, g->condition);
        const int64_t at = is_new ? branch_at(a->function, g->line) : -1;

        for (uint32_t n = 0; n < into->count; n++)
            is_new &= into->branch[n].instruction != at;
        if (is_new && at >= 0)
            into->branch[into->count++] =
                (struct access_branch){(uint32_t)at, g->condition};
    }
}

uint32_t access_branches(const struct access_analysis *a, struct access_branch *branches,
                         uint32_t most)
{
    struct branches into = {branches, 0, most};

    for (uint32_t n = 0; n < a->record_count; n++)
        add(a, a->records[n].guards, a->records[n].guard_count, &into);
    for (uint32_t n = 0; n < a->loop_count; n++)
        add(a, a->loops[n].guards, a->loops[n].guard_count, &into);
    for (uint32_t n = 0; n < a->print_count; n++)
        add(a, a->prints[n].guards, a->prints[n].count, &into);
    return into.count;
}
