/* SPDX-License-Identifier: Apache-2.0 */
/* Memory scopes. The version widens device scope to system scope where peers take part. */
#include <string.h>

#include "instrument/clone/clone.h"

/* Span of the dotted word in the instruction. Zero bytes: the word does not occur. */
static struct ptx_span find_word(const struct clone *c, const struct ptx_instruction *i,
                                 const char *word)
{
    const char *text = c->module->text;
    const size_t length = strlen(word);
    uint32_t at = i->span.offset, end = i->span.offset + i->span.bytes;

    for (; at + length < end; at++) {
        char next = text[at + length];

        if (memcmp(text + at, word, length) == 0 && strchr(". \t\r\n;", next))
            return (struct ptx_span){at, (uint32_t)length};
    }
    return (struct ptx_span){0, 0};
}

static void replace_word(struct clone *c, const struct ptx_instruction *i, const char *word,
                         const char *by)
{
    struct ptx_span span = find_word(c, i, word);

    if (span.bytes)
        edit_replace(&c->edits, span, "%s", by);
}

/* Stores also go to the peers, so fences and memory orders must hold there. */
static void widen(struct clone *c, const struct ptx_instruction *i)
{
    enum ptx_effect effect = ptx_instruction_effect(i);
    bool orders = i->opcode == PTX_FENCE || i->opcode == PTX_MEMBAR;

    if (!orders && effect != PTX_STORES && effect != PTX_ATOMIC && effect != PTX_LOADS)
        return;
    if (ptx_has(i, PTX_PART_GPU))
        replace_word(c, i, ".gpu", ".sys");
    if (i->opcode == PTX_MEMBAR && ptx_has(i, PTX_PART_GL))
        replace_word(c, i, ".gl", ".sys");
}

/* The scope is inserted after the opcode, at the first dot: an opcode name contains
   none. */
void clone_among_all(struct clone *c, const struct ptx_instruction *i)
{
    static const char *const orders[] = {".relaxed", ".acquire", ".release", ".acq_rel"};
    struct ptx_span order = {0, 0};
    uint32_t at = i->span.offset;

    for (unsigned n = 0; n < sizeof orders / sizeof *orders && !order.bytes; n++)
        order = find_word(c, i, orders[n]);

    if (ptx_has(i, PTX_PART_GPU))
        replace_word(c, i, ".gpu", ".sys");
    if (ptx_has(i, PTX_PART_GPU) || ptx_has(i, PTX_PART_SYS))
        return;
    while (c->module->text[at] != '.')
        at++;
    edit_insert(&c->edits, order.bytes ? order.offset + order.bytes : at, ".sys");
}

/* The non-coherent cache would not return values that this launch writes. */
static void read_coherently(struct clone *c, const struct ptx_instruction *i)
{
    if (i->opcode != PTX_LD || !ptx_has(i, PTX_PART_NC) || i->operand_count < 2)
        return;
    struct origin o = origin_of_memory(c->module, c->function, c->origin, &i->operands[1]);

    if (origin_slot(&o) != -1)
        replace_word(c, i, ".nc", "");
}

bool version_is_fetch_atomic(const struct clone *c, const struct ptx_instruction *i)
{
    return i->opcode == PTX_ATOM && c->request->joint &&
           c->request->joint[i - c->function->instructions] &&
           !ptx_atomic_has_no_result(c->function, i);
}

/* True if CTAs of several devices may observe each other in the launch: through results of
   atomics, through ordered accesses, or through loads of locations that other CTAs
   store. */
static bool has_fetch_atomics(const struct clone *c)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const struct ptx_instruction *i = &c->function->instructions[n];

        if (clone_is_flag(c, n) &&
            (i->opcode == PTX_LD || version_is_fetch_atomic(c, i) || ptx_is_ordered(i)))
            return true;
    }
    return false;
}

enum proact_status keep_coherent(struct clone *c)
{
    const bool stores = c->kind == INSTRUMENT_INLINE || c->kind == INSTRUMENT_STAGE,
               widens = stores || c->request->direct || has_fetch_atomics(c);

    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const struct ptx_instruction *i = &c->function->instructions[n];

        if (clone_is_direct(c, n) && (i->opcode == PTX_ATOM || i->opcode == PTX_RED))
            clone_among_all(c, i);
        else if (widens && !clone_is_flag(c, n))
            widen(c, i);
        read_coherently(c, i);
    }
    return PROACT_OK;
}
