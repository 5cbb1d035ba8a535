/* SPDX-License-Identifier: Apache-2.0 */
#include "access/access.h"
#include "access/guards.h"
#include "access/records.h"
#include "access/resolve.h"
#include "access/walk.h"

#include <stdlib.h>

struct access_analysis *access_analyze(const struct ptx_module *m,
                                       const struct ptx_function *f)
{
    struct access_analysis *a = must_calloc(1, sizeof *a);
    struct study s = {
        .analysis = a, .module = m, .function = f, .arena = &a->arena, .generation = 1};

    a->module = m;
    a->function = f;
    s.maker.forms.arena = &a->arena;
    s.regions = regions_build(f, &a->arena);
    s.ssa = ssa_build(s.regions, &a->arena);
    s.values = arena_alloc(&a->arena, s.ssa->count * sizeof *s.values);
    walk_values(&s);
    resolve_loops(&s);
    records_make(&s);
    guards_make_loops(&s);
    a->symbols = s.maker.forms.symbols;
    a->symbol_count = s.maker.forms.count;
    forms_clear(&s.maker.forms);
    free(s.maker.ranges);
    return a;
}

void access_destroy(struct access_analysis *a)
{
    if (!a)
        return;
    free(a->symbols);
    arena_clear(&a->arena);
    free(a);
}
