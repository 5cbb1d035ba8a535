/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of a kernel and the functions that it calls. Called functions come first, so
   that lanes in one have lower positions than lanes that wait after the call. */
#include "execute/load/decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "execute/load/decode_layout.h"
#include "execute/load/decode_recursion.h"

static bool function_decode(struct decoder *d, uint32_t index);

/* Decodes the callees of the function first, except those that are being decoded. */
static bool callees_decode(struct decoder *d, const struct frame *frame)
{
    for (uint32_t k = 0; k < d->module->function_count; k++)
        if (frame->calls[k] && !d->frames[k].is_open && !d->frames[k].is_done &&
            !function_decode(d, k))
            return false;
    return true;
}

/* Starts of basic blocks by instruction, with one entry more than there are
   instructions. */
static bool *leaders_find(struct decoder *d, const struct ptx_function *f)
{
    bool *leaders = arena_alloc(&d->arena, f->instruction_count + 1);

    leaders[0] = leaders[f->instruction_count] = true;
    for (uint32_t n = 0; n < f->label_count; n++)
        leaders[f->labels[n].instruction] = true;
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (instruction_ends_block(&f->instructions[n]))
            leaders[n + 1] = true;
    return leaders;
}

static bool function_decode(struct decoder *d, uint32_t index)
{
    const struct ptx_function *f = &d->module->functions[index];
    struct frame *frame = &d->frames[index];

    frame->is_open = true;
    if (!callees_decode(d, frame))
        return false;
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (!refuse_capability(d, &f->instructions[n]))
            return false;
    d->function = f;
    d->frame = frame;
    d->homes = arena_alloc(&d->arena, (f->register_count + 1) * sizeof *d->homes);
    for (uint32_t n = 0; n < f->register_count; n++)
        d->homes[n] = (struct home){.place = PLACE_NONE, .spread = PLACE_NONE};
    if (!frame->is_recursive && !symbols_place(d))
        return false;
    if (!frame->is_recursive)
        frame->way_back = place_new(d, FILE_WARP, 4);
    if (!frame->is_recursive && frame->allocates)
        frame->base = place_new(d, FILE_WARP, 4);
    const bool *leaders = leaders_find(d, f);

    if (d->hoist && !hoist_function(d))
        return false;
    place_registers(d, leaders);
    frame->entry = (uint32_t)d->kernel->stream.count;
    frame->is_done = stream_function(d, leaders);
    frame->is_open = false;
    return frame->is_done;
}

/* Initial FILE_LAUNCH, before a launch is known: the constants. */
static void constants_write(struct decoder *d)
{
    struct execute_kernel *k = d->kernel;

    k->constants = must_calloc(k->file_bytes[FILE_LAUNCH], 1);
    for (size_t n = 0; n < d->constant_count; n++) {
        const struct constant *c = &d->constants[n];
        unsigned char *at = k->constants + (c->place & PLACE_OFFSET);

        for (unsigned l = 0; l < (c->bytes ? LANES : 1); l++)
            memcpy(at + l * c->bytes, &c->bits, c->bytes == 8 || c->bytes == 16 ? 8 : 4);
    }
}

static bool uses_stack(const struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (is_stack(f->instructions[n].opcode))
            return true;
    return false;
}

/* A kernel that reaches a recursive function or alloca has a stack after its thread
   memory. */
static bool recursion_find(struct decoder *d, uint32_t index)
{
    bool placed = true, has_stack = calls_find(d, index);

    d->kernel->stack = d->stack = PLACE_NONE;
    for (uint32_t k = 0; k < d->module->function_count; k++)
        if (d->frames[k].calls) { /* the kernel reaches it */
            d->frames[k].allocates = uses_stack(&d->module->functions[k]);
            has_stack |= d->frames[k].allocates;
        }
    if (!has_stack)
        return true;
    d->kernel->stack = d->stack = place_new(d, FILE_WARP, 4);
    for (uint32_t k = 0; k < d->module->function_count && placed; k++)
        placed = !calls_itself(d, k) || recursion_prepare(d, k);
    return placed;
}

void kernel_decode(struct execute_program *p, struct execute_kernel *k, bool hoist)
{
    const struct ptx_module *m = p->module;
    struct decoder d = {.program = p, .kernel = k, .module = m, .hoist = hoist};

    k->file_bytes[FILE_SLOT] = SLOT_SPECIALS;
    k->file_bytes[FILE_CTA] = CTA_SPECIALS;
    k->file_bytes[FILE_LAUNCH] = LAUNCH_SPECIALS;
    d.list = &k->stream;
    place_bytes(&d, FILE_LAUNCH, k->function->parameter_bytes + 16);
    d.frames = arena_alloc(&d.arena, (m->function_count + 1) * sizeof *d.frames);
    d.shared_offsets = arena_alloc(&d.arena, (m->symbol_count + 1) * sizeof(uint32_t));
    op_place carry = place_new(&d, FILE_WARP, 0);

    assert(carry == OP_CARRY_PLACE);
    (void)carry;
    for (int n = 0; n < 4; n++)
        d.scratch[n] = place_new(&d, FILE_WARP, n ? 2u << n : 0);
    uint32_t index = (uint32_t)(k->function - m->functions);

    shared_place(&d, index);
    if (recursion_find(&d, index) && function_decode(&d, index)) {
        calls_finish(&d);
        k->entry = d.frames[index].entry;
        k->info.shared_bytes = d.shared_bytes;
        k->info.local_bytes_per_thread = (d.thread_bytes + 15) / 16 * 16;
        k->info.access_count = (uint32_t)k->site_count;
        constants_write(&d);
    }
    free(d.unfinished);
    free(d.constants);
    free(d.spreads);
    free(d.memos);
    arena_clear(&d.arena);
}

void kernel_clear(struct execute_kernel *k)
{
    free(k->refusal);
    free(k->stream.ops);
    for (int n = 0; n < 4; n++)
        free(k->hoisted[n].ops);
    free(k->constants);
    free(k->variable_constants);
    free(k->sites);
    for (size_t n = 0; n < k->table_count; n++)
        free(k->tables[n].targets);
    free(k->tables);
    free(k->matrices);
    free(k->textures);
    free(k->saved);
    free(k->saves);
    free(k->cleared);
}
