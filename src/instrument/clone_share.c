/* SPDX-License-Identifier: Apache-2.0 */
/* The clone's name, its last parameter, and the registers of the passes. */
#include <string.h>

#include "instrument/clone.h"

/* Behind blanks and comments from `at` on. */
static uint32_t skip_blank(const char *text, uint32_t at)
{
    for (;;) {
        const char *t = text + at;

        if (*t == ' ' || *t == '\t' || *t == '\r' || *t == '\n')
            at++;
        else if (t[0] == '/' && t[1] == '/')
            at += (uint32_t)strcspn(t, "\n");
        else if (t[0] == '/' && t[1] == '*' && strstr(t + 2, "*/"))
            at = (uint32_t)(strstr(t + 2, "*/") + 2 - text);
        else
            return at;
    }
}

/* The next such character that is in no comment; the parser has seen that it is there. */
static uint32_t find_mark(const char *text, uint32_t at, char mark)
{
    while (text[at = skip_blank(text, at)] != mark && text[at])
        at++;
    return at;
}

static struct ptx_span name_of(const struct clone *c)
{
    const struct ptx_module *m = c->module;

    for (uint32_t i = 0; i < m->symbol_count; i++) {
        const struct ptx_symbol *s = &m->symbols[i];

        if (s->is_function && s->function >= 0 && &m->functions[s->function] == c->function)
            return s->span;
    }
    return (struct ptx_span){c->function->span.offset, 0};
}

/* Bytes of parameters (PTX ISA 8.1, section 5.1.6). */
static uint32_t parameters_max(const struct ptx_module *m)
{
    bool is_new = m->version_major > 8 || (m->version_major == 8 && m->version_minor > 0);

    return is_new && m->target_sm >= 70 ? 32764 : 4352;
}

/* One slot more: what looks ahead to the next one may read it before it knows that there is
   none. */
uint32_t instrument_share_bytes(enum instrument_clone clone, uint32_t slot_count)
{
    const size_t slots = slot_count < PROACT_SLOTS_MAX ? slot_count + 1 : PROACT_SLOTS_MAX,
                 first = offsetof(struct proact_share, slot);

    return (uint32_t)(clone == INSTRUMENT_STAGE
                          ? first + sizeof(struct proact_staged)
                          : first + slots * sizeof(struct proact_slot));
}

enum proact_status add_share(struct clone *c)
{
    const uint32_t most = parameters_max(c->module);
    const struct ptx_function *f = c->function;
    const char *text = c->module->text;
    const struct ptx_span name = name_of(c);
    uint32_t at = skip_blank(text, name.offset + name.bytes);
    const uint32_t bytes = instrument_share_bytes(c->kind, c->request->slot_count);
    bool has_list = text[at] == '(';

    if (f->parameter_bytes + bytes + 8 > most)
        return clone_refuse(c, NULL,
                            "its parameters have %u bytes, with the share's %u they would "
                            "not fit into %u",
                            f->parameter_bytes, bytes, most);
    edit_replace(&c->edits, name, "%s%s", f->name, instrument_suffix(c->kind));
    if (f->parameter_count) {
        const struct ptx_span last = f->symbols[f->parameter_count - 1].span;

        at = find_mark(text, last.offset + last.bytes, ')');
    } else {
        at = has_list ? at + 1 : name.offset + name.bytes;
    }
    edit_insert(&c->edits, at, "%s.param .align 8 .b8 " CLONE_SHARE "[%u]%s",
                f->parameter_count ? ", "
                : has_list         ? ""
                                   : "(",
                bytes, has_list ? "" : ")");
    edit_insert(&c->edits, f->body.offset, CLONE_REGISTERS);
    return PROACT_OK;
}
