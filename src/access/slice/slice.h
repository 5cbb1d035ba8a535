/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One kernel while it is cut; private to this folder. First what the kernel is (flow,
   definitions, control), then what its uses of registers see (views), then what depends on
   more than its parameters (taint), then what decides where it writes (needs), then text.
 */

#include "access/write_set.h"
#include "base/memory.h"
#include "ptx/ptx.h"

enum { SLICE_EXIT = -1, SLICE_NONE = -2 };

/* Lists by number: those of n are items[first[n]] .. items[first[n + 1] - 1]. */
struct slice_list {
    uint32_t *first, *items;
};

/* Where control goes after a block, in blocks or SLICE_EXIT. */
struct slice_end {
    int32_t target; /* of the jump, ret or exit; SLICE_NONE where there is none */
    int32_t next;   /* where the block goes on; SLICE_NONE where it does not */
    bool is_table;  /* brx: the successors of the flow instead of `target` */
};

struct slice {
    const struct ptx_module *module;
    const struct ptx_function *f;
    bool constants_known;
    const bool *left_out; /* by instruction, or NULL: stores that are not its business */
    struct arena *arena;
    struct ptx_flow *flow; /* without the ways to blocks that trap */
    bool *reached;         /* by block */
    struct slice_end *ends;
    uint32_t registers; /* the function's and one more: the carry flag */
    struct slice_list definitions, uses;
    struct slice_list controls; /* by block: blocks whose branch decides whether it runs */
    bool *is_local;             /* by register: a generic address, never of global memory */
    uint32_t view_count;        /* uses of a register that see the same have one view */
    uint32_t *view_of;          /* by place in `uses` */
    struct slice_list reaching; /* by view: definitions, by their places in `definitions` */
    struct slice_list joins;    /* by view: blocks whose branches decide which one it is */
    uint32_t *taint;            /* by definition: instruction it depends on, + 1; 0: none */
    uint32_t *view_taint;       /* by view */
    uint32_t *branch_taint;     /* by block, of its branch */
    bool *may_run;              /* by block: memory decides if it does, or how often */
    bool *kept;                 /* by instruction */
    bool *decides;              /* by block: its branch is kept */
    bool *cut;                  /* by block: head of a loop that runs once */
    unsigned char *idle;        /* by block: of its branch, 1: the jump, 2: the way on has
                                   nothing to do till both meet */
    bool *released;             /* by block: all that its branch decided was how often */
    uint32_t *names;            /* by definition: one of those that share its register */
    struct write_set_site *sites;
    uint32_t *site_at; /* by site: its instruction */
    bool *repeated;    /* by site: it stores to what another one has stored to */
    uint32_t site_count;
};

/* What an instruction may do to global memory: where, and how many bytes a thread. A matrix
   of a warp is stored line by line, the first lanes each one. */
struct slice_writer {
    const struct ptx_operand *address; /* NULL: it writes none */
    uint32_t bytes;
    uint32_t lines;                   /* of a matrix; else 0 */
    uint32_t line_elements, element;  /* in a line, and bytes of one */
    const struct ptx_operand *stride; /* elements from line to line; NULL: line_elements */
    const char *refusal;              /* it may write, and we cannot follow */
};

typedef void slice_visit(void *context, uint32_t number);
void slice_visit_definitions(const struct slice *s, const struct ptx_instruction *i,
                             slice_visit *visit, void *context);
void slice_visit_uses(const struct slice *s, const struct ptx_instruction *i,
                      slice_visit *visit, void *context);
/* Whether the operand holds registers that are defined. */
bool slice_is_target(const struct ptx_instruction *i, uint32_t operand);
/* Of one operand: the registers in it. */
void slice_visit_operand(const struct ptx_operand *o, slice_visit *visit, void *context);

struct slice_writer slice_writer(const struct slice *s, const struct ptx_instruction *i);
void slice_find_local(struct slice *s);
/* What the callee of a call is, and whether it never comes back. */
bool slice_never_returns(const struct slice *s, const struct ptx_instruction *i);

/* A verb that says how the instruction's result depends on more than the parameters and
   the thread's place in the grid; NULL if it does not. */
const char *slice_root(const struct slice *s, const struct ptx_instruction *i);
/* The same of any that something depends on. */
const char *slice_verb(const struct slice *s, const struct ptx_instruction *i);
/* Whether its result is made of what named lanes of the warp bring, all of which it waits
   for: known where that is, and memory says of none whether it comes. */
bool slice_is_exchange(const struct ptx_instruction *i);

enum proact_status slice_find_flow(struct slice *s, struct proact_error *err);
bool slice_dominates(const struct slice *s, uint32_t block, uint32_t other);
/* Marks the blocks of the loop whose head is `head`, by block; false if there is none. */
bool slice_loop_mark(const struct slice *s, uint32_t head, bool *in);
/* Whether `block` is in a loop whose head is `head`. */
bool slice_in_loop(const struct slice *s, uint32_t head, uint32_t block);
struct slice_list slice_list_make(struct slice *s, uint32_t count,
                                  const uint32_t (*pairs)[2], size_t pair_count);

/* Where `item` stands in the list of `number`, which has it and is sorted. */
uint32_t slice_list_find(const struct slice_list *list, uint32_t number, uint32_t item);

void slice_find_views(struct slice *s); /* needs definitions, uses, controls */
/* Of a register that an instruction uses, and of one that it defines. */
uint32_t slice_view(const struct slice *s, uint32_t instruction, uint32_t reg);
uint32_t slice_definition(const struct slice *s, uint32_t instruction, uint32_t reg);

void slice_find_taint(struct slice *s);
/* Of a register that an instruction uses: the instruction it depends on, + 1, or 0. */
uint32_t slice_taint(const struct slice *s, uint32_t instruction, uint32_t reg);
enum proact_status slice_find_needs(struct slice *s, struct proact_error *err);

void slice_find_repeats(struct slice *s);
/* Cuts the loops that store to the same places in every iteration; whether there were any
   that were not cut. By then it is known what is needed. */
bool slice_cut_same_loops(struct slice *s);

/* Registers that an instruction uses where it is in the slice. */
void slice_visit_needed(const struct slice *s, uint32_t instruction, slice_visit *visit,
                        void *context);

void slice_find_names(struct slice *s);
/* What a register is called in an instruction of the slice that uses or defines it; -1
   where no definition of it is seen. */
int64_t slice_name(const struct slice *s, uint32_t instruction, uint32_t reg, bool defined);

/* The slice's text, free() it; the lines of its stores go to s->sites. */
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
