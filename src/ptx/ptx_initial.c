/* SPDX-License-Identifier: Apache-2.0 */
/* Initializers of variables: {1, 2}, {{1}, {2, 3}}, 0f3F800000, generic(other) + 8,
   0xFF00(other) and "text". */
#include <string.h>

#include "ptx/ptx_parser.h"

enum { ADDRESS_BYTES = 8, INITIAL_BYTES_MAX = 1 << 26 };

/* Position of the next value, in elements. */
struct cursor {
    struct ptx_symbol *symbol;
    const uint64_t *dims;
    unsigned dim_count;
    unsigned element_bytes;
    uint64_t at, limit; /* limit: UINT64_MAX if the first dimension is open */
};

static bool put(struct ptx_parser *p, struct cursor *c, uint32_t offset, uint64_t value)
{
    uint64_t end = (c->at + 1) * c->element_bytes;

    if (c->at >= c->limit)
        return ptx_wrong(p, offset, "'%.60s' has %llu elements, and this is one more",
                         c->symbol->name, (unsigned long long)c->limit);
    if (end > INITIAL_BYTES_MAX)
        return ptx_wrong(p, offset, "more than %d bytes of initial values",
                         INITIAL_BYTES_MAX);
    if (p->initial.count < end) {
        struct ptx_list *l = &p->initial;

        l->data = must_grow(l->data, end, &l->capacity, 1);
        memset((unsigned char *)l->data + l->count, 0, end - l->count);
        l->count = end;
    }
    memcpy((unsigned char *)p->initial.data + end - c->element_bytes, &value,
           c->element_bytes < sizeof value ? c->element_bytes : sizeof value);
    c->at++;
    return true;
}

/* Bits of the value as .f32 or .f64. */
static uint64_t convert(const struct ptx_number *number, enum ptx_part type)
{
    double wide = (double)number->bits;
    uint64_t bits = 0;
    float narrow;

    if (number->float_bytes == 4) {
        memcpy(&narrow, &number->bits, sizeof narrow);
        wide = (double)narrow;
    } else if (number->float_bytes == 8) {
        memcpy(&wide, &number->bits, sizeof wide);
    }
    narrow = (float)wide;
    if (type == PTX_PART_F64)
        memcpy(&bits, &wide, sizeof wide);
    else
        memcpy(&bits, &narrow, sizeof narrow);
    return bits;
}

static bool put_number(struct ptx_parser *p, struct cursor *c, uint32_t offset,
                       const struct ptx_number *number, bool negative)
{
    enum ptx_part type = c->symbol->type;
    bool is_float = type == PTX_PART_F32 || type == PTX_PART_F64;
    uint64_t bits = number->bits;

    if (!number->float_bytes && !is_float)
        return put(p, c, offset, negative ? 0 - bits : bits);
    if (number->float_bytes == c->element_bytes) /* unchanged, NaNs too */
        return put(p, c, offset, bits ^ (uint64_t)negative << (8 * c->element_bytes - 1));
    if (!is_float)
        return ptx_wrong(p, offset, "expected an integer, found a floating-point number");
    bits = convert(number, type);
    return put(p, c, offset, bits ^ (uint64_t)negative << (8 * c->element_bytes - 1));
}

