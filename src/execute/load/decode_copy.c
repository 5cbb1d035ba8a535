/* SPDX-License-Identifier: Apache-2.0 */
/* cp.async: asynchronous copies between shared and global memory. */
#include "execute/load/decoder.h"

/* True for a plain bulk store: no reduction, tensor, mask or multicast. */
static bool is_bulk_store(const struct ptx_instruction *i)
{
    static const enum ptx_part wanted[] = {PTX_PART_ASYNC, PTX_PART_BULK, PTX_PART_GLOBAL,
                                           PTX_PART_SHARED_CTA, PTX_PART_BULK_GROUP};
    uint32_t hint = ptx_has(i, PTX_PART_L2_CACHE_HINT), count = 0;

    for (size_t n = 0; n < sizeof wanted / sizeof wanted[0]; n++)
        count += ptx_has(i, wanted[n]);
    return i->space == PTX_SPACE_GLOBAL && count == sizeof wanted / sizeof wanted[0] &&
           i->part_count == count + hint && i->operand_count == 3 + hint;
}

/* Adds the site of a bulk store's address. Other accesses also need `spread`. */
static bool bulk_site(struct decoder *d, const struct ptx_instruction *i, unsigned operand)
{
    struct site s = {.access = {.kind = operand ? EXECUTE_LOAD : EXECUTE_STORE,
                                .bytes = EXECUTE_BULK_ALIGN,
                                .align = EXECUTE_BULK_ALIGN},
                     .spread = PLACE_NONE};
    const enum op_code wanted = operand ? CODE_SHARED : CODE_GLOBAL;
    enum op_code code = wanted;

    if (i->operands[operand].kind != PTX_MEMORY ||
        !site_base(d, &s, i, &i->operands[operand], &code) || code != wanted)
        return refuse_instruction(d, i);
    site_add(d, &s);
    return true;
}

static bool decode_bulk_store(struct decoder *d, const struct ptx_instruction *i)
{
    uint32_t first = (uint32_t)d->kernel->site_count;
    op_place bytes;

    if (!is_bulk_store(i))
        return refuse_instruction(d, i);
    if (!bulk_site(d, i, 0) || !bulk_site(d, i, 1) ||
        !operand_source(d, &i->operands[2], 4, &bytes))
        return false;
    struct execute_op *op = emit(d, CODE_BULK);

    op->detail[0] = EXECUTE_BULK_STORE;
    op->extra = first;
    op->from[0] = bytes;
    d->kernel->stores_bulk = true;
    return true;
}

static bool decode_bulk(struct decoder *d, const struct ptx_instruction *i)
{
    bool waits = ptx_has(i, PTX_PART_WAIT_GROUP);

    if (!waits && !ptx_has(i, PTX_PART_COMMIT_GROUP))
        return decode_bulk_store(d, i);
    if (waits && (i->operand_count != 1 || i->operands[0].kind != PTX_INTEGER))
        return refuse_instruction(d, i);
    struct execute_op *op = emit(d, CODE_BULK);

    op->detail[0] = !waits                      ? EXECUTE_BULK_COMMIT
                    : ptx_has(i, PTX_PART_READ) ? EXECUTE_BULK_WAIT_READ
                                                : EXECUTE_BULK_WAIT;
    op->extra = waits ? (uint32_t)i->operands[0].integer : 0;
    return true;
}

/* Sets `to` for lanes whose source contains a part of word from[1]. */
static void has_word(const struct op_registers *r, const struct execute_op *op,
                     uint32_t mask)
{
    const uint32_t *bytes = op_register(r, op->from[0]),
                   *word = op_register(r, op->from[1]);
    uint32_t yes = 0;

    for (unsigned l = 0; l < LANES; l++)
        yes |= (uint32_t)(bytes[l] > 4 * word[l]) << l;
    *(uint32_t *)op_register(r, op->to) = yes & mask;
}

