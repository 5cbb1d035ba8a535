/* SPDX-License-Identifier: Apache-2.0 */
/* Interchange of two grid dimensions. A grid is partitioned along its slowest dimension. A
   kernel with two index names interchanged, launched with the same two extents
   interchanged, computes the same result, and another dimension is the slowest. CUDA
   guarantees no order of CTAs. A kernel whose result may depend on that order is still left
   unchanged. */
#include <stdlib.h>

#include "base/memory.h"
#include "instrument/edit.h"
#include "instrument/flow/definition.h"
#include "instrument/instrument.h"

struct interchange {
    const struct ptx_module *module;
    const struct ptx_function *function;
    unsigned dimension[2];
};

static bool is_index(const struct ptx_operand *o)
{
    return o->kind == PTX_SPECIAL && o->special >= PTX_CTAID_X &&
           o->special <= PTX_NCTAID_Z;
}

/* True for cluster registers, which also have dimensions, and for registers that the parser
   does not model, such as vectors of indices. */
static bool is_other_place(const struct ptx_operand *o)
{
    return o->kind == PTX_SPECIAL &&
           ((o->special >= PTX_CLUSTERID_X && o->special <= PTX_IS_EXPLICIT_CLUSTER) ||
            o->special == PTX_SPECIAL_OTHER);
}

enum index_reads { READS_NOTHING, READS_INDEX, READS_OTHER };

static enum index_reads index_reads_of(const struct ptx_operand *o)
{
    enum index_reads most = is_other_place(o) ? READS_OTHER
                            : is_index(o)     ? READS_INDEX
                                              : READS_NOTHING;

    for (uint32_t n = 0; n < o->count; n++) {
        const enum index_reads one = index_reads_of(&o->list[n]);

        most = one > most ? one : most;
    }
    return most;
}

static enum index_reads index_reads_in(const struct ptx_function *f)
{
    enum index_reads most = READS_NOTHING;

    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++) {
            const enum index_reads one = index_reads_of(&f->instructions[n].operands[k]);

            most = one > most ? one : most;
        }
    return most;
}

/* Called functions may have other callers, so they stay unchanged. */
static bool others_read_index(const struct interchange *t)
{
    const struct ptx_module *m = t->module;
    bool *reached = must_calloc(m->function_count + 1u, sizeof *reached), reads = false;

    ptx_reach(m, t->function, reached);
    for (uint32_t n = 0; n < m->function_count && !reads; n++)
        reads = reached[n] && &m->functions[n] != t->function &&
                index_reads_in(&m->functions[n]) != READS_NOTHING;
    free(reached);
    return reads;
}

/* Integer sums, bit operations, minimum and maximum give the same result in any order. */
static bool is_of_any_order(const struct ptx_instruction *i)
{
    static const enum ptx_part parts[] = {
        PTX_PART_EXCH,  PTX_PART_CAS, PTX_PART_INC, PTX_PART_DEC,  PTX_PART_F16,
        PTX_PART_F16X2, PTX_PART_F32, PTX_PART_F64, PTX_PART_BF16, PTX_PART_BF16X2};

    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
        if (ptx_has(i, parts[n]))
            return false;
    return i->opcode == PTX_RED || i->opcode == PTX_ATOM;
}

static bool shows_order(const struct ptx_function *f, const struct ptx_instruction *i)
{
    if (i->space == PTX_SPACE_SHARED || ptx_instruction_effect(i) != PTX_ATOMIC)
        return false;
    return !is_of_any_order(i) ||
           (i->opcode == PTX_ATOM && definition_is_read(f, &i->operands[0]));
}

static bool interchange_is_safe(const struct interchange *t)
{
    const struct ptx_function *f = t->function;

    if (index_reads_in(f) != READS_INDEX || others_read_index(t))
        return false;
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (shows_order(f, &f->instructions[n]))
            return false;
    return true;
}

static void interchange_operand(const struct interchange *t, const struct ptx_operand *o,
                                struct edit_list *edits)
{
    for (uint32_t n = 0; n < o->count; n++)
        interchange_operand(t, &o->list[n], edits);
    if (!is_index(o))
        return;
    const bool is_extent = o->special >= PTX_NCTAID_X;
    const unsigned dimension =
        (unsigned)(o->special - (is_extent ? PTX_NCTAID_X : PTX_CTAID_X));

    for (int k = 0; k < 2; k++)
        if (dimension == t->dimension[k])
            edit_replace(edits, o->span, "%%%sctaid.%c", is_extent ? "n" : "",
                         "xyz"[t->dimension[!k]]);
}

char *instrument_interchange(const struct ptx_module *m, const struct ptx_function *kernel,
                             unsigned one, unsigned other, size_t *bytes)
{
    const struct interchange t = {m, kernel, {one, other}};
    struct edit_list edits = {0};
    struct text text = {0};

    if (!interchange_is_safe(&t))
        return NULL;
    for (uint32_t n = 0; n < kernel->instruction_count; n++)
        for (uint32_t k = 0; k < kernel->instructions[n].operand_count; k++)
            interchange_operand(&t, &kernel->instructions[n].operands[k], &edits);
    edit_print(&edits, m, (struct ptx_span){0, (uint32_t)m->bytes}, &text);
    edit_clear(&edits);
    *bytes = text.length;
    return text.data;
}
