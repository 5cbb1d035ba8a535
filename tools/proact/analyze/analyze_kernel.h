/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Properties of a kernel without a launch: its arrays, its write-set slice, its kernel
   versions, and the reason if it cannot be split. */

#include <proact/device.h>

#include "access/pattern/pattern.h"
#include "access/shared_writes/fetch_atomics.h"
#include "access/shared_writes/flags.h"
#include "access/write_set.h"
#include "base/text.h"
#include "instrument/instrument.h"

enum { ANALYZE_SHAPES_MAX = 128 };

struct analyze_kernel {
    const struct ptx_module *module;
    const struct ptx_function *f;
    uint32_t whole; /* instruction count before specialization; 0: not specialized */
    struct access_analysis *analysis;
    struct access_patterns *patterns;
    struct access_shape shapes[ANALYZE_SHAPES_MAX]; /* declared, for the patterns */
    uint32_t shape_count;
    struct access_flags flags; /* candidates for idempotent stores */
    /* Atomics and indirect stores that must access device 0's replica for a split. */
    struct access_reductions reductions;
    bool *is_flag;  /* by instruction, with reductions; NULL unless they include atomics */
    bool *is_joint; /* by instruction: those that stay atomics */
    bool *is_swap;  /* by instruction: compare-and-swaps that wait for no one */
    struct write_set_slice *slice; /* without reductions; NULL: `uncut` has the reason */
    struct proact_error uncut;
    struct instrument_request request;
    struct instrument_result clones; /* their positions in `text` */
    char *text;                      /* the module with kernel versions; NULL: none were
                                        made */
    struct proact_error why;         /* the reason against a split; empty: none */
    bool is_annotated;               /* by its author; the program gives the maps */
};

/* reassociate_floats: floating-point sums count as reductions. */
void analyze_kernel_open(struct analyze_kernel *k, const struct ptx_module *m,
                         const struct ptx_function *f, bool reassociate_floats);
void analyze_kernel_close(struct analyze_kernel *k);
/* True if the last parameter is a struct proact_partition. */
bool analyze_is_annotated(const struct ptx_function *f);
/* True if the reductions include indirect stores. */
bool analyze_scatters(const struct analyze_kernel *k);

/* True if only idempotent stores write the array with the pointer at `offset`. */
bool analyze_flags_only(const struct analyze_kernel *k, uint32_t offset);

/* The demangled name; NULL if it does not change or the C++ runtime is not available. The
   caller frees it. */
char *analyze_plain_name(const char *name);

/* Prints to stdout, with source lines after the lines of the module. */
__attribute__((format(printf, 2, 3))) void analyze_print(const struct ptx_module *m,
                                                         const char *format, ...);

/* One line with a change that removes the reason. */
const char *analyze_advice(const struct analyze_kernel *k, const char *why);

/* "2", or "2.16" for byte 16 of argument 2, or the variable whose address is there. */
void analyze_place_text(const struct ptx_function *f, uint32_t offset, char *into,
                        size_t size);
/* The text of an array: as above, or the variable's name. */
void analyze_base_text(const struct analyze_kernel *k, enum access_base base,
                       uint32_t symbol, char *into, size_t size);
/* The text of a symbolic expression; byte 12 of the parameter buffer reads arg2. */
void analyze_form_text(const struct analyze_kernel *k, const struct access_form *form,
                       char *into, size_t size);
/* The declared shape of an array, or NULL. */
const struct access_shape *analyze_shape(const struct analyze_kernel *k,
                                         const struct access_array *a);
const char *analyze_kind_text(enum access_kind kind);

/* A value of the parameter buffer that a kernel loads. */
struct analyze_field {
    uint32_t offset, bytes;
    enum ptx_part type;
    bool is_array; /* the base of an access */
};
enum { ANALYZE_FIELDS_MAX = 256 };

/* The parameters that `f`, the kernel or its slice, loads, in order and without duplicates.
   Fields beyond the limit are dropped. Arrays are those of the kernel's analysis. */
uint32_t analyze_fields(const struct analyze_kernel *k, const struct ptx_function *f,
                        struct analyze_field fields[ANALYZE_FIELDS_MAX]);
