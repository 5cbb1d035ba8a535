/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs kernels on the executor and holds every access for which there is a form against it,
   and every guard. Loop counters come from text that is woven into the kernel: a counter a
   loop, reported before each access by a store to an address that no memory has. */

#include "access/access.h"
#include "execute/execute.h"

enum oracle_fault {
    ORACLE_AS_IT_IS,
    ORACLE_SHIFTED, /* every form is taken with 1 added: all must be caught */
    ORACLE_STEEPER, /* every form with its last factor doubled */
};

struct oracle {
    struct ptx_module *plain, *woven;
    struct execute_program *program;
    struct access_analysis *analysis;
    const struct execute_kernel *kernel;
    enum oracle_fault fault;
    bool dry; /* nothing is stored, zeros are read; kernels may trap, wrap and go on */
    const struct access_form **forms; /* by record, as faulted */
    int32_t *record_of;               /* by line, -1 none */
    uint64_t *trips;                  /* by thread and loop */
    const unsigned char *parameters;
    size_t parameter_bytes;
    uint64_t variables;
    const unsigned char **constants; /* by symbol of the module */
    int64_t *bound;                  /* by loop: iterations at most */
    struct oracle_bounds {
        bool known, unwrapped; /* the form's bounds; nothing of it can wrap */
        int64_t low, high;
        bool is_extent; /* the spans are known */
        uint32_t span_count;
        struct access_span spans[ACCESS_SPANS_MAX];
    } * bounds; /* by record */
    /* What was seen. */
    uint64_t claimed, silent, wrong, guards_wrong, ranges_wrong, bounds_wrong;
    uint32_t closed, bounded, unwrapped; /* records, in the last launch */
    char first_wrong[400];
};

/* The text is borrowed only now. Ends the test if it cannot be read (dry: is false); false
   if this kernel cannot be executed. Close it in any case. */
bool oracle_open(struct oracle *o, const char *name, const char *text, size_t bytes,
                 const char *kernel, enum oracle_fault fault);
bool oracle_open_dry(struct oracle *o, const char *name, const char *text, size_t bytes,
                     const char *kernel);
void oracle_close(struct oracle *o);

/* Runs all CTAs one after the other. */
void oracle_run(struct oracle *o, const uint32_t grid[3], const uint32_t block[3],
                const unsigned char *parameters, size_t bytes, uint64_t variables);
