/* SPDX-License-Identifier: Apache-2.0 */
#include "access/address/walked.h"

#include "base/memory.h"

#include <stdlib.h>

enum { ITSELF = -2, DEPTH_MAX = 64 };

struct walk {
    const struct bases *bases;
    bool *visited; /* by value: phis under resolution; they take the base of their other
                      options */
    unsigned depth;
};

/* The only phi among the terms, if the other terms are no address; -1: none. */
static int64_t phi_of(const struct bases *b, const struct access_form *f)
{
    struct forms *forms = &b->study->maker.forms;
    int64_t phi = -1;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];

        if (t->degree == 1 && t->factor == 1 &&
            forms->symbols[t->symbols[0]].kind == ACCESS_PHI)
            phi = phi == -1 ? (int64_t)t->symbols[0] : -2;
    }
    if (phi < 0 || bases_find(b, f) != -1)
        return -1;
    const struct access_form *rest = form_add(forms, f, form_of(forms, (uint32_t)phi), -1);

    return rest && bases_alone(b, rest) ? phi : -1;
}

static int64_t begin(struct walk *w, const struct access_form *f);

/* Common base of all options of the phi. */
static int64_t begin_phi(struct walk *w, uint32_t value)
{
    const struct study_value *v = &w->bases->study->values[value];
    int64_t base = ITSELF;

    if (w->visited[value])
        return ITSELF;
    if (!v->option_count || w->depth == DEPTH_MAX)
        return -1;
    w->visited[value] = true;
    w->depth++;
    for (uint32_t i = 0; i < v->option_count; i++) {
        const int64_t one = v->options[i] ? begin(w, v->options[i]) : -1;

        if (one == -1 || (one >= 0 && base >= 0 && one != base))
            return -1;
        base = one >= 0 ? one : base;
    }
    w->depth--;
    return base;
}

static int64_t begin(struct walk *w, const struct access_form *f)
{
    const struct bases *b = w->bases;
    const struct access_symbol *symbols = b->study->maker.forms.symbols;
    const int64_t phi = phi_of(b, f), base = bases_find(b, f);

    if (phi >= 0)
        return begin_phi(w, (uint32_t)symbols[phi].variable);
    return base >= 0 && symbols[base].kind == ACCESS_PARAMETER && bases_alone(b, f) ? base
                                                                                    : -1;
}

int64_t walked_base(const struct bases *b, const struct access_form *f)
{
    struct walk w = {b, must_calloc(b->study->ssa->count + 1u, sizeof *w.visited), 0};
    const int64_t base = phi_of(b, f) >= 0 ? begin(&w, f) : -1;

    free(w.visited);
    return base;
}
