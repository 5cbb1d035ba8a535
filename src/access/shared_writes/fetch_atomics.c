/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/fetch_atomics.h"

#include <stdlib.h>

#include "access/access.h"
#include "access/shared_writes/atomic.h"
#include "base/memory.h"

struct fetch_atomics {
    const struct access_analysis *analysis;
    bool floats;
    bool *known; /* by instruction: already listed */
    bool *home;  /* by parameter byte: accesses by that pointer use device 0's memory */
    bool any;    /* communication between CTAs exists */
};

/* Whether the instruction has known words only, and no scope below that of a device. */
static bool has_plain_words(const struct ptx_instruction *i)
{
    static const enum ptx_part operations[] = {
        PTX_PART_ADD, PTX_PART_INC, PTX_PART_DEC, PTX_PART_EXCH, PTX_PART_CAS,
        PTX_PART_MIN, PTX_PART_MAX, PTX_PART_AND, PTX_PART_OR,   PTX_PART_XOR};

    for (uint8_t n = 0; n < i->part_count; n++) {
        const enum ptx_part part = i->parts[n];
        bool is_known = part == PTX_PART_GLOBAL || part == i->type ||
                        atomic_is_word(part) || ptx_part_is_order(part);

        for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
            is_known |= part == operations[k];
        if (!is_known)
            return false;
    }
    return true;
}

/* Whether the atomic can be redirected to another memory. */
static bool may_move(const struct ptx_instruction *i, bool floats)
{
    const struct ptx_operand *at = atomic_place(i);
    const bool is_float = i->type == PTX_PART_F32 || i->type == PTX_PART_F64;

    return (i->opcode == PTX_ATOM || i->opcode == PTX_RED) && at && at->reg >= 0 &&
           !at->count && i->vector == 1 &&
           (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC) &&
           has_plain_words(i) && (atomic_is_number(i->type) || (floats && is_float));
}

static uint32_t parameter_of(const struct fetch_atomics *t, const struct access_record *r)
{
    return t->analysis->symbols[r->base_symbol].offset;
}

static uint32_t parameters_end(const struct access_analysis *a)
{
    return a->function->parameter_bytes + 1u;
}

/* Whether the atomic observes earlier accesses: by its result, or by its order
   (`cuda::atomic_ref` without an explicit order). */
static bool atomic_observes(const struct ptx_function *f, const struct ptx_instruction *i)
{
    return (i->opcode == PTX_ATOM && !ptx_atomic_has_no_result(f, i)) ||
           ((i->opcode == PTX_ATOM || i->opcode == PTX_RED) && ptx_is_ordered(i));
}

/* Finds the pointers of observing atomics. False if one of these cannot be redirected, or
   if a load has an unknown pointer. */
static bool fetch_atomics_find(struct fetch_atomics *t)
{
    const struct access_analysis *a = t->analysis;

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        const struct ptx_instruction *i = &a->function->instructions[r->instruction];

        if (r->kind == ACCESS_READ && r->base == ACCESS_BASE_UNKNOWN)
            return false;
        if (r->base == ACCESS_BASE_SHARED || r->base == ACCESS_BASE_LOCAL ||
            t->known[r->instruction] || !atomic_observes(a->function, i))
            continue;
        if (r->base != ACCESS_BASE_PARAMETER || !may_move(i, t->floats))
            return false;
        t->home[parameter_of(t, r)] = t->any = true;
    }
    return true;
}

/* A load outside a reduction observes the reductions of other CTAs to its array. */
static void find_watched(struct fetch_atomics *t, const struct access_reductions *of)
{
    const struct access_analysis *a = t->analysis;

    for (uint32_t n = 0; n < a->record_count && !t->any; n++) {
        const struct access_record *r = &a->records[n];

        if (r->base != ACCESS_BASE_PARAMETER || r->kind != ACCESS_READ ||
            t->known[r->instruction])
            continue;
        for (uint32_t k = 0; k < of->count; k++)
            t->any |= of->reduction[k].parameter == parameter_of(t, r);
    }
}

/* Finds pointers with stores that may overlap those of another CTA, and pointers with both
   loads and stores. */
static void find_home(struct fetch_atomics *t, const bool *unresolved)
{
    const struct access_analysis *a = t->analysis;
    bool *loads = must_calloc(parameters_end(a), sizeof *loads),
         *stores = must_calloc(parameters_end(a), sizeof *stores);

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];

        if (r->base != ACCESS_BASE_PARAMETER)
            continue;
        if (r->kind == ACCESS_READ)
            loads[parameter_of(t, r)] = true;
        else
            stores[parameter_of(t, r)] = true;
        if (r->kind == ACCESS_WRITE &&
            ((unresolved && unresolved[parameter_of(t, r)]) || !access_is_own(a, r)))
            t->home[parameter_of(t, r)] = true;
    }
    for (uint32_t n = 0; n < parameters_end(a); n++)
        t->home[n] |= loads[n] && stores[n];
    free(loads);
    free(stores);
}

/* Adds all accesses by the marked pointers; reductions by them, listed before, change their
   kind. False if an access cannot be redirected. */
static bool add_home(const struct fetch_atomics *t, struct access_reductions *to)
{
    const struct access_analysis *a = t->analysis;
    size_t capacity = to->count;

    for (uint32_t n = 0; n < to->count; n++)
        if (t->home[to->reduction[n].parameter])
            to->reduction[n].kind = ACCESS_SCATTERED;
    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        const struct ptx_instruction *i = &a->function->instructions[r->instruction];

        if (r->base != ACCESS_BASE_PARAMETER || !t->home[parameter_of(t, r)] ||
            t->known[r->instruction])
            continue;
        if (!may_move(i, t->floats) && !access_scatters_plain(i))
            return false;
        to->reduction =
            must_grow(to->reduction, to->count, &capacity, sizeof *to->reduction);
        to->reduction[to->count++] = (struct access_reduction){
            r->instruction, r->line, parameter_of(t, r), ACCESS_SCATTERED};
    }
    return true;
}

bool access_fetch_atomics_add(struct access_reductions *to, const struct ptx_module *m,
                              const struct ptx_function *f, bool floats,
                              const bool *unresolved)
{
    struct access_analysis *a = access_analyze(m, f);
    struct fetch_atomics t = {.analysis = a,
                              .floats = floats,
                              .known = access_reductions_all(to, f),
                              .home = must_calloc(parameters_end(a), sizeof(bool))};
    bool are = fetch_atomics_find(&t);

    if (are) {
        find_watched(&t, to);
        find_home(&t, unresolved);
        are = t.any && add_home(&t, to);
    }
    free(t.known);
    free(t.home);
    access_destroy(a);
    return are;
}
