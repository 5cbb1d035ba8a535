/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reductions: atomics on numbers with unused results, as in `atomicAdd(&bins[value[i]],
   1)`. Memory may decide their location. Their order has no effect if all atomics on an
   array are of one kind and the launch does not access the array otherwise. Atomics of
   several devices may therefore go to one replica. The order of floating-point sums affects
   the last digits; they count as reductions only on request. */

#include "ptx/ptx.h"

/* Reduction. One kind is one operation on one type. */
struct access_reduction {
    uint32_t instruction, line;
    uint32_t parameter; /* parameter offset of its pointer */
    uint32_t kind;      /* never 0 */
};

struct access_reductions {
    struct access_reduction *reduction;
    uint32_t count;
};

/* Whether the kernel has a reduction of floating-point numbers. */
bool access_reductions_have_floats(const struct ptx_function *f);
/* Finds the reductions through pointer parameters; `floats` includes sums of floating-point
   numbers and halves. */
struct access_reductions access_reductions_find(const struct ptx_module *m,
                                                const struct ptx_function *f, bool floats);
/* Set by instruction; the caller frees it with free(). */
bool *access_reductions_all(const struct access_reductions *r,
                            const struct ptx_function *of);
/* Removes these instructions from the reductions. */
void access_reductions_leave(struct access_reductions *r, const bool *instructions);
void access_reductions_clear(struct access_reductions *r);

/* Properties of a kind: operation, type, size in bytes. Sums and bit operations have
   unsigned types. */
enum ptx_part access_reduction_operation(uint32_t kind);
enum ptx_part access_reduction_type(uint32_t kind);
unsigned access_reduction_bytes(uint32_t kind);
bool access_reduction_is_float(uint32_t kind);
/* Whether each device may have partial results that are combined later. Excluded are swaps
   and halves. */
bool access_reduction_has_partials(uint32_t kind);
/* Neutral element of the operation. */
uint64_t access_reduction_neutral(uint32_t kind);
