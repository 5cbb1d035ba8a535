/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Inside the room: what the parts of the parser share. Each function that reads a piece of
   text leaves the parser at the token behind it, or writes the error and returns false. */

#include "ptx/ptx.h"
#include "ptx/ptx_names.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,   /* add, $L__BB0_1, %r1, %tid.x */
    PTX_TOKEN_WORD,   /* .u32, .shared::cta */
    PTX_TOKEN_NUMBER, /* 12, 0x1F, 0f3F800000, 1.5e-3 */
    PTX_TOKEN_STRING,
    PTX_TOKEN_MARK, /* one character: `mark` */
    PTX_TOKEN_BAD,  /* no PTX; whoever expects anything else says so */
};

struct ptx_token {
    enum ptx_token_kind kind;
    char mark;
    uint32_t line;
    struct ptx_span span;
};

/* A growing array of things of `size` bytes. */
struct ptx_list {
    void *data;
    size_t count, capacity, size;
};

/* `%r<100>`: registers come into being when they are first named, so that a large range
   costs nothing. */
struct ptx_range {
    enum ptx_part type;
    uint8_t bytes;
    uint64_t count;
};

/* A name that may be a label, to be resolved when its scope ends. */
struct ptx_reference {
    int32_t *label;
    uint32_t offset, bytes;
};

enum { PTX_DEPTH_MAX = 100 }; /* of nested scopes */

struct ptx_scope {
    size_t first_reference;
};

/* The function that is being read. */
struct ptx_body {
    struct ptx_list symbols, registers, instructions, labels, targets;
    struct ptx_list ranges, references;
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
    uint32_t bytes, at, line; /* behind the token */
    struct ptx_token token;
    struct ptx_names words; /* opcodes, dotted words, special registers */
    struct ptx_names names; /* what the text declares */
    struct ptx_list symbols, functions, operands, initial, relocations, items;
    struct ptx_item item;   /* that is being read */
    uint64_t initial_bytes; /* of all variables so far */
    struct ptx_body body;
};

/* ptx_error.c: all return false. */
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
bool ptx_skip_statement(struct ptx_parser *p); /* behind the next ';' */
const char *ptx_token_copy(struct ptx_parser *p, const struct ptx_token *t);

/* ptx_number.c: the token is a number. */
struct ptx_number {
    uint8_t float_bytes; /* 0: integer; 4: bits of 0f; 8: bits of 0d or a decimal */
    uint64_t bits;
};
bool ptx_read_number(struct ptx_parser *p, struct ptx_number *out);
bool ptx_read_integer(struct ptx_parser *p, const char *what, uint64_t *out); /* unsigned */

/* ptx_list.c */
void *ptx_list_add(struct ptx_list *l); /* zeroed, valid until the next one */
void *ptx_list_take(struct ptx_list *l, size_t first, struct arena *a); /* removes them */

/* ptx_tables.c */
void ptx_words_add(struct ptx_names *words);
bool ptx_is_type(enum ptx_part part);
enum ptx_space ptx_part_space(enum ptx_part part); /* GENERIC for a word that is no space */
unsigned ptx_part_vector(enum ptx_part part);      /* 0 for a word that is no vector */
enum ptx_part ptx_word_part(const struct ptx_parser *p, const struct ptx_token *t);

/* ptx_register.c */
bool ptx_read_registers(struct ptx_parser *p); /* behind .reg */
/* Of a declared name; -1 for none. */
int32_t ptx_register_find(struct ptx_parser *p, const char *name, uint32_t bytes);

/* ptx_operand.c: `jump` says that plain names are labels. Lists lie in the arena. */
bool ptx_read_operands(struct ptx_parser *p, bool jump, struct ptx_operand **list,
                       uint32_t *count);

/* ptx_instruction.c: from the opcode, which was read, to the semicolon. */
bool ptx_read_instruction(struct ptx_parser *p, struct ptx_token opcode,
                          struct ptx_instruction *into);
bool ptx_read_guard(struct ptx_parser *p, struct ptx_instruction *into);

/* ptx_variable.c: one declaration, from the space's word to the semicolon. */
struct ptx_declaration {
    struct ptx_symbol symbol; /* but for the name */
    unsigned vector;
};
bool ptx_read_type(struct ptx_parser *p, struct ptx_declaration *d);
bool ptx_read_declarator(struct ptx_parser *p, const struct ptx_declaration *d,
                         struct ptx_symbol *into, uint64_t dims[], unsigned *dim_count);
bool ptx_read_variables(struct ptx_parser *p, bool is_extern);
enum { PTX_DIMS_MAX = 8 };

/* ptx_initial.c: behind '='. */
bool ptx_read_initial(struct ptx_parser *p, struct ptx_symbol *symbol,
                      const uint64_t dims[], unsigned dim_count);

/* ptx_symbol.c: adds to the function where one is being read, else to the module. */
bool ptx_symbol_add(struct ptx_parser *p, const struct ptx_symbol *symbol, int32_t *out);
/* The item that is being read declares it, where it is one of the module's. */
void ptx_item_name(struct ptx_parser *p, int32_t symbol, bool defines);
void ptx_item_head(struct ptx_parser *p); /* which ends at the token */
int32_t ptx_symbol_find(const struct ptx_parser *p, const char *name, uint32_t bytes);

/* ptx_scope.c: scopes and the labels in them. */
bool ptx_scope_enter(struct ptx_parser *p);
void ptx_scope_leave(struct ptx_parser *p);
bool ptx_label_add(struct ptx_parser *p, const struct ptx_token *name, int32_t *out);
void ptx_label_refer(struct ptx_parser *p, int32_t *label, struct ptx_span span);

/* ptx_function.c: from .entry or .func, `start` being where its linkage begins. */
bool ptx_read_function(struct ptx_parser *p, uint32_t start, bool is_extern);
