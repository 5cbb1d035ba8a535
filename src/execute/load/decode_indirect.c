/* SPDX-License-Identifier: Apache-2.0 */
/* Indirect calls: virtual functions and function pointers. Each function is decoded once.
   An indirect call compares the address with each matching function in turn and calls it
   for the lanes with that address. */
#include "execute/load/decode_recursion.h"

static void compare(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    const uint64_t *is = op_register(r, op->from[0]), *wanted = op_register(r, op->from[1]);
    uint32_t *yes = op_register(r, op->to);

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1 && is[l] == wanted[l])
            *yes |= 1u << l;
}

/* Clears only these lanes: others may execute the same call. */
static void clear(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    *(uint32_t *)op_register(r, op->to) &= ~mask;
}

static void set(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    *(uint32_t *)op_register(r, op->to) |= mask;
}

/* Emits the guard of the next operation. */
static void where(struct decoder *d, op_place yes, bool is_not)
{
    struct execute_op *op = emit(d, CODE_GUARD);

    op->from[0] = yes;
    op->detail[0] = is_not;
}

static void copy_where(struct decoder *d, op_place yes, uint64_t from, uint64_t to,
                       uint32_t bytes)
{
    where(d, yes, false);
    struct execute_op *op = emit(d, CODE_COPY);

    op->detail[OP_GUARDED] = true;
    op->from[0] = (op_place)from;
    op->to = (op_place)to;
    op->extra = bytes;
}

struct calling_where {
    const struct ptx_instruction *i;
    uint32_t function;
    const uint64_t *from, *to;
    op_place target, yes; /* target: the function's address; yes: lanes that call it */
};

static void call_where(struct decoder *d, const struct calling_where *c)
{
    const struct ptx_function *f = &d->module->functions[c->function];
    const uint32_t *offsets = d->frames[c->function].offsets;
    op_place yes = c->yes;

    for (uint32_t n = 0; n < f->parameter_count; n++)
        copy_where(d, yes, c->from[n], offsets[n], ptx_symbol_bytes(&f->symbols[n]));
    where(d, yes, false);
    call_emit(d, c->function);
    d->kernel->stream.ops[d->kernel->stream.count - 1].detail[OP_GUARDED] = true;
    for (uint32_t n = f->parameter_count; n < f->parameter_count + f->return_count; n++)
        copy_where(d, yes, offsets[n], c->to[n - f->parameter_count],
                   ptx_symbol_bytes(&f->symbols[n]));
}

static void copy(struct decoder *d, uint64_t from, uint64_t to, uint32_t bytes)
{
    struct execute_op *op = emit(d, CODE_COPY);

    op->from[0] = (op_place)from;
    op->to = (op_place)to;
    op->extra = bytes;
}

/* Like call_where(), for a function that may recurse. A recursive execution of this call
   overwrites all registers, so later values come from the stack. */
static void call_back_where(struct decoder *d, const struct calling_where *c)
{
    const struct ptx_function *f = &d->module->functions[c->function];
    const struct ptx_symbol *results = f->symbols + f->parameter_count;
    const uint32_t *offsets = d->frames[c->function].offsets;
    uint32_t aside = (d->thread_bytes + 15) / 16 * 16, at = aside;
    size_t skip = recursion_skip(d, c->yes, false);
    uint32_t save = recursion_save(d, c->i, c->target);

    for (uint32_t n = 0; n < f->parameter_count; n++)
        copy(d, c->from[n], offsets[n], ptx_symbol_bytes(&f->symbols[n]));
    call_emit(d, c->function);
    for (uint32_t n = 0; n < f->return_count; at += ptx_symbol_bytes(&results[n++]))
        copy(d, offsets[f->parameter_count + n], at, ptx_symbol_bytes(&results[n]));
    d->thread_bytes = at;
    recursion_restore(d, save);
    for (uint32_t n = 0; n < f->return_count; aside += ptx_symbol_bytes(&results[n++]))
        copy(d, aside, c->to[n], ptx_symbol_bytes(&results[n]));
    recursion_land(d, skip);
}

bool decode_indirect_call(struct decoder *d, const struct ptx_instruction *i,
                          const struct indirect_call *c, const uint64_t *from,
                          const uint64_t *to)
{
    const struct ptx_instruction *guard = d->guard;
    op_place target,
        done = place_new(d, FILE_WARP, 0); /* lanes that have made their call */

    if (!operand_source(d, c->target, 8, &target))
        return refuse_instruction(d, i);
    d->guard = NULL;
    emit_lanes(d, set, done, target);
    d->guard = guard;
    emit_lanes(d, clear, done, target);
    d->guard = NULL;
    for (uint32_t n = 0; n < d->module->function_count; n++) {
        if (!indirect_call_fits(d->module, d->function, c, &d->module->functions[n]))
            continue;
        op_place is = constant_place(d, EXECUTE_FUNCTION(n), 8);
        op_place yes = place_new(d, FILE_WARP, 0);

        emit_lanes(d, clear, yes, target);
        d->guard = guard;
        emit_lanes(d, compare, yes, target)->from[1] = is;
        emit_lanes(d, compare, done, target)->from[1] = is;
        d->guard = NULL;
        const struct calling_where calling = {i, n, from, to, target, yes};

        if (calls_back(d, n))
            call_back_where(d, &calling);
        else
            call_where(d, &calling);
    }
    where(d, done, true);
    emit(d, CODE_TRAP)->detail[OP_GUARDED] = true;
    d->guard = guard;
    return true;
}
