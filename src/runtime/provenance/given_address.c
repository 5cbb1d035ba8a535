/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/given_address.h"

#include <stdlib.h>

#include "base/memory.h"

enum { ADDRESS = 8 };

struct reading {
    const struct ptx_function *kernel;
    bool *begins;          /* the result */
    bool *in_parts;        /* read, but in a load of less than eight bytes */
    bool has_bytes, packs; /* whether the kernel has loads of less than 32 bits, and whether
                              it combines loaded values */
};

static bool is_parameter(const struct ptx_function *f, int32_t symbol)
{
    return symbol >= 0 && (uint32_t)symbol < f->parameter_count;
}

/* Any read of the parameter is possible. */
static void take_all(struct reading *r, int32_t parameter)
{
    const struct ptx_symbol *y = &r->kernel->symbols[parameter];

    for (uint32_t n = 0; n < y->bytes && y->offset + n < r->kernel->parameter_bytes; n++)
        r->begins[y->offset + n] = true;
}

static void take_elements(struct reading *r, uint64_t first, uint32_t bytes, uint32_t count)
{
    for (uint64_t n = 0; n < (uint64_t)bytes * count; n++) {
        const uint64_t at = first + n;

        if (at >= r->kernel->parameter_bytes)
            return;
        r->in_parts[at] |= bytes < ADDRESS;
        r->begins[at] |= bytes >= ADDRESS && n % ADDRESS == 0;
    }
    r->has_bytes |= bytes < ADDRESS / 2;
}

static void take_operand(struct reading *r, const struct ptx_operand *o)
{
    if ((o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) &&
        is_parameter(r->kernel, o->symbol))
        take_all(r, o->symbol);
    for (uint32_t n = 0; n < o->count; n++)
        take_operand(r, &o->list[n]);
}

/* Two words are combined, or may be in memory. */
static bool is_joint(const struct ptx_instruction *i)
{
    const struct ptx_operand *by = i->operand_count > 2 ? &i->operands[2] : NULL;

    switch (i->opcode) {
    case PTX_MOV:
        return i->operand_count > 1 && i->operands[1].count > 1;
    case PTX_ST:
        return i->space != PTX_SPACE_GLOBAL;
    case PTX_OR:
        return ptx_type_bytes(i->type) == ADDRESS;
    case PTX_SHL:
        return by && by->kind == PTX_INTEGER && by->integer == 32;
    default:
        return false;
    }
}

static void take(struct reading *r, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = i->operand_count > 1 ? &i->operands[1] : NULL;

    if (i->opcode == PTX_LD && i->space == PTX_SPACE_PARAM && from &&
        from->kind == PTX_MEMORY && from->reg < 0 &&
        is_parameter(r->kernel, from->symbol)) {
        take_elements(r, r->kernel->symbols[from->symbol].offset + (uint64_t)from->integer,
                      ptx_type_bytes(i->type), i->vector);
        return;
    }
    r->packs |= is_joint(i);
    for (uint32_t n = 0; n < i->operand_count; n++)
        take_operand(r, &i->operands[n]);
}

static bool may_be_joined(const struct reading *r, uint32_t first)
{
    bool all = true;

    for (uint32_t n = 0; n < ADDRESS && all; n++)
        all = r->in_parts[first + n];
    return all;
}

bool *given_addresses_find(const struct ptx_function *kernel)
{
    const uint32_t bytes = kernel->parameter_bytes;
    struct reading r = {.kernel = kernel,
                        .begins = must_calloc(bytes + ADDRESS, sizeof *r.begins),
                        .in_parts = must_calloc(bytes + ADDRESS, sizeof *r.in_parts)};

    for (uint32_t n = 0; n < kernel->instruction_count; n++)
        take(&r, &kernel->instructions[n]);
    for (uint32_t n = 0; (r.has_bytes || r.packs) && n < bytes; n++)
        r.begins[n] |= may_be_joined(&r, n);
    free(r.in_parts);
    return r.begins;
}
