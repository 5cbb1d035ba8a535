/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Idempotent stores, reductions, indirect stores and value-returning atomics of a kernel,
   and the bytes that one launch writes by them. */

#include "access/write_set.h"

struct launching;

struct launch_flag {
    struct proact_array *array;
    uint64_t first, end; /* bytes of the array */
    uint32_t kind;       /* kind of reduction, if equal for all; 0: several kinds, or
                            idempotent stores */
};

/* Shared writes of one launch, valid until the kernel's next launch. */
struct launch_flags {
    struct launch_flag *flag;
    size_t count, capacity;
};

/* Idempotent stores of the kernel; NULL: none. */
struct kernel_flags *flags_create(const struct proact_kernel *k);
/* The same with reductions; NULL: no reductions. `floats`: include floating-point sums,
   which are reassociated. */
struct kernel_flags *reductions_create(const struct proact_kernel *k, bool floats);
/* The same with indirect stores; NULL: none. */
struct kernel_flags *scatters_create(const struct proact_kernel *k, bool floats);
/* The same for value-returning atomics (access/shared_writes/fetch_atomics.h). */
struct kernel_flags *fetch_atomics_create(const struct proact_kernel *k, bool floats);
/* Fail with PROACT_EREFUSED if CTAs of the kernel wait for each other, or may do so through
   value-returning atomics. */
enum proact_status kernel_waits(const struct proact_kernel *k, struct proact_error *err);
enum proact_status fetch_atomics_wait_loop(const struct proact_kernel *k,
                                           struct proact_error *err);
bool reductions_have_floats(const struct kernel_flags *f);
void flags_destroy(struct kernel_flags *f); /* NULL is allowed */

/* Whether shared writes are enabled. Once enabled they stay, so that kernel versions stay
   valid, and they are the kernel's flag_stores and reductions. */
bool flags_are_on(const struct kernel_flags *f);

/* Enables shared writes if the launch can be split with them. Writes the exclusive write
   set and l's shared writes; otherwise `err` states the reason. `part_first`: partition
   boundaries, as for write_set_overlap(). */
enum proact_status flags_find(struct launching *l, struct kernel_flags *f,
                              const uint32_t *part_first, const struct write_set **out,
                              struct proact_error *err);
