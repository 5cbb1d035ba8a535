/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/address_bits.h"

#include <stdlib.h>

#include "base/memory.h"
#include "instrument/flow/definition.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/provenance/look_up.h"
#include "runtime/provenance/stored_address.h"
#include "runtime/request/launching.h"

enum { ALL = 64 };

/* Backward search from the addresses and comparisons of a kernel. */
struct search {
    const struct ptx_function *function;
    uint8_t *found; /* by byte of the parameter buffer */
    bool *is_sum;   /* by register: used as an address, so additions to it keep the
                       property */
    uint8_t *bits;  /* by register: number of low bits that are used */
    const struct look_up *look_ups; /* by instruction; NULL: not known */
    bool *holds_address;            /* from stored_address_offsets() */
    bool changed;
    bool sum_defined; /* state of the current instruction */
    uint8_t bits_defined;
};

static void want(struct search *s, int32_t reg, bool sum, uint8_t bits)
{
    if (!s->function->registers[reg].bytes) /* a predicate has no bytes */
        return;
    s->changed |= (sum && !s->is_sum[reg]) || bits > s->bits[reg];
    s->is_sum[reg] |= sum;
    s->bits[reg] = bits > s->bits[reg] ? bits : s->bits[reg];
}

static void want_operand(struct search *s, const struct ptx_operand *o, bool sum,
                         uint8_t bits)
{
    if (o->kind == PTX_REGISTER)
        want(s, o->reg, sum, bits);
    for (uint32_t n = 0; n < o->count && o->kind != PTX_MEMORY; n++)
        want_operand(s, &o->list[n], sum, bits);
}

static void want_all(struct search *s, const struct ptx_instruction *i, bool sum,
                     uint8_t bits)
{
    for (uint32_t n = 1; n < i->operand_count; n++)
        want_operand(s, &i->operands[n], sum, bits);
}

static void look(void *context, int32_t reg)
{
    struct search *s = context;

    s->sum_defined |= s->is_sum[reg];
    s->bits_defined = s->bits[reg] > s->bits_defined ? s->bits[reg] : s->bits_defined;
}

static uint8_t most(unsigned a, unsigned b)
{
    const unsigned more = a > b ? a : b;

    return (uint8_t)(more < ALL ? more : ALL);
}

/* Number of significant bits. */
static unsigned width(uint64_t number)
{
    return number ? ALL - (unsigned)__builtin_clzll(number) : 0;
}

static void load(struct search *s, const struct ptx_instruction *i, uint8_t bits)
{
    const struct ptx_operand *from = &i->operands[1];
    const struct ptx_function *f = s->function;
    uint64_t first = 0, end = f->parameter_bytes;
    const struct look_up any = {.is_known = false},
                         *l = s->look_ups ? &s->look_ups[i - f->instructions] : &any;
    bool is_computed = false;

    if (from->symbol >= 0 && (uint32_t)from->symbol < f->parameter_count) {
        first = f->symbols[from->symbol].offset + (uint64_t)from->integer;
        end = first + (uint64_t)ptx_type_bytes(i->type) * i->vector;
    } else if (ptx_type_bytes(i->type) < sizeof(uint64_t) ||
               (i->space != PTX_SPACE_GENERIC && i->space != PTX_SPACE_PARAM)) {
        return; /* shorter values are not addresses */
    } else {
        is_computed = true;
        if (from->integer > 0)
            first = (uint64_t)from->integer; /* of a table that begins there */
    }
    for (uint64_t at = first; at < end && at < f->parameter_bytes; at++)
        if (!is_computed || (s->holds_address[at] && look_up_reaches(l, at)))
            s->found[at] = most(s->found[at], bits);
}

/* A constant mask keeps (and), clears (and) or sets low bits of an address. The results are
   equal on all devices if the replicas agree in these bits. */
static void mask(struct search *s, const struct ptx_instruction *i, bool sum, uint8_t bits)
{
    const struct ptx_operand *o = &i->operands[2];
    const bool keeps = i->opcode == PTX_AND;
    const int64_t number =
        i->operand_count == 3 && o->kind == PTX_INTEGER
            ? ptx_type_bytes(i->type) == 4 ? (int32_t)o->integer : o->integer
            : 0;

    if (i->operand_count != 3 || o->kind != PTX_INTEGER) {
        want_all(s, i, false, sum ? ALL : bits);
    } else if (keeps && number >= 0) {
        const unsigned kept = width((uint64_t)number);

        want_operand(s, &i->operands[1], false, sum || kept < bits ? (uint8_t)kept : bits);
    } else {
        const unsigned changed = width((uint64_t)(keeps ? ~number : number));

        want_operand(s, &i->operands[1], sum && changed < ALL,
                     most(bits, sum ? changed : 0));
    }
}

