/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bounds of many forms by the same facts: what is made of these is made once, and what was
   found is kept. */

#include "access/bounds/facts.h"

struct bounding_column; /* a term without its factor, which facts have */
struct bounding_line;   /* a fact by columns */
struct bounding_page;   /* what was found of symbols */

struct bounding {
    struct facts *facts;
    struct arena_mark mark;
    struct bounding_column *columns;
    uint32_t column_count;
    uint32_t *table; /* of columns + 1, open addressing */
    uint32_t table_size;
    struct bounding_line *lines;
    int64_t *factors; /* by column: of what is left of a form */
    uint32_t *filled; /* columns whose factors may not be 0 */
    uint32_t filled_count, turn;
    struct bounding_page **deep; /* of symbols, for facts_deep.c */
};

/* The facts stay as they are until bounding_close(), which takes back what the arena was
   asked for in between. */
void bounding_open(struct bounding *b, struct facts *f);
void bounding_close(struct bounding *b);

/* As facts_bound() and facts_bound_deep(). */
bool bounding_of(struct bounding *b, const struct access_form *form, struct range *out);
bool bounding_deep(struct bounding *b, const struct access_form *form, struct range *out);
