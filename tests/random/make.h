/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random CUDA programs in the style of programs for one GPU. A program has a few arrays,
   kernels that fill some arrays from others, and a host that launches them repeatedly. No
   thread reads what another thread writes in the same launch, and no sum depends on its
   order. So the output is the same on any number of devices. */

#include <stdbool.h>

#include "base/random.h"
#include "base/text.h"

enum {
    MAKE_READ_ROLES = 6,
    MAKE_ROLES = 9,
    MAKE_ARRAYS = 14,
    MAKE_KERNELS = 6,
    MAKE_NUMBERS = 12,
    MAKE_TABLE = 64
};

/* An index or a number, with the bounds of its value. */
struct made {
    const char *text;
    long least, most;
};

/* A numeric argument. `text` is its name in the kernel. */
struct make_number {
    struct made is;
    const char *declared; /* as a parameter or member; NULL: not an argument */
    const char *given;    /* the host's expression, which may use `it` */
};

/* An array that a kernel receives. */
struct make_role {
    const char *name, *type, *text; /* its name in the kernel */
    long count;                     /* least number of elements */
    bool is_written;
    const struct make_array *named; /* a variable that is not passed, or NULL */
};

struct make_kernel {
    unsigned name;
    struct text body;
    struct make_role roles[MAKE_ROLES];
    unsigned role_count;
    struct make_number numbers[MAKE_NUMBERS];
    unsigned number_count;
    const char *grid, *block, *shared; /* the host's expressions */
    const char *template_name;         /* its only argument, or NULL */
    long template_value;
    bool in_struct, in_memory, /* the struct is in memory, and the kernel reads it by
                                  address */
        is_restrict, is_alone; /* threads are independent, so the host can check the
                                  result */
    const char *index;         /* type of its indices */
    const char *skip;          /* C statement that skips an element */
    struct made i, x, y, z, n; /* position of the thread and number of elements; no text:
                                  absent */
    struct made w, h;
    unsigned variables, depth;
};

struct make_array {
    const char *type;
    long count;
    const char *variable; /* name of the module variable; NULL: allocated */
};

struct maker {
    uint64_t chance;
    struct text program;
    char **texts; /* everything that make_format() returned */
    size_t text_count, text_capacity;
    long n, w, h, d;
    struct make_array arrays[MAKE_ARRAYS];
    unsigned array_count;
    bool has_variables; /* variables; kernels that get their address run on one device */
    unsigned barred;    /* one bit for each array that must not be used now */
    struct make_kernel kernels[MAKE_KERNELS];
    unsigned kernel_count;
    struct text constants; /* of all kernels: declarations, and their initialization */
    struct text sets;      /* first statements of main() */
};

unsigned draw(struct maker *m, unsigned below);
bool one_in(struct maker *m, unsigned of);
const char *pick(struct maker *m, const char *choices); /* one of "a|b|c" */
__attribute__((format(printf, 2, 3))) const char *make_format(struct maker *m,
                                                              const char *format, ...);

/* A number of a kernel: a literal, an argument, a member or a constant. */
struct made make_number(struct maker *m, struct make_kernel *k, long value);
/* A number that changes between launches, from `least` to `most`. */
struct made make_changing(struct maker *m, struct make_kernel *k, long least, long most);

/* An array to read, whose elements below `count` may all be read. */
const struct make_role *make_read_role(struct maker *m, struct make_kernel *k);
const struct make_role *make_large_role(struct maker *m, struct make_kernel *k, long least);
const struct make_role *make_write_role(struct maker *m, struct make_kernel *k, long least);

/* An int expression that reads one element near the thread's position. `loop` is the
   counter of an enclosing loop, or has no text. */
const char *make_read(struct maker *m, struct make_kernel *k, struct made loop);
/* `at` as an index below `count`. `guard` is NULL, or receives the condition under which
   the index is valid. */
const char *make_bounded(struct maker *m, struct make_kernel *k, struct made at, long count,
                         const char **guard);

void make_alone(struct maker *m, struct make_kernel *k);
void make_together(struct maker *m, struct make_kernel *k);
void make_rows(struct maker *m, struct make_kernel *k);
void make_groups(struct maker *m, struct make_kernel *k);

unsigned make_size_of(const char *type);
/* All kernels, and the parts that their hosts share. */
void make_begin(struct maker *m);
/* Selects arrays for the roles, none for two written roles. Returns false if there are not
   enough. */
bool make_cast(struct maker *m, const struct make_kernel *k, unsigned *slots);
/* `names`: includes arrays that the kernel accesses by name. */
void make_arguments(struct text *t, const struct make_kernel *k, const unsigned *slots,
                    const char *of, const char *member, bool names);
/* Lets the kernel access this array by name, at random. */
void make_named(struct maker *m, struct make_kernel *k, struct make_role *r,
                const struct make_array *a);
/* The rest of the program. make_program has a plain host (make_host.c), make_calls another
   one. */
void make_host(struct maker *m);
extern const char *const make_prelude; /* the file that the program includes */
extern const bool make_variables;      /* some arrays are variables of the module */
extern const bool make_tables;         /* some structs of arguments are in memory */
