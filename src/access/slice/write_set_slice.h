/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/slice/slice_cut.h"
#include "access/slice/write_set_moves.h"
#include "execute/execute.h"

struct closed_map; /* access/closed/closed_map.h */

/* Module variable that the slice names. Variables in .global memory follow the arrays. */
struct slice_variable {
    const char *name;
    uint64_t offset, bytes; /* in the program's block */
    bool is_constant;
};

struct write_set_slice {
    char *kernel, *name, *file;
    struct slice_result cut;
    uint32_t instructions;
    bool is_exact;
    bool reads_shared_window;  /* size of shared memory */
    struct ptx_module *module; /* of the slice's text */
    struct execute_program *program;
    const struct execute_kernel *executable;
    struct closed_map *closed; /* closed forms of its stores */
    struct slice_variable *variables;
    uint32_t variable_count;
    uint32_t *site_of; /* by line of the slice: 1 + its site */
    uint32_t line_count;
    uint64_t hash[2]; /* of the text, with two seeds */
    bool *parameters; /* by parameter byte: it is read */
    struct write_set_moves moves;
    struct arena arena;
};
