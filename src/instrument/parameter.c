/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/parameter.h"

#include <string.h>

/* Position after blanks and comments from `at` on. */
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

/* Position of the next `mark` outside comments. The parser has verified that it exists. */
static uint32_t find_mark(const char *text, uint32_t at, char mark)
{
    while (text[at = skip_blank(text, at)] != mark && text[at])
        at++;
    return at;
}

struct ptx_span parameter_name_of(const struct ptx_module *m, const struct ptx_function *f)
{
    for (uint32_t i = 0; i < m->symbol_count; i++) {
        const struct ptx_symbol *s = &m->symbols[i];

        if (s->is_function && s->function >= 0 && &m->functions[s->function] == f)
            return s->span;
    }
    return (struct ptx_span){f->span.offset, 0};
}

void parameter_append(struct edit_list *edits, const struct ptx_module *m,
                      const struct ptx_function *f, const char *declared)
{
    const struct ptx_span name = parameter_name_of(m, f);
    const uint32_t behind = name.offset + name.bytes, at = skip_blank(m->text, behind);

    if (f->parameter_count) {
        const struct ptx_span last = f->symbols[f->parameter_count - 1].span;

        edit_insert(edits, find_mark(m->text, last.offset + last.bytes, ')'), ", %s",
                    declared);
    } else if (m->text[at] == '(') {
        edit_insert(edits, at + 1, "%s", declared);
    } else {
        edit_insert(edits, behind, "(%s)", declared);
    }
}

uint32_t parameters_max(const struct ptx_module *m)
{
    bool is_new = m->version_major > 8 || (m->version_major == 8 && m->version_minor > 0);

    return is_new && m->target_sm >= 70 ? 32764 : 4352;
}
