/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "ptx/ptx.h"

/* The printed text, and its position in the module's text. */
struct printer {
    const struct ptx_module *module;
    struct text text;
    uint32_t at;
};

static void print_to(struct printer *p, uint32_t end)
{
    text_add(&p->text, p->module->text + p->at, end - p->at);
    p->at = end;
}

static void print_span(struct printer *p, struct ptx_span span)
{
    print_to(p, span.offset); /* the text between spans */
    print_to(p, span.offset + span.bytes);
}

char *ptx_print(const struct ptx_module *m, size_t *bytes)
{
    struct printer p = {.module = m};

    text_add(&p.text, "", 0);
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];

        print_span(&p, f->header);
        for (uint32_t k = 0; k < f->instruction_count; k++)
            print_span(&p, f->instructions[k].span);
        print_to(&p, f->body.offset + f->body.bytes);
        print_to(&p, f->span.offset + f->span.bytes);
    }
    print_to(&p, (uint32_t)m->bytes);
    *bytes = p.text.length;
    return p.text.data;
}

void ptx_instruction_text(const struct ptx_module *m, const struct ptx_instruction *i,
                          char *into, size_t size)
{
    const char *from = m->text + i->span.offset;
    size_t used = 0;

    for (uint32_t k = 0; k < i->span.bytes && used + 1 < size; k++) {
        bool blank = strchr(" \t\r\n", from[k]) != NULL;

        if (!blank)
            into[used++] = from[k];
        else if (used && into[used - 1] != ' ') /* a call may span lines; the message is one
                                                   line */
            into[used++] = ' ';
    }
    if (size)
        into[used] = '\0';
}
