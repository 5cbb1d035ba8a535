/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/stored_address.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/flow/definition.h"
#include "instrument/flow/origin.h"
#include "runtime/provenance/found_address.h"
#include "runtime/provenance/look_up.h"

/* Backward search from the stored values, through registers and through local and shared
   memory. Loaded words may be addresses of device 0, and are stored as such. */
struct search {
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct stored_addresses *found;
    struct arena *arena;
    const struct origin *origins; /* by register; NULL: not computed yet */
    bool cuts;                    /* a register contains a part of an address, by
                                     `origins` */
    bool *wanted;                 /* by register */
    bool own[2]; /* stores to local and shared memory matter: of words, and of shorter
                    values */
    bool passed; /* call arguments matter */
    const struct look_up *look_ups; /* by instruction; NULL: not known */
    bool *holds_address;            /* from stored_address_offsets() */
    bool all_stores;                /* stores to global memory matter */
    bool is_defined, changed;
};

enum { WORD = 8 };

static bool is_own(const struct ptx_instruction *i)
{
    return i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL;
}

static bool is_narrow(const struct ptx_instruction *i)
{
    return ptx_type_bytes(i->type) < WORD;
}

static void set(struct search *s, bool *flag)
{
    s->changed |= !*flag;
    *flag = true;
}

/* A predicate depends on nothing, because comparisons have equal results on all devices. */
static void want(void *context, int32_t reg)
{
    struct search *s = context;

    if (s->function->registers[reg].bytes)
        set(s, &s->wanted[reg]);
}

static void look(void *context, int32_t reg)
{
    struct search *s = context;

    s->is_defined |= s->wanted[reg];
}

static void want_value(struct search *s, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER)
        want(s, o->reg);
    for (uint32_t n = 0; n < o->count && o->kind != PTX_MEMORY; n++)
        want_value(s, &o->list[n]);
}

static void hang(struct search *s, uint64_t first, uint64_t bytes)
{
    for (uint64_t at = first; at < first + bytes; at++)
        if (at < s->function->parameter_bytes)
            set(s, &s->found->hang[at]);
}

/* Parameter bytes that a load at a computed offset may read. */
static void hang_computed(struct search *s, const struct ptx_instruction *i)
{
    const struct look_up *l =
        s->look_ups ? &s->look_ups[i - s->function->instructions] : NULL;

    for (uint32_t at = 0; at < s->function->parameter_bytes; at++)
        if (s->holds_address[at] && (!l || look_up_reaches(l, at)))
            set(s, &s->found->hang[at]);
}

static bool is_parameter(const struct ptx_function *f, int32_t symbol)
{
    return symbol >= 0 && (uint32_t)symbol < f->parameter_count;
}

static void load(struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];
    const bool anywhere = i->space == PTX_SPACE_GENERIC;

    if (is_parameter(s->function, from->symbol))
        hang(s, s->function->symbols[from->symbol].offset + (uint64_t)from->integer,
             (uint64_t)ptx_type_bytes(i->type) * i->vector);
    else if (i->space == PTX_SPACE_PARAM && from->symbol >= 0) {
        if (!is_narrow(i)) /* a result of less than a word is no address */
            set(s, &s->passed);
    } else if ((anywhere || i->space == PTX_SPACE_PARAM) && !is_narrow(i))
        hang_computed(s, i);
    if (anywhere || is_own(i))
        set(s, &s->own[is_narrow(i)]);
}

/* Each device has its own variables, and functions may have different addresses. */
static void take_symbols(struct search *s, const struct ptx_instruction *i)
{
    for (uint32_t n = 1; n < i->operand_count; n++) {
        if (i->operands[n].kind != PTX_SYMBOL)
            continue;
        const struct ptx_symbol *y =
            ptx_symbol(s->module, s->function, i->operands[n].symbol);

        if (!y->is_function && y->space != PTX_SPACE_GLOBAL && y->space != PTX_SPACE_CONST)
            continue;
        if (!s->found->variables)
            s->found->variables = i->line;
        if (i->operands[n].symbol >= PTX_SYMBOL_MODULE)
            s->found->symbols[i->operands[n].symbol - PTX_SYMBOL_MODULE] = true;
    }
}

static void find_part(void *context, int32_t reg)
{
    struct search *s = context;
    const struct ptx_register *r = &s->function->registers[reg];

    s->cuts |= r->bytes == WORD && !origin_is_number(&s->origins[reg]);
}

/* A comparison yields no part of an address, and memory operations are handled
   separately. */
static bool may_cut(const struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = i->operand_count ? &i->operands[0] : NULL;
    const bool is_narrow_result =
        to && (to->kind != PTX_REGISTER || (s->function->registers[to->reg].bytes &&
                                            s->function->registers[to->reg].bytes < WORD));

    return is_narrow_result && i->opcode != PTX_LD && i->opcode != PTX_LDU &&
           i->opcode != PTX_ST && i->opcode != PTX_ATOM && i->opcode != PTX_RED;
}

/* Origins of each register by word of the parameters. */
static void look_at_origins(struct search *s)
{
    struct instrument_request words = {.kernel = s->function->name};

    while (words.slot_count < PROACT_SLOTS_MAX &&
           (words.slot_count + 1) * WORD <= s->function->parameter_bytes) {
        words.slot_offset[words.slot_count] = words.slot_count * WORD;
        words.slot_count++;
    }
    s->origins = origin_find(s->module, s->function, &words, s->arena);
    for (uint32_t n = 0; n < s->function->instruction_count; n++)
        if (may_cut(s, &s->function->instructions[n]))
            definition_each_use(&s->function->instructions[n], find_part, s);
}

