/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel writes for which nobody gave a map: found by running its write-set slice
   with the launch's parameters, before the launch (docs/internals/access.md). */

#include "runtime/launch/launching.h"

/* The kernel's slots, at its first launch, split or not: they must not come and go, or
   recordings would. */
void derive_slots(struct launching *l);

/* Fills l->found, and the kernel's slots from it. Where the launch cannot be split,
   l->found.set stays NULL and derivation_refusal() says why (else it is NULL). */
void derive_maps(struct launching *l);
const char *derivation_refusal(const struct proact_kernel *k);

/* What a launch may write that is not split, by its slice; NULL where that is not known,
   or, unless `amortizes`, was found anew in each of the last launches. */
const struct write_set *derive_whole(struct launching *l, bool amortizes);

/* Cuts a slice of the kernel, without the stores that are `left_out` (NULL: of all). One
   that asks for what constants hold only where no other tells. */
enum proact_status derive_cut(const struct proact_kernel *k, const bool *left_out,
                              struct write_set_slice **out, struct proact_error *err);

/* By running such a slice, if that is not known yet. */
enum proact_status derive_run(const struct launching *l, const struct write_set_slice *s,
                              struct write_set_cache *cache, const struct write_set **out,
                              struct proact_error *err);

/* Whether a launch that is not split may be taken to write so: to no variable. */
enum proact_status derive_check_variables(const struct launching *l,
                                          const struct write_set *w,
                                          struct proact_error *err);
/* And a split one, whose devices' CTAs begin at `cta_first`: nothing of a device's is
   another one's, too. Then what it updates by atomics is its own, and clones may. */
enum proact_status derive_check_own(const struct launching *l, const uint32_t *cta_first,
                                    const struct write_set *w, struct proact_error *why);

/* The same of the shares that it is to have, which are then l->found's. */
enum proact_status derive_partition(struct launching *l, const struct write_set *w,
                                    struct proact_error *why);

/* Whether the maps that the user gave hold what the kernel writes, where that is known:
   else PROACT_EINVAL, naming array, byte and CTA. */
enum proact_status derive_check_maps(struct launching *l, struct proact_error *err);
/* The same of a launch that writes just that. */
enum proact_status derive_check_slots(const struct launching *l, const struct write_set *w,
                                      struct proact_error *err);

/* Whether the kernel may write by that pointer; where there is but one device, nobody
 * looks.
 */
bool derivation_may_write(const struct launching *l,
                          const struct proact_relocation *relocation);
/* Whether the launch may write to the array, where it is known what it writes, or said by
   maps. */
bool derivation_writes(const struct launching *l, const struct proact_array *a);
/* Whether the launch can only touch arrays whose addresses are among its parameters. */
bool derivation_keeps_to_arguments(const struct launching *l);

void derivation_drop(struct proact_kernel *k);
