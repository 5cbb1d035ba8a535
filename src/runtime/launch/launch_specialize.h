/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Specialization: the removal of branches that the launch parameters decide. It can make a
   launch splittable although the complete kernel is not. */

#include <stdbool.h>

struct launching;

/* Replaces the kernel by its version for the branches of this launch. Returns false if
   nothing is removed or the branches are not known. `first`: a new version may be created,
   because the launch could not be split; otherwise only existing versions are used. */
bool launch_specialize(struct launching *l, bool first);
