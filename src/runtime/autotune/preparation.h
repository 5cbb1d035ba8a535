/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host time to prepare split launches: the analysis of a kernel, its versions, and the
   tables. The budget (plan/budget.h) pays for it. A program with many kernels is prepared
   once the budget suffices for all of them: the arrays of a part of its kernels would move
   at each launch of another one. */

#include <stdbool.h>
#include <stdint.h>

struct choice;
struct launching;
struct proact;
struct proact_kernel;

/* Counts a kernel at its first launch, or at its second one while the other devices are not
   open: kernels that initialize the data of a program are usually launched once. */
void preparation_count(struct proact_kernel *k);
/* The kernel is destroyed, or it is never split and needs no preparation. */
void preparation_forget(struct proact_kernel *k);
/* Whether the budget suffices for all kernels that are counted. Emulated machines take no
   host time for it. */
bool preparation_is_affordable(const struct proact *p);
/* Whether the kernel of the launch was prepared, or needs no preparation. */
bool preparation_is_done(const struct launching *l);

struct preparation {
    uint64_t from_ns, spent_ns, waited_ns;
    bool counts;
};

/* Around the preparation of a launch; `c` is its decision, or NULL. The first one of a
   launch shape counts, except for host time that overlaps with queued work. */
struct preparation preparation_begin(const struct choice *c, const struct launching *l);
void preparation_end(const struct preparation *b, const struct launching *l);
/* Host time that all kernels are expected to take, in ns, and their number. */
uint64_t preparation_expected_ns(const struct proact *p, unsigned *kernels);
