/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pointer_tables/address_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/common_step.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/provenance/found_address.h"
#include "runtime/variables/module_variable.h"

enum { WORD = 8 };

/* Sets the offsets of a load from its symbolic expression. */
static void find_place(const struct access_analysis *a, struct table_load *load)
{
    const struct access_record *r = NULL;

    for (uint32_t n = 0; n < a->record_count; n++)
        if (a->records[n].instruction == load->instruction)
            r = &a->records[n];
    if (!r || (r->base != ACCESS_BASE_PARAMETER && r->base != ACCESS_BASE_VARIABLE) ||
        r->state != ACCESS_CLOSED || !r->form)
        return;
    load->is_known = true;
    for (uint32_t n = 0; n < r->form->count; n++) {
        const struct access_term *t = &r->form->terms[n];

        if (!t->degree)
            load->first = (uint64_t)t->factor;
        else
            load->step =
                common_step(load->step, (uint64_t)(t->factor < 0 ? -t->factor : t->factor));
    }
}

static uint8_t use_of(const struct ptx_function *f, uint32_t instruction)
{
    const enum ptx_part type = f->instructions[instruction].type;
    bool *one;

    if (type != PTX_PART_U64 && type != PTX_PART_S64 && type != PTX_PART_B64)
        return TABLE_NUMBER;
    one = must_calloc(f->instruction_count + 1u, sizeof *one);
    one[instruction] = true;
    const bool leads = found_address_leads(f, one);

    free(one);
    return TABLE_ADDRESS | (leads ? TABLE_FOLLOWED : 0);
}

static struct table_load load_of(const struct address_tables *t, struct proact_kernel *k,
                                 const struct instrument_table *is, uint32_t instruction)
{
    const struct ptx_instruction *i = &k->ptx->instructions[instruction];
    struct table_load load = {.instruction = instruction,
                              .bytes = ptx_type_bytes(i->type) * i->vector,
                              .use = use_of(k->ptx, instruction),
                              .end = INT64_MAX};

    if (is->variable >= 0 && i->operands[1].reg < 0) {
        load.is_known = load.is_named = true;
        load.first = (uint64_t)i->operands[1].integer;
        load.low = (int64_t)load.first;
        load.end = load.low + load.bytes;
    } else
        find_place(address_tables_analysis(t, k), &load);
    return load;
}

/* Words combined from parts of less than 8 bytes are not followed. */
static bool joins(const struct ptx_function *f, const bool *loads)
{
    bool *parts = must_calloc(f->instruction_count + 1u, sizeof *parts);

    for (uint32_t n = 0; n < f->instruction_count; n++)
        parts[n] = loads[n] && ptx_type_bytes(f->instructions[n].type) < WORD;
    const bool leads = found_address_leads(f, parts);

    free(parts);
    return leads;
}

bool address_tables_have(const struct address_tables *t, uint32_t offset)
{
    for (unsigned n = 0; n < t->count; n++)
        if (t->of[n].is.variable < 0 && t->of[n].is.offset == offset)
            return true;
    return false;
}

static void add(struct address_tables *t, struct proact_kernel *k,
                const struct instrument_table *is, const bool *loads)
{
    const struct ptx_function *f = k->ptx;
    struct address_table *to = &t->of[t->count++];

    *to = (struct address_table){.is = *is};
    to->load = must_calloc(f->instruction_count + 1u, sizeof *to->load);
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (loads[n])
            to->load[to->load_count++] = load_of(t, k, is, n);
}

static void consider(struct address_tables *t, struct proact_kernel *k,
                     struct instrument_table is)
{
    const struct ptx_function *f = k->ptx;
    bool *loads = t->count < TABLES_MAX ? instrument_table_loads(f, &is) : NULL;

    if (loads && found_address_leads(f, loads) && !joins(f, loads))
        add(t, k, &is, loads);
    free(loads);
}

/* A variable that is not constant is read completely. */
static void consider_variable(struct address_tables *t, struct proact_kernel *k, uint32_t n)
{
    const struct ptx_symbol *s = &k->image->ptx->symbols[n];

    if (module_variable_may_change(s) && !s->is_managed &&
        (s->space == PTX_SPACE_CONST || s->bytes <= TABLE_BYTES_MAX))
        consider(t, k,
                 (struct instrument_table){.variable = (int32_t)n + PTX_SYMBOL_MODULE});
}

/* Adds a table if thread, CTA and parameters determine all its offsets. */
static void consider_numbers(struct address_tables *t, struct proact_kernel *k,
                             const struct instrument_table *is, const bool *loads)
{
    struct address_table *to = &t->of[t->count];
    bool is_known = true;

    add(t, k, is, loads);
    to->is_number = true;
    for (uint32_t n = 0; n < to->load_count; n++)
        is_known &= to->load[n].is_known;
    if (is_known)
        return;
    free(to->load);
    t->count--;
}

static void consider_pointer(struct address_tables *t, struct proact_kernel *k,
                             uint32_t offset, bool for_numbers)
{
    const struct instrument_table is = {.variable = -1, .offset = offset};

    if (!for_numbers) {
        consider(t, k, is);
        return;
    }
    bool *loads = t->count < TABLES_MAX && !address_tables_have(t, offset)
                      ? instrument_table_loads(k->ptx, &is)
                      : NULL;

    if (loads && !found_address_leads(k->ptx, loads))
        consider_numbers(t, k, &is, loads);
    free(loads);
}

