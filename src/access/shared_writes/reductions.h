/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reductions: atomics of numbers that nobody asks for a result, as in
   `atomicAdd(&bins[value[i]], 1)`. Where they go may hang on memory. In which order they
   are made shows in nothing, if all in one array are of one kind and nothing else in the
   launch has to do with it: so those of several devices may go to one replica. In sums of
   floating-point numbers it shows in the last digits: they are such only for who asks for
   them. */

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

/* Whether any atomic of it is of floating-point numbers. */
bool access_reductions_have_floats(const struct ptx_function *f);
/* Those that go through a pointer among the parameters; floats: and sums of floating-point
   numbers, halves too. */
struct access_reductions access_reductions_find(const struct ptx_module *m,
                                                const struct ptx_function *f, bool floats);
/* By instruction; free() it. */
bool *access_reductions_all(const struct access_reductions *r,
                            const struct ptx_function *of);
/* Those instructions are none. */
void access_reductions_leave(struct access_reductions *r, const bool *instructions);
void access_reductions_clear(struct access_reductions *r);

/* What a kind is: of which numbers, and how many bytes these are. Sums are of unsigned
   numbers, whatever their sign, and so are bits. */
enum ptx_part access_reduction_operation(uint32_t kind);
enum ptx_part access_reduction_type(uint32_t kind);
unsigned access_reduction_bytes(uint32_t kind);
bool access_reduction_is_float(uint32_t kind);
/* Whether each device may have results of its own, that are combined later: not of what is
   swapped, nor of halves. */
bool access_reduction_has_partials(uint32_t kind);
/* What changes nothing by it. */
uint64_t access_reduction_neutral(uint32_t kind);
