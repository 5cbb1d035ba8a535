/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parser of PTX. A module keeps its text, and each part of it has its span there. Printing
   therefore reproduces the text exactly, and an unknown opcode passes through. */

#include <assert.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum ptx_opcode {
#define OPCODE(tag, spelling, effect) tag,
#include "ptx/opcode.def"
#undef OPCODE
    PTX_OPCODE_COUNT /* also the value of an unknown opcode */
};

/* Modifiers after the opcode, types included: PTX_PART_F32 is ".f32". */
enum ptx_part {
#define PART(tag, spelling) tag,
#include "ptx/part.def"
#undef PART
    PTX_PART_COUNT /* also the value of an unknown modifier */
};

enum ptx_effect { PTX_PURE, PTX_LOADS, PTX_STORES, PTX_ATOMIC, PTX_JUMPS, PTX_ORDERS };

enum ptx_space {
    PTX_SPACE_GENERIC, /* no space is written */
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM,
};

/* A type is its modifier (PTX_PART_S32, ...). Returns the bytes of one element, 0 for
   .pred. */
unsigned ptx_type_bytes(enum ptx_part type);

struct ptx_span {
    uint32_t offset, bytes; /* in the module's text */
};

enum ptx_operand_kind {
    PTX_REGISTER, /* reg; negated for !%p, and for -%r of vmad */
    PTX_SPECIAL,  /* special: %tid.x etc. */
    PTX_INTEGER,  /* integer */
    PTX_FLOAT,    /* integer: the bits; float_bytes is 4 (0f) or 8 (0d, decimal) */
    PTX_SYMBOL,   /* symbol + integer: the address of a variable or function */
    PTX_MEMORY,   /* [reg + integer], [symbol + integer], [integer]: reg or symbol is -1;
                     list: operands after the base, as in [texture, {x, y}] */
    PTX_VECTOR,   /* list: {%r1, %r2} */
    PTX_PAIR,     /* list of two: %r1|%p1 */
    PTX_LIST,     /* list: (param0, param1) of a call */
    PTX_LABEL,    /* label */
    PTX_SINK,     /* _ */
};

enum ptx_special {
    PTX_TID_X,
    PTX_TID_Y,
    PTX_TID_Z,
    PTX_NTID_X,
    PTX_NTID_Y,
    PTX_NTID_Z,
    PTX_CTAID_X,
    PTX_CTAID_Y,
    PTX_CTAID_Z,
    PTX_NCTAID_X,
    PTX_NCTAID_Y,
    PTX_NCTAID_Z,
    PTX_LANEID,
    PTX_WARPID,
    PTX_NWARPID,
    PTX_SMID,
    PTX_NSMID,
    PTX_GRIDID,
    PTX_LANEMASK_EQ,
    PTX_LANEMASK_LE,
    PTX_LANEMASK_LT,
    PTX_LANEMASK_GE,
    PTX_LANEMASK_GT,
    PTX_CLOCK,
    PTX_CLOCK_HI,
    PTX_CLOCK64,
    PTX_GLOBALTIMER,
    PTX_GLOBALTIMER_LO,
    PTX_GLOBALTIMER_HI,
    PTX_DYNAMIC_SMEM_SIZE,
    PTX_TOTAL_SMEM_SIZE,
    PTX_ENVREG1, /* low half of the arrival counter of a cooperative grid, with
                    PTX_ENVREG2 */
    PTX_ENVREG2,
    PTX_RESERVED_SMEM_1, /* shared memory reserved for cooperative groups */
    PTX_CLUSTERID_X,
    PTX_CLUSTERID_Y,
    PTX_CLUSTERID_Z,
    PTX_NCLUSTERID_X,
    PTX_NCLUSTERID_Y,
    PTX_NCLUSTERID_Z,
    PTX_CLUSTER_CTAID_X,
    PTX_CLUSTER_CTAID_Y,
    PTX_CLUSTER_CTAID_Z,
    PTX_CLUSTER_NCTAID_X,
    PTX_CLUSTER_NCTAID_Y,
    PTX_CLUSTER_NCTAID_Z,
    PTX_CLUSTER_CTARANK,
    PTX_CLUSTER_NCTARANK,
    PTX_IS_EXPLICIT_CLUSTER, /* a predicate */
    PTX_WARP_SZ,
    PTX_SPECIAL_OTHER, /* %envreg3, %tid as a vector, ...: the span contains the name */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    bool is_part; /* a part of a register: %r1.b0 of a video instruction */
    uint8_t float_bytes;
    enum ptx_special special;
    int32_t reg;    /* index in the function's registers */
    int32_t symbol; /* index in the function's symbols or the module's, see
                       PTX_SYMBOL_MODULE */
    int32_t label;  /* index in the function's labels */
    int64_t integer;
    uint32_t count; /* of list */
    struct ptx_operand *list;
    struct ptx_span span;
};

enum { PTX_PARTS_MAX = 14 };