/* Examines each pointer once. */
static void consider_pointers(struct address_tables *t, struct proact_kernel *k,
                              bool for_numbers)
{
    bool *is_visited = must_calloc(k->parameter_bytes + 1u, sizeof *is_visited);

    for (uint32_t n = 0; n < k->ptx->instruction_count; n++) {
        const struct ptx_instruction *i = &k->ptx->instructions[n];
        const struct ptx_operand *at = i->operand_count > 1 ? &i->operands[1] : NULL;

        if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM || !at || at->reg >= 0 ||
            at->symbol < 0 || (uint32_t)at->symbol >= k->ptx->parameter_count ||
            ptx_type_bytes(i->type) != WORD)
            continue;
        for (uint32_t e = 0; e < i->vector; e++) {
            const uint64_t offset = k->ptx->symbols[at->symbol].offset +
                                    (uint64_t)at->integer + (uint64_t)e * WORD;

            if (offset + WORD > k->parameter_bytes || is_visited[offset])
                continue;
            is_visited[offset] = true;
            consider_pointer(t, k, (uint32_t)offset, for_numbers);
        }
    }
    free(is_visited);
}

/* Loads from constant memory at computed offsets, which the standard analysis omits. */
static bool looks_up_constants(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (access_is_constant_look_up(&f->instructions[n]))
            return true;
    return false;
}

struct address_tables address_tables_find(struct proact_kernel *k)
{
    const struct ptx_module *m = k->image->ptx;
    struct address_tables t = {0};

    if (looks_up_constants(k->ptx))
        t.analysis = access_analyze_constants(m, k->ptx);
    consider_pointers(&t, k, false);
    for (uint32_t n = 0; n < m->symbol_count; n++)
        consider_variable(&t, k, n);
    return t;
}

const struct access_analysis *address_tables_analysis(const struct address_tables *t,
                                                      struct proact_kernel *k)
{
    return t->analysis ? t->analysis : needs_analysis(k);
}

void address_tables_add_numbers(struct address_tables *t, struct proact_kernel *k)
{
    consider_pointers(t, k, true);
}

void address_tables_clear(struct address_tables *t)
{
    for (unsigned n = 0; n < t->count; n++)
        free(t->of[n].load);
    t->count = 0;
    access_destroy(t->analysis);
    t->analysis = NULL;
}

/* Bounds of the record's reads; false: not known. `room`: available bytes. `is_whole`: the
   table starts at the start of its array. */
static bool find_range(const struct table_reader *by, const struct access_record *r,
                       uint64_t room, bool is_whole, struct table_load *load)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    uint32_t count = 0;

    const bool known = access_extent(by->analysis, r, by->at, by->trips, spans, &count);

    if (!known || (count && r->state == ACCESS_DATA)) {
        /* an indirect load: anywhere in the array */
        load->low = 0;
        load->end = (int64_t)room;
        return r->state == ACCESS_DATA && is_whole && room <= TABLE_BYTES_MAX;
    }
    for (uint32_t n = 0; n < count; n++) {
        const int64_t steps = (int64_t)spans[n].times * spans[n].stride;
        const int64_t low = spans[n].low + (steps < 0 ? steps : 0),
                      end = spans[n].end + (steps > 0 ? steps : 0);

        if (low < 0 || end > TABLE_BYTES_MAX || (uint64_t)end > room)
            return false;
        load->low = low < load->low ? low : load->low;
        load->end = end > load->end ? end : load->end;
    }
    return true;
}

/* A load without a record is unreachable. */
static bool find_load(const struct table_reader *by, uint64_t room, bool is_whole,
                      struct table_load *load)
{
    if (load->is_named)
        return load->end <= TABLE_BYTES_MAX && (uint64_t)load->end <= room;
    load->low = INT64_MAX;
    load->end = 0;
    for (uint32_t n = 0; n < by->analysis->record_count; n++) {
        const struct access_record *r = &by->analysis->records[n];

        if (r->instruction != load->instruction)
            continue;
        if (!find_range(by, r, room, is_whole, load))
            return false;
    }
    return true;
}

int64_t address_table_bytes(struct address_table *t, const struct table_reader *by,
                            uint64_t room, bool is_whole)
{
    int64_t bytes = 0;

    for (uint32_t k = 0; k < t->load_count; k++) {
        if (!find_load(by, room, is_whole, &t->load[k]))
            return -1;
        bytes = t->load[k].end > bytes ? t->load[k].end : bytes;
    }
    return bytes;
}

/* Whether the load may begin there. Loads are aligned to their size. */
static bool begins(const struct table_load *l, int64_t at)
{
    const int64_t away = at - (int64_t)l->first;

    if (at % (l->bytes < WORD ? l->bytes : WORD) || at < l->low ||
        at > l->end - (int64_t)l->bytes)
        return false;
    return !l->is_known || (l->step ? away % (int64_t)l->step == 0 : !away);
}

/* A word at a fixed offset is like a parameter field, so its value shows whether it is an
   address. */
static uint8_t use_there(const struct table_load *l)
{
    return l->is_known && !l->step ? l->use & (uint8_t)~TABLE_FOLLOWED : l->use;
}

uint8_t address_table_use(const struct address_table *t, uint32_t at)
{
    uint8_t use = 0;

    for (uint32_t n = 0; n < t->load_count; n++)
        for (int64_t from = 1 - (int64_t)t->load[n].bytes; from < WORD; from++)
            if (begins(&t->load[n], (int64_t)at + from))
                use |= from % WORD ? TABLE_NUMBER : use_there(&t->load[n]);
    return use;
}
