/* SPDX-License-Identifier: Apache-2.0 */
/* Source location of a line of a module: the last .loc before it in its function, as
   compilers emit with -lineinfo. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ptx/ptx.h"

#define LOC ".loc"

struct place {
    unsigned long file, line, column; /* file 0: unknown */
};

/* A location, and the call site if the function was inlined. For nested inlining the
   outermost call site is used: it is in the program's code. */
struct source {
    struct place at, from;
};

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t");
}

static bool begins(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* Search limited by `end`: most texts do not contain the word. */
static const char *find_word(const char *at, const char *end, const char *word)
{
    while (at < end && !begins(at, word))
        at++;
    return at < end ? at : NULL;
}

static struct place read_place(const char *at)
{
    char *end;
    const unsigned long file = strtoul(at, &end, 10), line = strtoul(end, &end, 10);

    return (struct place){file, line, strtoul(end, NULL, 10)};
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static struct source read_loc(const char *at)
{
    static const char inlined[] = "inlined_at";
    const char *end = at + strcspn(at, "\n");
    const char *from = find_word(at, end, inlined);
    struct source s = {read_place(at), {0, 0, 0}};

    if (from)
        s.from = read_place(from + strlen(inlined));
    return s;
}

/* Start of a line. The end of the text if it has fewer lines. */
static const char *line_start(const struct ptx_module *m, unsigned long line)
{
    const char *at = m->text;

    while (--line && (at = strchr(at, '\n')))
        at++;
    return at ? at : m->text + strlen(m->text);
}

static bool has_files(const struct ptx_module *m)
{
    for (uint32_t n = 0; n < m->item_count; n++)
        if (m->items[n].kind == PTX_ITEM_DEBUG)
            return true;
    return false;
}

static const char *line_before(const struct ptx_module *m, const char *at)
{
    do
        at--;
    while (at > m->text && at[-1] != '\n');
    return at;
}

/* The last .loc in that line or before it. NULL: none. The search stops at the end of the
   previous function. */
static const char *last_loc(const struct ptx_module *m, const char *at)
{
    for (; *at != '}'; at = line_before(m, at)) {
        if (begins(skip_blank(at), LOC))
            return at;
        if (at == m->text)
            break;
    }
    return NULL;
}

/* For an inlined function, compilers emit the location of the call site first. */
static struct source find(const struct ptx_module *m, unsigned long line)
{
    const char *at = last_loc(m, line_start(m, line));
    struct source s = {{0, 0, 0}, {0, 0, 0}};

    if (at)
        s = read_loc(skip_blank(at) + strlen(LOC));
    while (at && s.from.file && at > m->text) {
        at = last_loc(m, line_before(m, at));
        const struct source outer = at ? read_loc(skip_blank(at) + strlen(LOC))
                                       : (struct source){s.from, {0, 0, 0}};

        if (!is_same(&outer.at, &s.from))
            continue;
        if (!outer.from.file)
            break;
        s.from = outer.from;
    }
    return s;
}

/* File name without folders. False: the module has no such file. */
static bool file_name(const struct ptx_module *m, unsigned long file, const char **name,
                      size_t *length)
{
    for (const char *at = m->text; at; at = strchr(at, '\n')) {
        char *end;

        at = skip_blank(at + (*at == '\n'));
        if (!begins(at, ".file") || strtoul(at + strlen(".file"), &end, 10) != file)
            continue;
        const char *first = strchr(end, '"');
        const char *last = first ? strchr(first + 1, '"') : NULL;

        if (!last)
            return false;
        for (const char *c = first + 1; c < last; c++)
            if (*c == '/')
                first = c;
        *name = first + 1;
        *length = (size_t)(last - *name);
        return true;
    }
    return false;
}

/* Line number after "line " or "NAME:" at that position. 0: none. */
static unsigned long line_named(const struct ptx_module *m, const char *at, bool is_word,
                                const char **end)
{
    const size_t name = strlen(m->name);
    char *behind;

    if (is_word && begins(at, "line "))
        at += strlen("line ");
    else if (is_word && name && begins(at, m->name) && at[name] == ':')
        at += name + 1;
    else
        return 0;
    const unsigned long line = *at >= '0' && *at <= '9' ? strtoul(at, &behind, 10) : 0;

    if (line)
        *end = behind;
    return line;
}

/* True for a character of a word or a file name. */
static bool is_inside(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("_-./", c);
}

/* Returns false if it adds nothing. */
static bool add_place(const struct ptx_module *m, struct text *t, const char *head,
                      const struct place *p)
{
    const char *name;
    size_t length;

    if (!p->file || !file_name(m, p->file, &name, &length))
        return false;
    text_print(t, "%s%.*s:%lu", head, (int)length, name, p->line);
    return true;
}

char *ptx_with_sources(const struct ptx_module *m, const char *sentence)
{
    struct text t = {0};
    const char *at = sentence;
    const bool has_sources = has_files(m);

    while (*at) {
        const char *end = at + 1;
        const bool is_word = at == sentence || !is_inside(at[-1]);
        const unsigned long line = line_named(m, at, is_word, &end);
        const struct source s =
            line && has_sources ? find(m, line) : (struct source){{0, 0, 0}, {0, 0, 0}};

        text_add(&t, at, (size_t)(end - at));
        if (add_place(m, &t, " [", &s.at)) {
            add_place(m, &t, ", from ", &s.from);
            text_add(&t, "]", 1);
        }
        at = end;
    }
    return t.data;
}
