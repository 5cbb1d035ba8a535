/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Inputs of the joint step (plan/joint.h): measured launch shapes, and the bytes that the
   mode of one makes another fetch. A split launch must fetch the output of a single-device
   launch before it starts, and vice versa. */

#include <stdbool.h>
#include <stdint.h>

#include "plan/joint.h"

struct choice;
struct launching;
struct proact;

/* Records the missing bytes of a launch in both modes, per writer. */
void joint_cost_record(struct choice *c, struct launching *l);
/* Most bytes that readers on one device miss of the output, of those that ran so last. */
uint64_t choice_single_readers_bytes(const struct choice *c);

/* Table of all shapes that run now. choices[i] is that of node i; both are released by
   choice_table_free(). */
struct choice_table {
    struct joint_table joint;
    struct choice **choices;
};
struct choice_table choice_table_of(const struct proact *p);
void choice_table_free(struct choice_table *t);
struct joint_node choice_node(const struct choice *c);

/* Decides again for all timed shapes if `c` has edges, after both of its modes were
   timed. */
void choice_settle(struct choice *c);
/* choice_launched() counts a launch, for the launch frequencies. choice_settle_one()
   decides a timed shape while the others keep their modes. After 1, 2, 4, ... launches it
   decides for all, because the set of running kernels changes. */
void choice_launched(struct choice *c);
void choice_settle_one(struct choice *c);

/* Records the duration of a fetch before a timed launch. */
void fetch_rate_record(struct proact *p, uint64_t bytes, uint64_t ns);
/* Bandwidth between devices in bytes per ns. */
double fetch_rate(const struct proact *p);
/* Time that a split launch would take if it sent nothing to device 0. */
uint64_t choice_unsent_ns(const struct choice *c, uint64_t measured_ns, uint64_t bytes);
/* Whether the shape was launched recently, and its decision is not a stored one. Others do
   not count. */
bool choice_is_recent(const struct choice *c);
void choice_edges_drop(struct choice *c);
