/* SPDX-License-Identifier: Apache-2.0 */
#include "base/short_name.h"

#include <stdio.h>
#include <string.h>

enum { DOTS = 3, TAIL = 36 }; /* the end distinguishes kernel versions */
enum { HEAD = sizeof(struct short_name) - 1 - DOTS - TAIL };

struct short_name name_shorten(const char *name)
{
    struct short_name out;
    size_t length = strlen(name);

    if (length < sizeof out.text)
        snprintf(out.text, sizeof out.text, "%s", name);
    else
        snprintf(out.text, sizeof out.text, "%.*s...%s", HEAD, name, name + length - TAIL);
    return out;
}

void sentence_shorten(const char *sentence, char *into, size_t room)
{
    size_t at = 0;

    into[0] = '\0';
    while (*sentence && at < room) {
        size_t length = strcspn(sentence, " ");
        size_t cut = length < sizeof(struct short_name) ? 0 : length - TAIL;

        if (cut)
            at += (size_t)snprintf(into + at, room - at, "%.*s...", HEAD, sentence);
        length += strspn(sentence + length, " ");
        if (at < room)
            at += (size_t)snprintf(into + at, room - at, "%.*s", (int)(length - cut),
                                   sentence + cut);
        sentence += length;
    }
}
