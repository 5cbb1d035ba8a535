/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a kernel that nobody marked is split nevertheless. */

#include "runtime/launch/launching.h"

/* Whether there is a clone for such launches under the session's plan:
   proact_kernel_refusal() says why not. Makes and loads it when it is first needed. */
enum proact_status launch_is_cloned(const struct launching *l, bool *cloned,
                                    struct proact_error *err);

/* How it is split, as its last launch is: by the session's plan; where nobody gave maps and
   the plan has no clone for it, or is not one that was asked for and does not suit it
   (interleaved_writers.h), by copies at its end. */
const struct transfer_plan *kernel_plan(const struct proact_kernel *k);

/* Why there is none; NULL where there is, or where no slots are known. */
const char *kernel_clone_refusal(struct proact_kernel *k);

/* The text with the kernel that is launched in parts, and what is added to its name there.
 */
const char *kernel_split_text(const struct proact_kernel *k, size_t *bytes);
const char *kernel_split_suffix(const struct proact_kernel *k);

/* Whether there is a clone that stages, and gets it ready for the launch. */
bool launch_may_stage(const struct launching *l);
/* Bytes of static shared memory that it has beside the kernel's and the stage. */
uint32_t kernel_stage_more(const struct proact_kernel *k);
enum proact_status launch_stage_ready(const struct launching *l, struct proact_error *err);

/* What a device runs, and how much of the share it takes. */
uint32_t launch_partition_bytes(const struct launching *l);
struct device_function *launch_function(const struct launching *l, unsigned device);
/* What it can run as the inside of its share (launch_divide.h), if that is of whole slices;
   NULL: there is no such clone. It has no last words, which every CTA would execute. */
enum proact_status launch_inside_ready(const struct launching *l, struct proact_error *err);
struct device_function *launch_inside_function(const struct launching *l, unsigned device);

/* Those that there are find variables of their module as they are now: ahead of a replay.
 */
enum proact_status kernel_clones_follow(const struct proact_kernel *k,
                                        struct proact_error *err);

/* Nothing may be in flight. They are made anew when they are needed. */
void kernel_clones_drop(struct proact_kernel *k);
