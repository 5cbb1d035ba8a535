/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pointer_tables/table_contents.h"

#include <stdlib.h>

#include "access/write_set.h"
#include "base/fail.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launching.h"

void tables_drop(struct proact_kernel *k)
{
    struct kernel_address_tables *t = k->tables_found;

    if (!t)
        return;
    for (unsigned n = 0; n < TABLES_MAX; n++) {
        free(t->content[n].data);
        free(t->content[n].relocation);
    }
    address_tables_clear(&t->found);
    free(t->fields.fields);
    free(t->block);
    free(t->relocations);
    free(t);
    k->tables_found = NULL;
}

static bool meets(const struct table_content *c, const struct cta_runs *runs, uint32_t ctas)
{
    struct cta_runs_walk w = cta_runs_walk(runs, 0, ctas);

    for (struct span s; cta_runs_span(&w, &s);)
        if (s.first < c->byte + c->bytes && s.end > c->byte)
            return true;
    return false;
}

/* Whether a table of the launch is in the array, and in the written ranges if `w` is not
   NULL. */
static bool has_table(const struct launching *l, const struct proact_array *a,
                      const struct write_set *w)
{
    const struct cta_runs *runs = w ? &w->arrays[launching_number(l, a)].runs : NULL;

    for (const struct proact_kernel *of = l->kernel->tabled; of; of = of->tabled) {
        const struct kernel_address_tables *t = of->tables_found;

        for (unsigned n = 0; n < t->found.count; n++)
            if (t->content[n].array == a->id &&
                (!w || meets(&t->content[n], runs, w->cta_count)))
                return true;
    }
    return false;
}

enum proact_status tables_check(const struct launching *l, const struct write_set *w,
                                struct proact_error *err)
{
    for (size_t i = 0; l->kernel->tabled && i < l->relocation_count; i++) {
        const struct proact_array *a = l->relocations[i].array;

        if (!launching_is_again(l, i) && has_table(l, a, l->found.flags ? NULL : w))
            return fail(err, PROACT_EREFUSED,
                        "kernel '%s': it may write to array '%s', from which it loads "
                        "pointers",
                        l->kernel->name, a->name);
    }
    return PROACT_OK;
}

bool tables_stay(const struct launching *l, const uint32_t *targets, uint32_t count,
                 bool is_any)
{
    for (size_t i = 0; l->kernel->tabled && i < l->relocation_count; i++) {
        bool is_target = is_any;

        for (uint32_t n = 0; n < count; n++)
            is_target |= targets[n] == l->relocations[i].offset;
        if (is_target && has_table(l, l->relocations[i].array, NULL))
            return false;
    }
    return true;
}