static void shift_right(struct search *s, const struct ptx_instruction *i, bool sum,
                        uint8_t bits)
{
    const struct ptx_operand *by = &i->operands[2];

    want_operand(s, &i->operands[1], false,
                 sum || by->kind != PTX_INTEGER ? ALL
                                                : most(bits + (unsigned)by->integer, 0));
    want_operand(s, by, false, ALL);
}

/* A subtraction of two registers counts as a difference of addresses. The distance is equal
   on all devices, or provenance.h rejects the launch. */
static void subtract(struct search *s, const struct ptx_instruction *i, bool sum,
                     uint8_t bits)
{
    const bool is_distance = i->operand_count == 3 && i->operands[1].kind == PTX_REGISTER &&
                             i->operands[2].kind == PTX_REGISTER;

    want_all(s, i, sum, is_distance ? 0 : bits);
}

static bool is_whole(const struct ptx_function *f, const struct ptx_operand *o)
{
    return o->kind != PTX_REGISTER || f->registers[o->reg].bytes == 8;
}

static void follow(struct search *s, const struct ptx_instruction *i)
{
    s->sum_defined = false;
    s->bits_defined = 0;
    definition_each(i, look, s);

    const bool sum = s->sum_defined;
    const uint8_t bits = s->bits_defined;

    if (!sum && !bits)
        return;
    switch (i->opcode) {
    case PTX_LD:
    case PTX_LDU:
        load(s, i, bits);
        return;
    case PTX_ATOM:
    case PTX_CALL:
    case PTX_SET:
    case PTX_SETP:
        return;
    case PTX_MOV:
    case PTX_ADD:
    case PTX_CVTA:
    case PTX_SELP:
    case PTX_SHFL:
    case PTX_MIN:
    case PTX_MAX:
    case PTX_NEG:
    case PTX_NOT:
        want_all(s, i, sum, bits);
        return;
    case PTX_SUB:
        subtract(s, i, sum, bits);
        return;
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
        mask(s, i, sum, bits);
        return;
    case PTX_SHR:
        shift_right(s, i, sum, bits);
        return;
    case PTX_MAD:
        if (i->operand_count == 4)
            want_operand(s, &i->operands[3], sum, bits);
        want_operand(s, &i->operands[1], false, ALL);
        want_operand(s, &i->operands[2], false, ALL);
        return;
    case PTX_CVT:
        if (is_whole(s->function, &i->operands[0]) &&
            is_whole(s->function, &i->operands[1]))
            want_all(s, i, sum, bits);
        else
            want_all(s, i, false, sum ? ALL : bits);
        return;
    default:
        want_all(s, i, false, ALL);
    }
}

/* Starting points: memory operands and comparisons, which also decide control flow. */
static void begin(struct search *s, const struct ptx_instruction *i)
{
    const bool is_own = i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
                        i->space == PTX_SPACE_PARAM;

    if (i->opcode == PTX_SETP || i->opcode == PTX_SET)
        want_all(s, i, true, 0);
    for (uint32_t n = 0; n < i->operand_count && !is_own; n++)
        if (i->operands[n].kind == PTX_MEMORY && i->operands[n].reg >= 0)
            want(s, i->operands[n].reg, true, 0);
}

uint8_t *address_bits_find(const struct ptx_function *kernel,
                           const struct look_up *look_ups)
{
    struct search s = {.function = kernel,
                       .found = must_calloc(kernel->parameter_bytes + 1u, 1),
                       .is_sum = must_calloc(kernel->register_count + 1u, sizeof *s.is_sum),
                       .bits = must_calloc(kernel->register_count + 1u, 1),
                       .look_ups = look_ups,
                       .holds_address = stored_address_offsets(kernel),
                       .changed = true};

    for (uint32_t n = 0; n < kernel->instruction_count; n++)
        begin(&s, &kernel->instructions[n]);
    while (s.changed) {
        s.changed = false;
        for (uint32_t n = kernel->instruction_count; n-- > 0;)
            follow(&s, &kernel->instructions[n]);
    }
    free(s.holds_address);
    free(s.is_sum);
    free(s.bits);
    return s.found;
}

/* Number of equal low address bits of all replicas. */
static unsigned bits_alike(const struct proact_array *a)
{
    uint64_t differ = 0;

    for (size_t d = 1; d < a->session->devices.count; d++)
        differ |= a->base[d] ^ a->base[0];
    return differ ? (unsigned)__builtin_ctzll(differ) : ALL;
}

bool address_bits_differ(const struct launching *l, const uint8_t *bits)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        for (uint32_t at = 0; at < sizeof(uint64_t); at++)
            if (!l->relocations[i].array->part &&
                bits[l->relocations[i].offset + at] > bits_alike(l->relocations[i].array))
                return true;
    return false;
}
