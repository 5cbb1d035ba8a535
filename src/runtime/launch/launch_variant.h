/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "runtime/launch/launching.h"

/* Finds which of the launch's arrays are distributed (distributed.h), and puts the kernel's
   variant for them in the kernel's place. Ahead of all that is done with the launch. */
enum proact_status launch_variant(struct launching *l, struct proact_error *err);
