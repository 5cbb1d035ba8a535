/* SPDX-License-Identifier: Apache-2.0 */
/* Syntax error message, the only one with newlines: location, text, the line, and a caret
   below it. */
#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"
#include "ptx/ptx_parser.h"

/* Limits that make the message fit into a proact_error: generated lines can be a megabyte
   long. */
enum { NAME_MAX_BYTES = 120, SENTENCE_BYTES = 180, WINDOW_BYTES = 72, WINDOW_LEAD = 48 };
enum { FOUND_BYTES = 40 };

static char shown(char c)
{
    return c >= ' ' && c <= '~' ? c : c == '\t' ? '\t' : '?';
}

static void show(char *into, const char *from, uint32_t bytes)
{
    uint32_t i;

    for (i = 0; i < bytes; i++)
        into[i] = shown(from[i]);
    into[i] = '\0';
}

bool ptx_wrong(const struct ptx_parser *p, uint32_t offset, const char *format, ...)
{
    char sentence[SENTENCE_BYTES], window[WINDOW_BYTES + 1], caret[WINDOW_LEAD + 2];
    uint32_t line = 1, start = 0, end = offset;
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    for (uint32_t i = 0; i < offset; i++)
        if (p->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    uint32_t column = offset - start + 1;

    if (column > WINDOW_LEAD)
        start = offset - WINDOW_LEAD;
    while (end < p->bytes && p->text[end] != '\n' && p->text[end] != '\r' &&
           end - start < WINDOW_BYTES)
        end++;
    show(window, p->text + start, end - start);
    for (uint32_t i = 0; i < offset - start; i++)
        caret[i] = window[i] == '\t' ? '\t' : ' ';
    caret[offset - start] = '\0';
    fail(p->err, PROACT_EINVAL, "%.*s:%u:%u: %s\n%s\n%s^", NAME_MAX_BYTES, p->module->name,
         line, column, sentence, window, caret);
    return false;
}

bool ptx_expected(const struct ptx_parser *p, const char *what)
{
    const struct ptx_token *t = &p->token;
    uint32_t bytes = t->span.bytes < FOUND_BYTES ? t->span.bytes : FOUND_BYTES;
    char found[FOUND_BYTES + 1];

    show(found, p->text + t->span.offset, bytes);
    if (t->kind == PTX_TOKEN_END)
        return ptx_wrong(p, t->span.offset, "expected %s, found the end of the file", what);
    if (t->kind == PTX_TOKEN_BAD && (found[0] == '"' || bytes == 2))
        return ptx_wrong(p, t->span.offset, "expected %s, found an unterminated %s", what,
                         found[0] == '"' ? "string" : "comment");
    return ptx_wrong(p, t->span.offset, "expected %s, found '%s%s'", what, found,
                     bytes < t->span.bytes ? "..." : "");
}
