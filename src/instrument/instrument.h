/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rewriting of plain kernels. The component adds kernel versions to a module and leaves the
   original kernel unchanged. Each version takes a `struct proact_partition`
   (proact/device.h) by value as an additional last parameter, so that a launch treats it
   like an annotated kernel. */

#include <stdbool.h>

#include <proact/device.h>
#include <proact/status.h>

#include "ptx/ptx.h"

enum instrument_clone {
    INSTRUMENT_GRID,   /* NAME__proact_grid: runs a part of the grid, nothing else */
    INSTRUMENT_INLINE, /* NAME__proact_inline: also stores to the peers */
    INSTRUMENT_COUNT,  /* NAME__proact_count: ends with the epilogue of proact_done() */
    INSTRUMENT_SEND,   /* NAME__proact_send: like count, for CTAs that may send chunks */
    INSTRUMENT_KINDS,
    /* NAME__proact_stage: a form of inline for some launches. A CTA stages its stores in
       shared memory and sends them to the peers in bulk at its end. */
    INSTRUMENT_STAGE = INSTRUMENT_KINDS,
    INSTRUMENT_CLONES
};
const char *instrument_suffix(enum instrument_clone clone); /* "__proact_grid", ... */

/* How a CTA determines its index in the grid. */
enum instrument_places {
    INSTRUMENT_LINE,   /* the CTAs of the partition are numbered linearly, for any grid */
    INSTRUMENT_FLAT,   /* grid and CTAs have one dimension */
    INSTRUMENT_ROWS,   /* the partition consists of complete rows of a 2-D grid */
    INSTRUMENT_PLANES, /* the partition consists of complete planes of a 3-D grid, counted
                          by cta_first */
    INSTRUMENT_PLACES
};

/* Bytes of the partition parameter that a version of a kernel with `slot_count` slots
   takes. */
uint32_t instrument_partition_bytes(enum instrument_clone clone, uint32_t slot_count);

struct instrument_request {
    const char *kernel;
    uint32_t slot_count;
    uint32_t slot_offset[PROACT_SLOTS_MAX]; /* By slot: byte offset in the parameter buffer
                                               of the pointer to the written array. */
    const bool *flags; /* By instruction: accesses to redirect to device 0's replica. They
                          are idempotent and indirect stores, atomics, and the loads that
                          accompany those. NULL: none. */
    const bool *joint; /* By instruction: accesses in `flags` that stay atomic and run on
                          device 0's replica. NULL: none. */
    const bool *swaps; /* By instruction: compare-and-swaps of loops that repeat only if the
                          swap failed: another CTA then made progress. NULL: none. */
    const bool *direct; /* By instruction: accesses to arrays that have a single copy among
                           all devices. NULL: none. */
    bool owns_atomics;  /* The caller guarantees for each launch that no other device writes
                           an array that a device updates by other atomics. */
    enum instrument_clone only; /* instrument_kernel(): the version to create */
    enum instrument_places places;
    bool is_end; /* The version without the kernel's instructions: only its end. */
};

struct instrument_result {
    uint32_t partition_offset; /* offset of the last parameter; its end is the end of the
                                  parameter buffer */
    /* Reason why the version does not exist, as one sentence. Empty if the version
       exists. */
    struct proact_error refusal[INSTRUMENT_CLONES];
    uint32_t shared_bytes[INSTRUMENT_CLONES]; /* static, in addition to the kernel's own */
};

/* Adds all kernel versions to the module's text, each after its kernel, and writes one
   result per request. The caller releases *out with free(). Fails with PROACT_EINVAL if the
   module has no such kernel. A version that cannot be created is a refusal in its result,
   not a failure. */
enum proact_status instrument_module(const struct ptx_module *m,
                                     const struct instrument_request *requests,
                                     size_t count, struct instrument_result *results,
                                     char **out, size_t *bytes, struct proact_error *err);

/* Creates one version of one kernel. The text omits the other kernels of the module unless
   something names them, because a driver compiles all text that it receives. Lines before
   the version keep their numbers. `result` has the refusals of all versions; NULL: only the
   requested version is examined. If that is refused, the text does not contain it. */
enum proact_status instrument_kernel(const struct ptx_module *m,
                                     const struct instrument_request *request,
                                     struct instrument_result *result, char **out,
                                     size_t *bytes, struct proact_error *err);

/* Returns PROACT_EREFUSED if a loop of the kernel waits for other CTAs, given that the
   request's `flags` run on one memory for all devices. All versions are then refused. */
enum proact_status instrument_waits(const struct ptx_module *m,
                                    const struct instrument_request *r,
                                    struct proact_error *err);

/* The module's text with child launches (PROACT III-C, dynamic). Annotated kernels and
   INSTRUMENT_SEND versions in mode PROACT_MODE_LAUNCH launch a kernel for each chunk that
   they complete. The text needs CUDA's device runtime. Release it with free(). */
