/* SPDX-License-Identifier: Apache-2.0 */
/* A flag, which CTAs of all devices set alike, is set in the first device's replica: by the
   same address as far from there as this device's replica is. Several devices store there
   with no order between them, so each store is a strong one. */
#include <stddef.h>
#include <string.h>

#include "instrument/clone.h"

/* The type as it is written: the opcode's last dotted word. */
static struct ptx_span type_of(const struct clone *c, const struct ptx_instruction *i)
{
    const char *text = c->module->text;
    uint32_t end = i->operands[0].span.offset, at;

    while (strchr(" \t\r\n", text[end - 1]))
        end--;
    for (at = end; text[at - 1] != '.';)
        at--;
    return (struct ptx_span){at, end - at};
}

static enum proact_status redirect(struct clone *c, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0], *value = &i->operands[1];
    struct origin o = origin_of_memory(c->module, c->function, c->origin, to);
    const struct ptx_register *registers = c->function->registers;
    const struct ptx_span type = type_of(c, i);
    const int slot = origin_slot(&o);

    if (slot < 0)
        return clone_refuse(c, i,
                            "a flag in one of several arrays, or in one that cannot be "
                            "told");
    edit_insert(&c->edits, i->span.offset,
                "ld.param.u64 %%proact_d0, [" CLONE_SHARE "+%zu];\n\t"
                "add.s64 %%proact_d0, %s, %%proact_d0;\n\t",
                offsetof(struct proact_share, slot) +
                    (size_t)slot * sizeof(struct proact_slot) +
                    offsetof(struct proact_slot, home),
                registers[to->reg].name);
    edit_replace(&c->edits, i->span, "%s%s%s%sst.volatile.%s%.*s [%%proact_d0+%lld], %.*s;",
                 i->guard >= 0 ? "@" : "", i->guard >= 0 && i->guard_negated ? "!" : "",
                 i->guard >= 0 ? registers[i->guard].name : "", i->guard >= 0 ? " " : "",
                 i->space == PTX_SPACE_GLOBAL ? "global." : "", (int)type.bytes,
                 c->module->text + type.offset, (long long)to->integer,
                 (int)value->span.bytes, c->module->text + value->span.offset);
    return PROACT_OK;
}

enum proact_status redirect_flags(struct clone *c)
{
    const struct ptx_function *f = c->function;
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < f->instruction_count && c->request->flags && !status; n++)
        if (c->request->flags[n])
            status = redirect(c, &f->instructions[n]);
    return status;
}