struct ptx_instruction {
    enum ptx_opcode opcode;
    uint8_t part_count;
    uint16_t parts[PTX_PARTS_MAX]; /* enum ptx_part, in text order */
    enum ptx_space space;          /* of ld, st, atom, red, cvta, prefetch */
    enum ptx_part type; /* the only type, or the destination's; PTX_PART_COUNT: none */
    enum ptx_part source_type; /* cvt, set, slct: the second type; otherwise equals type */
    uint8_t vector;            /* 1, 2, 4 or 8 elements */
    int32_t guard;             /* predicate register; -1: none */
    bool guard_negated;
    uint32_t operand_count;
    struct ptx_operand *operands; /* destination first, in text order */
    uint32_t ignored_bytes;       /* by bit: bytes of a load that the kernel does not use */
    uint32_t line;                /* 1-based line in the text */
    struct ptx_span span;         /* from the guard to the semicolon; empty: a move of a
                                     register parameter, which the text leaves out */
};

struct ptx_register {
    const char *name; /* "%r12" */
    enum ptx_part type;
    uint8_t bytes; /* 1, 2, 4, 8, 16; 0 for .pred */
};

/* A parameter, a variable of the module or of a function, or a function. */
struct ptx_symbol {
    const char *name;
    enum ptx_space space;
    enum ptx_part type;
    uint32_t align;
    uint64_t bytes;  /* of the complete array; 0 for extern shared x[]. Only a variable
                        in .global has more than UINT32_MAX. */
    uint32_t offset; /* of a parameter, in the kernel's parameter buffer */
    bool is_extern, is_function, is_managed;
    bool is_register; /* of a parameter: register `reg` holds it in the function */
    int32_t reg;
    int32_t function;       /* index in the module; -1: not defined here */
    unsigned char *initial; /* `bytes` long; NULL: zero */
    /* Addresses in `initial`: the eight bytes at `at` contain symbol + addend. `symbol` is
       numbered as in an operand (PTX_SYMBOL_MODULE). */
    struct ptx_relocation {
        uint32_t at;
        int32_t symbol;
        int64_t addend;
    } * relocations;
    uint32_t relocation_count;
    struct ptx_span span;
    struct ptx_span statement; /* of a function's variable: space to semicolon */
};

/* Size of a symbol that is not in .global. */
static inline uint32_t ptx_symbol_bytes(const struct ptx_symbol *s)
{
    assert(s->bytes <= UINT32_MAX);
    return (uint32_t)s->bytes;
}

/* Label of the epilogue that a kernel version adds. */
#define PTX_EPILOGUE "$proact_end"

struct ptx_label {
    const char *name;
    uint32_t instruction; /* index of the next instruction; may equal the count */
};

/* A .branchtargets list for brx.idx: labels in order. */
struct ptx_targets {
    int32_t label; /* label of the list */
    uint32_t count;
    int32_t *labels;
};

struct ptx_function {
    const char *name;
    bool is_entry;
    uint32_t parameter_count, parameter_bytes; /* the parameters are the first symbols */
    uint32_t return_count;      /* .func only: symbols after the parameters */
    struct ptx_symbol *symbols; /* parameters, returns, locals in order */
    uint32_t symbol_count;
    struct ptx_register *registers; /* registers that are named: of %r<100> only those in
                                       use */
    uint32_t register_count;
    struct ptx_instruction *instructions;
    uint32_t instruction_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct ptx_targets *targets;
    uint32_t targets_count;
    uint32_t max_threads, reqntid[3];   /* .maxntid, .reqntid; 0 if absent */
    uint32_t cluster[3];                /* .reqnctapercluster; 0 if absent */
    uint32_t max_cluster;               /* .maxclusterrank: CTAs; 0 if absent */
    bool must_cluster;                  /* .explicitcluster: every launch must specify
                                           clusters */
    struct ptx_span span, header, body; /* body: between its braces */
};

enum ptx_linkage { PTX_FILE_LOCAL, PTX_VISIBLE, PTX_WEAK, PTX_COMMON, PTX_EXTERN };

/* A statement at module level, in text order. Its span ends where the next one starts. */
struct ptx_item {
    enum ptx_item_kind {
        PTX_ITEM_OTHER, /* .pragma */
        PTX_ITEM_VERSION,
        PTX_ITEM_TARGET,
        PTX_ITEM_DEBUG, /* .file, .section */
        PTX_ITEM_VARIABLE,
        PTX_ITEM_FUNCTION,
        PTX_ITEM_ALIAS,
    } kind;
    enum ptx_linkage linkage;
    bool defines;         /* false for a declaration: a function without a body or an extern
                             variable */
    uint32_t name_count;  /* number of declared variables */
    int32_t symbol;       /* the last of them, in the module's symbols; -1: none */
    int32_t target;       /* symbol to which the alias refers */
    struct ptx_span head; /* up to the body, the initializer or the semicolon */
    struct ptx_span span;
};

