/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/import/import_values.h"

bool import_next_line(const char **at, struct import_line *line)
{
    if (!**at)
        return false;
    line->number++;
    line->begin = *at;
    line->length = strcspn(*at, "\n");
    line->is_ended = (*at)[line->length] == '\n';
    *at += line->length + line->is_ended;
    if (line->length && line->begin[line->length - 1] == '\r')
        line->length--;
    return true;
}
