/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ptx/ptx_parser.h"

int32_t ptx_symbol_find(const struct ptx_parser *p, const char *name, uint32_t bytes)
{
    const struct ptx_name *found =
        ptx_names_find(&p->names, PTX_NAME_REGISTER | PTX_NAME_SYMBOL, name, bytes);

    return found && found->kind == PTX_NAME_SYMBOL ? found->index : -1;
}

/* Merges a declaration (.extern, or a function without a body) with another one or with the
   definition. */
static bool merge(struct ptx_parser *p, const struct ptx_symbol *symbol, int32_t twin)
{
    struct ptx_symbol *before =
        (struct ptx_symbol *)p->symbols.data + twin - PTX_SYMBOL_MODULE;
    bool adds = !symbol->is_extern && (!symbol->is_function || symbol->function >= 0);

    if (before->is_function != symbol->is_function ||
        (adds && !before->is_extern && (!before->is_function || before->function >= 0)))
        return ptx_wrong(p, symbol->span.offset, "'%.60s' is declared twice", symbol->name);
    if (adds)
        *before = *symbol;
    return true;
}

bool ptx_symbol_add(struct ptx_parser *p, const struct ptx_symbol *symbol, int32_t *out)
{
    bool inside = p->names.depth > 0;
    struct ptx_list *list = inside ? &p->body.symbols : &p->symbols;
    int32_t index = (int32_t)list->count + (inside ? 0 : PTX_SYMBOL_MODULE);
    uint32_t bytes = (uint32_t)strlen(symbol->name);
    const struct ptx_name *twin =
        ptx_names_find(&p->names, PTX_NAME_REGISTER | PTX_NAME_SYMBOL, symbol->name, bytes);

    if (twin && twin->depth == p->names.depth) {
        *out = twin->index;
        if (!inside)
            return merge(p, symbol, twin->index);
        return ptx_wrong(p, symbol->span.offset, "'%.60s' is declared twice", symbol->name);
    }
    if (list->count == PTX_SYMBOL_MODULE)
        return ptx_wrong(p, symbol->span.offset, "more than %d names are declared here",
                         PTX_SYMBOL_MODULE);
    struct ptx_symbol *into = ptx_list_add(list);

    *into = *symbol;
    *out = index;
    ptx_names_add(&p->names, PTX_NAME_SYMBOL, symbol->name, bytes, index);
    return true;
}

int32_t ptx_symbol_add_unnamed(struct ptx_parser *p, const struct ptx_symbol *symbol)
{
    *(struct ptx_symbol *)ptx_list_add(&p->body.symbols) = *symbol;
    return (int32_t)p->body.symbols.count - 1;
}

void ptx_item_name(struct ptx_parser *p, int32_t symbol, bool defines)
{
    if (symbol < PTX_SYMBOL_MODULE)
        return;
    p->item.symbol = symbol - PTX_SYMBOL_MODULE;
    p->item.defines = defines;
    p->item.name_count++;
}

void ptx_item_head(struct ptx_parser *p)
{
    struct ptx_item *i = &p->item;

    if (!p->names.depth && !i->head.bytes)
        i->head = (struct ptx_span){i->span.offset, p->token.span.offset - i->span.offset};
}
