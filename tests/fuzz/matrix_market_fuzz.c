/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a Matrix Market file: refused with a message, or a valid graph. libFuzzer
   calls this target, and tests/apps/matrix_market_corpus_test.c calls it with the stored
   inputs. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

static void demand_graph(const struct graph *g)
{
    demand(g->in_first[0] == 0 && g->in_first[g->vertex_count] == g->edge_count);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++) {
            demand(g->source[e] < g->vertex_count && g->source[e] != v);
            demand(e == g->in_first[v] || g->source[e - 1] < g->source[e]);
        }
}

static void demand_input(const char *text, size_t size, enum matrix_values values)
{
    struct matrix m = {0};
    struct graph g = {0};
    struct proact_error err = {""};

    if (matrix_market_parse("input", text, size, values, &m, &err)) {
        demand(strncmp(err.text, "input:", 6) == 0 && !strchr(err.text, '\n'));
    } else {
        demand(!m.value == (values == MATRIX_NO_VALUES));
        for (size_t i = 0; i < m.count; i++) {
            demand(m.entry[i].row < m.rows && m.entry[i].column < m.columns);
            demand(!m.value || isfinite(m.value[i]));
        }
        if (!graph_from_matrix("input", &m, &g, &err))
            demand_graph(&g);
    }
    graph_clear(&g);
    matrix_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    demand(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    demand_input(text, size, MATRIX_NO_VALUES);
    demand_input(text, size, MATRIX_INT32_VALUES);
    demand_input(text, size, MATRIX_F32_VALUES);
    demand_input(text, size, MATRIX_F64_VALUES);
    free(text);
    return 0;
}
