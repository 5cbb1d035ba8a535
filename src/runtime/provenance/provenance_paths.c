/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/provenance_paths.h"

void provenance_paths_init(struct provenance_paths *c, const struct access_analysis *a)
{
    *c = (struct provenance_paths){.analysis = a, .ways = 1};
}

static bool add_symbol(struct provenance_paths *c, uint32_t symbol)
{
    const struct access_symbol *y = &c->analysis->symbols[symbol];
    bool has_room = y->kind != ACCESS_TRIPS;

    if (!(y->holds & (1U << ACCESS_CHOICE | 1U << ACCESS_TRIPS)))
        return true;
    if (y->kind == ACCESS_FUNCTION)
        return provenance_paths_add(c, y->left) && provenance_paths_add(c, y->right);
    for (uint32_t n = 0; n < c->count; n++)
        if (c->symbol[n] == symbol)
            return true;
    if (!has_room || !y->choice_count || c->count == PROVENANCE_CHOICES_MAX)
        return false;
    c->symbol[c->count++] = symbol;
    c->ways *= y->choice_count;
    for (uint32_t n = 0; n < y->choice_count && has_room; n++)
        has_room =
            c->ways <= PROVENANCE_PATHS_MAX && provenance_paths_add(c, y->choices[n]);
    return has_room;
}

bool provenance_paths_add(struct provenance_paths *c, const struct access_form *f)
{
    bool all = true;

    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            all &= add_symbol(c, f->terms[i].symbols[k]);
    return all;
}

bool provenance_paths_add_condition(struct provenance_paths *c,
                                    const struct access_condition *of)
{
    return !of ||
           (provenance_paths_add(c, of->left) && provenance_paths_add(c, of->right) &&
            provenance_paths_add_condition(c, of->first) &&
            provenance_paths_add_condition(c, of->second));
}

static bool is_made_in(const struct access_analysis *a, const struct access_symbol *y,
                       uint32_t loop)
{
    int32_t l = (int32_t)y->loop - 1;

    while (l >= 0 && (uint32_t)l != loop)
        l = a->loops[l].parent;
    return l >= 0;
}

bool provenance_paths_add_loop(struct provenance_paths *c, uint32_t loop)
{
    const struct access_analysis *a = c->analysis;
    const struct access_condition *repeats = a->loops[loop].repeats.condition;
    struct provenance_paths now, own;

    provenance_paths_init(&own, a);
    if (!repeats || !provenance_paths_add_condition(&own, repeats))
        return false;
    for (uint32_t n = 0; n < own.count; n++)
        if (is_made_in(a, &a->symbols[own.symbol[n]], loop))
            return false;
    now = *c;
    if (!provenance_paths_add_condition(&now, repeats) || now.ways > PROVENANCE_PATHS_MAX)
        return false;
    *c = now;
    return true;
}

static bool counts(const struct access_analysis *a, const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            if (a->symbols[f->terms[i].symbols[k]].holds >> ACCESS_TRIPS & 1)
                return true;
    return false;
}

/* Whether the condition depends on the trip count of a finished loop, which a point does
   not define. */
static bool hangs_on_ended(const struct access_analysis *a,
                           const struct access_condition *c)
{
    return c && (counts(a, c->left) || counts(a, c->right) || hangs_on_ended(a, c->first) ||
                 hangs_on_ended(a, c->second));
}

bool provenance_path_select(const struct provenance_paths *c, uint32_t way,
                            const struct access_point *at, uint32_t *chosen)
{
    const struct access_analysis *a = c->analysis;

    for (uint32_t n = 0; n < c->count; n++) {
        const struct access_symbol *y = &a->symbols[c->symbol[n]];
        const uint32_t which = way % y->choice_count;
        const struct access_way w = y->ways ? y->ways[which] : (struct access_way){0};

        way /= y->choice_count;
        chosen[y->choice] = which;
        for (uint32_t k = 0; k < w.count; k++)
            if (!hangs_on_ended(a, w.guards[k].condition) &&
                access_holds(a, w.guards[k].condition, at) == w.guards[k].negated)
                return false;
    }
    return true;
}
