/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_specialize.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/memory.h"

enum { BRANCHES_MAX = 64 };

static bool is_array(const struct analyze_launch *l, uint32_t offset)
{
    for (uint32_t n = 0; n < l->block.array_count; n++)
        if (l->block.pointers[n].parameter_offset == offset)
            return true;
    return false;
}

/* True if the command line gives every value of the expression. Arrays only count if
   `may_point`, because their addresses are unknown. */
static bool is_typed(const struct analyze_kernel *k, const struct analyze_launch *l,
                     const struct access_form *f, bool may_point)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t n = 0; n < f->terms[i].degree; n++) {
            const struct access_symbol *y = &k->analysis->symbols[f->terms[i].symbols[n]];

            if (analyze_is_missing(l, y) ||
                (y->kind == ACCESS_PARAMETER && is_array(l, y->offset) && !may_point) ||
                (y->kind == ACCESS_FUNCTION &&
                 (!is_typed(k, l, y->left, false) || !is_typed(k, l, y->right, false))))
                return false;
        }
    return true;
}

static bool is_null(const struct access_form *f)
{
    return f && !f->count;
}

static bool specialize_is_known(const struct analyze_kernel *k,
                                const struct analyze_launch *l,
                                const struct access_condition *c)
{
    const bool compares_equal =
        (c->comparison == ACCESS_EQ || c->comparison == ACCESS_NE) &&
        (is_null(c->left) || is_null(c->right));

    return is_typed(k, l, c->left, compares_equal) &&
           is_typed(k, l, c->right, compares_equal) &&
           (!c->first || specialize_is_known(k, l, c->first)) &&
           (!c->second || specialize_is_known(k, l, c->second));
}

/* The parameter buffer with arbitrary nonzero addresses of arrays. */
static unsigned char *block_of(const struct analyze_launch *l)
{
    unsigned char *block = must_calloc(l->block.size + 8, 1);

    memcpy(block, l->block.bytes, l->block.size);
    for (uint32_t n = 0; n < l->block.array_count; n++) {
        const uint64_t somewhere = (n + UINT64_C(1)) << 40;

        memcpy(block + l->block.pointers[n].parameter_offset, &somewhere, sizeof somewhere);
    }
    return block;
}

char *analyze_specialize(const struct analyze_kernel *k, const struct analyze_launch *l,
                         const struct analyze_request *q, size_t *bytes)
{
    struct access_branch branch[BRANCHES_MAX];
    const uint32_t count = access_branches(k->analysis, branch, BRANCHES_MAX);
    enum instrument_way *way = must_calloc(k->f->instruction_count + 1u, sizeof *way);
    unsigned char *block = block_of(l);
    struct access_point at = {
        .parameters = block, .parameter_bytes = l->block.size, .is_any = true};
    bool any = false;

    memcpy(at.ntid, q->block, sizeof at.ntid);
    memcpy(at.nctaid, q->grid, sizeof at.nctaid);
    for (uint32_t n = 0; n < count; n++) {
        const struct ptx_instruction *i = &k->f->instructions[branch[n].instruction];
        const int satisfied = specialize_is_known(k, l, branch[n].condition)
                                  ? access_holds(k->analysis, branch[n].condition, &at)
                                  : -1;

        if (satisfied < 0)
            continue;
        any = true;
        way[branch[n].instruction] =
            (satisfied > 0) != i->guard_negated ? INSTRUMENT_GOES : INSTRUMENT_STAYS;
    }
    char *text = any ? instrument_decided(k->module, k->f, way, bytes) : NULL;

    free(block);
    free(way);
    return text;
}
