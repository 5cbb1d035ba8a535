/* SPDX-License-Identifier: Apache-2.0 */
#include "access/records/records.h"
#include "access/address/bases.h"
#include "access/address/call.h"
#include "access/address/hull.h"
#include "access/address/trace.h"
#include "access/address/trace_origin.h"
#include "access/address/walked.h"
#include "access/conditions/guards.h"
#include "access/records/either.h"
#include "access/values/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records under construction. */
struct book {
    struct study *study;
    struct access_record *records;
    size_t capacity;
    struct bases bases;
};

static const struct ptx_operand *memory_operand(const struct ptx_instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_MEMORY)
            return &i->operands[k];
    return NULL;
}

static const char *call_name(const struct study *s, const struct ptx_instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count && k < 2; k++)
        if (i->operands[k].kind == PTX_SYMBOL)
            return ptx_symbol(s->module, s->function, i->operands[k].symbol)->name;
    return "a pointer";
}

/* Whether the instruction may access global memory, and how. */
static bool touches_global(const struct study *s, const struct ptx_instruction *i,
                           enum access_kind *kind)
{
    bool global = i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC;

    *kind = ACCESS_OTHER;
    if (ptx_opcode_has_texels(i->opcode)) /* textures are fetched completely in any case */
        return false;
    switch (i->opcode) {
    case PTX_LD:
    case PTX_LDU:
        *kind = ACCESS_READ;
        return global;
    case PTX_ST:
        *kind = ACCESS_WRITE;
        return global;
    case PTX_ATOM:
        *kind = ACCESS_ATOMIC;
        return global;
    case PTX_RED:
        *kind = ACCESS_REDUCE;
        return global;
    case PTX_WMMA:
        *kind = ptx_has(i, PTX_PART_STORE) ? ACCESS_WRITE : ACCESS_READ;
        return global && memory_operand(i);
    case PTX_CALL:
        return strcmp(call_name(s, i), "vprintf") != 0 &&
               strcmp(call_name(s, i), "__assertfail") != 0 && !call_is_quiet(s, i);
    case PTX_CP:
        return hull_copy_kind(i, kind);
    case PTX_LDMATRIX: /* accesses shared memory only, or none */
    case PTX_STMATRIX:
    case PTX_MBARRIER:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_CVTA:
        return false;
    default:
        return global && memory_operand(i);
    }
}

/* Some opaque symbol of the form; NULL: none. */
static const struct access_symbol *opaque_in(const struct forms *s,
                                             const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol *y = &s->symbols[f->terms[i].symbols[k]], *in;

            if (!(y->holds & HOLDS_OPAQUE))
                continue;
            if (y->kind == ACCESS_MEMBER || y->kind == ACCESS_ELEMENT)
                return y;
            in = opaque_in(s, y->left);
            in = in ? in : opaque_in(s, y->right);
            for (uint32_t c = 0; c < y->choice_count && !in; c++)
                in = opaque_in(s, y->choices[c]);
            return in ? in : y;
        }
    return NULL;
}

/* Reason why an instruction other than ld, st, atom and red has no form. */
static const char *other_reason(struct study *s, const struct ptx_instruction *i)
{
    const char *name = ptx_opcode_spelling(i->opcode);
    char *text = arena_alloc(s->arena, 160);

    if (i->opcode == PTX_CALL)
        snprintf(text, 160, "calls %s", call_name(s, i));
    else
        snprintf(text, 160, "%s is not analyzed", name ? name : "an unknown opcode");
    return text;
}

static const char *sentence(struct study *s, const char *what, uint32_t line)
{
    char *text = arena_alloc(s->arena, 128);

    if (line)
        snprintf(text, 128, "%s (line %" PRIu32 ")", what, line);
    else
        snprintf(text, 128, "%s", what);
    return text;
}

static void set_open(struct access_record *r, const char *reason)
{
    r->state = ACCESS_OPEN;
    r->reason = reason;
}

