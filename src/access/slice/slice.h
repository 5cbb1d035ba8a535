/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* State of one kernel during slicing; private to this folder. The passes run in this order:
   control flow and definitions, views (the definitions that a use sees), taint (values that
   depend on memory), needs (instructions that decide where the kernel writes), text. */

#include "access/write_set.h"
#include "base/memory.h"
#include "ptx/ptx.h"

enum { SLICE_EXIT = -1, SLICE_NONE = -2 };

/* Lists by number: list n is items[first[n]] .. items[first[n + 1] - 1]. */
struct slice_list {
    uint32_t *first, *items;
};

/* Successors of a block: blocks or SLICE_EXIT. */
struct slice_end {
    int32_t target; /* of the jump, ret or exit; SLICE_NONE: none */
    int32_t next;   /* the following block; SLICE_NONE: none */
    bool is_table;  /* brx: the successors of `flow` replace `target` */
};

struct slice {
    const struct ptx_module *module;
    const struct ptx_function *f;
    bool constants_known;
    const bool *left_out; /* by instruction, or NULL: ignored stores */
    struct arena *arena;
    struct ptx_flow *flow; /* without edges to blocks that trap */
    bool *reached;         /* by block */
    struct slice_end *ends;
    uint32_t registers; /* of the function, plus one: the carry flag */
    struct slice_list definitions, uses;
    struct slice_list controls; /* by block: blocks whose branch decides its execution */
    bool *is_local;             /* by register: a generic address outside global memory */
    uint32_t view_count; /* uses of a register that see the same definitions share a view */
    uint32_t *view_of;   /* by index in `uses` */
    struct slice_list reaching; /* by view: indices in `definitions` */
    struct slice_list joins;    /* by view: blocks whose branches select the definition */
    uint32_t *taint; /* by definition: 1 + the instruction on which it depends; 0: none */
    uint32_t *view_taint;   /* by view */
    uint32_t *branch_taint; /* by block, of its branch */
    bool *may_run;          /* by block: memory decides whether or how often it executes */
    bool *kept;             /* by instruction */
    bool *decides;          /* by block: its branch is in the slice */
    bool *cut;              /* by block: head of a loop that executes once */
    unsigned char *idle; /* by block: sides of its branch without work before both meet; 1:
                            the jump, 2: the fall-through */
    bool *released;      /* by block: its branch decided only a number of iterations */
    uint32_t *names; /* by definition: number of its register; several definitions may share
                        one */
    struct write_set_site *sites;
    uint32_t *site_at; /* by site: its instruction */
    bool *repeated;    /* by site: it stores to the bytes of another site */
    uint32_t site_count;
};

/* Effect of an instruction on global memory: the address, and bytes per thread. For a
   matrix, each of the first lanes stores one line. */
struct slice_writer {
    const struct ptx_operand *address; /* NULL: it writes none */
    uint32_t bytes;
    uint32_t lines;                   /* of a matrix; else 0 */
    uint32_t line_elements, element;  /* elements of a line, bytes of an element */
    const struct ptx_operand *stride; /* elements between lines; NULL: line_elements */
    const char *refusal;              /* reason why a possible write cannot be followed */
};

typedef void slice_visit(void *context, uint32_t number);
void slice_visit_definitions(const struct slice *s, const struct ptx_instruction *i,
                             slice_visit *visit, void *context);
void slice_visit_uses(const struct slice *s, const struct ptx_instruction *i,
                      slice_visit *visit, void *context);
/* Whether the operand contains destination registers. */
bool slice_is_target(const struct ptx_instruction *i, uint32_t operand);
/* Visits the registers of one operand. */
void slice_visit_operand(const struct ptx_operand *o, slice_visit *visit, void *context);

struct slice_writer slice_writer(const struct slice *s, const struct ptx_instruction *i);
void slice_find_local(struct slice *s);
/* Whether the callee of a call never returns. */
bool slice_never_returns(const struct slice *s, const struct ptx_instruction *i);

/* Verb phrase for the dependence of the instruction's result on more than the parameters
   and the thread's position in the grid; NULL: no such dependence. */
const char *slice_root(const struct slice *s, const struct ptx_instruction *i);
/* Verb phrase for any instruction on which something depends. */
const char *slice_verb(const struct slice *s, const struct ptx_instruction *i);
/* Whether the result combines values of named lanes. The instruction waits for all
   of them. The result is known if the values are, and if memory does not decide which lanes
   take part. */
bool slice_is_exchange(const struct ptx_instruction *i);

enum proact_status slice_find_flow(struct slice *s, struct proact_error *err);
bool slice_dominates(const struct slice *s, uint32_t block, uint32_t other);
/* Marks the blocks of the loop with head `head`; false if there is none. */
bool slice_loop_mark(const struct slice *s, uint32_t head, bool *in);
/* Whether `block` is in a loop with head `head`. */
bool slice_in_loop(const struct slice *s, uint32_t head, uint32_t block);
struct slice_list slice_list_make(struct slice *s, uint32_t count,
                                  const uint32_t (*pairs)[2], size_t pair_count);

/* Index of `item` in the sorted list `number`, which contains it. */
uint32_t slice_list_find(const struct slice_list *list, uint32_t number, uint32_t item);

void slice_find_views(struct slice *s); /* needs definitions, uses, controls */
/* View of a register that an instruction uses; index of a definition. */
uint32_t slice_view(const struct slice *s, uint32_t instruction, uint32_t reg);
uint32_t slice_definition(const struct slice *s, uint32_t instruction, uint32_t reg);

/* Whether it makes one register from registers, numbers and parameters alone. */
bool slice_is_plain(const struct ptx_instruction *i);
/* Whether both are the same operation on operands of the same number. */
bool slice_are_spelled_alike(const struct ptx_instruction *a,
                             const struct ptx_instruction *b);

/* The block whose branch has one of two instructions in each arm, where both define their
   register with the same value: the branch does not decide it. Else SLICE_NONE. */
int32_t slice_redundant_branch(const struct slice *s, uint32_t at, uint32_t other);

void slice_find_taint(struct slice *s);
/* Taint of a register that an instruction uses: 1 + the instruction on which it depends, or
   0. */
uint32_t slice_taint(const struct slice *s, uint32_t instruction, uint32_t reg);
enum proact_status slice_find_needs(struct slice *s, struct proact_error *err);

void slice_find_repeats(struct slice *s);
/* Reduces loops that store to the same bytes in each iteration to one iteration; returns
   whether it reduced any. The needs must be known. */
bool slice_cut_same_loops(struct slice *s);

/* Visits the registers that an instruction uses in the slice. */
void slice_visit_needed(const struct slice *s, uint32_t instruction, slice_visit *visit,
                        void *context);

void slice_find_names(struct slice *s);
/* Number of a register in an instruction of the slice that uses or defines it; -1 if no
   definition reaches it. */
int64_t slice_name(const struct slice *s, uint32_t instruction, uint32_t reg, bool defined);

/* Text of the slice; the caller frees it with free(). Sets the lines of stores in
   s->sites. */
char *slice_print(struct slice *s, size_t *bytes);

static inline bool slice_is_branch(const struct slice *s, uint32_t block)
{
    return s->ends[block].is_table ||
           (s->ends[block].target != SLICE_NONE && s->ends[block].next != SLICE_NONE &&
            s->ends[block].target != s->ends[block].next);
}

static inline const struct ptx_instruction *slice_last(const struct slice *s,
                                                       uint32_t block)
{
    const struct ptx_block *b = &s->flow->blocks[block];

    return &s->f->instructions[b->first + b->count - 1];
}
