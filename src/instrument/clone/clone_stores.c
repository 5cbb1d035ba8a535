/* SPDX-License-Identifier: Apache-2.0 */
/* Inline stores. After each store into a slot's array follows the same store to every peer
   that needs it, as in proact_store(). CTAs start with different peers, which spreads the
   load over the links. */
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

/* Offset in the partition of a member of a slot. */
static size_t slot_at(int slot, size_t member)
{
    return offsetof(struct proact_partition, slot) +
           (size_t)slot * sizeof(struct proact_slot) + member;
}
#define SLOT_AT(slot, member) slot_at(slot, offsetof(struct proact_slot, member))

#define STORES_AT(slot, member)                                                            \
    slot_at(slot,                                                                          \
            offsetof(struct proact_slot, stores) + offsetof(struct proact_stores, member))

/* Labels of the code for one store. */
enum { LABEL_END, LABEL_REGION, LABEL_CTA, LABEL_PEERS, LABEL_LOOP, LABEL_OTHERS, LABELS };

/* Skips a store whose threads are inactive, of a launch that sends nothing, and of a CTA
   whose stores stay. %proact_r0 becomes the number of peers, %proact_r2 the local CTA. */
static void add_exits(struct clone *c, const struct ptx_instruction *i, int slot,
                      unsigned label)
{
    const uint32_t at = i->span.offset + i->span.bytes;

    if (i->guard >= 0)
        edit_insert(&c->edits, at, "\n\t@%s%s bra $proact_%u;", i->guard_negated ? "" : "!",
                    c->function->registers[i->guard].name, label + LABEL_END);
    edit_insert(&c->edits, at,
                "\n\tld.param.u32 %%proact_r0, [" CLONE_PARTITION "+%zu];\n\t"
                "setp.eq.u32 %%proact_p0, %%proact_r0, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t"
                "mov.u32 %%proact_r2, %%ctaid.x;\n\t"
                "ld.param.v2.u32 {%%proact_r1, %%proact_r3}, [" CLONE_PARTITION "+%zu];\n\t"
                "sub.u32 %%proact_r1, %%proact_r2, %%proact_r1;\n\t"
                "setp.lt.u32 %%proact_p0, %%proact_r1, %%proact_r3;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t",
                offsetof(struct proact_partition, peer_count), label + LABEL_END,
                STORES_AT(slot, unsent_first), label + LABEL_END);
}

/* Peers by region, as bits in %proact_r3. A store of a whole warp has one address for many
   lines: it goes to the peers of all regions. */
static void add_regions(struct clone *c, const struct ptx_instruction *i,
                        const struct ptx_operand *to, int slot, unsigned label)
{
    const uint32_t at = i->span.offset + i->span.bytes;
    const bool by_line = i->opcode == PTX_ST;

    if (by_line)
        edit_insert(&c->edits, at,
                    "ld.param.u64 %%proact_d0, [" CLONE_PARTITION "+%zu];\n\t"
                    "sub.s64 %%proact_d0, %s, %%proact_d0;\n\t"
                    "add.s64 %%proact_d0, %%proact_d0, %lld;\n\t"
                    "shr.u64 %%proact_d0, %%proact_d0, %d;\n\t"
                    "cvt.u32.u64 %%proact_r4, %%proact_d0;\n\t",
                    SLOT_AT(slot, base), c->function->registers[to->reg].name,
                    (long long)to->integer, __builtin_ctz(PROACT_LINE_BYTES));
    edit_insert(&c->edits, at,
                "mov.u32 %%proact_r3, 0;\n\tmov.u64 %%proact_d0, " CLONE_PARTITION
                ";\n$proact_%u:\n\t.pragma \"nounroll\";\n\t"
                "ld.param.u32 %%proact_r1, [%%proact_d0+%zu];\n\t",
                label + LABEL_REGION, STORES_AT(slot, region[0].peers));
    if (by_line)
        edit_insert(&c->edits, at,
                    "ld.param.u32 %%proact_r6, [%%proact_d0+%zu];\n\t"
                    "sub.u32 %%proact_r6, %%proact_r4, %%proact_r6;\n\t"
                    "ld.param.u32 %%proact_r7, [%%proact_d0+%zu];\n\t"
                    "setp.lt.u32 %%proact_p0, %%proact_r6, %%proact_r7;\n\t"
                    "selp.b32 %%proact_r1, %%proact_r1, 0, %%proact_p0;\n\t",
                    STORES_AT(slot, region[0].first_line),
                    STORES_AT(slot, region[0].lines));
    edit_insert(&c->edits, at,
                "or.b32 %%proact_r3, %%proact_r3, %%proact_r1;\n\t"
                "add.s64 %%proact_d0, %%proact_d0, %zu;\n\t"
                "sub.u32 %%proact_r5, %%proact_r5, 1;\n\t"
                "setp.ne.u32 %%proact_p0, %%proact_r5, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\tbra $proact_%u;\n",
                sizeof(struct proact_region), label + LABEL_REGION, label + LABEL_PEERS);
}

