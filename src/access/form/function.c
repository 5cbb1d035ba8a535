/* SPDX-License-Identifier: Apache-2.0 */
#include "access/form/function.h"
#include "access/form/apply.h"
#include "access/form/range.h"

static struct range_view any_launch(const struct maker *m)
{
    return (struct range_view){.symbols = m->forms.symbols};
}

static bool lies_below(const struct maker *m, const struct access_form *a, uint64_t end)
{
    struct range_view view = any_launch(m);
    struct range r;

    return range_of(&view, a, &r) && r.low >= 0 && (uint64_t)r.high < end;
}

void function_demand(struct maker *m, const struct access_form *a, unsigned bits,
                     bool is_signed)
{
    struct range_view view = any_launch(m);

    if (range_fits(&view, a, bits, is_signed))
        return;
    m->ranges =
        must_grow(m->ranges, m->range_count + 1, &m->range_capacity, sizeof *m->ranges);
    m->ranges[m->range_count++] = (struct access_range){
        .form = a, .block = -1, .bits = (uint8_t)bits, .is_signed = is_signed};
}

const struct access_form *function_widen(struct maker *m, const struct access_form *a,
                                         unsigned bits, bool is_signed)
{
    int64_t value;

    if (!a || bits >= 64)
        return a;
    if (form_is_constant(a, &value))
        return form_constant(&m->forms,
                             (int64_t)apply_cut((uint64_t)value, bits, is_signed));
    function_demand(m, a, bits, is_signed);
    return a;
}

/* Part of a form whose factors are multiples of `unit`. */
static const struct access_form *multiples(struct maker *m, const struct access_form *a,
                                           int64_t unit)
{
    const struct access_form *sum = form_constant(&m->forms, 0);

    for (uint32_t i = 0; i < a->count; i++) {
        struct access_form *one =
            arena_alloc(m->forms.arena, sizeof *one + sizeof a->terms[0]);

        one->count = 1;
        one->terms[0] = a->terms[i];
        if (a->terms[i].factor % unit == 0)
            sum = form_add(&m->forms, sum, one, 1);
    }
    return sum;
}

/* Computes a / d, a >> log d or a % d for a = d * quotient + rest with 0 <= rest < d. */
static const struct access_form *split(struct maker *m, enum access_function f,
                                       bool is_signed, unsigned bits,
                                       const struct access_form *a, int64_t d)
{
    const struct access_form *whole = multiples(m, a, d);
    const struct access_form *rest = form_add(&m->forms, a, whole, -1);
    struct range_view view = any_launch(m);
    struct range r;

    if (!lies_below(m, rest, (uint64_t)d))
        return NULL;
    /* Division rounds a negative number towards zero. */
    if (f != ACCESS_SHR && is_signed && !(range_of(&view, a, &r) && r.low >= 0))
        return NULL;
    function_demand(m, a, bits, is_signed);
    return f == ACCESS_REM ? rest : form_divide(&m->forms, whole, d);
}

static const struct access_symbol *only_symbol(const struct maker *m,
                                               const struct access_term *t)
{
    return t->degree == 1 ? &m->forms.symbols[t->symbols[0]] : NULL;
}

/* Whether the form consists of thread indices and lies below `end` in blocks of the size
   that the function requires, else in a block of one warp. */
static bool is_low_thread(const struct maker *m, const struct access_form *a, uint64_t end)
{
    static const uint32_t warp[3] = {32, 1, 1};
    struct range_view view = any_launch(m);
    struct range r;

    for (uint32_t i = 0; i < a->count; i++) {
        const struct access_symbol *y = only_symbol(m, &a->terms[i]);

        if (a->terms[i].degree && (!y || y->kind != ACCESS_SPECIAL ||
                                   (y->special > PTX_TID_Z && y->special != PTX_LANEID)))
            return false;
    }
    view.block = m->block && m->block[0] ? m->block : warp;
    return range_of(&view, a, &r) && r.low >= 0 && (uint64_t)r.high < end;
}

/* a & (2^low - 1): multiples of 2^low have no effect. */
static const struct access_form *low_bits(struct maker *m, unsigned bits,
                                          const struct access_form *a, unsigned low)
{
    int64_t unit = (int64_t)1 << low;
    const struct access_form *rest = form_add(&m->forms, a, multiples(m, a, unit), -1);
    struct access_symbol y = {.kind = ACCESS_FUNCTION, .function = ACCESS_AND};
    const unsigned zeros = form_low_zeros(rest);

    if (lies_below(m, rest, (uint64_t)unit))
        return rest;
    if (low < 32 && m->block && m->block[0] && is_low_thread(m, rest, (uint64_t)unit)) {
        function_demand(m, rest, low, false);
        return rest;
    }
    if (zeros && zeros < low) { /* (4 * x) & 508 is 4 * (x & 127) */
        rest = low_bits(m, bits, form_divide(&m->forms, rest, INT64_C(1) << zeros),
                        low - zeros);
        return form_multiply(&m->forms, rest,
                             form_constant(&m->forms, INT64_C(1) << zeros));
    }
    y.bits = (uint8_t)bits;
    y.left = rest;
    y.right = form_constant(&m->forms, unit - 1);
    return form_make(&m->forms, &y);
}

