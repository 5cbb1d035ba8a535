/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/flags.h"

#include <stdlib.h>

#include "access/form/form.h"
#include "access/shared_writes/atomic.h"

/* Uniform value: a number, low bytes of a parameter, or a register with a single definition
   from such values. */
struct value {
    enum { VALUE_NUMBER, VALUE_PARAMETER, VALUE_REGISTER } kind;
    uint64_t what; /* the number, the parameter offset, or the register */
};

/* Effect of a store: it replaces the content, or combines with it. */
struct stored {
    uint32_t bytes;
    struct value value, compared; /* .cas replaces only this value */
    enum ptx_part join;           /* .or, .and, .min, .max, .cas; PTX_PART_COUNT: none */
    bool is_signed;               /* affects .min and .max */
    const struct access_form *place;
};

struct finder {
    const struct ptx_module *module;
    const struct ptx_function *function;
    uint32_t *definitions; /* by register: number of definitions, and the last one */
    uint32_t *definition;
    uint8_t *alike; /* by register: NOT_KNOWN, or whether all threads see one value */
    bool *decide;   /* by parameter byte */
};
enum { NOT_KNOWN, ALIKE, OTHERWISE };

/* The only instruction that defines the register, without a guard; NULL: none. */
static const struct ptx_instruction *definition_of(const struct finder *d, int32_t reg)
{
    const struct ptx_instruction *i = &d->function->instructions[d->definition[reg]];
    bool is_one = d->definitions[reg] == 1 && i->guard < 0 && i->operand_count > 1;

    return is_one && i->operands[0].kind == PTX_REGISTER && !i->operands[0].is_part ? i
                                                                                    : NULL;
}

/* Whether the instruction loads parameter bytes at a known offset. */
static bool reads_parameter(const struct finder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];

    return i->opcode == PTX_LD && i->space == PTX_SPACE_PARAM && i->vector == 1 &&
           from->kind == PTX_MEMORY && from->reg < 0 && from->symbol >= 0 &&
           (uint32_t)from->symbol < d->function->parameter_count;
}

static void note_decides(struct finder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];
    const uint64_t first =
        d->function->symbols[from->symbol].offset + (uint64_t)from->integer;

    for (uint64_t at = first; at < first + ptx_type_bytes(i->type); at++)
        if (at < d->function->parameter_bytes)
            d->decide[at] = true;
}

static bool computes(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_MOV:
    case PTX_CVT:
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MAD:
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_NOT:
    case PTX_NEG:
    case PTX_SHL:
    case PTX_SHR:
    case PTX_MIN:
    case PTX_MAX:
    case PTX_SELP:
    case PTX_SETP:
        return !ptx_has(i, PTX_PART_CC);
    default:
        return false;
    }
}

static bool is_alike(struct finder *d, int32_t reg);

static bool operand_is_alike(struct finder *d, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_INTEGER:
    case PTX_FLOAT:
        return true;
    case PTX_SPECIAL:
        return (o->special >= PTX_NTID_X && o->special <= PTX_NTID_Z) ||
               (o->special >= PTX_NCTAID_X && o->special <= PTX_NCTAID_Z);
    case PTX_REGISTER:
        return !o->is_part && is_alike(d, o->reg);
    default:
        return false;
    }
}

/* Whether the register has the same value in every thread of the launch at each use. */
static bool is_alike(struct finder *d, int32_t reg)
{
    const struct ptx_instruction *i = definition_of(d, reg);

    if (d->alike[reg] != NOT_KNOWN)
        return d->alike[reg] == ALIKE;
    d->alike[reg] = OTHERWISE; /* a register that depends on itself changes */
    bool reads = i && reads_parameter(d, i), is = reads || (i && computes(i));

    if (reads)
        note_decides(d, i);
    for (uint32_t n = 1; is && n < i->operand_count && !reads; n++)
        is = operand_is_alike(d, &i->operands[n]);
    d->alike[reg] = is ? ALIKE : OTHERWISE;
    return is;
}

static uint64_t cut_to(uint64_t bits, uint32_t bytes)
{
    return bytes < 8 ? bits & (((uint64_t)1 << 8 * bytes) - 1) : bits;
}

static bool find_value(struct finder *d, const struct ptx_operand *o, uint32_t bytes,
                       struct value *out)
{
    const struct ptx_instruction *i;

