/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* In a program, tables of addresses that a kernel finds in memory are read before the
   launch, and given to a kernel that has them as parameters: of each device its own
   addresses (instrument/table_parameters.c). Where one device runs it all, the kernel is
   launched as it is. */

#include "runtime/launch/launching.h"

/* The launch becomes one of such a kernel: where there is one already, or, `first`, made
   now, for it cannot be split as it is. Until the kernel's next launch. */
bool launch_tables(struct launching *l, bool first);

/* It was seen whether the launch is split. */
void launch_tables_report(const struct launching *l, bool is_split);
