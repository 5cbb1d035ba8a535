/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernel versions that split a plain kernel. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_quanta_launch;
struct launching;
struct proact_kernel;

/* Whether a version exists for the launch under its plan; loads it on first use, except for
   an attempt (proact.looks). False while it is compiled in the background, if the launch
   may wait; l->is_compiling is then set. proact_kernel_refusal() states a missing
   version's reason. */
enum proact_status launch_is_cloned(struct launching *l, bool *cloned,
                                    struct proact_error *err);

/* Whether that version is loaded already. */
bool launch_version_is_loaded(const struct launching *l);

/* Whether a plain kernel, whose slots are known, can have a version for the launch. */
enum proact_status launch_supports_plan(const struct launching *l, bool *supports,
                                        struct proact_error *err);

/* Reason why no version exists; NULL: one exists, or the slots are not known. */
const char *kernel_clone_refusal(struct proact_kernel *k);
/* A launch begins: what kept the last one from a version no longer holds. */
void kernel_clone_unblock(struct proact_kernel *k);

/* PTX with the split kernel, or with its end alone if the session replays recorded quanta,
   and the suffix of its name there. */
enum proact_status kernel_split_text(struct proact_kernel *k, const char **out,
                                     size_t *bytes, struct proact_error *err);
const char *kernel_split_suffix(const struct proact_kernel *k);

/* Whether a staging version exists; launch_stage_ready() prepares it for the launch. */
bool launch_may_stage(const struct launching *l);
/* Static shared memory of that version in addition to the kernel's and the staging
   buffer. */
uint32_t kernel_stage_more(const struct proact_kernel *k);
enum proact_status launch_stage_ready(const struct launching *l, struct proact_error *err);

/* Size of the partition parameter, and the function that the device runs. */
uint32_t launch_partition_bytes(const struct launching *l);
struct device_function *launch_function(const struct launching *l, unsigned device);
/* Whether that has no end, so that a launch with it can be recorded. The launch is bound.
 */
bool launch_records_quanta(const struct launching *l);
/* What its stores to the peers depend on; 0: it has none. */
uint64_t launch_sends_key(const struct launching *l);
/* Loads what a replay of recorded quanta executes, and describes it. */
enum proact_status launch_end_ready(const struct launching *l,
                                    struct device_quanta_launch *quanta,
                                    struct proact_error *err);
/* Function for an interior of entire grid planes (launch_divide.h); NULL: none. It has no
   epilogue, which every CTA would execute. */
enum proact_status launch_inside_ready(const struct launching *l, struct proact_error *err);
struct device_function *launch_inside_function(const struct launching *l, unsigned device);

/* Updates the variables of the loaded versions' modules, before a replay. */
enum proact_status kernel_clones_follow(const struct proact_kernel *k,
                                        struct proact_error *err);

/* No launch may be in flight. Later launches create the versions again. */
void kernel_clones_drop(struct proact_kernel *k);