    while (o->kind == PTX_REGISTER && (i = definition_of(d, o->reg)) != NULL &&
           i->opcode == PTX_MOV && i->operands[1].kind != PTX_SPECIAL &&
           ptx_type_bytes(i->type) >= bytes)
        o = &i->operands[1];
    if (o->kind == PTX_INTEGER || (o->kind == PTX_FLOAT && o->float_bytes == bytes)) {
        out->kind = VALUE_NUMBER;
        out->what = cut_to((uint64_t)o->integer, bytes);
        return true;
    }
    if (o->kind != PTX_REGISTER || o->is_part || !is_alike(d, o->reg))
        return false;
    i = definition_of(d, o->reg);
    out->kind = VALUE_REGISTER;
    out->what = (uint64_t)o->reg;
    if (reads_parameter(d, i) && ptx_type_bytes(i->type) >= bytes) {
        out->kind = VALUE_PARAMETER;
        out->what = d->function->symbols[i->operands[1].symbol].offset +
                    (uint64_t)i->operands[1].integer;
    }
    return true;
}

static bool is_word_of_store(enum ptx_part part)
{
    return part == PTX_PART_WEAK || part == PTX_PART_VOLATILE;
}

static bool is_way_of_atomic(enum ptx_part part)
{
    return part == PTX_PART_EXCH || part == PTX_PART_OR || part == PTX_PART_AND ||
           part == PTX_PART_MIN || part == PTX_PART_MAX || part == PTX_PART_CAS;
}

/* Finds the compared and the stored value; without a comparison, the stored value is
   both. */
static bool find_values(struct finder *d, const struct ptx_instruction *i,
                        struct stored *out)
{
    const struct ptx_operand *first = atomic_place(i) + 1;

    return find_value(d, first, out->bytes, &out->compared) &&
           find_value(d, first + (out->join == PTX_PART_CAS), out->bytes, &out->value);
}

/* Whether the instruction has only known words, so that a kernel version can reproduce
   it. */
static bool is_plain(const struct ptx_function *f, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = atomic_place(i);
    const bool is_store = i->opcode == PTX_ST;
    bool has_way = is_store;

    if ((!is_store && i->opcode != PTX_ATOM && i->opcode != PTX_RED) || !to ||
        (i->space != PTX_SPACE_GLOBAL && i->space != PTX_SPACE_GENERIC) || i->vector != 1 ||
        to->reg < 0 || to->count || to[1].negated ||
        i->operands[i->operand_count - 1].negated)
        return false;
    for (uint8_t n = 0; n < i->part_count; n++) {
        const enum ptx_part part = i->parts[n];
        const bool is_way = !is_store && is_way_of_atomic(part);

        if (part != PTX_PART_GLOBAL && part != i->type && !is_way &&
            !(is_store ? is_word_of_store(part) : atomic_is_word(part)))
            return false;
        has_way |= is_way;
    }
    return has_way && (is_store || atomic_is_number(i->type)) &&
           ptx_atomic_has_no_result(f, i) && ptx_type_bytes(i->type) &&
           ptx_type_bytes(i->type) <= 8;
}

/* Effect of an instruction. An exchange with an unused result is a store. */
static struct stored stored_by(const struct ptx_instruction *i)
{
    struct stored s = {.bytes = ptx_type_bytes(i->type), .join = PTX_PART_COUNT};

    for (uint8_t n = 0; n < i->part_count && i->opcode != PTX_ST; n++)
        if (is_way_of_atomic(i->parts[n]) && i->parts[n] != PTX_PART_EXCH)
            s.join = i->parts[n];
    s.is_signed = (s.join == PTX_PART_MIN || s.join == PTX_PART_MAX) &&
                  (i->type == PTX_PART_S32 || i->type == PTX_PART_S64);
    return s;
}

/* Whether the location depends on neither thread nor CTA. */
static bool is_one_place(const struct access_analysis *a, const struct access_record *r)
{
    const uint32_t sizes = 1u << ACCESS_PARAMETER | 1u << ACCESS_FUNCTION;

    if (r->base != ACCESS_BASE_PARAMETER || r->state != ACCESS_CLOSED)
        return false;
    for (uint32_t t = 0; t < r->form->count; t++)
        for (uint32_t n = 0; n < r->form->terms[t].degree; n++) {
            const struct access_symbol *y = &a->symbols[r->form->terms[t].symbols[n]];
            bool is_size = y->kind == ACCESS_SPECIAL && y->special >= PTX_NTID_X &&
                           y->special <= PTX_NCTAID_Z &&
                           (y->special <= PTX_NTID_Z || y->special >= PTX_NCTAID_X);

            if (!is_size && (y->holds & ~sizes || y->kind == ACCESS_SPECIAL))
                return false;
        }
    return true;
}