static const struct access_form *mask(struct maker *m, unsigned bits,
                                      const struct access_form *a, int64_t constant)
{
    uint64_t c = apply_cut((uint64_t)constant, bits, false);
    uint64_t all = apply_cut(UINT64_MAX, bits, false), above = c + (c & (0 - c));
    unsigned low = c ? (unsigned)__builtin_ctzll(c) : 0;

    if (!c)
        return form_constant(&m->forms, 0);
    if (low && low < 62 && form_low_zeros(a) >= low) { /* the low bits are 0 */
        c |= ((uint64_t)1 << low) - 1;
        low = 0;
    }
    if (c == all)
        return a;
    if (bits == 64 && above == (uint64_t)1 << 32) { /* bits low .. 31: also widens */
        a = function_widen(m, a, 32, false);
        above = 0;
    }
    if (above == 0 || above == all + 1)
        return low ? form_add(&m->forms, a, low_bits(m, bits, a, low), -1) : a;
    if (!low && !(c & (c + 1)))
        return low_bits(m, bits, a, (unsigned)__builtin_ctzll(c + 1));
    return NULL;
}

static const struct access_form *with_constant(struct maker *m, enum access_function f,
                                               bool is_signed, unsigned bits,
                                               const struct access_form *a, int64_t c)
{
    switch (f) {
    case ACCESS_AND:
        return mask(m, bits, a, c);
    case ACCESS_OR:
        return c ? NULL : a;
    case ACCESS_XOR:
        if (apply_cut((uint64_t)c, bits, true) == UINT64_MAX)
            return form_add(&m->forms, form_constant(&m->forms, -1), a, -1);
        return c ? NULL : a;
    case ACCESS_SHL:
        if (c < 0 || c >= (int64_t)bits)
            return form_constant(&m->forms, 0);
        return form_multiply(&m->forms, a,
                             form_constant(&m->forms, (int64_t)((uint64_t)1 << c)));
    case ACCESS_SHR:
        if (c < 0 || c >= (int64_t)bits || c > 62)
            return NULL;
        return c ? split(m, f, is_signed, bits, a, (int64_t)1 << c) : a;
    case ACCESS_DIV:
    case ACCESS_REM:
        return c > 0 ? split(m, f, is_signed, bits, a, c) : NULL;
    default:
        return NULL;
    }
}

static uint64_t possible_bits(const struct maker *m, const struct access_form *a);

/* The same for a term: a masked value has only bits of its mask. */
static uint64_t possible_bits_of_term(const struct maker *m, const struct access_form *one)
{
    const struct access_term *t = &one->terms[0];
    const struct access_symbol *y = only_symbol(m, t);
    const unsigned shift = form_low_zeros(one);
    int64_t mask;

    if (!y || y->kind != ACCESS_FUNCTION || y->function != ACCESS_AND ||
        !form_is_constant(y->right, &mask) || mask < 0 ||
        t->factor != INT64_C(1) << shift || (uint64_t)mask > (UINT64_MAX >> 1) >> shift)
        return UINT64_MAX << shift;
    return (possible_bits(m, y->left) & (uint64_t)mask) << shift;
}

/* Bits that the form may have in some launch. */
static uint64_t possible_bits(const struct maker *m, const struct access_form *a)
{
    const struct range_view view = any_launch(m);
    uint64_t most = UINT64_MAX << form_low_zeros(a), sum = 0;
    struct range r;

    if (range_of(&view, a, &r) && r.low >= 0)
        most &= r.high ? UINT64_MAX >> __builtin_clzll((uint64_t)r.high) : 0;
    for (uint32_t i = 0; i < a->count; i++) {
        struct access_form *one =
            arena_alloc(m->forms.arena, sizeof *one + sizeof a->terms[0]);

        one->count = 1;
        one->terms[0] = a->terms[i];
        const uint64_t bits = possible_bits_of_term(m, one);

        if (sum & bits) /* carries */
            return most;
        sum |= bits;
    }
    return most & sum;
}

/* `or` and `xor` of forms without common bits equal their sum. For the index of a thread
   next to multiples of a power of two, that is assumed: the launch decides its size. */
