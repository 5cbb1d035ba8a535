/* SPDX-License-Identifier: Apache-2.0 */
#include "access/ranges/sign_mask.h"

/* x of x >> 31, or x >> 63 in 64 bits; NULL for another form. */
static const struct access_form *sign_of(const struct extent *e,
                                         const struct access_form *f, unsigned bits)
{
    const struct access_term *t = &f->terms[0];
    int64_t by;

    if (f->count != 1 || t->degree != 1 || t->factor != 1)
        return NULL;
    const struct access_symbol *y = &e->facts.forms.symbols[t->symbols[0]];

    return y->kind == ACCESS_FUNCTION && y->function == ACCESS_SHR && y->is_signed &&
                   y->bits == bits && form_is_constant(y->right, &by) && by == bits - 1
               ? y->left
               : NULL;
}

/* Both numbers must fit their type, and the mask must keep all bits of n. */
bool sign_mask_open(struct sign_mask *m, struct extent *e, const struct access_symbol *y)
{
    struct range is;

    if (y->function != ACCESS_AND || (y->bits != 32 && y->bits != 64))
        return false;
    const int64_t most = y->bits == 32 ? INT32_MAX : INT64_MAX / 2;

    m->of = sign_of(e, y->left, y->bits);
    m->is = y->right;
    if (!m->of) {
        m->of = sign_of(e, y->right, y->bits);
        m->is = y->left;
    }
    m->of = facts_known(&e->facts, m->of);
    return m->of && extent_of(e, m->of, &m->range) && m->range.low <= m->range.high &&
           m->range.low >= -most && m->range.high <= most && extent_of(e, m->is, &is) &&
           is.low >= 0 && is.high <= most;
}
