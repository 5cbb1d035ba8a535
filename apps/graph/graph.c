/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"
#include "graph/entry_limit.h"
#include "graph/entry_list.h"

/* From entries sorted by column and row: drops duplicates and loops. */
static void keep_edges(struct graph *g, struct entry_list sorted, size_t count)
{
    uint32_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct matrix_entry *entry = &sorted.entry[i];
        uint32_t from = entry->row, to = entry->column;

        if (i && entry[-1].row == from && entry[-1].column == to) {
            g->duplicates++;
            if (g->weight && from != to && sorted.value[i] < g->weight[kept - 1])
                g->weight[kept - 1] = sorted.value[i];
        } else if (from == to) {
            g->self_loops++;
        } else {
            if (g->weight)
                g->weight[kept] = sorted.value[i];
            g->source[kept++] = from;
            g->out_degree[from]++;
            g->in_first[to + 1]++;
        }
    }
    for (uint32_t v = 0; v < g->vertex_count; v++)
        g->in_first[v + 1] += g->in_first[v];
    g->edge_count = kept;
}

/* FILE in a comment "vertex i = i-th line of FILE", if it is a plain file name. */
static char *find_names_file(const char *comment)
{
    static const char phrase[] = "vertex i = i-th line of ";
    const char *at = strstr(comment, phrase);

    if (!at)
        return NULL;
    at += sizeof phrase - 1;
    size_t length = strcspn(at, " \t\r\n/");

    if (length == 0 || at[length] == '/' || *at == '.')
        return NULL;
    char *name = app_calloc(length + 1, 1);

    memcpy(name, at, length);
    return name;
}

enum proact_status graph_from_matrix(const char *name, const struct matrix *m,
                                     struct graph *out, struct proact_error *err)
{
    if (m->rows != m->columns)
        return complain(
            err, PROACT_EINVAL,
            "%s:%zu: a graph needs a square matrix, found %u rows and %u columns", name,
            m->sizes_line, m->rows, m->columns);
    if (m->rows == 0)
        return complain(err, PROACT_EINVAL, "%s:%zu: a graph needs a vertex, found 0 rows",
                        name, m->sizes_line);
    if (m->rows > ENTRIES_MAX)
        return complain(err, PROACT_EINVAL, "%s: %u vertices, the limit is %u", name,
                        m->rows, ENTRIES_MAX);
    if (m->count > ENTRIES_MAX)
        return complain(err, PROACT_EINVAL, "%s: %zu edges, the limit is %u", name,
                        m->count, ENTRIES_MAX);
    struct graph g = {.vertex_count = m->rows};

    g.in_first = app_calloc((size_t)m->rows + 1, sizeof *g.in_first);
    g.out_degree = app_calloc(m->rows, sizeof *g.out_degree);
    g.source = app_calloc(m->count, sizeof *g.source);
    g.weight = m->value ? app_calloc(m->count, sizeof *g.weight) : NULL;

    struct entry_list sorted = entries_by_column(m);

    keep_edges(&g, sorted, m->count);
    entry_list_clear(&sorted);
    g.names_file = find_names_file(m->comment);
    *out = g;
    return PROACT_OK;
}

void graph_clear(struct graph *g)
{
    free(g->in_first);
    free(g->source);
    free(g->out_degree);
    free(g->weight);
    free(g->names_file);
    *g = (struct graph){0};
}
