/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ptx/ptx_parser.h"

enum { NESTING_MAX = 4 }; /* ([x, {%r1, %r2}]) plus one level */

/* Special registers without a row, whose names look like declared registers. */
static const char *const other_specials[] = {"%envreg", "%pm", "%reserved_smem"};

static bool is_other_special(const char *name, uint32_t bytes)
{
    for (size_t i = 0; i < sizeof other_specials / sizeof *other_specials; i++)
        if (!strncmp(name, other_specials[i], strlen(other_specials[i])))
            return true;
    /* newer hardware adds names, so only a name that ends in a digit is surely a
       register */
    return name[bytes - 1] < '0' || name[bytes - 1] > '9';
}

static void end_span(struct ptx_operand *o, uint32_t end)
{
    o->span.bytes = end - o->span.offset;
}

static uint32_t token_end(const struct ptx_token *t)
{
    return t->span.offset + t->span.bytes;
}

/* Register of an element of a vector register, by its letter: x to w, or r to a. -1:
   none. */
static int32_t element_find(struct ptx_parser *p, const char *name, uint32_t bytes,
                            char letter)
{
    static const char letters[] = "xyzwrgba";
    const char *at = strchr(letters, letter);
    int32_t reg = ptx_register_find(p, name, bytes);
    unsigned count = reg >= 0 ? ptx_register_elements(p, reg) : 1;
    unsigned n = at && letter ? (unsigned)(at - letters) % 4 : count;

    return count > 1 && n < count ? reg + (int32_t)n : -1;
}

/* A vector register stands for the list of its elements. */
static void vector_list(struct ptx_parser *p, unsigned count, struct ptx_operand *o)
{
    struct ptx_operand *list = arena_alloc(&p->module->arena, count * sizeof *list);

    for (unsigned n = 0; n < count; n++) {
        list[n] = *o;
        list[n].kind = PTX_REGISTER;
        list[n].reg = o->reg + (int32_t)n;
    }
    o->kind = PTX_VECTOR;
    o->count = count;
    o->list = list;
    o->reg = -1;
}

void ptx_operand_expand(struct ptx_parser *p, struct ptx_operand *o)
{
    unsigned count = ptx_register_elements(p, o->reg);

    if (count > 1)
        vector_list(p, count, o);
}

/* The parser is at the word of NAME.word, which directly follows the name: an element of a
   vector register, bytes for a video instruction (%r1.b0), or a special register. */
static void read_element(struct ptx_parser *p, const struct ptx_token *name,
                         struct ptx_operand *o)
{
    const char *text = p->text + name->span.offset, *word = p->text + p->token.span.offset;
    bool is_letter = p->token.span.bytes == 2;

    o->reg = is_letter ? element_find(p, text, name->span.bytes, word[1])
                       : ptx_register_find(p, text, name->span.bytes);
    o->kind = o->reg >= 0 ? PTX_REGISTER : PTX_SPECIAL;
    o->is_part = o->reg >= 0 && !is_letter;
    o->special = o->reg >= 0 ? o->special : PTX_SPECIAL_OTHER;
    end_span(o, token_end(&p->token));
    ptx_next(p);
}

