/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx.h"

static const struct {
    enum ptx_opcode opcode;
    enum ptx_part part, also; /* PTX_PART_COUNT: any */
    unsigned capability;
} capabilities[] = {
#define CAPABILITY(opcode, part, capability) {opcode, part, PTX_PART_COUNT, capability},
#define CAPABILITY_BOTH(opcode, part, also, capability) {opcode, part, also, capability},
#include "ptx/capability.def"
#undef CAPABILITY_BOTH
#undef CAPABILITY
};

static bool capability_matches(const struct ptx_instruction *i, enum ptx_part part)
{
    return part == PTX_PART_COUNT || ptx_has(i, part);
}

unsigned ptx_capability(const struct ptx_instruction *i)
{
    unsigned most = 0;

    for (size_t n = 0; n < sizeof capabilities / sizeof *capabilities; n++)
        if (capabilities[n].opcode == i->opcode && capabilities[n].capability > most &&
            capability_matches(i, capabilities[n].part) &&
            capability_matches(i, capabilities[n].also))
            most = capabilities[n].capability;
    return most;
}
