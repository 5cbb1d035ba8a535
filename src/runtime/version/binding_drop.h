/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Release of bindings and counter tables of a kernel. */

struct proact_array;
struct proact_kernel;

/* Bindings of a kernel; nothing may be in flight when they are dropped. `array`: only those
   that use it, NULL: all. */
void kernel_bindings_drop(struct proact_kernel *k, const struct proact_array *array);
void kernel_tables_drop(struct proact_kernel *k);
/* Before another shape of launch is added: where there are too many, all go. */
void kernel_shapes_trim(struct proact_kernel *k);