static bool is_value(const struct value *a, const struct value *b)
{
    return a->kind == b->kind && a->what == b->what;
}

/* Whether both stores have the same operation, with any values. */
static bool is_one_way(const struct stored *a, const struct stored *b)
{
    return a->bytes == b->bytes && a->join == b->join && a->is_signed == b->is_signed;
}

static bool is_same(const struct stored *a, const struct stored *b)
{
    return is_one_way(a, b) && is_value(&a->value, &b->value) &&
           is_value(&a->compared, &b->compared);
}

/* `stored` holds the effect of each idempotent store. */
static void add_flag(struct access_flags *flags, struct stored *stored,
                     const struct access_analysis *a, const struct access_record *r,
                     const struct stored *now)
{
    struct access_flag *f = &flags->flag[flags->count];

    *f = (struct access_flag){
        r->instruction, r->line,      a->symbols[r->base_symbol].offset,
        flags->kinds,   flags->count, false};
    for (uint32_t n = 0; n < flags->count; n++) {
        if (is_one_way(&stored[n], now))
            f->way = flags->flag[n].way;
        if (is_same(&stored[n], now))
            f->kind = flags->flag[n].kind;
    }
    flags->kinds += f->kind == flags->kinds;
    stored[flags->count] = *now;
    stored[flags->count++].place = r->form;
}

/* Whether the order of the operations does not matter. */
static bool commutes(enum ptx_part join)
{
    return join == PTX_PART_OR || join == PTX_PART_AND || join == PTX_PART_MIN ||
           join == PTX_PART_MAX;
}

/* Whether the locations of two idempotent stores are certainly disjoint; the first
   determines the size. */
static bool are_apart(struct forms *forms, const struct access_flags *flags,
                      const struct stored *stored, uint32_t a, uint32_t b)
{
    const struct access_form *d;
    int64_t by;

    if (flags->flag[a].parameter != flags->flag[b].parameter)
        return false; /* two pointers may refer to one array */
    d = form_add(forms, stored[a].place, stored[b].place, -1);
    return d && form_is_constant(d, &by) &&
           (by >= stored[a].bytes || by <= -(int64_t)stored[a].bytes);
}

/* Marks kinds that must remain atomics. A device that loads, combines and stores would lose
   a concurrent update of another kind. */
static void find_joint(struct access_flags *flags, const struct stored *stored,
                       struct forms *forms)
{
    bool *joint = arena_alloc(forms->arena, flags->kinds + 1u);

    for (uint32_t n = 0; n < flags->count; n++)
        for (uint32_t k = 0; k < flags->count && commutes(stored[n].join); k++)
            if (flags->flag[k].way == flags->flag[n].way &&
                flags->flag[k].kind != flags->flag[n].kind &&
                !are_apart(forms, flags, stored, n, k))
                joint[flags->flag[n].kind] = true;
    for (uint32_t n = 0; n < flags->count; n++)
        flags->flag[n].joint = joint[flags->flag[n].kind];
}

struct access_flags access_flags_find(const struct ptx_module *m,
                                      const struct ptx_function *f)
{
    struct arena arena = {0};
    struct finder d = {.module = m, .function = f};
    struct access_analysis *a = access_analyze(m, f);
    struct access_flags flags = {.flag =
                                     must_calloc(a->record_count + 1u, sizeof *flags.flag)};
    struct stored *stored = arena_alloc(&arena, (a->record_count + 1u) * sizeof *stored);
    const size_t words = (f->register_count + 1u) * sizeof *d.definition;

    d.definitions = arena_alloc(&arena, words);
    d.definition = arena_alloc(&arena, words);
    d.alike = arena_alloc(&arena, f->register_count + 1u);
    d.decide = flags.decide = must_calloc(f->parameter_bytes + 1u, sizeof *d.decide);
    ptx_definitions_count(f, d.definitions, d.definition);
    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];
        const struct ptx_instruction *i = &f->instructions[r->instruction];
        struct stored value = stored_by(i);

        if (is_plain(f, i) && is_one_place(a, r) && find_values(&d, i, &value))
            add_flag(&flags, stored, a, r, &value);
    }
    struct forms forms = {.arena = &arena, .symbols = a->symbols, .count = a->symbol_count};

    find_joint(&flags, stored, &forms);
    access_destroy(a);
    arena_clear(&arena);
    return flags;
}

void access_flags_clear(struct access_flags *flags)
{
    free(flags->flag);
    free(flags->decide);
    *flags = (struct access_flags){0};
}
