/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Oracle of the access analysis. It runs kernels on the executor and compares every access
   that has a symbolic expression, and every guard, with what happens.

   Loop counters come from code that is inserted into the kernel. It reports one counter for
   each loop before each access, by a store to an address outside all memory. */

#include "access/access.h"
#include "execute/execute.h"

enum oracle_fault {
    ORACLE_AS_IT_IS,
    ORACLE_SHIFTED, /* add 1 to every expression: every one must be caught */
    ORACLE_STEEPER, /* double the last factor of every expression */
};

struct oracle {
    struct ptx_module *plain, *woven;
    struct execute_program *program;
    struct access_analysis *analysis;
    const struct execute_kernel *kernel;
    enum oracle_fault fault;
    bool dry; /* stores are dropped and loads read zeros; kernels may trap, wrap or never
                 end */
    const struct access_form **forms; /* by record, with the fault applied */
    int32_t *record_of;               /* by line; -1: none */
    uint64_t *trips;                  /* by thread and loop */
    const unsigned char *parameters;
    size_t parameter_bytes;
    uint64_t variables;
    const unsigned char **constants; /* by symbol of the module */
    int64_t *bound;                  /* by loop: the largest number of iterations */
    struct oracle_bounds {
        bool known, unwrapped; /* the bounds of the expression are known; no part of it can
                                  wrap */
        int64_t low, high;
        bool is_extent; /* the ranges are known */
        uint32_t span_count;
        struct access_span spans[ACCESS_SPANS_MAX];
    } * bounds; /* by record */
    /* Results. */
    uint64_t claimed, silent, wrong, guards_wrong, ranges_wrong, bounds_wrong;
    uint32_t closed, bounded, unwrapped; /* records in the last launch */
    char first_wrong[400];
};

/* Open and close an oracle. The oracle uses `text` only during the open call. oracle_open()
   ends the test if the text cannot be analyzed; oracle_open_dry() then returns false. Both
   return false if the executor cannot run this kernel. The caller calls oracle_close() in
   every case. */
bool oracle_open(struct oracle *o, const char *name, const char *text, size_t bytes,
                 const char *kernel, enum oracle_fault fault);
bool oracle_open_dry(struct oracle *o, const char *name, const char *text, size_t bytes,
                     const char *kernel);
void oracle_close(struct oracle *o);

/* Run all CTAs one after the other. */
void oracle_run(struct oracle *o, const uint32_t grid[3], const uint32_t block[3],
                const unsigned char *parameters, size_t bytes, uint64_t variables);
