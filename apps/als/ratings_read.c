/* SPDX-License-Identifier: Apache-2.0 */
#include "als/ratings_read.h"

#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"
#include "graph/matrix_market.h"
#include "graph/plain_text.h"

static const char banner[] = "%%MatrixMarket";

static enum proact_status ratings_from_matrix(const char *name, const struct matrix *m,
                                              struct ratings *out, struct proact_error *err)
{
    struct ratings r = {.user_count = m->rows, .item_count = m->columns, .count = m->count};

    if (!m->count)
        return complain(err, PROACT_EINVAL, "%s: the file has no ratings", name);
    r.entry = app_calloc(m->count, sizeof *r.entry);
    for (size_t i = 0; i < m->count; i++)
        r.entry[i] = (struct rating){m->entry[i].row, m->entry[i].column, m->value[i]};
    *out = r;
    return PROACT_OK;
}

enum proact_status ratings_read(const char *path, struct ratings *out,
                                struct proact_error *err)
{
    struct matrix m = {0};
    char *text;
    size_t bytes;
    enum proact_status status = plain_text_read(path, &text, &bytes, err);

    if (status)
        return status;
    if (strncmp(text, banner, sizeof banner - 1) != 0) {
        status = ratings_csv_parse(path, text, bytes, out, err);
    } else if (!(status =
                     matrix_market_parse(path, text, bytes, MATRIX_F64_VALUES, &m, err))) {
        status = ratings_from_matrix(path, &m, out, err);
        matrix_clear(&m);
    }
    free(text);
    return status;
}
