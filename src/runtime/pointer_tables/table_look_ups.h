/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Offsets of the parameter loads of a kernel version with promoted tables, from the table
   loads that they replace. */

struct address_tables;
struct proact_kernel;

/* By instruction of `variant`, which is the kernel with these tables; NULL: not known. The
   caller frees it. */
struct look_up *table_look_ups(const struct proact_kernel *k,
                               const struct address_tables *t,
                               const struct proact_kernel *variant);
