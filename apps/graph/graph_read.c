/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "graph/gap.h"
#include "graph/graph.h"
#include "graph/metis.h"
#include "graph/plain_text.h"

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), bytes = strlen(ending);

    return length > bytes && strcmp(path + length - bytes, ending) == 0;
}

enum proact_status graph_read(const char *path, enum matrix_values values,
                              struct graph *out, struct proact_error *err)
{
    struct matrix m = {0};
    char *text = NULL;
    size_t bytes;

    if (has_ending(path, ".sg") || has_ending(path, ".wsg"))
        return gap_read(path, has_ending(path, ".wsg"), values, out, err);
    enum proact_status status = plain_text_read(path, &text, &bytes, err);

    if (status)
        return status;
    bool is_metis = has_ending(path, ".graph") || has_ending(path, ".graph.gz");

    status =
        (is_metis ? metis_parse : matrix_market_parse)(path, text, bytes, values, &m, err);
    free(text);
    if (!status)
        status = graph_from_matrix(path, &m, out, err);
    matrix_clear(&m);
    return status;
}
