/* SPDX-License-Identifier: Apache-2.0 */
#include "access/form/form.h"

#include <stdlib.h>
#include <string.h>

/* Form under construction: terms in order, combined as they are added. */
struct sum {
    uint32_t count;
    bool is_full;
    struct access_term terms[ACCESS_TERMS_MAX];
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

static uint64_t form_hash(uint64_t hash, const struct access_form *a)
{
    for (uint32_t i = 0; a && i < a->count; i++) {
        hash = mix(hash, (uint64_t)a->terms[i].factor);
        for (uint32_t k = 0; k < a->terms[i].degree; k++)
            hash = mix(hash, a->terms[i].symbols[k]);
    }
    return hash;
}

static uint64_t symbol_hash(const struct access_symbol *y)
{
    uint64_t hash = mix((uint64_t)y->kind, (uint64_t)y->special << 32 | y->offset);

    hash = mix(hash, (uint64_t)y->bytes << 32 | (uint32_t)y->variable);
    hash = mix(hash, (uint64_t)y->loop << 32 | y->line);
    hash = mix(hash, (uint64_t)y->function << 8 | y->bits);
    return form_hash(form_hash(mix(hash, y->choice), y->left), y->right);
}

static bool same_or_none(const struct access_form *a, const struct access_form *b)
{
    return a == b || (a && b && form_equal(a, b));
}

static bool symbol_equal(const struct access_symbol *a, const struct access_symbol *b)
{
    bool same = a->kind == b->kind && a->special == b->special && a->offset == b->offset &&
                a->bytes == b->bytes && a->is_signed == b->is_signed &&
                a->variable == b->variable && a->loop == b->loop && a->line == b->line &&
                a->function == b->function && a->bits == b->bits &&
                a->choice == b->choice && a->choice_count == b->choice_count &&
                same_or_none(a->left, b->left) && same_or_none(a->right, b->right);

    for (uint32_t i = 0; same && i < a->choice_count; i++)
        same = form_equal(a->choices[i], b->choices[i]);
    return same;
}

static uint32_t *table_slot(const struct forms *s, const struct access_symbol *y)
{
    uint32_t at = (uint32_t)symbol_hash(y) & (s->table_size - 1);

    while (s->table[at] && !symbol_equal(&s->symbols[s->table[at] - 1], y))
        at = (at + 1) & (s->table_size - 1);
    return &s->table[at];
}

static void grow_table(struct forms *s)
{
    free(s->table);
    s->table_size = s->table_size ? s->table_size * 2 : 256;
    s->table = must_calloc(s->table_size, sizeof *s->table);
    for (uint32_t i = 0; i < s->count; i++)
        *table_slot(s, &s->symbols[i]) = i + 1;
}

void forms_clear(struct forms *s)
{
    free(s->table);
    s->table = NULL;
}

uint32_t form_holds(const struct forms *s, const struct access_form *a)
{
    uint32_t holds = 0;

    for (uint32_t i = 0; a && i < a->count; i++)
        for (uint32_t k = 0; k < a->terms[i].degree; k++)
            holds |= s->symbols[a->terms[i].symbols[k]].holds;
    return holds;
}

static uint32_t plus_nodes(uint32_t a, uint32_t b)
{
    return a < UINT32_MAX - b ? a + b : UINT32_MAX;
}

static uint32_t form_nodes(const struct forms *s, const struct access_form *a)
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; a && i < a->count; i++)
        for (uint32_t k = 0; k < a->terms[i].degree; k++)
            nodes = plus_nodes(nodes, s->symbols[a->terms[i].symbols[k]].nodes);
    return nodes;
}

const struct access_form *form_light(const struct forms *s, const struct access_form *a)
{
    return form_nodes(s, a) <= FORM_NODES_MAX ? a : NULL;
}

static uint32_t symbol_nodes(const struct forms *s, const struct access_symbol *y)
{
    uint32_t nodes = plus_nodes(form_nodes(s, y->left), form_nodes(s, y->right));

    for (uint32_t i = 0; i < y->choice_count; i++)
        nodes = plus_nodes(nodes, form_nodes(s, y->choices[i]));
    return plus_nodes(nodes, 1);
}

static uint32_t symbol_holds(const struct forms *s, const struct access_symbol *y)
{
    uint32_t holds =
        UINT32_C(1) << y->kind | form_holds(s, y->left) | form_holds(s, y->right);

    for (uint32_t i = 0; i < y->choice_count; i++)
        holds |= form_holds(s, y->choices[i]);
    return holds;
}

uint32_t form_symbol(struct forms *s, const struct access_symbol *y)
{
    if ((s->count + 1) * 2 > s->table_size)
        grow_table(s);
    uint32_t *slot = table_slot(s, y);

    if (!*slot) {
        s->symbols = must_grow(s->symbols, s->count + 1, &s->capacity, sizeof *s->symbols);
        s->symbols[s->count] = *y;
        s->symbols[s->count].holds = symbol_holds(s, y);
        s->symbols[s->count].nodes = symbol_nodes(s, y);
        *slot = ++s->count;
    }
    return *slot - 1;
}

static struct access_form *form_new(struct forms *s, const struct access_term *terms,
                                    uint32_t count)
{
    struct access_form *f = arena_alloc(s->arena, sizeof *f + count * sizeof *terms);

    f->count = count;
    if (count)
        memcpy(f->terms, terms, count * sizeof *terms);
    return f;
}

const struct access_form *form_constant(struct forms *s, int64_t value)
{
    struct access_term term = {.factor = value};

    return form_new(s, &term, value != 0);
}

const struct access_form *form_of(struct forms *s, uint32_t symbol)
{
    struct access_term term = {.factor = 1, .degree = 1, .symbols = {symbol}};

    return form_new(s, &term, 1);
}

