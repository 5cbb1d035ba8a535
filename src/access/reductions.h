/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reductions: atomics of integers that nobody asks for a result, as in
   `atomicAdd(&bins[value[i]], 1)`. Where they go may hang on memory. In which order they
   are made shows in nothing, if all in one array are of one kind and nothing else in the
   launch has to do with it: so those of several devices may go to one replica. Sums of
   floating-point numbers are none, they hang on the order. */

#include "ptx/ptx.h"

/* Of one kind are those of the same operation on numbers of the same type. */
struct access_reduction {
    uint32_t instruction, line;
    uint32_t parameter; /* its pointer, by the byte in the block */
    uint32_t kind;      /* never 0 */
};

struct access_reductions {
    struct access_reduction *reduction;
    uint32_t count;
};

/* Those that go through a pointer among the parameters. */
struct access_reductions access_reductions_find(const struct ptx_module *m,
                                                const struct ptx_function *f);
/* By instruction; free() it. */
bool *access_reductions_all(const struct access_reductions *r,
                            const struct ptx_function *of);
void access_reductions_clear(struct access_reductions *r);

/* What a kind is: of how many bytes its numbers are, and whether it orders such with a
   sign. */
enum ptx_part access_reduction_operation(uint32_t kind);
unsigned access_reduction_bytes(uint32_t kind);
bool access_reduction_is_signed(uint32_t kind);
/* What changes nothing by it, and what it does not change. */
uint64_t access_reduction_neutral(uint32_t kind);
