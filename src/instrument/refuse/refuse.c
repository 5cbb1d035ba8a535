/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals: instructions with a different result in a part of the grid than in the complete
   grid. */
#include <stdlib.h>
#include <string.h>

#include "instrument/clone/clone.h"
#include "instrument/flow/definition.h"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static enum proact_status refuse_special(const struct clone *c,
                                         const struct ptx_instruction *i,
                                         const struct ptx_operand *o)
{
    const char *name = c->module->text + o->span.offset;
    const int length = (int)o->span.bytes;
    bool index = o->special >= PTX_CTAID_X && o->special <= PTX_NCTAID_Z;

    if (index && i->type != PTX_PART_COUNT && ptx_type_bytes(i->type) == 2)
        return clone_refuse(c, i, "it reads %.*s as 16 bits, a partition's has 32", length,
                            name);
    if (o->special == PTX_GRIDID)
        return clone_refuse(c, i, "it reads %%gridid, which differs between devices");
    if (o->special < PTX_ENVREG1)
        return PROACT_OK;
    if (starts(name, "%envreg"))
        return clone_refuse(c, i,
                            "it reads %.*s, as grid-wide synchronisation does: its CTAs "
                            "would wait for those of other devices",
                            length, name);
    if (strstr(name, "cluster") && strstr(name, "cluster") < name + length)
        return clone_refuse(c, i, "it reads %.*s: clusters of CTAs are not split", length,
                            name);
    if (starts(name, "%ctaid") || starts(name, "%nctaid"))
        return clone_refuse(c, i, "it reads %.*s as a vector", length, name);
    return PROACT_OK;
}

static enum proact_status refuse_specials(const struct clone *c,
                                          const struct ptx_instruction *i)
{
    enum proact_status status = PROACT_OK;

    for (uint32_t k = 0; k < i->operand_count && !status; k++)
        if (i->operands[k].kind == PTX_SPECIAL)
            status = refuse_special(c, i, &i->operands[k]);
    return status;
}

/* Refuses instructions that cooperate with other CTAs or bypass the order of ordinary
   stores. */
static enum proact_status refuse_opcode(const struct clone *c,
                                        const struct ptx_instruction *i)
{
    bool global = i->space == PTX_SPACE_GLOBAL;

    switch (i->opcode) {
    case PTX_MAPA:
    case PTX_GETCTARANK:
    case PTX_CLUSTERLAUNCHCONTROL:
        return clone_refuse(c, i, "it names CTAs of its cluster: clusters are not split");
    case PTX_BAR:
    case PTX_BARRIER:
        if (ptx_has(i, PTX_PART_CLUSTER))
            return clone_refuse(c, i, "a barrier of a cluster: clusters are not split");
        return PROACT_OK;
    case PTX_MULTIMEM:
        return clone_refuse(c, i, "it writes by multimem, to an address in no array");
    case PTX_CP:
        if (global && ptx_has(i, PTX_PART_BULK) && !ptx_has(i, PTX_PART_PREFETCH))
            return clone_refuse(c, i,
                                "an asynchronous bulk copy writes to global memory, "
                                "without order to the kernel's stores");
        return PROACT_OK;
    case PTX_ST:
        if (ptx_has(i, PTX_PART_ASYNC) && i->space != PTX_SPACE_SHARED)
            return clone_refuse(c, i, "an asynchronous store to global memory");
        return PROACT_OK;
    default:
        return PROACT_OK;
    }
}

/* Refuses an atomic on an array that another device updates too. Also refuses one whose
   result would have to reach the peers immediately. */
static enum proact_status refuse_replica(const struct clone *c,
                                         const struct ptx_instruction *i)
{
    if (c->request->owns_atomics && c->kind != INSTRUMENT_INLINE &&
        c->kind != INSTRUMENT_STAGE)
        return PROACT_OK;
    if (c->request->owns_atomics)
        return clone_refuse(c, i,
                            "an atomic on a replicated array: its effect is not a store "
                            "that could be repeated on the peers");
    if (i->opcode != PTX_RED && definition_is_read(c->function, &i->operands[0]))
        return clone_refuse(c, i,
                            "it uses the result of an atomic on a replicated array: each "
                            "device would count in its own replica");
    return clone_refuse(c, i,
                        "an atomic on a replicated array: each device would update its "
                        "own replica only");
}