const struct access_form *form_make(struct forms *s, const struct access_symbol *y)
{
    return form_of(s, form_symbol(s, y));
}

int form_term_order(const struct access_term *a, const struct access_term *b)
{
    if (a->degree != b->degree)
        return a->degree < b->degree ? -1 : 1;
    for (uint32_t i = 0; i < a->degree; i++)
        if (a->symbols[i] != b->symbols[i])
            return a->symbols[i] < b->symbols[i] ? -1 : 1;
    return 0;
}

/* Factors wrap like registers. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void sum_remove(struct sum *sum, uint32_t at)
{
    sum->count--;
    memmove(&sum->terms[at], &sum->terms[at + 1], (sum->count - at) * sizeof sum->terms[0]);
}

static void sum_term(struct sum *sum, const struct access_term *term)
{
    uint32_t at = sum->count;

    if (!term->factor)
        return;
    while (at && form_term_order(&sum->terms[at - 1], term) > 0)
        at--;
    if (at && !form_term_order(&sum->terms[at - 1], term)) {
        struct access_term *same = &sum->terms[at - 1];

        same->factor = plus(same->factor, term->factor);
        if (!same->factor)
            sum_remove(sum, at - 1);
        return;
    }
    if (sum->count == ACCESS_TERMS_MAX) {
        sum->is_full = true;
        return;
    }
    memmove(&sum->terms[at + 1], &sum->terms[at], (sum->count - at) * sizeof sum->terms[0]);
    sum->terms[at] = *term;
    sum->count++;
}

static void sum_form(struct sum *sum, const struct access_form *a, int64_t factor)
{
    for (uint32_t i = 0; i < a->count; i++) {
        struct access_term term = a->terms[i];

        term.factor = times(term.factor, factor);
        sum_term(sum, &term);
    }
}

static const struct access_form *sum_end(struct forms *s, const struct sum *sum)
{
    return sum->is_full ? NULL : form_new(s, sum->terms, sum->count);
}

const struct access_form *form_add(struct forms *s, const struct access_form *a,
                                   const struct access_form *b, int64_t factor)
{
    struct sum sum;

    if (!a || !b)
        return NULL;
    sum.count = 0;
    sum.is_full = false;
    sum_form(&sum, a, 1);
    sum_form(&sum, b, factor);
    return sum_end(s, &sum);
}

static bool term_multiply(const struct access_term *a, const struct access_term *b,
                          struct access_term *out)
{
    uint32_t i = 0, k = 0;

    *out = (struct access_term){.factor = times(a->factor, b->factor)};
    if (a->degree + b->degree > ACCESS_DEGREE_MAX)
        return false;
    while (i < a->degree || k < b->degree)
        out->symbols[out->degree++] =
            k == b->degree || (i < a->degree && a->symbols[i] <= b->symbols[k])
                ? a->symbols[i++]
                : b->symbols[k++];
    return true;
}

const struct access_form *form_multiply(struct forms *s, const struct access_form *a,
                                        const struct access_form *b)
{
    struct access_term term;
    struct sum sum;

    if (!a || !b)
        return NULL;
    sum.count = 0;
    sum.is_full = false;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++) {
            if (!term_multiply(&a->terms[i], &b->terms[k], &term))
                return NULL;
            sum_term(&sum, &term);
        }
    return sum_end(s, &sum);
}

const struct access_form *form_divide(struct forms *s, const struct access_form *a,
                                      int64_t divisor)
{
    struct access_form *f;

    for (uint32_t i = 0; a && i < a->count; i++)
        if (a->terms[i].factor % divisor)
            return NULL;
    if (!a)
        return NULL;
    f = form_new(s, a->terms, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        f->terms[i].factor /= divisor;
    return f;
}

/* The term with its symbols substituted; sets `*changed` if a symbol was replaced. */
static const struct access_form *map_term(struct forms *s, const struct access_term *term,
                                          form_map_function *of, void *context)
{
    struct access_term kept = {.factor = term->factor};
    const struct access_form *product = NULL;

    for (uint32_t k = 0; k < term->degree; k++) {
        const struct access_form *by = of(context, term->symbols[k]);

        if (!by)
            kept.symbols[kept.degree++] = term->symbols[k];
        else if (!product)
            product = by;
        else if (!(product = form_multiply(s, product, by)))
            return NULL;
    }
    const struct access_form *rest = form_new(s, &kept, 1);

    return product ? form_multiply(s, rest, product) : rest;
}

const struct access_form *form_map(struct forms *s, const struct access_form *a,
                                   form_map_function *of, void *context)
{
    struct sum sum;

    if (!a)
        return NULL;
    sum.count = 0;
    sum.is_full = false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct access_form *term = map_term(s, &a->terms[i], of, context);

        if (!term)
            return NULL;
        sum_form(&sum, term, 1);
    }
    return sum_end(s, &sum);
}

bool form_equal(const struct access_form *a, const struct access_form *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].factor != b->terms[i].factor ||
            form_term_order(&a->terms[i], &b->terms[i]))
            return false;
    return true;
}

bool form_is_constant(const struct access_form *a, int64_t *value)
{
    *value = a->count ? a->terms[0].factor : 0;
    return !a->count || (a->count == 1 && !a->terms[0].degree);
}

unsigned form_low_zeros(const struct access_form *a)
{
    unsigned zeros = 63;

    for (uint32_t i = 0; i < a->count; i++) {
        unsigned here = (unsigned)__builtin_ctzll((uint64_t)a->terms[i].factor);

        zeros = here < zeros ? here : zeros;
    }
    return zeros;
}
