/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room that reads PTX. A module keeps its text; every part of it remembers the
   bytes it came from, so that printing gives them back and an opcode that we do not know
   passes through. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum ptx_opcode {
#define OPCODE(tag, spelling, effect) tag,
#include "ptx/opcode.def"
#undef OPCODE
    PTX_OPCODE_COUNT /* also: a spelling without a row */
};

/* The dotted words after the opcode, types included: PTX_PART_F32 is ".f32". */
enum ptx_part {
#define PART(tag, spelling) tag,
#include "ptx/part.def"
#undef PART
    PTX_PART_COUNT /* also: a word without a row */
};

enum ptx_effect { PTX_PURE, PTX_LOADS, PTX_STORES, PTX_ATOMIC, PTX_JUMPS, PTX_ORDERS };

enum ptx_space {
    PTX_SPACE_GENERIC, /* none written */
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM,
};

/* A type is its part (PTX_PART_S32, ...); bytes of one element, 0 for .pred. */
unsigned ptx_type_bytes(enum ptx_part type);

struct ptx_span {
    uint32_t offset, bytes; /* into the module's text */
};

enum ptx_operand_kind {
    PTX_REGISTER, /* reg; negated for !%p */
    PTX_SPECIAL,  /* special: %tid.x and the like */
    PTX_INTEGER,  /* integer */
    PTX_FLOAT,    /* integer holds the bits; float_bytes is 4 (0f) or 8 (0d, decimal) */
    PTX_SYMBOL,   /* symbol + integer: a variable's address, or a function */
    PTX_MEMORY,   /* [reg + integer], [symbol + integer], [integer]: reg or symbol is -1;
                     list: what follows the base, as in [texture, {x, y}] */
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
    PTX_ENVREG1, /* with the next one, the low half: where a grid's CTAs meet */
    PTX_ENVREG2,
    PTX_RESERVED_SMEM_1, /* shared memory that cooperative groups keep to themselves */
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
    PTX_SPECIAL_OTHER, /* %envreg3, %tid as a vector, ...: the span names it */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    bool is_part; /* of a register: %r1.b0 of a video instruction */
    uint8_t float_bytes;
    enum ptx_special special;
    int32_t reg;    /* index in the function's registers */
    int32_t symbol; /* index in the function's symbols, see PTX_SYMBOL_MODULE */
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
    uint16_t parts[PTX_PARTS_MAX]; /* enum ptx_part, in the order written */
    enum ptx_space space;          /* of ld, st, atom, red, cvta, prefetch */
    enum ptx_part type; /* the only, or the destination's type; PTX_PART_COUNT none */
    enum ptx_part source_type; /* cvt, set, slct: the second type; else equals type */
    uint8_t vector;            /* 1, 2, 4 or 8 elements */
    int32_t guard;             /* predicate register, -1 for none */
    bool guard_negated;
    uint32_t operand_count;
    struct ptx_operand *operands; /* destination first, as written */
    uint32_t ignored_bytes;       /* by bit: a load takes them along, nobody uses them */
    uint32_t line;                /* 1-based, in the text */
    struct ptx_span span;         /* guard to semicolon */
};

struct ptx_register {
    const char *name; /* "%r12" */
    enum ptx_part type;
    uint8_t bytes; /* 1, 2, 4, 8, 16; 0 for .pred */
};

/* A parameter, a variable of the module or of a function, or a function's name. */
struct ptx_symbol {
    const char *name;
    enum ptx_space space;
    enum ptx_part type;
    uint32_t align, bytes; /* bytes of the whole array; 0 for extern shared x[] */
    uint32_t offset;       /* of a parameter, in the kernel's parameter block */
    bool is_extern, is_function, is_managed;
    int32_t function;       /* index in the module, -1 where not defined here */
    unsigned char *initial; /* bytes long, or NULL for zero */
    /* Addresses inside `initial`: the eight bytes from `at` on hold symbol + addend, where
       `symbol` counts as in an operand (PTX_SYMBOL_MODULE). */
    struct ptx_relocation {
        uint32_t at;
        int32_t symbol;
        int64_t addend;
    } * relocations;
    uint32_t relocation_count;
    struct ptx_span span;
};

/* The label of what the library adds to a kernel's end. */
#define PTX_EPILOGUE "$proact_end"

struct ptx_label {
    const char *name;
    uint32_t instruction; /* index of the one that follows it; may equal the count */
};

/* A .branchtargets list for brx.idx: labels in order. */
struct ptx_targets {
    int32_t label; /* its own name */
    uint32_t count;
    int32_t *labels;
};

struct ptx_function {
    const char *name;
    bool is_entry;
    uint32_t parameter_count, parameter_bytes; /* symbols[0..] are the parameters */
    uint32_t return_count;      /* .func only: symbols after the parameters */
    struct ptx_symbol *symbols; /* parameters, returns, locals in order */
    uint32_t symbol_count;
    struct ptx_register *registers; /* those that are named: of %r<100> only the used */
    uint32_t register_count;
    struct ptx_instruction *instructions;
    uint32_t instruction_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct ptx_targets *targets;
    uint32_t targets_count;
    uint32_t max_threads, reqntid[3];   /* .maxntid, .reqntid; 0 where not given */
    uint32_t cluster[3];                /* .reqnctapercluster; 0 where not given */
    uint32_t max_cluster;               /* .maxclusterrank: CTAs; 0 where not given */
    bool must_cluster;                  /* .explicitcluster: launched in no other way */
    struct ptx_span span, header, body; /* body: between its braces */
};

