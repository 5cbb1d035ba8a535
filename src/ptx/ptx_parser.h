/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to the parser. Each function that parses a piece of text leaves the parser at the
   next token, or writes the error and returns false. */

#include "ptx/ptx.h"
#include "ptx/ptx_names.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,   /* add, $L__BB0_1, %r1, %tid.x */
    PTX_TOKEN_WORD,   /* .u32, .shared::cta */
    PTX_TOKEN_NUMBER, /* 12, 0x1F, 0f3F800000, 1.5e-3 */
    PTX_TOKEN_STRING,
    PTX_TOKEN_MARK, /* one character: `mark` */
    PTX_TOKEN_BAD,  /* invalid character; the parser reports it as unexpected */
};

struct ptx_token {
    enum ptx_token_kind kind;
    char mark;
    uint32_t line;
    struct ptx_span span;
};

/* A growing array of elements of `size` bytes. */
struct ptx_list {
    void *data;
    size_t count, capacity, size;
};

/* `%r<100>`: a range of registers. A register is created when it is first named, so that a
   large range costs nothing. */
struct ptx_range {
    enum ptx_part type;
    uint8_t bytes;
    unsigned vector; /* elements of one register */
    uint64_t count;
};

/* A name that may be a label; it is resolved when its scope ends. */
struct ptx_reference {
    int32_t *label;
    uint32_t offset, bytes;
};

/* Parameters and results of a function or of a prototype, for calls that pass registers. */
struct ptx_signature {
    const char *name;
    struct ptx_symbol *results, *parameters;
    uint32_t result_count, parameter_count;
};

enum { PTX_DEPTH_MAX = 100 }; /* of nested scopes */

struct ptx_scope {
    size_t first_reference;
};

/* The function being parsed. */
struct ptx_body {
    struct ptx_list symbols, registers, instructions, labels, targets;
    struct ptx_list ranges, references;
    struct ptx_list prototypes;          /* struct ptx_signature */
    uint32_t first_result, result_count; /* symbols of the function's results */
    struct ptx_slot { /* register of a range, hashed by range and number */
        uint64_t key;
        int32_t reg;
    } * slots;
    size_t slot_count, slot_capacity;
    struct ptx_scope scopes[PTX_DEPTH_MAX];
    uint32_t depth;
    uint32_t ignored_bytes; /* of the next instruction */
};

struct ptx_parser {
    struct ptx_module *module;
    struct proact_error *err;
    const char *text;
    uint32_t bytes, at, line; /* position after the token */
    struct ptx_token token;
    struct ptx_names words; /* opcodes, modifiers, special registers */
    struct ptx_names names; /* names that the text declares */
    struct ptx_list symbols, functions, operands, initial, relocations, items;
    struct ptx_list signatures; /* of the functions declared so far */
    struct ptx_item item;       /* being parsed */
    uint64_t initial_bytes;     /* of all variables so far */
    struct ptx_body body;
};

/* ptx_error.c: all functions return false. */
bool ptx_expected(const struct ptx_parser *p, const char *what);
__attribute__((format(printf, 3, 4))) bool ptx_wrong(const struct ptx_parser *p,
                                                     uint32_t offset, const char *format,
                                                     ...);

/* ptx_lexer.c */
void ptx_next(struct ptx_parser *p);
void ptx_skip_line(struct ptx_parser *p); /* to the first token of the next line */
bool ptx_at(const struct ptx_parser *p, char mark);
bool ptx_at_word(const struct ptx_parser *p, const char *word); /* with its dot */
bool ptx_accept(struct ptx_parser *p, char mark);
bool ptx_expect(struct ptx_parser *p, char mark, const char *what);
bool ptx_skip_statement(struct ptx_parser *p); /* past the next ';' */
const char *ptx_token_copy(struct ptx_parser *p, const struct ptx_token *t);

/* ptx_number.c: the token must be a number. */
struct ptx_number {
    uint8_t float_bytes; /* 0: integer; 4: bits of 0f; 8: bits of 0d or a decimal */
    uint64_t bits;
};
bool ptx_read_number(struct ptx_parser *p, struct ptx_number *out);
bool ptx_read_integer(struct ptx_parser *p, const char *what, uint64_t *out); /* unsigned */

/* ptx_list.c */
void *ptx_list_add(struct ptx_list *l); /* zeroed, valid until the next call */
void *ptx_list_take(struct ptx_list *l, size_t first,
                    struct arena *a); /* moves the elements from `first` on to the arena */

