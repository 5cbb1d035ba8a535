/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pointer_tables/table_text.h"

#include <stdlib.h>

#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/pointer_tables/table_contents.h"

enum { UNIT = 16 };

uint32_t table_round_up(uint32_t bytes)
{
    uint32_t all = UNIT;

    while (all < bytes)
        all *= 2;
    return all;
}

/* Rewrites loads at constant offsets to named parameter reads. */
static char *name_places(const struct ptx_module *of, char *text, size_t *bytes)
{
    struct ptx_module *m = NULL;
    char *named = NULL;
    size_t length;

    if (!ptx_parse(of->name, text, *bytes, &m, NULL))
        named = instrument_read_parameters(m, &length);
    ptx_destroy(m);
    if (!named)
        return text;
    free(text);
    *bytes = length;
    return named;
}

char *table_text(const struct proact_kernel *k, const struct address_tables *t,
                 const uint32_t *bytes, size_t *length)
{
    struct instrument_table tables[TABLES_MAX];

    for (unsigned n = 0; n < t->count; n++) {
        tables[n] = t->of[n].is;
        tables[n].bytes = table_round_up(bytes[n]);
    }
    if (!instrument_tables_fit(k->image->ptx, k->ptx, tables, t->count))
        return NULL;
    char *text = instrument_tables(k->image->ptx, k->ptx, tables, t->count, length);

    return name_places(k->image->ptx, text, length);
}
