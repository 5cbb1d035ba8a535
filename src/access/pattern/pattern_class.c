/* SPDX-License-Identifier: Apache-2.0 */
#include "access/pattern/pattern_class.h"

enum {
    WITHOUT_VALUE =
        1 << ACCESS_LOADED | 1 << ACCESS_OPAQUE | 1 << ACCESS_MEMBER | 1 << ACCESS_ELEMENT
};

static unsigned symbol_dimensions(const struct forms *s, const struct access_symbol *y,
                                  bool with_threads)
{
    unsigned found = 0;

    if (y->kind == ACCESS_SPECIAL && y->special >= PTX_CTAID_X && y->special <= PTX_CTAID_Z)
        return 1u << (y->special - PTX_CTAID_X);
    if (with_threads && y->kind == ACCESS_SPECIAL && y->special <= PTX_TID_Z)
        return 1u << (y->special - PTX_TID_X);
    if (y->left)
        found |= pattern_grid_dimensions(s, y->left, with_threads);
    if (y->right)
        found |= pattern_grid_dimensions(s, y->right, with_threads);
    for (uint32_t i = 0; i < y->choice_count; i++)
        found |= pattern_grid_dimensions(s, y->choices[i], with_threads);
    return found;
}

unsigned pattern_grid_dimensions(const struct forms *s, const struct access_form *f,
                                 bool with_threads)
{
    unsigned found = 0;

    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            found |=
                symbol_dimensions(s, &s->symbols[f->terms[i].symbols[k]], with_threads);
    return found;
}

/* min(i + 1, n) and max(i - 1, 0) equal i + 1 and i - 1 except at the border. */
static const struct access_form *unclamped(const struct forms *s,
                                           const struct access_symbol *y)
{
    if (y->kind != ACCESS_FUNCTION ||
        (y->function != ACCESS_MIN && y->function != ACCESS_MAX))
        return NULL;
    bool left = pattern_grid_dimensions(s, y->left, true);
    bool right = pattern_grid_dimensions(s, y->right, true);

    return left == right ? NULL : left ? y->left : y->right;
}

static const struct access_form *unclamp(void *context, uint32_t symbol)
{
    struct forms *s = context;
    const struct access_form *f = unclamped(s, &s->symbols[symbol]);

    return f ? form_map(s, f, unclamp, s) : NULL;
}

/* Cofactor of ctaid in a term; false if the term is not linear in it. */
static bool tile_term(struct forms *s, const struct access_term *term, unsigned dimension,
                      const struct access_form **tile)
{
    struct access_form *one = arena_alloc(s->arena, sizeof *one + sizeof *term);
    unsigned found = 0;

    one->count = 1;
    one->terms[0].factor = term->factor;
    for (uint32_t k = 0; k < term->degree; k++) {
        const struct access_symbol *y = &s->symbols[term->symbols[k]];

        if (y->kind == ACCESS_SPECIAL && y->special == PTX_CTAID_X + dimension)
            found++;
        else if (symbol_dimensions(s, y, false))
            return false;
        else
            one->terms[0].symbols[one->terms[0].degree++] = term->symbols[k];
    }
    if (found == 1)
        *tile = form_add(s, *tile, one, 1);
    return found < 2 && *tile;
}

/* Product of a loop counter and the number of CTAs: the tiles are cyclic. */
static bool goes_around(const struct forms *s, const struct access_term *term,
                        unsigned dimension)
{
    bool counts = false, grid = false;

    for (uint32_t k = 0; k < term->degree; k++) {
        const struct access_symbol *y = &s->symbols[term->symbols[k]];

        counts |= y->kind == ACCESS_ITERATION || y->kind == ACCESS_TRIPS;
        grid |= y->kind == ACCESS_SPECIAL && y->special == PTX_NCTAID_X + dimension;
    }
    return counts && grid;
}

void pattern_classify(struct forms *s, struct access_axis *axis)
{
    const struct access_form *plain = form_map(s, axis->index, unclamp, s);
    const struct access_form *tile = form_constant(s, 0);
    bool around = false;
    int64_t one;

    axis->index = plain ? plain : axis->index;
    axis->grid = -1;
    axis->tile = NULL;
    if (form_holds(s, axis->index) & WITHOUT_VALUE) {
        axis->how = ACCESS_BY_DATA;
        return;
    }
    unsigned found = pattern_grid_dimensions(s, axis->index, false);

    axis->how = found ? ACCESS_MIXED : ACCESS_EACH;
    if (!found || (found & (found - 1)))
        return;
    unsigned dimension = (unsigned)__builtin_ctz(found);

    axis->grid = (int)dimension;
    for (uint32_t i = 0; i < axis->index->count; i++) {
        if (!tile_term(s, &axis->index->terms[i], dimension, &tile))
            return;
        around |= goes_around(s, &axis->index->terms[i], dimension);
    }
    axis->tile = tile;
    axis->how = !around                                    ? ACCESS_BLOCKS
                : form_is_constant(tile, &one) && one == 1 ? ACCESS_CYCLIC
                                                           : ACCESS_BLOCK_CYCLIC;
}

const char *access_class_text(enum access_class how)
{
    static const char *const texts[] = {"local",        "block", "cyclic",
                                        "block-cyclic", "mixed", "data-dependent"};

    return texts[how];
}
