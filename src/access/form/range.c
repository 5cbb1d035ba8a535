/* SPDX-License-Identifier: Apache-2.0 */
#include "access/form/range.h"
#include "access/form/apply.h"
#include "access/form/form.h"

#include <string.h>

struct range range_of_type(unsigned bits, bool is_signed)
{
    if (bits >= 64)
        return (struct range){INT64_MIN, INT64_MAX};
    if (is_signed)
        return (struct range){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1};
    return (struct range){0, ((int64_t)1 << bits) - 1};
}

/* Parameter buffer or variable that contains the field; NULL: the bytes do not exist or are
   unknown. */
static const unsigned char *holder(const struct access_launch *l,
                                   const struct access_symbol *y)
{
    if (y->kind == ACCESS_CONSTANT)
        return l->constants ? l->constants[y->variable - PTX_SYMBOL_MODULE] : NULL;
    return y->offset + y->bytes <= l->parameter_bytes ? l->parameters : NULL;
}

bool range_given(const struct access_launch *l, const struct access_symbol *y, int64_t *out)
{
    const unsigned char *in = holder(l, y);
    uint64_t value = 0;
    unsigned unused = 64 - 8 * y->bytes;

    if (y->bytes > 8 || !in)
        return false;
    memcpy(&value, in + y->offset, y->bytes);
    value <<= unused;
    *out = y->is_signed ? (int64_t)value >> unused : (int64_t)(value >> unused);
    return true;
}

static bool special_range(const struct range_view *v, enum ptx_special s, struct range *out)
{
    static const int64_t block_max[3] = {1024, 1024, 64};
    static const int64_t grid_max[3] = {INT32_MAX, 65535, 65535};
    unsigned axis = (unsigned)(s - PTX_TID_X) % 3;

    if (s == PTX_LANEID) {
        *out = (struct range){0, 31};
        return true;
    }
    if (s > PTX_NCTAID_Z)
        return false;
    bool is_grid = s >= PTX_CTAID_X;
    int64_t least = 1, most = is_grid ? grid_max[axis] : block_max[axis];

    if (v->block && !is_grid)
        least = most = v->block[axis];
    if (v->launch)
        least = most = is_grid ? v->launch->nctaid[axis] : v->launch->ntid[axis];
    bool is_index = s <= PTX_TID_Z || (s >= PTX_CTAID_X && s <= PTX_CTAID_Z);

    *out = is_index ? (struct range){0, most - 1} : (struct range){least, most};
    if (v->launch && is_grid && is_index && v->launch->ctaid_end[axis])
        *out = (struct range){v->launch->ctaid_first[axis],
                              (int64_t)v->launch->ctaid_end[axis] - 1};
    return true;
}

static bool multiply(struct range *a, const struct range *b)
{
    int64_t p[4];
    struct range r = {INT64_MAX, INT64_MIN};

    if (__builtin_mul_overflow(a->low, b->low, &p[0]) ||
        __builtin_mul_overflow(a->low, b->high, &p[1]) ||
        __builtin_mul_overflow(a->high, b->low, &p[2]) ||
        __builtin_mul_overflow(a->high, b->high, &p[3]))
        return false;
    for (unsigned i = 0; i < 4; i++) {
        r.low = p[i] < r.low ? p[i] : r.low;
        r.high = p[i] > r.high ? p[i] : r.high;
    }
    *a = r;
    return true;
}

static bool scale(struct range *out, const struct range *by, int64_t factor)
{
    return !__builtin_mul_overflow(factor < 0 ? by->high : by->low, factor, &out->low) &&
           !__builtin_mul_overflow(factor < 0 ? by->low : by->high, factor, &out->high);
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t ones_above(int64_t value)
{
    int64_t ones = 0;

    while (ones < value)
        ones = ones * 2 + 1;
    return ones;
}

/* Upper bound of `or` and `xor`: at most the sum, and no higher bit than either side. */
static int64_t joined_most(int64_t a, int64_t b)
{
    const int64_t ones = ones_above(greater(a, b));
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) || sum > ones ? ones : sum;
}

static int64_t applied(const struct access_symbol *y, int64_t a, int64_t b)
{
    return (int64_t)apply_function(y->function, y->is_signed, y->bits, (uint64_t)a,
                                   (uint64_t)b);
}

static bool is_low_mask(int64_t c)
{
    return c > 0 && c < INT64_MAX && !(c & (c + 1));
}

struct range range_of_function(const struct access_symbol *y, struct range a,
                               struct range b)
{
    struct range all = range_of_type(y->bits, y->is_signed);
    bool positive = a.low >= 0 && b.low >= 0;

