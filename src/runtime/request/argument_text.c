/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/request/argument_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "instrument/instrument.h"
#include "runtime/objects/kernel.h"

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

struct argument_text argument_text(const struct proact_kernel *k, uint32_t offset)
{
    struct argument_text t;
    const struct ptx_symbol *s = k->ptx->symbols;
    uint32_t i = 0;

    while (i + 1 < k->ptx->parameter_count && offset - s[i].offset >= s[i].bytes)
        i++;
    if (begins(s[i].name, INSTRUMENT_VARIABLE))
        snprintf(t.text, sizeof t.text, "variable '%s'",
                 s[i].name + strlen(INSTRUMENT_VARIABLE));
    else if (begins(s[i].name, INSTRUMENT_TABLE))
        snprintf(t.text, sizeof t.text, "a pointer table");
    else if (s[i].bytes == sizeof(uint64_t))
        snprintf(t.text, sizeof t.text, "argument %" PRIu32, i);
    else
        snprintf(t.text, sizeof t.text, "byte %" PRIu32 " of argument %" PRIu32,
                 offset - s[i].offset, i);
    return t;
}
