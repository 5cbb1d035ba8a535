/* SPDX-License-Identifier: Apache-2.0 */
#include "access/bounds/bounding.h"

/* Bit set of a form's terms without the constant: a Bloom filter for common terms. */
static uint64_t terms_of(const struct access_form *form)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < form->count; i++) {
        const struct access_term *t = &form->terms[i];
        uint32_t hash = t->degree;

        for (uint32_t k = 0; k < t->degree; k++)
            hash = (hash ^ t->symbols[k]) * 0x9e3779b1u;
        bits |= t->degree ? UINT64_C(1) << (hash >> 26) : 0;
    }
    return bits;
}

bool facts_bound(struct facts *f, const struct access_form *form, struct range *out)
{
    struct bounding b;

    bounding_open(&b, f);
    const bool is = bounding_of(&b, form, out);

    bounding_close(&b);
    return is;
}

bool facts_bound_deep(struct facts *f, const struct access_form *form, struct range *out)
{
    struct bounding b;

    bounding_open(&b, f);
    const bool is = bounding_deep(&b, form, out);

    bounding_close(&b);
    return is;
}

static bool has_count(const struct facts *f, const struct access_form *form, uint32_t loop)
{
    for (uint32_t i = 0; i < form->count; i++)
        for (uint32_t k = 0; k < form->terms[i].degree; k++) {
            const struct access_symbol *y = &f->forms.symbols[form->terms[i].symbols[k]];

            if (y->kind == ACCESS_ITERATION && y->loop == loop)
                return true;
        }
    return false;
}

bool facts_concern(const struct facts *f, const struct access_form *form, uint32_t loop)
{
    uint64_t terms[FACTS_MAX], reached = terms_of(form), before;

    if (has_count(f, form, loop))
        return true;
    for (uint32_t i = 0; i < f->count; i++)
        terms[i] = terms_of(f->facts[i].form);
    do {
        before = reached;
        for (uint32_t i = 0; i < f->count; i++)
            reached |= terms[i] & reached ? terms[i] : 0;
    } while (reached != before);
    for (uint32_t i = 0; i < f->count; i++)
        if (terms[i] & reached && has_count(f, f->facts[i].form, loop))
            return true;
    return false;
}
