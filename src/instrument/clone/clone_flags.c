/* SPDX-License-Identifier: Apache-2.0 */
/* Stores redirected to device 0's replica. An idempotent store has the same value in all
   CTAs of all devices. The version stores at the same offset in device 0's replica. Devices
   store there without ordering, so each store is a volatile store.

   A commutative update such as atomicOr() becomes a load, the operation and a store. It
   then needs no atomic over a link, which only NVLink supports. All updates combine the
   same value, and combining it twice changes nothing. The same holds for atomicCAS(): any
   CTA that reads the expected value stores the same new value.

   If different values update the same bytes, a load and a store would lose updates. Such an
   update stays an atomic, with system scope. Both forms skip the update if the loaded value
   already contains it. Sums are never skipped, because each addition counts. */
#include <stddef.h>
#include <string.h>

#include "instrument/clone/clone.h"

/* The type as written: the last dotted word of the opcode. */
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

/* Lowest target on which an atomic may have system scope. */
enum { LEAST_JOINT_SM = 60 };

static bool is_joint(const struct clone *c, const struct ptx_instruction *i)
{
    return c->request->joint && c->request->joint[i - c->function->instructions];
}

/* Operation that combines an update with the stored value. NULL: the update replaces the
   stored value or is added to it. */
static const char *join_of(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_OR)    ? "or"
           : ptx_has(i, PTX_PART_AND) ? "and"
           : ptx_has(i, PTX_PART_MIN) ? "min"
           : ptx_has(i, PTX_PART_MAX) ? "max"
                                      : NULL;
}

/* Operands common to all forms of a redirected store. */
struct flag {
    const char *space, *guard, *negation; /* guard: the name of a register, or "" */
    struct ptx_span type;
    const struct ptx_operand *to, *value; /* value: for .cas, the expected value */
};

static void store(struct clone *c, const struct ptx_instruction *i, const struct flag *f)
{
    const char *text = c->module->text;

    edit_replace(&c->edits, i->span, "%s%s%s%sst.volatile.%s%.*s [%%proact_d0+%lld], %.*s;",
                 *f->guard ? "@" : "", f->negation, f->guard, *f->guard ? " " : "",
                 f->space, (int)f->type.bytes, text + f->type.offset,
                 (long long)f->to->integer, (int)f->value->span.bytes,
                 text + f->value->span.offset);
}

/* Compare-and-swap: replaces only the expected value. */
static void compare(struct clone *c, const struct ptx_instruction *i, const struct flag *f)
{
    const char *text = c->module->text;
    const unsigned bits = 8 * ptx_type_bytes(i->type);
    const char *was = bits == 64 ? "%proact_d1" : "%proact_r0";
    const long long at = (long long)f->to->integer;

    edit_replace(&c->edits, i->span,
                 "%s%s%s%sld.volatile.%sb%u %s, [%%proact_d0+%lld];\n\t"
                 "setp.eq.%sb%u %%proact_p0, %s, %.*s%s%s%s;\n\t"
                 "@%%proact_p0 st.volatile.%sb%u [%%proact_d0+%lld], %.*s;",
                 *f->guard ? "@" : "", f->negation, f->guard, *f->guard ? " " : "",
                 f->space, bits, was, at, *f->guard ? "and." : "", bits, was,
                 (int)f->value->span.bytes, text + f->value->span.offset,
                 *f->guard ? ", " : "", f->negation, f->guard, f->space, bits, at,
                 (int)f->value[1].span.bytes, text + f->value[1].span.offset);
}

