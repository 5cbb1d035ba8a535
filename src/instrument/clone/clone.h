/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A clone in the making: what its passes share. */

#include "instrument/edit.h"
#include "instrument/flow/origin.h"
#include "instrument/instrument.h"

struct clone {
    const struct ptx_module *module;
    const struct ptx_function *function;
    const struct instrument_request *request;
    enum instrument_clone kind;
    bool is_wanted;              /* else it is only asked whether it is refused */
    const struct origin *origin; /* by register */
    struct ptx_flow *flow;
    struct arena *arena;
    struct edit_list edits;
    unsigned labels; /* that passes made so far */
    bool tallies;    /* its threads end one by one: clone_tally.c */
    struct proact_error *err;
};

/* Refuses the clone: "NAME (FILE:LINE): " and why, a sentence's rest. */
__attribute__((format(printf, 3, 4))) enum proact_status clone_refuse(
    const struct clone *c, const struct ptx_instruction *i, const char *format, ...);

/* Whether that instruction sets a flag: redirect_flags() says it anew, as a whole. */
static inline bool clone_is_flag(const struct clone *c, uint32_t instruction)
{
    return c->request->flags && c->request->flags[instruction];
}

/* Whether it goes to an array of which there is one: it stays as it is, among all devices.
 */
static inline bool clone_is_direct(const struct clone *c, uint32_t instruction)
{
    return c->request->direct && c->request->direct[instruction];
}

/* An atomic's scope becomes that of all devices: clone_scope.c */
void clone_among_all(struct clone *c, const struct ptx_instruction *i);
/* An atomic that is made in the first device's memory, and whose result is used. */
bool version_is_fetch_atomic(const struct clone *c, const struct ptx_instruction *i);

/* The text's place behind an instruction's guard: the opcode's. */
uint32_t clone_behind_guard(const struct clone *c, const struct ptx_instruction *i);

/* Visits the stores into slots' arrays, but flags; refuses what cannot be told, or is no
   plain address in a register: clone_stores.c */
typedef enum proact_status clone_store(struct clone *c, const struct ptx_instruction *i,
                                       const struct ptx_operand *to, int slot);
enum proact_status clone_each_store(struct clone *c, clone_store *visit);

/* Behind the kernel's name: its clone's dynamic shared memory, where that stages. */
#define CLONE_STAGE "__proact_staged"

/* Registers that the passes may use between two instructions; the last parameter. */
#define CLONE_REGISTERS                                                                    \
    "\n\t.reg .pred \t%%proact_p<2>;\n\t.reg .b32 \t%%proact_r<10>;"                       \
    "\n\t.reg .b64 \t%%proact_d<3>;"
#define CLONE_PARTITION "proact_partition"
/* Of shared memory, for threads that are counted: a word, and what follows is aligned. */
enum { TALLY_BYTES = 16 };

/* The passes. */
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
