/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Accesses of a kernel to distributed arrays (distributed.h): the instructions that access
   only such arrays. */

#include "access/shared_writes/through.h"

struct launching;
struct proact_kernel;
struct write_set;

struct kernel_direct {
    uint32_t count, *offset; /* parameter offsets of the distributed arrays, ascending */
    struct access_through through;
    struct proact_error refusal; /* of its last launch with maps */
};

/* Takes ownership of `offset`. Results that depend on the old set must be dropped
   before. */
void direct_make(struct proact_kernel *k, uint32_t *offset, uint32_t count);
void direct_drop(struct proact_kernel *k);

/* By instruction: loads, stores and atomics on distributed arrays only; NULL: none. */
const bool *direct_accesses(const struct proact_kernel *k);
/* Whether the pointer parameter at that offset is a distributed array. */
bool direct_is(const struct proact_kernel *k, uint32_t offset);

/* Checks the write set `w`. A distributed array must not be written through a pointer that
   may also refer to another array. Other written arrays must not be read if CTAs can signal
   each other. */
enum proact_status direct_check(const struct launching *l, const struct write_set *w,
                                struct proact_error *err);
/* The same for user maps: whether no mapped array is read, or the CTAs cannot signal each
   other. Otherwise direct_refusal() names the array. */
bool direct_allows_maps(const struct launching *l);
const char *direct_refusal(const struct proact_kernel *k);