/* Update by an operation. Most CTAs find the value already combined and skip the store. */
static void join(struct clone *c, const struct ptx_instruction *i, const struct flag *f)
{
    const char *text = c->module->text, *guarded = *f->guard ? "@" : "";
    const unsigned bits = 8 * ptx_type_bytes(i->type);
    const char *was = bits == 64 ? "%proact_d1" : "%proact_r0",
               *is = bits == 64 ? "%proact_d2" : "%proact_r1";
    const long long at = (long long)f->to->integer;
    const bool joint = is_joint(c, i);
    const struct ptx_span value = f->value->span;

    edit_replace(
        &c->edits, i->span,
        "%s%s%s%sld.volatile.%sb%u %s, [%%proact_d0+%lld];\n\t"
        "%s.%.*s %s, %s, %.*s;\n\t"
        "setp.ne.%sb%u %%proact_p0, %s, %s%s%s%s;\n\t"
        "@%%proact_p0 %s.%s%s%s%.*s [%%proact_d0+%lld], %.*s;",
        guarded, f->negation, f->guard, *f->guard ? " " : "", f->space, bits, was, at,
        join_of(i), (int)f->type.bytes, text + f->type.offset, is, was, (int)value.bytes,
        text + value.offset, *f->guard ? "and." : "", bits, is, was, *f->guard ? ", " : "",
        f->negation, f->guard, joint ? "red.sys" : "st.volatile", f->space,
        joint ? join_of(i) : "", joint ? "." : "", joint ? (int)f->type.bytes : 3,
        joint        ? text + f->type.offset
        : bits == 64 ? "b64"
                     : "b32",
        at, joint ? (int)value.bytes : (int)strlen(is), joint ? text + value.offset : is);
}

static bool is_atomic(const struct ptx_instruction *i)
{
    return i->opcode == PTX_ATOM || i->opcode == PTX_RED;
}

/* Accesses that keep their form and only change their address. An indirect store is not
   known to be idempotent. The same applies to loads of its array, and to the load before a
   compare-and-swap, which reads the expected value. */
static void reduce(struct clone *c, const struct ptx_instruction *i, const struct flag *f)
{
    if (is_atomic(i))
        clone_among_all(c, i);
    edit_replace(&c->edits, f->to->span, "[%%proact_d0+%lld]", (long long)f->to->integer);
}

static enum proact_status redirect(struct clone *c, const struct ptx_instruction *i)
{
    const struct ptx_operand *to =
        &i->operands[i->opcode == PTX_ATOM || i->opcode == PTX_LD];
    struct origin o = origin_of_memory(c->module, c->function, c->origin, to);
    const struct ptx_register *registers = c->function->registers;
    const struct flag f = {.space = i->space == PTX_SPACE_GLOBAL ? "global." : "",
                           .guard = i->guard >= 0 ? registers[i->guard].name : "",
                           .negation = i->guard >= 0 && i->guard_negated ? "!" : "",
                           .type = type_of(c, i),
                           .to = to,
                           .value = to + 1};
    const int slot = origin_slot(&o);

    if (slot < 0)
        return clone_refuse(c, i,
                            "an idempotent store into one of several arrays, or into an "
                            "unknown array");
    if (is_joint(c, i) && is_atomic(i) && c->module->target_sm < LEAST_JOINT_SM)
        return clone_refuse(c, i, "an atomic with system scope needs sm_%d",
                            LEAST_JOINT_SM);
    edit_insert(&c->edits, i->span.offset,
                "ld.param.u64 %%proact_d0, [" CLONE_PARTITION "+%zu];\n\t"
                "add.s64 %%proact_d0, %s, %%proact_d0;\n\t",
                offsetof(struct proact_partition, slot) +
                    (size_t)slot * sizeof(struct proact_slot) +
                    offsetof(struct proact_slot, device0_offset),
                registers[to->reg].name);
    if (version_is_fetch_atomic(c, i) || ptx_is_ordered(i))
        reduce(c, i, &f);
    else if (join_of(i))
        join(c, i, &f);
    else if (is_joint(c, i))
        reduce(c, i, &f);
    else if (ptx_has(i, PTX_PART_CAS))
        compare(c, i, &f);
    else
        store(c, i, &f);
    return PROACT_OK;
}

enum proact_status redirect_flags(struct clone *c)
{
    const struct ptx_function *f = c->function;
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < f->instruction_count && !status; n++)
        if (clone_is_flag(c, n))
            status = redirect(c, &f->instructions[n]);
    return status;
}
