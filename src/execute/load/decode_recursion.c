/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/load/decode_recursion.h"

#include <stdlib.h>

#include "execute/load/decode_layout.h"
#include "execute/run/run_convert.h"

bool recursion_prepare(struct decoder *d, uint32_t function)
{
    struct frame *frame = &d->frames[function];

    d->function = &d->module->functions[function];
    d->frame = frame;
    frame->is_recursive = true;
    frame->way_back = place_new(d, FILE_WARP, 4);
    frame->base = place_new(d, FILE_WARP, 4);
    return symbols_place(d);
}

void recursion_enter(struct decoder *d)
{
    if (!d->frame->is_recursive) {
        if (d->frame->allocates)
            emit_lanes(d, convert_move(4), d->frame->base, d->stack);
        return;
    }
    struct execute_op *op = emit(d, CODE_ENTER);

    op->to = d->frame->base;
    op->from[0] = d->stack;
    op->extra = (d->frame->local_bytes + 15) / 16 * 16;
    op->line = d->function->instruction_count ? d->function->instructions[0].line : 0;
}

void recursion_leave(struct decoder *d)
{
    if (d->frame->is_recursive || d->frame->allocates)
        emit_lanes(d, convert_move(4), d->stack, d->frame->base);
}

static void saved_add(struct decoder *d, struct stack_save *s, op_place place,
                      unsigned bytes, bool is_memory)
{
    struct execute_kernel *k = d->kernel;

    for (uint32_t n = s->first; n < k->saved_count; n++)
        if (k->saved[n].place == place && k->saved[n].is_memory == is_memory)
            return;
    k->saved = must_grow(k->saved, k->saved_count, &d->saved_capacity, sizeof *k->saved);
    k->saved[k->saved_count++] = (struct stack_saved){place, bytes, is_memory};
    s->count++;
    s->bytes += bytes ? (bytes + 3) / 4 * 4 : 4;
}

/* Parameters and results of the function and of its calls are in thread memory. */
static void saved_add_symbols(struct decoder *d, struct stack_save *s)
{
    for (uint32_t n = 0; n < d->function->symbol_count; n++)
        if (d->function->symbols[n].space == PTX_SPACE_PARAM)
            saved_add(d, s, d->frame->offsets[n],
                      ptx_symbol_bytes(&d->function->symbols[n]), true);
}

uint32_t recursion_save(struct decoder *d, const struct ptx_instruction *i,
                        op_place address)
{
    struct execute_kernel *k = d->kernel;
    const struct ptx_function *f = d->function;
    struct stack_save s = {.first = (uint32_t)k->saved_count};

    saved_add(d, &s, d->frame->way_back, 4, false);
    saved_add(d, &s, d->frame->base, 4, false);
    for (uint32_t r = 0; r < f->register_count; r++)
        if (d->homes[r].file == FILE_WARP && d->homes[r].place != PLACE_NONE &&
            is_live_after(d, (uint32_t)(i - f->instructions), r))
            saved_add(d, &s, d->homes[r].place, lane_bytes(f->registers[r].bytes), false);
    if (address >> 30 == FILE_WARP)
        saved_add(d, &s, address, 8, false);
    saved_add_symbols(d, &s);
    s.bytes = (s.bytes + 15) / 16 * 16;
    k->saves = must_grow(k->saves, k->save_count, &d->save_capacity, sizeof *k->saves);
    k->saves[k->save_count] = s;
    struct execute_op *op = emit(d, CODE_PUSH);

    op->extra = (uint32_t)k->save_count;
    op->from[0] = d->stack;
    return (uint32_t)k->save_count++;
}

void recursion_restore(struct decoder *d, uint32_t save)
{
    struct execute_op *op = emit(d, CODE_POP);

    op->extra = save;
    op->from[0] = d->stack;
}

size_t recursion_skip(struct decoder *d, op_place yes, bool is_not)
{
    struct execute_op *op = emit(d, CODE_SKIP);

    op->from[0] = yes;
    op->detail[0] = !is_not;
    return d->kernel->stream.count - 1;
}

void recursion_land(struct decoder *d, size_t skip)
{
    d->kernel->stream.ops[skip].extra = (uint32_t)d->kernel->stream.count;
}

void call_emit(struct decoder *d, uint32_t function)
{
    const struct frame *callee = &d->frames[function];
    struct execute_op *op = emit(d, CODE_CALL);

    op->to = callee->way_back;
    op->extra = callee->entry;
    if (callee->is_done)
        return;
    d->unfinished = must_grow(d->unfinished, d->unfinished_count, &d->unfinished_capacity,
                              sizeof *d->unfinished);
    d->unfinished[d->unfinished_count++] =
        (struct unfinished_call){d->kernel->stream.count - 1, function};
}

void calls_finish(struct decoder *d)
{
    for (size_t n = 0; n < d->unfinished_count; n++)
        d->kernel->stream.ops[d->unfinished[n].op].extra =
            d->frames[d->unfinished[n].function].entry;
}
