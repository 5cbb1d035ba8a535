/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Creates a record for every instruction that may access global memory. */

#include "access/values/study.h"

void records_make(struct study *s);