struct ptx_module {
    char *text; /* owned, NUL-terminated */
    size_t bytes;
    const char *name; /* file name for messages */
    unsigned version_major, version_minor, target_sm, address_bits;
    struct ptx_function *functions;
    uint32_t function_count;
    struct ptx_symbol *symbols; /* module variables and declared functions */
    uint32_t symbol_count;
    struct ptx_item *items;
    uint32_t item_count;
    struct arena arena; /* owns everything above but the text */
};

/* Operand symbols below PTX_SYMBOL_MODULE belong to the function; from it on, to the
   module. */
enum { PTX_SYMBOL_MODULE = 1 << 20 };
const struct ptx_symbol *ptx_symbol(const struct ptx_module *m,
                                    const struct ptx_function *f, int32_t symbol);

/* Parses `bytes` of text, which is copied. `name` is used in messages. The message of a
   syntax error has file:line:column, the expected token, the line, and a caret below it. */
enum proact_status ptx_parse(const char *name, const char *text, size_t bytes,
                             struct ptx_module **out, struct proact_error *err);
void ptx_destroy(struct ptx_module *m); /* NULL is allowed */

/* Text of the module, rebuilt from its parts: identical to the parsed text. Release with
   free(). */
char *ptx_print(const struct ptx_module *m, size_t *bytes);

/* Copy of the sentence with source locations: each line of the module that it names ("line
   12", "NAME:12") is followed by its source line in brackets, if .loc gives one. Release
   with free(). NULL for an empty sentence. */
char *ptx_with_sources(const struct ptx_module *m, const char *sentence);

const struct ptx_function *ptx_function_find(const struct ptx_module *m, const char *name);
/* Marks `f` and all functions that it may call, by index in the module. */
void ptx_reach(const struct ptx_module *m, const struct ptx_function *f, bool reached[]);
/* Like ptx_reach(), but marks `f` only if it or a marked function names it. */
void ptx_reach_named(const struct ptx_module *m, const struct ptx_function *f,
                     bool reached[]);
bool ptx_has(const struct ptx_instruction *i, enum ptx_part part);
/* Lowest compute capability with this instruction, as 70 for 7.0; 0: any. Memory orders do
   not count. */
unsigned ptx_capability(const struct ptx_instruction *i);
/* Modifiers that give an atomic a memory order stronger than relaxed, and a test for
   one. */
bool ptx_part_is_order(enum ptx_part part);
bool ptx_is_ordered(const struct ptx_instruction *i);
const char *ptx_opcode_spelling(enum ptx_opcode opcode);
const char *ptx_part_spelling(enum ptx_part part); /* without the dot */
enum ptx_effect ptx_opcode_effect(enum ptx_opcode opcode);
/* True for an opcode that accesses a texture or a surface, whose memory belongs to no
   array. */
bool ptx_opcode_has_texels(enum ptx_opcode opcode);
/* True if the atomic has no result, or no other instruction names its result register. */
bool ptx_atomic_has_no_result(const struct ptx_function *f,
                              const struct ptx_instruction *i);
/* True for ret and exit, which end a thread in a kernel. */
bool ptx_opcode_ends_thread(enum ptx_opcode opcode);
/* Effect of this form of the opcode. wmma loads, multiplies or stores; cp may only
   prefetch. */
enum ptx_effect ptx_instruction_effect(const struct ptx_instruction *i);

/* Copies the instruction's text for messages: at most `size` bytes with the NUL. */
void ptx_instruction_text(const struct ptx_module *m, const struct ptx_instruction *i,
                          char *into, size_t size);

/* By register: the number of instructions whose first operand contains it, and the last of
   these. An instruction that only reads its first operand counts too. Both arrays must be
   zeroed. */
void ptx_definitions_count(const struct ptx_function *f, uint32_t *count, uint32_t *last);

/* Control flow of one function. Blocks are in text order. The first successor is the branch
   target, the second the following block. A guarded ret or exit continues with the
   following block. */
struct ptx_block {
    uint32_t first, count; /* instructions */
    uint32_t successor_count, *successors;
    uint32_t predecessor_count, *predecessors;
    int32_t dominator, post_dominator; /* immediate; -1: none (or the exit) */
    uint32_t number, dominated; /* the blocks that this block dominates, itself included,
                                   are numbered from `number` on in the dominator tree;
                                   dominated is 0 for an unreachable block */
};

struct ptx_flow {
    struct ptx_block *blocks;
    uint32_t block_count;
    uint32_t *block_of; /* by instruction */
};

/* Builds the flow graph in `arena`, which owns it. bar.sync and calls do not end a
   block. */
struct ptx_flow *ptx_flow_build(const struct ptx_function *f, struct arena *arena);

/* True if every path from the function's start to `below` passes `above`. A block dominates
   itself. */
bool ptx_dominates(const struct ptx_flow *flow, uint32_t above, uint32_t below);
