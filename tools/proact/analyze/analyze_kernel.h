/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is known of a kernel before any launch: its arrays, its write-set slice, its clones,
   and why it cannot be split over devices where it cannot. */

#include <proact/device.h>

#include "access/merged/fetch_atomics.h"
#include "access/merged/flags.h"
#include "access/pattern/pattern.h"
#include "access/write_set.h"
#include "base/text.h"
#include "instrument/instrument.h"

enum { ANALYZE_SHAPES_MAX = 128 };

struct analyze_kernel {
    const struct ptx_module *module;
    const struct ptx_function *f;
    uint32_t whole; /* instructions, where it is what a launch comes to; 0: it is all */
    struct access_analysis *analysis;
    struct access_patterns *patterns;
    struct access_shape shapes[ANALYZE_SHAPES_MAX]; /* declared, for the patterns */
    uint32_t shape_count;
    struct access_flags flags; /* what may be such */
    /* Atomics, and scattered stores, that go to the first device's replica, if it takes
       these to split it. */
    struct access_reductions reductions;
    bool *is_flag; /* by instruction, with reductions; NULL unless atomics are among them */
    bool *is_joint;                /* the same: which of them stay atomics */
    struct write_set_slice *slice; /* without reductions. NULL: see `uncut` */
    struct proact_error uncut;
    struct instrument_request request;
    struct instrument_result clones; /* where `text` is */
    char *text;                      /* the module with clones; NULL: none were tried */
    struct proact_error why;         /* it cannot be split; empty where it can */
    bool is_annotated;               /* by hand: its program gives the maps */
};

/* reassociate_floats: sums of floating-point numbers are reductions, too. */
void analyze_kernel_open(struct analyze_kernel *k, const struct ptx_module *m,
                         const struct ptx_function *f, bool reassociate_floats);
void analyze_kernel_close(struct analyze_kernel *k);
/* By hand: its last parameter is a share. */
bool analyze_is_annotated(const struct ptx_function *f);
/* Whether there are scattered stores among what it takes to split it. */
bool analyze_scatters(const struct analyze_kernel *k);

/* Whether the array whose pointer lies at `offset` is written by flags alone. */
bool analyze_flags_only(const struct analyze_kernel *k, uint32_t offset);

/* What the source calls the kernel, from what C++ makes of it; NULL where it is the same or
   where the C++ runtime, which knows, is not here. free() it. */
char *analyze_plain_name(const char *name);

/* On stdout, with the lines of the source behind those of the module. */
__attribute__((format(printf, 2, 3))) void analyze_print(const struct ptx_module *m,
                                                         const char *format, ...);

/* One line: what to change so that the sentence is not said any more. */
const char *analyze_advice(const struct analyze_kernel *k, const char *why);

/* "2", or "2.16" for byte 16 inside argument 2, or the name of a variable whose address
   lies there. */
void analyze_place_text(const struct ptx_function *f, uint32_t offset, char *into,
                        size_t size);
/* An array's: as above, or the variable's name. */
void analyze_base_text(const struct analyze_kernel *k, enum access_base base,
                       uint32_t symbol, char *into, size_t size);
/* A form, in which the parameter block's [12] reads arg2. */
void analyze_form_text(const struct analyze_kernel *k, const struct access_form *form,
                       char *into, size_t size);
/* The shape that was declared of an array; NULL for none. */
const struct access_shape *analyze_shape(const struct analyze_kernel *k,
                                         const struct access_array *a);
const char *analyze_kind_text(enum access_kind kind);

/* A value of the parameter block that a kernel loads. */
struct analyze_field {
    uint32_t offset, bytes;
    enum ptx_part type;
    bool is_array; /* an access has it as its base */
};
enum { ANALYZE_FIELDS_MAX = 256 };

/* What `f`, the kernel or its slice, loads of its parameters, in order, each once; the rest
   of too many are left out. Arrays are those of the kernel's analysis. */
uint32_t analyze_fields(const struct analyze_kernel *k, const struct ptx_function *f,
                        struct analyze_field fields[ANALYZE_FIELDS_MAX]);
