/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json/json_place.h"

#include <string.h>

static size_t skip_space(const char *text, size_t at)
{
    return at + strspn(text + at, " \t\r\n");
}

/* From the opening quote to after the closing one. */
static size_t skip_string(const char *text, size_t at)
{
    for (at++; text[at] && text[at] != '"'; at++) {
        if (text[at] == '\\' && text[at + 1])
            at++;
    }
    return text[at] ? at + 1 : at;
}

static size_t skip_value(const char *text, size_t at)
{
    size_t depth = 0;

    do {
        if (text[at] == '"') {
            at = skip_string(text, at);
        } else if (strchr("{[", text[at])) {
            depth++;
            at++;
        } else if (strchr("}]", text[at])) {
            depth--;
            at++;
        } else if (depth) {
            at += strcspn(text + at, "\"{}[]"); /* numbers, commas, colons, spaces */
        } else {
            at += strcspn(text + at, ",}] \t\r\n");
        }
    } while (depth && text[at]);
    return at;
}

/* Position after the next `mark` and the following space. Only space precedes the mark. */
static size_t pass(const char *text, size_t at, char mark)
{
    at = skip_space(text, at);
    if (text[at] == mark)
        at++;
    return skip_space(text, at);
}

size_t json_place_first(const char *text)
{
    return skip_space(text, 0);
}

size_t json_place_member(const char *text, size_t object, size_t index)
{
    size_t at = pass(text, object, '{');

    for (size_t i = 0;; i++) {
        at = pass(text, skip_string(text, at), ':');
        if (i == index)
            return at;
        at = pass(text, skip_value(text, at), ',');
    }
}

size_t json_place_element(const char *text, size_t array, size_t index)
{
    size_t at = pass(text, array, '[');

    for (size_t i = 0; i < index; i++)
        at = pass(text, skip_value(text, at), ',');
    return at;
}

size_t json_place_line(const char *text, size_t offset)
{
    size_t line = 1;

    for (size_t i = 0; i < offset && text[i]; i++)
        line += text[i] == '\n';
    return line;
}
