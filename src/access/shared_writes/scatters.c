/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/scatters.h"

#include "access/access.h"
#include "access/write_set.h"
#include "base/memory.h"

#include <stdlib.h>

/* Whether the instruction has only known words, so that a kernel version changes nothing
   but its address. */
static bool has_plain_words(const struct ptx_instruction *i, bool may_be_volatile)
{
    for (uint8_t n = 0; n < i->part_count; n++)
        switch (i->parts[n]) {
        case PTX_PART_GLOBAL:
        case PTX_PART_WEAK:
        case PTX_PART_V2:
        case PTX_PART_V4:
            break;
        case PTX_PART_VOLATILE:
            if (!may_be_volatile)
                return false;
            break;
        default:
            if (i->parts[n] != i->type)
                return false;
        }
    return true;
}

static bool is_plain(const struct ptx_instruction *i, enum ptx_opcode opcode,
                     bool may_be_volatile)
{
    const struct ptx_operand *at = &i->operands[opcode == PTX_LD];

    return i->opcode == opcode && i->operand_count == 2 && at->kind == PTX_MEMORY &&
           at->reg >= 0 && !at->count &&
           (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC) &&
           has_plain_words(i, may_be_volatile);
}

bool access_scatters_plain(const struct ptx_instruction *i)
{
    return is_plain(i, PTX_ST, true) || is_plain(i, PTX_LD, true);
}

/* Whether the instruction orders accesses that another CTA may observe. The stores of other
   devices arrive later, so such an order cannot be kept. */
static bool orders(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_FENCE || i->opcode == PTX_MEMBAR)
        return !ptx_has(i, PTX_PART_CTA);
    return ptx_has(i, PTX_PART_ACQUIRE) || ptx_has(i, PTX_PART_RELEASE) ||
           ptx_has(i, PTX_PART_ACQ_REL);
}

static bool orders_none(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (orders(&f->instructions[n]))
            return false;
    return true;
}

static uint32_t parameter_of(const struct access_analysis *a, const struct access_record *r)
{
    return a->symbols[r->base_symbol].offset;
}

static bool is_by_pointer(const struct access_analysis *a, uint32_t n,
                          enum ptx_opcode opcode)
{
    const struct access_record *r = &a->records[n];

    return r->base == ACCESS_BASE_PARAMETER &&
           is_plain(&a->function->instructions[r->instruction], opcode, opcode == PTX_ST);
}

/* Whether a store by that pointer may overlap one of another CTA, or `untold` declares
   so. */
static bool is_scattered(const struct access_analysis *a, uint32_t parameter,
                         const bool *unresolved)
{
    for (uint32_t n = 0; n < a->record_count; n++)
        if (is_by_pointer(a, n, PTX_ST) && parameter_of(a, &a->records[n]) == parameter &&
            ((unresolved && unresolved[parameter]) || !access_is_own(a, &a->records[n])))
            return true;
    return false;
}

/* Atomics on an array with indirect stores are no longer reductions, but move to the same
   replica. Swaps are excluded, because they need the previous value. */
static void join_atomics(struct access_reductions *all, uint32_t atomics)
{
    for (uint32_t n = 0; n < atomics; n++)
        for (uint32_t k = atomics; k < all->count; k++)
            if (all->reduction[n].parameter == all->reduction[k].parameter &&
                all->reduction[n].kind != ACCESS_SCATTERED &&
                access_reduction_operation(all->reduction[n].kind) != PTX_PART_CAS)
                all->reduction[n].kind = ACCESS_SCATTERED;
}

void access_scatters_add(struct access_reductions *to, const struct ptx_module *m,
                         const struct ptx_function *f, const bool *unresolved)
{
    struct access_analysis *a = access_analyze(m, f);
    const bool may_read = orders_none(f);
    const uint32_t atomics = to->count;
    size_t capacity = to->count;

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];

        if (!(is_by_pointer(a, n, PTX_ST) || (may_read && is_by_pointer(a, n, PTX_LD))) ||
            !is_scattered(a, parameter_of(a, r), unresolved))
            continue;
        to->reduction =
            must_grow(to->reduction, to->count, &capacity, sizeof *to->reduction);
        to->reduction[to->count++] = (struct access_reduction){
            r->instruction, r->line, parameter_of(a, r), ACCESS_SCATTERED};
    }
    join_atomics(to, atomics);
    access_destroy(a);
}

static bool slice_is_known(const struct ptx_module *m, const struct ptx_function *f,
                           const bool *left_out)
{
    const struct write_set_options options = {true, left_out};
    struct write_set_slice *slice = NULL;
    const bool is = !write_set_slice_create(m, f->name, &options, &slice, NULL);

    write_set_slice_destroy(slice);
    return is;
}

/* Whether a slice exists without plain stores by pointers and without `merged`. */
static bool indirect_others_are_known(const struct access_analysis *a,
                                      const struct ptx_module *m,
                                      const struct access_reductions *merged)
{
    bool *left_out = access_reductions_all(merged, a->function);

    for (uint32_t n = 0; n < a->record_count; n++)
        if (is_by_pointer(a, n, PTX_ST))
            left_out[a->records[n].instruction] = true;
    const bool are = slice_is_known(m, a->function, left_out);

    free(left_out);
    return are;
}

static bool stores_are_resolved(const struct access_analysis *a, const struct ptx_module *m,
                                uint32_t parameter)
{
    bool *left_out = must_calloc(a->function->instruction_count + 1u, sizeof *left_out);

    for (uint32_t n = 0; n < a->function->instruction_count; n++)
        left_out[n] = true;
    for (uint32_t n = 0; n < a->record_count; n++)
        if (is_by_pointer(a, n, PTX_ST) && parameter_of(a, &a->records[n]) == parameter)
            left_out[a->records[n].instruction] = false;
    const bool are = slice_is_known(m, a->function, left_out);

    free(left_out);
    return are;
}

/* Examines each pointer parameter once; returns whether any has no slice. */
static bool find_unresolved(const struct access_analysis *a, const struct ptx_module *m,
                            bool *unresolved, bool *requested)
{
    bool any = false;

    for (uint32_t n = 0; n < a->record_count; n++) {
        if (!is_by_pointer(a, n, PTX_ST) || requested[parameter_of(a, &a->records[n])])
            continue;
        const uint32_t at = parameter_of(a, &a->records[n]);

        requested[at] = true;
        unresolved[at] = !stores_are_resolved(a, m, at);
        any |= unresolved[at];
    }
    return any;
}

static uint32_t parameters_end(const struct access_analysis *a)
{
    uint32_t end = 0;

    for (uint32_t n = 0; n < a->record_count; n++)
        if (a->records[n].base == ACCESS_BASE_PARAMETER &&
            parameter_of(a, &a->records[n]) >= end)
            end = parameter_of(a, &a->records[n]) + 1;
    return end;
}

bool *access_scatters_unresolved(const struct ptx_module *m, const struct ptx_function *f,
                                 const struct access_reductions *merged)
{
    struct access_analysis *a = access_analyze(m, f);
    const uint32_t end = parameters_end(a);
    bool *unresolved = must_calloc(end + 1u, sizeof *unresolved),
         *requested = must_calloc(end + 1u, sizeof *requested);

    if (!indirect_others_are_known(a, m, merged) ||
        !find_unresolved(a, m, unresolved, requested)) {
        free(unresolved);
        unresolved = NULL;
    }
    free(requested);
    access_destroy(a);
    return unresolved;
}
