/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the access analysis: which memory a kernel touches.

   Every access to global memory has a record. The record has a base, which is a pointer
   parameter or a variable, and, where one exists, a symbolic expression (form): the byte
   offset from the base as a polynomial over thread and CTA indices, parameters and loop
   counters. A form holds for every execution of its instruction. Otherwise the record has
   no form and a reason.

   Forms follow PTX arithmetic with two exceptions. Where a 32-bit or smaller value is
   widened, they assume that it did not wrap. Where `or` joins a thread index with higher
   bits, they assume that the two do not overlap. access_check_wrap() verifies the
   assumptions for a launch. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum access_symbol_kind {
    ACCESS_SPECIAL,   /* `special`: tid, ntid, ctaid, nctaid, laneid */
    ACCESS_PARAMETER, /* field of the parameter buffer: offset, bytes, is_signed */
    ACCESS_CONSTANT,  /* field of the .const `variable`: offset, bytes, is_signed */
    ACCESS_VARIABLE,  /* address of the module's `variable` */
    ACCESS_SHARED,    /* address of `variable` in shared memory */
    ACCESS_LOCAL,     /* address of `variable` in local memory */
    ACCESS_BLOCK,     /* address of kernel parameter `variable` itself */
    ACCESS_ITERATION, /* K: 0-based iteration of `loop`; after the loop, the last one */
    ACCESS_TRIPS,     /* T: iterations of `loop` begun so far; 0 if the loop was skipped */
    ACCESS_FUNCTION,  /* function(left, right) on `bits` bits */
    ACCESS_CHOICE,    /* one of `choices`, selected by control flow */
    ACCESS_MEMBER,    /* 8 bytes that instruction `variable` reads from the parameters at
                         `left`. In a record: from the parameter of `bytes` bytes at
                         `offset`, counted from its start */
    ACCESS_ELEMENT,   /* table element of `bits` bits (below 64) at byte `left` of a table.
                         The table is the parameter of `bytes` bytes at `offset`, or the
                         .const `variable` of `bytes` bytes if that is a module symbol */
    ACCESS_LOADED,    /* value that the instruction at `line` loads from memory */
    ACCESS_OPAQUE,    /* unknown: see `reason` and `line` */
    ACCESS_PHI,       /* only during the analysis: value `variable`, not yet resolved */
};

enum access_function {
    ACCESS_MIN,
    ACCESS_MAX,
    ACCESS_DIV,
    ACCESS_REM,
    ACCESS_AND,
    ACCESS_OR,
    ACCESS_XOR,
    ACCESS_SHL,
    ACCESS_SHR,
    ACCESS_MULHI,
};

/* Path condition of one choice: guards that were true when control flow selected it. They
   concern values that never change for a thread, or the iteration of the access. */
struct access_way {
    const struct access_guard *guards;
    uint32_t count;
};

struct access_symbol {
    enum access_symbol_kind kind;
    uint32_t holds; /* set of 1 << kind: the symbol and all symbols of its operands */
    uint32_t nodes; /* number of symbols in the expression tree, repeated ones included */
    enum ptx_special special;
    uint32_t offset, bytes;
    bool is_signed; /* of a parameter or constant field; for a function: how it reads its
                       arguments */
    int32_t variable;
    uint32_t loop; /* of a choice: 1 + the innermost loop that selects it; 0: none */
    enum access_function function;
    uint8_t bits;
    const struct access_form *left, *right;
    uint32_t choice; /* of a choice: index into the `choices` of a point */
    uint32_t choice_count;
    const struct access_form **choices;
    const uint32_t *origins;       /* only during the analysis: source blocks */
    const struct access_way *ways; /* path conditions by choice; NULL: unknown */
    uint32_t line;                 /* in the PTX */
    const char *reason;
};

enum { ACCESS_DEGREE_MAX = 8, ACCESS_TERMS_MAX = 48 };

/* factor * symbols[0] * symbols[1] ...; `symbols` holds symbol indices in ascending
   order. */
struct access_term {
    int64_t factor;
    uint32_t degree;
    uint32_t symbols[ACCESS_DEGREE_MAX];
};

