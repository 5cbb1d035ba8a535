/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory that a function declares has one instance for all calls. It moves to module
   scope, so that the body can be repeated. */
#include <string.h>

#include "instrument/inline/inline_site.h"

/* The declaration from its start to the semicolon. Empty if it is not `.shared * ...`. */
static struct ptx_span declaration_of(const struct ptx_module *m,
                                      const struct ptx_symbol *s)
{
    static const char word[] = ".shared";
    const char *text = m->text, *end = strchr(text + s->span.offset, ';');
    uint32_t at = s->span.offset;

    while (at && !strchr(";{}:\n", text[at - 1]))
        at--;
    at += (uint32_t)strspn(text + at, " \t\r");
    if (!end || strncmp(text + at, word, strlen(word)) != 0)
        return (struct ptx_span){0, 0};
    return (struct ptx_span){at, (uint32_t)(end - text) + 1 - at};
}

static bool is_alone(const struct ptx_module *m, const struct ptx_symbol *symbol)
{
    for (uint32_t s = 0; s < m->symbol_count; s++)
        if (strcmp(m->symbols[s].name, symbol->name) == 0)
            return false;
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t s = 0; s < m->functions[f].symbol_count; s++) {
            const struct ptx_symbol *other = &m->functions[f].symbols[s];

            if (other != symbol && strcmp(other->name, symbol->name) == 0)
                return false;
        }
    return true;
}

size_t inline_hoist(const struct ptx_module *m, struct edit_list *edits)
{
    size_t hoisted = 0;

    for (uint32_t n = 0; n < m->function_count; n++) {
        const struct ptx_function *f = &m->functions[n];

        for (uint32_t s = 0; s < f->symbol_count && !f->is_entry; s++) {
            const struct ptx_symbol *symbol = &f->symbols[s];

            if (symbol->space != PTX_SPACE_SHARED || symbol->is_extern ||
                !is_alone(m, symbol))
                continue;
            const struct ptx_span span = declaration_of(m, symbol);

            if (!span.bytes)
                continue;
            edit_insert(edits, m->functions[0].span.offset, "%.*s\n", (int)span.bytes,
                        m->text + span.offset); /* a caller may precede it */
            edit_replace(edits, span, "%s", "");
            hoisted++;
        }
    }
    return hoisted;
}
