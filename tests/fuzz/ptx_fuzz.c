/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as PTX: a text that parses must be printed unchanged, and its control flow must
   be found. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void walk(const struct ptx_module *m, const struct ptx_function *f)
{
    struct arena arena = {0};
    char text[40];

    ptx_flow_build(f, &arena);
    arena_clear(&arena);
    for (uint32_t i = 0; i < f->instruction_count; i++)
        ptx_instruction_text(m, &f->instructions[i], text, sizeof text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    size_t printed_bytes;

    if (ptx_parse("fuzz.ptx", (const char *)data, bytes, &m, &err)) {
        if (m || !strchr(err.text, '^'))
            abort(); /* an error names its position */
        return 0;
    }
    char *printed = ptx_print(m, &printed_bytes);

    if (printed_bytes != bytes || (bytes && memcmp(printed, data, bytes) != 0))
        abort();
    free(printed);
    for (uint32_t i = 0; i < m->function_count; i++)
        walk(m, &m->functions[i]);
    ptx_destroy(m);
    return 0;
}
