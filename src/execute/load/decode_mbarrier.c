/* SPDX-License-Identifier: Apache-2.0 */
/* mbarriers in shared memory, which count arrivals and bytes, and the copies that they
   count. */
#include "execute/load/decoder.h"
#include "execute/run/run_mbarrier.h"

static enum mbarrier_kind kind_of(const struct ptx_instruction *i)
{
    bool arrives = ptx_has(i, PTX_PART_ARRIVE), drops = ptx_has(i, PTX_PART_ARRIVE_DROP);

    if (ptx_has(i, PTX_PART_INIT))
        return MBARRIER_INIT;
    if (ptx_has(i, PTX_PART_EXPECT_TX))
        return drops     ? MBARRIER_DROP_EXPECT
               : arrives ? MBARRIER_ARRIVE_EXPECT
                         : MBARRIER_EXPECT;
    if (arrives || drops)
        return drops ? MBARRIER_DROP : MBARRIER_ARRIVE;
    if (ptx_has(i, PTX_PART_COMPLETE_TX))
        return MBARRIER_COMPLETE;
    if (!ptx_has(i, PTX_PART_TEST_WAIT) && !ptx_has(i, PTX_PART_TRY_WAIT))
        return MBARRIER_NONE;
    return ptx_has(i, PTX_PART_PARITY) ? MBARRIER_TEST_PARITY : MBARRIER_TEST;
}

static bool is_shared(const struct ptx_instruction *i)
{
    return i->space == PTX_SPACE_SHARED || ptx_has(i, PTX_PART_SHARED) ||
           ptx_has(i, PTX_PART_SHARED_CTA);
}

static bool emit_mbarrier(struct decoder *d, const struct ptx_instruction *i,
                          const struct ptx_operand *at, enum mbarrier_kind kind,
                          op_place from, op_place to)
{
    enum op_code code = is_shared(i) ? CODE_SHARED : CODE_GENERIC;
    struct site s = {
        .access = {.kind = kind == MBARRIER_INIT ? EXECUTE_STORE : EXECUTE_ATOMIC,
                   .bytes = 8,
                   .align = 8}};

    if (!site_address(d, &s, i, at, &code))
        return false;
    struct execute_op *op = site_emit(d, &s, CODE_MBARRIER);

    op->detail[0] = (uint8_t)kind;
    op->from[0] = from;
    op->to = to;
    return true;
}

static void pending_lanes(const struct op_registers *r, const struct execute_op *op,
                          uint32_t mask)
{
    const uint64_t *states = op_register(r, op->from[0]);
    uint32_t *to = op_register(r, op->to);

    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        to[lane] = mbarrier_pending(states[lane]);
    }
}

/* mbarrier.pending_count.b64 count, state; */
static bool decode_pending(struct decoder *d, const struct ptx_instruction *i)
{
    op_place from;

    if (i->operand_count != 2 || i->operands[0].kind != PTX_REGISTER ||
        d->function->registers[i->operands[0].reg].bytes != 4)
        return refuse_instruction(d, i);
    if (!operand_source(d, &i->operands[1], 8, &from))
        return false;
    emit_lanes(d, pending_lanes, operand_target(d, &i->operands[0], 4), from);
    return true;
}

bool decode_mbarrier(struct decoder *d, const struct ptx_instruction *i)
{
    enum mbarrier_kind kind = kind_of(i);
    bool has_result = i->operand_count && i->operands[0].kind != PTX_MEMORY;
    const struct ptx_operand *at = &i->operands[has_result], *value = at + 1;
    bool has_value = i->operand_count > 1u + has_result;
    op_place from = constant_place(d, 1, 4), to = PLACE_NONE; /* one arrival */

    /* cp.async.mbarrier.arrive: copies are complete immediately. Without .noinc the
       instruction adds the arrival that it then makes, so it has no effect. */
    if (ptx_has(i, PTX_PART_INVAL) || (i->opcode == PTX_CP && !ptx_has(i, PTX_PART_NOINC)))
        return true;
    if (ptx_has(i, PTX_PART_PENDING_COUNT))
        return decode_pending(d, i);
    if (kind == MBARRIER_NONE || i->operand_count < 1u + has_result ||
        at->kind != PTX_MEMORY ||
        (!has_value && kind != MBARRIER_ARRIVE && kind != MBARRIER_DROP) ||
        (!has_result && kind >= MBARRIER_TEST))
        return refuse_instruction(d, i);
    if (has_value && !operand_source(d, value, kind == MBARRIER_TEST ? 8 : 4, &from))
        return false;
    if (has_result)
        to = operand_target(d, &i->operands[0], kind >= MBARRIER_TEST ? 0 : 8);
    return emit_mbarrier(d, i, at, kind, from, to);
}