/* Sum of terms. No factor is 0, and no two terms have the same symbols. */
struct access_form {
    uint32_t count;
    struct access_term terms[];
};

/* Predicate. A comparison truncates both sides to `bits` and reads them with or without
   sign. */
enum access_condition_kind {
    ACCESS_COMPARE,
    ACCESS_BOTH,   /* first && second */
    ACCESS_EITHER, /* first || second */
    ACCESS_UNLESS, /* !first */
    ACCESS_UNSURE, /* unknown */
};
enum access_comparison { ACCESS_EQ, ACCESS_NE, ACCESS_LT, ACCESS_LE, ACCESS_GT, ACCESS_GE };
struct access_condition {
    enum access_condition_kind kind;
    enum access_comparison comparison;
    bool is_signed;
    uint8_t bits;
    const struct access_form *left, *right;
    const struct access_condition *first, *second;
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_REDUCE, ACCESS_OTHER };
enum access_base {
    ACCESS_BASE_PARAMETER, /* base_symbol: the field that holds the pointer */
    ACCESS_BASE_VARIABLE,
    ACCESS_BASE_SHARED, /* generic accesses that are not global */
    ACCESS_BASE_LOCAL,
    ACCESS_BASE_UNKNOWN,
};
enum access_state {
    ACCESS_CLOSED, /* `form` holds */
    ACCESS_DATA,   /* depends on memory: on the load at data_line */
    ACCESS_OPEN,   /* no form: see `reason` */
};

/* Assumption of a form: the value was widened from `bits` bits, or joined with the bits
   above them, and must lie in their range. */
struct access_range {
    const struct access_form *form;
    int32_t block; /* the only block that widens it, see access_analysis; -1: several */
    uint8_t bits;
    bool is_signed;
};

/* Branch that every execution of the access passes: `condition` is true, or false if
   negated. */
struct access_guard {
    const struct access_condition *condition;
    bool negated;
    uint32_t line;
    struct access_range *ranges; /* assumptions of its forms */
    uint32_t range_count;
    bool is_part; /* the branch has further conditions */
};

/* Range of pointers of a record without a form for each thread. Examples are a matrix that
   a warp loads together, or an unknown offset from the base. The access touches at most the
   `bytes` bytes from `from` on, shifted by at most `steps` times `step`; `step` is an
   unsigned 32-bit number. */
struct access_hull {
    const struct access_form *from, *step; /* relative to the base; NULL: unknown */
    uint32_t bytes, steps;
};

struct access_record {
    enum access_kind kind;
    enum access_base base;
    enum access_state state;
    uint32_t instruction, line;     /* index in the function; line in the PTX */
    uint32_t bytes;                 /* per thread, all elements of a vector; 0: unknown */
    uint32_t base_symbol;           /* symbol index, unless the base is unknown */
    const struct access_form *form; /* byte offset from the base; NULL: unknown. Contains
                                       data or opaque symbols unless CLOSED */
    struct access_hull hull;        /* unless CLOSED */
    int32_t member; /* symbol: the base is unknown but equals this symbol's value, from
                       which the pointer range then counts; -1: none */
    struct access_range *member_ranges; /* assumptions of the form of its position */
    uint32_t member_range_count;
    uint32_t data_line;
    /* Sources of the address: numbers, parameter bytes from this offset on, and values
       loaded through those alone. 0: other or unknown sources; UINT32_MAX: numbers only. */
    uint32_t origin;
    const char *reason; /* a phrase, unless CLOSED */
    struct access_range *ranges;
    uint32_t range_count;
    struct access_guard *guards; /* outermost first; each is necessary */
    uint32_t guard_count;
    bool guards_decide; /* it executes in an iteration exactly if all guards hold */
    int32_t loop;       /* innermost loop, -1: none */
    /* One record with a form for each possible pointer, if the base is unknown but one of
       several pointers. NULL: not applicable. */
    const struct access_record *either;
    uint32_t either_count;
};

/* Natural loop. Its counter of begun iterations is 0 when the kernel starts and whenever a
   surrounding loop starts an iteration. The counter grows by 1 each time control reaches
   the header. */
