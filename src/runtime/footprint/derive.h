/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Footprint of a launch without user maps. Its write set results from the write-set slice,
   which runs on the host with the launch parameters (docs/internals/access.md). */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct launching;
struct proact_array;
struct proact_kernel;
struct proact_relocation;
struct write_set_cache;
struct write_set_slice;

/* Creates the kernel's slots at its first launch, split or not. Slots must not change
   later, because recordings depend on them. */
void derive_slots(struct launching *l);

/* Fills in l->found and the slots. If the launch cannot be split, l->found.set stays NULL
   and derivation_refusal() returns the reason; otherwise that is NULL. */
void derive_maps(struct launching *l);
const char *derivation_refusal(const struct proact_kernel *k);

/* Write set of a single-device launch, from the slice. NULL: unknown; or, unless
   `amortizes`, each of the last launches had a new one. */
const struct write_set *derive_whole(struct launching *l, bool amortizes);

/* Creates a slice of the kernel without the stores in `left_out` (by instruction; NULL:
   none). A slice that reads constants is used only if no other exists. */
enum proact_status derive_cut(const struct proact_kernel *k, const bool *left_out,
                              struct write_set_slice **out, struct proact_error *err);

/* Runs a slice, or returns the cached result for equal parameters. */
enum proact_status derive_run(const struct launching *l, const struct write_set_slice *s,
                              struct write_set_cache *cache, const struct write_set **out,
                              struct proact_error *err);

/* Fails if a launch writes a variable of its module, which exists once per device. */
enum proact_status derive_check_variables(const struct launching *l,
                                          const struct write_set *w,
                                          struct proact_error *err);
/* The same for a split launch with these partition boundaries, and fails if partitions
   overlap. On success each atomic updates only bytes of its own device, so kernel versions
   keep it. */
enum proact_status derive_check_own(const struct launching *l, const uint32_t *cta_first,
                                    const struct write_set *w, struct proact_error *why);

/* The same for the boundaries chosen for the launch, which become l->found's. */
enum proact_status derive_partition(struct launching *l, const struct write_set *w,
                                    struct proact_error *why);

/* Compares user maps with the write set, if that is known. Fails with PROACT_EINVAL and
   names the array, the byte and the CTA. */
enum proact_status derive_check_maps(struct launching *l, struct proact_error *err);
/* Whether the kernel may write through that pointer. With one device the answer is always
   true, without an analysis. */
bool derivation_may_write(const struct launching *l,
                          const struct proact_relocation *relocation);
/* Whether the launch may write to the array, by its write set or its maps. */
bool derivation_writes(const struct launching *l, const struct proact_array *a);
/* Whether the launch only accesses arrays whose addresses are among its parameters. */
bool derivation_keeps_to_arguments(const struct launching *l);

void derivation_drop(struct proact_kernel *k);
