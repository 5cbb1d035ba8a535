/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values in constant memory that determine where a kernel writes. */

#include "analyze/analyze_kernel.h"
#include "analyze/analyze_options.h"

/* A field of a .const variable. `bytes` 0: a table, which may be loaded at any offset. */
struct analyze_constant {
    int32_t symbol; /* of the kernel's module, from 0 */
    uint32_t offset, bytes;
};
enum { ANALYZE_CONSTANTS_MAX = 64 };

/* The fields that the kernel's slice loads, without duplicates. Fields beyond the limit are
   dropped. */
uint32_t analyze_constants_read(const struct analyze_kernel *k,
                                struct analyze_constant constants[ANALYZE_CONSTANTS_MAX]);
/* "width", or "shape.8" for its byte 8. */
void analyze_constant_text(const struct analyze_kernel *k, const struct analyze_constant *c,
                           char *into, size_t size);

/* Constants of a launch: their initial values, replaced by those of the command line. */
struct analyze_constants {
    unsigned char **content; /* by symbol; NULL: not a constant */
    bool **given;            /* by symbol and byte: the value is initialized or given */
    struct write_set_constant *items;
    uint32_t count, symbols;
};

/* Returns an exit status. A message reports values that do not fit, and missing values that
   the slice needs. */
int analyze_constants_fill(struct analyze_constants *c, const struct analyze_kernel *k,
                           const struct analyze_request *q);
bool analyze_constants_have(const struct analyze_constants *c,
                            const struct analyze_constant *place);
void analyze_constants_clear(struct analyze_constants *c);