/* Clears the bytes after the source's end in word from[1]. */
static void cut_word(const struct op_registers *r, const struct execute_op *op,
                     uint32_t mask)
{
    const uint32_t *bytes = op_register(r, op->from[0]),
                   *word = op_register(r, op->from[1]);
    uint32_t *value = op_register(r, op->to);

    for (unsigned l = 0; l < LANES; l++) {
        uint32_t has = bytes[l] > 4 * word[l] ? bytes[l] - 4 * word[l] : 0;

        if ((mask >> l & 1) && has < 4)
            value[l] = has ? value[l] & ((1u << 8 * has) - 1) : 0;
    }
}

/* Number of source bytes; zeros follow them. PLACE_NONE: all. */
static bool source_bytes(struct decoder *d, const struct ptx_instruction *i, op_place *out)
{
    const struct ptx_operand *size = &i->operands[2], *source = size + 1;
    uint32_t hint = ptx_has(i, PTX_PART_L2_CACHE_HINT);

    *out = PLACE_NONE;
    if (i->operand_count == 3 + hint)
        return true;
    if (i->operand_count != 4 + hint ||
        (source->kind == PTX_REGISTER && !d->function->registers[source->reg].bytes))
        return refuse_instruction(d, i);
    if (source->kind == PTX_INTEGER && source->integer == size->integer)
        return true;
    return operand_source(d, source, 4, out);
}

/* Loads word n of a source of `bytes` bytes, for the lanes whose source contains a part of
   it. */
static bool load_word(struct decoder *d, const struct ptx_instruction *i, unsigned n,
                      op_place bytes)
{
    const struct ptx_instruction *guard = d->guard;
    struct ptx_operand at = i->operands[1];
    struct site s = {.access = {.kind = EXECUTE_LOAD, .bytes = 4, .align = 4},
                     .element = 4,
                     .width = 4,
                     .count = 1};
    enum op_code code = CODE_GLOBAL;
    op_place yes = place_new(d, FILE_WARP, 0), word = constant_place(d, n, 4);

    at.integer += 4 * n;
    s.value[0] = carried_place(d, n);
    if (!site_address(d, &s, i, &at, &code))
        return false;
    d->guard = NULL;
    emit_lanes(d, has_word, yes, constant_place(d, 0, 4))->from[1] =
        word; /* clears all lanes */
    d->guard = guard;
    emit_lanes(d, has_word, yes, bytes)->from[1] = word;
    d->guard = NULL;
    emit(d, CODE_GUARD)->from[0] = yes;
    site_emit(d, &s, code)->detail[OP_GUARDED] = true;
    d->guard = guard;
    emit_lanes(d, cut_word, s.value[0], bytes)->from[1] = word;
    return true;
}

/* cp.async of 4, 8 or 16 bytes: a load and a store, performed immediately. */
bool decode_copy(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *size = &i->operands[2];
    op_place bytes;

    if (!ptx_has(i, PTX_PART_ASYNC) || ptx_has(i, PTX_PART_RED))
        return refuse_instruction(d, i);
    if (ptx_has(i, PTX_PART_BULK))
        return decode_bulk(d, i);
    if (ptx_has(i, PTX_PART_COMMIT_GROUP) || ptx_has(i, PTX_PART_WAIT_GROUP) ||
        ptx_has(i, PTX_PART_WAIT_ALL))
        return true;
    if (i->operand_count < 3 || size->kind != PTX_INTEGER ||
        (size->integer != 4 && size->integer != 8 && size->integer != 16))
        return refuse_instruction(d, i);
    if (!source_bytes(d, i, &bytes))
        return false;
    for (unsigned n = 0; bytes != PLACE_NONE && n < size->integer / 4; n++)
        if (!load_word(d, i, n, bytes))
            return false;
    for (int load = bytes == PLACE_NONE; load >= 0; load--) {
        struct site s = {.access = {.kind = load ? EXECUTE_LOAD : EXECUTE_STORE}};
        enum op_code code = load ? CODE_GLOBAL : CODE_SHARED;

        s.element = s.width = 4;
        s.count = (uint8_t)(size->integer / 4);
        s.access.bytes = s.access.align = (uint32_t)size->integer;
        for (unsigned n = 0; n < s.count; n++)
            s.value[n] = carried_place(d, n);
        if (!site_address(d, &s, i, &i->operands[load], &code))
            return false;
        site_emit(d, &s, code);
    }
    return true;
}
