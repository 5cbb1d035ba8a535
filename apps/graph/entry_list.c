/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/entry_list.h"

#include <stdbool.h>
#include <stdlib.h>

#include "graph/complain.h"

static uint32_t entry_key(struct matrix_entry entry, bool by_column)
{
    return by_column ? entry.column : entry.row;
}

/* Stable counting sort by row or by column, of which there are `keys`. */
static struct entry_list sort_entries(struct entry_list from, size_t count, uint32_t keys,
                                      bool by_column)
{
    struct entry_list to = {.entry = app_calloc(count, sizeof *to.entry)};
    size_t *place = app_calloc((size_t)keys + 1, sizeof *place);

    if (from.value)
        to.value = app_calloc(count, sizeof *to.value);
    for (size_t i = 0; i < count; i++)
        place[entry_key(from.entry[i], by_column) + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        place[k + 1] += place[k];
    for (size_t i = 0; i < count; i++) {
        size_t at = place[entry_key(from.entry[i], by_column)]++;

        to.entry[at] = from.entry[i];
        if (from.value)
            to.value[at] = from.value[i];
    }
    free(place);
    return to;
}

static struct entry_list sort_twice(const struct matrix *m, bool by_column)
{
    uint32_t first_keys = by_column ? m->rows : m->columns;
    uint32_t last_keys = by_column ? m->columns : m->rows;
    struct entry_list given = {m->entry, m->value};
    struct entry_list first = sort_entries(given, m->count, first_keys, !by_column);
    struct entry_list last = sort_entries(first, m->count, last_keys, by_column);

    entry_list_clear(&first);
    return last;
}

struct entry_list entries_by_column(const struct matrix *m)
{
    return sort_twice(m, true);
}

struct entry_list entries_by_row(const struct matrix *m)
{
    return sort_twice(m, false);
}

void entry_list_clear(struct entry_list *list)
{
    free(list->entry);
    free(list->value);
    *list = (struct entry_list){0};
}
