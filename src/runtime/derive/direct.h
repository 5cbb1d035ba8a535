/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel does with those of its parameters that are distributed arrays
   (distributed.h): its direct accesses, which go to such arrays alone. */

#include "access/merged/through.h"
#include "runtime/launch/launching.h"

struct kernel_direct {
    uint32_t count, *offset; /* of the parameters, by their bytes in the block, rising */
    struct access_through through;
    struct proact_error refusal; /* of its last launch with maps */
};

/* `offset` becomes the kernel's. What was made of it by then must be gone. */
void direct_make(struct proact_kernel *k, uint32_t *offset, uint32_t count);
void direct_drop(struct proact_kernel *k);

/* By instruction: loads, stores and atomics that are such; NULL for nothing. */
const bool *direct_accesses(const struct proact_kernel *k);
/* Whether a pointer of the kernel, by its byte in the block, leads to one. */
bool direct_is(const struct proact_kernel *k, uint32_t offset);

/* `w` is what the launch writes. In distributed arrays: nothing by a pointer that may be
   another's too. In others: nothing that it reads, if its CTAs may tell each other that
   it is there. */
enum proact_status direct_check(const struct launching *l, const struct write_set *w,
                                struct proact_error *err);
/* With maps, which say what it writes: whether it reads nothing of these arrays, or its
   CTAs cannot tell each other. Else the refusal says which. */
bool direct_allows_maps(const struct launching *l);
const char *direct_refusal(const struct proact_kernel *k);
