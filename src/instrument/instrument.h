/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room that rewrites kernels which nobody marked. Beside an untouched kernel it
   puts clones of it; each takes a `struct proact_partition` (proact/device.h) by value as
   one more, last parameter, so that whoever launches it sees a marked kernel. */

#include <stdbool.h>

#include <proact/device.h>
#include <proact/status.h>

#include "ptx/ptx.h"

enum instrument_clone {
    INSTRUMENT_GRID,   /* NAME__proact_grid: runs a part of the grid, and no more */
    INSTRUMENT_INLINE, /* NAME__proact_inline: stores to the peers, too */
    INSTRUMENT_COUNT,  /* NAME__proact_count: its last words are those of proact_done() */
    INSTRUMENT_SEND, /* NAME__proact_send: the same, where a CTA may have to send chunks */
    INSTRUMENT_KINDS,
    /* NAME__proact_stage: a form of inline for some launches. What a CTA stores is staged
       in its shared memory, and goes to the peers in bulk at its end. */
    INSTRUMENT_STAGE = INSTRUMENT_KINDS,
    INSTRUMENT_CLONES
};
const char *instrument_suffix(enum instrument_clone clone); /* "__proact_grid", ... */

/* How a CTA finds its place in the grid. */
enum instrument_places {
    INSTRUMENT_LINE,   /* the share's CTAs are a line, whatever the grid */
    INSTRUMENT_FLAT,   /* grid and CTAs have one dimension */
    INSTRUMENT_ROWS,   /* they are whole rows of a grid of two dimensions, ... */
    INSTRUMENT_PLANES, /* or planes of one of three, which the share's cta_first counts */
    INSTRUMENT_PLACES
};

/* Of the share, what a clone takes whose kernel has so many slots. */
uint32_t instrument_partition_bytes(enum instrument_clone clone, uint32_t slot_count);

struct instrument_request {
    const char *kernel;
    uint32_t slot_count;
    uint32_t slot_offset[PROACT_SLOTS_MAX]; /* bytes in the parameter block, where the
                                               pointer of that written array lies */
    const bool *flags; /* by instruction: stores, and atomics that nobody asks for their
                          result, that go to the first device's replica alone; NULL for
                          none */
    const bool *joint; /* the same: which of them stay atomics, done there; NULL for none */
    const bool *swaps; /* the same: by which the least or the greatest is found, and which
                          fail only where another CTA's goes on; NULL for none */
    const bool *direct; /* the same: loads, stores and atomics of arrays of which there is
                           one among all devices; NULL for none */
    bool owns_atomics;  /* what else is updated by atomics no other device's CTAs write to:
                           in each launch, which whoever launches the clones sees to */
    enum instrument_clone only; /* instrument_kernel(): the clone that is wanted */
    enum instrument_places places;
};

struct instrument_result {
    uint32_t partition_offset; /* of the last parameter; its end is the block's */
    /* Why there is no such clone: one sentence; empty where there is one. */
    struct proact_error refusal[INSTRUMENT_CLONES];
    uint32_t shared_bytes[INSTRUMENT_CLONES]; /* static, beside the kernel's own */
};

/* Writes `results`, one a request, and the new text: the module's, with the clones behind
   each kernel. free(*out). Fails with PROACT_EINVAL if the module has no such kernel; what
   cannot be cloned is no failure but a refusal. */
enum proact_status instrument_module(const struct ptx_module *m,
                                     const struct instrument_request *requests,
                                     size_t count, struct instrument_result *results,
                                     char **out, size_t *bytes, struct proact_error *err);

/* One clone of one kernel, in a text without the module's kernels, unless something names
   them: a driver compiles all that it is given. Lines ahead of the clone are the module's.
   What is refused is said of all clones; where that one is, the text has none. */
enum proact_status instrument_kernel(const struct ptx_module *m,
                                     const struct instrument_request *request,
                                     struct instrument_result *result, char **out,
                                     size_t *bytes, struct proact_error *err);

/* PROACT_EREFUSED where a loop of the kernel waits for other CTAs, with the request's flags
   made in the memory of all devices: clones of it are refused. */
enum proact_status instrument_waits(const struct ptx_module *m,
                                    const struct instrument_request *r,
                                    struct proact_error *err);

