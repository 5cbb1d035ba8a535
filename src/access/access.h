/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room that reads which memory a kernel touches. Every access to global memory
   gets a base (a pointer parameter, a variable) and, where there is one, a form: the byte
   offset from that base as a polynomial over thread and block indices, parameters and loop
   counters. A form either holds for every execution of its instruction, or is not there:
   the record then says why. Forms are exact in the arithmetic of PTX but for one thing:
   where a narrow value is widened they assume that it did not wrap; access_check_wrap()
   verifies that for a launch. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

enum access_symbol_kind {
    ACCESS_SPECIAL,   /* special: tid, ntid, ctaid, nctaid, laneid */
    ACCESS_PARAMETER, /* a field of the parameter block: offset, bytes, is_signed */
    ACCESS_CONSTANT,  /* a field of the .const `variable`: offset, bytes, is_signed */
    ACCESS_VARIABLE,  /* address of the module's variable `variable` */
    ACCESS_SHARED,    /* address of shared memory: `variable` */
    ACCESS_LOCAL,     /* address of the thread's own memory: `variable` */
    ACCESS_BLOCK,     /* address of kernel parameter `variable` itself */
    ACCESS_ITERATION, /* K: 0-based iteration of `loop`; outside of it, that of the last */
    ACCESS_TRIPS,     /* T: iterations begun of `loop` so far, 0 if it was passed by */
    ACCESS_FUNCTION,  /* function(left, right) on `bits` bits */
    ACCESS_CHOICE,    /* one of `choices`, whichever way the thread came */
    ACCESS_MEMBER,  /* 8 bytes that instruction `variable` read of the parameters at `left`;
                       of a record's, that of the one of `bytes` at `offset`, from its
                       first byte on */
    ACCESS_ELEMENT, /* of `bits` bits (less than 64), `left` bytes behind the beginning of
                       the parameter of `bytes` at `offset`: of a table in it; or of the
                       .const `variable` of `bytes`, where that is one of the module's */
    ACCESS_LOADED,  /* what the instruction at `line` read from memory */
    ACCESS_OPAQUE,  /* nothing is known: see `reason` and `line` */
    ACCESS_PHI,     /* inside of the analysis only: value `variable`, not yet solved */
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

/* What held whenever that choice was made, of what never changes for a thread, or in the
   iteration in which the access is. */
struct access_way {
    const struct access_guard *guards;
    uint32_t count;
};

struct access_symbol {
    enum access_symbol_kind kind;
    uint32_t holds; /* 1 << kind of all symbols that it is or is made of */
    uint32_t nodes; /* itself, and what it is made of, each as often as it is named */
    enum ptx_special special;
    uint32_t offset, bytes;
    bool is_signed; /* a parameter's or a constant's field, or how a function takes its
                       arguments */
    int32_t variable;
    uint32_t loop; /* a choice's: one more than the innermost that it is made in, 0: none */
    enum access_function function;
    uint8_t bits;
    const struct access_form *left, *right;
    uint32_t choice; /* a choice's number: index into the point's choices */
    uint32_t choice_count;
    const struct access_form **choices;
    const uint32_t *origins;       /* inside of the analysis: where each one comes from */
    const struct access_way *ways; /* by choice; NULL: nothing is known of them */
    uint32_t line;                 /* of the PTX */
    const char *reason;
};

enum { ACCESS_DEGREE_MAX = 8, ACCESS_TERMS_MAX = 48 };

/* factor * symbols[0] * symbols[1] ...; symbols are indices, in order. */
struct access_term {
    int64_t factor;
    uint32_t degree;
    uint32_t symbols[ACCESS_DEGREE_MAX];
};

/* The sum of its terms; no term is 0 and no two have the same symbols. */
struct access_form {
    uint32_t count;
    struct access_term terms[];
};

/* A predicate. A comparison is of both sides cut to `bits` and read with or without sign.
 */
enum access_condition_kind {
    ACCESS_COMPARE,
    ACCESS_BOTH,   /* first && second */
    ACCESS_EITHER, /* first || second */
    ACCESS_UNLESS, /* !first */
    ACCESS_UNSURE, /* nothing is known of it */
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
    ACCESS_BASE_SHARED, /* generic accesses that turned out not to be global */
    ACCESS_BASE_LOCAL,
    ACCESS_BASE_UNKNOWN,
};
enum access_state {
    ACCESS_CLOSED, /* `form` holds */
    ACCESS_DATA,   /* hangs on memory: on the load at data_line */
    ACCESS_OPEN,   /* no form, see reason */
};

/* A form that was widened from `bits` and so must lie in their range. */
struct access_range {
    const struct access_form *form;
    int32_t block; /* only there it is widened, see access_analysis; -1: of several */
    uint8_t bits;
    bool is_signed;
};

/* A branch that every execution of the access has passed: `condition` held, or did not. */
struct access_guard {
    const struct access_condition *condition;
    bool negated;
    uint32_t line;
    struct access_range *ranges; /* what its forms assume */
    uint32_t range_count;
    bool is_part; /* the branch asks for more */
};

/* Of what has no form for each thread, such as a matrix that a warp loads together, or none
   from its base on: it touches at most the `bytes` from `from` on, and `steps` times `step`
   more, which is a number of 32 bits without sign. */
struct access_hull {
    const struct access_form *from, *step; /* from the record's base; NULL: not known */
    uint32_t bytes, steps;
};

struct access_record {
    enum access_kind kind;
    enum access_base base;
    enum access_state state;
    uint32_t instruction, line; /* in the function, in the PTX */
    uint32_t bytes;             /* of one thread, all elements of a vector; 0: unknown */
    uint32_t base_symbol;       /* index of a symbol, unless the base is unknown */
    const struct access_form *form; /* byte offset from the base; NULL where unknown, and
                                       with data or opaque symbols unless CLOSED */
    struct access_hull hull;        /* unless CLOSED */
    int32_t member;                 /* symbol: the base is unknown, but is this one's value,
                                       from which the hull then counts; -1: it is not */
    struct access_range *member_ranges; /* what its place assumes */
    uint32_t member_range_count;
    uint32_t data_line;
    /* The address is made of numbers, of the parameter block from this byte on, and of what
       is read through that alone. 0: of more, or not known; UINT32_MAX: of numbers. */
    uint32_t origin;
    const char *reason; /* a phrase, unless CLOSED */
    struct access_range *ranges;
    uint32_t range_count;
    struct access_guard *guards; /* outermost first; all are necessary */
    uint32_t guard_count;
    bool guards_decide; /* it happens in each iteration just where all of them hold */
    int32_t loop;       /* innermost, -1 for none */
    /* Where its base is unknown, but one of several pointers: for each of these a record of
       its own, with a form; NULL: it is not. */
    const struct access_record *either;
    uint32_t either_count;
};

/* A natural loop. Its counter of iterations begun is 0 when the kernel starts and whenever
   a loop around it starts an iteration, and steps when control reaches its header. */
struct access_loop {
    uint32_t header, line; /* first instruction of the header, its line */
    int32_t parent;
    /* The back edge is taken only if this held in the iteration (negated: did not); NULL
       where there are several back edges or no condition. */
    struct access_guard repeats;
    bool repeats_decide; /* it is taken just where that holds, and nothing else leaves */
    struct access_guard *stays; /* branches inside that every iteration passed which another
                                   one followed, `repeats` among them */
    uint32_t stay_count;
    struct access_guard *guards; /* branches above the header, outermost first */
    uint32_t guard_count;
    bool guards_decide; /* it is entered just where all of them hold */
};

/* Owns all it points to, but for the module and the function. */
struct access_analysis {
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct ptx_function *own; /* access_analyze_constants(): that one; else NULL */
    struct access_symbol *symbols;
    uint32_t symbol_count;
    struct access_record *records;
    uint32_t record_count;
    struct access_loop *loops;
    uint32_t loop_count;
    uint32_t choice_count;
    struct access_range *ranges; /* assumed by all records and guards */
    uint32_t range_count;
    struct access_way *prints; /* what each call that prints is behind */
    uint32_t print_count;
    /* By block: what holds for each thread that comes there, as long as it lives. Found of
       those that records' ranges name. */
    struct access_way *above;
    struct arena arena;
};

/* In the order of the text. Never fails: what is not understood is a record with a reason.
   Borrows the module until access_destroy(). */
struct access_analysis *access_analyze(const struct ptx_module *m,
                                       const struct ptx_function *f);
void access_destroy(struct access_analysis *a); /* NULL is fine */

/* The same, but that loads from constant memory by a register are taken for loads of
   global memory: they have records, too, with a variable for their base. */
struct access_analysis *access_analyze_constants(const struct ptx_module *m,
                                                 const struct ptx_function *f);
bool access_is_constant_look_up(const struct ptx_instruction *i);

/* By symbol of the module: those `among` them that are variables to which some kernel
   writes, or does atomics, by what is seen to be their address. free() it. */
bool *access_variables_written(const struct ptx_module *m, const bool *among);

/* A launch, as far as forms can see it. */
struct access_launch {
    uint32_t ntid[3], nctaid[3];
    const unsigned char *parameters; /* the kernel's block */
    size_t parameter_bytes;
    /* What .const variables hold, by symbol of the module; NULL: not known. */
    const unsigned char *const *constants;
    uint32_t ctaid_first[3], ctaid_end[3]; /* CTAs looked at; an end of 0: all */
};

/* Looks at the smallest box in the grid that holds the CTAs first to end - 1, by their
   linear numbers. */
void access_partition_box(struct access_launch *l, uint32_t first, uint32_t end);
/* Shares of a grid: device d of `over` gets the CTAs first[d] .. first[d + 1] - 1. They
   differ by a plane of the grid at most, where that makes them little longer, or by a row:
   what begins inside of a row borders on its neighbour with both halves of it. Else by one
   CTA. The first devices get more: where there are few CTAs, the data of the host, which is
   on the first. */
void access_partition(const uint32_t grid[3], unsigned over, uint32_t *first);
/* CTAs that these keep together: a plane of the grid, a row, or one. */
uint32_t access_partition_unit(const uint32_t grid[3], unsigned over);
/* Whether such shares, which end elsewhere, take about as long as the even ones. */
bool access_partition_is_even(const uint32_t grid[3], unsigned over, const uint32_t *first);

/* Where a form is evaluated. `trips` counts, by loop, iterations begun; K is one less. */
struct access_point {
    uint32_t ntid[3], nctaid[3], tid[3], ctaid[3];
    const unsigned char *parameters; /* the kernel's block */
    size_t parameter_bytes;
    const unsigned char *const *constants; /* as a launch has them */
    const uint64_t *trips;                 /* by loop */
    const uint32_t *choices;               /* by choice: which; NULL for all the first */
    const uint64_t *variable;              /* address by module symbol; NULL for all 0 */
    bool is_any; /* of the launch's threads: what is not alike in all has no value */
};

/* The form's value in 64 bits; false if a symbol of it has none (data, opaque, beyond the
   parameters). A division by zero gives what PTX leaves open: all ones. */
bool access_value(const struct access_analysis *a, const struct access_form *f,
                  const struct access_point *p, uint64_t *out);

/* Whether the condition holds at a point: 1, 0, or -1 where that is not known. */
int access_holds(const struct access_analysis *a, const struct access_condition *c,
                 const struct access_point *p);

/* Conditional branches whose predicate may be told by the launch's parameters and the sizes
   of its grid alone, each once and at most `most`: how many. */
struct access_branch {
    uint32_t instruction;
    const struct access_condition *condition; /* its predicate */
};
uint32_t access_branches(const struct access_analysis *a, struct access_branch *branches,
                         uint32_t most);

/* For each loop the most iterations that any thread of the launch begins in it, -1 where
   that is not known; 0 where it is never entered. */
void access_trips(const struct access_analysis *a, const struct access_launch *l,
                  int64_t *trips);

/* Of what the record's form assumes the first that may not hold in the launch, with the
   bounds of its form if they are known; NULL if all holds. */
const struct access_range *access_wraps(const struct access_analysis *a,
                                        const struct access_record *r,
                                        const struct access_launch *l, const int64_t *trips,
                                        int64_t bounds[2], bool *known);

/* Whether all that the record's form assumes holds for the launch: PROACT_OK, or
   PROACT_EREFUSED with the line, and the value that may leave its range. `trips` as by
   access_trips(). The record is closed. */
enum proact_status access_check_wrap(const struct access_analysis *a,
                                     const struct access_record *r,
                                     const struct access_launch *l, const int64_t *trips,
                                     struct proact_error *err);

/* Between which values a form lies in a launch, at any thread that has passed the guards;
   false if that is not known. */
bool access_bounds(const struct access_analysis *a, const struct access_form *f,
                   const struct access_guard *guards, uint32_t guard_count,
                   const struct access_launch *l, const int64_t *trips, int64_t *low,
                   int64_t *high);

/* The records that tell what it touches: itself, or those for each of its pointers. */
const struct access_record *access_either(const struct access_record *r, uint32_t *count);

/* Whether each CTA may have a place of its own there, as far as the form says. */
bool access_is_own(const struct access_analysis *a, const struct access_record *r);

/* Bytes, counted from where a record's base points: low to end - 1, and as many again at
   each of `times` steps of `stride` from there. */
struct access_span {
    int64_t low, end, stride;
    uint32_t times;
};
bool access_span_holds(const struct access_span *s, int64_t first, uint32_t bytes);
/* More than `many` rows, with no more than `gap` bytes and no more than a row between them,
   as one; or the same. */
struct access_span access_span_close(const struct access_span *s, uint32_t many,
                                     int64_t gap);
enum { ACCESS_SPANS_MAX = 16 };

/* Which bytes a record touches in a launch, or fewer, from its form or its hull: `count`
   spans, in no order; none where it is never reached. Indices that go around an end, and
   choices, are taken apart; rows of a pitch are told as such. False where it is not known.
 */
bool access_extent(const struct access_analysis *a, const struct access_record *r,
                   const struct access_launch *l, const int64_t *trips,
                   struct access_span spans[ACCESS_SPANS_MAX], uint32_t *count);

/* Where in the parameter block the pointer lies that a record goes through: at `first`, or
   at any of `count` places each `step` further. */
struct access_pointers {
    uint32_t first, step, count;
};
/* False where it may be any pointer. */
bool access_pointers(const struct access_analysis *a, const struct access_record *r,
                     const struct access_launch *l, const int64_t *trips,
                     struct access_pointers *out);

/* The form as text, such as "4*ctaid.x*ntid.x + 4*tid.x + [8]"; [8] is the parameter's
   field at byte 8, shape.8 that of the constant. Writes at most `size` with the NUL. */
void access_form_text(const struct access_analysis *a, const struct access_form *f,
                      char *into, size_t size);
