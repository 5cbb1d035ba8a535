/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers in constant memory that say where a kernel writes. */

#include "analyze/analyze_kernel.h"
#include "analyze/analyze_options.h"

/* A place in a .const variable; `bytes` 0: a table, of which any place may be asked for. */
struct analyze_constant {
    int32_t symbol; /* of the kernel's module, from 0 */
    uint32_t offset, bytes;
};
enum { ANALYZE_CONSTANTS_MAX = 64 };

/* What the kernel's slice asks for, each once; the rest of too many are left out. */
uint32_t analyze_constants_read(const struct analyze_kernel *k,
                                struct analyze_constant constants[ANALYZE_CONSTANTS_MAX]);
/* "width", or "shape.8" for byte 8 of it. */
void analyze_constant_text(const struct analyze_kernel *k, const struct analyze_constant *c,
                           char *into, size_t size);

/* What the module's constants hold in a launch: their initial content, but for what was
   typed. */
struct analyze_constants {
    unsigned char **content; /* by symbol; NULL: no constant */
    bool **given;            /* the same, by byte: it has an initial value, or was typed */
    struct write_set_constant *items;
    uint32_t count, symbols;
};

/* Returns an exit status: values that do not fit, or that the slice misses, are said. */
int analyze_constants_fill(struct analyze_constants *c, const struct analyze_kernel *k,
                           const struct analyze_request *q);
bool analyze_constants_have(const struct analyze_constants *c,
                            const struct analyze_constant *place);
void analyze_constants_clear(struct analyze_constants *c);
