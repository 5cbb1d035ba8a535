/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Makes a record of every instruction that may touch global memory. */

#include "access/values/study.h"

void records_make(struct study *s);
