/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json/json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void add_string(struct text *t, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;

    text_add(t, "\"", 1);
    while (*s) {
        size_t length = utf8_length(s);

        if (*s == '"' || *s == '\\')
            text_print(t, "\\%c", *s);
        else if (*s == '\n')
            text_add(t, "\\n", 2);
        else if (*s == '\t')
            text_add(t, "\\t", 2);
        else if (*s < 0x20 || *s == 0x7f)
            text_print(t, "\\u%04x", *s);
        else if (length)
            text_add(t, (const char *)s, length);
        else
            text_add(t, "\\ufffd", 6);
        s += length ? length : 1;
    }
    text_add(t, "\"", 1);
}

/* A newline if containers at depth `depth` are written on several lines, else `space`. */
static void separate(struct json_writer *w, unsigned depth, const char *space)
{
    if (depth <= w->lines && w->lines)
        text_print(&w->text, "\n%*s", (int)(2 * (w->depth)), "");
    else
        text_print(&w->text, "%s", space);
}

static void put_key(struct json_writer *w, const char *key)
{
    if (w->depth) {
        unsigned inner = w->depth - 1;

        assert((key != NULL) == (w->open[inner] == JSON_OBJECT));
        if (w->filled[inner])
            text_add(&w->text, ",", 1);
        separate(w, w->depth, w->filled[inner] ? " " : "");
        w->filled[inner] = true;
    }
    if (key) {
        add_string(&w->text, key);
        text_add(&w->text, ": ", 2);
    }
}

void json_begin(struct json_writer *w, const char *key, enum json_container container)
{
    assert(w->depth < JSON_DEPTH_MAX);
    put_key(w, key);
    text_add(&w->text, container == JSON_OBJECT ? "{" : "[", 1);
    w->open[w->depth] = container;
    w->filled[w->depth] = false;
    w->depth++;
}

void json_end(struct json_writer *w)
{
    assert(w->depth > 0);
    w->depth--;
    if (w->filled[w->depth])
        separate(w, w->depth + 1, "");
    text_add(&w->text, w->open[w->depth] == JSON_OBJECT ? "}" : "]", 1);
    if (w->depth == 0)
        text_add(&w->text, "\n", 1);
}

void json_put_text(struct json_writer *w, const char *key, const char *value)
{
    put_key(w, key);
    if (value)
        add_string(&w->text, value);
    else
        text_add(&w->text, "null", 4);
}

void json_put_real(struct json_writer *w, const char *key, double value)
{
    char number[32] = "null";

    put_key(w, key);
    if (isfinite(value)) {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(number, sizeof number, "%.*g", digits, value);
            if (strtod(number, NULL) == value)
                break;
        }
        char *comma = strchr(number, ','); /* decimal point of some locales */

        if (comma)
            *comma = '.';
    }
    text_print(&w->text, "%s", number);
}

void json_put_whole(struct json_writer *w, const char *key, uint64_t value)
{
    put_key(w, key);
    text_print(&w->text, "%" PRIu64, value);
}

void json_put_flag(struct json_writer *w, const char *key, bool value)
{
    put_key(w, key);
    text_print(&w->text, "%s", value ? "true" : "false");
}