/* Parses a name: register, special register or symbol; otherwise a label. */
static bool read_name(struct ptx_parser *p, bool jump, struct ptx_operand *o)
{
    struct ptx_token t = p->token;
    const char *name = p->text + t.span.offset;
    const struct ptx_name *special;

    ptx_next(p);
    end_span(o, token_end(&t));
    if (p->token.kind == PTX_TOKEN_WORD && p->token.span.offset == token_end(&t)) {
        read_element(p, &t, o);
    } else if (t.span.bytes == 1 && *name == '_') {
        o->kind = PTX_SINK;
    } else if ((o->reg = ptx_register_find(p, name, t.span.bytes)) >= 0) {
        o->kind = PTX_REGISTER;
        ptx_operand_expand(p, o);
    } else if (t.span.bytes > 2 && name[t.span.bytes - 2] == '.' &&
               (o->reg = element_find(p, name, t.span.bytes - 2, name[t.span.bytes - 1])) >=
                   0) {
        o->kind = PTX_REGISTER; /* %v.x is one token */
    } else if (!jump && (o->symbol = ptx_symbol_find(p, name, t.span.bytes)) >= 0) {
        o->kind = PTX_SYMBOL;
    } else if ((special =
                    ptx_names_find(&p->words, PTX_NAME_SPECIAL, name, t.span.bytes))) {
        o->kind = PTX_SPECIAL;
        o->special = (enum ptx_special)special->index;
    } else if (*name == '%' && is_other_special(name, t.span.bytes)) {
        o->kind = PTX_SPECIAL;
        o->special = PTX_SPECIAL_OTHER;
    } else if (*name == '%') {
        return ptx_wrong(p, t.span.offset, "register '%.*s' is not declared",
                         (int)t.span.bytes, name);
    } else {
        o->kind = PTX_LABEL;
    }
    return true;
}

/* + 4, + -4, - 4: any number of offsets, added to o->integer. */
static bool read_offset(struct ptx_parser *p, struct ptx_operand *o)
{
    while (ptx_at(p, '+') || ptx_at(p, '-')) {
        bool negative = ptx_at(p, '-');
        uint64_t value;

        ptx_next(p);
        while (ptx_at(p, '-')) {
            negative = !negative;
            ptx_next(p);
        }
        uint32_t end = token_end(&p->token);

        if (!ptx_read_integer(p, "an offset", &value))
            return false;
        o->integer = (int64_t)((uint64_t)o->integer + (negative ? 0 - value : value));
        end_span(o, end);
    }
    return true;
}

static bool read_literal(struct ptx_parser *p, bool negative, struct ptx_operand *o)
{
    struct ptx_number number;
    uint32_t end = token_end(&p->token);

    if (!ptx_read_number(p, &number))
        return false;
    o->kind = number.float_bytes ? PTX_FLOAT : PTX_INTEGER;
    o->float_bytes = number.float_bytes;
    if (negative && number.float_bytes)
        number.bits ^= (uint64_t)1 << (8 * number.float_bytes - 1);
    else if (negative)
        number.bits = 0 - number.bits;
    o->integer = (int64_t)number.bits;
    end_span(o, end);
    return true;
}

static bool read_operand(struct ptx_parser *p, bool jump, unsigned nesting,
                         struct ptx_operand *o);

/* Parses operands up to and including `close`. A semicolon is not consumed. */
static bool read_list(struct ptx_parser *p, char close, bool jump, unsigned nesting,
                      struct ptx_operand **list, uint32_t *count)
{
    size_t first = p->operands.count;

    if (!ptx_at(p, close))
        do {
            struct ptx_operand o;

            if (!read_operand(p, jump, nesting, &o))
                return false;
            *(struct ptx_operand *)ptx_list_add(&p->operands) = o;
        } while (ptx_accept(p, ','));
    *count = (uint32_t)(p->operands.count - first);
    *list = ptx_list_take(&p->operands, first, &p->module->arena);
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i].kind == PTX_LABEL)
            ptx_label_refer(p, &(*list)[i].label, (*list)[i].span);
    return true;
}

static bool read_enclosed(struct ptx_parser *p, char close, unsigned nesting,
                          struct ptx_operand *o)
{
    char what[] = "'?' after operand";

    what[1] = close;
    ptx_next(p);
    if (!read_list(p, close, false, nesting, &o->list, &o->count))
        return false;
    end_span(o, token_end(&p->token));
    return ptx_expect(p, close, what);
}

