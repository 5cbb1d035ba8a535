/* SPDX-License-Identifier: Apache-2.0 */
/* Name of the version, its last parameter, and the registers of the transforms. */
#include <stdio.h>

#include "instrument/clone/clone.h"
#include "instrument/parameter.h"

/* The parameter has one slot more than the kernel: a look-ahead may read the next slot
   before it checks whether one exists. */
uint32_t instrument_partition_bytes(enum instrument_clone clone, uint32_t slot_count)
{
    const size_t slots = slot_count < PROACT_SLOTS_MAX ? slot_count + 1 : PROACT_SLOTS_MAX,
                 first = offsetof(struct proact_partition, slot);

    return (uint32_t)(clone == INSTRUMENT_STAGE
                          ? first + sizeof(struct proact_staged_slots)
                          : first + slots * sizeof(struct proact_slot));
}

enum proact_status clone_add_partition(struct clone *c)
{
    const uint32_t most = parameters_max(c->module);
    const struct ptx_function *f = c->function;
    const uint32_t bytes = instrument_partition_bytes(c->kind, c->request->slot_count);
    char partition[64];

    if (f->parameter_bytes + bytes + 8 > most)
        return clone_refuse(c, NULL,
                            "its parameters have %u bytes, with the partition's %u they "
                            "would not fit into %u",
                            f->parameter_bytes, bytes, most);
    edit_replace(&c->edits, parameter_name_of(c->module, f), "%s%s", f->name,
                 instrument_suffix(c->kind));
    snprintf(partition, sizeof partition, ".param .align 8 .b8 " CLONE_PARTITION "[%u]",
             bytes);
    parameter_append(&c->edits, c->module, f, partition);
    edit_insert(&c->edits, f->body.offset, CLONE_REGISTERS);
    return PROACT_OK;
}