/* ptx_tables.c */
void ptx_words_add(struct ptx_names *words);
bool ptx_is_type(enum ptx_part part);
enum ptx_space ptx_part_space(enum ptx_part part); /* GENERIC if the modifier is not a
                                                      space */
unsigned ptx_part_vector(enum ptx_part part);      /* 0 if the modifier is not a vector */
enum ptx_part ptx_word_part(const struct ptx_parser *p, const struct ptx_token *t);

/* ptx_register.c */
bool ptx_read_registers(struct ptx_parser *p); /* the token follows .reg */
/* Index of a declared register. -1: none. */
int32_t ptx_register_find(struct ptx_parser *p, const char *name, uint32_t bytes);
/* Declares one register, or a vector of `elements`, in the current scope. `name` is a span
   of the text. */
bool ptx_register_declare(struct ptx_parser *p, struct ptx_span name, enum ptx_part type,
                          unsigned elements, int32_t *out);
/* Elements of the vector register of which `reg` is the first; 1 for any other. */
unsigned ptx_register_elements(const struct ptx_parser *p, int32_t reg);

/* ptx_operand.c. `jump`: unknown names are labels. Lists are in the arena. */
bool ptx_read_operands(struct ptx_parser *p, bool jump, struct ptx_operand **list,
                       uint32_t *count);

/* Replaces the first register of a vector by the list of its elements. */
void ptx_operand_expand(struct ptx_parser *p, struct ptx_operand *o);

/* ptx_call.c: parameters in registers. */
bool ptx_parameters_open(struct ptx_parser *p, uint32_t parameters, uint32_t results);
/* Adds the stores of results before `near`, which returns; NULL: at the token. */
void ptx_results_store(struct ptx_parser *p, const struct ptx_instruction *near);
void ptx_signature_add(struct ptx_parser *p, struct ptx_list *to, const char *name,
                       struct ptx_list *results, struct ptx_list *parameters);
/* Adds the call, with the moves of its arguments and results around it. */
void ptx_call_add(struct ptx_parser *p, const struct ptx_instruction *i);

/* ptx_instruction.c: the rest of an instruction, after the opcode, up to the semicolon. */
bool ptx_read_instruction(struct ptx_parser *p, struct ptx_token opcode,
                          struct ptx_instruction *into);
bool ptx_read_guard(struct ptx_parser *p, struct ptx_instruction *into);

/* ptx_variable.c: one declaration, from the state space to the semicolon. */
struct ptx_declaration {
    struct ptx_symbol symbol; /* all fields but the name */
    unsigned vector;
};
bool ptx_read_type(struct ptx_parser *p, struct ptx_declaration *d);
bool ptx_read_declarator(struct ptx_parser *p, const struct ptx_declaration *d,
                         struct ptx_symbol *into, uint64_t dims[], unsigned *dim_count);
bool ptx_read_variables(struct ptx_parser *p, bool is_extern);
enum { PTX_DIMS_MAX = 8 };

/* ptx_initial.c: the initializer after '='. */
bool ptx_read_initial(struct ptx_parser *p, struct ptx_symbol *symbol,
                      const uint64_t dims[], unsigned dim_count);

/* ptx_symbol.c: adds the symbol to the current function, or to the module outside of
   functions. */
bool ptx_symbol_add(struct ptx_parser *p, const struct ptx_symbol *symbol, int32_t *out);
/* Adds a symbol that no name in the text denotes to the current function. */
int32_t ptx_symbol_add_unnamed(struct ptx_parser *p, const struct ptx_symbol *symbol);
/* Records that the current module-level item declares the symbol. */
void ptx_item_name(struct ptx_parser *p, int32_t symbol, bool defines);
void ptx_item_head(struct ptx_parser *p); /* its head ends at the token */
int32_t ptx_symbol_find(const struct ptx_parser *p, const char *name, uint32_t bytes);

/* ptx_scope.c: scopes and their labels. */
bool ptx_scope_enter(struct ptx_parser *p);
void ptx_scope_leave(struct ptx_parser *p);
bool ptx_label_add(struct ptx_parser *p, const struct ptx_token *name, int32_t *out);
void ptx_label_refer(struct ptx_parser *p, int32_t *label, struct ptx_span span);

/* ptx_function.c: the token is .entry or .func; `start` is the offset of its linkage. */
bool ptx_read_function(struct ptx_parser *p, uint32_t start, bool is_extern);
