/* SPDX-License-Identifier: Apache-2.0 */
/* Staging of stores. After each store into a slot's array follows the same store into the
   CTA's staging buffer, in shared memory after the kernel's own. The buffer has the layout
   of the CTA's range in the array, and the epilogue (kernels/stage.cu) sends it. The caller
   guarantees that each CTA writes one range, and all of it. */
#include <stddef.h>
#include <string.h>

#include "instrument/clone/clone.h"

/* Largest number of bytes that one thread stores to shared memory at once. */
enum { STORE_BYTES_MAX = 16 };

static size_t run_place(int slot)
{
    return offsetof(struct proact_partition, staged.range) +
           (size_t)slot * sizeof(struct proact_staged_range);
}

/* %proact_k of the slot. Added to the low half of a generic address, it gives the position
   in the staging buffer. */
static void add_place(struct clone *c, int slot)
{
    const size_t run = run_place(slot);

    edit_insert(&c->edits, c->function->body.offset,
                "\n\tld.param.u32 %%proact_r0, [" CLONE_PARTITION "+%zu];\n\t"
                "mov.u32 %%proact_r1, %%ctaid.x;\n\t"
                "mul.lo.u32 %%proact_r0, %%proact_r0, %%proact_r1;\n\t"
                "ld.param.u32 %%proact_r1, [" CLONE_PARTITION "+%zu];\n\t"
                "add.u32 %%proact_r0, %%proact_r0, %%proact_r1;\n\t"
                "ld.param.u32 %%proact_r1, [" CLONE_PARTITION "+%zu];\n\t"
                "sub.u32 %%proact_r0, %%proact_r1, %%proact_r0;\n\t"
                "mov.u32 %%proact_r1, %s" CLONE_STAGE ";\n\t"
                "add.u32 %%proact_k%d, %%proact_r0, %%proact_r1;",
                run + offsetof(struct proact_staged_range, bytes),
                run + offsetof(struct proact_staged_range, first),
                run + offsetof(struct proact_staged_range, shared_offset),
                c->function->name, slot);
}

/* Words of a store that have no meaning in shared memory: scopes, orders and cache
   operators. */
static bool is_dropped(const char *word, size_t length)
{
    static const char *const dropped[] = {"global", "weak", "wb", "cg", "cs", "wt"};

    for (size_t n = 0; n < sizeof dropped / sizeof *dropped; n++)
        if (strlen(dropped[n]) == length && memcmp(dropped[n], word, length) == 0)
            return true;
    return false;
}

static bool is_kept(const char *word, size_t length)
{
    return length > 1 && strchr("vbusf", word[0]) && strchr("123468", word[1]);
}

/* Adds the opcode for shared memory. Returns false if the store is not a plain one. */
static bool add_opcode(struct clone *c, uint32_t to, const char *opcode)
{
    const char *end = opcode + strcspn(opcode, " \t\r\n"), *at = opcode + strlen("st");

    edit_insert(&c->edits, to, "st.shared");
    while (at < end) {
        const size_t length = strcspn(++at, ". \t\r\n");

        if (is_kept(at, length))
            edit_insert(&c->edits, to, ".%.*s", (int)length, at);
        else if (!is_dropped(at, length))
            return false;
        at += length;
    }
    return true;
}

static enum proact_status stage(struct clone *c, const struct ptx_instruction *i,
                                const struct ptx_operand *to, int slot)
{
    const char *text = c->module->text, *name = c->function->registers[to->reg].name;
    const uint32_t end = i->span.offset + i->span.bytes, from = clone_behind_guard(c, i);
    const char *address = strstr(text + to->span.offset, name);
    const char *rest = address + strlen(name), *guard = text + i->span.offset;
    const char *operands = text + from + strcspn(text + from, " \t\r\n");

    if (slot >= PROACT_STAGED_MAX)
        return clone_refuse(c, i, "it writes more than %d arrays: they are not staged",
                            PROACT_STAGED_MAX);
    if (i->opcode != PTX_ST || i->vector * ptx_type_bytes(i->type) > STORE_BYTES_MAX)
        return clone_refuse(c, i, "no store of at most %d bytes: it is not staged",
                            STORE_BYTES_MAX);
    edit_insert(&c->edits, end,
                "\n\tcvt.u32.u64 %%proact_r0, %s;\n\t"
                "add.u32 %%proact_r0, %%proact_r0, %%proact_k%d;\n\t%.*s",
                name, slot, (int)(text + from - guard), guard);
    if (!add_opcode(c, end, text + from))
        return clone_refuse(
            c, i,
            "a store with qualifiers that shared memory does not have: it is not staged");
    edit_insert(&c->edits, end, "%.*s%%proact_r0%.*s", (int)(address - operands), operands,
                (int)(text + end - rest), rest);
    return PROACT_OK;
}

enum proact_status stage_stores(struct clone *c)
{
    const struct ptx_function *f = c->function;
    const uint32_t slots = c->request->slot_count;

    /* %dynamic_smem_size and similar registers would include the staging buffer. */
    if (strstr(c->module->text, "_smem_size"))
        return clone_refuse(c, NULL, "it reads the size of its shared memory");
    edit_insert(&c->edits, f->span.offset,
                ".extern .shared .align 16 .b8 %s" CLONE_STAGE "[];\n", f->name);
    edit_insert(&c->edits, f->body.offset, "\n\t.reg .b32 \t%%proact_k<%d>;",
                PROACT_STAGED_MAX);
    for (uint32_t slot = 0; slot < slots && slot < PROACT_STAGED_MAX; slot++)
        add_place(c, (int)slot);
    return clone_each_store(c, stage);
}