/* Subtracts the base from the address and determines whether the offset is closed. */
static void judge(const struct book *b, struct access_record *r,
                  const struct access_form *address)
{
    struct study *s = b->study;
    int64_t base = address ? bases_find(&b->bases, address) : -1;
    uint32_t open =
        form_holds(&s->maker.forms, address) & (uint32_t)(HOLDS_DATA | HOLDS_OPAQUE);

    r->base = ACCESS_BASE_UNKNOWN;
    if (base >= 0 && bases_kind(&s->maker.forms.symbols[base]) == ACCESS_BASE_UNKNOWN)
        base = -1;
    if (base >= 0 && !bases_marked(&b->bases, (uint32_t)base) &&
        bases_choose_address(&b->bases, address))
        base = -1;
    if (base >= 0 && (!open || bases_marked(&b->bases, (uint32_t)base) ||
                      bases_alone(&b->bases, address))) {
        r->base = (enum access_base)bases_kind(&s->maker.forms.symbols[base]);
        r->base_symbol = (uint32_t)base;
        r->form = form_add(&s->maker.forms, address,
                           form_of(&s->maker.forms, r->base_symbol), -1);
    }
    if (!address || !r->form)
        set_open(r,
                 address ? "its base is not one pointer" : "its expression is too large");
    if (open && r->data_line) {
        r->state = ACCESS_DATA;
        r->reason = sentence(s, "its address is read from memory", r->data_line);
    } else if (open && address) {
        const struct access_symbol *y = opaque_in(&s->maker.forms, address);

        set_open(r,
                 sentence(s, y && y->reason ? y->reason : "is the address of a parameter",
                          y ? y->line : 0));
    }
}

static void add_guards(struct study *s, struct access_record *r)
{
    uint32_t block = s->regions->flow->block_of[r->instruction];

    r->guards = guards_above(s, block, &r->guard_count);
    r->guards_decide = guards_decide(s, block);
    if (guards_own(s, r->instruction, &r->guards[r->guard_count]))
        r->guard_count++;
    if (guards_copy(s, r->instruction, &r->guards[r->guard_count]))
        r->guard_count++;
    r->guards = guards_apart(s, r->guards, &r->guard_count);
}

/* Record of an access without a form for each thread: the range of all threads. */
static void make_hull_record(const struct book *b, struct access_record *r,
                             const struct ptx_instruction *i, const struct ptx_operand *at)
{
    struct study *s = b->study;
    struct trace t = trace_operand(s, r->instruction, at);
    const struct access_form *address =
        resolve_form(s, study_operand(s, r->instruction, at),
                     s->regions->flow->block_of[r->instruction]);

    r->data_line = t.data_line;
    judge(b, r, address);
    const struct access_form *from =
        r->state == ACCESS_CLOSED ? r->form : bases_choose(&b->bases, r, at, address);

    r->form = NULL;
    if (r->state == ACCESS_CLOSED)
        set_open(r, hull_reason(i));
    if (from && (r->member >= 0 || trace_ranges(s, &t, &r->ranges, &r->range_count)) &&
        hull_find(s, r->instruction, &r->hull))
        r->hull.from = from;
    trace_clear(&t);
    add_guards(s, r);
}

/* Base of an address without a form. */
static void find_walked(const struct book *b, struct access_record *r,
                        const struct ptx_operand *at)
{
    const struct access_form *f = study_operand(b->study, r->instruction, at);
    const int64_t base = f ? walked_base(&b->bases, f) : -1;

    if (base < 0)
        return;
    r->base = ACCESS_BASE_PARAMETER;
    r->base_symbol = (uint32_t)base;
}

static bool loads_are_clamped(const struct forms *s, const struct access_form *f);

static bool is_clamped(const struct forms *s, const struct access_symbol *y)
{
    if (y->kind != ACCESS_FUNCTION)
        return !(y->holds >> ACCESS_LOADED & 1);
    return y->function == ACCESS_MIN || y->function == ACCESS_MAX ||
           (loads_are_clamped(s, y->left) && loads_are_clamped(s, y->right));
}

/* Whether values from memory enter the form only through minima and maxima, which bound
   them. */
static bool loads_are_clamped(const struct forms *s, const struct access_form *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            if (!is_clamped(s, &s->symbols[f->terms[i].symbols[k]]))
                return false;
    return true;
}

/* Whether the form depends on table elements and clamped values from memory, and otherwise
   only on known values: its interval is then known. */