struct access_loop {
    uint32_t header, line; /* first instruction of the header, and its line */
    int32_t parent;
    /* Necessary condition of the back edge in an iteration. Its condition is NULL if there
       are several back edges or no condition. */
    struct access_guard repeats;
    bool repeats_decide; /* the back edge is taken exactly if `repeats` holds; no other exit
                            exists */
    struct access_guard *stays; /* inner branches that every iteration with a successor
                                   passes, `repeats` included */
    uint32_t stay_count;
    struct access_guard *guards; /* branches above the header, outermost first */
    uint32_t guard_count;
    bool guards_decide; /* the loop is entered exactly if all guards hold */
};

/* Analysis of one function. It owns everything it points to except the module and the
   function. */
struct access_analysis {
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct ptx_function *own; /* of access_analyze_constants(): the rewritten function */
    struct access_symbol *symbols;
    uint32_t symbol_count;
    struct access_record *records;
    uint32_t record_count;
    struct access_loop *loops;
    uint32_t loop_count;
    uint32_t choice_count;
    struct access_range *ranges; /* assumptions of all records and guards */
    uint32_t range_count;
    struct access_way *prints; /* path conditions of each call that prints */
    uint32_t print_count;
    /* By block: conditions that hold for the whole life of each thread that reaches the
       block. They are found for the blocks that the ranges of records name. */
    struct access_way *above;
    struct arena arena;
};

/* Analyses a function. Records are in program order. The call never fails: an access that
   it does not understand gets a record with a reason. Borrows the module until
   access_destroy(). */
struct access_analysis *access_analyze(const struct ptx_module *m,
                                       const struct ptx_function *f);
void access_destroy(struct access_analysis *a); /* NULL is allowed */

/* Like access_analyze(), but treats loads of constant memory through a register as loads of
   global memory. Their records have a variable as base. */
struct access_analysis *access_analyze_constants(const struct ptx_module *m,
                                                 const struct ptx_function *f);
bool access_is_constant_look_up(const struct ptx_instruction *i);

/* Variables that some kernel of the module writes or updates atomically, as far as the
   addresses show. Input and output are indexed by module symbol; only variables `among`
   them are reported. The caller frees the result with free(). */
bool *access_variables_written(const struct ptx_module *m, const bool *among);

/* Launch, as far as forms depend on it. */
struct access_launch {
    uint32_t ntid[3], nctaid[3];
    const unsigned char *parameters; /* parameter buffer of the kernel */
    size_t parameter_bytes;
    /* Contents of .const variables by symbol of the module; NULL: unknown. */
    const unsigned char *const *constants;
    uint32_t ctaid_first[3], ctaid_end[3]; /* the considered CTAs; an end of 0: all */
};

/* Restricts the launch to the smallest box that holds the CTAs first to end - 1 in linear
   order. */
void access_partition_box(struct access_launch *l, uint32_t first, uint32_t end);
/* Partition of a grid: device d of `over` gets the CTAs first[d] .. first[d + 1] - 1.

   Partition sizes differ by at most one plane of the grid if that costs little time, else
   by at most one row, else by at most one CTA. A boundary inside a row makes both halves of
   the row neighbours of the other device. The first devices get the larger partitions: with
   few CTAs the data is mostly the host's, which resides on device 0. */
void access_partition(const uint32_t grid[3], unsigned over, uint32_t *first);
/* Number of consecutive CTAs that the partition keeps together: a plane, a row, or one. */
uint32_t access_partition_unit(const uint32_t grid[3], unsigned over);
/* Whether partitions with these boundaries take about as long as even ones. */
bool access_partition_is_even(const uint32_t grid[3], unsigned over, const uint32_t *first);

/* Point at which a form is evaluated. `trips` counts begun iterations by loop; K is one
   less. */
struct access_point {
    uint32_t ntid[3], nctaid[3], tid[3], ctaid[3];
    const unsigned char *parameters; /* parameter buffer of the kernel */
    size_t parameter_bytes;
    const unsigned char *const *constants; /* as in access_launch */
    const uint64_t *trips;                 /* by loop */
    const uint32_t *choices;  /* selected index by choice; NULL: always the first */
    const uint64_t *variable; /* address by module symbol; NULL: all 0 */
    bool is_any; /* any thread of the launch: a symbol that differs between threads has no
                    value */
};