/* [base + offset]. Operands after the base, as in [texture, {x, y}], are its list. */
static bool read_memory(struct ptx_parser *p, unsigned nesting, struct ptx_operand *o)
{
    struct ptx_operand base = {.reg = -1, .symbol = -1, .label = -1};

    ptx_next(p);
    base.span = p->token.span;
    if (p->token.kind == PTX_TOKEN_NAME) {
        if (!read_name(p, false, &base))
            return false;
        if (base.kind != PTX_REGISTER && base.kind != PTX_SYMBOL)
            return ptx_wrong(p, base.span.offset, "'%.*s' is not declared",
                             (int)base.span.bytes, p->text + base.span.offset);
    } else if (p->token.kind == PTX_TOKEN_NUMBER) {
        if (!read_literal(p, false, &base))
            return false;
    } else if (!ptx_at(p, '-')) {
        return ptx_expected(p, "an address");
    }
    if (base.float_bytes)
        return ptx_wrong(p, base.span.offset, "expected an address, found a number");
    if (!read_offset(p, &base))
        return false;
    o->kind = PTX_MEMORY;
    o->reg = base.reg;
    o->symbol = base.symbol;
    o->integer = base.integer;
    if (ptx_accept(p, ',') && !read_list(p, ']', false, nesting, &o->list, &o->count))
        return false;
    end_span(o, token_end(&p->token));
    return ptx_expect(p, ']', "']' after the address");
}

/* %r1|%p1 */
static bool read_pair(struct ptx_parser *p, struct ptx_operand *o)
{
    struct ptx_operand pair = {.kind = PTX_PAIR, .reg = -1, .symbol = -1, .label = -1};
    struct ptx_operand second = {.reg = -1, .symbol = -1, .label = -1};

    ptx_next(p);
    second.span = p->token.span;
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "a register after '|'");
    if (!read_name(p, false, &second))
        return false;
    if (o->kind == PTX_LABEL || second.kind == PTX_LABEL)
        return ptx_wrong(p, o->span.offset, "expected two registers around '|'");
    pair.span = o->span;
    end_span(&pair, second.span.offset + second.span.bytes);
    pair.count = 2;
    pair.list = arena_alloc(&p->module->arena, 2 * sizeof *pair.list);
    pair.list[0] = *o;
    pair.list[1] = second;
    *o = pair;
    return true;
}

static bool read_operand(struct ptx_parser *p, bool jump, unsigned nesting,
                         struct ptx_operand *o)
{
    *o = (struct ptx_operand){.reg = -1, .symbol = -1, .label = -1, .span = p->token.span};
    if (nesting > NESTING_MAX)
        return ptx_wrong(p, o->span.offset, "operands are nested too deeply");
    if (ptx_at(p, '[') || ptx_at(p, '{') || ptx_at(p, '(')) {
        o->kind = ptx_at(p, '{') ? PTX_VECTOR : PTX_LIST;
        if (ptx_at(p, '['))
            return read_memory(p, nesting + 1, o);
        return read_enclosed(p, ptx_at(p, '{') ? '}' : ')', nesting + 1, o) &&
               (!ptx_at(p, '|') || read_pair(p, o)); /* texels and their presence */
    }
    o->negated = ptx_accept(p, '!');
    if (p->token.kind == PTX_TOKEN_NAME) {
        if (!read_name(p, jump, o) || (o->kind == PTX_SYMBOL && !read_offset(p, o)))
            return false;
        return !ptx_at(p, '|') || read_pair(p, o);
    }
    bool negative = ptx_accept(p, '-');

    if (p->token.kind == PTX_TOKEN_NUMBER)
        return read_literal(p, negative, o) && (o->kind == PTX_FLOAT || read_offset(p, o));
    if (!negative || p->token.kind != PTX_TOKEN_NAME)
        return ptx_expected(p, "an operand");
    o->negated = true; /* of vmad */
    return read_name(p, false, o) &&
           (o->kind == PTX_REGISTER ||
            ptx_wrong(p, o->span.offset, "expected a register or a number after '-'"));
}

bool ptx_read_operands(struct ptx_parser *p, bool jump, struct ptx_operand **list,
                       uint32_t *count)
{
    return read_list(p, ';', jump, 0, list, count);
}