char *instrument_children(const struct ptx_module *m, size_t *bytes);

/* The module's text with direct parameter loads. It changes kernels that copy a parameter
   to local memory only to read the copy, and kernels that load a parameter through an
   address register. Lines keep their numbers. NULL: no such kernel. Release the text with
   free(). */
char *instrument_read_parameters(const struct ptx_module *m, size_t *bytes);

/* The module's text without the instructions of the kernel that are unreachable if its
   branches take the given directions (by instruction). Lines keep their numbers. NULL: all
   instructions are reachable. Release the text with free(). */
enum instrument_way { INSTRUMENT_EITHER, INSTRUMENT_GOES, INSTRUMENT_STAYS };
char *instrument_decided(const struct ptx_module *m, const struct ptx_function *kernel,
                         const enum instrument_way *way, size_t *bytes);

/* The module's text with two grid dimensions of the kernel (0 is x) interchanged in %ctaid
   and %nctaid. With interchanged grid extents the kernel computes the same result. Lines
   keep their numbers. Release the text with free().

   NULL if a called function reads its grid position, if the kernel uses clusters or reads
   vectors of indices, or if the order of CTAs may affect the result. Floating-point atomics
   and used results of atomics are such effects. */
char *instrument_interchange(const struct ptx_module *m, const struct ptx_function *kernel,
                             unsigned one, unsigned other, size_t *bytes);

/* A pointer table: memory from which a kernel loads addresses, and which it only reads. A
   parameter points to it, or it is a variable. */
struct instrument_table {
    int32_t variable; /* Symbol of the module, as in operands. -1: a parameter points to the
                         table. */
    uint32_t offset;  /* of the pointer in the parameter buffer */
    uint32_t bytes;   /* size of the table copy that the kernel receives: a multiple of
                         16 */
};
/* By instruction: the loads from the table. NULL if the kernel does more than load from the
   table and compare its address with null. Release with free(). */
bool *instrument_table_loads(const struct ptx_function *kernel,
                             const struct instrument_table *table);
/* The module's text with the contents of the tables as the kernel's last parameters, whose
   names start with INSTRUMENT_TABLE. The loads read these parameters. Lines keep their
   numbers. Release the text with free(). */
#define INSTRUMENT_TABLE "proact_table_"
char *instrument_tables(const struct ptx_module *m, const struct ptx_function *kernel,
                        const struct instrument_table *tables, unsigned count,
                        size_t *bytes);
/* True if versions of the kernel may have that many bytes of parameters. */
bool instrument_tables_fit(const struct ptx_module *m, const struct ptx_function *kernel,
                           const struct instrument_table *tables, unsigned count);

/* Texture objects of a kernel that are 64-bit parameters: their offsets in the parameter
   buffer, each once. */
struct instrument_textures {
    uint32_t *offsets, count; /* release with free() */
    const char *why;          /* The reason why other texture uses are not supported, as
                                 part of a sentence. NULL: none. */
    uint32_t line;            /* line of that use */
};
void instrument_textures(const struct ptx_module *m, const struct ptx_function *kernel,
                         struct instrument_textures *out);

/* True if every kernel that uses the variable can receive its address as a parameter. That
   requires that no function uses the variable, that no kernel launches any of these
   kernels, and that no initializer contains the variable or its address. `symbol` indexes
   the module's symbols. */
bool instrument_variable_moves(const struct ptx_module *m, uint32_t symbol);

/* True if no function uses the variable and no initializer contains its address. Only host
   code that obtains the address can then access it. */
bool instrument_variable_is_free(const struct ptx_module *m, uint32_t symbol);

/* The module's text without the given variables. Kernels that use them receive their
   addresses as additional last parameters, in the order of the symbols, with names that
   start with INSTRUMENT_VARIABLE. Lines keep their numbers. Release the text with
   free(). */
#define INSTRUMENT_VARIABLE "proact_variable_"
char *instrument_variables(const struct ptx_module *m, const bool *which, size_t *bytes);

/* The module's text with the .global and .const variables of functions at module scope,
   under names of their own. Lines keep their numbers. NULL: no function has such a
   variable. Release the text with free(). */
char *instrument_function_variables(const struct ptx_module *m, size_t *bytes);

/* Inlines the functions of the module at their call sites, so that kernels can be analysed,
   and removes functions without a caller. Recursive functions and functions called by
   address stay. Replaces `*text`. Fails only if the text is not valid PTX. A module with
   more bytes than INSTRUMENT_INLINE_BYTES_MAX (for example from a debug build, -G) keeps
   its calls, because inlining it would take seconds. */
enum { INSTRUMENT_INLINE_BYTES_MAX = 1 << 20 };
enum proact_status instrument_inline(const char *name, char **text, size_t *bytes,
                                     struct proact_error *err);
