/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random CUDA programs, as people write them for one GPU. A program is a few arrays,
   kernels that fill some of them from others, and a host that launches these again and
   again. No thread reads what another one writes in the same launch, and no sum hangs on
   its order, so that a program says the same on however many devices. */

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

/* What an index or a number is, and between which values it always lies. */
struct made {
    const char *text;
    long least, most;
};

/* An argument that is a number. `text` is what the kernel calls it. */
struct make_number {
    struct made is;
    const char *declared; /* as a parameter or member, or NULL if it is none */
    const char *given;    /* what the host gives; it knows `it` */
};

/* An array that a kernel is given. */
struct make_role {
    const char *name, *type, *text; /* what the kernel calls it */
    long count;                     /* elements it must have at least */
    bool is_written;
    const struct make_array *named; /* a variable, which it is not given; or NULL */
};

struct make_kernel {
    unsigned name;
    struct text body;
    struct make_role roles[MAKE_ROLES];
    unsigned role_count;
    struct make_number numbers[MAKE_NUMBERS];
    unsigned number_count;
    const char *grid, *block, *shared; /* as the host writes them */
    const char *template_name;         /* its one argument, or NULL */
    long template_value;
    bool in_struct, in_memory, /* the struct lies there, and is read by its address */
        is_restrict, is_alone; /* no thread needs another: the host can check it */
    const char *index;         /* the type of its indices */
    const char *skip;          /* leaves an element out: a word of C */
    struct made i, x, y, z, n; /* its place, and how many there are; no text: it has none */
    struct made w, h;
    unsigned variables, depth;
};

struct make_array {
    const char *type;
    long count;
    const char *variable; /* of the module, that it is; NULL: it is allocated */
};

struct maker {
    uint64_t chance;
    struct text program;
    char **texts; /* all that make_format() returned */
    size_t text_count, text_capacity;
    long n, w, h, d;
    struct make_array arrays[MAKE_ARRAYS];
    unsigned array_count;
    bool has_variables; /* given to others by their address, these run whole */
    unsigned barred;    /* a bit an array that may not be used now */
    struct make_kernel kernels[MAKE_KERNELS];
    unsigned kernel_count;
    struct text constants; /* of all kernels: declarations, and how they are set */
    struct text sets;      /* before all else, in main() */
};

unsigned draw(struct maker *m, unsigned below);
bool one_in(struct maker *m, unsigned of);
const char *pick(struct maker *m, const char *choices); /* of "a|b|c" */
__attribute__((format(printf, 2, 3))) const char *make_format(struct maker *m,
                                                              const char *format, ...);

/* A number of a kernel: written out, or an argument, a member, a constant. */
struct made make_number(struct maker *m, struct make_kernel *k, long value);
/* One that changes from launch to launch, from `least` to `most`. */
struct made make_changing(struct maker *m, struct make_kernel *k, long least, long most);

/* An array to read, of which each element below `count` may be. */
const struct make_role *make_read_role(struct maker *m, struct make_kernel *k);
const struct make_role *make_large_role(struct maker *m, struct make_kernel *k, long least);
const struct make_role *make_write_role(struct maker *m, struct make_kernel *k, long least);

/* An expression of int that reads one element, wherever the kernel's place leads. `loop`
   counts in a loop around it, or has no text. */
const char *make_read(struct maker *m, struct make_kernel *k, struct made loop);
/* `at` as an index below `count`: `guard` is NULL, or where it may be used at all. */
const char *make_bounded(struct maker *m, struct make_kernel *k, struct made at, long count,
                         const char **guard);

void make_alone(struct maker *m, struct make_kernel *k);
void make_together(struct maker *m, struct make_kernel *k);
void make_rows(struct maker *m, struct make_kernel *k);
void make_groups(struct maker *m, struct make_kernel *k);

unsigned make_size_of(const char *type);
/* All kernels, and what their hosts share. */
void make_begin(struct maker *m);
/* Arrays for the roles, none that is written for two. False: there are not enough. */
bool make_cast(struct maker *m, const struct make_kernel *k, unsigned *slots);
/* `names`: also what the kernel knows by name. */
void make_arguments(struct text *t, const struct make_kernel *k, const unsigned *slots,
                    const char *of, const char *member, bool names);
/* The kernel may know this array by name, now and then. */
void make_named(struct maker *m, struct make_kernel *k, struct make_role *r,
                const struct make_array *a);
/* The rest of the program. make_program's is plain (make_host.c), make_calls' is not. */
void make_host(struct maker *m);
extern const char *const make_prelude; /* what the program includes */
extern const bool make_variables;      /* some arrays are variables of the module */
extern const bool make_tables;         /* some structs of arguments lie in memory */
