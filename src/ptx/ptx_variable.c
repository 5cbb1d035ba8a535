/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and parameters: .global .align 8 .v2 .f32 name[4][2] = {...}, other; */
#include <string.h>

#include "ptx/ptx_parser.h"

enum { ALIGN_MAX = 1 << 30 };

static bool read_align(struct ptx_parser *p, uint32_t *align)
{
    uint32_t at = p->token.span.offset;
    uint64_t value;

    if (!ptx_read_integer(p, "an alignment", &value))
        return false;
    if (!value || (value & (value - 1)) || value > ALIGN_MAX)
        return ptx_wrong(p, at, "alignment %llu is no power of two up to %d",
                         (unsigned long long)value, ALIGN_MAX);
    *align = (uint32_t)value;
    return true;
}

/* .attribute(.managed) and similar */
static bool read_attribute(struct ptx_parser *p, bool *is_managed)
{
    if (!ptx_expect(p, '(', "'(' after .attribute"))
        return false;
    while (p->token.kind == PTX_TOKEN_WORD || p->token.kind == PTX_TOKEN_NUMBER ||
           ptx_at(p, ',') || ptx_at(p, '(')) {
        *is_managed |= ptx_at_word(p, ".managed");
        ptx_next(p);
    }
    while (ptx_accept(p, ')'))
        ;
    return true;
}

/* Types without a size: handles of textures, samplers and surfaces have eight bytes. */
static bool is_opaque_type(const struct ptx_parser *p)
{
    return ptx_at_word(p, ".texref") || ptx_at_word(p, ".samplerref") ||
           ptx_at_word(p, ".surfref");
}

/* After .ptr: space and alignment of the pointee. They are promises about a value. */
static bool skip_pointee(struct ptx_parser *p)
{
    uint32_t align;

    while (p->token.kind == PTX_TOKEN_WORD) {
        bool is_align = ptx_at_word(p, ".align");

        ptx_next(p);
        if (is_align && !read_align(p, &align))
            return false;
    }
    return true;
}

bool ptx_read_type(struct ptx_parser *p, struct ptx_declaration *d)
{
    *d = (struct ptx_declaration){.symbol = {.type = PTX_PART_COUNT, .function = -1},
                                  .vector = 1};
    while (p->token.kind == PTX_TOKEN_WORD) {
        enum ptx_part part = ptx_word_part(p, &p->token);
        bool good = true;

        if (ptx_at_word(p, ".align")) {
            ptx_next(p);
            good = read_align(p, &d->symbol.align);
        } else if (ptx_at_word(p, ".attribute")) {
            ptx_next(p);
            good = read_attribute(p, &d->symbol.is_managed);
        } else if (ptx_at_word(p, ".ptr")) {
            ptx_next(p);
            good = skip_pointee(p);
        } else if (ptx_part_vector(part)) {
            d->vector = ptx_part_vector(part);
            ptx_next(p);
        } else if (d->symbol.type == PTX_PART_COUNT &&
                   (ptx_is_type(part) || is_opaque_type(p))) {
            d->symbol.type = ptx_is_type(part) ? part : PTX_PART_B64;
            ptx_next(p);
        } else {
            break;
        }
        if (!good)
            return false;
    }
    if (d->symbol.type == PTX_PART_COUNT)
        return ptx_expected(p, "a type");
    return true;
}

/* Dimensions after the name. An open first dimension is 0. */
static bool read_dims(struct ptx_parser *p, uint64_t dims[], unsigned *count)
{
    for (*count = 0; ptx_accept(p, '['); ++*count) {
        uint32_t at = p->token.span.offset;

        if (*count == PTX_DIMS_MAX)
            return ptx_wrong(p, at, "more than %d dimensions", PTX_DIMS_MAX);
        dims[*count] = 0;
        if ((*count || !ptx_at(p, ']')) &&
            !ptx_read_integer(p, "a dimension", &dims[*count]))
            return false;
        if (!ptx_expect(p, ']', "']' after the dimension"))
            return false;
    }
    return true;
}

bool ptx_read_declarator(struct ptx_parser *p, const struct ptx_declaration *d,
                         struct ptx_symbol *into, uint64_t dims[], unsigned *dim_count)
{
    struct ptx_token name = p->token;
    uint64_t bytes = (uint64_t)ptx_type_bytes(d->symbol.type) * d->vector;
    uint64_t most = d->symbol.space == PTX_SPACE_GLOBAL ? INT64_MAX : UINT32_MAX;
    bool is_open;

    if (name.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a name");
    ptx_next(p);
    *into = d->symbol;
    into->name = ptx_token_copy(p, &name);
    into->span = name.span;
    if (!into->align)
        into->align = bytes ? (uint32_t)bytes : 1;
    if (!read_dims(p, dims, dim_count))
        return false;
    is_open = *dim_count && !dims[0];
    for (unsigned i = is_open; i < *dim_count; i++) {
        if (bytes && dims[i] > most / bytes)
            return ptx_wrong(p, name.span.offset, "'%.60s' has more than %llu bytes",
                             into->name, (unsigned long long)most);
        bytes *= dims[i];
    }
    into->bytes = is_open ? 0 : bytes;
    if (d->vector > 1)
        dims[(*dim_count)++] = d->vector; /* for the initializer */
    return true;
}

bool ptx_read_variables(struct ptx_parser *p, bool is_extern)
{
    enum ptx_space space = ptx_part_space(ptx_word_part(p, &p->token));
    uint32_t start = p->token.span.offset;
    size_t first = p->body.symbols.count;
    uint64_t dims[PTX_DIMS_MAX + 1];
    struct ptx_declaration d;
    struct ptx_symbol symbol;
    unsigned dim_count = 0;
    int32_t index;

    ptx_next(p);
    if (!ptx_read_type(p, &d))
        return false;
    d.symbol.space = space;
    d.symbol.is_extern = is_extern;
    do {
        if (!ptx_read_declarator(p, &d, &symbol, dims, &dim_count))
            return false;
        ptx_item_head(p);
        if (ptx_accept(p, '=') && !ptx_read_initial(p, &symbol, dims, dim_count))
            return false;
        if (!ptx_symbol_add(p, &symbol, &index))
            return false;
        ptx_item_name(p, index, !is_extern);
    } while (ptx_accept(p, ','));
    for (size_t n = first; n < p->body.symbols.count; n++)
        ((struct ptx_symbol *)p->body.symbols.data)[n].statement =
            (struct ptx_span){start, p->token.span.offset + 1 - start};
    return ptx_expect(p, ';', "';' after the variable");
}