/* A difference of two addresses of one pointer is a number and contains no address. */
static bool is_distance(struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0];

    if (i->opcode != PTX_SUB || to->kind != PTX_REGISTER ||
        s->function->registers[to->reg].bytes != WORD)
        return false;
    if (!s->origins)
        look_at_origins(s);
    return !s->cuts && origin_is_number(&s->origins[to->reg]);
}

static void follow(struct search *s, const struct ptx_instruction *i)
{
    s->is_defined = false;
    definition_each(i, look, s);
    if (!s->is_defined || is_distance(s, i))
        return;
    switch (i->opcode) {
    case PTX_LD:
    case PTX_LDU:
    case PTX_ATOM: /* the result is the old content, which does not depend on the address */
        load(s, i);
        return;
    case PTX_TEX: /* the same, but its coordinates may be any numbers */
    case PTX_TLD4:
    case PTX_TXQ:
        for (uint32_t n = 0; n < i->operands[1].count; n++)
            want_value(s, &i->operands[1].list[n]);
        return;
    case PTX_SET: /* like a predicate */
        return;
    case PTX_CALL:
        set(s, &s->passed);
        break;
    default:
        take_symbols(s, i);
    }
    definition_each_use(i, want, s);
}

/* Atomic operations also store. */
static void store(struct search *s, const struct ptx_instruction *i)
{
    const bool is_atomic = i->opcode == PTX_ATOM || i->opcode == PTX_RED;
    bool is_wanted = s->all_stores;

    if (i->opcode != PTX_ST && !is_atomic)
        return;
    if (is_own(i))
        is_wanted = s->own[is_narrow(i)];
    else if (i->space == PTX_SPACE_GENERIC)
        is_wanted |= s->own[is_narrow(i)];
    else if (i->space == PTX_SPACE_PARAM)
        is_wanted = s->passed;
    for (uint32_t n = i->opcode == PTX_ATOM ? 2 : 1; is_wanted && n < i->operand_count; n++)
        want_value(s, &i->operands[n]);
}

bool *stored_address_offsets(const struct ptx_function *f)
{
    bool *holds_address = must_calloc(f->parameter_bytes + 1u, sizeof *holds_address);

    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t o = 1; o < f->instructions[n].operand_count; o++) {
            const struct ptx_operand *at = &f->instructions[n].operands[o];

            if (at->kind != PTX_SYMBOL || !is_parameter(f, at->symbol))
                continue;
            const struct ptx_symbol *p = &f->symbols[at->symbol];

            for (uint64_t byte = p->offset;
                 byte < p->offset + p->bytes && byte < f->parameter_bytes; byte++)
                holds_address[byte] = true;
        }
    return holds_address;
}

/* A comparison with a loaded word, which may be a device-0 address. */
static void compare(struct search *s, const struct ptx_instruction *i, const bool *words)
{
    bool is_found = false;

    if (i->opcode != PTX_SETP && i->opcode != PTX_SET && i->opcode != PTX_MIN &&
        i->opcode != PTX_MAX)
        return;
    for (uint32_t n = 1; n < i->operand_count; n++)
        is_found |= i->operands[n].kind == PTX_REGISTER && words[i->operands[n].reg];
    if (!is_found)
        return;
    take_symbols(s, i);
    for (uint32_t n = 1; n < i->operand_count; n++)
        want_value(s, &i->operands[n]);
}

/* `words` NULL: dependencies of stored values; otherwise of values compared with these
   registers. `leaving`: values in local and shared memory and arguments matter too. */
static struct stored_addresses find(const struct ptx_module *m,
                                    const struct ptx_function *kernel,
                                    const struct look_up *look_ups, const bool *words,
                                    bool leaving)
{
    struct stored_addresses found = {
        .hang = must_calloc(kernel->parameter_bytes + 1u, sizeof *found.hang),
        .symbols = must_calloc(m->symbol_count + 1u, sizeof *found.symbols)};
    struct arena arena = {0};
    struct search s = {.module = m,
                       .function = kernel,
                       .found = &found,
                       .arena = &arena,
                       .wanted = must_calloc(kernel->register_count + 1u, sizeof *s.wanted),
                       .own = {leaving, leaving},
                       .passed = leaving,
                       .look_ups = look_ups,
                       .holds_address = stored_address_offsets(kernel),
                       .all_stores = !words,
                       .changed = true};

    while (s.changed) {
        s.changed = false;
        for (uint32_t n = kernel->instruction_count; n-- > 0;) {
            const struct ptx_instruction *i = &kernel->instructions[n];

            if (words)
                compare(&s, i, words);
            store(&s, i);
            follow(&s, i);
        }
    }
    free(s.holds_address);
    free(s.wanted);
    arena_clear(&arena);
    return found;
}

struct stored_addresses stored_addresses_find(const struct ptx_module *m,
                                              const struct ptx_function *kernel,
                                              const struct look_up *look_ups)
{
    return find(m, kernel, look_ups, NULL, false);
}

struct stored_addresses leaving_addresses_find(const struct ptx_module *m,
                                               const struct ptx_function *f)
{
    return find(m, f, NULL, NULL, true);
}

struct stored_addresses compared_addresses_find(const struct ptx_module *m,
                                                const struct ptx_function *kernel,
                                                const struct look_up *look_ups)
{
    bool *words = found_words(kernel);
    struct stored_addresses found = find(m, kernel, look_ups, words, false);

    free(words);
    return found;
}

void stored_addresses_clear(struct stored_addresses *s)
{
    free(s->hang);
    free(s->symbols);
    *s = (struct stored_addresses){0};
}