enum ptx_linkage { PTX_FILE_LOCAL, PTX_VISIBLE, PTX_WEAK, PTX_COMMON, PTX_EXTERN };

/* What stands at the outermost level, in order; each goes up to the next one. */
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
    bool defines;         /* no announcement: a body; a variable that is not extern */
    uint32_t name_count;  /* of the variables that it declares */
    int32_t symbol;       /* the last of them, in the module's symbols; -1: none */
    int32_t target;       /* symbol that the alias stands for */
    struct ptx_span head; /* up to a body, an initial value or the semicolon */
    struct ptx_span span;
};

struct ptx_module {
    char *text; /* owned, NUL-terminated */
    size_t bytes;
    const char *name; /* of the file, for messages */
    unsigned version_major, version_minor, target_sm, address_bits;
    struct ptx_function *functions;
    uint32_t function_count;
    struct ptx_symbol *symbols; /* module variables and declared functions */
    uint32_t symbol_count;
    struct ptx_item *items;
    uint32_t item_count;
    struct arena arena; /* everything above but the text */
};

/* Operand symbols below SYMBOL_MODULE are the function's own; from it on, the module's. */
enum { PTX_SYMBOL_MODULE = 1 << 20 };
const struct ptx_symbol *ptx_symbol(const struct ptx_module *m,
                                    const struct ptx_function *f, int32_t symbol);

/* Reads `bytes` of text, which is copied. `name` is for messages. A syntax error says
   file:line:column, what was expected, then the line and a caret below it. */
enum proact_status ptx_parse(const char *name, const char *text, size_t bytes,
                             struct ptx_module **out, struct proact_error *err);
void ptx_destroy(struct ptx_module *m); /* NULL is fine */

/* The module's text, rebuilt from its parts: equal to what was read. free() it. */
char *ptx_print(const struct ptx_module *m, size_t *bytes);

/* The sentence, and behind each line of the module that it names ("line 12", "NAME:12") in
   brackets where in its source that is, as far as .loc says. free() it; NULL for an empty
   one. */
char *ptx_with_sources(const struct ptx_module *m, const char *sentence);

const struct ptx_function *ptx_function_find(const struct ptx_module *m, const char *name);
/* Marks, by index in the module, `f` and all functions that it may call. */
void ptx_reach(const struct ptx_module *m, const struct ptx_function *f, bool reached[]);
/* The same, but `f` only where it, or one of them, names it. */
void ptx_reach_named(const struct ptx_module *m, const struct ptx_function *f,
                     bool reached[]);
bool ptx_has(const struct ptx_instruction *i, enum ptx_part part);
/* A dotted word by which an atomic orders what is around it; whether it has one. */
bool ptx_part_is_order(enum ptx_part part);
bool ptx_is_ordered(const struct ptx_instruction *i);
const char *ptx_opcode_spelling(enum ptx_opcode opcode);
const char *ptx_part_spelling(enum ptx_part part); /* without the dot */
enum ptx_effect ptx_opcode_effect(enum ptx_opcode opcode);
/* It takes a texture or a surface, whose memory is no array's. */
bool ptx_opcode_has_texels(enum ptx_opcode opcode);
/* The register that gets an atomic's result, if any, is named nowhere else. */
bool ptx_atomic_has_no_result(const struct ptx_function *f,
                              const struct ptx_instruction *i);
/* In a kernel: ret, exit. */
bool ptx_opcode_ends_thread(enum ptx_opcode opcode);
/* Of this form of the opcode: of wmma, which loads, multiplies or stores; of cp, which may
   prefetch alone. */
enum ptx_effect ptx_instruction_effect(const struct ptx_instruction *i);

/* Copies the instruction's text, at most `size` with the NUL, for messages. */
void ptx_instruction_text(const struct ptx_module *m, const struct ptx_instruction *i,
                          char *into, size_t size);

/* By register: in how many instructions it is, or is in, the first operand, and the last of
   these; what only reads it there counts, too. Both start from zeros. */
void ptx_definitions_count(const struct ptx_function *f, uint32_t *count, uint32_t *last);

/* Control flow of one function. Blocks are in text order; successors come first the branch
   target, then what follows. A guarded ret or exit continues with what follows. */
struct ptx_block {
    uint32_t first, count; /* instructions */
    uint32_t successor_count, *successors;
    uint32_t predecessor_count, *predecessors;
    int32_t dominator, post_dominator; /* immediate; -1 for none (or the exit) */
    uint32_t number, dominated; /* blocks it dominates, itself too, from `number` on in the
                                   tree of dominators; 0 of a block not reached */
};

struct ptx_flow {
    struct ptx_block *blocks;
    uint32_t block_count;
    uint32_t *block_of; /* by instruction */
};

/* Built into `arena`, which owns it. bar.sync and calls do not end a block. */
struct ptx_flow *ptx_flow_build(const struct ptx_function *f, struct arena *arena);

/* Whether all ways from the function's begin to `below` pass `above`; a block dominates
   itself. */
bool ptx_dominates(const struct ptx_flow *flow, uint32_t above, uint32_t below);
