/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Promotion of pointer tables to parameters. In a program, the runtime reads the pointer
   tables of a kernel before the launch and passes them to a version with the tables as
   parameters (instrument/table_parameters.c). Each device thus gets its own addresses. A
   single-device launch uses the original kernel. */

#include <stdbool.h>

struct launching;

/* Replaces the kernel by such a version, until its next launch. `first`: a version may be
   created, because the launch cannot be split otherwise; otherwise only existing versions
   are used. */
bool launch_tables(struct launching *l, bool first);

/* Records whether the launch was split. */
void launch_tables_report(const struct launching *l, bool is_split);
