/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/reductions.h"

#include <stdlib.h>

#include "access/access.h"
#include "access/shared_writes/atomic.h"
#include "access/shared_writes/extremes.h"
#include "base/memory.h"

/* Whether the operation is commutative and associative. */
static bool commutes(enum ptx_part part)
{
    return part == PTX_PART_ADD || part == PTX_PART_MIN || part == PTX_PART_MAX ||
           part == PTX_PART_AND || part == PTX_PART_OR || part == PTX_PART_XOR;
}

/* Whether the type is a half, or two halves in a word. */
static bool is_half(enum ptx_part type)
{
    return type == PTX_PART_F16 || type == PTX_PART_F16X2 || type == PTX_PART_BF16 ||
           type == PTX_PART_BF16X2;
}

static bool is_float(enum ptx_part type)
{
    return type == PTX_PART_F32 || type == PTX_PART_F64 || is_half(type);
}

/* Operation of the atomic; false if the instruction has words that a kernel version cannot
   reproduce. */
static bool find_operation(const struct ptx_instruction *i, enum ptx_part *out)
{
    *out = PTX_PART_COUNT;
    for (uint8_t n = 0; n < i->part_count; n++) {
        const enum ptx_part part = i->parts[n];

        if (commutes(part) && *out == PTX_PART_COUNT)
            *out = part;
        else if (part != PTX_PART_GLOBAL && part != i->type && !atomic_is_word(part) &&
                 !(part == PTX_PART_NOFTZ && is_half(i->type)))
            return false;
    }
    return *out != PTX_PART_COUNT;
}

enum { KIND_TYPE_BITS = 16 };

static bool is_signed(enum ptx_part type)
{
    return type == PTX_PART_S32 || type == PTX_PART_S64;
}

/* The sign is irrelevant for sums and bit operations, so it is dropped. */
static uint32_t kind_of(enum ptx_part operation, enum ptx_part type)
{
    const bool orders = operation == PTX_PART_MIN || operation == PTX_PART_MAX;

    if (!is_float(type) && !(orders && is_signed(type)))
        type = ptx_type_bytes(type) == 8 ? PTX_PART_U64 : PTX_PART_U32;
    return (uint32_t)operation << KIND_TYPE_BITS | type;
}

enum ptx_part access_reduction_operation(uint32_t kind)
{
    return (enum ptx_part)(kind >> KIND_TYPE_BITS);
}

enum ptx_part access_reduction_type(uint32_t kind)
{
    return (enum ptx_part)(kind & ((1u << KIND_TYPE_BITS) - 1));
}

unsigned access_reduction_bytes(uint32_t kind)
{
    return ptx_type_bytes(access_reduction_type(kind));
}

bool access_reduction_is_float(uint32_t kind)
{
    return is_float(access_reduction_type(kind));
}

bool access_reduction_has_partials(uint32_t kind)
{
    return access_reduction_operation(kind) != PTX_PART_CAS &&
           !is_half(access_reduction_type(kind));
}

/* Floating-point sums need -0: the addition of +0 would change -0. */
uint64_t access_reduction_neutral(uint32_t kind)
{
    const enum ptx_part operation = access_reduction_operation(kind),
                        type = access_reduction_type(kind);
    const uint64_t all = access_reduction_bytes(kind) == 8 ? UINT64_MAX : UINT32_MAX,
                   sign = all / 2 + 1, least = is_signed(type) ? sign : 0;

    if (is_float(type))
        return sign;
    if (operation == PTX_PART_AND)
        return all;
    if (operation == PTX_PART_MAX)
        return least;
    return operation == PTX_PART_MIN ? all - least : 0;
}

static bool is_reduction(const struct ptx_function *f, const struct ptx_instruction *i,
                         bool floats, enum ptx_part *operation)
{
    const struct ptx_operand *to = atomic_place(i);

    return (i->opcode == PTX_ATOM || i->opcode == PTX_RED) && to && to->reg >= 0 &&
           !to->count && i->vector == 1 &&
           (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC) &&
           find_operation(i, operation) && ptx_atomic_has_no_result(f, i) &&
           (atomic_is_number(i->type) ||
            (floats && is_float(i->type) && *operation == PTX_PART_ADD));
}

/* Adds CAS loops, two instructions each; room for both exists. */
static void add_extremes(struct access_reductions *to, const struct access_analysis *a)
{
    struct access_extreme *each;
    const uint32_t count = access_extremes_find(a, &each);

    for (uint32_t n = 0; n < 2 * count; n++) {
        const uint32_t at = n % 2 ? each[n / 2].load : each[n / 2].swap;
        const struct ptx_instruction *swap = &a->function->instructions[each[n / 2].swap];

        to->reduction[to->count++] = (struct access_reduction){
            at, a->function->instructions[at].line, each[n / 2].parameter,
            kind_of(PTX_PART_CAS, swap->type)};
    }
    free(each);
}

bool access_reductions_have_floats(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if ((i->opcode == PTX_ATOM || i->opcode == PTX_RED) && is_float(i->type))
            return true;
    }
    return false;
}

struct access_reductions access_reductions_find(const struct ptx_module *m,
                                                const struct ptx_function *f, bool floats)
{
    struct access_analysis *a = access_analyze(m, f);
    struct access_reductions found = {
        .reduction = must_calloc(2u * a->record_count + 1u, sizeof *found.reduction)};
    enum ptx_part operation;

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        const struct ptx_instruction *i = &f->instructions[r->instruction];

        if (r->base == ACCESS_BASE_PARAMETER && is_reduction(f, i, floats, &operation))
            found.reduction[found.count++] = (struct access_reduction){
                r->instruction, r->line, a->symbols[r->base_symbol].offset,
                kind_of(operation, i->type)};
    }
    add_extremes(&found, a);
    access_destroy(a);
    return found;
}

bool *access_reductions_all(const struct access_reductions *r,
                            const struct ptx_function *of)
{
    bool *is = must_calloc(of->instruction_count + 1u, sizeof *is);

    for (uint32_t n = 0; n < r->count; n++)
        is[r->reduction[n].instruction] = true;
    return is;
}

void access_reductions_leave(struct access_reductions *r, const bool *instructions)
{
    uint32_t kept = 0;

    for (uint32_t n = 0; n < r->count; n++)
        if (!instructions[r->reduction[n].instruction])
            r->reduction[kept++] = r->reduction[n];
    r->count = kept;
}

void access_reductions_clear(struct access_reductions *r)
{
    free(r->reduction);
    *r = (struct access_reductions){0};
}
