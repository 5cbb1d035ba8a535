/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/load/decode_layout.h"

#include <assert.h>

enum { THREAD_BYTES_MAX = 1 << 29 }; /* local memory of a thread; GPUs have 512 KiB */

static uint32_t align_up(uint32_t offset, uint32_t align)
{
    return align > 1 ? (offset + align - 1) / align * align : offset;
}

static uint32_t shared_take(struct decoder *d, const struct ptx_symbol *s)
{
    uint32_t offset = align_up(d->shared_bytes, s->align);

    d->shared_bytes = offset + ptx_symbol_bytes(s);
    return offset;
}

/* Reserved shared memory. Hardware has 1 KiB before a CTA's variables, and cooperative
   groups use 288 bytes of it for tiles of several warps. Here those bytes are among the
   variables of kernels that use them. */
static void reserved_take(struct decoder *d)
{
    static const struct ptx_symbol place = {.align = 16, .bytes = 288};

    if (!d->reserved_offset)
        d->reserved_offset = shared_take(d, &place) + 1;
}

static void operand_shared(struct decoder *d, const struct ptx_operand *o, bool dynamic)
{
    if (o->symbol >= PTX_SYMBOL_MODULE &&
        (o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY)) {
        uint32_t n = (uint32_t)(o->symbol - PTX_SYMBOL_MODULE);
        const struct ptx_symbol *s = &d->module->symbols[n];

        if (s->space == PTX_SPACE_SHARED && !s->is_function && !d->shared_offsets[n] &&
            (s->bytes == 0) == dynamic)
            d->shared_offsets[n] = shared_take(d, s) + 1; /* 0: not assigned */
    }
    if (o->kind == PTX_SPECIAL && o->special == PTX_RESERVED_SMEM_1 && !dynamic)
        reserved_take(d);
    for (uint32_t k = 0; k < o->count; k++)
        operand_shared(d, &o->list[k], dynamic);
}

/* One pass over the reachable functions. A second pass places dynamic memory after
   everything else. */
static void reach(struct decoder *d, uint32_t index, bool dynamic)
{
    const struct ptx_function *f = &d->module->functions[index];
    struct frame *frame = &d->frames[index];

    if (frame->is_reached != dynamic)
        return;
    frame->is_reached = !dynamic;
    if (!frame->offsets)
        frame->offsets = arena_alloc(&d->arena, (f->symbol_count + 1) * sizeof(uint32_t));
    for (uint32_t n = 0; n < f->symbol_count; n++)
        if (f->symbols[n].space == PTX_SPACE_SHARED &&
            (f->symbols[n].bytes == 0) == dynamic)
            frame->offsets[n] = shared_take(d, &f->symbols[n]);
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        const struct indirect_call c = indirect_call_find(d->module, f, i);

        for (uint32_t k = 0; c.target && k < d->module->function_count; k++)
            if (indirect_call_fits(d->module, f, &c, &d->module->functions[k]))
                reach(d, k, dynamic);
        for (uint32_t k = 0; k < i->operand_count; k++)
            operand_shared(d, &i->operands[k], dynamic);
        for (uint32_t k = 0; i->opcode == PTX_CALL && k < i->operand_count; k++) {
            const struct ptx_operand *o = &i->operands[k];

            if (o->kind != PTX_SYMBOL)
                continue;
            const struct ptx_symbol *s = ptx_symbol(d->module, f, o->symbol);

            if (s->is_function && s->function >= 0)
                reach(d, (uint32_t)s->function, dynamic);
        }
    }
}

void shared_place(struct decoder *d, uint32_t index)
{
    reach(d, index, false);
    d->shared_bytes = align_up(d->shared_bytes, 16);
    reach(d, index, true);
}

bool symbols_place(struct decoder *d)
{
    const struct ptx_function *f = d->function;

    for (uint32_t n = 0; n < f->symbol_count; n++) {
        const struct ptx_symbol *s = &f->symbols[n];

        if (s->space == PTX_SPACE_SHARED || s->is_function ||
            (f->is_entry && n < f->parameter_count))
            continue;
        if (s->space != PTX_SPACE_LOCAL && s->space != PTX_SPACE_PARAM)
            return refuse(d, "variable '%s' of a function cannot be placed: kernel '%s'",
                          s->name, d->kernel->info.name);
        bool on_stack = d->frame->is_recursive && s->space == PTX_SPACE_LOCAL;
        uint32_t *bytes = on_stack ? &d->frame->local_bytes : &d->thread_bytes;

        d->frame->offsets[n] = align_up(*bytes, s->align);
        if (s->bytes > THREAD_BYTES_MAX - d->frame->offsets[n])
            return refuse(d,
                          "variable '%s' has %llu bytes for each thread, and %u are left: "
                          "kernel '%s'",
                          s->name, (unsigned long long)s->bytes,
                          THREAD_BYTES_MAX - d->frame->offsets[n], d->kernel->info.name);
        *bytes = d->frame->offsets[n] + ptx_symbol_bytes(s);
    }
    return true;
}

enum symbol_home symbol_find(const struct decoder *d, int32_t symbol, uint64_t *offset)
{
    const struct ptx_symbol *s = ptx_symbol(d->module, d->function, symbol);

    if (s->is_function)
        return HOME_FUNCTION;
    if (symbol >= PTX_SYMBOL_MODULE) {
        uint32_t n = (uint32_t)(symbol - PTX_SYMBOL_MODULE);

        if (s->space == PTX_SPACE_SHARED) {
            *offset = d->shared_offsets[n] - 1;
            return HOME_SHARED;
        }
        if (s->is_extern)
            return HOME_NONE;
        *offset = d->program->offsets[n];
        return HOME_BLOCK;
    }
    if (d->function->is_entry && (uint32_t)symbol < d->function->parameter_count) {
        *offset = s->offset;
        return HOME_PARAMETER;
    }
    *offset = d->frame->offsets[symbol];
    if (s->space == PTX_SPACE_LOCAL && d->frame->is_recursive)
        return HOME_STACK;
    return s->space == PTX_SPACE_SHARED ? HOME_SHARED : HOME_THREAD;
}
