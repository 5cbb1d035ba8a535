/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bounds of many forms under one set of facts. The index over the facts is built once, and
   results are cached. */

#include "access/bounds/facts.h"

struct bounding_column; /* term without its factor that occurs in a fact */
struct bounding_line;   /* fact as a row over the columns */
struct bounding_page;   /* cached results of symbols */

struct bounding {
    struct facts *facts;
    struct arena_mark mark;
    struct bounding_column *columns;
    uint32_t column_count;
    uint32_t *table; /* open addressing: column + 1 */
    uint32_t table_size;
    struct bounding_line *lines;
    int64_t *factors; /* by column: of the remaining form */
    uint32_t *filled; /* columns whose factors may be nonzero */
    uint32_t filled_count, turn;
    struct bounding_page **deep; /* by symbol, for facts_deep.c */
};

/* Opens the index. The facts must not change until bounding_close(), which releases the
   arena memory that was allocated in between. */
void bounding_open(struct bounding *b, struct facts *f);
void bounding_close(struct bounding *b);

/* Like facts_bound() and facts_bound_deep(). */
bool bounding_of(struct bounding *b, const struct access_form *form, struct range *out);
bool bounding_deep(struct bounding *b, const struct access_form *form, struct range *out);
