/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One kernel while it is cut; private to this folder. First what the kernel is (flow,
   definitions, control), then what depends on more than its parameters (taint), then what
   decides where it writes (needs), then text. */

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
    struct slice_list joins;    /* by register: blocks whose branches decide which of its
                                   definitions is seen */
    bool *is_local;             /* by register: a generic address, never of global memory */
    uint32_t *taint;            /* by register: instruction it depends on, + 1; 0: none */
    uint32_t *branch_taint;     /* by block, of its branch */
    bool *kept;                 /* by instruction */
    bool *decides;              /* by block: its branch is kept */
    bool *cut;                  /* by block: head of a loop that runs once */
    struct write_set_site *sites;
    uint32_t *site_at; /* by site: its instruction */
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
/* Of one operand: the registers in it. */
void slice_visit_operand(const struct ptx_operand *o, slice_visit *visit, void *context);

struct slice_writer slice_writer(const struct slice *s, const struct ptx_instruction *i);
void slice_find_local(struct slice *s);
/* What the callee of a call is, and whether it never comes back. */
bool slice_never_returns(const struct slice *s, const struct ptx_instruction *i);

/* A verb that says how the instruction's result depends on more than the parameters and
   the thread's place in the grid; NULL if it does not. */
const char *slice_root(const struct slice *s, const struct ptx_instruction *i);

enum proact_status slice_find_flow(struct slice *s, struct proact_error *err);
bool slice_dominates(const struct slice *s, uint32_t block, uint32_t other);
/* Whether `block` is in a loop whose head is `head`. */
bool slice_in_loop(const struct slice *s, uint32_t head, uint32_t block);
struct slice_list slice_list_make(struct slice *s, uint32_t count,
                                  const uint32_t (*pairs)[2], size_t pair_count);

/* Visits the definitions (instructions) of `reg` that the use in instruction `use` can see.
   Says whether it can see what the register held before block `top`. */
bool slice_reaching(const struct slice *s, uint32_t reg, uint32_t use, uint32_t top,
                    slice_visit *visit, void *context);

void slice_find_joins(struct slice *s); /* needs definitions, uses, controls */
void slice_find_taint(struct slice *s);
enum proact_status slice_find_needs(struct slice *s, struct proact_error *err);

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