/* Value of a form in 64 bits. False if a symbol has no value: data, opaque, or outside the
   parameter buffer. A division by zero, which PTX leaves undefined, gives all ones. */
bool access_value(const struct access_analysis *a, const struct access_form *f,
                  const struct access_point *p, uint64_t *out);

/* Truth of a condition at a point: 1, 0, or -1 if unknown. */
int access_holds(const struct access_analysis *a, const struct access_condition *c,
                 const struct access_point *p);

/* Conditional branches whose predicate depends only on the parameters and sizes of a
   launch. Writes each branch once, at most `most`; returns the number. */
struct access_branch {
    uint32_t instruction;
    const struct access_condition *condition; /* its predicate */
};
uint32_t access_branches(const struct access_analysis *a, struct access_branch *branches,
                         uint32_t most);

/* Upper bound of the trip count of each loop, over all threads of the launch. -1: unknown;
   0: the loop is never entered. */
void access_trips(const struct access_analysis *a, const struct access_launch *l,
                  int64_t *trips);

/* First assumption of the record's form that the launch may violate, with the bounds of its
   form if they are known. NULL: all assumptions hold. */
const struct access_range *access_wraps(const struct access_analysis *a,
                                        const struct access_record *r,
                                        const struct access_launch *l, const int64_t *trips,
                                        int64_t bounds[2], bool *known);

/* Verifies all assumptions of a closed record for the launch. Returns PROACT_OK, or
   PROACT_EREFUSED with the line and the value that may leave its range. `trips` comes from
   access_trips(). */
enum proact_status access_check_wrap(const struct access_analysis *a,
                                     const struct access_record *r,
                                     const struct access_launch *l, const int64_t *trips,
                                     struct proact_error *err);

/* Bounds of a form in a launch, over all threads that pass the guards. False if unknown. */
bool access_bounds(const struct access_analysis *a, const struct access_form *f,
                   const struct access_guard *guards, uint32_t guard_count,
                   const struct access_launch *l, const int64_t *trips, int64_t *low,
                   int64_t *high);

/* Records that describe the access: the record itself, or one for each possible pointer. */
const struct access_record *access_either(const struct access_record *r, uint32_t *count);

/* Whether each CTA may access its own location, as far as the form shows. */
bool access_is_own(const struct access_analysis *a, const struct access_record *r);

/* Strided range relative to a record's base: bytes low to end - 1, repeated `times` more
   times at distance `stride`. */
struct access_span {
    int64_t low, end, stride;
    uint32_t times;
};
bool access_span_holds(const struct access_span *s, int64_t first, uint32_t bytes);
/* Simplified range: more than `many` rows become one range if the gaps between them exceed
   neither `gap` bytes nor one row. Otherwise returns the same range. */
struct access_span access_span_close(const struct access_span *s, uint32_t many,
                                     int64_t gap);
enum { ACCESS_SPANS_MAX = 16 };

/* Bytes that a record touches in a launch, a superset, from its form or its pointer range.
   The result is `count` ranges without order; none if the access is never reached.
   Wrap-around indices and choices give separate ranges; pitched rows give strided ranges.
   False if unknown. */
bool access_extent(const struct access_analysis *a, const struct access_record *r,
                   const struct access_launch *l, const int64_t *trips,
                   struct access_span spans[ACCESS_SPANS_MAX], uint32_t *count);

/* Position in the parameter buffer of the pointer that a record uses: `first`, or one of
   `count` positions at distance `step`. */
struct access_pointers {
    uint32_t first, step, count;
};
/* False if any pointer is possible. */
bool access_pointers(const struct access_analysis *a, const struct access_record *r,
                     const struct access_launch *l, const int64_t *trips,
                     struct access_pointers *out);

/* Text of a form, such as "4*ctaid.x*ntid.x + 4*tid.x + [8]". [8] is the parameter field at
   byte 8, shape.8 the field of the constant `shape`. Writes at most `size` bytes, NUL
   included. */
void access_form_text(const struct access_analysis *a, const struct access_form *f,
                      char *into, size_t size);
