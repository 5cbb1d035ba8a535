/* SPDX-License-Identifier: Apache-2.0 */
#include "access/access.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

static void add_form(const struct access_analysis *a, const struct access_form *f,
                     struct text *t);

static void add_special(enum ptx_special special, struct text *t)
{
    static const char *const names[] = {"tid", "ntid", "ctaid", "nctaid"};

    if (special == PTX_LANEID)
        text_print(t, "laneid");
    else
        text_print(t, "%s.%c", names[special / 3], "xyz"[special % 3]);
}

static void add_variable(const struct access_analysis *a, int32_t variable, struct text *t)
{
    text_print(t, "&%s", ptx_symbol(a->module, a->function, variable)->name);
}

static void add_symbol(const struct access_analysis *a, const struct access_symbol *y,
                       struct text *t)
{
    static const char *const functions[] = {"min", "max", "div", "rem", "and",
                                            "or",  "xor", "shl", "shr", "mulhi"};

    switch (y->kind) {
    case ACCESS_SPECIAL:
        add_special(y->special, t);
        break;
    case ACCESS_PARAMETER:
        text_print(t, "[%" PRIu32 "]", y->offset);
        break;
    case ACCESS_CONSTANT:
        text_print(t, "%s", ptx_symbol(a->module, a->function, y->variable)->name);
        if (y->offset)
            text_print(t, ".%" PRIu32, y->offset);
        break;
    case ACCESS_VARIABLE:
    case ACCESS_SHARED:
    case ACCESS_LOCAL:
    case ACCESS_BLOCK:
        add_variable(a, y->variable, t);
        break;
    case ACCESS_ITERATION:
        text_print(t, "K%" PRIu32, y->loop);
        break;
    case ACCESS_TRIPS:
        text_print(t, "T%" PRIu32, y->loop);
        break;
    case ACCESS_FUNCTION:
        text_print(t, "%s(", functions[y->function]);
        add_form(a, y->left, t);
        text_print(t, ", ");
        add_form(a, y->right, t);
        text_print(t, ")");
        break;
    case ACCESS_CHOICE:
        for (uint32_t i = 0; i < y->choice_count; i++) {
            text_print(t, i ? " | " : "{");
            add_form(a, y->choices[i], t);
        }
        text_print(t, "}");
        break;
    case ACCESS_MEMBER:
    case ACCESS_ELEMENT:
        if (y->variable >= PTX_SYMBOL_MODULE)
            text_print(t, "%s[", a->module->symbols[y->variable - PTX_SYMBOL_MODULE].name);
        else
            text_print(t, "[%" PRIu32 " + ", y->offset);
        add_form(a, y->left, t);
        text_print(t, "]");
        break;
    case ACCESS_LOADED:
        text_print(t, "line%" PRIu32, y->line);
        break;
    case ACCESS_OPAQUE:
    case ACCESS_PHI:
        text_print(t, "?%" PRIu32, y->line);
        break;
    }
}

/* Order of symbols that does not depend on the order in which the analysis met them. */
static int symbol_order(const struct access_analysis *a, uint32_t x, uint32_t y)
{
    const struct access_symbol *s = &a->symbols[x], *t = &a->symbols[y];
    int64_t d = (int64_t)s->kind - (int64_t)t->kind;

    d = d ? d : (int64_t)s->special - (int64_t)t->special;
    d = d ? d : (int64_t)s->offset - (int64_t)t->offset;
    d = d ? d : (int64_t)s->loop - (int64_t)t->loop;
    d = d ? d : (int64_t)x - (int64_t)y;
    return d < 0 ? -1 : d > 0;
}

static void sort_symbols(const struct access_analysis *a, struct access_term *term)
{
    for (uint32_t i = 1; i < term->degree; i++)
        for (uint32_t k = i;
             k && symbol_order(a, term->symbols[k], term->symbols[k - 1]) < 0; k--) {
            uint32_t swap = term->symbols[k];

            term->symbols[k] = term->symbols[k - 1];
            term->symbols[k - 1] = swap;
        }
}

static bool term_precedes(const struct access_analysis *a, const struct access_term *x,
                          const struct access_term *y)
{
    int order = 0;

    if (x->degree != y->degree)
        return x->degree < y->degree;
    for (uint32_t i = 0; i < x->degree && !order; i++)
        order = symbol_order(a, x->symbols[i], y->symbols[i]);
    return order < 0;
}

static uint32_t sort_terms(const struct access_analysis *a, const struct access_form *f,
                           struct access_term terms[ACCESS_TERMS_MAX])
{
    uint32_t count = f->count < ACCESS_TERMS_MAX ? f->count : ACCESS_TERMS_MAX;

    for (uint32_t i = 0; i < count; i++) {
        struct access_term term = f->terms[i];
        uint32_t k = i;

        sort_symbols(a, &term);
        for (; k && term_precedes(a, &term, &terms[k - 1]); k--)
            terms[k] = terms[k - 1];
        terms[k] = term;
    }
    return count;
}

static void add_form(const struct access_analysis *a, const struct access_form *f,
                     struct text *t)
{
    struct access_term terms[ACCESS_TERMS_MAX];
    uint32_t count = sort_terms(a, f, terms);

    if (!count)
        text_print(t, "0");
    for (uint32_t i = 0; i < count; i++) {
        const struct access_term *term = &terms[i];
        int64_t factor = term->factor;

        if (i || factor < 0)
            text_print(t, i ? factor < 0 ? " - " : " + " : "-");
        uint64_t size = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;

        if (size != 1 || !term->degree)
            text_print(t, "%" PRIu64 "%s", size, term->degree ? "*" : "");
        for (uint32_t k = 0; k < term->degree; k++) {
            text_print(t, "%s", k ? "*" : "");
            add_symbol(a, &a->symbols[term->symbols[k]], t);
        }
    }
}

void access_form_text(const struct access_analysis *a, const struct access_form *f,
                      char *into, size_t size)
{
    struct text t = {0};

    add_form(a, f, &t);
    snprintf(into, size, "%s", t.data);
    text_clear(&t);
}
