/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/through.h"

#include <stdlib.h>

#include "access/access.h"
#include "access/shared_writes/atomic.h"
#include "base/memory.h"

static bool is_one(const struct access_analysis *a, const struct access_record *r,
                   const uint32_t *parameters, uint32_t count)
{
    for (uint32_t n = 0; r->base == ACCESS_BASE_PARAMETER && n < count; n++)
        if (a->symbols[r->base_symbol].offset == parameters[n])
            return true;
    return false;
}

/* Whether every possible pointer of the access is in the set. */
static bool is_through(const struct access_analysis *a, const struct access_record *r,
                       const uint32_t *parameters, uint32_t count)
{
    uint32_t ways;
    const struct access_record *each = access_either(r, &ways);

    for (uint32_t n = 0; n < ways; n++)
        if (!is_one(a, &each[n], parameters, count))
            return false;
    return ways > 0;
}

/* Whether some possible pointer of the access is in the set, or is unknown. */
static bool may_be(const struct access_analysis *a, const struct access_record *r,
                   const uint32_t *parameters, uint32_t count, bool unknown)
{
    uint32_t ways;
    const struct access_record *each = access_either(r, &ways);

    for (uint32_t n = 0; n < ways; n++)
        if ((unknown && each[n].base == ACCESS_BASE_UNKNOWN) ||
            is_one(a, &each[n], parameters, count))
            return true;
    return false;
}

struct access_through access_through_find(const struct ptx_module *m,
                                          const struct ptx_function *f,
                                          const uint32_t *parameters, uint32_t count)
{
    struct access_analysis *a = access_analyze(m, f);
    struct access_through t = {.is = must_calloc(f->instruction_count + 1u, sizeof *t.is)};

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        const struct ptx_instruction *i = &f->instructions[r->instruction];
        const bool updates = i->opcode == PTX_ATOM || i->opcode == PTX_RED;

        if (may_be(a, r, parameters, count, true)) {
            t.reads |= updates ? !ptx_atomic_has_no_result(f, i) : r->kind != ACCESS_WRITE;
            t.updates = updates ? r->line : t.updates;
        }
        if (updates && may_be(a, r, parameters, count, false)) {
            t.updates_surely = r->line;
            t.updates_here = ptx_has(i, PTX_PART_SYS) ? t.updates_here : r->line;
        }
        if (!is_through(a, r, parameters, count))
            continue;
        t.is[r->instruction] = true;
        t.writes |= r->kind != ACCESS_READ;
    }
    /* Instructions with two records, one of them to another pointer. */
    for (uint32_t n = 0; n < a->record_count; n++)
        if (!is_through(a, &a->records[n], parameters, count))
            t.is[a->records[n].instruction] = false;
    access_destroy(a);
    return t;
}

void access_through_clear(struct access_through *t)
{
    free(t->is);
    *t = (struct access_through){0};
}
