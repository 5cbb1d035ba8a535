/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/ptx.h"

static const struct {
    enum ptx_opcode opcode;
    enum ptx_part part;
    unsigned capability;
} capabilities[] = {
#define CAPABILITY(opcode, part, capability) {opcode, part, capability},
#include "ptx/capability.def"
#undef CAPABILITY
};

unsigned ptx_capability(const struct ptx_instruction *i)
{
    unsigned most = 0;

    for (size_t n = 0; n < sizeof capabilities / sizeof *capabilities; n++) {
        const enum ptx_part part = capabilities[n].part;

        if (capabilities[n].opcode == i->opcode && capabilities[n].capability > most &&
            (part == PTX_PART_COUNT || ptx_has(i, part)))
            most = capabilities[n].capability;
    }
    return most;
}