/* A store that completes immediately and is counted by the mbarrier. */
bool decode_store_async(struct decoder *d, const struct ptx_instruction *i)
{
    uint32_t bytes = ptx_type_bytes(i->type) * (i->vector > 1 ? i->vector : 1u);

    if (i->operand_count != 3 || i->operands[2].kind != PTX_MEMORY || !is_shared(i) ||
        !ptx_has(i, PTX_PART_MBARRIER_COMPLETE_TX_BYTES))
        return refuse_instruction(d, i);
    return decode_memory(d, i) && emit_mbarrier(d, i, &i->operands[2], MBARRIER_COMPLETE,
                                                constant_place(d, bytes, 4), PLACE_NONE);
}

/* red.async, which is performed immediately as well. */
bool decode_red_async(struct decoder *d, const struct ptx_instruction *i)
{
    if (i->operand_count != 3 || i->operands[2].kind != PTX_MEMORY || !is_shared(i) ||
        !ptx_has(i, PTX_PART_MBARRIER_COMPLETE_TX_BYTES))
        return refuse_instruction(d, i);
    return decode_atomic(d, i) &&
           emit_mbarrier(d, i, &i->operands[2], MBARRIER_COMPLETE,
                         constant_place(d, ptx_type_bytes(i->type), 4), PLACE_NONE);
}

/* Bulk copy into shared memory, counted by an mbarrier. Its sites are destination, source,
   mbarrier. */
/* No reduction, no multicast, no tensor. */
static bool is_bulk_load(const struct ptx_instruction *i)
{
    static const uint16_t known[] = {
        PTX_PART_ASYNC,        PTX_PART_BULK,   PTX_PART_SHARED_CLUSTER,
        PTX_PART_SHARED_CTA,   PTX_PART_GLOBAL, PTX_PART_MBARRIER_COMPLETE_TX_BYTES,
        PTX_PART_L2_CACHE_HINT};

    for (unsigned k = 0; k < i->part_count; k++) {
        bool found = false;

        for (size_t n = 0; n < sizeof known / sizeof *known && !found; n++)
            found = known[n] == i->parts[k];
        if (!found)
            return false;
    }
    return true;
}

bool decode_bulk_load(struct decoder *d, const struct ptx_instruction *i)
{
    static const struct execute_access accesses[] = {
        {.kind = EXECUTE_STORE, .bytes = 16, .align = 16},
        {.kind = EXECUTE_LOAD, .bytes = 16, .align = 16},
        {.kind = EXECUTE_ATOMIC, .bytes = 8, .align = 8}};
    static const unsigned operands[] = {0, 1, 3};
    bool is_from_shared = ptx_has(i, PTX_PART_SHARED_CTA) && !ptx_has(i, PTX_PART_GLOBAL);
    uint32_t first = (uint32_t)d->kernel->site_count;
    uint32_t hint = ptx_has(i, PTX_PART_L2_CACHE_HINT);
    op_place bytes;

    if (i->operand_count != 4 + hint || !is_bulk_load(i))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < 3; n++) {
        struct site s = {.access = accesses[n]};
        enum op_code code = n == 1 && !is_from_shared ? CODE_GLOBAL : CODE_SHARED;

        if (i->operands[operands[n]].kind != PTX_MEMORY ||
            !site_address(d, &s, i, &i->operands[operands[n]], &code))
            return refuse_instruction(d, i);
        site_add(d, &s);
    }
    if (!operand_source(d, &i->operands[2], 4, &bytes))
        return false;
    struct execute_op *op = emit(d, CODE_BULK_LOAD);

    op->extra = first;
    op->from[0] = bytes;
    op->detail[0] = is_from_shared;
    return true;
}