/* Peers that need the store, as bits in %proact_r3. */
static void add_peers(struct clone *c, const struct ptx_instruction *i,
                      const struct ptx_operand *to, int slot, unsigned label)
{
    const uint32_t at = i->span.offset + i->span.bytes;

    edit_insert(&c->edits, at,
                "ld.param.u32 %%proact_r5, [" CLONE_PARTITION "+%zu];\n\t"
                "setp.eq.u32 %%proact_p0, %%proact_r5, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t",
                STORES_AT(slot, region_count), label + LABEL_CTA);
    add_regions(c, i, to, slot, label);
    edit_insert(&c->edits, at,
                "$proact_%u:\n\tmov.u32 %%proact_r3, 1;\n\t"
                "shl.b32 %%proact_r3, %%proact_r3, %%proact_r0;\n\t"
                "sub.u32 %%proact_r3, %%proact_r3, 1;\n\t"
                "ld.param.u64 %%proact_d0, [" CLONE_PARTITION "+%zu];\n\t"
                "setp.eq.u64 %%proact_p0, %%proact_d0, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t"
                "mad.wide.u32 %%proact_d0, %%proact_r2, 4, %%proact_d0;\n\t"
                "ld.global.u32 %%proact_r3, [%%proact_d0];\n$proact_%u:\n\t"
                "setp.eq.u32 %%proact_p0, %%proact_r3, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t",
                label + LABEL_CTA, STORES_AT(slot, peers), label + LABEL_PEERS,
                label + LABEL_PEERS, label + LABEL_END);
}

/* Loop over the peers, as proact_take_receiver(): those of %proact_r3 up to the first one,
   highest first, in %proact_r2, then the others. */
static void add_loop_head(struct clone *c, const struct ptx_instruction *i, int slot,
                          unsigned label)
{
    const uint32_t at = i->span.offset + i->span.bytes;

    edit_insert(&c->edits, at,
                "ld.param.u32 %%proact_r1, [" CLONE_PARTITION "+%zu];\n\t"
                "add.u32 %%proact_r1, %%proact_r1, %%proact_r2;\n\t"
                "rem.u32 %%proact_r1, %%proact_r1, %%proact_r0;\n\t"
                "mov.u32 %%proact_r2, 2;\n\t"
                "shl.b32 %%proact_r2, %%proact_r2, %%proact_r1;\n\t"
                "sub.u32 %%proact_r2, %%proact_r2, 1;\n\t"
                "and.b32 %%proact_r2, %%proact_r2, %%proact_r3;\n\t"
                "xor.b32 %%proact_r3, %%proact_r3, %%proact_r2;\n\t"
                "setp.eq.u32 %%proact_p0, %%proact_r2, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n",
                offsetof(struct proact_partition, cta_first), label + LABEL_OTHERS);
    edit_insert(&c->edits, at,
                "$proact_%u:\n\t.pragma \"nounroll\";\n\t"
                "bfind.u32 %%proact_r1, %%proact_r2;\n\t"
                "mov.u32 %%proact_r4, 1;\n\t"
                "shl.b32 %%proact_r4, %%proact_r4, %%proact_r1;\n\t"
                "xor.b32 %%proact_r2, %%proact_r2, %%proact_r4;\n\t"
                "mov.u64 %%proact_d0, " CLONE_PARTITION ";\n\t"
                "mad.wide.u32 %%proact_d0, %%proact_r1, 8, %%proact_d0;\n\t"
                "ld.param.u64 %%proact_d0, [%%proact_d0+%zu];\n\t",
                label + LABEL_LOOP, SLOT_AT(slot, peer_offset));
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
                "\n\tsetp.ne.u32 %%proact_p0, %%proact_r2, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n$proact_%u:\n\t"
                "mov.u32 %%proact_r2, %%proact_r3;\n\t"
                "mov.u32 %%proact_r3, 0;\n\t"
                "setp.ne.u32 %%proact_p0, %%proact_r2, 0;\n\t"
                "@%%proact_p0 bra $proact_%u;\n$proact_%u:",
                label + LABEL_LOOP, label + LABEL_OTHERS, label + LABEL_LOOP,
                label + LABEL_END);
}

static enum proact_status repeat(struct clone *c, const struct ptx_instruction *i,
                                 const struct ptx_operand *to, int slot)
{
    unsigned label = c->labels;

    c->labels += LABELS;
    add_exits(c, i, slot, label);
    add_peers(c, i, to, slot, label);
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
