/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/edit.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Insertion sort: few edits arrive out of order, and edits at one position keep their
   order. */
static void add(struct edit_list *l, struct ptx_span span, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);

    va_end(again);
    char *added = must_calloc((size_t)length + 1, 1);

    vsnprintf(added, (size_t)length + 1, format, args);
    l->edit = must_grow(l->edit, l->count, &l->capacity, sizeof *l->edit);
    size_t i = l->count++;

    for (; i > 0 && l->edit[i - 1].at > span.offset; i--)
        l->edit[i] = l->edit[i - 1];
    l->edit[i] = (struct edit){span.offset, span.bytes, added};
}

void edit_replace(struct edit_list *l, struct ptx_span span, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(l, span, format, args);
    va_end(args);
}

void edit_insert(struct edit_list *l, uint32_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(l, (struct ptx_span){at, 0}, format, args);
    va_end(args);
}

static void add_flat(struct text *into, const char *added)
{
    for (const char *c = added; *c; c++)
        text_add(into, *c == '\n' ? " " : c, 1);
}

static void add_lines_of(struct text *into, const char *removed, uint32_t bytes)
{
    for (uint32_t n = 0; n < bytes; n++)
        if (removed[n] == '\n')
            text_add(into, "\n", 1);
}

static void print(struct edit_list *l, const struct ptx_module *m, struct ptx_span span,
                  bool in_lines, struct text *into)
{
    uint32_t at = span.offset;

    for (size_t i = 0; i < l->count; i++) {
        const struct edit *e = &l->edit[i];

        assert(e->at >= at && e->at + e->removed <= span.offset + span.bytes);
        text_add(into, m->text + at, e->at - at);
        in_lines &= !strstr(e->added, PTX_EPILOGUE);
        if (in_lines) {
            add_flat(into, e->added);
            add_lines_of(into, m->text + e->at, e->removed);
        } else {
            text_add(into, e->added, strlen(e->added));
        }
        at = e->at + e->removed;
    }
    text_add(into, m->text + at, span.offset + span.bytes - at);
}

void edit_print(struct edit_list *l, const struct ptx_module *m, struct ptx_span span,
                struct text *into)
{
    print(l, m, span, false, into);
}

void edit_print_in_lines(struct edit_list *l, const struct ptx_module *m,
                         struct ptx_span span, struct text *into)
{
    print(l, m, span, true, into);
}

void edit_clear(struct edit_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->edit[i].added);
    free(l->edit);
    *l = (struct edit_list){0};
}