static bool has_known_interval(const struct study *s, const struct access_record *r)
{
    const uint32_t holds = form_holds(&s->maker.forms, r->form);
    const uint32_t bounded = 1U << ACCESS_ELEMENT | 1U << ACCESS_LOADED;

    if (holds >> ACCESS_LOADED & 1 && r->kind != ACCESS_READ)
        return false;
    return r->state != ACCESS_CLOSED && r->form && r->base == ACCESS_BASE_PARAMETER &&
           !(holds & (uint32_t)(HOLDS_DATA | HOLDS_OPAQUE) & ~bounded) && holds & bounded &&
           loads_are_clamped(&s->maker.forms, r->form);
}

static void make_record(const struct book *b, struct access_record *r,
                        const struct ptx_instruction *i)
{
    struct study *s = b->study;
    const struct ptx_operand *at = hull_operand(i);

    if (!at)
        at = memory_operand(i);
    if (r->kind == ACCESS_OTHER || !at || (i->opcode == PTX_CP && r->kind != ACCESS_READ)) {
        r->base = ACCESS_BASE_UNKNOWN;
        set_open(r, other_reason(s, i));
        return;
    }
    r->origin = trace_origin(s, r->instruction, at);
    if (i->opcode == PTX_WMMA || i->opcode == PTX_CP) {
        make_hull_record(b, r, i, at);
        return;
    }
    struct trace t = trace_operand(s, r->instruction, at);
    const struct access_form *address =
        resolve_form(s, study_operand(s, r->instruction, at),
                     s->regions->flow->block_of[r->instruction]);

    r->bytes = ptx_type_bytes(i->type) * i->vector;
    r->data_line = t.data_line;
    judge(b, r, address);
    const struct access_form *from = bases_choose(&b->bases, r, at, address);

    if (!from && has_known_interval(s, r))
        from = trace_ranges(s, &t, &r->ranges, &r->range_count) ? r->form : NULL;
    if (from)
        r->hull = (struct access_hull){.from = from, .bytes = r->bytes};
    if (r->state == ACCESS_CLOSED) {
        r->data_line = 0;
        if (!trace_ranges(s, &t, &r->ranges, &r->range_count))
            set_open(r, "a part of its expression with fewer bits is too large");
    }
    struct access_range *ranges;
    uint32_t count = 0;

    add_guards(s, r);
    if (address && !from && r->base == ACCESS_BASE_UNKNOWN &&
        trace_ranges(s, &t, &ranges, &count))
        either_find(&b->bases, r, address, ranges, count);
    if (address && r->base == ACCESS_BASE_UNKNOWN && r->member < 0 && !r->either)
        find_walked(b, r, at);
    trace_clear(&t);
}

static bool prints(const struct study *s, const struct ptx_instruction *i)
{
    return i->opcode == PTX_CALL && strcmp(call_name(s, i), "vprintf") == 0;
}

static void note_print(struct study *s, uint32_t block, size_t *capacity)
{
    struct access_analysis *a = s->analysis;
    struct access_way *way;

    a->prints = must_grow(a->prints, a->print_count, capacity, sizeof *a->prints);
    way = &a->prints[a->print_count++];
    way->guards = guards_above(s, block, &way->count);
}

void records_make(struct study *s)
{
    struct access_analysis *a = s->analysis;
    struct book b = {.study = s, .bases = {.study = s}};
    size_t prints_capacity = 0;

    bases_open(&b.bases);
    for (uint32_t i = 0; i < s->function->instruction_count; i++) {
        const struct ptx_instruction *at = &s->function->instructions[i];
        uint32_t block = s->regions->flow->block_of[i];
        struct access_record r = {.instruction = i, .line = at->line, .member = -1};

        if (s->regions->position[block] >= 0 && prints(s, at))
            note_print(s, block, &prints_capacity);
        if (s->regions->position[block] < 0 || !touches_global(s, at, &r.kind))
            continue;
        r.loop = s->regions->loop_of[block];
        make_record(&b, &r, at);
        b.records = must_grow(b.records, a->record_count + 1, &b.capacity, sizeof r);
        b.records[a->record_count++] = r;
    }
    a->records = arena_alloc(s->arena, a->record_count * sizeof *a->records);
    for (uint32_t i = 0; b.records && i < a->record_count; i++)
        a->records[i] = b.records[i];
    free(b.records);
    bases_close(&b.bases);
}