/* The module's text once more, in which kernels that are asked to (PROACT_MODE_LAUNCH)
   launch a kernel for each chunk that they complete (PROACT III-C, dynamic): marked ones
   and clones for INSTRUMENT_SEND. It takes CUDA's device runtime. free() it. */
char *instrument_children(const struct ptx_module *m, size_t *bytes);

/* The module's text, in which kernels that copy a parameter to local memory, and do nothing
   with the copy but read it, or that read it by its place in a register, read the parameter
   by its name; line by line as it was. NULL where there is no such kernel; free() it. */
char *instrument_read_parameters(const struct ptx_module *m, size_t *bytes);

/* The module's text, of whose kernel nothing is left that no thread comes to where
   branches, by instruction, go those ways; line by line as it was. NULL where all is left;
   free() it. */
enum instrument_way { INSTRUMENT_EITHER, INSTRUMENT_GOES, INSTRUMENT_STAYS };
char *instrument_decided(const struct ptx_module *m, const struct ptx_function *kernel,
                         const enum instrument_way *way, size_t *bytes);

/* The module's text, in whose kernel two dimensions of the grid (0 is x) have each other's
   names, %ctaid and %nctaid: it does as before where they have each other's extents; line
   by line as it was. NULL where a function that is called asks for its place, where
   clusters or vectors are asked for, or where the order of CTAs may show (sums of
   floating-point numbers, what an atomic gives back); free() it. */
char *instrument_interchange(const struct ptx_module *m, const struct ptx_function *kernel,
                             unsigned one, unsigned other, size_t *bytes);

/* Memory that a kernel reads addresses from, and does nothing with but read it: what a
   pointer among its parameters leads to, or a variable. */
struct instrument_table {
    int32_t variable; /* symbol of the module, as operands have it; -1: a parameter */
    uint32_t offset;  /* of the pointer in the block of parameters */
    uint32_t bytes;   /* that the kernel is given of it: a multiple of 16 */
};
/* By instruction: the loads from it. NULL where more is done with it than to read it, and
   to ask whether it is there; free() it. */
bool *instrument_table_loads(const struct ptx_function *kernel,
                             const struct instrument_table *table);
/* The module's text, with a kernel that has these tables as its last parameters, and reads
   them there, by names that begin so; line by line as it was. free() it. */
#define INSTRUMENT_TABLE "proact_table_"
char *instrument_tables(const struct ptx_module *m, const struct ptx_function *kernel,
                        const struct instrument_table *tables, unsigned count,
                        size_t *bytes);
/* Whether its clones may have as many parameters. */
bool instrument_tables_fit(const struct ptx_module *m, const struct ptx_function *kernel,
                           const struct instrument_table *tables, unsigned count);

/* The textures that a kernel reads by, where each is a number of 64 bits among its
   parameters: where these lie in the block, each once. */
struct instrument_textures {
    uint32_t *offsets, count; /* free() them */
    const char *why;          /* what it has beside: a sentence's rest; NULL: nothing */
    uint32_t line;            /* of that */
};
void instrument_textures(const struct ptx_module *m, const struct ptx_function *kernel,
                         struct instrument_textures *out);

/* Whether every kernel that uses the variable, by number among the module's symbols, can be
   given its address: no function uses it, none of these kernels is launched by another, and
   nothing holds it or its address from the beginning. */
bool instrument_variable_moves(const struct ptx_module *m, uint32_t symbol);

/* Whether no function uses the variable, nor does anything hold its address: only who asks
   for that can do anything with it. */
bool instrument_variable_is_free(const struct ptx_module *m, uint32_t symbol);

/* The module's text without such variables: kernels that use them have their addresses as
   parameters behind the others, named so, in the order of the symbols; line by line as it
   was. free() it. */
#define INSTRUMENT_VARIABLE "proact_variable_"
char *instrument_variables(const struct ptx_module *m, const bool *which, size_t *bytes);

/* Puts functions of the module in the place of their calls, so that kernels can be read,
   and drops those that nobody calls any more. What calls itself, or is called by address,
   stays called. `*text` is replaced; fails only where it is no PTX. Of a program of one
   file with more PTX than that (by a debugger's wish, -G) calls stay: it would take
   seconds. */
enum { INSTRUMENT_INLINE_BYTES_MAX = 1 << 20 };
enum proact_status instrument_inline(const char *name, char **text, size_t *bytes,
                                     struct proact_error *err);