static enum proact_status refuse_atomic(const struct clone *c,
                                        const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[i->opcode == PTX_RED ? 0 : 1];

    if (i->space == PTX_SPACE_SHARED || to->kind != PTX_MEMORY)
        return PROACT_OK;
    struct origin o = origin_of_memory(c->module, c->function, c->origin, to);
    int slot = origin_slot(&o);

    if (slot >= 0)
        return refuse_replica(c, i);
    if (o.parts == ORIGIN_LOCAL)
        return PROACT_OK;
    if (o.parts & ORIGIN_MODULE)
        return clone_refuse(c, i,
                            "an atomic on a variable of the module, and each device "
                            "has its own copy");
    if (slot == -2 && c->request->owns_atomics)
        return refuse_replica(c, i);
    if (slot == -2)
        return clone_refuse(c, i, "an atomic on an unknown array");
    if (i->opcode != PTX_RED && definition_is_read(c->function, &i->operands[0]))
        return clone_refuse(c, i,
                            "it uses the result of an atomic that CTAs of all devices "
                            "update");
    return PROACT_OK;
}

static enum proact_status refuse_store(const struct clone *c,
                                       const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0];
    bool stores = (i->opcode == PTX_ST || i->opcode == PTX_WMMA) && to->kind == PTX_MEMORY;

    if (!stores || i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
        i->space == PTX_SPACE_PARAM)
        return PROACT_OK;
    struct origin o = origin_of_memory(c->module, c->function, c->origin, to);

    if (o.parts & ORIGIN_MODULE && origin_slot(&o) < 0)
        return clone_refuse(c, i,
                            "it stores into a variable of the module, and each device "
                            "has its own copy");
    return PROACT_OK;
}

/* Directives start with a dot, unlike names of kernels and parameters. */
static enum proact_status refuse_clusters(const struct clone *c)
{
    static const char *const words[] = {".reqnctapercluster", ".explicitcluster",
                                        ".maxclusterrank"};
    const struct ptx_span at = c->function->header;
    const char *const module = c->module->text, *found = NULL;
    char *header = must_strndup(module + at.offset, at.bytes);
    struct ptx_instruction place = {.line = 1};

    for (size_t w = 0; w < sizeof words / sizeof *words && !found; w++)
        found = strstr(header, words[w]);
    for (const char *s = module; found && s < module + at.offset + (found - header); s++)
        place.line += *s == '\n';
    free(header);
    return found
               ? clone_refuse(c, &place, "it is launched in clusters, which are not split")
               : PROACT_OK;
}

/* Each device receives its own texture objects as parameters. */
static enum proact_status refuse_textures(const struct clone *c)
{
    struct instrument_textures t;

    instrument_textures(c->module, c->function, &t);
    free(t.offsets);
    return t.why ? clone_refuse(c, &(struct ptx_instruction){.line = t.line}, "%s", t.why)
                 : PROACT_OK;
}

enum proact_status refuse_whole(struct clone *c)
{
    const struct ptx_function *f = c->function;
    enum proact_status status = refuse_clusters(c);

    if (!status)
        status = refuse_textures(c);
    for (uint32_t n = 0; n < f->instruction_count && !status; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if ((status = refuse_specials(c, i)) || (status = refuse_opcode(c, i)))
            return status;
        if (clone_is_flag(c, n) || clone_is_direct(c, n))
            continue; /* its target is the same on every device */
        if ((i->opcode == PTX_ATOM && i->operand_count > 1) ||
            (i->opcode == PTX_RED && i->operand_count))
            status = refuse_atomic(c, i);
        else if (i->operand_count)
            status = refuse_store(c, i);
    }
    return status;
}
