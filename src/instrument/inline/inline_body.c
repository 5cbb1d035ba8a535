/* SPDX-License-Identifier: Apache-2.0 */
/* Body of an inlined function: a block in the caller with unique names. A return branches
   to the end of the block. */
#include <string.h>

#include "instrument/inline/inline_site.h"
#include "ptx/ptx_names.h"

struct body {
    const struct inline_site *site;
    struct ptx_names own; /* names that the function declares */
    struct text *into;
};

static bool is_inner(char c) /* True for a character of a name. */
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

static void own(struct body *b, const char *name)
{
    ptx_names_add(&b->own, PTX_NAME_SYMBOL, name, (uint32_t)strlen(name), 0);
}

/* An element of a vector register also stands for the register: v and v.x. */
static void own_register(struct body *b, const char *name)
{
    uint32_t bytes = (uint32_t)strcspn(name, ".");

    own(b, name);
    if (name[bytes])
        ptx_names_add(&b->own, PTX_NAME_SYMBOL, name, bytes, 0);
}

static void own_all(struct body *b)
{
    const struct ptx_function *f = b->site->called;

    for (uint32_t k = 0; k < f->register_count; k++)
        own_register(b, f->registers[k].name);
    for (uint32_t k = 0; k < f->label_count; k++)
        own(b, f->labels[k].name);
    for (uint32_t k = 0; k < f->symbol_count; k++)
        own(b, f->symbols[k].name);
}

/* End of the token at `at`: a comment, a string, a name, a word, or one character. */
static const char *token_end(const char *at, const char *end)
{
    const char *next = at + 1;

    if (end - at > 1 && at[0] == '/' && at[1] == '/') {
        while (next < end && *next != '\n')
            next++;
    } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        for (next = at + 3; next < end && (next[-1] != '*' || *next != '/');)
            next++;
        next += next < end;
    } else if (*at == '"') {
        while (next < end && *next != '"')
            next += *next == '\\' && next + 1 < end ? 2 : 1;
        next += next < end;
    } else if (is_inner(*at) || *at == '%' || *at == '.') {
        while (next < end && (is_inner(*next) || (*next == '.' && *at == '%')))
            next++;
    }
    return next;
}

/* `%r<9>` declares a range of registers, which get its prefix. */
static void add_span(struct body *b, uint32_t offset, uint32_t end_offset)
{
    const char *text = b->site->module->text, *end = text + end_offset, *next;

    for (const char *at = text + offset; at < end; at = next) {
        next = token_end(at, end);
        size_t bytes = (size_t)(next - at);
        bool is_name = (is_inner(*at) && (*at < '0' || *at > '9')) || *at == '%';

        if (is_name &&
            (*next == '<' || ptx_names_find(&b->own, PTX_NAME_SYMBOL, at, (uint32_t)bytes)))
            inline_name(b->site, at, bytes, b->into);
        else
            text_add(b->into, at, bytes);
    }
}

/* Branches to the end of the block. The last instruction needs no branch. */
static bool add_return(struct body *b, const struct ptx_instruction *i)
{
    const struct ptx_function *f = b->site->called;

    if (i->guard < 0 && i == &f->instructions[f->instruction_count - 1])
        return false;
    if (i->guard >= 0) {
        const char *name = f->registers[i->guard].name;

        text_print(b->into, "@%s", i->guard_negated ? "!" : "");
        inline_name(b->site, name, strlen(name), b->into);
        text_print(b->into, " ");
    }
    text_print(b->into, "bra in%u_end;", b->site->number);
    return true;
}

/* Registers that the header declares. */
static void declare_parameters(const struct body *b)
{
    const struct ptx_function *f = b->site->called;

    for (uint32_t s = 0; s < f->parameter_count + f->return_count; s++) {
        const struct ptx_symbol *symbol = &f->symbols[s];
        unsigned type = ptx_type_bytes(symbol->type);
        unsigned count = ptx_symbol_bytes(symbol) / (type ? type : 1);

        if (!symbol->is_register)
            continue;
        text_print(b->into, "\t.reg ");
        if (count > 1)
            text_print(b->into, ".v%u ", count);
        text_print(b->into, ".%s ", ptx_part_spelling(symbol->type));
        inline_name(b->site, symbol->name, strlen(symbol->name), b->into);
        text_print(b->into, ";\n");
    }
}

void inline_body(const struct inline_site *site, struct text *into)
{
    const struct ptx_function *f = site->called;
    struct body b = {.site = site, .into = into};
    uint32_t at = f->body.offset;
    bool returns = false;

    own_all(&b);
    text_print(into, "{ // %.60s\n", f->name);
    declare_parameters(&b);
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        uint32_t end = i->span.offset + i->span.bytes;

        add_span(&b, at, i->span.offset);
        if (i->opcode == PTX_RET)
            returns |= add_return(&b, i);
        else if (!inline_move(site, f, i, into))
            add_span(&b, i->span.offset, end);
        at = end;
    }
    add_span(&b, at, f->body.offset + f->body.bytes);
    if (returns)
        text_print(into, "in%u_end:\n", site->number);
    text_print(into, "\t}");
    ptx_names_clear(&b.own);
}
