/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Gives every value its form, from the first block to the last, with phis as symbols. */

#include "access/values/study.h"

void walk_values(struct study *s);