    if (a.low == a.high && b.low == b.high) {
        int64_t exact = applied(y, a.low, b.low);

        return (struct range){exact, exact};
    }
    if (!y->is_signed && !positive && y->function != ACCESS_AND &&
        y->function != ACCESS_SHR) { /* unsigned: a negative is large */
        if (y->function == ACCESS_DIV && b.low > 1)
            return (struct range){0, (int64_t)(UINT64_MAX / (uint64_t)b.low)};
        if (y->function == ACCESS_REM && b.low > 0)
            return (struct range){0, b.high - 1};
        return all;
    }
    switch (y->function) {
    case ACCESS_MIN:
        return (struct range){lesser(a.low, b.low), lesser(a.high, b.high)};
    case ACCESS_MAX:
        return (struct range){greater(a.low, b.low), greater(a.high, b.high)};
    case ACCESS_AND:
        if (a.low >= 0 && b.low == b.high && is_low_mask(b.low) &&
            (a.low & ~b.low) == (a.high & ~b.low)) /* the bits above it are equal */
            return (struct range){a.low & b.low, a.high & b.low};
        if (positive)
            return (struct range){0, lesser(a.high, b.high)};
        if (a.low >= 0 || b.low >= 0)
            return (struct range){0, a.low >= 0 ? a.high : b.high};
        break;
    case ACCESS_OR:
    case ACCESS_XOR:
        if (positive)
            return (struct range){y->function == ACCESS_OR ? greater(a.low, b.low) : 0,
                                  joined_most(a.high, b.high)};
        break;
    case ACCESS_SHR:
        if (a.low >= 0 && b.low >= 0 && b.high < y->bits)
            return (struct range){a.low >> b.high, a.high >> b.low};
        if (b.low != b.high || b.low < 1 || b.low >= y->bits)
            break;
        if (!y->is_signed && a.low < 0)
            return (struct range){0, (int64_t)(UINT64_MAX >> b.low)};
        return (struct range){a.low >> b.low, a.high >> b.low};
    case ACCESS_DIV:
        if (a.low >= 0 && b.low > 0)
            return (struct range){a.low / b.high, a.high / b.low};
        break;
    case ACCESS_REM:
        if (a.low >= 0 && b.low > 0 && b.low == b.high && a.low / b.low == a.high / b.low)
            return (struct range){a.low % b.low, a.high % b.low};
        if (a.low >= 0 && b.low > 0)
            return (struct range){0, lesser(a.high, b.high - 1)};
        break;
    case ACCESS_MULHI:
        if (positive)
            return (struct range){applied(y, a.low, b.low), applied(y, a.high, b.high)};
        break;
    case ACCESS_SHL: /* only if the sign cannot change */
        if (a.low >= 0 && b.low >= 0 && b.high < y->bits - 1 &&
            a.high <= (range_of_type(y->bits, true).high >> b.high))
            return (struct range){a.low << b.low, a.high << b.high};
        break;
    }
    return all;
}

static bool symbol_range(const struct range_view *v, const struct access_symbol *y,
                         struct range *out);

void range_keep(struct range_view *v, uint32_t count, struct arena *arena)
{
    v->found = arena_keep(arena, (count / RANGE_PAGE + 1u) * sizeof(struct range_page *));
    v->found_count = count;
    v->arena = arena;
}

/* Interval of a symbol, each computed once: nested quotients and remainders reach the same
   symbols on thousands of paths. */
static bool symbol_range_once(const struct range_view *v, uint32_t symbol,
                              struct range *out)
{
    if (symbol >= v->found_count)
        return symbol_range(v, &v->symbols[symbol], out);
    struct range_page **page = &v->found[symbol / RANGE_PAGE];

    if (!*page)
        *page = arena_keep(v->arena, sizeof **page);
    struct range_found *f = &(*page)->symbol[symbol % RANGE_PAGE];

    if (!f->is_computed) {
        f->is_known = symbol_range(v, &v->symbols[symbol], &f->range);
        f->is_computed = true;
    }
    *out = f->range;
    return f->is_known;
}

bool range_number(const struct range_view *v, uint32_t symbol, int64_t *out)
{
    struct range r;

    if (!symbol_range_once(v, symbol, &r) || r.low != r.high)
        return false;
    *out = r.low;
    return true;
}

/* Adds the interval of a term times `factor`. False on overflow or if it is unknown. */
static bool add_term(const struct range_view *v, const struct access_term *t,
                     int64_t factor, struct range *sum)
{
    struct range product = {factor, factor}, r;

    for (uint32_t k = 0; k < t->degree; k++)
        if (!symbol_range_once(v, t->symbols[k], &r) ||
            !(k ? multiply(&product, &r) : scale(&product, &r, factor)))
            return false;
    return !__builtin_add_overflow(sum->low, product.low, &sum->low) &&
           !__builtin_add_overflow(sum->high, product.high, &sum->high);
}

bool range_of(const struct range_view *v, const struct access_form *f, struct range *out)
{
    struct range sum = {0, 0};

    for (uint32_t i = 0; f && i < f->count; i++)
        if (!add_term(v, &f->terms[i], f->terms[i].factor, &sum))
            return false;
    *out = sum;
    return f != NULL;
}

