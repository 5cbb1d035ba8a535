/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pointer_tables/number_tables.h"

#include <stdlib.h>
#include <string.h>

#include "access/write_set.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/pointer_tables/table_contents.h"
#include "runtime/pointer_tables/table_text.h"

/* Assumed size of a table in a trial version, and limit of the module's text. */
enum { SOME = 16, TEXT_BYTES_MAX = 1 << 20 };

/* Precision of the kernel's write set. */
enum knowledge { REFUSED, MORE_THAN_ITS, EXACT };

static enum knowledge known_of(const struct ptx_module *m, const char *name)
{
    struct write_set_slice *s = NULL;
    enum knowledge is = REFUSED;

    if (!write_set_slice_create(m, name, NULL, &s, NULL))
        is = write_set_slice_info(s).is_exact ? EXACT : MORE_THAN_ITS;
    write_set_slice_destroy(s);
    return is;
}

static bool is_fixed(const struct address_table *t)
{
    for (uint32_t n = 0; n < t->load_count; n++)
        if (t->load[n].step)
            return false;
    return true;
}

/* The bytes read by a launch are not known yet. */
static uint32_t bytes_of(const struct address_table *t)
{
    uint64_t bytes = SOME;

    for (uint32_t n = 0; n < t->load_count; n++)
        if (t->load[n].first < TABLE_BYTES_MAX &&
            t->load[n].first + t->load[n].bytes > bytes)
            bytes = t->load[n].first + t->load[n].bytes;
    return bytes > TABLE_BYTES_MAX ? TABLE_BYTES_MAX : (uint32_t)bytes;
}

/* Precision with these tables as parameters. */
static enum knowledge known_with(const struct address_tables *t,
                                 const struct proact_kernel *k)
{
    uint32_t bytes[TABLES_MAX] = {0};
    struct ptx_module *m = NULL;
    enum knowledge is = REFUSED;
    size_t length;

    for (unsigned n = 0; n < t->count; n++)
        bytes[n] = bytes_of(&t->of[n]);
    char *text = table_text(k, t, bytes, &length);

    if (text && !ptx_parse(k->image->ptx->name, text, length, &m, NULL))
        is = known_of(m, k->name);
    ptx_destroy(m);
    free(text);
    return is;
}

static void drop_numbers(struct address_tables *t, unsigned from)
{
    while (t->count > from)
        free(t->of[--t->count].load);
}

/* Removes tables that do not improve the precision. */
static void drop_idle(struct address_tables *t, const struct proact_kernel *k,
                      unsigned from, enum knowledge as)
{
    for (unsigned n = from; n < t->count && t->count > from + 1;) {
        struct address_tables less = *t;

        memmove(&less.of[n], &less.of[n + 1], (t->count - n - 1) * sizeof *less.of);
        less.count--;
        if (known_with(&less, k) < as) {
            n++;
            continue;
        }
        free(t->of[n].load);
        *t = less;
    }
}

static bool all_fixed(const struct address_tables *t, unsigned from)
{
    for (unsigned n = from; n < t->count; n++)
        if (!is_fixed(&t->of[n]))
            return false;
    return true;
}

/* Long tables are not used if they only improve guards. */
void number_tables_add(struct address_tables *t, struct proact_kernel *k)
{
    const unsigned others = t->count;

    if (k->image->ptx->bytes > TEXT_BYTES_MAX) /* each attempt parses the module once */
        return;
    address_tables_add_numbers(t, k);
    if (t->count == others)
        return;
    struct address_tables given = *t;

    given.count = others;
    const enum knowledge now = others ? known_with(&given, k)
                                      : known_of(k->image->ptx, k->name),
                         then = known_with(t, k);

    if (then <= now)
        drop_numbers(t, others);
    else
        drop_idle(t, k, others, then);
    if (now != REFUSED && !all_fixed(t, others))
        drop_numbers(t, others);
}

bool number_tables_decide_writes(const struct address_tables *t)
{
    for (unsigned n = 0; n < t->count; n++)
        if (t->of[n].is_number)
            return true;
    return false;
}