/* NAME or generic(NAME), each with + or - a number. */
static bool read_address(struct ptx_parser *p, int32_t *symbol, int64_t *addend)
{
    bool is_generic =
        p->token.span.bytes == 7 && !memcmp(p->text + p->token.span.offset, "generic", 7);
    uint64_t value;

    if (is_generic) {
        ptx_next(p);
        if (!ptx_expect(p, '(', "'(' after generic"))
            return false;
    }
    struct ptx_token t = p->token;

    if (t.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a symbol");
    *symbol = ptx_symbol_find(p, p->text + t.span.offset, t.span.bytes);
    if (*symbol < 0)
        return ptx_wrong(p, t.span.offset, "'%.*s' is not declared", (int)t.span.bytes,
                         p->text + t.span.offset);
    ptx_next(p);
    if (is_generic && !ptx_expect(p, ')', "')' after the symbol"))
        return false;
    *addend = 0;
    while (ptx_at(p, '+') || ptx_at(p, '-')) {
        bool negative = ptx_at(p, '-');

        ptx_next(p);
        if (ptx_accept(p, '-'))
            negative = !negative;
        if (!ptx_read_integer(p, "an offset", &value))
            return false;
        *addend = (int64_t)((uint64_t)*addend + (negative ? 0 - value : value));
    }
    return true;
}

static struct ptx_relocation *last_relocation(struct ptx_parser *p)
{
    return p->relocations.count
               ? (struct ptx_relocation *)p->relocations.data + p->relocations.count - 1
               : NULL;
}

/* Stores an address (mask 0) or one byte of it. The bytes of one address are
   consecutive. */
static bool put_address(struct ptx_parser *p, struct cursor *c, uint64_t mask)
{
    uint32_t offset = p->token.span.offset;
    uint64_t at = c->at * c->element_bytes;
    unsigned byte = 0;
    int32_t symbol = -1;
    int64_t addend = 0;

    if (!read_address(p, &symbol, &addend))
        return false;
    while (mask && byte < ADDRESS_BYTES && mask != (uint64_t)0xff << (8 * byte))
        byte++;
    if ((mask && c->element_bytes != 1) || byte == ADDRESS_BYTES)
        return ptx_wrong(p, offset, "a mask other than one byte of an address");
    if (!mask && c->element_bytes != ADDRESS_BYTES)
        return ptx_wrong(p, offset, "an address needs an element of %d bytes",
                         ADDRESS_BYTES);
    if (byte == 0) {
        struct ptx_relocation *r = ptx_list_add(&p->relocations);

        *r = (struct ptx_relocation){(uint32_t)at, symbol, addend};
    } else {
        const struct ptx_relocation *r = last_relocation(p);

        if (!r || r->at + byte != at || r->symbol != symbol || r->addend != addend)
            return ptx_wrong(p, offset, "byte %u of an address without those before it",
                             byte);
    }
    return put(p, c, offset, 0);
}

static bool read_value(struct ptx_parser *p, struct cursor *c)
{
    uint32_t offset = p->token.span.offset;
    struct ptx_number number;
    bool negative = ptx_accept(p, '-');

    if (p->token.kind == PTX_TOKEN_NAME && !negative)
        return put_address(p, c, 0);
    if (p->token.kind != PTX_TOKEN_NUMBER)
        return ptx_expected(p, "a value");
    if (!ptx_read_number(p, &number))
        return false;
    if (!ptx_accept(p, '('))
        return put_number(p, c, offset, &number, negative);
    return put_address(p, c, number.bits) && ptx_expect(p, ')', "')' after the address");
}

/* C's escapes of one character; any other character represents itself. */
static bool read_text(struct ptx_parser *p, struct cursor *c)
{
    static const char escapes[] = "n\nt\tr\r0";
    struct ptx_span span = p->token.span;
    uint32_t end = span.offset + span.bytes - 1;

    for (uint32_t i = span.offset + 1; i < end; i++) {
        char value = p->text[i];

        if (value == '\\') {
            value = p->text[++i];
            for (size_t k = 0; k < sizeof escapes - 1; k += 2)
                if (escapes[k] == p->text[i])
                    value = escapes[k + 1];
        }
        if (!put(p, c, span.offset, (unsigned char)value))
            return false;
    }
    ptx_next(p);
    return c->at == c->limit || put(p, c, span.offset, 0);
}

/* Elements between two values of dimension `depth` - 1. */
static uint64_t row_elements(const struct cursor *c, unsigned depth)
{
    uint64_t row = 1;

    for (unsigned i = depth; i < c->dim_count; i++)
        row *= c->dims[i];
    return row;
}

/* {...}: an inner brace fills one row, and omitted elements are zero. */
static bool read_braces(struct ptx_parser *p, struct cursor *c, unsigned depth)
{
    ptx_next(p);
    if (ptx_accept(p, '}'))
        return true;
    do {
        uint64_t first = c->at, row = row_elements(c, depth + 1);

        if (!ptx_at(p, '{')) {
            if (!read_value(p, c))
                return false;
            continue;
        }
        if (depth + 1 >= c->dim_count || row == 0)
            return ptx_expected(p, "a value");
        if (!read_braces(p, c, depth + 1))
            return false;
        if (c->at - first > row)
            return ptx_wrong(p, p->token.span.offset, "more than %llu values in a row",
                             (unsigned long long)row);
        c->at = first + row;
        if (c->at > c->limit || c->at > INITIAL_BYTES_MAX)
            return ptx_wrong(p, p->token.span.offset,
                             "more values than '%.60s' has room for", c->symbol->name);
    } while (ptx_accept(p, ','));
    return ptx_expect(p, '}', "'}' after the values");
}

static bool keep(struct ptx_parser *p, const struct cursor *c)
{
    struct ptx_symbol *s = c->symbol;
    struct arena *arena = &p->module->arena;
    uint64_t row = row_elements(c, 1), bytes = s->bytes;

    if (c->limit == UINT64_MAX)
        bytes = row ? (c->at + row - 1) / row * row * c->element_bytes : 0;

    p->initial_bytes += bytes;
    if (p->initial_bytes > INITIAL_BYTES_MAX)
        return ptx_wrong(p, s->span.offset, "more than %d bytes of initial values",
                         INITIAL_BYTES_MAX);
    for (size_t i = 0; i < p->relocations.count; i++) {
        const struct ptx_relocation *r = (struct ptx_relocation *)p->relocations.data + i;

        if (r->at + (uint64_t)ADDRESS_BYTES > bytes)
            return ptx_wrong(p, s->span.offset,
                             "an address that '%.60s' holds is cut short", s->name);
    }
    s->bytes = bytes;
    s->initial = arena_alloc(arena, bytes);
    if (p->initial.count)
        memcpy(s->initial, p->initial.data, p->initial.count);
    s->relocation_count = (uint32_t)p->relocations.count;
    s->relocations = ptx_list_take(&p->relocations, 0, arena);
    p->initial.count = 0;
    return true;
}

bool ptx_read_initial(struct ptx_parser *p, struct ptx_symbol *symbol,
                      const uint64_t dims[], unsigned dim_count)
{
    struct cursor c = {.symbol = symbol, .dims = dims, .dim_count = dim_count};
    bool good;

    c.element_bytes = ptx_type_bytes(symbol->type);
    if (!c.element_bytes)
        return ptx_wrong(p, symbol->span.offset, "'%.60s' has a type without values",
                         symbol->name);
    c.limit = dim_count && !dims[0] ? UINT64_MAX : symbol->bytes / c.element_bytes;
    if (ptx_at(p, '{'))
        good = read_braces(p, &c, 0);
    else if (p->token.kind == PTX_TOKEN_STRING)
        good = read_text(p, &c);
    else
        good = read_value(p, &c);
    return good && keep(p, &c);
}
