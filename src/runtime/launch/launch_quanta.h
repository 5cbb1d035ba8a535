/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recorded quanta of a launch (device/quanta.h): whether it is recorded or replayed. */

#include <proact/status.h>
#include <stdbool.h>

struct device_shape;
struct launching;

/* Sets l->quanta of a bound launch, and loads what a replay executes. PROACT_EREFUSED: the
   launch was not recorded, or cannot be replayed. */
enum proact_status launch_quanta_choose(struct launching *l, struct proact_error *err);

/* launch_sample.c: sets the classes of a sample. */
void launch_sample(const struct launching *l, struct device_shape *shape);
