/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A kernel version under construction: the common state of its transforms. */

#include "instrument/edit.h"
#include "instrument/flow/origin.h"
#include "instrument/instrument.h"

struct clone {
    const struct ptx_module *module;
    const struct ptx_function *function;
    const struct instrument_request *request;
    enum instrument_clone kind;
    bool is_wanted;              /* False: the caller only needs to know whether the version
                                    is refused. */
    const struct origin *origin; /* by register */
    struct ptx_flow *flow;
    struct arena *arena;
    struct edit_list edits;
    unsigned labels; /* number of labels that the transforms have created */
    bool tallies;    /* the threads end one by one: clone_tally.c */
    struct proact_error *err;
};

/* Refuses the version. The message is "NAME (FILE:LINE): " and the reason. Returns
   PROACT_EREFUSED. */
__attribute__((format(printf, 3, 4))) enum proact_status clone_refuse(
    const struct clone *c, const struct ptx_instruction *i, const char *format, ...);

/* Accesses redirected to device 0's replica, such as idempotent stores. redirect_flags()
   rewrites each as a complete instruction. */
static inline bool clone_is_flag(const struct clone *c, uint32_t instruction)
{
    return c->request->flags && c->request->flags[instruction];
}

/* Accesses to an array with a single copy. They stay unchanged in every version. */
static inline bool clone_is_direct(const struct clone *c, uint32_t instruction)
{
    return c->request->direct && c->request->direct[instruction];
}

/* Widens the scope of an atomic to system scope: clone_scope.c. */
void clone_among_all(struct clone *c, const struct ptx_instruction *i);
/* True for an atomic that runs on device 0's memory and whose result is used. */
bool version_is_fetch_atomic(const struct clone *c, const struct ptx_instruction *i);

/* Position in the text after the instruction's guard: the position of its opcode. */
uint32_t clone_behind_guard(const struct clone *c, const struct ptx_instruction *i);

/* Visits each store into a slot's array except redirected ones. Refuses a store with an
   unknown target, and one whose address is not a plain register: clone_stores.c. */
typedef enum proact_status clone_store(struct clone *c, const struct ptx_instruction *i,
                                       const struct ptx_operand *to, int slot);
enum proact_status clone_each_store(struct clone *c, clone_store *visit);

/* Suffix after the kernel's name: the dynamic shared memory of a version that stages
   stores. */
#define CLONE_STAGE "__proact_staged"

/* Registers that the transforms use between two instructions, and the name of the last
   parameter. */
#define CLONE_REGISTERS                                                                    \
    "\n\t.reg .pred \t%%proact_p<2>;\n\t.reg .b32 \t%%proact_r<10>;"                       \
    "\n\t.reg .b64 \t%%proact_d<3>;"
#define CLONE_PARTITION "proact_partition"
/* Shared memory for counting threads: one word, padded to keep the alignment of what
   follows. */
enum { TALLY_BYTES = 16 };

/* Transforms, each with the file that implements it. */
enum proact_status clone_add_partition(struct clone *c); /* clone_partition.c */
enum proact_status replace_indices(struct clone *c);     /* clone_grid.c */
enum proact_status keep_coherent(struct clone *c);       /* clone_scope.c */
enum proact_status repeat_stores(struct clone *c);       /* clone_stores.c */
enum proact_status stage_stores(struct clone *c);        /* clone_stage.c */
enum proact_status redirect_flags(struct clone *c);      /* clone_flags.c */
enum proact_status end_together(struct clone *c);        /* version_epilogue.c */
enum proact_status refuse_whole(struct clone *c);        /* refuse.c */
enum proact_status refuse_calls(struct clone *c);        /* refuse_calls.c */
enum proact_status refuse_waits(struct clone *c);        /* refuse_waits.c */
enum proact_status tally_threads(struct clone *c);       /* clone_tally.c */
