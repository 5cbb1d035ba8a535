/* SPDX-License-Identifier: Apache-2.0 */
/* Output of the decoder: operations, places, refusals. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "execute/load/decoder.h"

bool refuse(struct decoder *d, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!d->kernel->refusal)
        d->kernel->refusal = must_strdup(text);
    return false;
}

enum { OPCODE_BYTES = 160 };

/* The opcode with its modifiers, in `text`. */
static const char *opcode_text(const struct decoder *d, const struct ptx_instruction *i,
                               char text[OPCODE_BYTES])
{
    char *word = text;

    ptx_instruction_text(d->module, i, text, OPCODE_BYTES);
    if (*word == '@') /* the opcode follows the guard */
        word += strcspn(word, " \t\n");
    word += strspn(word, " \t\n");
    word[strcspn(word, " \t\n;")] = '\0';
    return word;
}

bool refuse_instruction(struct decoder *d, const struct ptx_instruction *i)
{
    char text[OPCODE_BYTES];

    return refuse(d, "opcode '%s' cannot be executed: kernel '%s', PTX line %u",
                  opcode_text(d, i, text), d->kernel->info.name, i->line);
}

bool refuse_capability(struct decoder *d, const struct ptx_instruction *i)
{
    const unsigned least = ptx_capability(i), has = d->program->capability;
    char text[OPCODE_BYTES];

    if (!has || least <= has)
        return true;
    return refuse(d,
                  "opcode '%s' requires compute capability %u.%u, the device has %u.%u: "
                  "kernel '%s', PTX line %u",
                  opcode_text(d, i, text), least / 10, least % 10, has / 10, has % 10,
                  d->kernel->info.name, i->line);
}

bool refuse_special(struct decoder *d, const struct ptx_operand *o)
{
    return refuse(d, "special register '%.*s' cannot be read: kernel '%s', PTX line %u",
                  (int)o->span.bytes, d->module->text + o->span.offset,
                  d->kernel->info.name, d->line);
}

struct execute_op *emit(struct decoder *d, enum op_code code)
{
    struct op_list *list = d->list;

    if (d->guard) {
        const struct ptx_instruction *i = d->guard;

        d->guard = NULL;
        struct execute_op *guard = emit(d, CODE_GUARD);

        guard->from[0] = d->homes[i->guard].place;
        guard->detail[0] = i->guard_negated;
        struct execute_op *guarded = emit(d, code);

        guarded->detail[OP_GUARDED] = code != CODE_LANES;
        d->guard = i;
        return guarded;
    }
    list->ops = must_grow(list->ops, list->count, &list->capacity, sizeof *list->ops);
    struct execute_op *op = &list->ops[list->count++];

    memset(op, 0, sizeof *op);
    op->code = (uint16_t)code;
    op->to = op->to2 = PLACE_NONE;
    op->line = d->line;
    op->source = d->source;
    return op;
}

struct execute_op *emit_lanes(struct decoder *d, op_lanes *lanes, op_place to,
                              op_place from)
{
    struct execute_op *op = emit(d, CODE_LANES);

    op->lanes = lanes;
    op->to = to;
    op->from[0] = from;
    return op;
}

unsigned lane_bytes(unsigned type_bytes)
{
    return type_bytes == 0 ? 0 : type_bytes <= 4 ? 4 : type_bytes <= 8 ? 8 : 16;
}

op_place place_bytes(struct decoder *d, enum op_file file, uint32_t bytes)
{
    uint32_t offset = d->kernel->file_bytes[file];

    d->kernel->file_bytes[file] = offset + (bytes + 63) / 64 * 64;
    return PLACE(file, offset);
}

op_place place_new(struct decoder *d, enum op_file file, unsigned bytes)
{
    if (bytes)
        return place_bytes(d, file, bytes * LANES);
    if (!d->pred_left[file]) {
        d->pred_offset[file] = place_bytes(d, file, 64) & PLACE_OFFSET;
        d->pred_left[file] = 16;
    }
    op_place place = PLACE(file, d->pred_offset[file]);

    d->pred_offset[file] += 4;
    d->pred_left[file]--;
    return place;
}

op_place carried_place(struct decoder *d, unsigned n)
{
    if (!d->carried[n])
        d->carried[n] = place_new(d, FILE_WARP, 4);
    return d->carried[n];
}

op_place constant_place(struct decoder *d, uint64_t bits, unsigned bytes)
{
    if (bytes == 0)
        bits = bits ? 0xffffffffu : 0;
    else if (bytes == 4)
        bits &= 0xffffffffu;
    for (size_t n = 0; n < d->constant_count; n++)
        if (d->constants[n].bits == bits && d->constants[n].bytes == bytes)
            return d->constants[n].place;
    d->constants = must_grow(d->constants, d->constant_count, &d->constant_capacity,
                             sizeof *d->constants);
    struct constant *c = &d->constants[d->constant_count++];

    *c = (struct constant){bits, place_new(d, FILE_LAUNCH, bytes), (uint8_t)bytes};
    return c->place;
}
