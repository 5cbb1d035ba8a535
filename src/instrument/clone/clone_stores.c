/* SPDX-License-Identifier: Apache-2.0 */
/* Inline stores. After each store into a slot's array follows the same store to every peer.
   CTAs start with different peers, which spreads the load over the links. */
#include <stddef.h>
#include <string.h>

#include "instrument/clone/clone.h"

/* The operand with the target address. NULL: the instruction stores nothing. */
static const struct ptx_operand *target(const struct ptx_instruction *i)
{
    bool stores = i->opcode == PTX_ST ||
                  (i->opcode == PTX_WMMA && ptx_has(i, PTX_PART_STORE)) ||
                  i->opcode == PTX_OPCODE_COUNT;

    for (uint32_t k = 0; stores && k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_MEMORY)
            return &i->operands[k];
    return NULL;
}

static bool stays_here(const struct ptx_instruction *i)
{
    return i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
           i->space == PTX_SPACE_PARAM;
}

uint32_t clone_behind_guard(const struct clone *c, const struct ptx_instruction *i)
{
    const char *text = c->module->text;
    uint32_t at = i->span.offset;

    if (i->guard < 0)
        return at;
    while (!strchr(" \t\r\n", text[at]) || text[at - 1] == '@' || text[at - 1] == '!')
        at++;
    return at + (uint32_t)strspn(text + at, " \t\r\n");
}

static void add_loop_head(struct clone *c, const struct ptx_instruction *i, int slot,
                          unsigned label)
{
    const uint32_t at = i->span.offset + i->span.bytes;

    if (i->guard >= 0)
        edit_insert(&c->edits, at, "\n\t@%s%s bra $proact_%u;", i->guard_negated ? "" : "!",
                    c->function->registers[i->guard].name, label);
    edit_insert(&c->edits, at,
                "\n\tld.param.u32 %%proact_r0, [" CLONE_PARTITION "+%zu];\n\t"
                "setp.eq.u32 %%proact_p0, %%proact_r0, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t"
                "ld.param.u32 %%proact_r1, [" CLONE_PARTITION "+%zu];\n\t"
                "mov.u32 %%proact_r2, %%ctaid.x;\n\t"
                "add.u32 %%proact_r1, %%proact_r1, %%proact_r2;\n\t"
                "rem.u32 %%proact_r1, %%proact_r1, %%proact_r0;\n\t"
                "mov.u32 %%proact_r2, 0;\n$proact_%u:\n\t.pragma \"nounroll\";\n\t"
                "mov.u64 %%proact_d0, " CLONE_PARTITION ";\n\t"
                "mad.wide.u32 %%proact_d0, %%proact_r1, 8, %%proact_d0;\n\t"
                "ld.param.u64 %%proact_d0, [%%proact_d0+%zu];\n\t",
                offsetof(struct proact_partition, peer_count), label,
                offsetof(struct proact_partition, cta_first), label + 1,
                offsetof(struct proact_partition, slot) +
                    (size_t)slot * sizeof(struct proact_slot) +
                    offsetof(struct proact_slot, peer_offset));
}

/* Repeats the store without its guard and with another address register. */
static void add_store(struct clone *c, const struct ptx_instruction *i,
                      const struct ptx_operand *to)
{
    const char *text = c->module->text, *name = c->function->registers[to->reg].name;
    const uint32_t at = i->span.offset + i->span.bytes, from = clone_behind_guard(c, i);
    const char *address = strstr(text + to->span.offset, name);
    const char *rest = address + strlen(name);

    edit_insert(&c->edits, at,
                "add.s64 %%proact_d0, %s, %%proact_d0;\n\t%.*s%%proact_d0%.*s", name,
                (int)(address - text - from), text + from, (int)(text + at - rest), rest);
}

static void add_loop_tail(struct clone *c, const struct ptx_instruction *i, unsigned label)
{
    edit_insert(&c->edits, i->span.offset + i->span.bytes,
                "\n\tadd.u32 %%proact_r1, %%proact_r1, 1;\n\t"
                "setp.eq.u32 %%proact_p0, %%proact_r1, %%proact_r0;\n\t"
                "selp.b32 %%proact_r1, 0, %%proact_r1, %%proact_p0;\n\t"
                "add.u32 %%proact_r2, %%proact_r2, 1;\n\t"
                "setp.lt.u32 %%proact_p0, %%proact_r2, %%proact_r0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n$proact_%u:",
                label + 1, label);
}

static enum proact_status repeat(struct clone *c, const struct ptx_instruction *i,
                                 const struct ptx_operand *to, int slot)
{
    unsigned label = c->labels;

    c->labels += 2;
    add_loop_head(c, i, slot, label);
    add_store(c, i, to);
    add_loop_tail(c, i, label);
    return PROACT_OK;
}

static enum proact_status visit_store(struct clone *c, const struct ptx_instruction *i,
                                      const struct ptx_operand *to, clone_store *visit)
{
    struct origin o = origin_of_memory(c->module, c->function, c->origin, to);
    int slot = origin_slot(&o);

    if (slot == -2)
        return clone_refuse(
            c, i,
            "a store into one of several arrays, or into an unknown array: 'inline' "
            "cannot find its address on the peers");
    if (slot < 0)
        return PROACT_OK;
    if (i->opcode == PTX_OPCODE_COUNT || to->reg < 0)
        return clone_refuse(c, i,
                            "an unknown instruction uses a written array: 'inline' cannot "
                            "repeat it");
    return visit(c, i, to, slot);
}

enum proact_status clone_each_store(struct clone *c, clone_store *visit)
{
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < c->function->instruction_count && !status; n++) {
        const struct ptx_instruction *i = &c->function->instructions[n];
        const struct ptx_operand *to = target(i);

        if (to && !stays_here(i) && !clone_is_flag(c, n) && !clone_is_direct(c, n))
            status = visit_store(c, i, to, visit);
    }
    return status;
}

enum proact_status repeat_stores(struct clone *c)
{
    return clone_each_store(c, repeat);
}