static const struct access_form *join_bits(struct maker *m, const struct access_form *a,
                                           const struct access_form *b)
{
    if (!(possible_bits(m, a) & possible_bits(m, b)))
        return form_add(&m->forms, a, b, 1);
    for (unsigned turn = 0; turn < 2; turn++) {
        const struct access_form *high = turn ? a : b, *low = turn ? b : a;
        unsigned zeros = form_low_zeros(high);

        if (zeros > 31 || !zeros || !is_low_thread(m, low, (uint64_t)1 << zeros))
            continue;
        function_demand(m, low, zeros, false);
        return form_add(&m->forms, a, b, 1);
    }
    return NULL;
}

const struct access_form *function_make(struct maker *m, enum access_function f,
                                        bool is_signed, unsigned bits,
                                        const struct access_form *a,
                                        const struct access_form *b)
{
    const struct access_form *simple = NULL;
    bool commutes =
        f != ACCESS_DIV && f != ACCESS_REM && f != ACCESS_SHL && f != ACCESS_SHR;
    int64_t x, y;

    if (!a || !b)
        return NULL;
    if (commutes && form_is_constant(a, &x)) {
        const struct access_form *swap = a;

        a = b;
        b = swap;
    }
    bool constant = form_is_constant(b, &y);

    if (constant && form_is_constant(a, &x))
        return form_constant(&m->forms, (int64_t)apply_function(f, is_signed, bits,
                                                                (uint64_t)x, (uint64_t)y));
    if (constant)
        simple = with_constant(m, f, is_signed, bits, a, y);
    if (!simple && (f == ACCESS_OR || f == ACCESS_XOR))
        simple = join_bits(m, a, b);
    if (!simple && (f == ACCESS_MIN || f == ACCESS_MAX) && form_equal(a, b))
        simple = a;
    if (simple)
        return simple;
    struct access_symbol symbol = {.kind = ACCESS_FUNCTION,
                                   .function = f,
                                   .is_signed = is_signed,
                                   .bits = (uint8_t)bits,
                                   .left = a,
                                   .right = b};

    return form_make(&m->forms, &symbol);
}

/* Cofactor of `n` * symbol `d` in a term; NULL if the term does not contain both. */
static const struct access_form *beside(struct maker *m, const struct access_term *t,
                                        const struct access_form *n, uint32_t d)
{
    struct access_form *rest = arena_alloc(m->forms.arena, sizeof *rest + sizeof *t);
    struct access_term *r = &rest->terms[0];
    uint32_t k = 0;
    bool took = false;

    if (n->count != 1 || t->factor % n->terms[0].factor)
        return NULL;
    rest->count = 1;
    r->factor = t->factor / n->terms[0].factor;
    for (uint32_t i = 0; i < t->degree; i++) {
        if (!took && t->symbols[i] == d)
            took = true;
        else if (k < n->terms[0].degree && t->symbols[i] == n->terms[0].symbols[k])
            k++;
        else
            r->symbols[r->degree++] = t->symbols[i];
    }
    return took && k == n->terms[0].degree ? rest : NULL;
}

static uint32_t weight(const struct maker *m, const struct access_form *a)
{
    uint32_t sum = a->count;

    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < a->terms[i].degree; k++)
            if (m->forms.symbols[a->terms[i].symbols[k]].kind == ACCESS_FUNCTION)
                sum += 8;
    return sum;
}

/* The form with c * n * (t / n) replaced by c * t - c * (t % n), or vice versa, if the
   result is simpler; else NULL. */
static const struct access_form *rewritten(struct maker *m, const struct access_form *a,
                                           const struct access_term *term, uint32_t d)
{
    struct forms *f = &m->forms;
    const struct access_symbol y = f->symbols[d];
    const struct access_form *c =
        beside(m, term, y.function == ACCESS_DIV ? y.right : form_constant(f, 1), d);
    const struct access_form *quotient, *rest, *sum;

    if (!c)
        return NULL;
    quotient = function_make(m, ACCESS_DIV, y.is_signed, y.bits, y.left, y.right);
    rest = function_make(m, ACCESS_REM, y.is_signed, y.bits, y.left, y.right);
    /* t - n * (t / n) - t % n, which is 0 */
    sum =
        form_add(f, form_add(f, y.left, form_multiply(f, y.right, quotient), -1), rest, -1);
    sum = form_add(f, a, form_multiply(f, c, sum), 1);
    return sum && weight(m, sum) < weight(m, a) ? sum : NULL;
}

const struct access_form *function_remainder(struct maker *m, const struct access_form *a,
                                             unsigned bits)
{
    for (uint32_t i = 0; a && i < a->count; i++)
        for (uint32_t k = 0; k < a->terms[i].degree; k++) {
            const struct access_symbol *y = &m->forms.symbols[a->terms[i].symbols[k]];
            const struct access_form *simpler;

            if (y->kind != ACCESS_FUNCTION || y->bits != bits ||
                (y->function != ACCESS_DIV && y->function != ACCESS_REM))
                continue;
            simpler = rewritten(m, a, &a->terms[i], a->terms[i].symbols[k]);
            if (simpler)
                return simpler;
        }
    return a;
}
