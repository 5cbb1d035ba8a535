/* SPDX-License-Identifier: Apache-2.0 */
/* Counting of threads that end one by one. No barrier counts and no mask names a thread
   that has returned, but threads that wait for the epilogue would be expected there. A warp
   with some lanes at a barrier is not waited for (seen on sm_90). Where threads may end one
   by one, each thread therefore adds to a counter in shared memory and returns. The last
   thread alone runs the epilogue. */
#include "instrument/clone/clone.h"
#include "instrument/flow/definition.h"
#include "instrument/flow/divergence.h"

static bool is_barrier(const struct ptx_instruction *i)
{
    return (i->opcode == PTX_BAR || i->opcode == PTX_BARRIER) &&
           !ptx_has(i, PTX_PART_WARP) && !ptx_has(i, PTX_PART_CLUSTER);
}

/* Functions are not rewritten. If one has a barrier, every call may synchronize. */
static bool functions_meet(const struct ptx_module *m)
{
    for (uint32_t k = 0; k < m->function_count; k++) {
        const struct ptx_function *f = &m->functions[k];

        for (uint32_t n = 0; !f->is_entry && n < f->instruction_count; n++)
            if (is_barrier(&f->instructions[n]))
                return true;
    }
    return false;
}

struct constant {
    int32_t reg;
    bool is_set;
};

static void find_definition(void *context, int32_t reg)
{
    struct constant *k = context;

    k->is_set |= reg == k->reg;
}

/* True for -1 and for a register that a move sets to -1. */
static bool is_full(const struct ptx_function *f, const struct ptx_operand *mask)
{
    if (mask->kind == PTX_INTEGER)
        return (uint32_t)mask->integer == UINT32_MAX;
    for (uint32_t n = 0; mask->kind == PTX_REGISTER && n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        struct constant k = {mask->reg, false};

        definition_each(i, find_definition, &k);
        if (k.is_set && i->opcode == PTX_MOV && i->operand_count == 2 &&
            i->operands[1].kind == PTX_INTEGER &&
            (uint32_t)i->operands[1].integer == UINT32_MAX)
            return true;
    }
    return false;
}

/* True for a warp operation with a full mask, whose lanes may have ended. */
static bool expects_ended(const struct ptx_function *f, const struct ptx_instruction *i,
                          uint8_t marks)
{
    bool warp = i->opcode == PTX_SHFL || i->opcode == PTX_VOTE || i->opcode == PTX_MATCH ||
                i->opcode == PTX_REDUX || ptx_has(i, PTX_PART_WARP);

    if (!(marks & DIVERGENCE_ENDS) || !warp || !ptx_has(i, PTX_PART_SYNC) ||
        !i->operand_count)
        return false;
    return is_full(f, &i->operands[i->operand_count - 1]);
}

/* First instruction that expects a thread which may have ended. NULL: none. */
static const struct ptx_instruction *tally_find_sync(const struct clone *c)
{
    const struct ptx_function *f = c->function;
    const uint8_t *region = divergence_find(f, c->flow, c->arena);
    bool calls_meet = functions_meet(c->module);

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        uint8_t marks = region[c->flow->block_of[n]];
        bool meets = is_barrier(i) || (i->opcode == PTX_CALL && calls_meet);

        if (expects_ended(f, i, marks) || (meets && marks & DIVERGENCE_THREAD))
            return i;
    }
    return NULL;
}

enum proact_status tally_threads(struct clone *c)
{
    const struct ptx_instruction *sync = tally_find_sync(c);

    if (sync && c->kind == INSTRUMENT_SEND)
        return clone_refuse(c, sync,
                            "some threads of the CTA may have returned by then, and "
                            "sending needs all threads at the end");
    c->tallies |= sync != NULL;
    return PROACT_OK;
}