bool range_of_sum(const struct range_view *v, const struct access_form *a,
                  const struct access_form *b, int64_t factor, struct range *out)
{
    struct range sum = {0, 0};

    for (uint32_t i = 0, k = 0; i < a->count || k < b->count;) {
        int order = i == a->count   ? 1
                    : k == b->count ? -1
                                    : form_term_order(&a->terms[i], &b->terms[k]);
        const struct access_term *t = order > 0 ? &b->terms[k] : &a->terms[i];
        uint64_t of_both = order <= 0 ? (uint64_t)a->terms[i].factor : 0;

        if (order >= 0)
            of_both += (uint64_t)b->terms[k].factor * (uint64_t)factor;
        if (of_both && !add_term(v, t, (int64_t)of_both, &sum))
            return false;
        i += order <= 0;
        k += order >= 0;
    }
    *out = sum;
    return true;
}

/* Interval of an argument as the function reads it: the interval of the type if the form
   does not fit. */
static struct range argument(const struct range_view *v, const struct access_symbol *y,
                             const struct access_form *f)
{
    struct range all = range_of_type(y->bits, y->is_signed), r;

    return range_of(v, f, &r) && r.low >= all.low && r.high <= all.high ? r : all;
}

static bool choice_range(const struct range_view *v, const struct access_symbol *y,
                         struct range *out)
{
    struct range r, all = {INT64_MAX, INT64_MIN};

    for (uint32_t i = 0; i < y->choice_count; i++) {
        if (!range_of(v, y->choices[i], &r))
            return false;
        all = (struct range){lesser(all.low, r.low), greater(all.high, r.high)};
    }
    *out = all;
    return y->choice_count > 0;
}

bool range_element(const struct access_launch *l, const struct access_symbol *y, int64_t at,
                   int64_t *out)
{
    const struct access_symbol field = {
        .kind = y->variable >= PTX_SYMBOL_MODULE ? ACCESS_CONSTANT : ACCESS_PARAMETER,
        .variable = y->variable,
        .offset = y->offset + (uint32_t)at,
        .bytes = y->bits / 8,
        .is_signed = y->is_signed};

    return at >= 0 && at <= (int64_t)y->bytes - field.bytes && range_given(l, &field, out);
}

/* Interval of a table element: minimum and maximum over the possible positions. Elements
   are aligned to their size. */
static bool element_range(const struct range_view *v, const struct access_symbol *y,
                          struct range *out)
{
    const int64_t bytes = y->bits / 8, most = (int64_t)y->bytes - bytes;
    struct range r, all = {INT64_MAX, INT64_MIN};
    int64_t value;

    *out = range_of_type(y->bits, y->is_signed);
    if (!v->launch || !range_of(v, y->left, &r))
        return true;
    r.high = lesser(r.high, most);
    for (int64_t n = (greater(r.low, 0) + bytes - 1) / bytes * bytes; n <= r.high;
         n += bytes) {
        if (!range_element(v->launch, y, n, &value))
            return true;
        all = (struct range){lesser(all.low, value), greater(all.high, value)};
    }
    if (all.low <= all.high)
        *out = all;
    return true;
}

static bool symbol_range(const struct range_view *v, const struct access_symbol *y,
                         struct range *out)
{
    int64_t trips;

    switch (y->kind) {
    case ACCESS_SPECIAL:
        return special_range(v, y->special, out);
    case ACCESS_PARAMETER:
    case ACCESS_CONSTANT:
        *out = range_of_type(8 * y->bytes, y->is_signed);
        if (v->launch) {
            if (!range_given(v->launch, y, &out->low))
                return false;
            out->high = out->low;
        }
        return v->launch || y->bytes < 8;
    case ACCESS_ITERATION:
    case ACCESS_TRIPS:
        trips = v->trips ? v->trips[y->loop] : -1;
        *out = (struct range){0, y->kind == ACCESS_TRIPS ? trips : greater(0, trips - 1)};
        return trips >= 0;
    case ACCESS_FUNCTION:
        *out = range_of_function(y, argument(v, y, y->left), argument(v, y, y->right));
        return y->bits < 64 || out->low > INT64_MIN || out->high < INT64_MAX;
    case ACCESS_CHOICE:
        return choice_range(v, y, out);
    case ACCESS_ELEMENT:
        return element_range(v, y, out);
    default:
        return false;
    }
}

bool range_fits(const struct range_view *v, const struct access_form *f, unsigned bits,
                bool is_signed)
{
    struct range all = range_of_type(bits, is_signed), r;

    if (!is_signed && all.low < 0)
        all.low = 0; /* 64 bits: the lower half, a safe choice */
    return range_of(v, f, &r) && r.low >= all.low && r.high <= all.high;
}
