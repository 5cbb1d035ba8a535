/* SPDX-License-Identifier: Apache-2.0 */
/* Variables in .global and .const that a function declares. There is one instance for all
   calls, as for a static variable of C. Kernel versions and inlined bodies repeat the text
   of a function, so the declarations move to module scope under names of their own. */
#include <string.h>

#include "instrument/inline/inline_site.h"
#include "instrument/instrument.h"

#define PREFIX "proact_static"

struct moving {
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct edit_list *edits;
    unsigned number; /* of the function's first symbol among those of all functions */
};

static bool moves(const struct ptx_symbol *s)
{
    return s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST;
}

static void add_name(const struct moving *v, uint32_t symbol, struct text *into)
{
    const char *name = v->function->symbols[symbol].name;

    text_print(into, PREFIX "%u_%s", v->number + symbol, name + (*name == '%'));
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || c == '%';
}

/* The moved variable that the name at `offset` of the declaration denotes: one of those it
   declares, or one whose address initializes them. -1: none. */
static int32_t declared_symbol(const struct moving *v, struct ptx_span statement,
                               uint32_t offset, uint32_t bytes)
{
    const struct ptx_function *f = v->function;
    const char *name = v->module->text + offset;

    for (uint32_t s = 0; s < f->symbol_count; s++) {
        const struct ptx_symbol *symbol = &f->symbols[s];

        if (symbol->statement.offset != statement.offset || !moves(symbol))
            continue;
        if (symbol->span.offset == offset)
            return (int32_t)s;
        for (uint32_t k = 0; k < symbol->relocation_count; k++) {
            int32_t to = symbol->relocations[k].symbol;

            if (to < PTX_SYMBOL_MODULE && strlen(f->symbols[to].name) == bytes &&
                !memcmp(f->symbols[to].name, name, bytes))
                return to;
        }
    }
    return -1;
}

/* End of the comment at `at`, or `at`. */
static uint32_t comment_end(const char *text, uint32_t at, uint32_t end)
{
    bool is_line = text[at] == '/' && text[at + 1] == '/';
    bool is_block = text[at] == '/' && text[at + 1] == '*';
    const char *last = is_line    ? strchr(text + at, '\n')
                       : is_block ? strstr(text + at + 2, "*/")
                                  : NULL;

    if (!last)
        return is_line ? end : at;
    return (uint32_t)(last - text) + (is_block ? 2 : 0);
}

/* End of the string at `at`, or `at`. */
static uint32_t literal_end(const char *text, uint32_t at, uint32_t end)
{
    uint32_t next = at + 1;

    if (text[at] != '"')
        return at;
    while (next < end && text[next] != '"')
        next += text[next] == '\\' ? 2 : 1;
    return next < end ? next + 1 : end;
}

/* Prints the declaration with the new names and without comments. */
static void add_statement(const struct moving *v, struct ptx_span statement,
                          struct text *into)
{
    const char *text = v->module->text;
    uint32_t end = statement.offset + statement.bytes;

    for (uint32_t at = statement.offset, next; at < end; at = next) {
        if ((next = comment_end(text, at, end)) > at)
            continue;
        if ((next = literal_end(text, at, end)) > at) {
            text_add(into, text + at, next - at);
            continue;
        }
        next = at + 1;
        while (is_name(text[at]) && next < end && is_name(text[next]))
            next++;
        int32_t symbol =
            is_name(text[at]) ? declared_symbol(v, statement, at, next - at) : -1;

        if (symbol >= 0)
            add_name(v, (uint32_t)symbol, into);
        else
            text_add(into, text + at, next - at);
    }
}

static void rename_uses(const struct moving *v, const struct ptx_operand *o)
{
    const struct ptx_function *f = v->function;
    bool is_symbol = o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY;

    for (uint32_t n = 0; n < o->count; n++)
        rename_uses(v, &o->list[n]);
    if (!is_symbol || o->symbol < 0 || o->symbol >= PTX_SYMBOL_MODULE ||
        !moves(&f->symbols[o->symbol]))
        return;
    const char *name = f->symbols[o->symbol].name;
    const char *at = strstr(v->module->text + o->span.offset, name);
    struct text text = {NULL, 0, 0};

    add_name(v, (uint32_t)o->symbol, &text);
    edit_replace(
        v->edits,
        (struct ptx_span){(uint32_t)(at - v->module->text), (uint32_t)strlen(name)}, "%s",
        text.data);
    text_clear(&text);
}

static bool move_variables(const struct moving *v)
{
    const struct ptx_function *f = v->function;
    struct text text = {NULL, 0, 0};
    uint32_t last = UINT32_MAX;

    for (uint32_t s = 0; s < f->symbol_count; s++) {
        const struct ptx_span statement = f->symbols[s].statement;

        if (!moves(&f->symbols[s]) || statement.offset == last)
            continue;
        last = statement.offset;
        add_statement(v, statement, &text);
        text_print(&text, "\n");
        edit_replace(v->edits, statement, "%s", "");
    }
    if (last == UINT32_MAX)
        return false;
    edit_insert(v->edits, f->span.offset, "%s", text.data);
    text_clear(&text);
    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++)
            rename_uses(v, &f->instructions[n].operands[k]);
    return true;
}

bool function_variables_move(const struct ptx_module *m, struct edit_list *edits)
{
    struct moving v = {.module = m, .edits = edits};
    bool any = false;

    for (uint32_t n = 0; n < m->function_count; n++) {
        v.function = &m->functions[n];
        any |= move_variables(&v);
        v.number += v.function->symbol_count;
    }
    return any;
}

char *instrument_function_variables(const struct ptx_module *m, size_t *bytes)
{
    struct edit_list edits = {0};
    struct text text = {NULL, 0, 0};

    if (function_variables_move(m, &edits))
        edit_print_in_lines(&edits, m, (struct ptx_span){0, (uint32_t)m->bytes}, &text);
    edit_clear(&edits);
    *bytes = text.length;
    return text.data;
}
